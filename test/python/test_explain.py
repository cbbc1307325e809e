# SPDX-License-Identifier: Apache-2.0
"""Verdicts on models, and rewriting and compiling them, without a device."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import dml
from onnx_file import make_model, make_node
from support import needs_device

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/feature_levels.mlir"

#: One node that nobody knows.
UNREAD = make_model([make_node("Relu", ["x"], ["y"]), make_node("Unheard", ["x"], ["z"])],
                    [("x", "float32", ["n"])],
                    [("y", "float32", ["n"]), ("z", "float32", ["n"])], {})

#: ONNX Runtime's DirectML provider does not take this operator of ONNX's.
GELU = make_model([make_node("Gelu", ["x"], ["y"])], [("x", "float32", [4])],
                  [("y", "float32", [4])], {}, opset=20)


def make_gather():
    """Rows of a matrix, by their numbers."""
    return make_model([make_node("Gather", ["x", "i"], ["y"])],
                      [("x", "float32", ["n", 3]), ("i", "int32", [2])],
                      [("y", "float32", [2, 3])], {})


def make_tile():
    """Each row of a matrix of integers twice, one beside the other."""
    return make_model([make_node("Tile", ["x", "repeats"], ["y"])], [("x", "int32", ["n", 3])],
                      [("y", "int32", ["n", 6])], {"repeats": np.int64([1, 2])})


class ExplainTest(unittest.TestCase):
    def test_verdict(self):
        verdict = dml.explain(EXAMPLE, level="3_0")
        self.assertEqual((verdict.level, verdict.asked, verdict.runs, verdict.operators),
                         ("3_1", "3_0", False, 3))
        self.assertEqual((verdict.directml, verdict.windows),
                         ("1.5.0", "Windows 11, version 21H2 (build 22000)"))
        self.assertTrue(verdict.can_legalize)
        self.assertFalse(verdict)
        self.assertEqual(repr(verdict), "<dml.Verdict: needs 3_1, does not run at 3_0; "
                                        "3 operators, 1 problem>")
        (problem,) = verdict.problems
        self.assertEqual((problem.kind, problem.name, problem.function, problem.node),
                         ("operator", "dml.tile", "repeat", ""))
        self.assertEqual((problem.line, problem.column, problem.level), (18, 8, "3_1"))
        self.assertEqual((problem.rewrite, problem.why_no_rewrite), ("dml.tile", None))
        self.assertTrue(str(problem).startswith(
            "line 18: dml.tile: input has rank 2, but feature level 3_0 supports rank 4"))

    def test_schema(self):
        """The page has a table of all members of the JSON."""
        page = (EXAMPLE.parents[1] / "docs/FeatureLevelChecks.md").read_text()
        (section,) = re.findall(r"\n### JSON\n(.*?)\n### ", page, re.DOTALL)
        known = set(re.findall(r"`(\w+)`", section))

        def check(value):
            if isinstance(value, list):
                for each in value:
                    check(each)
            elif isinstance(value, dict):
                for name, each in value.items():
                    self.assertIn(name, known)
                    check(each if name != "fused" else None)
        for model, level, dims in ((EXAMPLE, "2_0", {}), (EXAMPLE, None, {}),
                                   (UNREAD, "6_4", {"n": 4}), (GELU, "2_0", {}),
                                   (make_gather(), "2_0", {"n": 4})):
            verdict = json.loads(dml.explain(model, level, dims=dims).json())
            self.assertGreater(len(verdict), 6)
            check(verdict)

    def test_lowest(self):
        verdict = dml.explain(EXAMPLE)
        self.assertEqual((verdict.level, verdict.asked, verdict.runs), ("3_1", None, True))
        self.assertTrue(verdict)
        self.assertEqual(verdict.problems, [])
        self.assertIn(" or newer\n", str(verdict))

    def test_nodes(self):
        verdict = dml.explain(make_gather(), level="2_0", dims={"n": 4})
        (problem,) = verdict.problems
        self.assertEqual((problem.node, problem.line), ("Gather#0", None))
        self.assertTrue(str(problem).startswith("node 'Gather#0': dml.gather: "), problem)

    def test_built(self):
        """A model that is built node by node."""
        model = dml.Model({"": 13})
        model.input("x", "int32", ["n", 3])
        model.weight("repeats", np.int64([1, 2]))
        model.node("Tile", ["x", "repeats"], ["y"])
        model.output("y")
        verdict = dml.explain(model, level="2_0", dims={"n": 4})
        self.assertEqual((verdict.level, verdict.runs), ("2_1", False))
        self.assertEqual(str(verdict), str(dml.explain(make_tile(), level="2_0", dims={"n": 4})))
        self.assertEqual(dml.compile(model, dims={"n": 4}),
                         dml.compile(make_tile(), dims={"n": 4}))

    def test_unknown(self):
        verdict = dml.explain(UNREAD, level="6_4", dims={"n": 4})
        self.assertEqual((verdict.level, verdict.runs, verdict.can_legalize),
                         (None, None, False))
        self.assertFalse(verdict)
        self.assertIn("needs an unknown level, may not run at 6_4", repr(verdict))
        (problem,) = verdict.problems
        self.assertEqual((problem.kind, problem.reason), ("unread", ""))
        self.assertIn("Unheard: 1 node", str(problem))
        self.assertIsNone(json.loads(verdict.json())["fits"])

    def test_nothing_known(self):
        """A model has a verdict, too, if DirectML's operators express none of its nodes."""
        model = make_model([make_node("Det", ["x"], ["y"])], [("x", "float32", [3, 3])],
                           [("y", "float32", [])], {})
        for level in (None, "5_0"):
            verdict = dml.explain(model, level)
            self.assertEqual((verdict.level, verdict.runs, verdict.can_legalize,
                              verdict.operators), (None, None, False, 0))
            (problem,) = verdict.problems
            self.assertEqual(problem.kind, "unread")
            self.assertIn("Det: 1 node", problem.name)

    def test_errors(self):
        for model, arguments, error, text in (
                ("missing.onnx", {}, dml.NotFound, "missing.onnx"),
                (b"this is no MLIR", {}, dml.InvalidArgument, "the error is: 1:1: "),
                (make_gather()[:50], {}, dml.InvalidArgument, "<bytes>: "),
                (EXAMPLE, {"level": "5_3"}, dml.InvalidArgument, "'5_3' is no feature level"),
                (EXAMPLE, {"level": 5}, dml.InvalidArgument, "wanted is str"),
                (EXAMPLE, {"dims": {"n": 4}}, dml.InvalidArgument, "are for ONNX models"),
                (EXAMPLE, {"format": "text"}, dml.InvalidArgument, "the format is 'text'"),
                (make_gather(), {}, dml.InvalidArgument, "dimensions 'n'"),
                (make_gather(), {"dims": {"m": 4}}, dml.InvalidArgument, "'n'"),
                (5, {}, dml.InvalidArgument, "wanted is a path, bytes or")):
            with self.assertRaisesRegex(error, text):
                dml.explain(model, **arguments)

    def test_needs_no_loader(self):
        """A process without Vulkan's loader explains, rewrites and compiles."""
        program = (f"import dml, sys\n"
                   f"print(dml.explain({str(EXAMPLE)!r}, level='3_0').level)\n"
                   f"module = dml.legalize({str(EXAMPLE)!r}, '3_0')\n"
                   f"print(dml.compile(module)[4:8])\n"
                   f"print('libvulkan' in open('/proc/self/maps').read())\n")
        result = subprocess.run([sys.executable, "-c", program], text=True,
                                stdout=subprocess.PIPE)
        self.assertEqual((result.returncode, result.stdout), (0, "3_1\nb'DMLX'\nFalse\n"))


