#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's backend tests as dml programs, and compares with ONNX's results.

    test/ONNX/onnx_tests.py                          # a table of all cases
    test/ONNX/onnx_tests.py --filter=resize --keep=/tmp/onnx   # programs stay there
    test/ONNX/onnx_tests.py --markdown > docs/ONNX.md

Every model with an operator of CONVERTERS has a row: what it is in dml and how
that compares, or why dml cannot express it. The exit code is 1 where a result
differs, in the interpreter or on the device.
"""
import argparse
import collections
import concurrent.futures
import difflib
import functools
import itertools
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

try:
    import numpy
    import onnx
    from onnx import numpy_helper
except ImportError as missing:
    sys.exit(f"onnx_tests.py: error: there is no Python package {missing.name};"
             f" Debian has it as python3-{missing.name}")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HALF = Fraction(1, 2)

# NumPy's names of DirectML's data types. A bool is a byte, as in DirectML.
TYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "bool": "ui8",
         "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
         "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}

# What makes the committed page, and what its reader has to know.
PAGE = """\
<!-- Written by `test/ONNX/onnx_tests.py --markdown`; a test compares. -->
# ONNX's backend tests

ONNX has a test suite for its backends: models with inputs and the results that
ONNX wants. Each model with an operator that dml's operators may express is here:
as a dml program, or with the reason why there is none. The programs run in the
interpreter and on a Vulkan device, and both have to agree with ONNX.

```sh
apt install python3-onnx libonnx-testdata
test/ONNX/onnx_tests.py                                # prints this table
test/ONNX/onnx_tests.py --filter=resize --keep=/tmp/p  # keeps the programs
test/ONNX/onnx_tests.py --markdown > docs/ONNX.md      # writes this page
```

* **equal**: every bit is ONNX's.
* **within**: linear interpolation; the largest difference allowed, in units of
  2^-24 of the largest input. Each interpolated dimension of size n adds 20 + 2n:
  18 is what [Reference.md](Reference.md) derives, 2 is for ONNX's own rounding and
  2n for its scales, which are not the fractions that they mean.
* Sizes of 1 are added in front of a tensor or taken away, and `slice` drops
  the first elements: both are views, which DirectML has through the sizes,
  strides and offset of a binding.
* **Resize**: `resample` stands with its scales. Where each output coordinate of
  ONNX lies is computed exactly, as a fraction. The scales are ONNX's where
  dml.resample then reads at the same places; else those that do, if any, with edge
  padding before it and a slice after it where that is needed. What is found is
  proved for the sizes of the model, whatever its data. In ONNX's results,
  `align_corners` and `tf_crop_and_resize` take scale * size for the resized length,
  even where that is no integer.
* **MaxPool**: ONNX has no operator for the gradient. But its result says
  which element won each window: by `Indices`, or by being the only one in the
  window that equals the maximum. Each window gets a gradient of its own, and has to
  bring it to that element. Windows of which ONNX does not say who won get 0.
* **MaxUnpool** is max pooling's gradient for an input that is 1 at the indices and 0
  elsewhere.
"""


VERSION = f"ONNX {onnx.__version__}:"


class Inexpressible(Exception):
    """Why DirectML's operators cannot do what a node does."""


# ===----------------------------------------------------------------------=== #
# ONNX's nodes and dml's programs
# ===----------------------------------------------------------------------=== #


class Node:
    """An operator with the values of its inputs and the expected outputs."""

    def __init__(self, proto, opset, values, outputs):
        self.op, self.opset = proto.op_type, opset
        self.attributes = {
            attribute.name: onnx.helper.get_attribute_value(attribute)
            for attribute in proto.attribute}
        for name, value in self.attributes.items():
            if isinstance(value, bytes):
                self.attributes[name] = value.decode()
        self.inputs = [values.get(name) for name in proto.input]
        self.outputs = [outputs.get(name) for name in proto.output]

    def describe(self):
        attributes = "".join(
            f", {name}={value:g}" if isinstance(value, float)
            else f", {name}={value}" for name, value in self.attributes.items())
        return (f"{self.op}{attributes}; {'x'.join(map(str, self.inputs[0].shape))}"
                f" to {'x'.join(map(str, self.outputs[0].shape))}")

    def input(self, index):
        """The value of an optional input. Empty tensors stand for none."""
        value = self.inputs[index] if index < len(self.inputs) else None
        return None if value is None or value.size == 0 else value

    def take(self, name, default=None):
        return self.attributes.pop(name, default)

    def require(self, name, value):
        found = self.take(name, value)
        if found != value:
            raise Inexpressible(f"{name} is {found}")


