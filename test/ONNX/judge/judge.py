#!/usr/bin/env python3
"""Judges the importer of ONNX models from outside: random nodes and graphs, whose outputs
ONNX Runtime's CPU provider tells, are read and interpreted.

  judge.py live --count=1000 --seed=1 --onnxruntime=node_modules/onnxruntime-node
  judge.py show 17 --onnxruntime=...         a random case, and all about it
  judge.py freeze nodes.xz --count=6000 --onnxruntime=...   keeps random cases
  judge.py pack named.xz FOLDER...           keeps cases of folders
  judge.py check nodes.xz                    whether the outcomes are those that were kept
  judge.py update nodes.xz                   keeps the outcomes of today
  judge.py page                              compares or writes docs/ONNXJudge.md"""
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import lzma
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper
from compare import describe_wrong, find_deviation, find_wrong, is_between
from container import Case, read_cases, read_records, take_array
from draw import Draw, state_outputs
import generate
from nodes import ROOT, judge_nodes, simplify
from older import modernize
from page import AGREES, LIMITED, MEANING, REFUSED, STANDING, write_page
from specification import correct

FOLDER = pathlib.Path(__file__).resolve().parent
# Sentences that name what DirectML has not, or this dialect of it.
LIMITS = [r"but feature level \d_\d supports", r"no DirectML tensor has",
          r"1 to 2\^32 - 1 elements", r"DirectML", r"the provider",
          r"the shape of its result depends"]


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
                case.write(file, model=case.question)
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


def lower_opset(model):
    """The same model of version 21 of the operator set. What changed in version 22 is
    that operators take bfloat16, and ONNX Runtime has no kernels of some of these."""
    model = onnx.ModelProto.FromString(model)
    for entry in model.opset_import:
        if entry.domain == "":
            entry.version = 21
    return model.SerializeToString()


def ask_all(cases, onnxruntime):
    """What ONNX Runtime answers, where it lacks a kernel also of an older version."""
    answers = ask(cases, onnxruntime)
    retried = []
    for index, (_, plain) in enumerate(answers):
        if "error" not in plain[0] or cases[index].question:
            continue
        question = modernize(cases[index].model)
        if "(22) node" in plain[0]["error"]:
            question = lower_opset(cases[index].model)
        if question:
            cases[index].question = question
            retried.append(index)
    again = ask([cases[index] for index in retried], onnxruntime) if retried else []
    for index, answer in zip(retried, again):
        answers[index] = answer
    return answers


def learn(cases, onnxruntime, notes):
    """The cases that ONNX Runtime answers, with its answers."""
    known = []
    for case, (optimized, plain) in zip(cases, ask_all(cases, onnxruntime)):
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
        correct(case)
        state_outputs(case, plain[0]["outputs"], random.Random(case.name))
        known.append(case)
    return known


#===----------------------------------------------------------------------===#
# dml
#===----------------------------------------------------------------------===#

def judge_device(case, header, payload, bounds):
    """The outcome of a case on which the interpreter agrees: that of the device."""
    if header.get("device", "computed") != "computed":
        return f"{header['device']} on the device", header["message"].strip()
    at = 0
    for info, (lower, upper), (name, wanted) in zip(header["outputs"], bounds,
                                                    case.outputs.items()):
        if "device" not in header:
            continue
        found, at = take_array(info, payload, at)
        # Within the bounds of ONNX Runtime's result or of the interpreter's.
        wrong = find_wrong(found, wanted, case.about["tolerance"], lower, upper)
        if lower is not None and not isinstance(wrong, str):
            wrong &= ~is_between(found, lower, upper)
        if isinstance(wrong, str) or wrong.any():
            return "differs on the device", describe_wrong(name, found, wanted, wrong)
    return AGREES, ""


def judge(case, header, payload):
    """An outcome and a sentence."""
    kind, message = header["outcome"], header["message"]
    if kind == "refused":
        sentence = simplify(message)
        limited = any(re.search(limit, sentence) for limit in LIMITS)
        return LIMITED if limited else REFUSED, sentence
    if kind != "computed":
        return kind, message.strip()
    if len(header["outputs"]) != len(case.outputs):
        return "differs", (f"there are {len(header['outputs'])} outputs, but wanted are "
                           f"{len(case.outputs)}")
    at, wrongs, sentences, bounds = 0, [], [], []
    for info, (name, wanted) in zip(header["outputs"], case.outputs.items()):
        found, at = take_array(info, payload, at)
        lower = upper = None
        if not info["exact"]:
            lower, at = take_array(info, payload, at)
            upper, at = take_array(info, payload, at)
        bounds.append((lower, upper))
        wrong = find_wrong(found, wanted, case.about["tolerance"], lower, upper)
        if isinstance(wrong, str) or wrong.any():
            wrongs.append((found, wanted, wrong))
            sentences.append(describe_wrong(name, found, wanted, wrong))
    if not wrongs:
        return judge_device(case, header, payload[at:], bounds)
    deviation = find_deviation(case, wrongs)
    if deviation:
        return MEANING, deviation
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
        for case, result in zip(known, judge_nodes(known)):
            operator = case.name.split()[0]
            answered[operator] += 1
            outcome, sentence = judge(case, *result)
            outcomes[outcome] += 1
            if outcome != AGREES:
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
        if key[0] not in (LIMITED, MEANING) and (key[0] != REFUSED or options.refused):
            print(f"{len(found)} {key[0]}: {key[1]}: {found[0][1][:160]} ({found[0][0].name})")


