#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks through sessions at three shapes each, in Python and in C.

    benchmarks/sessions.py                             12 networks
    benchmarks/sessions.py --only lenet --small        one network, few channels
    benchmarks/sessions.py --half --models folder --json sessions.json

Each network of networks.py, with open sizes, is run at three shapes by four processes:
one in Python and one in C that compile, and one of each that find the programs in the
cache's folder. The table has, for each network: whether the outputs have the bits of a
program that dml-compile makes for the shape with the same layouts of weights; the seconds
of each part; and the peak of device memory beside the bound, which is the weights and the
largest plan. A plan is the code, the temporaries, and the buffers of inputs and outputs.

The models are made by networks.py, which needs python3-onnx, unless the folder --models
has them already. The package dml comes from the source tree or from a wheel. The program
in C is sessions.c: it is compiled with cc, unless --program names it.
"""
import one_line  # noqa: F401
import argparse
import ctypes
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
try:
    import dml
except ImportError:
    sys.path.append(str(ROOT / "python"))
    import dml
from dml import _library  # noqa: E402

BATCHES = [{"batch": 1}, {"batch": 4}, {"batch": 16}]
# The shapes of each network, whole and small.
NETWORKS = {name: (BATCHES, BATCHES) for name in (
    "lenet", "resnet18", "resnet50", "mobilenetv2", "efficientnet_b0", "inception", "unet",
    "yolov4_tiny", "vit_b", "llama")}
NETWORKS["bert_base"] = tuple([{"batch": 1, "length": length} for length in lengths]
                              for lengths in ((16, 128, 512), (4, 16, 64)))
NETWORKS["gpt2"] = tuple([{"batch": 1, "length": length} for length in lengths]
                         for lengths in ((1, 64, 256), (1, 8, 32)))
# Those that run only where --only names them.
MORE = {name: (BATCHES, BATCHES) for name in (
    "densenet121", "mobilenetv3", "qdq_mobilenet", "sd_unet_block", "whisper_encoder",
    "yolov8_head")}


# What a child process does.

def get_shape(info, sizes):
    return [sizes[size] if isinstance(size, str) else size for size in info.shape]


def measure_memory(session):
    """Bytes on the device, now and at most, and the most in the host's memory."""
    class Use(ctypes.Structure):
        _fields_ = [("next", ctypes.c_void_p), ("used", ctypes.c_uint64),
                    ("peak", ctypes.c_uint64), ("allocationCount", ctypes.c_uint32),
                    ("budget", ctypes.c_uint64), ("heapUsage", ctypes.c_uint64),
                    ("heapBudget", ctypes.c_uint64)]

    use = Use()
    function = _library.get().dmlGetMemoryUse
    function.restype = ctypes.c_int
    _library.check(function(ctypes.c_void_p(session._opened.value), ctypes.byref(use), None),
                   ctypes.c_void_p())
    return {"used": use.used, "peak": use.peak,
            "host": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def run_settled(session, feeds):
    """The seconds of the fastest run of 0.3 seconds, in which the clock of a GPU that was idle
    while the program was made rises."""
    end, fastest = time.perf_counter() + 0.3, 1e9
    while True:
        start = time.perf_counter()
        session.run(None, feeds)
        now = time.perf_counter()
        fastest = min(fastest, now - start)
        if now > end:
            return fastest


def run_child(task):
    """Runs a model at shapes, and prints what sessions.c prints."""
    folder = pathlib.Path(task["folder"])
    steps, current = {}, [None, 0.0]

    def progress(name, _fraction):
        now = time.perf_counter()
        if current[0] is not None:
            steps[current[0]] = steps.get(current[0], 0) + now - current[1]
        current[:] = [name, now]
        return True

    begin = time.perf_counter()
    session = dml.Session(task["model"], device=task["device"] or None,
                          cache_dir=task["cache"], program_budget=2**62,
                          options=task.get("options"), progress=progress)
    result = {"create": time.perf_counter() - begin, "shapes": []}
    for number, sizes in enumerate(task["shapes"]):
        feeds = {info.name: np.fromfile(folder / f"in.{number}.{i}", info.dtype).reshape(
                     get_shape(info, sizes))
                 for i, info in enumerate(session.inputs)}
        before = session.info.program_bytes
        steps.clear()
        current[:] = [None, 0.0]
        begin = time.perf_counter()
        session.prepare({name: feed.shape for name, feed in feeds.items()})
        end = time.perf_counter()
        progress(None, 1)
        runs = []
        for _ in range(2):
            start = time.perf_counter()
            outputs = session.run(None, feeds)
            runs.append(time.perf_counter() - start)
        runs.append(run_settled(session, feeds))
        for i, output in enumerate(outputs):
            output.tofile(folder / f"{task['kind']}.{number}.{i}")
        result["shapes"].append({"make": end - begin, "steps": dict(steps), "runs": runs,
                                 "plan": session.info.program_bytes - before})
    info = session.info
    result.update(compiled=info.compiled, cached=info.cached, weights=info.weight_bytes,
                  profile=info.device_profile, device=session.device.name,
                  **measure_memory(session))
    print(json.dumps(result))


# The parent.

def run(command, **more):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                            **more)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}: {result.stderr.strip()[-2000:]}")
    return result.stdout


