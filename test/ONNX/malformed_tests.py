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


def read(data, folder, *options):
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(data)
    return subprocess.run(["dml-translate", "--import-onnx", path, *options], stdout=subprocess.PIPE,
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


def deep(depth):
    """A graph with an If in it, in whose branch is another."""
    nodes = [helper.make_node("If", ["x"], ["y"], then_branch=deep(depth - 1))] if depth > 1 else []
    return helper.make_graph(nodes, "g", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])


def looping(depth=1, count=3, op="Relu", shape=(2, 3), **attributes):
    """A Loop of `count` iterations, in whose body is another, down to a node."""
    def nodes(level, carried, result):
        if level == depth:
            return [helper.make_node(op, [carried], [result], name="inner")]
        i, c, v, d, n = (f"{name}{level}" for name in "icvdn")
        info = helper.make_tensor_value_info
        body = helper.make_graph(
            nodes(level + 1, v, n) + [helper.make_node("Identity", [c], [d])], "body",
            [info(i, TensorProto.INT64, []), info(c, TensorProto.BOOL, []),
             info(v, TensorProto.FLOAT, shape)],
            [info(d, TensorProto.BOOL, []), info(n, TensorProto.FLOAT, shape)])
        return [helper.make_node("Loop", ["count", "", carried], [result], name=f"again{level}",
                                 body=body)]
    model = build(nodes(0, "x", "y"),
                  weights=[] if count is None else [numpy_helper.from_array(np.int64(count), "count")])
    if count is None:
        model.graph.input.append(helper.make_tensor_value_info("count", TensorProto.INT64, []))
    return model


def recursive(depth, calls):
    """Functions, each of which calls the next `calls` times, and the last nothing or,
    where there is one alone, itself."""
    def function(index):
        callee = f"f{index + 1}" if index + 1 < depth else "Relu" if depth > 1 else "f0"
        domain = "" if callee == "Relu" else "local"
        nodes = [helper.make_node(callee, ["x" if call == 0 else f"t{call - 1}"],
                                  ["y" if call + 1 == calls else f"t{call}"], domain=domain)
                 for call in range(calls)]
        return helper.make_function("local", f"f{index}", ["x"], ["y"], nodes,
                                    [helper.make_opsetid("", 13), helper.make_opsetid("local", 1)])

    model = build([helper.make_node("f0", ["x"], ["y"], name="call", domain="local")])
    model.functions.extend(function(index) for index in range(depth))
    model.opset_import.append(helper.make_opsetid("local", 1))
    return model


# Files with the message that each gets.
CASES = [
    (recursive(1, 1), "calls the function 'f0', and 64 calls are around it"),
    (recursive(40, 2), "the model's functions come to more than 262144 nodes and numbers"),
    (build(opset=0), "is of version 0 of ONNX's operator set, but wanted is one from 1 to 26"),
    (build(opset=99), "is of version 99 of ONNX's operator set"),
    (build(shape=(2, "n")), "inputs have dimensions without a size: x: [2, n]; state them, as with "
     "--input-shape=x:2xSIZE, or with --dim='n=SIZE'"),
    (build(shape=(2, None)), "x: [2, ?]; state them, as with --input-shape=x:2xSIZE, or with --dim='x[1]=SIZE'"),
    (build(shape=("n", None, "n")), "or with --dim='x[1]=SIZE'"),
    (build([helper.make_node("Clip", ["x", "w"], ["y"])]),
     "a bound has the shape 2x3, but wanted is one number"),
    (build(element=TensorProto.STRING), "input 'x' has the type string, which no DirectML tensor has"),
    (build([helper.make_node("If", ["x"], ["y"], name="choose", then_branch=deep(1), else_branch=deep(1))]),
     "If: 1 node, 'choose': its condition is computed when the model runs, but a program has no branches"),
    (build([helper.make_node("If", ["x"], ["y"], name="choose", then_branch=deep(20), else_branch=deep(1))]),
     "has a graph within 16 others"),
    (build([helper.make_node("Loop", ["x"], ["y"], name="again")]),
     "express 1 of 1 nodes:\n  Loop: 1 node, 'again': it has no graph for its body"),
    (looping(count=None),
     "Loop: 1 node, 'again0': its number of iterations is computed when the model runs, but a program's loops "
     "have fixed numbers of iterations (where it depends on an input of one integer or bool, "
     "--dim=NAME=VALUE states that)\n"
     "  a session (dml/session.h, python3 -m dml) runs such a model as several programs"),
    (looping(count=2**40), "Loop: 1 node, 'again0': it has 1099511627776 iterations, but wanted are at most 1048576"),
    (looping(count=2**20), "it has 1048576 iterations of 2 operators, but wanted are at most 1048576 operators"),
    (looping(op="Foo"), "a program cannot have its body: Foo: 1 node, 'inner': the importer does not know it"),
    (looping(depth=2, count=5000),
     "a program cannot have its body: Loop: 1 node, 'again1': its iterations have more than 4096 nodes when they "
     "are written out"),
    (looping(depth=4, count=100), "the loops of the model have more than 65536 nodes when they are written out"),
    (looping(depth=18), "has a graph within 16 others"),
    (build([helper.make_node("Relu", ["z"], ["y"], name="r")]),
     "node 'r' (Relu) reads 'z', which nothing before it computes"),
    (build([helper.make_node("Relu", ["x"], ["x"], name="r"), helper.make_node("Relu", ["x"], ["y"])]),
     "node 'r' (Relu) computes 'x', which is there already"),
    (build([helper.make_node("Relu", ["x", "x"], ["y"], name="r")]), "it has 2 inputs, but version 13 of the operator has 1 at most"),
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
    (build(weights=[external("pipe")]), "pipe', which is no file, but wanted is one"),
    (build(weights=[external(".")]), "', which is no file, but wanted is one"),
]

