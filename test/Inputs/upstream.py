"""What upstream's lowerings compute of a module on this machine, by mlir-opt and mlir-runner,
which Debian's package mlir-22-tools has.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import subprocess

import numpy as np

TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i16": np.int16, "i8": np.int8,
         "i64": np.int64, "i1": np.uint8}

# From linalg on tensors to LLVM's dialect.
LINALG_TO_LLVM = [
    "canonicalize", "convert-elementwise-to-linalg",
    "one-shot-bufferize{bufferize-function-boundaries=true}", "convert-linalg-to-loops",
    "expand-strided-metadata", "lower-affine", "convert-scf-to-cf", "arith-expand",
    "convert-math-to-llvm", "convert-math-to-libm", "convert-arith-to-llvm",
    "convert-index-to-llvm", "finalize-memref-to-llvm", "convert-func-to-llvm",
    "convert-cf-to-llvm", "reconcile-unrealized-casts"]
TOSA_TO_LINALG = [
    "func.func(tosa-optional-decompositions,tosa-infer-shapes,tosa-make-broadcastable)",
    "tosa-to-scf",
    "func.func(tosa-to-linalg-named,tosa-to-linalg,"
    "tosa-to-arith{include-apply-rescale=true use-32-bit=true},tosa-to-tensor)"]


def parse_type(text):
    """The sizes and the element type of "2x3xf32"."""
    *sizes, element = text.split("x")
    return [int(size) for size in sizes], element


def read_functions(text):
    """The functions of one result in a module's text: name -> (types of arguments, type of
    the result)."""
    found = {}
    for name, arguments, result in re.findall(
            r"func\.func @(\w+)\((.*?)\) -> tensor<(\w+)>", text):
        found[name] = (re.findall(r"tensor<(\w+)>", arguments), result)
    return found


def describe_elements(array, element):
    if element == "i1":
        numbers = array.astype(bool).tolist()
        return "dense<" + str(numbers).replace("True", "true").replace("False", "false") + ">"
    return f'dense<"0x{array.astype(TYPES[element]).tobytes().hex()}">'


def make_entry(functions, inputs):
    """The function @entry, which calls each function with its inputs and prints the bits of
    the results."""
    lines = []
    for number, (name, (arguments, result)) in enumerate(functions.items()):
        for i, argument in enumerate(arguments):
            element = parse_type(argument)[1]
            lines.append(f"%a{number}_{i} = arith.constant "
                         f"{describe_elements(inputs[name][i], element)} : tensor<{argument}>")
        operands = ", ".join(f"%a{number}_{i}" for i in range(len(arguments)))
        of = ", ".join(f"tensor<{argument}>" for argument in arguments)
        lines.append(f"%r{number} = func.call @{name}({operands}) : ({of}) -> tensor<{result}>")
        sizes, element = parse_type(result)
        shape = "".join(f"{size}x" for size in sizes)
        value = f"%r{number}"
        if element == "f16":
            lines.append(f"%e{number} = arith.extf {value} : tensor<{result}> to "
                         f"tensor<{shape}f32>")
            value, element = f"%e{number}", "f32"
        change = {"f32": "bitcast", "i8": "extsi", "i16": "extsi", "i1": "extui"}.get(element)
        if change:
            lines.append(f"%w{number} = arith.{change} {value} : tensor<{shape}{element}> to "
                         f"tensor<{shape}i32>")
            value = f"%w{number}"
        lines.append(f"%u{number} = tensor.cast {value} : tensor<{shape}i32> to tensor<*xi32>")
        lines.append(f"func.call @printMemrefI32(%u{number}) : (tensor<*xi32>) -> ()")
    return ("func.func private @printMemrefI32(tensor<*xi32>)\n"
            "func.func @entry() {\n  " + "\n  ".join(lines) + "\n  return\n}\n")


def run(text, functions, inputs, passes, tools, folder):
    """The result of each of `functions`, which are in the module's text, for its `inputs`,
    after `passes`. `tools` is the folder of mlir-opt."""
    tools, folder = pathlib.Path(tools), pathlib.Path(folder)
    source, lowered = folder / "entry.mlir", folder / "entry.llvm.mlir"
    # A module that a tool has printed stands in braces.
    whole = text.rstrip()
    end = whole.rindex("}") if re.search(r"^module\b", whole, re.MULTILINE) else len(whole)
    source.write_text(whole[:end] + "\n" + make_entry(functions, inputs) + whole[end:],
                      encoding="utf-8")
    subprocess.run([tools / "mlir-opt", source, "-o", lowered,
                    f"--pass-pipeline=builtin.module({','.join(passes)})"], check=True)
    libraries = ",".join(str(tools.parent / "lib" / f"libmlir_{name}.so")
                         for name in ["runner_utils", "c_runner_utils"])
    printed = subprocess.run(
        [tools / "mlir-runner", lowered, "-e", "entry", "--entry-point-result=void",
         f"--shared-libs={libraries}"], check=True, stdout=subprocess.PIPE, text=True).stdout
    parts = printed.split("Unranked Memref")[1:]
    assert len(parts) == len(functions), f"{len(parts)} results of {len(functions)} functions"
    results = {}
    for (name, (_, result)), part in zip(functions.items(), parts):
        sizes, element = parse_type(result)
        numbers = np.array(re.findall(r"-?\d+", part.split("data =")[1]), dtype=np.int64)
        words = numbers.astype(np.int32)
        if element in ("f32", "f16"):
            words = words.view(np.float32)
        results[name] = words.astype(TYPES[element]).reshape(sizes)
    return results


def describe_difference(found, wanted):
    """What is wrong with `found`, or "" where it is near enough to `wanted`: integers are
    equal; floats may differ by what two orders of a sum, and functions of a few units in the
    last place, make."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return (f"found {found.dtype} {list(found.shape)}, but wanted is {wanted.dtype} "
                f"{list(wanted.shape)}")
    if not np.issubdtype(wanted.dtype, np.floating):
        wrong = found != wanted
    else:
        a, b = found.astype(np.float64), wanted.astype(np.float64)
        finite = np.abs(b[np.isfinite(b)])
        scale = max(1, finite.max(initial=0))
        relative, absolute = (1e-5, 2e-6) if wanted.dtype == np.float32 else (2e-3, 1e-3)
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= absolute * scale + relative * np.abs(b)
        wrong = ~(near | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{int(wrong.sum())} of {wrong.size} elements differ; at {list(place)} found is "
            f"{found[place]}, but wanted is {wanted[place]}")
