//===- ReductionOps.td - DirectML's reductions -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_REDUCTIONOPS_TD
#define DML_IR_REDUCTIONOPS_TD

include "dml/IR/DMLOpBase.td"

/// A row of the support table of DML_OPERATOR_REDUCE, for some of its
/// functions.
class DML_ReduceSupport<DML_FeatureLevelCase fl, int min, int max,
                        DML_DataTypes inputTypes, DML_DataTypes outputTypes,
                        list<EnumCase> functions>
    : DML_Support<fl, [DML_TensorSupport<"input", min, max, inputTypes>,
                       DML_TensorSupport<"output", min, max, outputTypes>]> {
  let cases = functions;
}

def DML_ReduceOp : DML_Op<"reduce", "REDUCE"> {
  let summary = "Reduces dimensions to one element each";
  let description = [{
    Makes one element of each set of elements of `input`: those that differ in
    their coordinates along `axes` alone.

    **Semantics.** `output` has the sizes of `input`, and 1 along `axes`. With
    the set `S` of `N` elements whose coordinates outside of `axes` are `o`,
    `output[o]` is

    | `function`    | value |
    |---------------|-------|
    | `argmax`      | the place in `S` of the largest element |
    | `argmin`      | the place in `S` of the smallest element |
    | `average`     | the sum, divided by `N` |
    | `l1`          | the sum of `abs(x)` |
    | `l2`          | the square root of the sum of `x * x` |
    | `log_sum`     | the natural logarithm of the sum |
    | `log_sum_exp` | `m + log(sum of e^(x - m))` with the largest element `m`, or with 0 if that is infinite |
    | `max`         | the largest element |
    | `min`         | the smallest element |
    | `multiply`    | the product |
    | `sum`         | the sum |
    | `sum_square`  | the sum of `x * x` |

    f16 is added up and multiplied in f32, and rounded once. The order of a sum
    is not stated, but does not vary from run to run.

    **Inputs**

    | label | name       | field         | type |
    |-------|------------|---------------|------|
    | (I1)  | `input`    | `InputTensor` | tensor, rank 1 to 8 |
    | (I2)  | `function` | `Function`    | the function |
    | (I3)  | `axes`     | `Axes`        | dimensions to reduce |

    **Constraints**
    * (C1) `axes` lists dimensions of `input`, each at most once.
    * (C2) `dim(output, i)` is 1 for `i` in `axes`, and `dim(input, i)` elsewhere.
    * (C3) `output` has `input`'s element type, except for `argmax` and `argmin`.

    **Readings**
    * Places count from 0 in row-major order of the reduced dimensions, whatever
      the order of `axes`. Among equals the first wins; zeros of either sign are
      equal.
    * A place that an element type of `output` cannot hold (beyond 2^31 - 1, for
      i32) wraps around.
    * `max`, `min`, `argmax` and `argmin` ignore NaNs beside numbers, as
      `dml.element_wise_max` does. Of NaNs alone the extremum is NaN, and its
      place the first.
    * Integers wrap around: `l1` of the lowest integer is that integer.
    * No `axes`: every element is a set of its own.
    * Sums of infinities of both signs are NaN, as are logarithms of negative
      sums; the logarithm of 0 is negative infinity.

    **Bounds.** With `u = 2^-23`, since Vulkan leaves the direction of rounding
    open, and whatever the order, a sum of `n` terms is off by at most
    `((1 + u)^n - 1) * sum of abs(x)`, and a product of `n` factors by that times
    its magnitude. The operations around them have Vulkan's bounds.

    **Example**
    ```mlir
    // %input: [[1, 2, 3], [3, 0, 4], [2, 4, 2]]
    %output = dml.reduce %input {function = #dml.reduce_function<sum>,
                                 axes = array<i64: 1>}
        : (tensor<3x3xf32>) -> tensor<3x1xf32>
    // %output: [[6], [7], [8]]
    ```

    **Source:** DML_REDUCE_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_ReduceFunctionAttr:$function,
                       DML_I64ArrayAttr:$axes);
  let results = (outs DML_Tensor:$output);

  let selector = "function";
  let enumSupport = [DML_EnumSupport<"function", DML_ReduceFunctionAttr>];
  let support = [
    DML_ReduceSupport<FL_5_0, 1, 8, DML_AllButFloat64, DML_AllButFloat64,
                      [DML_ReduceFunctionMax, DML_ReduceFunctionMin]>,
    DML_ReduceSupport<FL_5_0, 1, 8, DML_FloatsAndInt32And64,
                      DML_FloatsAndInt32And64,
                      [DML_ReduceFunctionL1, DML_ReduceFunctionMultiply,
                       DML_ReduceFunctionSum, DML_ReduceFunctionSumSquare]>,
    DML_ReduceSupport<FL_4_1, 1, 8, DML_AllButFloat64, DML_Indices,
                      [DML_ReduceFunctionArgMax, DML_ReduceFunctionArgMin]>,
    DML_ReduceSupport<FL_3_0, 1, 8, DML_UpTo32Bit, DML_Indices,
                      [DML_ReduceFunctionArgMax, DML_ReduceFunctionArgMin]>,
    DML_ReduceSupport<FL_3_0, 1, 8, DML_UpTo32Bit, DML_UpTo32Bit,
                      [DML_ReduceFunctionMax, DML_ReduceFunctionMin]>,
    DML_ReduceSupport<FL_3_0, 1, 8, DML_FloatsAndInt32, DML_FloatsAndInt32,
                      [DML_ReduceFunctionMultiply, DML_ReduceFunctionSum]>,
    DML_ReduceSupport<FL_3_0, 1, 8, DML_Float32And16, DML_Float32And16,
                      [DML_ReduceFunctionAverage, DML_ReduceFunctionL1,
                       DML_ReduceFunctionL2, DML_ReduceFunctionLogSum,
                       DML_ReduceFunctionLogSumExp,
                       DML_ReduceFunctionSumSquare]>,
    DML_ReduceSupport<FL_2_1, 4, 4, DML_UpTo32Bit, DML_OnlyUInt32,
                      [DML_ReduceFunctionArgMax, DML_ReduceFunctionArgMin]>,
    DML_ReduceSupport<FL_2_1, 4, 4, DML_FloatsAndInt32, DML_FloatsAndInt32,
                      [DML_ReduceFunctionMax, DML_ReduceFunctionMin,
                       DML_ReduceFunctionMultiply, DML_ReduceFunctionSum]>,
    DML_ReduceSupport<FL_1_0, 4, 4, DML_Float32And16, DML_OnlyUInt32,
                      [DML_ReduceFunctionArgMax, DML_ReduceFunctionArgMin]>,
    DML_ReduceSupport<FL_1_0, 4, 4, DML_Float32And16, DML_Float32And16,
                      [DML_ReduceFunctionAverage, DML_ReduceFunctionL1,
                       DML_ReduceFunctionL2, DML_ReduceFunctionLogSum,
                       DML_ReduceFunctionLogSumExp, DML_ReduceFunctionMax,
                       DML_ReduceFunctionMin, DML_ReduceFunctionMultiply,
                       DML_ReduceFunctionSum, DML_ReduceFunctionSumSquare]>,
  ];
  let arrays = [DML_AxesArray<"axes">];
  let hasVerifier = 1;
}

def DML_ArgMaxOp : DML_Op<"argmax", "ARGMAX"> {
  let summary = "Finds the largest elements";
  let description = [{
    Finds the place of the largest element in each set of elements of `input`:
    those that differ in their coordinates along `axes` alone.

    **Semantics.** `output` has the sizes of `input`, and 1 along `axes`. Places
    count from 0 in row-major order of the reduced dimensions. Among equals the
    first wins where `axis_direction` is `increasing`, the last where it is
    `decreasing`.

    **Inputs**

    | label | name             | field           | type |
    |-------|------------------|-----------------|------|
    | (I1)  | `input`          | `InputTensor`   | tensor, rank 1 to 8 |
    | (I2)  | `axes`           | `Axes`          | dimensions to reduce |
    | (I3)  | `axis_direction` | `AxisDirection` | which of equal elements wins |

    **Constraints**
    * (C1) `axes` lists dimensions of `input`, each at most once.
    * (C2) `dim(output, i)` is 1 for `i` in `axes`, and `dim(input, i)` elsewhere.

    **Readings**
    * Places do not depend on the order of `axes`. Without `axes` all are 0.
    * Zeros of either sign are equal. NaNs are ignored beside numbers; of NaNs
      alone the first wins, or the last.
    * A place that an element type of `output` cannot hold (beyond 2^31 - 1, for
      i32) wraps around.

    **Example**
    ```mlir
    // %input: [[1, 2, 3], [3, 0, 4], [2, 5, 2]]
    %output = dml.argmax %input {axes = array<i64: 1>,
        axis_direction = #dml.axis_direction<increasing>}
        : (tensor<3x3xf32>) -> tensor<3x1xui32>
    // %output: [[2], [2], [1]]
    ```

    **Source:** DML_ARGMAX_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64ArrayAttr:$axes,
                       DML_AxisDirectionAttr:$axis_direction);
  let results = (outs DML_Tensor:$output);

  let enumSupport = [
    DML_EnumSupport<"axis_direction", DML_AxisDirectionAttr>,
  ];
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output", 1, 8, DML_Indices>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Indices>,
    ]>,
  ];
  let arrays = [DML_AxesArray<"axes">];
  let hasVerifier = 1;
}

