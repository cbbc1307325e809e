# SPDX-License-Identifier: Apache-2.0
"""The verdicts of the package are those of dml-explain, which DML_EXPLAIN names."""
import os
import subprocess
import unittest
from pathlib import Path

import dml

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


if __name__ == "__main__":
    unittest.main()
