"""Random graphs that compute with sizes, as exporters write them: the arithmetic is known
when the model is read, and says what nodes behind it do."""
#
# SPDX-License-Identifier: Apache-2.0
import math
import random

import numpy as np
import onnx
from draw import NEWEST, PROTO, Draw, make_tensor
from onnx import helper

INTEGERS = ["i64", "i64", "i64", "i32"]


class Sizes:
    """Nodes that compute with sizes. Values are known here as well, so that what is
    drawn is valid: each is a name and an array."""

    def __init__(self, d):
        self.d, self.opset = d, d.opset
        self.known = []

    def constant(self, array):
        """A constant: an initializer, or the node Constant."""
        array = np.asarray(array)
        if self.d.chance(0.5):
            return self.d.feed(array, 1), array
        return self.node("Constant", [], array, value=make_tensor("", array))

    def node(self, name, inputs, array, **attributes):
        names = [value[0] if isinstance(value, tuple) else value for value in inputs]
        output, = self.d.node(names, name=name, is_output=False, **attributes)
        value = (output, np.asarray(array))
        self.known.append(value)
        return value

    def shape_of(self, tensor):
        return self.node("Shape", [tensor], np.array(tensor[1].shape, np.int64))

    def with_axes(self, name, value, axes, array):
        """Squeeze or Unsqueeze, with axes as the version has them."""
        if self.opset >= 13:
            return self.node(name, [value, self.constant(np.array(axes))], array)
        return self.node(name, [value], array, axes=axes)

    def unsqueeze(self, value, axis=0):
        return self.with_axes("Unsqueeze", value, [axis], np.expand_dims(value[1], axis))

    def squeeze(self, value, axis=0):
        return self.with_axes("Squeeze", value, [axis], np.squeeze(value[1], axis))

    def gather(self, value, index, axis=0):
        """A scalar where `index` is one."""
        index = np.asarray(index, np.int64)
        return self.node("Gather", [value, self.constant(index)],
                         np.take(value[1], index, axis), axis=axis)

    def slice(self, value, start, end, step=1):
        array = value[1][slice(start, end if abs(end) < 2**31 else None, step)]
        if self.opset < 10:
            return self.node("Slice", [value], array, axes=[0], starts=[start], ends=[end])
        parts = [self.constant(np.array([number])) for number in (start, end, 0, step)]
        return self.node("Slice", [value, *parts], array)

    def concat(self, values):
        return self.node("Concat", values, np.concatenate([value[1] for value in values]),
                         axis=0)

    def cast(self, value, type):
        dtype = {"f32": np.float32, "i64": np.int64, "i32": np.int32, "f64": np.float64,
                 "bool": bool, "f16": np.float16}[type]
        return self.node("Cast", [value], value[1].astype(dtype), to=PROTO[type])

    def binary(self, name, a, b):
        compute = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply,
                   "Equal": np.equal, "Less": np.less, "Greater": np.greater,
                   "Max": np.maximum, "Min": np.minimum, "And": np.logical_and,
                   "Or": np.logical_or}
        if name == "Div":
            array = np.trunc(a[1] / b[1]).astype(a[1].dtype) \
                if a[1].dtype.kind == "i" else a[1] / b[1]
        elif name == "Mod":
            array = np.mod(a[1], b[1])
        else:
            array = compute[name](a[1], b[1])
        return self.node(name, [a, b], array)

    def show(self, value):
        """Makes a value an output of the graph."""
        if value[0] not in self.d.outputs:
            self.d.outputs.append(value[0])

    def use(self, name, tensor, inputs, **attributes):
        """A node that works on a tensor, and is an output."""
        return self.d.node([tensor[0], *[value and value[0] for value in inputs]],
                           name=name, **attributes)


def draw_tensor(d, shape, type="f32"):
    array = d.values(type, shape, "moderate")
    return d.feed(array, 0), array


# What exporters write.

