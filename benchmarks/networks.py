#!/usr/bin/env python3
# Writes well-known networks as ONNX models, with weights of a seeded generator:
# tests and measurements need no download, and every machine makes the same ones.
# Needs python3-onnx.
#
#   benchmarks/networks.py --list
#   benchmarks/networks.py resnet50 -o resnet50.onnx           whole
#   benchmarks/networks.py resnet50 --small -o resnet50.onnx   few channels, small images
#   benchmarks/networks.py vit_base --half -o vit_base_f16.onnx   in f16
#   benchmarks/networks.py --small --all -o folder
#   benchmarks/networks.py bert_base --open -o bert_open.onnx  for any batch and length
#
# Weights keep activations near 1, so that no operator works on zeros or on
# infinities alone. Whole networks have the sizes of their papers; where those
# come in several, the smallest.
#
# SPDX-License-Identifier: Apache-2.0
import one_line  # noqa: F401
import argparse
import math
import os
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

NETWORKS = {}


def network(function):
    NETWORKS[function.__name__] = function
    return function


class Net:
    """A graph under construction. Values are names; shapes are kept beside them
    where a layer needs to know its channels."""

    def __init__(self, small, half=False, opset=17, capacity=None, open=False):
        self.capacity, self.open = capacity, open
        # The size of the batch in shapes of inputs and outputs.
        self.batch = "batch" if open else 1
        self.small, self.half, self.opset = small, half, opset
        self.float = TensorProto.FLOAT16 if half else TensorProto.FLOAT
        self.random = np.random.RandomState(1)
        self.nodes, self.inputs, self.outputs, self.initializers = [], [], [], []
        self.channels = {}

    def pick(self, whole, small):
        return small if self.small else whole

    def width(self, channels):
        """A layer's channels: an eighth in small networks, and at least 4."""
        return max(4, channels // 8) if self.small else channels

    def input(self, name, shape, type=None):
        type = self.float if type is None else type
        self.inputs.append(helper.make_tensor_value_info(name, type, shape))
        if len(shape) == 4:
            self.channels[name] = shape[1]
        return name

    def output(self, value, shape, name="output", type=None):
        type = self.float if type is None else type
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"{name}_is"))
        self.outputs.append(helper.make_tensor_value_info(name, type, shape))

    def constant(self, array):
        if self.half and array.dtype == np.float32:
            array = array.astype(np.float16)
        return self.exactly(array)

    def exactly(self, array):
        """A constant of the array's own type, in f16 networks too."""
        name = f"w{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def weights(self, *shape, fan_in=None, gain=1.0):
        deviation = gain / math.sqrt(fan_in or math.prod(shape[1:]) or 1)
        return self.constant(
            self.random.standard_normal(shape).astype(np.float32) * np.float32(deviation))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def kept(self, size):
        """A size in the shape of a Reshape: 0, the size of the input, in open networks."""
        return 0 if self.open else size

    def length(self, whole, small):
        """The greatest length of sequences, and the size in shapes of inputs and outputs."""
        length = self.pick(whole, small)
        return (4 * length, "length") if self.open else (length, length)

    def first(self, values, like, axis=1):
        """As many of `values` along an axis as the sequences `like` have elements, in
        open networks."""
        if not self.open:
            return values
        length = self.op("Gather", self.op("Shape", like), self.ints(1))
        return self.op("Slice", values, self.ints(0), length, self.ints(axis))

    def scalar(self, value):
        return self.constant(np.array(value, np.float32))

    def op(self, type, *inputs, domain="", outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(type, list(inputs), names, domain=domain,
                                           name=f"{type}_{len(self.nodes)}", **attributes))
        if inputs and inputs[0] in self.channels:
            self.channels[names[0]] = self.channels[inputs[0]]
        return names[0] if outputs == 1 else names

    # Layers of images.

    def conv(self, x, channels, kernel=1, stride=1, pad=None, group=1, bias=True, dilation=1):
        kernels = (kernel, kernel) if isinstance(kernel, int) else kernel
        pads = [dilation * (k - 1) // 2 for k in kernels] if pad is None else [pad, pad]
        inner = self.channels[x] // group
        inputs = [x, self.weights(channels, inner, *kernels, gain=math.sqrt(2))]
        if bias:
            inputs.append(self.weights(channels, fan_in=100))
        y = self.op("Conv", *inputs, kernel_shape=list(kernels), strides=[stride, stride],
                    pads=pads + pads, group=group, dilations=[dilation, dilation])
        self.channels[y] = channels
        return y

    def norm(self, x):
        c = self.channels[x]
        near1 = lambda: self.constant(
            (1 + 0.1 * self.random.uniform(-1, 1, c)).astype(np.float32))
        return self.op("BatchNormalization", x, near1(), self.weights(c, fan_in=100),
                       self.weights(c, fan_in=100), near1(), epsilon=1e-5)

    def relu(self, x):
        return self.op("Relu", x)

    def relu6(self, x):
        return self.op("Clip", x, self.scalar(0), self.scalar(6))

    def swish(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def block(self, x, channels, kernel=1, stride=1, group=1, activation="relu"):
        """Convolution, normalization, activation."""
        y = self.norm(self.conv(x, channels, kernel, stride, group=group, bias=False))
        return getattr(self, activation)(y) if activation else y

    def pool(self, x, kind="Max", kernel=3, stride=2, pad=1):
        return self.op(f"{kind}Pool", x, kernel_shape=[kernel, kernel],
                       strides=[stride, stride], pads=[pad] * 4)

    def concat(self, *values, axis=1):
        y = self.op("Concat", *values, axis=axis)
        if axis == 1:
            self.channels[y] = sum(self.channels[v] for v in values if v in self.channels)
        return y

    def excite(self, x, inner, gate="Sigmoid", activation="relu"):
        """Squeeze and excitation."""
        c = self.channels[x]
        y = self.op("GlobalAveragePool", x)
        y = getattr(self, activation)(self.conv(y, inner))
        y = self.op(gate, self.conv(y, c))
        return self.op("Mul", x, y)

    def classify(self, x, classes=1000, flatten=True):
        if flatten:
            c = self.channels[x]
            x = self.op("Flatten", self.op("GlobalAveragePool", x))
        else:
            c = self.features
        classes = self.pick(classes, 10)
        y = self.op("Gemm", x, self.weights(classes, c), self.weights(classes, fan_in=100),
                    transB=1)
        self.output(y, [self.batch, classes])

    # Layers of sequences.

    def linear(self, x, inner, outer, bias=True):
        y = self.op("MatMul", x, self.weights(inner, outer, fan_in=inner))
        return self.op("Add", y, self.weights(outer, fan_in=100)) if bias else y

    def layer_norm(self, x, width):
        scale = self.constant((1 + 0.1 * self.random.uniform(-1, 1, width)).astype(np.float32))
        return self.op("LayerNormalization", x, scale, self.weights(width, fan_in=100), axis=-1)

    def rms_norm(self, x, width):
        mean = self.op("ReduceMean", self.op("Mul", x, x), axes=[-1], keepdims=1)
        root = self.op("Sqrt", self.op("Add", mean, self.scalar(1e-6)))
        return self.op("Mul", self.op("Div", x, root),
                       self.constant(np.ones(width, np.float32)))

    def gelu(self, x):
        """As PyTorch exports it."""
        y = self.op("Erf", self.op("Div", x, self.scalar(math.sqrt(2))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", y, self.scalar(1))),
                       self.scalar(0.5))

    def heads(self, x, length, heads, size):
        y = self.op("Reshape", x, self.ints(self.kept(1), self.kept(length), heads, size))
        return self.op("Transpose", y, perm=[0, 2, 1, 3])

    def attend(self, q, k, v, size, mask=None):
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Div", scores, self.scalar(math.sqrt(size)))
        if mask:
            scores = self.op("Add", scores, mask)
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), v)

    def attention(self, x, length, width, heads, mask=None):
        size = width // heads
        q, k, v = (self.heads(self.linear(x, width, width), length, heads, size)
                   for _ in range(3))
        y = self.op("Transpose", self.attend(q, k, v, size, mask), perm=[0, 2, 1, 3])
        y = self.op("Reshape", y, self.ints(self.kept(1), self.kept(length), width))
        return self.linear(y, width, width)

    def transformer(self, x, length, width, heads, inner, mask=None, first=True):
        """A block whose normalizations come first, or last as in BERT."""
        if first:
            x = self.op("Add", x, self.attention(self.layer_norm(x, width), length, width,
                                                 heads, mask))
            y = self.gelu(self.linear(self.layer_norm(x, width), width, inner))
            return self.op("Add", x, self.linear(y, inner, width))
        y = self.op("Add", x, self.attention(x, length, width, heads, mask))
        x = self.layer_norm(y, width)
        y = self.linear(self.gelu(self.linear(x, width, inner)), inner, width)
        return self.layer_norm(self.op("Add", x, y), width)

    def causal_mask(self, length):
        mask = np.triu(np.full((length, length), -10000, np.float32), 1)
        return self.constant(mask[None, None])

    def model(self):
        graph = helper.make_graph(self.nodes, "network", self.inputs, self.outputs,
                                  self.initializers)
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)])
        model.ir_version = 8
        return model


