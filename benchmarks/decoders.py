#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the steps of whole decoders, beside what the memory allows.

    benchmarks/decoders.py                              Phi-3-mini and Llama-3-8B in int4
    benchmarks/decoders.py --sizes qwen3-8b --precision f16 --positions 128
    benchmarks/decoders.py --sizes tiny --layers 2 --positions 64 --steps 8

A folder of each decoder is written by examples/generate/make_folder.py, with drawn weights, and
run with a cache in place. A row is a number of positions: the prompt is as long as leaves room
for the steps up to there, and the cache has that many positions.

prompt/s and token/s are the tokens of the prompt and of the steps in a second, from run to run,
with the choice of the token: of dml-generate where --program names it, and of generate.py
without. "device" is the time of a step on the device by timestamps, which keep kernels from
overlapping. "waits" are the kernels of a layer that wait for earlier ones, those before and
behind the layers included in proportion. "bound" is the time in which a copy moves as many bytes
as the step must read (weights and cache) and 3.5 us for each kernel that waits; "part" is the
bound divided by the time of a step. "torch" is a step of PyTorch in f16, with a CUDA graph.
"""
import one_line  # noqa: F401
import argparse
import collections
import contextlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "generate"))
try:
    import dml
except ImportError:
    sys.path.append(str(ROOT / "python"))
    import dml
import generate  # noqa: E402
from make_folder import FAMILIES, SIZES, make_folder  # noqa: E402

WAIT = 3.5e-6


def measure_copy_rate(device, count=1 << 28):
    """The bytes in a second that a kernel reads and writes, on `count` floats."""
    model = dml.Model({"": 17})
    model.input("x", np.float32, [count])
    model.node("Neg", ["x"], ["y"])
    model.output("y")
    times = []
    session = dml.Session(model, device=device, run_times=times.append)
    x, y = (dml.Tensor((count,), device=session.device) for _ in range(2))
    for _ in range(8):
        session.run(None, {"x": x}, into={"y": y})
    return 8 * count / min(step.end - step.begin for run in times for step in run.steps)


def count_bytes(sizes, precision, positions):
    """The bytes that a step must read: the weights of all products and norms, and the keys and
    values of all positions. Of the embedding and of the tables it reads a row."""
    item = 4 if precision.endswith("f32") else 2
    # A block of 32 numbers has 16 bytes and a scale.
    weight = (16 + item) / 32 if precision.startswith("int4") else item
    hidden, heads, key_heads = (sizes[name] for name in ("hidden", "heads", "key_heads"))
    products = (heads + 2 * key_heads + heads) * sizes["head"] * hidden
    products += (2 if sizes["family"] == "phi" else 3) * hidden * sizes["inner"]
    weights = sizes["layers"] * (products * weight + 2 * hidden * item)
    seen = positions if sizes.get("window", -1) < 0 else min(positions, sizes["window"])
    cache = sizes["layers"] * 2 * key_heads * sizes["head"] * seen * item
    return weights + hidden * sizes["vocabulary"] * weight, cache


def run_in_python(config, prompt, steps, capacity, arguments):
    """Seconds of the prompt, of a step, and the programs' compilation."""
    started = time.perf_counter()
    decoder = generate.Decoder(config, capacity, "fixed", device=arguments.device,
                               copies=arguments.copies)
    generate.run_prompt(decoder, prompt, arguments.chunk)
    decoder.forward(prompt[:1])
    compiled = time.perf_counter() - started
    decoder.reset()
    sampler = generate.Sampler(config)
    sampler.is_greedy = True
    times = [seconds for _, seconds in generate.generate(decoder, sampler, prompt, steps + 1,
                                                         arguments.chunk)]
    return times[0], sum(times[1:]) / steps, compiled - times[0]


