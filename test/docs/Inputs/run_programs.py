# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the first program in C and the first in C++ of docs/Sessions.md, and those in C
and in Python of README.md, as the pages say, on a model that exists and on one that does not.

    run_programs.py SOURCE DIGITS LIBRARY C-COMPILER C++-COMPILER

DIGITS is what examples/digits/make_digits.py has written; LIBRARY is the file libdml.so.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def run(command, code, **arguments):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **arguments)
    assert done.returncode == code, (command, done)
    return done


def main():
    source, digits, library = (Path(each).resolve() for each in sys.argv[1:4])
    page = (source / "docs/Sessions.md").read_text()
    front = (source / "README.md").read_text()
    (arguments,) = re.findall(r"^cc first\.c (.*) -o first$", page, flags=re.M)
    arguments = arguments.replace("$PWD/", "").replace("build/release/lib", str(library.parent))
    with tempfile.TemporaryDirectory() as folder:
        python = re.search(r"^```python\n(.*?)^```", front, re.M | re.S)[1]
        for model, code in ((digits / "digits.onnx", 0), ("none.onnx", 1)):
            done = run([sys.executable, "-c", python.replace("/tmp/digits/digits.onnx", str(model))],
                       code, env={**os.environ, "PYTHONPATH": str(source / "python"),
                                  "DML_LIBRARY": str(library)})
            assert code or re.fullmatch(r"the first of 10 scores: 0\.\d+\n", done.stdout), done
        for compiler, language, suffix, text in ((sys.argv[4], "c", "c", page),
                                                 (sys.argv[5], "cpp", "cpp", page),
                                                 (sys.argv[4], "c", "c", front)):
            program = re.search(rf"^```{language}\n(.*?)^```", text, re.M | re.S)[1]
            assert "/tmp/digits/digits.onnx" in program
            for model, code in ((digits / "digits.onnx", 0), ("none.onnx", 1)):
                file = Path(folder, f"first.{suffix}")
                file.write_text(program.replace("/tmp/digits/digits.onnx", str(model)))
                run([compiler, file, *arguments.split(), "-o", f"{folder}/first"], 0, cwd=source)
                done = run([f"{folder}/first"], code)
                text, wanted = ((done.stdout, r"the first of 10 scores: 0\.\d+\n") if code == 0
                                else (done.stderr, r"error: .*none\.onnx.*\n"))
                assert re.fullmatch(wanted, text), (language, done)
    print("the page's programs run")


main()
