# SPDX-License-Identifier: Apache-2.0
"""python3 -m dml: runs a model from the shell, explains it, or tunes its kernels."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import stat
import sys
import tempfile
import time
import zipfile
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import dml

from . import _library, _types

if TYPE_CHECKING:
    import numpy as np

_DESCRIPTION = """\
Opens a model (ONNX, a graph of DirectML, a JSON model of DxDispatch, MLIR or an executable),
prints what it takes and returns, and runs it once on a Vulkan device. Inputs that no file
gives are random: numbers from 0 to 1, and for integers 0 and 1. Sizes that the model leaves
open are 1 unless --dim states them or a file has them.
"""

_EXAMPLES = """\
examples:
  python3 -m dml --devices
  python3 -m dml model.onnx
  python3 -m dml model.onnx --dim batch=8 --time
  python3 -m dml model.onnx --input image=cat.npy --output-dir results
  python3 -m dml model.onnx --device nvidia --cache-dir ~/.cache/my-programs
  python3 -m dml explain model.onnx --level 5_0
  python3 -m dml tune model.onnx --dim batch=8 --output model.tuning

"""

# The table that the tools' --help prints (tools/support/ExitCode.h).
_EXIT_CODES = """\
exit codes, the same for all of dml's tools
  0  done; what was asked is so
  1  it cannot be done, or is not so: operators do not fit the feature level, a
     module cannot be compiled, a device lacks something or fails, the
     validation layer has a message, results are wrong
  2  the command line is wrong, or a file or tensor that it names is missing or
     invalid
  3  undecided: there are operations that are not DirectML's, or no DirectML
     operators at all (dml-explain); nothing of a result could be judged, since
     its bounds admit any number (dml-run, an operator in dml-check); results of
     a whole program that their bounds cannot judge are far from the reference's
     numbers (dml-check)
  4  the output cannot be written
