#version 450
// SPDX-License-Identifier: Apache-2.0
//
// Copies 16 bytes a thread: what the device's memory can do at best.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uvec4 to[]; };
void main() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = group * 256 + gl_LocalInvocationID.x;
  if (i < to.length())
    to[i] = from[i];
}
