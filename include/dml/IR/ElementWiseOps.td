//===- ElementWiseOps.td - Element-wise operators -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_ELEMENTWISEOPS_TD
#define DML_IR_ELEMENTWISEOPS_TD

include "dml/IR/ElementWiseOpBase.td"

def DML_ElementWiseAddOp : DML_BinaryOp<"element_wise_add", "ELEMENT_WISE_ADD",
    "Adds two tensors", "a + b",
    "Integers wrap around: the result is taken modulo 2 to the power of "
    "their bits."> {
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_4_1, 1, 8, DML_FloatsAndInt32And64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_FloatsAndInt32>,
    DML_SameSupport<FL_2_1, 4, 5, DML_FloatsAndInt32>,
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
}

def DML_ElementWiseSubtractOp : DML_BinaryOp<"element_wise_subtract", "ELEMENT_WISE_SUBTRACT",
    "Subtracts a tensor from another", "a - b",
    "Integers wrap around: the result is taken modulo 2 to the power of "
    "their bits."> {
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_4_1, 1, 8, DML_FloatsAndInt32And64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_FloatsAndInt32>,
    DML_SameSupport<FL_2_1, 4, 4, DML_FloatsAndInt32>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseMultiplyOp : DML_BinaryOp<"element_wise_multiply", "ELEMENT_WISE_MULTIPLY",
    "Multiplies two tensors", "a * b",
    "Integers wrap around: the result is taken modulo 2 to the power of "
    "their bits."> {
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_4_1, 1, 8, DML_FloatsAndInt32And64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_FloatsAndInt32>,
    DML_SameSupport<FL_2_1, 4, 5, DML_FloatsAndInt32>,
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
}

def DML_ElementWiseDivideOp : DML_BinaryOp<"element_wise_divide", "ELEMENT_WISE_DIVIDE",
    "Divides a tensor by another", "a / b",
    "Quotients of integers are rounded towards zero. An integer divided "
    "by zero gives the number with all bits set, as in HLSL; the lowest "
    "signed integer divided by -1 gives itself."> {
  let support = [
    DML_SameSupport<FL_6_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_5_1, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_3_0, 1, 8, DML_FloatsAndInt32>,
    DML_SameSupport<FL_2_1, 4, 4, DML_FloatsAndInt32>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseMaxOp : DML_BinaryOp<"element_wise_max", "ELEMENT_WISE_MAX",
    "Takes the larger of two elements", "max(a, b)",
    "Of a number and a NaN the number counts, as in HLSL."> {
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseMinOp : DML_BinaryOp<"element_wise_min", "ELEMENT_WISE_MIN",
    "Takes the smaller of two elements", "min(a, b)",
    "Of a number and a NaN the number counts, as in HLSL."> {
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseAbsOp : DML_ScaledUnaryOp<"element_wise_abs", "ELEMENT_WISE_ABS",
    "Computes absolute values", "|x|",
    "The absolute value of the lowest signed integer is itself: integers "
    "wrap around."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_FloatsAndSignedTo64Bit>,
    DML_SameSupport<FL_3_0, 1, 8, DML_FloatsAndSigned>,
    DML_SameSupport<FL_2_1, 4, 4, DML_FloatsAndSigned>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseExpOp : DML_ScaledUnaryOp<"element_wise_exp", "ELEMENT_WISE_EXP",
    "Computes exponentials", "e^x"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseLogOp : DML_ScaledUnaryOp<"element_wise_log", "ELEMENT_WISE_LOG",
    "Computes natural logarithms", "ln x",
    "The logarithm of a negative number is NaN, that of 0 is -infinity."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseSqrtOp : DML_ScaledUnaryOp<"element_wise_sqrt", "ELEMENT_WISE_SQRT",
    "Computes square roots", "sqrt(x)",
    "The root of a negative number is NaN."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseRecipOp : DML_ScaledUnaryOp<"element_wise_recip", "ELEMENT_WISE_RECIP",
    "Computes reciprocals", "1 / x",
    "The reciprocal of a zero is the infinity of its sign."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseFloorOp : DML_ScaledUnaryOp<"element_wise_floor", "ELEMENT_WISE_FLOOR",
    "Rounds down", "the largest integer that is not above x"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseCeilOp : DML_ScaledUnaryOp<"element_wise_ceil", "ELEMENT_WISE_CEIL",
    "Rounds up", "the smallest integer that is not below x"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseSignOp : DML_UnaryOp<"element_wise_sign", "ELEMENT_WISE_SIGN",
    "Tells the signs of elements", "-1 where x < 0, 1 where x > 0, and 0 elsewhere",
    "The sign of a NaN is 0: both comparisons are false."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseNegateOp : DML_UnaryOp<"element_wise_negate", "ELEMENT_WISE_NEGATE",
    "Negates elements", "-x",
    "The lowest integer is its own negative: integers wrap around."> {
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_FloatsAndSignedTo64Bit>,
  ];
}

def DML_ElementWiseLogicalAndOp : DML_BinaryOp<"element_wise_logical_and", "ELEMENT_WISE_LOGICAL_AND",
    "Tells whether both elements are true", "1 where a != 0 and b != 0, else 0"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Truths>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Truths>,
    DML_SameSupport<FL_1_0, 4, 4, DML_OnlyUInt32>,
  ];
}

def DML_ElementWiseLogicalOrOp : DML_BinaryOp<"element_wise_logical_or", "ELEMENT_WISE_LOGICAL_OR",
    "Tells whether one of two elements is true", "1 where a != 0 or b != 0, else 0"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Truths>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Truths>,
    DML_SameSupport<FL_1_0, 4, 4, DML_OnlyUInt32>,
  ];
}

