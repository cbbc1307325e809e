// SPDX-License-Identifier: Apache-2.0
// c = a + b, one vector an invocation.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 2) writeonly buffer C { vec4 c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < c.length())
    c[i] = a[i] + b[i];
}
