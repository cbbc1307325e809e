//===- ElementWiseOps.td - Element-wise operators -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_ELEMENTWISEOPS_TD
#define DML_IR_ELEMENTWISEOPS_TD

include "dml/IR/ElementWiseOpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

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
    "Rounds down", "the largest integer that is not above x",
    "Infinities and NaNs stay, and a result of 0 may have either sign."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseCeilOp : DML_ScaledUnaryOp<"element_wise_ceil", "ELEMENT_WISE_CEIL",
    "Rounds up", "the smallest integer that is not below x",
    "Infinities and NaNs stay, and a result of 0 may have either sign."> {
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
    "* (C2) `fused_activation` is an activation that this operator fuses: neither "
    "`clip` nor a softmax.\n",
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

def DML_ElementWiseIdentityOp
    : DML_ScaledUnaryOp<"element_wise_identity", "ELEMENT_WISE_IDENTITY",
    "Copies elements",
    "x",
    "Without a `scale_bias` every bit is copied, those of NaNs included."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 5, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 5, DML_Float32And16>,
  ];
}

def DML_CastOp
    : DML_RetypingOp<"cast", "CAST",
    "Converts elements to another type",
    "x, converted to the type of output",
    "Floats become integers by dropping the fraction; what the type cannot "
    "hold becomes its nearest number, and NaN becomes 0. Integers become "
    "integers of fewer bits by dropping the upper ones. Where a float type "
    "cannot hold a number, f16 takes the nearest one, halves to even, of an "
    "f32; other conversions give one of the two neighbours, as Vulkan "
    "allows. The table's row for 1_0 has neither i32 nor ui32, and is followed."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_1, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 4, 4, DML_AllButFloat64>,
    DML_SameSupport<FL_1_0, 4, 4, DML_FloatsAndUpTo16Bit>,
  ];
}

def DML_ElementWiseClipOp
    : DML_ScaledUnaryOp<"element_wise_clip", "ELEMENT_WISE_CLIP",
    "Limits elements to a range",
    "min(max, max(min, x))",
    "In an integer tensor the bounds are rounded towards zero and limited "
    "to the numbers of the type; NaN becomes 0. A NaN becomes `min`, as in "
    "HLSL; a NaN as a bound of floats is no bound. Where `min` is above "
    "`max`, the result is `max`."> {
  let arguments = (ins DML_Tensor:$input, OptionalAttr<DML_ScaleBiasAttr>:$scale_bias,
                       DML_F32Attr:$min, DML_F32Attr:$max);
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseClip1Op
    : DML_ElementWiseOp<"element_wise_clip1", "ELEMENT_WISE_CLIP1",
    "Limits elements to a range of their type",
    "max(min, min(x, max))",
    "A NaN becomes `max`, as in HLSL; a NaN as a bound is no bound. Where "
    "`min` is above `max`, the result is `min`.",
    "* (C1) `output` has the element type and the sizes of `input`.\n"
    "* (C2) `scale_bias` stands with f32 and f16 only.\n"
    "* (C3) `min` and `max` are numbers of the element type "
    "(`MinMaxDataType`).\n",
    ", where `x` is the element of `input`, or `input * scale + bias` if "
    "there is a `scale_bias`",
    [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let arguments = (ins DML_Tensor:$input, OptionalAttr<DML_ScaleBiasAttr>:$scale_bias,
                       DML_ScalarAttr:$min, DML_ScalarAttr:$max);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let hasVerifier = 1;
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllButFloat64>,
  ];
}

def DML_ElementWiseIfOp
    : DML_ElementWiseOp<"element_wise_if", "ELEMENT_WISE_IF",
    "Chooses between elements",
    "a where condition != 0, else b",
    "Every bit of the chosen element is copied. The page's table has f16 alone at 2_0 "
    "and no row for 2_1, where the feature level history adds integers; the table is "
    "followed.",
    "* (C1) `condition`, `a`, `b` and `output` have the same sizes.\n"
    "* (C2) `a`, `b` and `output` have the same element type.\n"> {
  let arguments = (ins DML_Tensor:$condition, DML_Tensor:$a,
                       DML_Tensor:$b);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["a", "b", "output"]];
  let sameShapes = [["condition", "a", "b", "output"]];
  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"condition", 1, 8, DML_OnlyUInt8>,
      DML_TensorSupport<"a", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"b", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"condition", 1, 8, DML_OnlyUInt8>,
      DML_TensorSupport<"a", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"b", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"condition", 4, 4, DML_OnlyUInt8>,
      DML_TensorSupport<"a", 4, 4, DML_OnlyFloat16>,
      DML_TensorSupport<"b", 4, 4, DML_OnlyFloat16>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyFloat16>,
    ]>,
  ];
}

