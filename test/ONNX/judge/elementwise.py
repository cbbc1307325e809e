"""Random nodes of the operators that work on elements one by one, of reductions and of
normalizations."""
#
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
from draw import ALL, FLOATS, INTEGERS, PROTO, get_allowed, to_dtype

FLOAT = ["f32", "f16", "f64"]
# Types of newer versions of ONNX than this Python package is of.
UINT4, INT4 = 21, 22
# Where an operator computes a finite number of what is drawn, mostly.
UNARY = {"Sqrt": "positive", "Reciprocal": "any", "Exp": "moderate", "Log": "positive",
         "Ceil": "any", "Floor": "any", "Neg": "any", "Sign": "any", "Erf": "any",
         "Sin": "moderate", "Cos": "moderate", "Tan": "unit", "Asin": "unit",
         "Acos": "unit", "Atan": "any", "Sinh": "moderate", "Cosh": "moderate",
         "Asinh": "any", "Acosh": "positive", "Atanh": "unit", "Not": "any", "Abs": "any",
         "Relu": "any", "Sigmoid": "any", "Tanh": "any", "Softsign": "any",
         "Softplus": "any", "Round": "any", "IsNaN": "any", "HardSwish": "any"}


def draw_unary(d):
    kind = UNARY[d.name]
    kind = "any" if d.chance(0.3) else kind
    d.node([d.tensor(d.type(), d.shape(), kind)])


def draw_new_unary(d):
    """Operators that came with newer sets than this Python package knows."""
    type, attributes = d.type({"BitwiseNot": INTEGERS}.get(d.name, FLOAT)), {}
    if d.name == "Gelu":
        attributes["approximate"] = d.maybe(d.pick("none", "tanh"))
        # In f16, 1 + tanh(x) loses digits.
        if attributes["approximate"] == "tanh" and type == "f16":
            d.tolerance = (2e-5, 2e-6, 1e-3)
    if d.name == "Swish":
        # ONNX Runtime's sigmoid of numbers far below 0 is not precise.
        d.tolerance = (5e-4, 1e-4, 0)
        attributes["alpha"] = d.maybe(d.pick(1.0, 0.5, 2.0, -1.0))
    d.node([d.tensor(type, d.shape(), d.pick("any", "moderate"))], **attributes)


def draw_number(d):
    return d.pick(0.0, 1.0, 0.01, 0.5, 1.5, 2.0, -0.5, 0.3)


def draw_activation(d):
    names = {"LeakyRelu": ["alpha"], "Elu": ["alpha"], "Celu": ["alpha"],
             "ThresholdedRelu": ["alpha"], "HardSigmoid": ["alpha", "beta"],
             "Selu": ["alpha", "gamma"], "Shrink": ["bias", "lambd"],
             "ScaledTanh": ["alpha", "beta"], "ParametricSoftplus": ["alpha", "beta"]}
    attributes = {name: d.maybe(draw_number(d)) for name in names[d.name]}
    if d.name == "Celu" and attributes["alpha"] == 0:
        attributes["alpha"] = 2.0
    known = d.name not in ("ScaledTanh", "ParametricSoftplus")
    # ONNX Runtime shrinks large integers as rounded floats.
    kind = "moderate" if d.name == "Shrink" else "any"
    d.node([d.tensor(d.type(None if known else FLOAT), d.shape(), kind)], **attributes)


def draw_denominator(d, type, shape):
    """Elements that integers may be divided by."""
    array = d.values(type, shape)
    if type in FLOATS:
        return array
    # The least integer has no quotient by -1.
    bad = (array == 0) | ((array == -1) if type[0] == "i" else False)
    return np.where(bad, np.asarray(3, array.dtype), array)


def draw_binary(d):
    bitwise = d.name.startswith("Bitwise")
    type = d.type(INTEGERS if bitwise else None)
    shape = d.shape()
    if d.version < 7:
        return draw_old_binary(d, type, shape)
    a, b = d.broadcast(shape), d.broadcast(shape)
    kind = "moderate" if d.chance(0.5) else "any"
    attributes = {}
    second = d.values(type, b, kind)
    if d.name in ("Div", "Mod"):
        second = draw_denominator(d, type, b)
    if d.name == "Mod":
        attributes["fmod"] = 1 if type in FLOATS else d.maybe(d.pick(0, 1), 0.5)
    if d.name == "BitShift":
        attributes["direction"] = d.pick("LEFT", "RIGHT")
        second = d.numbers.integers(0, np.iinfo(to_dtype(type)).bits, b).astype(
            to_dtype(type))
    d.node([d.tensor(type, a, kind), d.feed(second)], **attributes)


