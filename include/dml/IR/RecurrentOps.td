//===- RecurrentOps.td - DirectML's recurrent networks -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_RECURRENTOPS_TD
#define DML_IR_RECURRENTOPS_TD

include "dml/IR/DMLOpBase.td"

/// A recurrent network over sequences, with `count` activations for each
/// direction.
class DML_RecurrentOp<string mnemonic, string operatorName, int count>
    : DML_Op<mnemonic, operatorName,
             [AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let enumSupport = [
    DML_ActivationDescsSupport<count>,
    DML_EnumSupport<"direction", DML_RecurrentNetworkDirectionAttr>,
  ];
  let hasVerifier = 1;
}

def DML_RNNOp : DML_RecurrentOp<"rnn", "RNN", 1> {
  let summary = "Runs a recurrent network of one layer along sequences";
  let description = [{
    Walks along sequences and carries a hidden state from step to step.

    **Semantics.** With the row `X[t] = input[0, t, b]` of the batch `b`, the matrices
    `W = weight[0, d]` and `R = recurrence[0, d]` of the direction `d`, the halves `Wb`
    and `Rb` of `bias[0, 0, d]` and the direction's activation `f`,

    `H[t] = f(X[t] * W^T + H[t - 1] * R^T + Wb + Rb)`.

    `forward` goes over the time steps `t` from the first to the last, `backward`
    from the last to the first, and `bidirectional` does both, each with the
    weights, the states and the activations of its own: direction 0 is forward,
    direction 1 backward. `D` is 2 for `bidirectional` and 1 otherwise. What stands
    for `t - 1` is the step before `t` in the direction; before the first stands
    `hidden_init[0, d, b]`, or 0 without it; without `bias`, `Wb` and `Rb` are 0.

    `output_sequence[t, d, b]` is `H[t]` of direction `d` and batch `b`, whichever way
    the direction goes, and `output_single[0, d, b]` is the
    last one that was computed.

    A batch `b` with a sequence length `L` has the steps from 0 to `L - 1` alone: the
    others leave the state as they are, and `output_sequence` is 0 there. Without
    `sequence_lengths` every batch has all `T` steps.

    **Inputs**

    | label | name               | field                   | type |
    |-------|--------------------|-------------------------|------|
    | (I1)  | `input`            | `InputTensor`           | tensor `{1, T, B, I}`, f32 or f16 |
    | (I2)  | `weight`           | `WeightTensor`          | tensor `{1, D, H, I}` |
    | (I3)  | `recurrence`       | `RecurrenceTensor`      | tensor `{1, D, H, H}` |
    | (I4)  | `bias`             | `BiasTensor`            | tensor `{1, 1, D, 2 * H}`, optional |
    | (I5)  | `hidden_init`      | `HiddenInitTensor`      | tensor `{1, D, B, H}`, optional |
    | (I6)  | `sequence_lengths` | `SequenceLengthsTensor` | tensor `{1, 1, 1, B}` of ui32, optional |
    | (I7)  | `activation_descs` | `ActivationDescs`       | array of `#dml.activation`, one for each direction |
    | (I8)  | `direction`        | `Direction`             | `#dml.recurrent_network_direction` |

    **Constraints**
    * (C1) all tensors but `sequence_lengths` have one element type.
    * (C2) `input` is `{1, T, B, I}`, `weight` `{1, D, H, I}` and `recurrence`
      `{1, D, H, H}`.
    * (C3) `bias` is `{1, 1, D, 2 * H}`, `hidden_init` `{1, D, B, H}` and
      `sequence_lengths` `{1, 1, 1, B}`.
    * (C4) `output_sequence` is `{T, D, B, H}` and `output_single` `{1, D, B, H}`.
    * (C5) the op has one of its results at least.
    * (C6) `activation_descs` has `D` activations, none of them `clip` or a softmax.

    **Readings**
    * Rows of `output_sequence` behind a sequence's end are 0, as tests have it that
      run on DirectML; no page says so. A length of 0 leaves the initial state, and
      one above `T` stands for `T`.
    * The state is kept in f32 from step to step, also where the tensors are f16: only
      results are rounded.
    * No page lists the activations. They are those that other operators fuse, each
      at the level where it is fused; none of them looks at more than one element.
    * The two results are optional, and one of them is there.
    * The time steps are iterations of a loop in the executable's schedule. The compiler
      refuses a function whose loops run more than 1,048,576 steps of the schedule in all
      iterations: an iteration takes one to three of them.

    **Bounds.** Sums have the bound of `dml.convolution`'s, whatever their order; the
    operations around them have Vulkan's. A step begins from the bounds of the step
    before.

    **Example**
    ```mlir
    // %input: [[[[1], [4]], [[2], [5]], [[3], [6]]]]   %weight: [[[[1]], [[1]]]]
    // %recurrence: [[[[2]], [[2]]]]  %bias: [[[[0.5, 0.5], [0.5, 0.5]]]]
    // %lengths: [[[[3, 2]]]]
    %sequence, %single = dml.rnn %input, %weight, %recurrence bias(%bias)
        sequence_lengths(%lengths) {
        activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
        direction = #dml.recurrent_network_direction<bidirectional>}
        : (tensor<1x3x2x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
           tensor<1x1x2x2xf32>, tensor<1x1x1x2xui32>)
        -> output_sequence(tensor<3x2x2x1xf32>) output_single(tensor<1x2x2x1xf32>)
    // %sequence: [[[[2], [5]], [[24], [17]]], [[[7], [16]], [[11], [6]]],
    //             [[[18], [0]], [[4], [0]]]]
    // %single: [[[[18], [16]], [[24], [17]]]]
    ```

    **Source:** DML_RNN_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$weight,
                       DML_Tensor:$recurrence, Optional<DML_Tensor>:$bias,
                       Optional<DML_Tensor>:$hidden_init,
                       Optional<DML_Tensor>:$sequence_lengths,
                       DML_ActivationArrayAttr:$activation_descs,
                       DML_RecurrentNetworkDirectionAttr:$direction);
  let results = (outs Optional<DML_Tensor>:$output_sequence,
                      Optional<DML_Tensor>:$output_single);
  let sameElementTypes = [["input", "weight", "recurrence", "bias",
                           "hidden_init", "output_sequence", "output_single"]];
  let support = [
    DML_Support<FL_1_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"weight", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"recurrence", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"bias", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"hidden_init", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"sequence_lengths", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output_sequence", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_single", 4, 4, DML_Float32And16>,
    ]>,
  ];
}

