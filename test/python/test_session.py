# SPDX-License-Identifier: Apache-2.0
"""Sessions: values, names, types and shapes, errors, callbacks and threads."""
import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import dml
from onnx_file import make_model, make_node
from support import OWNED, make_branches, make_dense, make_logic, make_scale, needs_device


def setUpModule():
    needs_device()


class DescribeTest(unittest.TestCase):
    def test_tensors(self):
        session = dml.Session(make_dense())
        (x,) = session.inputs
        self.assertEqual((x.name, x.shape, x.type, x.dtype),
                         ("x", ["n", 3], "tensor(float)", np.float32))
        dense, high = session.outputs
        self.assertEqual((dense.name, high.name), ("dense", "high"))
        self.assertEqual(high.type, "tensor(uint8)")
        self.assertEqual([each.name for each in session.get_inputs()], ["x"])
        self.assertEqual([each.name for each in session.get_outputs()], ["dense", "high"])
        self.assertEqual(repr(x), "<dml.TensorInfo x: nx3 of tensor(float)>")
        self.assertIn("1 inputs and 2 outputs", repr(session))

    def test_dimensions(self):
        session = dml.Session(make_scale(), dims={"n": 4})
        self.assertEqual(session.inputs[0].shape, [4, 3])

    def test_devices(self):
        devices = dml.devices()
        self.assertGreater(len(devices), 0)
        device = devices[0]
        self.assertEqual(device.index, 0)
        self.assertRegex(device.uuid, "^[0-9a-f]{32}$")
        self.assertRegex(device.api_version, r"^1\.[2-9]$")
        self.assertIn(device.name, repr(device))
        self.assertIn(device.type, repr(device))
        self.assertGreater(device.memory, 0)
        for selector in (device, 0, "0", device.uuid, device.name.upper()):
            self.assertEqual(dml.Session(make_scale(), device=selector).device.index, 0)