def image(net, whole=224, small=32):
    size = net.pick(whole, small)
    return net.input("image", [net.batch, 3, size, size])


@network
def lenet(net):
    x = net.input("image", [net.batch, 1, 28, 28])
    x = net.pool(net.op("Tanh", net.conv(x, 6, 5)), "Average", 2, 2, 0)
    x = net.pool(net.op("Tanh", net.conv(x, 16, 5, pad=0)), "Average", 2, 2, 0)
    x, features = net.op("Flatten", x), 400
    for width in (120, 84):
        x = net.op("Tanh", net.op("Gemm", x, net.weights(width, features),
                                  net.weights(width, fan_in=100), transB=1))
        features = width
    net.features = features
    net.classify(x, 10, flatten=False)


def resnet(net, layers, bottleneck):
    x = net.pool(net.block(image(net), net.width(64), 7, 2))
    for stage, count in enumerate(layers):
        inner = net.width(64 << stage)
        outer = 4 * inner if bottleneck else inner
        for i in range(net.pick(count, min(count, 2))):
            stride = 2 if stage and i == 0 else 1
            if bottleneck:
                y = net.block(net.block(x, inner), inner, 3, stride)
                y = net.block(y, outer, activation=None)
            else:
                y = net.block(net.block(x, inner, 3, stride), outer, 3, activation=None)
            if stride > 1 or net.channels[x] != outer:
                x = net.block(x, outer, 1, stride, activation=None)
            x = net.relu(net.op("Add", y, x))
    net.classify(x)


