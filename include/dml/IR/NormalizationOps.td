//===- NormalizationOps.td - DirectML's normalizations -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_NORMALIZATIONOPS_TD
#define DML_IR_NORMALIZATIONOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_BatchNormalizationOp
    : DML_Op<"batch_normalization", "BATCH_NORMALIZATION",
             [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Normalizes elements by given means and variances";
  let description = [{
    Takes a mean away from each element, divides by the root of a variance, scales
    and adds a bias.

    **Semantics.** Every element of `output` is

    `(input - mean) / sqrt(variance + epsilon) * scale + bias`

    of the elements at its place, where a size of 1 repeats an element along the
    dimension. Where there is a `fused_activation`, that function of it is the
    element. f16 is computed with in f32, and rounded once.

    **Inputs**

    | label | name       | field            | type |
    |-------|------------|------------------|------|
    | (I1)  | `input`    | `InputTensor`    | tensor, rank 1 to 8, f32 or f16 |
    | (I2)  | `mean`     | `MeanTensor`     | tensor |
    | (I3)  | `variance` | `VarianceTensor` | tensor |
    | (I4)  | `scale`    | `ScaleTensor`    | tensor |
    | (I5)  | `bias`     | `BiasTensor`     | tensor |
    | (I6)  | `spatial`  | `Spatial`        | without effect |
    | (I7)  | `epsilon`  | `Epsilon`        | keeps the root from 0 |
    | (I8)  | `fused_activation` | `FusedActivation` | `#dml.activation`, applied to each element; optional |

    **Constraints**
    * (C1) all tensors have one element type.
    * (C2) `output` has the sizes of `input`.
    * (C3) `mean`, `variance`, `scale` and `bias` have the rank of `input`, and in
      each dimension its size or 1, each of them on its own.
    * (C4) `fused_activation` is neither `clip` nor a softmax.

    **Readings**
    * `spatial` does not change the result at any level. From 4_0 on it is
      deprecated; before, `mean` and `variance` have `input`'s sizes in the last two
      dimensions, width and height, where `spatial` is false.
    * Where `variance + epsilon` is 0 the division is by 0; where it is negative
      the result is NaN.

    **Bounds.** Each operation has Vulkan's.

    **Example**
    ```mlir
    // %input: [[1, 2, 3], [4, 5, 6]]  %mean: [[2], [5]]  %variance: [[4]]
    // %scale: [[1, 2, 3]]  %bias: [[0.5]]
    %output = dml.batch_normalization %input, %mean, %variance, %scale, %bias {
        spatial = true, epsilon = 0.0 : f32}
        : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<1x3xf32>,
           tensor<1x1xf32>) -> tensor<2x3xf32>
    // %output: [[0, 0.5, 2], [0, 0.5, 2]]
    ```

    **Source:** DML_BATCH_NORMALIZATION_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$mean,
                       DML_Tensor:$variance, DML_Tensor:$scale,
                       DML_Tensor:$bias, DML_BoolAttr:$spatial, DML_F32Attr:$epsilon,
                       OptionalAttr<DML_ActivationAttr>:$fused_activation);
  let results = (outs DML_Tensor:$output);
  let support = [
    DML_SameSupport<FL_3_1, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let sameElementTypes = [
    ["input", "mean", "variance", "scale", "bias", "output"],
  ];
  let sameShapes = [["input", "output"]];
  let enumSupport = [DML_FusedActivationSupport<>];
  let rules = [
    DML_NotRepeatedRule<["mean", "variance"], [-2, -1], "width or height", FL_4_0,
        "getProperties().spatial && !getProperties().spatial.getValue()",
        " while spatial is false">,
  ];
  let hasVerifier = 1;
}

/// Subtracts the mean, and divides by the standard deviation.
class DML_MeanVarianceNormalizationBase<string mnemonic, string operatorName,
                                        list<Trait> traits = []>
    : DML_Op<mnemonic, operatorName, [AttrSizedOperandSegments] # traits> {
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "scale", "bias", "output"]];
  let sameShapes = [["input", "output"]];
  let enumSupport = [DML_FusedActivationSupport<>];
  let hasVerifier = 1;
}

