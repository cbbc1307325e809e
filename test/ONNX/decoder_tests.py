#!/usr/bin/env python3
"""Small decoders of several families against ONNX Runtime.

examples/generate writes their folders and runs them: prompts of 1, 5 and 17 tokens and 8 steps,
with fixed and with growing caches, in place and with copies. The tokens are those that ONNX Runtime 1.30 chose on the CPU,
and the logits are close to its logits, which decoder_values.json has.

    test/ONNX/decoder_tests.py FOLDER
    test/ONNX/decoder_tests.py FOLDER --record=/tmp/ort  # writes decoder_values.json

--record runs npm's package onnxruntime-node in the folder that it names.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import base64
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "examples" / "generate"))
import generate  # noqa: E402
from make_folder import SIZES, make_folder  # noqa: E402

VALUES = HERE / "decoder_values.json"
STEPS, CAPACITY = 8, 32
# The largest difference of a logit, of which the largest are near 4.
BOUNDS = {"f32": 2e-5, "f16": 1e-2}
# A growing cache begins with so many positions, so that a prompt or a step outgrows it.
generate.POSITIONS = 8
PROMPTS = {count: [(7 * place + 3 + count) % 48 for place in range(count)]
           for count in (1, 5, 17)}
# All heads have keys of their own, and a query sees seven of them, as in Phi-3-mini with 2,047.
PHI3 = {"family": "phi3", "key_heads": 4, "window": 7}
PHI = {"family": "phi", "head": 32, "turned": 0.5}
# A text of eight tokens or more is rotated by other tables, as in Phi-4-mini with 4,096.
PHI4 = {"family": "phi3", "head": 32, "turned": 0.5, "original": 8}
# The name, what differs from the tiny Llama, the precision, the layout, zero points, and a seed
# with which the best token is clearly better than the next: in f16, by 0.03 at least.
DECODERS = {
    "llama f32": ({}, "f32", "dml", False, 7),
    "llama f16": ({}, "f16", "cuda", False, 5),
    "llama int4": ({}, "int4", "dml", False, 25),
    "phi3 f32": (PHI3, "f32", "cuda", False, 5),
    "phi3 f16": (PHI3, "f16", "dml", False, 6),
    "phi3 int4": (PHI3, "int4", "cuda", True, 13),
    "phi4 f32": (PHI4, "f32", "dml", False, 5),
    "phi int4 f32": (PHI, "int4-f32", "cuda", True, 9),
    "qwen2 f32": ({"family": "qwen2"}, "f32", "dml", False, 5),
    "qwen2 f16": ({"family": "qwen2"}, "f16", "cuda", False, 7),
    "qwen2 int4": ({"family": "qwen2"}, "int4", "dml", True, 15),
    "qwen3 int4 f32": ({"family": "qwen3"}, "int4-f32", "dml", False, 5),
}
# The prompts that decoders run with growing caches, and with caches that are copied. All run all
# prompts with fixed caches in place.
GROWING = {"llama f32": (1, 5, 17)}
COPIED = {"llama f32": (1, 5, 17), "phi3 f16": (1,), "qwen2 int4": (1,)}


def get_sizes(name):
    return {**SIZES["tiny"], **DECODERS[name][0]}


def write(folder, name):
    path = folder / name.replace(" ", "-")
    _, precision, layout, zero_points, seed = DECODERS[name]
    make_folder(path, get_sizes(name), precision, layout, zero_points, seed)
    return path


# Recording

RECORDER = """
const fs = require('fs');
const [runtime, file] = process.argv.slice(2);
const ort = require(runtime + '/node_modules/onnxruntime-node');
const big = numbers => BigInt64Array.from(numbers, BigInt);

