#!/usr/bin/env python3
# Small ONNX models, built here, through the reader of ONNX models: in the
# interpreter and on the device, each compared with what NumPy computes.
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper

TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64,
         np.dtype(np.int32): TensorProto.INT32, np.dtype(np.uint8): TensorProto.UINT8,
         np.dtype(np.int8): TensorProto.INT8,
         np.dtype(np.bool_): TensorProto.BOOL}


class Model:
    """A graph under construction, with the results that are expected of it."""

    def __init__(self, opset=13):
        self.opset = opset
        self.nodes, self.inputs, self.initializers, self.outputs = [], {}, [], []
        self.functions = []
        self.stated = {}

    def state(self, value, type=np.int64):
        """An input of one integer or bool, which --dim states."""
        name = f"s{len(self.stated)}"
        self.stated[name] = type(value)
        return name

    def input(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = np.asarray(array)
        return name

    def weights(self, array):
        name = f"w{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, type, *inputs, domain="", outputs=1, **attributes):
        names = [f"n{len(self.nodes)}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(type, list(inputs), names, domain=domain,
                                           name=f"{type}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def expect(self, name, array, tolerance=0.0):
        self.outputs.append((name, np.asarray(array), tolerance))

    def save(self, path):
        def info(name, array):
            return helper.make_tensor_value_info(name, TYPES[array.dtype], array.shape)

        graph = helper.make_graph(
            self.nodes, "test", [info(*item) for item in [*self.inputs.items(), *self.stated.items()]],
            [info(name, array) for name, array, _ in self.outputs], self.initializers)
        model = helper.make_model(graph, functions=self.functions, opset_imports=[
            helper.make_opsetid(domain, version) for domain, version in
            (("", self.opset), ("com.microsoft", 1), ("com.microsoft.dml", 1), ("local", 1))])
        with open(path, "wb") as file:
            file.write(model.SerializeToString())


def ramp(*shape, first=-2.0, step=0.3):
    count = int(np.prod(shape))
    return (first + step * np.arange(count)).astype(np.float32).reshape(shape)


GROUPS = {}


def group(function):
    """A function that makes a model with what is expected of it."""
    GROUPS[function.__name__] = function
    return function


@group
def element_wise():
    model = Model()
    x = ramp(2, 3, 4, 5, first=-3.1, step=0.05)
    a = model.input(x)
    model.expect(model.node("Relu", a), np.maximum(x, 0))
    model.expect(model.node("Sigmoid", a), 1 / (1 + np.exp(-x)), 1e-5)
    model.expect(model.node("Abs", a), np.abs(x))
    model.expect(model.node("LeakyRelu", a, alpha=0.1), np.where(x < 0, np.float32(0.1) * x, x), 1e-6)
    # Operands of fewer dimensions are right-aligned; sizes of 1 are repeated.
    row, column = ramp(5), ramp(3, 1, 1)
    model.expect(model.node("Add", a, model.weights(row)), x + row)
    model.expect(model.node("Mul", model.weights(column), a), x * column)
    number = model.weights(np.float32(2.5))
    model.expect(model.node("Sub", a, number), x - np.float32(2.5))
    model.expect(model.node("Sum", a, a, a), x + x + x, 1e-5)
    model.expect(model.node("Greater", a, number), x > 2.5)
    model.expect(model.node("Cast", a, to=TensorProto.BOOL), x != 0)
    # Bounds that are computed; one that is known beside them.
    low = model.node("ReduceMin", model.node("Mul", a, model.weights(np.float32(0.5))), keepdims=0)
    model.expect(model.node("Clip", a, low, model.weights(np.float32(0.25))), np.clip(x, x.min() / 2, 0.25), 1e-6)
    # Two inputs, neither of which has the shape of the result.
    b = ramp(4, 1)
    model.expect(model.node("Add", model.input(b), model.weights(row)), b + row)
    return model


@group
def shapes():
    """The arithmetic that exporters write for x.view(x.size(0), -1)."""
    model = Model()
    x = ramp(2, 3, 4)
    a = model.input(x)
    size = model.node("Gather", model.node("Shape", a), model.weights(np.int64(0)), axis=0)
    first = model.node("Unsqueeze", size, model.weights(np.int64([0])))
    shape = model.node("Concat", first, model.weights(np.int64([-1])), axis=0)
    model.expect(model.node("Reshape", a, shape), x.reshape(2, 12))
    half = model.node("Div", model.node("Size", a), model.weights(np.int64(2)))
    shape = model.node("Concat", model.weights(np.int64([2])),
                       model.node("Unsqueeze", half, model.weights(np.int64([0]))), axis=0)
    model.expect(model.node("Reshape", a, shape), x.reshape(2, 12))
    ones = model.node("ConstantOfShape", model.node("Shape", a),
                      value=helper.make_tensor("value", TensorProto.FLOAT, [1], [3.0]))
    model.expect(model.node("Add", a, ones), x + 3)
    model.expect(model.node("Flatten", a, axis=2), x.reshape(6, 4))
    model.expect(model.node("Unsqueeze", a, model.weights(np.int64([0, -1]))), x.reshape(1, 2, 3, 4, 1))
    squeezed = model.node("Reshape", a, model.weights(np.int64([1, 0, -1, 1])))
    model.expect(squeezed, x.reshape(1, 3, 8, 1))
    model.expect(model.node("Squeeze", squeezed), x.reshape(3, 8))
    model.expect(model.node("Dropout", a), x)
    model.expect(model.node("Identity", a), x)
    # Pads as torch's exporter writes them: in pairs, the last dimension's first.
    pairs = model.node("Reshape", model.node("Concat", model.weights(np.int64([1, 2])), model.node(
        "ConstantOfShape", model.weights(np.int64([4])),
        value=helper.make_tensor("value", TensorProto.INT64, [1], [0])), axis=0),
        model.weights(np.int64([-1, 2])))
    i64 = lambda *values: model.weights(np.int64(values))
    turned = model.node("Slice", pairs, i64(-1), i64(-2**63), i64(0), i64(-1))
    pads = model.node("Reshape", model.node("Transpose", turned, perm=[1, 0]), i64(-1))
    model.expect(model.node("Pad", a, pads), np.pad(x, ((0, 0), (0, 0), (1, 2))))
    # As TensorFlow's writes them: split, and put together in another order.
    parts = model.node("Split", i64(0, 1, 0, 0, 2, 0), outputs=6)
    pads = model.node("Concat", *(parts[i] for i in (0, 2, 4, 1, 3, 5)), axis=0)
    model.expect(model.node("Pad", a, pads), np.pad(x, ((0, 1), (0, 0), (2, 0))))
    # Nothing of a list of sizes is a list, too.
    none = model.node("Slice", model.node("Shape", a), i64(0), i64(0))
    model.expect(model.node("Reshape", a, model.node("Concat", none, i64(24), axis=0)), x.reshape(24))
    return model


@group
def views():
    model = Model()
    x = ramp(2, 3, 4, 5)
    a = model.input(x)
    model.expect(model.node("Transpose", a, perm=[0, 2, 3, 1]), x.transpose(0, 2, 3, 1))
    model.expect(model.node("Transpose", a), x.transpose())
    moved = model.node("Transpose", a, perm=[1, 0, 2, 3])
    model.expect(model.node("Relu", moved), np.maximum(x.transpose(1, 0, 2, 3), 0))
    # What ShuffleNet does: channels of groups take turns.
    split = model.node("Reshape", a, model.weights(np.int64([2, 3, 2, 2, 5])))
    turned = model.node("Transpose", split, perm=[0, 2, 1, 3, 4])
    model.expect(model.node("Reshape", turned, model.weights(np.int64([2, 6, 2, 5]))),
                 x.reshape(2, 3, 2, 2, 5).transpose(0, 2, 1, 3, 4).reshape(2, 6, 2, 5))
    y = ramp(3, 1)
    model.expect(model.node("Expand", model.input(y), model.weights(np.int64([2, 1, 4]))),
                 np.broadcast_to(y, (2, 3, 4)))
    z = np.arange(6, dtype=np.int64).reshape(2, 3)
    model.expect(model.node("Transpose", model.input(z)), z.T)
    truths = np.array([[True, False, True]])
    flags = model.input(truths.astype(np.uint8))
    model.expect(model.node("Expand", flags, model.weights(np.int64([2, 3]))),
                 np.broadcast_to(truths, (2, 3)).astype(np.uint8))
    model.expect(model.node("Tile", a, model.weights(np.int64([1, 2, 1, 1]))), np.tile(x, (1, 2, 1, 1)))
    return model


@group
def normalization():
    model = Model()
    x = ramp(2, 3, 4, 5, first=-3.1, step=0.05)
    a = model.input(x)
    scale, bias, mean, variance = ramp(3), ramp(3, step=0.7), ramp(3, step=0.1), ramp(3, first=1)
    c = (1, 3, 1, 1)
    model.expect(model.node("BatchNormalization", a, *map(model.weights, (scale, bias, mean, variance)),
                            epsilon=0.01),
                 (x - mean.reshape(c)) / np.sqrt(variance.reshape(c) + np.float32(0.01)) * scale.reshape(c)
                 + bias.reshape(c), 1e-4)
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    model.expect(model.node("Softmax", a), powers / powers.sum(axis=-1, keepdims=True), 1e-5)
    squares = np.zeros_like(x)
    for channel in range(3):
        squares[:, channel] = (x[:, max(0, channel - 1):channel + 2] ** 2).sum(axis=1)
    model.expect(model.node("LRN", a, size=3, alpha=0.3, beta=0.75, bias=1.0),
                 x / (1 + 0.3 / 3 * squares) ** 0.75, 1e-4)
    centered = x - x.mean(axis=(2, 3), keepdims=True)
    model.expect(model.node("InstanceNormalization", a, model.weights(scale), model.weights(bias)),
                 centered / np.sqrt((centered ** 2).mean(axis=(2, 3), keepdims=True) + 1e-5)
                 * scale.reshape(c) + bias.reshape(c), 1e-3)
    return model


@group
def old_softmax():
    """Before opset 13 the axes from the given one on count as one."""
    model = Model(opset=9)
    x = ramp(2, 3, 4, step=0.1)
    powers = np.exp(x - x.max(axis=(1, 2), keepdims=True))
    model.expect(model.node("Softmax", model.input(x)), powers / powers.sum(axis=(1, 2), keepdims=True), 1e-5)
    return model


@group
def reduction():
    model = Model()
    x = ramp(2, 3, 4)
    a = model.input(x)
    model.expect(model.node("ReduceMean", a, axes=[1], keepdims=0), x.mean(axis=1), 1e-5)
    model.expect(model.node("ReduceSum", a, model.weights(np.int64([-1, 0]))),
                 x.sum(axis=(0, 2), keepdims=True), 1e-4)
    model.expect(model.node("ReduceMax", a, keepdims=0), x.max(), 0)
    model.expect(model.node("ArgMax", a, axis=2, keepdims=0), x.argmax(axis=2))
    return model


def convolve(x, w, strides, pads, group=1):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    height, width = w.shape[2:]
    rows, columns = ((x.shape[2] - height) // strides[0] + 1, (x.shape[3] - width) // strides[1] + 1)
    out = np.zeros((x.shape[0], w.shape[0], rows, columns), np.float32)
    per_group = w.shape[0] // group
    for m in range(w.shape[0]):
        first = m // per_group * w.shape[1]
        for i in range(rows):
            for j in range(columns):
                part = x[:, first:first + w.shape[1], i * strides[0]:i * strides[0] + height,
                         j * strides[1]:j * strides[1] + width]
                out[:, m, i, j] = (part * w[m]).sum(axis=(1, 2, 3))
    return out


@group
def windows():
    model = Model()
    x, w, b = ramp(1, 4, 7, 6, step=0.02), ramp(6, 4, 3, 3, step=0.01), ramp(6)
    a = model.input(x)
    model.expect(model.node("Conv", a, model.weights(w), model.weights(b), pads=[1, 0, 2, 1], strides=[2, 1]),
                 convolve(x, w, (2, 1), (1, 0, 2, 1)) + b.reshape(1, 6, 1, 1), 1e-3)
    w = ramp(4, 2, 3, 3, step=0.1)
    model.expect(model.node("Conv", a, model.weights(w), group=2), convolve(x, w, (1, 1), (0, 0, 0, 0), 2), 1e-3)
    line, kernel = ramp(2, 3, 8), ramp(2, 3, 2)
    model.expect(model.node("Conv", model.input(line), model.weights(kernel)),
                 convolve(line[:, :, None], kernel[:, :, None], (1, 1), (0, 0, 0, 0))[:, :, 0], 1e-3)
    padded = np.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=-np.inf)
    pooled = np.stack([padded[:, :, i:i + 6:2, j:j + 6:2] for i in range(2) for j in range(2)]).max(axis=0)
    model.expect(model.node("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2]), pooled[:, :, :3, :3])
    model.expect(model.node("GlobalAveragePool", a), x.mean(axis=(2, 3), keepdims=True), 1e-5)
    m, n, c = ramp(3, 4), ramp(5, 4), ramp(5)
    model.expect(model.node("Gemm", model.input(m), model.weights(n), model.weights(c), transB=1, beta=0.5),
                 m @ n.T + np.float32(0.5) * c, 1e-4)
    p, q = ramp(2, 1, 3, 4), ramp(5, 4, 2)
    model.expect(model.node("MatMul", model.input(p), model.weights(q)), p @ q, 1e-3)
    return model


@group
def movement():
    model = Model()
    x = ramp(2, 6, 4)
    a = model.input(x)
    b = model.node("Relu", a)
    model.expect(model.node("Concat", a, b, axis=1), np.concatenate([x, np.maximum(x, 0)], axis=1))
    parts = model.node("Split", a, model.weights(np.int64([2, 4])), axis=1, outputs=2)
    model.expect(parts[0], x[:, :2])
    model.expect(parts[1], x[:, 2:])
    i64 = lambda *values: model.weights(np.int64(values))
    model.expect(model.node("Slice", a, i64(1), i64(2**63 - 1), i64(1), i64(2)), x[:, 1::2])
    model.expect(model.node("Slice", a, i64(-1), i64(-2**63), i64(2), i64(-1)), x[:, :, ::-1])
    model.expect(model.node("Pad", a, i64(0, 1, 0, 0, 0, 2), model.weights(np.float32(7))),
                 np.pad(x, ((0, 0), (1, 0), (0, 2)), constant_values=7))
    index = np.int64([[0, 2], [5, 1]])
    model.expect(model.node("Gather", a, model.input(index), axis=1), np.take(x, index, axis=1))
    return model


@group
def indexing():
    model = Model(opset=14)
    x = ramp(3, 4, 2)
    a = model.input(x)
    tuples = np.int64([[[0, 1], [2, 3]], [[-1, 0], [1, 1]]])
    model.expect(model.node("GatherND", a, model.input(tuples)), x[tuples[..., 0], tuples[..., 1]])
    batched = np.int64([[3], [0], [-2]])
    model.expect(model.node("GatherND", a, model.input(batched), batch_dims=1),
                 x[np.arange(3), batched[:, 0]])
    index = np.int64([[[0, 2]], [[3, 1]], [[2, 2]]])
    updates = ramp(3, 1, 2, first=100.0)
    wanted = x.copy()
    np.put_along_axis(wanted, index, updates, axis=1)
    model.expect(model.node("ScatterElements", a, model.input(index), model.input(updates), axis=1), wanted)
    rows = np.int64([[2], [0]])
    updates = ramp(2, 4, 2, first=50.0)
    wanted = x.copy()
    wanted[[2, 0]] = updates
    model.expect(model.node("ScatterND", a, model.input(rows), model.input(updates)), wanted)
    hot = np.int64([[1, 0], [-1, 5]])
    onehot = np.full((2, 3, 2), -1, np.float32)
    for i in range(2):
        for j in range(2):
            if -3 <= hot[i, j] < 3:
                onehot[i, hot[i, j] % 3, j] = 7
    model.expect(model.node("OneHot", model.input(hot), model.weights(np.int64(3)),
                            model.input(np.float32([-1, 7])), axis=1), onehot)
    lengths = np.int64([1, 3, 4, 2])
    y = ramp(4, 4)
    wanted = y.copy()
    for j, n in enumerate(lengths):
        wanted[:n, j] = y[:n, j][::-1]
    b = model.input(y)
    model.expect(model.node("ReverseSequence", b, model.input(lengths), time_axis=0, batch_axis=1), wanted)
    for upper, k in ((1, 0), (1, 2), (0, -1), (0, 1)):
        model.expect(model.node("Trilu", a, model.weights(np.int64(k)), upper=upper),
                     (np.triu if upper else np.tril)(x, k))
    return model


@group
def quantized():
    """Integers of eight bits. The scales are powers of two, so that results are exact."""
    model = Model()

    def draw(type, *shape):
        first, last = (0, 255) if type == np.uint8 else (-128, 127)
        count = int(np.prod(shape))
        return (first + 41 * np.arange(count) % (last - first + 1)).astype(type).reshape(shape)

    def quantize(sums, scale, zero):
        info = np.iinfo(zero.dtype)
        return np.clip(np.round(sums * scale) + zero, info.min, info.max).astype(zero.dtype)

    def parameter(values, type):
        return model.weights(np.array(values, type))

    wide = np.int64
    p, q = draw(np.uint8, 2, 1, 3, 4), draw(np.int8, 5, 4, 2)
    a, b = model.input(p), model.input(q)
    model.expect(model.node("MatMulInteger", a, b), (p.astype(wide) @ q.astype(wide)).astype(np.int32))
    rows, columns = np.array([1, 128, 255], np.uint8), np.array([-3, 100], np.int8)
    sums = (p.astype(wide) - rows.reshape(3, 1)) @ (q.astype(wide) - columns)
    model.expect(model.node("MatMulInteger", a, b, model.weights(rows), model.weights(columns)),
                 sums.astype(np.int32))
    scales, zero = np.array([0.5, 0.25, 1], np.float32), np.array(100, np.uint8)
    model.expect(model.node("QLinearMatMul", a, model.weights(scales), model.weights(rows), b,
                            parameter(0.0625, np.float32), model.weights(columns), parameter(4, np.float32),
                            model.weights(zero)),
                 quantize(sums, scales.reshape(3, 1) / 64, zero))
    x, w = draw(np.uint8, 1, 4, 7, 6), draw(np.int8, 6, 2, 3, 3)
    image, weights = model.input(x), model.weights(w)
    center, zeros = np.array(90, np.uint8), np.array([0, 5, -7, 100, -128, 127], np.int8)
    # What lies outside of the image is as the zero point.
    sums = convolve(x.astype(np.float32) - center, w.astype(np.float32) - zeros.reshape(6, 1, 1, 1), (2, 1),
                    (1, 0, 2, 1), 2)
    attributes = {"pads": [1, 0, 2, 1], "strides": [2, 1], "group": 2}
    model.expect(model.node("ConvInteger", image, weights, model.weights(center), model.weights(zeros),
                            **attributes), sums.astype(np.int32))
    scales = np.array([1, 2, 0.5, 0.25, 1, 4], np.float32)
    bias, zero = (np.arange(6) * 5000 - 10000).astype(np.int32), np.array(-5, np.int8)
    model.expect(model.node("QLinearConv", image, parameter(0.125, np.float32), model.weights(center), weights,
                            model.weights(scales), model.weights(zeros), parameter(64, np.float32),
                            model.weights(zero), model.weights(bias), **attributes),
                 quantize(sums + bias.reshape(1, 6, 1, 1), scales.reshape(1, 6, 1, 1) / 512, zero))
    line, kernel = draw(np.int8, 2, 3, 8), draw(np.uint8, 2, 3, 2)
    model.expect(model.node("ConvInteger", model.input(line), model.weights(kernel)),
                 convolve(line[:, :, None].astype(np.float32), kernel[:, :, None].astype(np.float32), (1, 1),
                          (0, 0, 0, 0))[:, :, 0].astype(np.int32))
    return model



def slide(x, size, dilation=1, stride=1):
    """The windows of `size` elements along the last dimension, as a dimension of their own."""
    count = (x.shape[-1] - (size - 1) * dilation - 1) // stride + 1
    return np.stack([x[..., w * stride:w * stride + (size - 1) * dilation + 1:dilation]
                     for w in range(count)], axis=-2)


@group
def pooling():
    model = Model(opset=19)
    x = ramp(2, 3, 1, 8, first=-3.1, step=0.2)
    a = model.input(x)
    model.expect(model.node("MaxPool", a, kernel_shape=[1, 3], dilations=[1, 2]), slide(x, 3, 2).max(axis=-1))
    model.expect(model.node("AveragePool", a, kernel_shape=[1, 3], strides=[1, 2]),
                 slide(x, 3, 1, 2).mean(axis=-1), 1e-5)
    model.expect(model.node("AveragePool", a, kernel_shape=[1, 3], dilations=[1, 2]),
                 slide(x, 3, 2).mean(axis=-1), 1e-5)
    padded = np.pad(x, ((0, 0), (0, 0), (0, 0), (2, 2)))
    model.expect(model.node("AveragePool", a, kernel_shape=[1, 3], dilations=[1, 2], pads=[0, 2, 0, 2],
                            count_include_pad=1), slide(padded, 3, 2).mean(axis=-1), 1e-5)
    line = x[:, :, 0]
    model.expect(model.node("LpPool", model.input(line), kernel_shape=[2]),
                 np.sqrt((slide(line, 2) ** 2).sum(axis=-1)), 1e-4)
    model.expect(model.node("LpPool", a, kernel_shape=[1, 3], dilations=[1, 2], p=3),
                 (np.abs(slide(x, 3, 2)) ** 3).sum(axis=-1) ** (1 / 3), 1e-3)
    model.expect(model.node("GlobalLpPool", a, p=1), np.abs(x).sum(axis=(2, 3), keepdims=True), 1e-3)
    return model


def unpool(x, indices, shape, output):
    flat = np.zeros(shape, x.dtype).reshape(-1)
    flat[indices.reshape(-1)] = x.reshape(-1)
    return np.pad(flat.reshape(shape), [(0, to - size) for size, to in zip(shape, output)])


@group
def unpooling():
    model = Model()
    x = ramp(2, 1, 2, 2)
    indices = np.int64([[[[5, 7], [13, 15]]], [[[16, 18], [29, 30]]]])
    a, i = model.input(x), model.weights(indices)
    square = {"kernel_shape": [2, 2], "strides": [2, 2]}
    model.expect(model.node("MaxUnpool", a, i, **square), unpool(x, indices, (2, 1, 4, 4), (2, 1, 4, 4)))
    # Indices count the elements of the smaller tensor.
    model.expect(model.node("MaxUnpool", a, i, model.weights(np.int64([2, 1, 5, 6])), **square),
                 unpool(x, indices, (2, 1, 4, 4), (2, 1, 5, 6)))
    # What MaxPool found goes back, in one and in three spatial dimensions.
    for shape in (1, 2, 6), (1, 2, 2, 2, 4):
        y = ramp(*shape)
        spatial = len(shape) - 2
        windows = {"kernel_shape": [2] * spatial, "strides": [2] * spatial}
        pooled = model.node("MaxPool", model.input(y), outputs=2, **windows)
        # Of a ramp, the last element of each window is the largest.
        last = (Ellipsis,) + (slice(1, None, 2),) * spatial
        wanted = np.zeros_like(y)
        wanted[last] = y[last]
        model.expect(model.node("MaxUnpool", *pooled, **windows), wanted)
    return model


@group
def quantized_pooling():
    model = Model()
    x = np.arange(2 * 3 * 1 * 6, dtype=np.uint8).reshape(2, 3, 1, 6) * 7
    a = model.input(x)
    real = (x.astype(np.float64) - 10) * 0.5

    def quantize(number):
        return np.clip(np.round(number / 0.75) + 5, 0, 255).astype(np.uint8)

    scale, zero = model.weights(np.float32(0.5)), model.weights(np.uint8(10))
    to_scale, to_zero = model.weights(np.float32(0.75)), model.weights(np.uint8(5))
    parameters = (scale, zero, to_scale, to_zero)
    windows = {"kernel_shape": [1, 3], "domain": "com.microsoft"}
    average = quantize(slide(real, 3).mean(axis=-1))
    model.expect(model.node("QLinearAveragePool", a, *parameters, **windows), average)
    last = model.input(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))
    model.expect(model.node("QLinearAveragePool", last, *parameters, channels_last=1, **windows),
                 average.transpose(0, 2, 3, 1))
    model.expect(model.node("QLinearGlobalAveragePool", a, *parameters, domain="com.microsoft"),
                 quantize(real.mean(axis=(2, 3), keepdims=True)))
    model.expect(model.node("QLinearGlobalAveragePool", last, *parameters, channels_last=1,
                            domain="com.microsoft"),
                 quantize(real.mean(axis=(2, 3), keepdims=True)).transpose(0, 2, 3, 1))
    # Without zero points, and with padding that is averaged.
    padded = np.pad(x.astype(np.float64) * 0.5, ((0, 0), (0, 0), (0, 0), (1, 1)))
    model.expect(model.node("QLinearAveragePool", a, scale, "", to_scale, pads=[0, 1, 0, 1], count_include_pad=1,
                            **windows),
                 np.clip(np.round(slide(padded, 3).mean(axis=-1) / 0.75), 0, 255).astype(np.uint8))
    return model


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def run_lstm(x, w, r, b, h, c, p, lengths):
    """A forward LSTM of one direction: all hidden states, then the last states."""
    hidden = r.shape[1]
    out = np.zeros((x.shape[0], 1, x.shape[1], hidden), np.float32)
    for t in range(x.shape[0]):
        i, o, f, g = np.split(x[t] @ w.T + h @ r.T + b[:4 * hidden] + b[4 * hidden:], 4, axis=1)
        i, f = sigmoid(i + p[:hidden] * c), sigmoid(f + p[2 * hidden:] * c)
        cell = f * c + i * np.tanh(g)
        state = sigmoid(o + p[hidden:2 * hidden] * cell) * np.tanh(cell)
        inside = (t < lengths)[:, None]
        h, c = np.where(inside, state, h), np.where(inside, cell, c)
        out[t, 0] = np.where(inside, state, 0)
    return out, h[None], c[None]


def run_gru(x, w, r, b, linear):
    """A GRU of one direction, forward: all hidden states."""
    hidden = r.shape[1]
    h, out = np.zeros((x.shape[1], hidden), np.float32), []
    wz, wr, wh = np.split(w, 3)
    rz, rr, rh = np.split(r, 3)
    bz, br, bh, cz, cr, ch = np.split(b, 6)
    for row in x:
        z, g = sigmoid(row @ wz.T + h @ rz.T + bz + cz), sigmoid(row @ wr.T + h @ rr.T + br + cr)
        n = row @ wh.T + bh + (g * (h @ rh.T + ch) if linear else (g * h) @ rh.T + ch)
        h = (1 - z) * np.tanh(n) + z * h
        out.append(h[None])
    return np.stack(out)


def run_rnn(x, w, r, b, function):
    hidden = r.shape[1]
    h, out = np.zeros((x.shape[1], hidden), np.float32), []
    for row in x:
        h = function(row @ w.T + h @ r.T + b[:hidden] + b[hidden:])
        out.append(h[None])
    return np.stack(out)


@group
def recurrent():
    model = Model()
    x = ramp(4, 2, 3, first=-1.0, step=0.08)
    a = model.input(x)
    w, r, b = ramp(1, 20, 3, step=0.05), ramp(1, 20, 5, step=0.03), ramp(1, 40, step=0.1)
    h, c, p = ramp(1, 2, 5), ramp(1, 2, 5, first=-0.5, step=0.1), ramp(1, 15, step=0.2)
    lengths = np.array([4, 2], np.int32)
    found = model.node("LSTM", a, *map(model.weights, (w, r, b)), model.input(lengths),
                       *map(model.weights, (h, c, p)), outputs=3, hidden_size=5)
    for name, wanted in zip(found, run_lstm(x, w[0], r[0], b[0], h[0], c[0], p[0], lengths)):
        model.expect(name, wanted.astype(np.float32), 1e-5)
    w, r, b = ramp(1, 15, 3, step=0.05), ramp(1, 15, 5, step=0.03), ramp(1, 30, step=0.1)
    for linear in (0, 1):
        found = model.node("GRU", a, *map(model.weights, (w, r, b)), outputs=2, hidden_size=5,
                           linear_before_reset=linear)
        model.expect(found[0], run_gru(x, w[0], r[0], b[0], linear).astype(np.float32), 1e-5)
    # Both directions have their own functions; alphas go to those that take one.
    w, r, b = ramp(2, 5, 3, step=0.05), ramp(2, 5, 5, step=0.03), ramp(2, 10, step=0.1)
    found = model.node("RNN", a, *map(model.weights, (w, r, b)), outputs=2, hidden_size=5,
                       direction="bidirectional", activations=["Tanh", "LeakyRelu"], activation_alpha=[0.25])
    there = run_rnn(x, w[0], r[0], b[0], np.tanh)
    back = run_rnn(x[::-1], w[1], r[1], b[1], lambda x: np.where(x < 0, x / 4, x))
    model.expect(found[0], np.concatenate((there, back[::-1]), axis=1).astype(np.float32), 1e-4)
    model.expect(found[1], np.concatenate((there[-1], back[-1])).astype(np.float32), 1e-4)
    return model


def attend(q, k, v, heads, mask=0.0):
    """Rows of queries, keys and values, as com.microsoft's operator has them; the
    mask is added to the scores."""
    def split(x):
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    q, k, v = split(q), split(k), split(v)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(np.float32(q.shape[-1])) + mask
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out = weights / weights.sum(axis=-1, keepdims=True) @ v
    return out.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)


@group
def attention():
    model = Model()
    q, k, v = ramp(2, 3, 8, step=0.07), ramp(2, 5, 8, step=0.05), ramp(2, 5, 4, step=0.1)
    names = [model.input(array) for array in (q, k, v)]

    def node(*inputs, outputs=1):
        return model.node("MultiHeadAttention", *inputs, domain="com.microsoft", num_heads=2, outputs=outputs)

    model.expect(node(*names), attend(q, k, v, 2), 1e-5)
    # Keys beyond a length, and keys where a mask is 0.
    lengths = np.array([5, 2], np.int32)
    behind = np.where(np.arange(5) < lengths.reshape(2, 1, 1, 1), 0, -np.inf)
    model.expect(node(*names, "", model.weights(lengths)), attend(q, k, v, 2, behind).astype(np.float32), 1e-5)
    mask = np.array([[1, 0, 1, 1, 0], [1, 1, 0, 0, 1]], np.int32)
    hidden = np.where(mask[:, None, None] != 0, 0, -np.inf)
    model.expect(node(*names, "", model.input(mask)), attend(q, k, v, 2, hidden).astype(np.float32), 1e-5)
    # A bias of rows, and one of scores that all heads have.
    bias, scores = ramp(20, step=0.1), ramp(1, 1, 3, 5, step=0.2)
    model.expect(node(*names, model.weights(bias), "", model.input(scores)),
                 attend(q + bias[:8], k + bias[8:16], v + bias[16:], 2, scores), 1e-4)
    # Keys and values in one tensor, and all in one.
    pairs = np.stack((k.reshape(2, 5, 2, 4), k.reshape(2, 5, 2, 4) * 2), axis=3)
    model.expect(node(names[0], model.input(pairs)), attend(q, k, 2 * k, 2), 1e-5)
    rows = q.reshape(2, 3, 2, 4)
    model.expect(node(model.input(np.stack((rows, rows, rows + 1), axis=3))), attend(q, q, q + 1, 2), 1e-5)
    # More heads than the three tensors.
    rows = q.reshape(2, 3, 4, 2)
    many = model.node("MultiHeadAttention", model.input(np.stack((rows, rows, rows + 1), axis=3)),
                      domain="com.microsoft", num_heads=4)
    model.expect(many, attend(q, q, q + 1, 4), 1e-5)
    # A past, and what becomes of it.
    past_k, past_v = ramp(2, 2, 1, 4), ramp(2, 2, 1, 2)
    found = node(*names, "", "", "", model.input(past_k), model.input(past_v), outputs=3)
    all_k = np.concatenate((past_k.transpose(0, 2, 1, 3).reshape(2, 1, 8), k), axis=1)
    all_v = np.concatenate((past_v.transpose(0, 2, 1, 3).reshape(2, 1, 4), v), axis=1)
    model.expect(found[0], attend(q, all_k, all_v, 2), 1e-5)
    model.expect(found[1], all_k.reshape(2, 6, 2, 4).transpose(0, 2, 1, 3))
    model.expect(found[2], all_v.reshape(2, 6, 2, 2).transpose(0, 2, 1, 3))
    # A cross attention's keys and values, split into heads.
    model.expect(node(names[0], *(model.input(np.ascontiguousarray(x.reshape(2, 5, 2, -1).transpose(0, 2, 1, 3)))
                                  for x in (k, v))), attend(q, k, v, 2), 1e-5)
    return model


@group
def quantization():
    """No quotient is near a half."""
    model = Model(opset=21)
    x = np.float32([[3, -1, 0.5], [0.2, 1, -0.6]])
    a = model.input(x)
    scale = np.float32(4 / 255)
    quantized = np.clip(np.rint(x / scale) + 64, 0, 255).astype(np.uint8)
    results = model.node("DynamicQuantizeLinear", a, outputs=3)
    for result, wanted, tolerance in zip(results, (quantized, scale, np.uint8(64)), (0, 1e-8, 0)):
        model.expect(result, wanted, tolerance)
    # Blocks of two along the columns, and of two along the rows.
    x = np.float32([[1, -2, 3.4, 9.2], [0.6, 100, -100, 1.4]])
    a = model.input(x)
    scale, zero = np.float32([[1, 2], [0.5, 1]]), np.int8([[0, 1], [10, -10]])
    spread = lambda blocks: np.repeat(blocks, 2, axis=1)
    quantized = np.clip(np.rint(x / spread(scale)) + spread(zero), -128, 127).astype(np.int8)
    result = model.node("QuantizeLinear", a, model.weights(scale), model.weights(zero), axis=1, block_size=2)
    model.expect(result, quantized)
    model.expect(model.node("DequantizeLinear", result, model.weights(scale), model.weights(zero), axis=-1,
                            block_size=2),
                 (quantized.astype(np.float32) - spread(zero)) * spread(scale), 1e-4)
    rows = np.float32([[1, 2, 3, 4]])
    model.expect(model.node("QuantizeLinear", a, model.weights(rows), axis=0, block_size=2),
                 np.clip(np.rint(x / rows), 0, 255).astype(np.uint8))
    model.expect(model.node("QuantizeLinear", a, model.weights(rows), axis=0, block_size=2,
                            output_dtype=TensorProto.INT8),
                 np.clip(np.rint(x / rows), -128, 127).astype(np.int8))
    model.expect(model.node("QuantizeLinear", a, model.weights(np.float32(3)), output_dtype=TensorProto.INT8),
                 np.clip(np.rint(x / np.float32(3)), -128, 127).astype(np.int8))
    return model


@group
def selection():
    model = Model()
    x = np.float32([[3, 1, 2, 3, -1], [0, 5, 5, 4, 5]])
    a = model.input(x)
    values, places = model.node("TopK", a, model.weights(np.int64([3])), outputs=2)
    model.expect(values, np.float32([[3, 3, 2], [5, 5, 5]]))
    model.expect(places, np.int64([[0, 3, 2], [1, 2, 4]]))
    values, places = model.node("TopK", a, model.weights(np.int64([1])), outputs=2, axis=0, largest=0)
    model.expect(values, np.float32([[0, 1, 2, 3, -1]]))
    model.expect(places, np.int64([[1, 0, 0, 0, 0]]))
    return model


def weights(size, out, scale, mode="half_pixel", nearest=None, antialias=False):
    """The weights of `size` elements in `out` outputs."""
    rows = np.zeros((out, size))
    for o in range(out):
        x = {"half_pixel": (o + 0.5) / scale - 0.5, "asymmetric": o / scale,
             "tf_half_pixel_for_nn": (o + 0.5) / scale,
             "pytorch_half_pixel": (o + 0.5) / scale - 0.5 if out > 1 else 0,
             "half_pixel_symmetric": size / 2 * (1 - out / (scale * size)) + (o + 0.5) / scale - 0.5,
             "align_corners": o * (size - 1) / (scale * size - 1) if out > 1 else 0}[mode]
        if nearest:
            rows[o, min(max(int(nearest(x)), 0), size - 1)] = 1
            continue
        f = max(1, 1 / scale) if antialias else 1
        taps = {k: 1 - abs(k - x) / f for k in range(int(np.floor(x - f)), int(np.ceil(x + f)) + 1)
                if abs(k - x) < f}
        for k, weight in taps.items():
            rows[o, min(max(k, 0), size - 1)] += weight / sum(taps.values())
    return rows


def resize(x, *matrices):
    """Resizes the last dimensions of `x`."""
    for number, matrix in enumerate(matrices):
        axis = x.ndim - len(matrices) + number
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x.astype(np.float32)


HALF_DOWN, HALF_UP = (lambda x: np.ceil(x - 0.5)), (lambda x: np.floor(x + 0.5))


@group
def resizing():
    model = Model()
    x = ramp(1, 2, 4, 5)
    a = model.input(x)
    double = model.weights(np.array([1, 1, 2, 2], np.float32))
    # U-Net and YOLO enlarge by 2.
    model.expect(model.node("Resize", a, "", double, mode="nearest", nearest_mode="floor",
                            coordinate_transformation_mode="asymmetric"),
                 x.repeat(2, 2).repeat(2, 3))
    model.expect(model.node("Resize", a, "", double, mode="linear"),
                 resize(x, weights(4, 8, 2), weights(5, 10, 2)), 1e-5)
    # Empty tensors stand for what is left out; sizes may be computed of shapes.
    none = model.weights(np.zeros(0, np.float32))
    size = model.node("Concat", model.node("Slice", model.node("Shape", a), *(
        model.weights(np.array([n], np.int64)) for n in (0, 2))),
        model.weights(np.array([7, 3], np.int64)), axis=0)
    for mode in ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"):
        model.expect(model.node("Resize", a, none, none, size, mode="linear",
                                coordinate_transformation_mode=mode),
                     resize(x, weights(4, 7, 7 / 4, mode), weights(5, 3, 3 / 5, mode)), 1e-5)
    for name, rounding in (("round_prefer_floor", HALF_DOWN), ("round_prefer_ceil", HALF_UP),
                           ("floor", np.floor), ("ceil", np.ceil)):
        for mode in ("half_pixel", "asymmetric", "tf_half_pixel_for_nn"):
            # The dimensions that keep their sizes are copied whatever the mode.
            model.expect(model.node("Resize", a, none, none, size, mode="nearest", nearest_mode=name,
                                    coordinate_transformation_mode=mode),
                         resize(x, weights(4, 7, 7 / 4, mode, rounding),
                                weights(5, 3, 3 / 5, mode, rounding)))
    # The corner that is aligned is that of the scaled input, 2.4 and 3 elements long.
    model.expect(model.node("Resize", a, none, model.weights(np.array([1, 1, 0.6, 0.6], np.float32)),
                            mode="linear", coordinate_transformation_mode="align_corners"),
                 resize(x, weights(4, 2, 0.6, "align_corners"), weights(5, 3, 0.6, "align_corners")), 1e-5)
    # A region from 1/3 to 1 of the rows, and from 1/4 to 3/4 of the columns.
    rows, columns = np.linspace(1, 3, 5), np.linspace(1, 3, 3)
    model.expect(model.node("Resize", a, model.weights(np.array(
        [0, 0, 1 / 3, 0.25, 1, 1, 1, 0.75], np.float32)), none,
        model.weights(np.array([1, 2, 5, 3], np.int64)), mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize"),
        (x[:, :, :1, :1] + 1.5 * rows[:, None] + 0.3 * columns).astype(np.float32), 1e-4)
    # What is copied counts as one dimension: DirectML resamples four.
    y = ramp(2, 3, 1, 2, 3)
    model.expect(model.node("Resize", model.input(y), "", model.weights(
        np.array([1, 1, 1, 2, 2], np.float32)), mode="nearest"), y.repeat(2, 3).repeat(2, 4))
    line = ramp(3)
    model.expect(model.node("Resize", model.input(line), "", model.weights(
        np.array([2], np.float32)), mode="linear"), resize(line, weights(3, 6, 2)), 1e-5)
    return model


@group
def antialiasing():
    model = Model(19)
    x = ramp(1, 2, 8, 6)
    a = model.input(x)
    sizes = model.weights(np.array([3, 4], np.int64))
    model.expect(model.node("Resize", a, "", "", sizes, mode="linear", antialias=1, axes=[2, 3]),
                 resize(x, weights(8, 3, 3 / 8, antialias=True), weights(6, 4, 2 / 3, antialias=True)), 1e-5)
    model.expect(model.node("Resize", a, "", model.weights(np.array([1.6, 0.45], np.float32)),
                            mode="linear", antialias=1, axes=[-2, -1]),
                 resize(x, weights(8, 12, 1.6), weights(6, 2, 0.45, antialias=True)), 1e-5)
    model.expect(model.node("Resize", a, "", model.weights(np.array([1.3, 0.8], np.float32)),
                            mode="linear", axes=[2, 3], coordinate_transformation_mode="half_pixel_symmetric"),
                 resize(x, weights(8, 10, 1.3, "half_pixel_symmetric"),
                        weights(6, 4, 0.8, "half_pixel_symmetric")), 1e-5)
    # Both dimensions have the smaller scale, 1/2, or the larger, 2/3.
    for policy, scale, sizes in (("not_larger", 1 / 2, (4, 3)), ("not_smaller", 2 / 3, (5, 4))):
        model.expect(model.node("Resize", a, "", "", model.weights(np.array([4, 4], np.int64)), mode="linear",
                                axes=[2, 3], keep_aspect_ratio_policy=policy),
                     resize(x, weights(8, sizes[0], scale), weights(6, sizes[1], scale)), 1e-5)
    return model


@group
def old_resizing():
    model = Model(10)
    x = ramp(1, 1, 4, 6)
    a = model.input(x)
    half = model.weights(np.array([1, 1, 0.6, 0.6], np.float32))
    double = model.weights(np.array([1, 1, 2, 1.5], np.float32))
    for scales, sizes, factors, rounding in ((half, (2, 3), (0.6, 0.6), np.ceil),
                                             (double, (8, 9), (2, 1.5), np.floor)):
        both = [(4, sizes[0], factors[0], "asymmetric"), (6, sizes[1], factors[1], "asymmetric")]
        model.expect(model.node("Resize", a, scales, mode="linear"),
                     resize(x, *(weights(*one) for one in both)), 1e-5)
        model.expect(model.node("Resize", a, scales, mode="nearest"),
                     resize(x, *(weights(*one, rounding) for one in both)))
    return model


@group
def upsampling():
    model = Model(9)
    x = ramp(1, 2, 2, 3)
    a = model.input(x)
    scales = model.weights(np.array([1, 1, 2, 3], np.float32))
    model.expect(model.node("Upsample", a, scales), x.repeat(2, 2).repeat(3, 3))
    model.expect(model.node("Upsample", a, scales, mode="linear"),
                 resize(x, weights(2, 4, 2, "asymmetric"), weights(3, 9, 3, "asymmetric")), 1e-5)
    return model


@group
def older_upsampling():
    model = Model(7)
    x = ramp(1, 2, 2, 3)
    model.expect(model.node("Upsample", model.input(x), scales=[1.0, 1.0, 2.0, 3.0]),
                 x.repeat(2, 2).repeat(3, 3))
    return model


@group
def regions():
    model = Model(16)
    x = ramp(2, 1, 4, 4, first=0, step=1)
    a = model.input(x)
    rois = np.array([[0, 0, 4, 4], [0, 0, 2, 4]], np.float32)
    indices = model.input(np.array([0, 1], np.int64))
    r = model.input(rois)
    # Averages of a plane are its values in the middle.
    rows, wide, narrow = np.array([0.5, 2.5]), np.array([0.5, 2.5]), np.array([0, 1])
    planes = np.stack([[4 * rows[:, None] + wide], [16 + 4 * rows[:, None] + narrow]]).astype(np.float32)
    one = model.node("RoiAlign", a, r, indices, output_height=2, output_width=2, sampling_ratio=1)
    model.expect(one, planes, 1e-5)
    # As many samples as pixels: at 0, 1, 2 and 3.
    most = model.node("RoiAlign", a, r, indices, output_height=2, output_width=2, mode="max")
    model.expect(most, np.array([[[[5, 7], [13, 15]]], [[[20, 21], [28, 29]]]], np.float32), 1e-5)
    # Without the shift of half a pixel, the same from half a pixel further on.
    model.expect(model.node("RoiAlign", a, model.input(rois[:1] - np.float32(0.5)), model.input(
        np.array([0], np.int64)), output_height=2, output_width=2, sampling_ratio=1,
        coordinate_transformation_mode="output_half_pixel"), planes[:1], 1e-5)
    bins = model.input(np.array([[0, 0, 0, 3, 3], [1, 2, 0, 3, 1]], np.float32))
    model.expect(model.node("MaxRoiPool", a, bins, pooled_shape=[2, 2]),
                 np.array([[[[5, 7], [13, 15]]], [[[18, 19], [22, 23]]]], np.float32))
    return model


@group
def older():
    """Before opset 7, operands broadcast where an attribute says so, and inference
    is said to be that."""
    model = Model(opset=6)
    x = ramp(2, 3, 4, 5, first=-3.1, step=0.05)
    a = model.input(x)
    middle, last = ramp(3, 4), ramp(4, 5)
    model.expect(model.node("Add", a, model.weights(middle), broadcast=1, axis=1), x + middle[:, :, None])
    model.expect(model.node("Mul", a, model.weights(last), broadcast=1), x * last)
    model.expect(model.node("Less", a, model.weights(ramp(3)), broadcast=1, axis=-3),
                 x < ramp(3)[:, None, None])
    model.expect(model.node("Pow", a, model.weights(np.float32([2])), broadcast=1), x * x, 1e-4)
    slopes = ramp(3)
    model.expect(model.node("PRelu", a, model.weights(slopes)), np.where(x < 0, x * slopes[:, None, None], x))
    model.expect(model.node("Dropout", a, is_test=1), x)
    scale, bias, mean, variance = ramp(3), ramp(3, step=0.7), ramp(3, step=0.1), ramp(3, first=1)
    c = (1, 3, 1, 1)
    model.expect(model.node("BatchNormalization", a, *map(model.weights, (scale, bias, mean, variance)),
                            is_test=1),
                 (x - mean.reshape(c)) / np.sqrt(variance.reshape(c) + np.float32(1e-5)) * scale.reshape(c)
                 + bias.reshape(c), 1e-4)
    m, n, c = ramp(3, 4), ramp(5, 4), ramp(5)
    model.expect(model.node("Gemm", model.input(m), model.weights(n), model.weights(c), transB=1, broadcast=1),
                 m @ n.T + c, 1e-4)
    model.expect(model.node("ScaledTanh", a, alpha=0.5, beta=2.0), 0.5 * np.tanh(2 * x), 1e-5)
    model.expect(model.node("ParametricSoftplus", a, alpha=0.5, beta=2.0), 0.5 * np.log1p(np.exp(2 * x)), 1e-5)
    return model


@group
def oldest():
    model = Model(opset=1)
    x = ramp(2, 3)
    a = model.input(x)
    model.expect(model.node("Reshape", a, shape=[3, -1]), x.reshape(3, 2))
    model.expect(model.node("Pad", a, paddings=[0, 1, 0, 2], value=5.0),
                 np.pad(x, ((0, 0), (1, 2)), constant_values=5))
    # The numbers of this opset have five digits.
    model.expect(model.node("Selu", a),
                 np.float32(1.0507) * np.where(x > 0, x, np.float32(1.6732) * np.expm1(x)), 1e-6)
    return model


def losses_of(x, labels, weights, ignored):
    """The loss of each label, and its weight."""
    there = labels != ignored
    picked = np.take_along_axis(x, np.where(there, labels, 0)[:, None], axis=1)[:, 0]
    weight = np.where(there, weights[np.where(there, labels, 0)], 0).astype(np.float32)
    return -picked * weight, weight


@group
def losses():
    model = Model()
    x = ramp(2, 3, 2, 2, first=-2.0, step=0.17)
    labels = np.int64([[[0, 2], [1, 1]], [[2, 7], [0, 1]]])
    a, b = model.input(x), model.input(labels)
    weights = np.float32([0.5, 2, 1.25])
    loss, weight = losses_of(x, labels, weights, 7)
    for reduction, wanted in (("none", loss), ("sum", loss.sum()), ("mean", loss.sum() / weight.sum())):
        model.expect(model.node("NegativeLogLikelihoodLoss", a, b, model.weights(weights), ignore_index=7,
                                reduction=reduction), wanted, 1e-5)
    # Without weights, a mean is of the labels that count.
    plain, ones = losses_of(x, labels, np.ones(3, np.float32), 7)
    model.expect(model.node("NegativeLogLikelihoodLoss", a, b, ignore_index=7), plain.sum() / ones.sum(), 1e-5)
    logarithms = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
    loss, weight = losses_of(logarithms, labels, weights, 7)
    found = model.node("SoftmaxCrossEntropyLoss", a, b, model.weights(weights), ignore_index=7, outputs=2)
    model.expect(found[0], loss.sum() / weight.sum(), 1e-5)
    model.expect(found[1], logarithms, 1e-5)
    inside = np.int32([[[0, 2], [1, 1]], [[2, 0], [0, 1]]])
    loss, _ = losses_of(x, inside, np.ones(3, np.float32), 7)
    model.expect(model.node("NegativeLogLikelihoodLoss", a, model.input(inside)), loss.mean(), 1e-5)
    return model


@group
def einsum():
    model = Model()
    x, y, v = ramp(2, 3, 4), ramp(2, 4, 5, step=0.1), ramp(4)
    arrays = {model.input(array): array for array in (x, y, v)}
    a, b, c = arrays
    for equation, *names in (("bij,bjk->bik", a, b), ("ijk->kij", a), ("ijk->j", a), ("ijk->", a),
                             ("abc,acd->db", a, b), ("ijk,k->ij", a, c), ("ijk,ilm->jkm", a, b),
                             ("i,j->ij", c, c), ("i,i", c, c), ("kji,i -> jk", a, c), ("bij,bjk", a, b)):
        model.expect(model.node("Einsum", *names, equation=equation),
                     np.einsum(equation.replace(" ", ""), *(arrays[name] for name in names)), 1e-3)
    return model


def gelu(x):
    return (0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))).astype(np.float32)


@group
def contrib():
    """Operators of the domain com.microsoft."""
    model = Model()
    x = ramp(2, 3, 4, first=-1.5, step=0.13)
    a = model.input(x)

    def node(type, *inputs, **attributes):
        return model.node(type, *inputs, domain="com.microsoft", **attributes)

    bias = ramp(4)
    model.expect(node("BiasGelu", a, model.weights(bias)), gelu(x + bias), 1e-5)
    model.expect(node("FastGelu", a), gelu(x), 1e-5)
    model.expect(node("QuickGelu", a, alpha=1.5), x * sigmoid(1.5 * x), 1e-5)
    model.expect(node("BiasSplitGelu", a, model.weights(bias)),
                 (x + bias)[..., :2] * gelu((x + bias)[..., 2:]), 1e-5)
    skip = ramp(2, 3, 4, first=2.0, step=-0.07)
    b = model.input(skip)
    model.expect(node("BiasAdd", a, model.weights(bias), b), x + bias + skip, 1e-6)
    scale, shift = ramp(4, first=0.5), ramp(4, step=0.5)
    total = x + skip + bias
    centered = total - total.mean(axis=-1, keepdims=True)
    found = node("SkipLayerNormalization", a, b, model.weights(scale), model.weights(shift), model.weights(bias),
                 epsilon=1e-3, outputs=4)
    model.expect(found[0], centered / np.sqrt((centered ** 2).mean(axis=-1, keepdims=True) + 1e-3) * scale
                 + shift, 1e-4)
    model.expect(found[3], total, 1e-6)
    found = node("SkipSimplifiedLayerNormalization", a, b, model.weights(scale), epsilon=1e-3, outputs=4)
    total = x + skip
    model.expect(found[0], total / np.sqrt((total ** 2).mean(axis=-1, keepdims=True) + 1e-3) * scale, 1e-4)
    model.expect(found[3], total, 1e-6)
    model.expect(model.node("SimplifiedLayerNormalization", a, model.weights(scale), epsilon=1e-3),
                 x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 1e-3) * scale, 1e-4)
    matrices = ramp(5, 4)
    model.expect(node("FusedMatMul", a, model.weights(matrices), transB=1, alpha=0.5), 0.5 * (x @ matrices.T), 1e-4)
    turned = ramp(2, 3, 2)
    model.expect(node("FusedMatMul", a, model.weights(turned), transA=1), x.transpose(0, 2, 1) @ turned, 1e-4)
    return model