class Program:
    """func.func @main in the making: `input` and `append` return values."""

    Value = collections.namedtuple("Value", "name element shape")

    def __init__(self):
        self.inputs, self.values, self.lines, self.summary = [], [], [], []

    def add_value(self, element, shape):
        if 0 in shape:
            raise Inexpressible("DirectML has no empty tensors")
        self.values.append(self.Value(f"%{len(self.values)}", element, shape))
        return self.values[-1]

    def input(self, array):
        if array.dtype.name not in TYPES:
            raise Inexpressible(f"DirectML has no data type for {array.dtype.name}")
        self.inputs.append(array)
        return self.add_value(TYPES[array.dtype.name], array.shape or (1,))

    def append(self, op, operands, shape, summary, attributes):
        result = self.add_value(operands[0].element, tuple(shape))
        types = ", ".join(self.type(operand) for operand in operands)
        self.lines.append(
            f"  {result.name} = {op} {', '.join(o.name for o in operands)}"
            f" {{\n    {attributes}}}\n    : ({types}) -> {self.type(result)}")
        self.summary.append(summary)
        return result

    def pad(self, value, mode, start, end, padding_value="0.0"):
        shape = [sum(sizes) for sizes in zip(value.shape, start, end)]
        return self.append(
            "dml.padding", [value], shape, f"padding {mode} {show(start)} {show(end)}",
            f"mode = #dml.padding_mode<{mode}>, padding_value = {padding_value}"
            f" : f32,\n    start_padding = {integers(start)},"
            f" end_padding = {integers(end)}")

    def tile(self, value, repeats):
        shape = [size * count for size, count in zip(value.shape, repeats)]
        return self.append("dml.tile", [value], shape, f"tile {show(repeats)}",
                           f"repeats = {integers(repeats)}")

    def resample(self, value, mode, scales, shape):
        rounded = ", ".join(repr(float(numpy.float32(scale))) for scale in scales)
        return self.append(
            "dml.resample", [value], shape,
            f"resample {mode} {show(scales)}",
            f"mode = #dml.interpolation_mode<{mode}>, scales = array<f32: {rounded}>")

    def max_pooling_grad(self, value, gradient, pooling):
        return self.append(
            "dml.max_pooling_grad", [value, gradient], value.shape,
            "max_pooling_grad",
            ",\n    ".join(f"{name} = {integers(array)}"
                           for name, array in pooling.items()))

    def slice(self, value, offsets):
        shape = [size - offset for size, offset in zip(value.shape, offsets)]
        result = self.add_value(value.element, tuple(shape))
        self.lines.append(
            f"  {result.name} = tensor.extract_slice {value.name}{list(offsets)}"
            f" {shape} {[1] * len(shape)}\n    : {self.type(value)}"
            f" to {self.type(result)}")
        self.summary.append(f"slice {show(offsets)}")
        return result

    @staticmethod
    def type(value):
        return f"tensor<{'x'.join(map(str, value.shape))}x{value.element}>"

    def text(self):
        arguments = ", ".join(f"{value.name}: {self.type(value)}"
                              for value in self.values[:len(self.inputs)])
        result = self.values[-1]
        return "\n".join([
            f"func.func @main({arguments})\n    -> {self.type(result)} {{", *self.lines,
            f"  return {result.name} : {self.type(result)}", "}", ""])


def integers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def show(values):
    return f"[{', '.join(map(str, values))}]"


# A program, what ONNX wants of it, the difference allowed in units of 2^-24 of the
# largest input, and what else there is to say.
Case = collections.namedtuple("Case", "program expected tolerance note",
                              defaults=(0, ""))

# ===----------------------------------------------------------------------=== #
# Padding and tile
# ===----------------------------------------------------------------------=== #

PADDING_MODES = {"constant": "constant", "reflect": "reflection", "edge": "edge",
                 "wrap": "wrap"}


