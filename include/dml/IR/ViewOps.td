//===- ViewOps.td - Tensors as strides have them -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_VIEWOPS_TD
#define DML_IR_VIEWOPS_TD

include "dml/IR/DMLOpBase.td"

/// Not an operator of DirectML, but what DirectML's tensor descriptions express
/// by strides. The operation has no support table.
def DML_ViewOp : Op<DML_Dialect, "view", [Pure]> {
  let summary = "Reads a tensor's elements through sizes and strides";
  let description = [{
    Another tensor over the elements of `input`, as a `DML_BUFFER_TENSOR_DESC` with
    sizes and strides describes one over a buffer. Strides of 0 broadcast; strides in
    another order transpose; `offset` and longer strides take a part; other sizes
    reinterpret the same elements. DirectML has no operator for this, because any
    tensor of a graph may be described so.

    **Semantics.** `output[c] = elements[offset + sum(c[i] * strides[i])]`, where
    `elements` are those of `input` in row-major order. The last dimension's
    coordinate runs fastest in that order.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | the buffer    | tensor, rank 1 to 8, all data types |
    | (I2)  | `strides` | `Strides`     | one count of elements a dimension of `output` |
    | (I3)  | `offset`  | the binding's offset | a count of elements, 0 by default |

    The field `Sizes` is the shape of `output`.

    **Constraints**
    * (C1) `output` has rank 1 to 8 and `input`'s element type.
    * (C2) `size(strides) = rank(output)`.
    * (C3) `0 <= strides[i] < 2^32`, and `0 <= offset < 2^32`.
    * (C4) `offset + sum((dim(output, i) - 1) * strides[i])`, the last element that is
      read, is below the number of elements of `input`.

    **Readings**
    * DirectML counts the bytes that a desc implies, rounds them up to 4, and wants the
      buffer to have as many. Here elements are counted, which forbids in addition to
      read what the rounding leaves behind the last element.

    **Example**
    ```mlir
    // %input: [[1, 2, 3], [4, 5, 6]]
    %output = dml.view %input {strides = array<i64: 1, 3>}
        : (tensor<2x3xf32>) -> tensor<3x2xf32>
    // %output: [[1, 4], [2, 5], [3, 6]]
    ```

    **Source:** DML_BUFFER_TENSOR_DESC and "Using strides to express padding and memory
    layout", https://learn.microsoft.com/windows/ai/directml/dml-strides.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64ArrayAttr:$strides,
                       DefaultValuedAttr<DML_I64Attr, "0">:$offset);
  let results = (outs DML_Tensor:$output);
  let assemblyFormat = [{
    $input attr-dict `:` functional-type(operands, results)
  }];

  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Whether the result has all elements of the input in the same order, so
    /// that only the shape differs.
    bool isReshape();
  }];
}

#endif // DML_IR_VIEWOPS_TD
