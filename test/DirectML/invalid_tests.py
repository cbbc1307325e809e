#!/usr/bin/env python3
"""Breaks a JSON model of DxDispatch, one place at a time, and wants the one error
that names the place, what is there and what is wanted."""
import copy
import json
import os
import subprocess
import sys
import tempfile

TENSOR = {"DataType": "FLOAT32", "Sizes": [2]}
MODEL = {
    "resources": {
        "a": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2]},
        "b": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 2, "value": 0}},
    },
    "dispatchables": {
        "relu": {
            "type": "DML_OPERATOR_ACTIVATION_RELU",
            "desc": {"InputTensor": dict(TENSOR), "OutputTensor": dict(TENSOR)},
        },
        "pad": {
            "type": "DML_OPERATOR_PADDING",
            "desc": {
                "InputTensor": dict(TENSOR),
                "OutputTensor": {"DataType": "FLOAT32", "Sizes": [3]},
                "PaddingMode": "CONSTANT",
                "PaddingValue": 0,
                "DimensionCount": 1,
                "StartPadding": [0],
                "EndPadding": [1],
            },
        },
        "add": {
            "type": "DML_OPERATOR_ELEMENT_WISE_ADD1",
            "desc": {"ATensor": dict(TENSOR), "BTensor": dict(TENSOR), "OutputTensor": dict(TENSOR),
                     "FusedActivation": {"Type": "ACTIVATION_ELU", "Alpha": 0.5}},
        },
    },
    "commands": [
        {"type": "dispatch", "dispatchable": "relu",
         "bindings": {"InputTensor": "a", "OutputTensor": "b"}},
        {"type": "print", "resource": "b"},
    ],
}
REMOVED = object()

