#!/usr/bin/env python3
"""Nodes of ONNX Runtime's own operators, of the domain com.microsoft.

Each is read, interpreted and run on the device, and compared with what ONNX Runtime
1.30 gave on the CPU, which contrib_values.json has. Other nodes are refused, with a
message.

    test/ONNX/contrib_tests.py --record=/tmp/ort    # writes contrib_values.json

--record runs npm's package onnxruntime-node in the folder that it names.
"""
# SPDX-License-Identifier: Apache-2.0
import os

import numpy as np

import opset_tests
from opset_tests import Fixed, REFUSED, case, wave

opset_tests.CASES.clear()
opset_tests.DEFINED.clear()
REFUSED.clear()
opset_tests.VALUES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrib_values.json")
OPSET = 17


def contrib(type, *inputs, tolerance=2e-6, **keywords):
    case(OPSET, type, *inputs, tolerance=tolerance, domain="com.microsoft", **keywords)


def refused(type, *inputs, message, **attributes):
    REFUSED.append(((type, OPSET, inputs, dict(attributes, domain="com.microsoft")), message))


# GroupQueryAttention: heads of keys that two heads of queries share

angles = np.arange(12)[:, None] * np.float32([1, 0.5, 0.25, 0.125, 1, 0.75, 2, 0.375])
TABLES = Fixed(np.cos(angles).astype(np.float32)), Fixed(np.sin(angles).astype(np.float32))


def grouped(queries, lengths, total, capacity=8, size=16, isPacked=False, isHalf=False, extra=(), **attributes):
    """Nodes with four heads of queries and two of keys. `lengths` are the positions in use behind
    the new ones. Behind those in use before, the cache is 0, as ONNX Runtime leaves it."""
    batch = len(lengths)
    dtype = np.float16 if isHalf else np.float32
    rows = [wave(batch, queries, heads * size, phase=heads + place, dtype=dtype)
            for place, heads in enumerate((8,) if isPacked else (4, 2, 2))]
    caches = [None, None]
    if capacity:
        caches = [wave(batch, 2, capacity, size, phase=phase, dtype=dtype) for phase in (5, 6)]
        for cache in caches:
            for number, length in enumerate(lengths):
                cache[number, :, max(length - queries, 0):] = 0
    rows += [None] * (3 - len(rows))
    outputs = attributes.pop("outputs", 3)
    contrib("GroupQueryAttention", *rows, *caches, np.int32([length - 1 for length in lengths]),
            Fixed(np.int32(total)), *extra, outputs=outputs, num_heads=4, kv_num_heads=2,
            tolerance=2e-3 if isHalf else 5e-6, **attributes)


grouped(5, [5], total=5, label="prefill")
grouped(5, [5], total=8, label="prefill with the capacity for a total")
grouped(3, [7], total=7, label="a second piece of a prompt")
grouped(1, [4], total=4, label="a step")
grouped(1, [3, 8], total=8, label="lengths")
grouped(1, [7], total=7, capacity=6, label="a cache that grows")
grouped(3, [3], total=3, capacity=0, label="no past")
grouped(3, [3], total=6, capacity=0, label="no past, and a larger present")
grouped(2, [6], total=6, isHalf=True, scale=0.5, label="halves")
grouped(3, [6], total=6, local_window_size=2, label="a window")
grouped(3, [6], total=6, softcap=0.5, label="softcap")
grouped(3, [6], total=6, smooth_softmax=1, label="smooth softmax")
grouped(1, [3, 6], total=6, softcap=0.5, isHalf=True, label="softcap of halves")
bias, sink = wave(1, 4, 3, 6, phase=2), np.float32([1, -1, 0.5, 2])
none = (None, None, None)
grouped(3, [6], total=6, extra=(*none, bias), label="bias")
grouped(3, [6], total=6, extra=(*none, bias), softcap=0.5, local_window_size=3, outputs=4, qk_output=1,
        label="scores")
grouped(3, [6], total=6, extra=(*none, bias[:, :1], sink), softcap=0.5, outputs=4, qk_output=2, label="weights")
grouped(1, [2, 6], total=6, extra=(*none, None, Fixed(sink)), local_window_size=2, label="a sink, and a window")
for interleaved in (0, 1):
    grouped(2, [6], total=6, extra=TABLES, do_rotary=1, rotary_interleaved=interleaved, label="rotation")
grouped(1, [3, 7], total=7, extra=TABLES, do_rotary=1, label="rotation by lengths")
grouped(3, [6], total=6, extra=(*TABLES, np.int64([[7, 1, 2]])), do_rotary=1, label="rotation by positions")
grouped(2, [5], total=5, size=32, isPacked=True, extra=TABLES, do_rotary=1, label="packed, and turned in part")
grouped(1, [3, 2], total=3, isPacked=True, softcap=1.0, extra=TABLES, do_rotary=1, label="packed, softcap")

row, keys, cache = wave(1, 1, 32), wave(1, 1, 16), wave(1, 2, 4, 8)
HEADS = {"num_heads": 4, "kv_num_heads": 2}
length, total = np.int32([2]), Fixed(np.int32(3))
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, np.int32([3]), **HEADS,
        message="its total_sequence_length is computed when the model runs")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, num_heads=4, kv_num_heads=3,
        message="it has 4 heads of queries and 3 of keys")
refused("GroupQueryAttention", row, keys, keys, cache, None, length, total, **HEADS,
        message="it has one of past_key and past_value")
refused("GroupQueryAttention", row, keys, None, cache, cache, length, total, **HEADS,
        message="it has one of key and value")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, **HEADS, do_rotary=1,
        message="its attribute do_rotary is on, but it has no tables")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, **HEADS, causal=0,
        message="its attribute causal is 0")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, **HEADS, k_quant_type="PER_TENSOR",
        message="its attribute k_quant_type is PER_TENSOR")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, None, None, None, wave(1, 4, 1, 4),
        **HEADS, message="its attention bias has the shape 1x4x1x4")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, None, None, None, None, None,
        np.float32([1]), **HEADS, message="it has 13 inputs, but wanted are 1 to 12")


if __name__ == "__main__":
    opset_tests.main(__doc__)