class RunTest(unittest.TestCase):
    def test_values(self):
        session = dml.Session(make_dense())
        dense, high = session.run(None, {"x": np.float32([[1, 2, 3], [-4, 5, 0]])})
        np.testing.assert_array_equal(dense, np.float32([[4, 5.5], [2.5, 2.75]]))
        np.testing.assert_array_equal(high, np.uint8([[1, 1], [1, 1]]))
        self.assertEqual((dense.dtype, high.dtype), (np.float32, np.uint8))
        dense[0, 0] = 7
        self.assertEqual(dense[0, 0], 7)

    def test_named_outputs(self):
        session = dml.Session(make_dense())
        feeds = {"x": np.float32([[0, 0, 1]])}
        high, dense = session.run(["high", "dense"], feeds)
        np.testing.assert_array_equal(dense, np.float32([[1, 1.25]]))
        np.testing.assert_array_equal(high, np.uint8([[0, 1]]))
        (only,) = session.run(["high"], feeds)
        np.testing.assert_array_equal(only, high)
        self.assertEqual(session.run([], feeds), [])

    def test_types(self):
        for dtype in ("float32", "float16", "int32", "int64", "uint8", "int8",
                      "uint32"):
            with self.subTest(dtype):
                session = dml.Session(make_scale(dtype))
                x = np.array([[1, 2, 3], [4, 5, 6]], dtype)
                (y,) = session.run(None, {"x": x})
                self.assertEqual(y.dtype, x.dtype)
                np.testing.assert_array_equal(y, np.array([[3, 6, 9], [12, 15, 18]], dtype))

    def test_truth_values(self):
        session = dml.Session(make_logic())
        feeds = {"a": np.array([False, False, True, True]), "b": np.uint8([0, 1, 0, 1])}
        (c,) = session.run(None, feeds)
        np.testing.assert_array_equal(c, np.uint8([0, 1, 1, 0]))

    def test_lists_and_numbers(self):
        session = dml.Session(make_scale())
        (y,) = session.run(None, {"x": [[1, 2.5, True]]})
        np.testing.assert_array_equal(y, np.float32([[3, 7.5, 3]]))
        scalar = dml.Session(make_scale("int64", ()))
        (y,) = scalar.run(None, {"x": 2**40})
        self.assertEqual((y.shape, int(y)), ((), 3 * 2**40))

    def test_layouts(self):
        session = dml.Session(make_scale())
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        wanted = 3 * np.ascontiguousarray(x.T)
        for each in (x.T, np.ascontiguousarray(x.T).astype(">f4")):
            (y,) = session.run(None, {"x": each})
            np.testing.assert_array_equal(y, wanted)

    def test_shapes(self):
        session = dml.Session(make_scale())
        for n in (1, 7, 1):
            (y,) = session.run(None, {"x": np.ones((n, 3), np.float32)})
            self.assertEqual((y.shape, y.min(), y.max()), ((n, 3), 3, 3))
        self.assertEqual((session.info.programs, session.info.compiled), (2, 2))
        self.assertTrue(session.info.device_profile)

    def test_prepare(self):
        session = dml.Session(make_dense())
        dense, high = session.prepare({"x": (5, 3)})
        self.assertEqual((dense.name, dense.shape, dense.type), ("dense", [5, 2], "tensor(float)"))
        self.assertEqual(high.shape, [5, 2])
        session.run(None, {"x": np.zeros((5, 3), np.float32)})
        self.assertEqual(session.info.compiled, 1)

    def test_into_arrays(self):
        session = dml.Session(make_dense())
        target = np.zeros((1, 2), bool)
        dense, high = session.run(None, {"x": [[0, 0, 1]]}, into={"high": target})
        self.assertIs(high, target)
        np.testing.assert_array_equal(target, [[False, True]])
        np.testing.assert_array_equal(dense, np.float32([[1, 1.25]]))

    def test_results_outlive_sessions(self):
        results = []
        for i in range(20):
            with dml.Session(make_scale()) as session:
                results += session.run(None, {"x": np.full((2, 3), i, np.float32)})
        del session
        gc.collect()
        self.assertEqual([result[1, 2] for result in results], [3 * i for i in range(20)])

    def test_branches_and_nothing(self):
        """A decoder in small: the first step has a past without elements, and a bool decides
        which branch is computed."""
        session = dml.Session(make_branches())
        x = np.float32([[5, 6]])
        past = x[:0]
        for cached, wanted in ((False, [[50, 60]]), (True, [[5, 6]]), (True, [[5, 6], [5, 6]])):
            (y,) = session.run(None, {"past": past, "x": x, "cached": np.array([cached])})
            self.assertEqual(y.tolist(), wanted)
            past = y if cached else past
        (y,) = session.prepare({"past": (7, 2), "x": x, "cached": np.array([True])})
        self.assertEqual(y.shape, [8, 2])
        tensor = dml.Tensor((0, 2), device=session.device)
        (y,) = session.run(None, {"past": tensor, "x": x, "cached": [True]})
        self.assertEqual(y.tolist(), [[5, 6]])
        session = dml.Session(make_branches(), dims={"cached": False, "p": 0})
        self.assertEqual([each.shape for each in session.inputs], [[0, 2], [1, 2]])
        for feeds in ({"x": x}, {"x": x, "past": x[:0]}):
            (y,) = session.run(None, feeds)
            self.assertEqual(y.tolist(), [[50, 60]])

    def test_names_in_unicode(self):
        model = dml.Model({"": 17}, name="模型")
        model.input("größe", np.float32, ["n", 3])
        model.node("Relu", ["größe"], ["выход"])
        model.output("выход")
        session = dml.Session(model)
        (y,) = session.run(["выход"], {"größe": np.float32([[1, -2, 3]])})
        self.assertEqual(y.tolist(), [[1, 0, 3]])
        with self.assertRaisesRegex(dml.InvalidArgument,
                                    "there is no input 'grösse'; did you mean 'größe'?"):
            session.run(None, {"grösse": y})

    def test_forks(self):
        """A process that was forked has no devices: its parent has used Vulkan."""
        session = dml.Session(make_scale())
        tensor = dml.Tensor.from_numpy(np.ones((1, 3), np.float32))
        session.run(None, {"x": tensor})
        child = os.fork()
        if child == 0:
            failures = []
            for call in (lambda: session.run(None, {"x": tensor}), tensor.numpy,
                         lambda: session.info, lambda: dml.Session(make_scale()), dml.devices,
                         lambda: dml.Tensor((1, 3))):
                try:
                    failures.append(call())
                except dml.InvalidArgument as error:
                    if "was forked" not in str(error) or "'spawn'" not in str(error):
                        failures.append(error)
            del session, tensor
            os._exit(len(failures))
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        (y,) = session.run(None, {"x": tensor})
        self.assertEqual(y.tolist(), [[3, 3, 3]])

    def test_forks_before_vulkan(self):
        """The child of a process that has not used Vulkan runs models; a worker of one that
        has is told why it does not."""
        program = (
            "import multiprocessing, sys, dml\n"
            "from support import make_scale\n"
            "def work(_):\n"
            "    try:\n"
            "        return dml.Session(make_scale()).run(None, {'x': [[1, 2, 3]]})[0].tolist()\n"
            "    except dml.InvalidArgument as error:\n"
            "        return str(error)\n"
            "def run():\n"
            "    with multiprocessing.get_context('fork').Pool(1) as pool:\n"
            "        return pool.map(work, [0])[0]\n"
            "dml.explain(make_scale(), dims={'n': 1})\n"
            "print(run())\n"
            "work(0)\n"
            "print(run())\n")
        printed = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True,
                                 timeout=300)
        first, second = printed.stdout.splitlines()
        self.assertEqual(first, "[[3.0, 6.0, 9.0]]", printed.stderr)
        self.assertIn("whose state does not survive a fork; wanted is a process that starts anew, "
                      "by exec or by multiprocessing's 'spawn'", second)

    def test_paths_and_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "mödel.onnx")
            path.write_bytes(make_scale())
            for compiled, cached in ((1, 0), (0, 1)):
                session = dml.Session(path, cache_dir=Path(folder, "cache"),
                                      options={"fuse": True})
                (y,) = session.run(None, {"x": [[1, 1, 1]]})
                self.assertEqual(y.tolist(), [[3, 3, 3]])
                self.assertEqual((session.info.compiled, session.info.cached),
                                 (compiled, cached))

    def test_tuning(self):
        with tempfile.TemporaryDirectory() as folder:
            path, cache = Path(folder, "model.mlir"), Path(folder, "cache")
            path.write_text("""
                func.func @main(%x: tensor<4x64xf32> {dml.name = "x"}) -> tensor<4x64xf32> {
                  %y = dml.activation_softmax %x : (tensor<4x64xf32>) -> tensor<4x64xf32>
                  return %y : tensor<4x64xf32>
                }""")
            x = np.random.default_rng(1).random((4, 64), np.float32)
            session = dml.Session(path)
            (wanted,) = session.run(None, {"x": x})
            self.assertEqual(json.loads(session.tuning)["kernels"], [])
            session = dml.Session(path, tune=True, cache_dir=cache)
            (tuned,) = session.run(None, {"x": x})
            np.testing.assert_allclose(tuned, wanted, rtol=1e-5)
            (kernel,) = json.loads(session.tuning)["kernels"]
            self.assertEqual(kernel["operators"], "dml.activation_softmax1")
            self.assertGreater(kernel["candidates"], 1)
            self.assertLessEqual(kernel["microseconds"], kernel["modelMicroseconds"])
            # A session that measures finds the program, and one that does not finds the
            # table, by which it compiles.
            later = dml.Session(path, tune=True, cache_dir=cache)
            (again,) = later.run(None, {"x": x})
            self.assertEqual((later.info.compiled, later.info.cached), (0, 1))
            np.testing.assert_array_equal(again, tuned)
            user = dml.Session(path, cache_dir=cache)
            (used,) = user.run(None, {"x": x})
            self.assertEqual((user.info.compiled, user.info.cached), (1, 0))
            np.testing.assert_array_equal(used, tuned)
            self.assertEqual(json.loads(user.tuning), json.loads(session.tuning))
            # A file of the cache that is no table is ignored.
            (table,) = cache.glob("*.dmltuning")
            table.write_text("[")
            with self.assertLogs("dml", "WARNING") as logs:
                (plain,) = dml.Session(path, cache_dir=cache).run(None, {"x": x})
            self.assertIn("it is no JSON", logs.output[0])
            np.testing.assert_array_equal(plain, wanted)
            # A table that a caller names is read, or an error.
            kept = Path(folder, "kept.tuning")
            kept.write_text(session.tuning)
            (used,) = dml.Session(path, tuning=kept).run(None, {"x": x})
            np.testing.assert_array_equal(used, tuned)
            kept.write_text("[")
            with self.assertRaisesRegex(dml.InvalidArgument, "kept.tuning': it is no table of dml-tune: it is no JSON"):
                dml.Session(path, tuning=kept)

    def test_weights_and_functions(self):
        model, weights = OWNED.encode(), {"w": np.float32([10, 20])}
        session = dml.Session(model, format="mlir", function="sum", weights=weights)
        (y,) = session.run(None, {"x": [1, 2]})
        self.assertEqual(y.tolist(), [11, 22])
        session = dml.Session(model, format="mlir", function="twice", weights=weights,
                              program_budget=1 << 20)
        (y,) = session.run(None, {"x": [1, 2]})
        self.assertEqual(y.tolist(), [2, 4])
        with self.assertRaises(dml.NotFound):
            dml.Session(model, format="mlir", function="thrice")

    def test_limits(self):
        with tempfile.TemporaryDirectory() as folder:
            # No program has so few bytes: the folder keeps none.
            for cache_budget, cached in ((1, 0), (1, 0), (0, 0), (0, 1)):
                session = dml.Session(make_scale(), cache_dir=folder, cache_budget=cache_budget)
                session.run(None, {"x": [[1, 1, 1]]})
                self.assertEqual(session.info.cached, cached)
        x = np.ones((65536, 3), np.float32)
        session = dml.Session(make_scale(), wait_limit=1e-9)
        # Other work may delay this thread until the device is done: the run succeeds then.
        with self.assertRaisesRegex(dml.Timeout, "has not finished within"):
            for _ in range(1000):
                session.run(None, {"x": x})
        session = dml.Session(make_scale(), wait_limit=600)
        (y,) = session.run(None, {"x": x})
        self.assertEqual((y.min(), y.max()), (3, 3))

    def test_times(self):
        times = []
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            session = dml.Session(make_scale(), run_times=times.append, trace=trace)
            for rows in (1, 5, 1):
                session.run(None, {"x": np.ones((rows, 3), np.float32)})
            session.close()
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)
            with self.assertRaisesRegex(dml.InputOutput, "cannot write the trace '.*nowhere"):
                dml.Session(make_scale(), trace=os.path.join(folder, "nowhere", "t.json"))
        self.assertEqual(len(times), 3)
        for run in times:
            self.assertEqual(len(run.steps), 1)
            step = run.steps[0]
            self.assertIn("dml.", step.operators)
            self.assertEqual(step.begin, 0)
            self.assertTrue(0 < step.end < run.seconds)
        runs = [event for event in events if event["name"] == "run"]
        self.assertEqual([event["ph"] for event in events], ["M"] * 2 + ["X"] * 6)
        steps = [event for event in events[2:] if event["name"] != "run"]
        for run, step, time in zip(runs, steps, times):
            self.assertEqual(step["ts"], run["ts"])
            self.assertEqual((run["pid"], step["pid"], step["tid"]), (0, 1, run["tid"]))
            self.assertAlmostEqual(step["dur"], time.steps[0].end * 1e6, 3)
            self.assertEqual(step["args"]["operators"], time.steps[0].operators)
        self.assertEqual(sorted(run["ts"] for run in runs), [run["ts"] for run in runs])

        def fail(_times):
            raise RuntimeError("no times are wanted")
        session = dml.Session(make_scale(), run_times=fail)
        with self.assertRaisesRegex(RuntimeError, "no times are wanted"):
            session.run(None, {"x": [[1, 1, 1]]})

    def test_progress(self):
        steps = []
        session = dml.Session(make_scale(), progress=lambda *step: steps.append(step))
        session.run(None, {"x": [[1, 1, 1]]})
        self.assertGreater(len(steps), 2)
        for name, fraction in steps:
            self.assertTrue(name)
            self.assertTrue(0 <= fraction <= 1)
        fractions = [fraction for _, fraction in steps]
        self.assertEqual(fractions, sorted(fractions))

    def test_threads(self):
        session = dml.Session(make_scale())
        wrong = []

        def work(thread):
            for i in range(25):
                x = np.full((1 + (thread + i) % 3, 3), thread * 100 + i, np.float32)
                (y,) = session.run(None, {"x": x})
                if not np.array_equal(y, 3 * x):
                    wrong.append((thread, i, y))

        threads = [threading.Thread(target=work, args=[thread]) for thread in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(session.info.compiled, 3)

    def test_close_while_running(self):
        """Runs that have begun end, and later ones are refused."""
        session = dml.Session(make_scale())
        session.prepare({"x": (1, 3)})
        begun, others = threading.Barrier(5), []

        def work():
            begun.wait()
            for _ in range(1000):
                try:
                    (y,) = session.run(None, {"x": [[1, 2, 3]]})
                except dml.InvalidArgument as error:
                    if str(error) != "the session is closed":
                        others.append(error)
                    return
                if y.tolist() != [[3, 6, 9]]:
                    others.append(y)
            others.append("the session was not closed")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        begun.wait()
        session.close()
        for thread in threads:
            thread.join()
        self.assertEqual(others, [])
        self.assertEqual(repr(session), "<dml.Session, closed>")


class ErrorTest(unittest.TestCase):
    def test_arguments(self):
        """An argument of another type, or that a model has no use for, is an error."""
        model = make_scale()
        zeros = np.zeros((3, 2), np.float32)
        for text, keywords in (
                ("the weight 'w' is given, but the model <bytes> has no weights",
                 {"model": make_dense(), "weights": {"w": zeros}}),
                ("the weight 'q' is given, but the model <bytes> has 1 that the caller gives, such "
                 "as 'w'", {"model": OWNED.encode(), "function": "sum", "weights": {"q": zeros}}),
                ("the file of weights '/nonexistent' is given", {"weights_path": "/nonexistent"}),
                ("weight 'w' is no array", {"weights": {"w": [[1], [1, 2]]}}),
                ("program_budget is -1, but wanted", {"program_budget": -1}),
                ("cache_budget is -1, but wanted", {"cache_budget": -1}),
                ("wait_limit is -5, but wanted", {"wait_limit": -5}),
                ("wait_limit is 'a', but wanted", {"wait_limit": "a"}),
                ("progress is of the type int, but wanted is a function", {"progress": 3}),
                ("the dims are of the type list, but wanted", {"dims": ["batch"]}),
                ("input 'x' is declared twice", {"model": make_model(
                    [make_node("Add", ["x", "x"], ["y"])],
                    [("x", "float32", [1]), ("x", "float32", [1])], [("y", "float32", [1])])}),
                ("contraction-tile is '64', but wants to be 'auto'",
                 {"options": {"contraction-tile": "64"}}),
                ("is no model: its first bytes are not those of ONNX",
                 {"model": __file__}),
                ("'<bytes>' is empty", {"model": b""})):
            with self.assertRaises(dml.InvalidArgument) as caught:
                dml.Session(**{"model": model, **keywords})
            self.assertIn(text, str(caught.exception))

    def test_damaged_executable(self):
        """An error names the file once."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "damaged.dmlx")
            path.write_bytes(b"\x20\0\0\0DMLX and no more")
            with self.assertRaises(dml.InvalidExecutable) as caught:
                dml.Session(path)
            self.assertTrue(str(caught.exception).startswith(f"executable '{path}': is damaged"))
            self.assertEqual(str(caught.exception).count("damaged.dmlx"), 1)

    def expect(self, kind, text, function, *arguments, **keywords):
        with self.assertRaises(kind) as caught:
            function(*arguments, **keywords)
        self.assertIs(type(caught.exception), kind)
        self.assertIn(text, str(caught.exception))
        self.assertIsInstance(caught.exception, dml.Error)
        self.assertTrue(caught.exception.result.startswith("DML_ERROR_"))

    def test_models(self):
        self.expect(dml.NotFound, "missing.onnx", dml.Session, "missing.onnx")
        self.expect(dml.InvalidArgument, "", dml.Session, b"nonsense", format="onnx")
        self.expect(dml.InvalidExecutable, "", dml.Session, b"DMLX nonsense",
                    format="executable")
        self.expect(dml.InvalidArgument, "the format is 'tflite', but wanted is one of 'onnx'",
                    dml.Session, b"", format="tflite")
        self.expect(dml.InvalidArgument, "the model is of the type int", dml.Session, 3)
        self.expect(dml.InvalidArgument, "has a null character", dml.Session, "a\0b")
        self.expect(dml.InvalidArgument, "is empty, but wanted is a model", dml.Session, b"")
        self.expect(dml.InvalidArgument, "is no regular file", dml.Session, "/")

    def test_settings(self):
        model = make_scale()
        self.expect(dml.NotFound, "no such device", dml.Session, model, device="no such device")
        self.expect(dml.NotFound, "77", dml.Session, model, device=77)
        self.expect(dml.InvalidArgument, "there is no option 'fase'", dml.Session, model,
                    options={"fase": True})
        self.expect(dml.InvalidArgument, "n is 'four', but wanted is an integer", dml.Session,
                    model, dims={"n": "four"})
        self.expect(dml.InvalidArgument, "'m'", dml.Session, model, dims={"m": 4})
        self.expect(dml.InvalidArgument, "wanted is str", dml.Session, model, dims={3: 4})
        self.expect(dml.InvalidArgument, "the dims are of the type str, but wanted is a dictionary",
                    dml.Session, model, dims="n=4")
        self.expect(dml.InvalidArgument, "wanted is a dictionary", dml.Session, model,
                    options=["fuse"])
        for wait_limit in ("a", -1, float("nan"), float("inf"), 1e300):
            self.expect(dml.InvalidArgument, f"wait_limit is {wait_limit!r}, but wanted are",
                        dml.Session, model, wait_limit=wait_limit)
        self.expect(dml.InvalidArgument, "program_budget is -1, but wanted is an integer from 0",
                    dml.Session, model, program_budget=-1)
        self.expect(dml.InvalidArgument, "progress is of the type int, but wanted is a function",
                    dml.Session, model, progress=3)
        self.expect(dml.InvalidArgument, "the cache folder is of the type int, but wanted is",
                    dml.Session, model, cache_dir=3)
        self.expect(dml.InvalidArgument, "weight 'w': the elements are of the type object",
                    dml.Session, model, weights={"w": [object()]})
        self.expect(dml.InvalidArgument, "the format is {}, but wanted is one of", dml.Session,
                    model, format={})

    def test_inputs(self):
        run = dml.Session(make_scale()).run
        x = np.zeros((2, 3), np.float32)
        self.expect(dml.InvalidArgument, "input 'x' is missing", run, None, {})
        self.expect(dml.InvalidArgument, "there is no input 'z'; the model has 'x'", run, None,
                    {"z": x})
        self.expect(dml.InvalidArgument, "", run, None, {"x": x, "y": x})
        self.expect(dml.InvalidArgument, "has the type f64, but wanted is f32", run, None,
                    {"x": x.astype(np.float64)})
        self.expect(dml.InvalidArgument, "has 1 dimensions, but wanted are 2", run, None,
                    {"x": x[0]})
        self.expect(dml.InvalidArgument, "has the size 2 in dimension 1, but wanted is 3", run,
                    None, {"x": x[:, :2]})
        self.expect(dml.InvalidArgument, "wanted are numbers that", run, None, {"x": None})
        self.expect(dml.InvalidArgument, "has numbers from 1.0 to 1e+300, but 3.4028234663852886e+38 "
                    "is the largest of float32", run, None, {"x": [[1e300, 1, 1]]})
        half = dml.Session(make_scale("float16")).run
        for number in (1e6, 100000):
            self.expect(dml.InvalidArgument, f"to {number}, but 65504.0 is the largest of float16",
                        half, None, {"x": [[number, 1, 1]]})
        for number, wanted in ((20000, 60000), (float("inf"), float("inf"))):
            self.assertEqual(half(None, {"x": [[number, 1, 1]]})[0][0, 0], wanted)
        self.expect(dml.InvalidArgument, "input 'x' is no array: ", run, None, {"x": [[1], [1, 2]]})
        self.expect(dml.InvalidArgument, "has the byte 2 as element 1, but wanted are the truth "
                    "values 0 and 1", dml.Session(make_logic()).run, None,
                    {"a": np.uint8([0, 2, 0, 1]), "b": np.uint8([0, 0, 0, 1])})
        self.expect(dml.InvalidArgument, "wanted is a dictionary from names to arrays", run, None,
                    {"x": x}, into=[x])
        self.expect(dml.InvalidArgument, "is no Unicode", run, None, {"\ud800": x})
        self.expect(dml.InvalidArgument, "has 9 dimensions, but wanted are 8 at most", run, None,
                    {"x": x.reshape((1,) * 7 + (2, 3))})
        self.expect(dml.InvalidArgument, "the elements are of the type complex64", run, None,
                    {"x": x.astype(np.complex64)})
        self.expect(dml.InvalidArgument, "wanted are numbers that float32 takes", run, None,
                    {"x": [["a", "b", "c"]]})
        self.expect(dml.InvalidArgument, "is no array", run, None, {"x": [[1], [2, 3]]})
        self.expect(dml.InvalidArgument, "wanted is a dictionary", run, None, [x])
        self.expect(dml.InvalidArgument, "wanted is str", run, None, {0: x})

    def test_numbers(self):
        run = dml.Session(make_scale("uint8")).run
        self.expect(dml.InvalidArgument, "has numbers from 1 to 300, but wanted are 0 to 255",
                    run, None, {"x": [[1, 2, 300]]})
        self.expect(dml.InvalidArgument, "wanted are numbers that uint8 takes", run, None,
                    {"x": [[1, 2, 3.5]]})

    def test_outputs(self):
        run = dml.Session(make_dense()).run
        feeds = {"x": np.zeros((1, 3), np.float32)}
        self.expect(dml.InvalidArgument, "there is no output 'dens'; did you mean 'dense'?", run,
                    ["dens"], feeds)
        self.expect(dml.InvalidArgument, "is given twice", run, ["dense", "dense"], feeds)
        for names in ("dense", b"dense", 1):
            self.expect(dml.InvalidArgument, "but wanted is a list of names, or None", run, names, feeds)
        self.expect(dml.InvalidArgument, "there is no output 'dens' to write into", run, None,
                    feeds, into={"dens": np.zeros((1, 2), np.float32)})
        for target, text in (
                (np.zeros((2, 2), np.float32), "has the shape (2, 2)"),
                (np.zeros((1, 2), np.float64), "the type float64"),
                (np.zeros((1, 4), np.float32)[:, ::2], "has gaps"),
                ([[0, 0]], "wanted is an array or a dml.Tensor")):
            self.expect(dml.InvalidArgument, text, run, None, feeds, into={"dense": target})

    def test_lines(self):
        """Messages keep their lines, which are indented: no name makes one that looks like
        another message."""
        model = make_model([make_node("Sigmoid", ["x"], ["y\nerror: forged\x1b[31m"])],
                           [("x", "int32", [2])], [("y\nerror: forged\x1b[31m", "int32", [2])], {})
        with self.assertRaises(dml.Error) as raised:
            dml.Session(model).run(None, {"x": np.zeros(2, np.int32)})
        first, *others = str(raised.exception).split("\n")
        self.assertIn("DirectML's operators do not express 1 of 1 nodes:", first)
        self.assertTrue(others)
        for line in others:
            self.assertRegex(line, "^  [^ ]")
            self.assertNotIn("\x1b", line)

    def test_prepare(self):
        prepare = dml.Session(make_scale()).prepare
        self.expect(dml.InvalidArgument, "there is no input 'z'", prepare, {"z": (1, 3)})
        self.expect(dml.InvalidArgument, "has the size 4 in dimension 1", prepare, {"x": (1, 4)})
        self.expect(dml.InvalidArgument, "a size of input 'x' is 1.5", prepare, {"x": (1.5, 3)})
        self.expect(dml.InvalidArgument, "a size of input 'x' is -1", prepare, {"x": (-1, 3)})
        self.expect(dml.InvalidArgument, "the shape of input 'x': found the NoneType None, but wanted is a list",
                    prepare, {"x": None})
        self.expect(dml.InvalidArgument, "has 0 dimensions", prepare, {"x": 4})
        self.expect(dml.InvalidArgument, "wanted is a dictionary", prepare, "x")

    def test_closed(self):
        session = dml.Session(make_scale())
        session.close()
        session.close()
        self.expect(dml.InvalidArgument, "the session is closed", session.run, None, {})
        self.expect(dml.InvalidArgument, "the session is closed", session.prepare, {})

    def test_cancelled(self):
        session = dml.Session(make_scale(), progress=lambda name, fraction: False)
        self.expect(dml.Cancelled, "", session.run, None, {"x": [[1, 1, 1]]})

    def test_exceptions_of_callbacks(self):
        """What the caller's function raises is what the call raises."""
        class Stop(Exception):
            pass

        def progress(name, fraction):
            if stopping:
                raise Stop("enough")

        stopping = True
        session = dml.Session(make_scale(), progress=progress)
        with self.assertRaisesRegex(Stop, "enough"):
            session.run(None, {"x": [[1, 1, 1]]})
        stopping = False
        (y,) = session.run(None, {"x": [[1, 1, 1]]})
        self.assertEqual(y.tolist(), [[3, 3, 3]])

    def test_classes(self):
        self.assertTrue(issubclass(dml.InvalidArgument, ValueError))
        names = {each.result for each in dml.Error.__subclasses__()}
        get_name = ctypes.CDLL(os.environ["DML_LIBRARY"]).dmlGetResultName
        get_name.restype = ctypes.c_char_p
        self.assertEqual(names, {get_name(code).decode() for code in range(1, 11)})

    def test_lost_device(self):
        """A session that is made after the device was lost opens the device anew."""
        first = dml.Session(make_scale())
        lost = first._opened
        with self.assertRaises(dml.DeviceLost):
            first._call(lambda error: _fail(6, error))
        second = dml.Session(make_scale())
        self.assertIsNot(second._opened, lost)
        (y,) = second.run(None, {"x": [[1, 2, 3]]})
        self.assertEqual(y.tolist(), [[3, 6, 9]])


def _fail(result, error):
    """A call that fails with `result`; its error object is missing."""
    return result
