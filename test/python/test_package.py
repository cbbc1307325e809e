# SPDX-License-Identifier: Apache-2.0
"""The package itself: its structures, its search for the library, its pages, its command.

The environment has DML_C_COMPILER, and DML_INCLUDES: folders separated by colons."""
import ast
import ctypes
import os
import pydoc
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import dml
from dml import _library
from dml.__main__ import _name_files
from support import make_dense, needs_device

PACKAGE = Path(dml.__file__).parent


def run(*command, **variables):
    environment = {**os.environ, **variables}
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                            env={k: v for k, v in environment.items() if v is not None})
    return result.returncode, result.stdout, result.stderr


def python(*arguments, **variables):
    return run(sys.executable, *arguments, **variables)


class StructureTest(unittest.TestCase):
    def test_layouts(self):
        """The structures are those of the headers: a C compiler compares them."""
        structures = [each for each in vars(_library).values()
                      if isinstance(each, type) and issubclass(each, ctypes.Structure)
                      and each.__name__.startswith("Dml")]
        self.assertGreater(len(structures), 8)
        lines = ["#include <dml/session.h>"]
        for each in structures:
            name = each.__name__
            lines.append(f"_Static_assert(sizeof({name}) == {ctypes.sizeof(each)}, \"{name}\");")
            for member, _ in each._fields_:
                field = getattr(each, member)
                lines.append(f"_Static_assert(offsetof({name}, {member}) == {field.offset} && "
                             f"sizeof((({name} *)0)->{member}) == {field.size}, "
                             f"\"{name}.{member}\");")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "layouts.c")
            source.write_text("\n".join(lines) + "\n")
            includes = [f"-I{each}" for each in os.environ["DML_INCLUDES"].split(":")]
            code, output, errors = run(os.environ["DML_C_COMPILER"], "-std=c11", "-fsyntax-only",
                                       *includes, source)
            self.assertEqual(code, 0, output + errors)

    def test_functions(self):
        """The library has each function that the package declares."""
        library = _library.get()
        for name in (*_library._FALLIBLE, *_library._OTHERS):
            self.assertTrue(hasattr(library, name), name)

    def test_version(self):
        self.assertEqual(dml.__version__, _library.get().dmlGetVersion().decode())


class SearchTest(unittest.TestCase):
    PROGRAM = "import dml\ntry:\n dml.devices()\nexcept dml.Error as e:\n print(repr(e))"

    def test_variable(self):
        code, output, errors = python("-c", self.PROGRAM, DML_LIBRARY="/missing/libdml.so")
        self.assertEqual(code, 0, errors)
        self.assertIn("LibraryNotFound(\"the library '/missing/libdml.so', which the environment "
                      "variable DML_LIBRARY names, cannot be loaded", output)

    def test_nowhere(self):
        with tempfile.TemporaryDirectory() as folder:
            program = (f"import dml._library as l\n"
                       f"l._list_places = lambda: iter(['{folder}/libdml.so.none'])\n")
            code, output, errors = python("-c", program + self.PROGRAM, DML_LIBRARY=None)
            self.assertEqual(code, 0, errors)
            self.assertIn("found no library libdml.so.none among ", output)
            self.assertIn("install dml's wheel or the package dml-tools", output)

    def test_other_library(self):
        libc = "libc.so.6"
        code, output, errors = python("-c", self.PROGRAM, DML_LIBRARY=libc)
        self.assertEqual(code, 0, errors)
        self.assertIn("'libc.so.6' is no library of dml", output)

    def test_import_needs_neither(self):
        """Importing the package loads neither the library nor NumPy."""
        program = "import sys, dml; print(dml._library._library, 'numpy' in sys.modules)"
        self.assertEqual(python("-c", program, DML_LIBRARY="/missing"), (0, "None False\n", ""))


