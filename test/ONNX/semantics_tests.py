#!/usr/bin/env python3
# ONNX operators at the edges of their meaning: axes that are none, scalars,
# bounds that cross, NaN and infinities. The models run in the interpreter and on
# the device. What is expected are numbers that ONNX Runtime 1.30 computes on the
# processor, and where DirectML's meaning differs, its numbers beside those: the
# rows of docs/ONNXModels.md, "Where DirectML differs from ONNX".
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto

import import_tests

import_tests.TYPES.update({
    np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.int16): TensorProto.INT16,
    np.dtype(np.uint16): TensorProto.UINT16, np.dtype(np.uint32): TensorProto.UINT32,
    np.dtype(np.uint64): TensorProto.UINT64})

NAN, INF = float("nan"), float("inf")
LARGEST = 3.4028234663852886e38
GROUPS = {}


def group(function):
    """A function that makes a model with what is expected of it."""
    GROUPS[function.__name__] = function
    return function


class Model(import_tests.Model):
    """A model of which it is known what ONNX Runtime computes, too."""

    def __init__(self, opset):
        super().__init__(opset)
        self.of_onnx = {}

    def f32(self, *values):
        return self.input(np.float32(values))

    def constant(self, type, *values):
        return self.weights(np.array(values, type))

    def scalar(self, type, value):
        return self.weights(np.array(value, type))

    def wants(self, name, *values, type=np.float32, shape=None, tolerance=0.0):
        """The result `name` has these elements, here and in ONNX Runtime."""
        array = np.array(values, type)
        self.expect(name, array if shape is None else array.reshape(shape), tolerance)

    def differs(self, name, here, onnx, type=np.float32):
        """The result `name` has the elements `here`, and in ONNX Runtime others."""
        assert not np.array_equal(np.array(here, type), np.array(onnx, type), equal_nan=type == np.float32)
        self.of_onnx[name] = np.array(onnx, type)
        self.expect(name, np.array(here, type))


#===----------------------------------------------------------------------===//
# Reductions
#===----------------------------------------------------------------------===//

# Of [-3, 2] and, for the logarithm of sums, of [3, 2]: each element by itself.
SINGLE = {"ReduceL1": (3, 2), "ReduceL2": (3, 2), "ReduceSumSquare": (9, 4), "ReduceLogSum": (1.0986123, 0.6931472),
          "ReduceLogSumExp": (-3, 2), "ReduceSum": (-3, 2), "ReduceMean": (-3, 2), "ReduceProd": (-3, 2),
          "ReduceMax": (-3, 2), "ReduceMin": (-3, 2)}


@group
def reductions_over_no_axes():
    model = Model(opset=18)
    none = model.constant(np.int64)
    scalar, positive = model.input(np.float32(-3)), model.input(np.float32(3))
    for name, wanted in SINGLE.items():
        x = model.f32(3 if name == "ReduceLogSum" else -3, 2)
        for axes in ([], [none]):
            model.wants(model.node(name, x, *axes, noop_with_empty_axes=1, keepdims=0), *wanted, tolerance=1e-6)
        alone = positive if name == "ReduceLogSum" else scalar
        for attributes in ({}, {"noop_with_empty_axes": 1}):
            model.wants(model.node(name, alone, **attributes), wanted[0], shape=(), tolerance=1e-6)
    # Without the attribute, no axes are all axes.
    x = model.f32(-3, 2)
    model.wants(model.node("ReduceL1", x), 5)
    model.wants(model.node("ReduceL1", x, none, keepdims=0), 5, shape=())
    return model


@group
def reductions_of_old():
    """Axes are an attribute, and reductions over a size of 1 are reductions."""
    model = Model(opset=11)
    scalar, x = model.input(np.float32(-3)), model.input(np.float32([[-3, 2]]))
    model.wants(model.node("ReduceL1", scalar, keepdims=0), 3, shape=())
    model.wants(model.node("ReduceSumSquare", scalar), 9, shape=())
    model.wants(model.node("ReduceL2", x, axes=[0], keepdims=0), 3, 2, tolerance=1e-6)
    model.wants(model.node("ReduceSumSquare", x, axes=[-2]), 9, 4, shape=(1, 2))
    model.wants(model.node("ReduceSum", x), -1, shape=(1, 1))
    return model


@group
def places_of_scalars():
    """Before version 11, a scalar has an axis."""
    model = Model(opset=10)
    scalar = model.input(np.float32(-3))
    model.wants(model.node("ArgMax", scalar), 0, type=np.int64, shape=())
    model.wants(model.node("ArgMin", scalar, axis=0, keepdims=0), 0, type=np.int64, shape=())
    return model


