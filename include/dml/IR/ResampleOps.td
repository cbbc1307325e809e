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
      8-bit results are rounded to nearest, halves to even. They are exact until
      then, where the product of the dimensions' smallest common denominators of
      `w` is at most 16,384.

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
    DML_F32ArrayAttr:$scales
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
    DML_F32ArrayAttr:$scales,
    DML_F32ArrayAttr:$input_pixel_offsets,
    DML_F32ArrayAttr:$output_pixel_offsets
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
    DML_F32ArrayAttr:$scales,
    DML_F32ArrayAttr:$input_pixel_offsets,
    DML_F32ArrayAttr:$output_pixel_offsets
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

def DML_Resample3Op : DML_Op<"resample3", "RESAMPLE3"> {
  let summary = "Resamples a tensor; linear interpolation may average when it shrinks";
  let description = [{
    Does what `resample2` does. With `antialiased`, linear interpolation that shrinks a
    dimension averages all elements that an output covers, instead of the two next to
    it.

    **Semantics.** In each dimension alone, with `n` the size of `input` and `s` the
    scale there, output coordinate `o` lies at
    `x = (o - output_pixel_offset) / s - input_pixel_offset` of the input.

    * `nearest_neighbor`, and `linear` without `antialiased`: as in `resample2`.
    * `linear` with `antialiased`: where `s >= 1`, as in `resample2`. Where `s < 1`, the
      filter is stretched to `f = 1 / s`: each integer `k` with `x - f < k < x + f` has a
      weight proportional to `1 - |k - x| / f`, the weights' sum is 1, and `k` is the
      element at `k` clamped to `[0, n - 1]`. Over several dimensions the weights
      multiply.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input` | `InputTensor` | tensor, rank 1 to 4, f32, f16, i8 or ui8 |
    | (I2) | `mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I3) | `rounding_direction` | `RoundingDirection` | `#dml.axis_direction`; `linear` ignores it |
    | (I4) | `scales` | `Scales` | one f32 a dimension |
    | (I5) | `input_pixel_offsets` | `InputPixelOffsets` | one f32 a dimension |
    | (I6) | `output_pixel_offsets` | `OutputPixelOffsets` | one f32 a dimension |
    | (I7) | `antialiased` | `Antialiased` | whether a dimension that shrinks is averaged; `nearest_neighbor` ignores it |

    **Constraints**
    * (C1) `size(scales) = size(input_pixel_offsets) = size(output_pixel_offsets) =
      rank(input)`.
    * (C2) `scales[i]` is finite and greater than 0.
    * (C3) `input_pixel_offsets[i]` and `output_pixel_offsets[i]` are finite.
    * (C4) `output` has `input`'s element type and rank. Its sizes are free.

    **Readings**
    * Scales, offsets and plain interpolation are read as in `resample2`.
    * The page says that antialiasing matters where `1 / s > 2`, and that the filter is
      stretched by `max(1, 1 / s)`. The latter is taken for every `s < 1`: the results
      then join those of `s = 1` without a jump, and are those that ONNX Runtime's tests
      of `Resize`, which run on DirectML, expect for a scale of 3/4.
    * The page does not say what lies outside of the tensor. The edge elements do, as for
      plain interpolation; those tests agree.
    * A dimension's weights are fractions, each rounded to f32 once. An element of weight
      0 takes no part. The dimensions that are averaged come first, from the first one
      on, and their sums are f32 whatever the element type; then the others are
      interpolated.

    **Example**
    ```mlir
    // %input: [[1, 2, 3, 4]]
    %output = dml.resample3 %input {mode = #dml.interpolation_mode<linear>,
        rounding_direction = #dml.axis_direction<increasing>,
        scales = array<f32: 1.0, 0.5>, input_pixel_offsets = array<f32: 0.5, 0.5>,
        output_pixel_offsets = array<f32: -0.5, -0.5>, antialiased = true}
        : (tensor<1x4xf32>) -> tensor<1x2xf32>
    // %output: [[1.625, 3.375]]
    ```

    **Source:** DML_RESAMPLE3_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_InterpolationModeAttr:$mode,
    DML_AxisDirectionAttr:$rounding_direction,
    DML_F32ArrayAttr:$scales,
    DML_F32ArrayAttr:$input_pixel_offsets,
    DML_F32ArrayAttr:$output_pixel_offsets,
    DML_BoolAttr:$antialiased
  );
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "output"]];
  let support = [
    DML_SameSupport<FL_6_4, 1, 4, DML_Float32And16Int8>,
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

def DML_ResampleGradOp : DML_Op<"resample_grad", "RESAMPLE_GRAD"> {
  let summary = "The gradient of resample1 with respect to its input";
  let description = [{
    Adds up, for each element that `resample1` read, the gradients of the outputs that
    it was read for.

    **Semantics.** `output_gradient` has the sizes of `resample1`'s input,
    `input_gradient` those of its output, and attributes are those of `resample1`.
    `output_gradient[i]` is the sum over all `o` of `weight(o, i) * input_gradient[o]`,
    where `weight(o, i)` is the weight of element `i` in output `o`: 1 for the nearest
    element, or the linear weights. Elements that no output read have the gradient 0.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input_gradient` | `InputGradientTensor` | tensor, rank 1 to 4, f32 or f16 |
    | (I2) | `mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I3) | `scales` | `Scales` | one f32 a dimension |
    | (I4) | `input_pixel_offsets` | `InputPixelOffsets` | one f32 a dimension |
    | (I5) | `output_pixel_offsets` | `OutputPixelOffsets` | one f32 a dimension |

    **Constraints**
    * (C1) `size(scales) = size(input_pixel_offsets) = size(output_pixel_offsets) =
      rank(input_gradient)`.
    * (C2) `scales[i]` is finite and greater than 0.
    * (C3) `input_pixel_offsets[i]` and `output_pixel_offsets[i]` are finite.
    * (C4) `output_gradient` has `input_gradient`'s element type and rank. Its sizes are
      free.

    **Readings**
    * The page's example takes the lower of two equally near elements, which
      contradicts its own rule for `resample1`. What `resample1` reads is taken, the
      upper one; `resample_grad1` has a direction of rounding.
    * Clamped positions read edge elements, which get the gradients of all of them.
    * One dimension is summed over after the other, the first one first, in f32 whatever
      the element type, in an order that is not said. Weights are those of `resample1`;
      a gradient of weight 0 takes no part, even an infinite one.

    **Example**
    ```mlir
    // %input_gradient: [[4, 5, 6]]
    %output_gradient = dml.resample_grad %input_gradient {
        mode = #dml.interpolation_mode<nearest_neighbor>, scales = array<f32: 1.0, 1.5>,
        input_pixel_offsets = array<f32: 0.5, 0.5>,
        output_pixel_offsets = array<f32: -0.5, -0.5>}
        : (tensor<1x3xf32>) -> tensor<1x2xf32>
    // %output_gradient: [[4, 11]]
    ```

    **Source:** DML_RESAMPLE_GRAD_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input_gradient,
    DML_InterpolationModeAttr:$mode,
    DML_F32ArrayAttr:$scales,
    DML_F32ArrayAttr:$input_pixel_offsets,
    DML_F32ArrayAttr:$output_pixel_offsets
  );
  let results = (outs DML_Tensor:$output_gradient);

  let sameElementTypes = [["input_gradient", "output_gradient"]];
  let support = [
    DML_SameSupport<FL_5_1, 1, 4, DML_Float32And16>,
    DML_SameSupport<FL_3_0, 4, 4, DML_Float32And16>,
  ];
  let enumSupport = [
    DML_EnumSupport<"mode", DML_InterpolationModeAttr>,
  ];
  let arrays = [
    DML_DimensionArray<"scales", "1", 0, 0, "input_gradient">,
    DML_DimensionArray<"input_pixel_offsets", "", 0, 0, "input_gradient">,
    DML_DimensionArray<"output_pixel_offsets", "", 0, 0, "input_gradient">,
  ];

  let hasVerifier = 1;
}

def DML_ResampleGrad1Op : DML_Op<"resample_grad1", "RESAMPLE_GRAD1"> {
  let summary = "The gradient of resample2 with respect to its input";
  let description = [{
    Does for `resample2` what `resample_grad` does for `resample1`.

    **Semantics.** That of `resample_grad`, with the elements and weights of
    `resample2`.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input_gradient` | `InputGradientTensor` | tensor, rank 1 to 4, f32 or f16 |
    | (I2) | `mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I3) | `rounding_direction` | `RoundingDirection` | `#dml.axis_direction`; `linear` ignores it |
    | (I4) | `scales` | `Scales` | one f32 a dimension |
    | (I5) | `input_pixel_offsets` | `InputPixelOffsets` | one f32 a dimension |
    | (I6) | `output_pixel_offsets` | `OutputPixelOffsets` | one f32 a dimension |

    **Constraints**
    * (C1) `size(scales) = size(input_pixel_offsets) = size(output_pixel_offsets) =
      rank(input_gradient)`.
    * (C2) `scales[i]` is finite and greater than 0.
    * (C3) `input_pixel_offsets[i]` and `output_pixel_offsets[i]` are finite.
    * (C4) `output_gradient` has `input_gradient`'s element type and rank. Its sizes are
      free.

    **Readings**
    * The page's example names neither direction nor offsets; `decreasing` and the
      offsets 0.5 and -0.5 give its numbers.
    * Sums are those of `resample_grad`.

    **Example**
    ```mlir
    // %input_gradient: [[4, 5, 6]]
    %output_gradient = dml.resample_grad1 %input_gradient {
        mode = #dml.interpolation_mode<nearest_neighbor>,
        rounding_direction = #dml.axis_direction<decreasing>,
        scales = array<f32: 0.5, 1.5>, input_pixel_offsets = array<f32: 0.5, 0.5>,
        output_pixel_offsets = array<f32: -0.5, -0.5>}
        : (tensor<1x3xf32>) -> tensor<2x2xf32>
    // %output_gradient: [[9, 6], [0, 0]]
    ```

    **Source:** DML_RESAMPLE_GRAD1_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input_gradient,
    DML_InterpolationModeAttr:$mode,
    DML_AxisDirectionAttr:$rounding_direction,
    DML_F32ArrayAttr:$scales,
    DML_F32ArrayAttr:$input_pixel_offsets,
    DML_F32ArrayAttr:$output_pixel_offsets
  );
  let results = (outs DML_Tensor:$output_gradient);

  let sameElementTypes = [["input_gradient", "output_gradient"]];
  let support = [
    DML_SameSupport<FL_5_1, 1, 4, DML_Float32And16>,
  ];
  let enumSupport = [
    DML_EnumSupport<"mode", DML_InterpolationModeAttr>,
    DML_EnumSupport<"rounding_direction", DML_AxisDirectionAttr>,
  ];
  let arrays = [
    DML_DimensionArray<"scales", "1", 0, 0, "input_gradient">,
    DML_DimensionArray<"input_pixel_offsets", "", 0, 0, "input_gradient">,
    DML_DimensionArray<"output_pixel_offsets", "", 0, 0, "input_gradient">,
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

  let arguments = (ins DML_Tensor:$input, DML_I64ArrayAttr:$scale_size,
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
