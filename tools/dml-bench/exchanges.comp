#version 450
// SPDX-License-Identifier: Apache-2.0
//
// The threads of a workgroup exchange 4096 values each, one after the other: a thread
// stores one in workgroup memory, waits at a barrier, and loads another thread's.
// Neighbouring rounds use different halves, so that one barrier is enough for each.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
shared uint values[256];
void main() {
  uint thread = gl_LocalInvocationID.x;
  uint value = from[thread & (from.length() - 1)];
  for (uint round = 0; round < 4096; ++round) {
    uint first = (round & 1) * 128;
    values[(first + thread) & 255] = value;
    barrier();
    value = values[(first + ((thread + 37) & 127)) & 255] + 1;
  }
  to[thread] = value;
}