@group
def reductions_of_integers():
    model = Model(opset=18)
    x = model.input(np.int32([[-3, 2, -6], [7, 1, 1]]))
    axis = model.constant(np.int64, 1)
    model.wants(model.node("ReduceMean", x, axis, keepdims=0), -2, 3, type=np.int32)
    model.wants(model.node("ReduceMean", x, keepdims=0), 0, type=np.int32, shape=())
    model.wants(model.node("ReduceL1", model.input(np.int64(-3))), 3, type=np.int64, shape=())
    model.wants(model.node("ReduceSumSquare", model.input(np.int64([-3, 2])), noop_with_empty_axes=1), 9, 4,
                type=np.int64)
    return model


#===----------------------------------------------------------------------===//
# Element-wise operators
#===----------------------------------------------------------------------===//


@group
def clip():
    model = Model(opset=13)
    one, two, lowest = (model.scalar(np.float32, value) for value in (1, 2, -INF))
    x = model.f32(-INF, -5, 1.5, 5, INF)
    computed_one, computed_two = model.input(np.float32(1)), model.input(np.float32(2))
    # The upper bound counts where the lower one is above it.
    for low, high in ((two, one), (computed_two, computed_one), (computed_two, one), (two, computed_one)):
        model.wants(model.node("Clip", x, low, high), 1, 1, 1, 1, 1)
    for low, high in ((one, two), (computed_one, computed_two)):
        model.wants(model.node("Clip", x, low, high), 1, 1, 1.5, 2, 2)
    # A bound that is left out is the largest finite number, or the lowest.
    model.wants(model.node("Clip", x), -LARGEST, -5, 1.5, 5, LARGEST)
    for high in (two, computed_two):
        model.wants(model.node("Clip", x, "", high), -LARGEST, -5, 1.5, 2, 2)
    for low in (one, computed_one):
        model.wants(model.node("Clip", x, low), 1, 1, 1.5, 5, LARGEST)
    model.wants(model.node("Clip", x, lowest, two), -INF, -5, 1.5, 2, 2)
    model.wants(model.node("Clip", model.input(np.float16([-INF, 1, INF]))), -65504, 1, 65504, type=np.float16)
    for type in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
        y = model.input(np.array([0, 2, 100], type))
        model.wants(model.node("Clip", y, model.scalar(type, 3), model.scalar(type, 1)), 1, 1, 1, type=type)
        model.wants(model.node("Clip", y, model.scalar(type, 1)), 1, 2, 100, type=type)
        model.wants(model.node("Clip", y, "", model.input(np.array(3, type))), 0, 2, 3, type=type)
    return model


@group
def clip_of_old():
    model = Model(opset=6)
    x = model.f32(-INF, -5, 1.5, 5, INF)
    model.wants(model.node("Clip", x, min=-1.0, max=1.0), -1, -1, 1, 1, 1)
    model.wants(model.node("Clip", x), -LARGEST, -5, 1.5, 5, LARGEST)
    return model


@group
def infinities():
    model = Model(opset=13)
    x = model.f32(INF, -INF, 1, NAN)
    for positive, negative, wanted in ((0, 0, (0, 0, 0, 0)), (0, 1, (0, 1, 0, 0)), (1, 0, (1, 0, 0, 0)),
                                       (1, 1, (1, 1, 0, 0))):
        model.wants(model.node("IsInf", x, detect_positive=positive, detect_negative=negative), *wanted,
                    type=np.bool_)
    a = model.f32(7, -3, 5.5, INF, -INF, NAN, 7, 0, 7, -7, 0.1)
    b = model.f32(INF, INF, -INF, 2, 2, 2, 0, 5, -2, 2, 7)
    model.wants(model.node("Mod", a, b, fmod=1), 7, -3, 5.5, NAN, NAN, NAN, NAN, 0, 1, -1, 0.1)
    c, d = model.input(np.float16([7, -3, -7])), model.input(np.float16([INF, -INF, 2]))
    model.wants(model.node("Mod", c, d, fmod=1), 7, -3, -1, type=np.float16)
    return model


