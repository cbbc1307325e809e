"""Runs functions of dml operators on the host: by --dml-to-linalg, then upstream's passes and
mlir-runner. Each result has to lie within the bounds of dml's interpreter.

    run_on_host.py MLIR_TOOLS FOLDER MODULE

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Inputs"))
import upstream


def main(tools, folder, module):
    folder = pathlib.Path(folder)
    functions = upstream.read_functions(pathlib.Path(module).read_text(encoding="utf-8"))
    random = np.random.default_rng(1)
    inputs = {}
    for name, (arguments, _) in functions.items():
        inputs[name] = []
        for argument in arguments:
            sizes, element = upstream.parse_type(argument)
            of = upstream.TYPES[element]
            inputs[name].append((random.integers(0, 4, sizes) if element.startswith("i")
                                 else random.uniform(-2, 2, sizes)).astype(of))
    linalg = folder / "linalg.mlir"
    subprocess.run(["dml-opt", module, "--dml-to-linalg", "-o", linalg], check=True)
    results = upstream.run(linalg.read_text(encoding="utf-8"), functions, inputs,
                           upstream.LINALG_TO_LLVM, tools, folder)
    wrong = 0
    for name, found in results.items():
        command = ["dml-interpret", module, "--function=" + name]
        for i, array in enumerate(inputs[name]):
            np.save(folder / f"{name}.{i}.npy", array)
            command.append(f"--input=@{folder / name}.{i}.npy")
        files = [folder / f"{name}.{bound}.npy" for bound in ("value", "lower", "upper")]
        subprocess.run([*command, f"--output=@{files[0]}", f"--lower=@{files[1]}",
                        f"--upper=@{files[2]}"], check=True)
        _, lower, upper = (np.load(file) for file in files)
        outside = ~((lower <= found) & (found <= upper))
        if outside.any() or not np.isfinite(lower.astype(np.float64)).all():
            wrong += 1
            place = tuple(np.argwhere(outside)[0]) if outside.any() else "none"
            print(f"{name}: {int(outside.sum())} of {found.size} elements lie outside of the "
                  f"interpreter's bounds, the first at {place}")
    print(f"{len(results)} functions, {wrong} outside of the interpreter's bounds")


if __name__ == "__main__":
    main(*sys.argv[1:])