def DML_MeanVarianceNormalizationOp
    : DML_MeanVarianceNormalizationBase<"mean_variance_normalization",
          "MEAN_VARIANCE_NORMALIZATION",
          [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Normalizes elements by their mean and variance";
  let description = [{
    Takes the mean of its set away from each element, divides by the root of the
    set's variance, scales and adds a bias.

    **Semantics.** The tensors are `{N, C, H, W}`. A set has the elements of `input` that
    agree in `N` and, unless `cross_channel`, in `C`. With its `mean` and its
    `variance`, the mean of `(input - mean)^2`, every element of `output` is

    `(input - mean) / sqrt(variance + epsilon) * scale + bias`,

    without the division unless `normalize_variance`.

    In `scale` and `bias` a size of 1 repeats an element along the dimension;
    where `scale` is absent it is 1, where `bias` is absent it is 0. Where there is a
    `fused_activation`, that function of it is the element. f16 is computed with in
    f32, and rounded once. The order of a sum is not stated, but does not vary from
    run to run.

    Canonicalization makes a `dml.mean_variance_normalization1` of it where the
    feature level has that.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | `InputTensor` | tensor, f32 or f16 |
    | (I2)  | `scale`   | `ScaleTensor` | tensor, optional |
    | (I3)  | `bias`    | `BiasTensor`  | tensor, optional |
    | (I4)  | `cross_channel` | `CrossChannel` | whether a set has all channels |
    | (I5)  | `normalize_variance` | `NormalizeVariance` | whether to divide |
    | (I6)  | `epsilon` | `Epsilon`     | keeps the root from 0 |
    | (I7)  | `fused_activation` | `FusedActivation` | `#dml.activation`, applied to each element; optional |

    **Constraints**
    * (C1) all tensors have one element type.
    * (C2) `output` has the sizes of `input`.
    * (C3) `scale` and `bias` have the rank of `input`, and in each dimension its
      size or 1, each of them on its own.
    * (C4) `fused_activation` is neither `clip` nor a softmax.

    **Readings**
    * The variance is divided by the number of elements of the set, not by one
      less.
    * An older version of the page adds epsilon behind the root; the newer one is
      followed.
    * Before 5_2 `scale` and `bias` are both present or both absent.

    **Bounds.** The sums have the bound of `dml.reduce`'s, the operations around
    them have Vulkan's.

    **Example**
    ```mlir
    // %input: [[[[1, 2], [3, 6]], [[0, 4], [8, 12]]]]
    %output = dml.mean_variance_normalization %input {cross_channel = false,
        normalize_variance = false, epsilon = 0.0 : f32}
        : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    // %output: [[[[-2, -1], [0, 3]], [[-6, -2], [2, 6]]]]
    ```

    **Source:** DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC.
  }];

  let hasCanonicalizer = 1;
  let arguments = (ins DML_Tensor:$input, Optional<DML_Tensor>:$scale,
                       Optional<DML_Tensor>:$bias, DML_BoolAttr:$cross_channel,
                       DML_BoolAttr:$normalize_variance, DML_F32Attr:$epsilon,
                       OptionalAttr<DML_ActivationAttr>:$fused_activation);
  let support = [
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let rules = [DML_TogetherRule<["scale", "bias"], FL_5_2>];
}

def DML_MeanVarianceNormalization1Op
    : DML_MeanVarianceNormalizationBase<"mean_variance_normalization1",
          "MEAN_VARIANCE_NORMALIZATION1",
          [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Normalizes elements by their mean and variance";
  let description = [{
    Takes the mean of its set away from each element, divides by the root of the
    set's variance, scales and adds a bias.

    **Semantics.** A set has the elements of `input` that differ in their coordinates
    along `axes` alone. With its `mean` and its `variance`, the mean of
    `(input - mean)^2`, every element of `output` is

    `(input - mean) / sqrt(variance + epsilon) * scale + bias`,

    without the division unless `normalize_variance`.

    In `scale` and `bias` a size of 1 repeats an element along the dimension;
    where `scale` is absent it is 1, where `bias` is absent it is 0. Where there is a
    `fused_activation`, that function of it is the element. f16 is computed with in
    f32, and rounded once. The order of a sum is not stated, but does not vary from
    run to run.

    Canonicalization makes a `dml.mean_variance_normalization2` of it where the
    feature level has that.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | `InputTensor` | tensor, f32 or f16 |
    | (I2)  | `scale`   | `ScaleTensor` | tensor, optional |
    | (I3)  | `bias`    | `BiasTensor`  | tensor, optional |
    | (I4)  | `axes`    | `Axes`        | dimensions of a set |
    | (I5)  | `normalize_variance` | `NormalizeVariance` | whether to divide |
    | (I6)  | `epsilon` | `Epsilon`     | keeps the root from 0 |
    | (I7)  | `fused_activation` | `FusedActivation` | `#dml.activation`, applied to each element; optional |

    **Constraints**
    * (C1) all tensors have one element type.
    * (C2) `output` has the sizes of `input`.
    * (C3) `scale` and `bias` have the rank of `input`, and in each dimension its
      size or 1, each of them on its own.
    * (C4) `axes` lists dimensions of `input`, each at most once.
    * (C5) `fused_activation` is neither `clip` nor a softmax.

    **Readings**
    * The variance is divided by the number of elements of the set, not by one
      less.
    * Without `axes` every element is a set of its own.
    * Before 5_2 `scale` and `bias` are both present or both absent,
      and before 4_0 they have `input`'s size in dimension 1, that of the channels.

    **Bounds.** The sums have the bound of `dml.reduce`'s, the operations around
    them have Vulkan's.

    **Example**
    ```mlir
    // %input: [[1, 2, 3, 6], [4, 4, 4, 4]]
    %output = dml.mean_variance_normalization1 %input {axes = array<i64: 1>,
        normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<2x4xf32>) -> tensor<2x4xf32>
    // %output: [[-1, -0.5, 0, 1.5], [0, 0, 0, 0]]
    ```

    **Source:** DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC.
  }];

  let hasCanonicalizer = 1;
  let arguments = (ins DML_Tensor:$input, Optional<DML_Tensor>:$scale,
                       Optional<DML_Tensor>:$bias, DML_I64ArrayAttr:$axes,
                       DML_BoolAttr:$normalize_variance, DML_F32Attr:$epsilon,
                       OptionalAttr<DML_ActivationAttr>:$fused_activation);
  let support = [
    DML_SameSupport<FL_3_1, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_1, 4, 4, DML_Float32And16>,
  ];
  let rules = [
    DML_TogetherRule<["scale", "bias"], FL_5_2>,
    DML_NotRepeatedRule<["scale", "bias"], [1], "dimension 1", FL_4_0>,
  ];
  let arrays = [DML_AxesArray<"axes">];
}

def DML_MeanVarianceNormalization2Op
    : DML_MeanVarianceNormalizationBase<"mean_variance_normalization2",
          "MEAN_VARIANCE_NORMALIZATION2",
          [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Normalizes elements by their mean and variance";
  let description = [{
    Takes the mean of its set away from each element, divides by the root of the
    set's variance, scales and adds a bias.

    **Semantics.** A set has the elements of `input` that differ in their coordinates
    along `axes` alone. With its `mean`, or 0 unless `use_mean`, and the mean
    `variance` of `(input - mean)^2`, every element of `output` is

    `(input - mean) / sqrt(variance + epsilon) * scale + bias`,

    without the division unless `use_variance`.

    In `scale` and `bias` a size of 1 repeats an element along the dimension;
    where `scale` is absent it is 1, where `bias` is absent it is 0. Where there is a
    `fused_activation`, that function of it is the element. f16 is computed with in
    f32, and rounded once. The order of a sum is not stated, but does not vary from
    run to run.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | `InputTensor` | tensor, f32 or f16 |
    | (I2)  | `scale`   | `ScaleTensor` | tensor, optional |
    | (I3)  | `bias`    | `BiasTensor`  | tensor, optional |
    | (I4)  | `axes`    | `Axes`        | dimensions of a set |
    | (I5)  | `use_mean` | `UseMean` | whether to take the mean away |
    | (I6)  | `use_variance` | `UseVariance` | whether to divide |
    | (I7)  | `epsilon` | `Epsilon`     | keeps the root from 0 |
    | (I8)  | `fused_activation` | `FusedActivation` | `#dml.activation`, applied to each element; optional |

    **Constraints**
    * (C1) all tensors have one element type.
    * (C2) `output` has the sizes of `input`.
    * (C3) `scale` and `bias` have the rank of `input`, and in each dimension its
      size or 1, each of them on its own.
    * (C4) `axes` lists dimensions of `input`, each at most once.
    * (C5) `fused_activation` is neither `clip` nor a softmax.

    **Readings**
    * DirectML's list of operators that fuse activations lacks this one, although it
      has the field. It fuses what `dml.mean_variance_normalization1` does.
    * The variance is divided by the number of elements of the set, not by one
      less.
    * Without `axes` every element is a set of its own.
    * The page leaves the two flags open. Without `use_mean` the variance is that
      about 0: with `use_variance` this is the root mean square normalization that
      models use the operator for.

    **Bounds.** The sums have the bound of `dml.reduce`'s, the operations around
    them have Vulkan's.

    **Example**
    ```mlir
    // %input: [[1, 2, 3, 6], [4, 4, 4, 4]]  %scale: [[1, 1, 2, 2]]
    %output = dml.mean_variance_normalization2 %input scale(%scale) {
        axes = array<i64: 1>, use_mean = false, use_variance = true,
        epsilon = 0.5 : f32} : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
    // %output: [[0.2773501, 0.5547002, 1.6641006, 3.3282012],
    //           [0.98473193, 0.98473193, 1.9694639, 1.9694639]]
    ```

    **Source:** DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, Optional<DML_Tensor>:$scale,
                       Optional<DML_Tensor>:$bias, DML_I64ArrayAttr:$axes,
                       DML_BoolAttr:$use_mean, DML_BoolAttr:$use_variance, DML_F32Attr:$epsilon,
                       OptionalAttr<DML_ActivationAttr>:$fused_activation);
  let support = [
    DML_SameSupport<FL_6_3, 1, 8, DML_Float32And16>,
  ];
  let arrays = [DML_AxesArray<"axes">];
}

def DML_LocalResponseNormalizationOp
    : DML_Op<"local_response_normalization", "LOCAL_RESPONSE_NORMALIZATION"> {
  let summary = "Normalizes elements by the squares around them";
  let description = [{
    Divides each element by a power of the sum of the squares around it.

    **Semantics.** The tensors are `{N, C, H, W}`. Every element of `output` is

    `input / (bias + alpha / local_size * (sum of x * x))^beta`

    with the sum over the element's region: along `C` if `cross_channel`, else along
    `H` and `W`, the elements of `input` from `(local_size - 1) / 2`, rounded down,
    before it to `(local_size - 1) / 2`, rounded up, behind it, as far as they are
    in the tensor. f16 is computed with in f32, and rounded once.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor, rank 4, f32 or f16 |
    | (I2)  | `cross_channel` | `CrossChannel` | along which dimensions |
    | (I3)  | `local_size`    | `LocalSize`    | elements along each of them |
    | (I4)  | `alpha`         | `Alpha`        | weight of the squares |
    | (I5)  | `beta`          | `Beta`         | exponent |
    | (I6)  | `bias`          | `Bias`         | added to the sum |

    **Constraints**
    * (C1) `output` has the element type and the sizes of `input`.
    * (C2) `local_size > 0`.

    **Readings**
    * With `cross_channel` the region has channels alone, as an older version of the
      page says, and as those who call DirectML rely on. Without, it is a rectangle
      in the plane, with the same bounds in both dimensions.
    * The divisor is `local_size` in both cases, as the formula has it, also where
      the region is cut off.
    * A power is `e^(beta * log(base))`: 0 to a positive power is 0, and a negative
      base gives NaN. With `beta` 0 the divisor is 1, and with `beta` 1 it is the
      base, whatever the base is.

    **Bounds.** The sum has the bound of `dml.reduce`'s, the operations around it
    have Vulkan's.

    **Example**
    ```mlir
    // %input: [[[[1]], [[2]], [[3]], [[4]]]]
    %output = dml.local_response_normalization %input {cross_channel = true,
        local_size = 2 : i64, alpha = 0.2 : f32, beta = 1.0 : f32, bias = 2.0 : f32}
        : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    // %output: [[[[0.4]], [[0.60606061]], [[0.66666667]], [[1.1111111]]]]
    ```

    **Source:** DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_BoolAttr:$cross_channel,
                       DML_I64Attr:$local_size, DML_F32Attr:$alpha, DML_F32Attr:$beta,
                       DML_F32Attr:$bias);
  let results = (outs DML_Tensor:$output);
  let support = [DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>];
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let arrays = [DML_FixedArray<"local_size", 1, 1>];
}

def DML_LpNormalizationOp : DML_Op<"lp_normalization", "LP_NORMALIZATION"> {
  let summary = "Divides elements by the norm of their line";
  let description = [{
    Divides each element by the norm of its line along `axis`.

    **Semantics.** Every element of `output` is `input / norm`, or
    `input / epsilon` where the norm is less, with
    the norm of the element's line along `axis`: the sum of `abs(x)` where `p` is 1,
    the square root of the sum of `x * x` where it is 2. f16 is computed with in
    f32, and rounded once. The order of a sum is not stated, but does not vary from
    run to run.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | `InputTensor` | tensor, rank 1 to 8, f32 or f16 |
    | (I2)  | `axis`    | `Axis`        | the dimension of the lines |
    | (I3)  | `epsilon` | `Epsilon`     | keeps the norm from 0 |
    | (I4)  | `p`       | `P`           | which norm |

    **Constraints**
    * (C1) `output` has the element type and the sizes of `input`.
    * (C2) `axis` is a dimension of `input`.
    * (C3) `p` is 1 or 2.

    **Readings**
    * The page has no formula. Epsilon is a bound of the norm, so that a line of
      zeros gives zeros.
    * A line with a NaN gives NaN.

    **Bounds.** The sum has the bound of `dml.reduce`'s, the operations around it
    have Vulkan's.

    **Example**
    ```mlir
    // %input: [[3, -4], [0, 5]]
    %output = dml.lp_normalization %input {axis = 1 : i64, epsilon = 1.0e-5 : f32,
                                           p = 2 : i64}
        : (tensor<2x2xf32>) -> tensor<2x2xf32>
    // %output: [[0.6, -0.8], [0, 1]]
    ```

    **Source:** DML_LP_NORMALIZATION_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$axis, DML_F32Attr:$epsilon,
                       DML_I64Attr:$p);
  let results = (outs DML_Tensor:$output);
  let support = [
    DML_SameSupport<FL_3_1, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let arrays = [DML_AxesArray<"axis">, DML_FixedArray<"p", 1, 1, 2>];
}

def DML_BatchNormalizationTrainingOp
    : DML_Op<"batch_normalization_training", "BATCH_NORMALIZATION_TRAINING"> {
  let summary = "Normalizes elements by their mean and variance, and gives both";
  let description = [{
    Takes the mean of its set away from each element, divides by the root of the
    set's variance, scales, adds a bias and another tensor, and applies an
    activation function. The means and variances are results, too.

    **Semantics.** A set has the elements of `input` that differ in their coordinates
    along those dimensions alone in which `scale` has size 1. `output_mean` has the
    mean of each set, and `output_variance` its variance, the mean of
    `(input - mean)^2`. Every element of `output` is

    `f((input - mean) / sqrt(variance + epsilon) * scale + bias + fused_add)`,

    where `f` is `fused_activation`, or nothing if there is none.

    In `scale` and `bias` a size of 1 repeats an element along the dimension;
    where `fused_add` is absent it is 0. f16 is computed with in f32, and each
    result is rounded once. The order of a sum is not stated, but does not vary
    from run to run. A kernel binds up to seven buffers; where a device binds
    fewer, several tensors share a buffer.

    **Inputs**

    | label | name        | field            | type |
    |-------|-------------|------------------|------|
    | (I1)  | `input`     | `InputTensor`    | tensor, rank 1 to 8, f32 or f16 |
    | (I2)  | `scale`     | `ScaleTensor`    | tensor |
    | (I3)  | `bias`      | `BiasTensor`     | tensor |
    | (I4)  | `fused_add` | `FusedAddTensor` | tensor, optional |
    | (I5)  | `epsilon`   | `Epsilon`        | keeps the root from 0 |
    | (I6)  | `fused_activation` | `FusedActivation` | an activation, optional |

    **Constraints**
    * (C1) all tensors have one element type.
    * (C2) `fused_add` and `output` have the sizes of `input`.
    * (C3) `scale` has the rank of `input`, and in each dimension its size or 1.
    * (C4) `bias`, `output_mean` and `output_variance` have the sizes of `scale`.
    * (C5) `fused_activation` is an activation that this operator fuses: neither
      `clip` nor a softmax.

    **Readings**
    * The variance is divided by the number of elements of the set, not by one
      less, and `output_variance` holds it without epsilon.
    * Where `scale` has all sizes of `input`, every element is a set of its own:
      the mean is the element, and the variance is 0.
    * The deviations are squared, as the formula of the variance has it: the mean
      of the squares less the square of the mean would lose what is small beside
      a large mean.

    **Bounds.** The sums have the bound of `dml.reduce`'s, the operations around
    them have Vulkan's.

    **Example**
    ```mlir
    // %input: [[1, 2, 3, 6], [4, 4, 4, 4]]  %scale: [[1], [2]]  %bias: [[0], [3]]
    %output, %output_mean, %output_variance = dml.batch_normalization_training
        %input, %scale, %bias {epsilon = 0.5 : f32,
                               fused_activation = #dml.activation<relu>}
        : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
        -> (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
    // %output: [[0, 0, 0, 1.5], [3, 3, 3, 3]]
    // %output_mean: [[3], [4]]  %output_variance: [[3.5], [0]]
    ```

    **Source:** DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$scale, DML_Tensor:$bias,
                       Optional<DML_Tensor>:$fused_add, DML_F32Attr:$epsilon,
                       OptionalAttr<DML_ActivationAttr>:$fused_activation);
  let results = (outs DML_Tensor:$output, DML_Tensor:$output_mean,
                      DML_Tensor:$output_variance);
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_Float32And16>,
  ];
  let enumSupport = [DML_FusedActivationSupport<>];
  let sameElementTypes = [["input", "scale", "bias", "fused_add", "output",
                           "output_mean", "output_variance"]];
  let sameShapes = [["input", "fused_add", "output"],
                    ["scale", "bias", "output_mean", "output_variance"]];
  let hasVerifier = 1;
}

/// The tensors of the gradients of batch normalizations.
class DML_BatchNormalizationGradBase<string mnemonic, string operatorName>
    : DML_Op<mnemonic, operatorName> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$input_gradient,
                       DML_Tensor:$mean, DML_Tensor:$variance,
                       DML_Tensor:$scale, DML_F32Attr:$epsilon);
  let results = (outs DML_Tensor:$output_gradient,
                      DML_Tensor:$output_scale_gradient,
                      DML_Tensor:$output_bias_gradient);
  let sameElementTypes = [["input", "input_gradient", "mean", "variance", "scale",
                           "output_gradient", "output_scale_gradient",
                           "output_bias_gradient"]];
  let sameShapes = [["input", "input_gradient", "output_gradient"],
                    ["mean", "variance", "scale", "output_scale_gradient",
                     "output_bias_gradient"]];
  let hasVerifier = 1;
}

def DML_BatchNormalizationGradOp
    : DML_BatchNormalizationGradBase<"batch_normalization_grad",
                                     "BATCH_NORMALIZATION_GRAD"> {
  let summary = "Computes the gradients of a batch normalization";
  let description = [{
    Computes the gradients of `dml.batch_normalization` with respect to its input,
    scale and bias. Means and variances are constants.

    **Semantics.** A set has the elements that differ in their coordinates along
    those dimensions alone in which `mean` has size 1. With
    `root = sqrt(variance + epsilon)`,

    * every element of `output_gradient` is `input_gradient * scale / root`,
    * every element of `output_scale_gradient` is
      `(sum of input_gradient * (input - mean)) / root`, and
    * every element of `output_bias_gradient` is `sum of input_gradient`,

    with the sums over the elements of a set. In `mean`, `variance` and `scale` a
    size of 1 repeats an element along the dimension. f16 is computed with in f32,
    and each result is rounded once. The order of a sum is not stated, but does not
    vary from run to run.

    **Inputs**

    | label | name             | field                 | type |
    |-------|------------------|-----------------------|------|
    | (I1)  | `input`          | `InputTensor`         | tensor, rank 1 to 8, f32 or f16 |
    | (I2)  | `input_gradient` | `InputGradientTensor` | tensor |
    | (I3)  | `mean`           | `MeanTensor`          | tensor |
    | (I4)  | `variance`       | `VarianceTensor`      | tensor |
    | (I5)  | `scale`          | `ScaleTensor`         | tensor |
    | (I6)  | `epsilon`        | `Epsilon`             | keeps the root from 0 |

    **Constraints**
    * (C1) all tensors have one element type.
    * (C2) `input_gradient` and `output_gradient` have the sizes of `input`.
    * (C3) `mean` has the rank of `input`, and in each dimension its size or 1.
    * (C4) `variance`, `scale`, `output_scale_gradient` and `output_bias_gradient`
      have the sizes of `mean`.

    **Readings**
    * Any size of `mean` may be 1. An older version of the page says so, and the
      newer one says nothing else.
    * Where `variance + epsilon` is 0 the divisions are by 0; where it is negative
      their results are NaN.

    **Bounds.** The sums have the bound of `dml.reduce`'s, the operations around
    them have Vulkan's.

    **Example**
    ```mlir
    // %input: [[1, 2], [4, 7]]  %input_gradient: [[1, 0], [2, 1]]
    // %mean: [[3]]  %variance: [[3.75]]  %scale: [[2]]
    %gradient, %scale_gradient, %bias_gradient = dml.batch_normalization_grad
        %input, %input_gradient, %mean, %variance, %scale {epsilon = 0.25 : f32}
        : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>,
           tensor<1x1xf32>) -> (tensor<2x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
    // %gradient: [[1, 0], [2, 1]]  %scale_gradient: [[2]]  %bias_gradient: [[4]]
    ```

    **Source:** DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC.
  }];

  let support = [
    DML_SameSupport<FL_3_1, 1, 8, DML_Float32And16>,
  ];
}

def DML_BatchNormalizationTrainingGradOp
    : DML_BatchNormalizationGradBase<"batch_normalization_training_grad",
                                     "BATCH_NORMALIZATION_TRAINING_GRAD"> {
  let summary = "Computes the gradients of a batch normalization in training";
  let description = [{
    Computes the gradients of `dml.batch_normalization_training` with respect to its
    input, scale and bias. Means and variances depend on the input.

    **Semantics.** A set has the elements that differ in their coordinates along
    those dimensions alone in which `mean` has size 1; sums and means are over the
    elements of a set. With

    * `divisor = variance + epsilon`,
    * `x = input - mean of input`,
    * `g = input_gradient - mean of input_gradient` and
    * `slope = (mean of input_gradient * x) / divisor`,

    every element of `output_gradient` is
    `(g - x * slope) * scale / sqrt(divisor)`, every element of
    `output_scale_gradient` is
    `(sum of input_gradient * (input - mean)) / sqrt(divisor)`, and every element of
    `output_bias_gradient` is `sum of input_gradient`.

    In `mean`, `variance` and `scale` a size of 1 repeats an element along the
    dimension. f16 is computed with in f32, and each result is rounded once. The
    order of a sum is not stated, but does not vary from run to run. A kernel binds
    up to eight buffers; where a device binds fewer, several tensors share a
    buffer.

    **Inputs**

    | label | name             | field                 | type |
    |-------|------------------|-----------------------|------|
    | (I1)  | `input`          | `InputTensor`         | tensor, rank 1 to 8, f32 or f16 |
    | (I2)  | `input_gradient` | `InputGradientTensor` | tensor |
    | (I3)  | `mean`           | `MeanTensor`          | tensor |
    | (I4)  | `variance`       | `VarianceTensor`      | tensor |
    | (I5)  | `scale`          | `ScaleTensor`         | tensor |
    | (I6)  | `epsilon`        | `Epsilon`             | keeps the root from 0 |

    **Constraints**
    * (C1) all tensors have one element type.
    * (C2) `input_gradient` and `output_gradient` have the sizes of `input`.
    * (C3) `mean` has the rank of `input`, and in each dimension its size or 1.
    * (C4) `variance`, `scale`, `output_scale_gradient` and `output_bias_gradient`
      have the sizes of `mean`.

    **Readings**
    * The page defines what `x` stands for by itself; `input` less its mean is
      meant, as finite differences of the forward operator confirm.
    * `output_gradient` takes the mean of `input`, and `output_scale_gradient` the
      tensor `mean`, as the page's formulas have it. The two agree where `mean` is
      the forward operator's.
    * The gradients of the forward operator's `fused_add` and `fused_activation` are
      the caller's business.

    **Bounds.** The sums have the bound of `dml.reduce`'s, the operations around
    them have Vulkan's.

    **Example**
    ```mlir
    // %input: [[1, 2], [4, 7]]  %input_gradient: [[1, 0], [2, 1]]
    // %mean: [[3.5]]  %variance: [[5.25]]  %scale: [[2]]
    %gradient, %scale_gradient, %bias_gradient =
        dml.batch_normalization_training_grad %input, %input_gradient, %mean,
        %variance, %scale {epsilon = 0.5 : f32}
        : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>,
           tensor<1x1xf32>) -> (tensor<2x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
    // %gradient: [[0.18131688, -0.72526753], [0.79779428, -0.25384363]]
    // %scale_gradient: [[0.83405766]]  %bias_gradient: [[4]]
    ```

    **Source:** DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC.
  }];

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_Float32And16>,
  ];
}

def DML_LocalResponseNormalizationGradOp
    : DML_Op<"local_response_normalization_grad",
             "LOCAL_RESPONSE_NORMALIZATION_GRAD"> {
  let summary = "Computes the gradient of a local response normalization";
  let description = [{
    Computes the gradient of `dml.local_response_normalization` with respect to its
    input.

    **Semantics.** The tensors are `{N, C, H, W}`. An element's region and the
    attributes are those of `dml.local_response_normalization`. With

    * `base = bias + alpha / local_size * (sum of input^2 over the region)`,
    * `divisor = base^beta` and
    * `term = input_gradient * input / (divisor * base)`,

    every element of `output_gradient` is

    `input_gradient / divisor - 2 * alpha * beta / local_size * input * sum`,

    where `sum` adds `term` up over all elements whose region has this one. These
    lie from `(local_size - 1) / 2`, rounded up, before it to `(local_size - 1) / 2`,
    rounded down, behind it. f16 is computed with in f32, and rounded once. The
    order of a sum is not stated, but does not vary from run to run.

    **Inputs**

    | label | name             | field                 | type |
    |-------|------------------|-----------------------|------|
    | (I1)  | `input`          | `InputTensor`         | tensor, rank 4, f32 or f16 |
    | (I2)  | `input_gradient` | `InputGradientTensor` | tensor |
    | (I3)  | `cross_channel`  | `CrossChannel`        | along which dimensions |
    | (I4)  | `local_size`     | `LocalSize`           | elements along each of them |
    | (I5)  | `alpha`          | `Alpha`               | weight of the squares |
    | (I6)  | `beta`           | `Beta`                | exponent |
    | (I7)  | `bias`           | `Bias`                | added to the sum |

    **Constraints**
    * (C1) `input_gradient` and `output_gradient` have the element type and the
      sizes of `input`.
    * (C2) `local_size > 0`.

    **Readings**
    * The page has no formula; this is the derivative of the forward operator's, with
      its readings. The page's text on `LocalSize` takes the two values of
      `CrossChannel` for each other; that on `CrossChannel` is followed.
    * A power is `e^(beta * log(base))`. With `beta` 0 the divisor is 1, whatever the
      base is, and `output_gradient` is `input_gradient`; with `beta` 1 the divisor
      is the base.

    **Bounds.** The sums have the bound of `dml.reduce`'s, the operations around
    them have Vulkan's.

    **Example**
    ```mlir
    // %input: [[[[1]], [[2]], [[3]], [[4]]]]
    // %input_gradient: [[[[1]], [[0]], [[-1]], [[2]]]]
    %output_gradient = dml.local_response_normalization_grad %input, %input_gradient {
        cross_channel = true, local_size = 2 : i64, alpha = 0.2 : f32,
        beta = 1.0 : f32, bias = 2.0 : f32}
        : (tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    // %output_gradient: [[[[0.368]], [[-0.064]], [[-0.13333333]], [[0.18024691]]]]
    ```

    **Source:** DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$input_gradient,
                       DML_BoolAttr:$cross_channel, DML_I64Attr:$local_size,
                       DML_F32Attr:$alpha, DML_F32Attr:$beta, DML_F32Attr:$bias);
  let results = (outs DML_Tensor:$output_gradient);
  let support = [DML_SameSupport<FL_3_1, 4, 4, DML_Float32And16>];
  let sameElementTypes = [["input", "input_gradient", "output_gradient"]];
  let sameShapes = [["input", "input_gradient", "output_gradient"]];
  let arrays = [DML_FixedArray<"local_size", 1, 1>];
}

#endif // DML_IR_NORMALIZATIONOPS_TD
