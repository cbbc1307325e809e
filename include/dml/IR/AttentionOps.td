//===- AttentionOps.td - DirectML's attention --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_ATTENTIONOPS_TD
#define DML_IR_ATTENTIONOPS_TD

include "dml/IR/DMLOpBase.td"

class DML_AttentionOp<string mnemonic, string operatorName>
    : DML_Op<mnemonic, operatorName,
             [AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let results = (outs DML_Tensor:$output,
                      Optional<DML_Tensor>:$output_present_key,
                      Optional<DML_Tensor>:$output_present_value);
  let enumSupport = [
    DML_EnumSupport<"mask_type", DML_MultiheadAttentionMaskTypeAttr>,
  ];
  let hasVerifier = 1;
}

def DML_MultiheadAttentionOp
    : DML_AttentionOp<"multihead_attention", "MULTIHEAD_ATTENTION"> {
  let summary = "Mixes values by how their keys match queries";
  let description = [{
    Weights values by the softmax of the products of queries with the values' keys, head
    by head. Canonicalization makes a `dml.multihead_attention1` of it where the feature
    level has that.

    **Semantics.** There are `N = head_count` heads.

    The elements `Q[b, s, h, e]` of the queries are those of `query` at
    `[b, s, h * E + e]`, or of a stacked tensor at `[b, s, h, 0, e]`; those of the new
    keys and values, `[b, l, h, e]`, stand in `key` and `value` likewise, or in the
    stacked tensors behind the queries and keys. `bias` has an element for each of a
    row's queries, then its keys, then its values, which are added to them; without it,
    nothing is added.

    All keys `K[b, h, t]` and values `V[b, h, t]` are the `P` of `past_key` and
    `past_value`, and behind them the `L` new ones: `T = P + L`. They are
    `output_present_key` and `output_present_value`.

    A score is

    `score[b, h, s, t] = scale * (sum over e of Q[b, s, h, e] * K[b, h, t, e]) +
    relative_position_bias[b, h, s, t]`,

    or `mask_filter_value` where it is masked; without `relative_position_bias`
    nothing is added. With the softmax `w` of the scores along `t`, as
    `dml.activation_softmax` computes it,

    `output[b, s, h * V + v] = sum over t of w[b, h, s, t] * V[b, h, t, v]`.

    What is masked is said by `mask` and `mask_type`:

    * `none`: nothing.
    * `key_sequence_length`: `mask` is `{1, B}`, and keys with `t >= mask[0, b]` are
      masked.
    * `key_sequence_end_start`: `mask` is `{2, B}`, and keys with `t >= mask[0, b]` or
      `t < mask[1, b]` are masked.
    * `key_query_sequence_length_start_end`: `mask` is `{3 * B + 2}`, and keys with
      `t >= mask[b]` are masked.
    * `boolean`: `mask` is `{B, N, S, T}`, and keys are masked where it is 0.

    f16 is computed with in f32, and rounded once.

    **Inputs**

    | label | name                      | field                        | type |
    |-------|---------------------------|------------------------------|------|
    | (I1)  | `query`                   | `QueryTensor`                | tensor `{B, S, N * E}`, rank 3 to 5, f32 or f16, optional |
    | (I2)  | `key`                     | `KeyTensor`                  | tensor `{B, L, N * E}`, optional |
    | (I3)  | `value`                   | `ValueTensor`                | tensor `{B, L, N * V}`, optional |
    | (I4)  | `stacked_query_key`       | `StackedQueryKeyTensor`      | tensor `{B, S, N, 2, E}`, optional |
    | (I5)  | `stacked_key_value`       | `StackedKeyValueTensor`      | tensor `{B, L, N, 2, E}`, optional |
    | (I6)  | `stacked_query_key_value` | `StackedQueryKeyValueTensor` | tensor `{B, S, N, 3, E}`, optional |
    | (I7)  | `bias`                    | `BiasTensor`                 | tensor `{N * E + N * E + N * V}`, optional |
    | (I8)  | `mask`                    | `MaskTensor`                 | tensor of i32, optional |
    | (I9)  | `relative_position_bias`  | `RelativePositionBiasTensor` | tensor `{B, N, S, T}`, optional |
    | (I10) | `past_key`                | `PastKeyTensor`              | tensor `{B, N, P, E}`, optional |
    | (I11) | `past_value`              | `PastValueTensor`            | tensor `{B, N, P, V}`, optional |
    | (I12) | `scale`                   | `Scale`                      | multiplies the products |
    | (I13) | `mask_filter_value`       | `MaskFilterValue`            | the score of what is masked |
    | (I14) | `head_count`              | `HeadCount`                  | number of heads |
    | (I15) | `mask_type`               | `MaskType`                   | `#dml.multihead_attention_mask_type` |

    **Constraints**
    * (C1) all tensors but `mask` have one element type.
    * (C2) one tensor has the queries: `query`, `stacked_query_key` or
      `stacked_query_key_value`. One at most has the new keys (`key` or a stacked
      tensor), and one the new values (`value`, `stacked_key_value` or
      `stacked_query_key_value`). There are both or neither; where there are neither,
      there is a past.
    * (C3) the tensors of queries, keys and values have the sizes above.
    * (C4) `bias` is `{N * E + N * E + N * V}`.
    * (C5) `past_key` is `{B, N, P, E}` and `past_value` `{B, N, P, V}`; there are both
      or neither.
    * (C6) `mask` has the sizes that `mask_type` wants, and is absent with `none`;
      `relative_position_bias` is `{B, N, S, T}`.
    * (C7) `output` is `{B, S, N * V}`, `output_present_key` `{B, N, T, E}` and
      `output_present_value` `{B, N, T, V}`.
    * (C8) `head_count` is above 0.

    **Readings**
    * The page lets masked scores have the value `mask_filter_value` in one place, and
      has it added to them in others. It is their value: where a row is masked as a
      whole, its weights are equal.
    * Positions of a mask are those of all keys, the past's included. Of
      `key_query_sequence_length_start_end`, which the page only lists, the starts and
      ends say where packed sequences lie, which tensors here are not; the lengths of
      keys mask.
    * `bias` is added to new keys and values only, and the present tensors have it.
    * The sizes of `mask` and `relative_position_bias` are not on the page. Those that
      other tensors want are taken, without any repetition.
    * Sizes of 1 may stand before a tensor's sizes, up to the rank that it may have.
    * Without new keys and values, the past has all, as ONNX Runtime binds the keys and
      values of a cross attention.

    **Bounds.** Sums have the bound of `dml.convolution`'s; the softmax and the
    operations around have Vulkan's.

    **Example**
    ```mlir
    // %query: [[[1, 0]]]  %key: [[[0, 0], [1, 0], [1, 0]]]
    // %value: [[[4], [8], [100]]]  %mask: [[2]]
    %output = dml.multihead_attention query(%query) key(%key) value(%value)
        mask(%mask) {
        scale = 1.0986123 : f32, mask_filter_value = -10000.0 : f32,
        head_count = 1 : i64,
        mask_type = #dml.multihead_attention_mask_type<key_sequence_length>}
        : (tensor<1x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>,
           tensor<1x1xi32>) -> tensor<1x1x1xf32>
    // %output: [[[7]]]
    ```

    **Source:** DML_MULTIHEAD_ATTENTION_OPERATOR_DESC.
  }];

  let arguments = (ins
    Optional<DML_Tensor>:$query,
    Optional<DML_Tensor>:$key,
    Optional<DML_Tensor>:$value,
    Optional<DML_Tensor>:$stacked_query_key,
    Optional<DML_Tensor>:$stacked_key_value,
    Optional<DML_Tensor>:$stacked_query_key_value,
    Optional<DML_Tensor>:$bias,
    Optional<DML_Tensor>:$mask,
    Optional<DML_Tensor>:$relative_position_bias,
    Optional<DML_Tensor>:$past_key,
    Optional<DML_Tensor>:$past_value,
    DML_F32Attr:$scale,
    DML_F32Attr:$mask_filter_value,
    DML_I64Attr:$head_count,
    DML_MultiheadAttentionMaskTypeAttr:$mask_type
  );
  let sameElementTypes = [
    ["query", "key", "value", "stacked_query_key", "stacked_key_value",
     "stacked_query_key_value", "bias", "relative_position_bias", "past_key",
     "past_value", "output", "output_present_key", "output_present_value"],
  ];
  let support = [
    DML_Support<FL_6_1, [
      DML_TensorSupport<"query", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"key", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"value", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"stacked_query_key", 5, 5, DML_Float32And16>,
      DML_TensorSupport<"stacked_key_value", 5, 5, DML_Float32And16>,
      DML_TensorSupport<"stacked_query_key_value", 5, 5, DML_Float32And16>,
      DML_TensorSupport<"bias", 1, 5, DML_Float32And16>,
      DML_TensorSupport<"mask", 1, 5, DML_OnlyInt32>,
      DML_TensorSupport<"relative_position_bias", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"past_key", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"past_value", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"output", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"output_present_key", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"output_present_value", 4, 5, DML_Float32And16>,
    ]>,
  ];
  let arrays = [
    DML_FreeArray<"head_count", 1>,
  ];
  let hasCanonicalizeMethod = 1;
}

