#version 450
// SPDX-License-Identifier: Apache-2.0
//
// Does nothing: what it costs to submit anything at all, and wait for it.
layout(local_size_x = 1) in;
void main() {}
