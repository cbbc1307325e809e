#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks in ONNX Runtime with dml's provider, beside a session of dml alone, ONNX Runtime's
CPU provider, and what else the machine has.

    benchmarks/provider.py                              the small networks
    benchmarks/provider.py resnet50 gpt2 --whole        whole networks
    benchmarks/provider.py model.onnx                   the file of a model
    benchmarks/provider.py --overhead                   one small partition, 2,000 runs
    benchmarks/provider.py --devices                    devices, and imported memory

The program that loads ONNX Runtime and the provider is test/Provider/host.c; --host names it,
--provider the provider, and --onnxruntime the library, which scripts/fetch-onnxruntime
fetches. A row of the table has, for each network of networks.py: the nodes that the provider
takes, those that it leaves, and the partitions; the seconds in which the session is made and
of the first run; the median of later runs in milliseconds, with inputs and outputs in host
memory and bound to the device's, each beside that of a session of dml without ONNX Runtime;
the CPU provider's median; and the largest difference from its outputs, as a part of the
largest output. --peers adds ONNX Runtime's CUDA provider where Python's onnxruntime has it,
and PyTorch's time (peer-networks) where there is torch.
"""
import one_line  # noqa: F401
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/Provider"))
import host  # noqa: E402
import networks  # noqa: E402
from test_networks import make_inputs  # noqa: E402

HEAD = ["model", "taken", "left", "partitions", "session, s", "first run, s", "run, ms",
        "dml alone, ms", "bound, ms", "dml alone, bound, ms", "CPU provider, ms", "difference"]


def make_product():
    """A product of 5x10 by 10x4 and a ReLU."""
    from onnx import TensorProto, helper, numpy_helper
    weights = numpy.random.RandomState(1).standard_normal((10, 4)).astype(numpy.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Relu", ["p"], ["y"])],
        "product", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [5, 10])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5, 4])],
        [numpy_helper.from_array(weights, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def build(arguments, name):
    if name.endswith(".onnx"):
        import onnx
        return onnx.load(name)
    return networks.build(name, not arguments.whole, arguments.half and name != "qdq_mobilenet")


def find_difference(found, wanted):
    """The largest difference, as a part of the largest element of all outputs."""
    largest = max(float(numpy.abs(array.astype(numpy.float64)).max()) for array in wanted.values())
    return max(float(numpy.abs(found[name].astype(numpy.float64) - array).max())
               for name, array in wanted.items()) / (largest or 1)


def choose_count(microseconds, most):
    """The number of runs that take about two seconds."""
    return max(5, min(most, int(2e6 / max(microseconds, 1))))


def warm(program, microseconds):
    """Runs for half a second, since the clock of a GPU that was idle is low."""
    program.time(max(3, int(5e5 / max(microseconds, 1))))


def measure(arguments, model, runs):
    """The numbers of a model's row."""
    with tempfile.TemporaryDirectory() as folder, \
            host.Host(arguments.host, arguments.provider) as program:
        file = f"{folder}/model.onnx"
        pathlib.Path(file).write_bytes(model.SerializeToString())
        numbers = dict(each.split("=") for each in arguments.dim)
        inputs = make_inputs(model, 1, {name: int(text) for name, text in numbers.items()})
        program.set({"partitioning": arguments.partitioning})
        opened = program.open(file)
        found, first = program.run(inputs)
        row = {"taken": sum(opened.parts), "left": opened.others,
               "partitions": len(opened.parts), "session": opened.time / 1e6,
               "first": first / 1e6}
        rough = program.time(3)
        count = choose_count(rough, runs)
        warm(program, rough)
        row["run"] = program.time(count)
        row["bound"] = program.time(count, "device")
        row["run again"] = program.time(count)
        warm(program, rough)
        for place, name in (("host", "own"), ("device", "own bound")):
            row[name] = program.time_own(file, count, place)
        program.send("cores", 0)
        program.open(file, "cpu")
        wanted, _ = program.run(inputs)
        row["cpu"] = program.time(choose_count(program.time(3), runs))
        row["difference"] = find_difference(found, wanted)
        return row


def measure_cuda(model, runs):
    """The median of a run in Python's onnxruntime with CUDA, bound to the device, in
    microseconds; or why there is none."""
    try:
        import onnxruntime
    except ImportError:
        return "Python has no onnxruntime"
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        return f"onnxruntime {onnxruntime.__version__} has no CUDA provider"
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CUDAExecutionProvider"])
    binding = session.io_binding()
    for name, array in make_inputs(model, 1).items():
        binding.bind_ortvalue_input(
            name, onnxruntime.OrtValue.ortvalue_from_numpy(array, "cuda", 0))
    for output in session.get_outputs():
        binding.bind_output(output.name, "cuda")
    times = []
    for _ in range(runs + 10):
        begin = time.perf_counter()
        session.run_with_iobinding(binding)
        binding.synchronize_outputs()
        times.append(time.perf_counter() - begin)
    return float(numpy.median(times[10:])) * 1e6