def run_python(task):
    return json.loads(run([sys.executable, __file__, "--child", json.dumps(task)]))


def to_text(sizes):
    return ",".join(f"{name}={size}" for name, size in sizes.items())


def run_c(program, task):
    return json.loads(run([program, task["model"], task["cache"], task["folder"],
                           task["device"], *map(to_text, task["shapes"])]))


def draw_inputs(model, shapes, folder):
    """Writes inputs of seeded numbers. Returns the number of outputs of the model."""
    session = dml.Session(model)
    random = np.random.RandomState(7)
    for number, sizes in enumerate(shapes):
        for i, info in enumerate(session.inputs):
            shape = get_shape(info, sizes)
            # Integers are words, lengths, and a mask of 1.
            values = (np.ones(shape) if "mask" in info.name
                      else random.randint(1, 5, shape) if info.dtype.kind in "iu"
                      else random.standard_normal(shape))
            values.astype(info.dtype).tofile(folder / f"in.{number}.{i}")
    return len(session.outputs)


def make_references(arguments, task, profile):
    """Runs programs that are compiled for one shape each."""
    for number, sizes in enumerate(task["shapes"]):
        one = dict(task, kind="one", shapes=[sizes], cache=task["cache"] + f".{number}")
        folder = pathlib.Path(task["folder"]) / f"one.{number}"
        folder.mkdir()
        for path in pathlib.Path(task["folder"]).glob(f"in.{number}.*"):
            os.symlink(path, folder / f"in.0.{path.suffix[1:]}")
        one["folder"] = str(folder)
        if arguments.compiler:
            one["model"] = str(folder / "program.dmlx")
            run([arguments.compiler, task["model"], "--shared-weights",
                 f"--device-profile={profile}", "-o", one["model"],
                 *(f"--dim={name}={size}" for name, size in sizes.items())])
        run_python(one)


def compare(folder, kind, shapes, outputs):
    """Whether all outputs of a process have the bits of the programs for one shape."""
    def read(path):
        return (folder / path).read_bytes()

    return all(read(f"{kind}.{shape}.{output}") == read(f"one.{shape}/one.0.{output}")
               for shape in range(shapes) for output in range(outputs))


def measure(arguments, name, shapes, program):
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root)
        model = find_model(arguments, name, folder)
        task = {"model": str(model), "folder": root, "device": arguments.device,
                "shapes": shapes, "kind": "python", "cache": str(folder / "cache-python")}
        outputs = draw_inputs(task["model"], shapes, folder)
        result = {"name": name, "shapes": [to_text(sizes) for sizes in shapes],
                  "model": model.stat().st_size, "python": [run_python(task), run_python(task)]}
        make_references(arguments, task, result["python"][0]["profile"])
        result["reference"] = "dml-compile" if arguments.compiler else "a session of one shape"
        result["equal"] = {"python": compare(folder, "python", len(shapes), outputs)}
        if program:
            task["cache"] = str(folder / "cache-c")
            result["c"] = [run_c(program, task), run_c(program, task)]
            result["equal"]["c"] = compare(folder, "c", len(shapes), outputs)
        apart = dict(task, kind="apart", cache=str(folder / "cache-apart"),
                     options={"shared-weights": "false"})
        result["apart"] = run_python(apart)
    return result


def find_model(arguments, name, folder):
    if arguments.models:
        model = pathlib.Path(arguments.models) / f"{name}.onnx"
        if model.exists():
            return model
    else:
        model = folder / f"{name}.onnx"
    import networks
    half = arguments.half and name != "qdq_mobilenet"
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_bytes(networks.build(name, arguments.small, half,
                                     open=True).SerializeToString())
    return model