def DML_ElementWiseLogicalXorOp : DML_BinaryOp<"element_wise_logical_xor", "ELEMENT_WISE_LOGICAL_XOR",
    "Tells whether just one of two elements is true", "1 where (a != 0) differs from (b != 0), else 0"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Truths>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Truths>,
    DML_SameSupport<FL_1_0, 4, 4, DML_OnlyUInt32>,
  ];
}

def DML_ElementWiseLogicalNotOp : DML_UnaryOp<"element_wise_logical_not", "ELEMENT_WISE_LOGICAL_NOT",
    "Tells whether elements are false", "1 where x = 0, else 0"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Truths>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Truths>,
    DML_SameSupport<FL_1_0, 4, 4, DML_OnlyUInt32>,
  ];
}

def DML_ElementWiseLogicalEqualsOp : DML_ComparisonOp<"element_wise_logical_equals", "ELEMENT_WISE_LOGICAL_EQUALS",
    "Tells whether elements are equal", "1 where a = b, else 0",
    "A NaN equals nothing, itself included; zeros of either sign are "
    "equal."> {
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"a", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"b", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"a", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"a", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 4, 4, DML_Truths>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"a", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"b", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_Truths>,
    ]>,
    DML_Support<FL_1_0, [
      DML_TensorSupport<"a", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"b", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyUInt32>,
    ]>,
  ];
}

def DML_ElementWiseLogicalGreaterThanOp : DML_ComparisonOp<"element_wise_logical_greater_than", "ELEMENT_WISE_LOGICAL_GREATER_THAN",
    "Tells whether elements are greater", "1 where a > b, else 0",
    "A comparison with a NaN is false."> {
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"a", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"b", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"a", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"a", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 4, 4, DML_Truths>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"a", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"b", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_Truths>,
    ]>,
    DML_Support<FL_1_0, [
      DML_TensorSupport<"a", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"b", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyUInt32>,
    ]>,
  ];
}

def DML_ElementWiseLogicalLessThanOp : DML_ComparisonOp<"element_wise_logical_less_than", "ELEMENT_WISE_LOGICAL_LESS_THAN",
    "Tells whether elements are less", "1 where a < b, else 0",
    "A comparison with a NaN is false."> {
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"a", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"b", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"a", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"a", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 4, 4, DML_Truths>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"a", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"b", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_Truths>,
    ]>,
    DML_Support<FL_1_0, [
      DML_TensorSupport<"a", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"b", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyUInt32>,
    ]>,
  ];
}

def DML_ElementWiseLogicalGreaterThanOrEqualOp : DML_ComparisonOp<"element_wise_logical_greater_than_or_equal", "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL",
    "Tells whether elements are greater or equal", "1 where a >= b, else 0",
    "A comparison with a NaN is false."> {
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"a", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"b", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"a", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
  ];
}

def DML_ElementWiseLogicalLessThanOrEqualOp : DML_ComparisonOp<"element_wise_logical_less_than_or_equal", "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL",
    "Tells whether elements are less or equal", "1 where a <= b, else 0",
    "A comparison with a NaN is false."> {
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"a", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"b", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"a", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
  ];
}

def DML_ElementWiseAdd1Op : DML_ElementWiseOp<"element_wise_add1", "ELEMENT_WISE_ADD1",
    "Adds two tensors and applies an activation function", "f(a + b)",
    "The sum of f16 is not rounded to f16 before the activation.",
    "* (C1) `a`, `b` and `output` have the same element type and sizes.\n"
    "* (C2) `fused_activation` is an activation that this operator fuses: any "
    "but clip.\n",
    ", where `f` is `fused_activation`, or nothing if there is none"> {
  let arguments = (ins DML_Tensor:$a, DML_Tensor:$b,
                       OptionalAttr<DML_ActivationAttr>:$fused_activation);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["a", "b", "output"]];
  let sameShapes = [["a", "b", "output"]];
  let hasVerifier = 1;
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
  ];
  let enumSupport = [DML_FusedActivationSupport<>];
}

#endif // DML_IR_ELEMENTWISEOPS_TD
