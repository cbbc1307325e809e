#!/usr/bin/env python3
"""Nodes of ONNX Runtime's own operators, of the domain com.microsoft.

Each is read, interpreted and run on the device, and compared with what ONNX Runtime
1.30 gave on the CPU, which contrib_values.json has, or with the definition where the CPU
provider refuses the node. Other nodes are refused, with a
message.

    test/ONNX/contrib_tests.py --record=/tmp/ort    # writes contrib_values.json

--record runs npm's package onnxruntime-node in the folder that it names.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper

import import_tests
import opset_tests
from opset_tests import Fixed, REFUSED, case, ints, wave

opset_tests.CASES.clear()
opset_tests.DEFINED.clear()
REFUSED.clear()
opset_tests.VALUES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrib_values.json")
OPSET = 17


def contrib(type, *inputs, tolerance=2e-6, **keywords):
    """Scalars are initializers."""
    inputs = [Fixed(x) if isinstance(x, np.generic) else x for x in inputs]
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
angles = np.arange(24)[:, None] * np.float32([1, 0.5, 0.25, 0.125, 1, 0.75, 2, 0.375])
LONG = Fixed(np.cos(angles).astype(np.float32)), Fixed(np.sin(angles).astype(np.float32))
for queries, lengths in ((17, [17]), (5, [22]), (1, [23]), (1, [1, 24])):
    grouped(queries, lengths, total=24, capacity=24, isPacked=True, extra=LONG, do_rotary=1,
            local_window_size=6, label=f"a window of a packed cache, {queries} of {lengths[-1]}")
    grouped(queries, lengths, total=24, capacity=24, isHalf=True, label=f"{queries} of {lengths[-1]} halves")

# ONNX Runtime's CPU provider has no normalization of queries and keys, so that the definition judges:
# each head is divided by the root of its mean square, multiplied by the weights, and rotated.
NORMS = wave(16, phase=3), wave(16, phase=4)


def normalized(queries, start, epsilon=1e-6, isHalf=False):
    dtype = np.float16 if isHalf else np.float32
    rows = [wave(1, queries, heads * 16, phase=heads + place, dtype=dtype) for place, heads in enumerate((4, 2, 2))]
    caches = [wave(1, 2, 8, 16, phase=phase, dtype=dtype) for phase in (5, 6)]
    norms, tables = [norm.astype(dtype) for norm in NORMS], [table.array.astype(dtype) for table in TABLES]

    def turn(heads, weight):
        heads = heads.astype(np.float64)
        heads = heads / np.sqrt((heads**2).mean(-1, keepdims=True) + epsilon) * weight.astype(np.float64)
        cosine, sine = (table[start:start + queries].astype(np.float64) for table in tables)
        left, right = heads[..., :8], heads[..., 8:]
        return np.concatenate([left * cosine - right * sine, right * cosine + left * sine], -1)

    q, k, v = (row.reshape(queries, -1, 16).transpose(1, 0, 2) for row in rows)
    written = [cache[0].astype(np.float64) for cache in caches]
    for cache, new in zip(written, (turn(k, norms[1]), v)):
        cache[:, start:start + queries] = new
    keys, values = (np.repeat(cache[:, :start + queries], 2, 0) for cache in written)
    scores = turn(q, norms[0]) @ keys.transpose(0, 2, 1) / 4
    hidden = np.arange(start + queries) > np.arange(start, start + queries)[:, None]
    weights = np.exp(np.where(hidden, -np.inf, scores))
    wanted = (weights / weights.sum(-1, keepdims=True)) @ values
    contrib("GroupQueryAttention", *rows, *caches, np.int32([start + queries - 1]), Fixed(np.int32(start + queries)),
            *(Fixed(table) for table in tables), None, None, None, None, None, *map(Fixed, norms), num_heads=4,
            kv_num_heads=2, do_rotary=1, tolerance=4e-3 if isHalf else 5e-6,
            wanted=wanted.transpose(1, 0, 2).reshape(1, queries, 64).astype(dtype),
            label=f"norms of {queries}, {dtype.__name__}",
            **({} if epsilon == 1e-6 else {"qk_norm_epsilon": epsilon}))


normalized(3, 2)
normalized(1, 5, epsilon=0.5)
normalized(2, 3, isHalf=True)

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
        np.float32([1]), **HEADS, message="its input 12 is the scale of a quantized cache")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, *TABLES, None, None, None, None, None,
        NORMS[0], **HEADS, do_rotary=1, message="it has one of q_norm_weight and k_norm_weight")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, None, None, None, None, None, None, None,
        *NORMS, **HEADS, message="it has q_norm_weight and k_norm_weight, but wanted for these")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, *TABLES, None, None, None, None, None,
        *NORMS, **HEADS, do_rotary=1, message="its input 14 has the shape 16, but wanted is 8")
refused("GroupQueryAttention", row, keys, keys, cache, cache, length, total, *TABLES, None, None, None, None, None,
        *NORMS, wave(1), **HEADS, message="it has 17 inputs, but wanted are 1 to 16")

# Attention with a past, and with what is behind a query hidden

x, weights, offsets = wave(2, 3, 8), wave(8, 24, phase=1), wave(24, phase=2)
past = wave(2, 2, 2, 4, 4, phase=3)
for unidirectional in (0, 1):
    contrib("Attention", x, weights, offsets, None, past, outputs=2, num_heads=2, unidirectional=unidirectional,
            label="past", tolerance=1e-5)
contrib("Attention", x, weights, offsets, np.int32([[1, 1, 0], [1, 1, 1]]), num_heads=2, unidirectional=1,
        outputs=2, label="present", tolerance=1e-5)
rows = [wave(2, 3, 8, phase=phase) for phase in range(3)]
contrib("MultiHeadAttention", *rows, num_heads=2, unidirectional=1, tolerance=1e-5)
contrib("MultiHeadAttention", *rows, None, None, None, past[0], past[1], outputs=3, num_heads=2, unidirectional=1,
        label="past", tolerance=1e-5)
contrib("RotaryEmbedding", wave(1, 4, 32), np.int64([[0, 1, 0, 3]]), *TABLES, scale=2.0, label="scale")
contrib("RotaryEmbedding", wave(1, 14, 16), np.int64([[*range(12), 0, 1]]), *TABLES, is_packed_batching=1,
        label="packed batches")
refused("MultiHeadAttention", rows[0], *(wave(2, 4, 8),) * 2, num_heads=2, unidirectional=1,
        message="it is unidirectional for 3 queries and 4 new keys")
refused("Attention", x, weights, offsets, None, wave(2, 2, 2, 4, 3), num_heads=2,
        message="its past has the shape 2x2x2x4x3, but wanted is 2x2x2x4x4")

def quantized(*shape, phase=0.0):
    return (wave(*shape, phase=phase) * 40 + 128).astype(np.uint8)


scales = np.float32(0.05), np.float32(0.02)
for mask, attributes in ((None, {}), (np.int32([[1, 1, 0], [1, 1, 1]]), {"unidirectional": 1})):
    contrib("QAttention", quantized(2, 3, 8), quantized(8, 24, phase=1), offsets, *scales, mask, np.uint8(120),
            np.uint8(130), num_heads=2, tolerance=2e-5, **attributes)
contrib("QAttention", quantized(2, 3, 8), quantized(8, 24, phase=1).astype(np.int8), offsets, *scales, None,
        np.uint8(120), np.int8(3), past, outputs=2, num_heads=2, tolerance=2e-5, label="past")

# Products and convolutions

for transBatchA, transBatchB, transA, transB in ((1, 0, 0, 0), (0, 1, 0, 1), (1, 1, 1, 0)):
    a = wave(*((4, 2, 3) if transA else (3, 2, 4)) if transBatchA else ((2, 4, 3) if transA else (2, 3, 4)))
    b = wave(*((5, 2, 4) if transB else (4, 2, 5)) if transBatchB else ((2, 5, 4) if transB else (2, 4, 5)), phase=1)
    contrib("FusedMatMul", a, b, transBatchA=transBatchA, transBatchB=transBatchB, transA=transA, transB=transB,
            alpha=0.5, tolerance=1e-5)
contrib("FusedMatMul", wave(3, 2, 2, 4), wave(2, 2, 4, 5), transBatchA=1, tolerance=1e-5, label="four dimensions")
image, filters = wave(1, 4, 5, 5), wave(4, 3, 3, 3, phase=1)
for attributes in ({"strides": [2, 2]}, {"group": 2, "output_padding": [1, 0], "strides": [2, 2]},
                   {"dilations": [2, 1]}):
    count = 3 * attributes.get("group", 1)
    contrib("ConvTransposeWithDynamicPads", image, filters, ints(1, 0, 1, 2), wave(count), tolerance=1e-5,
            **attributes)
refused("ConvTransposeWithDynamicPads", image, filters, np.int64([1, 0, 1, 2]),
        message="the pads are computed when the model runs")
refused("ConvTransposeWithDynamicPads", image, filters, ints(1, 0, 1), message="its pads are [1, 0, 1]")
for axis, type in ((0, np.uint8), (1, np.int8)):
    axes = Fixed(wave(3 + 2 * axis) ** 2 + 0.125), Fixed(np.arange(3 + 2 * axis, dtype=type))
    contrib("QuantizeLinear", wave(3, 5), *axes, axis=axis)
    contrib("DequantizeLinear", np.arange(15, dtype=type).reshape(3, 5), *axes, axis=axis)
contrib("QuantizeLinear", wave(3, 5, dtype=np.float16), np.float16(0.25), np.uint8(7))
contrib("DequantizeLinear", np.arange(6, dtype=np.uint8), np.float16(0.25), np.uint8(7))


def convolve(x, weights, pads, stride, group=1):
    """A convolution of images whose channels are last."""
    x = np.pad(x, ((0, 0), (pads, pads), (pads, pads), (0, 0)))
    height, width, inner = weights.shape[1:]
    result = np.zeros((len(x), (x.shape[1] - height) // stride + 1, (x.shape[2] - width) // stride + 1, len(weights)))
    for n, i, j, m in np.ndindex(result.shape):
        first = m // (len(weights) // group) * inner
        part = x[n, i * stride:i * stride + height, j * stride:j * stride + width, first:first + inner]
        result[n, i, j, m] = (part.astype(np.float64) * weights[m]).sum()
    return result.astype(np.float32)


last, kernels = wave(2, 5, 4, 4), wave(6, 3, 3, 2, phase=1)
contrib("NhwcConv", last, kernels, wave(6), pads=[1] * 4, group=2, strides=[2, 2], tolerance=1e-5,
        wanted=convolve(last, kernels, 1, 2, 2) + wave(6))
contrib("NhwcConv", last, wave(3, 1, 1, 4), wanted=convolve(last, wave(3, 1, 1, 4), 0, 1), label="of points")

# Operators with an activation behind them

left, right = wave(3, 4), wave(4, 5, phase=1)
product = (left.astype(np.float64) @ right)


def softmax(scores, axis):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


for activation, attributes, function in (
        ("Relu", {}, lambda x: np.maximum(x, 0)),
        ("Elu", {"alpha": 0.5}, lambda x: np.where(x < 0, np.expm1(x) / 2, x)),
        ("HardSigmoid", {"alpha": 0.25, "beta": 0.25}, lambda x: np.clip(x / 4 + 0.25, 0, 1)),
        ("LeakyRelu", {}, lambda x: np.where(x < 0, 0.01 * x, x)),
        ("Selu", {"gamma": 2.0, "alpha": 0.5}, lambda x: 2 * np.where(x < 0, np.expm1(x) / 2, x)),
        ("ScaledTanh", {"alpha": 2.0, "beta": 0.5}, lambda x: 2 * np.tanh(x / 2)),
        ("Softplus", {}, lambda x: np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)),
        ("Softmax", {"axis": 0}, lambda x: softmax(x, 0)), ("Softmax", {}, lambda x: softmax(x, 1))):
    contrib("FusedMatMulActivation", left, right, activation=activation, tolerance=2e-5, label=activation,
            wanted=function(product).astype(np.float32),
            **{"activation_" + name: value for name, value in attributes.items()})


def fused(type, *inputs, wanted, tolerance=2e-5, activation="Relu", function=lambda x: np.maximum(x, 0), **attributes):
    case(OPSET, "DmlFused" + type, *inputs, domain="com.microsoft.dml", fused_activation=activation,
         fused_activation_domain="", fused_activation_since_version=6, tolerance=tolerance,
         wanted=function(wanted).astype(np.float32), **attributes)


pixels = wave(2, 3, 4, 4)
channel = lambda array: array.reshape(3, 1, 1)
normal = lambda axes: (pixels - pixels.mean(axis=axes, keepdims=True)) / np.sqrt(
    pixels.astype(np.float64).var(axis=axes, keepdims=True) + 1e-5)
scale, shift, center, spread = wave(3), wave(3, phase=1), wave(3, phase=2), wave(3) ** 2 + 1
fused("Add", left, wave(4), wanted=left + wave(4))
fused("Sum", left, wave(3, 4, phase=1), wanted=left + wave(3, 4, phase=1), activation="LeakyRelu", fused_alpha=0.25,
      function=lambda x: np.where(x < 0, x / 4, x))
fused("MatMul", left, right, wanted=product, activation="Tanh", function=np.tanh)
fused("Gemm", left, wave(5, 4), wave(5), transB=1, alpha=0.5,
      wanted=left.astype(np.float64) @ wave(5, 4).T / 2 + wave(5))
fused("MeanVarianceNormalization", pixels, wanted=normal((0, 2, 3)))
fused("InstanceNormalization", pixels, scale, shift, wanted=normal((2, 3)) * channel(scale) + channel(shift))
fused("BatchNormalization", pixels, scale, shift, center, spread,
      wanted=(pixels - channel(center)) / np.sqrt(channel(spread) + 1e-5) * channel(scale) + channel(shift))
first = last.transpose(0, 3, 1, 2).copy()
fused("Conv", first, kernels.transpose(0, 3, 1, 2).copy(), wave(6), pads=[1] * 4, group=2, strides=[2, 2],
      wanted=(convolve(last, kernels, 1, 2, 2) + wave(6)).transpose(0, 3, 1, 2))
points = wave(4, 3, 1, 1)
fused("ConvTranspose", first, points, activation="Sigmoid", function=lambda x: 1 / (1 + np.exp(-x)),
      wanted=np.einsum("nchw,cm->nmhw", first.astype(np.float64), points[:, :, 0, 0]))
# Weights of four bits that are computed, and zero points that are floats

packed, fourth = quantized(5, 3, 8), np.arange(15, dtype=np.float32).reshape(5, 3) / 16 + 0.25
nibbles = {"K": 40, "N": 5, "bits": 4, "block_size": 16}
points = quantized(5, 2, phase=4)
many = wave(2, 40)
contrib("MatMulNBits", many, packed, fourth.reshape(-1), tolerance=1e-4, label="computed", **nibbles)
contrib("MatMulNBits", many, packed, Fixed(fourth.reshape(-1)), points.reshape(-1), tolerance=1e-4,
        label="computed, with zero points", **nibbles)
contrib("MatMulNBits", many, Fixed(packed), Fixed(fourth.reshape(-1)), Fixed(fourth.reshape(-1) * 8), tolerance=1e-4,
        label="zero points that are floats", **nibbles)
tokens = np.int64([[3, 0, 4], [1, 1, 2]])
table, blocks = quantized(5, 32), wave(5, 4, phase=3)
for extra in ((), (Fixed(quantized(5, 2, phase=1)),)):
    contrib("GatherBlockQuantized", Fixed(table), tokens, Fixed(blocks), *extra, bits=4, block_size=16, gather_axis=0,
            quantize_axis=1, tolerance=1e-5)
contrib("GatherBlockQuantized", Fixed(table), tokens, Fixed(blocks[:, :2]), bits=8, block_size=16, gather_axis=0,
        quantize_axis=1, tolerance=1e-5)
refused("GatherBlockQuantized", Fixed(table), tokens, Fixed(blocks[:, :3]), bits=4, block_size=16, quantize_axis=1,
        message="its scales have the shape 5x3, but wanted is one for each block, 5x4")

refused("FusedMatMulActivation", left, right, activation="Gelu",
        message="its attribute activation is 'Gelu', which DirectML's operators do not fuse")


def checkEmptyPast(folder):
    """A size of 0 leaves an input without elements, as the past of the first step."""
    rows = [wave(1, 3, 8, phase=phase) for phase in range(3)]
    kinds = {"x": [1, 3, 8], "past": [1, 2, "P", 4], "present": [1, 2, "T", 4]}
    info = lambda name, kind: helper.make_tensor_value_info(name, TensorProto.FLOAT, kinds[kind])
    node = helper.make_node("MultiHeadAttention", ["q", "k", "v", "", "", "", "pk", "pv"], ["y", "key", "value"],
                            domain="com.microsoft", num_heads=2)
    graph = helper.make_graph([node], "test", [*(info(name, "x") for name in "qkv"), info("pk", "past"),
                                               info("pv", "past")],
                              [info("y", "x"), info("key", "present"), info("value", "present")])
    model = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)])
    path = os.path.join(folder, "empty.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    arguments = [path, "--dim=P=0"]
    for name, array in [*zip("qkv", rows), ("pk", np.zeros((1, 2, 0, 4), np.float32))]:
        np.save(os.path.join(folder, name + ".npy"), array)
        arguments.append(f"--input={name}=@{folder}/{name}.npy")
    heads = [row.reshape(1, 3, 2, 4).transpose(0, 2, 1, 3) for row in rows]
    wanted = softmax(heads[0] @ heads[1].transpose(0, 1, 3, 2) / 2, -1) @ heads[2]
    wanted = wanted.transpose(0, 2, 1, 3).reshape(1, 3, 8)
    for tool in ("dml-interpret", "dml-run"):
        outputs = [f"--output={name}=@{folder}/{name}.npy" for name in ("y", "key", "value")]
        import_tests.run([tool, *arguments, *outputs])
        for name, array in (("y", wanted), ("key", heads[1]), ("value", heads[2])):
            opset_tests.compare(f"an empty past, {tool}, {name}", np.load(f"{folder}/{name}.npy"),
                                array.astype(np.float32), 1e-5)
    print("an empty past is none")


# The nodes that the DirectML provider does not take, or at a part of which it does not look, and
# those that it takes
IGNORED = "the provider does not look at a rotation, softcap, sink, window, bias or scores"
TAKEN = [("GQA", {}, None), ("GQA", {"do_rotary": 0, "softcap": 0.0, "local_window_size": -1}, None),
         ("GQA", {"softcap": 0.5}, IGNORED), ("GQA", {"smooth_softmax": 1}, IGNORED),
         ("GQA", {"local_window_size": 2}, IGNORED), ("MHA", {}, None),
         ("MHA", {"unidirectional": 1}, "the provider does not look at unidirectional"),
         ("Attention", {}, None), ("Attention past", {}, "it has a past or a present")]


def checkTaken(folder):
    for kind, attributes, wanted in TAKEN:
        model = import_tests.Model(OPSET)
        inputs = {"GQA": (row, keys, keys, cache, cache, length, total), "MHA": rows,
                  "Attention": (x, weights, offsets), "Attention past": (x, weights, offsets, None, past)}[kind]
        names = ["" if a is None else model.weights(a.array) if isinstance(a, Fixed) else model.input(a)
                 for a in inputs]
        type = {"GQA": "GroupQueryAttention", "MHA": "MultiHeadAttention"}.get(kind, "Attention")
        heads = HEADS if kind == "GQA" else {"num_heads": 2}
        model.expect(model.node(type, *names, domain="com.microsoft", outputs=1, **heads, **attributes),
                     row if kind == "GQA" else x)
        path = os.path.join(folder, "taken.onnx")
        model.save(path)
        text = subprocess.run(["dml-translate", "--import-onnx", path], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        found = set(re.findall(r'dml.not_taken = "([^"]*)"', text))
        if found != ({wanted} if wanted else set()):
            sys.exit(f"{type} with {attributes}: wanted is {wanted}, found {found}")
    print(f"{len(TAKEN)} nodes are taken or not")


def checkInPlace(folder):
    """Each cache of fixed capacity in the buffer of its past: the bits of a program that copies the caches."""
    model = import_tests.Model(OPSET)
    pairs = []
    devices = json.loads(subprocess.run(["dml-run", "--list-devices", "--json"], check=True,
                                        stdout=subprocess.PIPE).stdout)
    hasHalves = devices[0]["features"]["storageBuffer16BitAccess"]
    with open(opset_tests.VALUES) as file:
        recorded = json.load(file)
    for name, (_, build, _, _) in opset_tests.CASES.items():
        if not name.startswith("GroupQueryAttention"):
            continue
        results = build(model)
        wanted = opset_tests.DEFINED.get(name) or [opset_tests.decode(*values) for values in recorded[name]]
        for result, array in zip(results, wanted):
            model.expect(result, array)
        for present, past in zip(results[1:3], model.nodes[-1].input[3:5]):
            shape = model.outputs[results.index(present) - len(results)][1].shape
            # Without 16-bit storage, two elements share a word, and a cache of f16 is copied.
            isWritable = hasHalves or (past and model.inputs[past].dtype != np.float16)
            if past and isWritable and model.inputs[past].shape == shape:
                pairs.append((present, past))
    path, program = (os.path.join(folder, name) for name in ("caches.onnx", "caches.dmlx"))
    model.save(path)
    inputs = []
    for key, array in model.inputs.items():
        np.save(os.path.join(folder, key + ".npy"), array)
        inputs.append(f"--input={key}=@{folder}/{key}.npy")
    found = []
    for options in ([], [f"--in-place={present}={past}" for present, past in pairs]):
        import_tests.run(["dml-compile", path, "--device=native", "-o", program, *options])
        files = [f"{folder}/{len(options)}-{index}.npy" for index in range(len(model.outputs))]
        import_tests.run(["dml-run", program, *inputs, *(f"--output=@{file}" for file in files)])
        found.append([np.load(file) for file in files])
    for (name, _, _), copied, written in zip(model.outputs, *found):
        if copied.tobytes() != written.tobytes():
            sys.exit(f"{name} in place has other bits than with copies")
    print(f"{len(pairs)} caches in place: {len(found[0])} results with the bits of copies")


def checkMore(folder):
    checkEmptyPast(folder)
    checkInPlace(folder)
    checkTaken(folder)


if __name__ == "__main__":
    opset_tests.main(__doc__, checkMore)
