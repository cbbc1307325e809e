//===- LayoutOps.td - Operators that rearrange and fill ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_LAYOUTOPS_TD
#define DML_IR_LAYOUTOPS_TD

include "dml/IR/DMLOpBase.td"

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

def DML_JoinOp : DML_Op<"join", "JOIN", [InferTypeOpAdaptor]> {
  let summary = "Concatenates tensors";
  let description = [{
    Puts `inputs` one after the other along `axis`.

    **Semantics.** `output[o] = inputs[k][p]`, where `p` is `o` but along `axis`,
    where `p = o - start`; `k` is the last input whose `start`, the sum of the sizes
    of the inputs before it, is at most `o`.

    **Inputs**

    | label | name     | field          | type |
    |-------|----------|----------------|------|
    | (I1)  | `inputs` | `InputTensors` | one or more tensors, rank 1 to 8, all data types |
    | (I2)  | `axis`   | `Axis`         | a dimension |

    **Constraints**
    * (C1) There is at least one input.
    * (C2) `0 <= axis < rank(inputs[0])`.
    * (C3) All inputs have the rank of the first, and its sizes but along `axis`.
    * (C4) `output` has the inputs' element type and sizes, along `axis` the sum of
      theirs.

    **Readings**
    * The page's table gives rank 1 to 8 from 4_1 on; the feature level history gives
      it from 3_1 on, which is followed.

    **Example**
    ```mlir
    // %a: [[1, 2]], %b: [[3]]
    %output = dml.join %a, %b {axis = 1}
        : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
    // %output: [[1, 2, 3]]
    ```

    **Source:** DML_JOIN_OPERATOR_DESC.
  }];

  let arguments = (ins Variadic<DML_Tensor>:$inputs, DML_I64Attr:$axis);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_1, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_3_0, 4, 5, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Floats16To32Bit>,
  ];
  let sameElementTypes = [["inputs", "output"]];
  let arrays = [DML_AxesArray<"axis", "inputs">];

  let hasFolder = 1;
}

def DML_SplitOp : DML_Op<"split", "SPLIT"> {
  let summary = "Cuts a tensor into several";
  let description = [{
    Copies consecutive parts of `input` along `axis` into `outputs`.

    **Semantics.** `outputs[k][o] = input[p]`, where `p` is `o` but along `axis`,
    where `p = o + start` with `start` the sum of the sizes of the outputs before
    output `k`.

    **Inputs**

    | label | name    | field         | type |
    |-------|---------|---------------|------|
    | (I1)  | `input` | `InputTensor` | tensor, rank 1 to 8, all data types |
    | (I2)  | `axis`  | `Axis`        | a dimension |

    **Constraints**
    * (C1) There is at least one output.
    * (C2) `0 <= axis < rank(input)`.
    * (C3) All outputs have `input`'s element type and rank, and its sizes but along
      `axis`.
    * (C4) Along `axis`, the sizes of the outputs add up to that of `input`.

    **Example**
    ```mlir
    // %input: [[1, 2, 3]]
    %outputs:2 = dml.split %input {axis = 1}
        : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x1xf32>)
    // %outputs#0: [[1, 2]], %outputs#1: [[3]]
    ```

    **Source:** DML_SPLIT_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$axis);
  let results = (outs Variadic<DML_Tensor>:$outputs);

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Floats16To32Bit>,
  ];
  let sameElementTypes = [["input", "outputs"]];
  let arrays = [DML_AxesArray<"axis">];

  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Blocks and channels
//===----------------------------------------------------------------------===//

class DML_BlockOp<string mnemonic, string operatorName,
                  list<Trait> traits = []>
    : DML_Op<mnemonic, operatorName, [InferTypeOpAdaptor] # traits> {
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
}

