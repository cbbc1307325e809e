// SPDX-License-Identifier: Apache-2.0
// Reverses each group of 64 numbers through workgroup memory.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) writeonly buffer B { float b[]; };
shared float group[64];
void main() {
  uint i = gl_LocalInvocationID.x;
  uint base = gl_WorkGroupID.x * gl_WorkGroupSize.x;
  group[i] = a[base + i];
  barrier();
  b[base + i] = group[63 - i];
}