def build_program(arguments, folder):
    if arguments.program:
        return arguments.program
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        print("there is no C compiler, and --program names no program", file=sys.stderr)
        return None
    library = pathlib.Path(_library.get_path()).resolve()
    run([compiler, "-std=c99", "-O1", f"-I{ROOT}/include", f"-I{ROOT}/runtime/include",
         ROOT / "benchmarks" / "sessions.c", library, f"-Wl,-rpath,{library.parent}", "-o",
         folder / "sessions"])
    return str(folder / "sessions")


# The tables.

def mega(count):
    return f"{count / 1e6:.2f}"


def seconds(value):
    return f"{value:.4f}"


def get_peak_row(result):
    first = result["python"][0]
    plans = [shape["plan"] for shape in first["shapes"]]
    bound = first["weights"] + max(plans)
    equal = all(result["equal"].values())
    return [result["name"], mega(result["model"]), mega(first["weights"]),
            mega(result["apart"]["weights"]), mega(max(plans)), mega(bound),
            mega(first["peak"]), mega(first["used"]), mega(sum(plans) + first["weights"]),
            mega(first["host"]), "equal" if equal else "DIFFERENT"]


def get_time_rows(result):
    """A row for each shape, of the processes in one language."""
    language = "c" if "c" in result else "python"
    first, second = result[language]
    for number, text in enumerate(result["shapes"]):
        a, b = (process["shapes"][number] for process in (first, second))
        compiling = sum(a["steps"].get(step, 0) for step in (
            "looking into the cache", "reading the model", "compiling"))
        yield [result["name"], text, seconds(first["create"]) if number == 0 else "",
               seconds(compiling), seconds(a["make"] - compiling), *map(seconds, a["runs"]),
               seconds(result["apart"]["shapes"][number]["runs"][2]),
               seconds(b["steps"].get("looking into the cache", 0)),
               seconds(b["make"] - b["steps"].get("looking into the cache", 0)),
               seconds(b["runs"][0]), seconds(b["runs"][2])]


def print_table(head, rows):
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for number, row in enumerate(rows):
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("| " + " | ".join(cells) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 1) + (":" if i else "-")
                                 for i, width in enumerate(widths)) + "|")
    print(flush=True)


def print_results(results):
    print(f"Device: {results[0]['python'][0]['device']}. Bytes in MB, times in seconds.\n")
    print_table(["network", "model", "weights", "apart", "largest plan", "bound", "peak",
                 "used", "all plans", "host", "bits"], map(get_peak_row, results))
    print_table(["network", "shape", "create", "compile", "weights, pipelines", "first run",
                 "second", "fastest", "fastest apart", "read", "weights, pipelines",
                 "first run", "fastest"],
                [row for result in results for row in get_time_rows(result)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=[*NETWORKS, *MORE], metavar="NAME",
                        help="run this network; may be repeated")
    parser.add_argument("--small", action="store_true", help="small variants of the networks")
    parser.add_argument("--half", action="store_true", help="networks in f16")
    parser.add_argument("--models", metavar="FOLDER",
                        help="the folder of NAME.onnx; models that it lacks are written there")
    parser.add_argument("--device", default="", help="a number, a UUID or a part of a name")
    parser.add_argument("--compiler", metavar="FILE", default=find_compiler(),
                        help="dml-compile, for programs to compare with; without, a session "
                             "of its own for each shape takes its place")
    parser.add_argument("--program", metavar="FILE", help="sessions.c, compiled")
    parser.add_argument("--json", metavar="FILE", help="the file to write all numbers to")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        return run_child(json.loads(arguments.child))
    results = []
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(arguments, pathlib.Path(folder))
        for name in arguments.only or NETWORKS:
            shapes = {**NETWORKS, **MORE}[name][arguments.small]
            results.append(measure(arguments, name, shapes, program))
            print(f"{name}: {results[-1]['equal']}", file=sys.stderr)
            if arguments.json:
                pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1))
    print_results(results)
    return 0 if all(all(result["equal"].values()) for result in results) else 1


def find_compiler():
    built = ROOT / "build" / "release" / "bin" / "dml-compile"
    return shutil.which("dml-compile") or (str(built) if built.exists() else None)


if __name__ == "__main__":
    sys.exit(main())
