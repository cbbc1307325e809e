#!/usr/bin/env python3
# Nodes whose inputs all are constants, through the reader of ONNX models: no
# operator is left of them, and their elements are those that ONNX Runtime 1.30
# computes with its CPU provider, which stand here as numbers.
#
# SPDX-License-Identifier: Apache-2.0
import collections
import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import GraphProto, TensorProto, helper, numpy_helper

nan, inf = np.nan, np.inf
f16, f32, f64 = np.float16, np.float32, np.float64
i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
truth = np.bool_
least, greatest = -2**63, 2**63 - 1
TYPES = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9,
         "f16": 10, "f64": 11, "u32": 12, "u64": 13}

Case = collections.namedtuple("Case", "operator inputs outputs opset attributes tolerance")
CASES = []


def case(operator, inputs, *outputs, opset=18, tolerance=0.0, **attributes):
    """A node on constants, of which None is left out, and what it computes. Operators of one
    domain are of the version `opset`; floats may be off by `tolerance` times their size."""
    CASES.append(Case(operator, [None if x is None else np.asarray(x) for x in inputs],
                      [np.asarray(x) for x in outputs], opset, attributes, tolerance))


#===----------------------------------------------------------------------===#
# Integers of every type are exact, and wrap around
#===----------------------------------------------------------------------===#

big = 2**63 + 5
case("Div", [u64([big]), u64([2])], u64([4611686018427387906]))
case("Mod", [u64([big, 7]), u64([10, 4])], u64([3, 3]))
case("Mod", [u64([big]), u64([10])], u64([3]), fmod=1)
case("Max", [u64([big]), u64([1])], u64([big]))
case("Min", [u64([big]), u64([1])], u64([1]))
case("Less", [u64([big, 1]), u64([1, big])], truth([False, True]))
case("LessOrEqual", [u64([big, 1]), u64([1, big])], truth([False, True]))
case("Greater", [u64([big, 1]), u64([1, big])], truth([True, False]))
case("GreaterOrEqual", [u64([big, 1]), u64([1, big])], truth([True, False]))
case("Equal", [u64([big, 1]), u64([big, big])], truth([True, False]))
case("Abs", [u64([2**64 - 2])], u64([2**64 - 2]))
case("Sign", [u64([2**64 - 2, 0])], u64([1, 0]))
case("BitShift", [u64([big, big, 1, big]), u64([3, 63, 63, 64])], u64([2**60, 1, 0, 0]),
     direction="RIGHT")