@network
def resnet18(net):
    resnet(net, [2, 2, 2, 2], bottleneck=False)


@network
def resnet50(net):
    resnet(net, [3, 4, 6, 3], bottleneck=True)


def inverted(net, x, expand, channels, kernel, stride, activation, excitation=0, gate="Sigmoid"):
    """A block of MobileNet and EfficientNet: wide in the middle, and there depthwise."""
    y, wide = x, net.channels[x] * expand if isinstance(expand, int) else net.width(int(expand))
    if wide != net.channels[x]:
        y = net.block(y, wide, activation=activation)
    y = net.block(y, wide, kernel, stride, group=wide, activation=activation)
    if excitation:
        y = net.excite(y, max(4, excitation if excitation > 1 else int(wide * excitation)), gate,
                       "relu" if gate == "HardSigmoid" else activation)
    y = net.block(y, channels, activation=None)
    return net.op("Add", x, y) if stride == 1 and net.channels[x] == channels else y


@network
def mobilenetv2(net):
    x = net.block(image(net), net.width(32), 3, 2, activation="relu6")
    for expand, channels, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                            (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                            (6, 320, 1, 1)):
        for i in range(net.pick(count, min(count, 2))):
            x = inverted(net, x, expand, net.width(channels), 3, stride if i == 0 else 1, "relu6")
    net.classify(net.block(x, net.width(1280), activation="relu6"))


@network
def mobilenetv3(net):
    net.hswish = lambda x: net.op("HardSwish", x)
    x = net.block(image(net), net.width(16), 3, 2, activation="hswish")
    rows = ((16.0, 16, 3, 2, 1, "relu"), (72.0, 24, 3, 2, 0, "relu"), (88.0, 24, 3, 1, 0, "relu"),
            (96.0, 40, 5, 2, 1, "hswish"), (240.0, 40, 5, 1, 1, "hswish"),
            (120.0, 48, 5, 1, 1, "hswish"), (288.0, 96, 5, 2, 1, "hswish"),
            (576.0, 96, 5, 1, 1, "hswish"))
    for expand, channels, kernel, stride, excitation, activation in rows:
        x = inverted(net, x, expand, net.width(channels), kernel, stride, activation,
                     0.25 * excitation, "HardSigmoid")
    x = net.block(x, net.width(576), activation="hswish")
    net.classify(x)