def flatten_behind(s):
    """x.view(x.size(0), -1)"""
    d = s.d
    x = draw_tensor(d, d.shape(2, 4, zero=False))
    batch = s.unsqueeze(s.gather(s.shape_of(x), 0))
    s.use("Reshape", x, [s.concat([batch, s.constant(np.array([-1]))])])


def split_heads(s):
    """x.view(b, n, h, c // h), transposed."""
    d = s.d
    heads = d.integer(1, 3)
    x = draw_tensor(d, [d.integer(1, 2), d.integer(1, 4), heads * d.integer(1, 3)])
    shape = s.shape_of(x)
    b, n, c = (s.gather(shape, index) for index in range(3))
    depth = s.binary("Div", c, s.constant(np.int64(heads)))
    if d.chance(0.5):
        depth = s.cast(s.cast(depth, d.pick("f32", "i32")), "i64")
    parts = [s.unsqueeze(value) for value in (b, n)]
    parts += [s.constant(np.array([heads])), s.unsqueeze(depth)]
    name, = d.node([x[0], s.concat(parts)[0]], name="Reshape", is_output=False)
    d.node([name], name="Transpose", perm=[0, 2, 1, 3])


def expand_with_where(s):
    """x.expand(...), with -1 for sizes that stay."""
    d = s.d
    shape = d.shape(1, 4, 48, zero=False)
    x = draw_tensor(d, [1 if d.chance(0.5) else size for size in shape])
    target = [-1 if size == of and d.chance(0.7) else size
              for size, of in zip(shape, x[1].shape)]
    wanted = s.constant(np.array(target))
    rank = np.array([len(shape)])
    ones = s.node("ConstantOfShape", [s.constant(rank)], np.ones(rank, np.int64),
                  value=make_tensor("", np.array([1])))
    minus = s.binary("Mul", ones, s.constant(np.int64(-1)))
    equal = s.binary("Equal", wanted, minus)
    chosen = s.node("Where", [equal, ones, wanted], np.where(equal[1], 1, wanted[1]))
    s.use("Expand", x, [chosen])


def positions(s):
    """Ranges of positions, as indices of a table of embeddings."""
    d = s.d
    x = draw_tensor(d, [d.integer(1, 2), d.integer(1, 5)])
    n = s.gather(s.shape_of(x), 1)
    start = np.int64(d.pick(0, 0, 1))
    limit = n if start == 0 else s.binary("Add", n, s.constant(start))
    order = s.node("Range", [s.constant(start), limit, s.constant(np.int64(1))],
                   np.arange(start, limit[1]))
    indices = s.unsqueeze(order) if d.chance(0.6) else order
    table = d.feed(d.values("f32", [7, 3], "moderate"))
    s.show(indices)
    d.node([table, indices[0]], name="Gather", axis=0)


