#!/usr/bin/env python3
"""Models that a session runs as several programs, against ONNX Runtime.

Ifs and Loops whose conditions are data, Scans, operators whose results have sizes that are
data, and sizes that the graph computes. control_values.json has what ONNX Runtime 1.30 computed
on the CPU.

    test/ONNX/control_tests.py FOLDER
    test/ONNX/control_tests.py FOLDER --filter=loop
    test/ONNX/control_tests.py FOLDER --backend  # ONNX's own tests
    test/ONNX/control_tests.py FOLDER --record=/tmp/ort  # writes control_values.json

--record runs npm's package onnxruntime-node in the folder that it names.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import base64
import fnmatch
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import dml

VALUES = Path(__file__).resolve().parent / "control_values.json"
TYPES = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "b": TensorProto.BOOL}
CASES = {}


def case(function):
    """Adds a function that returns a model and the inputs of its runs."""
    CASES[function.__name__] = function
    return function


def wave(*shape, seed=0, low=-1.0, high=1.0):
    generator = np.random.RandomState(1000 + seed)
    return (low + (high - low) * generator.random_sample(shape)).astype(np.float32)


def ints(*numbers):
    return np.array(numbers, np.int64)


def node(type, inputs, outputs, **attributes):
    return helper.make_node(type, inputs.split(",") if inputs else [], outputs.split(","),
                            **attributes)


def info(text):
    """A tensor such as "x:f:2,n": a name, a type and sizes."""
    name, type, sizes = (text.split(":") + [""])[:3]
    shape = [int(size) if size.isdigit() else size for size in sizes.split(",")] if sizes else []
    return helper.make_tensor_value_info(name, TYPES[type], shape)


def graph(nodes, inputs, outputs, name="graph", **weights):
    return helper.make_graph(
        nodes, name, [info(text) for text in inputs.split()],
        [info(text) for text in outputs.split()],
        [numpy_helper.from_array(np.asarray(value), key) for key, value in weights.items()])


def model(nodes, inputs, outputs, **weights):
    return helper.make_model(graph(nodes, inputs, outputs, **weights), ir_version=8,
                             opset_imports=[helper.make_opsetid("", 17)])


# Branches


@case
def branch_of_data():
    """The branches read a tensor that stands before them, and a weight of the outer graph."""
    then = graph([node("MatMul", "y,w", "t")], "", "t:f:n,64")
    other = graph([node("Sub", "y,bias", "d"), node("Relu", "d", "e")], "", "e:f:n,64",
                  bias=wave(64, seed=3))
    return model([node("MatMul", "x,w", "y"), node("ReduceSum", "y", "sum", keepdims=0),
                  node("Greater", "sum,zero", "c"),
                  node("If", "c", "z", then_branch=then, else_branch=other),
                  node("Tanh", "z", "out")], "x:f:n,64", "out:f:n,64",
                 w=wave(64, 64, seed=1), zero=np.float32(0)), [
        {"x": wave(5, 64, seed=seed)} for seed in (2, 4, 5, 6)]


@case
def branches_of_other_shapes():
    then = graph([node("ReduceMax", "x", "t", axes=[1])], "", "t:f:a,b")
    other = graph([node("Concat", "x,x", "e", axis=0)], "", "e:f:a,b")
    return model([node("ReduceMean", "x", "m", keepdims=0), node("Less", "m,zero", "c"),
                  node("If", "c", "z", then_branch=then, else_branch=other)],
                 "x:f:3,40", "z:f:a,b", zero=np.float32(0)), [
        {"x": wave(3, 40, seed=7, low=-2)}, {"x": wave(3, 40, seed=7, high=2)}]


@case
def branch_with_a_loop():
    """A loop within a branch within a loop."""
    step = graph([node("MatMul", "u,w", "v"), node("Identity", "ic", "oc")],
                 "ii:i ic:b u:f:8,8", "oc:b v:f:8,8")
    then = graph([node("Loop", "three,,y", "t", body=step)], "", "t:f:8,8")
    other = graph([node("Add", "y,w", "e")], "", "e:f:8,8")
    body = graph([node("ReduceSum", "y", "s", keepdims=0), node("Greater", "s,zero", "g"),
                  node("If", "g", "n", then_branch=then, else_branch=other),
                  node("Identity", "c", "d")], "i:i c:b y:f:8,8", "d:b n:f:8,8")
    return model([node("Loop", "m,,x", "z", body=body)], "x:f:8,8 m:i:1", "z:f:8,8",
                 w=wave(8, 8, seed=8, low=-.6, high=.6), zero=np.float32(0), three=ints(3)), [
        {"x": wave(8, 8, seed=9), "m": ints(count)} for count in (0, 1, 4)]


# Loops


@case
def loop_that_ends_early():
    """The condition is computed on the device, and there is no trip count."""
    body = graph([node("MatMul", "v,w", "n"), node("Abs", "n", "a"),
                  node("ReduceMax", "a", "largest", keepdims=0),
                  node("Greater", "largest,limit", "d"), node("ReduceMean", "n", "mean", axes=[1])],
                 "i:i c:b v:f:16,16", "d:b n:f:16,16 mean:f:16,1")
    return model([node("Loop", ",yes,x", "z,means", body=body)], "x:f:16,16",
                 "z:f:16,16 means:f:n,16,1", w=wave(16, 16, seed=10, low=-.3, high=.3),
                 limit=np.float32(.01), yes=np.array(True)), [
        {"x": wave(16, 16, seed=11)}, {"x": wave(16, 16, seed=12, low=-50, high=50)}]


@case
def loop_without_iterations():
    body = graph([node("Mul", "v,v", "n"), node("Identity", "c", "d")], "i:i c:b v:f:4,5",
                 "d:b n:f:4,5 n:f:4,5")
    return model([node("Loop", "m,go,x", "z,all", body=body)], "x:f:4,5 m:i go:b",
                 "z:f:4,5 all:f:n,4,5"), [
        {"x": wave(4, 5), "m": np.int64(m), "go": np.array(go)}
        for m, go in ((0, True), (3, False), (2, True))]


@case
def loop_over_slices():
    """An iteration slices a tensor of the outer graph at its number."""
    body = graph([node("Unsqueeze", "i,axis", "from"), node("Add", "from,one", "to"),
                  node("Slice", "h,from,to,axis", "row"), node("MatMul", "v,w", "p"),
                  node("Add", "p,row", "q"), node("Tanh", "q", "n"), node("Identity", "c", "d")],
                 "i:i c:b v:f:1,32", "d:b n:f:1,32 n:f:1,32")
    return model([node("MatMul", "x,w", "h"), node("Shape", "h", "shape"),
                  node("Gather", "shape,axis", "count"),
                  node("Loop", "count,,start", "last,all", body=body)], "x:f:t,32 start:f:1,32",
                 "last:f:1,32 all:f:t,1,32", w=wave(32, 32, seed=13, low=-.4, high=.4),
                 axis=ints(0), one=ints(1)), [
        {"x": wave(t, 32, seed=t), "start": wave(1, 32)} for t in (1, 9, 20)]


@case
def loop_that_swaps():
    """Carried tensors change places, and one stays as it is."""
    body = graph([node("Identity", "b", "x1"), node("Identity", "a", "x2"),
                  node("Identity", "k", "x3"), node("Less", "i,two", "d")],
                 "i:i c:b a:f:33,65 b:f:33,65 k:f:33,65", "d:b x1:f:33,65 x2:f:33,65 x3:f:33,65")
    return model([node("Loop", "m,,x,y,x", "p,q,r", body=body), node("Sub", "p,q", "s"),
                  node("Add", "s,r", "t")], "x:f:33,65 y:f:33,65 m:i", "t:f:33,65 p:f:33,65",
                 two=np.int64(2)), [
        {"x": wave(33, 65, seed=1), "y": wave(33, 65, seed=2), "m": np.int64(m)}
        for m in (1, 2, 100)]


@case
def loops_within_loops():
    """The inner loop has as many iterations as the outer one says, and its tensors grow."""
    inner = graph([node("Concat", "u,row", "v", axis=0), node("Identity", "ic", "oc")],
                  "ii:i ic:b u:f:n,7", "oc:b v:f:n,7")
    body = graph([node("Add", "i,one", "count"), node("ReduceMean", "y", "row", axes=[0]),
                  node("Loop", "count,,y", "z", body=inner), node("Identity", "c", "d"),
                  node("ReduceSum", "z", "total", keepdims=0)],
                 "i:i c:b y:f:n,7", "d:b z:f:n,7 total:f")
    return model([node("Loop", "m,,x", "out,totals", body=body)], "x:f:n,7 m:i",
                 "out:f:k,7 totals:f:m", one=np.int64(1)), [
        {"x": wave(2, 7, seed=3), "m": np.int64(m)} for m in (0, 1, 4)]


@case
def loop_of_an_unused_result():
    body = graph([node("Exp", "a", "e"), node("Add", "b,one", "f"), node("Less", "f,limit", "d")],
                 "i:i c:b a:f:3 b:f", "d:b e:f:3 f:f")
    return model([node("Loop", "m,,x,y", "unused,count", body=body)], "x:f:3 y:f m:i", "count:f",
                 one=np.float32(1), limit=np.float32(5.5)), [
        {"x": wave(3), "y": np.float32(1), "m": np.int64(m)} for m in (2, 50)]


@case
def loop_from_a_weight():
    """Large weights are before the loop, in the loop, and an output."""
    body = graph([node("MatMul", "v,w", "n"), node("Identity", "c", "d")],
                 "i:i c:b v:f:300,300", "d:b n:f:300,300")
    return model([node("Loop", "m,,w", "z", body=body), node("ReduceSum", "z", "s", keepdims=0),
                  node("Unsqueeze", "m,zero", "m1"),
                  node("Concat", "sizes,sizes,m1", "shape", axis=0),
                  node("ConstantOfShape", "shape", "zeros"),
                  node("ReduceMax", "zeros", "most", axes=[1, 2]),
                  node("Slice", "w,hundred,sizes,zero", "part"),
                  node("ReduceMean", "part", "means", axes=[1])],
                 "m:i", "s:f most:f:200,1,1 means:f:100,1",
                 w=wave(300, 300, seed=80, low=-.01, high=.012), zero=ints(0),
                 hundred=ints(100), sizes=ints(200)), [{"m": np.int64(m)} for m in (1, 3)]


@case
def loop_behind_a_size():
    """The body reads a tensor whose size is data."""
    body = graph([node("Add", "v,total", "n"), node("Identity", "c", "d")], "i:i c:b v:f:3",
                 "d:b n:f:3 n:f:3")
    return model([node("Greater", "x,zero", "g"), node("Compress", "x,g", "kept"),
                  node("ReduceSum", "kept", "total", keepdims=0),
                  node("Loop", "five,,y", "z,all", body=body)], "x:f:20 y:f:3",
                 "z:f:3 all:f:5,3", zero=np.float32(0), five=np.int64(5)), [
        {"x": wave(20, seed=seed), "y": wave(3)} for seed in (1, 2)]


# Scans


@case
def scan_of_rows():
    body = graph([node("MatMul", "h,w", "p"), node("Add", "p,row", "q"), node("Tanh", "q", "n"),
                  node("Mul", "n,column", "o")], "h:f:16 row:f:16 column:f:16", "n:f:16 o:f:16 q:f:16")
    return model([node("Scan", "start,x,y", "last,all,back", body=body, num_scan_inputs=2,
                       scan_input_axes=[0, -1], scan_input_directions=[0, 1],
                       scan_output_axes=[0, 1], scan_output_directions=[0, 1])],
                 "start:f:16 x:f:t,16 y:f:16,t", "last:f:16 all:f:t,16 back:f:16,t",
                 w=wave(16, 16, seed=14, low=-.4, high=.4)), [
        {"start": wave(16), "x": wave(t, 16, seed=t), "y": wave(16, t, seed=t + 1)}
        for t in (1, 6, 13)]


@case
def scan_with_a_branch():
    then = graph([node("Add", "s,e", "t")], "", "t:f:9")
    other = graph([node("Mul", "s,e", "u")], "", "u:f:9")
    body = graph([node("ReduceSum", "e", "m", keepdims=0), node("Greater", "m,zero", "g"),
                  node("If", "g", "n", then_branch=then, else_branch=other),
                  node("Identity", "n", "o")], "s:f:9 e:f:9", "n:f:9 o:f:9")
    return model([node("Scan", "a,x", "b,c", body=body, num_scan_inputs=1)],
                 "a:f:9 x:f:8,9", "b:f:9 c:f:8,9", zero=np.float32(0)), [
        {"a": wave(9), "x": wave(8, 9, seed=15)}]


# Sizes that are data


@case
def detector():
    """Boxes and scores of a convolution, NonMaxSuppression, and the boxes that are left."""
    nodes = [node("Conv", "picture,kernel", "c", pads=[1, 1, 1, 1]),
             node("Reshape", "c,flat", "r"), node("Transpose", "r", "t", perm=[0, 2, 1]),
             node("Split", "t,parts", "ends,logits", axis=2), node("Sigmoid", "logits", "s"),
             node("Split", "ends,halves", "near,span", axis=2), node("Abs", "span", "size"),
             node("Add", "near,size", "far"), node("Concat", "near,far", "boxes", axis=2),
             node("Transpose", "s", "scores", perm=[0, 2, 1]),
             node("NonMaxSuppression", "boxes,scores,most,overlap,least", "kept"),
             node("Slice", "kept,two,three,one", "column"), node("Squeeze", "column,one", "places"),
             node("Squeeze", "boxes,zero", "all"), node("Gather", "all,places", "found"),
             node("Mul", "found,found", "squares")]
    return model(nodes, "picture:f:1,3,12,12 least:f:1", "kept:i:n,3 squares:f:n,4",
                 kernel=wave(7, 3, 3, 3, seed=16), flat=ints(1, 7, -1), parts=ints(4, 3),
                 halves=ints(2, 2), most=ints(9), overlap=np.float32([.3]), zero=ints(0),
                 one=ints(1), two=ints(2), three=ints(3)), [
        {"picture": wave(1, 3, 12, 12, seed=seed), "least": np.float32([least])}
        for seed, least in ((17, .6), (18, .6), (18, .9999), (19, .5))]


@case
def places_of_nonzero():
    return model([node("MatMul", "x,w", "y"), node("Greater", "y,limit", "g"),
                  node("NonZero", "g", "at"), node("Transpose", "at", "rows", perm=[1, 0]),
                  node("GatherND", "y,rows", "values"), node("ReduceSum", "values", "sum")],
                 "x:f:20,30", "at:i:2,n values:f:n sum:f:1", w=wave(30, 40, seed=20),
                 limit=np.float32(3)), [{"x": wave(20, 30, seed=seed)} for seed in (21, 22)]


@case
def rows_of_compress():
    return model([node("ReduceSum", "x,axis", "sums", keepdims=0),
                  node("Greater", "sums,zero", "g"), node("Compress", "x,g", "kept", axis=0),
                  node("Reshape", "kept,line", "flat"), node("Greater", "flat,zero", "h"),
                  node("Compress", "x,g", "first"), node("Neg", "kept", "out")],
                 "x:f:30,30", "out:f:n,30 first:f:m", axis=ints(1), line=ints(-1),
                 zero=np.float32(0)), [{"x": wave(30, 30, seed=seed)} for seed in (23, 24)]


@case
def unique_of_rounded():
    return model([node("Mul", "x,ten", "y"), node("Round", "y", "r"),
                  node("Unique", "r", "values,firsts,inverse,counts"),
                  node("Cast", "counts", "f", to=TensorProto.FLOAT),
                  node("Mul", "values,f", "sums")], "x:f:400",
                 "values:f:n firsts:i:n inverse:i:400 counts:i:n sums:f:n", ten=np.float32(10)), [
        {"x": wave(400, seed=seed)} for seed in (25, 26)]


@case
def sizes_of_data():
    """Sizes, counts and paddings that come from the greatest element of a product."""
    return model(
        [node("MatMul", "x,w", "y"), node("ReduceMax", "y", "top", keepdims=0),
         node("Floor", "top", "f"), node("Cast", "f", "n", to=TensorProto.INT64),
         node("Unsqueeze", "n,zero", "k"),
         node("TopK", "y,k", "best,where", axis=1),
         node("Concat", "k,three", "shape", axis=0), node("ConstantOfShape", "shape", "zeros"),
         node("Expand", "unit,shape", "ones"), node("Tile", "small,shape", "tiles"),
         node("Range", "nought,n,step", "range"), node("Cast", "range", "rf", to=TensorProto.FLOAT),
         node("Concat", "zero,k,k,zero", "pads", axis=0), node("Pad", "y,pads", "padded"),
         node("Slice", "y,zero,k,one", "part"), node("OneHot", "where,k,values", "hot"),
         node("Concat", "three,k", "folds", axis=0),
         node("Reshape", "ones,folds", "turned")],
        "x:f:4,24", "best:f:4,k where:i:4,k zeros:f:a,3 ones:f:b,3 tiles:f:c,6 rf:f:d "
        "padded:f:e,g part:f:4,h hot:f:4,o,p turned:f:3,q",
        w=wave(24, 24, seed=27), zero=ints(0), one=ints(1), three=ints(3), nought=np.int64(0),
        step=np.int64(1), unit=np.float32([[2]]), small=wave(1, 2),
        values=np.float32([-1, 1])), [{"x": wave(4, 24, seed=seed)} for seed in (28, 30)]


@case
def resize_by_data():
    return model([node("ReduceSum", "x", "s", keepdims=0), node("Greater", "s,zero", "g"),
                  node("Where", "g,large,small", "sizes"),
                  node("Resize", "x,,,sizes", "y", mode="linear",
                       coordinate_transformation_mode="asymmetric")],
                 "x:f:1,2,5,5", "y:f:1,2,h,w", zero=np.float32(0), large=ints(1, 2, 10, 15),
                 small=ints(1, 2, 4, 3)), [
        {"x": wave(1, 2, 5, 5, low=0)}, {"x": wave(1, 2, 5, 5, high=0)}]


@case
def slice_at_the_greatest():
    """A window that begins at the greatest element."""
    return model([node("ArgMax", "x", "at", axis=0, keepdims=1), node("Add", "at,five", "end"),
                  node("Slice", "y,at,end,zero,step", "window"),
                  node("MatMul", "window,w", "out")], "x:f:30 y:f:40,12", "out:f:n,4",
                 five=ints(5), zero=ints(0), step=ints(2), w=wave(12, 4)), [
        {"x": wave(30, seed=seed), "y": wave(40, 12, seed=seed)} for seed in (31, 32, 33)]


# Small networks


def recurrent(size, seed):
    """The weights of an LSTM."""
    return {f"w{seed}": wave(1, 4 * size, size, seed=seed, low=-.4, high=.4),
            f"r{seed}": wave(1, 4 * size, size, seed=seed + 1, low=-.4, high=.4)}


@case
def voice_detector():
    """A sampling rate chooses one of two networks, each an LSTM with its states, and a loud
    frame is made quieter before."""
    def network(width, seed):
        return graph([node("Reshape", f"sound,shape{seed}", f"frames{seed}"),
                      node("MatMul", f"frames{seed},m{seed}", f"z{seed}"),
                      node("Relu", f"z{seed}", f"a{seed}"),
                      node("LSTM", f"a{seed},w{seed},r{seed},,,h,c",
                           f"all{seed},hn{seed},cn{seed}", hidden_size=16),
                      node("ReduceMean", f"all{seed}", f"y{seed}", axes=[0, 1, 3],
                           keepdims=0)],
                     "", f"y{seed}:f:1 hn{seed}:f:1,1,16 cn{seed}:f:1,1,16",
                     **{f"shape{seed}": ints(-1, 1, width), f"m{seed}": wave(width, 16, seed=seed)},
                     **recurrent(16, seed))
    quieter = graph([node("Div", "input,peak", "soft")], "", "soft:f:1,512")
    same = graph([node("Identity", "input", "kept")], "", "kept:f:1,512")
    return model([node("Abs", "input", "absolute"), node("ReduceMax", "absolute", "peak", keepdims=0),
                  node("Greater", "peak,unit", "loud"),
                  node("If", "loud", "sound", then_branch=quieter, else_branch=same),
                  node("Equal", "sr,rate", "fast"),
                  node("If", "fast", "mean,hn,cn", then_branch=network(64, 40),
                       else_branch=network(32, 50)),
                  node("Sigmoid", "mean", "output")],
                 "input:f:1,512 sr:i h:f:1,1,16 c:f:1,1,16",
                 "output:f:1 hn:f:1,1,16 cn:f:1,1,16", rate=np.int64(16000), unit=np.float32(1)), [
        {"input": wave(1, 512, seed=seed, low=-high, high=high), "sr": np.int64(rate),
         "h": wave(1, 1, 16, seed=seed + 1), "c": wave(1, 1, 16, seed=seed + 2)}
        for seed, high, rate in ((60, .5, 16000), (63, 3, 16000), (66, .5, 8000), (69, 3, 8000))]


@case
def recognizer():
    """An encoder, and a loop that chooses a token at a time until the end of the text."""
    body = graph([node("Gather", "table,token", "e"),
                  node("MatMul", "e,we", "pe"), node("MatMul", "state,ws", "ps"),
                  node("Add", "pe,ps", "p"), node("Tanh", "p", "next"),
                  node("MatMul", "next,features", "scores"), node("Softmax", "scores", "weights"),
                  node("MatMul", "weights,values", "context"), node("Add", "context,next", "mixed"),
                  node("MatMul", "mixed,wo", "logits"),
                  node("ArgMax", "logits", "chosen", axis=1, keepdims=0),
                  node("Squeeze", "chosen", "one"), node("Equal", "one,last", "over"),
                  node("Not", "over", "on"), node("And", "on,c", "d")],
                 "i:i c:b token:i:1 state:f:1,32",
                 "d:b chosen:i:1 next:f:1,32 chosen:i:1 logits:f:1,12")
    return model([node("Conv", "sound,kernel", "f0", strides=[2]), node("Relu", "f0", "f1"),
                  node("Squeeze", "f1,zero", "f2"), node("Transpose", "f2", "values"),
                  node("Transpose", "values", "features"), node("ReduceMean", "values", "start",
                                                              axes=[0]),
                  node("Loop", "most,,first,start", "token,state,tokens,logits", body=body)],
                 "sound:f:1,1,t most:i", "tokens:i:n,1 logits:f:n,1,12 state:f:1,32",
                 kernel=wave(32, 1, 8, seed=70), table=wave(12, 16, seed=71, low=-2, high=2),
                 we=wave(16, 32, seed=72), ws=wave(32, 32, seed=73, low=-.5, high=.5),
                 wo=wave(32, 12, seed=74), zero=ints(0), first=ints(0), last=np.int64(3)), [
        {"sound": wave(1, 1, t, seed=t), "most": np.int64(most)}
        for t, most in ((64, 20), (90, 20), (64, 3), (91, 40))]


# Recording

RECORDER = """
const fs = require('fs');
const [runtime, file] = process.argv.slice(2);
const ort = require(runtime + '/node_modules/onnxruntime-node');
const arrays = {float32: Float32Array, int64: BigInt64Array, bool: Uint8Array};