"""

#: The errors whose reason is the command line, or a file or device that it names.
_INVALID = (dml.InvalidArgument, dml.InvalidExecutable, dml.NotFound, dml.InputOutput)


_EXPLAIN = """\
Says which feature level of DirectML each operator of a model needs, and why; no device is
needed. With --level, says what does not fit that level, and how it can be rewritten.
"""


def _make_explain_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m dml explain", description=_EXPLAIN, epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="the model's file")
    parser.add_argument("--level", metavar="LEVEL", help="the level to fit, such as 5_0")
    parser.add_argument("--dim", metavar="NAME=SIZE", action="append", default=[],
                        help="the size of a dimension that the model leaves open; may be "
                        "repeated")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument("--legalize", metavar="FILE",
                        help="rewrite the model for the level, and write it as MLIR for dml's "
                        "tools: text (.mlir) or bytecode (.mlirbc)")
    return parser


_TUNE = """\
Lets a device choose the kernels of a model: runs several kernels for each dispatch, as dml-tune
does, and prints how long the kernel takes that the models of time choose, and how long the
fastest one. Sizes that the model leaves open are 1 unless --dim states them.
"""


def _make_tune_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m dml tune", description=_TUNE, epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="the model's file")
    parser.add_argument("--output", "-o", metavar="FILE",
                        help="write the table of kernels, for dml-compile --tuning and sessions")
    parser.add_argument("--tuning", metavar="FILE",
                        help="a table of kernels that are not measured again")
    parser.add_argument("--dim", metavar="NAME=SIZE", action="append", default=[],
                        help="the size of a dimension that the model leaves open; may be "
                        "repeated")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[],
                        help="an option of dml-compile, such as shared-weights=false; may be "
                        "repeated")
    parser.add_argument("--device", metavar="DEVICE",
                        help="as for python3 -m dml")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    return parser


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m dml", description=_DESCRIPTION, epilog=_EXAMPLES + _EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="the model's file")
    parser.add_argument("--input", metavar="NAME=FILE.npy", action="append", default=[],
                        help="an input from a file of NumPy's, or from the array of its name in "
                        "an .npz file; may be repeated")
    parser.add_argument("--dim", metavar="NAME=SIZE", action="append", default=[],
                        help="the size of a dimension that the model leaves open; may be "
                        "repeated")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[],
                        help="an option of dml-compile, such as ort-optimizations=all; may be "
                        "repeated")
    parser.add_argument("--device", metavar="DEVICE",
                        help="a number of --devices, a UUID or a part of a name; the first GPU, "
                        "else the first device, without")
    parser.add_argument("--cache-dir", metavar="FOLDER",
                        help="keep programs there, so that later runs compile nothing")
    parser.add_argument("--output-dir", metavar="FOLDER",
                        help="write each output to FOLDER/NAME.npy")
    parser.add_argument("--seed", metavar="N", type=int, default=0,
                        help="the seed of random inputs (0)")
    parser.add_argument("--time", action="store_true",
                        help="print how long the steps took, and the median of 10 more runs")
    parser.add_argument("--trace", metavar="FILE",
                        help="write the kernels of all runs to FILE, for chrome://tracing")
    parser.add_argument("--devices", action="store_true", help="list the devices and end")
    parser.add_argument("--version", action="store_true",
                        help="print the version and the library's file and end")
    return parser


def _split(option: str, texts: List[str]) -> Dict[str, str]:
    """The values of an option that is repeated: NAME=VALUE."""
    values: Dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise dml.InvalidArgument(f"{option} has '{text}', but wanted is NAME=VALUE")
        if name in values:
            raise dml.InvalidArgument(f"{option} states '{name}' twice")
        values[name] = value
    return values


def _read_sizes(texts: List[str]) -> Dict[str, int]:
    sizes: Dict[str, int] = {}
    for name, value in _split("--dim", texts).items():
        if not value.isdecimal():
            raise dml.InvalidArgument(f"--dim has '{name}={value}', but wanted is a size "
                                      "of 1 or more")
        sizes[name] = int(value)
    return sizes


def _take_member(name: str, path: str, loaded: Any) -> "np.ndarray[Any, Any]":
    """The array of a .npy file, or that of the input's name in an .npz file."""
    if hasattr(loaded, "shape"):
        return loaded  # type: ignore[no-any-return]
    with loaded:
        if name not in loaded.files:
            names = ", ".join(f"'{each}'" for each in loaded.files) or "nothing"
            raise dml.InvalidArgument(f"'{path}' has no array '{name}' for the input of that "
                                      f"name; it has {names}")
        return loaded[name]  # type: ignore[no-any-return]


def _load(texts: List[str]) -> "Dict[str, np.ndarray[Any, Any]]":
    np = _types.import_numpy()
    arrays: "Dict[str, np.ndarray[Any, Any]]" = {}
    for name, path in _split("--input", texts).items():
        if path.startswith("@") and not os.path.exists(path):
            raise dml.InvalidArgument(f"--input has '{name}={path}': the file is named without "
                                      f"'@', as --input {name}={path[1:]}")
        try:
            arrays[name] = _take_member(name, path, np.load(path, allow_pickle=False))
        except dml.Error:
            raise
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise dml.InvalidArgument(f"'{path}' is no file of NumPy's for input '{name}': "
                                      f"{error}") from None
    return arrays


def _find_sizes(session: dml.Session, given: "Dict[str, np.ndarray[Any, Any]]"
                ) -> Dict[str, int]:
    """Sizes of open dimensions that the given arrays have."""
    sizes: Dict[str, int] = {}
    for tensor in session.inputs:
        array = given.get(tensor.name)
        if array is not None and len(array.shape) == len(tensor.shape or []):
            for wanted, size in zip(tensor.shape or [], array.shape):
                if isinstance(wanted, str):
                    sizes[wanted] = size
    return sizes


def _draw(session: dml.Session, given: "Dict[str, np.ndarray[Any, Any]]", seed: int
          ) -> "Dict[str, np.ndarray[Any, Any]]":
    """Arrays for all inputs: the given ones, and random ones."""
    np = _types.import_numpy()
    random = np.random.default_rng(seed)
    sizes = _find_sizes(session, given)
    feeds = dict(given)
    for tensor in session.inputs:
        if tensor.name in given:
            continue
        shape = [sizes.get(size, 1) if isinstance(size, str) else size
                 for size in tensor.shape or []]
        dtype = tensor.dtype
        assert dtype is not None
        feeds[tensor.name] = (random.random(shape).astype(dtype) if dtype.kind == "f" else
                              random.integers(0, 2, shape).astype(dtype))
    return feeds