def draw_old_binary(d, type, shape):
    """Broadcasting as it was before version 7."""
    attributes, other = {}, list(shape)
    if d.chance(0.5) and shape:
        start = d.integer(0, len(shape) - 1)
        stop = d.integer(start + 1, len(shape))
        other = shape[start:stop]
        attributes["broadcast"] = 1
        if stop < len(shape) or d.chance(0.5):
            attributes["axis"] = start
    second = draw_denominator(d, type, other) if d.name == "Div" else \
        d.values(type, other)
    d.node([d.tensor(type, shape), d.feed(second)], **attributes)


def draw_comparison(d):
    types = get_allowed(d.name, d.version)
    type = d.type(types)
    shape = d.shape()
    if d.version < 7:
        return draw_old_binary(d, type, shape)
    d.node([d.tensor(type, d.broadcast(shape)), d.tensor(type, d.broadcast(shape))])


def draw_many(d):
    """Max, Min, Sum and Mean."""
    type, shape = d.type(), d.shape()
    count = d.integer(1, 4)
    d.node([d.tensor(type, d.broadcast(shape) if d.version >= 8 else shape)
            for _ in range(count)])


def draw_pow(d):
    type = d.type(get_allowed("Pow", d.version, 0))
    other = type if d.version < 12 or d.chance(0.5) else d.type(
        ["f32", "i32", "i64", "f16"])
    shape = d.shape()
    base, power = (d.broadcast(shape), d.broadcast(shape)) if d.version >= 7 else \
        (shape, shape)
    exponents = d.numbers.integers(-2 if type in FLOATS else 0, 5, power)
    if other in FLOATS and type in FLOATS and d.chance(0.5):
        exponents = exponents + 0.5
    kind = d.pick("positive", "moderate")
    exponents = np.maximum(exponents, 0) if other[:2] == "ui" else exponents
    d.node([d.tensor(type, base, kind),
            d.feed(exponents.astype(to_dtype(other)))])


def draw_clip(d):
    types = get_allowed("Clip", d.version)
    type, shape = d.type(types), d.shape()
    low, high = sorted([d.integer(-4, 4), d.integer(-4, 4)])
    if d.chance(0.2):
        low, high = high, low
    if type.startswith("ui"):
        low, high = low + 4, high + 4
    if d.version < 11:
        d.node([d.tensor(type, shape)], min=d.maybe(float(low)), max=d.maybe(float(high)))
        return

    def bound(value):
        if d.chance(0.3):
            return None
        return d.feed(np.array(value, to_dtype(type)))
    d.node([d.tensor(type, shape), bound(low), bound(high)])


def draw_prelu(d):
    type, shape = d.type(), d.shape()
    slope = d.broadcast(shape)
    if d.version < 7 and len(shape) > 1 and d.chance(0.7):
        slope = [shape[1]] if d.chance(0.5) else [1]
    d.node([d.tensor(type, shape), d.tensor(type, slope)])


def draw_where(d):
    type, shape = d.type(ALL), d.shape()
    d.node([d.tensor("bool", d.broadcast(shape)), d.tensor(type, d.broadcast(shape)),
            d.tensor(type, d.broadcast(shape))])


def draw_cast_input(d, source, target, shape):
    """Elements whose conversion ONNX defines."""
    array = d.values(source, shape)
    if source not in FLOATS or target in FLOATS + ["bool"]:
        return array
    low = 0 if target.startswith("u") else -100
    array = np.nan_to_num(array.astype(np.float64), nan=1, posinf=7, neginf=-0.0)
    return np.clip(array, low, 100).astype(to_dtype(source))