def interpolate(s):
    """Sizes that are scaled in floats."""
    d = s.d
    x = draw_tensor(d, [1, d.integer(1, 2), d.integer(1, 5), d.integer(1, 5)])
    shape = s.shape_of(x)
    sizes = []
    for axis in (2, 3):
        size = s.cast(s.gather(shape, axis), "f32")
        factor = np.float32(d.pick(2.0, 1.5, 3.0))
        scaled = s.binary("Mul", size, s.constant(factor))
        floor = s.node("Floor", [scaled], np.floor(scaled[1]))
        sizes.append(s.unsqueeze(s.cast(floor, "i64")))
    head = s.slice(shape, 0, 2)
    empty = d.feed(np.zeros([0], np.float32), 1)
    d.node([x[0], empty if s.opset < 13 else None, empty if s.opset < 13 else None,
            s.concat([head, *sizes])[0]], name="Resize", mode="nearest",
           coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def pads_of_torch(s):
    """torch.nn.functional.pad: pairs from the last dimension on, turned around."""
    d = s.d
    x = draw_tensor(d, d.shape(2, 4, 48, zero=False))
    rank = x[1].ndim
    pads = [d.integer(0, 2) for _ in range(2 * d.integer(1, rank))]
    rest = s.binary("Sub", s.constant(np.int64(2 * rank)),
                    s.constant(np.int64(len(pads)))) if d.chance(0.5) else \
        s.constant(np.int64(2 * rank - len(pads)))
    zeros = s.node("ConstantOfShape", [s.unsqueeze(rest)],
                   np.zeros(2 * rank - len(pads), np.int64),
                   value=make_tensor("", np.array([0])))
    if len(pads) == 2 * rank:
        pairs = s.constant(np.array(pads))
    else:
        pairs = s.concat([s.constant(np.array(pads)), zeros])
    two = s.node("Reshape", [pairs, s.constant(np.array([-1, 2]))],
                 pairs[1].reshape(-1, 2))
    turned = s.slice(two, -1, -(2**63 - 1), -1)
    turned = s.node("Transpose", [turned], turned[1].T, perm=[1, 0])
    flat = s.node("Reshape", [turned, s.constant(np.array([-1]))], turned[1].reshape(-1))
    s.use("Pad", x, [s.cast(flat, "i64")], mode=d.pick("constant", "edge"))


def causal_mask(s):
    """A square of zeros and ones that is cut to the length."""
    d = s.d
    x = draw_tensor(d, [1, d.integer(1, 5), 2])
    n = s.unsqueeze(s.gather(s.shape_of(x), 1))
    square = s.concat([n, n])
    size = int(n[1][0])
    mask = s.node("ConstantOfShape", [square], np.full([size, size], -5, np.float32),
                  value=make_tensor("", np.array([d.pick(-5.0, -np.inf)], np.float32)))
    if s.opset >= 14:
        mask = s.node("Trilu", [mask, s.constant(np.int64(1))], mask[1], upper=1)
    s.show(mask)
    start = d.integer(0, max(size - 1, 0))
    end = s.node("Add", [s.constant(np.array([start])), n], n[1] + start)
    d.node([mask[0], s.constant(np.array([start]))[0], end[0], s.constant(np.array([0]))[0]],
           name="Slice")


def slice_to_half(s):
    """The halves of a tensor, as chunk writes them."""
    d = s.d
    x = draw_tensor(d, d.shape(2, 3, 48, zero=False)[:-1] + [2 * d.integer(1, 3)])
    axis = x[1].ndim - 1
    size = s.gather(s.shape_of(x), axis)
    half = s.binary("Div", s.binary("Add", size, s.constant(np.int64(1))),
                    s.constant(np.int64(2)))
    start, end = half, s.binary("Mul", half, s.constant(np.int64(2)))
    d.node([x[0], s.unsqueeze(start)[0], s.unsqueeze(end)[0],
            s.constant(np.array([d.pick(axis, -1)]))[0]], name="Slice")


def tile_by_sizes(s):
    d = s.d
    x = draw_tensor(d, [1, d.integer(1, 3)])
    other = draw_tensor(d, d.shape(1, 3, zero=False))
    n = s.slice(s.shape_of(other), 0, 1)
    s.use("Tile", x, [s.concat([n, s.constant(np.array([d.integer(1, 2)]))])])


def count_elements(s):
    """Products of sizes, by ReduceProd or Size, as the scale of a mean."""
    d = s.d
    x = draw_tensor(d, d.shape(2, 4, 48, zero=False))
    shape = s.shape_of(x)
    if d.chance(0.5):
        count = s.node("ReduceProd", [shape], np.prod(shape[1]), keepdims=0)
    else:
        count = s.node("Size", [x], np.int64(x[1].size))
    real = s.cast(count, "f32")
    if d.chance(0.5):
        real = s.node("Sqrt", [real], np.sqrt(real[1]))
    d.node([x[0], real[0]], name=d.pick("Div", "Mul"))
    s.show(count)


def split_by_sizes(s):
    d = s.d
    x = draw_tensor(d, [d.integer(2, 6), d.integer(1, 3)])
    size = s.gather(s.shape_of(x), 0)
    half = s.binary("Div", size, s.constant(np.int64(2)))
    rest = s.binary("Sub", size, half)
    parts = s.concat([s.unsqueeze(half), s.unsqueeze(rest)])
    if s.opset >= 13:
        d.node([x[0], parts[0]], [True, True], name="Split", axis=0)
    s.show(parts)


def branch_on_sizes(s):
    """If of a condition on sizes, whose branches read what lies outside of them and use
    the same inner names."""
    d = s.d
    x = draw_tensor(d, d.shape(1, 3, zero=False))
    for index in range(d.integer(1, 2)):
        size = s.gather(s.shape_of(x), d.integer(0, x[1].ndim - 1))
        if d.chance(0.3):
            size = s.node("Size", [x], np.int64(x[1].size))
        condition = s.binary("Equal" if s.opset >= 11 else "Less", size,
                             s.constant(np.int64(d.pick(1, 2, 3))))
        if condition[1].ndim == 0 and d.chance(0.3):
            condition = s.unsqueeze(condition)
        branches = []
        for operator in d.random.sample(["Neg", "Exp", "Relu", "Abs", "Identity"], 2):
            nodes = [helper.make_node(operator, [x[0]], ["inner"]),
                     helper.make_node("Identity", ["inner"], [f"branch{index}_{operator}"])]
            output = onnx.ValueInfoProto(name=nodes[1].output[0])
            branches.append(helper.make_graph(nodes, "branch", [], [output]))
            if s.opset >= 11 and d.chance(0.5):
                output.type.tensor_type.elem_type = PROTO["f32"]
        d.node([condition[0]], name="If", then_branch=branches[0], else_branch=branches[1])


def mean_over_sizes(s):
    """A mean as a sum by a product of sizes, over axes that are computed."""
    d = s.d
    x = draw_tensor(d, d.shape(2, 4, 48, zero=False))
    rank = x[1].ndim
    axes = sorted(d.random.sample(range(rank), d.integer(1, rank)))
    sizes = s.gather(s.shape_of(x), axes)
    count = s.node("ReduceProd", [sizes], np.prod(sizes[1]), keepdims=0)
    if s.opset >= 13:
        total, = d.node([x[0], s.constant(np.array(axes))[0]], name="ReduceSum",
                        is_output=False, keepdims=1)
    else:
        total, = d.node([x[0]], name="ReduceSum", is_output=False, keepdims=1, axes=axes)
    d.node([total, s.cast(count, "f32")[0]], name="Div")


def one_of_each(s):
    """OneHot or EyeLike of sizes, and a comparison with a range."""
    d = s.d
    x = draw_tensor(d, [d.integer(1, 4), d.integer(1, 4)])
    n = s.gather(s.shape_of(x), 1)
    zero, one = (s.constant(np.int64(number)) for number in (0, 1))
    order = s.node("Range", [zero, n, one], np.arange(n[1]))
    row, column = s.unsqueeze(order, 0), s.unsqueeze(order, 1)
    less = s.binary(d.pick("Less", "Greater", "Equal"), row, column)
    if d.chance(0.5):
        less = s.node("Not", [less], ~less[1])
    s.show(s.cast(less, d.pick("f32", "i64", "i32")))
    big = s.constant(np.float32(-1e4))
    zeros = s.constant(np.float32(0))
    mask = s.node("Where", [less, zeros, big], np.where(less[1], zeros[1], big[1]))
    y = draw_tensor(d, [2, int(n[1]), int(n[1])])
    d.node([y[0], mask[0]], name="Add")


TEMPLATES = [branch_on_sizes, mean_over_sizes, one_of_each,
             flatten_behind, split_heads, expand_with_where, positions, interpolate,
             pads_of_torch, causal_mask, slice_to_half, tile_by_sizes, count_elements,
             split_by_sizes]


# Any arithmetic.

def pick_value(s, kinds="iufb"):
    values = [value for value in s.known if value[1].dtype.kind in kinds]
    return s.d.random.choice(values) if values else None


def step_binary(s):
    d, value = s.d, pick_value(s, "if")
    if value is None:
        return
    name = d.pick("Add", "Sub", "Mul", "Div", "Max", "Min", "Equal", "Less", "Greater", "Mod")
    if name in ("Max", "Min") and (s.opset < 12 and value[1].dtype.kind == "i" or
                                   s.opset < 8):
        name = "Add"
    number = d.pick(1, 2, 3, -2, 7) if d.chance(0.9) else d.pick(2**31 + 3, -100)
    # ONNX Runtime compares 64 bits as 32 for a minimum.
    if value[1].dtype != np.int64 or name in ("Max", "Min"):
        number = d.pick(1, 2, -3)
    if name == "Mod" and (value[1].dtype.kind == "f" or s.opset < 10) or \
            name in ("Less", "Greater", "Equal") and s.opset < 11:
        name = "Mul"
    others = [other for other in s.known if other[1].dtype == value[1].dtype and
              (other[1].shape == value[1].shape or other[1].ndim == 0) and
              (name not in ("Div", "Mod") or other[1].all())]
    if name in ("Max", "Min") and any(
            (np.abs(one[1].astype(np.float64)) > 2**31 - 1).any() for one in [value, *others]):
        name = "Sub"
    other = d.random.choice(others) if others and d.chance(0.4) else \
        s.constant(np.array(number, value[1].dtype))
    with np.errstate(all="ignore"):
        s.binary(name, value, other)


def step_cast(s):
    value = pick_value(s)
    type = s.d.pick("i64", "i32", "f32", "bool", "f64", "f16")
    array = value[1]
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and
                                        (np.abs(array) < 30000).all()):
        return
    if type == "f16" and (np.abs(array.astype(np.float64)) > 60000).any():
        return
    if type == "i32" and (np.abs(array.astype(np.float64)) > 2**31 - 1).any():
        return
    s.cast(value, type)