def DML_ElementWisePowOp
    : DML_ElementWiseOp<"element_wise_pow", "ELEMENT_WISE_POW",
    "Raises elements to powers",
    "x^exponent",
    "An integer raised to an integer, or to a float without a fraction, is "
    "exact, modulo 2 to the power of its bits; a negative exponent gives "
    "the quotient 1 / x^-exponent rounded towards zero, and all bits set "
    "where x is 0. Other powers of integers are computed as floats and "
    "converted as by `dml.cast`. A float of negative base is NaN unless the "
    "exponent is an integer; everything to the power of 0 is 1, and 1 to "
    "any power. Zeros and infinities have the powers that IEEE 754 gives "
    "them: -0 to the power of -1 is -infinity, to that of -2 infinity, and "
    "-infinity to that of 0.5 infinity. Before 3_0 `exponent` has the element type of `input`. Powers are within 8 + 4 |exponent * log2 x| units in the "
    "last place of f32.",
    "* (C1) All tensors have the same sizes.\n"
    "* (C2) `output` has the element type of `input`.\n"
    "* (C3) `scale_bias` stands with f32 and f16 only.\n",
    ", where `x` is the element of `input`, or `input * scale + bias` if "
    "there is a `scale_bias`"> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$exponent,
                       OptionalAttr<DML_ScaleBiasAttr>:$scale_bias);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "exponent", "output"]];
  let hasVerifier = 1;
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let rules = [DML_EqualTypesRule<["input", "exponent"], FL_3_0>];
}

