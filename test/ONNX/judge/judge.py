#!/usr/bin/env python3
"""Judges the importer of ONNX models from outside: random nodes and graphs, whose outputs
ONNX Runtime's CPU provider tells, are read and interpreted.

  judge.py live --count=1000 --seed=1 --onnxruntime=node_modules/onnxruntime-node
  judge.py show 17 --onnxruntime=...         a random case, and all about it"""
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import io
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper
from compare import describe_wrong, find_deviation, find_wrong
from container import read_records, take_array
from draw import state_outputs
import generate

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
# Sentences that name what DirectML has not, or this dialect of it.
LIMITS = [r"but feature level \d_\d supports", r"no DirectML tensor has",
          r"wanted are 1 to 2\^32 - 1 elements", r"DirectML", r"the provider"]


def find_tool(name):
    folders = [os.environ.get("PATH", ""), str(ROOT / "build/release/bin")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if not found:
        sys.exit(f"judge.py: error: there is no {name} in PATH or {folders[1]}")
    return found


#===----------------------------------------------------------------------===#
# ONNX Runtime
#===----------------------------------------------------------------------===#

def ask(cases, onnxruntime):
    """For each case, what ONNX Runtime answers with and without its optimizations: a
    header and bytes. A case that ends ONNX Runtime itself has an error for an answer."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        questions, output = pathlib.Path(folder, "cases"), pathlib.Path(folder, "answers")
        with open(questions, "wb") as file:
            for case in cases:
                case.write(file)
        while len(answers) < 2 * len(cases):
            output.write_bytes(b"")
            process = subprocess.run(
                ["node", FOLDER / "ask.js", os.path.abspath(onnxruntime), questions,
                 output, str(len(answers) // 2)], capture_output=True, text=True)
            found = list(read_records(output.read_bytes()))
            answers += found[:len(found) // 2 * 2]
            if process.returncode != 0 and len(answers) < 2 * len(cases):
                if not found and "Cannot find module" in process.stderr:
                    sys.exit(f"judge.py: error: {process.stderr[-500:]}")
                answers += [({"error": "ONNX Runtime crashed"}, b"")] * 2
    return list(zip(answers[::2], answers[1::2]))


def take_outputs(header, payload):
    outputs, at = {}, 0
    for info in header["outputs"]:
        outputs[info["name"]], at = take_array(info, payload, at)
    return outputs


def learn(cases, onnxruntime, notes):
    """The cases that ONNX Runtime answers, with its answers."""
    known = []
    for case, (optimized, plain) in zip(cases, ask(cases, onnxruntime)):
        if "error" in plain[0]:
            notes[case.name.split()[0]][plain[0]["error"][:300]] += 1
            continue
        case.outputs = take_outputs(*plain)
        if "error" in optimized[0]:
            case.about["note"] = "ONNX Runtime's optimizations fail: " + \
                optimized[0]["error"][:150]
        elif any(not np.array_equal(find_wrong(
                np.atleast_1d(array.view(np.uint8) if array.dtype == bool else array),
                case.outputs[name], case.about["tolerance"]), np.zeros(
                    np.atleast_1d(array).shape, bool))
                for name, array in take_outputs(*optimized).items()):
            case.about["note"] = "ONNX Runtime's optimizations change the outputs"
        state_outputs(case, plain[0]["outputs"], random.Random(case.name))
        known.append(case)
    return known


#===----------------------------------------------------------------------===#
# dml
#===----------------------------------------------------------------------===#

def interpret(cases, arguments=()):
    """What dml-judge-nodes makes of cases: headers and bytes."""
    with tempfile.TemporaryDirectory() as folder:
        questions, output = pathlib.Path(folder, "cases"), pathlib.Path(folder, "results")
        with open(questions, "wb") as file:
            for case in cases:
                case.write(file, is_question=True)
        subprocess.run([find_tool("dml-judge-nodes"), *arguments, questions, output],
                       check=True)
        results = list(read_records(output.read_bytes()))
    if len(results) != len(cases):
        sys.exit(f"judge.py: error: {len(results)} results of {len(cases)} cases")
    return results


def simplify(sentence):
    """A refusal without the numbers and names of its node."""
    lines = sentence.strip().split("\n")
    node = len(lines) > 1 and re.fullmatch(r"  (.*?): \d+ nodes?, .*?': (.*)", lines[1])
    return f"{node[1]}: {node[2]}" if node else lines[0]


def judge(case, header, payload):
    """An outcome and a sentence."""
    kind, message = header["outcome"], header["message"]
    if kind == "refused":
        sentence = simplify(message)
        limited = any(re.search(limit, sentence) for limit in LIMITS)
        return ("refused by DirectML's limits" if limited else "refused otherwise"), sentence
    if kind != "computed":
        return kind, message.strip()
    if len(header["outputs"]) != len(case.outputs):
        return "differs", (f"there are {len(header['outputs'])} outputs, but wanted are "
                           f"{len(case.outputs)}")
    at, wrongs, sentences, is_open = 0, [], [], False
    for info, (name, wanted) in zip(header["outputs"], case.outputs.items()):
        found, at = take_array(info, payload, at)
        lower = upper = None
        if not info["exact"]:
            lower, at = take_array(info, payload, at)
            upper, at = take_array(info, payload, at)
        wrong = find_wrong(found, wanted, case.about["tolerance"], lower, upper)
        if isinstance(wrong, str) or wrong.any():
            wrongs.append((found, wanted, wrong))
            sentences.append(describe_wrong(name, found, wanted, wrong))
    if not wrongs:
        return "agrees", ""
    deviation = find_deviation(case, wrongs)
    if deviation:
        return "DirectML's meaning", deviation
    return "differs", "; ".join(sentences)


def show_node(node):
    def convert(attribute):
        value = onnx.helper.get_attribute_value(attribute)
        return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value

    attributes = {attribute.name: convert(attribute) for attribute in node.attribute}
    return (f"{', '.join(node.output)} = {node.domain}.{node.op_type}"
            f"({', '.join(node.input)}) {attributes or ''}")


def show(case):
    model = onnx.ModelProto.FromString(case.model)
    lines = [show_node(node) for node in model.graph.node]
    with np.printoptions(threshold=60, precision=9):
        for name, array in case.inputs.items():
            lines.append(f"{name} {array.dtype}{list(array.shape)} = {array.tolist()!r:.400}")
        for tensor in model.graph.initializer:
            array = numpy_helper.to_array(tensor)
            lines.append(f"constant {tensor.name} {array.dtype}{list(array.shape)} = "
                         f"{array.tolist()!r:.400}")
        for name, array in case.outputs.items():
            lines.append(f"wanted {name} {array.dtype}{list(array.shape)} = "
                         f"{array.tolist()!r:.400}")
    return "\n".join(lines)


def run_live(options):
    notes = collections.defaultdict(collections.Counter)
    outcomes, classes = collections.Counter(), collections.defaultdict(list)
    answered = collections.Counter()
    drawn = collections.Counter()
    for start in range(options.seed, options.seed + options.count, 2000):
        seeds = range(start, min(start + 2000, options.seed + options.count))
        cases = [generate.draw_case(seed, options.only, options.newest) for seed in seeds]
        for case in cases:
            drawn[case.name.split()[0]] += 1
        known = learn(cases, options.onnxruntime, notes)
        for case, result in zip(known, interpret(known)):
            operator = case.name.split()[0]
            answered[operator] += 1
            outcome, sentence = judge(case, *result)
            outcomes[outcome] += 1
            if outcome != "agrees":
                short = re.sub(r"[-\d.]+(e[-+]?\d+)?", "#", sentence)[:90] \
                    if outcome not in ("differs", "crash") else sentence[:0]
                classes[outcome, operator, short].append((case, sentence))
    report(options, outcomes, classes, notes, drawn, answered)


def report(options, outcomes, classes, notes, drawn, answered):
    if options.details:
        folder = pathlib.Path(options.details)
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "unanswered.txt", "w") as file:
            for name, errors in sorted(notes.items()):
                for error, count in errors.most_common(8):
                    print(count, name, error.replace("\n", " "), file=file)
        with open(folder / "yield.txt", "w") as file:
            for name, count in sorted(drawn.items()):
                print(f"{answered[name]} of {count} {name}", file=file)
        for outcome in {key[0] for key in classes}:
            with open(folder / (outcome.replace(" ", "-").replace("'", "") + ".txt"),
                      "w") as file:
                for key, found in sorted(classes.items(), key=lambda item: -len(item[1])):
                    if key[0] != outcome:
                        continue
                    print(f"=== {len(found)} {key[1]}: {found[0][1]}", file=file)
                    for case, sentence in found[:4]:
                        note = case.about.get("note", "")
                        print(f"--- {case.name} {note}\n{sentence}\n{show(case)}", file=file)
    print(f"{sum(drawn.values())} drawn, {sum(answered.values())} answered by ONNX Runtime")
    for outcome, count in outcomes.most_common():
        print(f"{count:7} {outcome}")
    for key, found in sorted(classes.items(), key=lambda item: -len(item[1])):
        if key[0] not in ("refused by DirectML's limits", "DirectML's meaning") and (
                key[0] != "refused otherwise" or options.refused):
            print(f"{len(found)} {key[0]}: {key[1]}: {found[0][1][:160]} ({found[0][0].name})")


def run_show(options):
    case = generate.draw_case(options.seed, options.only, options.newest)
    print(case.name)
    notes = collections.defaultdict(collections.Counter)
    known = learn([case], options.onnxruntime, notes)
    print(show(case), dict(notes), case.about.get("note", ""))
    if known:
        header, payload = interpret(known)[0]
        print(header)
        print(judge(case, header, payload))
    if options.save:
        pathlib.Path(options.save).write_bytes(case.model)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    live = commands.add_parser("live")
    live.add_argument("--count", type=int, default=1000)
    live.add_argument("--seed", type=int, default=1)
    live.add_argument("--refused", action="store_true", help="print refusals as well")
    live.add_argument("--details", help="a folder for what was found")
    one = commands.add_parser("show")
    one.add_argument("seed", type=int)
    one.add_argument("--save")
    for command in (live, one):
        command.add_argument("--only", help="one operator, or 'shapes'")
        command.add_argument("--newest", type=int, default=generate.NEWEST,
                             help="the newest operator set")
        command.add_argument("--onnxruntime", required=True,
                             help="the folder of npm's onnxruntime-node")
    options = parser.parse_args()
    {"live": run_live, "show": run_show}[options.command](options)


if __name__ == "__main__":
    main()
