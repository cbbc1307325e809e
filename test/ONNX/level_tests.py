#!/usr/bin/env python3
# The feature level of each network of benchmarks/networks.py, as the model stands and with
# ONNX Runtime's optimizations: all are decided.
#
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import subprocess
import sys
import tempfile

# The networks that need another level with the optimizations.
CHANGED = {"resnet18": ("1_0", "2_0"), "resnet50": ("1_0", "2_0")}
LEVELS = {
    "1_0": ("densenet121", "efficientnet_b0", "inception", "lenet", "lstm", "mobilenetv3",
            "unet"),
    "2_1": ("qdq_mobilenet",),
    "5_0": ("mobilenetv2",),
    "5_1": ("llama", "yolov4_tiny", "yolov8_head"),
    "6_3": ("bert_base", "gpt2", "sd_unet_block", "vit_b", "whisper_encoder"),
}


def main(folder):
    wanted = {name: (level, level) for level, names in LEVELS.items() for name in names}
    wanted.update(CHANGED)
    root = pathlib.Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, root / "benchmarks/networks.py", "--all", "--small", "-o",
                    folder], check=True)
    wrong = 0
    models = sorted(pathlib.Path(folder).glob("*.onnx"))
    if {model.stem for model in models} != set(wanted):
        print("other networks:", [model.stem for model in models])
        wrong += 1
    for model in models:
        levels = []
        for option in ("none", "all"):
            result = subprocess.run(
                ["dml-explain", model, "--json", f"--ort-optimizations={option}"],
                capture_output=True, text=True)
            levels.append(json.loads(result.stdout)["level"] if result.stdout else result.stderr)
        if tuple(levels) != wanted.get(model.stem):
            print("WRONG", model.stem, levels, "wanted", wanted.get(model.stem))
            wrong += 1
    print(f"{len(models)} networks, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if main(folder) else 0)