def DML_ElementWiseConstantPowOp
    : DML_ScaledUnaryOp<"element_wise_constant_pow", "ELEMENT_WISE_CONSTANT_POW",
    "Raises elements to one power",
    "x^exponent",
    "As `dml.element_wise_pow` for floats. The page lists floats alone, so "
    "integers are not accepted."> {
  let arguments = (ins DML_Tensor:$input, OptionalAttr<DML_ScaleBiasAttr>:$scale_bias,
                       DML_F32Attr:$exponent);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseRoundOp
    : DML_UnaryOp<"element_wise_round", "ELEMENT_WISE_ROUND",
    "Rounds elements to integers",
    "x without its fraction (toward_zero) or the integer next to x: of "
    "two the even one (halves_to_nearest_even) or the one farther from "
    "zero (toward_infinity)",
    "Infinities and NaNs stay."> {
  let arguments = (ins DML_Tensor:$input, DML_RoundingModeAttr:$rounding_mode);
  let enumSupport = [
    DML_EnumSupport<"rounding_mode", DML_RoundingModeAttr>,
  ];
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_1, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseErfOp
    : DML_ScaledUnaryOp<"element_wise_erf", "ELEMENT_WISE_ERF",
    "Computes error functions",
    "erf(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 4 units in the last "
    "place of f32."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseSinOp
    : DML_ScaledUnaryOp<"element_wise_sin", "ELEMENT_WISE_SIN",
    "Computes sines",
    "sin(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. The result is within 2^-21 where "
    "|x| is at most 8192; beyond, its accuracy decreases, and it is any "
    "number from -1 to 1. Infinities give NaN."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseCosOp
    : DML_ScaledUnaryOp<"element_wise_cos", "ELEMENT_WISE_COS",
    "Computes cosines",
    "cos(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. The result is within 2^-21 where "
    "|x| is at most 8192; beyond, its accuracy decreases, and it is any "
    "number from -1 to 1. Infinities give NaN."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseTanOp
    : DML_ScaledUnaryOp<"element_wise_tan", "ELEMENT_WISE_TAN",
    "Computes tangents",
    "tan(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is the quotient of sine and "
    "cosine, each within 2^-21 where |x| is at most 8192; beyond, it is any "
    "number. Infinities give NaN."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseAsinOp
    : DML_ScaledUnaryOp<"element_wise_asin", "ELEMENT_WISE_ASIN",
    "Computes arc sines",
    "arcsin(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 2^-20; NaN where |x| "
    "> 1."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseAcosOp
    : DML_ScaledUnaryOp<"element_wise_acos", "ELEMENT_WISE_ACOS",
    "Computes arc cosines",
    "arccos(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 2^-20; NaN where |x| "
    "> 1."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseAtanOp
    : DML_ScaledUnaryOp<"element_wise_atan", "ELEMENT_WISE_ATAN",
    "Computes arc tangents",
    "arctan(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 8 units in the last "
    "place of f32."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseSinhOp
    : DML_ScaledUnaryOp<"element_wise_sinh", "ELEMENT_WISE_SINH",
    "Computes hyperbolic sines",
    "sinh(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 16 units in the last "
    "place of f32."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseCoshOp
    : DML_ScaledUnaryOp<"element_wise_cosh", "ELEMENT_WISE_COSH",
    "Computes hyperbolic cosines",
    "cosh(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 16 units in the last "
    "place of f32."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseTanhOp
    : DML_ScaledUnaryOp<"element_wise_tanh", "ELEMENT_WISE_TANH",
    "Computes hyperbolic tangents",
    "tanh(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 8 units in the last "
    "place of f32."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseAsinhOp
    : DML_ScaledUnaryOp<"element_wise_asinh", "ELEMENT_WISE_ASINH",
    "Computes inverse hyperbolic sines",
    "arsinh(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 16 units in the last "
    "place of f32."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseAcoshOp
    : DML_ScaledUnaryOp<"element_wise_acosh", "ELEMENT_WISE_ACOSH",
    "Computes inverse hyperbolic cosines",
    "arcosh(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 16 units in the last "
    "place of f32 or 2^-20, whichever is more; NaN where x < 1."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseAtanhOp
    : DML_ScaledUnaryOp<"element_wise_atanh", "ELEMENT_WISE_ATANH",
    "Computes inverse hyperbolic tangents",
    "artanh(x)",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 16 units in the last "
    "place of f32; NaN where |x| > 1."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseIsNanOp
    : DML_RetypingOp<"element_wise_is_nan", "ELEMENT_WISE_IS_NAN",
    "Tells whether elements are NaNs",
    "1 where x is NaN, else 0",
    "The bits decide, so that no device can take a NaN for a number."> {
  let support = [
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_Truths>,
    ]>,
  ];
}

def DML_ElementWiseIsInfinityOp
    : DML_RetypingOp<"element_wise_is_infinity", "ELEMENT_WISE_IS_INFINITY",
    "Tells whether elements are infinite",
    "1 where x is the infinity that infinity_mode asks for, else 0",
    "The bits decide. The page's table has ui8 alone for `output`; PyDirectML's notes "
    "also name ui32, which is refused."> {
  let arguments = (ins DML_Tensor:$input,
                       DML_IsInfinityModeAttr:$infinity_mode);
  let enumSupport = [
    DML_EnumSupport<"infinity_mode", DML_IsInfinityModeAttr>,
  ];
  let support = [
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"output", 1, 8, DML_OnlyUInt8>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyUInt8>,
    ]>,
  ];
}

def DML_ElementWiseMeanOp
    : DML_BinaryOp<"element_wise_mean", "ELEMENT_WISE_MEAN",
    "Averages two tensors",
    "(a + b) / 2",
    "Sums of integers wrap around, and halves are rounded towards zero."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_FloatsAndInt32>,
    DML_SameSupport<FL_2_1, 4, 4, DML_FloatsAndInt32>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseModulusTruncateOp
    : DML_BinaryOp<"element_wise_modulus_truncate", "ELEMENT_WISE_MODULUS_TRUNCATE",
    "Computes remainders of truncating divisions",
    "a - b * trunc(a / b)",
    "Floats are computed as the formula is written: an exact remainder is "
    "not promised where a / b is large. Where |a| is below |b| the remainder "
    "is a, also where b is infinite, as C's fmod has it. An integer modulo 0 "
    "is the number with all bits set, as its quotient in HLSL."> {
  let support = [
    DML_SameSupport<FL_6_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
  ];
}

