// SPDX-License-Identifier: Apache-2.0
// b = 2 * a in 64-bit integers, which needs shaderInt64.
#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer A { int64_t a[]; };
layout(set = 0, binding = 1) writeonly buffer B { int64_t b[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  b[i] = a[i] * int64_t(2);
}