case("BitShift", [u8([200, 255]), u8([1, 8])], u8([144, 0]), direction="LEFT")
case("ReduceMax", [u8([3, 250, 5])], u8([250]))
case("Cast", [u64([big, 2**64 - 1])], f32([2**63, 2**64]), to=TYPES["f32"])
case("Cast", [u64([big, 2**64 - 1])], f64([2**63, 2**64]), to=TYPES["f64"])
case("Cast", [u64([big, 2**64 - 1])], i64([least + 5, -1]), to=TYPES["i64"])
case("Cast", [i64([2**53 + 1, -1])], u64([2**53 + 1, 2**64 - 1]), to=TYPES["u64"])
case("Cast", [i64([65519, 300, -1, 2**40])], u8([239, 44, 255, 0]), to=TYPES["u8"])
case("Cast", [i64([2, 0, -1])], truth([True, False, True]), to=TYPES["bool"])
case("Where", [truth([True, False]), u64([big, big]), u64([1, 2])], u64([big, 2]))
case("Add", [i64([2**53, greatest]), i64([1, 1])], i64([2**53 + 1, least]))
case("Sub", [u8([3]), u8([5])], u8([254]))
case("Mul", [i32([65536, 46341]), i32([65536, 46341])], i32([0, -2147479015]))
case("Div", [i64([-7, 7]), i64([2, -2])], i64([-3, -3]))
case("Mod", [i64([-7, 7, -7]), i64([2, -2, -2])], i64([1, -1, -1]))
case("Mod", [i64([-7, 7, -7]), i64([2, -2, -2])], i64([-1, 1, -1]), fmod=1)
case("Mod", [i8([-128, 127]), i8([3, -2])], i8([1, -1]))
case("Neg", [i8([-128, 7])], i8([-128, -7]))
case("Abs", [i64([least, -7])], i64([least, 7]))
case("Relu", [i32([-3, 4])], i32([0, 4]))
case("BitwiseAnd", [i16([-2]), i16([32767])], i16([32766]))
case("BitwiseOr", [u32([2**31]), u32([1])], u32([2**31 + 1]))
case("BitwiseXor", [i64([least]), i64([-1])], i64([greatest]))
case("BitwiseNot", [u64([0, 2**63])], u64([2**64 - 1, greatest]))
case("MatMul", [u64([[3, 4, 2**64 - 1]]), u64([[3], [4], [2**64 - 1]])], u64([[26]]))
case("CumSum", [i32([3, 4, 2**31 - 1]), i64(0)], i32([3, 7, -2147483642]))
case("CumSum", [i64([[1, 2, 3]]), i64(1)], i64([[5, 3, 0]]), exclusive=1, reverse=1)
# A power is one of doubles, whose fraction is cut off; that of one exponent for several is not.
case("Pow", [i64([3, 4]), i64(2)], i64([9, 16]))
case("Pow", [i64([3, -3, 2, 2, 0]), i64([5, 3, 62, 63, -1])], i64([243, -27, 2**62, least, least]))
case("Pow", [i32([3, 46341]), i32(2)], i32([9, -2147479015]))
case("Pow", [i64([-3, 9]), f32([2, 0.5])], i64([9, 3]))
# Reductions of integers are exact too, and stop at the end of their range.
case("ReduceSum", [i64([2**62, 2**53 + 1])], i64([2**62 + 2**53 + 1]))
case("ReduceSum", [i32([2**31 - 1, 5])], i32([2**31 - 1]))
case("ReduceSumSquare", [i64([2**40, 2])], i64([greatest]))
case("ReduceProd", [i64([2**62, -4])], i64([least]))
case("ReduceMean", [i64([-3, -4])], i64([-3]))
case("ReduceMean", [i32([-2**31 + 1, -3, 6, -8])], i32([-536870913]))
case("ReduceL2", [i64([-3, -3])], i64([4]))
case("ReduceLogSum", [i32([3, -4, 5])], i32([1]))
case("ReduceLogSumExp", [i64([3, -4, 5])], i64([5]))

#===----------------------------------------------------------------------===#
# Floats: NaN, infinities, and one rounding
#===----------------------------------------------------------------------===#

for number in (f16, f32, f64):
    case("Max", [number([1, nan, 2]), number([nan, 1, 3])], number([nan, nan, 3]))
    case("Min", [number([1, nan, 2]), number([nan, 1, 3])], number([nan, nan, 2]))
    case("Max", [number([1, 5]), number([nan, 1]), number([2, 2])], number([nan, 5]))
    case("Clip", [number([nan, -inf, 7]), number(0), number(2)], number([nan, 0, 2]))
    case("Sign", [number([nan, -inf, -0.0])], number([nan, -1, 0]))
    case("Relu", [number([nan, -inf, 3])], number([nan, 0, 3]))
    case("Equal", [number([nan, 1]), number([nan, 1])], truth([False, True]))
    case("Round", [number([0.5, 1.5, 2.5, -0.5])], number([0, 2, 2, -0.0]))
    case("Reciprocal", [number([0, -0.0, 4])], number([inf, -inf, 0.25]))
case("Clip", [f32([1, 5, 9]), f32(3), f32(2)], f32([2, 2, 2]))
case("Clip", [i64([1, 5, 9]), i64(3), i64(1)], i64([1, 1, 1]))
case("Clip", [f32([inf, -inf])], f32([3.4028235e+38, -3.4028235e+38]))
case("Clip", [f32([1, -inf]), None, f32(0)], f32([0, -3.4028235e+38]))
case("Clip", [f32([nan, 3, -3])], f32([nan, 2, 0]), opset=6, min=0.0, max=2.0)
case("IsInf", [f32([inf, -inf, 1, nan])], truth([False] * 4), detect_positive=0,
     detect_negative=0)