def DML_ElementWiseModulusFloorOp
    : DML_BinaryOp<"element_wise_modulus_floor", "ELEMENT_WISE_MODULUS_FLOOR",
    "Computes remainders of flooring divisions",
    "a - b * floor(a / b)",
    "Floats are computed as the formula is written: an exact remainder is "
    "not promised where a / b is large. Where |a| is below |b| the remainder "
    "is a, or a + b where their signs differ, also where b is infinite. An "
    "integer modulo 0 is the number with all bits set, as its quotient in "
    "HLSL."> {
  let support = [
    DML_SameSupport<FL_6_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
  ];
}

def DML_ElementWiseThresholdOp
    : DML_ScaledUnaryOp<"element_wise_threshold", "ELEMENT_WISE_THRESHOLD",
    "Limits elements from below",
    "max(x, min)",
    "In an integer tensor the bounds are rounded towards zero and limited "
    "to the numbers of the type; NaN becomes 0. A NaN becomes `min`, as in "
    "HLSL."> {
  let arguments = (ins DML_Tensor:$input, OptionalAttr<DML_ScaleBiasAttr>:$scale_bias,
                       DML_F32Attr:$min);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ElementWiseDifferenceSquareOp
    : DML_BinaryOp<"element_wise_difference_square", "ELEMENT_WISE_DIFFERENCE_SQUARE",
    "Squares differences",
    "(a - b)^2",
    "Integers wrap around: the result is taken modulo 2 to the power of "
    "their bits."> {
  let support = [
    DML_SameSupport<FL_3_1, 1, 8, DML_FloatsAndInt32>,
  ];
}

def DML_ElementWiseAtanYxOp
    : DML_BinaryOp<"element_wise_atan_yx", "ELEMENT_WISE_ATAN_YX",
    "Computes the angles of points",
    "the angle from -pi to pi of the point with y = a and x = b",
    "It is computed with additions, multiplications, divisions and roots of "
    "f32, so that devices differ little. It is within 2^-20. Where b is "
    "negative and a is a zero, it is pi or -pi, and where both are zeros "
    "any of these and 0: the sign of a zero is not certain."> {
  let support = [
    DML_SameSupport<FL_3_1, 1, 8, DML_Float32And16>,
  ];
}

def DML_ElementWiseBitShiftLeftOp
    : DML_BinaryOp<"element_wise_bit_shift_left", "ELEMENT_WISE_BIT_SHIFT_LEFT",
    "Shifts bits to the left",
    "a * 2^b",
    "A shift by as many bits as the type has, or more, gives 0."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_Unsigned>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UnsignedUpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UnsignedUpTo32Bit>,
  ];
}

def DML_ElementWiseBitShiftRightOp
    : DML_BinaryOp<"element_wise_bit_shift_right", "ELEMENT_WISE_BIT_SHIFT_RIGHT",
    "Shifts bits to the right",
    "a / 2^b, rounded down",
    "A shift by as many bits as the type has, or more, gives 0."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_Unsigned>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UnsignedUpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 4, DML_UnsignedUpTo32Bit>,
  ];
}

def DML_ElementWiseBitAndOp
    : DML_BinaryOp<"element_wise_bit_and", "ELEMENT_WISE_BIT_AND",
    "Combines bits by and",
    "the bits that a and b have",
    "Floats are taken for their bits."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UnsignedUpTo32Bit>,
  ];
}

def DML_ElementWiseBitOrOp
    : DML_BinaryOp<"element_wise_bit_or", "ELEMENT_WISE_BIT_OR",
    "Combines bits by or",
    "the bits that a or b has",
    "Floats are taken for their bits."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UnsignedUpTo32Bit>,
  ];
}

def DML_ElementWiseBitXorOp
    : DML_BinaryOp<"element_wise_bit_xor", "ELEMENT_WISE_BIT_XOR",
    "Combines bits by exclusive or",
    "the bits that just one of a and b has",
    "Floats are taken for their bits."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UnsignedUpTo32Bit>,
  ];
}

def DML_ElementWiseBitNotOp
    : DML_UnaryOp<"element_wise_bit_not", "ELEMENT_WISE_BIT_NOT",
    "Inverts bits",
    "the bits that x does not have",
    "Floats are taken for their bits."> {
  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UnsignedUpTo32Bit>,
  ];
}