def draw_cast(d):
    source, target = d.type(ALL), d.type(ALL)
    feed = d.feed(draw_cast_input(d, source, target, d.shape()))
    if d.name == "CastLike":
        return d.node([feed, d.tensor(target, d.shape(0, 2))],
                      saturate=d.maybe(1, 0.2) if d.version >= 19 else None)
    if d.version < 6:
        return d.node([feed], to={"f32": "FLOAT", "f16": "FLOAT16", "f64": "DOUBLE",
                                  "i8": "INT8", "i16": "INT16", "i32": "INT32",
                                  "i64": "INT64", "ui8": "UINT8", "ui16": "UINT16",
                                  "ui32": "UINT32", "ui64": "UINT64",
                                  "bool": "BOOL"}[target])
    d.node([feed], to=PROTO[target],
           saturate=d.maybe(d.pick(0, 1), 0.2) if d.version >= 19 else None)


def draw_isinf(d):
    type = d.type(["f32", "f64"] + (["f16"] if d.version >= 20 else []))
    d.has_special = True
    d.node([d.tensor(type, d.shape())], detect_negative=d.maybe(d.pick(0, 1)),
           detect_positive=d.maybe(d.pick(0, 1)))


def draw_dynamic_quantize(d):
    outputs = [True, True, True]
    d.has_special = False
    d.node([d.tensor("f32", d.shape(), "moderate")], outputs=outputs)


def draw_nibbles(d):
    """QuantizeLinear to four bits, whose elements no output has, and back."""
    shape, target = d.shape(), d.pick(INT4, UINT4)
    scales, attributes = [], {}
    if shape and d.chance(0.5):
        axis = d.integer(0, len(shape) - 1)
        scales, attributes = [shape[axis]], {"axis": axis}
    scale = d.feed((2.0 ** d.numbers.integers(-2, 1, scales)).astype(np.float32))
    small, = d.node([d.tensor("f32", shape, "moderate"), scale], name="QuantizeLinear",
                    is_output=False, output_dtype=target, **attributes)
    d.node([small, scale], name="DequantizeLinear", **attributes)


