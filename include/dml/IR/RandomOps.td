//===- RandomOps.td - DirectML's random numbers ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_RANDOMOPS_TD
#define DML_IR_RANDOMOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_RandomGeneratorOp : DML_Op<"random_generator", "RANDOM_GENERATOR"> {
  let summary = "Makes random bits";
  let description = [{
    Fills `output` with random words of 32 bits, which follow from `input_state` alone.

    **Semantics.** `type` is `philox_4x32_10`: Philox of 4 words in 10 rounds. The words
    0 to 3 of `input_state` are a counter of 128 bits, and the words 4 and 5 a key
    `(k0, k1)`. A block of 4 words is made of the words `(c0, c1, c2, c3)` of a counter
    by 10 rounds, each of which replaces them by

    `(high(q) xor c1 xor k0, low(q), high(p) xor c3 xor k1, low(p))`

    with the products `p = 0xD2511F53 * c0` and `q = 0xCD9E8D57 * c2` of 64 bits;
    between rounds `k0` grows by `0x9E3779B9` and `k1` by `0xBB67AE85`, without carry.
    Element `e` of `output`, in row-major order, is word `e mod 4` of the block of the
    counter plus `floor(e / 4)`.

    `output_state`, where the op has it, is `input_state` with the counter of the first
    block that was not used: it grows by a quarter of the number of elements, rounded
    up.

    **Inputs**

    | label | name          | field              | type |
    |-------|---------------|--------------------|------|
    | (I1)  | `input_state` | `InputStateTensor` | tensor of ui32, rank 1 to 8 |
    | (I2)  | `type`        | `Type`             | the generator |

    **Constraints**
    * (C1) the last size of `input_state` is 6, and all others are 1.
    * (C2) `output_state`, where the op has it, has the sizes of `input_state`.

    **Readings**
    * The sizes of `output` are free, and so is its rank.
    * No page says which word of the counter is the lowest, nor how blocks become
      elements. Word 0 is the lowest, and blocks follow each other, as in the
      generator's publication and in its use by TensorFlow.
    * The page's example has a counter that shrinks; its text says that it grows.
    * A counter of 2^128 - 1 is followed by 0.

    **Example**
    ```mlir
    // %state: [0, 0, 0, 0, 0, 0]
    %output, %next = dml.random_generator %state {
        type = #dml.random_generator_type<philox_4x32_10>}
        : (tensor<6xui32>) -> (tensor<4xui32>, tensor<6xui32>)
    // %output: [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
    // %next: [1, 0, 0, 0, 0, 0]
    ```

    **Source:** DML_RANDOM_GENERATOR_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input_state,
                       DML_RandomGeneratorTypeAttr:$type);
  let results = (outs DML_Tensor:$output, Optional<DML_Tensor>:$output_state);

  let enumSupport = [DML_EnumSupport<"type", DML_RandomGeneratorTypeAttr>];
  let support = [
    DML_SameSupport<FL_4_0, 1, 8, DML_OnlyUInt32>,
    DML_SameSupport<FL_3_0, 4, 4, DML_OnlyUInt32>,
  ];
  let sameShapes = [["input_state", "output_state"]];
  let hasVerifier = 1;
}

#endif // DML_IR_RANDOMOPS_TD
