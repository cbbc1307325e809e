# SPDX-License-Identifier: Apache-2.0
"""Models that are built node by node: the programs and the results of the same models in
files, weights in arrays, functions and files, errors.

The environment has DML_NETWORKS, the program that writes networks."""
import gc
import os
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import dml
from support import needs_device

#: Weights of this many bytes are read by functions, and smaller ones are arrays.
LARGE = 1024


def setUpModule():
    needs_device()


# From a file's structures to a dml.Model.


def get_dtype(element):
    return "bool" if element == TensorProto.BOOL else helper.mapping.TENSOR_TYPE_TO_NP_TYPE[
        element].name


def get_type(value):
    """The type and the shape that a value is declared with."""
    tensor = value.type.tensor_type
    dtype = get_dtype(tensor.elem_type) if tensor.elem_type else None
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, [size.dim_value if size.HasField("dim_value") else size.dim_param or None
                   for size in tensor.shape.dim]


def convert_attribute(attribute, folder):
    if attribute.type == onnx.AttributeProto.GRAPH:
        graph = dml.Model({}, name="branch")
        add_graph(graph, attribute.g, folder)
        return graph
    if attribute.type == onnx.AttributeProto.TENSOR:
        return numpy_helper.to_array(attribute.t)
    value = helper.get_attribute_value(attribute)
    if attribute.type == onnx.AttributeProto.STRINGS:
        return [each.decode() for each in value]
    return value.decode() if isinstance(value, bytes) else value


def add_weight(model, tensor, folder):
    external = {entry.key: entry.value for entry in tensor.external_data}
    if external:
        model.file_weight(tensor.name, get_dtype(tensor.data_type), tensor.dims,
                          folder / external["location"], int(external.get("offset", 0)))
        return
    array = numpy_helper.to_array(tensor)
    if array.nbytes < LARGE:
        model.weight(tensor.name, array)
        return
    data = array.tobytes()

    def read(offset, destination):
        destination[:] = data[offset:offset + len(destination)]
    model.read_weight(tensor.name, array.dtype, array.shape, read)


def add_graph(model, graph, folder):
    for value in graph.input:
        model.input(value.name, *get_type(value))
    for value in graph.output:
        model.output(value.name, *get_type(value))
    for value in graph.value_info:
        model.value(value.name, *get_type(value))
    for tensor in graph.initializer:
        add_weight(model, tensor, folder)
    for node in graph.node:
        model.node(node.op_type, node.input, node.output, name=node.name, domain=node.domain,
                   **{each.name: convert_attribute(each, folder) for each in node.attribute})


def build(proto, folder=Path(".")):
    model = dml.Model({each.domain: each.version for each in proto.opset_import})
    add_graph(model, proto.graph, folder)
    return model


# The same models.


def read_programs(folder):
    """The executables of the only program in a cache, as DiskCache.cpp writes them."""
    (path,) = Path(folder).glob("*.dmlprogram")
    data = path.read_bytes()
    *_, preparation, executable = struct.unpack("<7Q", data[72:128])
    return data[len(data) - executable - preparation:]


def make_inputs(session):
    random = np.random.RandomState(7)
    return {each.name: (random.rand(*each.shape) * 3).astype(each.dtype)
            for each in session.inputs}


