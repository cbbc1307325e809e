"""Random nodes of the operators that move elements, index them, or know sizes."""
#
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
from draw import ALL, FLOATS, NUMBERS, PROTO, make_tensor, to_dtype


def draw_concat(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    axis = axis % len(shape) if d.version < 11 else axis
    type = d.type(ALL if d.version >= 4 else FLOATS)
    inputs = []
    for _ in range(d.integer(1, 4)):
        part = list(shape)
        part[axis] = d.size(0 if d.chance(0.03) else 1, 4)
        inputs.append(d.tensor(type, part))
    given = d.maybe(axis) if d.version < 4 and axis == 1 else axis
    d.node(inputs, axis=given)


def cut(d, size):
    """Sizes that come to `size`."""
    count = d.integer(1, max(1, min(size, 4)))
    points = sorted(d.random.sample(range(1, size), count - 1)) if size else []
    return [stop - start for start, stop in zip([0, *points], [*points, size])]


def draw_split(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    given = axis if axis != 0 or d.chance(0.5) else None
    given = given % len(shape) if d.version < 11 and given is not None else given
    size = shape[axis]
    feed, attributes = d.tensor(d.type(ALL), shape), {"axis": given}
    sizes = cut(d, size)
    inputs = [feed]
    if d.version >= 18 and d.chance(0.4):
        # The last part is smaller where the size is no multiple.
        count = d.integer(1, max(1, min(size, 4)))
        each = -(-size // count)
        if each * (count - 1) >= size:
            count, each = 1, size
        sizes = [each] * count
        attributes["num_outputs"] = count
    elif d.chance(0.7):
        if d.version >= 13 or d.version == 1 and d.chance(0.2):
            inputs.append(d.ints(sizes))
        else:
            attributes["split"] = sizes
    else:
        count = d.pick(*[count for count in range(1, 8) if size % count == 0])
        sizes = [size // count] * count
        if d.version >= 18:
            attributes["num_outputs"] = count
    outputs = [True] * len(sizes)
    if d.chance(0.1) and len(sizes) > 1:
        outputs[d.integer(0, len(sizes) - 2)] = False
    d.node(inputs, outputs, **attributes)


def draw_slice(d):
    shape = d.shape(1)
    type = d.type(ALL)
    count = d.integer(1, len(shape))
    axes = d.random.sample(range(len(shape)), count)
    if d.chance(0.3):
        axes = list(range(count))
    starts, ends, steps = [], [], []
    for axis in axes:
        size = shape[axis]
        step = d.pick(1, 1, 1, 2, 3, -1, -2) if d.version >= 10 else 1
        low, high = sorted([d.integer(0, size), d.integer(0, size)])
        if low == high and d.chance(0.9):
            low, high = 0, size
        start, end = (low, high) if step > 0 else (high - 1, low - 1)
        if step < 0 and end < 0:
            end = d.pick(-size - 1, -(2**31), -(2**63 - 1))
        elif step > 0 and high == size and d.chance(0.4):
            end = d.pick(2**31 - 1, 2**63 - 1, size + 5)
        elif d.chance(0.3) and 0 <= end < size:
            end -= size
        if d.chance(0.3) and 0 <= start < size:
            start -= size
        starts.append(start), ends.append(end), steps.append(step)
    named = [axis - len(shape) if d.version >= 10 and d.chance(0.3) else axis
             for axis in axes]
    is_plain = axes == list(range(count))
    feed = d.tensor(type, shape)
    if d.version < 10:
        return d.node([feed], starts=starts, ends=ends,
                      axes=None if is_plain and d.chance(0.5) else named)
    index = d.pick("i64", "i64", "i32")
    if index == "i32":
        starts, ends = ([max(min(value, 2**31 - 1), -2**31) for value in values]
                        for values in (starts, ends))
    inputs = [feed, d.ints(starts, index), d.ints(ends, index)]
    inputs.append(None if is_plain and d.chance(0.5) else d.ints(named, index))
    inputs.append(None if set(steps) == {1} and d.chance(0.5) else d.ints(steps, index))
    d.node(inputs)


def draw_pad(d):
    shape = d.shape(1, 5)
    types = FLOATS if d.version < 11 else NUMBERS + (["bool"] if d.version >= 13 else [])
    type = d.type(types)
    mode = d.pick("constant", "constant", "edge", "reflect",
                  *(["wrap"] if d.version >= 19 else []))
    rank = len(shape)
    axes = None
    if d.version >= 18 and d.chance(0.4):
        axes = d.axes(rank, 1)
    used = [axis % rank for axis in axes] if axes is not None else list(range(rank))
    most = {axis: 3 if mode in ("constant", "edge") else
            max(shape[axis] - 1, 0) if mode == "reflect" else shape[axis]
            for axis in used}
    pads = [d.integer(0, min(3, most[axis])) for axis in used * 2]
    if d.chance(0.15):
        pads = [d.integer(-1, pad) for pad in pads]
    given = d.maybe(mode) if mode == "constant" else mode
    value = d.values(type, [])
    feed = d.tensor(type, shape)
    if d.version < 11:
        attributes = {"pads" if d.version >= 2 else "paddings": pads}
        return d.node([feed], mode=given, value=d.maybe(float(value)), **attributes)
    shape_of_value = [1] if d.chance(0.2) else []
    inputs = [feed, d.ints(pads)]
    inputs.append(d.feed(np.full(shape_of_value, value)) if d.chance(0.6) else None)
    if axes is not None:
        inputs.append(d.ints(axes, d.pick("i64", "i32")))
    d.node(inputs, mode=given)


def draw_indices(d, size, shape, is_old=False):
    low = 0 if is_old or size == 0 else -size
    array = d.numbers.integers(low if d.chance(0.5) else 0, max(size, 1), shape)
    return array


def draw_gather(d):
    shape = d.shape(1, 5)
    axis = d.axis(len(shape))
    indices = d.shape(0, 3, 12)
    given = axis if axis != 0 or d.chance(0.5) else None
    array = draw_indices(d, shape[axis], indices, d.version < 11)
    d.node([d.tensor(d.type(ALL), shape),
            d.feed(array.astype(d.pick(np.int64, np.int32)))], axis=given)


def draw_gather_elements(d):
    shape = d.shape(1, 5, zero=False)
    axis = d.axis(len(shape))
    indices = [size if d.chance(0.6) else d.integer(1, size) for size in shape]
    indices[axis] = d.size(1, 5)
    given = axis if axis != 0 or d.chance(0.5) else None
    array = draw_indices(d, shape[axis], indices)
    d.node([d.tensor(d.type(ALL), shape),
            d.feed(array.astype(d.pick(np.int64, np.int32)))], axis=given)


def draw_gather_nd(d):
    shape = d.shape(1, 5, zero=False)
    batch = d.integer(0, len(shape) - 1) if d.version >= 12 and d.chance(0.5) else 0
    depth = d.integer(1, len(shape) - batch)
    outer = [*shape[:batch], *d.shape(0, 2, 6, zero=False)]
    columns = [draw_indices(d, size, outer) for size in shape[batch:batch + depth]]
    d.node([d.tensor(d.type(ALL), shape),
            d.feed(np.stack(columns, -1).astype(np.int64))],
           batch_dims=d.maybe(batch) if batch == 0 and d.version < 12 else batch or None)


def draw_reduction(d):
    if d.version < 16:
        return None
    return d.maybe(d.pick("none", "none", "add", "mul",
                          *(["max", "min"] if d.version >= 18 else [])), 0.5)


def draw_scatter_elements(d):
    shape = d.shape(1, 4, zero=False)
    axis = d.axis(len(shape))
    indices = [size if d.chance(0.6) else d.integer(1, size) for size in shape]
    indices[axis] = d.integer(1, shape[axis])
    reduction = draw_reduction(d)
    # Without duplicates, whose order ONNX leaves open.
    order = np.argsort(d.numbers.random([shape[axis] if dim == axis % len(shape) else size
                                         for dim, size in enumerate(indices)]), axis=axis)
    array = np.take(order, range(indices[axis]), axis)
    if d.chance(0.4):
        array = np.where(d.numbers.random(array.shape) < 0.5, array - shape[axis], array)
    type = d.type(ALL if reduction in (None, "none") else NUMBERS)
    given = axis if axis != 0 or d.chance(0.5) else None
    d.node([d.tensor(type, shape), d.feed(array.astype(d.pick(np.int64, np.int32))),
            d.tensor(type, indices)], axis=given, reduction=reduction)


def draw_scatter_nd(d):
    shape = d.shape(1, 4, zero=False)
    depth = d.integer(1, len(shape))
    places = math.prod(shape[:depth])
    outer = d.pick([d.integer(1, places)], [1, d.integer(1, places)],
                   [] if d.chance(0.5) else [1])
    chosen = d.random.sample(range(places), math.prod(outer))
    columns = np.stack(np.unravel_index(np.array(chosen).reshape(outer), shape[:depth]), -1)
    if d.chance(0.3):
        columns = columns - np.array(shape[:depth])
    reduction = draw_reduction(d)
    type = d.type(ALL if reduction in (None, "none") else NUMBERS)
    d.node([d.tensor(type, shape), d.feed(columns.astype(np.int64)),
            d.tensor(type, [*outer, *shape[depth:]])], reduction=reduction)


def draw_one_hot(d):
    shape, depth = d.shape(1, 4, 64), d.integer(1, 6)
    # ONNX Runtime has kernels of these.
    type, index = d.pick(("f32", "i64"), ("i64", "i64"), ("i32", "f32"), ("f32", "f32"),
                         ("i32", "i32"), ("f32", "i32"), ("i64", "i32"), ("i32", "i64"))
    indices = d.numbers.integers(-depth if index[0] != "u" else 0, depth + 1, shape)
    axis = d.axis(len(shape) + 1)
    d.node([d.feed(indices.astype(to_dtype(index))),
            d.feed(np.array([depth] if d.chance(0.5) else depth,
                            np.int64 if index == "i64" else
                            d.pick(np.int64, to_dtype(index))), 0.97),
            d.tensor(type, [2])], axis=d.maybe(axis))


def draw_reverse(d):
    shape = d.shape(2, 5, zero=False)
    time = d.pick(0, 1)
    lengths = d.numbers.integers(1, shape[time] + 1, shape[1 - time])
    attributes = {"time_axis": time, "batch_axis": 1 - time}
    if time == 0 and d.chance(0.5):
        attributes = {}
    d.node([d.tensor(d.type(ALL), shape), d.feed(lengths.astype(np.int64))], **attributes)


def draw_eye(d):
    d.node([d.tensor(d.type(), d.shape(2, 2))],
           dtype=d.maybe(PROTO[d.type(["f32", "f64", "i32", "i64", "ui64"])]),
           k=d.maybe(d.integer(-7, 7)))


def draw_trilu(d):
    inputs = [d.tensor(d.type(ALL), d.shape(2, 5))]
    inputs.append(d.feed(np.array(d.integer(-7, 7)), 0.95) if d.chance(0.6) else None)
    d.node(inputs, upper=d.maybe(d.pick(0, 1)))


def draw_transpose(d):
    shape = d.shape()
    order = d.random.sample(range(len(shape)), len(shape))
    d.node([d.tensor(d.type(ALL), shape)], perm=d.maybe(order) if shape else None)


def draw_expand(d):
    shape = d.shape(0, 5)
    target = d.broadcast(shape) if d.chance(0.3) else list(shape)
    if d.chance(0.2) and shape:
        target = [d.size(1, 2)] * d.integer(0, 1) + target
    d.node([d.tensor(d.type(ALL), d.broadcast(shape)), d.ints(target)])


def draw_tile(d):
    shape = d.shape(0, 4, 64)
    type = d.type(ALL)
    if d.version < 6:
        axis = d.integer(0, max(len(shape) - 1, 0))
        return d.node([d.tensor(type, shape), d.ints([d.integer(1, 3)]), d.ints([axis])])
    repeats = [d.integer(0 if d.chance(0.02) else 1, 3) for _ in shape]
    d.node([d.tensor(type, shape), d.ints(repeats)])


def draw_depth_to_space(d):
    block = d.integer(1, 3)
    n, c, h, w = d.size(1, 2), d.size(1, 2), d.size(1, 3), d.size(1, 3)
    type = d.type(FLOATS + ["ui8"] if d.chance(0.9) else ALL)
    if d.name == "SpaceToDepth":
        return d.node([d.tensor(type, [n, c, h * block, w * block])], blocksize=block)
    d.node([d.tensor(type, [n, c * block * block, h, w])], blocksize=block,
           mode=d.maybe(d.pick("DCR", "CRD")) if d.version >= 11 else None)


def draw_compress(d):
    shape = d.shape(1, 4, zero=False)
    axis = d.maybe(d.axis(len(shape)))
    axis = axis % len(shape) if d.version < 11 and axis is not None else axis
    size = math.prod(shape) if axis is None else shape[axis]
    flags = d.numbers.random(d.integer(1, size)) < 0.6
    d.node([d.tensor(d.type(ALL), shape), d.feed(flags, 0.9)], axis=axis)


# Sizes.

def draw_shape(d):
    shape = d.shape()
    attributes = {}
    if d.version >= 15:
        attributes = {name: d.maybe(d.integer(-len(shape) - 1, len(shape) + 1), 0.5)
                      for name in ("start", "end")}
    d.node([d.tensor(d.type(ALL), shape)], **attributes)


def draw_size(d):
    d.node([d.tensor(d.type(ALL), d.shape())])


def draw_constant(d):
    kinds = ["value"]
    if d.version >= 12:
        kinds += ["value_float", "value_floats", "value_int", "value_ints"]
    kind = d.pick(*kinds)
    array = d.values(d.type(ALL if d.version >= 9 else FLOATS), d.shape())
    value = {"value": make_tensor("", array), "value_float": d.pick(1.5, -2.0, 0.0),
             "value_floats": [1.0, 2.5, -3.0], "value_int": d.pick(7, -1, 2**53 + 1),
             "value_ints": [3, -4, 2**40]}[kind]
    d.node([], **{kind: value})


def draw_constant_of_shape(d):
    shape = d.shape(0, 5)
    value = None
    if d.chance(0.8):
        value = make_tensor("", d.values(d.type(ALL), [1]))
    d.node([d.ints(shape)], value=value)


def draw_window(d):
    d.tolerance = (2e-5, 2e-6, 1e-6)
    size = np.array(d.integer(1, 12), d.pick(np.int64, np.int32))
    d.node([d.feed(size, 0.95)], periodic=d.maybe(d.pick(0, 1)),
           output_datatype=d.maybe(PROTO[d.type(["f32", "f16", "f64"])], 0.4))


def draw_non_zero(d):
    d.node([d.tensor(d.type(ALL), d.shape(), constant=0.9)])


def draw_range(d):
    type = d.type(["f32", "i64", "i32", "i16", "f64"])
    start, delta, count = d.integer(-5, 5), d.pick(1, 2, -1, -3, 1), d.integer(1, 9)
    factor = 0.25 if type[0] == "f" and d.chance(0.6) else 1
    numbers = [start * factor, (start + delta * count) * factor, delta * factor]
    if d.chance(0.3) and type[0] == "f":
        numbers[1] += 0.1
    d.node([d.feed(np.array(number, to_dtype(type)), 0.95) for number in numbers])


def draw_reshape(d):
    shape = d.shape()
    count = math.prod(shape)
    target, rest = [], count
    for _ in range(d.integer(0, 4)):
        divisors = [size for size in range(1, 8) if rest and rest % size == 0]
        target.append(d.pick(*divisors) if divisors else 0)
        rest = rest // target[-1] if target[-1] else rest
    if rest != 1 or d.chance(0.2):
        target.append(rest)
    allow = d.maybe(d.pick(0, 1), 0.3) if d.version >= 14 else None
    if not allow:
        for axis, size in enumerate(target):
            if axis < len(shape) and size == shape[axis] and d.chance(0.3):
                target[axis] = 0
    if d.chance(0.5) and target and not (allow and 0 in target):
        target[d.integer(0, len(target) - 1)] = -1
    type = d.type(ALL)
    if d.version < 5:
        return d.node([d.tensor(type, shape)], shape=target)
    d.node([d.tensor(type, shape), d.ints(target)], allowzero=allow)


def draw_flatten(d):
    shape = d.shape(0 if d.version >= 9 else 1)
    low = -len(shape) if d.version >= 11 else 0
    d.node([d.tensor(d.type(ALL if d.version >= 9 else FLOATS), shape)],
           axis=d.maybe(d.integer(low, len(shape))))


def draw_squeeze(d):
    shape = [1 if d.chance(0.5) else size for size in d.shape()]
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axes = d.random.sample(ones, d.integer(0, len(ones)))
    if d.version >= 11:
        axes = [axis - len(shape) if d.chance(0.3) else axis for axis in axes]
    feed = d.tensor(d.type(ALL), shape)
    if d.version >= 13:
        return d.node([feed, d.ints(axes) if d.chance(0.7) else None])
    d.node([feed], axes=axes if axes and d.chance(0.8) else None)


def draw_unsqueeze(d):
    shape = d.shape(0, 4)
    rank = len(shape) + d.integer(1, 2)
    axes = d.random.sample(range(rank), rank - len(shape))
    if d.version >= 11:
        axes = [axis - rank if d.chance(0.3) else axis for axis in axes]
    else:
        axes.sort()
    feed = d.tensor(d.type(ALL), shape)
    if d.version >= 13:
        scalar = len(axes) == 1 and d.chance(0.1)
        return d.node([feed, d.feed(np.array(axes[0] if scalar else axes), 0.97)])
    d.node([feed], axes=axes)


def draw_identity(d):
    d.node([d.tensor(d.type(ALL), d.shape())])


def draw_dropout(d):
    type = d.type(FLOATS)
    inputs = [d.tensor(type, d.shape())]
    outputs = d.pick([True], [True, True])
    if d.version >= 12:
        inputs.append(d.feed(np.array(0.5, to_dtype(d.type(FLOATS))), 0.9)
                      if d.chance(0.5) else None)
        inputs.append(d.feed(np.array(False), 0.9) if d.chance(0.4) else None)
        return d.node(inputs, outputs, seed=d.maybe(3, 0.2))
    # ONNX leaves the mask open there; versions before the seventh train by themselves.
    d.node(inputs, ratio=d.maybe(0.3), is_test=1 if d.version < 7 else None)


ROWS = {"Concat": draw_concat, "Split": draw_split, "Slice": draw_slice, "Pad": draw_pad,
        "Gather": draw_gather, "GatherElements": draw_gather_elements,
        "GatherND": draw_gather_nd, "Scatter": draw_scatter_elements,
        "ScatterElements": draw_scatter_elements, "ScatterND": draw_scatter_nd,
        "OneHot": draw_one_hot, "ReverseSequence": draw_reverse, "EyeLike": draw_eye,
        "Trilu": draw_trilu, "Transpose": draw_transpose, "Expand": draw_expand,
        "Tile": draw_tile, "DepthToSpace": draw_depth_to_space,
        "SpaceToDepth": draw_depth_to_space, "Compress": draw_compress,
        "Shape": draw_shape, "Size": draw_size, "Constant": draw_constant,
        "ConstantOfShape": draw_constant_of_shape, "HannWindow": draw_window,
        "HammingWindow": draw_window, "BlackmanWindow": draw_window,
        "NonZero": draw_non_zero, "Range": draw_range, "Reshape": draw_reshape,
        "Flatten": draw_flatten, "Squeeze": draw_squeeze, "Unsqueeze": draw_unsqueeze,
        "Identity": draw_identity, "Dropout": draw_dropout}
NEWER = {"Split": [18], "Pad": [18, 19, 21, 23, 24, 25], "ScatterElements": [18],
         "ScatterND": [18], "EyeLike": [22], "Dropout": [22]}
NEWER |= {name: [21, 23, 24, 25] for name in (
    "Flatten", "Squeeze", "Unsqueeze", "Transpose")}
NEWER |= {name: [19, 21, 23, 24, 25] for name in (
    "Shape", "Size", "Constant", "Reshape", "Identity")}
NEWER |= {"ConstantOfShape": [20, 21, 23, 24, 25]}