@group
def shrink():
    """Where lambd is negative, x + bias comes first."""
    model = Model(opset=9)
    x = model.f32(-2, -1, 0, 1, 2)
    model.wants(model.node("Shrink", x, lambd=-1.5, bias=0.25), -1.75, -0.75, 0.25, 1.25, 1.75)
    model.wants(model.node("Shrink", x, lambd=1.5, bias=0.25), -1.75, 0, 0, 0, 1.75)
    y = model.input(np.int32([-3, -1, 0, 1, 3]))
    model.wants(model.node("Shrink", y, lambd=-2.0, bias=1.0), -2, 0, 1, 2, 2, type=np.int32)
    z = model.input(np.int64([-3, -1, 0, 1, 3]))
    model.wants(model.node("Shrink", z, lambd=-2.0, bias=1.0), -2, 0, 1, 2, 2, type=np.int64)
    model.wants(model.node("Shrink", z, lambd=2.0, bias=1.0), -2, 0, 0, 0, 2, type=np.int64)
    model.wants(model.node("Shrink", model.input(np.uint64([1, 5])), lambd=2.0, bias=1.0), 0, 4, type=np.uint64)
    return model


@group
def powers_of_integers():
    model = Model(opset=15)
    x = model.input(np.int32([2, -3, 7, -1]))
    model.wants(model.node("Pow", x, model.scalar(np.int32, 2)), 4, 9, 49, 1, type=np.int32)
    model.wants(model.node("Pow", x, model.scalar(np.float32, 3)), 8, -27, 343, -1, type=np.int32)
    model.wants(model.node("Pow", x, model.input(np.int64([3, 2, 0, 2**40 + 1]))), 8, 9, 1, -1, type=np.int32)
    y = model.input(np.int64([2, -3, 2**33]))
    model.wants(model.node("Pow", y, model.scalar(np.int64, 3)), 8, -27, 0, type=np.int64)
    model.wants(model.node("Pow", y, model.scalar(np.int64, 1)), 2, -3, 2**33, type=np.int64)
    model.wants(model.node("Pow", y, model.scalar(np.int32, 0)), 1, 1, 1, type=np.int64)
    return model


@group
def rectifiers_of_integers():
    model = Model(opset=16)
    x = model.input(np.int64([-2, 3]))
    # ONNX Runtime has no kernel for this one.
    model.expect(model.node("Relu", x), np.int64([0, 3]))
    model.wants(model.node("PRelu", x, model.constant(np.int64, 5)), -10, 3, type=np.int64)
    model.wants(model.node("PRelu", model.input(np.uint32([2, 3])), model.constant(np.uint32, 5)), 2, 3,
                type=np.uint32)
    return model


#===----------------------------------------------------------------------===//
# Normalizations
#===----------------------------------------------------------------------===//


@group
def normalizations():
    model = Model(opset=13)
    # Deviations are far below the provider's epsilon.
    x = model.input(np.float32([[1e-6, 2e-6, 4e-6]]))
    model.wants(model.node("MeanVarianceNormalization", x, axes=[1]), -1.0690451, -0.26726136, 1.3363062,
                shape=(1, 3), tolerance=1e-5)
    model.wants(model.node("LpNormalization", x), 0.2182179, 0.4364358, 0.8728716, shape=(1, 3), tolerance=1e-6)
    model.wants(model.node("LpNormalization", model.f32(0, 0), p=1), 0, 0)
    # The axes that are meant without an attribute are 0, 2 and 3, of which there may be fewer.
    y = model.input(np.float32([[1, 2], [3, 6]]))
    model.wants(model.node("MeanVarianceNormalization", y), -1, -1, 1, 1, shape=(2, 2), tolerance=1e-5)
    return model


@group
def batch_normalization():
    model = Model(opset=15)
    x = np.float32([[1, 2, 3], [5, -1, 3]])
    scale, bias, mean, variance = (np.float32(values) for values in ((1, 2, 3), (0, 1, -1), (3, 1, 0), (4, 1, 9)))
    half = [model.input(x.astype(np.float16))] + [model.weights(part) for part in (scale, bias, mean, variance)]
    model.wants(model.node("BatchNormalization", *half), -1, 3, 2, 1, -3, 2, type=np.float16, shape=(2, 3),
                tolerance=2e-3)
    found = model.node("BatchNormalization", model.input(x), *half[1:], outputs=3, training_mode=1, momentum=0.75,
                       epsilon=0.25)
    model.wants(found[0], -0.9701425, 2.8973665, -1, 0.9701425, -0.8973666, -1, shape=(2, 3), tolerance=1e-5)
    model.wants(found[1], 3, 0.875, 0.75, tolerance=1e-5)
    model.wants(found[2], 4, 1.3125, 6.75, tolerance=1e-5)
    return model


