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

def DML_Resample1Op : DML_Op<"resample1", "RESAMPLE1"> {
  let summary = "Resamples a tensor, with offsets";
  let description = [{
    Does what `resample` does, with pixels that lie where the offsets say.

    **Semantics.** In each dimension alone, with `n` the size of `input` and `s` the
    scale there, output coordinate `o` lies at
    `x = (o - output_pixel_offset) / s - input_pixel_offset` of the input. With the
    offsets -0.5 and 0.5, pixel centres meet as in `resample`.

    * `nearest_neighbor`: the element at `floor(x + 0.5)`, clamped to `[0, n - 1]`.
    * `linear`: as in `resample`.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input` | `InputTensor` | tensor, rank 1 to 4, f32, f16, i8 or ui8 |
    | (I2) | `mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I3) | `scales` | `Scales` | one f32 a dimension |
    | (I4) | `input_pixel_offsets` | `InputPixelOffsets` | one f32 a dimension |
    | (I5) | `output_pixel_offsets` | `OutputPixelOffsets` | one f32 a dimension |

    **Constraints**
    * (C1) `size(scales) = size(input_pixel_offsets) = size(output_pixel_offsets) =
      rank(input)`.
    * (C2) `scales[i]` is finite and greater than 0.
    * (C3) `input_pixel_offsets[i]` and `output_pixel_offsets[i]` are finite.
    * (C4) `output` has `input`'s element type and rank. Its sizes are free.

    **Readings**
    * An offset, like a scale (`resample`), is read as the fraction with the smallest
      denominator that rounds to the given f32, and `x` is computed without rounding.
    * The page on `resample2` says that `resample1` lowers the output offsets by another
      0.5, which is not the nearest element unless the scale is 1; the formula of ONNX
      Runtime's DirectML provider is taken, as for `resample`.
    * Interpolation is that of `resample`.

    **Example**
    ```mlir
    // %input: [[1, 2, 3]]
    %output = dml.resample1 %input {mode = #dml.interpolation_mode<nearest_neighbor>,
        scales = array<f32: 1.0, 2.0>, input_pixel_offsets = array<f32: 0.0, 0.0>,
        output_pixel_offsets = array<f32: 0.0, 0.0>}
        : (tensor<1x3xf32>) -> tensor<1x6xf32>
    // %output: [[1, 2, 2, 3, 3, 3]]
    ```

    **Source:** DML_RESAMPLE1_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_InterpolationModeAttr:$mode,
    DenseF32ArrayAttr:$scales,
    DenseF32ArrayAttr:$input_pixel_offsets,
    DenseF32ArrayAttr:$output_pixel_offsets
  );
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "output"]];
  let support = [
    DML_SameSupport<FL_6_2, 1, 4, DML_Float32And16Int8>,
    DML_SameSupport<FL_5_1, 1, 4, DML_Float32And16>,
    DML_SameSupport<FL_2_1, 4, 4, DML_Float32And16>,
  ];
  let enumSupport = [
    DML_EnumSupport<"mode", DML_InterpolationModeAttr>,
  ];
  let arrays = [
    DML_DimensionArray<"scales", "1">,
    DML_DimensionArray<"input_pixel_offsets", "">,
    DML_DimensionArray<"output_pixel_offsets", "">,
  ];

  let hasVerifier = 1;
}