def _print_tensors(title: str, tensors: List[dml.TensorInfo]) -> None:
    print(title)
    for tensor in tensors:
        shape = "?" if tensor.shape is None else "x".join(
            str(size) or "?" for size in tensor.shape) or "scalar"
        print(f"  {tensor.name}: {shape} of {tensor.type or '?'}")


def _write(path: str, write: Callable[[IO[bytes]], Any]) -> None:
    """Writes a file whole, or not at all: `write` fills one beside it, which then takes its
    place. What is no regular file, such as a pipe, is written as it is."""
    try:
        _write_beside(os.path.realpath(path), write)
    except OSError as error:
        raise OSError(f"cannot write '{path}': {error.strerror or error}") from None


def _write_beside(path: str, write: Callable[[IO[bytes]], Any]) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            write(file)
        return
    number, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".dml-")
    try:
        with os.fdopen(number, "wb") as file:
            write(file)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path)
                 else 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _name_files(names: List[str]) -> List[str]:
    """A file's name for each tensor, whose name may have slashes. Those of two are distinct."""
    safe = ["".join(c if c.isalnum() or c in "-_." else "_" for c in name) for name in names]
    taken = {name for name in names if name in safe}
    files = []
    for name, file in zip(names, safe):
        count, stem = 1, file
        while name != file and file in taken:
            count += 1
            file = f"{stem}_{count}"
        taken.add(file)
        files.append(f"{file}.npy")
    return files


def _save(folder: str, session: dml.Session, results: "List[np.ndarray[Any, Any]]") -> None:
    np = _types.import_numpy()
    os.makedirs(folder, exist_ok=True)
    for name, result in zip(_name_files([each.name for each in session.outputs]), results):
        path = os.path.join(folder, name)
        # NumPy writes what is no file of the system's piece by piece, and says what fails.
        _write(path, lambda file, result=result: np.save(
            SimpleNamespace(write=file.write), result))
        print(f"wrote {path}")


