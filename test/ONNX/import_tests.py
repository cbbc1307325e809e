#!/usr/bin/env python3
# Small ONNX models, built here, through the reader of ONNX models: in the
# interpreter and on the device, each compared with what NumPy computes.
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper

TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64,
         np.dtype(np.int32): TensorProto.INT32, np.dtype(np.uint8): TensorProto.UINT8,
         np.dtype(np.bool_): TensorProto.BOOL}


class Model:
    """A graph under construction, with the results that are expected of it."""

    def __init__(self, opset=13):
        self.opset = opset
        self.nodes, self.inputs, self.initializers, self.outputs = [], {}, [], []

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
            self.nodes, "test", [info(*item) for item in self.inputs.items()],
            [info(name, array) for name, array, _ in self.outputs], self.initializers)
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)])
        with open(path, "wb") as file:
            file.write(model.SerializeToString())


def ramp(*shape, first=-2.0, step=0.3):
    count = int(np.prod(shape))
    return (first + step * np.arange(count)).astype(np.float32).reshape(shape)


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
    model.expect(model.node("Greater", a, number), (x > 2.5).astype(np.uint8))
    model.expect(model.node("Cast", a, to=TensorProto.BOOL), (x != 0).astype(np.uint8))
    # Two inputs, neither of which has the shape of the result.
    b = ramp(4, 1)
    model.expect(model.node("Add", model.input(b), model.weights(row)), b + row)
    return model


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
    return model


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


def old_softmax():
    """Before opset 13 the axes from the given one on count as one."""
    model = Model(opset=9)
    x = ramp(2, 3, 4, step=0.1)
    powers = np.exp(x - x.max(axis=(1, 2), keepdims=True))
    model.expect(model.node("Softmax", model.input(x)), powers / powers.sum(axis=(1, 2), keepdims=True), 1e-5)
    return model


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


def upsampling():
    model = Model(9)
    x = ramp(1, 2, 2, 3)
    a = model.input(x)
    scales = model.weights(np.array([1, 1, 2, 3], np.float32))
    model.expect(model.node("Upsample", a, scales), x.repeat(2, 2).repeat(3, 3))
    model.expect(model.node("Upsample", a, scales, mode="linear"),
                 resize(x, weights(2, 4, 2, "asymmetric"), weights(3, 9, 3, "asymmetric")), 1e-5)
    return model


def older_upsampling():
    model = Model(7)
    x = ramp(1, 2, 2, 3)
    model.expect(model.node("Upsample", model.input(x), scales=[1.0, 1.0, 2.0, 3.0]),
                 x.repeat(2, 2).repeat(3, 3))
    return model


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


GROUPS = {function.__name__: function for function in (
    element_wise, shapes, views, normalization, old_softmax, reduction, windows, resizing,
    antialiasing, old_resizing, upsampling, older_upsampling, regions)}


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {result.returncode}\n{result.stderr}")


def check(name, tools, folder):
    model = GROUPS[name]()
    path = os.path.join(folder, name + ".onnx")
    model.save(path)
    inputs = []
    for key, array in model.inputs.items():
        np.save(os.path.join(folder, key + ".npy"), array)
        inputs.append(f"--input={key}=@{os.path.join(folder, key)}.npy")
    for tool in tools:
        files = [os.path.join(folder, f"{tool}-{index}.npy") for index in range(len(model.outputs))]
        run([tool, path] + inputs + [f"--output=@{file}" for file in files])
        for (output, expected, tolerance), file in zip(model.outputs, files):
            found = np.load(file)
            # Scalars have one dimension.
            wanted = np.atleast_1d(expected)
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
    arguments = parser.parse_args()
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
