# SPDX-License-Identifier: Apache-2.0
"""The cases of the benchmark, each a module of one function.

The shapes of the first groups are large enough that a GPU's caches do not hold
them, and the same as those that other compilers were measured with.
"""

import math
import typing

FLOATS = ("f32", "f16")
TYPES = ("f32", "f16", "ui8")
MODES = ("constant", "edge", "reflection", "symmetric", "wrap")


def tensor(shape, dtype):
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}>"


def ints(values):
    return f"array<i64: {', '.join(map(str, values))}>"


class Operator(typing.NamedTuple):
    """What a builder below makes of the shape of an operator's first operand."""
    name: str
    result: list  # the shape of the result
    others: list  # the shapes of the other operands
    attributes: str
    labels: tuple = ()  # of the last operands, which may be absent
    operations: int = 0  # those of sums of products: a product and a sum are two
    dtype: str = ""  # the result's element type, where it is not the operands' own
    dtypes: tuple = ()  # the element types of the other operands, where they differ
    more: tuple = ()  # shapes and element types of the results behind the first one
    weights: tuple = ()  # the names of the first of the others, which are bound once


def padding(mode, start, end=None):
    end = end or start

    def build(shape):
        value = "padding_value = 0.5 : f32, " if mode == "constant" else ""
        return Operator(
            "padding", [a + b + c for a, b, c in zip(shape, start, end)], [],
            f"mode = #dml.padding_mode<{mode}>, {value}"
            f"start_padding = {ints(start)}, end_padding = {ints(end)}")
    return build


def padding1(pad, value):
    """Constant padding, with a value of the elements' type."""
    def build(shape):
        return Operator(
            "padding1", [a + 2 * b for a, b in zip(shape, pad)], [],
            f"mode = #dml.padding_mode<constant>, padding_value = {value}, "
            f"start_padding = {ints(pad)}, end_padding = {ints(pad)}")
    return build


def tile(*repeats):
    def build(shape):
        return Operator(
            "tile", [a * b for a, b in zip(shape, repeats)], [],
            f"repeats = {ints(repeats)}")
    return build


def resample(mode, *scales):
    def build(shape):
        return Operator(
            "resample", [int(a * b) for a, b in zip(shape, scales)], [],
            f"mode = #dml.interpolation_mode<{mode}>, "
            f"scales = array<f32: {', '.join(str(float(s)) for s in scales)}>")
    return build


def max_pooling_grad(window, stride, pad, dimensions=2):
    def build(shape):
        spatial = [(size + 2 * pad - window) // stride + 1
                   for size in shape[-dimensions:]]
        all_of = lambda value: ints([value] * dimensions)
        return Operator(
            "max_pooling_grad", shape, [[*shape[:-dimensions], *spatial]],
            f"strides = {all_of(stride)}, window_size = {all_of(window)}, "
            f"start_padding = {all_of(pad)}, end_padding = {all_of(pad)}, "
            f"dilations = {all_of(1)}")
    return build


def elementwise(name, operands=1, **attributes):
    """An element-wise operator; the operands after the first have arguments."""
    def build(shape):
        return Operator(
            name, shape, [shape] * (operands - 1),
            ", ".join(f"{key} = {float(value)} : f32"
            for key, value in attributes.items()))
    return build


def typed(name, dtypes=(), dtype="", attributes=""):
    """An element-wise operator whose operands and result have types of their own."""
    def build(shape):
        return Operator(name, shape, [shape] * len(dtypes), attributes, dtype=dtype,
                        dtypes=dtypes)
    return build


