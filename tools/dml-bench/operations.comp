#version 450
// SPDX-License-Identifier: Apache-2.0
//
// 32-bit operations, half of them of integers: in each of 256 rounds a thread has eight
// of both kinds, none of which waits for its neighbours. Executables.h has their number.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uvec4 to[]; };
void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 128 +
           gl_LocalInvocationID.x;
  if (i < to.length()) {
    uvec4 integers = from[i], step = integers.yzwx;
    vec4 floats = vec4(integers & 0xffff), factor = 1.0 / (floats + 1.0);
    for (int round = 0; round < 256; ++round) {
      integers ^= step;
      integers += step;
      floats = fma(floats, factor, factor);
      floats = fma(floats, factor, factor);
    }
    to[i] = integers ^ floatBitsToUint(floats);
  }
}