# Where, what instead, and the error behind the file's name.
CASES = [
    ("dispatchables.relu.desc.InputTensor.DataType", "FLOAT31",
     'dispatchables.relu.desc.InputTensor.DataType: found "FLOAT31", wanted a data type: FLOAT32, FLOAT16'),
    ("dispatchables.relu.desc.InputTensor.DataType", REMOVED,
     "dispatchables.relu.desc.InputTensor.DataType: found nothing, wanted a data type"),
    ("dispatchables.relu.desc.InputTensor", None,
     "dispatchables.relu.desc.InputTensor: found nothing, wanted an object"),
    ("dispatchables.relu.desc.InputTensor.Sizes", [],
     "dispatchables.relu.desc.InputTensor.Sizes: found an array of 0 values, wanted 1 to 8 sizes"),
    ("dispatchables.relu.desc.InputTensor.Sizes", [1] * 9,
     "dispatchables.relu.desc.InputTensor.Sizes: found an array of 9 values, wanted 1 to 8 sizes"),
    ("dispatchables.relu.desc.InputTensor.Sizes", [0],
     "dispatchables.relu.desc.InputTensor.Sizes[0]: found 0, wanted an integer from 1 to 4294967295"),
    ("dispatchables.relu.desc.InputTensor.Sizes", [65536, 65536],
     "dispatchables.relu.desc.InputTensor.Sizes: found [65536, 65536], wanted at most 2^32 - 1 elements"),
    ("dispatchables.relu.desc.InputTensor.Sizes", [3],
     "dispatchables.relu.desc: 'dml.activation_relu' op"),
    ("dispatchables.relu.desc.InputTensor.DimensionCount", 2,
     "dispatchables.relu.desc.InputTensor.DimensionCount: found 2, wanted 1, as many as there are sizes"),
    ("dispatchables.relu.desc.InputTensor.Strides", [2],
     "dispatchables.relu.desc.InputTensor.Strides: found [2], wanted strides of a tensor of the sizes [2] that has "
     "no gaps"),
    ("dispatchables.relu.desc.OutputTensor.Strides", [0],
     "dispatchables.relu.desc.OutputTensor.Strides: found [0], wanted an output whose elements each have a place"),
    ("dispatchables.relu.desc.InputTensor.Strides", [1, 1],
     "dispatchables.relu.desc.InputTensor.Strides: found an array of 2 values, wanted 1 strides"),
    ("dispatchables.relu.desc.InputTensor.Flags", "OWNED",
     'dispatchables.relu.desc.InputTensor.Flags: found "OWNED", wanted NONE or OWNED_BY_DML'),
    ("dispatchables.relu.desc.InputTensor.TotalTensorSizeInBytes", 7,
     "dispatchables.relu.desc.InputTensor.TotalTensorSizeInBytes: found 7, wanted at least 8"),
    ("dispatchables.relu.desc.InputTensor.GuaranteedBaseOffsetAlignment", 24,
     "dispatchables.relu.desc.InputTensor.GuaranteedBaseOffsetAlignment: found 24, wanted 0, or a power of two from 4 "
     "on, the bytes of an element"),
    ("dispatchables.relu.desc.InputTensor.GuaranteedBaseOffsetAlignment", 2,
     "dispatchables.relu.desc.InputTensor.GuaranteedBaseOffsetAlignment: found 2, wanted 0, or a power of two from 4"),
    ("dispatchables.relu.desc.InputTensor.GuaranteedBaseOffsetAlignment", 32, None),
    ("dispatchables.relu.desc.InputTensor.Flags", "OWNED_BY_DML",
     "dispatchables.relu.bindings.InputTensor: found nothing, wanted the name of a resource"),
    ("dispatchables.relu.desc.Alpha", 1,
     "dispatchables.relu.desc.Alpha: found an unknown field, wanted one of InputTensor, OutputTensor"),
    ("dispatchables.relu.type", "DML_OPERATOR_RELU",
     'dispatchables.relu.type: found "DML_OPERATOR_RELU", wanted an operator of DirectML'),
    ("dispatchables.relu.type", "hlsl",
     'dispatchables.relu.type: found "hlsl", wanted an operator of DirectML, or dmlSerializedGraph; shaders in HLSL '
     "are not supported here"),
    ("dispatchables.relu.type", "onnx",
     'dispatchables.relu.type: found "onnx", wanted an operator of DirectML, or dmlSerializedGraph; ONNX models are '
     "not supported here"),
    ("dispatchables.relu.executionFlags", "FAST", 'dispatchables.relu.executionFlags: found "FAST", wanted one of'),
    ("dispatchables.relu.dmlCompileType", "Graph",
     'dispatchables.relu.dmlCompileType: found "Graph", wanted DmlCompileOp or DmlCompileGraph'),
    ("dispatchables.pad.desc.PaddingMode", "ZERO",
     'dispatchables.pad.desc.PaddingMode: found "ZERO", wanted one of'),
    ("dispatchables.pad.desc.PaddingValue", REMOVED,
     "dispatchables.pad.desc.PaddingValue: found nothing, wanted a number"),
    ("dispatchables.pad.desc.PaddingValue", 1e300,
     "dispatchables.pad.desc.PaddingValue: found 1.0000000000000001e+300, wanted a number that a float of 32 bits holds"),
    ("dispatchables.pad.desc.StartPadding", [0.5],
     "dispatchables.pad.desc.StartPadding[0]: found 0.5, wanted an integer"),
    ("dispatchables.pad.desc.DimensionCount", 2,
     "dispatchables.pad.desc.DimensionCount: found 2, wanted 1, as many as"),
    ("dispatchables.add.desc.FusedActivation.Alpha", REMOVED,
     "dispatchables.add.desc.FusedActivation.Alpha: found nothing, wanted a number"),
    ("dispatchables.add.desc.FusedActivation.Beta", 1,
     "dispatchables.add.desc.FusedActivation.Beta: found 1, wanted nothing or null"),
    ("dispatchables.add.desc.FusedActivation.Type", "GEMM",
     "dispatchables.add.desc.FusedActivation.Type: found DML_OPERATOR_GEMM, wanted an operator that others fuse"),
    ("resources.a.initialValuesDataType", REMOVED,
     "resources.a.initialValues[0]: found 1, wanted an object"),
    ("resources.b.initialValuesDataType", "UNKNOWN",
     'resources.b.initialValuesDataType: found "UNKNOWN", wanted the type of the elements'),
    ("resources.a.initialValuesDataType", "INT8", None),
    ("resources.a.sizeInBytes", 7, "resources.a.sizeInBytes: found 7, wanted at least 8"),
    ("resources.a.initialValues", ["one"],
     'resources.a.initialValues[0]: found "one", wanted a number'),
    ("resources.a.initialValues", "deferred",
     'resources.a.initialValues: found "deferred", wanted an array or an object'),
    ("resources.a.initialValues", [],
     "resources.a.initialValues: found an array of 0 values, wanted at least one element"),
    ("resources.b.initialValues.valueCount", 4294967295,
     "resources.b: found 17179869188 bytes of resources up to here, wanted at most 4294967296"),
    ("resources.b.initialValues.valueDelta", 1,
     "resources.b.initialValues.valueDelta: found an unknown field"),
    ("resources.b.initialValues", {"sourcePath": "../secret.dat"},
     'resources.b.initialValues.sourcePath: found "../secret.dat", wanted the name of a file in the model\'s folder'),
    ("resources.b.initialValues", {"sourcePath": "/etc/passwd"},
     'resources.b.initialValues.sourcePath: found "/etc/passwd", wanted the name of a file in the model\'s folder'),
    ("resources.b.initialValues", {"sourcePath": "dog.jpg"},
     'resources.b.initialValues.sourcePath: found "dog.jpg", wanted a .npy file or one of raw elements'),
    ("resources.b.color", "red", "resources.b.color: found an unknown field"),
    ("commands.0.dispatchable", "gelu",
     'commands[0].dispatchable: found "gelu", wanted the name of a dispatchable'),
    ("commands.0.bindings.InputTensor", "c",
     'commands[0].bindings.InputTensor: found "c", wanted the name of a resource'),
    ("commands.0.bindings.InputTensor", REMOVED,
     "commands[0].bindings.InputTensor: found nothing, wanted the name of a resource"),
    ("commands.0.bindings.InputTensor", ["a", "a"],
     "commands[0].bindings.InputTensor: found an array of 2 values, wanted 1 resources"),
    ("commands.0.bindings.BiasTensor", "a",
     "commands[0].bindings.BiasTensor: found an unknown field, wanted one of InputTensor, OutputTensor"),
    ("commands.0.type", "launch", 'commands[0].type: found "launch", wanted dispatch, print or writeFile'),
    ("commands.1.resource", "c", 'commands[1].resource: found "c", wanted the name of a resource'),
    ("commands", {}, "commands: found an object, wanted an array"),
    ("extra", 1, "extra: found an unknown field, wanted one of $schema, resources, dispatchables, commands"),
]

