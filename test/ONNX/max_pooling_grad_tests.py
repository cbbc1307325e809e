#!/usr/bin/env python3
"""Max pooling's gradient, against ONNX's backend tests.

ONNX has no operator for the gradient. But the results of its tests of MaxPool say
which element won each window: by their indices, or by being the only one in the
window that equals the maximum. Each window gets a gradient of its own, and
dml.max_pooling_grad has to bring it to that element."""
#
# SPDX-License-Identifier: Apache-2.0
import functools
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnx

from backend_tests import find_tool, load_values

DATA = pathlib.Path(onnx.__file__).parent / "backend/test/data"
POOLING = re.compile(r"= dml\.max_pooling2? %\w+ (\{.*?\}) : \((tensor<.*?>)\)"
                     r" -> \(?(tensor<.*?>)")


def find_winners(x, y, window):
    """For each window, how many of its elements equal y, and the first's index."""
    count = numpy.zeros(y.shape, dtype=numpy.int64)
    winner = numpy.zeros(y.shape, dtype=numpy.int64)
    indices = numpy.arange(x.size).reshape(x.shape)
    planes = [numpy.arange(size) for size in x.shape[:2]]
    for offsets in itertools.product(*map(range, window["window_size"])):
        positions = [
            numpy.arange(size) * stride - padding + offset * dilation
            for size, stride, padding, offset, dilation in zip(
                y.shape[2:], window["strides"], window["start_padding"], offsets,
                window["dilations"])]
        inside = functools.reduce(numpy.logical_and.outer, [
            (0 <= position) & (position < size)
            for position, size in zip(positions, x.shape[2:])])
        clamped = numpy.ix_(*planes, *[
            position.clip(0, size - 1)
            for position, size in zip(positions, x.shape[2:])])
        equal = (x[clamped] == y) & inside
        winner = numpy.where(equal & (count == 0), indices[clamped], winner)
        count += equal
    return count, winner


def run(*command):
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {process.stderr}")
    return process.stdout


def check(file, folder):
    """Whether ONNX says who won any window of the model, which then is tested."""
    model = onnx.load(file)
    if [node.op_type for node in model.graph.node] not in (["MaxPool"], ["GlobalMaxPool"]):
        return False
    text = subprocess.run([find_tool("dml-translate"), "--import-onnx", file],
                          capture_output=True, text=True).stdout
    found = POOLING.search(text)
    if not found or "f32" not in found[2]:
        return False
    attributes, source, pooled = found.groups()
    window = {name: list(map(int, values.split(",")))
              for name, values in re.findall(r"(\w+) = array<i64: (.*?)>", attributes)}
    if "dilations" not in window:
        window["dilations"] = [1] * len(window["strides"])
        ones = ", ".join("1" * len(window["strides"]))
        attributes = f"{{dilations = array<i64: {ones}>, {attributes[1:]}"
    shape = lambda type: [int(size) for size in type[7:-5].split("x")]
    data = file.parent / "test_data_set_0"
    x, = load_values(data, "input", model.graph.input).values()
    y, *indices = load_values(data, "output", model.graph.output).values()
    x, y = x.reshape(shape(source)), y.reshape(shape(pooled))
    count, winners = find_winners(x, y, window)
    if not count.all():
        sys.exit(f"{file}: a maximum of ONNX's is not in its window")
    # Small integers: their sums are exact.
    gradient = (numpy.arange(y.size) % 1021 + 1).reshape(y.shape).astype(x.dtype)
    if indices:
        winners = indices[0].reshape(y.shape)
    elif (count > 1).all():
        return False
    else:
        gradient[count > 1] = 0
    wanted = numpy.zeros_like(x)
    numpy.add.at(wanted.reshape(-1), winners.reshape(-1), gradient.reshape(-1))

    program = folder / "main.mlir"
    program.write_text(f"""func.func @main(%x: {source}, %g: {pooled}) -> {source} {{
  %0 = dml.max_pooling_grad %x, %g {attributes} : ({source}, {pooled}) -> {source}
  return %0 : {source}
}}
""")
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "g.npy", gradient)
    for tool in "dml-run", "dml-interpret":
        run(find_tool(tool), program, f"--input=@{folder}/x.npy", f"--input=@{folder}/g.npy",
            f"--output=@{folder}/out.npy")
        if not (numpy.load(folder / "out.npy") == wanted).all():
            sys.exit(f"{file}: {tool} brings gradients to other elements than ONNX's winners")
    return True


def main():
    with tempfile.TemporaryDirectory() as folder:
        tested = sum(check(file, pathlib.Path(folder)) for file in sorted(DATA.glob("*/*/model.onnx")))
    print(f"{tested} models: every gradient arrives")
    # As many as there are in the oldest ONNX that is known to work.
    return 0 if tested >= 20 else 1


if __name__ == "__main__":
    sys.exit(main())