def _print_times(session: dml.Session, feeds: Dict[str, Any],
                 times: List[Tuple[str, float]]) -> None:
    durations = []
    for _ in range(10):
        begin = time.perf_counter()
        session.run(None, feeds)
        durations.append(time.perf_counter() - begin)
    times.append(("a later run", sorted(durations)[len(durations) // 2]))
    print("times in ms:")
    for name, seconds in times:
        print(f"  {name}: {seconds * 1e3:.2f}")


def _run(options: argparse.Namespace) -> None:
    given = _load(options.input)
    begin = time.perf_counter()
    session = dml.Session(options.model, device=options.device, dims=_read_sizes(options.dim),
                          options=_split("--option", options.option),
                          cache_dir=options.cache_dir, trace=options.trace)
    opened = time.perf_counter()
    print(f"device: {session.device.name}")
    _print_tensors("inputs:", session.inputs)
    feeds = _draw(session, given, options.seed)
    first = time.perf_counter()
    session.prepare({name: array.shape for name, array in feeds.items()})
    prepared = time.perf_counter()
    results = session.run(None, feeds)
    ran = time.perf_counter()
    print("outputs:")
    for tensor, result in zip(session.outputs, results):
        shape = "x".join(map(str, result.shape)) or "scalar"
        print(f"  {tensor.name}: {shape} of {result.dtype}")
    if options.output_dir:
        _save(options.output_dir, session, results)
    if options.time:
        _print_times(session, feeds, [("opening the model", opened - begin),
                                      ("making the program", prepared - first),
                                      ("the first run", ran - prepared)])


def _explain(arguments: List[str]) -> int:
    parser = _make_explain_parser()
    options = parser.parse_args(arguments)
    if options.legalize and not options.level:
        parser.error("--legalize wants the level to reach: --level")
    if options.legalize and not options.legalize.endswith((".mlir", ".mlirbc")):
        parser.error(f"--legalize={options.legalize}: a module of MLIR is written; wanted is the "
                     "name of a file that ends with .mlir or .mlirbc")
    sizes = _read_sizes(options.dim)
    verdict = dml.explain(options.model, options.level, dims=sizes)
    print(verdict.json() if options.json else verdict)
    if not options.legalize:
        return {True: 0, False: 1, None: 3}[verdict.runs]
    module = dml.legalize(options.model, options.level, dims=sizes,
                          text=not options.legalize.endswith(".mlirbc"))
    _write(options.legalize, lambda file: file.write(module))
    # Only DirectML's operators are rewritten: the level of all else stays unknown.
    return 0 if all(problem.kind == "operator" for problem in verdict.problems) else 3


def _print_tuning(kernels: List[Dict[str, Any]]) -> None:
    """Prints the kernels of a table, those first that lose the most time."""
    print("     uses   model us   tuned us  times  operators")
    regrets = []
    for kernel in sorted(kernels, reverse=True, key=lambda each: each["uses"] * (
            each["modelMicroseconds"] - each["microseconds"])):
        model, tuned = kernel["modelMicroseconds"], kernel["microseconds"]
        regrets.append(model / tuned if tuned > 0 else 1)
        print(f"{kernel['uses']:9} {model:10.2f} {tuned:10.2f} {regrets[-1]:6.2f}  "
              f"{kernel['operators']}")
        if kernel["kernel"] != kernel["model"]:
            print(f"          model {kernel['model']}\n          tuned {kernel['kernel']}")
    changed = sum(kernel["kernel"] != kernel["model"] for kernel in kernels)
    totals = [sum(kernel["uses"] * kernel[name] for kernel in kernels)
              for name in ("modelMicroseconds", "microseconds")]
    mean = math.exp(sum(map(math.log, regrets)) / max(len(regrets), 1))
    print(f"{len(kernels)} dispatches, of which {changed} have another kernel than the model's\n"
          f"all uses: {totals[0]:.1f} us with the model's kernels, {totals[1]:.1f} us tuned\n"
          "geometric mean of the model's times, each divided by the tuned one: "
          f"{mean:.3f}")


def _tune(arguments: List[str]) -> None:
    options = _make_tune_parser().parse_args(arguments)
    session = dml.Session(options.model, device=options.device, dims=_read_sizes(options.dim),
                          options=_split("--option", options.option), tune=True,
                          tuning=options.tuning)
    session.prepare({tensor.name: tuple(1 if isinstance(size, str) else size
                                        for size in tensor.shape or [])
                     for tensor in session.inputs})
    table = session.tuning
    if options.json:
        print(table, end="")
    else:
        _print_tuning(json.loads(table)["kernels"])
    if options.output:
        _write(options.output, lambda file: file.write(table.encode()))


def _run_model(arguments: List[str]) -> None:
    parser = _make_parser()
    options = parser.parse_args(arguments)
    if options.version:
        path = _library.get_path()
        print(f"dml {_library.decode(_library.get().dmlGetVersion())} ({path})")
    elif options.devices:
        for device in dml.devices():
            print(f"{device.index}: {device.name} ({device.type}, "
                  f"{device.memory / 2**30:.1f} GiB, Vulkan {device.api_version}, "
                  f"{device.driver}, {device.uuid})")
    elif not options.model:
        parser.error("wanted is a model, or --devices")
    else:
        _run(options)


def _has_device() -> bool:
    try:
        return bool(dml.devices())
    except dml.Error:
        return False


def _get_exit_code(error: dml.Error) -> int:
    """1 where the machine has no Vulkan device at all: the command line is then right."""
    if isinstance(error, dml.NotFound) and not _has_device():
        return 1
    return 2 if isinstance(error, _INVALID) else 1


def main(arguments: Optional[List[str]] = None) -> int:
    """What ``python3 -m dml`` does; returns the exit code.

    >>> dml.__main__.main(["--devices"])
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments[:1] == ["explain"]:
            return _explain(arguments[1:])
        if arguments[:1] == ["tune"]:
            _tune(arguments[1:])
            return 0
        _run_model(arguments)
    except dml.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return _get_exit_code(error)
    except OSError as error:
        # Files that are read have errors of their own.
        print(f"error: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
