"""Checks the table of docs/DeviceFeatures.md against what dml-compile does.

    check_device_features.py <DeviceFeatures.md>

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import sys

PADDING = """func.func @main(%input: tensor<1x3x5x7xTYPE>) -> tensor<1x3x6x7xTYPE> {
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>, padding_value = 3.0 : f32,
      start_padding = array<i64: 0, 0, 1, 0>, end_padding = array<i64: 0, 0, 0, 0>}
      : (tensor<1x3x5x7xTYPE>) -> tensor<1x3x6x7xTYPE>
  return %0 : tensor<1x3x6x7xTYPE>
}"""
LINEAR = """func.func @main(%input: tensor<1x3x5x7xTYPE>) -> tensor<1x3x5x9xTYPE> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 1.0, 1.3>}
      : (tensor<1x3x5x7xTYPE>) -> tensor<1x3x5x9xTYPE>
  return %0 : tensor<1x3x5x9xTYPE>
}"""
POOLING = """func.func @main(%input: tensor<1x3x5x7xTYPE>) -> tensor<1x3x5x7xTYPE> {
  %0 = dml.max_pooling_grad %input, %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 3, 3>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x3x5x7xTYPE>, tensor<1x3x5x7xTYPE>) -> tensor<1x3x5x7xTYPE>
  return %0 : tensor<1x3x5x7xTYPE>
}"""
NIBBLES = """func.func @main(%input: tensor<3x5xTYPE>, %scale: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %0 = dml.dequantize %input, %scale {quantization_type = #dml.quantization_type<scale>}
      : (tensor<3x5xTYPE>, tensor<3x1xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}"""
# The types that an operator takes, and what it needs beside the types' features.
WHOLE = "f64 f32 f16 i64 i32 i16 i8 ui64 ui32 ui16 ui8"
WINNERS = ["shaderInt8", "storageBuffer8BitAccess"]
PROGRAMS = [(PADDING, WHOLE, []), (LINEAR, "f32 f16 i8 ui8", []),
            (POOLING, "f32 f16", WINNERS), (NIBBLES, "i4 ui4", [])]
KNOWN = {name for _, types, _ in PROGRAMS for name in types.split()}
# The property follows from what a kernel computes, not from its element types.
FULL = "full,-shaderSignedZeroInfNanPreserveFloat32"
# What every Vulkan device has.
ALWAYS = {"Shader", "Matrix"}


def get_capabilities(program, profile):
    result = subprocess.run(
        ["dml-compile", "-", f"--device-profile={profile}", "--emit=spirv"],
        input=program, capture_output=True, text=True, check=True,
    )
    lists = re.findall(r"requires #spirv\.vce<v1\.5, \[([^]]*)\]", result.stdout)
    assert lists, "no kernel"
    return {name for names in lists for name in names.split(", ")} - ALWAYS


def main(path):
    rows = errors = 0
    for line in open(path):
        cells = [re.findall(r"`(\w+)`", cell) for cell in line.split("|")[1:3]]
        if len(cells) != 2 or not cells[0]:
            continue
        types, features = cells
        for element in types:
            # Another table has limits in this place.
            if element not in KNOWN:
                continue
            rows += 1
            for template, supported, more in PROGRAMS:
                if element not in supported.split():
                    continue
                program = template.replace("TYPE", element)
                enough = "".join(f",+{name}" for name in features + more)
                if get_capabilities(program, FULL) != get_capabilities(
                    program, "minimal" + enough
                ):
                    errors += 1
                    print(f"{element}: full and minimal{enough} differ")
                for name in features if not more else []:
                    others = "".join(f",+{other}" for other in features if other != name)
                    left = get_capabilities(program, f"minimal{others},-{name}")
                    if left:
                        errors += 1
                        print(f"{element} without {name} uses {left}")
    print(f"{rows} types, {errors} errors")
    return errors != 0


sys.exit(main(sys.argv[1]))
