#!/usr/bin/env python3
"""Nodes of the versions of ONNX's operator set that changed an operator, from 18 on.

Each is read, interpreted and run on the device, and compared with what ONNX Runtime
1.30 gave on the CPU, which opset_values.json has. Nodes of no version that ONNX has
are refused, with a message. The models of import_tests.py are read at the newest
version as well, where their operators have not changed.

    test/ONNX/opset_tests.py --record=/tmp/ort    # writes opset_values.json

--record runs npm's package onnxruntime-node in the folder that it names.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, ValueInfoProto, helper

import import_tests
from import_tests import Model

import_tests.TYPES.update({
    np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.uint16): TensorProto.UINT16, np.dtype(np.int16): TensorProto.INT16,
    np.dtype(np.uint32): TensorProto.UINT32, np.dtype(np.uint64): TensorProto.UINT64})
VALUES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opset_values.json")
NEWEST = 26
UINT4, INT4 = 21, 22


def wave(*shape, phase=0.0, dtype=np.float32):
    """Numbers of both signs that every float type has."""
    count = int(np.prod(shape))
    numbers = np.sin(np.arange(count) * 1.7 + phase) * 2.5
    return (np.round(numbers * 32) / 32).reshape(shape).astype(dtype)


def bits(*shape, phase=0.0):
    return wave(*shape, phase=phase) > -0.5


class Fixed:
    """An input that is an initializer."""

    def __init__(self, array):
        self.array = np.asarray(array)


def ints(*values):
    return Fixed(np.int64(values))


CASES = {}
# Results of nodes that ONNX Runtime refuses, though ONNX describes them, or reads in another way.
DEFINED = {}


def case(opset, type, *inputs, outputs=1, tolerance=0.0, label="", judged=None, wanted=None,
         **attributes):
    """One node, of version `opset`. None among the inputs is one that is left out; `outputs` is
    how many there are, or whether each of them is there. ONNX Runtime judges the same node of
    version `judged`, unless `wanted` is what ONNX wants."""
    reads = [True] * outputs if isinstance(outputs, int) else list(outputs)

    def build(model):
        names = ["" if x is None else model.weights(x.array) if isinstance(x, Fixed) else
                 model.input(x) for x in inputs]
        results = model.node(type, *names, outputs=len(reads), **attributes)
        results = [results] if len(reads) == 1 else results
        for index, isRead in enumerate(reads):
            if not isRead:
                model.nodes[-1].output[index] = ""
        return [name for name, isRead in zip(results, reads) if isRead]

    name = " ".join(filter(None, (f"{type}-{opset}", label)))
    while name in CASES:
        name += "'"
    CASES[name] = (opset, build, tolerance, judged or opset)
    if wanted is not None:
        DEFINED[name] = [wanted]


def chain(opset, name, tolerance=0.0):
    """A function that builds several nodes, and returns what is compared."""
    def add(build):
        CASES[f"{name}-{opset}"] = (opset, build, tolerance, opset)
        return build
    return add


def near(opset, *arguments, **keywords):
    case(opset, *arguments, tolerance=keywords.pop("tolerance", 2e-6), **keywords)


# Versions of ONNX Runtime's own, before ONNX had these operators

near(7, "LayerNormalization", wave(2, 3, 4), wave(4), wave(4, phase=1), stash_type=1, tolerance=1e-5)
near(7, "MeanVarianceNormalization", wave(2, 3, 2, 2), across_channels=1, tolerance=1e-5)
near(7, "SimplifiedLayerNormalization", wave(2, 3, 4), wave(4), stash_type=1, tolerance=1e-5)
near(7, "ThresholdedRelu", wave(2, 3), alpha=0.5)
near(9, "ScaledTanh", wave(2, 3), alpha=0.5, beta=0.25)
case(9, "Affine", wave(2, 3), alpha=0.5, beta=0.25)
case(9, "Crop", wave(1, 2, 5, 6), border=[1, 0, 2, 1])
case(9, "Crop", wave(1, 2, 5, 6), border=[1, 2, 0, 0], scale=[2, 3])
case(9, "ImageScaler", wave(2, 3, 2, 2), scale=0.5, bias=[1.0, 0.5, -1.0])
near(9, "ParametricSoftplus", wave(2, 3), alpha=0.5, beta=0.25)

# Versions 18 to 22

x = wave(2, 3, 4)
image = wave(1, 2, 5, 6)
small, other = np.int32([[1, -2, 3], [7, 100, -8]]), np.int32([3, 5, 6])

for name in ("And", "Or", "Xor"):
    case(18, "Bitwise" + name, small, other)
case(18, "BitwiseNot", small)
near(18, "GroupNormalization", wave(2, 4, 3, 2), wave(2), wave(2, phase=1), num_groups=2, tolerance=1e-5)
near(18, "LpPool", image, kernel_shape=[2, 2], dilations=[2, 1], strides=[1, 2], p=1)
near(18, "LpPool", image, kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1)
grid = wave(1, 3, 4, 2, phase=0.3) * np.float32(0.55)
for padding in ("zeros", "border", "reflection"):
    for aligned in (0, 1):
        near(18, "GridSample", image, grid, padding_mode=padding, align_corners=aligned, tolerance=2e-5)
        near(18, "GridSample", image, grid, mode="bicubic", padding_mode=padding, align_corners=aligned, tolerance=2e-5)
        case(18, "GridSample", image, grid, mode="nearest", padding_mode=padding, align_corners=aligned)
near(18, "Mish", x)
case(18, "Pad", x, ints(1, 2, 0, 1), Fixed(np.float32(0.5)), ints(2, 0))
for name in ("L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare"):
    near(18, "Reduce" + name, x, ints(-1, 0), tolerance=2e-5)
    near(18, "Reduce" + name, x, ints(1), keepdims=0, tolerance=2e-5)
near(18, "ReduceLogSum", np.abs(x) + 1, ints(1))
case(18, "ReduceMax", x, noop_with_empty_axes=1)
near(18, "Resize", image, None, None, ints(10, 9), axes=[2, 3], mode="linear")
near(18, "Resize", image, None, Fixed(np.float32([1.5])), axes=[3], mode="linear",
     coordinate_transformation_mode="half_pixel")
near(18, "Resize", image, None, None, ints(10, 9), axes=[2, 3], mode="linear",
     keep_aspect_ratio_policy="not_larger")
case(18, "ScatterElements", wave(1, 2, 4), Fixed(np.int64([[[1, -1], [3, 0]]])), wave(1, 2, 2, phase=3), axis=2)
case(18, "ScatterND", x, Fixed(np.int64([[1, 0], [0, 2]])), wave(2, 4, phase=3))
case(18, "Split", wave(7, 2), axis=0, num_outputs=3, outputs=3)
case(18, "Split", wave(7, 2), ints(2, 5), axis=0, outputs=2)

near(19, "AveragePool", image, kernel_shape=[2, 2], dilations=[2, 2])
near(19, "AveragePool", image, kernel_shape=[2, 2], dilations=[1, 2], pads=[1, 1, 0, 1], count_include_pad=1)
case(19, "Cast", x, to=TensorProto.INT32, saturate=1)
case(19, "CastLike", x, np.int64([1]), saturate=1)
case(19, "DequantizeLinear", np.int8([[1, -2], [3, 4]]), Fixed(np.float16([0.5, 0.25])),
     Fixed(np.int8([1, 0])), axis=1)
case(19, "Equal", x, wave(4))
case(19, "Identity", x)
case(19, "Pad", x, ints(0, 1, 2, 0, 0, 3), mode="wrap")
case(19, "QuantizeLinear", wave(2, 3, dtype=np.float16), Fixed(np.float16(0.5)), Fixed(np.uint8(7)), saturate=0)
case(19, "Reshape", x, ints(4, -1))
near(19, "Resize", image, None, None, ints(1, 2, 3, 9), mode="linear",
     coordinate_transformation_mode="half_pixel_symmetric")
case(19, "Shape", x, start=1, end=-1)
case(19, "Size", x)

case(20, "ConstantOfShape", ints(2, 3), value=helper.make_tensor("v", TensorProto.INT16, [1], [5]))
near(20, "GridSample", wave(1, 2, 3, 4, 3), wave(1, 2, 3, 2, 3, phase=0.4) * np.float32(0.5), tolerance=2e-5)
case(20, "GridSample", wave(1, 2, 3, 4, 3), wave(1, 2, 3, 2, 3, phase=0.4) * np.float32(0.5), mode="nearest",
     padding_mode="reflection", align_corners=1)
near(20, "Gelu", x)
near(20, "Gelu", x, approximate="tanh")
special = np.float32([[1, np.inf, -np.inf], [np.nan, 0, -1]])
case(20, "IsInf", special, detect_negative=0)
case(20, "IsNaN", special)
case(20, "IsNaN", special.astype(np.float16))
case(20, "ReduceMax", bits(3, 4), ints(1))
case(20, "ReduceMin", bits(3, 4), ints(1), keepdims=0)

case(21, "Cast", x, to=TensorProto.INT8)
case(21, "CastLike", x, np.int32([1]))
case(21, "ConstantOfShape", ints(3), value=helper.make_tensor("v", TensorProto.UINT8, [1], [200]))
case(21, "Flatten", x, axis=-1)
near(21, "GroupNormalization", wave(2, 4, 3, 2), wave(4), wave(4, phase=1), num_groups=2, stash_type=1,
     tolerance=1e-5)
case(21, "Identity", x)
case(21, "Pad", x, ints(0, 0, 1, 0, 1, 0), mode="edge")
scales = Fixed(np.float32([[0.5, 0.25], [1, 2]]))
case(21, "DequantizeLinear", np.int8(np.arange(-6, 6).reshape(2, 6)), scales,
     Fixed(np.int8([[1, -1], [0, 2]])), axis=1, block_size=3)
case(21, "QuantizeLinear", wave(2, 6), scales, Fixed(np.uint8([[1, 7], [0, 2]])), axis=1, block_size=3)
case(21, "QuantizeLinear", wave(2, 3), Fixed(np.float32(0.125)), output_dtype=TensorProto.INT8)
case(21, "QLinearMatMul", np.uint8([[1, 2], [3, 250]]), Fixed(np.float32(0.5)), Fixed(np.uint8(1)),
     np.uint8([[9, 8], [7, 6]]), Fixed(np.float32(0.25)), Fixed(np.uint8(3)), Fixed(np.float32(2)),
     Fixed(np.uint8(10)))
case(21, "Reshape", x, ints(0, -1, 2))
case(21, "Shape", x, start=-2)
case(21, "Size", x)
case(21, "Squeeze", wave(2, 1, 3), ints(-2))
case(21, "Transpose", x, perm=[2, 0, 1])
case(21, "Unsqueeze", x, ints(0, -1))


@chain(21, "four bits")
def fourBits(model):
    data = model.input(wave(2, 6))
    scale = model.weights(np.float32([[0.5], [1]]))
    number = model.node("QuantizeLinear", data, scale, axis=1, block_size=6, output_dtype=INT4)
    return [model.node("DequantizeLinear", number, scale, axis=1, block_size=6)]


for name in ("Atan", "Sin", "Cos", "Sinh", "Cosh", "Asinh", "Elu", "HardSigmoid", "HardSwish",
             "Mish", "Selu", "Softplus", "Softsign", "ThresholdedRelu"):
    near(22, name, x, tolerance=2e-5)
near(22, "Tan", x / 2, tolerance=2e-5)
for name in ("Acos", "Asin", "Atanh"):
    near(22, name, x / 4, tolerance=2e-4)
near(22, "Acosh", np.abs(x) + 1.5, tolerance=2e-5)
case(22, "Round", x)
near(22, "AveragePool", image, kernel_shape=[2, 3], strides=[1, 2], pads=[0, 1, 0, 1])
near(22, "Conv", image, wave(3, 2, 2, 2), wave(3), dilations=[2, 1], tolerance=1e-5)
near(22, "ConvTranspose", image, wave(2, 3, 2, 2), strides=[2, 1], output_padding=[1, 0], tolerance=1e-5)
case(22, "Dropout", x)
case(22, "EyeLike", wave(3, 4), k=1)
for name in ("GlobalAveragePool", "GlobalMaxPool"):
    near(22, name, image, tolerance=1e-5)
near(22, "InstanceNormalization", image, wave(2), wave(2, phase=1), tolerance=2e-5)
near(22, "LpNormalization", x, axis=1, p=1)
near(22, "LpPool", image, kernel_shape=[2, 2])
case(22, "MaxPool", image, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
# ONNX Runtime has no kernels for these, but for the versions before.
near(22, "GlobalLpPool", image, judged=21, tolerance=1e-5)
case(22, "MaxRoiPool", image, np.float32([[0, 0, 0, 3, 3]]), pooled_shape=[2, 2], judged=21)
for name, gates in (("GRU", 3), ("LSTM", 4), ("RNN", 1)):
    near(22, name, wave(3, 2, 4), Fixed(wave(1, gates * 2, 4) / 4), Fixed(wave(1, gates * 2, 2) / 4),
         hidden_size=2, outputs=2, tolerance=2e-5)
near(22, "RoiAlign", image, np.float32([[0.5, 0.5, 4, 4]]), np.int64([0]), output_height=2, output_width=2,
     sampling_ratio=2, tolerance=1e-5, judged=21)

# Versions 23 to 26

q, k, v = wave(2, 4, 3, 4), wave(2, 2, 5, 4, phase=1), wave(2, 2, 5, 6, phase=2)
pastKey, pastValue = wave(2, 2, 2, 4, phase=3), wave(2, 2, 2, 6, phase=4)
wide = lambda array: array.transpose(0, 2, 1, 3).reshape(array.shape[0], array.shape[2], -1)
scores = (True, False, False, True)
numbers = wave(4, 3, 5, phase=5)
allowed = bits(2, 1, 3, 5)
allowed[0, 0, 1] = False
holes = np.where(allowed, wave(2, 1, 3, 5), -np.inf).astype(np.float32)

for version in (23, 24, NEWEST):
    near(version, "Attention", q, k, v)
    near(version, "Attention", wide(q), wide(k), wide(v), q_num_heads=4, kv_num_heads=2, scale=0.25)
    near(version, "Attention", q, k, v, None, pastKey, pastValue, is_causal=1, outputs=3, label="past")
for mode in range(4):
    near(23, "Attention", q, k, v, numbers, softcap=0.75, qk_matmul_output_mode=mode, outputs=scores)
    near(23, "Attention", q, k, v, allowed, is_causal=1, qk_matmul_output_mode=mode, outputs=scores,
         label="mask of truths")
near(23, "Attention", q, k, v, holes, qk_matmul_output_mode=3, outputs=scores, label="rows without a key")
near(23, "Attention", wide(q), wide(k), wide(v), wave(3, 7), pastKey, pastValue, q_num_heads=4,
     kv_num_heads=2, outputs=3, label="past and mask")
near(23, "Attention", *(a.astype(np.float16) for a in (q, k, v)), allowed, softmax_precision=1,
     tolerance=4e-3, label="f16")
near(24, "Attention", q, k, v, None, None, None, np.int64([3, 0]), label="lengths")
near(24, "Attention", q, k, v, allowed, None, None, np.int64([5, 2]), is_causal=1, qk_matmul_output_mode=3,
     outputs=scores, label="lengths and mask")


def attend(mask, queries=q, keys=k, values=v):
    """Attention with a mask that is added, in double precision."""
    keys, values = (np.repeat(a.astype(np.float64), 2, axis=1) for a in (keys, values))
    powers = np.exp(np.einsum("bhse,bhte->bhst", queries, keys) / 2 + mask)
    return np.einsum("bhst,bhtv->bhsv", powers / powers.sum(axis=-1, keepdims=True), values).astype(np.float32)


# Columns that a mask lacks are masked.
columns = lambda mask, value: np.concatenate([mask, np.full((3, 2), value)], axis=1)
near(23, "Attention", q, k, v, numbers[0, :, :3], wanted=attend(columns(numbers[0, :, :3], -np.inf)), label="short")
near(23, "Attention", q, k, v, allowed[1, 0, :, :3], label="short mask of truths",
     wanted=attend(np.where(columns(allowed[1, 0, :, :3], False), 0, -np.inf)))
# One query sees the past and the first of the new keys. ONNX Runtime lets it see them all.
behind = lambda past, new: np.concatenate([past, new], axis=2)
near(23, "Attention", q[:, :, :1], k, v, None, pastKey, pastValue, is_causal=1, outputs=(True, False, False),
     label="one query", wanted=attend(np.float64([0, 0, 0] + 4 * [-np.inf]), q[:, :, :1], behind(pastKey, k),
                                      behind(pastValue, v)))
near(23, "RMSNormalization", x.astype(np.float16), wave(4), label="scale of f32", tolerance=1e-3,
     wanted=x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * wave(4))
near(23, "RMSNormalization", x, wave(4))
near(23, "RMSNormalization", x, wave(3, 4), axis=1, epsilon=0.125)
near(23, "RMSNormalization", x.astype(np.float16), wave(4, dtype=np.float16), tolerance=2e-3)
cosine, sine, places = wave(6, 2) / 4, wave(6, 2, phase=1) / 4, np.int64([[0, 2, 5], [1, 1, 3]])
for turn in (0, 1):
    near(23, "RotaryEmbedding", q, cosine, sine, np.int64([[0, 2, 5], [1, 1, 3]]), interleaved=turn)
    near(23, "RotaryEmbedding", wide(q), cosine[:, :1], sine[:, :1], places, num_heads=4,
         rotary_embedding_dim=2, interleaved=turn)
    near(23, "RotaryEmbedding", q, cosine.reshape(2, 3, 2), sine.reshape(2, 3, 2), interleaved=turn)

cache, update = wave(2, 4, 3), wave(2, 2, 3, phase=2)
case(24, "TensorScatter", cache, update)
case(24, "TensorScatter", cache, update, mode="circular")
case(24, "TensorScatter", cache, update, np.int64([2, 1]))
case(24, "TensorScatter", cache, update, np.int64([3, 1]), mode="circular")
case(24, "TensorScatter", cache, wave(2, 4, 1), np.int64([1, 2]), axis=-1)
near(24, "Swish", x)
near(24, "Swish", x, alpha=-2.0)
case(24, "TopK", np.uint8([3, 9, 1, 7]), ints(2), outputs=2)
case(24, "TopK", np.int16([3, -9, 1, 7]), ints(2), largest=0, outputs=2)

# What changed in these versions are types that no DirectML tensor has, and attributes.
for version in (23, 24, 25):
    case(version, "Cast", x, to=TensorProto.INT32)
    case(version, "CastLike", x, np.int32([1]))
    case(version, "ConstantOfShape", ints(2), value=helper.make_tensor("v", TensorProto.FLOAT, [1], [1.5]))
    case(version, "DequantizeLinear", np.int8([[1, -2], [3, 4]]), Fixed(np.float32([0.5, 0.25])), axis=0)
    case(version, "Flatten", x, axis=2)
    case(version, "Identity", x)
    case(version, "Pad", x, ints(2, 1, 0, 1), None, ints(2, 0), mode="reflect")
    case(version, "QuantizeLinear", wave(2, 3), Fixed(np.float32(0.25)), output_dtype=TensorProto.INT8)
    case(version, "Reshape", x, ints(-1, 3))
    case(version, "Shape", x)
    case(version, "Size", x)
    case(version, "Squeeze", wave(2, 1, 3, 1))
    case(version, "Transpose", x)
    case(version, "Unsqueeze", x, ints(1))
case(23, "DequantizeLinear", np.int8([1, -2]), Fixed(np.float32(0.5)), output_dtype=TensorProto.FLOAT)
case(23, "QuantizeLinear", wave(2, 3), Fixed(np.float32(0.25)), Fixed(np.int8(3)), output_dtype=TensorProto.INT8,
     precision=1)
case(23, "DequantizeLinear", np.int8([[1, -2], [3, 4]]), Fixed(np.float32([0.5, 0.25])), axis=0,
     output_dtype=TensorProto.FLOAT16, wanted=np.float16([[0.5, -1], [0.75, 1]]))
case(23, "DequantizeLinear", np.int8([[1, -2], [3, 4]]), Fixed(np.float16([[0.5], [0.25]])), block_size=2,
     output_dtype=TensorProto.FLOAT, wanted=np.float32([[0.5, -1], [0.75, 1]]))
case(24, "Cast", x, to=TensorProto.INT32, round_mode="up")

for exclusive in (0, 1):
    for reverse in (0, 1):
        near(26, "CumProd", x, Fixed(np.int64(1)), exclusive=exclusive, reverse=reverse, tolerance=2e-5)
case(26, "CumProd", np.int64([[2, 3], [-4, 5]]), ints(0))
case(26, "BitCast", x, to=TensorProto.INT32)
case(26, "BitCast", np.int16([1, -2, 15360]), to=TensorProto.FLOAT16)
case(26, "BitCast", np.int8([1, -2]), to=TensorProto.UINT8)
# Operators that have not changed for long are of the newest version, too.
near(26, "MatMul", wave(3, 4), wave(4, 2), tolerance=1e-5)
near(26, "Softmax", x)
case(26, "Gather", x, np.int64([2, 0]), axis=1)
case(26, "Where", bits(2, 3, 4), x, wave(4, phase=2))
case(26, "CumSum", np.int32([1, 2, 3]), ints(0))


# Refusals

def refused(opset, type, *inputs, **attributes):
    return type, opset, inputs, attributes


GRAPH = helper.make_graph([helper.make_node("Relu", ["a"], ["b"])], "inner", [],
                          [helper.make_tensor_value_info("b", TensorProto.FLOAT, [2])])
MODEL = "but the model is of version"
REFUSED = [
    (refused(19, "Gelu", x), f"the operator came with version 20 of ONNX's operator set, {MODEL} 19"),
    (refused(22, "Attention", q, k, v), f"the operator came with version 23 of ONNX's operator set, {MODEL} 22"),
    (refused(13, "Upsample", image, Fixed(np.float32([1, 1, 2, 2]))), "the operator went with version 10"),
    (refused(10, "ScaledTanh", x, alpha=0.5), "the operator went with version 10"),
    (refused(9, "MeanVarianceNormalization", image, across_channels=1),
     f"its attribute across_channels went with version 9 of ONNX's operator set, {MODEL} 9"),
    (refused(17, "Resize", image, None, Fixed(np.float32([1, 1, 2, 2])), antialias=0),
     f"its attribute antialias came with version 18 of ONNX's operator set, {MODEL} 17"),
    (refused(18, "Split", wave(4), num_outputs=2), "its attribute num_outputs is 2, but it has 1 outputs"),
    (refused(18, "Cast", x, to=1, saturate=1), "its attribute saturate came with version 19"),
    (refused(23, "Cast", x, to=1, round_mode="up"), "its attribute round_mode came with version 24"),
    (refused(18, "AveragePool", image, kernel_shape=[2, 2], dilations=[1, 1]),
     "its attribute dilations came with version 19"),
    (refused(20, "DequantizeLinear", np.int8([1, 2]), Fixed(np.float32([1])), block_size=2),
     "its attribute block_size came with version 21"),
    (refused(22, "DequantizeLinear", np.int8([1, 2]), Fixed(np.float32([1])), output_dtype=1),
     "its attribute output_dtype came with version 23"),
    (refused(18, "ReduceMean", x, axes=[1]),
     f"its attribute axes went with version 18 of ONNX's operator set, {MODEL} 18"),
    (refused(17, "ReduceMean", x, ints(1)), "it has 2 inputs, but version 13 of the operator has 1 at most"),
    (refused(23, "Attention", q, k, v, None, None, None, np.int64([1, 1])),
     "it has 7 inputs, but version 23 of the operator has 6 at most"),
    (refused(26, "Relu", x, slope=1.0), "it has the attribute 'slope', which ONNX's operator does not have"),
    # What DirectML's operators do not express.
    (refused(23, "Attention", q, k, v, softmax_precision=11),
     "its attribute softmax_precision is double, but DirectML's softmax is computed in float"),
    (refused(23, "Attention", q, k, v, scale=0.0), "its attribute scale is 0.000000, but wanted is a number above 0"),
    (refused(23, "Attention", q, k, v, softcap=-1.0), "its attribute softcap is -1.000000"),
    (refused(23, "Attention", q, k, v, qk_matmul_output_mode=4), "its attribute qk_matmul_output_mode is 4"),
    (refused(23, "Attention", q, k, v, q_num_heads=3), "its attribute q_num_heads is 3, but its inputs have 4 heads"),
    (refused(23, "Attention", wide(q), wide(k), wide(v)), "it has 0 heads of queries and 0 of keys"),
    (refused(23, "Attention", q, k, v, np.int32([[1, 0, 1, 1, 1]])), "its attn_mask has integers"),
    (refused(23, "Attention", q, k, v, wave(2, 5)), "its input 3 has the shape 2x5, but wanted is one that broadcasts"),
    (refused(23, "Attention", q, k, v, None, pastKey), "it has one of past_key and past_value"),
    (refused(24, "Attention", q, k, v, None, pastKey, pastValue, np.int64([1, 1])),
     "it has past_key and nonpad_kv_seqlen, but wanted is one of both at most"),
    (refused(23, "RMSNormalization", x, wave(4), stash_type=11), "its attribute stash_type is double"),
    (refused(23, "RotaryEmbedding", wide(q), cosine, sine, places), "which do not fit"),
    (refused(24, "TensorScatter", cache, update, axis=0), "which do not fit along axis 0"),
    (refused(24, "TensorScatter", cache, update, np.int64([1, 1]), mode="ring"),
     "its mode is 'ring', but wanted is linear or circular"),
    (refused(26, "BitCast", x, to=TensorProto.INT64), "it shows elements of 32 bits as those of 64"),
    (refused(26, "BitCast", x, to=TensorProto.BFLOAT16), "it shows bits as bfloat16"),
    (refused(23, "QuantizeLinear", x, Fixed(np.float32(1)), precision=11), "it divides in the precision of double"),
    (refused(21, "QuantizeLinear", x, Fixed(np.float32(1)), Fixed(np.int8(1)), output_dtype=2),
     "its zero point and its output_dtype are of different types"),
    # Graphs within nodes.
    (refused(26, "If", bits(1)[0], then_branch=GRAPH, else_branch=GRAPH), "its condition is computed"),
    (refused(26, "Loop", np.int64(3), bits(1)[0], wave(2), body=GRAPH), "its body has 0 inputs, but wanted are 3"),
    (refused(26, "Scan", wave(3, 2), body=GRAPH, num_scan_inputs=1),
     "it has 1 inputs, of which it scans 1, and its body has 0 inputs"),
    (refused(26, "SequenceMap", x, body=GRAPH), "its sequence or optional value is no tensor"),
]


# What runs them

def encode(array):
    array = np.asarray(array)
    return [array.dtype.name, list(array.shape), base64.b64encode(array.tobytes()).decode()]


def decode(dtype, shape, data):
    return np.frombuffer(base64.b64decode(data), np.dtype(dtype)).reshape(shape)


RECORDER = """
const fs = require('fs');
const [runtime, folder, count] = process.argv.slice(2);
const ort = require(runtime + '/node_modules/onnxruntime-node');
const arrays = {float32: Float32Array, float64: Float64Array, float16: Uint16Array, int64: BigInt64Array,
                uint64: BigUint64Array, int32: Int32Array, uint32: Uint32Array, int16: Int16Array,
                uint16: Uint16Array, int8: Int8Array, uint8: Uint8Array, bool: Uint8Array};
