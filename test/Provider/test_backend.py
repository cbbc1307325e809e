#!/usr/bin/env python3
"""ONNX's backend tests in ONNX Runtime, with the provider.

  test_backend.py HOST PROVIDER [--filter=REGEX]

Each model runs in ONNX Runtime's own session with `partitioning=all`; its outputs are
compared with ONNX's. Where ONNX Runtime fails without the provider too, there is nothing
to compare. Prints how many nodes the provider has taken and left."""
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import pathlib
import re
import sys

import onnx
from onnx import numpy_helper

import host

# The outcomes differ where DirectML's meaning does, as in docs/ONNXJudge.md.
MEANING = {}
# The most models that may crash or differ, and the least that the provider takes.
LEAST_TAKEN = 700


def load(folder, kind, infos):
    """The tensors of a test, or None where one is no tensor."""
    tensors = {}
    for index, info in enumerate(infos):
        file = folder / f"{kind}_{index}.pb"
        if not info.type.HasField("tensor_type") or not file.exists():
            return None
        # NumPy has neither strings of any length nor bfloat16.
        if info.type.tensor_type.elem_type in (onnx.TensorProto.STRING,
                                               onnx.TensorProto.BFLOAT16):
            return None
        array = numpy_helper.to_array(onnx.TensorProto.FromString(file.read_bytes()))
        tensors[info.name] = array
    return tensors


def run_with(program, file, inputs, kind):
    opened = program.open(str(file), kind)
    return opened, program.run(inputs)[0]


def run_test(program, file):
    """The outcome of a model, the nodes that the provider has and that it has not, and
    what there is to say."""
    model = onnx.load(str(file))
    for data in sorted(file.parent.glob("test_data_set_*")):
        inputs = load(data, "input", model.graph.input)
        wanted = load(data, "output", model.graph.output)
        if inputs is None or wanted is None:
            return "no tensors", 0, 0, ""
        try:
            opened, found = run_with(program, file, inputs, "dml")
        except host.Failure as failure:
            try:
                run_with(program, file, inputs, "cpu")
            except host.Failure:
                return "fails without the provider", 0, 0, ""
            return "fails", 0, 0, str(failure)
        wrong = host.find_difference(found, wanted)
        if wrong:
            _, cpu = run_with(program, file, inputs, "cpu")
            if host.find_difference(found, cpu):
                return "differs", sum(opened.parts), opened.others, wrong
    return ("taken" if opened.parts else "left"), sum(opened.parts), opened.others, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host")
    parser.add_argument("provider")
    parser.add_argument("--filter", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    data = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    files = [file for file in sorted(data.glob("*/*/model.onnx"))
             if re.search(options.filter, str(file))]
    counts, nodes, wrong = collections.Counter(), [0, 0], []
    program = None
    for file in files:
        name = f"{file.parent.parent.name}/{file.parent.name}"
        if program is None:
            program = host.Host(options.host, options.provider)
            program.set({"partitioning": "all"})
        try:
            kind, taken, left, detail = run_test(program, file)
            program.set({"partitioning": "all"})
        except host.Crashed as crash:
            kind, taken, left, detail, program = "crashes", 0, 0, str(crash), None
        counts[kind] += 1
        nodes[0] += taken
        nodes[1] += left
        if detail:
            wrong.append(f"{name}: {kind}: {detail}")
        if options.verbose:
            print(name, kind, taken, left, detail, flush=True)
    if program:
        program.__exit__()
    print(f"{len(files)} models: "
          + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
          + f"; {nodes[0]} nodes taken, {nodes[1]} left")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong or (not options.filter and counts["taken"] < LEAST_TAKEN) else 0


if __name__ == "__main__":
    sys.exit(main())
