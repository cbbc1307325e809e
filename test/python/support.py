# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package share: models, and a device."""
import os
import unittest

import numpy as np

import dml
from onnx_file import make_model, make_node


def needs_device():
    """Ends a module's tests where there is no Vulkan device, if that is allowed."""
    try:
        if dml.devices():
            return
    except dml.NotFound:
        pass
    required = os.environ.get("DML_REQUIRE_DEVICE")
    if required == "1" or (required is None and os.environ.get("CI") == "true"):
        raise AssertionError("there is no Vulkan device, but wanted is one")
    raise unittest.SkipTest("there is no Vulkan device")


def make_scale(dtype="float32", shape=("n", 3)):
    """y = x + x * 2, of open sizes."""
    nodes = [make_node("Mul", ["x", "two"], ["m"]), make_node("Add", ["x", "m"], ["y"])]
    return make_model(nodes, [("x", dtype, shape)], [("y", dtype, shape)],
                      {"two": np.array(2, dtype)})


def make_dense():
    """Two outputs: the product with a matrix, and where it is above 1."""
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2) / 4
    nodes = [make_node("MatMul", ["x", "w"], ["product"]),
             make_node("Relu", ["product"], ["dense"]),
             make_node("Greater", ["dense", "one"], ["high"])]
    return make_model(nodes, [("x", "float32", ["n", 3])],
                      [("dense", "float32", ["n", 2]), ("high", "bool", ["n", 2])],
                      {"w": matrix, "one": np.float32(1)})


def make_logic():
    """The output is where exactly one of two truth values is true."""
    return make_model([make_node("Xor", ["a", "b"], ["c"])],
                      [("a", "bool", [4]), ("b", "bool", [4])], [("c", "bool", [4])])


def make_branches():
    """`x` behind the rows of `past` where `cached` is true, else `x` times 10."""
    goes_on, first, model = dml.Model({}), dml.Model({}), dml.Model({"": 17})
    goes_on.node("Concat", ["past", "x"], ["longer"], axis=0)
    goes_on.output("longer")
    first.weight("ten", np.float32([10]))
    first.node("Mul", ["x", "ten"], ["tenfold"])
    first.output("tenfold")
    model.input("past", np.float32, ["p", 2])
    model.input("x", np.float32, [1, 2])
    model.input("cached", np.bool_, [1])
    model.node("If", ["cached"], ["y"], then_branch=goes_on, else_branch=first)
    model.output("y")
    return model


#: The numbers of 4 bits and a scale, what they mean, and those again.
UINT4 = """
func.func @main(%x: tensor<2x3xui4>, %s: tensor<2x1xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xui4>) {
  %y = dml.dequantize %x, %s {quantization_type = #dml.quantization_type<scale>}
      : (tensor<2x3xui4>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %z = dml.quantize %y, %s {quantization_type = #dml.quantization_type<scale>}
      : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xui4>
  return %y, %z : tensor<2x3xf32>, tensor<2x3xui4>
}
"""

#: x + w, where w is bound once.
OWNED = """
func.func @sum(%x: tensor<2xf32> {dml.name = "x"},
               %w: tensor<2xf32> {dml.name = "w", dml.owned_by_dml}) -> tensor<2xf32> {
  %0 = dml.element_wise_add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @twice(%x: tensor<2xf32> {dml.name = "x"}) -> tensor<2xf32> {
  %0 = dml.element_wise_add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
