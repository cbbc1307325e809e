#!/usr/bin/env python3
# ONNX files that are not what they should be: each is refused with a message, or
# read; no tool crashes on any.
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def build(nodes=None, shape=(2, 3), opset=13, weights=None, element=TensorProto.FLOAT):
    nodes = nodes or [helper.make_node("Add", ["x", "w"], ["y"], name="sum")]
    weights = [numpy_helper.from_array(np.ones((2, 3), np.float32), "w")] if weights is None else weights
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def explain(data, folder, *options):
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(data)
    return subprocess.run(["dml-explain", path, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600)


def external(location):
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3], data_location=1)
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", location
    return tensor


def short_tensor():
    tensor = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    tensor.dims[0] = 2**40
    return tensor


# Files with the message that each gets.
CASES = [
    (build(opset=0), "is of version 0 of ONNX's operator set, but wanted is one from 1 to 22"),
    (build(opset=99), "is of version 99 of ONNX's operator set"),
    (build(shape=("batch", 3)), "input 'x' has no fixed size in dimension 0; state it with --dim='batch=SIZE'"),
    (build(shape=(None, 3)), "state it with --dim='x[0]=SIZE'"),
    (build(element=TensorProto.STRING), "input 'x' has the type string, which no DirectML tensor has"),
    (build([helper.make_node("Loop", ["x"], ["y"], name="again")]),
     "express 1 of 1 nodes:\n  Loop: 1 node, 'again': it has graphs of its own, which the importer does not enter"),
    (build([helper.make_node("Relu", ["z"], ["y"], name="r")]),
     "node 'r' (Relu) reads 'z', which nothing before it computes"),
    (build([helper.make_node("Relu", ["x"], ["x"], name="r"), helper.make_node("Relu", ["x"], ["y"])]),
     "node 'r' (Relu) computes 'x', which is there already"),
    (build([helper.make_node("Relu", ["x", "x"], ["y"], name="r")]), "it has 2 inputs, but wanted are 1"),
    (build([helper.make_node("LeakyRelu", ["x"], ["y"], alpha="much")]),
     "its attribute alpha is a string, but wanted is a float"),
    (build([helper.make_node("Flatten", ["x"], ["y"], axis=5)]), "axis 5 is none of 2 dimensions"),
    (build([helper.make_node("Reshape", ["x", "w"], ["y"])],
           weights=[numpy_helper.from_array(np.int64([4, -1]), "w")]),
     "it shows 2x3 as 4x-1, which cannot have as many elements"),
    (build([helper.make_node("Reshape", ["x", "w"], ["y"])],
           weights=[numpy_helper.from_array(np.int64([7]), "w")]),
     "it shows 2x3 as 7, which has not as many elements"),
    (build(weights=[numpy_helper.from_array(np.ones((4, 3), np.float32), "w")]),
     "its inputs have the shapes 2x3 and 4x3, which do not broadcast"),
    (build(weights=[short_tensor()]), "tensor 'w': its shape is 1099511627776x3"),
    (build(weights=[external("../secret")]), "'../secret', but wanted is a file in the model's folder"),
    (build(weights=[external("/etc/passwd")]), "'/etc/passwd', but wanted is a file in the model's folder"),
    (build(weights=[external("missing")]), "missing': No such file"),
]

# The same on the wire.
BYTES = [
    (b"", "the file is no ONNX model: it has no graph"),
    (b"\x08\x08\x3a\xff\xff\xff\xff\x0f", "a field is longer than the message that it stands in"),
    (b"\x08" + b"\xff" * 11, "a number has more than the 10 bytes that a varint may have"),
    (b"\x08\x08\x38\x01", "field ModelProto.graph is a varint, but wanted is bytes with a length"),
    (b"\x08\x08\x3b\x01", "a field has a wire type that is none of 0, 1, 2 and 5"),
    (b"\x08\x08\x02\x01", "a field has number 0, or one between 19000 and 19999"),
    (b"\x08\x08\x3a\x02\x42\x00", "states no version of ONNX's operator set"),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutations", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for model, message in CASES + BYTES:
            data = model if isinstance(model, bytes) else model.SerializeToString()
            result = explain(data, folder)
            if result.returncode != 2 or message not in result.stderr:
                sys.exit(f"wanted is exit code 2 and: {message}\n"
                         f"found is exit code {result.returncode} and: {result.stderr}")
        symbolic = build(shape=("batch", 3)).SerializeToString()
        if explain(symbolic, folder, "--dim=batch=2").returncode != 0:
            sys.exit("--dim=batch=2 states no size")

        whole = build().SerializeToString()
        generator = random.Random(1)
        for index in range(arguments.mutations):
            data = bytearray(whole)
            if index % 2:
                del data[generator.randrange(len(data)):]
            else:
                for _ in range(generator.randint(1, 4)):
                    data[generator.randrange(len(data))] = generator.randrange(256)
            result = explain(bytes(data), folder)
            if result.returncode not in (0, 1, 2):
                with open("mutation.onnx", "wb") as file:
                    file.write(data)
                sys.exit(f"mutation {index} (mutation.onnx): exit code {result.returncode}\n{result.stderr}")
    print("every file is read or refused")


if __name__ == "__main__":
    main()
