#!/usr/bin/env python3
"""ONNX's backend tests through dml's reader of ONNX models.

Each model is compiled by dml-compile, run by dml-run on the inputs that ONNX
publishes with it, and interpreted by dml-interpret; the results are compared with
ONNX's as ONNX's own runner of backend tests compares them. A model agrees, differs,
fails, or is refused with a reason. docs/ONNX.md lists what is expected of each.

Needs python3-onnx, and the tests (Debian's libonnx-testdata)."""
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = f"ONNX {onnx.__version__}"
# The tolerances of ONNX's runner.
RTOL, ATOL = 1e-3, 1e-7
# What dml-compile says of inputs that have to be known when a model is read.
WANTS_CONSTANT = "computed when the model runs"

PAGE = """<!-- Written by `test/ONNX/backend_tests.py --update`; a test compares. -->
# ONNX's backend tests

ONNX has a test suite for its backends: models with inputs, and with the results that
ONNX wants. Every one of them is here. `dml-compile` reads and compiles the model,
`dml-run` runs it on a Vulkan device, `dml-interpret` interprets it, and the results of
both are compared with ONNX's as ONNX's own runner compares them: types and shapes have
to be equal, and elements may differ by 1e-7 and by a thousandth of what is wanted. A
scalar is a tensor of shape 1 here, and a bool is ui8.

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


def find_tool(name):
    folders = [os.environ.get("PATH", ""), str(ROOT / "build/release/bin")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if not found:
        sys.exit(f"backend_tests.py: error: there is no {name} in PATH or {folders[1]}")
    return found


class Refused(Exception):
    """The model cannot be compiled, for a reason that was said."""


class Failed(Exception):
    """A tool did what none should do."""


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


def find_sizes(model, inputs):
    """Options that state the sizes which the model leaves open, or has as 0."""
    options = []
    for info in model.graph.input:
        if info.name not in inputs:
            continue
        for index, (dim, size) in enumerate(zip(info.type.tensor_type.shape.dim,
                                                inputs[info.name].shape)):
            if dim.dim_value <= 0 and size > 0:
                name = dim.dim_param or f"{info.name}[{index}]"
                options.append(f"--dim={name}={size}")
    return sorted(set(options))


def compile_model(tools, model, options, output):
    process = subprocess.run([tools["dml-compile"], model, *options, "-o", output],
                             capture_output=True, text=True)
    if process.returncode == 0:
        return
    error = process.stderr.strip()
    if process.returncode not in (1, 2) or "error: " not in error:
        raise Failed(f"dml-compile: exit code {process.returncode}: {error[:200]}")
    lines = error.split("error: ", 1)[1].split("\n")
    # Of nodes, the operator and the reason; the node's name tells nothing here.
    node = len(lines) > 1 and re.fullmatch(r"  (.*?): \d+ nodes?, .*?': (.*)", lines[1])
    raise Refused(f"{node[1]}: {node[2]}" if node
                  else lines[0].replace(f"'{model}': ", ""))


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


def write_constants(model, inputs, constants, folder):
    """The model with initializers in place of some inputs."""
    changed = onnx.ModelProto.FromString(model.SerializeToString())
    changed.graph.initializer.extend(
        numpy_helper.from_array(inputs[name], name) for name in constants)
    file = folder / "model.onnx"
    file.write_bytes(changed.SerializeToString())
    return file


def run_data(tools, options, model, file, data, folder):
    """Runs the test of a folder of data. Returns the names of inputs that had to be
    constants, in order, and what is wrong with the results."""
    inputs = load_values(data, "input", model.graph.input)
    wanted = load_values(data, "output", model.graph.output)
    executable = folder / "model.dmlx"
    # The inputs that describe an operator are its last ones. No program takes an
    # empty tensor.
    names = [info.name for info in model.graph.input if info.name in inputs]
    candidates = [name for name in names if inputs[name].size]
    constants = [name for name in names if name not in candidates]
    while True:
        sizes = find_sizes(model, {name: inputs[name] for name in candidates})
        if constants:
            file = write_constants(model, inputs, constants, folder)
        try:
            compile_model(tools, file, [*options.compile, *sizes], executable)
            break
        except Refused as refused:
            if WANTS_CONSTANT not in str(refused) or not candidates:
                raise
        constants.insert(0, candidates.pop())

    if len(wanted) != len(model.graph.output):
        raise Failed("an output that is no tensor was compiled")
    arguments = []
    for index, name in enumerate(candidates):
        array = inputs[name]
        array = array.view(numpy.uint8) if array.dtype == numpy.bool_ else array
        numpy.save(folder / f"input-{index}.npy",
                   numpy.ascontiguousarray(array.reshape(array.shape or (1,))))
        arguments.append(f"--input=@{folder}/input-{index}.npy")
    device = [f"--device={options.device}"] if options.device else []
    for who, command in (("dml-run", [executable, *device]),
                         ("dml-interpret", [file, *sizes])):
        outputs = [folder / f"{who}-{index}.npy" for index in range(len(wanted))]
        process = subprocess.run(
            [tools[who], *command, *arguments, *(f"--output=@{file}" for file in outputs)],
            capture_output=True, text=True)
        if process.returncode:
            raise Failed(f"{who}: exit code {process.returncode}:"
                         f" {process.stderr.strip()[:200]}")
        for output, (name, array) in zip(outputs, wanted.items()):
            wrong = compare(numpy.load(output), array)
            if wrong:
                return constants, f"{who}: {name} {wrong}"
    return constants, None


def run_test(tools, options, file, folder):
    """The outcome of a model: a word, and what there is to say about it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        model = onnx.load(file)
        all_constants, folders = [], sorted(file.parent.glob("test_data_set_*"))
        if not folders:
            return "fails", "there is no data"
        for data in folders:
            constants, wrong = run_data(tools, options, model, file, data, folder)
            if wrong:
                return "differs", wrong
            all_constants = max(all_constants, constants, key=len)
        return "agrees", ", ".join(all_constants)
    except Refused as refused:
        return "refused", str(refused)
    except Failed as failed:
        return "fails", str(failed)


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
    parser.add_argument("--device", help="the Vulkan device")
    parser.add_argument("compile", nargs="*", metavar="OPTION",
                        help="after --, an option of dml-compile, such as --device=native for"
                             " a device that lacks features of the profile full")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="leave executables, inputs and outputs there")
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
    tools = {name: find_tool(name) for name in ("dml-compile", "dml-run", "dml-interpret")}
    if options.probe:
        return 0
    names = [name for name in files if re.search(options.filter, name)]
    if not names:
        sys.exit("backend_tests.py: error: no test is left")
    if options.update and len(names) < len(files):
        sys.exit("backend_tests.py: error: the page is written of all tests alone")

    with tempfile.TemporaryDirectory() as scratch:
        def run(name):
            return run_test(tools, options, files[name],
                            (options.keep or pathlib.Path(scratch)) / name)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            outcomes = dict(zip(names, pool.map(run, names)))
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