def DML_SpaceToDepthOp : DML_BlockOp<"space_to_depth", "SPACE_TO_DEPTH"> {
  let summary = "Moves blocks of a plane into channels";
  let description = [{
    Moves each block of `block_size` times `block_size` elements of a plane into as
    many channels: the inverse of `depth_to_space`.

    **Semantics.** For `0 <= y, x < block_size`,
    `output[n, d, h, w] = input[n, c, h * block_size + y, w * block_size + x]`
    with
    `d = (y * block_size + x) * channels + c`, where `channels` are those of `input`.
    That is `space_to_depth1` in the order `depth_column_row`.

    Canonicalization makes a `dml.space_to_depth1` of it where the feature level
    has that.

    **Inputs**

    | label | name         | field         | type |
    |-------|--------------|---------------|------|
    | (I1)  | `input`      | `InputTensor` | tensor, rank 4, all data types |
    | (I2)  | `block_size` | `BlockSize`   | the number of rows and columns of a block |

    **Constraints**
    * (C1) `input` has rank 4.
    * (C2) `block_size > 0`.
    * (C3) `block_size` divides the last two sizes of `input`.
    * (C4) `output` has `input`'s element type and the sizes `{n, c * block_size^2,
      h / block_size, w / block_size}` for an `input` of `{n, c, h, w}`.

    **Readings**
    * The page does not say what sizes are valid: those are that leave no element over
      (C3).
    * The page prints the sizes of the inverse operator; its example has those of (C4).

    **Example**
    ```mlir
    // %input: [[[[1, 2], [3, 4]]]]
    %output = dml.space_to_depth %input {block_size = 2}
        : (tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32>
    // %output: [[[[1]], [[2]], [[3]], [[4]]]]
    ```

    **Source:** DML_SPACE_TO_DEPTH_OPERATOR_DESC.
  }];

  let hasCanonicalizer = 1;
  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$block_size);

  let support = [
    DML_SameSupport<FL_5_0, 4, 4, DML_AllDataTypes>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let arrays = [DML_FixedArray<"block_size", 1, 1>];
}

def DML_SpaceToDepth1Op
    : DML_BlockOp<"space_to_depth1", "SPACE_TO_DEPTH1",
                  [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Moves blocks of a plane into channels";
  let description = [{
    Moves each block of `block_size` times `block_size` elements of a plane into as
    many channels: the inverse of `depth_to_space1`.

    **Semantics.** For `0 <= y, x < block_size`,
    `output[n, d, h, w] = input[n, c, h * block_size + y, w * block_size + x]`
    with `d` as `order` says:

    | `order`            | `d` |
    |--------------------|-----|
    | `depth_column_row` | `(y * block_size + x) * channels + c` |
    | `column_row_depth` | `(c * block_size + y) * block_size + x` |

    where `channels` are those of `input`.

    **Inputs**

    | label | name         | field         | type |
    |-------|--------------|---------------|------|
    | (I1)  | `input`      | `InputTensor` | tensor, rank 4, all data types |
    | (I2)  | `block_size` | `BlockSize`   | the number of rows and columns of a block |
    | (I3)  | `order`      | `Order`       | `#dml.depth_space_order` |

    **Constraints**
    * (C1) `input` has rank 4.
    * (C2) `block_size > 0`.
    * (C3) `block_size` divides the last two sizes of `input`.
    * (C4) `output` has `input`'s element type and the sizes `{n, c * block_size^2,
      h / block_size, w / block_size}` for an `input` of `{n, c, h, w}`.

    **Readings**
    * The page does not say what sizes are valid: those are that leave no element over
      (C3).
    * The page prints the sizes of the inverse operator; its example has those of (C4).

    **Example**
    ```mlir
    // %input: [[[[1, 2], [3, 4]]]]
    %output = dml.space_to_depth1 %input {block_size = 2,
        order = #dml.depth_space_order<depth_column_row>}
        : (tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32>
    // %output: [[[[1]], [[2]], [[3]], [[4]]]]
    ```

    **Source:** DML_SPACE_TO_DEPTH1_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$block_size,
                       DML_DepthSpaceOrderAttr:$order);

  let support = [
    DML_SameSupport<FL_5_0, 4, 4, DML_AllDataTypes>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
  ];
  let enumSupport = [DML_EnumSupport<"order", DML_DepthSpaceOrderAttr>];
  let arrays = [DML_FixedArray<"block_size", 1, 1>];
}

def DML_DepthToSpaceOp : DML_BlockOp<"depth_to_space", "DEPTH_TO_SPACE"> {
  let summary = "Moves channels into blocks of a plane";
  let description = [{
    Moves `block_size^2` channels into blocks of `block_size` times `block_size` elements
    of a plane: the inverse of `space_to_depth`.

    **Semantics.** For `0 <= y, x < block_size`,
    `output[n, c, h * block_size + y, w * block_size + x] = input[n, d, h, w]`
    with
    `d = (y * block_size + x) * channels + c`, where `channels` are those of `output`.
    That is `depth_to_space1` in the order `depth_column_row`.

    Canonicalization makes a `dml.depth_to_space1` of it where the feature level
    has that.

    **Inputs**

    | label | name         | field         | type |
    |-------|--------------|---------------|------|
    | (I1)  | `input`      | `InputTensor` | tensor, rank 4, all data types |
    | (I2)  | `block_size` | `BlockSize`   | the number of rows and columns of a block |

    **Constraints**
    * (C1) `input` has rank 4.
    * (C2) `block_size > 0`.
    * (C3) `block_size^2` divides the number of channels of `input`, its second size.
    * (C4) `output` has `input`'s element type and the sizes `{n, c / block_size^2,
      h * block_size, w * block_size}` for an `input` of `{n, c, h, w}`.

    **Readings**
    * The page does not say what sizes are valid: those are that leave no element over
      (C3).

    **Example**
    ```mlir
    // %input: [[[[1]], [[2]], [[3]], [[4]]]]
    %output = dml.depth_to_space %input {block_size = 2}
        : (tensor<1x4x1x1xf32>) -> tensor<1x1x2x2xf32>
    // %output: [[[[1, 2], [3, 4]]]]
    ```

    **Source:** DML_DEPTH_TO_SPACE_OPERATOR_DESC.
  }];

  let hasCanonicalizer = 1;
  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$block_size);

  let support = [
    DML_SameSupport<FL_5_0, 4, 4, DML_AllDataTypes>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let arrays = [DML_FixedArray<"block_size", 1, 1>];
}

def DML_DepthToSpace1Op
    : DML_BlockOp<"depth_to_space1", "DEPTH_TO_SPACE1",
                  [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Moves channels into blocks of a plane";
  let description = [{
    Moves `block_size^2` channels into blocks of `block_size` times `block_size` elements
    of a plane: the inverse of `space_to_depth1`.

    **Semantics.** For `0 <= y, x < block_size`,
    `output[n, c, h * block_size + y, w * block_size + x] = input[n, d, h, w]`
    with `d` as `order` says:

    | `order`            | `d` |
    |--------------------|-----|
    | `depth_column_row` | `(y * block_size + x) * channels + c` |
    | `column_row_depth` | `(c * block_size + y) * block_size + x` |

    where `channels` are those of `output`.

    **Inputs**

    | label | name         | field         | type |
    |-------|--------------|---------------|------|
    | (I1)  | `input`      | `InputTensor` | tensor, rank 4, all data types |
    | (I2)  | `block_size` | `BlockSize`   | the number of rows and columns of a block |
    | (I3)  | `order`      | `Order`       | `#dml.depth_space_order` |

    **Constraints**
    * (C1) `input` has rank 4.
    * (C2) `block_size > 0`.
    * (C3) `block_size^2` divides the number of channels of `input`, its second size.
    * (C4) `output` has `input`'s element type and the sizes `{n, c / block_size^2,
      h * block_size, w * block_size}` for an `input` of `{n, c, h, w}`.

    **Readings**
    * The page does not say what sizes are valid: those are that leave no element over
      (C3).

    **Example**
    ```mlir
    // %input: [[[[1]], [[2]], [[3]], [[4]]]]
    %output = dml.depth_to_space1 %input {block_size = 2,
        order = #dml.depth_space_order<depth_column_row>}
        : (tensor<1x4x1x1xf32>) -> tensor<1x1x2x2xf32>
    // %output: [[[[1, 2], [3, 4]]]]
    ```

    **Source:** DML_DEPTH_TO_SPACE1_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$block_size,
                       DML_DepthSpaceOrderAttr:$order);

  let support = [
    DML_SameSupport<FL_5_0, 4, 4, DML_AllDataTypes>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
  ];
  let enumSupport = [DML_EnumSupport<"order", DML_DepthSpaceOrderAttr>];
  let arrays = [DML_FixedArray<"block_size", 1, 1>];
}

//===----------------------------------------------------------------------===//
// Sequences and windows
//===----------------------------------------------------------------------===//

def DML_ReverseSubsequencesOp
    : DML_Op<"reverse_subsequences", "REVERSE_SUBSEQUENCES"> {
  let summary = "Reverses the first elements of each line";
  let description = [{
    Reverses the first elements of each line of `input` along `axis`, as many as
    `sequence_lengths` has for the line, and copies the others.

    **Semantics.** With `i` the coordinate along `axis` and `l` the smaller of
    `sequence_lengths`, at 0 along `axis` and at `output`'s coordinate elsewhere, and
    the size along `axis`: `output[i] = input[i < l ? l - 1 - i : i]`.

    **Inputs**

    | label | name               | field                   | type |
    |-------|--------------------|-------------------------|------|
    | (I1)  | `input`            | `InputTensor`           | tensor, rank 1 to 8, all data types |
    | (I2)  | `sequence_lengths` | `SequenceLengthsTensor` | tensor of ui32 or ui64 |
    | (I3)  | `axis`             | `Axis`                  | a dimension |

    **Constraints**
    * (C1) `0 <= axis < rank(input)`.
    * (C2) `sequence_lengths` has `input`'s rank, size 1 along `axis`, and `input`'s
      sizes elsewhere.
    * (C3) `output` has `input`'s element type and sizes.

    **Example**
    ```mlir
    // %input: [[1, 2, 3], [4, 5, 6]], %lengths: [[2], [3]]
    %output = dml.reverse_subsequences %input, %lengths {axis = 1}
        : (tensor<2x3xf32>, tensor<2x1xui32>) -> tensor<2x3xf32>
    // %output: [[2, 1, 3], [6, 5, 4]]
    ```

    **Source:** DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$sequence_lengths,
                       DML_I64Attr:$axis);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"sequence_lengths", 1, 8, DML_UnsignedIndices>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_4_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"sequence_lengths", 1, 8, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 4, 5, DML_UpTo32Bit>,
      DML_TensorSupport<"sequence_lengths", 4, 5, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 5, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"sequence_lengths", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_UpTo32Bit>,
    ]>,
  ];
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let arrays = [DML_AxesArray<"axis">];

  let hasVerifier = 1;
}

class DML_WindowsOp<string mnemonic, string operatorName>
    : DML_Op<mnemonic, operatorName> {
  let arguments = (ins
    DML_Tensor:$input,
    DML_I64ArrayAttr:$window_sizes,
    DML_I64ArrayAttr:$strides,
    DML_I64ArrayAttr:$dilations,
    DML_I64ArrayAttr:$start_padding,
    DML_I64ArrayAttr:$end_padding
  );
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
  let support = [DML_SameSupport<FL_6_4, 3, 8, DML_Float32And16>];
  let arrays = [
    DML_FreeArray<"window_sizes", 1>,
    DML_FreeArray<"strides", 1>,
    DML_FreeArray<"dilations", 1>,
    DML_FreeArray<"start_padding">,
    DML_FreeArray<"end_padding">,
  ];
  let hasVerifier = 1;
}

def DML_FoldOp : DML_WindowsOp<"fold", "FOLD"> {
  let summary = "Adds up windows to a plane";
  let description = [{
    Adds up the elements that windows have at each place of a plane: the adjoint of
    `unfold`.

    **Semantics.** The last dimensions of `output`, as many as `window_sizes` has
    values, are a plane; `n` and `c` are the two dimensions before it. The window's
    `K` elements are numbered in row-major order, and so are its `L` places, of which
    there are along dimension `i` of the plane, rounded down,
    `(size + start_padding[i] + end_padding[i] -
    dilations[i] * (window_sizes[i] - 1) - 1) / strides[i] + 1`.
    Element `k` of the window at place `l` lies at `p = place(l) * strides +
    element(k) * dilations - start_padding` of the plane.
    `output[n, c, p]` is the sum of `input[n, c * K + k, l]` over all `k` and `l` that lie
    at `p`; those in the padding are dropped.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 3 to 8, f32 or f16 |
    | (I2)  | `window_sizes`  | `WindowSizes`  | the size of the window in each dimension of the plane |
    | (I3)  | `strides`       | `Strides`      | the distance of two places |
    | (I4)  | `dilations`     | `Dilations`    | the distance of two elements of a window |
    | (I5)  | `start_padding` | `StartPadding` | elements before the plane |
    | (I6)  | `end_padding`   | `EndPadding`   | elements after the plane |

    **Constraints**
    * (C1) The five arrays have one value for each dimension of the plane, 1 to 6.
    * (C2) `window_sizes[i] > 0`, `strides[i] > 0`, `dilations[i] > 0`,
      `start_padding[i] >= 0` and `end_padding[i] >= 0`.
    * (C3) A window fits into the padded plane.
    * (C4) `output` has a dimension for each of the plane's and two more before them,
      and `input` has at least three; more dimensions stand before those and have
      size 1.
    * (C5) `input` ends in the sizes `n`, `c * K` and `L`; the two have one element
      type.

    **Readings**
    * The table's column of data types is empty. Its examples are f32, and f16 goes
      with it in the operators of that time.
    * The page wants one rank for both tensors, but its examples pair 3 with 4
      dimensions. Each may have as many dimensions of size 1 in front as it likes.
    * A sum is computed in f32, in some order, and rounded once.

    **Example**
    ```mlir
    // %input: [[[1, 2], [3, 4]]]
    %output = dml.fold %input {window_sizes = array<i64: 2>,
        strides = array<i64: 1>, dilations = array<i64: 1>,
        start_padding = array<i64: 0>, end_padding = array<i64: 0>}
        : (tensor<1x2x2xf32>) -> tensor<1x1x3xf32>
    // %output: [[[1, 5, 4]]]
    ```

    **Source:** DML_FOLD_OPERATOR_DESC.
  }];
}

def DML_UnfoldOp : DML_WindowsOp<"unfold", "UNFOLD"> {
  let summary = "Copies the windows of a plane into columns";
  let description = [{
    Copies the elements of every window of a plane into a column.

    **Semantics.** The last dimensions of `input`, as many as `window_sizes` has
    values, are a plane; `n` and `c` are the two dimensions before it. The window's
    `K` elements are numbered in row-major order, and so are its `L` places, of which
    there are along dimension `i` of the plane, rounded down,
    `(size + start_padding[i] + end_padding[i] -
    dilations[i] * (window_sizes[i] - 1) - 1) / strides[i] + 1`.
    Element `k` of the window at place `l` lies at `p = place(l) * strides +
    element(k) * dilations - start_padding` of the plane.
    `output[n, c * K + k, l] = input[n, c, p]`, and 0 where `p` lies in the padding.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 3 to 8, f32 or f16 |
    | (I2)  | `window_sizes`  | `WindowSizes`  | the size of the window in each dimension of the plane |
    | (I3)  | `strides`       | `Strides`      | the distance of two places |
    | (I4)  | `dilations`     | `Dilations`    | the distance of two elements of a window |
    | (I5)  | `start_padding` | `StartPadding` | elements before the plane |
    | (I6)  | `end_padding`   | `EndPadding`   | elements after the plane |

    **Constraints**
    * (C1) The five arrays have one value for each dimension of the plane, 1 to 6.
    * (C2) `window_sizes[i] > 0`, `strides[i] > 0`, `dilations[i] > 0`,
      `start_padding[i] >= 0` and `end_padding[i] >= 0`.
    * (C3) A window fits into the padded plane.
    * (C4) `input` has a dimension for each of the plane's and two more before them,
      and `output` has at least three; more dimensions stand before those and have
      size 1.
    * (C5) `output` ends in the sizes `n`, `c * K` and `L`; the two have one element
      type.

    **Readings**
    * The table's column of data types is empty. Its examples are f32, and f16 goes
      with it in the operators of that time.
    * The page wants one rank for both tensors, but its examples pair 3 with 4
      dimensions. Each may have as many dimensions of size 1 in front as it likes.

    **Example**
    ```mlir
    // %input: [[[1, 2, 3]]]
    %output = dml.unfold %input {window_sizes = array<i64: 2>,
        strides = array<i64: 1>, dilations = array<i64: 1>,
        start_padding = array<i64: 0>, end_padding = array<i64: 0>}
        : (tensor<1x1x3xf32>) -> tensor<1x2x2xf32>
    // %output: [[[1, 2], [2, 3]]]
    ```

    **Source:** DML_UNFOLD_OPERATOR_DESC.
  }];
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def DML_ValueScale2dOp : DML_Op<"value_scale_2d", "VALUE_SCALE_2D"> {
  let summary = "Scales elements, and adds a bias of their channel";
  let description = [{
    Computes `output[n, c, h, w] = scale * input[n, c, h, w] + bias[c]`, in f32 with a
    rounding after each operation, whatever the element type; f16 is rounded once.

    **Inputs**

    | label | name    | field         | type |
    |-------|---------|---------------|------|
    | (I1)  | `input` | `InputTensor` | tensor, rank 4, f32 or f16 |
    | (I2)  | `scale` | `Scale`       | f32 |
    | (I3)  | `bias`  | `Bias`        | one f32 a channel |

    **Constraints**
    * (C1) `input` has 1 or 3 channels, and `size(bias)` is that number.
    * (C2) `output` has `input`'s element type and sizes.

    **Example**
    ```mlir
    // %input: [[[[1, 2]]]]
    %output = dml.value_scale_2d %input {
        scale = 2.0 : f32, bias = array<f32: 0.5>}
        : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32>
    // %output: [[[[2.5, 4.5]]]]
    ```

    **Source:** DML_VALUE_SCALE_2D_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$scale,
                       DML_F32ArrayAttr:$bias);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let arrays = [DML_FreeArray<"bias">];

  let hasVerifier = 1;
}

def DML_FillValueConstantOp
    : DML_Op<"fill_value_constant", "FILL_VALUE_CONSTANT"> {
  let summary = "Fills a tensor with one value";
  let description = [{
    Gives every element of `output` the value `value`.

    **Inputs**

    | label | name    | field                    | type |
    |-------|---------|--------------------------|------|
    | (I1)  | `value` | `Value`, `ValueDataType` | a number of `output`'s element type |

    **Constraints**
    * (C1) `value` has `output`'s element type. Its sizes are free.

    **Example**
    ```mlir
    %output = dml.fill_value_constant {value = 13.0 : f32} : () -> tensor<2xf32>
    // %output: [13, 13]
    ```

    **Source:** DML_FILL_VALUE_CONSTANT_OPERATOR_DESC.
  }];

  let arguments = (ins DML_ScalarAttr:$value);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_4_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
  ];

  let hasVerifier = 1;
}

def DML_FillValueSequenceOp
    : DML_Op<"fill_value_sequence", "FILL_VALUE_SEQUENCE"> {
  let summary = "Fills a tensor with an arithmetic sequence";
  let description = [{
    Gives element number `e` of `output`, in row-major order from 0 on, the value
    `value_start + e * value_delta`.

    **Inputs**

    | label | name          | field                         | type |
    |-------|---------------|-------------------------------|------|
    | (I1)  | `value_start` | `ValueStart`, `ValueDataType` | a number of `output`'s element type |
    | (I2)  | `value_delta` | `ValueDelta`, `ValueDataType` | a number of `output`'s element type |

    **Constraints**
    * (C1) `value_start` and `value_delta` have `output`'s element type. Its sizes are
      free.

    **Readings**
    * The page adds step by step. A float is computed as one product and one sum, with
      `e` as the nearest f32, each rounded to f32, so that errors do not add up; f16 is
      rounded once more.
    * Integers wrap around: the page's example counts downwards in an unsigned type.

    **Example**
    ```mlir
    %output = dml.fill_value_sequence {value_start = 10 : ui8,
        value_delta = 254 : ui8} : () -> tensor<4xui8>
    // %output: [10, 8, 6, 4]
    ```

    **Source:** DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC.
  }];

  let arguments = (ins DML_ScalarAttr:$value_start,
                       DML_ScalarAttr:$value_delta);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_4_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
  ];

  let hasVerifier = 1;
}

def DML_DiagonalMatrixOp : DML_Op<"diagonal_matrix", "DIAGONAL_MATRIX"> {
  let summary = "Fills a diagonal of zeros";
  let description = [{
    Gives the elements of one diagonal of each matrix of `output`, whose last two
    dimensions are rows and columns, the value `value`, and all others 0.

    **Semantics.** `output[..., y, x]` is `value` where `x = y + offset`, else 0.

    **Inputs**

    | label | name     | field    | type |
    |-------|----------|----------|------|
    | (I1)  | `offset` | `Offset` | the diagonal: above the main one if positive |
    | (I2)  | `value`  | `Value`  | f32 |

    **Constraints**
    * (C1) `offset` fits 32 bits.

    **Readings**
    * `value` becomes an integer as a padding value does (`padding`): rounded towards
      zero, saturated, 0 for NaN.

    **Example**
    ```mlir
    %output = dml.diagonal_matrix {offset = 1, value = 2.0 : f32}
        : () -> tensor<2x3xf32>
    // %output: [[0, 2, 0], [0, 0, 2]]
    ```

    **Source:** DML_DIAGONAL_MATRIX_OPERATOR_DESC.
  }];

  let arguments = (ins DML_I64Attr:$offset, DML_F32Attr:$value);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_5_1, 2, 4, DML_AllDataTypes>,
    DML_SameSupport<FL_4_0, 2, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
  let arrays = [DML_FixedArray<"offset", 1, -2147483648, 2147483647>];
}

def DML_DiagonalMatrix1Op : DML_Op<"diagonal_matrix1", "DIAGONAL_MATRIX1"> {
  let summary = "Fills diagonals of a tensor";
  let description = [{
    Gives the elements of some diagonals of each matrix of `output`, whose last two
    dimensions are rows and columns, the value `value`, and all others those of
    `input`, or 0 where there is none.

    **Semantics.** With `d = x - y`, `begin = diagonal_fill_begin` and
    `end = diagonal_fill_end`: `output[..., y, x]` is `value` where `begin <= d < end`,
    or, if `begin > end`, where that does not hold for the two exchanged.

    **Inputs**

    | label | name                  | field                    | type |
    |-------|-----------------------|--------------------------|------|
    | (I1)  | `input`               | `InputTensor`            | tensor, rank 2 to 4, all data types; optional |
    | (I2)  | `value`               | `Value`, `ValueDataType` | a number of `output`'s element type |
    | (I3)  | `diagonal_fill_begin` | `DiagonalFillBegin`      | the first diagonal |
    | (I4)  | `diagonal_fill_end`   | `DiagonalFillEnd`        | the one after the last |

    **Constraints**
    * (C1) `value` has `output`'s element type.
    * (C2) `input` has `output`'s element type and sizes.
    * (C3) `diagonal_fill_begin` and `diagonal_fill_end` fit 32 bits.

    **Readings**
    * Where the two are equal, nothing is filled.

    **Example**
    ```mlir
    // %input: [[1, 2], [3, 4]]
    %output = dml.diagonal_matrix1 input(%input) {value = 0.0 : f32,
        diagonal_fill_begin = 1, diagonal_fill_end = 0}
        : (tensor<2x2xf32>) -> tensor<2x2xf32>
    // %output: [[1, 0], [0, 4]]
    ```

    **Source:** DML_DIAGONAL_MATRIX1_OPERATOR_DESC.
  }];

  let arguments = (ins Optional<DML_Tensor>:$input, DML_ScalarAttr:$value,
                       DML_I64Attr:$diagonal_fill_begin,
                       DML_I64Attr:$diagonal_fill_end);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_5_1, 2, 4, DML_AllDataTypes>,
  ];
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let arrays = [
    DML_FixedArray<"diagonal_fill_begin", 1, -2147483648, 2147483647>,
    DML_FixedArray<"diagonal_fill_end", 1, -2147483648, 2147483647>,
  ];

  let hasVerifier = 1;
}

#endif // DML_IR_LAYOUTOPS_TD
