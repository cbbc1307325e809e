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


# An operator here is a function of the types: from the shape of its first operand
# to its name, the shape of its result, the shapes of its other operands and the text
# between the operands and the types. Products of matrices and convolutions also say
# how many operations they take: a product and a sum are two.


def padding(mode, start, end=None):
    end = end or start

    def build(shape):
        value = "padding_value = 0.5 : f32, " if mode == "constant" else ""
        return ("padding", [a + b + c for a, b, c in zip(shape, start, end)], [],
                f"mode = #dml.padding_mode<{mode}>, {value}"
                f"start_padding = {ints(start)}, end_padding = {ints(end)}")
    return build


def tile(*repeats):
    def build(shape):
        return ("tile", [a * b for a, b in zip(shape, repeats)], [],
                f"repeats = {ints(repeats)}")
    return build


def resample(mode, *scales):
    def build(shape):
        return ("resample", [int(a * b) for a, b in zip(shape, scales)], [],
                f"mode = #dml.interpolation_mode<{mode}>, "
                f"scales = array<f32: {', '.join(str(float(s)) for s in scales)}>")
    return build


def max_pooling_grad(window, stride, pad, dimensions=2):
    def build(shape):
        spatial = [(size + 2 * pad - window) // stride + 1
                   for size in shape[-dimensions:]]
        all_of = lambda value: ints([value] * dimensions)
        return ("max_pooling_grad", shape, [[*shape[:-dimensions], *spatial]],
                f"strides = {all_of(stride)}, window_size = {all_of(window)}, "
                f"start_padding = {all_of(pad)}, end_padding = {all_of(pad)}, "
                f"dilations = {all_of(1)}")
    return build


def elementwise(name, operands=1, **attributes):
    """An element-wise operator; the operands after the first have arguments."""
    def build(shape):
        return (name, shape, [shape] * (operands - 1),
                ", ".join(f"{key} = {float(value)} : f32"
                          for key, value in attributes.items()))
    return build


def gemm(columns):
    """A product with a matrix of so many columns, or with one of each batch."""
    def build(shape):
        transforms = "".join(f", trans_{side} = #dml.matrix_transform<none>"
                             for side in "ab")
        return ("gemm", [*shape[:-1], columns], [[*shape[:-2], shape[-1], columns]],
                transforms[2:], 2 * math.prod(shape) * columns)
    return build


def convolution(channels, window, stride=1, groups=1):
    """Padded so that planes of stride 1 keep their sizes."""
    def build(shape):
        pad = window // 2
        planes = [(size + 2 * pad - window) // stride + 1 for size in shape[2:]]
        result = [shape[0], channels, *planes]
        filters = [channels, shape[1] // groups, window, window]
        count = f", group_count = {groups} : i64" if groups > 1 else ""
        return ("convolution", result, [filters],
                "mode = #dml.convolution_mode<cross_correlation>, "
                "direction = #dml.convolution_direction<forward>, "
                f"strides = {ints([stride] * 2)}, dilations = {ints([1, 1])}, "
                f"start_padding = {ints([pad] * 2)}, end_padding = {ints([pad] * 2)}, "
                f"output_padding = {ints([0, 0])}{count}",
                2 * math.prod(result) * math.prod(filters[1:]))
    return build


def module(shape, dtype, operators):
    """The text of a function that applies the operators, one to the other."""
    arguments = [f"%input: {tensor(shape, dtype)}"]
    body = []
    value = "%input"
    for at, operator in enumerate(operators):
        name, result, others, attributes, *_ = operator(shape)
        operands, types = [value], [tensor(shape, dtype)]
        for other in others:
            operands.append(f"%other{at}")
            types.append(tensor(other, dtype))
            arguments.append(f"%other{at}: {types[-1]}")
        body.append(f"  %{at} = dml.{name} {', '.join(operands)} {{{attributes}}}\n"
                    f"      : ({', '.join(types)}) -> {tensor(result, dtype)}\n")
        shape, value = result, f"%{at}"
    result = tensor(shape, dtype)
    return (f"func.func @main({', '.join(arguments)}) -> {result} {{\n"
            f"{''.join(body)}  return {value} : {result}\n}}\n")


def count_operations(shape, operators):
    """How many operations the operators take that say so."""
    total = 0
    for operator in operators:
        _, shape, _, _, *operations = operator(shape)
        total += sum(operations)
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

    # Sums of products: what is computed is what takes the time, and a copy of as
    # many bytes is far away.
    for size in (1024, 2048, 4096, 8192):
        add(f"gemm{size}", (size, size), FLOATS, gemm(size))
    for rows in (1, 4, 16):
        add(f"gemm_rows{rows}", (rows, 4096), FLOATS, gemm(4096))
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