def DML_ElementWiseBitCountOp
    : DML_RetypingOp<"element_wise_bit_count", "ELEMENT_WISE_BIT_COUNT",
    "Counts bits",
    "how many bits of x are set",
    "Floats are taken for their bits."> {
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UnsignedUpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Truths>,
    ]>,
  ];
}

def DML_ElementWiseClipGradOp
    : DML_GradientOp<"element_wise_clip_grad", "ELEMENT_WISE_CLIP_GRAD",
    "Computes gradients of a clip",
    "0 where x <= min or x >= max, else g",
    "In an integer tensor the bounds are rounded towards zero and limited "
    "to the numbers of the type; NaN becomes 0. The gradient passes where x "
    "is NaN: both comparisons are false."> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$input_gradient,
                       DML_F32Attr:$min, DML_F32Attr:$max);
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllButFloat64>,
    DML_SameSupport<FL_3_1, 1, 8, DML_UpTo32Bit>,
  ];
}

def DML_ElementWiseClipGrad1Op
    : DML_GradientOp<"element_wise_clip_grad1", "ELEMENT_WISE_CLIP_GRAD1",
    "Computes gradients of a clip to a range of the type",
    "0 where x <= min or x >= max, else g",
    "The gradient passes where x is NaN: both comparisons are false. `min` "
    "and `max` are numbers of the element type (`MinMaxDataType`), which is "
    "verified."> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$input_gradient,
                       DML_ScalarAttr:$min, DML_ScalarAttr:$max);
  let hasVerifier = 1;
  let support = [
    DML_SameSupport<FL_5_0, 1, 8, DML_AllButFloat64>,
  ];
}

def DML_ElementWiseQuantizeLinearOp
    : DML_ElementWiseOp<"element_wise_quantize_linear", "ELEMENT_WISE_QUANTIZE_LINEAR",
    "Quantizes elements",
    "limit(round(x / scale) + zero_point)",
    "Halves are rounded to even, before the zero point is added; an absent "
    "zero point is 0. `limit` takes what the type cannot hold to its "
    "nearest number; NaN gives any number. A quotient may be off by 2.5 "
    "units in the last place, and an i32 is rounded to f32 first, so that "
    "near a tie the result may be off by 1.",
    "* (C1) All tensors have the same sizes.\n"
    "* (C2) `zero_point` and `output` have the same element type.\n"
    "* (C3) `scale` has the element type of a floating-point `input`, and "
    "is f32 where `input` is i32.\n"
    "* (C4) Before feature level 6_2 there is a `zero_point`.\n"> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$scale,
                       Optional<DML_Tensor>:$zero_point);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["zero_point", "output"]];
  let sameShapes = [["input", "scale", "zero_point", "output"]];
  let hasVerifier = 1;
  let enumSupport = [DML_OptionalOperandSupport<"zero_point", 2, FL_6_2>];
  let support = [
    DML_Support<FL_6_2, [
      DML_TensorSupport<"input", 1, 8, DML_FloatsAndSigned32Bit>,
      DML_TensorSupport<"scale", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"zero_point", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 1, 8, DML_Int8AndUInt8>,
    ]>,
    DML_Support<FL_6_0, [
      DML_TensorSupport<"input", 1, 8, DML_FloatsAndSigned32Bit>,
      DML_TensorSupport<"scale", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"zero_point", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 1, 8, DML_Int8AndUInt8>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_Float32AndInt32>,
      DML_TensorSupport<"scale", 1, 8, DML_OnlyFloat32>,
      DML_TensorSupport<"zero_point", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 1, 8, DML_Int8AndUInt8>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_Float32AndInt32>,
      DML_TensorSupport<"scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"zero_point", 4, 4, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 4, 4, DML_Int8AndUInt8>,
    ]>,
    DML_Support<FL_1_0, [
      DML_TensorSupport<"input", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"zero_point", 4, 4, DML_OnlyUInt8>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyUInt8>,
    ]>,
  ];
}

