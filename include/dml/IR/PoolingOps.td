//===- PoolingOps.td - DirectML's pooling operators --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_POOLINGOPS_TD
#define DML_IR_POOLINGOPS_TD

include "dml/IR/DMLOpBase.td"

/// The array attributes that define the windows of a pooling over `tensor`.
/// Each has one value for each spatial dimension.
class DML_Windows<string tensor, bit isDilated> {
  dag attributes = !con((ins DML_I64ArrayAttr:$strides,
                             DML_I64ArrayAttr:$window_size,
                             DML_I64ArrayAttr:$start_padding,
                             DML_I64ArrayAttr:$end_padding),
                        !if(isDilated, (ins DML_I64ArrayAttr:$dilations),
                                       (ins)));
  list<DML_Array> arrays = [
    DML_DimensionArray<"strides", "1", 2, 1, tensor>,
    DML_DimensionArray<"window_size", "1", 2, 1, tensor>,
    DML_DimensionArray<"start_padding", "0", 2, 0, tensor>,
    DML_DimensionArray<"end_padding", "0", 2, 0, tensor>,
  ] # !if(isDilated, [DML_DimensionArray<"dilations", "1", 2, 1, tensor>], []);
}

/// A pooling of `input`. `output` has one element for each window. `more` are
/// the attributes that follow those of the windows.
class DML_PoolingOp<string mnemonic, string operatorName, bit isDilated,
                    dag more = (ins)>
    : DML_Op<mnemonic, operatorName,
             !if(isDilated,
                 [DeclareOpInterfaceMethods<DecomposableOpInterface>],
                 []<Trait>)> {
  let arguments = !con((ins DML_Tensor:$input),
                       DML_Windows<"input", isDilated>.attributes, more);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
  let arrays = DML_Windows<"input", isDilated>.arrays;
  let hasVerifier = 1;
  let extraClassDeclaration = !if(isDilated, "", [{
    /// The operator has no dilations, which means that all dilations are 1.
    ::llvm::ArrayRef<int64_t> getDilations() { return {}; }
  }]);
}

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

  let arguments = !con((ins DML_Tensor:$input, DML_Tensor:$input_gradient),
                       DML_Windows<"input", 1>.attributes);
  let results = (outs DML_Tensor:$output_gradient);

  let sameElementTypes = [["input", "input_gradient", "output_gradient"]];
  let support = [
    DML_SameSupport<FL_4_0, 4, 5,
                    DML_Float32And16>,
    DML_SameSupport<FL_3_0, 4, 4,
                    DML_Float32And16>,
  ];
  let independentDimensions = 1;
  let arrays = DML_Windows<"input", 1>.arrays;
}

def DML_MaxPooling2Op
    : DML_PoolingOp<"max_pooling2", "MAX_POOLING2", /*isDilated=*/1> {
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
    * (C5) `output_indices`, if there is one, has `output`'s sizes.

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

  let results = (outs DML_Tensor:$output, Optional<DML_Tensor>:$output_indices);

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
}