def step_gather(s):
    value = pick_value(s)
    if value[1].ndim == 0 or not value[1].size:
        return
    size, d = value[1].shape[0], s.d
    index = d.integer(-size if s.opset >= 11 else 0, size - 1)
    s.gather(value, index if d.chance(0.5) else [index, d.integer(0, size - 1)])


def step_slice(s):
    value = pick_value(s)
    if value[1].ndim == 0:
        return
    size, d = value[1].shape[0], s.d
    low, high = sorted([d.integer(0, size), d.integer(0, size)])
    if low < high:
        s.slice(value, low, d.pick(high, high, 2**63 - 1) if high == size else high,
                d.pick(1, 1, 2) if s.opset >= 10 else 1)


def step_concat(s):
    value = pick_value(s)
    if value[1].ndim != 1 or value[1].size > 12:
        return
    others = [other for other in s.known if other[1].ndim == 1 and
              other[1].dtype == value[1].dtype and other[1].size <= 12]
    s.concat([value, s.d.random.choice(others)])


def step_unsqueeze(s):
    value = pick_value(s)
    if value[1].ndim < 2:
        s.unsqueeze(value, s.d.pick(0, value[1].ndim))
    elif 1 in value[1].shape:
        s.squeeze(value, value[1].shape.index(1))


