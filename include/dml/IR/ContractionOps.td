//===- ContractionOps.td - Sums of products ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_CONTRACTIONOPS_TD
#define DML_IR_CONTRACTIONOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_ConvolutionOp
    : DML_Op<"convolution", "CONVOLUTION", [InferTypeOpAdaptor]> {
  let summary = "Convolves a tensor with a filter";
  let description = [{
    Slides the filters over the input (`forward`), or adds every element of the
    input, times a filter, to the output (`backward`, the transposed
    convolution).

    **Semantics.** Tensors are `{N, C, W}`, `{N, C, H, W}` or `{N, C, D, H, W}`;
    the arrays have one value for each spatial dimension, in that order. Channels
    are split into `group_count` groups of consecutive ones, and a group of the
    output sees that group of the input alone. `k` runs over the positions of a
    filter, and `K` stands for its sizes.

    `forward`: with `F = dim(filter, 1)` channels a group of the input,

    `output[n, m, o] = sum over c, k of
    input[n, group(m) * F + c, o * strides + k * dilations - start_padding] *
    filter[m, c, k]`;

    positions outside of `input` add nothing.

    `backward`: with `M = dim(filter, 1)` channels a group of the output, `output`
    starts at 0, and every element of `input` adds

    `input[n, c, p] * filter[c, m, k]` to
    `output[n, group(c) * M + m, p * strides + k * dilations - start_padding]`,

    where that lies inside `output`.

    This is what `cross_correlation` does. The mode `convolution` reads the
    filter at `K - 1 - k` in place of `k`. Where there is a `bias`, its element
    of the output's channel is added to each sum. Where there is a
    `fused_activation`, that function of the sum is the element.

    **Inputs**

    | label | name             | field            | type |
    |-------|------------------|------------------|------|
    | (I1)  | `input`          | `InputTensor`    | tensor, rank 3 to 5, f32 or f16 |
    | (I2)  | `filter`         | `FilterTensor`   | tensor, rank 3 to 5, f32 or f16 |
    | (I3)  | `bias`           | `BiasTensor`     | optional tensor `{1, C, 1, ...}` |
    | (I4)  | `mode`           | `Mode`           | `#dml.convolution_mode` |
    | (I5)  | `direction`      | `Direction`      | `#dml.convolution_direction` |
    | (I6)  | `strides`        | `Strides`        | steps between positions of the filter; `backward`, between elements of the input |
    | (I7)  | `dilations`      | `Dilations`      | steps between a filter's elements |
    | (I8)  | `start_padding`  | `StartPadding`   | zeros before the input; `backward`, elements cut from the start of the output |
    | (I9)  | `end_padding`    | `EndPadding`     | the same at the end |
    | (I10) | `output_padding` | `OutputPadding`  | elements that a `backward` output has more |
    | (I11) | `group_count`    | `GroupCount`     | number of groups, 1 where absent |
    | (I12) | `fused_activation` | `FusedActivation` | `#dml.activation`, applied to each element; optional |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `dilations[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`, `output_padding[i] >= 0`, `group_count > 0`.
    * (C3) all tensors have the same element type and rank.
    * (C4) `forward`: `dim(input, 1) = dim(filter, 1) * group_count`, and
      `dim(filter, 0)` is a multiple of `group_count`.
    * (C5) `backward`: `dim(input, 1) = dim(filter, 0)`, a multiple of
      `group_count`.
    * (C6) `bias` has size `dim(output, 1)` in dimension 1, and 1 in the others.
    * (C7) `output_padding[i] = 0` where `direction` is `forward`.
    * (C8) `output` is `{dim(input, 0), C, ...}` with `C = dim(filter, 0)`
      forward and `C = dim(filter, 1) * group_count` backward. Along each spatial
      dimension, with `e = 1 + (dim(filter) - 1) * dilations` and the padding
      `p = start_padding + end_padding`, its size is
      `(dim(input) + p - e) / strides + 1` rounded down, where `e` is at most
      `dim(input) + p`; and `backward`,
      `(dim(input) - 1) * strides + e + output_padding - p`, where that is
      positive.
    * (C9) `fused_activation` is no softmax.

    **Readings**
    * The zeros of the padding are factors like others: where a filter has infinity or
      NaN, the sums that it reaches into the padding for are NaN.
    * `output_padding` makes a `backward` output larger at its end; its further
      elements are sums like any other, and 0 where nothing is added. Callers of
      DirectML who pass no `OutputPadding` but a larger `OutputTensor` mean the
      same, and the readers of DirectML's formats make an `output_padding` of it.
      The page's text, taken literally, has zeros there.
    * No page says how far a `forward` output may differ from (C8). It may not.
    * The page tells dimension counts of 2 and 3; a rank of 3 has 1.
    * Products are added up in an order that is not said, in f32 for f16 tensors,
      too, and the sum is rounded to f16 once. With `n` products and the unit
      `u = 2^-23`, a correct f32 sum is off by at most
      `((1 + u)^(n + 1) - 1) * sum |products|`, whichever way a device rounds and
      whether or not it fuses a product with its addition.
    * Of `input`, elements outside of the tensor add nothing even where `filter`
      has an infinity or a NaN.
    * The activation is applied to the sum in f32, before it is rounded to f16.

    **Example**
    ```mlir
    // %input: [[1, 2, 3, 4]]     %filter: [[1, 10]]
    %output = dml.convolution %input, %filter {
        mode = #dml.convolution_mode<cross_correlation>,
        direction = #dml.convolution_direction<forward>,
        strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        output_padding = array<i64: 0, 0>}
        : (tensor<1x1x1x4xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x3xf32>
    // %output: [[21, 32, 43]]
    ```

    **Source:** DML_CONVOLUTION_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_Tensor:$filter,
    Optional<DML_Tensor>:$bias,
    DML_ConvolutionModeAttr:$mode,
    DML_ConvolutionDirectionAttr:$direction,
    DML_I64ArrayAttr:$strides,
    DML_I64ArrayAttr:$dilations,
    DML_I64ArrayAttr:$start_padding,
    DML_I64ArrayAttr:$end_padding,
    DML_I64ArrayAttr:$output_padding,
    DefaultValuedAttr<DML_I64Attr, "1">:$group_count,
    OptionalAttr<DML_ActivationAttr>:$fused_activation
  );
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "filter", "bias", "output"]];
  let support = [
    DML_SameSupport<FL_4_0, 3, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
  let enumSupport = [
    DML_EnumSupport<"mode", DML_ConvolutionModeAttr>,
    DML_EnumSupport<"direction", DML_ConvolutionDirectionAttr>,
    DML_FusedActivationSupport</*alsoClip=*/1>,
  ];
  let arrays = [
    DML_DimensionArray<"strides", "1", 2, 1>,
    DML_DimensionArray<"dilations", "1", 2, 1>,
    DML_DimensionArray<"start_padding", "0", 2>,
    DML_DimensionArray<"end_padding", "0", 2>,
    DML_DimensionArray<"output_padding", "0", 2>,
    DML_FreeArray<"group_count", 1>,
  ];
  let hasVerifier = 1;
}