@group
def quantized_contrib():
    """Scales are powers of two, so that results are exact."""
    model = Model()
    x = (np.arange(24, dtype=np.uint8) * 10).reshape(2, 3, 4)
    y = (np.arange(12, dtype=np.uint8) * 17).reshape(3, 4)
    a, b = model.input(x), model.input(y)

    def node(type, *inputs, **attributes):
        return model.node(type, *inputs, domain="com.microsoft", **attributes)

    def parameters(scale, zero):
        return model.weights(np.float32(scale)), model.weights(np.uint8(zero))

    def quantize(real, scale, zero):
        return np.clip(np.rint(real / scale) + zero, 0, 255).astype(np.uint8)

    real_x, real_y = (x.astype(np.float64) - 100) / 2, (y.astype(np.float64) - 90) / 4
    half, quarter = parameters(0.5, 100), parameters(0.25, 90)
    model.expect(node("QLinearAdd", a, *half, b, *quarter, *parameters(1, 60)),
                 quantize(real_x + real_y, 1, 60))
    # No result is near a half.
    model.expect(node("QLinearSigmoid", a, *half, *parameters(1 / 256, 0)), quantize(sigmoid(real_x), 1 / 256, 0))
    model.expect(node("QLinearConcat", *parameters(1, 60), a, *half, model.node("Unsqueeze", b, model.weights(
        np.int64([0]))), *quarter, axis=0), quantize(np.concatenate((real_x, real_y[None])), 1, 60))
    w = (np.arange(20) * 11 - 100).astype(np.int8).reshape(4, 5)
    scales, zeros = np.float32([0.5, 0.25, 1, 2, 0.125]), np.int8([0, 5, -7, 1, 2])
    bias = ramp(5)
    real_w = (w.astype(np.float64) - zeros) * scales
    c = model.weights(w)
    model.expect(node("MatMulIntegerToFloat", a, c, half[0], model.weights(scales), half[1], model.weights(zeros),
                      model.weights(bias)), (real_x @ real_w + bias).astype(np.float32), 1e-2)
    # 255 steps of one half from -40 on.
    z = np.float32([[-40, 87.5, 3, 4], [1, -2.5, 0, 60]])
    model.expect(node("DynamicQuantizeMatMul", model.input(z), c, model.weights(scales), model.weights(zeros)),
                 (z @ real_w).astype(np.float32), 1e-2)
    return model


