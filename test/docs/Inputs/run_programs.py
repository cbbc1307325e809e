# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the first program in C and the first in C++ of docs/Sessions.md, as the page
says, on a model that exists and on one that does not.

    run_programs.py SOURCE DIGITS LIBRARY C-COMPILER C++-COMPILER

DIGITS is what examples/digits/make_digits.py has written; LIBRARY is the file libdml.so.
"""
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
    (arguments,) = re.findall(r"^cc first\.c (.*) -o first$", page, flags=re.M)
    arguments = arguments.replace("$PWD/", "").replace("build/release/lib", str(library.parent))
    with tempfile.TemporaryDirectory() as folder:
        for compiler, language, suffix in ((sys.argv[4], "c", "c"), (sys.argv[5], "cpp", "cpp")):
            program = re.search(rf"^```{language}\n(.*?)^```", page, re.M | re.S)[1]
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