class NumPyTest(unittest.TestCase):
    def test_without(self):
        """Models are explained without NumPy; what needs arrays says how to get it."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "numpy.py").write_text("raise ImportError('there is none')\n")
            path = Path(folder, "dense.onnx")
            path.write_bytes(make_dense())
            program = ("import sys, dml\nprint(dml.explain(sys.argv[1], dims={'n': 1}).level)\n"
                       "try:\n dml.Tensor.from_numpy([1.0])\n"
                       "except dml.Error as e:\n print(repr(e))")
            places = os.pathsep.join([folder, os.environ["PYTHONPATH"]])
            code, output, errors = python("-c", program, path, PYTHONPATH=places)
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("_", output.splitlines()[0])
            self.assertIn("Unsupported(\"arrays need NumPy, which cannot be imported (there is "
                          "none); it comes with pip install 'dml[numpy]'", output)


class PageTest(unittest.TestCase):
    def test_descriptions(self):
        """Whatever users see has a description, and classes and functions an example and
        types."""
        self.assertTrue((PACKAGE / "py.typed").is_file())
        for path in sorted(PACKAGE.glob("*.py")):
            tree = ast.parse(path.read_text())
            self.assertTrue(ast.get_docstring(tree), path)
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    where = f"{path.name}: {node.name}"
                    self.assertIsNotNone(node.returns, where)
                    arguments = [*node.args.args, *node.args.kwonlyargs]
                    for argument in arguments:
                        if argument.arg not in ("self", "cls"):
                            self.assertIsNotNone(argument.annotation, f"{where}: {argument.arg}")
        for name in dml.__all__:
            value = getattr(dml, name)
            if name == "__version__" or (isinstance(value, type) and
                                         issubclass(value, dml.Error) and value is not dml.Error):
                continue
            self.assertTrue(value.__doc__, name)
            members = vars(value) if isinstance(value, type) else {}
            for member, each in members.items():
                shown = each.__func__ if isinstance(each, classmethod) else each
                if not member.startswith("_") and (callable(shown) or isinstance(shown, property)
                                                   ) and value is not dml.SessionInfo:
                    self.assertIn(">>>", shown.__doc__, f"{name}.{member}")

    def test_pydoc(self):
        page = pydoc.plain(pydoc.render_doc(dml))
        for text in ("class Session", "class Tensor", "devices()", "run(self, output_names",
                     "Runs models on Vulkan devices"):
            self.assertIn(text, page)


class CommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_device()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.model = cls.folder / "dense.onnx"
        cls.model.write_bytes(make_dense())

    def test_lists(self):
        code, output, _ = python("-m", "dml", "--devices")
        self.assertEqual(code, 0)
        for device in dml.devices():
            self.assertIn(f"{device.index}: {device.name} (", output)
        code, output, _ = python("-m", "dml", "--version")
        self.assertEqual((code, output), (0, f"dml {dml.__version__} "
                                             f"({os.environ['DML_LIBRARY']})\n"))
        code, output, _ = python("-m", "dml", "--help")
        self.assertEqual(code, 0)
        self.assertIn("python3 -m dml model.onnx --dim batch=8 --time", output)

    def test_random_inputs(self):
        code, output, errors = python("-m", "dml", self.model, "--dim", "n=4", "--time")
        self.assertEqual((code, errors), (0, ""))
        for text in ("inputs:\n  x: 4x3 of tensor(float)\n",
                     "outputs:\n  dense: 4x2 of float32\n  high: 4x2 of uint8\n",
                     "a later run: "):
            self.assertIn(text, output)

    def test_files(self):
        np.save(self.folder / "x.npy", np.float32([[0, 0, 1], [1, 2, 3]]))
        results = self.folder / "results"
        code, output, errors = python("-m", "dml", self.model, "--input",
                                      f"x={self.folder}/x.npy", "--output-dir", results)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn(f"wrote {results}/dense.npy", output)
        np.testing.assert_array_equal(np.load(results / "dense.npy"),
                                      np.float32([[1, 1.25], [4, 5.5]]))

    def test_names_of_files(self):
        names = ["a/b", "a_b", "a b", "a_b_2", "c"]
        files = _name_files(names)
        self.assertEqual(files, ["a_b_3.npy", "a_b.npy", "a_b_4.npy", "a_b_2.npy", "c.npy"])

    def test_files_are_whole(self):
        """A disk that is full, here a limit of 2048 bytes, leaves no part of a file, and an
        older file as it is."""
        results = self.folder / "whole"
        results.mkdir()
        (results / "dense.npy").write_text("old")
        cases = [["explain", self.model, "--dim", "n=1", "--level", "5_1", "--legalize",
                  results / "half.mlir"]]
        # SwiftShader keeps its code in files, which the limit cuts off.
        if "SwiftShader" not in dml.devices()[0].name:
            cases.append([self.model, "--dim", "n=1000", "--output-dir", results])
        for arguments in cases:
            code, _, errors = run("bash", "-c", 'ulimit -f "$0"; exec "$@"',
                                  "2" if arguments[0] != "explain" else "0",
                                  sys.executable, "-m", "dml", *arguments)
            self.assertEqual(code, 4, errors)
            self.assertRegex(errors, "cannot write '.*': File too large")
            self.assertEqual(os.listdir(results), ["dense.npy"])
            self.assertEqual((results / "dense.npy").read_text(), "old")
        code, _, errors = python("-m", "dml", "explain", self.model, "--dim", "n=1", "--level",
                                 "5_1", "--legalize", results / "half.mlir")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("dml.", (results / "half.mlir").read_text())

    def test_errors(self):
        arrays, broken = self.folder / "members.npz", self.folder / "broken.npz"
        np.savez(arrays, y=np.zeros(1), z=np.zeros(1))
        broken.write_bytes(arrays.read_bytes()[:-1])
        for arguments, code, text in (
                (["missing.onnx"], 2, "error: "),
                ([self.model, "--dim", "n"], 2, "--dim has 'n', but wanted is NAME=VALUE"),
                ([self.model, "--dim", "n=x"], 2, "wanted is a size of 1 or more"),
                ([self.model, "--dim", "n=1", "--dim", "n=2"], 2, "states 'n' twice"),
                ([self.model, "--input", f"x={self.model}"], 2, "is no file of NumPy's"),
                ([self.model, "--input", f"x={arrays}"], 2,
                 "members.npz' has no array 'x' for the input of that name; it has 'y', 'z'"),
                ([self.model, "--input", f"x={broken}"], 2, "is no file of NumPy's"),
                ([self.model, "--input", "x=@some.npy"], 2,
                 "the file is named without '@', as --input x=some.npy"),
                ([self.model, "--input", "x=/missing.npy"], 2, "is no file of NumPy's"),
                ([self.model, "--device", "no such device"], 2, "no such device"),
                ([self.model, "--output-dir", self.model], 4, "File exists"),
                (["explain", self.model, "--level", "99"], 2, "99"),
                ([], 2, "wanted is a model, or --devices")):
            found, output, errors = python("-m", "dml", *arguments)
            self.assertEqual(found, code, errors)
            self.assertIn(text, errors)
            self.assertNotIn("Traceback", errors)

    def test_no_device(self):
        """Without any driver the command line is right, so that the exit code is 1."""
        code, _, errors = python("-m", "dml", self.model, "--dim", "n=1",
                                 VK_DRIVER_FILES="/missing.json")
        self.assertEqual(code, 1, errors)
        self.assertIn("no Vulkan device", errors)


if __name__ == "__main__":
    unittest.main()
