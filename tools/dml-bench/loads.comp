#version 450
#extension GL_EXT_control_flow_attributes : enable
// SPDX-License-Identifier: Apache-2.0
//
// Loads 512 vectors a thread, of a buffer that a cache holds. The threads of a workgroup
// load neighbours, and each workgroup begins elsewhere. The buffer is from a first cache
// if it is small, and from the last one if it is larger than the first.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
void main() {
  uint last = from.length() - 1;
  uint i = gl_WorkGroupID.x * 40503 * 128 + gl_LocalInvocationID.x;
  uvec4 sum = uvec4(0);
  for (int round = 0; round < 64; ++round) {
    [[unroll]] for (uint k = 0; k < 8; ++k)
      sum ^= from[(i + k * 128) & last];
    i += 8 * 128;
  }
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x12345678 && sum.x == 77)
    to[0] = sum.x;
}