def DML_Resample2Op : DML_Op<"resample2", "RESAMPLE2"> {
  let summary = "Resamples a tensor, with offsets and a direction of rounding";
  let description = [{
    Does what `resample` does, with pixels that lie where the offsets say.

    **Semantics.** In each dimension alone, with `n` the size of `input` and `s` the
    scale there, output coordinate `o` lies at
    `x = (o - output_pixel_offset) / s - input_pixel_offset` of the input. With the
    offsets -0.5 and 0.5, pixel centres meet as in `resample`.

    * `nearest_neighbor`: the element at `floor(x)` where `rounding_direction` is
      `decreasing`, at `ceil(x)` where it is `increasing`, clamped to `[0, n - 1]`.
    * `linear`: as in `resample`.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input` | `InputTensor` | tensor, rank 1 to 4, f32, f16, i8 or ui8 |
    | (I2) | `mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I3) | `rounding_direction` | `RoundingDirection` | `#dml.axis_direction`; `linear` ignores it |
    | (I4) | `scales` | `Scales` | one f32 a dimension |
    | (I5) | `input_pixel_offsets` | `InputPixelOffsets` | one f32 a dimension |
    | (I6) | `output_pixel_offsets` | `OutputPixelOffsets` | one f32 a dimension |

    **Constraints**
    * (C1) `size(scales) = size(input_pixel_offsets) = size(output_pixel_offsets) =
      rank(input)`.
    * (C2) `scales[i]` is finite and greater than 0.
    * (C3) `input_pixel_offsets[i]` and `output_pixel_offsets[i]` are finite.
    * (C4) `output` has `input`'s element type and rank. Its sizes are free.

    **Readings**
    * An offset, like a scale (`resample`), is read as the fraction with the smallest
      denominator that rounds to the given f32, and `x` is computed without rounding.
    * The page says that lowering the output offsets by 0.5 makes `decreasing` round to
      nearest, which it does where the scale is 1; lowering the input offsets by 0.5
      does so for every scale.
    * Interpolation is that of `resample`.

    **Example**
    ```mlir
    // %input: [[1, 2, 3]]
    %output = dml.resample2 %input {mode = #dml.interpolation_mode<nearest_neighbor>,
        rounding_direction = #dml.axis_direction<decreasing>,
        scales = array<f32: 1.0, 2.0>, input_pixel_offsets = array<f32: 0.0, 0.0>,
        output_pixel_offsets = array<f32: 0.0, 0.0>}
        : (tensor<1x3xf32>) -> tensor<1x6xf32>
    // %output: [[1, 1, 2, 2, 3, 3]]
    ```

    **Source:** DML_RESAMPLE2_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_InterpolationModeAttr:$mode,
    DML_AxisDirectionAttr:$rounding_direction,
    DenseF32ArrayAttr:$scales,
    DenseF32ArrayAttr:$input_pixel_offsets,
    DenseF32ArrayAttr:$output_pixel_offsets
  );
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "output"]];
  let support = [
    DML_SameSupport<FL_6_2, 1, 4, DML_Float32And16Int8>,
    DML_SameSupport<FL_5_1, 1, 4, DML_Float32And16>,
  ];
  let enumSupport = [
    DML_EnumSupport<"mode", DML_InterpolationModeAttr>,
    DML_EnumSupport<"rounding_direction", DML_AxisDirectionAttr>,
  ];
  let arrays = [
    DML_DimensionArray<"scales", "1">,
    DML_DimensionArray<"input_pixel_offsets", "">,
    DML_DimensionArray<"output_pixel_offsets", "">,
  ];

  let hasVerifier = 1;
}

def DML_Upsample2dOp
    : DML_Op<"upsample_2d", "UPSAMPLE_2D", [InferTypeOpAdaptor]> {
  let summary = "Enlarges planes by whole factors";
  let description = [{
    Enlarges the last two dimensions of `input` by whole factors.

    **Semantics.** That of `resample` with the factors as the scales of the last two
    dimensions and 1 as those of the others.

    **Inputs**

    | label | name         | field               | type |
    |-------|--------------|---------------------|------|
    | (I1)  | `input`      | `InputTensor`       | tensor, rank 4 or 5, f32 or f16 |
    | (I2)  | `scale_size` | `ScaleSize`         | the factors of height and width, in this order |
    | (I3)  | `mode`       | `InterpolationMode` | `#dml.interpolation_mode` |

    **Constraints**
    * (C1) `size(scale_size) = 2`.
    * (C2) `scale_size[i] > 0`.
    * (C3) `input` has rank 4 or 5.
    * (C4) `output` has `input`'s element type and sizes, the last two times the factors.

    **Readings**
    * The page does not say where `linear` puts pixels. Their centres meet, as in
      `resample`.

    **Example**
    ```mlir
    // %input: [[[[1, 2]]]]
    %output = dml.upsample_2d %input {scale_size = array<i64: 1, 2>,
        mode = #dml.interpolation_mode<nearest_neighbor>}
        : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x4xf32>
    // %output: [[[[1, 1, 2, 2]]]]
    ```

    **Source:** DML_UPSAMPLE_2D_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DenseI64ArrayAttr:$scale_size,
                       DML_InterpolationModeAttr:$mode);
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "output"]];
  let support = [
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
  let enumSupport = [DML_EnumSupport<"mode", DML_InterpolationModeAttr>];
  let arrays = [DML_FixedArray<"scale_size", 2, 1>];
}

#endif // DML_IR_RESAMPLEOPS_TD
