#version 450
#extension GL_EXT_control_flow_attributes : enable
// SPDX-License-Identifier: Apache-2.0
//
// Loads 512 vectors a thread from workgroup memory; the threads of a workgroup load
// neighbours.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
shared uvec4 values[1024];
void main() {
  uint i = gl_LocalInvocationID.x;
  for (uint k = 0; k < 8; ++k)
    values[(i + k * 128) & 1023] = from[(i + k * 128) & (from.length() - 1)];
  barrier();
  uvec4 sum = uvec4(0);
  // A compiler does not know that the step is 1.
  uint step = values[0].x & 1;
  for (int round = 0; round < 64; ++round) {
    [[unroll]] for (uint k = 0; k < 8; ++k)
      sum ^= values[(i + k * 128) & 1023];
    i += step;
  }
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x12345678 && sum.x == 77)
    to[0] = sum.x;
}
