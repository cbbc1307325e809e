//===- PoolingOps.td - DirectML's pooling operators --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_POOLINGOPS_TD
#define DML_IR_POOLINGOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_MaxPoolingGradOp
    : DML_Op<"max_pooling_grad", "MAX_POOLING_GRAD",
             [InferTypeOpAdaptor]> {
  let summary = "Computes the gradient of max pooling";
  let description = [{
    Adds every element of `input_gradient` to the element of `output_gradient`
    that won its pooling window; elements that won no window are 0.

    **Semantics.** Tensors are `{N, C, H, W}` or `{N, C, D, H, W}`; the arrays
    have one value for each spatial dimension, in that order. Window `w` looks at
    the positions `w * strides - start_padding + k * dilations` of its plane
    (`k` from 0 to `window_size - 1`, in each spatial dimension). Its winner is
    the largest element of `input` among the positions inside the tensor; among
    equals, the one with the lowest logical index. Then

    `output_gradient[x] = sum of input_gradient[w] over the windows that x won`.

    The result is deterministic. f16 gradients are added up in f32, in the order
    of their windows, and rounded once.

    **Inputs**

    | label | name             | field                 | type |
    |-------|------------------|-----------------------|------|
    | (I1)  | `input`          | `InputTensor`         | tensor, rank 4 or 5, f32 or f16 |
    | (I2)  | `input_gradient` | `InputGradientTensor` | tensor, rank 4 or 5, f32 or f16 |
    | (I3)  | `strides`        | `Strides`             | steps between windows |
    | (I4)  | `window_size`    | `WindowSize`          | elements of a window |
    | (I5)  | `start_padding`  | `StartPadding`        | padding before the tensor |
    | (I6)  | `end_padding`    | `EndPadding`          | padding after the tensor |
    | (I7)  | `dilations`      | `Dilations`           | steps between a window's elements |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `dilations[i] > 0`,
      `start_padding[i] >= 0`, `end_padding[i] >= 0`.
    * (C3) `input` and `input_gradient` have the same element type and rank, and
      the same sizes in `N` and `C`.
    * (C4) along each spatial dimension, with the window's extent
      `e = 1 + (window_size - 1) * dilations` and the padded size
      `p = dim(input) + start_padding + end_padding`, the size of
      `input_gradient` is max pooling's output size: `(p - e) / strides + 1`
      rounded down, and 1 where `e >= p`; or the same rounded up, which is how
      the forward operator expresses ceil rounding.
    * (C5) `output_gradient` has `input`'s type.

    **Readings**
    * The page's text allows four dimensions alone, its table four to five from
      level 4_0 on; the table is followed.
    * Padding never wins. A window wholly in padding has no winner and its
      gradient is dropped.
    * NaN: an element replaces the winner so far if it is greater, or if it is
      NaN and the winner is not; so the first NaN of a window wins.

    **Example**
    ```mlir
    // %input: [[1, 2, 3],     %input_gradient: [[1, 2],
    //          [2, 4, 2],                       [4, 5]]
    //          [5, 6, 7]]
    %output_gradient = dml.max_pooling_grad %input, %input_gradient {
        strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        dilations = array<i64: 1, 1>}
        : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
    // %output_gradient: [[0, 0, 0], [0, 3, 0], [0, 4, 5]]
    ```

    **Source:** DML_MAX_POOLING_GRAD_OPERATOR_DESC; the windows are those of
    DML_MAX_POOLING2_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_Tensor:$input_gradient,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$window_size,
    DenseI64ArrayAttr:$start_padding,
    DenseI64ArrayAttr:$end_padding,
    DenseI64ArrayAttr:$dilations
  );
  let results = (outs DML_Tensor:$output_gradient);

  let sameElementTypes = [["input", "input_gradient", "output_gradient"]];
  let support = [
    DML_SameSupport<FL_4_0, 4, 5,
                    DML_Float32And16>,
    DML_SameSupport<FL_3_0, 4, 4,
                    DML_Float32And16>,
  ];
  let independentDimensions = 1;
  let arrays = [
    DML_DimensionArray<"strides", "1", 2, 1>,
    DML_DimensionArray<"window_size", "1", 2, 1>,
    DML_DimensionArray<"start_padding", "0", 2>,
    DML_DimensionArray<"end_padding", "0", 2>,
    DML_DimensionArray<"dilations", "1", 2, 1>,
  ];
}

def DML_MaxPooling2Op : DML_Op<"max_pooling2", "MAX_POOLING2"> {
  let summary = "Takes the largest element of each window";
  let description = [{
    Takes the largest element of each window, and tells where it was found.

    **Semantics.** Tensors are `{N, C, H, W}` or `{N, C, D, H, W}`; the arrays
    have one value for each spatial dimension, in that order. Window `w` looks at
    the positions `w * strides - start_padding + k * dilations` of its plane
    (`k` from 0 to `window_size - 1`, in each spatial dimension), those inside the
    tensor alone. Its winner is the largest element; among equals, the one with
    the lowest logical index. `output[w]` is the winner, and `output_indices[w]`
    is its index in `input` as a packed row-major array:
    `((n * C + c) * H + h) * W + w`.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 4 or 5, all data types but f64 |
    | (I2)  | `strides`       | `Strides`      | steps between windows |
    | (I3)  | `window_size`   | `WindowSize`   | elements of a window |
    | (I4)  | `start_padding` | `StartPadding` | padding before the tensor |
    | (I5)  | `end_padding`   | `EndPadding`   | padding after the tensor |
    | (I6)  | `dilations`     | `Dilations`    | steps between a window's elements |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `dilations[i] > 0`,
      `start_padding[i] >= 0`, `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s element type and rank, and its sizes in `N` and
      `C`.
    * (C4) along each spatial dimension, with the window's extent
      `e = 1 + (window_size - 1) * dilations` and the padded size
      `p = dim(input) + start_padding + end_padding`, the size of `output` is
      `(p - e) / strides + 1` rounded down, and 1 where `e >= p`; or the same
      rounded up, which is how ceil rounding is expressed.
    * (C5) `output_indices`, where the op has it, has `output`'s sizes.

    **Readings**
    * The page's formula of sizes knows no dilations; the extent of the dilated
      window is taken, as by DirectMLX.
    * Padding never wins. Of a window wholly in padding, `output` is the lowest
      value of the type, -infinity for floats, and all bits of its index are set:
      it is the index of no element.
    * NaN: an element replaces the winner so far if it is greater, or if it is
      NaN and the winner is not; so the first NaN of a window wins. Zeros of
      either sign are equal.

    **Example**
    ```mlir
    // %input: [[3, 5, 7, 1],
    //          [9, 4, 2, 8]]
    %output, %output_indices = dml.max_pooling2 %input {
        strides = array<i64: 1, 1>, window_size = array<i64: 1, 3>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        dilations = array<i64: 1, 1>}
        : (tensor<1x1x2x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xui32>)
    // %output: [[7, 7], [9, 8]]     %output_indices: [[2, 2], [4, 7]]
    ```

    **Source:** DML_MAX_POOLING2_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$window_size,
    DenseI64ArrayAttr:$start_padding,
    DenseI64ArrayAttr:$end_padding,
    DenseI64ArrayAttr:$dilations
  );
  let results = (outs DML_Tensor:$output, Optional<DML_Tensor>:$output_indices);

  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["output", "output_indices"]];
  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"input", 4, 5, DML_AllButFloat64>,
      DML_TensorSupport<"output", 4, 5, DML_AllButFloat64>,
      DML_TensorSupport<"output_indices", 4, 5, DML_UnsignedIndices>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 4, 5, DML_Float32And16Int8>,
      DML_TensorSupport<"output", 4, 5, DML_Float32And16Int8>,
      DML_TensorSupport<"output_indices", 4, 5, DML_OnlyUInt32>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"output_indices", 4, 5, DML_OnlyUInt32>,
    ]>,
  ];
  let arrays = [
    DML_DimensionArray<"strides", "1", 2, 1>,
    DML_DimensionArray<"window_size", "1", 2, 1>,
    DML_DimensionArray<"start_padding", "0", 2>,
    DML_DimensionArray<"end_padding", "0", 2>,
    DML_DimensionArray<"dilations", "1", 2, 1>,
  ];
  let hasVerifier = 1;
}

def DML_AveragePoolingOp : DML_Op<"average_pooling", "AVERAGE_POOLING"> {
  let summary = "Averages the elements of each window";
  let description = [{
    Averages the elements of each window.

    **Semantics.** The windows are those of `dml.max_pooling2`, without
    dilations. `output[w]` is the sum of the elements of the window that lie
    inside the tensor, divided by the number of elements of a window
    (`include_padding`: padding counts as zeros) or by the number of those that
    lie inside.

    **Inputs**

    | label | name              | field            | type |
    |-------|-------------------|------------------|------|
    | (I1)  | `input`           | `InputTensor`    | tensor, rank 4 or 5, f32 or f16 |
    | (I2)  | `strides`         | `Strides`        | steps between windows |
    | (I3)  | `window_size`     | `WindowSize`     | elements of a window |
    | (I4)  | `start_padding`   | `StartPadding`   | padding before the tensor |
    | (I5)  | `end_padding`     | `EndPadding`     | padding after the tensor |
    | (I6)  | `include_padding` | `IncludePadding` | whether padding is averaged, too |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s element type and rank, and its sizes in `N` and
      `C`.
    * (C4) along each spatial dimension, `output` has the size that
      `dml.max_pooling2` wants.

    **Readings**
    * With `include_padding`, the divisor is the product of `window_size` for
      every window, one included that reaches beyond `end_padding` because the
      output's size is rounded up.
    * Without it, a window wholly in padding has the average 0.
    * Elements are added up in an order that is not said, in f32 for f16 tensors,
      too; the quotient is rounded to f16 once. The sum is within the bounds of
      `dml.convolution`.

    **Example**
    ```mlir
    // %input: [[1, 2, 3],
    //          [4, 5, 6],
    //          [7, 8, 9]]
    %output = dml.average_pooling %input {
        strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        include_padding = false}
        : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
    // %output: [[3, 4], [6, 7]]
    ```

    **Source:** DML_AVERAGE_POOLING_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$window_size,
    DenseI64ArrayAttr:$start_padding,
    DenseI64ArrayAttr:$end_padding,
    BoolAttr:$include_padding
  );
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "output"]];
  let support = [DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>];
  let arrays = [
    DML_DimensionArray<"strides", "1", 2, 1>,
    DML_DimensionArray<"window_size", "1", 2, 1>,
    DML_DimensionArray<"start_padding", "0", 2>,
    DML_DimensionArray<"end_padding", "0", 2>,
  ];
  let hasVerifier = 1;
}

#endif // DML_IR_POOLINGOPS_TD