def convert_pad(node):
    x = node.input(0)
    mode = node.take("mode", "constant")
    if node.opset >= 11:
        pads, value, axes = node.input(1), node.input(2), node.input(3)
    else:
        pads, value, axes = node.take("pads"), node.take("value", 0), None
    axes = range(x.ndim) if axes is None else axes
    start, end = [0] * x.ndim, [0] * x.ndim
    for index, axis in enumerate(axes):
        start[axis], end[axis] = int(pads[index]), int(pads[index + len(axes)])
    if min(start + end) < 0:
        raise Inexpressible("pads are negative, but dml.padding never crops")
    value = numpy.asarray(0 if value is None else value, dtype=x.dtype).reshape(())
    rounded = numpy.float32(value)
    if mode == "constant" and rounded.astype(x.dtype).tobytes() != value.tobytes():
        raise Inexpressible(f"the padding value {value} is no f32")
    program = Program()
    program.pad(program.input(x), PADDING_MODES[mode], start, end,
                f"0x{rounded.view(numpy.uint32):08X}")
    return Case(program, node.outputs[0])


def convert_tile(node):
    program = Program()
    program.tile(program.input(node.input(0)), node.input(1).tolist())
    return Case(program, node.outputs[0])


def convert_expand(node):
    x, y = node.input(0), node.outputs[0]
    x = x.reshape((1,) * (y.ndim - x.ndim) + x.shape)
    program = Program()
    program.tile(program.input(x), [to // n for n, to in zip(x.shape, y.shape)])
    return Case(program, y)


# ===----------------------------------------------------------------------=== #
# Resample
# ===----------------------------------------------------------------------=== #


def read_fraction(value):
    """The fraction with the smallest denominator that rounds to an f32."""
    exact = Fraction(float(value))
    for denominator in itertools.count(1):
        numerator = round(exact * denominator)
        if numpy.float32(numerator / denominator) == numpy.float32(value):
            return Fraction(numerator, denominator)


def coordinates(mode, n, scale, m, roi):
    """Where ONNX's output coordinates lie in an input of size n, exactly."""
    resized = scale * n
    span = n - 1
    if mode == "align_corners":
        step, first = (Fraction(span) / (resized - 1) if resized != 1 else 0), 0
    elif mode == "asymmetric":
        step, first = 1 / scale, 0
    elif mode == "tf_half_pixel_for_nn":
        step, first = 1 / scale, HALF / scale
    elif mode == "tf_crop_and_resize":
        start, end = roi
        if resized == 1:
            step, first = 0, (start + end) * span / 2
        else:
            step, first = (end - start) * span / (resized - 1), start * span
    elif mode == "half_pixel" or mode == "pytorch_half_pixel" and resized != 1:
        step, first = 1 / scale, HALF / scale - HALF
    elif mode == "pytorch_half_pixel":
        step, first = 0, -HALF
    elif mode == "half_pixel_symmetric":
        step = 1 / scale
        first = Fraction(n, 2) * (1 - m / resized) + HALF / scale - HALF
    else:
        raise Inexpressible(f"coordinate_transformation_mode is {mode}")
    places = [first + o * step for o in range(m)]
    if mode == "tf_crop_and_resize":  # Outside there is extrapolation_value.
        places = [place if 0 <= place <= span else None for place in places]
    return places


ROUNDING = {"floor": math.floor, "ceil": math.ceil,
            "round_prefer_floor": lambda x: math.ceil(x - HALF),
            "round_prefer_ceil": lambda x: math.floor(x + HALF)}


MAX_SHIFT = 7


def find_sampling(places, n, scale, nearest):
    """A scale, a padding and an offset for one dimension of size n: with so many
    elements padded before dml.resample and so many dropped after it, output o
    reads at places[o]. `scale` if possible; None where nothing is found."""
    for pad, drop in sorted(itertools.product(range(MAX_SHIFT + 1), repeat=2), key=sum):
        # Output o of the whole reads at (o + drop + 1/2) * step - 1/2 - pad, for
        # nearest at its floor(... + 1/2). Its place says between which bounds that
        # has to be; at the ends everything beyond is clamped.
        lower, upper = Fraction(0), math.inf
        for o, place in enumerate(places):
            if place is None:
                continue
            factor = o + drop + HALF
            low, high = (0, 1) if nearest else (HALF, HALF)
            if place > 0:
                lower = max(lower, (place + pad + low) / factor)
            if place < n - 1:
                upper = min(upper, (place + pad + high) / factor)
        simple = (Fraction(math.floor(q / upper) + extra, q)
                  for q in range(1, 4096) for extra in (0, 1))
        for found in itertools.chain([scale], simple):
            # dml.resample reads back the fractions that this bounds.
            if (found > 0 and found.numerator * found.denominator < 2**23
                    and lower <= 1 / found
                    and (1 / found < upper if nearest else 1 / found <= upper)):
                return found, pad, drop
    return None


def convert_sampling(node, linear, scales, mode, rounding, rois):
    x, y = node.input(0), node.outputs[0]
    samplings, tolerance, outside = [], 0, False
    for n, m, scale, roi in zip(x.shape, y.shape, scales, rois):
        places = coordinates(mode, n, scale, m, roi)
        if not linear:
            places = [place if place is None else ROUNDING[rounding](place)
                      for place in places]
        outside |= None in places
        places = [place if place is None else min(max(place, 0), n - 1)
                  for place in places]
        if any(place is not None and place % 1 for place in places):
            tolerance += 20 + 2 * n
        samplings.append(find_sampling(places, n, scale, not linear))
        if not samplings[-1]:
            texts = ("outside" if place is None else str(place) for place in places)
            raise Inexpressible(
                f"{mode}: no scale makes dml.resample read, with up to"
                f" {MAX_SHIFT} elements padded before it and dropped after it, at"
                f" {', '.join(texts)} of {n} elements")
    if outside:
        raise Inexpressible("outside of the tensor stands extrapolation_value, but"
                            " dml.resample continues the edges")
    used, pads, drops = zip(*samplings)
    program = Program()
    value = program.input(x)
    if any(pads):
        value = program.pad(value, "edge", pads, [0] * x.ndim)
    value = program.resample(value, "linear" if linear else "nearest_neighbor", used,
                             [m + drop for m, drop in zip(y.shape, drops)])
    if any(drops):
        program.slice(value, drops)
    note = "" if used == tuple(scales) else (
        f"ONNX's scales are {show(scales)}")
    return Case(program, y, tolerance, note)


def require_mode(node):
    mode = node.take("mode", "nearest")
    if mode not in ("nearest", "linear"):
        raise Inexpressible(f"mode is {mode}: dml.resample has nearest and linear")
    return mode == "linear"


def convert_resize(node):
    if node.opset < 11:
        raise Inexpressible("Resize says where coordinates lie from opset 11 on")
    linear = require_mode(node)
    node.require("exclude_outside", 0)
    node.require("antialias", 0)
    node.take("cubic_coeff_a")
    node.take("extrapolation_value")
    shape = node.input(0).shape
    axes = node.take("axes", range(len(shape)))
    scales, rois = [Fraction(1)] * len(shape), [(Fraction(0), Fraction(1))] * len(shape)
    if node.input(2) is not None:
        given = [read_fraction(scale) for scale in node.input(2)]
    else:
        given = [Fraction(int(m), shape[axis]) for m, axis in zip(node.input(3), axes)]
        policy = node.take("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            choose = {"not_larger": min, "not_smaller": max}[policy]
            given = [choose(given)] * len(given)
    for index, axis in enumerate(axes):
        scales[axis] = given[index]
        if node.input(1) is not None:
            rois[axis] = tuple(read_fraction(node.input(1)[index + end])
                               for end in (0, len(axes)))
    return convert_sampling(
        node, linear, scales, node.take("coordinate_transformation_mode", "half_pixel"),
        node.take("nearest_mode", "round_prefer_floor"), rois)


def convert_upsample(node):
    if require_mode(node):
        raise Inexpressible("Upsample does not say where linear coordinates lie")
    scales = node.take("scales") if node.opset < 9 else node.input(1)
    return convert_sampling(node, False, [read_fraction(scale) for scale in scales],
                            "asymmetric", "floor", [None] * len(scales))


# ===----------------------------------------------------------------------=== #
# Max pooling's gradient
# ===----------------------------------------------------------------------=== #


def take_pooling(node, sizes, pooled):
    """max_pooling_grad's attributes from ONNX's."""
    rank = len(sizes)
    window = list(node.take("kernel_shape", sizes))
    strides = list(node.take("strides", [1] * rank))
    dilations = list(node.take("dilations", [1] * rank))
    pads = list(node.take("pads", [0] * (2 * rank)))
    node.take("ceil_mode")  # The sizes of the results say the same.
    auto_pad = node.take("auto_pad", "NOTSET")
    if auto_pad.startswith("SAME"):
        for i in range(rank):
            total = max((pooled[i] - 1) * strides[i] + (window[i] - 1) * dilations[i]
                        + 1 - sizes[i], 0)
            small, large = total // 2, total - total // 2
            pads[i], pads[i + rank] = (
                (small, large) if auto_pad == "SAME_UPPER" else (large, small))
    return {"strides": strides, "window_size": window, "start_padding": pads[:rank],
            "end_padding": pads[rank:], "dilations": dilations}


def find_in_windows(x, y, pooling):
    """For each window, how many of its elements equal y, and the first's index."""
    count = numpy.zeros(y.shape, dtype=numpy.int64)
    winner = numpy.zeros(y.shape, dtype=numpy.int64)
    indices = numpy.arange(x.size).reshape(x.shape)
    planes = [numpy.arange(size) for size in x.shape[:2]]
    for offsets in itertools.product(*map(range, pooling["window_size"])):
        positions = [
            numpy.arange(size) * stride - padding + offset * dilation
            for size, stride, padding, offset, dilation in zip(
                y.shape[2:], pooling["strides"], pooling["start_padding"], offsets,
                pooling["dilations"])]
        inside = functools.reduce(numpy.logical_and.outer, [
            (0 <= position) & (position < size)
            for position, size in zip(positions, x.shape[2:])])
        clamped = numpy.ix_(*planes, *[
            position.clip(0, size - 1)
            for position, size in zip(positions, x.shape[2:])])
        equal = (x[clamped] == y) & inside
        winner = numpy.where(equal & (count == 0), indices[clamped], winner)
        count += equal
    return count, winner


def scatter(shape, winners, gradient):
    result = numpy.zeros(shape, dtype=gradient.dtype)
    numpy.add.at(result.reshape(-1), winners.reshape(-1), gradient.reshape(-1))
    return result


def lift(pooling, *arrays):
    """Gives one-dimensional pooling a second dimension, of size 1."""
    if len(pooling["strides"]) > 1:
        return pooling, *arrays
    neutral = {"start_padding": 0, "end_padding": 0}
    return ({name: [neutral.get(name, 1), *array] for name, array in pooling.items()},
            *(array[:, :, None] for array in arrays))


def convert_max_pool(node):
    x, y = node.input(0), node.outputs[0]
    order = "F" if node.take("storage_order", 0) else "C"
    pooling, x, y = lift(take_pooling(node, x.shape[2:], y.shape[2:]), x, y)
    count, winners = find_in_windows(x, y, pooling)
    if not count.all():
        raise AssertionError("a maximum of ONNX's is not in its window")
    # Small integers: their sums are exact.
    gradient = (numpy.arange(y.size) % 1021 + 1).reshape(y.shape).astype(x.dtype)
    note = ""
    if len(node.outputs) > 1:
        plane = math.prod(x.shape[2:])
        planes, positions = numpy.divmod(node.outputs[1].reshape(y.shape), plane)
        winners = planes * plane + numpy.ravel_multi_index(
            numpy.unravel_index(positions, x.shape[2:], order=order), x.shape[2:])
        note = "winners from Indices"
    elif (count > 1).all():
        raise Inexpressible("in no window is there a single largest element, and ONNX"
                            " does not say which won")
    elif (count > 1).any():
        gradient[count > 1] = 0
        note = f"{(count > 1).sum()} of {count.size} windows tie"
    program = Program()
    program.max_pooling_grad(program.input(x), program.input(gradient), pooling)
    return Case(program, scatter(x.shape, winners, gradient), note=note)


def convert_max_unpool(node):
    x, winners, y = node.input(0), node.input(1), node.outputs[0]
    pooling = take_pooling(node, y.shape[2:], x.shape[2:])
    # The indices are those of the smallest tensor that pools to x; output_shape adds
    # zeros behind it.
    sizes = [(m - 1) * stride + window - start - end for m, stride, window, start, end
             in zip(x.shape[2:], pooling["strides"], pooling["window_size"],
                    pooling["start_padding"], pooling["end_padding"])]
    shape = (*x.shape[:2], *sizes)
    ones = scatter(shape, winners, numpy.ones_like(x)).clip(max=1)
    count, found = find_in_windows(ones, numpy.ones_like(x), pooling)
    if not (count.all() and (found == winners).all()):
        raise Inexpressible("an index is not the first one in its window")
    program = Program()
    value = program.max_pooling_grad(program.input(ones), program.input(x), pooling)
    if shape != y.shape:
        program.pad(value, "constant", [0] * y.ndim,
                    [to - n for n, to in zip(shape, y.shape)])
    return Case(program, y)


def convert_gradient(node):
    raise Inexpressible("dml has no gradient but max pooling's")


CONVERTERS = {
    "Pad": convert_pad, "Tile": convert_tile, "Expand": convert_expand,
    "Resize": convert_resize, "Upsample": convert_upsample,
    "MaxPool": convert_max_pool, "GlobalMaxPool": convert_max_pool,
    "MaxUnpool": convert_max_unpool, "Gradient": convert_gradient}

# ===----------------------------------------------------------------------=== #
# Models
# ===----------------------------------------------------------------------=== #


def all_nodes(nodes):
    """`nodes` and those of their subgraphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in [attribute.g, *attribute.graphs]:
                yield from all_nodes(graph.node)


def mapped_operators(model):
    nodes = itertools.chain(model.graph.node,
                            *(function.node for function in model.functions))
    return sorted({node.op_type for node in all_nodes(nodes)} & set(CONVERTERS))


def read_tensors(folder, kind, values):
    """The values of a test's tensors by name."""
    result = {}
    for index, value in enumerate(values):
        file = folder / f"{kind}_{index}.pb"
        if file.exists():
            result[value.name] = numpy_helper.to_array(
                onnx.TensorProto.FromString(file.read_bytes()))
    return result


def find_node(model, folder):
    """The one operator of a model that is more than a view of known values."""
    values = {value.name: numpy_helper.to_array(value)
              for value in model.graph.initializer}
    values.update(read_tensors(folder, "input", model.graph.input))
    outputs = read_tensors(folder, "output", model.graph.output)
    opsets = {opset.domain: opset.version for opset in model.opset_import}
    found = None
    for node in model.graph.node:
        if found:
            raise Inexpressible(f"{node.op_type} follows, which is no view")
        if node.op_type == "Constant":
            value = onnx.helper.get_attribute_value(node.attribute[0])
            values[node.output[0]] = (
                numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto)
                else numpy.asarray(value))
        elif node.op_type == "Reshape":
            shape = values[node.input[1]].tolist()
            values[node.output[0]] = values[node.input[0]].reshape(shape)
        elif node.op_type in CONVERTERS:
            found = Node(node, opsets[node.domain], values, outputs)
        else:
            raise Inexpressible(f"the model has {node.op_type}, which dml has not")
    return found


class Row:
    def __init__(self, name, operators):
        self.name, self.onnx = name, ", ".join(operators)
        self.dml, self.results, self.failed = "", {}, False

    def outcome(self):
        if self.failed:
            return "differ"
        return "cannot be expressed" if "" in self.results else (
            "refused by the device" if len(set(self.results.values())) > 1 else "agree")

    def result(self):
        """One word for all, as long as all agree."""
        if len(set(self.results.values())) == 1:
            return next(iter(self.results.values()))
        return "; ".join(f"{who}: {what}" for who, what in self.results.items())


def describe_difference(found, case):
    expected = case.expected
    if found.size != expected.size:
        return f"has {found.size} elements, but wants {expected.size}"
    found = found.reshape(expected.shape)
    if case.tolerance:
        limit = case.tolerance * 2.0**-24 * max(
            float(abs(array).max()) for array in case.program.inputs)
        wrong = ~(abs(found.astype(float) - expected.astype(float)) <= limit)
    else:
        bits = f"V{expected.itemsize}"
        wrong = numpy.ascontiguousarray(found).view(bits) != expected.view(bits)
    if not wrong.any():
        return None
    first = tuple(numpy.argwhere(wrong)[0])
    return (f"{found[first]} at {list(first)}, but wants {expected[first]};"
            f" {wrong.sum()} of {wrong.size} elements are wrong")


def run_program(command, case, folder):
    """What became of a case, and whether that is a failure."""
    output = folder / "output.npy"
    output.unlink(missing_ok=True)
    command = [*command, folder / "main.mlir", f"--output=@{output}",
               *(f"--input=@{folder}/input-{index}.npy"
                 for index in range(len(case.program.inputs)))]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        error = process.stderr.strip()
        # What the operator or the device cannot do is no mistake of a program.
        level = re.search(r"error: 'dml\.\w+' op (.* but feature level .*)", error)
        if level:
            raise Inexpressible(level[1])
        feature = re.search(r"('dml\.\w+' needs the Vulkan feature.*?), which", error)
        if feature:
            return f"refused ({feature[1]})", False
        return f"FAILED: {error.splitlines()[0] if error else process.returncode}", True
    difference = describe_difference(numpy.load(output), case)
    if difference:
        return f"DIFFERS: {difference}", True
    return (f"within {case.tolerance}" if case.tolerance else "equal"), False


def run_case(row, model, data, folder, commands):
    try:
        node = find_node(model, data)
        row.onnx = node.describe()
        case = CONVERTERS[node.op](node)
        for name, value in node.attributes.items():
            raise Inexpressible(f"{name} is {value}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "main.mlir").write_text(case.program.text())
        for index, array in enumerate(case.program.inputs):
            array = array.view(numpy.uint8) if array.dtype == bool else array
            numpy.save(folder / f"input-{index}.npy",
                       numpy.ascontiguousarray(array.reshape(array.shape or (1,))))
        for who, command in commands.items():
            row.results[who], failed = run_program(command, case, folder)
            row.failed |= failed
        row.dml = ", ".join(case.program.summary)
        if case.note:
            row.dml += f" ({case.note})"
    except Inexpressible as reason:
        row.dml, row.results = f"none: {reason}", {"": "-"}


def find_tool(name):
    folders = [os.environ.get("PATH", ""), str(ROOT / "build/release/bin")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if not found:
        sys.exit(f"onnx_tests.py: error: there is no {name} in PATH or {folders[1]}")
    return found


def print_table(rows, counts):
    return "".join(f"{row.name}\n    {row.onnx}\n    {row.dml}\n    {row.result()}\n"
                   for row in rows) + f"{counts}\n"


def print_page(rows, counts):
    cells = [("test", "ONNX", "dml", "result"), ("---",) * 4,
             *((row.name, row.onnx, row.dml, row.result()) for row in rows)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in cells)
    return f"{PAGE}\n{VERSION}\n{counts}\n\n{table}"


def compare_page(file, page):
    """An error where `file` is not `page`, unless it is another ONNX's."""
    text = file.read_text()
    if text == page:
        return 0
    if VERSION not in text:
        print(f"{file} is not of {VERSION}: not compared", file=sys.stderr)
        return 0
    difference = difflib.unified_diff(text.splitlines(), page.splitlines(), str(file),
                                      "--markdown", lineterm="", n=0)
    print("\n".join(difference), file=sys.stderr)
    return 1


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(onnx.__file__).parent / "backend/test/data",
                        help="ONNX's folder of tests (%(default)s)")
    parser.add_argument("--filter", default="", metavar="REGEX",
                        help="only the tests whose name has this")
    parser.add_argument("--device", help="the Vulkan device; 'none' interprets only")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="leave programs and inputs there")
    parser.add_argument("--markdown", action="store_true", help="print docs/ONNX.md")
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE",
                        help="fail if FILE, of the same ONNX, is not what --markdown"
                        " prints")
    parser.add_argument("--probe", action="store_true",
                        help="only say whether there is what this needs")
    options = parser.parse_args()

    files = sorted(options.data.glob("*/*/model.onnx"))
    if not files:
        sys.exit(f"onnx_tests.py: error: there are no tests in {options.data};"
                 " Debian has them as libonnx-testdata")
    commands = {"interpreter": [find_tool("dml-interpret")]}
    if options.device != "none":
        commands["device"] = [find_tool("dml-run")]
        if options.device:
            commands["device"].append(f"--device={options.device}")

    if options.probe:
        return 0

    rows, tasks = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for file in files:
            name = f"{file.parent.parent.name}/{file.parent.name}"
            if not re.search(options.filter, name):
                continue
            model = onnx.load(file)
            operators = mapped_operators(model)
            if not operators:
                continue
            for data in sorted(file.parent.glob("test_data_set_*")):
                rows.append(Row(name, operators))
                tasks.append((rows[-1], model, data,
                              (options.keep or pathlib.Path(scratch)) / name / data.name))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda task: run_case(*task, commands), tasks))
    outcomes = collections.Counter(row.outcome() for row in rows)
    counts = (f"{len(files)} models, {len(rows)} with an operator of"
              f" {', '.join(CONVERTERS)}: "
              + ", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())))
    failed = outcomes["differ"] > 0 or not rows
    page = print_page(rows, counts)
    sys.stdout.write(page if options.markdown else print_table(rows, counts))
    if options.check:
        failed |= compare_page(options.check, page)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
