// SPDX-License-Identifier: Apache-2.0
// Takes long: each number depends on the one before.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint x = a[0];
  for (uint i = 0; i < 300000000u; ++i)
    x = x * 1664525u + 1013904223u;
  b[0] = x;
}
