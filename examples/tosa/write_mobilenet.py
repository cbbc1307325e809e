#!/usr/bin/env python3
"""Writes a small network of MobileNetV2's form in MLIR's dialect TOSA: a convolution, two
blocks of 1 x 1 and depthwise convolutions with clamps, one of them with a residual addition,
the average of each channel, and a product with a matrix. Its weights are drawn.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import random
import struct
import sys


class Network:
    """The body of the function, line by line."""

    def __init__(self, value, shape):
        self.random = random.Random(1)
        self.lines = []
        self.value, self.shape = value, shape
        self.count = 0
        self.zero = self.constant([1], [0.0])

    def name(self):
        self.count += 1
        return f"%{self.count}"

    def constant(self, shape, numbers):
        name, of = self.name(), "x".join(map(str, shape)) + "xf32"
        bits = struct.pack(f"<{len(numbers)}f", *numbers).hex()
        self.lines.append(f'{name} = "tosa.const"() <{{values = dense<"0x{bits}"> : '
                          f"tensor<{of}>}}> : () -> tensor<{of}>")
        return name

    def weights(self, shape, terms):
        """Numbers whose products with `terms` numbers have sums of the same size."""
        count = 1
        for size in shape:
            count *= size
        width = (3 / terms) ** 0.5
        return self.constant(shape, [self.random.uniform(-width, width) for _ in range(count)])

    def apply(self, text, operands, shapes, shape):
        """Adds an operation on the present tensor, whose result is the next one."""
        types = ", ".join("tensor<" + "x".join(map(str, of)) + "xf32>" if isinstance(of, list)
                          else of for of in [self.shape, *shapes])
        name = self.name()
        values = ", ".join([self.value, *operands])
        operation, _, attributes = text.partition(" ")
        self.lines.append(f"{name} = tosa.{operation} {values} {attributes} : ({types}) -> "
                          f"tensor<{'x'.join(map(str, shape))}xf32>")
        self.value, self.shape = name, shape

    def convolve(self, channels, kernel, stride=1, pad=(0, 0), clamps=True, depthwise=False):
        _, height, width, of = self.shape
        size = [(side + sum(pad) - kernel) // stride + 1 for side in (height, width)]
        weight = [kernel, kernel, of, 1] if depthwise else [channels, kernel, kernel, of]
        filters = self.weights(weight, kernel * kernel * (1 if depthwise else of))
        bias = self.weights([channels], 100)
        self.apply(
            f"{'depthwise_conv2d' if depthwise else 'conv2d'} {{acc_type = f32, "
            f"pad = array<i64: {pad[0]}, {pad[1]}, {pad[0]}, {pad[1]}>, "
            f"stride = array<i64: {stride}, {stride}>, dilation = array<i64: 1, 1>}}",
            [filters, bias, self.zero, self.zero], [weight, [channels], [1], [1]],
            [1, *size, channels])
        if clamps:
            self.apply("clamp {min_val = 0.0 : f32, max_val = 6.0 : f32}", [], [], self.shape)

    def reshape(self, shape):
        name = self.name()
        of = f"!tosa.shape<{len(shape)}>"
        self.lines.append(f"{name} = tosa.const_shape {{values = dense<{shape}> : "
                          f"tensor<{len(shape)}xindex>}} : () -> {of}")
        self.apply("reshape", [name], [of], shape)


def write(classes=10):
    network = Network("%image", [1, 32, 32, 3])
    network.convolve(8, 3, stride=2, pad=(0, 1))
    # A block whose input is added to its output.
    before, of = network.value, network.shape
    network.convolve(24, 1)
    network.convolve(24, 3, pad=(1, 1), depthwise=True)
    network.convolve(8, 1, clamps=False)
    network.apply("add", [before], [of], of)
    # A block with half of the rows and columns.
    network.convolve(24, 1)
    network.convolve(24, 3, stride=2, pad=(0, 1), depthwise=True)
    network.convolve(16, 1, clamps=False)
    network.apply("avg_pool2d {acc_type = f32, kernel = array<i64: 8, 8>, "
                  "stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>}",
                  [network.zero] * 2, [[1], [1]], [1, 1, 1, 16])
    network.reshape([1, 1, 16])
    matrix = network.weights([1, 16, classes], 16)
    network.apply("matmul", [matrix, network.zero, network.zero], [[1, 16, classes], [1], [1]],
                  [1, 1, classes])
    network.reshape([1, classes])
    body = "\n  ".join(network.lines)
    return (f"// Written by examples/tosa/write_mobilenet.py.\n"
            f"func.func @main(%image: tensor<1x32x32x3xf32>) -> tensor<1x{classes}xf32> {{\n"
            f"  {body}\n  return {network.value} : tensor<1x{classes}xf32>\n}}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\nSPDX")[0])
    parser.add_argument("file", metavar="FILE")
    try:
        with open(parser.parse_args().file, "w", encoding="utf-8") as file:
            file.write(write())
    except OSError as error:
        sys.exit(f"error: {error}")
