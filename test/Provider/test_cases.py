#!/usr/bin/env python3
"""What the provider does in ONNX Runtime: python3 test_cases.py HOST PROVIDER [TEST...]"""
#
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import tempfile
import unittest

import numpy
from onnx import TensorProto, checker, helper, numpy_helper

import host

# The program and the provider.
ARGUMENTS = []
# The API version of ONNX Runtime: 27 or newer, or an older one.
VERSION = 27
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def make_model(nodes, inputs, outputs, weights=None, opset=17):
    """A model of (operator, inputs, outputs, attributes). Inputs and outputs are (name,
    type, shape)."""
    made = [node if hasattr(node, "op_type")
            else helper.make_node(node[0], node[1], node[2], **(node[3] if len(node) > 3 else {}))
            for node in nodes]
    graph = helper.make_graph(
        made, "graph", [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info(*each) for each in outputs],
        [numpy_helper.from_array(numpy.asarray(value), name)
         for name, value in (weights or {}).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    return model


def make_body(nodes, states, collected=()):
    """The body of a Loop with states (before, after, shape) and tensors that iterations
    collect (name, shape)."""
    make = helper.make_tensor_value_info
    made = [node if hasattr(node, "op_type")
            else helper.make_node(node[0], node[1], node[2], f"{node[0]}_{node[2][0]}",
                                  **(node[3] if len(node) > 3 else {})) for node in nodes]
    return helper.make_graph(
        [*made, helper.make_node("Identity", ["cond_in"], ["cond_out"])], "body",
        [make("i", INT64, []), make("cond_in", BOOL, []),
         *(make(before, FLOAT, shape) for before, _, shape in states)],
        [make("cond_out", BOOL, []), *(make(after, FLOAT, shape) for _, after, shape in states),
         *(make(name, FLOAT, shape) for name, shape in collected)])


def needs_version(version):
    """Marks a test that needs an API version of ONNX Runtime."""
    def mark(test):
        test.version = version
        return test
    return mark


def leave_out_newer():
    """Removes the tests that need a newer version than there is."""
    for name, test in list(vars(ProviderTest).items()):
        if getattr(test, "version", 0) > VERSION:
            delattr(ProviderTest, name)


def draw(*shape):
    return numpy.random.RandomState(sum(shape)).standard_normal(shape).astype(numpy.float32)


class ProviderTest(unittest.TestCase):
    def setUp(self):
        self.host = host.Host(*ARGUMENTS, log=True)
        self.addCleanup(self.host.__exit__)

    def open(self, model, partitioning="all", entries=None, **options):
        """Opens a session with the provider."""
        self.host.set({"partitioning": partitioning, **options}, entries)
        return self.host.open(model)

    def compare(self, model, *runs, partitioning="all", parts=None, others=None, **options):
        """Runs the model with the provider and on the CPU."""
        opened = self.open(model, partitioning, **options)
        if parts is not None and opened.parts is not None:
            self.assertEqual(sorted(opened.parts), sorted(parts))
        if others is not None and opened.parts is not None:
            self.assertEqual(opened.others, others)
        found = [self.host.run(inputs)[0] for inputs in runs]
        self.host.open(model, "cpu")
        for inputs, outputs in zip(runs, found):
            wanted, _ = self.host.run(inputs)
            self.assertIsNone(host.find_difference(outputs, wanted))

    def find_log(self, text):
        lines = [line for line in self.host.read_log() if text in line]
        self.assertTrue(lines, f"no line of the log has '{text}'")
        return lines[0]

    def test_sizes_change_between_runs(self):
        model = make_model(
            [("MatMul", ["x", "w"], ["y"]), ("Relu", ["y"], ["z"])],
            [("x", FLOAT, ["rows", 10])], [("z", FLOAT, ["rows", 4])], {"w": draw(10, 4)})
        self.compare(model, *({"x": draw(rows, 10)} for rows in (3, 5, 1, 3)), parts=[2])

    def test_pictures_of_any_size(self):
        model = make_model(
            [("Conv", ["x", "w"], ["y"], {"pads": [1, 1, 1, 1]}),
             ("MaxPool", ["y"], ["p"], {"kernel_shape": [2, 2], "strides": [2, 2]}),
             ("Resize", ["p", "", "scales"], ["u"], {"mode": "nearest"}),
             ("Shape", ["y"], ["s"]), ("Slice", ["s", "two", "four"], ["hw"]),
             ("Concat", ["channels", "hw"], ["sizes"], {"axis": 0}),
             ("Reshape", ["u", "sizes"], ["z"])],
            [("x", FLOAT, ["batch", 3, "height", "width"])], [("z", FLOAT, None)],
            {"w": draw(4, 3, 3, 3), "scales": numpy.float32([1, 1, 2, 2]),
             "two": numpy.int64([2]), "four": numpy.int64([4]),
             "channels": numpy.int64([-1, 4])})
        self.compare(model, {"x": draw(1, 3, 8, 12)}, {"x": draw(2, 3, 10, 6)}, others=0)

    def test_loop_in_the_middle(self):
        body = make_body([("Add", ["state", "step"], ["next"])], [("state", "next", [2, 3])])
        model = make_model(
            [("Relu", ["x"], ["step"]),
             helper.make_node("Loop", ["count", "", "step"], ["sum"], body=body),
             ("Exp", ["sum"], ["y"])],
            [("x", FLOAT, [2, 3]), ("count", INT64, [])], [("y", FLOAT, [2, 3])])
        runs = [{"x": draw(2, 3), "count": numpy.int64(count)} for count in (3, 0, 1)]
        if VERSION >= 27:
            self.compare(model, *runs, parts=[3], others=0)
            self.compare(model, *runs, partitioning="auto", parts=[])
            self.find_log("(Loop) stays with ONNX Runtime: an iteration takes the CPU about")
        self.compare(model, *runs, partitioning="directml")
        self.find_log("(Loop) stays with ONNX Runtime: the provider takes no node with a graph")

    def test_weights_from_around_a_loop(self):
        body = make_body([("MatMul", ["state", "w"], ["product"]),
                          ("Tanh", ["product"], ["next"])], [("state", "next", [2, 3])])
        model = make_model(
            [("MatMul", ["x", "w"], ["first"]),
             helper.make_node("Loop", ["count", "", "first"], ["y"], body=body)],
            [("x", FLOAT, [2, 3]), ("count", INT64, [])], [("y", FLOAT, [2, 3])],
            {"w": draw(3, 3)})
        self.compare(model, {"x": draw(2, 3), "count": numpy.int64(3)})

    @needs_version(27)
    def test_what_a_loop_reads_from_around_it(self):
        # The bias is an input that nothing else reads, "d" a result of the CPU's, "u" one of
        # a node of the partition, and "w" a weight.
        body = make_body([("MatMul", ["state", "w"], ["product"]),
                          ("Add", ["product", "bias"], ["sum"]), ("Add", ["sum", "d"], ["more"]),
                          ("Mul", ["more", "u"], ["last"]), ("Tanh", ["last"], ["next"])],
                         [("state", "next", [3, 3])])
        model = make_model(
            [("Det", ["x"], ["d"]), ("Abs", ["x"], ["u"]),
             helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
            [("x", FLOAT, [3, 3]), ("bias", FLOAT, [3]), ("count", INT64, [])],
            [("y", FLOAT, [3, 3])], {"w": draw(3, 3)})
        self.compare(model, *({"x": draw(3, 3), "bias": draw(3), "count": numpy.int64(count)}
                              for count in (2, 5)), parts=[2], others=1)

    @needs_version(27)
    def test_what_iterations_collect(self):
        # The number of rows is known when the loop has run.
        body = make_body([("Gather", ["table", "i"], ["row"]), ("Add", ["state", "row"], ["next"]),
                          ("Mul", ["next", "next"], ["square"])], [("state", "next", [4])],
                         [("square", [4])])
        model = make_model(
            [helper.make_node("Loop", ["count", "", "x"], ["sum", "rows"], body=body),
             ("Neg", ["rows"], ["y"])],
            [("x", FLOAT, [4]), ("count", INT64, [])],
            [("sum", FLOAT, [4]), ("y", FLOAT, [None, 4])], {"table": draw(5, 4)})
        self.compare(model, *({"x": draw(4), "count": numpy.int64(count)}
                              for count in (2, 5, 0, 2)), parts=[1], others=1)
        self.find_log("(Neg) stays with ONNX Runtime: the shape of 'rows'")

    @needs_version(27)
    def test_graphs_within_graphs(self):
        def branch(operator):
            return helper.make_graph(
                [helper.make_node(operator, ["state"], [operator])], operator, [],
                [helper.make_tensor_value_info(operator, FLOAT, [4])])
        body = make_body(
            [("ReduceSum", ["state"], ["sum"], {"keepdims": 0}),
             ("Greater", ["sum", "limit"], ["cond"]),
             helper.make_node("If", ["cond"], ["part"], then_branch=branch("Neg"),
                              else_branch=branch("Exp")),
             ("Add", ["part", "x"], ["next"])], [("state", "next", [4])])
        model = make_model(
            [helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
            [("x", FLOAT, [4]), ("count", INT64, [])], [("y", FLOAT, [4])],
            {"limit": numpy.float32(3)})
        self.compare(model, {"x": draw(4), "count": numpy.int64(6)}, parts=[1], others=0)

    @needs_version(27)
    def test_scan(self):
        body = helper.make_graph(
            [helper.make_node("Mul", ["state", "decay"], ["kept"]),
             helper.make_node("Add", ["kept", "row"], ["next"]),
             helper.make_node("Tanh", ["next"], ["out"])], "body",
            [helper.make_tensor_value_info("state", FLOAT, [3]),
             helper.make_tensor_value_info("row", FLOAT, [3])],
            [helper.make_tensor_value_info("next", FLOAT, [3]),
             helper.make_tensor_value_info("out", FLOAT, [3])])
        model = make_model(
            [("Abs", ["x"], ["rows"]),
             helper.make_node("Scan", ["first", "rows"], ["last", "y"], body=body,
                              num_scan_inputs=1)],
            [("first", FLOAT, [3]), ("x", FLOAT, ["n", 3])],
            [("last", FLOAT, [3]), ("y", FLOAT, ["n", 3])], {"decay": numpy.float32([0.5])})
        self.compare(model, *({"first": draw(3), "x": draw(n, 3)} for n in (4, 7, 1)),
                     parts=[2], others=0)

    @needs_version(27)
    def test_loops_that_stay(self):
        def loop(nodes, states, initial="x", **more):
            return make_model(
                [helper.make_node("Loop", ["count", "", initial], ["y"],
                                  body=make_body(nodes, states))],
                [("x", FLOAT, [2, 2]), ("count", INT64, [])], [("y", FLOAT, None)], **more)
        inputs = {"x": draw(2, 2), "count": numpy.int64(3)}
        # The partition of the body is taken where the loop is not.
        self.compare(loop([("Abs", ["state"], ["a"]), ("Det", ["a"], ["d"]),
                           ("Add", ["a", "d"], ["next"])], [("state", "next", [2, 2])]), inputs)
        self.find_log("(Loop) stays with ONNX Runtime: node 'Det")
        self.compare(loop([("Concat", ["state", "x"], ["next"], {"axis": 0})],
                          [("state", "next", [None, 2])]), inputs)
        self.find_log("'next', which an iteration hands on, has other sizes")
        self.compare(loop([("Cast", ["state"], ["text"], {"to": TensorProto.STRING}),
                           ("Cast", ["text"], ["next"], {"to": FLOAT})],
                          [("state", "next", [2, 2])]), inputs)
        self.find_log("(Cast) within it")

    @needs_version(27)
    def test_a_large_loop_is_worth_it(self):
        body = make_body([("MatMul", ["state", "w"], ["product"]),
                          ("Tanh", ["product"], ["next"])], [("state", "next", [512, 2048])])
        model = make_model(
            [helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
            [("x", FLOAT, [512, 2048]), ("count", INT64, [])], [("y", FLOAT, [512, 2048])],
            {"w": draw(2048, 2048) / 45})
        self.compare(model, {"x": draw(512, 2048), "count": numpy.int64(2)}, partitioning="auto",
                     parts=[1], others=0)

    @needs_version(27)
    def test_a_loop_in_device_memory(self):
        body = make_body([("Add", ["state", "step"], ["next"])], [("state", "next", [8])])
        model = make_model(
            [helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
            [("x", FLOAT, [8]), ("count", INT64, []), ("step", FLOAT, [8])],
            [("y", FLOAT, [8])])
        self.open(model)
        found = self.host.bind({"x": draw(8), "count": numpy.int64(3), "step": draw(8)}, 2)
        self.assertIsNone(host.find_difference(found, {"y": draw(8) * 7}))

    def test_if_in_the_middle(self):
        def branch(operator):
            return helper.make_graph(
                [helper.make_node(operator, ["a"], [operator])], operator, [],
                [helper.make_tensor_value_info(operator, FLOAT, [4])])
        model = make_model(
            [("Abs", ["x"], ["a"]), ("ReduceSum", ["a"], ["sum"], {"keepdims": 0}),
             ("Greater", ["sum", "limit"], ["cond"]),
             helper.make_node("If", ["cond"], ["y"], then_branch=branch("Sqrt"),
                              else_branch=branch("Neg")),
             ("Add", ["y", "a"], ["z"])],
            [("x", FLOAT, [4])], [("z", FLOAT, [4])], {"limit": numpy.float32(3)})
        runs = {"x": numpy.float32([1, 2, 3, 4])}, {"x": numpy.float32([0.5, 0, 0, 0])}
        if VERSION >= 27:
            self.compare(model, *runs, parts=[5], others=0)
        self.compare(model, *runs, partitioning="directml")
        self.find_log("(If) stays with ONNX Runtime: the provider takes no node with a graph")

    @needs_version(27)
    def test_an_if_with_a_condition_of_the_caller(self):
        def branch(sizes):
            return helper.make_graph(
                [helper.make_node("Slice", ["x", "zero", sizes], [sizes + "_rows"])], sizes, [],
                [helper.make_tensor_value_info(sizes + "_rows", FLOAT, None)])
        model = make_model(
            [helper.make_node("If", ["cond"], ["y"], then_branch=branch("two"),
                              else_branch=branch("three"))],
            [("x", FLOAT, [4, 4]), ("cond", BOOL, [])], [("y", FLOAT, None)],
            {"zero": numpy.int64([0]), "two": numpy.int64([2]), "three": numpy.int64([3])})
        self.compare(model, *({"x": draw(4, 4), "cond": numpy.bool_(cond)}
                              for cond in (True, False, True)), parts=[1], others=0)

    def test_non_max_suppression_in_the_middle(self):
        model = make_model(
            [("Sigmoid", ["logits"], ["scores"]), ("Exp", ["sizes"], ["boxes"]),
             ("NonMaxSuppression", ["boxes", "scores", "most", "iou", "least"], ["chosen"]),
             ("Gather", ["chosen", "two"], ["index"], {"axis": 1}),
             ("Gather", ["boxes", "index"], ["result"], {"axis": 1})],
            [("sizes", FLOAT, [1, 6, 4]), ("logits", FLOAT, [1, 1, 6])],
            [("result", FLOAT, None)],
            {"most": numpy.int64([10]), "iou": numpy.float32([0.5]),
             "least": numpy.float32([0.6]), "two": numpy.int64(2)})
        inputs = {"sizes": draw(1, 6, 4), "logits": draw(1, 1, 6)}
        # Once with boxes that are chosen, and once without any.
        self.compare(model, inputs, {**inputs, "logits": -numpy.abs(draw(1, 1, 6))}, parts=[1, 1])
        self.find_log("the shape of its result depends on its data")
        self.find_log("known only when the model runs")

    def test_strings_in_the_middle(self):
        model = make_model(
            [("Relu", ["x"], ["y"]), ("Cast", ["y"], ["text"], {"to": TensorProto.STRING}),
             ("Cast", ["text"], ["z"], {"to": FLOAT}), ("Neg", ["z"], ["w"])],
            [("x", FLOAT, [5])], [("w", FLOAT, [5])])
        self.compare(model, {"x": numpy.float32([1, -2, 3.5, 0, 7])}, parts=[1, 1])

    def test_shapes_go_from_one_partition_to_another(self):
        # Det has no operator of DirectML, and stands between two partitions; the second
        # reads sizes that the graph computes from the input of the first.
        model = make_model(
            [("Abs", ["x"], ["a"]), ("Shape", ["a"], ["s"]),
             ("Gather", ["s", "order"], ["n"]), ("Concat", ["n", "one"], ["sizes"], {"axis": 0}),
             ("Det", ["a"], ["d"]), ("Reshape", ["d", "sizes"], ["r"]), ("Neg", ["r"], ["y"])],
            [("x", FLOAT, ["n", "m", 3, 3])], [("y", FLOAT, None)],
            {"order": numpy.int64([1, 0]), "one": numpy.int64([1])})
        self.compare(model, *({"x": draw(n, 4, 3, 3)} for n in (2, 5, 2)), parts=[1, 2])
        self.find_log("(Concat) stays with ONNX Runtime: it computes with shapes")

    def test_small_partitions_stay(self):
        model = make_model([("Relu", ["x"], ["y"])], [("x", FLOAT, [8])], [("y", FLOAT, [8])])
        self.compare(model, {"x": draw(8)}, partitioning="auto", parts=[], others=1)
        self.assertRegex(self.find_log("(Relu) stays"),
                         r"its partition of 1 nodes takes the CPU about \d+ us, but copies and "
                         r"submission \d+ us")
        self.assertRegex(self.find_log("us for a node"), r"1 s for [125]e\+\d+ operations")

    def test_large_partitions_are_taken(self):
        # 4 * 10^9 operations take 2 ms on a fast CPU, and the copies of 8 MB 1 ms at most.
        model = make_model(
            [("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, [512, 2048])],
            [("y", FLOAT, [512, 2048])], {"w": draw(2048, 2048) / 64})
        self.compare(model, {"x": draw(512, 2048) / 8}, partitioning="auto", parts=[1])

    def test_partitions_of_directml(self):
        model = make_model(
            [("Abs", ["x"], ["a"]), ("Mod", ["a", "b"], ["c"]), ("Neg", ["c"], ["y"])],
            [("x", INT64, [3]), ("b", INT64, [3])], [("y", INT64, [3])])
        inputs = {"x": numpy.int64([-7, 5, 9]), "b": numpy.int64([3, 2, 4])}
        self.compare(model, inputs, parts=[3])
        self.compare(model, inputs, partitioning="directml", parts=[1, 1])
        self.find_log("(Mod) stays with ONNX Runtime: the provider takes no integers of 64 bits")

    def test_feature_levels(self):
        model = make_model(
            [("Relu", ["x"], ["a"]), helper.make_node("Gelu", ["a"], ["b"], domain="com.microsoft"),
             ("Abs", ["b"], ["y"])],
            [("x", FLOAT, [8])], [("y", FLOAT, [8])])
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        self.compare(model, {"x": draw(8)}, parts=[3])
        self.compare(model, {"x": draw(8)}, feature_level="3_1", parts=[1, 1])
        self.find_log("(com.microsoft.Gelu) stays with ONNX Runtime: is not in feature level 3_1")

    def test_wrong_options(self):
        model = make_model([("Relu", ["x"], ["y"])], [("x", FLOAT, [8])], [("y", FLOAT, [8])])
        for options, message in (
                ({"devise": "0"}, "no provider option 'devise'"),
                ({"partitioning": "some"}, "auto, all or directml"),
                ({"max_memory": "much"}, "a number of bytes"),
                ({"dump_dir": "/nowhere"}, "a folder that exists"),
                ({"feature_level": "0_9"}, "feature_level"),
                ({"device": "no such card"}, "no such card")):
            with self.subTest(options), self.assertRaisesRegex(host.Failure, message):
                self.open(model, **options)
        self.compare(model, {"x": draw(8)}, parts=[1])

    def test_too_little_memory(self):
        # The session that fails leaves nothing behind, and the next one runs.
        model = make_model([("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, ["n", 512])],
                           [("y", FLOAT, ["n", 512])], {"w": draw(512, 512) / 32})
        self.open(model, max_memory="65536")
        with self.assertRaisesRegex(host.Failure, "65536"):
            self.host.run({"x": draw(4, 512)})
        self.compare(model, {"x": draw(4, 512)}, parts=[1], max_memory="1073741824")

    def test_eight_threads_and_two_sessions(self):
        model = make_model(
            [("MatMul", ["x", "w"], ["y"]), ("Softmax", ["y"], ["z"])],
            [("x", FLOAT, ["n", 32])], [("z", FLOAT, ["n", 32])], {"w": draw(32, 32)})
        self.open(model)
        self.host.open_twin()
        self.host.run({"x": draw(7, 32)})
        self.host.run_threads(8, 20)

    @needs_version(27)
    def test_a_loop_on_eight_threads(self):
        body = make_body([("MatMul", ["state", "w"], ["product"]),
                          ("Tanh", ["product"], ["next"])], [("state", "next", [4, 4])])
        model = make_model(
            [helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
            [("x", FLOAT, [4, 4]), ("count", INT64, [])], [("y", FLOAT, [4, 4])],
            {"w": draw(4, 4)})
        self.open(model)
        self.host.open_twin()
        self.host.run({"x": draw(4, 4), "count": numpy.int64(3)})
        self.host.run_threads(8, 10)

    @needs_version(24)
    def test_binding_in_device_memory(self):
        model = make_model(
            [("Mul", ["x", "factor"], ["y"]), ("Add", ["y", "step"], ["z"]),
             ("ReduceSum", ["z"], ["sum"], {"keepdims": 0})],
            [("x", FLOAT, ["n", 8]), ("step", FLOAT, [8])],
            [("z", FLOAT, ["n", 8]), ("sum", FLOAT, [])], {"factor": numpy.float32([0.5])})
        inputs = {"x": draw(6, 8), "step": draw(8)}
        self.open(model)
        found = self.host.bind(inputs, 3)
        wanted = inputs["x"]
        for _ in range(3):
            wanted = wanted * numpy.float32(0.5) + inputs["step"]
        self.assertIsNone(host.find_difference(found, {"z": wanted, "sum": wanted.sum()}))

    @needs_version(24)
    def test_binding_between_partitions(self):
        # Det is the CPU's: what it reads and computes is copied, all else stays.
        model = make_model(
            [("Abs", ["x"], ["a"]), ("Det", ["a"], ["d"]), ("Add", ["a", "d"], ["y"])],
            [("x", FLOAT, [3, 3])], [("y", FLOAT, [3, 3])])
        self.open(model)
        found = self.host.bind({"x": draw(3, 3)}, 2)
        wanted = draw(3, 3)
        for _ in range(2):
            wanted = numpy.abs(wanted) + numpy.linalg.det(numpy.abs(wanted))
        self.assertIsNone(host.find_difference(found, {"y": wanted.astype(numpy.float32)}))

    @needs_version(24)
    def test_memory_of_another_device(self):
        model = make_model([("Mul", ["x", "two"], ["y"])], [("x", FLOAT, [1000])],
                           [("y", FLOAT, [1000])], {"two": numpy.float32(2)})
        self.open(model)
        found = self.host.run_external(1000)
        if isinstance(found, str):
            self.skipTest(found)
        self.assertEqual(found, (0, 1998))

    @needs_version(24)
    def test_memory_of_another_device_for_the_cpu(self):
        # Casts to and from strings are the CPU's, which reads the input or writes the output.
        texts = [("Cast", ["a"], ["text"], {"to": TensorProto.STRING}),
                 ("Cast", ["text"], ["b"], {"to": FLOAT})]
        for nodes, names in (
                ([*texts, ("Mul", ["b", "two"], ["y"])], {"a": "x"}),
                ([("Mul", ["x", "two"], ["a"]), *texts], {"b": "y"})):
            renamed = [(node[0], [names.get(name, name) for name in node[1]],
                        [names.get(name, name) for name in node[2]], *node[3:])
                       for node in nodes]
            model = make_model(renamed, [("x", FLOAT, [64])], [("y", FLOAT, [64])],
                               {"two": numpy.float32(2)})
            self.assertEqual(self.open(model).parts, [1])
            found = self.host.run_external(64)
            if isinstance(found, str):
                self.skipTest(found)
            self.assertEqual(found, (0, 126))

    def test_a_cache_of_programs(self):
        model = make_model([("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, [4, 32])],
                           [("y", FLOAT, [4, 32])], {"w": draw(32, 32)})
        with tempfile.TemporaryDirectory() as folder:
            self.compare(model, {"x": draw(4, 32)}, parts=[1], cache_dir=folder)
            self.assertTrue(os.listdir(folder))
            # Other weights in the same graph have programs of their own.
            model.graph.initializer[0].CopyFrom(numpy_helper.from_array(draw(32, 32) * 2, "w"))
            self.compare(model, {"x": draw(4, 32)}, parts=[1], cache_dir=folder)

    def compile_ahead(self, folder, embeds, **options):
        """Compiles a model with two partitions ahead. Returns the path of the result."""
        model = make_model(
            [("MatMul", ["x", "w"], ["a"]), ("Det", ["a"], ["d"]), ("Add", ["a", "d"], ["y"]),
             ("ReduceSum", ["y"], ["sum"], {"keepdims": 0})],
            [("x", FLOAT, [3, 3])], [("y", FLOAT, [3, 3]), ("sum", FLOAT, [])],
            {"w": draw(3, 3)})
        with open(f"{folder}/model.onnx", "wb") as file:
            file.write(model.SerializeToString())
        self.open(f"{folder}/model.onnx", entries={
            "ep.context_enable": "1", "ep.context_embed_mode": "1" if embeds else "0",
            "ep.context_file_path": f"{folder}/ahead.onnx"}, **options)
        self.host.send("close")
        return f"{folder}/ahead.onnx"

    def test_models_compiled_ahead(self):
        for embeds in True, False:
            with self.subTest(embeds=embeds), tempfile.TemporaryDirectory() as folder:
                ahead = self.compile_ahead(folder, embeds)
                self.host.set()
                self.host.open(f"{folder}/model.onnx", "cpu")
                wanted, _ = self.host.run({"x": draw(3, 3)})
                os.remove(f"{folder}/model.onnx")
                executables = [name for name in os.listdir(folder) if name.endswith(".dmlx")]
                self.assertEqual(len(executables), 0 if embeds else 2)
                self.assertIn(self.open(ahead).parts, ([1, 1], None))
                found, _ = self.host.run({"x": draw(3, 3)})
                self.assertIsNone(host.find_difference(found, wanted))

    def test_models_compiled_ahead_for_another_device(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(host.Failure, "shaderFloat65"):
                self.compile_ahead(folder, True, device_profile="full,-shaderFloat65")
            ahead = self.compile_ahead(folder, True, device_profile="minimal")
            self.assertIn(self.open(ahead).parts, ([1, 1], None))

    def test_spoiled_executables_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            ahead = self.compile_ahead(folder, False)
            file = [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".dmlx")][0]
            with open(file, "r+b") as stream:
                stream.truncate(100)
            with self.assertRaises(host.Failure):
                self.open(ahead)
            os.remove(file)
            with self.assertRaisesRegex(host.Failure, "cannot be read"):
                self.open(ahead)
            with open(ahead, "rb") as stream:
                spoiled = stream.read().replace(b"ahead.onnx.", b"../../nx.on")
            with open(ahead, "wb") as stream:
                stream.write(spoiled)
            with self.assertRaisesRegex(host.Failure, "a file in the model's folder"):
                self.open(ahead)

    def test_open_sizes_are_not_compiled_ahead(self):
        model = make_model([("Relu", ["x"], ["y"])], [("x", FLOAT, ["n", 8])],
                           [("y", FLOAT, ["n", 8])])
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(host.Failure, "open size in dimension 0, 'n'"):
                self.open(model, entries={"ep.context_enable": "1",
                                          "ep.context_file_path": f"{folder}/ahead.onnx"})

    def test_models_in_memory(self):
        # ONNX Runtime forgets the bytes once the session is made.
        model = make_model([("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, ["n", 300])],
                           [("y", FLOAT, ["n", 300])], {"w": draw(300, 300)})
        self.host.set({"partitioning": "all"})
        self.assertIn(self.host.open(model, "bytes").parts, ([1], None))
        inputs = {"x": draw(2, 300)}
        found, _ = self.host.run(inputs)
        self.assertIsNone(host.find_difference(found, {"y": inputs["x"] @ draw(300, 300)},
                                               atol=1e-3))

    @needs_version(27)
    def test_a_loop_is_dumped(self):
        # The body has a weight of its own, and reads one from around it.
        body = make_body([("MatMul", ["state", "w"], ["product"]), ("Add", ["product", "own"],
                         ["next"])], [("state", "next", [3, 3])])
        body.initializer.append(numpy_helper.from_array(draw(3), "own"))
        model = make_model(
            [("Abs", ["x"], ["a"]),
             helper.make_node("Loop", ["count", "", "a"], ["y"], body=body)],
            [("x", FLOAT, [3, 3]), ("count", INT64, [])], [("y", FLOAT, [3, 3])],
            {"w": draw(3, 3)})
        inputs = {"x": draw(3, 3), "count": numpy.int64(3)}
        with tempfile.TemporaryDirectory() as folder:
            self.compare(model, inputs, parts=[2], dump_dir=folder)
            wanted, _ = self.host.run(inputs)
            (file,) = os.listdir(folder)
            self.host.open(f"{folder}/{file}", "cpu")
            found, _ = self.host.run(inputs)
            self.assertIsNone(host.find_difference(found, wanted))

    def test_partitions_are_dumped(self):
        model = make_model(
            [("Conv", ["x", "w"], ["y"], {"pads": [1, 1, 1, 1]}),
             ("Clip", ["y", "zero"], ["c"]), ("Upsample", ["c", "scales"], ["z"])],
            [("x", FLOAT, ["batch", 3, 4, 4])], [("z", FLOAT, None)],
            {"w": draw(2, 3, 3, 3), "zero": numpy.float32(0),
             "scales": numpy.float32([1, 1, 2, 2])}, opset=9)
        del model.graph.node[1].input[1]
        with tempfile.TemporaryDirectory() as folder:
            self.compare(model, {"x": draw(2, 3, 4, 4)}, dump_dir=folder)
            dumped = [f"{folder}/{name}" for name in os.listdir(folder)]
            self.assertEqual(len(dumped), 1)
            checker.check_model(dumped[0])
            self.compare(dumped[0], {"x": draw(2, 3, 4, 4)})

    def test_weights_in_a_file(self):
        model = make_model([("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, ["n", 64])],
                           [("y", FLOAT, ["n", 64])], {"w": draw(64, 64)})
        weight = model.graph.initializer[0]
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/weights", "wb") as file:
                file.write(bytes(4096) + weight.raw_data)
            weight.ClearField("raw_data")
            weight.data_location = TensorProto.EXTERNAL
            for key, value in (("location", "weights"), ("offset", "4096"), ("length", "16384")):
                entry = weight.external_data.add()
                entry.key, entry.value = key, value
            with open(f"{folder}/model.onnx", "wb") as file:
                file.write(model.SerializeToString())
            self.compare(f"{folder}/model.onnx", {"x": draw(3, 64)}, parts=[1])

    def test_operators_of_microsoft(self):
        model = make_model(
            [helper.make_node("Gelu", ["x"], ["y"], domain="com.microsoft"),
             helper.make_node("FusedMatMul", ["y", "w"], ["z"], domain="com.microsoft",
                              transB=1)],
            [("x", FLOAT, ["n", 16])], [("z", FLOAT, ["n", 8])], {"w": draw(8, 16)})
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        self.compare(model, {"x": draw(5, 16)}, parts=[2])

    @needs_version(24)
    def test_scalars(self):
        model = make_model(
            [("ReduceMean", ["x"], ["m"], {"keepdims": 0}), ("Mul", ["m", "s"], ["y"])],
            [("x", FLOAT, ["n", 4]), ("s", FLOAT, [])], [("y", FLOAT, [])])
        self.compare(model, {"x": draw(3, 4), "s": numpy.float32(2)}, parts=[2])

    def test_windows_over_sound(self):
        # 64 samples would be too few for a window.
        model = make_model(
            [("Unsqueeze", ["x", "one"], ["wave"]),
             ("Conv", ["wave", "w"], ["y"], {"strides": [160]}), ("Abs", ["y"], ["z"])],
            [("x", FLOAT, ["batch", "samples"])], [("z", FLOAT, None)],
            {"w": draw(2, 1, 512), "one": numpy.int64([1])})
        self.compare(model, {"x": draw(1, 2000)}, {"x": draw(2, 1000)}, parts=[3])

    @needs_version(27)
    def test_a_loop_over_nothing(self):
        body = make_body([("Add", ["state", "step"], ["next"])], [("state", "next", ["rows", 4])])
        model = make_model(
            [("Abs", ["x"], ["a"]),
             helper.make_node("Loop", ["count", "", "a"], ["y"], body=body)],
            [("x", FLOAT, ["rows", 4]), ("count", INT64, []), ("step", FLOAT, [4])],
            [("y", FLOAT, ["rows", 4])])
        self.compare(model, *({"x": draw(rows, 4), "count": numpy.int64(2), "step": draw(4)}
                              for rows in (2, 0, 3)), parts=[2])

    def test_sizes_that_dml_refuses_run_on_the_cpu(self):
        # No tensor of DirectML's is empty. The weights are in memory, and those of "v" small.
        model = make_model(
            [("MatMul", ["x", "w"], ["y"]), ("Add", ["y", "v"], ["z"])],
            [("x", FLOAT, ["rows", 40])], [("z", FLOAT, ["rows", 32])],
            {"w": draw(40, 32), "v": draw(32)})
        self.compare(model, *({"x": draw(rows, 40)} for rows in (2, 0, 3, 0)), parts=[1])
        lines = [line for line in self.host.read_log() if "runs on the CPU for" in line]
        self.assertEqual(len(lines), 1)
        self.assertIn("'x' of [0, 40]: ", lines[0])

    @needs_version(24)
    def test_refused_sizes_in_device_memory(self):
        # Of two rows, none is left behind the second.
        model = make_model(
            [("Neg", ["x"], ["y"]), ("Slice", ["y", "two", "end"], ["late"])],
            [("x", FLOAT, ["rows", 4])], [("y", FLOAT, ["rows", 4]), ("late", FLOAT, [None, 4])],
            {"two": numpy.int64([2]), "end": numpy.int64([2**60])})
        self.open(model)
        found = self.host.bind({"x": draw(2, 4)}, 3)
        self.assertIsNone(host.find_difference(
            found, {"y": -draw(2, 4), "late": numpy.zeros((0, 4), numpy.float32)}))
        self.find_log("runs on the CPU for 'x' of [2, 4]: ")

    def test_an_input_of_the_wrong_size_is_an_error(self):
        model = make_model([("Add", ["x", "y"], ["z"])],
                           [("x", FLOAT, ["n", 4]), ("y", FLOAT, ["m", 4])],
                           [("z", FLOAT, None)])
        self.open(model)
        with self.assertRaisesRegex(host.Failure, "2x4|3x4|broadcast"):
            self.host.run({"x": draw(2, 4), "y": draw(3, 4)})
        self.compare(model, {"x": draw(2, 4), "y": draw(2, 4)})


if __name__ == "__main__":
    ARGUMENTS[:] = sys.argv[1:3]
    host.find_onnxruntime()
    VERSION = int(os.environ.get("DML_API_VERSION", VERSION))
    leave_out_newer()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