def DML_GRUOp : DML_RecurrentOp<"gru", "GRU", 2> {
  let summary = "Runs a network of gated recurrent units along sequences";
  let description = [{
    Walks along sequences and carries a hidden state from step to step, of which gates
    keep a part.

    **Semantics.** With the row `X[t] = input[0, t, b]` of the batch `b`, and for each
    of the gates `z`, `r` and `h`, in this order, its `H` rows `W` of `weight[0, d]` and
    `R` of `recurrence[0, d]` of the direction `d`, its parts `Wb` of the first half of
    `bias[0, 0, d]` and `Rb` of the second, and the direction's activations `f` and `g`,

    `z = f(X[t] * Wz^T + H[t - 1] * Rz^T + Wbz + Rbz)`,
    `r = f(X[t] * Wr^T + H[t - 1] * Rr^T + Wbr + Rbr)`,
    `n = g(X[t] * Wh^T + (r . H[t - 1]) * Rh^T + Wbh + Rbh)`, or with
    `linear_before_reset`
    `n = g(X[t] * Wh^T + Wbh + r . (H[t - 1] * Rh^T + Rbh))`, and
    `H[t] = (1 - z) . n + z . H[t - 1]`,

    where `.` multiplies element by element.

    `forward` goes over the time steps `t` from the first to the last, `backward`
    from the last to the first, and `bidirectional` does both, each with the
    weights, the states and the activations of its own: direction 0 is forward,
    direction 1 backward. `D` is 2 for `bidirectional` and 1 otherwise. What stands
    for `t - 1` is the step before `t` in the direction; before the first stands
    `hidden_init[0, d, b]`, or 0 without it; without `bias`, all `Wb` and `Rb` are 0.

    `output_sequence[t, d, b]` is `H[t]` of direction `d` and batch `b`, whichever way
    the direction goes, and `output_single[0, d, b]` is the
    last one that was computed.

    A batch `b` with a sequence length `L` has the steps from 0 to `L - 1` alone: the
    others leave the state as they are, and `output_sequence` is 0 there. Without
    `sequence_lengths` every batch has all `T` steps.

    **Inputs**

    | label | name                  | field                   | type |
    |-------|-----------------------|-------------------------|------|
    | (I1)  | `input`               | `InputTensor`           | tensor `{1, T, B, I}`, f32 or f16 |
    | (I2)  | `weight`              | `WeightTensor`          | tensor `{1, D, 3 * H, I}` |
    | (I3)  | `recurrence`          | `RecurrenceTensor`      | tensor `{1, D, 3 * H, H}` |
    | (I4)  | `bias`                | `BiasTensor`            | tensor `{1, 1, D, 6 * H}`, optional |
    | (I5)  | `hidden_init`         | `HiddenInitTensor`      | tensor `{1, D, B, H}`, optional |
    | (I6)  | `sequence_lengths`    | `SequenceLengthsTensor` | tensor `{1, 1, 1, B}` of ui32, optional |
    | (I7)  | `activation_descs`    | `ActivationDescs`       | array of `#dml.activation`: `f` and `g`, for each direction |
    | (I8)  | `direction`           | `Direction`             | `#dml.recurrent_network_direction` |
    | (I9)  | `linear_before_reset` | `LinearBeforeReset`     | whether the reset gate multiplies the product, not the state |

    **Constraints**
    * (C1) all tensors but `sequence_lengths` have one element type.
    * (C2) `input` is `{1, T, B, I}`, `weight` `{1, D, 3 * H, I}` and `recurrence`
      `{1, D, 3 * H, H}`.
    * (C3) `bias` is `{1, 1, D, 6 * H}`, `hidden_init` `{1, D, B, H}` and
      `sequence_lengths` `{1, 1, 1, B}`.
    * (C4) `output_sequence` is `{T, D, B, H}` and `output_single` `{1, D, B, H}`.
    * (C5) the op has one of its results at least.
    * (C6) `activation_descs` has `2 * D` activations, none of them `clip` or a softmax.

    **Readings**
    * The page's equations are an image, or absent. Those of ONNX's operator are
      taken, whose tensors ONNX Runtime passes on unchanged.
    * Rows of `output_sequence` behind a sequence's end are 0, as tests have it that
      run on DirectML; no page says so. A length of 0 leaves the initial state, and
      one above `T` stands for `T`.
    * The state is kept in f32 from step to step, also where the tensors are f16: only
      results are rounded.
    * No page lists the activations. They are those that other operators fuse, each
      at the level where it is fused; none of them looks at more than one element.
    * The two results are optional, and one of them is there.
    * The time steps are iterations of a loop in the executable's schedule. The compiler
      refuses a function whose loops run more than 1,048,576 steps of the schedule in all
      iterations: an iteration takes one to three of them.

    **Bounds.** Sums have the bound of `dml.convolution`'s, whatever their order; the
    operations around them have Vulkan's. A step begins from the bounds of the step
    before.

    **Example**
    ```mlir
    // %input: [[[[2]]]]  %weight: [[[[0], [1], [1]]]]
    // %recurrence: [[[[0], [0], [2]]]]  %bias: [[[[0.5, 0, 0, 0, 0, 1]]]]
    // %init: [[[[4]]]]
    %single = dml.gru %input, %weight, %recurrence bias(%bias) hidden_init(%init) {
        activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
        direction = #dml.recurrent_network_direction<forward>,
        linear_before_reset = true}
        : (tensor<1x1x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>,
           tensor<1x1x1x6xf32>, tensor<1x1x1x1xf32>)
        -> output_single(tensor<1x1x1x1xf32>)
    // %single: [[[[12]]]]
    ```

    **Source:** DML_GRU_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$weight,
                       DML_Tensor:$recurrence, Optional<DML_Tensor>:$bias,
                       Optional<DML_Tensor>:$hidden_init,
                       Optional<DML_Tensor>:$sequence_lengths,
                       DML_ActivationArrayAttr:$activation_descs,
                       DML_RecurrentNetworkDirectionAttr:$direction,
                       DML_BoolAttr:$linear_before_reset);
  let results = (outs Optional<DML_Tensor>:$output_sequence,
                      Optional<DML_Tensor>:$output_single);
  let sameElementTypes = [["input", "weight", "recurrence", "bias",
                           "hidden_init", "output_sequence", "output_single"]];
  let support = [
    DML_Support<FL_1_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"weight", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"recurrence", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"bias", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"hidden_init", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"sequence_lengths", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output_sequence", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_single", 4, 4, DML_Float32And16>,
    ]>,
  ];
}