def DML_ArgMinOp : DML_Op<"argmin", "ARGMIN"> {
  let summary = "Finds the smallest elements";
  let description = [{
    Finds the place of the smallest element in each set of elements of `input`:
    those that differ in their coordinates along `axes` alone.

    **Semantics.** `output` has the sizes of `input`, and 1 along `axes`. Places
    count from 0 in row-major order of the reduced dimensions. Among equals the
    first wins where `axis_direction` is `increasing`, the last where it is
    `decreasing`.

    **Inputs**

    | label | name             | field           | type |
    |-------|------------------|-----------------|------|
    | (I1)  | `input`          | `InputTensor`   | tensor, rank 1 to 8 |
    | (I2)  | `axes`           | `Axes`          | dimensions to reduce |
    | (I3)  | `axis_direction` | `AxisDirection` | which of equal elements wins |

    **Constraints**
    * (C1) `axes` lists dimensions of `input`, each at most once.
    * (C2) `dim(output, i)` is 1 for `i` in `axes`, and `dim(input, i)` elsewhere.

    **Readings**
    * Places do not depend on the order of `axes`. Without `axes` all are 0.
    * Zeros of either sign are equal. NaNs are ignored beside numbers; of NaNs
      alone the first wins, or the last.
    * A place that an element type of `output` cannot hold (beyond 2^31 - 1, for
      i32) wraps around.

    **Example**
    ```mlir
    // %input: [[1, 2, 3], [3, 0, 4], [2, 5, 2]]
    %output = dml.argmin %input {axes = array<i64: 1>,
        axis_direction = #dml.axis_direction<increasing>}
        : (tensor<3x3xf32>) -> tensor<3x1xui32>
    // %output: [[0], [1], [0]]
    ```

    **Source:** DML_ARGMIN_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64ArrayAttr:$axes,
                       DML_AxisDirectionAttr:$axis_direction);
  let results = (outs DML_Tensor:$output);

  let enumSupport = [
    DML_EnumSupport<"axis_direction", DML_AxisDirectionAttr>,
  ];
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output", 1, 8, DML_Indices>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Indices>,
    ]>,
  ];
  let arrays = [DML_AxesArray<"axes">];
  let hasVerifier = 1;
}

#endif // DML_IR_REDUCTIONOPS_TD