def DML_GemmOp
    : DML_Op<"gemm", "GEMM", [InferTypeOpAdaptor,
             DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Multiplies matrices";
  let description = [{
    Multiplies the matrices in the last two dimensions of `a` and `b`, a product
    for each position in the other dimensions.

    **Semantics.** With `A = trans_a(a)`, `{..., M, K}`, and `B = trans_b(b)`,
    `{..., K, N}`, where `transpose` swaps the last two dimensions,

    `output[..., m, n] = alpha * (sum over k of A[..., m, k] * B[..., k, n]) +
    beta * c[..., m, n]`.

    Without `c`, nothing is added. Where there is a `fused_activation`, that
    function of the sum is the element; where that is `softmax` or `softmax1`, the
    result is `dml.activation_softmax` or `dml.activation_softmax1` of the sums.

    **Inputs**

    | label | name      | field          | type |
    |-------|-----------|----------------|------|
    | (I1)  | `a`       | `ATensor`      | tensor, rank 2 to 4, f32 or f16 |
    | (I2)  | `b`       | `BTensor`      | tensor, rank 2 to 4, f32 or f16 |
    | (I3)  | `c`       | `CTensor`      | optional tensor of the output's sizes |
    | (I4)  | `trans_a` | `TransA`       | `#dml.matrix_transform` |
    | (I5)  | `trans_b` | `TransB`       | `#dml.matrix_transform` |
    | (I6)  | `alpha`   | `Alpha`        | f32, 1 where absent |
    | (I7)  | `beta`    | `Beta`         | f32, 1 where absent |
    | (I8)  | `fused_activation` | `FusedActivation` | `#dml.activation`, applied to the sums; optional |

    **Constraints**
    * (C1) all tensors have the same element type and rank.
    * (C2) `a` and `b` have the same sizes in all dimensions but the last two.
    * (C3) `A` has as many columns as `B` has rows.
    * (C4) `output` is `{..., M, N}`.
    * (C5) `c` has `output`'s sizes.
    * (C6) the `axes` of the activation `softmax1` are dimensions of `output`, each at
      most once.
    * (C7) where the activation is `softmax`, `output` is one matrix: it has at most two
      dimensions without its leading sizes of 1.

    **Readings**
    * The page of 2020 lets `c` broadcast, the present one demands the output's
      sizes and is followed.
    * With `beta` 0, `c` is read all the same: an infinity or a NaN in it makes
      the result one.
    * Products are added up in an order that is not said, in f32 for f16 tensors,
      too; the sum is multiplied by `alpha`, `beta * c` is added, and the result
      is rounded to f16 once. The sum is within the bounds of `dml.convolution`.
    * The activation is applied to the whole, `beta * c` included, in f32.
    * A fused softmax does what the operator of its own does with the sums, which are
      rounded to f16 in between. The page does not say along which dimension
      ACTIVATION_SOFTMAX works for ranks above 2: along the last one.

    **Example**
    ```mlir
    // %a: [[1, 2],   %b: [[1, 0, 2],   %c: [[10, 20],
    //      [3, 4],        [0, 1, 3]]        [10, 20]]
    //      [5, 6]]
    %output = dml.gemm %a, %b c(%c) {
        trans_a = #dml.matrix_transform<transpose>,
        trans_b = #dml.matrix_transform<transpose>,
        alpha = 0.5 : f32, beta = -1.0 : f32}
        : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    // %output: [[-4.5, -11], [-3, -9]]
    ```

    **Source:** DML_GEMM_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$a,
    DML_Tensor:$b,
    Optional<DML_Tensor>:$c,
    DML_MatrixTransformAttr:$trans_a,
    DML_MatrixTransformAttr:$trans_b,
    DefaultValuedAttr<DML_F32Attr, "1.0f">:$alpha,
    DefaultValuedAttr<DML_F32Attr, "1.0f">:$beta,
    OptionalAttr<DML_ActivationAttr>:$fused_activation
  );
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["a", "b", "c", "output"]];
  let sameShapes = [["output", "c"]];
  let support = [
    DML_SameSupport<FL_4_0, 2, 4, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let enumSupport = [
    DML_EnumSupport<"trans_a", DML_MatrixTransformAttr>,
    DML_EnumSupport<"trans_b", DML_MatrixTransformAttr>,
    DML_FusedActivationSupport</*alsoClip=*/1, /*alsoSoftmax=*/1>,
  ];
  let hasVerifier = 1;

  let extraClassDeclaration = [{
    /// Returns the dimensions of a fused softmax, or nothing if no softmax is
    /// fused.
    std::optional<::llvm::SmallVector<int64_t>> getSoftmaxAxes();
  }];
}

//===----------------------------------------------------------------------===//
// Products of quantized numbers
//===----------------------------------------------------------------------===//

def DML_ConvolutionIntegerOp
    : DML_Op<"convolution_integer", "CONVOLUTION_INTEGER",
             [AttrSizedOperandSegments]> {
  let summary = "Convolves a tensor of integers with a filter";
  let description = [{
    Slides filters over the input, as `dml.convolution` does with the mode
    `cross_correlation` and the direction `forward`.

    **Semantics.** `output` is that convolution of `input - input_zero_point` with
    `filter - filter_zero_point`: with `F = dim(filter, 1)`,

    `output[n, m, o] = sum over c, k of
    (input[n, group(m) * F + c, o * strides + k * dilations - start_padding] -
    input_zero_point) * (filter[m, c, k] - filter_zero_point[m])`;

    positions outside of `input` add nothing. Differences, products and sums are
    integers of 32 bits, and wrap around. An absent zero point is 0.

    **Inputs**

    | label | name                | field                   | type |
    |-------|---------------------|-------------------------|------|
    | (I1)  | `input`             | `InputTensor`           | tensor, rank 3 to 4, i8 or ui8 |
    | (I2)  | `input_zero_point`  | `InputZeroPointTensor`  | optional tensor of one element |
    | (I3)  | `filter`            | `FilterTensor`          | tensor, rank 3 to 4, i8 or ui8 |
    | (I4)  | `filter_zero_point` | `FilterZeroPointTensor` | optional tensor of one element, or `{1, C, 1, 1}` |
    | (I5)  | `strides`           | `Strides`               | steps between positions of the filter |
    | (I6)  | `dilations`         | `Dilations`             | steps between a filter's elements |
    | (I7)  | `start_padding`     | `StartPadding`          | positions before the input |
    | (I8)  | `end_padding`       | `EndPadding`            | positions behind the input |
    | (I9)  | `group_count`       | `GroupCount`            | number of groups, 1 where absent |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `dilations[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`, `group_count > 0`.
    * (C3) `input`, `filter` and `output` have the same rank.
    * (C4) each zero point has the element type of its tensor.
    * (C5) `dim(input, 1) = dim(filter, 1) * group_count`, and `dim(filter, 0)` is
      a multiple of `group_count`.
    * (C6) `input_zero_point` has one element; `filter_zero_point` has one element,
      or as many as the output has channels, along the dimension of these.
    * (C7) the zero points have the same rank.
    * (C8) `output` has the sizes of `dml.convolution`'s.

    **Readings**
    * What lies outside of `input` adds nothing: it is like the zero point, as in
      ONNX's ConvInteger.
    * A zero point of a rank other than `input`'s is aligned with it at the last
      dimension: the channels of `{N, C, W}` are dimension 1 of three, and
      dimension 2 of a zero point of rank 4.
    * The page speaks of two spatial dimensions; a rank of 3 has one.

    **Example**
    ```mlir
    // %input: [[2, 3], [5, 6]]  %zero: [1]  %filter: [[1, 1], [1, 1]]
    %output = dml.convolution_integer %input input_zero_point(%zero), %filter {
        strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 1>}
        : (tensor<1x1x2x2xui8>, tensor<1xui8>, tensor<1x1x2x2xui8>)
        -> tensor<1x1x1x2xi32>
    // %output: [[12, 7]]
    ```

    **Source:** DML_CONVOLUTION_INTEGER_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    Optional<DML_Tensor>:$input_zero_point,
    DML_Tensor:$filter,
    Optional<DML_Tensor>:$filter_zero_point,
    DML_I64ArrayAttr:$strides,
    DML_I64ArrayAttr:$dilations,
    DML_I64ArrayAttr:$start_padding,
    DML_I64ArrayAttr:$end_padding,
    DefaultValuedAttr<DML_I64Attr, "1">:$group_count
  );
  let results = (outs DML_Tensor:$output);
  let hasVerifier = 1;

  let sameElementTypes = [["input", "input_zero_point"],
                          ["filter", "filter_zero_point"]];
  let support = [
    DML_Support<FL_4_0, [
      DML_TensorSupport<"input", 3, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"input_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter", 3, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 3, 4, DML_OnlyInt32>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"input_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyInt32>,
    ]>,
  ];
  let arrays = [
    DML_DimensionArray<"strides", "1", 2, 1>,
    DML_DimensionArray<"dilations", "1", 2, 1>,
    DML_DimensionArray<"start_padding", "0", 2>,
    DML_DimensionArray<"end_padding", "0", 2>,
    DML_FreeArray<"group_count", 1>,
  ];
}

def DML_QuantizedLinearConvolutionOp
    : DML_Op<"quantized_linear_convolution", "QUANTIZED_LINEAR_CONVOLUTION",
             [AttrSizedOperandSegments]> {
  let summary = "Convolves a quantized tensor with a quantized filter";
  let description = [{
    Slides filters over the input as `dml.convolution_integer` does, adds a bias,
    and quantizes the result.

    **Semantics.** With the integer `sum` that `dml.convolution_integer` computes
    of `input`, `filter` and their zero points, every element of `output` is

    `limit(round((sum + bias[m]) * (input_scale * filter_scale[m] /
    output_scale)) + output_zero_point)`

    where `m` is its channel. `sum + bias[m]` is an integer of 32 bits, and wraps
    around; it becomes an f32, and what follows is arithmetic of f32. Halves are
    rounded to even; `limit` takes what the output's type cannot hold to its
    nearest number. An absent bias or zero point is 0.

    **Inputs**

    | label | name                | field                   | type |
    |-------|---------------------|-------------------------|------|
    | (I1)  | `input`             | `InputTensor`           | tensor, rank 3 to 4, i8 or ui8 |
    | (I2)  | `input_scale`       | `InputScaleTensor`      | tensor of one f32 |
    | (I3)  | `input_zero_point`  | `InputZeroPointTensor`  | optional tensor of one element |
    | (I4)  | `filter`            | `FilterTensor`          | tensor, rank 3 to 4, i8 or ui8 |
    | (I5)  | `filter_scale`      | `FilterScaleTensor`     | tensor of one f32, or `{1, C, 1, 1}` |
    | (I6)  | `filter_zero_point` | `FilterZeroPointTensor` | optional tensor of one element, or `{1, C, 1, 1}` |
    | (I7)  | `bias`              | `BiasTensor`            | optional tensor `{1, C, 1, ...}`, i32 |
    | (I8)  | `output_scale`      | `OutputScaleTensor`     | tensor of one f32 |
    | (I9)  | `output_zero_point` | `OutputZeroPointTensor` | optional tensor of one element |
    | (I10) | `strides`           | `Strides`               | steps between positions of the filter |
    | (I11) | `dilations`         | `Dilations`             | steps between a filter's elements |
    | (I12) | `start_padding`     | `StartPadding`          | positions before the input |
    | (I13) | `end_padding`       | `EndPadding`            | positions behind the input |
    | (I14) | `group_count`       | `GroupCount`            | number of groups, 1 where absent |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `dilations[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`, `group_count > 0`.
    * (C3) `input`, `filter`, `bias` and `output` have the same rank.
    * (C4) each zero point has the element type of its tensor.
    * (C5) `dim(input, 1) = dim(filter, 1) * group_count`, and `dim(filter, 0)` is
      a multiple of `group_count`.
    * (C6) `filter_scale` and `filter_zero_point` have one element each, or as many
      as the output has channels, along the dimension of these; the other scales
      and zero points have one element.
    * (C7) `bias` has size `dim(output, 1)` in dimension 1, and 1 in the others.
    * (C8) `output` has the sizes of `dml.convolution`'s.

    **Readings**
    * `bias` is in units of `input_scale * filter_scale[m]`, with the zero point 0,
      as in ONNX's QLinearConv; the page does not say.
    * What is rounded may be off by some units in the last place, and the page
      leaves its precision open: near a tie the result may be off by 1. A scale of
      0 or one that is not finite has the result that f32 arithmetic gives; where
      that is NaN, any number.
    * What lies outside of `input` adds nothing.
    * A scale or zero point of a rank other than `input`'s is aligned with it at
      the last dimension.
    * A kernel binds up to ten buffers; where a device binds fewer, several
      tensors share a buffer.

    **Example**
    ```mlir
    // %input: [[10, 20]]  %input_zero: [6]  %filter: [2], [-3]
    // %scale: [0.5]  %filter_scale: [0.25], [0.5]  %bias: [4], [-8]  %zero: [100]
    %output = dml.quantized_linear_convolution
        %input, %scale input_zero_point(%input_zero), %filter, %filter_scale
        bias(%bias), %scale output_zero_point(%zero) {
        strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
        : (tensor<1x1x1x2xui8>, tensor<1xf32>, tensor<1xui8>, tensor<2x1x1x1xi8>,
           tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>, tensor<1xf32>, tensor<1xui8>)
        -> tensor<1x2x1x2xui8>
    // %output: [[103, 108]], [[90, 75]]
    ```

    **Source:** DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_Tensor:$input_scale,
    Optional<DML_Tensor>:$input_zero_point,
    DML_Tensor:$filter,
    DML_Tensor:$filter_scale,
    Optional<DML_Tensor>:$filter_zero_point,
    Optional<DML_Tensor>:$bias,
    DML_Tensor:$output_scale,
    Optional<DML_Tensor>:$output_zero_point,
    DML_I64ArrayAttr:$strides,
    DML_I64ArrayAttr:$dilations,
    DML_I64ArrayAttr:$start_padding,
    DML_I64ArrayAttr:$end_padding,
    DefaultValuedAttr<DML_I64Attr, "1">:$group_count
  );
  let results = (outs DML_Tensor:$output);
  let hasVerifier = 1;

  let sameElementTypes = [["input", "input_zero_point"],
                          ["filter", "filter_zero_point"],
                          ["output", "output_zero_point"]];
  let support = [
    DML_Support<FL_5_2, [
      DML_TensorSupport<"input", 3, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"input_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"input_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter", 3, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"filter_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"bias", 3, 4, DML_OnlyInt32>,
      DML_TensorSupport<"output_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 3, 4, DML_Int8AndUInt8>,
    ]>,
    DML_Support<FL_4_0, [
      DML_TensorSupport<"input", 3, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"input_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"input_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter", 3, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter_scale", 3, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"filter_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"bias", 3, 4, DML_OnlyInt32>,
      DML_TensorSupport<"output_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 3, 4, DML_Int8AndUInt8>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"input_scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"input_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"filter_scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"filter_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"bias", 4, 4, DML_OnlyInt32>,
      DML_TensorSupport<"output_scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 4, 4, DML_Int8AndUInt8>,
    ]>,
  ];
  let arrays = [
    DML_DimensionArray<"strides", "1", 2, 1>,
    DML_DimensionArray<"dilations", "1", 2, 1>,
    DML_DimensionArray<"start_padding", "0", 2>,
    DML_DimensionArray<"end_padding", "0", 2>,
    DML_FreeArray<"group_count", 1>,
  ];
}

def DML_MatrixMultiplyIntegerOp
    : DML_Op<"matrix_multiply_integer", "MATRIX_MULTIPLY_INTEGER",
             [AttrSizedOperandSegments]> {
  let summary = "Multiplies matrices of integers";
  let description = [{
    Multiplies the matrices in the last two dimensions of `a` and `b`, a product
    for each position in the other dimensions.

    **Semantics.**

    `output[..., m, n] = sum over k of (a[..., m, k] - a_zero_point[m]) *
    (b[..., k, n] - b_zero_point[n])`.

    Differences, products and sums are integers of 32 bits, and wrap around. An
    absent zero point is 0.

    **Inputs**

    | label | name           | field              | type |
    |-------|----------------|--------------------|------|
    | (I1)  | `a`            | `ATensor`          | tensor `{..., M, K}`, rank 2 to 4, i8 or ui8 |
    | (I2)  | `a_zero_point` | `AZeroPointTensor` | optional tensor of one element, or `{1, 1, M, 1}` |
    | (I3)  | `b`            | `BTensor`          | tensor `{..., K, N}`, rank 2 to 4, i8 or ui8 |
    | (I4)  | `b_zero_point` | `BZeroPointTensor` | optional tensor of one element, or `{1, 1, 1, N}` |

    **Constraints**
    * (C1) `a`, `b` and `output` have the same rank.
    * (C2) `a` and `b` have the same sizes in all dimensions but the last two.
    * (C3) `a` has as many columns as `b` has rows.
    * (C4) `output` is `{..., M, N}`.
    * (C5) each zero point has the element type of its tensor.
    * (C6) `a_zero_point` has one element, or as many as `a` has rows, along its
      last dimension but one; `b_zero_point` has one element, or as many as `b` has
      columns, along its last dimension.

    **Readings**
    * Zero points may have any rank, and are aligned with their tensors at the last
      dimension: at rank 1, `a_zero_point` is one number.

    **Example**
    ```mlir
    // %a: [[10, 20],  %a_zero: [[10],  %b: [[1, -1],  %b_zero: [1, -1]
    //      [30, 40]]           [20]]        [2,  3]]
    %output = dml.matrix_multiply_integer
        %a a_zero_point(%a_zero), %b b_zero_point(%b_zero)
        : (tensor<2x2xui8>, tensor<2x1xui8>, tensor<2x2xi8>, tensor<2xi8>)
        -> tensor<2x2xi32>
    // %output: [[10, 40], [20, 80]]
    ```

    **Source:** DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$a,
    Optional<DML_Tensor>:$a_zero_point,
    DML_Tensor:$b,
    Optional<DML_Tensor>:$b_zero_point
  );
  let results = (outs DML_Tensor:$output);
  let hasVerifier = 1;

  let sameElementTypes = [["a", "a_zero_point"], ["b", "b_zero_point"]];
  let support = [
    DML_Support<FL_5_2, [
      DML_TensorSupport<"a", 2, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"a_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b", 2, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 2, 4, DML_OnlyInt32>,
    ]>,
    DML_Support<FL_4_0, [
      DML_TensorSupport<"a", 2, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"a_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b", 2, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b_zero_point", 2, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 2, 4, DML_OnlyInt32>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"a", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"a_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyInt32>,
    ]>,
  ];
}

def DML_QuantizedLinearMatrixMultiplyOp
    : DML_Op<"quantized_linear_matrix_multiply",
             "QUANTIZED_LINEAR_MATRIX_MULTIPLY", [AttrSizedOperandSegments]> {
  let summary = "Multiplies quantized matrices";
  let description = [{
    Multiplies matrices as `dml.matrix_multiply_integer` does, and quantizes the
    result.

    **Semantics.** With the integer `sum` that `dml.matrix_multiply_integer`
    computes of `a`, `b` and their zero points,

    `output[..., m, n] = limit(round(sum * (a_scale[m] * b_scale[n] /
    output_scale[m])) + output_zero_point[m])`.

    The sum becomes an f32, and what follows is arithmetic of f32. Halves are
    rounded to even; `limit` takes what the output's type cannot hold to its
    nearest number. An absent zero point is 0.

    **Inputs**

    | label | name                | field                   | type |
    |-------|---------------------|-------------------------|------|
    | (I1)  | `a`                 | `ATensor`               | tensor `{..., M, K}`, rank 2 to 4, i8 or ui8 |
    | (I2)  | `a_scale`           | `AScaleTensor`          | tensor of one f32, or `{1, 1, M, 1}` |
    | (I3)  | `a_zero_point`      | `AZeroPointTensor`      | optional tensor of one element, or `{1, 1, M, 1}` |
    | (I4)  | `b`                 | `BTensor`               | tensor `{..., K, N}`, rank 2 to 4, i8 or ui8 |
    | (I5)  | `b_scale`           | `BScaleTensor`          | tensor of one f32, or `{1, 1, 1, N}` |
    | (I6)  | `b_zero_point`      | `BZeroPointTensor`      | optional tensor of one element, or `{1, 1, 1, N}` |
    | (I7)  | `output_scale`      | `OutputScaleTensor`     | tensor of one f32, or `{1, 1, M, 1}` |
    | (I8)  | `output_zero_point` | `OutputZeroPointTensor` | optional tensor of one element, or `{1, 1, M, 1}` |

    **Constraints**
    * (C1) `a`, `b` and `output` have the same rank.
    * (C2) `a` and `b` have the same sizes in all dimensions but the last two.
    * (C3) `a` has as many columns as `b` has rows.
    * (C4) `output` is `{..., M, N}`.
    * (C5) each zero point has the element type of its tensor.
    * (C6) scales and zero points have one element, or as many as there are rows or
      columns: those of `a` and `output` rows, along their last dimension but one,
      and those of `b` columns, along their last dimension.
    * (C7) all scales and zero points have the same rank.

    **Readings**
    * What is rounded may be off by some units in the last place, and the page
      leaves its precision open: near a tie the result may be off by 1. A scale of
      0 or one that is not finite has the result that f32 arithmetic gives; where
      that is NaN, any number.
    * Scales and zero points may have another rank than `a`, and are aligned with
      it at the last dimension.
    * `a` and `b` may differ in whether they are signed, as in ONNX Runtime.
    * A kernel binds up to nine buffers; where a device binds fewer, several
      tensors share a buffer.

    **Example**
    ```mlir
    // %a, %b: [[1, 2],  %a_scale: [[0.5],   %b_scale: [[1, 2]]
    //          [3, 4]]             [0.25]]
    // %scale: [[0.5]]  %zero: [[-5]]
    %output = dml.quantized_linear_matrix_multiply
        %a, %a_scale, %b, %b_scale, %scale output_zero_point(%zero)
        : (tensor<2x2xi8>, tensor<2x1xf32>, tensor<2x2xi8>, tensor<1x2xf32>,
           tensor<1x1xf32>, tensor<1x1xi8>) -> tensor<2x2xi8>
    // %output: [[2, 15], [3, 17]]: 7.5 is rounded to 8
    ```

    **Source:** DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$a,
    DML_Tensor:$a_scale,
    Optional<DML_Tensor>:$a_zero_point,
    DML_Tensor:$b,
    DML_Tensor:$b_scale,
    Optional<DML_Tensor>:$b_zero_point,
    DML_Tensor:$output_scale,
    Optional<DML_Tensor>:$output_zero_point
  );
  let results = (outs DML_Tensor:$output);
  let hasVerifier = 1;

  let sameElementTypes = [["a", "a_zero_point"], ["b", "b_zero_point"],
                          ["output", "output_zero_point"]];
  let support = [
    DML_Support<FL_4_0, [
      DML_TensorSupport<"a", 2, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"a_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"a_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b", 2, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"b_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output_scale", 1, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 1, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 2, 4, DML_Int8AndUInt8>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"a", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"a_scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"a_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"b_scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"b_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output_scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 4, 4, DML_Int8AndUInt8>,
    ]>,
  ];
}

def DML_MatrixMultiplyIntegerToFloatOp
    : DML_Op<"matrix_multiply_integer_to_float",
             "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", [AttrSizedOperandSegments]> {
  let summary = "Multiplies quantized matrices to one of floats";
  let description = [{
    Multiplies the matrices in the last two dimensions of `a` and `b`, a product
    for each position in the other dimensions, scales them and adds a bias.

    **Semantics.**

    `output[..., m, n] = (sum over k of (a[..., m, k] - a_zero_point[m]) *
    (b[..., k, n] - b_zero_point[n])) * (a_scale[m] * b_scale[n]) +
    bias[..., m, n]`.

    Where `a` and `b` have 8 bits, differences, products and the sum are integers
    of 32 bits, which wrap around, and the sum becomes an f32. Otherwise
    differences are such integers, which wrap around, and become f32; products and
    the sum are f32. What follows is arithmetic of f32, rounded to f16 once. An
    absent zero point is 0, and without `bias` nothing is added.

    **Inputs**

    | label | name           | field              | type |
    |-------|----------------|--------------------|------|
    | (I1)  | `a`            | `ATensor`          | tensor `{..., M, K}`, rank 2 to 4, integers up to 32 bits |
    | (I2)  | `a_scale`      | `AScaleTensor`     | tensor of one element, or `{1, 1, M, 1}`; f32 or f16 |
    | (I3)  | `a_zero_point` | `AZeroPointTensor` | optional tensor of one element, or `{1, 1, M, 1}` |
    | (I4)  | `b`            | `BTensor`          | tensor `{..., K, N}`, rank 2 to 4, integers up to 32 bits |
    | (I5)  | `b_scale`      | `BScaleTensor`     | tensor of one element, or `{1, 1, 1, N}`; f32 or f16 |
    | (I6)  | `b_zero_point` | `BZeroPointTensor` | optional tensor of one element, or `{1, 1, 1, N}` |
    | (I7)  | `bias`         | `BiasTensor`       | optional tensor of the output's sizes |

    **Constraints**
    * (C1) `a`, `b`, `bias` and `output` have the same rank.
    * (C2) `a` and `b` have the same sizes in all dimensions but the last two.
    * (C3) `a` has as many columns as `b` has rows.
    * (C4) `output` is `{..., M, N}`.
    * (C5) each zero point has the element type of its tensor.
    * (C6) scales and zero points have one element, or as many as there are rows or
      columns: those of `a` rows, along their last dimension but one, and those of
      `b` columns, along their last dimension.
    * (C7) all scales and zero points have the same rank.
    * (C8) `a_scale`, `b_scale`, `bias` and `output` have the same element type.
    * (C9) `bias` has `output`'s sizes.
    * (C10) `a` and `b` have the same element type, or both have 8 bits.

    **Readings**
    * The page wants one element type for `a` and `b`; ONNX Runtime mixes i8 and
      ui8, which is followed.
    * The page does not say how sums of integers of 16 and 32 bits are formed. They
      are within the bounds of `dml.convolution`.
    * Scales and zero points may have another rank than `a`, and are aligned with
      it at the last dimension.
    * A kernel binds up to eight buffers; where a device binds fewer, several
      tensors share a buffer.

    **Example**
    ```mlir
    // %a: [[130, 126],  %zero: [[128]]  %b: [[1, -2],  %bias: [[10, 20],
    //      [129, 128]]                       [3,  4]]          [10, 20]]
    // %a_scale: [[0.5]]  %b_scale: [[0.25, 2]]
    %output = dml.matrix_multiply_integer_to_float
        %a, %a_scale a_zero_point(%zero), %b, %b_scale bias(%bias)
        : (tensor<2x2xui8>, tensor<1x1xf32>, tensor<1x1xui8>, tensor<2x2xi8>,
           tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    // %output: [[9.5, 8], [10.125, 18]]
    ```

    **Source:** DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$a,
    DML_Tensor:$a_scale,
    Optional<DML_Tensor>:$a_zero_point,
    DML_Tensor:$b,
    DML_Tensor:$b_scale,
    Optional<DML_Tensor>:$b_zero_point,
    Optional<DML_Tensor>:$bias
  );
  let results = (outs DML_Tensor:$output);
  let hasVerifier = 1;

  let sameElementTypes = [["a", "a_zero_point"], ["b", "b_zero_point"],
                          ["a_scale", "b_scale", "bias", "output"]];
  let sameShapes = [["output", "bias"]];
  let supportSource = "DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC, "
      "https://learn.microsoft.com/windows/ai/directml/api/"
      "ns-directml-dml_matrix_multiply_integer_to_float_operator_desc";
  let support = [
    DML_Support<FL_6_2, [
      DML_TensorSupport<"a", 2, 4, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"a_scale", 1, 4, DML_Float32And16>,
      DML_TensorSupport<"a_zero_point", 1, 4, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"b", 2, 4, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"b_scale", 1, 4, DML_Float32And16>,
      DML_TensorSupport<"b_zero_point", 1, 4, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"bias", 2, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 2, 4, DML_Float32And16>,
    ]>,
  ];
}

#endif // DML_IR_CONTRACTIONOPS_TD
