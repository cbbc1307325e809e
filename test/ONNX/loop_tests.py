#!/usr/bin/env python3
"""Loops and Scans whose number of iterations is known, against ONNX Runtime.

Such a node becomes a loop of the program, or is written out. Each model runs by dml-run, by
dml-interpret, and in a session, in one program. loop_values.json has what ONNX Runtime 1.30
computed on the CPU.

    test/ONNX/loop_tests.py FOLDER
    test/ONNX/loop_tests.py FOLDER --filter=scan
    test/ONNX/loop_tests.py FOLDER --record=/tmp/ort  # writes loop_values.json
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto

import control_tests
from control_tests import check, decode, graph, info, ints, model, node, wave

VALUES = Path(__file__).resolve().parent / "loop_values.json"
CASES = {}


def case(function):
    """Adds a function that returns a model and the inputs of its run."""
    CASES[function.__name__] = lambda: (lambda proto, run: (proto, [run]))(*function())
    return function


# Scans


@case
def scan_of_a_network():
    """A recurrent network whose rows have 80 and 160 bytes, no multiples of 256."""
    body = graph([node("MatMul", "h,w", "p"), node("MatMul", "row,u", "r"), node("Add", "p,r", "q"),
                  node("Add", "q,bias", "s"), node("Tanh", "s", "n"), node("Identity", "n", "o")],
                 "h:f:2,20 row:f:2,10", "n:f:2,20 o:f:2,20")
    return model([node("Scan", "start,x", "last,all", body=body, num_scan_inputs=1)],
                 "start:f:2,20 x:f:12,2,10", "last:f:2,20 all:f:12,2,20",
                 w=wave(20, 20, seed=1, low=-.3, high=.3), u=wave(10, 20, seed=2),
                 bias=wave(20, seed=3)), {"start": wave(2, 20, seed=4), "x": wave(12, 2, 10, seed=5)}


@case
def scan_of_whole_rows():
    """Rows of 512 bytes are read and written in place."""
    body = graph([node("Add", "s,row", "n"), node("Mul", "n,row", "o")], "s:f:128 row:f:128",
                 "n:f:128 o:f:128")
    return model([node("Scan", "start,x", "last,all", body=body, num_scan_inputs=1)],
                 "start:f:128 x:f:9,128", "last:f:128 all:f:9,128"), {
        "start": wave(128), "x": wave(9, 128, seed=1)}


@case
def scan_in_all_directions():
    """Two tensors along different axes, one from the last row on; results along three axes."""
    body = graph([node("Add", "s,x", "q"), node("Mul", "q,y", "n"), node("Sub", "n,s", "o"),
                  node("ReduceSum", "n", "z", keepdims=0)], "s:f:3,5 x:f:3,5 y:f:3,5",
                 "n:f:3,5 o:f:3,5 q:f:3,5 z:f")
    return model([node("Scan", "start,x,y", "last,all,back,sums", body=body, num_scan_inputs=2,
                       scan_input_axes=[0, -1], scan_input_directions=[0, 1],
                       scan_output_axes=[1, -1, 0], scan_output_directions=[1, 0, 1])],
                 "start:f:3,5 x:f:7,3,5 y:f:3,5,7", "last:f:3,5 all:f:3,7,5 back:f:3,5,7 sums:f:7"), {
        "start": wave(3, 5), "x": wave(7, 3, 5, seed=1), "y": wave(3, 5, 7, seed=2)}


@case
def scan_of_other_types():
    """Bools and integers of 64 bits."""
    body = graph([node("Cast", "e", "k", to=TensorProto.INT64), node("Add", "s,k", "n"),
                  node("Greater", "n,two", "g"), node("Identity", "n", "o")], "s:i:3 e:b:3",
                 "n:i:3 o:i:3 g:b:3")
    return model([node("Scan", "start,x", "last,sums,many", body=body, num_scan_inputs=1,
                       scan_input_axes=[1])], "start:i:3 x:b:3,8",
                 "last:i:3 sums:i:8,3 many:b:8,3", two=np.int64(2)), {
        "start": ints(0, 1, -4), "x": wave(3, 8) > 0}


@case
def scan_of_halves():
    """Rows of 6 bytes, of f16."""
    body = graph([node("Add", "s,e", "n"), node("Neg", "n", "o"), node("Identity", "n", "p")], "s:f:3 e:f:3",
                 "n:f:3 o:f:3 p:f:3")
    for info in [*body.input, *body.output]:
        info.type.tensor_type.elem_type = TensorProto.FLOAT16
    half, single = {"to": TensorProto.FLOAT16}, {"to": TensorProto.FLOAT}
    return model([node("Cast", "x", "xh", **half), node("Cast", "start", "sh", **half),
                  node("Scan", "sh,xh", "lh,ah,bh", body=body, num_scan_inputs=1,
                       scan_output_directions=[0, 1], scan_input_directions=[1]),
                  node("Cast", "lh", "last", **single), node("Cast", "ah", "all", **single),
                  node("Cast", "bh", "sums", **single)], "start:f:3 x:f:9,3",
                 "last:f:3 all:f:9,3 sums:f:9,3"), {
        "start": np.round(wave(3) * 8) / 8, "x": np.round(wave(9, 3, seed=1) * 8) / 8}


@case
def scan_without_states():
    """Results that are inputs, outer tensors, and constants of the body."""
    body = graph([node("Neg", "e", "n"), node("Identity", "e", "same"), node("Add", "outer,e", "m")],
                 "e:f:6", "n:f:6 same:f:6 weight:f:2 m:f:6", weight=wave(2, seed=3))
    return model([node("Exp", "y", "outer"),
                  node("Scan", "x", "a,b,c,d", body=body, num_scan_inputs=1)], "x:f:10,6 y:f:6",
                 "a:f:10,6 b:f:10,6 c:f:10,2 d:f:10,6"), {
        "x": wave(10, 6), "y": wave(6, seed=1)}


# Loops


@case
def loop_that_counts():
    """The number of the iteration takes part in arithmetic and picks rows."""
    body = graph([node("Cast", "i", "f", to=TensorProto.FLOAT), node("Mul", "v,f", "p"),
                  node("Add", "p,w", "n"), node("Identity", "c", "d"),
                  node("Gather", "table,i", "g", axis=0)], "i:i c:b v:f:4,9",
                 "d:b n:f:4,9 f:f g:f:6")
    return model([node("Loop", "m,,x", "z,numbers,rows", body=body)], "x:f:4,9",
                 "z:f:4,9 numbers:f:8 rows:f:8,6", m=np.int64(8), w=wave(4, 9, seed=1),
                 table=wave(8, 6, seed=2)), {"x": wave(4, 9, seed=3)}


@case
def loop_that_swaps():
    """Carried tensors change places, one stays as it is, and one is collected."""
    body = graph([node("Identity", "b", "x1"), node("Identity", "a", "x2"),
                  node("Identity", "k", "x3"), node("Not", "c", "e"), node("Not", "e", "d")],
                 "i:i c:b a:f:33,5 b:f:33,5 k:f:33,5",
                 "d:b x1:f:33,5 x2:f:33,5 x3:f:33,5 b:f:33,5")
    return model([node("Loop", "m,yes,x,y,x", "p,q,r,all", body=body)], "x:f:33,5 y:f:33,5",
                 "p:f:33,5 q:f:33,5 r:f:33,5 all:f:5,33,5", m=ints(5), yes=np.array(True)), {
        "x": wave(33, 5, seed=1), "y": wave(33, 5, seed=2)}


@case
def loop_in_a_loop():
    """The inner loop has three iterations, which are written out."""
    inner = graph([node("MatMul", "u,w", "v"), node("Identity", "ic", "oc"),
                   node("Add", "v,row", "o")], "ii:i ic:b u:f:7,7", "oc:b v:f:7,7 o:f:7,7")
    body = graph([node("Gather", "x,i", "row", axis=0), node("Loop", "three,,y", "z,zs", body=inner),
                  node("ReduceSum", "zs", "total", keepdims=0), node("Identity", "c", "d")],
                 "i:i c:b y:f:7,7", "d:b z:f:7,7 total:f")
    return model([node("Loop", "m,,s", "out,totals", body=body)], "x:f:6,7 s:f:7,7",
                 "out:f:7,7 totals:f:6", w=wave(7, 7, seed=1, low=-.5, high=.5), three=ints(3),
                 m=ints(6)), {"x": wave(6, 7, seed=2), "s": wave(7, 7, seed=3)}


@case
def loop_that_grows():
    """A tensor that grows, and a condition that the number of the iteration decides."""
    body = graph([node("Concat", "u,row", "v", axis=0), node("Less", "i,four", "d")],
                 "i:i c:b u:f:n,7", "d:b v:f:n,7")
    return model([node("Loop", ",,x", "z", body=body)], "x:f:2,7 row:f:1,7", "z:f:7,7",
                 four=np.int64(4)), {"x": wave(2, 7), "row": wave(1, 7, seed=1)}


@case
def loop_over_slices():
    """An iteration slices a tensor at its number."""
    body = graph([node("Unsqueeze", "i,axis", "from"), node("Add", "from,one", "to"),
                  node("Slice", "h,from,to,axis", "row"), node("Add", "v,row", "n"),
                  node("Identity", "c", "d")], "i:i c:b v:f:1,32", "d:b n:f:1,32 n:f:1,32")
    return model([node("Exp", "x", "h"), node("Loop", "count,,start", "last,all", body=body)],
                 "x:f:6,32 start:f:1,32", "last:f:1,32 all:f:6,1,32", axis=ints(0), one=ints(1),
                 count=ints(6)), {"x": wave(6, 32), "start": wave(1, 32, seed=1)}


@case
def loop_without_iterations():
    body = graph([node("Mul", "v,v", "n"), node("Identity", "c", "d")], "i:i c:b v:f:4,5",
                 "d:b n:f:4,5")
    return model([node("Loop", "m,,x", "y", body=body), node("Add", "y,x", "z")], "x:f:4,5",
                 "z:f:4,5", m=np.int64(0)), {"x": wave(4, 5)}


@case
def loop_with_a_branch():
    """An If whose condition is known stands in the body, and an LSTM of three steps."""
    then = graph([node("Tanh", "y", "t")], "", "t:f:3,1,8")
    other = graph([node("Neg", "y", "e")], "", "e:f:3,1,8")
    body = graph([node("LSTM", "v,w,r", "s", hidden_size=8), node("Squeeze", "s,one", "y"),
                  node("If", "c", "n", then_branch=then, else_branch=other),
                  node("Identity", "c", "d")], "i:i c:b v:f:3,1,8", "d:b n:f:3,1,8 y:f:3,1,8")
    return model([node("Loop", "m,,x", "z,all", body=body)], "x:f:3,1,8", "z:f:3,1,8 all:f:5,3,1,8",
                 m=np.int64(5), one=ints(1), w=wave(1, 32, 8, seed=1), r=wave(1, 32, 8, seed=2)), {
        "x": wave(3, 1, 8, seed=3)}


# Running


def run_tool(tool, path, run, wanted, options=()):
    command = [tool, str(path), *options]
    for name, value in run.items():
        file = path.with_suffix(f".{name}.npy")
        value = value.view(np.uint8) if value.dtype == np.bool_ else value
        np.save(file, value.reshape(value.shape or (1,)))
        command.append(f"--input={name}=@{file}")
    files = {name: path.with_suffix(f".out.{name}.npy") for name in wanted}
    command += [f"--output={name}=@{file}" for name, file in files.items()]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{path.stem}: {tool}: {result.stderr}")
    for name, value in wanted.items():
        check(f"{path.stem}: {tool}: {name}", np.load(files[name]), value.reshape(value.shape or (1,)))


def count_loops(path):
    result = subprocess.run(["dml-inspect", str(path)], capture_output=True, text=True, check=True)
    return re.findall(r"loop of (\d+) iterations", result.stdout)


def check_case(folder, name, recorded, options):
    import dml
    proto, (run,) = CASES[name]()
    path = folder / f"{name}.onnx"
    path.write_bytes(proto.SerializeToString())
    names = [output.name for output in proto.graph.output]
    wanted = dict(zip(names, (decode(*value) for value in recorded[0])))
    run_tool("dml-interpret", path, run, wanted)
    executable = path.with_suffix(".dmlx")
    subprocess.run(["dml-compile", *options, str(path), "-o", str(executable)], check=True)
    run_tool("dml-run", executable, run, wanted, ["--validate"])
    session = dml.Session(str(path))
    for (key, value), found in zip(wanted.items(), session.run(None, run)):
        check(f"{name}: session: {key}", found, value)
    loops = ", ".join(f"a loop of {count}" for count in count_loops(executable)) or "no loop"
    print(f"{name}: {loops}, {session.info.compiled} programs")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--record")
    parser.add_argument("--write", action="store_true", help="write the models alone")
    parser.add_argument("--compile-options", default="")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.record:
        control_tests.record(arguments.folder, arguments.record, CASES, VALUES)
        return
    if arguments.write:
        for name, function in CASES.items():
            (arguments.folder / f"{name}.onnx").write_bytes(function()[0].SerializeToString())
        return
    recorded = json.loads(VALUES.read_text())
    for name in CASES:
        if arguments.filter in name:
            check_case(arguments.folder, name, recorded[name], arguments.compile_options.split())


if __name__ == "__main__":
    main()
