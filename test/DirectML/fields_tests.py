#!/usr/bin/env python3
"""Writes a JSON model of DxDispatch for every operator, with all fields that
DirectML's structure has (Inputs/fields.txt), and wants that each is understood. Sizes
and values are arbitrary, so that the operator's own verifier may refuse what was read;
it is the only one that may."""
import json
import os
import subprocess
import sys
import tempfile

ENUMS = {}
OPERATORS = {}
with open(os.path.join(os.path.dirname(__file__), "Inputs", "fields.txt"), encoding="utf-8") as file:
    for line in file:
        words = line.split()
        if not words or words[0] == "#":
            continue
        if words[0] == "enum":
            ENUMS[words[1]] = words[2:]
        else:
            OPERATORS[words[0]] = [tuple(word.split(":")) for word in words[1:]]

TENSOR = {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 2]}
VALUES = {
    "tensor": TENSOR,
    "tensor[]": [TENSOR, TENSOR],
    "UINT": 1,
    "INT": -1,
    "FLOAT": 0.5,
    "BOOL": True,
    "UINT[]": [1, 1],
    "INT[]": [1, -1],
    "FLOAT[]": [1, 0.5],
    "DML_TENSOR_DATA_TYPE": "FLOAT32",
    "DML_SCALAR_UNION": {"Float32": 2.5},
    "DML_SCALE_BIAS": {"Scale": 2, "Bias": 1},
    "DML_SIZE_2D": {"Width": 2, "Height": 1},
    "DML_OPERATOR_DESC": {"Type": "DML_OPERATOR_ACTIVATION_RELU", "Desc": {}},
    "DML_OPERATOR_DESC[]": [{"Type": "ACTIVATION_TANH"}, {"Type": "ACTIVATION_SIGMOID"}],
}


def describe(fields, absent, last):
    """The desc with its optional fields, or with nulls in their place, and with the
    first or the last case of each enum."""
    desc = {}
    for name, kind in fields:
        isOptional = kind.endswith("?")
        kind = kind.rstrip("?")
        if isOptional and absent:
            desc[name] = None
        elif kind in ENUMS:
            desc[name] = f"{kind}_{ENUMS[kind][-1]}" if last else ENUMS[kind][0]
        else:
            desc[name] = VALUES[kind]
        # A count is that of the arrays.
        if name.endswith("Count") and kind == "UINT" and any(k.endswith("[]") for _, k in fields):
            desc[name] = 2
    return desc


def main():
    errors = understood = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        for name, fields in OPERATORS.items():
            for absent, last in ((False, False), (True, True)):
                model = {
                    "resources": {},
                    "dispatchables": {
                        "it": {"type": f"DML_OPERATOR_{name}", "desc": describe(fields, absent, last)}},
                    "commands": [],
                }
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(model, file)
                result = subprocess.run(["dml-translate", "--import-dxdispatch", path],
                                        capture_output=True, text=True, timeout=60)
                refusal = f"dispatchables.it.desc: 'dml.{name.lower()}' op "
                understood += result.returncode == 0
                if result.returncode != 0 and refusal not in result.stderr:
                    errors += 1
                    print(f"{name}: {result.stderr[:300]}")
    print(f"{len(OPERATORS)} operators, {errors} errors, {understood} models are valid")
    return errors != 0


if __name__ == "__main__":
    sys.exit(main())