function decode({type, shape, data}) {
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
  return new ort.Tensor(type, new arrays[type](bytes.buffer), shape);
}

(async () => {
  const results = [];
  for (const {model, runs} of JSON.parse(fs.readFileSync(file))) {
    const session = await ort.InferenceSession.create(model);
    for (const run of runs) {
      const feeds = Object.fromEntries(
        Object.entries(run).map(([name, tensor]) => [name, decode(tensor)]));
      const found = await session.run(feeds);
      results.push(session.outputNames.map(name => {
        const {type, dims, data} = found[name];
        const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
        return [type, dims, bytes.toString('base64')];
      }));
    }
  }
  fs.writeFileSync(file + '.results', JSON.stringify(results));
})();
"""


def encode(array):
    return {"type": array.dtype.name, "shape": list(array.shape),
            "data": base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()}


def decode(type, shape, data):
    return np.frombuffer(base64.b64decode(data), type).reshape(shape)


def record(folder, runtime, cases, file_of_values):
    requests = []
    for name, function in cases.items():
        proto, runs = function()
        path = folder / f"{name}.onnx"
        path.write_bytes(proto.SerializeToString())
        requests.append({"model": str(path), "runs": [
            {key: encode(np.asarray(value)) for key, value in run.items()} for run in runs]})
    file, recorder = folder / "runs.json", folder / "record.js"
    file.write_text(json.dumps(requests))
    recorder.write_text(RECORDER)
    subprocess.run(["node", recorder, Path(runtime).resolve(), file], check=True)
    results = json.loads((folder / "runs.json.results").read_text())
    values = {}
    for name, request in zip(cases, requests):
        values[name] = [results.pop(0) for _ in request["runs"]]
    file_of_values.write_text("{\n" + ",\n".join(
        f"{json.dumps(name)}: {json.dumps(value)}" for name, value in values.items()) + "\n}\n")


# Checking


def check(name, found, wanted):
    if found.shape != wanted.shape or found.dtype != (
            np.uint8 if wanted.dtype == np.bool_ else wanted.dtype):
        sys.exit(f"{name}: found are {found.dtype} of {found.shape}, but wanted are "
                 f"{wanted.dtype} of {wanted.shape}")
    wanted = wanted.view(np.uint8) if wanted.dtype == np.bool_ else wanted
    if not np.allclose(found, wanted, rtol=1e-4, atol=2e-5):
        sys.exit(f"{name}: found are {found.ravel()[:8]}, but wanted are {wanted.ravel()[:8]}")


def check_case(name, recorded):
    proto, runs = CASES[name]()
    session = dml.Session(proto.SerializeToString())
    for run, wanted in zip(runs, recorded):
        for output, found, values in zip(session.outputs, session.run(None, run), wanted):
            check(f"{name}: {output.name}", found, decode(*values))
    # A second pass finds each program.
    compiled = session.info.compiled
    for run in runs:
        session.run(None, run)
    if session.info.compiled != compiled:
        sys.exit(f"{name}: {session.info.compiled - compiled} programs were compiled again")
    print(f"{name}: {len(runs)} runs agree, {compiled} programs")


# What a run may not do


def make_endless(**options):
    """A loop without end, which collects 16 KiB in each iteration."""
    body = graph([node("Mul", "v,w", "n"), node("Identity", "c", "d")],
                 "i:i c:b v:f:64,64", "d:b n:f:64,64 n:f:64,64")
    proto = model([node("Loop", ",yes,x", "z,all", body=body, name="endless")], "x:f:64,64",
                  "z:f:64,64 all:f:n,64,64", w=np.float32(.5), yes=np.array(True))
    return dml.Session(proto.SerializeToString(), **options)


def check_limits():
    calls = []

    def cancel(name, _):
        calls.append(name)
        return calls.count("running") <= 20

    picture = {"x": np.ones((64, 64), np.float32)}
    for options, error, text in (
            ({"progress": cancel}, dml.Cancelled, "has cancelled the call"),
            ({"program_budget": 1 << 20}, dml.OutOfMemory,
             "the tensors that iterations of node 'endless' (Loop) collect have 1064960 bytes after "
             "iteration 64, but the program budget is 1048576"),
            ({"wait_limit": .2}, dml.Timeout, "the iterations of node 'endless' (Loop) have taken")):
        session = make_endless(**options)
        try:
            session.run(None, picture)
        except error as found:
            if text not in str(found):
                sys.exit(f"wanted is '{text}', but found is '{found}'")
        else:
            sys.exit(f"a loop without end has ended with {options}")
    if calls.count("running") != 21:
        sys.exit(f"the loop was cancelled after {calls.count('running')} calls, but wanted are 21")
    print("loops without end are cancelled, limited in time and limited in memory")


def check_outputs():
    """Outputs on the device, in the caller's memory and in the place of an input."""
    proto, runs = CASES["detector"]()
    session = dml.Session(proto.SerializeToString())
    prepared = session.prepare({"picture": (1, 3, 12, 12), "least": (1,)})
    if [each.shape for each in prepared] != [["n", 3], ["n", 4]]:
        sys.exit(f"prepare tells {prepared}")
    _, squares = session.run(None, runs[0])
    _, tensor = session.run(None, runs[0], device_outputs=True)
    check("on the device", tensor.numpy(), squares)
    memory = np.zeros_like(squares)
    session.run(["squares"], runs[0], into={"squares": memory})
    check("in memory", memory, squares)
    try:
        session.run(["squares"], runs[0], into={"squares": memory[1:]})
        sys.exit("an output was written into too little memory")
    except dml.InvalidArgument:
        pass
    proto, runs = CASES["branch_of_data"]()
    session = dml.Session(proto.SerializeToString())
    (wanted,) = session.run(None, runs[0])
    state = dml.Tensor.from_numpy(runs[0]["x"], device=session.device)
    session.run(None, {"x": state}, into={"out": state})
    check("in the place of an input", state.numpy(), wanted)
    # Two states that change places.
    proto, runs = CASES["loop_that_swaps"]()
    proto.graph.output.append(info("q:f:33,65"))
    session = dml.Session(proto.SerializeToString())
    a, b = (dml.Tensor.from_numpy(runs[0][name], device=session.device) for name in "xy")
    session.run(["p", "q"], {"x": a, "y": b, "m": np.int64(1)}, into={"p": a, "q": b})
    check("a state that is another one", a.numpy(), runs[0]["y"])
    check("a state that was another one", b.numpy(), runs[0]["x"])
    print("outputs are on the device, in memory, and in the place of an input")


