//===- ScanOps.td - DirectML's scans -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_SCANOPS_TD
#define DML_IR_SCANOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_CumulativeSummationOp
    : DML_Op<"cumulative_summation", "CUMULATIVE_SUMMATION"> {
  let summary = "Computes sums of all elements so far";
  let description = [{
    Computes, for every element of `input`, the sum of the elements on its line
    along `axis` up to it.

    **Semantics.** A line is walked from its first element to its last where
    `axis_direction` is `increasing`, and from its last to its first where it is
    `decreasing`. An element of `output` is the sum of the elements of `input`
    walked so far: with the element at the same place, or without it if
    `has_exclusive_sum`. The sum of no elements is 0.

    f16 is computed with in f32, and rounded once. The order of a sum is not
    stated, but does not vary from run to run.

    **Inputs**

    | label | name             | field           | type |
    |-------|------------------|-----------------|------|
    | (I1)  | `input`          | `InputTensor`   | tensor, rank 1 to 8 |
    | (I2)  | `axis`           | `Axis`          | the dimension of the lines |
    | (I3)  | `axis_direction` | `AxisDirection` | which end is first |
    | (I4)  | `has_exclusive_sum` | `HasExclusiveSum` | whether an element is left out of its own sum |

    **Constraints**
    * (C1) `axis` is a dimension of `input`.
    * (C2) `output` has the element type and the sizes of `input`.

    **Readings**
    * Integers wrap around.
    * An older version of the page lists ui16 in place of i32; the newer one is
      followed.

    **Bounds.** A sum of `n` elements has the bound of `dml.reduce`'s.

    **Example**
    ```mlir
    // %input: [2, 1, 3, 5]
    %output = dml.cumulative_summation %input {axis = 0 : i64,
        axis_direction = #dml.axis_direction<increasing>,
        has_exclusive_sum = false} : (tensor<4xf32>) -> tensor<4xf32>
    // %output: [2, 3, 6, 11]
    ```

    **Source:** DML_CUMULATIVE_SUMMATION_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$axis,
                       DML_AxisDirectionAttr:$axis_direction,
                       DML_BoolAttr:$has_exclusive_sum);
  let results = (outs DML_Tensor:$output);

  let enumSupport = [
    DML_EnumSupport<"axis_direction", DML_AxisDirectionAttr>,
  ];
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_FloatsAndInt32And64>,
    DML_SameSupport<FL_4_0, 1, 8, DML_FloatsAndInt32>,
    DML_SameSupport<FL_2_1, 4, 4, DML_FloatsAndInt32>,
  ];
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let arrays = [DML_AxesArray<"axis">];
}

def DML_CumulativeProductOp
    : DML_Op<"cumulative_product", "CUMULATIVE_PRODUCT"> {
  let summary = "Computes products of all elements so far";
  let description = [{
    Computes, for every element of `input`, the product of the elements on its line
    along `axis` up to it.

    **Semantics.** A line is walked from its first element to its last where
    `axis_direction` is `increasing`, and from its last to its first where it is
    `decreasing`. An element of `output` is the product of the elements of `input`
    walked so far: with the element at the same place, or without it if
    `has_exclusive_product`. The product of no elements is 1.

    f16 is computed with in f32, and rounded once. The order of a product is not
    stated, but does not vary from run to run.

    **Inputs**

    | label | name             | field           | type |
    |-------|------------------|-----------------|------|
    | (I1)  | `input`          | `InputTensor`   | tensor, rank 1 to 8 |
    | (I2)  | `axis`           | `Axis`          | the dimension of the lines |
    | (I3)  | `axis_direction` | `AxisDirection` | which end is first |
    | (I4)  | `has_exclusive_product` | `HasExclusiveProduct` | whether an element is left out of its own product |

    **Constraints**
    * (C1) `axis` is a dimension of `input`.
    * (C2) `output` has the element type and the sizes of `input`.

    **Readings**
    * Integers wrap around.
    * An older version of the page lists ui16 in place of i32; the newer one is
      followed.

    **Bounds.** A product of `n` elements has the bound of `dml.reduce`'s.

    **Example**
    ```mlir
    // %input: [2, 1, 3, 5]
    %output = dml.cumulative_product %input {axis = 0 : i64,
        axis_direction = #dml.axis_direction<increasing>,
        has_exclusive_product = false} : (tensor<4xf32>) -> tensor<4xf32>
    // %output: [2, 2, 6, 30]
    ```

    **Source:** DML_CUMULATIVE_PRODUCT_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$axis,
                       DML_AxisDirectionAttr:$axis_direction,
                       DML_BoolAttr:$has_exclusive_product);
  let results = (outs DML_Tensor:$output);

  let enumSupport = [
    DML_EnumSupport<"axis_direction", DML_AxisDirectionAttr>,
  ];
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_FloatsAndInt32And64>,
    DML_SameSupport<FL_4_0, 1, 8, DML_FloatsAndInt32>,
    DML_SameSupport<FL_3_1, 4, 4, DML_FloatsAndInt32>,
  ];
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let arrays = [DML_AxesArray<"axis">];
}

#endif // DML_IR_SCANOPS_TD
