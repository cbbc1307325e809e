#!/usr/bin/env python3
"""ONNX's backend tests through dml's reader of ONNX models.

Each model is read, interpreted, compiled, and run on the first Vulkan device, with the
inputs that ONNX publishes with it, by dml-judge-nodes; the results of both are compared
with ONNX's as ONNX's own runner of backend tests compares them. A model agrees, differs,
fails, or is refused with a reason. docs/ONNX.md lists what is expected of each.

Needs python3-onnx, and the tests (Debian's libonnx-testdata)."""
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import difflib
import pathlib
import re
import sys

import numpy
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "judge"))
from container import NAMES, Case, take_array  # noqa: E402
from nodes import ROOT, find_tool, judge_nodes_in_parallel, simplify  # noqa: E402

VERSION = f"ONNX {onnx.__version__}"
# The tolerances of ONNX's runner.
RTOL, ATOL = 1e-3, 1e-7
# What the reader says of inputs that have to be known when a model is read.
WANTS_CONSTANT = "computed when the model runs"

PAGE = """<!-- Written by `test/ONNX/backend_tests.py --update`; a test compares. -->
# ONNX's backend tests

ONNX has a test suite for its backends: models with inputs, and with the results that
ONNX wants. Every one of them is here. The model is read, the interpreter interprets it, a
Vulkan device runs what the compiler makes of it, and the results of both are compared
with ONNX's as ONNX's own runner compares them: types and shapes have to be equal, and
elements may differ by 1e-7 and by a thousandth of what is wanted. A scalar is a tensor
of shape 1 here, and a bool is ui8.

```sh
apt install python3-onnx libonnx-testdata
test/ONNX/backend_tests.py                      # runs all, and says what differs from this page
test/ONNX/backend_tests.py --filter=resize --keep=/tmp/models
test/ONNX/backend_tests.py --update             # writes this page
```
"""

AGREE = """## Models that agree only with inputs as constants

DirectML's operators have axes, sizes, paddings and the like in their descriptions, and
want them when the operator is built. Where a test hands them over as inputs, they become
initializers of the model, with the values of the test.
"""

REFUSED = """## Models that are refused

With the reason that `dml-compile` says; the first where there are several. Each is an
error with a message: no program is written.
"""


def load_values(folder, kind, infos):
    """The tensors that a test hands over, or wants, by name. Nothing stands for what
    is no tensor."""
    values = {}
    for index, info in enumerate(infos):
        file = folder / f"{kind}_{index}.pb"
        if info.type.HasField("tensor_type") and file.exists():
            proto = onnx.TensorProto.FromString(file.read_bytes())
            values[info.name] = numpy_helper.to_array(proto)
    return values


def compare(found, wanted):
    """What is wrong with a result, if something is."""
    if wanted.dtype == numpy.bool_:
        wanted = wanted.view(numpy.uint8)
    if found.dtype != wanted.dtype:
        return f"has the type {found.dtype}, but wanted is {wanted.dtype}"
    if found.shape != (wanted.shape or (1,)):
        return f"has the shape {found.shape}, but wanted is {wanted.shape}"
    found = found.reshape(wanted.shape)
    right = numpy.isclose(found, wanted, rtol=RTOL, atol=ATOL, equal_nan=True)
    if right.all():
        return None
    first = tuple(numpy.argwhere(~right)[0])
    return (f"is {found[first]} at {list(map(int, first))}, but wanted is {wanted[first]};"
            f" {(~right).sum()} of {right.size} elements are wrong")


