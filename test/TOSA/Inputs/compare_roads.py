"""Computes functions of TOSA by two roads, and compares: dml's, on the device and in the
interpreter, and upstream's lowering to linalg, which mlir-runner runs on the host.

    compare_roads.py MLIR_TOOLS FOLDER MODULE [OPTION...]

OPTIONs are dml-compile's. Prints what differs, and how many functions were compared.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Inputs"))
import upstream


def draw(random, name, index, argument):
    """The elements of an argument. What TOSA does not define is not drawn."""
    sizes, element = upstream.parse_type(argument)
    if element == "i1":
        return random.integers(0, 2, sizes).astype(np.uint8)
    if element in ("i8", "i16"):
        of = np.iinfo(upstream.TYPES[element])
        return random.integers(of.min, of.max + 1, sizes).astype(upstream.TYPES[element])
    if element == "i32":
        most = 1 << 28 if name.startswith(("rescale", "bitwise", "arith", "logical", "clz")) \
            else 1000
        numbers = random.integers(-most, most, sizes).astype(np.int32)
        if name == "clz":
            numbers >>= np.arange(numbers.size, dtype=np.int32).reshape(sizes)
        if name.startswith("intdiv") and index:
            numbers[numbers == 0] = 7
        return numbers
    numbers = random.uniform(-3, 3, sizes)
    if name.startswith(("log", "rsqrt")) or (name == "pow" and index == 0):
        numbers = np.abs(numbers) + 0.01
    if name.startswith("cast"):
        numbers = np.round(numbers * 200) / 2
        numbers.flat[:2] = [1e4, -1e4]
    if name.startswith(("equal", "greater", "logical")):
        numbers = np.round(numbers)
    if name.endswith(("propagate", "ignore")):
        numbers[random.random(sizes) < 0.25] = np.nan
        numbers.flat[0] = np.inf
        if name.startswith(("reduce", "argmax")):
            # Rows of numbers, of NaNs, of both, and of ties.
            numbers[1] = [1, 2, 2, 1]
            numbers[2] = np.nan
    return numbers.astype(upstream.TYPES[element])


def interpolate_integers(name, inputs):
    """Integers between pixels whose centres meet, by the formulas of TOSA's specification:
    places are rounded down. Upstream's lowering rounds them towards zero, which is another
    place before the first pixel."""
    (x,) = inputs
    x = x.astype(np.int64)
    for axis, (n, d, offset, count) in {1: (4, 2, -1, 8), 2: (6, 2, -2, 15)}.items():
        y = np.arange(count) * d + offset
        place, part = y // n, y % n
        first, second = (x.take(np.clip(p, 0, x.shape[axis] - 1), axis)
                         for p in (place, place + 1))
        shape = [1, 1, 1, 1]
        shape[axis] = count
        part = part.reshape(shape)
        x = first * (n - part) + second * part
    return x.astype(np.int32)


# Functions that upstream's lowering computes otherwise than TOSA's specification says.
ORACLES = {"resize_bilinear_centres_i8": interpolate_integers}


def merge(text, functions):
    """One function @main with the operations of all functions, one after the other."""
    arguments, body, results = [], [], []
    for name in functions:
        head, inner = re.search(rf"func\.func @{name}\((.*?)\) -> [^{{]*{{\n(.*?)\n}}", text,
                                re.DOTALL).groups()
        rename = lambda part: re.sub(r"%(\w+)", rf"%{name}_\1", part)
        *operations, last = rename(inner).split("\n")
        arguments += rename(head).split(", ")
        body += operations
        results.append(re.search(r"%\w+", last)[0])
    types = ", ".join(f"tensor<{result}>" for _, result in functions.values())
    return (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n" + "\n".join(body) +
            f"\n  return {', '.join(results)} : {types}\n}}\n")


def main(tools, folder, module, *options):
    folder = pathlib.Path(folder)
    text = pathlib.Path(module).read_text(encoding="utf-8")
    functions = upstream.read_functions(text)
    random = np.random.default_rng(1)
    inputs = {name: [draw(random, name, i, argument) for i, argument in enumerate(arguments)]
              for name, (arguments, _) in functions.items()}
    wanted = upstream.run(text, functions, inputs,
                          upstream.TOSA_TO_LINALG + upstream.LINALG_TO_LLVM, tools, folder)
    whole, executable = folder / "whole.mlir", folder / "whole.dmlx"
    whole.write_text(merge(text, functions), encoding="utf-8")
    subprocess.run(["dml-compile", *options, whole, "-o", executable], check=True)
    command = ["dml-run", executable]
    for name, arrays in inputs.items():
        for i, array in enumerate(arrays):
            file = folder / f"{name}.{i}.npy"
            np.save(file, array)
            command.append(f"--input=@{file}")
    subprocess.run([*command, *(f"--output=@{folder / name}.npy" for name in functions)],
                   check=True)
    differences = 0
    for name in functions:
        found = np.load(folder / f"{name}.npy")
        oracle = ORACLES.get(name)
        of = oracle(name, inputs[name]) if oracle else wanted[name]
        if message := upstream.describe_difference(found, of):
            differences += 1
            print(f"{name}: {message} by {'the oracle' if oracle else 'upstream'}")
    print(f"{len(functions)} functions, {differences} differences")
    judged = subprocess.run([*command, f"--compare-reference={whole}"], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if judged.returncode:
        print(judged.stdout)
    print("interpreter:", "differs" if judged.returncode else "agrees")


if __name__ == "__main__":
    main(*sys.argv[1:])