/// The page of the operator has the floats alone.
def DML_Lengths : DML_DataTypes<DML_Float32And16.types # [DML_INT32]>;

def DML_MultiheadAttention1Op
    : DML_AttentionOp<"multihead_attention1", "MULTIHEAD_ATTENTION1"> {
  let summary = "Mixes values by how their keys match queries, in groups of heads";
  let description = [{
    Weights values by the softmax of the products of queries with the values' keys, head
    by head.

    **Semantics.** There are `NQ = query_head_count` heads of queries, and `NK =
    key_value_head_count` heads of keys and values, each of which serves `NQ / NK`
    consecutive heads of queries: `g(h) = h / (NQ / NK)`, rounded down.

    The elements `Q[b, s, h, e]` of the queries are those of `query` at
    `[b, s, h * E + e]`, or of a stacked tensor at `[b, s, h, 0, e]`; those of the new
    keys and values, `[b, l, h, e]`, stand in `key` and `value` likewise, or in the
    stacked tensors behind the queries and keys. `bias` has an element for each of a
    row's queries, then its keys, then its values, which are added to them; without it,
    nothing is added.

    All keys `K[b, h, t]` and values `V[b, h, t]` are the `P` of `past_key` and
    `past_value`, and behind them the `L` new ones: `T = P + L`. They are
    `output_present_key` and `output_present_value`.

    Where there is `past_sequence_lengths`, only the first `n` positions of the past
    are in use, the batch's element of it, rounded down and limited to `0` and `P`.
    The new keys and values stand at the positions from `n` on; at those from `n + L`
    on stands what the past has there, and 0 from `P` on. A query `s` sees the
    positions `t <= n + s` alone: all others take no part in its softmax.

    A score is

    `score[b, h, s, t] = scale * (sum over e of Q[b, s, h, e] * K[b, g(h), t, e]) +
    relative_position_bias[b, h, s, t]`,

    or `mask_filter_value` where it is masked; without `relative_position_bias`
    nothing is added. With the softmax `w` of the scores along `t`, as
    `dml.activation_softmax` computes it,

    `output[b, s, h * V + v] = sum over t of w[b, h, s, t] * V[b, g(h), t, v]`.

    What is masked is said by `mask` and `mask_type`:

    * `none`: nothing.
    * `key_sequence_length`: `mask` is `{1, B}`, and keys with `t >= mask[0, b]` are
      masked.
    * `key_sequence_end_start`: `mask` is `{2, B}`, and keys with `t >= mask[0, b]` or
      `t < mask[1, b]` are masked.
    * `key_query_sequence_length_start_end`: `mask` is `{3 * B + 2}`, and keys with
      `t >= mask[b]` are masked.
    * `boolean`: `mask` is `{B, NQ, S, T}`, and keys are masked where it is 0.

    f16 is computed with in f32, and rounded once.

    **Inputs**

    | label | name                      | field                        | type |
    |-------|---------------------------|------------------------------|------|
    | (I1)  | `query`                   | `QueryTensor`                | tensor `{B, S, NQ * E}`, rank 3 to 5, f32 or f16, optional |
    | (I2)  | `key`                     | `KeyTensor`                  | tensor `{B, L, NK * E}`, optional |
    | (I3)  | `value`                   | `ValueTensor`                | tensor `{B, L, NK * V}`, optional |
    | (I4)  | `stacked_query_key`       | `StackedQueryKeyTensor`      | tensor `{B, S, NQ, 2, E}`, optional |
    | (I5)  | `stacked_key_value`       | `StackedKeyValueTensor`      | tensor `{B, L, NK, 2, E}`, optional |
    | (I6)  | `stacked_query_key_value` | `StackedQueryKeyValueTensor` | tensor `{B, S, NQ, 3, E}`, optional |
    | (I7)  | `bias`                    | `BiasTensor`                 | tensor `{NQ * E + NK * E + NK * V}`, optional |
    | (I8)  | `mask`                    | `MaskTensor`                 | tensor of i32, optional |
    | (I9)  | `relative_position_bias`  | `RelativePositionBiasTensor` | tensor `{B, NQ, S, T}`, optional |
    | (I10) | `past_key`                | `PastKeyTensor`              | tensor `{B, NK, P, E}`, optional |
    | (I11) | `past_value`              | `PastValueTensor`            | tensor `{B, NK, P, V}`, optional |
    | (I12) | `past_sequence_lengths`   | `PastSequenceLengthsTensor`  | tensor `{B}` of floats or i32, optional |
    | (I13) | `scale`                   | `Scale`                      | multiplies the products |
    | (I14) | `mask_filter_value`       | `MaskFilterValue`            | the score of what is masked |
    | (I15) | `query_head_count`        | `QueryHeadCount`             | heads of queries |
    | (I16) | `key_value_head_count`    | `KeyValueHeadCount`          | heads of keys and values |
    | (I17) | `mask_type`               | `MaskType`                   | `#dml.multihead_attention_mask_type` |

    **Constraints**
    * (C1) all tensors but `mask` have one element type; `past_sequence_lengths` may
      be i32 instead.
    * (C2) one tensor has the queries: `query`, `stacked_query_key` or
      `stacked_query_key_value`. One at most has the new keys (`key` or a stacked
      tensor), and one the new values (`value`, `stacked_key_value` or
      `stacked_query_key_value`). There are both or neither; where there are neither,
      there is a past.
    * (C3) the tensors of queries, keys and values have the sizes above.
    * (C4) `bias` is `{NQ * E + NK * E + NK * V}`.
    * (C5) `past_key` is `{B, NK, P, E}` and `past_value` `{B, NK, P, V}`; there are both
      or neither.
    * (C6) `mask` has the sizes that `mask_type` wants, and is absent with `none`;
      `relative_position_bias` is `{B, NQ, S, T}`.
    * (C7) `output` is `{B, S, NQ * V}`, `output_present_key` `{B, NK, T, E}` and
      `output_present_value` `{B, NK, T, V}`.
    * (C8) `query_head_count` and `key_value_head_count` are above 0, and the first is a
      multiple of the second; they are equal where there is `stacked_query_key` or
      `stacked_query_key_value`.
    * (C9) `past_sequence_lengths` is `{B}`, where there is `past_key`.
    * (C10) the element type of `past_sequence_lengths` has each integer from 0 to `P`:
      `P` is at most 2048 for f16, and at most 2^24 for f32.

    **Readings**
    * The page lets masked scores have the value `mask_filter_value` in one place, and
      has it added to them in others. It is their value: where a row is masked as a
      whole, its weights are equal.
    * Positions of a mask are those of all keys, the past's included. Of
      `key_query_sequence_length_start_end`, which the page only lists, the starts and
      ends say where packed sequences lie, which tensors here are not; the lengths of
      keys mask.
    * `bias` is added to new keys and values only, and the present tensors have it.
    * The sizes of `mask` and `relative_position_bias` are not on the page. Those that
      other tensors want are taken, without any repetition.
    * Sizes of 1 may stand before a tensor's sizes, up to the rank that it may have.
    * Without new keys and values, the past has all, as ONNX Runtime binds the keys and
      values of a cross attention.
    * The page has no word on `past_sequence_lengths`, `query_head_count` and
      `key_value_head_count`. They are read as ONNX Runtime uses them for
      GroupQueryAttention, whose keys are seen up to the query's own position. It
      binds the memory of the present tensors to that of the past, and passes
      integers for lengths; here the past is an operand, and lengths are i32, as ONNX
      Runtime's, or of the element type that the page's table has for them. f16 does
      not have the length 2049, which would put a new key at position 2048. Its
      present tensors may be longer than the past and what is new; here they have
      these positions alone.

    **Bounds.** Sums have the bound of `dml.convolution`'s; the softmax and the
    operations around have Vulkan's.

    **Example**
    ```mlir
    // %query: [[[1, 0]]]  %key: [[[0], [1]]]  %value: [[[4], [8]]]
    %output = dml.multihead_attention1 query(%query) key(%key) value(%value) {
        scale = 1.0986123 : f32, mask_filter_value = -10000.0 : f32,
        query_head_count = 2 : i64, key_value_head_count = 1 : i64,
        mask_type = #dml.multihead_attention_mask_type<none>}
        : (tensor<1x1x2xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>)
        -> tensor<1x1x2xf32>
    // %output: [[[7, 6]]]
    ```

    **Source:** DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC.
  }];

  let arguments = (ins
    Optional<DML_Tensor>:$query,
    Optional<DML_Tensor>:$key,
    Optional<DML_Tensor>:$value,
    Optional<DML_Tensor>:$stacked_query_key,
    Optional<DML_Tensor>:$stacked_key_value,
    Optional<DML_Tensor>:$stacked_query_key_value,
    Optional<DML_Tensor>:$bias,
    Optional<DML_Tensor>:$mask,
    Optional<DML_Tensor>:$relative_position_bias,
    Optional<DML_Tensor>:$past_key,
    Optional<DML_Tensor>:$past_value,
    Optional<DML_Tensor>:$past_sequence_lengths,
    DML_F32Attr:$scale,
    DML_F32Attr:$mask_filter_value,
    DML_I64Attr:$query_head_count,
    DML_I64Attr:$key_value_head_count,
    DML_MultiheadAttentionMaskTypeAttr:$mask_type
  );
  let sameElementTypes = [
    ["query", "key", "value", "stacked_query_key", "stacked_key_value",
     "stacked_query_key_value", "bias", "relative_position_bias", "past_key",
     "past_value", "output", "output_present_key", "output_present_value"],
  ];
  let support = [
    DML_Support<FL_6_3, [
      DML_TensorSupport<"query", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"key", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"value", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"stacked_query_key", 5, 5, DML_Float32And16>,
      DML_TensorSupport<"stacked_key_value", 5, 5, DML_Float32And16>,
      DML_TensorSupport<"stacked_query_key_value", 5, 5, DML_Float32And16>,
      DML_TensorSupport<"bias", 1, 5, DML_Float32And16>,
      DML_TensorSupport<"mask", 1, 5, DML_OnlyInt32>,
      DML_TensorSupport<"relative_position_bias", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"past_key", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"past_value", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"past_sequence_lengths", 1, 5, DML_Lengths>,
      DML_TensorSupport<"output", 3, 5, DML_Float32And16>,
      DML_TensorSupport<"output_present_key", 4, 5, DML_Float32And16>,
      DML_TensorSupport<"output_present_value", 4, 5, DML_Float32And16>,
    ]>,
  ];
  let arrays = [
    DML_FreeArray<"query_head_count", 1>,
    DML_FreeArray<"key_value_head_count", 1>,
  ];
}

#endif // DML_IR_ATTENTIONOPS_TD