class LegalizeTest(unittest.TestCase):
    def test_fits(self):
        for text in (False, True):
            module = dml.legalize(EXAMPLE, "3_0", text=text)
            self.assertEqual(b"fl_3_0" in module and module.startswith(b"module"), text)
            self.assertTrue(dml.explain(module, level="3_0"))

    def test_runs(self):
        """The rewritten model computes the same."""
        needs_device()
        x = np.arange(12, dtype=np.int32).reshape(4, 3) - 6
        self.assertEqual(dml.explain(make_tile(), dims={"n": 4}).level, "2_1")
        module = dml.legalize(make_tile(), "2_0", dims={"n": 4})
        self.assertEqual(dml.explain(module).level, "1_0")
        (found,) = dml.Session(module).run(None, {"x": x})
        np.testing.assert_array_equal(found, np.tile(x, (1, 2)))

    def test_errors(self):
        with self.assertRaisesRegex(dml.Unsupported, "cannot be rewritten for feature level 2_0; "
                                                     "node 'Gelu#0': dml.activation_gelu: "):
            dml.legalize(GELU, "2_0")
        with self.assertRaisesRegex(dml.InvalidArgument, "Unheard"):
            dml.legalize(UNREAD, "6_4", dims={"n": 4})


class CompileTest(unittest.TestCase):
    def test_runs(self):
        steps = []
        executable = dml.compile(make_gather(), dims={"n": 4}, options={"fuse": False},
                                 device_profiles=["minimal"],
                                 progress=lambda name, fraction: steps.append(fraction))
        self.assertEqual(executable[4:8], b"DMLX")
        self.assertEqual(steps, sorted(steps))
        self.assertGreater(len(steps), 3)
        needs_device()
        feeds = {"x": np.arange(12, dtype=np.float32).reshape(4, 3), "i": np.int32([2, 0])}
        (found,) = dml.Session(executable).run(None, feeds)
        np.testing.assert_array_equal(found, feeds["x"][[2, 0]])

    def test_errors(self):
        def stop(name, fraction):
            raise KeyError("stop")
        with self.assertRaises(KeyError):
            dml.compile(EXAMPLE, progress=stop)
        with self.assertRaises(dml.Cancelled):
            dml.compile(EXAMPLE, progress=lambda name, fraction: False)
        with self.assertRaisesRegex(dml.InvalidArgument, "tiny"):
            dml.compile(EXAMPLE, device_profiles=["tiny"])
        with self.assertRaisesRegex(dml.InvalidArgument, "no option 'fast'"):
            dml.compile(EXAMPLE, options={"fast": True})
        with self.assertRaisesRegex(dml.InvalidArgument, "^row-tile is 'abc', but wants to be"):
            dml.compile(EXAMPLE, options={"row-tile": "abc"})
        with self.assertRaisesRegex(dml.InvalidArgument, "device_profiles: found the str 'full'"):
            dml.compile(EXAMPLE, device_profiles="full")
        with self.assertRaisesRegex(dml.InvalidArgument, "is an executable"):
            dml.compile(dml.compile(EXAMPLE))


