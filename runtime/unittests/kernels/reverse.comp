// SPDX-License-Identifier: Apache-2.0
// Reverses each group of 64 numbers through workgroup memory. Its indices are the
// thread's number itself: of what stands in a variable nothing is known.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) writeonly buffer B { float b[]; };
shared float group[64];
void main() {
  uint at = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  group[gl_LocalInvocationID.x] = a[at];
  barrier();
  b[at] = group[63 - gl_LocalInvocationID.x];
}
