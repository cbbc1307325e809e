# Compares the labels (C1), (C2) ... of the ODS descriptions with those that tests
# name, as "dml.padding (C1)" in a comment.
#
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

descriptions, tests = map(pathlib.Path, sys.argv[1:])

labels = set()
for path in sorted(descriptions.glob("*Ops.td")):
    mnemonic = None
    for line in path.read_text().splitlines():
        if match := re.search(r'DML_\w*Op<"(\w+)"', line):
            mnemonic = match[1]
        if match := re.match(r"\s*\* (\(C\d+\)) ", line):
            labels.add(f"dml.{mnemonic} {match[1]}")

missing = []
for name in ("roundtrip.mlir", "invalid.mlir"):
    # A comment may list several: "dml.tile (C1), (C2)".
    named = set()
    text = "".join(path.read_text() for path in sorted(tests.glob(f"*{name}")))
    for comment in re.findall(r"//(.*)", text):
        mnemonic = None
        for word in re.findall(r"dml\.\w+(?= \(C)|\(C\d+\)", comment):
            if word.startswith("dml."):
                mnemonic = word
            elif mnemonic:
                named.add(f"{mnemonic} {word}")
    missing += [f"{name}: no case for {label}" for label in sorted(labels - named)]
    missing += [f"{name}: {label} is no label" for label in sorted(named - labels)]

print("\n".join(missing))
if missing or not labels:
    sys.exit(1)
print(len(labels), "constraints, all with an accepting and a rejecting case")