# Texts that are no JSON of a model.
TEXTS = [
    ("[" * 100000, "line 1: brackets nest more than 32 levels deep"),
    ('{"a": 1,\n "a": 2}', 'line 2: the field "a" appears twice'),
    ('{"a": "b', "line 1: a string does not end"),
    ('{"a": }', "Invalid JSON value"),
    (json.dumps(MODEL).replace('"PaddingValue": 0', '"PaddingValue": 1e999'),
     "dispatchables.pad.desc.PaddingValue: found inf, wanted a number"),
    ('{"a": "\xff"}', "UTF-8"),
    ("", "Unexpected EOF"),
    ("[]", "the model: found an array of 0 values, wanted an object"),
]

# Resources that are too small are found when the model is to run.
RUNS = [
    ("resources.b.initialValues.valueCount", 1,
     "commands[0].bindings.OutputTensor: found the resource 'b' of 4 bytes, from byte 0 on, wanted 8 bytes"),
    ("commands.0.bindings.InputTensor", {"name": "a", "elementOffset": 1},
     "commands[0].bindings.InputTensor: found the resource 'a' of 8 bytes, from byte 4 on, wanted 8 bytes"),
    ("resources.b.initialValues", {"sourcePath": "none.dat"},
     "resources.b.initialValues.sourcePath: cannot read"),
]


def change(path, value):
    model = copy.deepcopy(MODEL)
    *parents, last = [int(p) if p.isdigit() else p for p in path.split(".")]
    place = model
    for parent in parents:
        place = place[parent]
    if value is REMOVED:
        del place[last]
    else:
        place[last] = value
    return json.dumps(model)


def main():
    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")

        def run(command, text, wanted):
            nonlocal errors
            with open(path, "w", encoding="latin-1") as file:
                file.write(text)
            result = subprocess.run(command + [path], capture_output=True, text=True, timeout=60)
            good = (result.returncode == 0 if wanted is None else
                    result.returncode == 2 and wanted in result.stderr)
            if not good:
                errors += 1
                print(f"wanted {wanted!r}\n  got {result.returncode}: {result.stderr[:400]}")

        translate = ["dml-translate", "--import-dxdispatch"]
        run(translate, json.dumps(MODEL), None)
        for place, value, wanted in CASES:
            run(translate, change(place, value), wanted)
        for text, wanted in TEXTS:
            run(translate, text, wanted)
        for place, value, wanted in RUNS if "--run" in sys.argv else []:
            run(["dml-run"], change(place, value), wanted)
    print(f"{len(CASES) + len(TEXTS)} models, {errors} errors")
    return errors != 0


if __name__ == "__main__":
    sys.exit(main())
