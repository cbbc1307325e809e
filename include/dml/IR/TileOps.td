//===- TileOps.td - DML_OPERATOR_TILE ----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_TILEOPS_TD
#define DML_IR_TILEOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_TileOp : DML_Op<"tile", "TILE", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<MovementOpInterface,
                              ["reinterpretConstants"]>]> {
  let summary = "Repeats a tensor along its dimensions";
  let description = [{
    Builds `output` from `repeats[i]` copies of the whole of `input` along each
    dimension `i`.

    **Semantics.** `output[o] = input[o mod n]` in each dimension, where `n` is
    the size of `input` there.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | `InputTensor` | tensor, rank 1 to 8, all data types but f64 |
    | (I2)  | `repeats` | `Repeats`     | one count of copies a dimension |

    **Constraints**
    * (C1) `size(repeats) = rank(input)`.
    * (C2) `repeats[i] > 0`.
    * (C3) `output` has `input`'s element type and
      `dim(output, i) = dim(input, i) * repeats[i]`.

    **Readings**
    * f64 is in no row of the operator's table, although the other operators that
      copy gained it at the same level; the table is followed.

    **Example**
    ```mlir
    // %input: [[1, 2], [3, 4]]
    %output = dml.tile %input {repeats = array<i64: 1, 2>}
        : (tensor<2x2xf32>) -> tensor<2x4xf32>
    // %output: [[1, 2, 1, 2], [3, 4, 3, 4]]
    ```

    **Source:** DML_TILE_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64ArrayAttr:$repeats);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_1, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let sameElementTypes = [["input", "output"]];
  let independentDimensions = 1;
  let arrays = [DML_DimensionArray<"repeats", "1", 0, 1>];

  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // DML_IR_TILEOPS_TD