class CommandTest(unittest.TestCase):
    def run_command(self, *arguments):
        result = subprocess.run([sys.executable, "-m", "dml", "explain", *map(str, arguments)],
                                text=True, capture_output=True)
        return result.returncode, result.stdout, result.stderr

    def test_prints(self):
        code, output, errors = self.run_command(EXAMPLE)
        self.assertEqual((code, output, errors), (0, f"{dml.explain(EXAMPLE)}\n", ""))
        code, output, _ = self.run_command(EXAMPLE, "--level", "3_0", "--json")
        self.assertEqual((code, json.loads(output)["fits"]), (1, False))

    def test_legalizes(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("old.mlir", "old.mlirbc"):
                file = Path(folder, name)
                code, _, errors = self.run_command(EXAMPLE, "--level", "3_0", "--legalize", file)
                self.assertEqual((code, errors), (0, ""))
                self.assertEqual(self.run_command(file, "--level", "3_0")[0], 0)

    def test_errors(self):
        for arguments, code, text in (
                (["missing.onnx"], 2, "error: cannot open 'missing.onnx'"),
                ([EXAMPLE, "--level", "5"], 2, "error: '5' is no feature level"),
                ([EXAMPLE, "--dim", "n"], 2, "wanted is NAME=VALUE"),
                ([EXAMPLE, "--legalize", "x.mlir"], 2, "--legalize wants the level to reach"),
                (["missing.onnx", "--level", "3_0", "--legalize", "x.onnx"], 2,
                 "--legalize=x.onnx: a module of MLIR is written; wanted is the name"),
                ([EXAMPLE, "--level", "3_0", "--legalize", "/missing/x.mlir"], 4, "/missing/"),
                ([], 2, "required: model")):
            found, _, errors = self.run_command(*arguments)
            self.assertEqual(found, code, errors)
            self.assertIn(text, errors)
            self.assertNotIn("Traceback", errors)


if __name__ == "__main__":
    unittest.main()