case("IsInf", [f32([inf, -inf, 1, nan])], truth([False, True, False, False]), detect_positive=0)
case("IsNaN", [f16([inf, nan])], truth([False, True]))
case("Mod", [f32([-7, 7.5, inf, 1]), f32([2, -2, 2, inf])], f32([-1, 1.5, nan, 1]), fmod=1)
case("Div", [f32([1, -1, 0]), f32([0, 0, 0])], f32([inf, -inf, nan]))
case("Add", [f32([16777216]), f32([1])], f32([16777216]))
case("Mul", [f16([3.0]), f16([21844.0])], f16([inf]))
case("Add", [f16([2048]), f16([1])], f16([2048]))
case("Sqrt", [f32([2, -1])], f32([1.4142135, nan]))
case("Sum", [f32([1e8, 2]), f32([1]), f32([-1e8, 7])], f32([0, 10]))
case("Mean", [f32([1, 2]), f32([2, 5]), f32([0.1, 7])], f32([1.0333333, 4.666667]))
case("Pow", [f32([1.1, 2.2, 3.3]), i64([3, 3, 5])], f32([1.3310001, 10.648001, 391.3539]))
case("Pow", [f32([4, 9]), f32([0.5, 2])], f32([2, 81]))
# A double becomes a half by way of a float.
case("Cast", [f64([1 + 2**-11 + 2**-40, 65519.999999, 65519])], f16([1, inf, 65504]),
     to=TYPES["f16"])
case("Cast", [f64([1 + 2**-24 + 2**-50])], f32([1 + 2**-23]), to=TYPES["f32"])
case("Cast", [f32([1.9, -1.9, nan, 3e9])], i32([1, -1, -2**31, -2**31]), to=TYPES["i32"])
case("Cast", [f32([-1.9, 300, 70000])], u8([255, 44, 112]), to=TYPES["u8"])
case("Cast", [f64([3e9, -1, 1e19])], u32([3000000000, 2**32 - 1, 0]), to=TYPES["u32"])
case("Cast", [f64([1.5e19, -1])], u64([15 * 10**18, 2**64 - 1]), to=TYPES["u64"])
case("Cast", [f32([nan, -0.0, 0.5])], truth([True, False, True]), to=TYPES["bool"])
case("CastLike", [f32([1.5, -2]), i16([0])], i16([1, -2]))
case("CastLike", [f32([0.5, 0]), truth([True])], truth([True, False]))
case("CastLike", [f32([2.5, 300]), u8([0])], u8([2, 44]))
case("Exp", [f32([0, -inf])], f32([1, 0]))
case("Log", [f32([1, 0, -1])], f32([0, -inf, nan]))
case("Tanh", [f32([1, inf])], f32([0.7615942, 1]), tolerance=1e-6)
case("Erf", [f32([0.5])], f32([0.5204999]), tolerance=1e-6)
case("Sigmoid", [f32([-inf, 0, 1])], f32([0, 0.5, 0.7310586]), tolerance=1e-6)
case("ReduceLogSumExp", [f32([1000, 1000])], f32([1000.6932]), tolerance=1e-6)
case("ReduceLogSumExp", [f32([-inf, -inf])], f32([-inf]))
case("Not", [truth([True, False])], truth([False, True]))
case("And", [truth([True, False]), truth([True])], truth([True, False]))
case("Or", [truth([[True], [False]]), truth([False])], truth([[True], [False]]))
case("Xor", [truth([True, False]), truth([True])], truth([False, True]))

#===----------------------------------------------------------------------===#
# Reductions: over no axes, each element is one for itself
#===----------------------------------------------------------------------===#

x = f32([-3, 4])
for operator, wanted in (("Sum", [-3, 4]), ("Prod", [-3, 4]), ("Max", [-3, 4]),
                         ("Min", [-3, 4]), ("Mean", [-3, 4]), ("L1", [3, 4]), ("L2", [3, 4]),
                         ("SumSquare", [9, 16]), ("LogSum", [nan, 1.3862944]),
                         ("LogSumExp", [-3, 4])):
    case("Reduce" + operator, [x], f32(wanted), noop_with_empty_axes=1, tolerance=1e-6)
    case("Reduce" + operator, [x, i64([])], f32(wanted), noop_with_empty_axes=1, tolerance=1e-6)
    case("Reduce" + operator, [x[0]], f32(wanted)[0], tolerance=1e-6)
for operator, wanted in (("Sum", 0), ("Prod", 1), ("Max", least), ("Min", greatest), ("L1", 0),
                         ("L2", 0), ("SumSquare", 0)):
    case("Reduce" + operator, [np.zeros((2, 0), i64), i64([1])], i64([[wanted], [wanted]]), opset=20)