def draw_quantize(d):
    """QuantizeLinear and DequantizeLinear, of a tensor, along an axis, or in blocks."""
    d.has_special = False
    if d.version >= 21 and d.chance(0.2):
        return draw_nibbles(d)
    shape, attributes = d.shape(), {}
    kinds = ["tensor"] + (["axis"] * 2 if d.version >= 13 and shape else [])
    kinds += ["block"] if d.version >= 21 and shape else []
    kind = d.pick(*kinds)
    scales, axis = [1] if d.chance(0.2) else [], None
    if kind != "tensor":
        axis = d.axis(len(shape))
        position = axis % len(shape)
        if kind == "axis":
            scales = [shape[position]]
            attributes["axis"] = axis if position != 1 or d.chance(0.5) else None
        else:
            block = d.integer(1, max(1, shape[position]))
            attributes.update(axis=axis, block_size=block)
            scales = list(shape)
            scales[position] = -(-shape[position] // block)
    quantized = d.type(["ui8", "i8"] + (["ui16", "i16"] if d.version >= 21 else []))
    real = d.type(["f32", "f16"] if d.version >= 19 else ["f32"])
    d.has_special = False
    # Powers of two leave no doubt about ties.
    scale = 2.0 ** d.numbers.integers(-3, 2, scales) if d.chance(0.7) else \
        d.numbers.uniform(0.05, 1, scales)
    scale = d.feed(scale.astype(to_dtype(real)))
    zero = None if d.chance(0.3) else d.feed(d.numbers.integers(
        0 if quantized[0] == "u" else -5, 10, scales).astype(to_dtype(quantized)))
    if d.name == "QuantizeLinear":
        if d.version >= 19:
            attributes["saturate"] = d.maybe(1, 0.1)
        if d.version >= 21 and zero is None:
            attributes["output_dtype"] = d.maybe(PROTO[quantized])
        d.node([d.tensor(real, shape), scale, zero], **attributes)
    else:
        source = "i32" if zero is None and d.chance(0.3) else quantized
        d.node([d.tensor(source, shape), scale, zero], **attributes)


# Reductions.

def draw_reduce(d):
    # Of nothing, there is no extremum, and ONNX Runtime's sums have other shapes.
    shape = d.shape(zero=False)
    types = get_allowed(d.name, d.version)
    if d.version >= 20:
        types = types + ["bool"]
    # ONNX Runtime's logarithms of integers are those of truncated exponentials.
    type = d.type(FLOATS if d.name == "ReduceLogSumExp" else types)
    is_exact = d.name in ("ReduceMax", "ReduceMin")
    # Sums of large integers are rounded in ONNX Runtime, or wrap around.
    kind = "any" if is_exact or type in FLOATS and d.chance(0.15) else "moderate"
    if d.name == "ReduceLogSum":
        kind = "positive"
    if d.name in ("ReduceProd", "ReduceLogSumExp"):
        kind = "unit" if type in FLOATS else "small"
    inputs, attributes = [d.tensor(type, shape, kind)], {}
    takes_axes = d.version >= (13 if d.name == "ReduceSum" else
                               18 if not is_exact else 18)
    axes = d.maybe(d.axes(len(shape), 0 if takes_axes and d.chance(0.2) else 1), 0.75)
    if d.version < 11 and axes:
        axes = [axis % len(shape) for axis in axes]
    if takes_axes:
        inputs.append(None if axes is None else d.ints(axes))
        attributes["noop_with_empty_axes"] = d.maybe(d.pick(0, 1), 0.4)
    elif axes:
        attributes["axes"] = axes
    d.node(inputs, keepdims=d.maybe(d.pick(0, 1)), **attributes)


def draw_argument(d):
    shape = d.shape(1 if d.chance(0.95) else 0)
    type = d.type()
    axis = d.axis(len(shape))
    axis = axis % max(1, len(shape)) if d.version < 11 else axis
    # Which NaN is found first, ONNX leaves open.
    d.has_special = False
    d.node([d.tensor(type, shape)], axis=d.maybe(axis), keepdims=d.maybe(d.pick(0, 1)),
           select_last_index=d.maybe(d.pick(0, 1)) if d.version >= 12 else None)


def draw_cumulative(d):
    shape = d.shape(1)
    types = FLOATS + ["i32", "i64", "ui32", "ui64"]
    kind = "unit" if d.name == "CumProd" else "moderate"
    d.node([d.tensor(d.type(types), shape, kind),
            d.feed(np.array(d.axis(len(shape)), d.pick(np.int32, np.int64)), 0.95)],
           exclusive=d.maybe(d.pick(0, 1)), reverse=d.maybe(d.pick(0, 1)))


def draw_topk(d):
    shape = d.shape(1, zero=False)
    axis = d.axis(len(shape))
    axis = axis % len(shape) if d.version < 11 else axis
    k = d.integer(0 if d.chance(0.05) else 1, shape[axis])
    type = d.type(["f32", "f64", "i64", "i32", "f16", "ui8", "i8", "i16"]
                  if d.version >= 11 else FLOATS)
    d.has_special = False
    # Without ties, since the order of equals is not ONNX's to say before version 11.
    array = d.numbers.permutation(math.prod(shape)).reshape(shape)
    array = (array % 100 if type[-1] == "8" else array).astype(to_dtype(type))
    feed, attributes = d.feed(array), {"axis": d.maybe(axis)}
    if attributes["axis"] is None:
        k = min(k, shape[-1])
    outputs = [True, True]
    if d.version < 10:
        return d.node([feed], outputs, k=k, **attributes)
    if d.version >= 11:
        attributes["largest"] = d.maybe(d.pick(0, 1))
        attributes["sorted"] = d.maybe(1)
    d.node([feed, d.ints([k])], outputs, **attributes)


# Normalizations.

def draw_softmax(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    axis = axis % len(shape) if d.version < 11 else axis
    if d.name == "Hardmax":
        d.has_special = False
    d.node([d.tensor(d.type(), shape, d.pick("any", "moderate"))], axis=d.maybe(axis))


def draw_batch_normalization(d):
    shape = d.shape(2, 5, zero=False)
    type = d.type()
    mixed = type if d.version < 15 or d.chance(0.7) else "f32"
    channels = [shape[1]]
    parameters = [d.tensor(mixed, channels, kind)
                  for kind in ("moderate", "moderate", "moderate", "positive")]
    attributes = {"epsilon": d.maybe(d.pick(1e-5, 1e-3, 0.1)),
                  "momentum": d.maybe(d.pick(0.9, 0.5), 0.3)}
    if d.version >= 14:
        attributes["training_mode"] = d.maybe(0, 0.3)
    if d.version < 9:
        attributes["spatial"] = d.maybe(1)
    if d.version < 7:
        attributes["is_test"] = 1
    d.node([d.tensor(type, shape, "moderate"), *parameters], **attributes)


def draw_instance_normalization(d):
    d.tolerance = (2e-4, 2e-4, 0)
    shape = d.shape(3, 5, zero=False)
    type = d.type()
    d.node([d.tensor(type, shape, "moderate"), d.tensor(type, [shape[1]], "moderate"),
            d.tensor(type, [shape[1]], "moderate")],
           epsilon=d.maybe(d.pick(1e-5, 1e-2, 0.5)))


def draw_group_normalization(d):
    d.tolerance = (2e-4, 2e-4, 0)
    groups, each = d.integer(1, 3), d.integer(1, 3)
    shape = [d.size(1, 3), groups * each, *d.shape(1, 3, 27, zero=False)]
    type = d.type(FLOAT)
    count = [groups] if d.version < 21 else [groups * each]
    d.node([d.tensor(type, shape, "moderate"), d.tensor(type, count, "moderate"),
            d.tensor(type, count, "moderate")],
           num_groups=groups, epsilon=d.maybe(d.pick(1e-5, 1e-2)),
           stash_type=d.maybe(1, 0.2) if d.version >= 21 else None)


def draw_layer_normalization(d):
    """LayerNormalization, SimplifiedLayerNormalization and RMSNormalization."""
    shape = d.shape(1, 5, zero=False)
    axis = d.axis(len(shape))
    given = d.maybe(axis)
    inner = shape[axis if given is not None else -1:]
    type = d.type(FLOAT)
    is_layer = d.name == "LayerNormalization"
    scales = inner if d.chance(0.8) else d.broadcast(inner)
    inputs = [d.tensor(type, shape, "moderate"), d.tensor(type, scales, "moderate")]
    if is_layer:
        inputs.append(d.tensor(type, inner, "moderate") if d.chance(0.6) else None)
    outputs = [True]
    if is_layer:
        outputs = d.pick([True], [True, True, True], [True, False, True], [True, True])
    d.tolerance = (2e-4, 2e-4, 0)
    d.node(inputs, outputs, axis=given, epsilon=d.maybe(d.pick(1e-5, 1e-2, 0.3)),
           stash_type=d.maybe(1, 0.3))


def draw_mean_variance(d):
    # ONNX Runtime subtracts the square of the mean, and loses what deviates little.
    rank = 4 if d.chance(0.7) else d.integer(1, 5)
    shape = [d.integer(3, 4) if rank < 4 else d.integer(2, 3) for _ in range(rank)]
    axes = d.axes(len(shape), 1) if len(shape) != 4 else d.maybe(d.axes(4, 2))
    d.tolerance = (5e-4, 5e-4, 0)
    d.node([d.tensor(d.type(), shape, "moderate")], axes=axes)


def draw_lrn(d):
    shape = d.shape(4, 4, zero=False) if d.chance(0.8) else d.shape(3, 5, zero=False)
    d.node([d.tensor(d.type(), shape, "moderate")], size=d.pick(1, 3, 5),
           alpha=d.maybe(d.pick(1e-4, 0.1, 1.0)), beta=d.maybe(d.pick(0.75, 0.5)),
           bias=d.maybe(d.pick(1.0, 2.0)))


def draw_lp_normalization(d):
    shape = d.shape(1, zero=False)
    d.node([d.tensor(d.type(FLOAT), shape, "moderate")], axis=d.maybe(d.axis(len(shape))),
           p=d.maybe(d.pick(1, 2)))


def draw_loss(d):
    """NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss."""
    d.tolerance = (5e-5, 5e-5, 0)
    shape = [d.size(1, 3), d.size(2, 4), *d.shape(0, 3, 24, zero=False)]
    type, index = d.type(FLOAT), d.pick("i64", "i32")
    targets = d.numbers.integers(0, shape[1], [shape[0], *shape[2:]])
    ignored = d.maybe(d.pick(0, 1, -1, 255), 0.4)
    if ignored is not None and d.chance(0.7):
        targets = np.where(d.numbers.random(targets.shape) < 0.3, ignored, targets)
    inputs = [d.tensor(type, shape, "moderate"), d.feed(targets.astype(to_dtype(index)))]
    inputs.append(d.tensor(type, [shape[1]], "positive") if d.chance(0.5) else None)
    outputs = [True]
    if d.name == "SoftmaxCrossEntropyLoss":
        outputs = d.pick([True], [True, True])
    d.node(inputs, outputs, ignore_index=ignored,
           reduction=d.maybe(d.pick("none", "sum", "mean")))


ROWS = {name: draw_unary for name in UNARY}
ROWS |= {name: draw_activation for name in (
    "LeakyRelu", "Elu", "Celu", "ThresholdedRelu", "HardSigmoid", "Selu", "Shrink",
    "ScaledTanh", "ParametricSoftplus")}
ROWS |= {name: draw_binary for name in (
    "Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Mod", "BitShift", "BitwiseAnd",
    "BitwiseOr", "BitwiseXor")}
ROWS |= {name: draw_comparison for name in (
    "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")}
ROWS |= {name: draw_many for name in ("Sum", "Max", "Min", "Mean")}
ROWS |= {name: draw_reduce for name in (
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
    "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")}
ROWS |= {name: draw_argument for name in ("ArgMax", "ArgMin")}
ROWS |= {name: draw_softmax for name in ("Softmax", "LogSoftmax", "Hardmax")}
ROWS |= {name: draw_loss for name in (
    "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")}
ROWS |= {name: draw_new_unary for name in ("Mish", "Gelu", "BitwiseNot", "Swish")}
ROWS |= {"Pow": draw_pow, "Clip": draw_clip, "PRelu": draw_prelu, "Where": draw_where,
         "Cast": draw_cast, "CastLike": draw_cast, "IsInf": draw_isinf,
         "DynamicQuantizeLinear": draw_dynamic_quantize, "QuantizeLinear": draw_quantize,
         "DequantizeLinear": draw_quantize, "CumSum": draw_cumulative,
         "CumProd": draw_cumulative, "TopK": draw_topk,
         "BatchNormalization": draw_batch_normalization,
         "InstanceNormalization": draw_instance_normalization,
         "GroupNormalization": draw_group_normalization,
         "LayerNormalization": draw_layer_normalization,
         "RMSNormalization": draw_layer_normalization,
         "SimplifiedLayerNormalization": draw_layer_normalization,
         "MeanVarianceNormalization": draw_mean_variance, "LRN": draw_lrn,
         "LpNormalization": draw_lp_normalization}
# Versions that this Python package does not know.
NEWER = {"BitwiseNot": [18], "BitwiseAnd": [18], "BitwiseOr": [18], "BitwiseXor": [18],
         "Mish": [18, 22], "Gelu": [20], "Swish": [24], "CumProd": [26], "IsInf": [20],
         "IsNaN": [20], "Equal": [19], "Cast": [19, 21, 23, 24, 25],
         "CastLike": [19, 21, 23, 24, 25], "QuantizeLinear": [19, 21, 23, 24, 25],
         "DequantizeLinear": [19, 21, 23, 24, 25], "TopK": [24],
         "GroupNormalization": [18, 21], "RMSNormalization": [23],
         "SimplifiedLayerNormalization": [13], "ReduceMax": [18, 20],
         "ReduceMin": [18, 20], "ScaledTanh": [], "ParametricSoftplus": []}
NEWER |= {name: [18] for name in (
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean",
    "ReduceProd", "ReduceSumSquare")}
NEWER |= {name: [22] for name in (
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Sin", "Sinh",
    "Tan", "Elu", "HardSigmoid", "HardSwish", "InstanceNormalization", "LpNormalization",
    "NegativeLogLikelihoodLoss", "Round", "Selu", "Softplus", "Softsign",
    "ThresholdedRelu")}