def step_reduce(s):
    value = pick_value(s, "i")
    if value is None or not value[1].size:
        return
    name = s.d.pick("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin")
    if name in ("ReduceMax", "ReduceMin") and s.opset < 12:
        return
    compute = {"ReduceProd": np.prod, "ReduceSum": np.sum, "ReduceMax": np.max,
               "ReduceMin": np.min}[name]
    keep = s.d.pick(0, 1)
    # ONNX Runtime's integers do not wrap around here.
    if abs(float(compute(value[1].astype(np.float64)))) > 2**(
            31 if value[1].dtype == np.int32 else 53) - 1:
        return
    with np.errstate(all="ignore"):
        array = compute(value[1], keepdims=bool(keep)).astype(value[1].dtype)
    s.node(name, [value], array, keepdims=keep)


def step_unary(s):
    value = pick_value(s, "if")
    if value is None:
        return
    names = ["Neg", "Abs", "Sign", "Identity"]
    if value[1].dtype.kind == "f":
        names += ["Floor", "Ceil", "Sqrt", "Reciprocal", "Exp", "Log"] + (
            ["Round"] if s.opset >= 11 else [])
    name = s.d.pick(*names)
    compute = {"Neg": np.negative, "Abs": np.abs, "Sign": np.sign, "Floor": np.floor,
               "Ceil": np.ceil, "Sqrt": np.sqrt, "Round": np.round, "Exp": np.exp,
               "Reciprocal": lambda x: 1 / x, "Log": np.log, "Identity": lambda x: x}[name]
    with np.errstate(all="ignore"):
        s.node(name, [value], compute(value[1]).astype(value[1].dtype))