case("ReduceProd", [i64([2, 3])], i64([2, 3]), noop_with_empty_axes=1)
case("ReduceProd", [i64([2, 3])], i64(6), keepdims=0)
case("ReduceSum", [f32([[1, 2], [3, 4]]), i64([-1])], f32([[3], [7]]))
case("ReduceMax", [f32([[1, 2], [3, 4]])], f32([3, 4]), opset=13, axes=[0], keepdims=0)
case("ArgMax", [f32([[1, 3, 3], [2, nan, 5]])], i64([[1], [1]]), axis=1)
case("ArgMax", [i64([[1, 3, 3]])], i64([2]), axis=-1, keepdims=0, select_last_index=1)
case("ArgMin", [f32([[1, 3], [0, 4]])], i64([1, 0]), axis=0, keepdims=0)
case("TopK", [f32([3, 1, 4, 1]), i64([3])], f32([4, 3, 1]), i64([2, 0, 1]))
case("TopK", [i64([[3, 1], [4, 1]]), i64([1])], i64([[3, 1]]), i64([[0, 0]]), axis=0, largest=0)
case("Unique", [i64([2, 1, 2])], i64([1, 2]), i64([1, 0]), i64([1, 0, 1]), i64([1, 2]))
case("Unique", [f32([2, 1, 2])], f32([2, 1]), i64([0, 1]), i64([0, 1, 0]), i64([2, 1]), sorted=0)
case("MatMul", [f32([[1, 2], [3, 4]]), f32([5, 6])], f32([17, 39]))

case("Gemm", [f32([[1, 2]]), f32([[3, 4]]), f32([5])], f32([[15.5]]), transB=1, alpha=0.5,
     beta=2.0)
case("Gemm", [f64([[1], [2]]), f64([[3], [4]])], f64([[11]]), transA=1)
case("MatMulInteger", [u8([[255, 0]]), i8([[-128], [127]]), u8(1), i8([2])], i32([[-33145]]))

#===----------------------------------------------------------------------===#
# Places
#===----------------------------------------------------------------------===#

rows = u64([[big, 1], [2, 3]])
case("Transpose", [rows], u64([[big, 2], [1, 3]]))
case("Expand", [u64([[big]]), i64([2, 2])], u64([[big, big], [big, big]]))
case("Tile", [rows, i64([1, 2])], u64([[big, 1, big, 1], [2, 3, 2, 3]]))
case("Concat", [rows, rows], u64([[big, 1, big, 1], [2, 3, 2, 3]]), axis=1)
case("Concat", [np.zeros((0, 2), u64), rows], rows, axis=0)
case("Split", [rows], u64([[big], [2]]), u64([[1], [3]]), axis=1, num_outputs=2)
case("Split", [i64([1, 2, 3]), i64([2, 1])], i64([1, 2]), i64([3]), opset=13)
case("Split", [i64([1, 2, 3])], i64([1]), i64([2, 3]), opset=11, split=[1, 2])
case("Slice", [rows, i64([-1]), i64([least]), i64([0]), i64([-1])], u64([[2, 3], [big, 1]]))
case("Slice", [i64([0, 1, 2, 3, 4]), i64([1]), i64([greatest]), None, i64([2])], i64([1, 3]))
case("Slice", [rows], u64([[1], [3]]), opset=9, starts=[1], ends=[2], axes=[1])
case("Pad", [u64([big]), i64([1, 0]), u64(2**64 - 1)], u64([2**64 - 1, big]))
case("Pad", [i64([5]), i64([1, 1]), i64(greatest)], i64([greatest, 5, greatest]))
case("Pad", [i64([1, 2, 3]), i64([-1, 2]), i64(2**53 + 1)], i64([2, 3, 2**53 + 1, 2**53 + 1]))
case("Pad", [i64([1, 2, 3]), i64([2, 1])], i64([3, 2, 1, 2, 3, 2]), mode="reflect")
case("Pad", [i64([1, 2, 3]), i64([2, 1])], i64([1, 1, 1, 2, 3, 3]), mode="edge")
case("Pad", [i64([1, 2, 3]), i64([2, 1])], i64([2, 3, 1, 2, 3, 1]), mode="wrap", opset=19)
case("Pad", [f32([[1], [2]]), i64([1, 1]), f32(inf), i64([1])], f32([[inf, 1, inf], [inf, 2, inf]]))
case("Pad", [f32([1, 2])], f32([0.5, 1, 2]), opset=2, pads=[1, 0], value=0.5)
case("Trilu", [rows, i64(1)], u64([[0, 1], [0, 0]]), opset=14)
case("Trilu", [i64([[1, 2], [3, 4]]), i64(-1)], i64([[0, 0], [3, 0]]), upper=0, opset=14)
case("EyeLike", [f32(np.zeros((2, 3)))], i64([[0, 1, 0], [0, 0, 1]]), k=1, dtype=TYPES["i64"])
case("EyeLike", [f32(np.zeros((2, 2)))], f32([[0, 0], [1, 0]]), k=-1)
case("Gather", [rows, i64(-1)], u64([1, 3]), axis=1)
case("Gather", [rows, i32([[1, 0]])], u64([[[2, 3], [big, 1]]]))
case("GatherElements", [rows, i64([[-2]])], u64([[big]]), axis=1)
case("GatherND", [rows, i64([[1, 0], [0, 0]])], u64([2, big]))
case("GatherND", [rows, i64([[1], [0]])], u64([1, 2]), batch_dims=1)
case("ScatterElements", [rows, i64([[1, 0]]), u64([[7, 8]])], u64([[big, 8], [7, 3]]))
case("ScatterElements", [i64([1, 2]), i64([0, 0]), i64([2**53, 1])], i64([2**53 + 2, 2]),
     reduction="add")