(async () => {
  const results = [];
  for (let i = 0; i < count; ++i) try {
    const {feeds, outputs} = JSON.parse(fs.readFileSync(`${folder}/${i}.json`));
    const session = await ort.InferenceSession.create(`${folder}/${i}.onnx`, {graphOptimizationLevel: 'disabled'});
    const tensors = {};
    for (const [name, [type, shape, data]] of Object.entries(feeds)) {
      const bytes = new Uint8Array(Buffer.from(data, 'base64'));
      tensors[name] = new ort.Tensor(type, new arrays[type](bytes.buffer), shape);
    }
    const found = await session.run(tensors);
    results.push(outputs.map(name => {
      const {type, dims, data} = found[name];
      return [type, dims, Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')];
    }));
  } catch (error) {
    results.push(error.message);
  }
  fs.writeFileSync(folder + '/results.json', JSON.stringify(results));
})();
"""


def record(runtime):
    with tempfile.TemporaryDirectory() as folder:
        judged = [name for name in CASES if name not in DEFINED]
        for index, name in enumerate(judged):
            _, build, _, opset = CASES[name]
            model = Model(opset)
            outputs = build(model)
            graph = helper.make_graph(
                model.nodes, "test",
                [helper.make_tensor_value_info(name, import_tests.TYPES[array.dtype], array.shape)
                 for name, array in model.inputs.items()],
                [ValueInfoProto(name=name) for name in outputs], model.initializers)
            proto = helper.make_model(graph, opset_imports=[
                helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)])
            with open(f"{folder}/{index}.onnx", "wb") as file:
                file.write(proto.SerializeToString())
            with open(f"{folder}/{index}.json", "w") as file:
                json.dump({"feeds": {name: encode(array) for name, array in model.inputs.items()},
                           "outputs": outputs}, file)
        with open(f"{folder}/record.js", "w") as file:
            file.write(RECORDER)
        subprocess.run(["node", f"{folder}/record.js", runtime, folder, str(len(judged))], check=True)
        with open(f"{folder}/results.json") as file:
            results = json.load(file)
    wrong = [f"{name}: {result}" for name, result in zip(judged, results) if isinstance(result, str)]
    if wrong:
        sys.exit("\n".join(wrong))
    with open(VALUES, "w") as file:
        lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in zip(judged, results)]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(judged)} nodes recorded")


def compare(what, found, wanted, tolerance):
    wanted = np.atleast_1d(wanted)
    if wanted.dtype == np.bool_:
        wanted = wanted.astype(np.uint8)
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        sys.exit(f"{what}: {found.dtype} {found.shape}, wanted {wanted.dtype} {wanted.shape}")
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(invalid="ignore"):
        isFar = ~((found == wanted) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * (1 + np.abs(b))))
    if isFar.any():
        sys.exit(f"{what}: found {found[isFar][:4]}, wanted {wanted[isFar][:4]}")


def check(opset, tools, folder, recorded):
    """All nodes of one version are one model."""
    model = Model(opset)
    names = []
    for name, (version, build, tolerance, _) in CASES.items():
        if version != opset:
            continue
        wanted = DEFINED.get(name) or [decode(*values) for values in recorded[name]]
        for output, array in zip(build(model), wanted):
            model.expect(output, array, tolerance)
            names.append(name)
    path = os.path.join(folder, f"{opset}.onnx")
    model.save(path)
    inputs = []
    for key, array in model.inputs.items():
        file = os.path.join(folder, key + ".npy")
        np.save(file, array.astype(np.uint8) if array.dtype == np.bool_ else array)
        inputs.append(f"--input={key}=@{file}")
    for tool in tools:
        files = [os.path.join(folder, f"{index}.npy") for index in range(len(names))]
        import_tests.run([tool, path] + inputs + [f"--output=@{file}" for file in files])
        for name, file, (_, wanted, tolerance) in zip(names, files, model.outputs):
            compare(f"{name}, {tool}", np.load(file), wanted, tolerance)
        print(f"version {opset}: {tool}: {len(names)} results agree")


def checkRefusals(folder):
    for (type, opset, inputs, attributes), message in REFUSED:
        model = Model(opset)
        names = ["" if a is None else model.weights(a.array) if isinstance(a, Fixed) else
                 model.input(a) for a in inputs]
        model.expect(model.node(type, *names, **attributes), np.float32([0]))
        path = os.path.join(folder, "refused.onnx")
        model.save(path)
        result = subprocess.run(["dml-translate", "--import-onnx", path], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        if result.returncode == 0 or message not in result.stderr:
            sys.exit(f"{type} of version {opset}: wanted is a refusal with\n{message}\n"
                     f"found is exit code {result.returncode} with\n{result.stderr}")
    print(f"{len(REFUSED)} refusals agree")


def checkNewest(folder):
    """The models of import_tests.py, of the newest version."""
    count = 0
    for name, build in list(import_tests.GROUPS.items()):
        model = build()
        # Those below are about what operators were before.
        if model.opset < 13:
            continue
        model.opset = NEWEST
        path = os.path.join(folder, "newest.onnx")
        model.save(path)
        result = subprocess.run(["dml-translate", "--import-onnx", path] +
                                [f"--dim={key}={int(value)}" for key, value in model.stated.items()],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        # An operator may have changed since.
        if result.returncode != 0 and "went with version" in result.stderr:
            continue
        import_tests.GROUPS[name] = lambda model=model: model
        import_tests.check(name, ["dml-interpret"], folder)
        import_tests.GROUPS[name] = build
        count += 1
    wanted = 25
    if count < wanted:
        sys.exit(f"found {count} models of import_tests.py that are of version {NEWEST}, too, "
                 f"but wanted are {wanted}")
    print(f"{count} models of import_tests.py are of version {NEWEST}, too")


def main(description, checkMore=lambda folder: None):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="dml-interpret,dml-run")
    parser.add_argument("--record", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.record:
        record(arguments.record)
        return
    with open(VALUES) as file:
        recorded = json.load(file)
    if list(recorded) != [name for name in CASES if name not in DEFINED]:
        sys.exit(f"{VALUES} has other nodes than this file: record it again")
    with tempfile.TemporaryDirectory() as folder:
        for opset in sorted({opset for opset, *_ in CASES.values()}):
            check(opset, arguments.tools.split(","), folder, recorded)
        checkRefusals(folder)
        checkMore(folder)


if __name__ == "__main__":
    main(__doc__, checkNewest)
