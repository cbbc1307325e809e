#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the programs that classify pictures say of good and bad files.

    test_classify.py FOLDER PROGRAM...

FOLDER is what make_digits.py has written.
"""
import subprocess
import sys
from pathlib import Path


def run(program, *arguments):
    command = [sys.executable, program] if program.endswith(".py") else [program]
    return subprocess.run([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def write_files(folder):
    """Names that are too few, and pictures with comments and without their last pixel."""
    pixels = (folder / "three.pgm").read_bytes()[-784:]
    (folder / "few.txt").write_text("zero\n")
    (folder / "comment.pgm").write_bytes(b"P5 # of a digit\n#\n28 28\n# white\n255\n" + pixels)
    (folder / "short.pgm").write_bytes(b"P5 28 28 255\n" + pixels[1:])


def main():
    folder, programs = Path(sys.argv[1]), sys.argv[2:]
    write_files(folder)
    wanted = run(programs[0], *(folder / name for name in
                                ("digits.onnx", "digits.txt", "three.pgm"))).stdout
    assert wanted.splitlines()[0].endswith(" three"), wanted
    for program in programs:
        found = run(program, *(folder / name for name in
                               ("digits.onnx", "digits.txt", "comment.pgm")))
        assert (found.stdout, found.stderr) == (wanted, ""), (program, found)
        for files, message in (
                ("digits.onnx few.txt three.pgm", "few.txt' has fewer names than"),
                ("digits.onnx none.txt three.pgm", "none.txt'"),
                ("digits.onnx digits.txt none.pgm", "none.pgm'"),
                ("digits.onnx digits.txt digits.txt", "digits.txt' is no PGM or PPM file"),
                ("digits.onnx digits.txt short.pgm", "short.pgm' ends before its last pixel"),
                ("none.onnx digits.txt three.pgm", "none.onnx'"),
                ("digits.txt digits.txt three.pgm", "digits.txt")):
            found = run(program, *(folder / name for name in files.split()))
            (line,) = found.stderr.splitlines()
            assert found.returncode == 1, (program, files, found)
            assert line.startswith("error: ") and message in line, (program, files, found)
        found = run(program)
        assert found.returncode != 0 and found.stderr.startswith("usage: "), (program, found)
    print(f"{len(programs)} programs agree")


if __name__ == "__main__":
    main()