class Test:
    """A model with the data of one of its folders."""

    def __init__(self, name, file, data):
        self.name = name
        self.model = onnx.load(str(file))
        self.inputs = load_values(data, "input", self.model.graph.input)
        self.wanted = load_values(data, "output", self.model.graph.output)
        # The inputs that describe an operator are its last ones. No program takes an
        # empty tensor.
        names = [info.name for info in self.model.graph.input if info.name in self.inputs]
        self.candidates = [name for name in names if self.inputs[name].size]
        self.constants = [name for name in names if name not in self.candidates]

    def make_case(self):
        """The model with initializers in place of some inputs, and with the sizes of the
        others, which it may leave open, or have as 0."""
        model = onnx.ModelProto.FromString(self.model.SerializeToString())
        model.graph.initializer.extend(
            numpy_helper.from_array(self.inputs[name], name) for name in self.constants)
        for info in model.graph.input:
            if info.name in self.candidates:
                for dim, size in zip(info.type.tensor_type.shape.dim,
                                     self.inputs[info.name].shape):
                    if dim.dim_value <= 0:
                        dim.dim_value = size
        # A model whose inputs are strings is refused before it would miss one.
        return Case(self.name, model.SerializeToString(),
                    {name: self.inputs[name] for name in self.candidates
                     if self.inputs[name].dtype in NAMES})

    def judge(self, header, payload):
        """The outcome: a word, and what there is to say about it."""
        message = header["message"]
        if "refused" in (header["outcome"], header.get("device")):
            return "refused", simplify(message)
        if header["outcome"] != "computed" or header["device"] != "computed":
            kind = header["outcome"] if header["outcome"] != "computed" else "device"
            return "fails", f"{kind}: {message.strip()[:200]}"
        if len(self.wanted) != len(self.model.graph.output):
            return "fails", "an output that is no tensor was compiled"
        found, at = [], 0
        for info in header["outputs"]:
            array, at = take_array(info, payload, at)
            found.append(("interpreter", array))
            # The bounds.
            for _ in range(0 if info["exact"] else 2):
                _, at = take_array(info, payload, at)
        for info in header["outputs"]:
            array, at = take_array(info, payload, at)
            found.append(("device", array))
        for (who, array), (name, wanted) in zip(found, 2 * list(self.wanted.items()),
                                                strict=True):
            wrong = compare(array, wanted)
            if wrong:
                return "differs", f"{who}: {name} {wrong}"
        return "agrees", ", ".join(self.constants)

    def write(self, folder):
        """Leaves the model and its tensors in a folder, as dml-run takes them."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(self.make_case().model)
        for kind, arrays in (("input", {name: self.inputs[name] for name in self.candidates}),
                             ("wanted", self.wanted)):
            for index, array in enumerate(arrays.values()):
                array = array.view(numpy.uint8) if array.dtype == numpy.bool_ else array
                numpy.save(folder / f"{kind}-{index}.npy",
                           numpy.ascontiguousarray(array.reshape(array.shape or (1,))))


def run_tests(tests):
    """The outcome of each test. Inputs that a model has to know become constants, the last
    one first."""
    outcomes, left = {}, list(tests)
    while left:
        results = judge_nodes_in_parallel([test.make_case() for test in left], ["--device"])
        again = []
        for test, result in zip(left, results):
            kind, detail = outcomes[test] = test.judge(*result)
            if kind == "refused" and WANTS_CONSTANT in detail and test.candidates:
                test.constants.insert(0, test.candidates.pop())
                again.append(test)
        left = again
    return outcomes


def run_models(files, names, keep):
    """The outcome of each model, which is that of its folders of data: the first one that
    does not agree, or the one with the most constants."""
    tests = [Test(name, files[name], data) for name in names
             for data in sorted(files[name].parent.glob("test_data_set_*"))]
    of_models = {name: [] for name in names}
    for test, outcome in run_tests(tests).items():
        of_models[test.name].append(outcome)
        if keep:
            test.write(keep / test.name)
    return {name: next((each for each in found if each[0] != "agrees"), None)
            or max(found, key=lambda each: len(each[1]), default=("fails", "there is no data"))
            for name, found in of_models.items()}


def write_page(outcomes):
    """docs/ONNX.md."""
    kinds = collections.Counter(kind for kind, _ in outcomes.values())
    folders = collections.defaultdict(collections.Counter)
    groups = collections.defaultdict(list)
    for name, (kind, detail) in outcomes.items():
        folder = name.split("/")[0]
        folders[folder][kind, bool(detail)] += 1
        groups[kind, detail].append(name)

    def cells(kind):
        found = [(detail, names) for (k, detail), names in groups.items() if k == kind and detail]
        found.sort(key=lambda item: (-len(item[1]), item[0]))
        return [(detail.replace("|", "\\|"), f"{len(names)}: " + " ".join(names))
                for detail, names in found]

    def table(*rows):
        head, *body = rows
        return "".join(f"| {' | '.join(map(str, row))} |\n"
                       for row in (head, ("---",) * len(head), *body)) + "\n"

    rows = []
    for folder, counts in sorted(folders.items()):
        rows.append((folder, sum(counts.values()), counts["agrees", False],
                     counts["agrees", True], counts["refused", True]))
    rows.append(("together", *(sum(row[i] for row in rows) for i in range(1, 5))))
    page = f"{PAGE}\nThe outcomes with {VERSION}; none differs and none fails.\n\n"
    page += table(("tests", "models", "agree", "agree with constants", "refused"), *rows)
    page += f"{AGREE}\n" + table(("constants", "tests"), *cells("agrees"))
    page += f"{REFUSED}\n" + table(("reason", "tests"), *cells("refused"))
    return page.rstrip("\n") + "\n"


def read_page(text, names):
    """The outcomes that a page states."""
    outcomes = {name: ("agrees", "") for name in names}
    kind = None
    for line in text.splitlines():
        if line.startswith("## "):
            kind = "refused" if "refused" in line else "agrees"
        elif kind and line.startswith("| ") and "/" in line:
            detail, tests = line[2:-2].rsplit(" | ", 1)
            for name in tests.split(": ", 1)[1].split():
                outcomes[name] = (kind, detail.replace("\\|", "|"))
    return outcomes


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(onnx.__file__).parent / "backend/test/data",
                        help="ONNX's folder of tests (%(default)s)")
    parser.add_argument("--filter", default="", metavar="REGEX",
                        help="only the tests whose name has this")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="leave models, inputs and what is wanted there, for dml-run")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/ONNX.md",
                        help="what is expected (%(default)s)")
    parser.add_argument("--update", action="store_true", help="write the page")
    parser.add_argument("--probe", action="store_true",
                        help="only say whether there is what this needs")
    options = parser.parse_args()

    files = {f"{file.parent.parent.name}/{file.parent.name}": file
             for file in sorted(options.data.glob("*/*/model.onnx"))}
    if not files:
        sys.exit(f"backend_tests.py: error: there are no tests in {options.data};"
                 " Debian has them as libonnx-testdata")
    find_tool("dml-judge-nodes")
    if options.probe:
        return 0
    names = [name for name in files if re.search(options.filter, name)]
    if not names:
        sys.exit("backend_tests.py: error: no test is left")
    if options.update and len(names) < len(files):
        sys.exit("backend_tests.py: error: the page is written of all tests alone")

    outcomes = run_models(files, names, options.keep)
    counts = collections.Counter(kind for kind, _ in outcomes.values())
    print(f"{len(names)} of {len(files)} models: "
          + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    wrong = [f"{name}: {kind}: {detail}" for name, (kind, detail) in outcomes.items()
             if kind in ("differs", "fails")]
    if options.update and not wrong:
        options.page.write_text(write_page(outcomes))
        return 0
    text = options.page.read_text()
    if VERSION not in text:
        print(f"{options.page} is not of {VERSION}: not compared", file=sys.stderr)
    else:
        for name, expected in read_page(text, names).items():
            if name in outcomes and outcomes[name] != expected:
                wrong.append(f"{name}: {': '.join(outcomes[name])}; {options.page.name} has"
                             f" {': '.join(expected)}")
        if len(names) == len(files) and not wrong and text != write_page(outcomes):
            wrong = list(difflib.unified_diff(
                text.splitlines(), write_page(outcomes).splitlines(), "page", "outcomes",
                lineterm="", n=0))
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
