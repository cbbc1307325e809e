#version 450
// The doubles of 64-bit integers, in words of 32 bits.
//
// SPDX-License-Identifier: Apache-2.0
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { uvec2 a[]; };
layout(binding = 1) writeonly buffer B { uvec2 b[]; };

void main() {
  uint i = gl_WorkGroupID.x;
  b[i] = uvec2(a[i].x << 1, a[i].y << 1 | a[i].x >> 31);
}
