#!/usr/bin/env python3
# Nodes whose values are ONNX Runtime 1.30's, frozen in movement_cases.jsonl, through
# the reader of ONNX models: in the interpreter and on the device. And nodes that are
# refused, each with its sentence.
#
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto

import import_tests
from import_tests import Model

import_tests.TYPES.update({
    np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.uint32): TensorProto.UINT32, np.dtype(np.uint64): TensorProto.UINT64})


def read_array(dtype, shape, numbers):
    return np.array(numbers, dtype).reshape(shape)


def add_case(model, case):
    """A node of the model with the values that are expected of it."""
    inputs = []
    for given in case["inputs"]:
        if given is None:
            inputs.append("")
        else:
            add = model.weights if given[0] == "constant" else model.input
            inputs.append(add(read_array(*given[1:])))
    wanted = case["outputs"]
    outputs = model.node(case["operator"], *inputs, domain=case.get("domain", ""), outputs=len(wanted),
                         **case["attributes"])
    for name, array in zip([outputs] if len(wanted) == 1 else outputs, wanted):
        model.expect(name, read_array(*array), case["tolerance"])


def read_models():
    """A model of all cases of a version of the operator set."""
    models = {}
    path = pathlib.Path(__file__).with_name("movement_cases.jsonl")
    for line in path.read_text().splitlines():
        case = json.loads(line)
        version = case["version"]
        add_case(models.setdefault(version, Model(opset=version)), case)
    return models


def compare(model, tool, path, folder):
    """Runs a model and returns the number of wrong outputs."""
    model.save(path)
    command = [tool, path]
    for name, array in model.inputs.items():
        file = os.path.join(folder, name + ".npy")
        np.save(file, array)
        command.append(f"--input={name}=@{file}")
    files = [os.path.join(folder, f"{index}.npy") for index in range(len(model.outputs))]
    import_tests.run(command + [f"--output=@{file}" for file in files])
    wrong = 0
    for (name, expected, tolerance), file in zip(model.outputs, files):
        found, wanted = np.load(file), np.atleast_1d(expected)
        if found.dtype.kind == "f" and found.shape == wanted.shape:
            right = found.dtype == wanted.dtype and np.allclose(found, wanted, rtol=tolerance, atol=tolerance)
        else:
            right = found.dtype == wanted.dtype and np.array_equal(found, wanted)
        if not right:
            wrong += 1
            print(f"{tool}: {name}: found {found.dtype}{found.shape} {found.ravel()[:12]}, "
                  f"wanted {wanted.dtype}{wanted.shape} {wanted.ravel()[:12]}")
    return wrong


def x(*shape):
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def i64(*values):
    return np.int64(values)


class Constant:
    def __init__(self, array):
        self.array = np.asarray(array)


C = Constant
LINE = (x(1, 1, 6),)