def DML_LSTMOp : DML_RecurrentOp<"lstm", "LSTM", 3> {
  let summary = "Runs a network of long short-term memory along sequences";
  let description = [{
    Walks along sequences and carries a hidden state and a cell state from step to
    step, of which gates keep a part.

    **Semantics.** With the row `X[t] = input[0, t, b]` of the batch `b`, and for each
    of the gates `i`, `o`, `f` and `c`, in this order, its `H` rows `W` of
    `weight[0, d]` and `R` of `recurrence[0, d]` of the direction `d`, its parts `Wb` of
    the first half of `bias[0, 0, d]` and `Rb` of the second, its part `P` of
    `peephole[0, 0, d]` (for `i`, `o` and `f`), and the direction's activations `f`, `g`
    and `h`,

    `i = f(clip(X[t] * Wi^T + H[t - 1] * Ri^T + Pi . C[t - 1] + Wbi + Rbi))`,
    `F = f(clip(X[t] * Wf^T + H[t - 1] * Rf^T + Pf . C[t - 1] + Wbf + Rbf))`, or with
    `couple_input_forget`
    `F = 1 - i`,
    `c = g(clip(X[t] * Wc^T + H[t - 1] * Rc^T + Wbc + Rbc))`,
    `C[t] = F . C[t - 1] + i . c`,
    `o = f(clip(X[t] * Wo^T + H[t - 1] * Ro^T + Po . C[t] + Wbo + Rbo))` and
    `H[t] = o . h(C[t])`,

    where `.` multiplies element by element. `clip` limits a number to
    `-clip_threshold` and `clip_threshold` where `use_clip_threshold`, as
    `dml.element_wise_clip` does, and leaves it as it is otherwise.

    `forward` goes over the time steps `t` from the first to the last, `backward`
    from the last to the first, and `bidirectional` does both, each with the
    weights, the states and the activations of its own: direction 0 is forward,
    direction 1 backward. `D` is 2 for `bidirectional` and 1 otherwise. What stands
    for `t - 1` is the step before `t` in the direction; before the first stands
    `hidden_init[0, d, b]` and `cell_mem_init[0, d, b]`, or 0 without them;
    without `bias` or `peephole`, all `Wb`, `Rb` or `P` are 0.

    `output_sequence[t, d, b]` is `H[t]` of direction `d` and batch `b`, whichever way
    the direction goes, and `output_single[0, d, b]` and
    `output_cell_single[0, d, b]` are the last `H` and `C` that were computed.

    A batch `b` with a sequence length `L` has the steps from 0 to `L - 1` alone: the
    others leave the states as they are, and `output_sequence` is 0 there. Without
    `sequence_lengths` every batch has all `T` steps.

    **Inputs**

    | label | name                  | field                   | type |
    |-------|-----------------------|-------------------------|------|
    | (I1)  | `input`               | `InputTensor`           | tensor `{1, T, B, I}`, f32 or f16 |
    | (I2)  | `weight`              | `WeightTensor`          | tensor `{1, D, 4 * H, I}` |
    | (I3)  | `recurrence`          | `RecurrenceTensor`      | tensor `{1, D, 4 * H, H}` |
    | (I4)  | `bias`                | `BiasTensor`            | tensor `{1, 1, D, 8 * H}`, optional |
    | (I5)  | `hidden_init`         | `HiddenInitTensor`      | tensor `{1, D, B, H}`, optional |
    | (I6)  | `cell_mem_init`       | `CellMemInitTensor`     | tensor `{1, D, B, H}`, optional |
    | (I7)  | `sequence_lengths`    | `SequenceLengthsTensor` | tensor `{1, 1, 1, B}` of ui32, optional |
    | (I8)  | `peephole`            | `PeepholeTensor`        | tensor `{1, 1, D, 3 * H}`, optional |
    | (I9)  | `activation_descs`    | `ActivationDescs`       | array of `#dml.activation`: `f`, `g` and `h`, for each direction |
    | (I10) | `direction`           | `Direction`             | `#dml.recurrent_network_direction` |
    | (I11) | `clip_threshold`      | `ClipThreshold`         | what `clip` limits to |
    | (I12) | `use_clip_threshold`  | `UseClipThreshold`      | whether `clip` limits |
    | (I13) | `couple_input_forget` | `CoupleInputForget`     | whether the forget gate is `1 - i` |

    **Constraints**
    * (C1) all tensors but `sequence_lengths` have one element type.
    * (C2) `input` is `{1, T, B, I}`, `weight` `{1, D, 4 * H, I}` and `recurrence`
      `{1, D, 4 * H, H}`.
    * (C3) `bias` is `{1, 1, D, 8 * H}`, `hidden_init` and `cell_mem_init` are
      `{1, D, B, H}`, `sequence_lengths` is `{1, 1, 1, B}` and `peephole`
      `{1, 1, D, 3 * H}`.
    * (C4) `output_sequence` is `{T, D, B, H}`, `output_single` and
      `output_cell_single` are `{1, D, B, H}`.
    * (C5) the op has one of its results at least.
    * (C6) `activation_descs` has `3 * D` activations, none of them `clip` or a softmax.
    * (C7) `clip_threshold` is 0 or more where `use_clip_threshold` is true.

    **Readings**
    * The newer page has no equations. The older one prints `C[t - 1]` at the output
      gate, and a lower-case `c` in `h`; ONNX's operator, which ONNX Runtime passes on
      unchanged, has the new cell state in both places.
    * Also with `couple_input_forget`, `i` is of what `clip` has limited. The cell
      state is not limited.
    * Rows of `output_sequence` behind a sequence's end are 0, as tests have it that
      run on DirectML; no page says so. A length of 0 leaves the initial state, and
      one above `T` stands for `T`.
    * The states are kept in f32 from step to step, also where the tensors are f16: only
      results are rounded.
    * No page lists the activations. They are those that other operators fuse, each
      at the level where it is fused; none of them looks at more than one element.
    * The three results are optional, and one of them is there.
    * The time steps are iterations of a loop in the executable's schedule. The compiler
      refuses a function whose loops run more than 1,048,576 steps of the schedule in all
      iterations: an iteration takes one to three of them.

    **Bounds.** Sums have the bound of `dml.convolution`'s, whatever their order; the
    operations around them have Vulkan's. A step begins from the bounds of the step
    before.

    **Example**
    ```mlir
    // %input: [[[[1]], [[2]]]]  %weight, %recurrence: [[[[1], [1], [1], [1]]]]
    %sequence, %cell = dml.lstm %input, %weight, %recurrence {
        activation_descs = [#dml.activation<relu>, #dml.activation<relu>,
                            #dml.activation<relu>],
        direction = #dml.recurrent_network_direction<forward>,
        clip_threshold = 2.0 : f32, use_clip_threshold = true,
        couple_input_forget = false}
        : (tensor<1x2x1x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>)
        -> output_sequence(tensor<2x1x1x1xf32>)
           output_cell_single(tensor<1x1x1x1xf32>)
    // %sequence: [[[[1]]], [[[12]]]]  %cell: [[[[6]]]]
    ```

    **Source:** DML_LSTM_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$weight,
                       DML_Tensor:$recurrence, Optional<DML_Tensor>:$bias,
                       Optional<DML_Tensor>:$hidden_init,
                       Optional<DML_Tensor>:$cell_mem_init,
                       Optional<DML_Tensor>:$sequence_lengths,
                       Optional<DML_Tensor>:$peephole,
                       DML_ActivationArrayAttr:$activation_descs,
                       DML_RecurrentNetworkDirectionAttr:$direction,
                       DML_F32Attr:$clip_threshold, DML_BoolAttr:$use_clip_threshold,
                       DML_BoolAttr:$couple_input_forget);
  let results = (outs Optional<DML_Tensor>:$output_sequence,
                      Optional<DML_Tensor>:$output_single,
                      Optional<DML_Tensor>:$output_cell_single);
  let sameElementTypes = [["input", "weight", "recurrence", "bias",
                           "hidden_init", "cell_mem_init", "peephole",
                           "output_sequence", "output_single",
                           "output_cell_single"]];
  let support = [
    DML_Support<FL_1_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"weight", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"recurrence", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"bias", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"hidden_init", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"cell_mem_init", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"sequence_lengths", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"peephole", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_sequence", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_single", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_cell_single", 4, 4, DML_Float32And16>,
    ]>,
  ];
}

#endif // DML_IR_RECURRENTOPS_TD