def run_show(options):
    case = generate.draw_case(options.seed, options.only, options.newest)
    print(case.name)
    notes = collections.defaultdict(collections.Counter)
    known = learn([case], options.onnxruntime, notes)
    print(show(case), dict(notes), case.about.get("note", ""))
    if known:
        header, payload = judge_nodes(known)[0]
        print(header)
        print(judge(case, header, payload))
    if options.save:
        pathlib.Path(options.save).write_bytes(case.model)


#===----------------------------------------------------------------------===#
# Cases that are kept
#===----------------------------------------------------------------------===#

def save(path, cases):
    with lzma.open(path, "wb", preset=9 | lzma.PRESET_EXTREME) as file:
        for case in cases:
            case.write(file)


def load(path):
    with lzma.open(path) as file:
        return read_cases(file.read())


def keep_outcomes(cases):
    """The cases with the outcomes of today; those that differ, or crash, are told."""
    kept = []
    for case, result in zip(cases, judge_nodes(cases)):
        case.about["outcome"], case.about["sentence"] = judge(case, *result)
        if case.about["outcome"] in STANDING:
            kept.append(case)
        else:
            print(f"{case.name}: {case.about['outcome']}: {case.about['sentence'][:200]}")
    return kept


def run_freeze(options):
    Draw.is_terse = True
    notes = collections.defaultdict(collections.Counter)
    cases = []
    for index in range(options.count):
        cases.append(generate.draw_case(options.seed + index, None, options.newest))
    save(options.file, keep_outcomes(learn(cases, options.onnxruntime, notes)))


def read_folder(folder):
    """A case of model.onnx and of NumPy files: NAME.npy or in_NAME.npy are inputs,
    expected_NAME.npy or out_NAME.npy are outputs. Without inputs or outputs, none are
    wanted."""
    inputs, outputs = {}, {}
    for file in sorted(folder.glob("*.npy")):
        kind, _, name = file.stem.rpartition("_")
        (outputs if kind in ("expected", "out") else inputs)[name] = np.load(file)
    model = onnx.ModelProto.FromString((folder / "model.onnx").read_bytes())
    wanted = {output.name: outputs[output.name] for output in model.graph.output}
    return Case(folder.name, model.SerializeToString(), inputs, wanted,
                tolerance=(2e-5, 2e-6, 1e-6))


def run_pack(options):
    cases = [read_folder(pathlib.Path(folder)) for folder in options.folders]
    save(options.file, keep_outcomes(cases))


def run_update(options):
    cases = load(options.file)
    kept = keep_outcomes(cases)
    if len(kept) < len(cases):
        sys.exit("judge.py: error: these cases have no outcome that can be kept")
    save(options.file, kept)


def summarize(cases):
    counts = collections.Counter(case.about["outcome"] for case in cases)
    print(f"{len(cases)} cases")
    for outcome in STANDING:
        print(f"{counts[outcome]:6} {outcome}")
    print(f"{sum('note' in case.about for case in cases):6} with a note on ONNX Runtime")


def run_check(options):
    cases = [case for file in options.files for case in load(file)]
    if options.summary:
        summarize(cases)
    if options.device:
        agreeing = [case for case in cases if case.about["outcome"] == AGREES]
        step = max(1, len(agreeing) // options.device)
        cases = agreeing[::step][:options.device]
    results = judge_nodes(cases, ["--device"] if options.device else [])
    wrong = 0
    for case, result in zip(cases, results):
        wanted = case.about["outcome"], case.about["sentence"]
        found = judge(case, *result)
        if found != wanted:
            wrong += 1
            print(f"{case.name}: found '{': '.join(found)}', but wanted "
                  f"'{': '.join(wanted)}'")
            if options.verbose:
                print(show(case))
    if wrong:
        sys.exit(f"judge.py: error: {wrong} of {len(cases)} cases have other outcomes")


def run_page(options):
    files = options.files or sorted(FOLDER.glob("*.xz"))
    text = write_page([case for file in files for case in load(file)], generate.NEWEST)
    if options.update:
        options.page.write_text(text)
    elif options.page.read_text() != text:
        sys.exit(f"judge.py: error: {options.page} is not what the cases say; "
                 f"judge.py page --update writes it")


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
    freeze = commands.add_parser("freeze")
    freeze.add_argument("file")
    freeze.add_argument("--count", type=int, default=6000)
    freeze.add_argument("--seed", type=int, default=1)
    freeze.set_defaults(only=None)
    pack = commands.add_parser("pack")
    pack.add_argument("file")
    pack.add_argument("folders", nargs="+")
    check = commands.add_parser("check")
    check.add_argument("files", nargs="+")
    check.add_argument("--summary", action="store_true", help="print counts of outcomes")
    check.add_argument("--verbose", action="store_true", help="print cases that differ")
    check.add_argument("--device", type=int, metavar="COUNT",
                       help="run so many cases that agree on a Vulkan device")
    update = commands.add_parser("update")
    update.add_argument("file")
    page = commands.add_parser("page")
    page.add_argument("files", nargs="*")
    page.add_argument("--update", action="store_true", help="write the page")
    page.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/ONNXJudge.md")
    for command in (live, one):
        command.add_argument("--only", help="one operator, or 'shapes'")
    for command in (live, one, freeze):
        command.add_argument("--newest", type=int, default=generate.NEWEST,
                             help="the newest operator set")
        command.add_argument("--onnxruntime", required=True,
                             help="the folder of npm's onnxruntime-node")
    options = parser.parse_args()
    {"live": run_live, "show": run_show, "freeze": run_freeze, "pack": run_pack,
     "check": run_check, "update": run_update, "page": run_page}[options.command](options)


if __name__ == "__main__":
    main()
