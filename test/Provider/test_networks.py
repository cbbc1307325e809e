#!/usr/bin/env python3
"""Networks in ONNX Runtime, with the provider and on the CPU.

  test_networks.py HOST PROVIDER [NETWORK...] [--whole]

The small networks of benchmarks/networks.py run with `partitioning=all` on two shapes where
they leave sizes open, and are compared with ONNX Runtime's CPU provider. --whole takes the
whole networks. benchmarks/provider.py measures them."""
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import sys

import numpy
from onnx import TensorProto

import host

sys.path.insert(0, str(host.ROOT / "benchmarks"))
import networks  # noqa: E402

# The nodes that the provider leaves of each network, where there are any.
LEFT = {}
# How much an output may differ, as a part of the largest. Quantized networks round in other
# places: ONNX Runtime's own results with and without its optimizations differ by 0.02.
BOUNDS = {"qdq_mobilenet": 0.05}
# The networks whose batch or length may be open.
OPEN = ["resnet18", "bert_base", "gpt2", "lstm"]


def make_inputs(model, size, numbers={}):
    """Random inputs, with `size` in place of open sizes. `numbers` are other sizes, by their
    names, and values of inputs of integers."""
    random = numpy.random.RandomState(size)
    inputs = {}
    known = {tensor.name for tensor in model.graph.initializer}
    is_open = any(not dim.dim_value for info in model.graph.input
                  for dim in info.type.tensor_type.shape.dim)
    most = size if is_open else 4
    for info in model.graph.input:
        if info.name in known:
            continue
        kind = info.type.tensor_type.elem_type
        shape = [dim.dim_value or numbers.get(dim.dim_param, size)
                 for dim in info.type.tensor_type.shape.dim]
        dtype = host.to_dtype(kind)
        if info.name in numbers:
            inputs[info.name] = numpy.full(shape, numbers[info.name], dtype)
        elif kind in (TensorProto.INT64, TensorProto.INT32):
            # Words, a mask of 1, and lengths, of which open sizes are the most.
            inputs[info.name] = (numpy.ones(shape) if "mask" in info.name
                                 else random.randint(1, most + 1, shape)).astype(dtype)
        else:
            inputs[info.name] = random.standard_normal(shape).astype(dtype)
    return inputs


def run_network(program, name, model, sizes):
    """The number of nodes that the provider leaves, and what is wrong with a network."""
    program.set({"partitioning": "all"})
    opened = program.open(model)
    ours = [program.run(make_inputs(model, size))[0] for size in sizes]
    program.open(model, "cpu")
    wrong = None
    for size, outputs in zip(sizes, ours):
        wanted, _ = program.run(make_inputs(model, size))
        largest = max(float(numpy.abs(array).max()) for array in wanted.values())
        wrong = wrong or host.find_difference(outputs, wanted, rtol=2e-3,
                                              atol=BOUNDS.get(name, 2e-4) * largest)
    return opened.others, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host")
    parser.add_argument("provider")
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    wrong = []
    for name in options.networks or networks.NETWORKS:
        is_open = name in OPEN
        model = networks.build(name, not options.whole, open=is_open)
        with host.Host(options.host, options.provider) as program:
            left, problem = run_network(program, name, model, (1, 2) if is_open else (1,))
        print(name, problem or "agrees", flush=True)
        if problem:
            wrong.append(f"{name}: {problem}")
        if left != LEFT.get(name, 0):
            wrong.append(f"{name}: {left} nodes are left, but wanted are {LEFT.get(name, 0)}")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