# Version, operator, inputs, attributes, and the sentence.
REFUSED = [
    (19, "Expand", (x(1, 1), C(i64(65536, 65536))), {},
     "its output has the shape 65536x65536, but DirectML's tensors have at most 2^32 - 1 elements"),
    (19, "Expand", (x(2), C(i64(3))), {}, "its input has the shape 2, which does not broadcast to 3"),
    (19, "Tile", (x(2, 3), C(i64(2**31, 2**31))), {},
     "its output has the shape 4294967296x6442450944, but DirectML's tensors have at most 2^32 - 1 elements"),
    (19, "Range", tuple(C(np.int64(v)) for v in (0, 2**62, 1)), {},
     "it goes from 0 to 4611686018427387904 in steps of 1, but wanted are at most 2^32 - 1 elements"),
    (19, "MaxPool", LINE, {"kernel_shape": [2], "strides": [1, 1]},
     "its attribute strides is [1, 1], but wanted are 1 values"),
    (19, "MaxPool", LINE, {"kernel_shape": [2], "strides": [0]},
     "its attribute strides is [0], but wanted are values from 1 to 2^32 - 1"),
    (19, "AveragePool", LINE, {"kernel_shape": [2], "pads": [-1, 0]},
     "its attribute pads is [-1, 0], but wanted are values from 0 to 2^32 - 1"),
    (18, "LpPool", LINE, {"kernel_shape": [2], "p": 0}, "its attribute p is 0, but wanted is a number from 1 to"),
    (19, "LpPool", LINE, {}, "it lacks the attribute kernel_shape"),
    (19, "Conv", (x(1, 4, 5), x(4, 2, 2)), {"group": 0},
     "its attribute group is 0, its input has the shape 1x4x5 and its filter 4x2x2, which do not fit"),
    (19, "ConvTranspose", (x(1, 4, 5), x(4, 2, 2)), {"group": -2**63}, "its attribute group is -9223372036854775808"),
    (19, "ConvTranspose", (x(1, 4, 5), x(4, 2, 2)), {"output_shape": [-5]},
     "its attribute output_shape is [-5], but wanted are 1 values from 1 to 2^32 - 1"),
    (19, "Transpose", (x(2, 3),), {"perm": [0, 0]},
     "its attribute perm is [0, 0], but wanted is each of 2 dimensions once"),
    (19, "Slice", (x(5, 4), C(i64(1, 0)), C(i64(3, 2)), C(i64(0, 0))), {}, "its axis 0 stands twice"),
    (19, "Slice", (x(5), C(i64(1)), C(i64(3)), C(i64(0)), C(i64(0))), {}, "a step is 0, but wanted is another number"),
    (19, "Pad", (x(3), C(i64(-4, 2))), {}, "its pads are -4 and 2 in a dimension of size 3, of which nothing is left"),
    (18, "Split", (x(4),), {"num_outputs": 3, "outputs": 2}, "its attribute num_outputs is 3, but it has 2 outputs"),
    (13, "Split", (x(5),), {"outputs": 2}, "it splits size 5 into 2 parts, which cannot be equal"),
    (19, "Gather", (x(2, 3), C(i64(7))), {"axis": 1}, "its index 7 is outside of the 3 elements of its axis"),
    (19, "GatherND", (x(2, 3), C(i64([0, 5]))), {}, "its index 5 is outside of the 3 elements of its dimension"),
    (19, "GatherElements", (x(2, 2), C(i64([1], [0], [1]))), {"axis": 1},
     "its data has the shape 2x2 and its indices 3x1"),
    (18, "ScatterElements", (x(2, 3), i64([1, 0]), x(1, 2)), {"axis": 1, "reduction": "add"},
     "its reduction is 'add' and its indices are computed when the model runs, but DirectML's scatters replace"),
    (18, "ScatterND", (x(2, 3), C(i64([1])), x(1, 3)), {"reduction": "mean"},
     "its reduction is 'mean', but wanted is none, add, mul, max or min"),
    (19, "OneHot", (i64(0, 1), C(np.int64(0)), C(np.float32([1, 5]))), {}, "its depth is 0, but wanted is 1 to 2^32 - 1"),
    (19, "Einsum", (x(2, 3), x(4, 2)), {"equation": "ij,jk->ik"}, "whose letter j has the sizes 3 and 4"),
    (19, "Einsum", (x(2, 3),), {"equation": "i..j->ij"}, "but wanted are letters and at most one ellipsis in a tensor"),
    (19, "Resize", (x(1, 1, 4), "", C(np.float32([2, 2]))), {"axes": [2, 2]}, "its axis 2 stands twice"),
    (19, "Resize", (x(1, 1, 4), "", C(np.float32([1, 1, 2]))), {"mode": "cubic"}, "its mode is cubic"),
    (19, "GRU", (x(3, 2, 4), x(1, 9, 4), x(1, 9, 3)), {"hidden_size": 2**62}, "its hidden_size is 4611686018427387904"),
    (19, "GRU", (x(3, 2, 4), x(1, 9, 3), x(1, 9, 3)), {"hidden_size": 3},
     "its input has the shape 3x2x4, its weights 1x9x3 and its recurrence 1x9x3, which do not fit 1 direction of 3"),
    (19, "RNN", (x(3, 2, 4), x(1, 3, 4), x(1, 3, 3)), {"hidden_size": 3, "activations": ["Relu", "Relu"]},
     "its attribute activations has 2 functions, but wanted are 1"),
]


def check_refused(case, path):
    version, operator, inputs, attributes, sentence = case
    model = Model(opset=version)
    names = [given if isinstance(given, str) else
             model.weights(given.array) if isinstance(given, Constant) else model.input(given) for given in inputs]
    found = model.node(operator, *names, **attributes)
    model.expect(found if isinstance(found, str) else found[0], x(1))
    model.save(path)
    result = subprocess.run(["dml-translate", "--import-onnx", path], capture_output=True, text=True)
    if result.returncode == 2 and sentence in result.stderr:
        return 0
    print(f"{operator} {attributes}: exit code {result.returncode}, wanted 2 and\n  {sentence}\nfound {result.stderr}")
    return 1


def check_empty_parts(folder):
    """What has no elements may stand between nodes."""
    model = Model(opset=13)
    a = x(4, 3)
    given = model.input(a)
    parts = model.node("Split", given, model.weights(i64(4, 0)), outputs=2)
    model.expect(model.node("Concat", parts[0], parts[1], axis=0), a)
    none = model.node("Slice", given, model.weights(i64(2)), model.weights(i64(2)), model.weights(i64(1)))
    turned = model.node("Transpose", none, perm=[1, 0])
    model.expect(model.node("Concat", turned, model.input(a.T.copy()), axis=0), a.T)
    model.expect(model.node("Einsum", none, none, equation="ij,kj->ik"), np.zeros((4, 4), np.float32))
    return sum(compare(model, tool, os.path.join(folder, "empty.onnx"), folder)
               for tool in ("dml-interpret", "dml-run"))


def check_long_range(folder):
    """A sequence of more elements than the importer computes."""
    model = Model(opset=13)
    for dtype, first, last, step in ((np.int64, 5, -70000, -1), (np.int32, 0, 65537, 1), (np.float32, 0, 70000, 1)):
        numbers = [model.weights(dtype(v)) for v in (first, last, step)]
        model.expect(model.node("Range", *numbers), np.arange(first, last, step, dtype=dtype))
    return sum(compare(model, tool, os.path.join(folder, "range.onnx"), folder)
               for tool in ("dml-interpret", "dml-run"))


def main(folder):
    wrong = check_empty_parts(folder) + check_long_range(folder)
    count = 0
    for version, model in read_models().items():
        count += len(model.outputs)
        for tool in ("dml-interpret", "dml-run"):
            wrong += compare(model, tool, os.path.join(folder, f"{version}.onnx"), folder)
    for case in REFUSED:
        wrong += check_refused(case, os.path.join(folder, "refused.onnx"))
    print(f"{count} outputs, {len(REFUSED)} refused nodes, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(1 if main(temporary) else 0)
