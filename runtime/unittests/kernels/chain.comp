// SPDX-License-Identifier: Apache-2.0
// b = 3 * a + 4919, where each kernel of a chain has a number of its own
// instead of 4919.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  b[i] = a[i] * 3 + 4919;
}
