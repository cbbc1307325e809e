#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times recurrent networks through sessions, beside cuDNN's where PyTorch has a GPU.

    benchmarks/recurrent.py
    benchmarks/recurrent.py --kinds LSTM --steps 1024 --sizes 256x512 --half

A case is one layer of RNN, GRU or LSTM, forward, of batch 1, whose result is the whole
sequence. Scan is a layer as RNN's that the model writes as ONNX's Scan. "ready" is the time from the model until a session has its program, with nothing in
a cache. "us" is the time of a run divided by the number of steps: the median of runs on
tensors of the device, from call to return. "cudnn" is the same for PyTorch's module, which
calls cuDNN, and "graph" for a CUDA graph of the call. Needs python3-onnx.
"""
import one_line  # noqa: F401
import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
try:
    import dml
except ImportError:
    sys.path.append(str(ROOT / "python"))
    import dml

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
KINDS = [*GATES, "Scan"]


def make_scan(steps, inputs, units, type, dtype):
    draw = np.random.default_rng(1)
    weights = [numpy_helper.from_array((draw.uniform(-1, 1, shape) * units**-0.5).astype(dtype),
                                       name)
               for name, shape in (("w", (inputs, units)), ("r", (units, units)), ("b", (units,)))]
    weights.append(numpy_helper.from_array(np.zeros((1, units), dtype), "start"))

    def info(name, *shape):
        return helper.make_tensor_value_info(name, type, shape)

    nodes = [("MatMul", "row w", "i"), ("MatMul", "h r", "s"), ("Add", "i s", "p"),
             ("Add", "p b", "q"), ("Tanh", "q", "n"), ("Identity", "n", "o")]
    body = helper.make_graph(
        [helper.make_node(op, reads.split(), [output]) for op, reads, output in nodes],
        "body", [info("h", 1, units), info("row", 1, inputs)],
        [info("n", 1, units), info("o", 1, units)])
    node = helper.make_node("Scan", ["start", "x"], ["last", "y"], body=body, num_scan_inputs=1)
    return helper.make_graph([node], "scan", [info("x", steps, 1, inputs)],
                             [info("y", steps, 1, units)], weights)


def make_model(kind, steps, inputs, units, half):
    dtype = np.float16 if half else np.float32
    type = TensorProto.FLOAT16 if half else TensorProto.FLOAT
    if kind == "Scan":
        return helper.make_model(make_scan(steps, inputs, units, type, dtype), ir_version=8,
                                 opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    draw = np.random.default_rng(1)
    rows = GATES[kind] * units
    weights = [numpy_helper.from_array((draw.uniform(-1, 1, shape) * units**-0.5).astype(dtype),
                                       name)
               for name, shape in (("w", (1, rows, inputs)), ("r", (1, rows, units)),
                                   ("b", (1, 2 * rows)))]
    attributes = {"linear_before_reset": 1} if kind == "GRU" else {}
    node = helper.make_node(kind, ["x", "w", "r", "b"], ["y"], hidden_size=units, **attributes)
    graph = helper.make_graph(
        [node], "recurrent", [helper.make_tensor_value_info("x", type, [steps, 1, inputs])],
        [helper.make_tensor_value_info("y", type, [steps, 1, 1, units])], weights)
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()


def time_runs(run, seconds):
    """The median of runs that take `seconds` together, after as many that do not count."""
    for count in range(2):
        times, end = [], time.perf_counter() + seconds
        while time.perf_counter() < end or len(times) < 3:
            started = time.perf_counter()
            run()
            times.append(time.perf_counter() - started)
    return statistics.median(times)


def time_session(kind, steps, inputs, units, arguments):
    model = make_model(kind, steps, inputs, units, arguments.half)
    started = time.perf_counter()
    session = dml.Session(model, device=arguments.device)
    session.prepare({"x": (steps, 1, inputs)})
    ready = time.perf_counter() - started
    dtype = np.float16 if arguments.half else np.float32
    x = dml.Tensor((steps, 1, inputs), dtype, session.device)
    shape = (steps, 1, units) if kind == "Scan" else (steps, 1, 1, units)
    y = dml.Tensor(shape, dtype, session.device)
    return ready, time_runs(lambda: session.run(None, {"x": x}, into={"y": y}), arguments.seconds)


def time_torch(kind, steps, inputs, units, arguments):
    """Seconds of a call of PyTorch's module, and of a CUDA graph of it; None without a GPU."""
    try:
        import torch
    except ImportError:
        return None, None
    if not torch.cuda.is_available():
        return None, None
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    module = getattr(torch.nn, "RNN" if kind == "Scan" else kind)(inputs, units).cuda()
    x = torch.zeros(steps, 1, inputs, device="cuda")
    if arguments.half:
        module, x = module.half(), x.half()

    def run():
        module(x)
        torch.cuda.synchronize()

    with torch.no_grad():
        eager = time_runs(run, arguments.seconds)
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                module(x)
        except RuntimeError:
            # cuDNN has algorithms that a graph cannot hold.
            return eager, None

        def replay():
            graph.replay()
            torch.cuda.synchronize()

        return eager, time_runs(replay, arguments.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--steps", nargs="+", type=int, default=[16, 1024, 16384])
    parser.add_argument("--sizes", nargs="+", metavar="INPUTSxUNITS",
                        default=["32x64", "256x512"])
    parser.add_argument("--half", action="store_true", help="in f16")
    parser.add_argument("--device")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds of each (0.5)")
    parser.add_argument("--json", help="a file that gets all numbers")
    arguments = parser.parse_args()
    print(f"{'case':22} {'ready s':>8} {'us':>8} {'cudnn':>8} {'graph':>8}", flush=True)
    rows = []
    for size in arguments.sizes:
        inputs, units = map(int, size.split("x"))
        for kind in arguments.kinds:
            for steps in arguments.steps:
                ready, seconds = time_session(kind, steps, inputs, units, arguments)
                peers = time_torch(kind, steps, inputs, units, arguments)
                times = [each and each / steps * 1e6 for each in (seconds, *peers)]
                rows.append(dict(zip(("kind", "inputs", "units", "steps", "ready_s", "us",
                                      "cudnn_us", "graph_us"),
                                     (kind, inputs, units, steps, ready, *times))))
                print(f"{kind:5} {size:>9} {steps:6} {ready:8.3f}",
                      *(f"{each:8.3f}" if each else f"{'-':>8}" for each in times), flush=True)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
