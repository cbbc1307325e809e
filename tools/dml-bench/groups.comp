#version 450
// SPDX-License-Identifier: Apache-2.0
//
// A workgroup of 1024 threads, which keeps a multiprocessor busy: in each of 1024 rounds a
// thread has 16 fused products and sums, none of which waits for its neighbours. Two such
// workgroups take twice as long on one multiprocessor as on two multiprocessors.
layout(local_size_x = 1024) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uvec4 to[]; };
void main() {
  uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
  if (i < to.length()) {
    vec4 a = vec4(from[i] & 0xffff), b = a + 1.0, c = a + 2.0, d = a + 3.0;
    vec4 factor = 1.0 / (a + 4.0);
    for (int round = 0; round < 1024; ++round) {
      a = fma(a, factor, factor);
      b = fma(b, factor, factor);
      c = fma(c, factor, factor);
      d = fma(d, factor, factor);
    }
    to[i] = floatBitsToUint(a + b + c + d);
  }
}