def pooling(name, window, stride, pad, attributes, indices=False):
    def build(shape):
        spatial = [(size + 2 * pad - window) // stride + 1 for size in shape[-2:]]
        result = [*shape[:-2], *spatial]
        all_of = lambda value: ints([value] * 2)
        return Operator(
            name, result, [],
            f"strides = {all_of(stride)}, window_size = {all_of(window)}, "
            f"start_padding = {all_of(pad)}, end_padding = {all_of(pad)}, {attributes}",
            more=((result, "ui32"),) if indices else ())
    return build


def softmax(name, axis):
    def build(shape):
        return Operator(f"activation_{name}1", shape, [], f"axes = {ints([axis])}")
    return build


def layer_norm(axis):
    """With a scale and a bias of the sizes of a set."""
    def build(shape):
        of_set = [size if dim == axis else 1 for dim, size in enumerate(shape)]
        return Operator(
            "mean_variance_normalization1", shape, [of_set, of_set],
            f"axes = {ints([axis])}, normalize_variance = true, "
            "epsilon = 0.00001 : f32", labels=("scale", "bias"))
    return build


def without(shape, axes):
    return [1 if dim in axes else size for dim, size in enumerate(shape)]


def reduce(function, *axes):
    def build(shape):
        return Operator(
            "reduce", without(shape, axes), [],
            f"function = #dml.reduce_function<{function}>, axes = {ints(axes)}")
    return build


def argmax(axis):
    def build(shape):
        return Operator(
            "argmax", without(shape, [axis]), [], f"axes = {ints([axis])}, "
            "axis_direction = #dml.axis_direction<increasing>", dtype="ui32")
    return build


def cumulative(name, axis):
    def build(shape):
        flag = {"summation": "sum", "product": "product"}[name]
        return Operator(
            f"cumulative_{name}", shape, [], f"axis = {axis} : i64, "
            "axis_direction = #dml.axis_direction<increasing>, "
            f"has_exclusive_{flag} = false")
    return build


def transpose(*order):
    """The dimensions in another order: a view, whose elements are moved."""
    def build(shape):
        strides = [math.prod(shape[dim + 1:]) for dim in order]
        return Operator(
            "view", [shape[dim] for dim in order], [],
            f"strides = {ints(strides)}")
    return build


def slicing(offsets, sizes):
    """A part of the last dimensions."""
    def build(shape):
        whole = shape[:-len(sizes)]
        result = [*whole, *sizes]
        return Operator(
            "slice", result, [],
            f"offsets = {ints([0] * len(whole) + list(offsets))}, "
            f"sizes = {ints(result)}, strides = {ints([1] * len(shape))}")
    return build


def slicing1(offsets, sizes, strides):
    """A window of the last dimensions, whose steps may run backward."""
    def build(shape):
        whole = shape[:-len(sizes)]
        result = [*whole, *((size - 1) // abs(stride) + 1
                            for size, stride in zip(sizes, strides))]
        return Operator(
            "slice1", result, [],
            f"input_window_offsets = {ints([0] * len(whole) + list(offsets))}, "
            f"input_window_sizes = {ints([*whole, *sizes])}, "
            f"input_window_strides = {ints([1] * len(whole) + list(strides))}")
    return build


def split(axis, dtype):
    """Two halves."""
    def build(shape):
        half = [size // (1 + (dim == axis)) for dim, size in enumerate(shape)]
        return Operator("split", half, [], f"axis = {axis} : i64",
                        more=((half, dtype),))
    return build


def resample2(mode, *scales):
    """With the offsets at which pixel centres meet."""
    def build(shape):
        offsets = lambda value: ", ".join([value] * len(shape))
        return Operator(
            "resample2", [int(a * b) for a, b in zip(shape, scales)], [],
            f"mode = #dml.interpolation_mode<{mode}>, "
            "rounding_direction = #dml.axis_direction<decreasing>, "
            f"scales = array<f32: {', '.join(str(float(s)) for s in scales)}>, "
            f"input_pixel_offsets = array<f32: {offsets('0.5')}>, "
            f"output_pixel_offsets = array<f32: {offsets('-0.5')}>")
    return build


def join(axis):
    """One tensor behind another of the same shape."""
    def build(shape):
        result = [size * (1 + (dim == axis)) for dim, size in enumerate(shape)]
        return Operator("join", result, [shape], f"axis = {axis} : i64")
    return build


def batch_normalization(shape):
    of_channel = [1, shape[1]] + [1] * (len(shape) - 2)
    return Operator(
        "batch_normalization", shape, [of_channel] * 4,
        "spatial = true, epsilon = 1.0e-05 : f32")


def gather_rows(rows, size, dtype):
    """As many rows of a table as it has, in the order of an input of random 32-bit
    numbers, of which the highest bits are places in the table. Some rows are drawn
    twice and a third of them never, so that a ratio may pass 1."""
    count = rows
    table, result = tensor((rows, size), dtype), tensor((count, size), dtype)
    places = tensor((1, count), "ui32")
    return (f"func.func @main(%table: {table}, %random: {places}) -> {result} {{\n"
            f"  %shift = dml.fill_value_constant"
            f" {{value = {32 - int(math.log2(rows))} : ui32}}\n"
            f"      : () -> {places}\n"
            f"  %places = dml.element_wise_bit_shift_right %random, %shift\n"
            f"      : ({places}, {places}) -> {places}\n"
            f"  %0 = dml.gather %table, %places"
            f" {{axis = 0 : i64, index_dimensions = 1 : i64}}\n"
            f"      : ({table}, {places}) -> {result}\n"
            f"  return %0 : {result}\n}}\n")


def gemm(columns, transposed=False):
    """A product with a matrix of so many columns, or with one of each batch. The
    elements of a row lie side by side or, transposed, those of a column."""
    def build(shape):
        other = [*shape[:-2], shape[-1], columns]
        if transposed:
            other[-2:] = reversed(other[-2:])
        transform = "transpose" if transposed else "none"
        return Operator(
            "gemm", [*shape[:-1], columns], [other],
            "trans_a = #dml.matrix_transform<none>, "
            f"trans_b = #dml.matrix_transform<{transform}>",
            operations=2 * math.prod(shape) * columns)
    return build


def convolution(channels, window, stride=1, groups=1):
    """Padded so that planes of stride 1 keep their sizes."""
    def build(shape):
        pad = window // 2
        planes = [(size + 2 * pad - window) // stride + 1 for size in shape[2:]]
        result = [shape[0], channels, *planes]
        filters = [channels, shape[1] // groups, window, window]
        count = f", group_count = {groups} : i64" if groups > 1 else ""
        return Operator(
            "convolution", result, [filters],
            "mode = #dml.convolution_mode<cross_correlation>, "
            "direction = #dml.convolution_direction<forward>, "
            f"strides = {ints([stride] * 2)}, dilations = {ints([1, 1])}, "
            f"start_padding = {ints([pad] * 2)}, end_padding = {ints([pad] * 2)}, "
            f"output_padding = {ints([0, 0])}{count}", weights=("filter",),
            operations=2 * math.prod(result) * math.prod(filters[1:]))
    return build


def attention(heads):
    """Each position looks at all others of its batch, in so many heads."""
    def build(shape):
        size = shape[-1] // heads
        return Operator(
            "multihead_attention", shape, [shape, shape],
            f"scale = {size ** -0.5:.8f} : f32, mask_filter_value = 0.0 : f32, "
            f"head_count = {heads} : i64, "
            "mask_type = #dml.multihead_attention_mask_type<none>",
            labels=("query", "key", "value"),
            operations=4 * math.prod(shape) * shape[-2])
    return build


def module(shape, dtype, operators):
    """The text of a function that applies the operators, one to the other."""
    arguments = [f"%input: {tensor(shape, dtype)}"]
    body = []
    value = "%input"
    for at, operator in enumerate(operators):
        built = operator(shape)
        operands, types = [value], [tensor(shape, dtype)]
        for number, other in enumerate(built.others):
            operands.append(f"%other{at}_{number}")
            types.append(tensor(other, built.dtypes[number] if built.dtypes else dtype))
            weight = (f' {{dml.name = "{built.weights[number]}{at}", dml.owned_by_dml}}'
                      if number < len(built.weights) else "")
            arguments.append(f"{operands[-1]}: {types[-1]}{weight}")
        shape, dtype = built.result, built.dtype or dtype
        plain = len(operands) - len(built.labels)
        labelled = [f" {label}({operand})"
                    for label, operand in zip(built.labels, operands[plain:])]
        results = [tensor(shape, dtype), *(tensor(*other) for other in built.more)]
        count = f":{len(results)}" if built.more else ""
        of_op = ", ".join(results) if not built.more else f"({', '.join(results)})"
        body.append(f"  %{at}{count} = dml.{built.name} {', '.join(operands[:plain])}"
                    f"{''.join(labelled)}"
                    f" {{{built.attributes}}}\n"
                    f"      : ({', '.join(types)}) -> {of_op}\n")
        value = f"%{at}"
    # Only the last operator may have several results.
    values = [f"{value}#{i}" for i in range(len(results))] if built.more else [value]
    return (f"func.func @main({', '.join(arguments)}) -> {of_op} {{\n"
            f"{''.join(body)}  return {', '.join(values)} : {', '.join(results)}\n}}\n")


def count_operations(shape, operators):
    """How many operations the operators take that say so."""
    total = 0
    for operator in operators:
        built = operator(shape)
        shape = built.result
        total += built.operations
    return total


class Case(typing.NamedTuple):
    text: str
    operations: int


def cases(eighth=False):
    """Cases by name. With `eighth`, large tensors have an eighth of the batch."""
    result = {}

    def add(name, shape, dtypes, *operators):
        if eighth and shape[0] % 8 == 0:
            shape = [shape[0] // 8, *shape[1:]]
        for dtype in dtypes:
            result[f"{name}_{dtype}"] = Case(
                module(list(shape), dtype, operators),
                count_operations(list(shape), operators))

    edges = (0, 0, 8, 8)
    for mode in MODES:
        add(f"pad_{mode}", (8, 64, 512, 512), TYPES, padding(mode, edges))
    add("tile2x2", (8, 64, 256, 256), TYPES, tile(1, 1, 2, 2))
    add("resample_nearest_x2", (8, 64, 256, 256), TYPES,
        resample("nearest_neighbor", 1, 1, 2, 2))
    add("resample_linear_x2", (8, 64, 256, 256), TYPES, resample("linear", 1, 1, 2, 2))
    add("resample_linear_x0.5", (8, 64, 512, 512), TYPES,
        resample("linear", 1, 1, 0.5, 0.5))
    add("resample_linear_x1.5", (8, 64, 256, 256), TYPES,
        resample("linear", 1, 1, 1.5, 1.5))
    add("resample_linear_3d_x2", (8, 64, 128, 128), FLOATS,
        resample("linear", 1, 2, 2, 2))
    add("resample_linear_4d_x2", (32, 32, 64, 64), FLOATS,
        resample("linear", 2, 2, 2, 2))
    for name, operator in (("k3s2", max_pooling_grad(3, 2, 1)),
                           ("k2s2", max_pooling_grad(2, 2, 0)),
                           ("k3s1", max_pooling_grad(3, 1, 1))):
        add(f"maxpoolgrad_{name}", (32, 64, 224, 224), FLOATS, operator)
    add("maxpoolgrad_3d_k3s2", (8, 16, 32, 112, 112), FLOATS,
        max_pooling_grad(3, 2, 1, dimensions=3))

    # Element by element: what is computed hides behind the memory.
    whole = (8, 64, 512, 512)
    add("relu", whole, FLOATS, elementwise("activation_relu"))
    add("sigmoid", whole, FLOATS, elementwise("activation_sigmoid"))
    add("add", whole, FLOATS, elementwise("element_wise_add", 2))
    add("chain_elementwise", whole, FLOATS, elementwise("element_wise_multiply", 2),
        elementwise("element_wise_add", 2), elementwise("activation_leaky_relu",
                                                        alpha=0.1))

    add("clip", whole, FLOATS, elementwise("element_wise_clip", min=0, max=6))
    for dtype in FLOATS:
        add("add1_relu", whole, (dtype,), typed(
            "element_wise_add1", (dtype,),
            attributes="fused_activation = #dml.activation<relu>"))
        add("clip1", whole, (dtype,), typed(
            "element_wise_clip1", attributes=f"min = 0.0 : {dtype}, max = 6.0 : {dtype}"))
        add("equals", whole, (dtype,), typed("element_wise_logical_equals", (dtype,), "ui8"))
        add(f"if_{dtype}", whole, ("ui8",),
            typed("element_wise_if", (dtype, dtype), dtype))
        add(f"dequantize_linear_{dtype}", whole, ("ui8",),
            typed("element_wise_dequantize_linear", (dtype,), dtype))
    add("quantize_linear", whole, ("f32",),
        typed("element_wise_quantize_linear", ("f32",), "ui8"))
    add("cast_f16", whole, ("f32",), typed("cast", dtype="f16"))
    add("cast_f32", whole, ("f16", "ui8"), typed("cast", dtype="f32"))

    add("gelu", whole, FLOATS, elementwise("activation_gelu"))
    add("batch_normalization", whole, FLOATS, batch_normalization)

    # Elements that move, in another order or a part of them. The identity behind a
    # view makes it a kernel, however views are returned.
    identity = elementwise("element_wise_identity")
    add("transpose", (8192, 8192), TYPES, transpose(1, 0), identity)
    add("transpose_nhwc", (32, 64, 224, 224), TYPES, transpose(0, 2, 3, 1), identity)
    add("transpose_last2", (64, 1024, 1024), TYPES, transpose(0, 2, 1), identity)
    add("slice", whole, TYPES, slicing((5, 16), (500, 480)))
    add("slice1", whole, TYPES,
        slicing1((5, 16), (500, 480), (1, -1)))
    add("join", whole, TYPES, join(1))
    for dtype in TYPES:
        add("split", whole, (dtype,), split(1, dtype))
    for dtype, value in (("f32", "0.5"), ("f16", "0.5"), ("ui8", "7")):
        add("pad1_constant", whole, (dtype,), padding1(edges, f"{value} : {dtype}"))
    add("resample2_linear_x2", (8, 64, 256, 256), FLOATS, resample2("linear", 1, 1, 2, 2))

    # Windows of the inputs, 32 images as models have them.
    add("max_pooling_k3s2", (32, 64, 224, 224), FLOATS, pooling(
        "max_pooling2", 3, 2, 1, "dilations = array<i64: 1, 1>"))
    add("max_pooling_indices_k2s2", (32, 64, 224, 224), FLOATS, pooling(
        "max_pooling2", 2, 2, 0, "dilations = array<i64: 1, 1>", indices=True))
    add("average_pooling_k3s2", (32, 64, 224, 224), FLOATS, pooling(
        "average_pooling", 3, 2, 1, "include_padding = false"))
    for dtype in TYPES:
        result[f"gather_rows_{dtype}"] = Case(
            gather_rows(8192 if eighth else 65536, 1024, dtype), operations=0)

    # Rows that become one number, or are divided by one: many short ones, and few
    # long ones, too. (The input is read once and the result written once, if a
    # workgroup holds a row.)
    for suffix, shape in (("", (8192, 4096)), ("_short", (65536, 128)),
                          ("_few", (4, 1 << 23)), ("_one", (1, 1 << 25))):
        add(f"softmax{suffix}", shape, FLOATS, softmax("softmax", 1))
        add(f"log_softmax{suffix}", shape, FLOATS, softmax("log_softmax", 1))
        add(f"layer_norm{suffix}", shape, FLOATS, layer_norm(1))
        add(f"reduce_rows{suffix}", shape, FLOATS, reduce("sum", 1))
        add(f"argmax{suffix}", shape, FLOATS, argmax(1))
        add(f"cumulative_sum{suffix}", shape, FLOATS, cumulative("summation", 1))
    for suffix, shape in (("", (8192, 4096)), ("_few", (262144, 128)),
                          ("_three", (1 << 23, 3))):
        add(f"reduce_columns{suffix}", shape, FLOATS, reduce("sum", 0))
        add(f"cumulative_sum_columns{suffix}", shape, FLOATS,
            cumulative("summation", 0))
    add("reduce_all", (8192, 4096), FLOATS, reduce("sum", 0, 1))
    add("softmax_channels", (32, 64, 128, 128), FLOATS, softmax("softmax", 1))
    add("odd_softmax", (8192, 4095), FLOATS, softmax("softmax", 1))
    add("odd_reduce_rows", (8192, 4095), FLOATS, reduce("sum", 1))

    # Sums of products: what is computed is what takes the time, and a copy of as
    # many bytes is far away.
    for size in (1024, 2048, 4096, 8192):
        add(f"gemm{size}", (size, size), FLOATS, gemm(size))
    # Few rows: each weight is read once, and that is what takes the time.
    for rows in (1, 4, 16):
        add(f"gemm_rows{rows}", (rows, 4096), FLOATS, gemm(4096))
        add(f"gemm_rows{rows}_transposed", (rows, 4096), FLOATS,
            gemm(4096, transposed=True))
    add("gemm_batch16", (16, 512, 64), FLOATS, gemm(512))
    add("gemm_128x768x3072", (128, 768), FLOATS, gemm(3072))
    add("gemm_2048x768x768", (2048, 768), FLOATS, gemm(768))
    for inputs, size, channels, window, stride in (
            (64, 56, 64, 3, 1), (128, 28, 128, 3, 1), (256, 14, 256, 3, 1),
            (512, 7, 512, 3, 1), (64, 56, 256, 1, 1), (256, 56, 64, 1, 1),
            (1024, 14, 256, 1, 1), (256, 56, 512, 1, 2), (3, 224, 64, 7, 2)):
        add(f"conv{inputs}to{channels}_{size}_k{window}{'s2' * (stride == 2)}",
            (32, inputs, size, size), FLOATS, convolution(channels, window, stride))
    for stride in (1, 2):
        add(f"depthwise128_56_k3s{stride}", (32, 128, 56, 56), FLOATS,
            convolution(128, 3, stride, groups=128))
    # One image: few sums, each long.
    add("conv512to512_7_k3_batch1", (1, 512, 7, 7), FLOATS, convolution(512, 3))
    add("conv64to64_56_k3_batch1", (1, 64, 56, 56), FLOATS, convolution(64, 3))

    # Products with a softmax of products: 16 heads of 64 elements, and those of
    # a network that draws, which are many for each head.
    add("attention", (8, 1024, 1024), FLOATS, attention(16))
    add("attention_4096x40", (1, 4096, 320), FLOATS, attention(8))

    # Over before the host has noticed: latency counts.
    small = (1, 3, 224, 224)
    add("small_pad_reflection", small, ("f32",), padding("reflection", edges))
    add("small_tile2x2", small, ("f32",), tile(1, 1, 2, 2))
    add("small_resample_nearest_x2", small, ("f32",),
        resample("nearest_neighbor", 1, 1, 2, 2))
    add("small_resample_linear_x2", small, ("f32",), resample("linear", 1, 1, 2, 2))
    add("small_resample_linear_x0.5", small, ("f32",),
        resample("linear", 1, 1, 0.5, 0.5))
    add("small_maxpoolgrad_k3s2", small, ("f32",), max_pooling_grad(3, 2, 1))

    # Rows that are no multiple of a vector.
    add("odd_pad_edge", (8, 64, 509, 509), TYPES, padding("edge", (0, 0, 3, 3),
                                                          (0, 0, 2, 1)))
    add("odd_tile2x2", (8, 64, 255, 253), TYPES, tile(1, 1, 2, 2))
    add("odd_resample_linear_x2", (8, 64, 255, 253), TYPES,
        resample("linear", 1, 1, 2, 2))
    add("odd_maxpoolgrad_k3s2", (32, 64, 223, 221), FLOATS, max_pooling_grad(3, 2, 1))
    # Rank 8, and every axis padded.
    add("rank8_pad_edge", (8, 4, 4, 4, 8, 16, 32, 32), TYPES, padding("edge", [1] * 8))
    add("rank8_tile", (8, 4, 4, 4, 8, 16, 32, 32), TYPES,
        tile(1, 1, 1, 1, 2, 1, 1, 2))
    # Colours innermost.
    add("inner3_pad_reflection", (8, 1024, 1024, 3), TYPES,
        padding("reflection", (0, 8, 8, 0)))
    add("inner3_tile2x2", (8, 1024, 1024, 3), TYPES, tile(1, 2, 2, 1))
    add("inner3_resample_linear_x2", (8, 1024, 1024, 3), TYPES,
        resample("linear", 1, 2, 2, 1))

    # Chains: bytes are those of the function's own inputs and outputs, so that
    # what goes through memory in between counts against the ratio.
    add("chain_pad_pad", (8, 64, 512, 512), FLOATS, padding("edge", edges),
        padding("constant", edges))
    add("chain_pad_maxpoolgrad", (32, 64, 224, 224), FLOATS,
        padding("constant", (0, 0, 1, 1)), max_pooling_grad(2, 2, 0))
    add("chain_resample_tile", (8, 64, 128, 128), FLOATS,
        resample("linear", 1, 1, 2, 2), tile(1, 1, 2, 2))
    return result