def DML_ElementWiseDequantizeLinearOp
    : DML_ElementWiseOp<"element_wise_dequantize_linear", "ELEMENT_WISE_DEQUANTIZE_LINEAR",
    "Computes what quantized elements stand for",
    "(x - zero_point) * scale",
    "The difference of 8 and 16-bit integers is exact; 32-bit ones are "
    "subtracted as integers, which wrap around, and the difference is then "
    "rounded to f32. An absent zero point is 0.",
    "* (C1) All tensors have the same sizes.\n"
    "* (C2) `input` and `zero_point` have the same element type.\n"
    "* (C3) `scale` and `output` have the same element type.\n"
    "* (C4) Before feature level 6_2 there is a `zero_point`.\n"> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$scale,
                       Optional<DML_Tensor>:$zero_point);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "zero_point"], ["scale", "output"]];
  let sameShapes = [["input", "scale", "zero_point", "output"]];
  let enumSupport = [DML_OptionalOperandSupport<"zero_point", 2, FL_6_2>];
  let support = [
    DML_Support<FL_6_2, [
      DML_TensorSupport<"input", 1, 8, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"scale", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"zero_point", 1, 8, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Float32And16>,
    ]>,
    DML_Support<FL_6_0, [
      DML_TensorSupport<"input", 1, 8, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"scale", 1, 8, DML_Float32And16>,
      DML_TensorSupport<"zero_point", 1, 8, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_Float32And16>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"scale", 1, 8, DML_OnlyFloat32>,
      DML_TensorSupport<"zero_point", 1, 8, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_OnlyFloat32>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"zero_point", 4, 4, DML_IntegersUpTo32Bit>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyFloat32>,
    ]>,
    DML_Support<FL_1_0, [
      DML_TensorSupport<"input", 4, 4, DML_OnlyUInt8>,
      DML_TensorSupport<"scale", 4, 4, DML_OnlyFloat32>,
      DML_TensorSupport<"zero_point", 4, 4, DML_OnlyUInt8>,
      DML_TensorSupport<"output", 4, 4, DML_OnlyFloat32>,
    ]>,
  ];
}

def DML_ElementWiseQuantizedLinearAddOp
    : DML_ElementWiseOp<"element_wise_quantized_linear_add", "ELEMENT_WISE_QUANTIZED_LINEAR_ADD",
    "Adds quantized tensors",
    "limit(round(((a - a_zero_point) * a_scale + (b - b_zero_point) * "
    "b_scale) / output_scale) + output_zero_point)",
    "Halves are rounded to even; an absent zero point is 0. `limit` takes "
    "what the type cannot hold to its nearest number; NaN gives any number. "
    "What is rounded may be off by some units in the last place, so that "
    "near a tie the result may be off by 1. A kernel binds up to nine "
    "buffers; where a device binds fewer, several tensors share a buffer.",
    "* (C1) `a`, `b` and `output` have the same sizes.\n"
    "* (C2) Scales and zero points have one element, and the rank of `a`.\n"
    "* (C3) Each zero point has the element type of its tensor.\n", /*where=*/"",
    [AttrSizedOperandSegments]> {
  let arguments = (ins DML_Tensor:$a, DML_Tensor:$a_scale,
                       Optional<DML_Tensor>:$a_zero_point,
                       DML_Tensor:$b, DML_Tensor:$b_scale,
                       Optional<DML_Tensor>:$b_zero_point,
                       DML_Tensor:$output_scale,
                       Optional<DML_Tensor>:$output_zero_point);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["a", "a_zero_point"], ["b", "b_zero_point"],
                          ["output", "output_zero_point"]];
  let sameShapes = [["a", "b", "output"],
                    ["a_scale", "a_zero_point", "b_scale", "b_zero_point",
                     "output_scale", "output_zero_point"]];
  let hasVerifier = 1;
  let support = [
    DML_Support<FL_4_0, [
      DML_TensorSupport<"a", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"a_scale", 1, 8, DML_OnlyFloat32>,
      DML_TensorSupport<"a_zero_point", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"b", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"b_scale", 1, 8, DML_OnlyFloat32>,
      DML_TensorSupport<"b_zero_point", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"output_scale", 1, 8, DML_OnlyFloat32>,
      DML_TensorSupport<"output_zero_point", 1, 8, DML_Int8AndUInt8>,
      DML_TensorSupport<"output", 1, 8, DML_Int8AndUInt8>,
    ]>,
  ];
}

#endif // DML_IR_ELEMENTWISEOPS_TD
