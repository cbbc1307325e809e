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
    of the output's channel is added to each sum.

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

    **Readings**
    * `output_padding` makes a `backward` output larger at its end; its further
      elements are sums like any other, and 0 where nothing is added. Callers of
      DirectML who pass no `OutputPadding` but a larger `OutputTensor` mean the
      same. The page's text, taken literally, has zeros there.
    * The page tells dimension counts of 2 and 3; a rank of 3 has 1.
    * Products are added up in an order that is not said, in f32 for f16 tensors,
      too, and the sum is rounded to f16 once. With `n` products and the unit
      `u = 2^-23`, a correct f32 sum is off by at most
      `((1 + u)^(n + 1) - 1) * sum |products|`, whichever way a device rounds and
      whether or not it fuses a product with its addition.
    * Of `input`, elements outside of the tensor add nothing even where `filter`
      has an infinity or a NaN.

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
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$start_padding,
    DenseI64ArrayAttr:$end_padding,
    DenseI64ArrayAttr:$output_padding,
    DefaultValuedAttr<I64Attr, "1">:$group_count
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
  ];
  let arrays = [
    DML_DimensionArray<"strides", "1", 2, 1>,
    DML_DimensionArray<"dilations", "1", 2, 1>,
    DML_DimensionArray<"start_padding", "0", 2>,
    DML_DimensionArray<"end_padding", "0", 2>,
    DML_DimensionArray<"output_padding", "0", 2>,
    DML_FreeArray<"group_count", 1>,
  ];
}

def DML_GemmOp : DML_Op<"gemm", "GEMM", [InferTypeOpAdaptor]> {
  let summary = "Multiplies matrices";
  let description = [{
    Multiplies the matrices in the last two dimensions of `a` and `b`, a product
    for each position in the other dimensions.

    **Semantics.** With `A = trans_a(a)`, `{..., M, K}`, and `B = trans_b(b)`,
    `{..., K, N}`, where `transpose` swaps the last two dimensions,

    `output[..., m, n] = alpha * (sum over k of A[..., m, k] * B[..., k, n]) +
    beta * c[..., m, n]`.

    Without `c`, nothing is added.

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

    **Constraints**
    * (C1) all tensors have the same element type and rank.
    * (C2) `a` and `b` have the same sizes in all dimensions but the last two.
    * (C3) `A` has as many columns as `B` has rows.
    * (C4) `output` is `{..., M, N}`.
    * (C5) `c` has `output`'s sizes.

    **Readings**
    * The page of 2020 lets `c` broadcast, the present one demands the output's
      sizes and is followed.
    * With `beta` 0, `c` is read all the same: an infinity or a NaN in it makes
      the result one.
    * Products are added up in an order that is not said, in f32 for f16 tensors,
      too; the sum is multiplied by `alpha`, `beta * c` is added, and the result
      is rounded to f16 once. The sum is within the bounds of `dml.convolution`.

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
    DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
    DefaultValuedAttr<F32Attr, "1.0f">:$beta
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
  ];
}

#endif // DML_IR_CONTRACTIONOPS_TD
