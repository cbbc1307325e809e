//===- PaddingOps.td - DML_OPERATOR_PADDING ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_PADDINGOPS_TD
#define DML_IR_PADDINGOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_PaddingOp : DML_Op<"padding", "PADDING",
                           [InferTypeOpAdaptor,
                            DeclareOpInterfaceMethods<DecomposableOpInterface>,
                            DeclareOpInterfaceMethods<MovementOpInterface,
                              ["reinterpretConstants"]>]> {
  let summary = "Inflates a tensor with constant or mirrored values";
  let description = [{
    Copies `input` into `output` with `start_padding[i]` elements before and
    `end_padding[i]` elements after it along each dimension `i`, filled as `mode`
    says.

    **Semantics.** Output coordinate `o` maps, in each dimension alone, to
    `p = o - start_padding[i]`, and `n` is the size of `input` there. Where
    `0 <= p < n` holds in every dimension, the element is `input[p]`. Elsewhere:

    | `mode`       | element |
    |--------------|---------|
    | `constant`   | `padding_value`, converted to the element type |
    | `edge`       | `input[min(max(p, 0), n - 1)]` |
    | `reflection` | `input[q < n ? q : 2(n - 1) - q]` with `q = p mod 2(n - 1)` |
    | `symmetric`  | `input[q < n ? q : 2n - 1 - q]` with `q = p mod 2n` |
    | `wrap`       | `input[p mod n]` |

    (`mod` is never negative.) Corners combine the rules of their dimensions.
    Padding may be larger than the tensor: the three folding modes repeat
    periodically.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 1 to 8, all data types |
    | (I2)  | `mode`          | `PaddingMode`  | `#dml.padding_mode` |
    | (I3)  | `padding_value` | `PaddingValue` | f32, 0 where absent; only `constant` reads it |
    | (I4)  | `start_padding` | `StartPadding` | one count of elements a dimension |
    | (I5)  | `end_padding`   | `EndPadding`   | one count of elements a dimension |

    **Constraints**
    * (C1) `size(start_padding) = size(end_padding) = rank(input)`.
    * (C2) `0 <= start_padding[i]` and `0 <= end_padding[i]`: the operator never
      crops.
    * (C3) `output` has `input`'s element type and
      `dim(output, i) = dim(input, i) + start_padding[i] + end_padding[i]`.

    **Readings** (where DirectML's pages leave room)
    * `padding_value` in an integer tensor is rounded towards zero (10.6 becomes
      10), saturates at the type's limits, and is 0 for NaN: what Direct3D's
      float-to-integer conversions do.
    * `reflection` of a dimension of size 1, whose fold has period 0, repeats the
      one element.
    * `wrap` has no page of its own; it repeats the tensor periodically, as ONNX's
      Pad does in the mode of that name.

    **Example**
    ```mlir
    // %input: [[1, 2, 3]]
    %output = dml.padding %input {
        mode = #dml.padding_mode<reflection>,
        start_padding = array<i64: 0, 2>, end_padding = array<i64: 0, 1>}
        : (tensor<1x3xf32>) -> tensor<1x6xf32>
    // %output: [[3, 2, 1, 2, 3, 2]]
    ```

    **Source:** DML_PADDING_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_PaddingModeAttr:$mode,
    DefaultValuedAttr<DML_F32Attr, "0.0f">:$padding_value,
    DML_I64ArrayAttr:$start_padding,
    DML_I64ArrayAttr:$end_padding
  );
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_1, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 5, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
  let sameElementTypes = [["input", "output"]];
  let independentDimensions = 1;
  let enumSupport = [
    DML_EnumSupport<"mode", DML_PaddingModeAttr, [
      DML_EnumCaseSupport<DML_PaddingModeSymmetric, FL_3_0>,
      DML_EnumCaseSupport<DML_PaddingModeWrap, FL_6_4,
                          DML_FeatureLevelHistory.source>,
    ]>,
  ];
  let arrays = [
    DML_DimensionArray<"start_padding", "0">,
    DML_DimensionArray<"end_padding", "0">,
  ];

  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def DML_Padding1Op : DML_Op<"padding1", "PADDING1", [InferTypeOpAdaptor]> {
  let summary = "Inflates a tensor, with a padding value of its own type";
  let description = [{
    Does what `padding` does, with a padding value that is exact in every data type.

    **Semantics.** That of `padding`; where `mode` is `constant`, the elements around
    `input` are `padding_value`.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 1 to 8, all data types |
    | (I2)  | `mode`          | `PaddingMode`  | `#dml.padding_mode` |
    | (I3)  | `padding_value` | `PaddingValue`, `PaddingValueDataType` | a number of `input`'s element type; only `constant` reads it |
    | (I4)  | `start_padding` | `StartPadding` | one count of elements a dimension |
    | (I5)  | `end_padding`   | `EndPadding`   | one count of elements a dimension |

    **Constraints**
    * (C1) `size(start_padding) = size(end_padding) = rank(input)`.
    * (C2) `0 <= start_padding[i]` and `0 <= end_padding[i]`.
    * (C3) `padding_value` has `input`'s element type.
    * (C4) `output` has `input`'s element type and
      `dim(output, i) = dim(input, i) + start_padding[i] + end_padding[i]`.

    **Readings**
    * (C3) holds in every mode, as DirectML's field names the type in every mode.
    * Those of `padding` on `reflection` and `wrap`.

    **Example**
    ```mlir
    // %input: [[1, 2, 3]]
    %output = dml.padding1 %input {
        mode = #dml.padding_mode<constant>, padding_value = 9.0 : f32,
        start_padding = array<i64: 0, 2>, end_padding = array<i64: 0, 1>}
        : (tensor<1x3xf32>) -> tensor<1x6xf32>
    // %output: [[9, 9, 1, 2, 3, 9]]
    ```

    **Source:** DML_PADDING1_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_PaddingModeAttr:$mode,
    DML_ScalarAttr:$padding_value,
    DML_I64ArrayAttr:$start_padding,
    DML_I64ArrayAttr:$end_padding
  );
  let results = (outs DML_Tensor:$output);

  let support = [DML_SameSupport<FL_5_0, 1, 8, DML_AllDataTypes>];
  let sameElementTypes = [["input", "output"]];
  let enumSupport = [
    DML_EnumSupport<"mode", DML_PaddingModeAttr, [
      DML_EnumCaseSupport<DML_PaddingModeWrap, FL_6_4,
                          DML_FeatureLevelHistory.source>,
    ]>,
  ];
  let arrays = [
    DML_DimensionArray<"start_padding", "0">,
    DML_DimensionArray<"end_padding", "0">,
  ];

  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // DML_IR_PADDINGOPS_TD
