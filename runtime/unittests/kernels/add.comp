// SPDX-License-Identifier: Apache-2.0
// c = a + b, one vector an invocation. Without a variable or an index that the
// runtime would change.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 2) writeonly buffer C { vec4 c[]; };
void main() {
  if (gl_GlobalInvocationID.x < c.length())
    c[gl_GlobalInvocationID.x] =
        a[gl_GlobalInvocationID.x] + b[gl_GlobalInvocationID.x];
}
