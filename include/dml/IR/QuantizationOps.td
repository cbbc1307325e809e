//===- QuantizationOps.td - DirectML's quantizations -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_QUANTIZATIONOPS_TD
#define DML_IR_QUANTIZATIONOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_DynamicQuantizeLinearOp
    : DML_Op<"dynamic_quantize_linear", "DYNAMIC_QUANTIZE_LINEAR"> {
  let summary = "Quantizes elements by a scale that suits them";
  let description = [{
    Quantizes elements by the scale and the zero point that suit the smallest and
    the largest of them, and gives both.

    **Semantics.** `least` and `greatest` are the numbers that the type of `output`
    has: -128 and 127, or 0 and 255. With the smallest of 0 and all elements of
    `input`, and the largest of 0 and all elements,

    * `output_scale` is `scale = (largest - smallest) / (greatest - least)`,
    * `output_zero_point` is
      `zero_point = limit(round(least - smallest / scale))`, and
    * every element of `output` is `limit(round(input / scale) + zero_point)`.

    `round` takes halves to even, and `limit` takes what the type cannot hold to
    its nearest number. Where the scale is 0, the zero point and all elements are
    `least`. f16 is computed with in f32.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | `InputTensor` | tensor, rank 1 to 8, f32 or f16 |

    **Constraints**
    * (C1) `output` has the sizes of `input`.
    * (C2) `output` and `output_zero_point` have one element type.
    * (C3) `output_scale` and `output_zero_point` have the rank of `input`, and one
      element.

    **Readings**
    * The page's formulas neither have 0 among the numbers whose range is taken nor
      round the zero point; ONNX's operator of this name does both, and is followed.
      So 0 is always a quantized number.
    * Where all elements are 0 the page divides 0 by 0. As in ONNX the scale is 0 and
      the zero point the least number.
    * A NaN is no smallest and no largest element; its quantized number may be any.
      An infinite element makes the scale infinite, and what its quantized number
      and the zero point are is not said.

    **Bounds.** The quotients have Vulkan's: where one is near a half, what is
    rounded may be off by 1.

    **Example**
    ```mlir
    // %input: [[3, -1, 0.5]]
    %output, %scale, %zero_point = dml.dynamic_quantize_linear %input
        : (tensor<1x3xf32>) -> (tensor<1x3xui8>, tensor<1x1xf32>, tensor<1x1xui8>)
    // %output: [[255, 0, 96]]  %scale: [[0.015686275]]  %zero_point: [[64]]
    ```

    **Source:** DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input);
  let results = (outs DML_Tensor:$output, DML_Tensor:$output_scale,
                      DML_Tensor:$output_zero_point);
  let support = [
    DML_Support<FL_4_0, [
      DML_TensorSupport<"input", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"output", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"output_scale", 1, 8, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 1, 8, DML_Int8AndUInt8>,
    ]>,
  ];
  let sameElementTypes = [["output", "output_zero_point"]];
  let sameShapes = [["input", "output"], ["output_scale", "output_zero_point"]];
  let hasVerifier = 1;
}

/// `quantizations` are the scale and optionally the zero point.
class DML_BlockQuantization<string mnemonic, string operatorName>
    : DML_Op<mnemonic, operatorName> {
  let arguments = (ins DML_Tensor:$input, Variadic<DML_Tensor>:$quantizations,
                       DML_QuantizationTypeAttr:$quantization_type);
  let results = (outs DML_Tensor:$output);
  let sameShapes = [["input", "output"]];
  let enumSupport = [
    DML_EnumSupport<"quantization_type", DML_QuantizationTypeAttr>,
  ];
  let hasVerifier = 1;
}

def DML_QuantizeOp : DML_BlockQuantization<"quantize", "QUANTIZE"> {
  let summary = "Quantizes elements to 8 or 4 bits";
  let description = [{
    Quantizes elements to 8 or 4 bits by scales, and perhaps zero points, that hold
    for blocks of elements.

    **Semantics.** Every element of `output` is

    `limit(round(input / scale) + zero_point)`,

    where `round` takes halves to even, and `limit` takes what the type of `output`
    cannot hold to its nearest number. Without a zero point it is 0. Along a
    dimension in which `input` has `n` elements and `scale` has `m`, blocks of
    `n / m` elements share one: element `i` takes that of coordinate `i / (n / m)`,
    rounded down. f16 is computed with in f32.

    **Inputs**

    | label | name                | field                 | type |
    |-------|---------------------|-----------------------|------|
    | (I1)  | `input`             | `InputTensor`         | tensor, rank 1 to 8, f32 or f16 |
    | (I2)  | `quantizations`     | `QuantizationTensors` | one or two tensors: the scale, then the zero point |
    | (I3)  | `quantization_type` | `QuantizationType`    | `scale` or `scale_zero_point` |

    `QuantizationTensorCount` is the number of `quantizations`.

    **Constraints**
    * (C1) `output` has the sizes of `input`.
    * (C2) `quantizations` has one tensor if `quantization_type` is `scale`, and two
      if it is `scale_zero_point`. `none` is not for this operator.
    * (C3) the scale has the element type of `input`, the zero point that of `output`.
    * (C4) the scale has the rank of `input`, and in each dimension a size that
      divides that of `input`.
    * (C5) the zero point has the sizes of the scale.

    **Readings**
    * The page has a table of types, and no more: what the operator does is what the
      programs that call DirectML expect of it.
    * Blocks may lie along any dimensions. Sizes that do not divide are not described,
      and refused.
    * ONNX Runtime passes zeros where a model has no zero point, as if DirectML
      took another number for one that is absent. Nothing says which: 0 is taken.
    * A NaN becomes any number.
    * 4-bit elements are two to a byte, the first in the low half.

    **Bounds.** The quotient has Vulkan's: where it is near a half, the result may be
    off by 1.

    **Example**
    ```mlir
    // %input: [[1, -2, 3, 9]]  %scale: [[1, 2]]  %zero_point: [[0, 1]]
    %output = dml.quantize %input, %scale, %zero_point {
        quantization_type = #dml.quantization_type<scale_zero_point>}
        : (tensor<1x4xf32>, tensor<1x2xf32>, tensor<1x2xi8>) -> tensor<1x4xi8>
    // %output: [[1, -2, 3, 5]]
    ```

    **Source:** DML_QUANTIZE_OPERATOR_DESC.
  }];

  let support = [
    DML_Support<FL_6_3, [
      DML_TensorSupport<"input", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"quantizations", 1, 8, DML_FloatsAndQuantized>,
      DML_TensorSupport<"output", 1, 8, DML_Quantized>,
    ]>,
  ];
}

def DML_DequantizeOp : DML_BlockQuantization<"dequantize", "DEQUANTIZE"> {
  let summary = "Computes what elements of 8 or 4 bits stand for";
  let description = [{
    Computes what quantized elements of 8 or 4 bits stand for, by scales, and perhaps
    zero points, that hold for blocks of elements.

    **Semantics.** Every element of `output` is

    `(input - zero_point) * scale`,

    with a difference that is exact. Without a zero point it is 0. Along a dimension
    in which `input` has `n` elements and `scale` has `m`, blocks of `n / m` elements
    share one: element `i` takes that of coordinate `i / (n / m)`, rounded down. f16
    is computed with in f32, and rounded once.

    **Inputs**

    | label | name                | field                 | type |
    |-------|---------------------|-----------------------|------|
    | (I1)  | `input`             | `InputTensor`         | tensor, rank 1 to 8, of 8 or 4-bit integers |
    | (I2)  | `quantizations`     | `QuantizationTensors` | one or two tensors: the scale, then the zero point |
    | (I3)  | `quantization_type` | `QuantizationType`    | `scale` or `scale_zero_point` |

    `QuantizationTensorCount` is the number of `quantizations`.

    **Constraints**
    * (C1) `output` has the sizes of `input`.
    * (C2) `quantizations` has one tensor if `quantization_type` is `scale`, and two
      if it is `scale_zero_point`. `none` is not for this operator.
    * (C3) the scale has the element type of `output`, the zero point that of `input`.
    * (C4) the scale has the rank of `input`, and in each dimension a size that
      divides that of `input`.
    * (C5) the zero point has the sizes of the scale.

    **Readings**
    * The page has a table of types, and no more: what the operator does is what the
      programs that call DirectML expect of it.
    * Blocks may lie along any dimensions. Sizes that do not divide are not described,
      and refused.
    * ONNX Runtime passes zeros where a model has no zero point, as if DirectML
      took another number for one that is absent. Nothing says which: 0 is taken.
    * 4-bit elements are two to a byte, the first in the low half.

    **Bounds.** The product has Vulkan's.

    **Example**
    ```mlir
    // %input: [[0, 15, 8, 7]]  %scale: [[0.5, 2]]  %zero_point: [[8, 8]]
    %output = dml.dequantize %input, %scale, %zero_point {
        quantization_type = #dml.quantization_type<scale_zero_point>}
        : (tensor<1x4xui4>, tensor<1x2xf32>, tensor<1x2xui4>) -> tensor<1x4xf32>
    // %output: [[-4, 3.5, 0, -2]]
    ```

    **Source:** DML_DEQUANTIZE_OPERATOR_DESC.
  }];

  let support = [
    DML_Support<FL_6_3, [
      DML_TensorSupport<"input", 1, 8, DML_Quantized>,
      DML_TensorSupport<"quantizations", 1, 8, DML_FloatsAndQuantized>,
      DML_TensorSupport<"output", 1, 8, DML_Float32And16>,
    ]>,
  ];
}

#endif // DML_IR_QUANTIZATIONOPS_TD
