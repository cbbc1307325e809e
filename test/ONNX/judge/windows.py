"""Random nodes of the operators that slide windows, multiply matrices, resample, or go
through sequences."""
#
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
from draw import FLOATS, to_dtype

FLOAT = ["f32", "f32", "f16", "f64"]


def draw_windows(d, rank, size, kernel, has_dilations=True):
    """The attributes of a window, of which the input's sizes leave room for one."""
    attributes = {}
    dilations = [1] * rank
    if has_dilations and d.chance(0.4):
        dilations = [d.integer(1, 2) for _ in range(rank)]
        attributes["dilations"] = dilations
    reach = [(k - 1) * dilation + 1 for k, dilation in zip(kernel, dilations)]
    if d.chance(0.6):
        attributes["strides"] = [d.integer(1, 3) for _ in range(rank)]
    kind = d.pick("none", "pads", "pads", "auto")
    if kind == "auto":
        attributes["auto_pad"] = d.pick("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
        # Where a kernel is smaller than its stride, ONNX's formula pads less than nothing.
        if "strides" in attributes:
            attributes["strides"] = [min(pair) for pair in zip(attributes["strides"], kernel)]
        # ONNX Runtime's pooling forgets the dilations there.
        if d.name.endswith("Pool") and attributes["auto_pad"].startswith("SAME"):
            attributes.pop("dilations", None)
    elif kind == "pads":
        attributes["pads"] = [d.integer(0, max(0, k - 1)) for k in kernel * 2]
    low = list(reach)
    if kind == "pads" and d.chance(0.3):
        low = [max(1, need - before - after) for need, before, after in zip(
            reach, attributes["pads"][:rank], attributes["pads"][rank:])]
    return attributes, [need + d.integer(0, size) for need in low]


def draw_kernel(d, rank):
    return [d.integer(1, 3) for _ in range(rank)]


def draw_convolution(d):
    rank = d.pick(1, 2, 2, 2, 3)
    kernel = draw_kernel(d, rank)
    attributes, sizes = draw_windows(d, rank, 3, kernel)
    groups, inputs, outputs = d.pick(1, 1, 2, 3), d.integer(1, 2), d.integer(1, 2)
    type = d.type(FLOAT)
    shape = [d.integer(1, 2), groups * inputs, *sizes]
    weights = [groups * outputs, inputs, *kernel]
    feeds = [d.tensor(type, shape, "moderate"),
             d.tensor(type, weights, "moderate", None if d.chance(0.3) else 1)]
    feeds.append(d.tensor(type, [groups * outputs], "moderate")
                 if d.chance(0.5) else None)
    d.node(feeds, group=groups if groups > 1 else d.maybe(1),
           kernel_shape=d.maybe(kernel), **attributes)


def draw_transposed(d):
    rank = d.pick(1, 2, 2, 3)
    kernel = draw_kernel(d, rank)
    groups, inputs, outputs = d.pick(1, 1, 2), d.integer(1, 2), d.integer(1, 2)
    attributes = {}
    strides = [1] * rank
    if d.chance(0.6):
        strides = attributes["strides"] = [d.integer(1, 3) for _ in range(rank)]
    if d.chance(0.3):
        attributes["dilations"] = [d.integer(1, 2) for _ in range(rank)]
    kind = d.pick("none", "pads", "auto", "shape")
    if kind == "pads":
        attributes["pads"] = [d.integer(0, 1) for _ in range(2 * rank)]
    if kind == "auto":
        attributes["auto_pad"] = d.pick("SAME_UPPER", "SAME_LOWER", "VALID")
    if d.chance(0.4):
        attributes["output_padding"] = [d.integer(0, stride - 1) for stride in strides]
    if kind == "auto":
        # Where a kernel is smaller than its stride, ONNX Runtime pads less than nothing.
        kernel = [max(k, stride) for k, stride in zip(kernel, strides)]
    sizes = [d.integer(1, 4) for _ in range(rank)]
    if kind == "shape":
        attributes["output_shape"] = [
            (size - 1) * stride + d.integer(1, 3) for size, stride in zip(sizes, strides)]
    type = d.type(FLOAT)
    feeds = [d.tensor(type, [d.integer(1, 2), groups * inputs, *sizes], "moderate"),
             d.tensor(type, [groups * inputs, outputs, *kernel], "moderate")]
    feeds.append(d.tensor(type, [groups * outputs], "moderate")
                 if d.chance(0.5) else None)
    d.node(feeds, group=groups if groups > 1 else d.maybe(1),
           kernel_shape=d.maybe(kernel), **attributes)


def draw_pool(d):
    rank = d.pick(1, 2, 2, 2, 3)
    kernel = draw_kernel(d, rank)
    is_max = d.name == "MaxPool"
    has_dilations = d.version >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[d.name]
    attributes, sizes = draw_windows(d, rank, 4, kernel, has_dilations)
    if d.version >= {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[d.name]:
        attributes["ceil_mode"] = d.maybe(d.pick(0, 1))
    if d.name == "AveragePool" and d.version >= 7:
        attributes["count_include_pad"] = d.maybe(d.pick(0, 1))
    if d.name == "LpPool":
        attributes["p"] = d.maybe(d.pick(1, 2, 3) if d.version >= 2 else 2.0)
    type = d.type(FLOAT + (["ui8", "i8"] if is_max and d.version >= 12 else []))
    outputs = [True]
    if is_max and d.version >= 8:
        outputs = d.pick([True], [True, True])
        attributes["storage_order"] = d.maybe(d.pick(0, 0, 0, 1), 0.3)
    kind = "any" if is_max and len(outputs) == 1 and d.chance(0.5) else "moderate"
    d.node([d.tensor(type, [d.integer(1, 2), d.integer(1, 3), *sizes], kind)], outputs,
           kernel_shape=kernel, **attributes)


def draw_global_pool(d):
    shape = d.shape(3, 5, zero=False)
    p = None
    if d.name == "GlobalLpPool":
        p = d.maybe(d.pick(1, 2, 3) if d.version >= 2 else 2.0)
    d.node([d.tensor(d.type(FLOAT), shape, "moderate")], p=p)


def draw_max_unpool(d):
    """The indices are those that a MaxPool would give."""
    kernel, (h, w) = d.pick([2, 2], [1, 2], [2, 3]), (d.integer(1, 3), d.integer(1, 3))
    n, c = d.integer(1, 2), d.integer(1, 2)
    height, width = h * kernel[0], w * kernel[1]
    indices = np.empty([n, c, h, w], np.int64)
    for index in np.ndindex(n, c, h, w):
        row = index[2] * kernel[0] + d.integer(0, kernel[0] - 1)
        column = index[3] * kernel[1] + d.integer(0, kernel[1] - 1)
        indices[index] = ((index[0] * c + index[1]) * height + row) * width + column
    feeds = [d.tensor(d.type(FLOAT), [n, c, h, w], "moderate"), d.feed(indices)]
    if d.chance(0.3):
        feeds.append(d.ints([n, c, height, width]))
    d.node(feeds, kernel_shape=kernel, strides=kernel)


def draw_col2im(d):
    kernel = [d.integer(1, 3), d.integer(1, 3)]
    strides = [d.integer(1, 2), d.integer(1, 2)]
    pads = [d.integer(0, 1) for _ in range(4)]
    blocks = [d.integer(1, 3), d.integer(1, 3)]
    image = [(count - 1) * stride + k - before - after for count, stride, k, before, after
             in zip(blocks, strides, kernel, pads[:2], pads[2:])]
    if min(image) < 1:
        pads, image = [0] * 4, [(count - 1) * stride + k for count, stride, k in zip(
            blocks, strides, kernel)]
    c = d.integer(1, 2)
    d.node([d.tensor(d.type(FLOAT), [d.integer(1, 2), c * math.prod(kernel),
                                     math.prod(blocks)], "moderate"),
            d.ints(image), d.ints(kernel)],
           strides=strides, pads=pads if any(pads) else d.maybe(pads))


def draw_gemm(d):
    m, k, n = d.size(1, 5), d.size(1, 5), d.size(1, 5)
    type = d.type(FLOAT + (["i32", "i64", "ui32"] if d.version >= 9 else []))
    a, b = d.maybe(d.pick(0, 1)), d.maybe(d.pick(0, 1))
    feeds = [d.tensor(type, [k, m] if a else [m, k], "moderate"),
             d.tensor(type, [n, k] if b else [k, n], "moderate")]
    if d.version < 11 or d.chance(0.7):
        feeds.append(d.tensor(type, d.broadcast([m, n]) if d.version >= 7 else [m, n],
                              "moderate"))
    attributes = {} if type not in FLOATS else {
        "alpha": d.maybe(d.pick(0.5, 2.0, 1.0)), "beta": d.maybe(d.pick(0.5, 2.0, 0.0))}
    d.node(feeds, transA=a, transB=b, **attributes)


def draw_matrix_shapes(d):
    m, k, n = d.size(1, 4), d.size(1, 5), d.size(1, 4)
    lead = d.shape(0, 3, 12, zero=False)
    a = [k] if d.chance(0.12) else [*d.broadcast(lead), m, k]
    b = [k] if d.chance(0.12) else [*d.broadcast(lead), k, n]
    return a, b


def draw_matmul(d):
    type = d.type(FLOAT + (["i32", "i64", "ui32", "ui64"] if d.version >= 9 else []))
    a, b = draw_matrix_shapes(d)
    d.node([d.tensor(type, a, "moderate"), d.tensor(type, b, "moderate")])


def draw_zero_point(d, type, shape=()):
    low = 0 if type[0] == "u" else -3
    return d.feed(d.numbers.integers(low, 6, list(shape)).astype(to_dtype(type)))


def draw_bytes(d, type, shape, constant=None):
    info = np.iinfo(to_dtype(type))
    return d.feed(d.numbers.integers(info.min, info.max, shape, info.dtype, True), constant)


def draw_matmul_integer(d):
    a, b = draw_matrix_shapes(d)
    types = d.pick("ui8", "i8"), d.pick("ui8", "i8")
    feeds = [draw_bytes(d, types[0], a), draw_bytes(d, types[1], b)]
    for type, shape in zip(types, (a, b)):
        per = [shape[-1]] if shape is b and len(b) == 2 and d.chance(0.3) else []
        feeds.append(draw_zero_point(d, type, per) if d.chance(0.6) else None)
    d.node(feeds)


def draw_scale(d, shape=()):
    return d.feed(np.asarray(d.numbers.uniform(0.02, 0.5, list(shape)), np.float32))


def draw_quantized_matmul(d):
    a, b = draw_matrix_shapes(d)
    left, right, result = d.pick(("ui8", "ui8", "ui8"), ("ui8", "i8", "ui8"),
                                 ("i8", "i8", "i8"), ("ui8", "i8", "i8"))
    per = [b[-1]] if len(b) == 2 and d.chance(0.25) else []
    d.node([draw_bytes(d, left, a), draw_scale(d), draw_zero_point(d, left),
            draw_bytes(d, right, b), draw_scale(d, per), draw_zero_point(d, right, per),
            d.feed(np.float32(d.pick(8.0, 20.0))), draw_zero_point(d, result)])


def draw_integer_convolution(d):
    rank = d.pick(1, 2, 2)
    kernel = draw_kernel(d, rank)
    attributes, sizes = draw_windows(d, rank, 3, kernel)
    groups = d.pick(1, 1, 2)
    x, w = d.pick("ui8", "i8"), d.pick("ui8", "i8")
    shape = [d.integer(1, 2), groups * 2, *sizes]
    weights = [groups * 2, 2, *kernel]
    attributes.update(group=groups if groups > 1 else d.maybe(1),
                      kernel_shape=d.maybe(kernel))
    if d.name == "ConvInteger":
        feeds = [draw_bytes(d, x, shape), draw_bytes(d, w, weights)]
        feeds.append(draw_zero_point(d, x) if d.chance(0.7) else None)
        feeds.append(draw_zero_point(d, w) if d.chance(0.5) else None)
        return d.node(feeds, **attributes)
    per = [weights[0]] if d.chance(0.4) else []
    feeds = [draw_bytes(d, x, shape), draw_scale(d), draw_zero_point(d, x),
             draw_bytes(d, w, weights), draw_scale(d, per),
             d.feed(np.zeros(per, to_dtype(w))) if per else draw_zero_point(d, w),
             d.feed(np.float32(d.pick(8.0, 20.0))), draw_zero_point(d, x)]
    if d.chance(0.4):
        feeds.append(d.feed(d.numbers.integers(-99, 99, [weights[0]]).astype(np.int32)))
    d.node(feeds, **attributes)


# Resampling and regions.

def draw_resize(d):
    shape = d.shape(4, 4, 96, zero=False) if d.chance(0.6) else d.shape(1, 5, 96, zero=False)
    moved = [d.chance(0.7) and (axis > 1 or len(shape) < 4 or d.chance(0.15))
             for axis in range(len(shape))]
    type = d.type(["f32", "f16", "ui8", "i8", "i32"] if d.version >= 11 else ["f32"])
    scales = [d.pick(0.5, 2.0, 1.5, 3.0, 0.6, 2.5, 1.0) if move else 1.0 for move in moved]
    scales = [scale if int(size * scale) >= 1 else 2.0
              for size, scale in zip(shape, scales)]
    mode = d.maybe(d.pick("nearest", "linear", "linear", "cubic" if d.chance(0.2)
                          else "nearest"))
    if d.name == "Upsample":
        scales = [max(scale, 1.0) for scale in scales]
        if d.version < 7:
            shape, scales = [1, 2, 3, 2], [1, 1, *scales[2:], 2.0, 1.0][:4]
        feed = d.tensor(d.type(["f32", "ui8", "i32"]), shape, "moderate")
        if d.version < 7:
            return d.node([feed], mode=mode, height_scale=scales[2], width_scale=scales[3])
        if d.version < 9:
            return d.node([feed], mode=mode, scales=scales)
        return d.node([feed, d.feed(np.float32(scales), 0.97)], mode=mode)
    feed = d.tensor(type, shape, "moderate")
    if d.version < 11:
        return d.node([feed, d.feed(np.float32(scales), 0.97)], mode=mode)
    coordinates = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
    coordinates += ["tf_half_pixel_for_nn"] if d.version == 11 else []
    coordinates += ["half_pixel_symmetric"] if d.version >= 19 else []
    attributes = {
        "mode": mode, "coordinate_transformation_mode": d.maybe(d.pick(*coordinates)),
        "nearest_mode": d.maybe(d.pick("round_prefer_floor", "round_prefer_ceil", "floor",
                                       "ceil"))}
    if attributes["coordinate_transformation_mode"] == "align_corners":
        # ONNX Runtime aligns the corners of what is left of a fraction.
        scales = [scale if size * scale == int(size * scale) else 2.0
                  for size, scale in zip(shape, scales)]
    if d.version >= 18:
        attributes["antialias"] = d.maybe(d.pick(0, 0, 1), 0.2)
    axes = None
    if d.version >= 18 and d.chance(0.3):
        axes = [axis for axis, move in enumerate(moved) if move] or [0]
        attributes["axes"] = axes
        scales = [scales[axis] for axis in axes]
    roi = None
    if d.version < 13 and d.chance(0.5):
        roi = d.feed(np.zeros([0], np.float32), 1)
    if d.chance(0.5):
        return d.node([feed, roi, d.feed(np.float32(scales), 0.97)], **attributes)
    of = [shape[axis] for axis in axes] if axes else shape
    sizes = [max(1, int(size * scale) + (d.integer(0, 1) if scale != 1 else 0))
             for size, scale in zip(of, scales)]
    empty = None
    if d.version < 13:
        empty = d.feed(np.zeros([0], np.float32), 1)
        roi = roi or d.feed(np.zeros([0], np.float32), 1)
    if d.version >= 18:
        attributes["keep_aspect_ratio_policy"] = d.maybe(
            d.pick("stretch", "not_larger", "not_smaller"), 0.3)
    d.node([feed, roi, empty, d.ints(sizes)], **attributes)


def draw_rois(d, count, height, width, batch=None):
    corners = d.numbers.uniform(0, 1, [count, 4]) * [width, height, width, height]
    low, high = np.minimum(corners[:, :2], corners[:, 2:]), np.maximum(
        corners[:, :2], corners[:, 2:])
    rois = np.concatenate([low, high], 1)
    return rois if batch is None else np.concatenate(
        [d.numbers.integers(0, batch, [count, 1]), rois], 1)


def draw_roi_align(d):
    n, c, h, w = d.integer(1, 2), d.integer(1, 2), d.integer(2, 7), d.integer(2, 7)
    count = d.integer(1, 3)
    type = d.type(["f32", "f64", "f16"] if d.chance(0.2) else ["f32"])
    scale = d.maybe(d.pick(1.0, 0.5, 2.0))
    rois = draw_rois(d, count, h, w) / (scale or 1)
    attributes = {}
    if d.version >= 16:
        attributes["coordinate_transformation_mode"] = d.maybe(
            d.pick("half_pixel", "output_half_pixel"))
    d.node([d.tensor(type, [n, c, h, w], "moderate"), d.feed(rois.astype(to_dtype(type))),
            d.feed(d.numbers.integers(0, n, [count]))],
           mode=d.maybe(d.pick("avg", "avg", "max")), spatial_scale=scale,
           output_height=d.maybe(d.integer(1, 3)), output_width=d.maybe(d.integer(1, 3)),
           sampling_ratio=d.maybe(d.pick(0, 1, 2, 3)), **attributes)


def draw_roi_pool(d):
    n, c, h, w = d.integer(1, 2), d.integer(1, 2), d.integer(2, 7), d.integer(2, 7)
    rois = np.floor(draw_rois(d, d.integer(1, 3), h - 1, w - 1, n))
    d.node([d.tensor("f32", [n, c, h, w], "moderate"), d.feed(rois.astype(np.float32))],
           pooled_shape=[d.integer(1, 3), d.integer(1, 3)], spatial_scale=d.maybe(1.0))


def draw_einsum(d):
    sizes = {letter: d.integer(1, 4) for letter in "ijklm"}
    equations = ["ij->ji", "ij->", "ij->i", "i,i->", "i,j->ij", "ij,jk->ik", "ij,jk",
                 "bij,bjk->bik", "bij,bkj->bik", "ij,ij->ij", "ij,ij->", "ij->j",
                 "ijk->kij", "bhid,bhjd->bhij", "bhij,bhjd->bhid", "ij,j->i", "ijk,jl->ikl",
                 "ii->i", "ii->", "...ij,...jk->...ik", "...ij->...ji", "...i->...",
                 "ij,jk,kl->il", "i,j,k->ijk", "bij,jk->bik", "ij", "ji", "ijk->", "ijkl->ik",
                 "ij,kl->ijkl", "i,ij,j->", " ij , jk -> ik ", "ijj->i", "ij->ij"]
    equation = d.pick(*equations)
    sizes |= {"b": d.integer(1, 2), "h": d.integer(1, 2), "d": d.integer(1, 3)}
    lead = d.shape(0, 2, 6, zero=False)
    terms = equation.replace(" ", "").split("->")[0].split(",")
    type = d.type(["f32", "f32", "f16", "i32", "i64", "f64"])
    feeds = []
    for term in terms:
        shape = [sizes[letter] for letter in term.replace(".", "")]
        if "..." in term:
            shape = (d.broadcast(lead) if len(terms) > 1 else list(lead)) + shape
        feeds.append(d.tensor(type, shape, "moderate"))
    d.node(feeds, equation=equation)


# Sequences.

def draw_activations(d, count):
    """Activations, with the numbers that they take. ONNX Runtime has none of its own for
    three of them, which ONNX has."""
    alphas = {"LeakyRelu": 0.01, "ThresholdedRelu": None, "HardSigmoid": 0.2, "Elu": 1.0,
              "Affine": None, "ScaledTanh": None}
    betas = ("HardSigmoid", "Affine", "ScaledTanh")
    names = ["Sigmoid", "Tanh", "Relu", "Softsign", "Softplus", *alphas]
    chosen = [d.pick(*names) for _ in range(count)]
    attributes = {"activations": chosen}
    if d.chance(0.5) or any(alphas.get(name, 0) is None for name in chosen):
        first = [d.pick(0.2, 0.5, 1.0) for name in chosen if name in alphas]
        second = [d.pick(0.2, 0.5, 1.0) for name in chosen if name in betas]
        attributes["activation_alpha"] = first or None
        attributes["activation_beta"] = second or None
    return attributes


def draw_recurrent(d):
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[d.name]
    direction = d.maybe(d.pick("forward", "reverse", "bidirectional"))
    both = 2 if direction == "bidirectional" else 1
    steps, batch, width, hidden = (d.integer(1, 4) for _ in range(4))
    layout = d.maybe(d.pick(0, 0, 1), 0.3) if d.version >= 14 else None
    type = d.type(["f32", "f32", "f32", "f64", "f16"] if d.chance(0.3) else ["f32"])
    x = [batch, steps, width] if layout else [steps, batch, width]
    state = [batch, both, hidden] if layout else [both, batch, hidden]
    feeds = [d.tensor(type, x, "unit"),
             d.tensor(type, [both, gates * hidden, width], "unit", 0.7),
             d.tensor(type, [both, gates * hidden, hidden], "unit", 0.7)]
    feeds.append(d.tensor(type, [both, 2 * gates * hidden], "unit")
                 if d.chance(0.6) else None)
    feeds.append(d.feed(d.numbers.integers(1, steps + 1, [batch]).astype(np.int32))
                 if d.chance(0.4) else None)
    feeds.append(d.tensor(type, state, "unit") if d.chance(0.5) else None)
    if d.name == "LSTM":
        feeds.append(d.tensor(type, state, "unit") if d.chance(0.5) else None)
        feeds.append(d.tensor(type, [both, 3 * hidden], "unit") if d.chance(0.4) else None)
    attributes = {"hidden_size": d.maybe(hidden, 0.9), "direction": direction,
                  "clip": d.maybe(d.pick(0.5, 2.0), 0.2), "layout": layout}
    if d.name == "GRU" and d.version >= 3:
        attributes["linear_before_reset"] = d.maybe(d.pick(0, 1))
    if d.name == "LSTM":
        attributes["input_forget"] = d.maybe(d.pick(0, 0, 1), 0.3)
    if d.version < 7:
        attributes["output_sequence"] = d.maybe(1)
    if d.chance(0.3):
        attributes |= draw_activations(d, {"RNN": 1, "GRU": 2, "LSTM": 3}[d.name] * both)
    outputs = [d.chance(0.7), d.chance(0.7)] + (
        [d.chance(0.6)] if d.name == "LSTM" else [])
    if not any(outputs):
        outputs[0] = True
    d.tolerance = (1e-4, 2e-5, 0)
    d.node(feeds, outputs, **attributes)


ROWS = {"Conv": draw_convolution, "ConvTranspose": draw_transposed,
        "MaxUnpool": draw_max_unpool, "Col2Im": draw_col2im, "Gemm": draw_gemm,
        "MatMul": draw_matmul, "MatMulInteger": draw_matmul_integer,
        "QLinearMatMul": draw_quantized_matmul, "ConvInteger": draw_integer_convolution,
        "QLinearConv": draw_integer_convolution, "Resize": draw_resize,
        "Upsample": draw_resize, "RoiAlign": draw_roi_align, "MaxRoiPool": draw_roi_pool,
        "Einsum": draw_einsum}
ROWS |= {name: draw_pool for name in ("MaxPool", "AveragePool", "LpPool")}
ROWS |= {name: draw_global_pool for name in (
    "GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool")}
ROWS |= {name: draw_recurrent for name in ("RNN", "GRU", "LSTM")}
NEWER = {"Col2Im": [18], "LpPool": [18, 22], "AveragePool": [19, 22], "MaxPool": [22],
         "Resize": [18, 19], "QLinearMatMul": [21], "Conv": [22], "ConvTranspose": [22],
         "GlobalMaxPool": [22], "GlobalAveragePool": [22], "GlobalLpPool": [22],
         "MaxUnpool": [22], "MaxRoiPool": [22], "RoiAlign": [22], "RNN": [22],
         "GRU": [22], "LSTM": [22]}
