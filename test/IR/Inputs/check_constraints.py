# Compares the labels (C1), (C2) ... of the ODS descriptions with those that tests
# name, as "dml.padding (C1)" in a comment. Labels of a class, whose operators all
# have them, are named once: "DML_UnaryOp (C1)".
#
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

descriptions, tests = map(pathlib.Path, sys.argv[1:])

labels = set()
for path in sorted(descriptions.glob("*Op*.td")):
    owner = None
    for line in path.read_text().splitlines():
        if match := re.search(r': (?:DML_\w+<|Op<DML_Dialect, )"(\w+)"', line):
            owner = f"dml.{match[1]}"
        elif match := re.match(r"class (DML_\w*)<", line):
            owner = match[1]
        if match := re.match(r'\s*"?\* (\(C\d+\)) ', line):
            labels.add(f"{owner} {match[1]}")

missing = []
for name in ("*roundtrip.mlir", "*invalid.mlir"):
    # A comment may list several: "dml.tile (C1), (C2)".
    named = set()
    text = "\n".join(path.read_text() for path in sorted(tests.glob(name)))
    for comment in re.findall(r"//(.*)", text):
        owner = None
        for word in re.findall(r"(?:dml\.|DML_)\w+(?= \(C)|\(C\d+\)", comment):
            if not word.startswith("("):
                owner = word
            elif owner:
                named.add(f"{owner} {word}")
    missing += [f"{name}: no case for {label}" for label in sorted(labels - named)]
    missing += [f"{name}: {label} is no label" for label in sorted(named - labels)]

print("\n".join(missing))
if missing or not labels:
    sys.exit(1)
print(len(labels), "constraints, all with an accepting and a rejecting case")