function toFloat(half) {
  const exponent = half >> 10 & 31, fraction = half & 1023, sign = half >> 15 ? -1 : 1;
  if (exponent == 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

// Runs a prompt and greedy steps. With a capacity of 0, the past grows by each run.
async function generate(session, {config, dtype, prompt, steps, capacity}) {
  const {decoder} = config.model;
  const names = [];
  for (let layer = 0; layer < decoder.num_hidden_layers; ++layer)
    names.push(`${layer}.key`, `${layer}.value`);
  const shape = [1, decoder.num_key_value_heads, capacity, decoder.head_size];
  const Numbers = dtype == 'float16' ? Uint16Array : Float32Array;
  let caches = names.map(() => new ort.Tensor(
    dtype, new Numbers(shape.reduce((a, b) => a * b)), shape));
  let tokens = prompt, length = 0;
  const chosen = [], rows = [];
  for (let step = 0; step <= steps; ++step) {
    const total = length + tokens.length, size = capacity || total;
    const mask = Array.from({length: size}, (_, place) => place < total ? 1 : 0);
    const feeds = {input_ids: new ort.Tensor('int64', big(tokens), [1, tokens.length]),
                   attention_mask: new ort.Tensor('int64', big(mask), [1, size])};
    if (decoder.inputs.position_ids)
      feeds.position_ids = new ort.Tensor(
        'int64', big(tokens.map((_, place) => length + place)), [1, tokens.length]);
    names.forEach((name, place) => feeds[`past_key_values.${name}`] = caches[place]);
    const found = await session.run(feeds);
    caches = names.map(name => found[`present.${name}`]);
    const width = config.model.vocab_size;
    const {data} = found.logits;
    const bits = new Numbers(data.buffer, data.byteOffset, data.length);
    const last = Array.from(bits.slice(-width), x => dtype == 'float16' ? toFloat(x) : x);
    rows.push(...last);
    length = total;
    tokens = [last.indexOf(Math.max(...last))];
    chosen.push(tokens[0]);
  }
  const floats = Float32Array.from(rows);
  return [chosen, Buffer.from(floats.buffer).toString('base64')];
}

(async () => {
  const results = [];
  for (const run of JSON.parse(fs.readFileSync(file))) {
    const session = await ort.InferenceSession.create(
      run.folder + '/model.onnx', {graphOptimizationLevel: 'disabled'});
    run.config = JSON.parse(fs.readFileSync(run.folder + '/genai_config.json'));
    results.push(await generate(session, run));
  }
  fs.writeFileSync(file + '.results', JSON.stringify(results));
})();
"""


def decode(data, rows=STEPS + 1):
    return np.frombuffer(base64.b64decode(data), np.float32).reshape(rows, -1)


def record(folder, runtime):
    runs = []
    for name in DECODERS:
        path = write(folder, name)
        dtype = "float32" if DECODERS[name][1].endswith("f32") else "float16"
        runs += [(name, count, {"folder": str(path), "dtype": dtype, "prompt": prompt,
                                "steps": STEPS, "capacity": capacity})
                 for count, prompt in PROMPTS.items() for capacity in (0, CAPACITY)]
    file, recorder = folder / "runs.json", folder / "record.js"
    file.write_text(json.dumps([run for _, _, run in runs]))
    recorder.write_text(RECORDER)
    subprocess.run(["node", recorder, Path(runtime).resolve(), file], check=True)
    results = json.loads((folder / "runs.json.results").read_text())
    values = {}
    for (name, count, _), growing, fixed in zip(runs[::2], results[::2], results[1::2]):
        a, b = decode(growing[1]), decode(fixed[1])
        gap = np.sort(a)[:, -1] - np.sort(a)[:, -2]
        print(f"{name} {count}: tokens {growing[0]}, {np.abs(a - b).max():.1e} between a growing "
              f"and a fixed cache, {gap.min():.1e} between the best and the next token")
        assert growing[0] == fixed[0]
        values.setdefault(name, {})[count] = growing
    VALUES.write_text("{\n" + ",\n".join(
        f"{json.dumps(name)}: {json.dumps(value)}" for name, value in values.items()) + "\n}\n")


# Checking

def run(decoder, prompt):
    """The tokens that follow greedily, and the logits of each."""
    decoder.reset()
    rows = [decoder.forward(prompt)]
    for _ in range(STEPS):
        rows.append(decoder.forward([int(rows[-1].argmax())]))
    return [int(row.argmax()) for row in rows], np.stack(rows)


def check(folder, name, recorded):
    """Returns how many texts were compared, and the largest difference of their logits."""
    config = generate.Config(write(folder, name))
    fixed = generate.Decoder(config, CAPACITY)
    forms = {
        "fixed": (fixed, PROMPTS),
        "growing": (generate.Decoder(config, CAPACITY, "growing", session=fixed.session),
                    GROWING.get(name, (17,))),
        "copied": (generate.Decoder(config, CAPACITY, copies=True, session=fixed.session),
                   COPIED.get(name, ()))}
    bound = BOUNDS["f32" if DECODERS[name][1].endswith("f32") else "f16"]
    most = texts = 0
    for count, prompt in PROMPTS.items():
        tokens, logits = recorded[str(count)]
        bits = {}
        for form, (decoder, counts) in forms.items():
            if count not in counts:
                continue
            what = f"{name}, {form} cache, a prompt of {count}"
            found = run(decoder, prompt)
            error = np.abs(found[1] - decode(logits)).max()
            if found[0] != tokens:
                sys.exit(f"{what}: the tokens are {found[0]}, but wanted are {tokens}")
            if not error <= bound:
                sys.exit(f"{what}: the logits differ by {error:.1e}, but wanted is {bound} at most")
            bits[form] = found[1].tobytes()
            most, texts = max(most, error), texts + 1
        if bits.get("copied", bits["fixed"]) != bits["fixed"]:
            sys.exit(f"{name}, a prompt of {count}: the logits differ with copies")
    return texts, most


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--record")
    parser.add_argument("--singles", action="store_true",
                        help="those in f32 alone: caches of f16 in place need 16-bit storage")
    arguments = parser.parse_args()
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.record:
        record(folder, arguments.record)
        return
    recorded = json.loads(VALUES.read_text())
    results = {name: check(folder, name, recorded[name]) for name in DECODERS
               if name.endswith("f32") or not arguments.singles}
    for name, (texts, most) in results.items():
        print(f"{name}: {texts} texts agree, and the logits differ by {most:.1e} at most")


if __name__ == "__main__":
    main()
