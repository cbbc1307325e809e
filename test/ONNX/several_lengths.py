#!/usr/bin/env python3
# A decoder for several lengths is one executable: its functions have one copy of
# the weights, and compute what an executable of each alone does.
#
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys

import numpy as np

# Options of dml-compile.
folder, source, *options = sys.argv[1:]


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr}")
    return result.stdout


lengths = {"main": 16, "long": 48, "longest": 64}
for name, capacity in lengths.items():
    run(sys.executable, f"{source}/benchmarks/networks.py", "llama", "--small",
        f"--capacity={capacity}", "-o", f"{folder}/{name}.onnx")
    run("dml-compile", *options, f"{folder}/{name}.onnx", "-o", f"{folder}/{name}.dmlx")
run("dml-compile", *options, f"{folder}/main.onnx", f"--add-function=long={folder}/long.onnx",
    f"--add-function=longest={folder}/longest.onnx", "-o", f"{folder}/all.dmlx")
alone = [os.path.getsize(f"{folder}/{name}.onnx") for name in lengths]
shared = os.path.getsize(f"{folder}/all.dmlx") - sum(
    os.path.getsize(f"{folder}/{name}.dmlx") for name in lengths)
# The weights are most of a model, and stand once for the three.
if shared > -1.5 * min(alone):
    sys.exit(f"the executable has {shared} bytes more than the three, whose models have {alone}")

# So do weights in a file of their own, but for the tables whose length is the capacity.
run("dml-compile", *options, f"{folder}/main.onnx",
    f"--external-weights={folder}/alone.bin", "-o", f"{folder}/none.dmlx")
run("dml-compile", *options, f"{folder}/main.onnx", f"--add-function=long={folder}/long.onnx",
    f"--add-function=longest={folder}/longest.onnx", f"--external-weights={folder}/all.bin",
    "-o", f"{folder}/external.dmlx")
sizes = [os.path.getsize(f"{folder}/{name}.bin") for name in ("alone", "all")]
if sizes[1] > 1.1 * sizes[0]:
    sys.exit(f"the weights of one function have {sizes[0]} bytes, but those of all have {sizes[1]}")

random = np.random.RandomState(3)
for name, capacity in lengths.items():
    inputs = ["--input=input_ids=1x1xi64=7", "--input=length=1xi64=5"]
    for layer in range(2):
        for kind in ("key", "value"):
            np.save(f"{folder}/{kind}{layer}.npy",
                    random.standard_normal((1, 2, capacity, 8)).astype(np.float32))
            inputs.append(f"--input={kind}{layer}=@{folder}/{kind}{layer}.npy")
    run("dml-run", f"{folder}/{name}.dmlx", *inputs, f"--output=logits=@{folder}/wanted.npy")
    run("dml-run", f"{folder}/all.dmlx", f"--function={name}", *inputs,
        f"--output=logits=@{folder}/found.npy")
    run("dml-run", f"{folder}/external.dmlx", f"--weights={folder}/all.bin",
        f"--function={name}", *inputs, f"--output=logits=@{folder}/external.npy")
    wanted, found, external = (np.load(f"{folder}/{which}.npy")
                               for which in ("wanted", "found", "external"))
    if not np.array_equal(wanted, external):
        sys.exit(f"{name} computes other numbers with the weights of a file")
    if not np.array_equal(wanted, found) or not np.abs(wanted).max() > 0:
        sys.exit(f"{name} computes other numbers within the executable than alone")
print("all right")
