# SPDX-License-Identifier: Apache-2.0
"""The verdicts of the package are those of dml-explain, which DML_EXPLAIN names."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import dml
from onnx_file import make_model, make_node

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class ToolTest(unittest.TestCase):
    def test_same(self):
        """The text and the JSON are equal."""
        for name in ("feature_levels.mlir", "dispatch.json"):
            for level in (None, "1_0", "3_0", "6_4"):
                verdict = dml.explain(EXAMPLES / name, level)
                for option, found in ([], f"{verdict}\n"), (["--json"], f"{verdict.json()}\n"):
                    arguments = [EXAMPLES / name, *option, *([f"--level={level}"] if level else [])]
                    printed = subprocess.run([os.environ["DML_EXPLAIN"], *arguments], text=True,
                                             stdout=subprocess.PIPE).stdout
                    self.assertEqual(found, printed)

    def test_exit_codes(self):
        """The exit codes, and the table of them, are the same."""
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder, "det.onnx")
            model.write_bytes(make_model([make_node("Det", ["x"], ["y"])],
                                         [("x", "float32", [3, 3])], [("y", "float32", [])], {}))
            for arguments, code in (([EXAMPLES / "feature_levels.mlir"], 0),
                                    ([EXAMPLES / "feature_levels.mlir", "--level=3_0"], 1),
                                    ([EXAMPLES / "feature_levels.mlir", "--level=99"], 2),
                                    (["missing.onnx"], 2),
                                    ([EXAMPLES / "feature_levels.mlir", "--level=3_0",
                                      f"--legalize={folder}/fits.mlir"], 0),
                                    ([EXAMPLES / "feature_levels.mlir", "--level=3_0",
                                      f"--legalize={folder}/none/fits.mlir"], 4),
                                    ([model], 3), ([model, "--level=5_0"], 3),
                                    ([model, "--dim=n=1"], 2)):
                for tool in [os.environ["DML_EXPLAIN"]], [sys.executable, "-m", "dml", "explain"]:
                    with self.subTest(tool=tool, arguments=arguments):
                        done = subprocess.run([*tool, *arguments], stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL)
                        self.assertEqual(done.returncode, code)
        table = re.compile(r"exit codes, the same.*", re.DOTALL)
        tables = {table.search(subprocess.run(tool, text=True, check=True,
                                              stdout=subprocess.PIPE).stdout).group().strip()
                  for tool in ([os.environ["DML_EXPLAIN"], "--help"],
                               [sys.executable, "-m", "dml", "--help"],
                               [sys.executable, "-m", "dml", "explain", "--help"])}
        self.assertEqual(len(tables), 1, tables)


if __name__ == "__main__":
    unittest.main()