def calling(inputs, outputs):
    model = recursive(2, 1)
    del model.graph.node[0].input[:], model.graph.node[0].output[:]
    model.graph.node[0].input.extend(inputs)
    model.graph.node[0].output.extend(outputs)
    return model


def contrib(type, *inputs, **attributes):
    return helper.make_node(type, list(inputs), ["y"], domain="com.microsoft", **attributes)


def repeated_weights():
    """MatMulNBits with 1 GiB of weights that one byte repeats."""
    n, k, block = 65536, 32768, 32
    sizes = {"bytes": [n, k // block, block // 2], "numbers": [n, k // block]}
    nodes = [helper.make_node("ConstantOfShape", ["bytes"], ["b"],
                              value=helper.make_tensor("value", TensorProto.UINT8, [1], [0x1a])),
             helper.make_node("ConstantOfShape", ["numbers"], ["scales"]),
             contrib("MatMulNBits", "x", "b", "scales", K=k, N=n, bits=4, block_size=block)]
    return build(nodes, shape=(1, k), weights=[numpy_helper.from_array(np.int64(size), name)
                                               for name, size in sizes.items()])


CASES += [
    (repeated_weights(), "its input 1 repeats one byte 1073741824 times, but wanted are bytes of a file"),
    (build([helper.make_node("DequantizeLinear", ["w", "scale"], ["y"])], opset=21, weights=[
        TensorProto(name="w", data_type=22, dims=[65536, 65535], raw_data=b"1"),
        numpy_helper.from_array(np.float32(1), "scale")]),
     "tensor 'w': it has 1 bytes of elements, but 65536x65535 of int4 wants 2147450880"),
    (build([helper.make_node("Einsum", ["x"], ["y"], equation="ij,jk->ik")]),
     "its equation is 'ij,jk->ik', but it has 1 inputs"),
    (build([helper.make_node("Einsum", ["x"], ["y"], equation="i..j->i")]),
     "but wanted are letters and at most one ellipsis in a tensor"),
    (build([helper.make_node("Einsum", ["x"], ["y"], equation="ij->ii")]),
     "but wanted is each letter of the output once, and in an input"),
    (build([helper.make_node("Einsum", ["x"], ["y"], equation="ij->ik")]),
     "but wanted is each letter of the output once, and in an input"),
    (build([helper.make_node("Einsum", ["x", "w"], ["y"], equation="ij,jk->ik")]),
     "whose letter j has the sizes 3 and 2"),
    (build(opset=6, weights=[numpy_helper.from_array(np.ones(3, np.float32), "w")]),
     "its inputs have the shapes 2x3 and 3, but its attribute broadcast is 0"),
    (build([helper.make_node("Add", ["x", "w"], ["y"], broadcast=1, axis=1)], opset=6,
           weights=[numpy_helper.from_array(np.ones((2, 3), np.float32), "w")]),
     "its second input has the shape 2x3, which does not fit 2x3 from axis 1 on"),
    (build([helper.make_node("Dropout", ["x"], ["y"])], opset=6), "its training mode is on, but wanted is inference"),
    (build([helper.make_node("DequantizeLinear", ["w", "x"], ["y"])],
           weights=[TensorProto(name="w", data_type=21, dims=[2, 3], raw_data=b"12")]),
     "tensor 'w': it has 2 bytes of elements, but 2x3 of uint4 wants 3"),
    (build([helper.make_node("NonZero", ["x"], ["y"])]),
     "its elements are computed when the model runs, but the shape of its result depends on them"),
    (build([helper.make_node("Range", ["w", "b", "c"], ["y"])],
           weights=[numpy_helper.from_array(np.int64(n), name) for name, n in (("w", 0), ("b", 10**12), ("c", 1))]),
     "but wanted are at most 2^32 - 1 elements"),
    (build([helper.make_node("NonMaxSuppression", ["x", "w"], ["y"])]),
     "NonMaxSuppression: 1 node, 'NonMaxSuppression#0': the shape of its result depends on its data"),
    (build([contrib("MatMulNBits", "x", "b", "w", K=3, N=3, bits=4, block_size=16)],
           weights=[numpy_helper.from_array(np.ones((2, 1, 8), np.uint8), "b"),
                    numpy_helper.from_array(np.ones(2, np.float32), "w")]),
     "it multiplies 2x3 by 2x1x8 bytes, which are not 3 rows of 3 elements in blocks of 16"),
    (build([contrib("Attention", "x", "w", num_heads=1, do_rotary=1)]),
     "its attribute do_rotary is on, which the provider leaves to the CPU"),
    (calling(["x", "x"], ["y"]), "node 'call' calls the function 'f0', with 2 inputs and 1 outputs, but it has 1 and 1"),
]

def value_twice():
    """A tensor with two fields of elements."""
    tensor = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    tensor.float_data.extend([2.0] * 6)
    return tensor


def two_types():
    """An attribute that is said to be an integer, and has a float."""
    node = helper.make_node("LeakyRelu", ["x"], ["y"], name="leak", alpha=0.5)
    node.attribute[0].type = 2
    return node


def twice(model, field):
    """The model with the last entry of a list once more."""
    entries = getattr(model, field) if hasattr(model, field) else getattr(model.graph, field)
    last = entries[-1]
    entries.add().CopyFrom(last)
    return model


def declared(field, name, element, shape):
    """A sum of x and w, whose result is y, with one declaration more."""
    model = build([helper.make_node("Add", ["x", "w"], ["z"]), helper.make_node("Relu", ["z"], ["y"])])
    values = getattr(model.graph, field)
    for value in list(values):
        if value.name == name:
            values.remove(value)
    values.append(helper.make_tensor_value_info(name, element, shape))
    return model


def versions(*numbers):
    model = build()
    model.opset_import.extend(helper.make_opsetid("", number) for number in numbers)
    return model


CASES += [
    # What nobody reads.
    (build([helper.make_node("Relu", ["x"], ["y"], name="r", slope=0.5)]),
     "it has the attribute 'slope', which ONNX's operator does not have"),
    (build([helper.make_node("Shape", ["x"], ["y"], begin=1)]), "it has the attribute 'begin'"),
    (build([helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[2])], shape=(1, 2, 3),
           weights=[numpy_helper.from_array(np.ones((1, 2, 3), np.float32), "w")]),
     "its attribute kernel_shape is 2, but its weights have windows of 3"),
    (build([helper.make_node("GRU", ["x", "w", "w"], ["y"], hidden_size=2**62)], shape=(1, 1, 1),
           weights=[numpy_helper.from_array(np.ones((1, 3, 1), np.float32), "w")]),
     "its hidden_size is 4611686018427387904, but its recurrence has the shape 1x3x1"),
    (build([contrib("MultiHeadAttention", "x", "x", "x", num_heads=2**63 - 1)], shape=(1, 2, 4)),
     "its attribute num_heads is 9223372036854775807, but wanted is 1 to 4 for a query of the shape 1x2x4"),
    # Inputs that are left out.
    (build([helper.make_node("Pow", ["x", ""], ["y"])]), "it has 1 inputs, but wanted are 2"),
    (build([helper.make_node("Mod", ["x", "", ""], ["y"])]), "it has 1 inputs, but wanted are 2"),
    (build([helper.make_node("Where", ["x", "x", ""], ["y"])]), "it has 2 inputs, but wanted are 3"),
    (build([helper.make_node("BitShift", ["x", ""], ["y"], direction="LEFT")]), "it has 1 inputs, but wanted are 2"),
    (build([helper.make_node("Einsum", ["x", ""], ["y"], equation="ij,jk->ik")]), "but it has 1 inputs"),
    (build([helper.make_node("Mean", [], ["y"])]), "Mean: 1 node, 'Mean#0': it"),
    (build([helper.make_node("BatchNormalization", ["", "x", "x", "x", "x"], ["y"])]),
     "its input 0 is left out, but wanted is one"),
    # What is stated in two ways.
    (build(weights=[value_twice()]), "tensor 'w': its elements stand in 2 fields, but wanted is one"),
    (build([two_types()]), "attribute 'alpha' has values of two types, but wanted is one"),
    (twice(build(), "initializer"), "initializer 'w' stands twice"),
    (build([helper.make_node("Split", ["x"], ["y", "y"], num_outputs=2)], opset=18),
     "computes 'y' twice"),
    (versions(14), "versions 13 and 14 of the operator set '' are stated, but wanted is one"),
    (twice(recursive(2, 1), "functions"), "the function 'f1' is defined twice"),
    (declared("output", "y", TensorProto.INT32, None), "output 'y' is declared as int32, but its elements are f32"),
    (declared("output", "y", TensorProto.BOOL, None), "output 'y' is declared as bool, but its elements are f32"),
    (declared("output", "y", TensorProto.FLOAT, (3, 2)), "output 'y' is declared with the shape 3x2, but has the shape 2x3"),
    (declared("value_info", "z", TensorProto.FLOAT, (2, "n", 3)),
     "tensor 'z' is declared with the shape 2x?x3, but has the shape 2x3"),
    (declared("input", "w", TensorProto.FLOAT, (3, 3)),
     "initializer 'w' is declared with the shape 3x3, but has the shape 2x3"),
    # Sizes.
    (build([helper.make_node("Einsum", ["w"], ["y"], equation="...->...")],
           weights=[numpy_helper.from_array(np.ones((1,) * 10, np.float32), "w")]),
     "tensor 'w': it has 10 dimensions, but DirectML's tensors have at most 8"),
    (build([helper.make_node("Unsqueeze", ["w", "a"], ["y"])],
           weights=[numpy_helper.from_array(np.ones((1,) * 8, np.float32), "w"),
                    numpy_helper.from_array(np.int64([0]), "a")]),
     "its output has 9 dimensions, but DirectML's tensors have at most 8"),
    (build(shape=(2, 0)), "input 'x' has the shape 2x0, but wanted are at most 8 dimensions, and 1 to 2^32 - 1 elements"),
    (build(shape=(2, -1)), "or with --dim='x[1]=SIZE'"),
    # Files that only seem to be in the folder.
    (build(weights=[external("link")]), "a symbolic link that leads out of the model's folder"),
    (build(weights=[external("hard")]), "which has 2 hard links"),
]

# The same on the wire.
BYTES = [
    (b"", "the file is no ONNX model: it has no graph"),
    (b"\x08\x08\x3a\xff\xff\xff\xff\x0f", "a field is longer than the message that it stands in"),
    (build().SerializeToString()[:-1],
     "a field is longer than the message that it stands in; the file ends in the middle of a field: it may be truncated"),
    (b"<!DOCTYPE html>\n<html>\n", "the file is no ONNX model: it begins with text, and "),
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
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as outside:
        os.mkfifo(os.path.join(folder, "pipe"))
        elsewhere = os.path.join(outside, "elements")
        with open(elsewhere, "wb") as file:
            file.write(bytes(24))
        os.symlink(elsewhere, os.path.join(folder, "link"))
        with open(os.path.join(folder, "own"), "wb") as file:
            file.write(bytes(24))
        os.link(os.path.join(folder, "own"), os.path.join(folder, "hard"))
        for model, message in CASES + BYTES:
            data = model if isinstance(model, bytes) else model.SerializeToString()
            result = read(data, folder)
            if result.returncode != 2 or message not in result.stderr:
                sys.exit(f"wanted is exit code 2 and: {message}\n"
                         f"found is exit code {result.returncode} and: {result.stderr}")
        symbolic = build(shape=("batch", 3)).SerializeToString()
        if read(symbolic, folder, "--dim=batch=2").returncode != 0:
            sys.exit("--dim=batch=2 states no size")
        for options, message in (
                (["--dim=batch=2", "--dim=bacth=2"], "the size of 'bacth' is stated, but no input has that name, or a "
                 "dimension without a size of that name; there are 'batch'"),
                (["--dim=batch=2", "--dim=x=2"], "input 'x' is 2x3 of float, but only one bool or one integer "
                 "of 32 or 64 bits can be stated with --dim")):
            result = read(symbolic, folder, *options)
            if result.returncode != 2 or message not in result.stderr:
                sys.exit(f"wanted is exit code 2 and: {message}\nfound is {result.returncode}: {result.stderr}")

        whole = build().SerializeToString()
        generator = random.Random(1)
        for index in range(arguments.mutations):
            data = bytearray(whole)
            if index % 2:
                del data[generator.randrange(len(data)):]
            else:
                for _ in range(generator.randint(1, 4)):
                    data[generator.randrange(len(data))] = generator.randrange(256)
            result = read(bytes(data), folder)
            if result.returncode not in (0, 1, 2):
                with open("mutation.onnx", "wb") as file:
                    file.write(data)
                sys.exit(f"mutation {index} (mutation.onnx): exit code {result.returncode}\n{result.stderr}")
    print("every file is read or refused")


if __name__ == "__main__":
    main()
