"""The page that says what becomes of the cases that are kept."""
#
# SPDX-License-Identifier: Apache-2.0
import collections
import re

# What may become of a case that is kept.
AGREES, MEANING, LIMITED, REFUSED = STANDING = (
    "agrees", "DirectML's meaning", "refused by DirectML's limits", "refused otherwise")

HEAD = """<!-- Written by `test/ONNX/judge/judge.py page --update`; a test compares. -->
# The judge of the ONNX importer

The device and the interpreter share the importer of ONNX models, so that comparing these
two says nothing about it. It is judged from outside: `test/ONNX/judge` draws random nodes
of every operator that the importer knows, and random graphs that compute with sizes as
exporters write them, and ONNX Runtime's CPU provider says what comes out.

* Nodes are of every version of the operator set that changed their operator, from 1 to
  {newest}, which is the newest that ONNX Runtime 1.30 reads. Attributes and optional
  inputs are there or not, ranks go from 0 to 6, sizes from 0 to 7, and inputs are given
  when the model runs or are constants. Elements are of all types, with NaNs, infinities,
  zeros of both signs and extreme integers among them.
* Where ONNX Runtime has no kernel, it is asked about nodes that mean the same. Where it is
  wrong, the case has what ONNX's specification wants, and a note
  ([specification.py](../test/ONNX/judge/specification.py)).
* Integers, booleans, shapes and types have to be equal. Numbers may differ by what
  [compare.py](../test/ONNX/judge/compare.py) says, or lie within the interpreter's bounds.

```sh
npm install --ignore-scripts onnxruntime-node@1.30     # ONNX Runtime, in node_modules
test/ONNX/judge/judge.py live --count=20000 --onnxruntime=node_modules/onnxruntime-node
test/ONNX/judge/judge.py show 17 --onnxruntime=node_modules/onnxruntime-node    # a random case
test/ONNX/judge/judge.py check test/ONNX/judge/*.xz    # the cases that are kept
test/ONNX/judge/judge.py check test/ONNX/judge/*.xz --device=200    # some on a Vulkan device
test/ONNX/judge/judge.py freeze test/ONNX/judge/nodes.xz --onnxruntime=node_modules/onnxruntime-node
test/ONNX/judge/judge.py update test/ONNX/judge/nodes.xz    # keeps the outcomes of today
test/ONNX/judge/judge.py page --update                 # writes this page
```

## The cases that are kept

"""


def generalize(sentence):
    """A sentence without the numbers and names of its case."""
    sentence = re.sub(r"'[\w.]+\[?\d*\]?' has the shape [\dx]+", "... has the shape ...",
                      sentence)
    sentence = re.sub(r"'dml\.\w+' op .* has (element type|rank) (\w+), but .*"
                      r"\(no feature level supports .*\)",
                      r"DirectML's operator does not have the \1 \2", sentence)
    sentence = re.sub(r"tensor<[^>]*>", "tensor<...>", sentence)
    return re.sub(r"(?<![\w^])(?!2\^32 - 1)-?\d+(x\d+)*\b(?!\^)", "N", sentence).replace(
        "|", "\\|").replace("2^32 - N", "2^32 - 1")


def write_table(lines, cases, outcome, column):
    rows = collections.defaultdict(collections.Counter)
    for case in cases:
        if case.about["outcome"] == outcome:
            operator, _, rest = case.about["sentence"].partition(": ")
            if outcome == MEANING or not rest:
                operator, rest = case.name.split()[0], case.about["sentence"]
            rows[rest if outcome == MEANING else generalize(rest)][operator] += 1
    lines += [f"| {column} | cases |", "| --- | --- |"]
    for sentence, operators in sorted(rows.items(),
                                      key=lambda row: (-sum(row[1].values()), row[0])):
        names = ", ".join(f"{name} {count}" for name, count in sorted(operators.items()))
        lines.append(f"| {sentence} | {sum(operators.values())}: {names} |")


def write_page(cases, newest):
    counts = collections.Counter(case.about["outcome"] for case in cases)
    lines = [HEAD.format(newest=newest).rstrip(), "", "| outcome | cases |", "| --- | --- |"]
    lines += [f"| {outcome} | {counts[outcome]} |" for outcome in STANDING]
    lines += [f"| all | {len(cases)} |", "", "## Where DirectML's meaning differs", ""]
    write_table(lines, cases, MEANING, "what differs")
    lines += ["", "## Refused by DirectML's limits", ""]
    write_table(lines, cases, LIMITED, "reason")
    lines += ["", "## Refused otherwise", ""]
    write_table(lines, cases, REFUSED, "reason")
    notes = collections.Counter(case.about["note"] for case in cases if "note" in case.about)
    lines += ["", "## Where ONNX Runtime differs from ONNX", "", "| what | cases |",
              "| --- | --- |"]
    lines += [f"| {note} | {count} |" for note, count in sorted(notes.items())]
    return "\n".join(lines) + "\n"