def step_where(s):
    condition, value = pick_value(s, "b"), pick_value(s, "i")
    if condition is None or value is None:
        return
    try:
        other = s.constant(np.array(s.d.pick(0, 1, -1), value[1].dtype))
        array = np.where(condition[1], value[1], other[1])
    except ValueError:
        return
    s.node("Where", [condition, value, other], array)


def step_logic(s):
    value = pick_value(s, "b")
    if value is None:
        return
    if s.d.chance(0.5):
        s.node("Not", [value], ~value[1])
    else:
        s.binary(s.d.pick("And", "Or"), value, s.constant(np.array(s.d.chance(0.5))))


def step_range(s):
    value = pick_value(s, "i")
    if value is None or value[1].ndim or not 0 < value[1] < 20 or s.opset < 11:
        return
    zero, one = (s.constant(np.array(number, value[1].dtype)) for number in (0, 1))
    s.node("Range", [zero, value, one], np.arange(0, value[1], dtype=value[1].dtype))


def step_reshape(s):
    value = pick_value(s)
    if value[1].size:
        target = s.d.pick([-1], [1, -1], [-1, 1])
        s.node("Reshape", [value, s.constant(np.array(target))], value[1].reshape(target))


def step_fill(s):
    value = pick_value(s, "i")
    if value is None or value[1].dtype != np.int64 or value[1].ndim != 1 or \
            (value[1] <= 0).any() or math.prod(value[1].tolist()) > 64 or \
            value[1].size > 4:
        return
    fill = np.array([s.d.pick(1, -3, 2.5)], s.d.pick(np.int64, np.float32))
    s.node("ConstantOfShape", [value], np.full(value[1], fill[0]),
           value=make_tensor("", fill))


STEPS = [step_binary, step_binary, step_binary, step_cast, step_gather, step_slice,
         step_concat, step_unsqueeze, step_reduce, step_unary, step_where, step_logic,
         step_range, step_reshape, step_fill]


def arithmetic(s):
    """Random steps that begin with shapes; what comes out is the result."""
    d = s.d
    x = draw_tensor(d, d.shape(1, 5, 64, zero=False))
    s.shape_of(x)
    for _ in range(d.integer(2, 10)):
        d.random.choice(STEPS)(s)
    read = {name for node in d.nodes for name in node.input}
    for value in s.known:
        if value[0] not in read or d.chance(0.1):
            s.show(value)
    # A node that a device computes, beside them.
    s.use("Neg", x, [])


def draw_graph(seed, newest=NEWEST):
    choice = random.Random(f"graph {seed}")
    template = choice.choice(TEMPLATES + [arithmetic] * 9)
    opset = choice.randint(9, newest)
    if template in (positions, interpolate, pads_of_torch):
        opset = max(opset, 11)
    if template in (causal_mask, slice_to_half):
        opset = max(opset, 10)
    if template in (expand_with_where, one_of_each):
        opset = max(opset, 11)
    d = Draw(f"{seed}", "", "", opset, opset)
    template(Sizes(d))
    return d.finish(f"{template.__name__} {opset} #{seed}")