@network
def efficientnet_b0(net):
    x = net.block(image(net), net.width(32), 3, 2, activation="swish")
    for expand, channels, count, stride, kernel in (
            (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
            (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)):
        for i in range(net.pick(count, 1)):
            inner = max(1, net.channels[x] // 4)
            x = inverted(net, x, expand, net.width(channels), kernel, stride if i == 0 else 1,
                         "swish", inner)
    net.classify(net.block(x, net.width(1280), activation="swish"))


@network
def inception(net):
    """Inception v3's stem and one block of each kind."""
    w = net.width
    x = net.block(image(net, 299, 75), w(32), 3, 2)
    x = net.block(net.block(x, w(32), 3), w(64), 3)
    x = net.pool(x, pad=0)
    x = net.pool(net.block(net.block(x, w(80)), w(192), 3), pad=0)
    for pool in (w(32), w(64), w(64)):
        x = net.concat(net.block(x, w(64)), net.block(net.block(x, w(48)), w(64), 5),
                       net.block(net.block(net.block(x, w(64)), w(96), 3), w(96), 3),
                       net.block(net.pool(x, "Average", 3, 1), pool))
    x = net.concat(net.block(x, w(384), 3, 2),
                   net.block(net.block(net.block(x, w(64)), w(96), 3), w(96), 3, 2), net.pool(x))
    for inner in net.pick((128, 160, 160, 192), (128,)):
        c = w(inner)
        y = net.block(net.block(net.block(x, c), c, (1, 7)), w(192), (7, 1))
        z = net.block(net.block(net.block(x, c), c, (7, 1)), c, (1, 7))
        z = net.block(net.block(z, c, (7, 1)), w(192), (1, 7))
        x = net.concat(net.block(x, w(192)), y, z,
                       net.block(net.pool(x, "Average", 3, 1), w(192)))
    y = net.block(x, w(384))
    y = net.concat(net.block(y, w(384), (1, 3)), net.block(y, w(384), (3, 1)))
    net.classify(net.concat(net.block(x, w(320)), y))


@network
def densenet121(net):
    growth = net.width(32)
    x = net.pool(net.block(image(net), 2 * growth, 7, 2))
    for stage, count in enumerate(net.pick((6, 12, 24, 16), (3, 4, 3, 2))):
        for _ in range(count):
            y = net.conv(net.relu(net.norm(x)), 4 * growth, bias=False)
            x = net.concat(x, net.conv(net.relu(net.norm(y)), growth, 3, bias=False))
        x = net.relu(net.norm(x))
        if stage < 3:
            x = net.pool(net.conv(x, net.channels[x] // 2, bias=False), "Average", 2, 2, 0)
    net.classify(x)


@network
def yolov4_tiny(net):
    net.leaky = lambda x: net.op("LeakyRelu", x, alpha=0.1)
    w, size = net.width, net.pick(416, 64)
    x = net.input("image", [net.batch, 3, size, size])
    x = net.block(net.block(x, w(32), 3, 2, activation="leaky"), w(64), 3, 2, activation="leaky")
    for channels in (64, 128, 256):
        c = w(channels)
        x = net.block(x, c, 3, activation="leaky")
        half = net.op("Split", x, net.ints(c // 2, c // 2), outputs=2, axis=1)[1]
        net.channels[half] = c // 2
        y = net.block(half, c // 2, 3, activation="leaky")
        z = net.block(y, c // 2, 3, activation="leaky")
        route = net.block(net.concat(z, y), c, activation="leaky")
        x = net.pool(net.concat(x, route), kernel=2, pad=0)
    x = net.block(net.block(x, w(512), 3, activation="leaky"), w(256), activation="leaky")
    anchors = 255
    coarse = net.conv(net.block(x, w(512), 3, activation="leaky"), anchors)
    up = net.block(x, w(128), activation="leaky")
    up_scaled = net.op("Resize", up, "", net.exactly(np.array([1, 1, 2, 2], np.float32)),
                       mode="nearest", coordinate_transformation_mode="asymmetric",
                       nearest_mode="floor")
    fine = net.conv(net.block(net.concat(up_scaled, route), w(256), 3, activation="leaky"), anchors)
    net.output(coarse, [net.batch, anchors, size // 32, size // 32], "coarse")
    net.output(fine, [net.batch, anchors, size // 16, size // 16], "fine")


@network
def yolov8_head(net):
    """The head of YOLOv8n at one scale: boxes as expectations of distributions."""
    w, size = net.width, net.pick(80, 8)
    x = net.input("features", [net.batch, w(64), size, size])
    boxes = net.conv(net.block(net.block(x, 64, 3, activation="swish"), 64, 3,
                               activation="swish"), 64)
    classes = net.conv(net.block(net.block(x, 80, 3, activation="swish"), 80, 3,
                                 activation="swish"), 80)
    places = size * size
    y = net.op("Reshape", net.concat(boxes, classes), net.ints(net.kept(1), 144, places))
    boxes, classes = net.op("Split", y, net.ints(64, 80), outputs=2, axis=1)
    boxes = net.op("Reshape", boxes, net.ints(net.kept(1), 4, 16, places))
    boxes = net.op("Transpose", boxes, perm=[0, 2, 1, 3])
    boxes = net.op("Softmax", boxes, axis=1)
    net.channels[boxes] = 16
    inputs = [boxes, net.constant(np.arange(16, dtype=np.float32).reshape(1, 16, 1, 1))]
    boxes = net.op("Reshape", net.op("Conv", *inputs, kernel_shape=[1, 1]),
                   net.ints(net.kept(1), 4, places))
    low = net.op("Slice", boxes, net.ints(0), net.ints(2), net.ints(1))
    high = net.op("Slice", boxes, net.ints(2), net.ints(4), net.ints(1))
    grid = np.stack(np.meshgrid(np.arange(size), np.arange(size)), 0).reshape(1, 2, places) + 0.5
    anchor = net.constant(grid.astype(np.float32))
    low, high = net.op("Sub", anchor, low), net.op("Add", anchor, high)
    center = net.op("Div", net.op("Add", low, high), net.scalar(2))
    boxes = net.op("Mul", net.op("Concat", center, net.op("Sub", high, low), axis=1),
                   net.scalar(8))
    net.output(net.op("Concat", boxes, net.op("Sigmoid", classes), axis=1), [net.batch, 84, places])


@network
def unet(net):
    w, size = net.width, net.pick(256, 16)
    x = net.input("image", [net.batch, 3, size, size])
    kept = []
    for channels in (32, 64, 128, 256):
        x = net.block(net.block(x, w(channels), 3), w(channels), 3)
        kept.append(x)
        x = net.pool(x, kernel=2, pad=0)
    x = net.block(net.block(x, w(512), 3), w(512), 3)
    for channels in (256, 128, 64, 32):
        c = w(channels)
        up = net.op("ConvTranspose", x, net.weights(net.channels[x], c, 2, 2),
                    net.weights(c, fan_in=100), kernel_shape=[2, 2], strides=[2, 2])
        net.channels[up] = c
        x = net.block(net.block(net.concat(up, kept.pop()), c, 3), c, 3)
    net.output(net.op("Sigmoid", net.conv(x, 1)), [net.batch, 1, size, size])


def group_norm(net, x, size, groups):
    """As PyTorch exports it: an instance normalization of groups."""
    c = net.channels[x]
    y = net.op("Reshape", x, net.ints(0, groups, -1))
    ones = net.constant(np.ones(groups, np.float32))
    zeros = net.constant(np.zeros(groups, np.float32))
    y = net.op("InstanceNormalization", y, ones, zeros, epsilon=1e-5)
    y = net.op("Reshape", y, net.ints(net.kept(1), c, size, size))
    net.channels[y] = c
    y = net.op("Mul", y, net.weights(c, 1, 1, fan_in=1))
    return net.op("Add", y, net.weights(c, 1, 1, fan_in=100))


@network
def sd_unet_block(net):
    """A residual block and a transformer of Stable Diffusion 1's UNet."""
    c, size, context = net.pick(320, 32), net.pick(64, 8), net.pick(768, 24)
    heads, groups, tokens = 8, net.pick(32, 8), net.pick(77, 7)
    x = net.input("sample", [net.batch, c, size, size])
    time = net.input("time", [net.batch, 4 * c])
    text = net.input("text", [net.batch, tokens, context])
    y = net.conv(net.swish(group_norm(net, x, size, groups)), c, 3)
    t = net.op("Gemm", net.swish(time), net.weights(c, 4 * c), net.weights(c, fan_in=100),
               transB=1)
    y = net.op("Add", y, net.op("Reshape", t, net.ints(net.kept(1), c, 1, 1)))
    net.channels[y] = c
    x = net.op("Add", x, net.conv(net.swish(group_norm(net, y, size, groups)), c, 3))
    net.channels[x] = c
    length, depth = size * size, c // heads
    y = net.conv(group_norm(net, x, size, groups), c)
    y = net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 3, 1]),
               net.ints(net.kept(1), length, c))
    for source, count, inner in ((None, length, c), (text, tokens, context)):
        z = net.layer_norm(y, c)
        from_ = z if source is None else source
        q = net.heads(net.linear(z, c, c, bias=False), length, heads, depth)
        k, v = (net.heads(net.linear(from_, inner, c, bias=False), count, heads, depth)
                for _ in range(2))
        z = net.op("Transpose", net.attend(q, k, v, depth), perm=[0, 2, 1, 3])
        z = net.op("Reshape", z, net.ints(net.kept(1), length, c))
        y = net.op("Add", y, net.linear(z, c, c))
    z = net.linear(net.layer_norm(y, c), c, 8 * c)
    z, gate = net.op("Split", z, net.ints(4 * c, 4 * c), outputs=2, axis=2)
    y = net.op("Add", y, net.linear(net.op("Mul", z, net.gelu(gate)), 4 * c, c))
    y = net.op("Reshape", y, net.ints(net.kept(1), size, size, c))
    y = net.op("Transpose", y, perm=[0, 3, 1, 2])
    net.channels[y] = c
    net.output(net.op("Add", net.conv(y, c), x), [net.batch, c, size, size])


@network
def vit_b(net):
    width, heads, patch = net.pick(768, 32), net.pick(12, 4), net.pick(16, 8)
    x = net.conv(image(net), width, patch, patch, pad=0)
    count = (net.pick(224, 32) // patch) ** 2
    x = net.op("Reshape", x, net.ints(net.kept(1), width, count))
    x = net.op("Transpose", x, perm=[0, 2, 1])
    token = net.weights(1, 1, width, fan_in=4)
    if net.open:
        batch = net.op("Gather", net.op("Shape", x), net.ints(0))
        token = net.op("Expand", token, net.op("Concat", batch, net.ints(1, width), axis=0))
    x = net.op("Concat", token, x, axis=1)
    length = count + 1
    x = net.op("Add", x, net.weights(1, length, width, fan_in=4))
    for _ in range(net.pick(12, 2)):
        x = net.transformer(x, length, width, heads, 4 * width)
    x = net.op("Gather", net.layer_norm(x, width), net.constant(np.array(0, np.int64)), axis=1)
    net.features = width
    net.classify(x, flatten=False)


@network
def bert_base(net):
    width, heads = net.pick(768, 32), net.pick(12, 4)
    length, stated = net.length(128, 16)
    words = net.input("input_ids", [net.batch, stated], TensorProto.INT64)
    kinds = net.input("token_type_ids", [net.batch, stated], TensorProto.INT64)
    kept = net.input("attention_mask", [net.batch, stated], TensorProto.INT64)
    x = net.op("Gather", net.weights(net.pick(30522, 50), width, fan_in=1), words)
    x = net.op("Add", x, net.op("Gather", net.weights(10, width, fan_in=1), kinds))
    x = net.op("Add", x, net.first(net.weights(1, length, width, fan_in=1), words))
    x = net.layer_norm(x, width)
    mask = net.op("Unsqueeze", net.op("Cast", kept, to=net.float), net.ints(1, 2))
    mask = net.op("Mul", net.op("Sub", net.scalar(1), mask), net.scalar(-10000))
    for _ in range(net.pick(12, 2)):
        x = net.transformer(x, length, width, heads, 4 * width, mask, first=False)
    net.output(x, [net.batch, stated, width], "last_hidden_state")
    first = net.op("Gather", x, net.constant(np.array(0, np.int64)), axis=1)
    net.output(net.op("Tanh", net.linear(first, width, width)), [net.batch, width],
               "pooler_output")


@network
def gpt2(net):
    width, heads, vocabulary = net.pick(768, 32), net.pick(12, 4), net.pick(50257, 50)
    length, stated = net.length(64, 8)
    words = net.input("input_ids", [net.batch, stated], TensorProto.INT64)
    table = net.weights(vocabulary, width, fan_in=width)
    x = net.op("Add", net.op("Gather", table, words),
               net.first(net.weights(1, length, width, fan_in=width), words))
    mask = net.first(net.first(net.causal_mask(length), words, 2), words, 3)
    for _ in range(net.pick(12, 2)):
        x = net.transformer(x, length, width, heads, 4 * width, mask)
    x = net.layer_norm(x, width)
    net.output(net.op("MatMul", x, net.op("Transpose", table, perm=[1, 0])),
               [net.batch, stated, vocabulary], "logits")


@network
def llama(net):
    """One token of a decoder with grouped heads and a key-value cache of fixed
    capacity; the number of tokens in the cache is an input."""
    width, heads, groups = net.pick(768, 32), net.pick(12, 4), net.pick(4, 2)
    capacity, inner, vocabulary = net.pick(256, 16), net.pick(2048, 48), net.pick(32000, 50)
    capacity = net.capacity or capacity
    size, layers = width // heads, net.pick(8, 2)
    half = size // 2
    word = net.input("input_ids", [net.batch, 1], TensorProto.INT64)
    length = net.input("length", [1], TensorProto.INT64)
    x = net.op("Gather", net.weights(vocabulary, width, fan_in=1), word)
    angles = np.outer(np.arange(capacity), 10000.0 ** (-np.arange(half) / half))
    cos = net.op("Gather", net.constant(np.cos(angles).astype(np.float32)), length)
    sin = net.op("Gather", net.constant(np.sin(angles).astype(np.float32)), length)
    places = net.constant(np.arange(capacity, dtype=np.int64))
    beyond = net.op("Greater", places, length)
    mask = net.op("Where", beyond, net.scalar(-10000), net.scalar(0))
    is_new = net.op("Reshape", net.op("Equal", places, length), net.ints(1, 1, capacity, 1))

    def rotate(y):
        low = net.op("Slice", y, net.ints(0), net.ints(half), net.ints(3))
        high = net.op("Slice", y, net.ints(half), net.ints(size), net.ints(3))
        return net.op("Concat",
                      net.op("Sub", net.op("Mul", low, cos), net.op("Mul", high, sin)),
                      net.op("Add", net.op("Mul", high, cos), net.op("Mul", low, sin)), axis=3)

    for layer in range(layers):
        y = net.rms_norm(x, width)
        q = rotate(net.heads(net.linear(y, width, width, bias=False), 1, heads, size))
        k = rotate(net.heads(net.linear(y, width, groups * size, bias=False), 1, groups, size))
        v = net.heads(net.linear(y, width, groups * size, bias=False), 1, groups, size)
        caches = []
        for name, new in (("key", k), ("value", v)):
            old = net.input(f"{name}{layer}", [net.batch, groups, capacity, size])
            cache = net.op("Where", is_new, new, old)
            net.output(cache, [net.batch, groups, capacity, size], f"new_{name}{layer}")
            grouped = net.op("Reshape", cache,
                             net.ints(net.kept(1), groups, 1, capacity, size))
            repeated = net.op("Expand", grouped,
                              net.ints(1, groups, heads // groups, capacity, size))
            caches.append(net.op("Reshape", repeated,
                                 net.ints(net.kept(1), heads, capacity, size)))
        y = net.attend(q, *caches, size, mask)
        y = net.op("Transpose", y, perm=[0, 2, 1, 3])
        y = net.op("Reshape", y, net.ints(net.kept(1), 1, width))
        x = net.op("Add", x, net.linear(y, width, width, bias=False))
        y = net.rms_norm(x, width)
        y = net.op("Mul", net.swish(net.linear(y, width, inner, bias=False)),
                   net.linear(y, width, inner, bias=False))
        x = net.op("Add", x, net.linear(y, inner, width, bias=False))
    net.output(net.linear(net.rms_norm(x, width), width, vocabulary, bias=False),
               [net.batch, 1, vocabulary], "logits")


@network
def whisper_encoder(net):
    """Whisper tiny's encoder."""
    width, heads, length = net.pick(384, 32), net.pick(6, 4), net.pick(1500, 12)
    x = net.input("mel", [net.batch, 80, 2 * length])

    def conv1d(x, inner, stride):
        return net.gelu(net.op("Conv", x, net.weights(width, inner, 3, gain=math.sqrt(2)),
                               net.weights(width, fan_in=100), kernel_shape=[3],
                               strides=[stride], pads=[1, 1]))

    x = net.op("Transpose", conv1d(conv1d(x, 80, 1), width, 2), perm=[0, 2, 1])
    x = net.op("Add", x, net.weights(1, length, width, fan_in=4))
    for _ in range(net.pick(4, 2)):
        x = net.transformer(x, length, width, heads, 4 * width)
    net.output(net.layer_norm(x, width), [net.batch, length, width])


@network
def qdq_mobilenet(net):
    """MobileNetV1 with 8-bit weights and activations, as quantizers write it."""
    zero = lambda type, value: net.constant(np.array(value, type))

    def fake(x, scale, kind=np.uint8, point=128):
        s, z = net.scalar(scale), zero(kind, point)
        q = net.op("QuantizeLinear", x, s, z)
        return net.op("DequantizeLinear", q, s, z)

    def conv(x, channels, kernel=1, stride=1, group=1, x_scale=0.04):
        inner = net.channels[x] // group
        shape = (channels, inner, kernel, kernel)
        w = net.constant(net.random.randint(-127, 128, shape).astype(np.int8))
        scale = 0.02 / math.sqrt(math.prod(shape[1:]))
        w = net.op("DequantizeLinear", w, net.scalar(scale), zero(np.int8, 0))
        bias = net.constant(net.random.randint(-100, 100, channels).astype(np.int32))
        # Whoever makes one operator of all this takes the bias for integers of
        # the products' scale, whatever scale is stated here.
        bias = net.op("DequantizeLinear", bias, net.scalar(scale * x_scale),
                      zero(np.int32, 0))
        p = kernel // 2
        y = net.op("Conv", x, w, bias, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                   pads=[p] * 4, group=group)
        y = fake(net.relu(y), 0.04, np.uint8, 0)
        net.channels[y] = channels
        return y

    x = fake(image(net), 0.02)
    net.channels[x] = 3
    x = conv(x, net.width(32), 3, 2, x_scale=0.02)
    for channels, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
                             (512, 1), (512, 1), (1024, 2), (1024, 1)):
        x = conv(x, net.channels[x], 3, stride, group=net.channels[x])
        x = conv(x, net.width(channels))
    net.classify(x)


@network
def lstm(net):
    """Two layers, the first in both directions, over sequences of two lengths."""
    width, inner = net.pick(256, 8), net.pick(512, 12)
    length, stated = net.length(64, 6)
    batch = "batch" if net.open else 2
    x = net.input("sequence", [stated, batch, width])
    lengths = net.input("lengths", [batch], TensorProto.INT32)
    for directions in (2, 1):
        y = net.op("LSTM", x, net.weights(directions, 4 * inner, width, fan_in=width),
                   net.weights(directions, 4 * inner, inner, fan_in=inner),
                   net.weights(directions, 8 * inner, fan_in=100), lengths,
                   hidden_size=inner, direction="bidirectional" if directions == 2 else "forward",
                   outputs=3)[0]
        y = net.op("Transpose", y, perm=[0, 2, 1, 3])
        width = directions * inner
        x = net.op("Reshape", y, net.ints(net.kept(length), net.kept(2), width))
    net.output(net.linear(x, width, net.pick(1000, 10)), [stated, batch, net.pick(1000, 10)])


def build(name, small, half=False, capacity=None, open=False):
    net = Net(small, half, capacity=capacity, open=open)
    NETWORKS[name](net)
    return net.model()


def main():
    parser = argparse.ArgumentParser(description="Writes well-known networks as ONNX models.")
    parser.add_argument("name", nargs="*", choices=[[], *NETWORKS])
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--all", action="store_true", help="write every network")
    parser.add_argument("--small", action="store_true",
                        help="few channels, layers and pixels, for tests")
    parser.add_argument("--half", action="store_true",
                        help="weights, inputs and outputs of f16; not for networks that "
                             "quantize, whose scales are f32 before opset 19")
    parser.add_argument("--capacity", type=int, metavar="TOKENS",
                        help="the tokens that llama's key-value cache has room for; its "
                             "weights are the same ones, however many")
    parser.add_argument("--open", action="store_true",
                        help="leave the batch, and of bert_base, gpt2 and lstm the length, to "
                             "who runs the network; bert_base and gpt2 have at most 4 times "
                             "the length that they have otherwise")
    parser.add_argument("-o", default=".", metavar="FILE|FOLDER",
                        help="a file for one network, a folder for several (.)")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(NETWORKS))
        return 0
    names = list(NETWORKS) if arguments.all else arguments.name
    if not names:
        parser.error("name a network, or --all")
    if arguments.half:
        if arguments.all:
            names.remove("qdq_mobilenet")
        elif "qdq_mobilenet" in names:
            parser.error("qdq_mobilenet has no f16: before opset 19 its scales are f32")
    for name in names:
        path = arguments.o
        if os.path.isdir(path) or len(names) > 1:
            os.makedirs(path, exist_ok=True)
            path = os.path.join(path, name + ".onnx")
        with open(path, "wb") as file:
            file.write(build(name, arguments.small, arguments.half,
                             arguments.capacity, arguments.open).SerializeToString())
    return 0


if __name__ == "__main__":
    sys.exit(main())
