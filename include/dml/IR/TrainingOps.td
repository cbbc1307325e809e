//===- TrainingOps.td - DirectML's optimizers --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_TRAININGOPS_TD
#define DML_IR_TRAININGOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_AdamOptimizerOp : DML_Op<"adam_optimizer", "ADAM_OPTIMIZER"> {
  let summary = "Takes a training step by the Adam algorithm";
  let description = [{
    Moves parameters against their gradients, by steps that the gradients' moments
    scale.

    **Semantics.** With the elements `x` of `input_parameters`, `m` of
    `input_first_moment`, `v` of `input_second_moment` and `g` of `gradient` at one
    place, and the number `t` that `training_step` has, the outputs have there

    | output                 | value |
    |------------------------|-------|
    | `output_first_moment`  | `m' = beta1 * m + (1 - beta1) * g` |
    | `output_second_moment` | `v' = beta2 * v + (1 - beta2) * (g * g)` |
    | `output_parameters`    | `x - learning_rate * alpha * m' / (sqrt(v') + epsilon)` |

    with `alpha = sqrt(1 - beta2^t) / (1 - beta1^t)`. f16 is computed with in f32, and
    each output is rounded once: `m'` and `v'` are not rounded before they are used.

    **Inputs**

    | label | name                  | field                     | type |
    |-------|-----------------------|---------------------------|------|
    | (I1)  | `input_parameters`    | `InputParametersTensor`   | tensor, rank 1 to 8, f32 or f16 |
    | (I2)  | `input_first_moment`  | `InputFirstMomentTensor`  | tensor |
    | (I3)  | `input_second_moment` | `InputSecondMomentTensor` | tensor |
    | (I4)  | `gradient`            | `GradientTensor`          | tensor |
    | (I5)  | `training_step`       | `TrainingStepTensor`      | tensor of ui32, one element |
    | (I6)  | `learning_rate`       | `LearningRate`            | how far a step goes |
    | (I7)  | `beta1`               | `Beta1`                   | how much of the first moment stays |
    | (I8)  | `beta2`               | `Beta2`                   | how much of the second moment stays |
    | (I9)  | `epsilon`             | `Epsilon`                 | keeps the divisor from 0 |

    **Constraints**
    * (C1) all tensors but `training_step` have one element type and the same sizes.
    * (C2) every size of `training_step` is 1.
    * (C3) `beta1` and `beta2` are from 0 to 1.

    **Readings**
    * The page's text makes `training_step` a tensor of ui32, its table one of floats;
      the text is followed.
    * The page says that `beta1` and `beta2` should be from 0 to 1. They have to be.
    * Step 0 divides 0 by 0: the parameters become NaN. The first step is 1.
    * A negative second moment gives NaN.
    * The page has one table, of rank 4. That ranks from 1 to 8 came with 4_0 is in the
      feature level history and DirectML's release notes.

    **Bounds.** `1 - beta^t` is off by at most 40 units in the last place: it is not
    computed as a difference. The other operations have Vulkan's bounds, in the order
    in which the formulas have them, from left to right.

    **Example**
    ```mlir
    // %x: [1, -2]  %m: [0, 0.5]  %v: [0, 0.25]  %g: [2, -1]  %t: [1]
    %x1, %m1, %v1 = dml.adam_optimizer %x, %m, %v, %g, %t {
        learning_rate = 0.1 : f32, beta1 = 0.5 : f32, beta2 = 0.75 : f32,
        epsilon = 0.001 : f32}
        : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xui32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    // %x1: [0.9000999, -1.9622606]  %m1: [1, -0.25]  %v1: [1, 0.4375]
    ```

    **Source:** DML_ADAM_OPTIMIZER_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input_parameters,
                       DML_Tensor:$input_first_moment,
                       DML_Tensor:$input_second_moment, DML_Tensor:$gradient,
                       DML_Tensor:$training_step, DML_F32Attr:$learning_rate,
                       DML_F32Attr:$beta1, DML_F32Attr:$beta2, DML_F32Attr:$epsilon);
  let results = (outs DML_Tensor:$output_parameters,
                      DML_Tensor:$output_first_moment,
                      DML_Tensor:$output_second_moment);

  let support = [
    DML_Support<FL_4_0, [
      DML_TensorSupport<"input_parameters", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"input_first_moment", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"input_second_moment", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"gradient", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"training_step", 1, 8, DML_OnlyUInt32>,
      DML_TensorSupport<"output_parameters", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"output_first_moment", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"output_second_moment", 1, 8, DML_Float32And16>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input_parameters", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"input_first_moment", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"input_second_moment", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"gradient", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"training_step", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output_parameters", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_first_moment", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_second_moment", 4, 4, DML_Float32And16>,
    ]>,
  ];
  let sameElementTypes = [[
    "input_parameters", "input_first_moment", "input_second_moment", "gradient",
    "output_parameters", "output_first_moment", "output_second_moment"
  ]];
  let sameShapes = [[
    "input_parameters", "input_first_moment", "input_second_moment", "gradient",
    "output_parameters", "output_first_moment", "output_second_moment"
  ]];
  let hasVerifier = 1;
}

#endif // DML_IR_TRAININGOPS_TD
