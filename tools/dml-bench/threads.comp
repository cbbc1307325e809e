#version 450
// SPDX-License-Identifier: Apache-2.0
//
// Threads that do next to nothing: each copies four bytes that are in a cache. What
// takes the time is that they start.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 128 +
           gl_LocalInvocationID.x;
  i &= to.length() - 1;
  to[i] = from[i];
}
