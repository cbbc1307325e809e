//===- ResampleOps.td - DirectML's resampling operators ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_RESAMPLEOPS_TD
#define DML_IR_RESAMPLEOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_ResampleOp : DML_Op<"resample", "RESAMPLE", [
    DeclareOpInterfaceMethods<MovementOpInterface,
                              ["reinterpretConstants"]>]> {
  let summary = "Resamples a tensor with nearest or linear interpolation";
  let description = [{
    Scales `input` by `scales[i]` along each dimension `i` and writes the part
    that `output` has room for.

    **Semantics.** In each dimension alone, with `n` the size of `input` and `s`
    the scale there, output coordinate `o` lies at `x = (o + 0.5) / s - 0.5` of
    the input: pixel centres meet.

    * `nearest_neighbor`: the element at `floor(x + 0.5)`, clamped to `[0, n - 1]`.
    * `linear`: with `x` clamped to `[0, n - 1]`, `l = floor(x)` and `w = x - l`,
      the elements at `l` and `min(l + 1, n - 1)` weigh `1 - w` and `w`; over
      several dimensions the weights multiply (16 elements in four dimensions).

    The scales need not be the ratio of the sizes: a scaled input larger than
    `output` is cropped, a smaller one is continued with its edge elements.

    **Inputs**

    | label | name     | field               | type |
    |-------|----------|---------------------|------|
    | (I1)  | `input`  | `InputTensor`       | tensor, rank 1 to 4, f32, f16, i8 or ui8 |
    | (I2)  | `mode`   | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I3)  | `scales` | `Scales`            | one f32 a dimension |

    **Constraints**
    * (C1) `size(scales) = rank(input)`.
    * (C2) `scales[i]` is finite and greater than 0.
    * (C3) `output` has `input`'s element type and rank. Its sizes are free.

    **Readings**
    * The page does not state the arithmetic of `x`. A scale is read as the
      fraction with the smallest denominator that rounds to the given f32 (0.1 is
      1/10, 171.0/512.0 is 171/512), and `x` is computed from it without rounding;
      so a size ratio means what its author meant and every device finds the same
      neighbour. The weight `w` is the fraction in f32, within 2 ULP. (From 2^24 on, where
      several integers round to one f32, the scale stands for itself.)
    * The page does not state which of two equally near elements is nearest. The
      upper one is taken, as `floor(x + 0.5)` says: the formula of ONNX Runtime's
      DirectML provider for this operator. (The gradient operator's page has an
      example that takes the lower one.)
    * `linear` interpolates one dimension after the other, the last one first, as
      `a + w * (b - a)` in f32, without contraction to a fused operation, whatever
      the element type; f16 is rounded once. Where `w` is 0, `a` is taken alone:
      what `b` is, infinite or NaN, does not matter.
      8-bit results are rounded to nearest, halves to even.

    **Example**
    ```mlir
    // %input: [[1, 2]]
    %output = dml.resample %input {
        mode = #dml.interpolation_mode<linear>, scales = array<f32: 1.0, 2.0>}
        : (tensor<1x2xf32>) -> tensor<1x4xf32>
    // %output: [[1, 1.25, 1.75, 2]]
    ```

    **Source:** DML_RESAMPLE_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_InterpolationModeAttr:$mode,
    DenseF32ArrayAttr:$scales
  );
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "output"]];
  let support = [
    DML_SameSupport<FL_6_2, 1, 4, DML_Float32And16Int8>,
    DML_SameSupport<FL_5_1, 1, 4, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
  let enumSupport = [DML_EnumSupport<"mode", DML_InterpolationModeAttr>];
  let independentDimensions = 1;
  let arrays = [DML_DimensionArray<"scales", "1">];

  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // DML_IR_RESAMPLEOPS_TD