@group
def batch_normalization_of_samples():
    """Before version 9, each element of a sample may have a scale of its own."""
    model = Model(opset=7)
    x = model.input(np.float32([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    parts = [model.input(np.float32(part)) for part in ([[1, 2], [3, 4]], [[0, 1], [0, -1]], [[1, 1], [2, 2]],
                                                        [[1, 4], [1, 4]])]
    model.wants(model.node("BatchNormalization", x, *parts, spatial=0, epsilon=0.0), 0, 2, 3, 3, 4, 6, 15, 11,
                shape=(2, 2, 2), tolerance=1e-4)
    return model


#===----------------------------------------------------------------------===//
# Quantization
#===----------------------------------------------------------------------===//


@group
def quantization():
    model = Model(opset=21)
    one = model.constant(np.float32, 0.5)
    model.wants(model.node("DequantizeLinear", model.input(np.uint8(7)), one, model.constant(np.uint8, 3)), 2,
                shape=())
    model.wants(model.node("QuantizeLinear", model.input(np.float32(3.7)), one, model.constant(np.uint8, 3)), 10,
                type=np.uint8, shape=())
    x = model.input(np.float32([[-70000, 70000, 1.5, 2.5, 40000]]))
    for type, wanted in ((np.int16, (-32768, 32767, 5, 5, 32767)), (np.uint16, (0, 65535, 5, 5, 40003))):
        model.wants(model.node("QuantizeLinear", x, model.scalar(np.float32, 1), model.scalar(type, 3)), *wanted,
                    type=type, shape=(1, 5))
    # Blocks of 2 elements, the last of which has one.
    y = model.input(np.float32([[1, 2, 3, -4, 5]]))
    scales = model.weights(np.float32([[1, 0.5, 0.25]]))
    for type, wanted in ((np.int8, (2, 3, 8, -6, 23)), (np.int16, (2, 3, 8, -6, 23))):
        zeros = model.weights(np.array([[1, 2, 3]], type))
        model.wants(model.node("QuantizeLinear", y, scales, zeros, axis=1, block_size=2), *wanted, type=type,
                    shape=(1, 5))
        z = model.input(np.array([[2, 3, 8, -6, 23]], type))
        model.wants(model.node("DequantizeLinear", z, scales, zeros, axis=1, block_size=2), 1, 2, 3, -4, 5,
                    shape=(1, 5))
    wide = model.input(np.int32([[2, 3, 8, -6]]))
    model.wants(model.node("DequantizeLinear", wide, model.weights(np.float32([[1, 0.5]])), axis=1, block_size=2),
                2, 3, 4, -3, shape=(1, 4))
    return model


@group
def quantization_to_four_bits():
    """Of six dimensions: one scale, one for each element of an axis, and blocks, the last not full."""
    model = Model(opset=21)

    def four_bits(values):
        name = f"w{len(model.initializers)}"
        model.initializers.append(import_tests.FourBits(values, signed=True).save(name))
        return name

    shape = (1, 1, 2, 1, 1, 3)
    x = four_bits(np.int8([-8, -1, 0, 1, 5, 7]).reshape(shape))
    half, axis = model.scalar(np.float32, 0.5), model.constant(np.float32, 0.5, 1, 2)
    model.wants(model.node("DequantizeLinear", x, half), -4, -0.5, 0, 0.5, 2.5, 3.5, shape=shape)
    model.wants(model.node("DequantizeLinear", x, axis, four_bits([1, 0, -1]), axis=5), -4.5, -1, 2, 0, 5, 16,
                shape=shape)
    blocks = model.weights(np.float32([0.5, 1, 2, 4]).reshape(1, 1, 2, 1, 1, 2))
    zeros = four_bits(np.int8([1, 0, -1, 2]).reshape(1, 1, 2, 1, 1, 2))
    model.wants(model.node("DequantizeLinear", x, blocks, axis=5, block_size=2), -4, -0.5, 0, 2, 10, 28, shape=shape)
    model.wants(model.node("DequantizeLinear", x, blocks, zeros, axis=5, block_size=2), -4.5, -1, 0, 4, 12, 20,
                shape=shape)
    return model


@group
def dynamic_quantization():
    model = Model(opset=11)
    for shape in ((8,), (1, 2, 1, 2, 2), (2, 1, 2, 1, 1, 2, 1, 1)):
        found = model.node("DynamicQuantizeLinear", model.input(np.arange(8, dtype=np.float32).reshape(shape)),
                           outputs=3)
        model.wants(found[0], 0, 36, 73, 109, 146, 182, 219, 255, type=np.uint8, shape=shape)
        model.wants(found[1], 0.02745098, shape=(), tolerance=1e-8)
        model.wants(found[2], 0, type=np.uint8, shape=())
    return model


#===----------------------------------------------------------------------===//
# Functions of several operators
#===----------------------------------------------------------------------===//


@group
def functions_of_halves():
    """What lies between the operators is not rounded to f16."""
    model = Model(opset=24)

    def f16(*values):
        return model.input(np.float16(values))

    def wants(name, *values):
        model.wants(name, *values, type=np.float16, tolerance=1e-8)

    wants(model.node("Gelu", f16(-2.75), approximate="tanh"), -0.007724761962890625)
    wants(model.node("HardSwish", f16(0.232177734375, 2.27734375)), 0.1251220703125, 2.00390625)
    wants(model.node("Mish", f16(-0.1746826171875, -2.509765625)), -0.09503173828125, -0.19580078125)
    wants(model.node("Swish", f16(-1.8662109375, 0.22509765625)), -0.25, 0.1251220703125)
    wants(model.node("QuickGelu", f16(-3.9296875, -3.46875), domain="com.microsoft"), -0.004886627197265625,
          -0.00943756103515625)
    wants(model.node("Sum", f16(2048), f16(1), f16(1)), 2050)
    wants(model.node("Mean", f16(60000), f16(60000), f16(-60000)), 20000)
    turned = model.node("RotaryEmbedding", model.input(np.float16([[[[1000, 1001]]]])),
                        *(model.input(np.float16([[[part]]])) for part in (0.70703125, 0.70654296875)))
    wants(turned, [[[-0.21826171875, 1414]]])
    # ONNX Runtime has no kernel for this one, and for the next where both types are equal.
    added = model.node("BiasAdd", model.input(np.float16([[[2048]]])), f16(1), model.input(np.float16([[[1]]])),
                       domain="com.microsoft")
    model.expect(added, np.float16([[[2050]]]))
    model.expect(model.node("RMSNormalization", f16(1, 2, 3), model.f32(1, 1, 1), epsilon=0.0),
                 np.float32([0.46291005, 0.9258201, 1.3887302]), 1e-6)
    return model


@group
def sums_that_are_normalized():
    """A sum of halves is normalized before it is rounded."""
    model = Model(opset=13)
    x = model.input(np.float16([[[2048, 2048]]]))
    found = model.node("SkipSimplifiedLayerNormalization", x, model.input(np.float16([[[-2047, -2044]]])),
                       model.input(np.float16([1, 1])), model.input(np.float16([0.0009765625, 0])), outputs=4,
                       domain="com.microsoft", epsilon=0.0)
    model.wants(found[0], [[0.343, 1.372]], type=np.float16, tolerance=1e-3)
    return model


@group
def simplified_normalization():
    """From an axis on that is not the last."""
    model = Model(opset=13)
    x = np.float32([[[1, 2], [3, 4]], [[2, -2], [2, 2]]])
    scale = model.weights(np.float32([[1, 2], [3, 4]]))
    first, last = [0.36514837, 1.4605935, 3.2863353, 5.842374], [1, -2, 3, 4]
    for shape, axis in (((2, 2, 2), 1), ((2, 2, 2), -2), ((1, 2, 1, 2, 2), 3)):
        found = model.node("SimplifiedLayerNormalization", model.input(x.reshape(shape)), scale, axis=axis)
        model.wants(found, *first, *last, shape=shape, tolerance=1e-4)
    return model


@group
def attention_without_keys():
    """The numbers of masked keys are added to the scores, whose differences remain where all are masked."""
    model = Model(opset=13)
    x = model.input(np.float32([[[1, 0], [0, 1]]]))
    weights = model.input(np.float32([[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]]))
    bias = model.input(np.zeros(6, np.float32))
    more, less = 0.6697615, 0.3302385
    none, first = ([more, less], [less, more]), ([1, 0], [1, 0])
    for mask, wanted in (([[0, 0]], none), ([[-1, 0]], none), ([0], none), ([1], first), ([0, 0], none),
                         ([1, 0], first), ([[[1, 0], [0, 0]]], (first[0], none[1]))):
        found = model.node("Attention", x, weights, bias, model.input(np.int32(mask)), domain="com.microsoft",
                           num_heads=1, mask_filter_value=-64.0)
        model.wants(found, wanted, tolerance=1e-5)
    # What stands behind a query is masked more than what the mask says.
    found = model.node("Attention", x, weights, bias, model.input(np.int32([[0, 1]])), domain="com.microsoft",
                       num_heads=1, mask_filter_value=-64.0, unidirectional=1)
    model.wants(found, ([1, 0], [0, 1]), tolerance=1e-5)
    scores = model.input(np.float32([[[[0, 1], [1, 0]]]]))
    for mask, wanted in (([[0, 0]], ((0.4272837, 0.5727163), (0.5727163, 0.4272837))), ([1], first)):
        found = model.node("MultiHeadAttention", x, x, x, "", model.input(np.int32(mask)), scores,
                           domain="com.microsoft", num_heads=1, mask_filter_value=-64.0)
        model.wants(found, wanted, tolerance=3e-5)
    return model


#===----------------------------------------------------------------------===//
# Windows and regions
#===----------------------------------------------------------------------===//


@group
def quantized_averages_beyond_padding():
    """A window counts as a whole, unlike one of ONNX's AveragePool."""
    model = Model(opset=13)
    one, zero = model.scalar(np.float32, 1), model.input(np.uint8(4))
    for shape, isLast in (((1, 1, 1, 4), 0), ((1, 1, 4, 1), 1)):
        x = model.input(np.uint8([10, 20, 30, 40]).reshape(shape))
        found = model.node("QLinearAveragePool", x, one, zero, one, zero, domain="com.microsoft", ceil_mode=1,
                           count_include_pad=1, kernel_shape=[1, 3], pads=[0, 2, 0, 0], strides=[1, 2],
                           channels_last=isLast)
        model.wants(found, 6, 20, 25, type=np.uint8, shape=(1, 1, 1, 3) if isLast == 0 else (1, 1, 3, 1))
    return model


@group
def regions_of_halves():
    """Corners are scaled in f32."""
    model = Model(opset=10)
    x = model.input(np.float16(np.arange(32).reshape(1, 1, 4, 8) ** 2 / 4))
    regions = model.input(np.float16([[0.37, 0.61, 4.3, 3.7], [2.2, 1.1, 2.3, 1.3]]))
    indices = model.input(np.int64([0, 0]))
    for mode, wanted in (("avg", (81.125, 96.75, 54.0625, 57.6875)),
                         ("max", (76.8125, 66.0625, 53.65625, 57.03125))):
        found = model.node("RoiAlign", x, regions, indices, mode=mode, output_height=1, output_width=2,
                           sampling_ratio=2, spatial_scale=0.9)
        model.wants(found, *wanted, type=np.float16, shape=(2, 1, 1, 2), tolerance=1e-8)
    return model


#===----------------------------------------------------------------------===//
# Nodes of the first operator sets
#===----------------------------------------------------------------------===//


@group
def casts_to_names():
    """Before version 6, the type has a name."""
    model = Model(opset=5)
    values = np.float32([-1.5, 0, 2])
    # ONNX Runtime has no kernel for this version, nor for the next.
    for name, wanted in (("INT32", np.int32([-1, 0, 2])), ("BOOL", np.array([True, False, True])),
                         ("FLOAT16", values.astype(np.float16)), ("INT64", np.int64([-1, 0, 2])),
                         ("FLOAT", values)):
        model.expect(model.node("Cast", model.input(values), to=name), wanted)
        model.expect(model.node("Cast", model.weights(values), to=name), wanted)
    # What is cast to BOOL is one of truths, which alone has a Not.
    model.expect(model.node("Not", model.node("Cast", model.input(values), to="BOOL")),
                 np.array([False, True, False]))
    return model


@group
def images_that_grow():
    model = Model(opset=6)
    x = model.input(np.float32([[[[1, 3], [5, 7]]]]))
    nearest = model.node("Upsample", x, height_scale=1.0, width_scale=2.0)
    model.expect(nearest, np.float32([[[[1, 1, 3, 3], [5, 5, 7, 7]]]]))
    linear = model.node("Upsample", x, height_scale=2.0, width_scale=1.0, mode="bilinear")
    model.expect(linear, np.float32([[[[1, 3], [3, 5], [5, 7], [5, 7]]]]))
    return model


@group
def reductions_of_single_integers():
    """Sets of one integer have a root of its square, and a logarithm of its power."""
    model = Model(opset=18)
    for type in (np.int32, np.int64):
        one, row = model.input(np.array(-6, type)), model.input(np.array([[-6], [7]], type))
        axis = model.constant(np.int64, 1)
        model.wants(model.node("ReduceL2", one), 6, type=type, shape=())
        model.wants(model.node("ReduceLogSumExp", one), -6, type=type, shape=())
        model.wants(model.node("ReduceL2", row, axis, keepdims=0), 6, 7, type=type)
        model.wants(model.node("ReduceLogSumExp", row, axis, keepdims=0), -6, 7, type=type)
    return model


@group
def shapes_without_zeros():
    """allowzero has no bearing on them."""
    model = Model(opset=14)
    x = model.input(np.float32([[1, 2], [3, 4]]))
    for keeps in (0, 1):
        model.wants(model.node("Reshape", x, model.constant(np.int64, -1), allowzero=keeps), 1, 2, 3, 4)
    return model


@group
def none_of_the_largest():
    model = Model(opset=11)
    x = model.f32(3, 1, 2)
    found = model.node("TopK", x, model.constant(np.int64, 0), outputs=2)
    model.wants(model.node("Concat", found[0], x, axis=0), 3, 1, 2)
    model.wants(model.node("Concat", found[1], model.input(np.int64([5])), axis=0), 5, type=np.int64)
    return model


#===----------------------------------------------------------------------===//
# Where DirectML differs from ONNX
#===----------------------------------------------------------------------===//


@group
def differences_of_nan():
    model = Model(opset=13)
    x, ones = model.f32(NAN, -2, 2), model.f32(1, 1, 1)
    low, high = model.scalar(np.float32, -1), model.scalar(np.float32, 1)
    model.differs(model.node("Relu", x), (0, 0, 2), (NAN, 0, 2))
    model.differs(model.node("Sign", x), (0, -1, 1), (NAN, -1, 1))
    model.differs(model.node("HardSigmoid", x, alpha=0.25), (1, 0, 1), (NAN, 0, 1))
    model.differs(model.node("Celu", x, alpha=1e-30), (0, -1e-30, 2), (NAN, -1e-30, 2))
    model.differs(model.node("Max", x, ones), (1, 1, 2), (NAN, 1, 2))
    model.differs(model.node("Max", ones, x), (1, 1, 2), (NAN, 1, 2))
    model.differs(model.node("Min", x, ones), (1, -2, 1), (NAN, -2, 1))
    # The upper bound by CLIP1's formula, the lower one by operands.
    model.differs(model.node("Clip", x, low, high), (1, -1, 1), (NAN, -1, 1))
    model.differs(model.node("Clip", x, model.input(np.float32(-1)), high), (-1, -1, 1), (NAN, -1, 1))
    rows = model.input(np.float32([[NAN, 1, 2], [1, NAN, 2], [NAN, NAN, NAN]]))
    model.differs(model.node("ReduceMax", rows, axes=[1], keepdims=0), (2, 2, NAN), (NAN, 2, NAN))
    model.differs(model.node("ReduceMin", rows, axes=[1], keepdims=0), (1, 1, NAN), (NAN, 1, NAN))
    model.differs(model.node("ArgMax", rows, axis=1, keepdims=0), (2, 2, 0), (0, 2, 0), type=np.int64)
    model.differs(model.node("ArgMin", rows, axis=1, keepdims=0), (1, 0, 0), (0, 0, 0), type=np.int64)
    model.differs(model.node("Hardmax", rows), ((0, 0, 1), (0, 0, 1), (1, 0, 0)), ((0, 0, 0), (0, 0, 1), (0, 0, 0)))
    pooled = model.node("MaxPool", model.input(np.float32([[[1, NAN, 3]]])), kernel_shape=[3])
    model.differs(pooled, [[[NAN]]], [[[3]]])
    # What keeps NaN in both, or drops it.
    model.wants(model.node("Elu", x), NAN, -0.86466473, 2, tolerance=1e-6)
    model.wants(model.node("LeakyRelu", x, alpha=0.5), NAN, -1, 2)
    model.wants(model.node("ThresholdedRelu", x), 0, 0, 2)
    return model


@group
def differences_of_nan_of_old():
    model = Model(opset=6)
    model.differs(model.node("Clip", model.f32(NAN, -2, 2), min=-1.0, max=1.0), (-1, -1, 1), (NAN, -1, 1))
    return model


@group
def differences_of_order():
    model = Model(opset=11)
    x = model.f32(NAN, 1, INF, -INF)
    for largest, here, onnx in ((1, (INF, 1, -INF), (INF, 1, NAN)), (0, (-INF, 1, INF), (-INF, 1, NAN))):
        found = model.node("TopK", x, model.constant(np.int64, 3), outputs=2, largest=largest)
        model.differs(found[0], here, onnx)
    return model


@group
def differences_of_integers():
    model = Model(opset=13)
    most = model.input(np.int32([2**31 - 1, 1]))
    model.differs(model.node("ReduceSum", most, keepdims=0), -2**31, 2**31 - 1, type=np.int32)
    model.differs(model.node("ReduceL1", model.input(np.int32([-2**31, 0])), keepdims=0), -2**31, 2**31 - 1,
                  type=np.int32)
    # Conversions saturate, where ONNX leaves the result open.
    x = model.f32(300, -1, NAN, INF, -INF)
    model.differs(model.node("Cast", x, to=TensorProto.UINT8), (255, 0, 0, 255, 0), (44, 255, 0, 0, 0), type=np.uint8)
    model.differs(model.node("Cast", x, to=TensorProto.INT32), (300, -1, 0, 2**31 - 1, -2**31),
                  (300, -1, -2**31, -2**31, -2**31), type=np.int32)
    model.differs(model.node("Shrink", model.input(np.int32([-9, 9])), bias=1.5), (-8, 8), (-7, 7), type=np.int32)
    # By 0, where ONNX Runtime ends.
    zero = model.input(np.int32([0, 0]))
    model.expect(model.node("Div", model.input(np.int32([5, -5])), zero), np.int32([-1, -1]))
    model.expect(model.node("Mod", model.input(np.int32([5, -5])), zero), np.int32([-1, -1]))
    return model


@group
def differences_of_quantization():
    model = Model(opset=11)
    found = model.node("DynamicQuantizeLinear", model.f32(0, 0), outputs=3)
    model.differs(found[1], 0, 1)
    return model


@group
def differences_of_gelu():
    model = Model(opset=20)
    model.differs(model.node("Gelu", model.f32(-INF, INF)), (0, INF), (NAN, INF))
    return model


#===----------------------------------------------------------------------===//
# Feature levels
#===----------------------------------------------------------------------===//

# Nodes that need the level of the operator that ONNX Runtime's provider takes, whatever else
# they are built of: an operator, its opset, the type of its input, and attributes.
LEVELS = [
    ("IsInf", 10, np.float32, {}, {"detect_positive": 0, "detect_negative": 0}),
    ("Shrink", 9, np.float32, {}, {"lambd": -1.0}),
    ("Shrink", 9, np.int32, {}, {"lambd": -1.0}),
    ("ReduceL1", 18, np.float32, {}, {"noop_with_empty_axes": 1}),
    ("MeanVarianceNormalization", 13, np.float32, {"axes": [0, 1, 2, 3]}, {}),
]


def find_level(path):
    result = subprocess.run(["dml-explain", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return json.loads(result.stdout)["level"] if result.stdout else result.stderr


def check_levels(folder):
    problems = []
    for name, opset, type, *choices in LEVELS:
        levels = []
        for attributes in choices:
            model = Model(opset)
            x = model.input(np.ones((1, 2, 3, 4), type))
            result = np.bool_ if name == "IsInf" else type
            # All axes are reduced.
            shape = (1, 1, 1, 1) if name.startswith("Reduce") and not attributes.get("noop_with_empty_axes") \
                else (1, 2, 3, 4)
            model.expect(model.node(name, x, **attributes), np.ones(shape, result))
            model.save(os.path.join(folder, "level.onnx"))
            levels.append(find_level(os.path.join(folder, "level.onnx")))
        if levels[0] != levels[1] or "_" not in levels[0]:
            problems.append(f"{name} needs the levels {levels}, wanted is one")
    return problems


def find_difference(found, wanted, tolerance):
    """Where two arrays differ, or nothing."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"is {found.dtype} {found.shape}, wanted {wanted.dtype} {wanted.shape}"
    if found.dtype.kind != "f":
        same = found == wanted
    else:
        with np.errstate(all="ignore"):
            a, b = found.astype(np.float64), wanted.astype(np.float64)
            same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance)
    return None if same.all() else f"is {found.tolist()}, wanted {wanted.tolist()}"


def check(name, tools, folder):
    model = GROUPS[name]()
    path = os.path.join(folder, name + ".onnx")
    model.save(path)
    inputs = []
    for key, array in model.inputs.items():
        np.save(os.path.join(folder, key + ".npy"), np.atleast_1d(array))
        inputs.append(f"--input={key}=@{os.path.join(folder, key)}.npy")
    problems = []
    for tool in tools:
        files = [os.path.join(folder, f"{tool}-{index}.npy") for index in range(len(model.outputs))]
        import_tests.run([tool, path] + inputs + [f"--output=@{file}" for file in files])
        for (output, expected, tolerance), file in zip(model.outputs, files):
            # Scalars have one dimension, and truths are numbers.
            wanted = np.atleast_1d(expected.astype(np.uint8) if expected.dtype == bool else expected)
            difference = find_difference(np.load(file), wanted, tolerance)
            if difference:
                node = next(node for node in model.nodes if output in node.output)
                problems.append(f"{name}, {tool}, {node.name}: {difference}")
        if not any(f", {tool}, " in problem for problem in problems):
            print(f"{name}: {tool}: {len(model.outputs)} results agree")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", default="dml-interpret,dml-run")
    parser.add_argument("--group", action="append", choices=list(GROUPS))
    arguments = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.group or GROUPS:
            problems += check(name, arguments.tools.split(","), folder)
        problems += check_levels(folder)
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