def check_built():
    """A Loop of a model that is built node by node: its body is a model, too."""
    body = dml.Model({"": 17})
    for name, type, shape in (("i", "int64", []), ("c", "bool", []), ("v", "float32", [32, 32])):
        body.input(name, type, shape)
    body.node("MatMul", ["v", "w"], ["n"])
    body.node("Identity", ["c"], ["d"])
    for name in "dn":
        body.output(name)
    whole = dml.Model({"": 17})
    whole.input("x", "float32", [32, 32])
    whole.input("m", "int64", [])
    whole.weight("w", 2 * np.eye(32, dtype=np.float32))
    whole.node("Loop", ["m", "", "x"], ["y"], body=body)
    whole.output("y")
    x = wave(32, 32)
    for count in (0, 5):
        (found,) = dml.Session(whole).run(None, {"x": x, "m": np.int64(count)})
        check("a built model", found, x * np.float32(2**count))
    print("a model that is built has a loop")


# ONNX's backend tests

BACKEND = ["if*", "loop*", "scan*", "nonmaxsuppression*", "nonzero*", "unique*", "compress*", "range*",
           "reshape*", "expand*", "tile*", "top_k*", "onehot*", "slice*", "constantofshape*",
           "split_*", "squeeze*", "unsqueeze*", "*pad", "resize_*sizes*", "cumsum*", "constant_pad"]