case("ScatterElements", [u8([200, 1]), i64([0, 1]), u8([100, 1])], u8([44, 2]), reduction="add")
case("ScatterElements", [f32([1, 5]), i64([0, 1]), f32([nan, 2])], f32([nan, 5]), reduction="max")
case("ScatterND", [i64([[1, 2], [3, 4]]), i64([[1], [1]]), i64([[5, 6], [7, 1]])],
     i64([[1, 2], [105, 24]]), reduction="mul")
case("ScatterND", [rows, i64([[0, 1]]), u64([9])], u64([[big, 9], [2, 3]]))
case("OneHot", [i64([1, -1, 5]), i64(3), u64([1, big])],
     u64([[1, big, 1], [1, 1, big], [1, 1, 1]]))
case("OneHot", [f32([1, -1.5, -2]), f32(3), f32([0, 1])], f32([[0, 1, 0], [0, 0, 0], [0, 1, 0]]))
case("Compress", [rows, truth([False, True])], u64([[2, 3]]), axis=0)
case("Compress", [rows, truth([True, False, True])], u64([big, 2]))
case("DepthToSpace", [i64(np.arange(8).reshape(1, 8, 1, 1))], i64([[[[0, 2], [4, 6]],
     [[1, 3], [5, 7]]]]), blocksize=2)
case("DepthToSpace", [i64(np.arange(8).reshape(1, 8, 1, 1))], i64([[[[0, 1], [2, 3]],
     [[4, 5], [6, 7]]]]), blocksize=2, mode="CRD")
case("SpaceToDepth", [i64([[[[0, 1], [2, 3]]]])], i64([[[[0]], [[1]], [[2]], [[3]]]]), blocksize=2)
case("ReverseSequence", [i64([[1, 2, 3], [4, 5, 6]]), i64([2, 3])], i64([[2, 1, 3], [6, 5, 4]]),
     batch_axis=0, time_axis=1)
case("NonZero", [u64([[big, 0], [0, 1]])], i64([[0, 1], [0, 1]]))
case("NonZero", [i64(2)], i64([[0]]))
case("Range", [i64(5), i64(-5), i64(-3)], i64([5, 2, -1, -4]))
case("Range", [i64(greatest - 3), i64(greatest), i64(2)], i64([greatest - 3, greatest - 1]))
case("Range", [f32(1), f32(2), f32(0.25)], f32([1, 1.25, 1.5, 1.75]))
case("HannWindow", [i64(4)], f32([0, 0.5, 1, 0.5]), tolerance=1e-6)

#===----------------------------------------------------------------------===#
# What is not computed
#===----------------------------------------------------------------------===#

# An operator stays that would give too many elements, or that would take too long.
STAYS = [
    ("Tile", [np.arange(60000, dtype=f32), i64([2])], {}, "dml.tile"),
    ("MatMul", [np.ones((200, 200), f32) + np.eye(200, dtype=f32)] * 2, {}, "dml.gemm"),
]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command[:3])}: exit code {result.returncode}\n{result.stderr}")
    return result.stdout