def run_program(config, prompt, steps, capacity, arguments):
    """The same with dml-generate."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(" ".join(map(str, prompt)))
        file.flush()
        command = [arguments.program, str(config.folder), f"--prompt={file.name}", "--greedy",
                   f"--max={steps + 1}", f"--capacity={capacity}", f"--chunk={arguments.chunk}",
                   "--warm-up", "--cache=fixed", *(["--copies"] if arguments.copies else []),
                   *([f"--device={arguments.device}"] if arguments.device else [])]
        started = time.perf_counter()
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        whole = time.perf_counter() - started
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    # "generation: 31 tokens in 0.125 s, 248.0 a second"
    (_, prompt_seconds), (count, seconds) = (
        (int(line.split()[1]), float(line.split()[4]))
        for line in result.stderr.splitlines() if " tokens in " in line)
    return prompt_seconds, seconds / count, whole - 2 * prompt_seconds - seconds


def time_kernels(config, length, capacity, arguments):
    """The kernels of a step behind `length` positions, of which the cache has zeros."""
    runs = []
    decoder = generate.Decoder(config, capacity, "fixed", device=arguments.device,
                               copies=arguments.copies, run_times=runs.append)
    for _ in range(5):
        decoder.length = length
        decoder.forward([1])
    runs = runs[1:] or runs
    best = min(runs, key=lambda run: run.steps[-1].end)
    return best.steps


def print_kernels(steps, layers):
    sums, counts = collections.Counter(), collections.Counter()
    for step in steps:
        name = step.operators or step.kernel
        sums[name] += step.end - step.begin
        counts[name] += 1
    for name, seconds in sums.most_common():
        print(f"    {seconds * 1e6:9.1f} us in {counts[name]:4} kernels, "
              f"{counts[name] / layers:4.1f} a layer: {name[:100]}")


# PyTorch

def make_torch_step(torch, sizes, positions):
    """A step in f16 with random weights and full caches, as a function without arguments."""
    functional = torch.nn.functional
    hidden, head = sizes["hidden"], sizes["head"]
    heads, key_heads, group = sizes["heads"], sizes["key_heads"], \
        sizes["heads"] // sizes["key_heads"]
    place = {"device": "cuda", "dtype": torch.float16}

    def draw(*shape):
        return torch.randn(*shape, **place) * shape[-1]**-0.5

    class Layer:
        def __init__(self):
            self.norms = [torch.ones(hidden, **place) for _ in range(2)]
            self.project = draw((heads + 2 * key_heads) * head, hidden)
            self.out = draw(hidden, heads * head)
            self.gates = draw(2 * sizes["inner"], hidden)
            self.down = draw(hidden, sizes["inner"])
            self.keys, self.values = (torch.zeros(1, key_heads, positions, head, **place)
                                      for _ in range(2))

    layers = [Layer() for _ in range(sizes["layers"])]
    embedding, logits = draw(sizes["vocabulary"], hidden), draw(sizes["vocabulary"], hidden)
    token = torch.zeros(1, dtype=torch.int64, device="cuda")
    last = torch.full((1,), positions - 1, dtype=torch.int64, device="cuda")
    cosine, sine = (torch.rand(1, head // 2, **place) for _ in range(2))

    def norm(x, weight):
        # Versions before 2.4 lack the function.
        if hasattr(functional, "rms_norm"):
            return functional.rms_norm(x, (hidden,), weight, 1e-5)
        return x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-5).half() * weight

    def turn(x):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1)

    def step():
        x = functional.embedding(token, embedding)
        for layer in layers:
            y = functional.linear(norm(x, layer.norms[0]), layer.project).view(-1, head)
            query, key = turn(y[:heads]), turn(y[heads:heads + key_heads])
            layer.keys.index_copy_(2, last, key.view(1, key_heads, 1, head))
            layer.values.index_copy_(2, last, y[heads + key_heads:].view(1, key_heads, 1, head))
            # The queries of a group are rows of one head.
            mixed = functional.scaled_dot_product_attention(
                query.view(1, key_heads, group, head), layer.keys, layer.values)
            x = x + functional.linear(mixed.reshape(1, -1), layer.out)
            gate, up = functional.linear(norm(x, layer.norms[1]), layer.gates).chunk(2, -1)
            x = x + functional.linear(functional.silu(gate) * up, layer.down)
        token.copy_(functional.linear(norm(x, layers[0].norms[0]), logits).argmax(-1))

    return step


def time_torch(sizes, positions, runs=50):
    """Seconds of a step of PyTorch with a CUDA graph, or None without PyTorch or a GPU."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available() or sizes["family"] == "phi":
        return None
    with torch.no_grad():
        step = make_torch_step(torch, sizes, positions)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                step()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        times = []
        for _ in range(runs):
            torch.cuda.synchronize()
            started = time.perf_counter()
            graph.replay()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - started)
    del step, graph
    torch.cuda.empty_cache()
    return statistics.median(times)


# The whole

