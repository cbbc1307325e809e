#!/usr/bin/env python3
# What --ort-optimizations=all fuses, and that it computes the same: small models,
# run with and without, on the device. Nodes that ONNX Runtime's DirectML provider
# does not take are told, too. The arguments are options of dml-compile.
#
# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper

random = np.random.RandomState(7)
wrong = 0


def check(good, *what):
    global wrong
    if not good:
        wrong += 1
        print("WRONG", *what)


class Model:
    def __init__(self, opset=17):
        self.opset, self.nodes, self.inputs, self.weights, self.count = opset, [], {}, [], 0

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = random.standard_normal(shape).astype(np.float32)
        return name

    def constant(self, array, kind=np.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, kind), name))
        return name

    def quantize(self, x, scale, kind=np.uint8, zero=128):
        return self.node("QuantizeLinear", x, self.constant(scale), self.constant(zero, kind))

    def dequantize(self, x, scale, kind=np.uint8, zero=128):
        return self.node("DequantizeLinear", x, self.constant(scale), self.constant(zero, kind))

    def fake(self, x, scale, kind=np.uint8, zero=128):
        """Quantized, and dequantized again."""
        return self.dequantize(self.quantize(x, scale, kind, zero), scale, kind, zero)

    def node(self, kind, *inputs, domain="", outputs=1, **attributes):
        self.count += 1
        names = [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"{kind}_{self.count}",
                                           domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def save(self, path, *outputs):
        graph = helper.make_graph(
            self.nodes, "g",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
             for name, array in self.inputs.items()],
            [helper.make_empty_tensor_value_info(name) for name in outputs], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        with open(path, "wb") as file:
            file.write(model.SerializeToString())


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def explain(path, *options):
    result = run("dml-explain", path, "--json", *options)
    check(result.stdout, path, result.stderr)
    return json.loads(result.stdout), result.returncode


def results(folder, model, path, option):
    """The first output as it is computed with `option`."""
    program = f"{folder}/{option}.dmlx"
    made = run("dml-compile", *sys.argv[1:], path, "-o", program,
               f"--ort-optimizations={option}")
    check(made.returncode == 0, path, made.stderr)
    inputs = []
    for name, array in model.inputs.items():
        np.save(f"{folder}/{name}.npy", array)
        inputs.append(f"--input={name}=@{folder}/{name}.npy")
    ran = run("dml-run", program, *inputs, f"--output=@{folder}/{option}.npy")
    check(ran.returncode == 0, path, ran.stderr)
    return np.load(f"{folder}/{option}.npy")


def compare(folder, name, model, output, fused, before, after, open=(), level="6_4", quantum=0):
    """The operators `before` become `after` by the fusions `fused`. What is computed
    differs by rounding, or by `quantum`."""
    path = f"{folder}/{name}.onnx"
    model.save(path, output)
    plain, code = explain(path)
    check(code == 0 and plain["ortOptimizations"]["applied"] == "none", name, plain)
    check([op["op"][4:] for op in plain["ops"]] == before, name, "before",
          [op["op"] for op in plain["ops"]])
    best, code = explain(path, "--ort-optimizations=all", f"--level={level}")
    said = best["ortOptimizations"]
    check(said["fused"] == fused, name, said)
    check([op["op"][4:] for op in best["ops"]] == after, name, "after",
          [op["op"] for op in best["ops"]])
    check([(entry["name"], entry["level"]) for entry in said["notModelled"]] == list(open),
          name, said)
    # What could still need a newer level than the one asked for is no verdict.
    number = lambda text: tuple(map(int, text.split("_")))
    isOpen = any(needed is None or number(needed) > number(level) for _, needed in open)
    check(best["fits"] is (None if isOpen else True) and code == (3 if isOpen else 0), name,
          best["fits"], code)
    a, b = (results(folder, model, path, option).astype(np.float64) for option in ("none", "all"))
    largest, off = np.abs(a).max(), np.abs(a - b).max()
    check(off <= max(2e-6 * largest, 1.01 * quantum) and largest > 0.1, name, off)
    # A quantum more or less is rare.
    check(not quantum or np.mean(np.abs(a - b) > 1e-4 * largest) <= 0.2, name, "often off")


def conv(model, x, channels, out, bias=True, **attributes):
    weights = [model.constant(random.standard_normal((out, channels, 3, 3)) / 5)]
    if bias:
        weights.append(model.constant(random.standard_normal(out)))
    return model.node("Conv", x, *weights, **attributes)


def norm(model, x, channels):
    draw = random.standard_normal
    return model.node("BatchNormalization", x, model.constant(draw(channels) + 2),
                      model.constant(draw(channels)), model.constant(draw(channels)),
                      model.constant(draw(channels)**2 + 0.5))


def gelu(model, x, early=False):
    erf = model.node("Erf", model.node("Div", x, model.constant(np.sqrt(2.0))))
    total = model.node("Add", erf, model.constant(1))
    if early:
        return model.node("Mul", model.node("Mul", x, model.constant(0.5)), total)
    return model.node("Mul", model.node("Mul", x, total), model.constant(0.5))


def fast_gelu(model, x, power):
    """GPT-2's approximation, in the two forms that ONNX Runtime knows."""
    number = lambda value: model.constant(value)
    if power:
        cube = model.node("Mul", model.node("Pow", x, number(3)), number(0.044715))
        inner = model.node("Mul", model.node("Add", x, cube), number(np.sqrt(2 / np.pi)))
    else:
        square = model.node("Mul", x, model.node("Mul", x, number(0.044715)))
        inner = model.node("Mul", model.node("Mul", x, number(np.sqrt(2 / np.pi))),
                           model.node("Add", square, number(1)))
    total = model.node("Add", model.node("Tanh", inner), number(1))
    return model.node("Mul", model.node("Mul", x, number(0.5)), total)


def quantized(folder):
    """Nodes between dequantized tensors and a quantization."""
    dq, q = "element_wise_dequantize_linear", "element_wise_quantize_linear"
    transformer = "QDQSelectorActionTransformer"

    def weights(m, *shape, kind=np.int8, zero=0):
        drawn = random.randint(-100, 100, shape) + zero
        return m.dequantize(m.constant(drawn, kind), 0.02, kind, zero)

    def conv(m, x, channels, kind=np.int8):
        inputs = [x, weights(m, 4, channels, 3, 3, kind=kind)]
        bias = m.constant(random.randint(-900, 900, 4), np.int32)
        inputs.append(m.dequantize(bias, 0.02 * 0.02, np.int32, 0))
        return m.node("Conv", *inputs, pads=[1, 1, 1, 1])

    m = Model(13)
    x = m.fake(m.input(1, 3, 6, 6), 0.02)
    y = m.fake(conv(m, x, 3), 0.1)
    compare(folder, "qdq_conv", m, y, {transformer: 1},
            [q, dq, dq, dq, "convolution", q, dq], [q, "quantized_linear_convolution", dq],
            quantum=0.1)
    # A Relu that the zero point makes redundant goes away in some versions of ONNX Runtime
    # alone; one that is not never does. Activations of int8 are for ARM's processors.
    float_conv = [q, dq, dq, dq, "convolution", "activation_relu", q, dq]
    fused_conv = [op for op in float_conv if op != "activation_relu"]
    inside = {"activation in the operator before it": 1}
    for zero, could in ((0, [(transformer + " of Conv", "2_1")]), (128, [])):
        m = Model(13)
        x = m.fake(m.input(1, 3, 6, 6), 0.02)
        y = m.fake(m.node("Relu", conv(m, x, 3)), 0.1, zero=zero)
        compare(folder, f"qdq_relu_{zero}", m, y, inside, float_conv, fused_conv, could)
    m = Model(13)
    x = m.fake(m.input(1, 3, 6, 6), 0.02, np.int8, 3)
    y = m.fake(conv(m, x, 3), 0.1, np.int8, 3)
    same = [q, dq, dq, dq, "convolution", q, dq]
    compare(folder, "qdq_int8", m, y, {}, same, same, [(transformer + " of Conv", "2_1")],
            level="2_1")
    # A convolution that reads floats, or whose result something else reads, stays.
    m = Model(13)
    y = m.fake(conv(m, m.input(1, 3, 6, 6), 3), 0.1)
    compare(folder, "qdq_floats", m, y, {}, same[2:], same[2:])
    m = Model(13)
    x = m.fake(m.input(1, 3, 6, 6), 0.02)
    c = conv(m, x, 3)
    y = m.node("Mul", m.fake(c, 0.1), m.node("Sigmoid", c))
    kept = same[:5] + [q, dq, "activation_sigmoid", "element_wise_multiply"]
    compare(folder, "qdq_read_twice", m, y, {}, kept, kept)
    # Products: of integers throughout, or to floats. The latter came with 6_2.
    for back in (True, False):
        m = Model(13)
        x = m.fake(m.input(2, 8), 0.02)
        y = m.node("MatMul", x, weights(m, 8, 5))
        y = m.fake(y, 0.1) if back else m.node("Tanh", m.node("Mul", y, m.constant(0.2)))
        behind = [q, dq] if back else ["element_wise_multiply", "activation_tanh"]
        made = ["quantized_linear_matrix_multiply", dq] if back else [
            "matrix_multiply_integer_to_float"] + behind
        compare(folder, f"qdq_matmul_{back}", m, y, {transformer: 1},
                [q, dq, dq, "gemm"] + behind, [q] + made, quantum=0.1 if back else 0)
    m = Model(13)
    y = m.node("Add", m.node("MatMul", m.fake(m.input(2, 8), 0.02), weights(m, 8, 5)),
               m.constant(random.standard_normal(5)))
    kept = [q, dq, dq, "gemm", "element_wise_add"]
    compare(folder, "qdq_matmul_bias", m, y, {}, kept, kept,
            [(transformer + " of MatMul", "6_2")], level="6_1")
    compare(folder, "qdq_matmul_bias", m, y, {}, kept, kept,
            [(transformer + " of MatMul", "6_2")], level="6_2")
    m = Model(13)
    y = m.fake(m.node("Add", m.fake(m.input(2, 8), 0.02), m.fake(m.input(2, 8), 0.03)), 0.04)
    compare(folder, "qdq_add", m, y, {transformer: 1},
            [q, dq, q, dq, "element_wise_add", q, dq],
            [q, q, "element_wise_quantized_linear_add", dq], quantum=0.04)
    for kind, op, made in (
            ("GlobalAveragePool", ["average_pooling"], ["quantized_linear_average_pooling"]),
            ("Sigmoid", ["activation_sigmoid"], [dq, "activation_sigmoid", q])):
        m = Model(13)
        y = m.fake(m.node(kind, m.fake(m.input(1, 3, 5, 5), 0.02)), 0.004)
        compare(folder, f"qdq_{kind}", m, y, {transformer: 1}, [q, dq] + op + [q, dq],
                [q] + made + [dq], quantum=0.004)
    m = Model(13)
    x = m.fake(m.input(2, 4), 0.02), m.fake(m.input(2, 3), 0.03)
    y = m.fake(m.node("Concat", *x, axis=1), 0.03)
    compare(folder, "qdq_concat", m, y, {transformer: 1}, [q, dq, q, dq, "join", q, dq],
            [q, q, dq, dq, "join", q, dq])
    # What is no model stays none: a zero point of another type than the integers.
    m = Model(13)
    x = m.quantize(m.input(2, 9), 0.02)
    y = m.node("Cast", m.node("ArgMax", m.dequantize(x, 0.02, np.int8, 0), axis=1), to=1)
    m.save(f"{folder}/zero_point.onnx", y)
    bad = run("dml-compile", f"{folder}/zero_point.onnx", "-o", "-", "--ort-optimizations=all")
    check(bad.returncode == 2 and "zero_point has element type" in bad.stderr, bad.stderr)
    # The provider has no kernel for what would become of Softmax.
    m = Model(13)
    y = m.fake(m.node("Softmax", m.fake(m.input(2, 4), 0.02)), 0.004, zero=0)
    kept = [q, dq, "activation_softmax1", q, dq]
    compare(folder, "qdq_softmax", m, y, {}, kept, kept, [(transformer + " of Softmax", None)])
    # What moves elements works on integers, and quantizations are carried over it: the
    # convolution behind the pooling and the transposition is fused, too.
    m = Model(13)
    x = m.node("MaxPool", m.fake(m.input(1, 6, 6, 3), 0.02), kernel_shape=[2, 1])
    x = m.node("Transpose", x, perm=[0, 3, 1, 2])
    y = m.node("Transpose", conv(m, x, 3), perm=[0, 2, 3, 1])
    y = m.fake(y, 0.1)
    with_channels = [q, dq, "max_pooling", dq, dq, "convolution", q, dq]
    compare(folder, "qdq_carried", m, y, {transformer: 4}, with_channels,
            [q, "max_pooling", "quantized_linear_convolution", dq], quantum=0.1)
    m = Model(13)
    y = m.node("Cast", m.node("ArgMax", m.fake(m.input(2, 9), 0.02), axis=1), to=1)
    compare(folder, "qdq_argmax", m, y, {transformer: 1}, [q, dq, "argmax", "cast"],
            [q, "argmax", "cast"])
    m = Model(12)
    parts = m.node("Split", m.fake(m.input(2, 6), 0.02), outputs=2, axis=1)
    y = m.node("Mul", *(m.fake(part, 0.02) for part in parts))
    compare(folder, "qdq_split", m, y, {transformer: 1},
            [q, dq, "split", q, dq, q, dq, "element_wise_multiply"],
            [q, "split", dq, dq, "element_wise_multiply"])

    # A product of integers that is scaled, up to version 13.
    for opset, bias in ((13, False), (13, True), (14, True)):
        m = Model(opset)
        x = m.quantize(m.input(2, 8), 0.02)
        product = m.node("MatMulInteger", x, m.constant(random.randint(-99, 99, (8, 5)), np.int8),
                         m.constant(128, np.uint8), m.constant(2, np.int8))
        scales = m.node("Mul", m.input(1), m.constant(0.03))
        y = m.node("Mul", m.node("Cast", product, to=1), scales)
        if bias:
            y = m.node("Add", y, m.constant(random.standard_normal(5)))
        apart = [q, "matrix_multiply_integer", "element_wise_multiply", "cast",
                 "element_wise_multiply"] + ["element_wise_add"] * bias
        isKnown = opset < 14
        compare(folder, f"integers_{opset}_{bias}", m, y,
                {"MatMulIntegerToFloatFusion": 1} if isKnown else {}, apart,
                [q, "matrix_multiply_integer_to_float"] if isKnown else apart)


def layer_norm(model, x, width):
    mean = model.node("ReduceMean", x, axes=[-1])
    away = model.node("Sub", x, mean)
    variance = model.node("ReduceMean", model.node("Pow", away, model.constant(2)), axes=[-1])
    root = model.node("Sqrt", model.node("Add", variance, model.constant(1e-5)))
    scaled = model.node("Mul", model.node("Div", away, root),
                        model.constant(random.standard_normal(width)))
    return model.node("Add", scaled, model.constant(random.standard_normal(width)))


def main(folder):
    inside = "activation in the operator before it"
    for bias in (True, False):
        m = Model()
        x = m.input(1, 3, 8, 8)
        y = m.node("Relu", norm(m, conv(m, x, 3, 6, bias), 6))
        compare(folder, f"conv_{bias}", m, y, {"ConvBNFusion": 1, inside: 1},
                ["convolution", "batch_normalization", "activation_relu"], ["convolution"])
    # What two nodes read stays, and so does a convolution whose weights are no constants.
    m = Model()
    x = m.input(1, 3, 8, 8)
    c = conv(m, x, 3, 3, pads=[1, 1, 1, 1])
    y = m.node("Mul", norm(m, c, 3), m.node("Sigmoid", c))
    compare(folder, "shared", m, y, {},
            ["convolution", "batch_normalization", "activation_sigmoid", "element_wise_multiply"],
            ["convolution", "batch_normalization", "activation_sigmoid", "element_wise_multiply"])
    m = Model()
    y = m.node("Tanh", norm(m, m.node("Conv", m.input(1, 2, 5, 5), m.input(4, 2, 3, 3)), 4))
    compare(folder, "computed", m, y, {inside: 1},
            ["convolution", "batch_normalization", "activation_tanh"],
            ["convolution", "batch_normalization"])
    # An addition takes in Relu and LeakyRelu alone.
    m = Model()
    a, b = m.input(2, 5), m.input(2, 5)
    y = m.node("LeakyRelu", m.node("Add", a, b), alpha=0.25)
    compare(folder, "add", m, y, {"activation in Add": 1},
            ["element_wise_add", "activation_leaky_relu"], ["element_wise_add1"])
    m = Model()
    a, b = m.input(2, 5), m.input(2, 5)
    y = m.node("Sigmoid", m.node("Add", a, b))
    compare(folder, "add_sigmoid", m, y, {}, ["element_wise_add", "activation_sigmoid"],
            ["element_wise_add", "activation_sigmoid"])
    # A node Reshape in between is one too many.
    m = Model()
    shape = numpy_helper.from_array(np.array([2, 3, 1], np.int64), "shape")
    m.weights.append(shape)
    y = m.node("Relu", m.node("Reshape", m.node("MatMul", m.input(2, 4), m.input(4, 3)), "shape"))
    compare(folder, "reshape", m, y, {}, ["gemm", "activation_relu"], ["gemm", "activation_relu"])
    m = Model()
    y = m.node("Elu", m.node("MatMul", m.input(2, 4), m.input(4, 3)))
    compare(folder, "matmul", m, y, {inside: 1}, ["gemm", "activation_elu"], ["gemm"])
    for early in (False, True):
        m = Model()
        y = gelu(m, m.input(2, 6), early)
        before = ["element_wise_divide", "element_wise_erf", "element_wise_add",
                  "element_wise_multiply", "element_wise_multiply"]
        compare(folder, f"gelu_{early}", m, y, {"GeluFusion": 1}, before, ["activation_gelu"])
    m = Model(20)
    y = gelu(m, m.input(2, 6))
    compare(folder, "gelu_20", m, y, {"GeluFusion": 1}, before, ["activation_gelu"],
            [("GeluFusion from version 20 of the operator set on", None)])
    m = Model()
    x = m.node("Add", m.input(2, 6), m.constant(random.standard_normal(6)))
    y = gelu(m, x)
    compare(folder, "bias_gelu", m, y, {"GeluFusion": 1, "BiasGeluFusion": 1},
            ["element_wise_add", "element_wise_divide", "element_wise_erf", "element_wise_add",
             "element_wise_multiply", "element_wise_multiply"], ["element_wise_add1"])
    m = Model()
    y = layer_norm(m, m.input(2, 3, 8), 8)
    compare(folder, "layer_norm", m, y, {"LayerNormFusion": 1},
            ["reduce", "element_wise_subtract", "element_wise_constant_pow", "reduce",
             "element_wise_add", "element_wise_sqrt", "element_wise_divide",
             "element_wise_multiply", "element_wise_add"], ["mean_variance_normalization2"])
    for power in (False, True):
        m = Model()
        y = fast_gelu(m, m.input(2, 6), power)
        path = f"{folder}/fast_gelu_{power}.onnx"
        m.save(path, y)
        best, code = explain(path, "--ort-optimizations=all", "--level=6_4")
        check([op["op"] for op in best["ops"]] == ["dml.activation_gelu"] and code == 0 and
              best["ortOptimizations"]["fused"] == {"FastGeluFusion": 1}, power, best)
        # The provider's Gelu is exact.
        a, b = (results(folder, m, path, option) for option in ("none", "all"))
        check(0 < np.abs(a - b).max() < 5e-4, power, np.abs(a - b).max())
    m = Model()
    y = fast_gelu(m, m.node("Add", m.input(2, 6), m.constant(random.standard_normal(6))), True)
    m.save(f"{folder}/fast_gelu_bias.onnx", y)
    best, code = explain(f"{folder}/fast_gelu_bias.onnx", "--ort-optimizations=all")
    check([op["op"] for op in best["ops"]] == ["dml.element_wise_add1"] and
          best["ortOptimizations"]["fused"] == {"BiasGeluFusion": 1, "FastGeluFusion": 1}, best)
    # Another factor is another function.
    m = Model()
    y = fast_gelu(m, m.input(2, 6), True)
    m.weights[1] = numpy_helper.from_array(np.array(0.05, np.float32), "w1")
    m.save(f"{folder}/no_gelu.onnx", y)
    best, code = explain(f"{folder}/no_gelu.onnx", "--ort-optimizations=all")
    check(best["ortOptimizations"]["fused"] == {} and len(best["ops"]) == 8, best)
    # What attention becomes needs nothing newer than the normalization before it.
    m = Model()
    x = m.node("LayerNormalization", m.input(2, 3, 8), m.constant(np.ones(8)))
    y = m.node("Softmax", m.node("MatMul", x, m.input(2, 8, 3)))
    kept = ["mean_variance_normalization2", "gemm", "activation_softmax1"]
    compare(folder, "attention", m, y, {}, kept, kept)

    quantized(folder)

    # Functions without a kernel are the nodes of their definition.
    for kind, opset, ops in (
            ("HardSwish", 17, ["activation_hard_sigmoid", "element_wise_multiply"]),
            ("Mish", 18, ["activation_softplus", "activation_tanh", "element_wise_multiply"])):
        m = Model(opset)
        y = m.node(kind, m.input(3, 7))
        compare(folder, kind, m, y, {}, ops, ops)

    # Nodes that the provider does not take: told, counted, and no verdict; the others are
    # judged.
    m = Model()
    x = m.node("Gelu", m.node("Relu", m.input(1, 4)), approximate="tanh")
    low = m.input(1)
    m.inputs[low] = m.inputs[low].reshape(1)
    y = m.node("Clip", x, low)
    z = m.node("Clip", y, m.constant(0.0), m.constant(6.0))
    n, mean, _ = m.node("LayerNormalization", z, m.constant(np.ones(4)), outputs=3)
    m.opset = 20
    path = f"{folder}/not_taken.onnx"
    m.save(path, n, mean)
    report, code = explain(path, "--level=6_4")
    check(code == 3 and report["fits"] is None and report["level"] is None, report["fits"], code)
    names = {entry["node"].split("_")[0]: entry["reason"] for entry in report["notTaken"]}
    check(list(names) == ["Gelu", "Clip", "LayerNormalization"], names)
    check(names["Clip"] == "its bounds are computed when the model runs", names)
    check([op["op"] for op in report["ops"]] == ["dml.activation_relu", "dml.element_wise_clip1"],
          report["ops"])
    text = run("dml-explain", path, "--level=6_4").stdout
    check("not taken by ONNX Runtime's DirectML provider: 3 nodes" in text and
          "undecided, though the other operators fit" in text and "\nfits" not in text, text)
    # A level that the other operators lack is a verdict still.
    text = run("dml-explain", path, "--level=1_0").stdout
    check("does not fit feature level 1_0" in text, text)
    # The model as text says the same.
    run("dml-translate", "--import-onnx", path, "-o", f"{folder}/not_taken.mlir")
    report, code = explain(f"{folder}/not_taken.mlir", "--level=6_4")
    check(code == 3 and sum(len(entry["ops"]) for entry in report["notTaken"]) > 5, report)

    # Kernels of the provider are for versions of operators up to 21. Operators that have not
    # changed since are taken, and so are the nodes that Swish is defined by.
    for opset in (21, 22, 24):
        for option in ("none", "all"):
            m = Model()
            x = m.node("Conv", m.input(1, 2, 4, 4), m.constant(np.ones((3, 2, 2, 2))))
            y = m.node("Softmax", m.node("Relu", x))
            if opset == 24:
                y = m.node("Swish", y)
            m.opset = opset
            path = f"{folder}/version.onnx"
            m.save(path, y)
            report, code = explain(path, "--level=6_4", f"--ort-optimizations={option}")
            names = {entry["node"].split("_")[0]: entry["reason"] for entry in report["notTaken"]}
            wanted = {"Conv": "the provider has no kernel for this version of the operator"}
            check(names == (wanted if opset > 21 else {}), opset, option, names)
            check(code == (3 if opset > 21 else 0), opset, option, code)
            judged = [op["op"] for op in report["ops"]]
            kept = ["dml.activation_relu", "dml.activation_softmax1"]
            kept += ["dml.activation_sigmoid", "dml.element_wise_multiply"] if opset == 24 else []
            check(judged == kept if opset > 21 else judged[0] == "dml.convolution", opset, option, judged)
    for opset, kind, inputs, attributes in (
            (23, "Attention", [(1, 2, 3, 4)] * 3, {}), (23, "RMSNormalization", [(2, 4), (4,)], {}),
            (23, "RotaryEmbedding", [(1, 1, 2, 4), (1, 2, 2), (1, 2, 2)], {}),
            (24, "TensorScatter", [(1, 4, 3), (1, 2, 3)], {}), (26, "CumProd", [(2, 3)], {})):
        m = Model()
        inputs = [m.input(*shape) for shape in inputs]
        if kind == "CumProd":
            inputs.append(m.constant(1, np.int64))
        y = m.node("Relu", m.node(kind, *inputs, **attributes))
        m.opset = opset
        m.save(path, y)
        report, code = explain(path, "--level=6_4")
        names = {entry["node"].split("_")[0]: entry["reason"] for entry in report["notTaken"]}
        check(code == 3 and "but the CPU has" in names.get(kind, ""), kind, names)

    # Nodes that cannot be read are a class of their own: told, with what depends on them, and
    # no verdict; the nodes before them are judged.
    m = Model()
    x = m.node("Tanh", m.node("Relu", m.input(2, 3)))
    places = m.node("NonZero", x)
    y = m.node("GatherND", x, m.node("Transpose", places))
    z = m.node("Sqrt", m.node("Unheard", x, domain="elsewhere"))
    path = f"{folder}/unread.onnx"
    m.save(path, y, z)
    for option in ("none", "all"):
        report, code = explain(path, "--level=6_4", f"--ort-optimizations={option}")
        check(code == 3 and report["fits"] is None and report["level"] is None, report["fits"],
              code)
        check([op["op"] for op in report["ops"]] == ["dml.activation_relu", "dml.activation_tanh"],
              report["ops"])
        check([kind.split(",")[0] for kind in report["unread"]] ==
              ["NonZero: 1 node", "elsewhere.Unheard: 1 node", "behind these: 3 nodes"],
              report["unread"])
    text = run("dml-explain", path, "--level=6_4", f"--report={folder}/unread.html").stdout
    check("not read, since DirectML's operators do not express them:\n  NonZero: 1 node" in text and
          "undecided, though the other operators fit" in text, text)
    with open(f"{folder}/unread.html", encoding="utf-8") as file:
        check("Not read: NonZero: 1 node" in file.read(), "page")
    # What runs or rewrites a model wants all of it.
    for tool in (["dml-compile", path, "-o", f"{folder}/unread.dmlx"],
                 ["dml-explain", path, "--level=1_0", f"--legalize={folder}/unread.mlir"]):
        bad = run(*tool)
        check(bad.returncode == 2 and "do not express 2 of 7 nodes:\n  NonZero: 1 node" in bad.stderr,
              tool, bad.returncode, bad.stderr)
    m = Model()
    m.save(path, m.node("NonZero", m.input(2, 3)))
    # Where all nodes are unread, nobody knows the level.
    for option in ("none", "all"):
        report, code = explain(path, "--level=6_4", f"--ort-optimizations={option}")
        check(code == 3 and report["fits"] is None and report["level"] is None and
              not report["ops"] and len(report["unread"]) == 2 and
              report["unread"][1].startswith("a session"), report, code)
    text = run("dml-explain", path, f"--report={folder}/all_unread.html").stdout
    check("NonZero: 1 node" in text and text.startswith("undecided\n"), text)

    bad = run("dml-explain", path, "--ort-optimizations=some")
    check(bad.returncode == 2 and "wanted is none or all" in bad.stderr, bad.stderr)
    bad = run("dml-explain", f"{folder}/not_taken.mlir", "--ort-optimizations=all")
    check(bad.returncode == 2 and "is for ONNX models" in bad.stderr, bad.stderr)
    print("all right" if not wrong else f"{wrong} wrong")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
    sys.exit(1 if wrong else 0)
