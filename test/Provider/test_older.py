#!/usr/bin/env python3
"""The provider in an ONNX Runtime of an older API version: test_older.py HOST PROVIDER

$DML_PROVIDER_OLDER is the plugin of older.c. The cases are those of test_cases.py, but for
those that need a newer version than 23."""
#
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import unittest

import numpy

import host
import test_cases
from test_cases import ProviderTest  # noqa: F401


class OlderTest(unittest.TestCase):
    def test_scalars(self):
        # A scalar that a partition reads looks like a tensor of no known shape, so that
        # what reads it stays with the CPU.
        model = test_cases.make_model(
            [("ReduceMean", ["x"], ["m"], {"keepdims": 0}), ("Mul", ["m", "s"], ["y"])],
            [("x", test_cases.FLOAT, ["n", 4]), ("s", test_cases.FLOAT, [])],
            [("y", test_cases.FLOAT, [])])
        with host.Host(*test_cases.ARGUMENTS) as program:
            program.set({"partitioning": "all"})
            self.assertEqual(program.open(model).parts, [1])
            found, _ = program.run({"x": test_cases.draw(3, 4), "s": numpy.float32(2)})
            self.assertEqual(found["y"].shape, ())

    def test_the_version_before_the_first(self):
        os.environ["DML_API_VERSION"] = "22"
        try:
            with host.Host(*test_cases.ARGUMENTS) as program:
                with self.assertRaisesRegex(
                        host.Failure, r"ONNX Runtime 1\.\d+\.\d+ has no API version from 23 to 29"):
                    program.receive("opened")
        except host.Crashed:
            pass
        finally:
            os.environ["DML_API_VERSION"] = "23"


if __name__ == "__main__":
    test_cases.ARGUMENTS[:] = [sys.argv[1], os.environ["DML_PROVIDER_OLDER"]]
    os.environ["DML_PROVIDER"] = os.path.abspath(sys.argv[2])
    os.environ["DML_API_VERSION"] = "23"
    host.find_onnxruntime()
    test_cases.VERSION = 23
    test_cases.leave_out_newer()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