@contextlib.contextmanager
def open_folder(name, sizes, arguments):
    """A folder with the decoder, which is kept where --folder names one."""
    parent = arguments.folder or tempfile.mkdtemp(prefix="decoders-")
    path = Path(parent) / f"{name}-{arguments.precision}-{arguments.layout}"
    try:
        if not (path / generate.CONFIG).exists():
            started = time.perf_counter()
            make_folder(path, sizes, arguments.precision, arguments.layout)
            size = (path / "model.onnx.data").stat().st_size
            print(f"{name}: {size / 1e9:.2f} GB written in {time.perf_counter() - started:.1f} s",
                  flush=True)
        yield path
    finally:
        if not arguments.folder:
            shutil.rmtree(parent)


def measure(name, sizes, path, positions, rate, arguments):
    config = generate.Config(path)
    steps = min(arguments.steps, positions - 1)
    length = positions - steps
    prompt = [(7 * place + 3) % config.vocabulary for place in range(length)]
    run = run_program if arguments.program else run_in_python
    prompt_seconds, seconds, compiled = run(config, prompt, steps, positions, arguments)
    kernels = time_kernels(config, positions - 1, positions, arguments)
    waits = sum(step.barrier for step in kernels) + 1
    weights, cache = count_bytes(sizes, arguments.precision, positions)
    bound = (weights + cache) / rate + waits * WAIT
    row = {"decoder": name, "positions": positions, "compile_s": compiled,
           "prompt_per_s": length / prompt_seconds, "tokens_per_s": 1 / seconds,
           "step_ms": seconds * 1e3, "device_ms": kernels[-1].end * 1e3,
           "kernels": len(kernels), "waits_per_layer": waits / sizes["layers"],
           "weights_gb": weights / 1e9, "cache_gb": cache / 1e9, "copy_gb_per_s": rate / 1e9,
           "bound_ms": bound * 1e3, "part": bound / seconds}
    print(f"{name:14} {positions:5} {row['prompt_per_s']:9.1f} {row['tokens_per_s']:8.1f} "
          f"{row['step_ms']:8.3f} {row['device_ms']:8.3f} {row['waits_per_layer']:6.1f} "
          f"{row['bound_ms']:8.3f} {row['part']:5.2f}", end="", flush=True)
    torch_seconds = time_torch(sizes, positions) if arguments.torch else None
    row["torch_ms"] = torch_seconds and torch_seconds * 1e3
    print(f" {row['torch_ms']:8.3f}" if torch_seconds else "        -", flush=True)
    if arguments.kernels:
        print_kernels(kernels, sizes["layers"])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["phi-3-mini", "llama-3-8b"])
    parser.add_argument("--family", choices=FAMILIES)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--precision", choices=["f32", "f16", "int4", "int4-f32"], default="int4")
    parser.add_argument("--layout", choices=["dml", "cuda"], default="dml")
    parser.add_argument("--positions", nargs="+", type=int, default=[128, 4096])
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--chunk", type=int, default=512)
    parser.add_argument("--copies", action="store_true", help="caches that each run copies")
    parser.add_argument("--device")
    parser.add_argument("--program", help="the path of dml-generate")
    parser.add_argument("--folder", help="where the decoders' folders are kept")
    parser.add_argument("--kernels", action="store_true", help="print the times of kernels")
    parser.add_argument("--no-torch", dest="torch", action="store_false")
    parser.add_argument("--copy-elements", type=int, default=1 << 28,
                        help="floats of the copy that the rate is measured with")
    parser.add_argument("--json", help="a file that gets all numbers")
    arguments = parser.parse_args()
    rate = measure_copy_rate(arguments.device, arguments.copy_elements)
    print(f"copies move {rate / 1e9:.0f} GB/s", flush=True)
    print(f"{'decoder':14} {'place':>5} {'prompt/s':>9} {'token/s':>8} {'step ms':>8} "
          f"{'device':>8} {'waits':>6} {'bound':>8} {'part':>5} {'torch':>8}", flush=True)
    rows = []
    for name in arguments.sizes:
        sizes = dict(SIZES[name])
        for key in ("family", "layers"):
            if getattr(arguments, key) is not None:
                sizes[key] = getattr(arguments, key)
        with open_folder(name, sizes, arguments) as path:
            for positions in arguments.positions:
                rows.append(measure(name, sizes, path, positions, rate, arguments))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
