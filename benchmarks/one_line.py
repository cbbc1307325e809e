# SPDX-License-Identifier: Apache-2.0
"""Errors of the scripts in this folder as one line: a script imports this module before what may
be missing. A module that Python lacks, a file that cannot be read or written and a program that
fails end the script with a line; what else goes wrong shows where."""
import os
import subprocess
import sys


def show(kind, error, trace):
    script = f"benchmarks/{os.path.basename(sys.argv[0])}"
    if isinstance(error, ModuleNotFoundError):
        print(f"{script}: error: {sys.executable} has no {error.name}, but python3-onnx and "
              "python3-numpy are wanted: run the script with Debian's /usr/bin/python3, or install "
              "the two", file=sys.stderr)
    elif isinstance(error, (OSError, UnicodeDecodeError, subprocess.SubprocessError)):
        print(f"{script}: error: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = show