def DML_AveragePoolingOp
    : DML_PoolingOp<"average_pooling", "AVERAGE_POOLING", /*isDilated=*/0,
                    (ins DML_BoolAttr:$include_padding)> {
  let summary = "Averages the elements of each window";
  let description = [{
    Averages the elements of each window.

    **Semantics.** The windows are those of `dml.max_pooling2`, without
    dilations. `output[w]` is the sum of the elements of the window that lie
    inside the tensor, divided by the number of elements of a window
    (`include_padding`: padding counts as zeros) or by the number of those that
    lie inside. Canonicalization makes a `dml.average_pooling1` of it where the
    feature level has that.

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

  let support = [DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>];
  let hasCanonicalizer = 1;
}

def DML_MaxPooling1Op
    : DML_PoolingOp<"max_pooling1", "MAX_POOLING1", /*isDilated=*/0> {
  let summary = "Takes the largest element of each window";
  let description = [{
    Takes the largest element of each window, and tells where it was found.

    **Semantics.** The operator is `dml.max_pooling2` with dilations of 1, and
    canonicalization makes that of it where the feature level has it.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 4 or 5, all data types but f64 |
    | (I2)  | `strides`       | `Strides`      | steps between windows |
    | (I3)  | `window_size`   | `WindowSize`   | elements of a window |
    | (I4)  | `start_padding` | `StartPadding` | padding before the tensor |
    | (I5)  | `end_padding`   | `EndPadding`   | padding after the tensor |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s element type and rank, and its sizes in `N` and
      `C`.
    * (C4) along each spatial dimension, `output` has the size that
      `dml.max_pooling2` wants
      for dilations of 1.
    * (C5) `output_indices`, if there is one, has `output`'s sizes.

    **Readings**
    * Those of `dml.max_pooling2` on padding, on windows wholly in it, and on NaN
      hold.

    **Example**
    ```mlir
    // %input: [[3, 5, 7, 1],
    //          [9, 4, 2, 8]]
    %output, %output_indices = dml.max_pooling1 %input {
        strides = array<i64: 1, 1>, window_size = array<i64: 1, 3>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
        : (tensor<1x1x2x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xui32>)
    // %output: [[7, 7], [9, 8]]     %output_indices: [[2, 2], [4, 7]]
    ```

    **Source:** DML_MAX_POOLING1_OPERATOR_DESC.
  }];

  let results = (outs DML_Tensor:$output, Optional<DML_Tensor>:$output_indices);
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
    DML_Support<FL_2_0, [
      DML_TensorSupport<"input", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"output_indices", 4, 5, DML_OnlyUInt32>,
    ]>,
  ];
  let hasCanonicalizer = 1;
}

def DML_MaxPoolingOp
    : DML_PoolingOp<"max_pooling", "MAX_POOLING", /*isDilated=*/0> {
  let summary = "Takes the largest element of each window";
  let description = [{
    Takes the largest element of each window.

    **Semantics.** The operator is `dml.max_pooling2` with dilations of 1 and
    without indices, and canonicalization makes that of it where the feature level
    has it.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 4 or 5, all data types but f64 |
    | (I2)  | `strides`       | `Strides`      | steps between windows |
    | (I3)  | `window_size`   | `WindowSize`   | elements of a window |
    | (I4)  | `start_padding` | `StartPadding` | padding before the tensor |
    | (I5)  | `end_padding`   | `EndPadding`   | padding after the tensor |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s element type and rank, and its sizes in `N` and
      `C`.
    * (C4) along each spatial dimension, `output` has the size that
      `dml.max_pooling2` wants
      for dilations of 1.

    **Readings**
    * Those of `dml.max_pooling2` on padding, on windows wholly in it, and on NaN
      hold.

    **Example**
    ```mlir
    // %input: [[3, 5, 7, 1],
    //          [9, 4, 2, 8]]
    %output = dml.max_pooling %input {
        strides = array<i64: 1, 1>, window_size = array<i64: 1, 3>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
        : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32>
    // %output: [[7, 7], [9, 8]]
    ```

    **Source:** DML_MAX_POOLING_OPERATOR_DESC.
  }];

  let support = [
    DML_SameSupport<FL_5_0, 4, 5, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 4, 5, DML_Float32And16Int8>,
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
  let hasCanonicalizer = 1;
}

def DML_AveragePooling1Op
    : DML_PoolingOp<"average_pooling1", "AVERAGE_POOLING1", /*isDilated=*/1,
                    (ins DML_BoolAttr:$include_padding)> {
  let summary = "Averages the elements of each window, with dilations";
  let description = [{
    Averages the elements of each window.

    **Semantics.** The windows are those of `dml.max_pooling2`. `output[w]` is the
    sum of the elements of the window that lie inside the tensor, divided by the
    number of elements of a window (`include_padding`: padding counts as zeros) or
    by the number of those that lie inside. What dilations step over is no element
    of the window and does not count.

    **Inputs**

    | label | name              | field            | type |
    |-------|-------------------|------------------|------|
    | (I1)  | `input`           | `InputTensor`    | tensor, rank 4 or 5, f32 or f16 |
    | (I2)  | `strides`         | `Strides`        | steps between windows |
    | (I3)  | `window_size`     | `WindowSize`     | elements of a window |
    | (I4)  | `start_padding`   | `StartPadding`   | padding before the tensor |
    | (I5)  | `end_padding`     | `EndPadding`     | padding after the tensor |
    | (I6)  | `dilations`       | `Dilations`      | steps between a window's elements |
    | (I7)  | `include_padding` | `IncludePadding` | whether padding is averaged, too |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `dilations[i] > 0`,
      `start_padding[i] >= 0`, `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s element type and rank, and its sizes in `N` and
      `C`.
    * (C4) along each spatial dimension, `output` has the size that
      `dml.max_pooling2` wants.

    **Readings**
    * The page's formula of sizes knows no dilations; the extent of the dilated
      window is taken, as for `dml.max_pooling2`.
    * The readings of `dml.average_pooling` on the divisor and on sums hold.

    **Example**
    ```mlir
    // %input: [1, 2, 3, 4, 5, 6]
    %output = dml.average_pooling1 %input {
        strides = array<i64: 1, 1>, window_size = array<i64: 1, 3>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        dilations = array<i64: 1, 2>, include_padding = false}
        : (tensor<1x1x1x6xf32>) -> tensor<1x1x1x2xf32>
    // %output: [3, 4]
    ```

    **Source:** DML_AVERAGE_POOLING1_OPERATOR_DESC.
  }];

  let support = [
    DML_SameSupport<FL_6_2, 4, 5, DML_Float32And16>,
  ];
}

def DML_LpPooling1Op
    : DML_PoolingOp<"lp_pooling1", "LP_POOLING1", /*isDilated=*/1,
                    (ins DML_I64Attr:$p)> {
  let summary = "Computes the norm of each window, with dilations";
  let description = [{
    Computes the p-norm of the elements of each window.

    **Semantics.** The windows are those of `dml.max_pooling2`. `output[w]`
    is `(sum |x|^p)^(1/p)` over the elements `x` of the window that lie inside the
    tensor.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 4 or 5, f32 or f16 |
    | (I2)  | `strides`       | `Strides`      | steps between windows |
    | (I3)  | `window_size`   | `WindowSize`   | elements of a window |
    | (I4)  | `start_padding` | `StartPadding` | padding before the tensor |
    | (I5)  | `end_padding`   | `EndPadding`   | padding after the tensor |
    | (I6)  | `dilations`     | `Dilations`    | steps between a window's elements |
    | (I7)  | `p`             | `P`            | degree of the norm |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `dilations[i] > 0`,
      `start_padding[i] >= 0`, `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s element type and rank, and its sizes in `N` and
      `C`.
    * (C4) along each spatial dimension, `output` has the size that
      `dml.max_pooling2` wants.
    * (C5) `p > 0`.

    **Readings**
    * The page's formula of sizes knows no dilations; the extent of the dilated
      window is taken, as for `dml.max_pooling2`.
    * The page's formula has `x^p`, whose sum may have no root where `x` is
      negative; the norm is taken, as by ONNX's LpPool.
    * Powers and sums are f32, for f16 tensors, too. A power is a product of `p`
      factors, in an order that is not said, each product rounded; so is the order
      of the sum. The root is the sum itself where `p` is 1, a square root where
      it is 2, and `e^(ln(sum) / p)` otherwise. A sum of 0 has the root 0.

    **Example**
    ```mlir
    // %input: [2, 9, -3, 9, 6]
    %output = dml.lp_pooling1 %input {
        strides = array<i64: 1, 1>, window_size = array<i64: 1, 3>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        dilations = array<i64: 1, 2>, p = 2}
        : (tensor<1x1x1x5xf32>) -> tensor<1x1x1x1xf32>
    // %output: [7]
    ```

    **Source:** DML_LP_POOLING1_OPERATOR_DESC.
  }];

  let support = [
    DML_SameSupport<FL_6_2, 4, 5, DML_Float32And16>,
  ];
  let arrays = DML_Windows<"input", 1>.arrays # [DML_FreeArray<"p", 1>];
}

def DML_LpPoolingOp
    : DML_PoolingOp<"lp_pooling", "LP_POOLING", /*isDilated=*/0,
                    (ins DML_I64Attr:$p)> {
  let summary = "Computes the norm of each window";
  let description = [{
    Computes the p-norm of the elements of each window.

    **Semantics.** The windows are those of `dml.max_pooling2`, without
    dilations. `output[w]`
    is `(sum |x|^p)^(1/p)` over the elements `x` of the window that lie inside the
    tensor. Canonicalization makes a `dml.lp_pooling1` of it where the feature
    level has that.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 4 or 5, f32 or f16 |
    | (I2)  | `strides`       | `Strides`      | steps between windows |
    | (I3)  | `window_size`   | `WindowSize`   | elements of a window |
    | (I4)  | `start_padding` | `StartPadding` | padding before the tensor |
    | (I5)  | `end_padding`   | `EndPadding`   | padding after the tensor |
    | (I6)  | `p`             | `P`            | degree of the norm |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s element type and rank, and its sizes in `N` and
      `C`.
    * (C4) along each spatial dimension, `output` has the size that
      `dml.max_pooling2` wants
      for dilations of 1.
    * (C5) `p > 0`.

    **Readings**
    * The page's formula has `x^p`, whose sum may have no root where `x` is
      negative; the norm is taken, as by ONNX's LpPool.
    * Powers and sums are f32, for f16 tensors, too. A power is a product of `p`
      factors, in an order that is not said, each product rounded; so is the order
      of the sum. The root is the sum itself where `p` is 1, a square root where
      it is 2, and `e^(ln(sum) / p)` otherwise. A sum of 0 has the root 0.

    **Example**
    ```mlir
    // %input: [2, -3, 6]
    %output = dml.lp_pooling %input {
        strides = array<i64: 1, 1>, window_size = array<i64: 1, 3>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        p = 2}
        : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x1xf32>
    // %output: [7]
    ```

    **Source:** DML_LP_POOLING_OPERATOR_DESC.
  }];

  let support = [
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
  let arrays = DML_Windows<"input", 0>.arrays # [DML_FreeArray<"p", 1>];
  let hasCanonicalizer = 1;
}

def DML_AveragePoolingGradOp
    : DML_Op<"average_pooling_grad", "AVERAGE_POOLING_GRAD"> {
  let summary = "Computes the gradient of average pooling";
  let description = [{
    Adds to each element of `output_gradient` its share of the gradients of the
    windows that have it.

    **Semantics.** `dml.average_pooling` of a tensor of `output_gradient`'s sizes
    has the windows. Each element of `input_gradient` is divided by the number that
    `dml.average_pooling` divides the sum of its window by, and the quotient is
    added to every element of `output_gradient` that the window has. Elements of no
    window are 0.

    **Inputs**

    | label | name              | field                 | type |
    |-------|-------------------|-----------------------|------|
    | (I1)  | `input_gradient`  | `InputGradientTensor` | tensor, rank 4 or 5, f32 or f16 |
    | (I2)  | `strides`         | `Strides`             | steps between windows |
    | (I3)  | `window_size`     | `WindowSize`          | elements of a window |
    | (I4)  | `start_padding`   | `StartPadding`        | padding before the tensor |
    | (I5)  | `end_padding`     | `EndPadding`          | padding after the tensor |
    | (I6)  | `include_padding` | `IncludePadding`      | whether padding is averaged, too |

    **Constraints**
    * (C1) every array has `rank(input_gradient) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `start_padding[i] >= 0`,
      `end_padding[i] >= 0`.
    * (C3) `output_gradient` has `input_gradient`'s element type and rank, and its
      sizes in `N` and `C`.
    * (C4) along each spatial dimension, `input_gradient` has a size that
      `dml.average_pooling` gives its output for an input of `output_gradient`'s
      size.

    **Readings**
    * Quotients are added up in an order that is not said, in f32 for f16 tensors,
      too; the sum is rounded to f16 once.
    * Without `include_padding`, the gradient of a window wholly in padding is
      dropped.

    **Example**
    ```mlir
    // %input_gradient: [[1, 2],
    //                   [3, 4]]
    %output_gradient = dml.average_pooling_grad %input_gradient {
        strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        include_padding = false}
        : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
    // %output_gradient: [[0.25, 0.75, 0.5], [1, 2.5, 1.5], [0.75, 1.75, 1]]
    ```

    **Source:** DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC.
  }];

  let arguments = !con((ins DML_Tensor:$input_gradient),
                       DML_Windows<"input_gradient", 0>.attributes,
                       (ins DML_BoolAttr:$include_padding));
  let results = (outs DML_Tensor:$output_gradient);

  let sameElementTypes = [["input_gradient", "output_gradient"]];
  let support = [
    DML_SameSupport<FL_3_0, 4, 5, DML_Float32And16>,
  ];
  let arrays = DML_Windows<"input_gradient", 0>.arrays;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operator has no dilations, which means that all dilations are 1.
    ::llvm::ArrayRef<int64_t> getDilations() { return {}; }
  }];
}

def DML_MaxUnpoolingOp : DML_Op<"max_unpooling", "MAX_UNPOOLING"> {
  let summary = "Puts elements where max pooling found them";
  let description = [{
    Puts the elements of `input` at the places that `indices` name, and 0 elsewhere.

    **Semantics.** `output[indices[e]] = input[e]` for each element `e`, where
    `output` is seen as a packed row-major array, as `dml.max_pooling1` and
    `dml.max_pooling2` count; all other elements are 0.

    **Inputs**

    | label | name      | field           | type |
    |-------|-----------|-----------------|------|
    | (I1)  | `input`   | `InputTensor`   | tensor, rank 4, all data types but f64 |
    | (I2)  | `indices` | `IndicesTensor` | tensor, rank 4, ui32 or ui64 |

    **Constraints**
    * (C1) `indices` has `input`'s sizes.
    * (C2) `output` has `input`'s element type; its sizes are free.

    **Readings**
    * The page says that the operator came with 3_0; the header and the feature
      level history say 2_0, which is followed, with the types of 3_0.
    * An index that is out of range puts nothing anywhere, as an older version of
      the page says.
    * Among equal indices the last one in row-major order puts its element, as by
      `dml.scatter_elements`; DirectML leaves that open.

    **Example**
    ```mlir
    // %input: [[5, 6],     %indices: [[5, 7],
    //          [7, 8]]                [13, 15]]
    %output = dml.max_unpooling %input, %indices
        : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xui32>) -> tensor<1x1x4x4xf32>
    // %output: [[0, 0, 0, 0], [0, 5, 0, 6], [0, 0, 0, 0], [0, 7, 0, 8]]
    ```

    **Source:** DML_MAX_UNPOOLING_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$indices);
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "indices"]];
  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"input", 4, 4, DML_AllButFloat64>,
      DML_TensorSupport<"indices", 4, 4, DML_UnsignedIndices>,
      DML_TensorSupport<"output", 4, 4, DML_AllButFloat64>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
  ];
}

def DML_QuantizedLinearAveragePoolingOp
    : DML_Op<"quantized_linear_average_pooling",
             "QUANTIZED_LINEAR_AVERAGE_POOLING", [AttrSizedOperandSegments]> {
  let summary = "Averages the quantized elements of each window";
  let description = [{
    Averages what the elements of each window stand for, and quantizes the average.

    **Semantics.** The windows are those of `dml.max_pooling2`. The elements of a
    window that lie inside the tensor stand for `(x - input_zero_point) *
    input_scale`. Their sum is divided by the number of elements of a window
    (`include_padding`: padding counts as zeros) or by the number of those that lie
    inside, which gives an average `a`. Then

    `output[w] = limit(round(a / output_scale) + output_zero_point)`,

    where `limit` takes what the type cannot hold to its nearest number. Scales and
    zero points have one element, or one for each channel; an absent zero point
    is 0.

    **Inputs**

    | label | name                | field                   | type |
    |-------|---------------------|-------------------------|------|
    | (I1)  | `input`             | `InputTensor`           | tensor, rank 4 or 5, i8 or ui8 |
    | (I2)  | `input_scale`       | `InputScaleTensor`      | tensor, rank 1 to 5, f32 |
    | (I3)  | `input_zero_point`  | `InputZeroPointTensor`  | tensor, rank 1 to 5, i8 or ui8, may be absent |
    | (I4)  | `output_scale`      | `OutputScaleTensor`     | tensor, rank 1 to 5, f32 |
    | (I5)  | `output_zero_point` | `OutputZeroPointTensor` | tensor, rank 1 to 5, i8 or ui8, may be absent |
    | (I6)  | `strides`           | `Strides`               | steps between windows |
    | (I7)  | `window_size`       | `WindowSize`            | elements of a window |
    | (I8)  | `start_padding`     | `StartPadding`          | padding before the tensor |
    | (I9)  | `end_padding`       | `EndPadding`            | padding after the tensor |
    | (I10) | `dilations`         | `Dilations`             | steps between a window's elements |
    | (I11) | `include_padding`   | `IncludePadding`        | whether padding is averaged, too |

    **Constraints**
    * (C1) every array has `rank(input) - 2` values.
    * (C2) `strides[i] > 0`, `window_size[i] > 0`, `dilations[i] > 0`,
      `start_padding[i] >= 0`, `end_padding[i] >= 0`.
    * (C3) `output` has `input`'s rank, and its sizes in `N` and `C`.
    * (C4) along each spatial dimension, `output` has the size that
      `dml.max_pooling2` wants.
    * (C5) each zero point has the element type of its tensor.
    * (C6) scales and zero points have size 1 in every dimension, but for dimension
      1, which may also have `C`.

    **Readings**
    * The page's formula of sizes knows no dilations; the extent of the dilated
      window is taken, as for `dml.max_pooling2`.
    * The page wants scales and zero points of `{1, 1, 1, 1}` or `{1, C, 1, 1}`, its
      table ranks 1 to 5; any of these ranks is accepted.
    * Padding that is averaged stands for 0: it counts as the zero point.
    * Input and output may be one i8 and the other ui8.
    * A window wholly in padding has the average 0.
    * The sum of the differences `x - input_zero_point` is exact. It becomes an f32,
      is multiplied by `input_scale`, divided by the number, divided by
      `output_scale`, and rounded, halves to even; each step may be off by some
      units in the last place, so that near a tie the result may be off by 1. A
      scale that gives NaN gives any number.
    * A kernel binds up to six buffers; where a device binds fewer, several
      tensors share a buffer.

    **Example**
    ```mlir
    // %input: [[10, 20, 30],
    //          [40, 50, 60],
    //          [70, 80, 90]]
    // scales: 0.5, 1     zero points: 10, 5
    %output = dml.quantized_linear_average_pooling %input, %input_scale
        input_zero_point(%input_zero_point), %output_scale
        output_zero_point(%output_zero_point) {
        strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
        start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
        dilations = array<i64: 1, 1>, include_padding = false}
        : (tensor<1x1x3x3xui8>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xui8>,
           tensor<1x1x1x1xf32>, tensor<1x1x1x1xui8>) -> tensor<1x1x2x2xui8>
    // %output: [[15, 20], [30, 35]]
    ```

    **Source:** DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC.
  }];

  let arguments = !con((ins DML_Tensor:$input, DML_Tensor:$input_scale,
                            Optional<DML_Tensor>:$input_zero_point,
                            DML_Tensor:$output_scale,
                            Optional<DML_Tensor>:$output_zero_point),
                       DML_Windows<"input", 1>.attributes,
                       (ins DML_BoolAttr:$include_padding));
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "input_zero_point"],
                          ["output", "output_zero_point"]];
  let support = [
    DML_Support<FL_6_2, [
      DML_TensorSupport<"input", 4, 5, DML_Int8AndUInt8>,
      DML_TensorSupport<"input_scale", 1, 5, DML_OnlyFloat32>,
      DML_TensorSupport<"input_zero_point", 1, 5, DML_Int8AndUInt8>,
      DML_TensorSupport<"output_scale", 1, 5, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 1, 5, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 4, 5, DML_Int8AndUInt8>,
    ]>,
  ];
  let arrays = DML_Windows<"input", 1>.arrays;
  let hasVerifier = 1;
}

#endif // DML_IR_POOLINGOPS_TD