class EqualTest(unittest.TestCase):
    def check(self, proto, folder=None, options=None):
        """The program of the file and that of the model that is built are equal, and so are
        the bits of their results."""
        results, programs = [], []
        for built in (False, True):
            with tempfile.TemporaryDirectory() as cache:
                model = build(proto, folder) if built else (
                    folder / "model.onnx" if folder else proto.SerializeToString())
                session = dml.Session(model, cache_dir=cache, options=options)
                inputs = make_inputs(session)
                results.append(session.run(None, inputs))
                programs.append(read_programs(cache))
        for wanted, found in zip(*results):
            np.testing.assert_array_equal(wanted.view(np.uint8), found.view(np.uint8))
        self.assertEqual(len(programs[0]), len(programs[1]))
        self.assertTrue(programs[0] == programs[1])
        self.assertGreater(len(programs[0]), 1000)

    def check_network(self, name, *options, **arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.onnx")
            subprocess.run([sys.executable, os.environ["DML_NETWORKS"], name, "--small", "-o",
                            path, *options], check=True)
            self.check(onnx.load(path), **arguments)

    def test_convolutions(self):
        self.check_network("resnet18")

    def test_optimized(self):
        self.check_network("resnet18", options={"ort-optimizations": "all"})

    def test_transformer(self):
        self.check_network("bert_base", "--half")

    def test_quantized(self):
        self.check_network("qdq_mobilenet")

    def test_recurrent(self):
        self.check_network("lstm")

    def test_branch(self):
        then = helper.make_graph(
            [helper.make_node("Mul", ["x", "w"], ["a"])], "then", [],
            [helper.make_tensor_value_info("a", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(np.arange(4096, dtype=np.float32), "w")])
        other = helper.make_graph(
            [helper.make_node("Neg", ["x"], ["b"])], "else", [],
            [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)])
        self.check(self.make(
            [helper.make_node("Constant", [], ["yes"],
                              value=numpy_helper.from_array(np.array(True))),
             helper.make_node("If", ["yes"], ["y"], then_branch=then, else_branch=other)],
            [4096]))

    def test_types(self):
        """Nodes of all kinds of attributes, absent inputs, and weights of several types."""
        weights = {"table": np.arange(8192, dtype=np.float16).reshape(1024, 8),
                   "rows": np.array([5, 1000, 3], np.int64), "low": np.float16(-1),
                   "shape": np.array([1, 8, 1, 1]), "flat": np.array([8])}
        self.check(self.make(
            [helper.make_node("Constant", [], ["axes"], value_ints=[0]),
             helper.make_node("Gather", ["table", "rows"], ["g"], axis=0),
             helper.make_node("Clip", ["g", "low", ""], ["c"]),
             helper.make_node("Cast", ["c"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("ReduceSum", ["f", "axes"], ["s"], keepdims=0),
             helper.make_node("Mul", ["x", "s"], ["m"]),
             helper.make_node("HardSigmoid", ["m"], ["h"], alpha=0.125, beta=0.25),
             helper.make_node("Reshape", ["h", "shape"], ["r"]),
             helper.make_node("DepthToSpace", ["r"], ["d"], blocksize=2, mode="CRD"),
             helper.make_node("Reshape", ["d", "flat"], ["y"])], [8], weights))

    def test_external_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            weights = {"w": np.arange(4096, dtype=np.float32).reshape(64, 64),
                       "b": np.arange(64, dtype=np.float32)}
            proto = self.make([helper.make_node("MatMul", ["x", "w"], ["m"]),
                               helper.make_node("Add", ["m", "b"], ["y"])], [2, 64], weights)
            path = Path(folder, "model.onnx")
            onnx.save_model(proto, str(path), save_as_external_data=True, location="weights.bin",
                            size_threshold=0)
            self.check(onnx.load(path, load_external_data=False), Path(folder))

    @staticmethod
    def make(nodes, shape, weights={}):
        graph = helper.make_graph(
            nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(array, name) for name, array in weights.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


# What Python adds.


def make_sum(weight=None, **arguments):
    """y = x + w."""
    model = dml.Model({"": 17}, **arguments)
    model.input("x", np.float32, ["n", 256])
    model.output("y")
    if weight is not None:
        model.weight("w", weight)
    model.node("Add", ["x", "w"], ["y"], name="sum")
    return model


class BuildTest(unittest.TestCase):
    X = np.arange(512, dtype=np.float32).reshape(2, 256)

    def test_keeps_arrays(self):
        """An array lives as long as the session, and is not copied."""
        array = np.arange(256, dtype=np.float32)
        gone = weakref.ref(array)
        session = dml.Session(make_sum(array))
        array[7] = 1000
        del array
        gc.collect()
        self.assertIsNotNone(gone())
        (y,) = session.run(None, {"x": self.X})
        self.assertEqual(y[0, 7], 1007)
        self.assertEqual(session.inputs[0].shape, ["n", 256])
        del session
        gc.collect()
        self.assertIsNone(gone())

    def test_arrays_with_gaps(self):
        session = dml.Session(make_sum(np.arange(512, dtype=">f4")[::2]))
        (y,) = session.run(None, {"x": self.X})
        np.testing.assert_array_equal(y, self.X + 2 * np.arange(256, dtype=np.float32))

    def test_functions(self):
        array = np.arange(256, dtype=np.float32)
        calls = []

        def read(offset, destination):
            calls.append((offset, len(destination), threading.get_ident()))
            destination[:] = array.tobytes()[offset:offset + len(destination)]
        model = make_sum()
        model.read_weight("w", np.float32, [256], read, identifier="numbers to 255")
        (y,) = dml.Session(model).run(None, {"x": self.X})
        np.testing.assert_array_equal(y, self.X + array)
        self.assertEqual({call[:2] for call in calls}, {(0, 1024)})

    def test_functions_that_raise(self):
        def read(offset, destination):
            raise OSError("the disk is gone")
        model = make_sum()
        model.read_weight("w", np.float32, [256], read)
        session = dml.Session(model)
        with self.assertRaisesRegex(dml.InputOutput,
                                    "the callback of weight 'w' cannot read 1024 bytes from byte 0 "
                                    "on: OSError: the disk is gone"):
            session.run(None, {"x": self.X})

    def test_four_bits(self):
        model = dml.Model({"": 21})
        model.input("x", np.float32, [4])
        model.weight("w", np.int8([-8, 7, 3, -1]), dtype="int4")
        model.weight("scale", np.float32(0.5))
        model.node("DequantizeLinear", ["w", "scale"], ["d"])
        model.node("Mul", ["x", "d"], ["y"])
        model.output("y", np.float32, [4])
        (y,) = dml.Session(model).run(None, {"x": np.float32([1, 1, 2, 2])})
        np.testing.assert_array_equal(y, np.float32([-4, 3.5, 3, -1]))

    def test_errors(self):
        def fails(text, function, *arguments, **more):
            with self.assertRaisesRegex(dml.InvalidArgument, text):
                function(*arguments, **more)
        model = make_sum()
        fails("the elements of 'x' are of the type complex64", model.input, "x", np.complex64, [])
        fails("input 'z' has the size -5 in dimension 0", model.input, "z", "float32", [-5])
        fails("a size of 'z' is 1.5, but wanted is an integer", model.input, "z", "int8", [1.5])
        fails("attribute 'to' is of the type object, but wanted is a number, a string, a list",
              model.node, "Cast", ["x"], ["z"], to=object())
        fails("the inputs: found the str 'x', but wanted is a list", model.node, "Neg", "x", ["z"])
        fails("weight 'w' is an array of float64, but wanted is float32", model.weight, "w",
              np.zeros(3), dtype="float32")
        fails("weight 'w' has elements from 0.0 to 99.0", model.weight, "w", np.float32([0, 99]),
              dtype="uint4")
        fails("input 'x' is declared twice", model.input, "x", "float32", [1])
        fails("weight 'x' has the name of the input 'x'", model.weight, "x", np.float32([1]))
        fails("the opsets are of the type str, but wanted", dml.Model, "x")
        fails("the shape of 'z': found the str 'ab', but wanted is a list", model.input, "z", "int8",
              "ab")
        fails("the inputs: found the int 3, but wanted is a list", model.node, "Neg", 3, ["z"])
        fails("attribute 'alpha' is 1e.60, which float32 does not have", model.node, "Elu", ["x"],
              ["z"], alpha=1e60)
        fails("weight 'v' is no array", model.weight, "v", [[1], [1, 2]])
        fails("offset of weight 'v' is -1, but wanted is an integer from 0 on", model.file_weight,
              "v", "float32", (1,), __file__, -1)
        fails("what reads a weight is of the type int", model.read_weight, "v", "int8", (1,), 3)
        session = dml.Session(model)
        fails("node 'sum' .Add. reads 'w', which nothing before it computes", session.run, None,
              {"x": self.X})
        fails("the model '<model>' has a session", model.output, "z")
        fails("the model is of the type int, but wanted is a path, bytes or a dml.Model",
              dml.Session, 5)


if __name__ == "__main__":
    unittest.main()