def check_backend(data):
    """Runs ONNX's tests with all inputs as inputs: nothing has to be a constant."""
    agreeing, refused = 0, {}
    for path in sorted(data.glob("node/*/model.onnx")):
        name = path.parent.name.replace("test_", "", 1)
        if not any(fnmatch.fnmatch(name, pattern) for pattern in BACKEND):
            continue
        proto = onnx.load(path)

        def load(kind, values):
            return {each.name: numpy_helper.to_array(TensorProto.FromString(
                (path.parent / f"test_data_set_0/{kind}_{index}.pb").read_bytes()))
                for index, each in enumerate(values) if each.type.HasField("tensor_type")}

        try:
            session = dml.Session(str(path))
            found = session.run(None, load("input", proto.graph.input))
        except dml.Error as error:
            refused[name] = str(error).strip().split("\n")[-1].split(": ", 1)[-1]
            continue
        for array, (key, wanted) in zip(found, load("output", proto.graph.output).items()):
            check(f"{name}: {key}", array.reshape(wanted.shape) if array.size == 1 else array,
                  wanted)
        agreeing += 1
    print(f"ONNX's backend tests: {agreeing} agree")
    for name, reason in refused.items():
        print(f"  {name}: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--record")
    parser.add_argument("--backend", type=Path, nargs="?",
                        const=Path(onnx.__file__).parent / "backend/test/data")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.record:
        record(arguments.folder, arguments.record, CASES, VALUES)
        return
    if arguments.backend:
        check_backend(arguments.backend)
        return
    recorded = json.loads(VALUES.read_text())
    for name in CASES:
        if arguments.filter in name:
            check_case(name, recorded[name])
    if not arguments.filter:
        check_limits()
        check_outputs()
        check_built()


if __name__ == "__main__":
    main()
