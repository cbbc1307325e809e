#!/usr/bin/env python3
# What --ort-optimizations=all fuses, and that it computes the same: small models,
# run with and without, on the device. Nodes that ONNX Runtime's DirectML provider
# does not take are told, too.
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

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, np.float32), name))
        return name

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
    made = run("dml-compile", path, "-o", program, f"--ort-optimizations={option}")
    check(made.returncode == 0, path, made.stderr)
    inputs = []
    for name, array in model.inputs.items():
        np.save(f"{folder}/{name}.npy", array)
        inputs.append(f"--input={name}=@{folder}/{name}.npy")
    ran = run("dml-run", program, *inputs, f"--output=@{folder}/{option}.npy")
    check(ran.returncode == 0, path, ran.stderr)
    return np.load(f"{folder}/{option}.npy")


def compare(folder, name, model, output, fused, before, after, open=()):
    """The operators `before` become `after` by the fusions `fused`."""
    path = f"{folder}/{name}.onnx"
    model.save(path, output)
    plain, code = explain(path)
    check(code == 0 and plain["ortOptimizations"]["applied"] == "none", name, plain)
    check([op["op"][4:] for op in plain["ops"]] == before, name, "before",
          [op["op"] for op in plain["ops"]])
    best, code = explain(path, "--ort-optimizations=all", "--level=6_4")
    said = best["ortOptimizations"]
    check(said["fused"] == fused, name, said)
    check([op["op"][4:] for op in best["ops"]] == after, name, "after",
          [op["op"] for op in best["ops"]])
    check(said["notModelled"] == list(open), name, said)
    # What could still change is no verdict.
    check(best["fits"] is (None if open else True) and code == (3 if open else 0), name, code)
    a, b = (results(folder, model, path, option) for option in ("none", "all"))
    largest = np.abs(a).max()
    check(np.abs(a - b).max() <= 2e-6 * largest and largest > 0.1, name, np.abs(a - b).max())


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
    # Attention might become another operator: no verdict.
    m = Model()
    x = m.node("LayerNormalization", m.input(2, 3, 8), m.constant(np.ones(8)))
    y = m.node("Softmax", m.node("MatMul", x, m.input(2, 8, 3)))
    compare(folder, "attention", m, y, {},
            ["mean_variance_normalization2", "gemm", "activation_softmax1"],
            ["mean_variance_normalization2", "gemm", "activation_softmax1"],
            open=["AttentionFusion"])

    # Nodes that the provider does not take: told, counted, and no verdict; the others are
    # judged.
    m = Model()
    x = m.node("Mish", m.node("Relu", m.input(1, 4)))
    low = m.input(1)
    m.inputs[low] = m.inputs[low].reshape(1)
    y = m.node("Clip", x, low)
    z = m.node("Clip", y, m.constant(0.0), m.constant(6.0))
    n, mean, _ = m.node("LayerNormalization", z, m.constant(np.ones(4)), outputs=3)
    m.opset = 18
    path = f"{folder}/not_taken.onnx"
    m.save(path, n, mean)
    report, code = explain(path, "--level=6_4")
    check(code == 3 and report["fits"] is None and report["level"] is None, report["fits"], code)
    names = {entry["node"].split("_")[0]: entry["reason"] for entry in report["notTaken"]}
    check(list(names) == ["Mish", "Clip", "LayerNormalization"], names)
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

    bad = run("dml-explain", path, "--ort-optimizations=some")
    check(bad.returncode == 2 and "wanted is none or all" in bad.stderr, bad.stderr)
    bad = run("dml-explain", f"{folder}/not_taken.mlir", "--ort-optimizations=all")
    check(bad.returncode == 2 and "is for ONNX models" in bad.stderr, bad.stderr)
    print("all right" if not wrong else f"{wrong} wrong")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
    sys.exit(1 if wrong else 0)
