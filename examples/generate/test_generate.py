#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares programs, dml-generate and generate.py: tokens with all kinds of caches and by draws,
and what each says of bad folders and arguments.

    test_generate.py FOLDER PROGRAM...
"""
import json
import subprocess
import sys
from pathlib import Path

import make_folder

PROMPT = [5, 7, 11, 13, 17, 19, 23]


class Tester:
    def __init__(self, folder, programs):
        self.programs = [[sys.executable, "-B", each] if each.endswith(".py") else [each]
                         for each in programs]
        self.folder, self.kept = folder, f"--programs={folder / 'programs'}"

    def run(self, program, *arguments):
        return subprocess.run([*program, *map(str, arguments)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def find_tokens(self, *arguments):
        """The tokens that all programs print."""
        found = []
        for program in self.programs:
            result = self.run(program, *arguments, self.kept)
            assert result.returncode == 0, f"{program[-1]} {arguments}: {result.stderr}"
            found.append([int(token) for token in result.stdout.split()])
        assert all(each == found[0] for each in found), f"{arguments}: {found}"
        return found[0]

    def refuse(self, wanted, *arguments):
        """Checks that all programs refuse the arguments with a message that has `wanted`."""
        for program in self.programs:
            result = self.run(program, *arguments)
            assert result.returncode == 1 and "error: " in result.stderr \
                and wanted in result.stderr and "Traceback" not in result.stderr, \
                f"{program[-1]} {arguments}: wanted is '{wanted}', found is '{result.stderr}'"

    def spoil(self, name, *path, value=None):
        """A folder whose config lacks a member or has another value for it."""
        folder = self.folder / name
        make_folder.make_folder(folder, "tiny", "f32", seed=3)
        config = json.loads((folder / make_folder.CONFIG).read_text())
        members = config
        for part in path[:-1]:
            members = members[part]
        if value is None:
            del members[path[-1]]
        else:
            members[path[-1]] = value
        (folder / make_folder.CONFIG).write_text(json.dumps(config))
        return folder


def check_tokens(tester, folder):
    greedy = tester.find_tokens(folder, *PROMPT, "--max=20")
    assert len(greedy) == 20 and len(set(greedy)) > 4, greedy
    for options in (["--copies"], ["--cache=growing"], ["--chunk=3"]):
        assert tester.find_tokens(folder, *PROMPT, "--max=20", *options) == greedy, options
    assert tester.find_tokens(folder, *PROMPT, "--max=3", "--cache=exact") == greedy[:3]
    assert tester.find_tokens(folder, *PROMPT, "--max=20", "--sample", "--top-k=1") == greedy
    draws = [tester.find_tokens(folder, *PROMPT, "--max=20", "--sample", "--top-p=0.9",
                                "--temperature=1.5", f"--seed={seed}") for seed in (1, 2, 1)]
    assert draws[0] == draws[2] != draws[1], draws
    (tester.folder / "prompt.txt").write_text(" ".join(map(str, PROMPT)))
    assert tester.find_tokens(folder, f"--prompt={tester.folder / 'prompt.txt'}",
                              "--max=3") == greedy[:3]
    # A text ends with the first token that ends one.
    end = tester.spoil("end", "model", "eos_token_id", value=[greedy[3], 4000])
    assert tester.find_tokens(end, *PROMPT, "--max=20") == greedy[:greedy.index(greedy[3]) + 1]
    # The programs also agree with a penalty, a least length, and 43 logits of f16.
    for name, value in ("repetition_penalty", 1.5), ("min_length", 12):
        tester.find_tokens(tester.spoil(name, "search", name, value=value), *PROMPT, "--max=20")
    make_folder.make_folder(tester.folder / "half",
                            {**make_folder.SIZES["tiny"], "vocabulary": 43}, "f16", seed=3)
    tester.find_tokens(tester.folder / "half", *PROMPT, "--max=20")


def check_refusals(tester, folder):
    tester.refuse("genai_config.json", tester.folder / "nowhere", 1)
    broken = tester.spoil("broken", "model", "type")
    (broken / make_folder.CONFIG).write_text('{"model": [1, 2')
    tester.refuse("is no JSON", broken, 1)
    tester.refuse("'model.decoder.head_size' is not there, but wanted is a number from 1 to 65536",
                  tester.spoil("no-size", "model", "decoder", "head_size"), 1)
    tester.refuse("wanted is a name with one %d for the layer",
                  tester.spoil("no-layer", "model", "decoder", "inputs", "past_key_names",
                               value="past"), 1)
    tester.refuse("names the input 'ids', but", tester.spoil(
        "no-ids", "model", "decoder", "inputs", "input_ids", value="ids"), 1)
    tester.refuse("has the input 'position_ids', but", tester.spoil(
        "no-positions", "model", "decoder", "inputs", "position_ids"), 1)
    tester.refuse("'search.num_beams' is 4, but wanted is 1: one text is made",
                  tester.spoil("beams", "search", "num_beams", value=4), 1)
    tester.refuse("'search.top_p' is \"x\", but wanted is a number from 0 to 2147483647",
                  tester.spoil("top", "search", "top_p", value="x"), 1)
    tester.refuse("'model.decoder.num_hidden_layers' is 2.5, but wanted is a whole number",
                  tester.spoil("layers", "model", "decoder", "num_hidden_layers", value=2.5), 1)
    tester.refuse("'model.vocab_size' is 50, but wanted", tester.spoil(
        "words", "model", "vocab_size", value=50), 1)
    tester.refuse("'model.decoder.num_hidden_layers' is 1000000000, but wanted is a number from 1",
                  tester.spoil("many", "model", "decoder", "num_hidden_layers", value=10**9), 1)
    (tester.spoil("no-model", "model", "type") / "model.onnx").unlink()
    tester.refuse("model.onnx", tester.folder / "no-model", 1)
    (tester.spoil("no-weights", "model", "type") / "model.onnx.data").unlink()
    tester.refuse("model.onnx.data", tester.folder / "no-weights", 1)
    weights = tester.spoil("no-numbers", "model", "type") / "model.onnx.data"
    weights.write_bytes(b"\xff" * weights.stat().st_size)
    for greedy in ("--greedy", "--sample"):
        tester.refuse("a logit behind 1 tokens is no finite number", weights.parent, 1, greedy)
    tester.refuse("a token is '48', but wanted is a number from 0 to 47", folder, 1, 48)
    tester.refuse("a token is 'x', but wanted", folder, "x")
    tester.refuse("there are no tokens", folder)
    tester.refuse("the prompt has 64 tokens, but the longest text of this decoder has 64",
                  folder, *[1] * 64)
    tester.refuse("the capacity is 8, but wanted are 16 positions", folder, *PROMPT, "--max=10",
                  "--capacity=8")


def main():
    tester = Tester(Path(sys.argv[1]), sys.argv[2:])
    folder = tester.folder / "tiny"
    make_folder.make_folder(folder, "tiny", "f32", seed=3)
    check_tokens(tester, folder)
    check_refusals(tester, folder)
    print(f"tokens and refusals are right in {len(tester.programs)} programs")


if __name__ == "__main__":
    main()
