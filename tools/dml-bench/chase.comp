#version 450
// SPDX-License-Identifier: Apache-2.0
//
// A thread loads 4096 words one after the other, from places all over a buffer: each place
// follows from the one before, and from the lowest bit of the word there. The bit is 1 of
// all words of random data; no compiler knows that, and the places are those of a
// generator of random numbers, which goes on in the next run.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
void main() {
  uint last = from.length() - 1;
  uint state = to[0];
  for (int i = 0; i < 4096; ++i)
    state = state * 1664525 + 1013904222 + (from[(state >> 5) & last] & 1);
  to[0] = state;
}