def measure_torch(arguments, name):
    """PyTorch's time, in microseconds, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "benchmarks/peer-networks"), name, "--no-compare",
                   f"--json={folder}/torch.json", *(["--small"] * (not arguments.whole)),
                   *(["--half"] * arguments.half)]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            return json.loads(pathlib.Path(f"{folder}/torch.json").read_text())[name][
                "milliseconds"] * 1e3
        except (OSError, ValueError, KeyError):
            return (done.stderr or done.stdout).strip().split("\n")[-1][-200:]


def to_cells(name, row):
    def milli(key):
        return f"{row[key] / 1e3:.3f}"

    return [name, row["taken"], row["left"], row["partitions"], f"{row['session']:.2f}",
            f"{row['first']:.3f}", milli("run"), milli("own"), milli("bound"),
            milli("own bound"), milli("cpu"), f"{row['difference']:.1e}"]


def print_cells(cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def print_overhead(arguments):
    row = measure(arguments, make_product(), 2000)
    print(f"A product of 5x10 by 10x4 and a ReLU, the median of 2,000 runs, in microseconds:\n"
          f"in host memory {row['run']:.1f} and {row['run again']:.1f} in ONNX Runtime, "
          f"{row['own']:.1f} in a session alone: {row['run'] - row['own']:.1f} more;\n"
          f"bound to the device {row['bound']:.1f} in ONNX Runtime, {row['own bound']:.1f} in a "
          f"session alone: {row['bound'] - row['own bound']:.1f} more.", flush=True)
    return row


def print_devices(arguments):
    """The devices of ONNX Runtime, with what tells them apart, and whether memory and
    semaphores of another Vulkan device are imported."""
    from test_cases import make_model, FLOAT
    with host.Host(arguments.host, arguments.provider) as program:
        lines = program.list_devices()
        for words in lines:
            print("device:", *words)
        model = make_model([("Mul", ["x", "two"], ["y"])], [("x", FLOAT, [1000])],
                           [("y", FLOAT, [1000])], {"two": numpy.float32(2)})
        program.set({"partitioning": "all"})
        program.open(model)
        try:
            found = program.run_external(1000)
        except host.Failure as failure:
            found = f"error: {failure}"
        print("imported memory, twice 0 and 999:", found, flush=True)
    return {"devices": lines, "external": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK|FILE")
    built = ROOT / "build/release"
    parser.add_argument("--host", default=str(built / "test/Provider/dml-provider-host"))
    parser.add_argument("--provider", default=str(built / "lib/libdml_onnxruntime.so"))
    parser.add_argument("--onnxruntime", metavar="FILE", help="libonnxruntime.so.1")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=NUMBER",
                        help="an open size, or the value of an input of integers")
    parser.add_argument("--whole", action="store_true", help="whole networks")
    parser.add_argument("--half", action="store_true", help="networks in f16")
    parser.add_argument("--partitioning", default="all", help="auto, all (default) or directml")
    parser.add_argument("--peers", action="store_true", help="CUDA's provider and PyTorch, too")
    parser.add_argument("--overhead", action="store_true", help="the smallest network alone")
    parser.add_argument("--devices", action="store_true", help="devices and imported memory")
    parser.add_argument("--runs", type=int, default=500, help="the most runs of a network (500)")
    parser.add_argument("--json", metavar="FILE", help="the file to write all numbers to")
    arguments = parser.parse_args()
    if arguments.onnxruntime:
        os.environ["DML_ONNXRUNTIME"] = arguments.onnxruntime
    results, failed = {}, False

    def keep(name, result):
        results[name] = result
        if arguments.json:
            pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1))

    if arguments.devices:
        keep("devices", print_devices(arguments))
    if arguments.overhead:
        keep("overhead", print_overhead(arguments))
    if (arguments.devices or arguments.overhead) and not arguments.networks:
        return 0
    print_cells(HEAD)
    print_cells(["---"] * len(HEAD))
    for name in arguments.networks or networks.NETWORKS:
        model = build(arguments, name)
        try:
            row = measure(arguments, model, arguments.runs)
        except (host.Failure, host.Crashed) as failure:
            print(f"{name}: {failure}", flush=True)
            keep(name, {"error": str(failure)})
            failed = True
            continue
        print_cells(to_cells(pathlib.Path(name).stem, row))
        if arguments.peers:
            row["cuda"] = measure_cuda(model, arguments.runs)
            row["torch"] = measure_torch(arguments, name)
            print(f"{name}: microseconds of CUDA's provider: {row['cuda']}; of PyTorch: {row['torch']}",
                  flush=True)
        keep(name, row)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