class FourBits:
    """A tensor of four bits, which the installed onnx need not know."""

    def __init__(self, values, signed):
        self.values = np.array(values)
        self.type = 22 if signed else 21

    def save(self, name):
        flat = np.append(self.values.reshape(-1) & 15, 0)
        count = (self.values.size + 1) // 2 * 2
        packed = (flat[0:count:2] | flat[1:count + 1:2] << 4).astype(np.uint8)
        return TensorProto(name=name, data_type=self.type, dims=self.values.shape, raw_data=packed.tobytes())


@group
def four_bits():
    model = Model(opset=21)

    def weights(values, signed):
        name = f"w{len(model.initializers)}"
        model.initializers.append(FourBits(values, signed).save(name))
        return name

    # An odd number of elements, a scale for all, and one for each row.
    q = np.arange(15).reshape(3, 5)
    model.expect(model.node("DequantizeLinear", weights(q, False), model.weights(np.float32(0.5)),
                            weights(3, False)), ((q - 3) * 0.5).astype(np.float32))
    r = np.arange(15).reshape(3, 5) - 8
    scales = np.float32([0.5, 2, 1])
    model.expect(model.node("DequantizeLinear", weights(r, True), model.weights(scales), axis=0),
                 (r * scales[:, None]).astype(np.float32))
    # Blocks of two along the columns.
    s = (np.arange(12) * 5 % 16 - 8).reshape(3, 4)
    scales, zeros = ramp(3, 2, first=0.5), np.arange(6).reshape(3, 2) - 3
    model.expect(model.node("DequantizeLinear", weights(s, True), model.weights(scales), weights(zeros, True),
                            axis=1, block_size=2),
                 ((s - zeros.repeat(2, axis=1)) * scales.repeat(2, axis=1)).astype(np.float32), 1e-6)
    # To four bits and back.
    x = ramp(2, 6, first=-3.0, step=0.7)
    quantized = model.node("QuantizeLinear", model.input(x), model.weights(np.float32(0.5)), weights(-2, True))
    model.expect(model.node("DequantizeLinear", quantized, model.weights(np.float32(0.5)), weights(-2, True)),
                 ((np.clip(np.rint(x / 0.5) - 2, -8, 7) + 2) * 0.5).astype(np.float32))
    # Weights in blocks of 16, with zero points of rows that end within a byte.
    n, k, block = 3, 48, 16
    values = (np.arange(n * k) * 7 % 16).reshape(n, k)
    packed = (values[:, 0::2] | values[:, 1::2] << 4).astype(np.uint8).reshape(n, k // block, block // 2)
    scales = ramp(n, k // block, first=0.5, step=0.1)
    zeros = (np.arange(9) + 2).reshape(n, 3)
    rows = np.append(zeros, np.zeros((n, 1), int), axis=1)
    row_bytes = (rows[:, 0::2] | rows[:, 1::2] << 4).astype(np.uint8)
    y = ramp(2, 2, k, step=0.02)
    a = model.input(y)
    for inputs, zero in ((), np.full((n, 3), 8)), ((model.weights(row_bytes.reshape(-1)),), zeros):
        real = (values - zero.repeat(block, axis=1)) * scales.repeat(block, axis=1)
        model.expect(model.node("MatMulNBits", a, model.weights(packed), model.weights(scales.reshape(-1)), *inputs,
                                domain="com.microsoft", K=k, N=n, bits=4, block_size=block),
                     (y @ real.T).astype(np.float32), 1e-2)
    return model


def four_bits(model, numbers, type):
    """Weights of 4 bits, two to a byte."""
    numbers = np.asarray(numbers)
    flat = np.append(numbers.reshape(-1) & 15, np.zeros(numbers.size % 2, int)).astype(np.uint8)
    name = f"w{len(model.initializers)}"
    model.initializers.append(TensorProto(name=name, data_type=type, dims=numbers.shape,
                                          raw_data=(flat[0::2] | flat[1::2] << 4).tobytes()))
    return name


@group
def packed_weights():
    """Weights of 4 bits that are too many to be attributes of the module."""
    UINT4, INT4 = 21, 22
    model = Model(opset=21)
    # Rows of zero points that end within a byte, and weights that two nodes share.
    n, k, block = 40, 48, 16
    values = (np.arange(n * k) * 7 % 16).reshape(n, k)
    packed = model.weights((values[:, 0::2] | values[:, 1::2] << 4).astype(np.uint8).reshape(n, k // block, block // 2))
    scales = ramp(n, k // block, first=0.5, step=0.01)
    zeros = (np.arange(n * 3) * 5 % 16).reshape(n, 3)
    rows = np.append(zeros, np.full((n, 1), 9), axis=1)
    row_bytes = model.weights((rows[:, 0::2] | rows[:, 1::2] << 4).astype(np.uint8))
    y = ramp(2, 2, k, step=0.02)
    a = model.input(y)
    for inputs, zero in ((), np.full((n, 3), 8)), ((row_bytes,), zeros):
        real = (values - zero.repeat(block, axis=1)) * scales.repeat(block, axis=1)
        model.expect(model.node("MatMulNBits", a, packed, model.weights(scales), *inputs,
                                domain="com.microsoft", K=k, N=n, bits=4, block_size=block),
                     (y @ real.T).astype(np.float32), 1e-2)
    # Bytes that are repeated, with two equal elements and with different ones.
    for pair in (0x77, 0x1a):
        repeated = model.node("ConstantOfShape", model.weights(np.int64([n, 3, 8])),
                              value=helper.make_tensor("value", TensorProto.UINT8, [1], [pair]))
        real = (np.tile([pair & 15, pair >> 4], (n, k // 2)) - 8) * scales.repeat(block, axis=1)
        model.expect(model.node("MatMulNBits", a, repeated, model.weights(scales), domain="com.microsoft",
                                K=k, N=n, bits=4, block_size=block), (y @ real.T).astype(np.float32), 1e-2)
    # Signed, in blocks of 8 rows, and an odd number of elements.
    s = (np.arange(48 * 17) * 5 % 16 - 8).reshape(48, 17)
    scales, zeros = ramp(6, 17, first=0.5, step=0.02), (np.arange(6 * 17) % 16 - 8).reshape(6, 17)
    real = ((s - zeros.repeat(8, axis=0)) * scales.repeat(8, axis=0)).astype(np.float32)
    dequantized = model.node("DequantizeLinear", four_bits(model, s, INT4), model.weights(scales),
                             four_bits(model, zeros, INT4), axis=0, block_size=8)
    model.expect(model.node("MatMul", a, dequantized), (y @ real).astype(np.float32), 1e-2)
    odd = np.arange(15 * 31).reshape(15, 31) * 3 % 16
    model.expect(model.node("DequantizeLinear", four_bits(model, odd, UINT4), model.weights(np.float32(0.5))),
                 (odd * 0.5).astype(np.float32))
    # Computed when the model is read: turned, joined, and repeated.
    turned = model.node("Transpose", four_bits(model, odd, UINT4))
    joined = model.node("Concat", turned, turned, axis=1)
    model.expect(model.node("DequantizeLinear", joined, model.weights(np.float32(2))),
                 (np.concatenate((odd.T, odd.T), axis=1) * 2).astype(np.float32))
    # Too many to be computed so: turned on the device.
    large = (np.arange(300 * 301) * 11 % 16).reshape(300, 301)
    model.expect(model.node("DequantizeLinear", model.node("Transpose", four_bits(model, large, UINT4)),
                            model.weights(np.float32(0.25))), (large.T * 0.25).astype(np.float32))
    return model


@group
def newer():
    model = Model(opset=21)
    x = ramp(2, 4, 3, 2, first=-2.0, step=0.11)
    a = model.input(x)
    model.expect(model.node("Gelu", a), gelu(x), 1e-5)
    model.expect(model.node("Mish", a), x * np.tanh(np.log1p(np.exp(x))), 1e-5)
    scale, bias = ramp(4), ramp(4, step=0.7)
    c = (1, 4, 1, 1)
    pairs = x.reshape(2, 2, -1)
    centered = pairs - pairs.mean(axis=2, keepdims=True)
    normal = (centered / np.sqrt((centered ** 2).mean(axis=2, keepdims=True) + 1e-5)).reshape(x.shape)
    model.expect(model.node("GroupNormalization", a, model.weights(scale), model.weights(bias), num_groups=2),
                 normal * scale.reshape(c) + bias.reshape(c), 1e-3)
    mean = x.mean(axis=(2, 3), keepdims=True)
    deviation = np.sqrt(((x - mean) ** 2).mean(axis=(2, 3), keepdims=True) + np.float32(1e-3))
    weights = ramp(3, 2)
    found = model.node("LayerNormalization", a, model.weights(weights), axis=2, epsilon=1e-3, outputs=3)
    model.expect(found[0], (x - mean) / deviation * weights, 1e-3)
    model.expect(found[1], mean, 1e-5)
    model.expect(found[2], 1 / deviation, 1e-3)
    model.expect(model.node("MeanVarianceNormalization", a, axes=[2, 3]),
                 (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=(2, 3), keepdims=True)), 1e-3)
    blocks = ramp(1, 8, 6)
    image = np.zeros((1, 2, 3, 4), np.float32)
    for place in range(6):
        i, j = divmod(place, 3)
        image[:, :, i:i + 2, j:j + 2] += blocks[:, :, place].reshape(1, 2, 2, 2)
    model.expect(model.node("Col2Im", model.input(blocks), model.weights(np.int64([3, 4])),
                            model.weights(np.int64([2, 2]))), image, 1e-4)
    matrix = model.input(ramp(3, 4))
    for k in (-1, 0, 2):
        model.expect(model.node("EyeLike", matrix, k=k, dtype=TensorProto.INT32), np.eye(3, 4, k, np.int32))
    model.expect(model.node("Range", *(model.weights(np.float32(x)) for x in (1, 2.2, 0.25))),
                 np.arange(1, 2.2, 0.25, np.float32), 1e-6)
    model.expect(model.node("OneHot", model.input(np.float32([1, -1, 0])), model.weights(np.int64(3)),
                            model.weights(np.float32([-1, 7]))), np.where(np.eye(3)[[1, 2, 0]], 7, -1).astype(np.float32))
    model.expect(model.node("HannWindow", model.weights(np.int64(8))),
                 (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(8) / 8)).astype(np.float32), 1e-6)
    model.expect(model.node("BlackmanWindow", model.weights(np.int64(8)), periodic=0),
                 np.blackman(8).astype(np.float32), 1e-6)
    out, mask = model.node("Dropout", a, outputs=2)
    model.expect(out, x)
    model.expect(mask, np.ones(x.shape, bool))
    flags = model.weights(np.array([False, True, True]))
    model.expect(model.node("Compress", a, flags, axis=-2), x[:, :, 1:])
    model.expect(model.node("Compress", a, flags), x.reshape(-1)[1:3])
    sparse = np.float32([[0, 2, 0], [-1, 0, 3]])
    model.expect(model.node("NonZero", model.weights(sparse)), np.stack(sparse.nonzero()))
    big = np.int64([3])
    model.expect(model.node("Pow", a, model.input(big)), x ** 3, 1e-3)
    return model


@group
def projected_attention():
    """Attention of one input, which weights make queries, keys and values."""
    model = Model()
    x, bias = ramp(2, 3, 5, step=0.09), ramp(12, step=0.1)
    weights, wide = ramp(5, 12, step=0.02), ramp(5, 14, step=0.02)
    a, w = model.input(x), model.weights(weights)

    def node(*inputs, **attributes):
        return model.node("Attention", *inputs, domain="com.microsoft", num_heads=2, **attributes)

    def parts(weights, bias, *sizes):
        return np.split(x @ weights + bias, np.cumsum(sizes), axis=2)

    q, k, v = parts(weights, bias, 4, 4)
    model.expect(node(a, w, model.weights(bias)), attend(q, k, v, 2), 1e-4)
    lengths = np.array([3, 2], np.int32)
    behind = np.where(np.arange(3) < lengths.reshape(2, 1, 1, 1), 0, -np.inf)
    model.expect(node(a, w, model.weights(bias), model.weights(lengths)),
                 attend(q, k, v, 2, behind).astype(np.float32), 1e-4)
    # Ends, then starts.
    ends = np.array([3, 2, 1, 0], np.int32)
    inside = (np.arange(3) < ends[:2].reshape(2, 1, 1, 1)) & (np.arange(3) >= ends[2:].reshape(2, 1, 1, 1))
    model.expect(node(a, w, model.weights(bias), model.weights(ends)),
                 attend(q, k, v, 2, np.where(inside, 0, -np.inf)).astype(np.float32), 1e-4)
    mask = np.array([[1, 0, 1], [1, 1, 0]], np.int32)
    scores = ramp(1, 2, 3, 3, step=0.2)
    model.expect(node(a, w, model.weights(bias), model.input(mask), "", model.input(scores)),
                 attend(q, k, v, 2, np.where(mask[:, None, None] != 0, scores, -np.inf)).astype(np.float32), 1e-4)
    q, k, v = parts(wide, np.zeros(14, np.float32), 4, 4)
    model.expect(node(a, model.weights(wide), qkv_hidden_sizes=[4, 4, 6]), attend(q, k, v, 2), 1e-4)
    return model


def rotate(x, cosine, sine, interleaved):
    """Turns the first numbers of {B, S, heads, size}; tables are {B, S, pairs}."""
    pairs = cosine.shape[-1]
    cosine, sine = cosine[:, :, None], sine[:, :, None]
    result = x.copy()
    first, second = ((slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved
                     else (slice(0, pairs), slice(pairs, 2 * pairs)))
    a, b = x[..., first], x[..., second]
    result[..., first], result[..., second] = a * cosine - b * sine, b * cosine + a * sine
    return result


@group
def rotary():
    model = Model()
    angles = np.arange(8)[:, None] * np.float32([1, 0.1])
    cosine, sine = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    tables = model.weights(cosine), model.weights(sine)
    x = ramp(2, 3, 8, step=0.05)
    a = model.input(x)
    places = np.int64([[0, 1, 2], [4, 3, 7]])
    heads = x.reshape(2, 3, 2, 4)

    def node(x, positions, **attributes):
        return model.node("RotaryEmbedding", x, positions, *tables, domain="com.microsoft", **attributes)

    for interleaved in (0, 1):
        model.expect(node(a, model.input(places), interleaved=interleaved),
                     rotate(heads, cosine[places], sine[places], interleaved).reshape(2, 3, 8), 1e-5)
    # Positions that count from 2 on, of heads of which a part is turned.
    after = np.int64([[2, 3, 4]])
    model.expect(node(a, model.input(np.int64([2])), num_heads=1, rotary_embedding_dim=4),
                 rotate(x.reshape(2, 3, 1, 8), cosine[after], sine[after], 0).reshape(2, 3, 8), 1e-5)
    turned = np.ascontiguousarray(heads.transpose(0, 2, 1, 3))
    model.expect(node(model.input(turned), model.input(places)),
                 rotate(heads, cosine[places], sine[places], 0).transpose(0, 2, 1, 3), 1e-5)
    return model


@group
def embedding():
    model = Model()
    words, segments = np.int32([[1, 3, 0], [2, 2, 4]]), np.int32([[0, 1, 1], [1, 0, 0]])
    tables = ramp(5, 4), ramp(6, 4, step=0.2), ramp(2, 4, step=0.5)
    scale, bias = ramp(4, first=0.5), ramp(4)
    mask = np.int32([[1, 1, 0], [1, 0, 0]])
    inputs = [model.input(words), model.input(segments), *map(model.weights, (*tables, scale, bias)),
              model.input(mask)]
    places = np.int32([[5, 0, 1], [2, 3, 4]])

    def node(*inputs):
        return model.node("EmbedLayerNormalization", *inputs, domain="com.microsoft", outputs=3, epsilon=1e-3)

    def expect(found, total, counts):
        centered = total - total.mean(axis=-1, keepdims=True)
        model.expect(found[0], centered / np.sqrt((centered ** 2).mean(axis=-1, keepdims=True) + 1e-3) * scale
                     + bias, 1e-4)
        model.expect(found[1], np.int32(counts))
        model.expect(found[2], total, 1e-5)

    total = tables[0][words] + tables[2][segments]
    expect(node(*inputs), total + tables[1][:3], [2, 1])
    expect(node(*inputs, model.input(places)), total + tables[1][places], [2, 1])
    expect(node(inputs[0], "", *inputs[2:4], "", *inputs[5:7]), tables[0][words] + tables[1][:3], [0, 0])
    # Groups of channels at the end, with and without what is applied after.
    x = ramp(2, 3, 2, 4, step=0.1)
    groups = x.reshape(2, 6, 2, 2).transpose(0, 2, 1, 3).reshape(2, 2, -1)
    centered = groups - groups.mean(axis=2, keepdims=True)
    normal = centered / np.sqrt((centered ** 2).mean(axis=2, keepdims=True) + 1e-3)
    normal = normal.reshape(2, 2, 6, 2).transpose(0, 2, 1, 3).reshape(x.shape) * scale + bias
    for activation, wanted in ((0, normal), (1, normal * sigmoid(normal))):
        model.expect(model.node("GroupNorm", model.input(x), inputs[5], inputs[6], domain="com.microsoft", groups=2,
                                epsilon=1e-3, activation=activation), wanted.astype(np.float32), 1e-4)
    return model


@group
def branches():
    """An If whose condition is known when the model is read is the branch that it takes."""
    model = Model()
    x = ramp(2, 3)
    a = model.input(x)

    def graph(name, nodes, *outputs, weights=()):
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
                                                   for output in outputs], weights)

    size = model.node("Gather", model.node("Shape", a), model.weights(np.int64(0)), axis=0)
    outer = model.node("Abs", a)
    for index, (wanted, result) in enumerate(((2, 2 * np.abs(x)), (7, np.maximum(x, 0)))):
        condition = model.node("Equal", size, model.weights(np.int64(wanted)))
        then = graph(f"then{index}", [helper.make_node("Mul", [outer, f"two{index}"], [f"product{index}"])],
                     f"product{index}", a, weights=[numpy_helper.from_array(np.float32(2), f"two{index}")])
        # The other branch has an If of its own, and gives what is of the graph around it.
        inner = [helper.make_node(kind, [a], [f"{kind}{index}"]) for kind in ("Neg", "Relu")]
        nested = helper.make_node(
            "If", [condition], [f"chosen{index}"],
            then_branch=graph(f"yes{index}", inner[:1], f"Neg{index}"),
            else_branch=graph(f"no{index}", inner[1:], f"Relu{index}"))
        other = graph(f"else{index}", [nested], f"chosen{index}", a)
        found = model.node("If", condition, then_branch=then, else_branch=other, outputs=2)
        model.expect(found[0], result)
        model.expect(found[1], x)
    # Branches of different Ifs, one within another, may use the same names for their tensors.
    for index, (wanted, offset) in enumerate(((2, 1.0), (2, 2.0), (7, 3.0))):
        condition = model.node("Equal", size, model.weights(np.int64(wanted)))
        nested = helper.make_node(
            "If", [condition], ["inner"],
            then_branch=graph("yes", [helper.make_node("Add", ["tmp", "number"], ["tmp2"])], "tmp2"),
            else_branch=graph("no", [helper.make_node("Sub", ["tmp", "number"], ["tmp2"])], "tmp2"))
        branch = [graph(name, [helper.make_node("Neg", [a], ["tmp"]), nested], "inner",
                        weights=[numpy_helper.from_array(np.float32(offset), "number")])
                  for name in ("then", "else")]
        found = model.node("If", condition, then_branch=branch[0], else_branch=branch[1])
        model.expect(found, -x + np.float32(offset) if wanted == 2 else -x - np.float32(offset))
    # So is one whose condition is an input that is stated.
    then = graph("then_stated", [helper.make_node("Neg", [a], ["negated"])], "negated")
    other = graph("else_stated", [helper.make_node("Abs", [a], ["absolute"])], "absolute")
    condition = model.node("Equal", model.state(16000), model.weights(np.int64(16000)))
    model.expect(model.node("If", condition, then_branch=then, else_branch=other), -x)
    # As merged decoders have it: a bool says whether there is a past.
    for flag, wanted in ((True, -x), (False, np.abs(x))):
        then = graph(f"then_{flag}", [helper.make_node("Neg", [a], [f"negated_{flag}"])], f"negated_{flag}")
        other = graph(f"else_{flag}", [helper.make_node("Abs", [a], [f"absolute_{flag}"])], f"absolute_{flag}")
        model.expect(model.node("If", model.state(flag, np.bool_), then_branch=then, else_branch=other), wanted)
    return model


def refer(name, type, to):
    """An attribute of a function's node that is one of the call."""
    return AttributeProto(name=name, type=type, ref_attr_name=to)


@group
def functions():
    """Functions of the model stand for their nodes."""
    model = Model(opset=13)
    versions = [helper.make_opsetid("", 13), helper.make_opsetid("local", 1)]
    leaky = helper.make_node("LeakyRelu", ["x"], ["t"])
    leaky.attribute.append(refer("alpha", AttributeProto.FLOAT, "slope"))
    model.functions = [
        helper.make_function("local", "leak", ["x", "b"], ["y", "x"],
                             [leaky, helper.make_node("Clip", ["t", "", "b"], ["y"])], versions, ["slope"]),
        # A call within a function, whose own names are others.
        helper.make_function("local", "twice", ["t"], ["u"], [
            helper.make_node("leak", ["t"], ["y", "same"], domain="local", slope=0.5),
            helper.make_node("Add", ["y", "same"], ["u"])], versions)]
    x = ramp(2, 3)
    a = model.input(x)

    def leak(x, slope):
        return np.where(x < 0, np.float32(slope) * x, x)

    found = model.node("leak", a, model.weights(np.float32(-0.6)), domain="local", outputs=2, slope=0.25)
    model.expect(found[0], np.minimum(leak(x, 0.25), np.float32(-0.6)), 1e-6)
    model.expect(found[1], x)
    # Without the attribute, the operator's own default.
    model.expect(model.node("leak", a, domain="local"), leak(x, 0.01), 1e-6)
    twice = model.node("twice", a, domain="local")
    model.expect(model.node("twice", twice, domain="local"),
                 leak(leak(x, 0.5) + x, 0.5) + leak(x, 0.5) + x, 1e-5)
    # A function is of its own version of the operator set: here, all axes from the first on are one.
    model.functions.append(helper.make_function("local", "old", ["x"], ["y"], [
        helper.make_node("Softmax", ["x"], ["y"], axis=0)], [helper.make_opsetid("", 11)]))
    powers = np.exp(x)
    model.expect(model.node("old", a, domain="local"), powers / powers.sum(), 1e-5)
    return model


def run(command):
    # On a CPU, dml-run compiles a model without tiles, which GPUs have.
    if command[0] == "dml-run" and command[1].endswith(".onnx"):
        command = [*command, "--compile-arg=--contraction-tile=auto"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {result.returncode}\n{result.stderr}")


def check(name, tools, folder):
    model = GROUPS[name]()
    path = os.path.join(folder, name + ".onnx")
    model.save(path)
    inputs = [f"--dim={key}={int(value)}" for key, value in model.stated.items()]
    for key, array in model.inputs.items():
        np.save(os.path.join(folder, key + ".npy"), array)
        inputs.append(f"--input={key}=@{os.path.join(folder, key)}.npy")
    for tool in tools:
        files = [os.path.join(folder, f"{tool}-{index}.npy") for index in range(len(model.outputs))]
        run([tool, path] + inputs + [f"--output=@{file}" for file in files])
        for (output, expected, tolerance), file in zip(model.outputs, files):
            found = np.load(file)
            # Scalars have one dimension, and bools are bytes.
            wanted = np.atleast_1d(expected)
            if wanted.dtype == np.bool_:
                wanted = wanted.astype(np.uint8)
            if found.shape != wanted.shape or found.dtype != wanted.dtype:
                sys.exit(f"{name}, {tool}, {output}: {found.dtype} {found.shape}, "
                         f"wanted {wanted.dtype} {wanted.shape}")
            difference = np.abs(found.astype(np.float64) - wanted).max()
            if not difference <= tolerance:
                sys.exit(f"{name}, {tool}, {output}: off by {difference}, allowed is {tolerance}")
        print(f"{name}: {tool}: {len(model.outputs)} results agree")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", default="dml-interpret,dml-run")
    parser.add_argument("--group", action="append", choices=list(GROUPS))
    parser.add_argument("--save", metavar="FOLDER", help="write the models, and run nothing")
    parser.add_argument("--list", action="store_true", help="print the names of the groups, and run nothing")
    arguments = parser.parse_args()
    if arguments.list:
        print(*sorted(GROUPS), sep="\n")
        return
    if arguments.save:
        os.makedirs(arguments.save, exist_ok=True)
        for name in arguments.group or GROUPS:
            GROUPS[name]().save(os.path.join(arguments.save, name + ".onnx"))
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.group or GROUPS:
            check(name, arguments.tools.split(","), folder)


if __name__ == "__main__":
    main()
