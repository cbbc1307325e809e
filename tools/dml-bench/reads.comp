#version 450
#extension GL_EXT_control_flow_attributes : enable
// SPDX-License-Identifier: Apache-2.0
//
// Reads 16 vectors a thread, again and again from the beginning of the buffer: fast
// where a cache holds it. What is read counts, for all that a compiler knows.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 2048 +
           gl_LocalInvocationID.x;
  uvec4 sum = uvec4(0);
  [[unroll]] for (uint k = 0; k < 16; ++k)
    sum ^= from[(i + k * 128) & (from.length() - 1)];
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x12345678 && sum.x == 77)
    to[0] = sum.x;
}
