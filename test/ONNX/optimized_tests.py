#!/usr/bin/env python3
"""Parts of Stable Diffusion, CLIP and Whisper as Olive and ONNX Runtime optimize them for DirectML.

Each is read, interpreted and run on the device, and compared with what ONNX Runtime 1.30 gave on the
CPU, which optimized_values.json has. Some of the nodes are not there on the CPU: what is recorded is
the same network of nodes that are, in f32, with the weights of the optimized one.

    test/ONNX/optimized_tests.py --record=/tmp/ort    # writes optimized_values.json

--record runs npm's package onnxruntime-node in the folder that it names.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import zlib

import numpy as np
from onnx import TensorProto

import opset_tests
from opset_tests import REFUSED, chain

opset_tests.CASES.clear()
opset_tests.DEFINED.clear()
REFUSED.clear()
opset_tests.VALUES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "optimized_values.json")
IS_RECORDING = any(argument.startswith("--record") for argument in sys.argv)
FUSED = "com.microsoft"


class Net:
    """A network that is optimized, or of plain nodes in f32 while it is recorded."""

    def __init__(self, model, dtype):
        self.model = model
        self.given = np.dtype(dtype)
        self.dtype = np.dtype(np.float32) if IS_RECORDING else self.given
        self.count = 0

    def node(self, *arguments, **attributes):
        return self.model.node(*arguments, **attributes)

    def draw(self, *shape, scale=None):
        """Numbers of the optimized network's type, whose products keep their size."""
        self.count += 1
        random = np.random.RandomState(zlib.crc32(f"{self.count} {shape}".encode()))
        scale = scale or (3 / max(np.prod(shape[1:]), 1))**0.5
        return (random.uniform(-1, 1, shape) * scale).astype(self.given)

    def input(self, *shape):
        return self.model.input(self.draw(*shape, scale=2).astype(self.dtype))

    def weights(self, *shape, scale=None, like=None):
        return self.model.weights(self.draw(*shape, scale=scale).astype(like or self.dtype))

    def ints(self, *numbers):
        return self.model.weights(np.int64(numbers))

    def linear(self, x, rows, columns, isBiased=True):
        weights = self.draw(columns, rows).T.astype(self.dtype)
        x = self.node("MatMul", x, self.model.weights(np.ascontiguousarray(weights)))
        return self.node("Add", x, self.weights(columns, scale=0.2)) if isBiased else x

    def conv(self, x, inputs, outputs, size=3, isLast=False):
        weights, bias = self.draw(outputs, inputs, size, size), self.weights(outputs, scale=0.2)
        attributes = {"pads": [size // 2] * 4, "kernel_shape": [size, size]}
        if not isLast or IS_RECORDING:
            return self.around(isLast, x, lambda x: self.node(
                "Conv", x, self.model.weights(weights.astype(self.dtype)), bias, **attributes))
        weights = self.model.weights(np.ascontiguousarray(weights.transpose(0, 2, 3, 1)))
        return self.node("NhwcConv", x, weights, bias, domain=FUSED, **attributes)

    def around(self, isLast, x, build):
        """What `build` makes of images whose channels come first."""
        if not isLast:
            return build(x)
        x = build(self.node("Transpose", x, perm=[0, 3, 1, 2]))
        return self.node("Transpose", x, perm=[0, 2, 3, 1])

    def group_norm(self, x, channels, size, groups=4, isSilu=True, isLast=False):
        gamma, beta = (self.draw(channels, scale=scale).astype(np.float32) for scale in (1, 0.2))
        if not IS_RECORDING:
            return self.node("GroupNorm", x, self.model.weights(gamma + 1), self.model.weights(beta),
                             domain=FUSED, groups=groups, epsilon=1e-5, activation=int(isSilu),
                             channels_last=int(isLast))

        def build(x):
            ones, zeros = (self.model.weights(np.full(groups, number, np.float32)) for number in (1, 0))
            x = self.node("Reshape", x, self.ints(1, groups, -1))
            x = self.node("Reshape", self.node("InstanceNormalization", x, ones, zeros, epsilon=1e-5),
                          self.ints(1, channels, size, size))
            x = self.node("Mul", x, self.model.weights(gamma.reshape(-1, 1, 1) + 1))
            x = self.node("Add", x, self.model.weights(beta.reshape(-1, 1, 1)))
            return self.node("Mul", x, self.node("Sigmoid", x)) if isSilu else x
        return self.around(isLast, x, build)

    def layer_norm(self, x, size, skip=None, bias=None):
        """Returns the result and, with a skip, the sum."""
        parameters = self.weights(size, scale=1), self.weights(size, scale=0.2)
        if skip is None:
            return self.node("LayerNormalization", x, *parameters, axis=-1, epsilon=1e-5)
        result = self.node("SkipLayerNormalization", x, skip, *parameters, *filter(None, [bias]),
                           domain=FUSED, outputs=4, epsilon=1e-5)
        for unused in (1, 2):
            self.model.nodes[-1].output[unused] = ""
        return result[0], result[3]

    def packed_attention(self, packed, heads, length, size, query=None):
        """Attention whose queries, keys and values, or keys and values, are one tensor."""
        parts = 2 if query else 3
        if not IS_RECORDING:
            packed = self.node("Reshape", packed, self.ints(1, length, heads, parts, size))
            given = [query, packed] if query else [packed]
            return self.node("MultiHeadAttention", *given, domain=FUSED, num_heads=heads)
        packed = self.node("Reshape", packed, self.ints(length, heads, parts, size))
        each = self.node("Split", packed, self.ints(*[1] * parts), outputs=parts, axis=2)
        each = [self.node("Reshape", x, self.ints(1, length, heads * size)) for x in each]
        return self.node("MultiHeadAttention", *([query] if query else []), *each, domain=FUSED,
                         num_heads=heads)

    def split_gelu(self, x, size):
        bias = self.weights(2 * size, scale=0.2)
        if not IS_RECORDING:
            return self.node("BiasSplitGelu", x, bias, domain=FUSED)
        left, right = self.node("Split", self.node("Add", x, bias), self.ints(size, size), outputs=2,
                                axis=-1)
        return self.node("Mul", left, self.node("Gelu", right, domain=FUSED))

    def bias_add(self, x, size, skip):
        bias = self.weights(size, scale=0.2)
        if not IS_RECORDING:
            return self.node("BiasAdd", x, bias, skip, domain=FUSED)
        return self.node("Add", self.node("Add", x, bias), skip)


CHANNELS, SIZE, CONTEXT = 32, 6, 24


def residual_block(net, x, inputs, isLast, time):
    """Two convolutions, with the embedded time between them."""
    y = net.conv(net.group_norm(x, inputs, SIZE, isLast=isLast), inputs, CHANNELS, isLast=isLast)
    time = net.linear(net.node("Mul", time, net.node("Sigmoid", time)), 16, CHANNELS)
    y = net.node("Add", y, net.node("Unsqueeze", time, net.ints(*((1, 2) if isLast else (2, 3)))))
    y = net.conv(net.group_norm(y, CHANNELS, SIZE, isLast=isLast), CHANNELS, CHANNELS, isLast=isLast)
    return net.node("Add", y, net.conv(x, inputs, CHANNELS, size=1, isLast=isLast))


def transformer(net, image, isLast, context):
    x = net.group_norm(image, CHANNELS, SIZE, isSilu=False, isLast=isLast)
    x = net.conv(x, CHANNELS, CHANNELS, size=1, isLast=isLast)
    if not isLast:
        x = net.node("Transpose", x, perm=[0, 2, 3, 1])
    x = net.node("Reshape", x, net.ints(1, SIZE * SIZE, CHANNELS))
    y = net.linear(net.layer_norm(x, CHANNELS), CHANNELS, 3 * CHANNELS, isBiased=False)
    y = net.packed_attention(y, 4, SIZE * SIZE, 8)
    y = net.linear(y, CHANNELS, CHANNELS, isBiased=False)
    y, x = net.layer_norm(y, CHANNELS, x, net.weights(CHANNELS, scale=0.2))
    query = net.linear(y, CHANNELS, CHANNELS, isBiased=False)
    y = net.packed_attention(net.linear(context, CONTEXT, 2 * CHANNELS, isBiased=False), 4, 5, 8,
                             query)
    y = net.linear(y, CHANNELS, CHANNELS, isBiased=False)
    y, x = net.layer_norm(y, CHANNELS, x, net.weights(CHANNELS, scale=0.2))
    y = net.split_gelu(net.linear(y, CHANNELS, 8 * CHANNELS, isBiased=False), 4 * CHANNELS)
    x = net.bias_add(net.linear(y, 4 * CHANNELS, CHANNELS, isBiased=False), CHANNELS, x)
    x = net.node("Reshape", x, net.ints(1, SIZE, SIZE, CHANNELS))
    if not isLast:
        x = net.node("Transpose", x, perm=[0, 3, 1, 2])
    return net.node("Add", net.conv(x, CHANNELS, CHANNELS, size=1, isLast=isLast), image)


def unet(net, isLast):
    """A residual block and a transformer, of images whose channels come first or last."""
    image, time, context = net.input(1, 4, SIZE, SIZE), net.input(1, 16), net.input(1, 5, CONTEXT)
    if isLast:
        image = net.node("Transpose", image, perm=[0, 2, 3, 1])
    x = transformer(net, residual_block(net, image, 4, isLast, time), isLast, context)
    x = net.conv(net.group_norm(x, CHANNELS, SIZE, isLast=isLast), CHANNELS, 4, isLast=isLast)
    return [net.node("Transpose", x, perm=[0, 3, 1, 2]) if isLast else x]


def vae_decoder(net):
    """Attention of one head over an image's points, and a larger image."""
    x = net.conv(net.input(1, 4, SIZE, SIZE), 4, CHANNELS)
    y = net.group_norm(x, CHANNELS, SIZE, isSilu=False)
    y = net.node("Reshape", y, net.ints(1, CHANNELS, SIZE * SIZE))
    y = net.node("Transpose", y, perm=[0, 2, 1])
    parts = [net.linear(y, CHANNELS, CHANNELS) for _ in range(3)]
    y = net.node("MultiHeadAttention", *parts, domain=FUSED, num_heads=1)
    y = net.node("Transpose", net.linear(y, CHANNELS, CHANNELS), perm=[0, 2, 1])
    x = net.node("Add", x, net.node("Reshape", y, net.ints(1, CHANNELS, SIZE, SIZE)))
    scales = net.model.weights(np.float32([1, 1, 2, 2]))
    x = net.node("Resize", x, "", scales, mode="nearest", nearest_mode="floor",
                 coordinate_transformation_mode="asymmetric")
    x = net.conv(net.group_norm(x, CHANNELS, 2 * SIZE), CHANNELS, 3)
    return [net.node("Clip", x, *(net.model.weights(net.dtype.type(end)) for end in (-1, 1)))]


def clip_text(net):
    """A layer of CLIP's text encoder: no token sees a later one."""
    tokens, length = net.model.input(np.int64([[3, 17, 8, 8, 30, 31]])), 6
    x = net.node("Gather", net.weights(32, CHANNELS, scale=1), tokens)
    x = net.node("Add", x, net.weights(1, length, CHANNELS, scale=0.5))
    y = net.layer_norm(x, CHANNELS)
    parts = [net.linear(y, CHANNELS, CHANNELS) for _ in range(3)]
    hidden = np.triu(np.full((1, 1, length, length), -1e4, net.dtype), 1)
    y = net.node("MultiHeadAttention", *parts, "", "", net.model.weights(hidden), domain=FUSED,
                 num_heads=4)
    y = net.linear(y, CHANNELS, CHANNELS, isBiased=False)
    y, x = net.layer_norm(y, CHANNELS, x, net.weights(CHANNELS, scale=0.2))
    y = net.node("QuickGelu", net.linear(y, CHANNELS, 4 * CHANNELS), domain=FUSED, alpha=1.702)
    x = net.node("Add", x, net.linear(y, 4 * CHANNELS, CHANNELS))
    return [net.layer_norm(x, CHANNELS)]


def whisper_decoder(net):
    """A layer of Whisper's decoder behind seven tokens: the keys and values of these, and those of
    the sound, are inputs."""
    tokens, past, heads, size = net.model.input(np.int64([[9]])), 7, 4, 8
    caches = [net.input(1, heads, past, size) for _ in range(2)]
    sound = [net.input(1, heads, 10, size) for _ in range(2)]
    embedding = net.weights(40, CHANNELS, scale=1)
    x = net.node("Gather", embedding, tokens)
    x = net.node("Add", x, net.weights(1, 1, CHANNELS, scale=0.5))
    y = net.layer_norm(x, CHANNELS)
    query, value = (net.linear(y, CHANNELS, CHANNELS) for _ in range(2))
    key = net.linear(y, CHANNELS, CHANNELS, isBiased=False)
    y, *presents = net.node("MultiHeadAttention", query, key, value, "", "", "", *caches, domain=FUSED,
                            outputs=3, num_heads=heads)
    y = net.linear(y, CHANNELS, CHANNELS, isBiased=False)
    y, x = net.layer_norm(y, CHANNELS, x, net.weights(CHANNELS, scale=0.2))
    y = net.node("MultiHeadAttention", net.linear(y, CHANNELS, CHANNELS), *sound, domain=FUSED,
                 num_heads=heads)
    y = net.linear(y, CHANNELS, CHANNELS, isBiased=False)
    y, x = net.layer_norm(y, CHANNELS, x, net.weights(CHANNELS, scale=0.2))
    y = net.node("BiasGelu", net.linear(y, CHANNELS, 4 * CHANNELS, isBiased=False),
                 net.weights(4 * CHANNELS, scale=0.2), domain=FUSED)
    y = net.linear(y, 4 * CHANNELS, CHANNELS, isBiased=False)
    y, x = net.layer_norm(y, CHANNELS, x, net.weights(CHANNELS, scale=0.2))
    logits = net.node("MatMul", y, net.node("Transpose", embedding, perm=[1, 0]))
    return [logits, *presents]


NETWORKS = {"UNet, channels first": lambda net: unet(net, False),
            "UNet, channels last": lambda net: unet(net, True),
            "VAE decoder": vae_decoder, "CLIP's text encoder": clip_text,
            "Whisper's decoder": whisper_decoder}


def add(name, build, dtype, tolerance):
    @chain(17, f"{name}, {dtype}", tolerance)
    def make(model):
        return [model.node("Cast", output, to=TensorProto.FLOAT) for output in build(Net(model, dtype))]


for name, build in NETWORKS.items():
    add(name, build, "float32", 2e-5)
    add(name, build, "float16", 1e-2)

if __name__ == "__main__":
    opset_tests.main(__doc__)