def save(path, opset, nodes):
    """Nodes on constants as one model, each a name, an operator, inputs, a number of outputs
    and attributes."""
    graph = GraphProto(name="graph")
    for name, operator, inputs, outputs, attributes in nodes:
        names = []
        for index, array in enumerate(inputs):
            names.append("" if array is None else f"{name}_in{index}")
            if array is not None:
                graph.initializer.append(numpy_helper.from_array(array, names[-1]))
        graph.node.append(helper.make_node(
            operator, names, [f"{name}_{index}" for index in range(outputs)], name=name,
            **attributes))
        for output in graph.node[-1].output:
            graph.output.add().name = output
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def describe_wrong(found, wanted, tolerance):
    """How an array differs from what is wanted, or None."""
    wanted = np.atleast_1d(wanted.astype(np.uint8) if wanted.dtype == np.bool_ else wanted)
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return f"{found.dtype} {found.shape}, wanted {wanted.dtype} {wanted.shape}"
    agrees = found == wanted
    if wanted.dtype.kind == "f":
        agrees &= np.signbit(found) == np.signbit(wanted)
        agrees |= np.isnan(found) & np.isnan(wanted)
        with np.errstate(invalid="ignore", over="ignore"):
            agrees |= np.abs(found - wanted) <= tolerance * np.abs(wanted)
    return None if agrees.all() else f"{found.tolist()}, wanted {wanted.tolist()}"


def check_folded(folder, opset):
    cases = [case for case in CASES if case.opset == opset]
    path = os.path.join(folder, f"{opset}.onnx")
    save(path, opset, [(f"n{number}", case.operator, case.inputs, len(case.outputs),
                        case.attributes) for number, case in enumerate(cases)])
    module = run("dml-translate", "--import-onnx", path)
    left = [line.strip() for line in module.splitlines() if "= dml." in line]
    if left:
        sys.exit(f"version {opset}: operators are left: {left}")
    outputs = [f"n{number}_{index}" for number, case in enumerate(cases)
               for index in range(len(case.outputs))]
    run("dml-interpret", path, *[f"--output={name}=@{folder}/{name}.npy" for name in outputs])
    for number, case in enumerate(cases):
        for index, wanted in enumerate(case.outputs):
            found = np.load(os.path.join(folder, f"n{number}_{index}.npy"))
            if wrong := describe_wrong(found, wanted, case.tolerance):
                inputs = [None if x is None else x.tolist() for x in case.inputs]
                sys.exit(f"{case.operator} {inputs} {case.attributes}, output {index}: {wrong}")
    print(f"version {opset}: {len(cases)} nodes agree")


def check_unfolded(folder):
    for operator, inputs, attributes, mnemonic in STAYS:
        path = os.path.join(folder, "stays.onnx")
        save(path, 18, [("n", operator, inputs, 1, attributes)])
        if mnemonic not in run("dml-translate", "--import-onnx", path):
            sys.exit(f"{operator}: no {mnemonic} is left, but wanted is one")
        print(f"{operator}: it stays an operator")


def check_budget(folder):
    """A small file of many nodes that each give a megabyte takes memory that is bounded."""
    nodes = [helper.make_node("ConstantOfShape", ["sizes"], ["zeros"]),
             helper.make_node("Not", ["no"], ["yes"]),
             helper.make_node("Expand", ["yes", "sizes"], ["ones"])]
    nodes += [helper.make_node("NonZero", ["ones"], [f"y{index}"]) for index in range(400)]
    graph = GraphProto(name="graph", node=nodes)
    graph.initializer.append(numpy_helper.from_array(np.int64([256, 256]), "sizes"))
    graph.initializer.append(numpy_helper.from_array(np.array([False]), "no"))
    for index in range(400):
        graph.output.add().name = f"y{index}"
    path = os.path.join(folder, "budget.onnx")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    result = subprocess.run(["dml-translate", "--import-onnx", path], capture_output=True,
                            text=True)
    if result.returncode == 0 or "at most for such a file" not in result.stderr:
        sys.exit(f"400 NonZeros: exit code {result.returncode}\n{result.stderr[:500]}")
    print("400 NonZeros: what is computed is bounded")


with tempfile.TemporaryDirectory() as folder:
    for opset in sorted({case.opset for case in CASES}):
        check_folded(folder, opset)
    check_unfolded(folder)
    check_budget(folder)
