//===- FeatureLevels.td - Levels, data types and support ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Feature levels are data. Each operator's ODS description states, level by
// level, which ranks and data types each of its tensors may have; the classes
// here turn that into the static tables behind FeatureLevelOpInterface
// (dml/IR/FeatureLevels.h).
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_FEATURELEVELS_TD
#define DML_IR_FEATURELEVELS_TD

include "dml/IR/DMLBase.td"
include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Feature levels
//===----------------------------------------------------------------------===//

/// A DML_FEATURE_LEVEL with DirectML's value (0x5100 for 5_1).
/// `directMLVersion` is the first widely released version of DirectML that
/// supports the level. `windowsRelease` is the first Windows release with this
/// version as a system component, or empty if only the redistributable package
/// contains it. Source: "DirectML version history" and "DirectML feature level
/// history", learn.microsoft.com/windows/ai/directml.
class DML_FeatureLevelCase<int major, int minor, string directMLVersion,
                           string windowsRelease = "">
    : I32EnumAttrCase<"fl_" # major # "_" # minor,
                      !add(!shl(major, 12), !shl(minor, 8))> {
  string cpp = "{::dml::FeatureLevel::" # symbol # ", \"" # directMLVersion #
               "\", \"" # windowsRelease # "\"}";
}

def FL_1_0 : DML_FeatureLevelCase<1, 0, "1.0.0",
                                  "Windows 10, version 1903 (build 18362)">;
def FL_2_0 : DML_FeatureLevelCase<2, 0, "1.1.0",
                                  "Windows 10, version 2004 (build 19041)">;
// 2_1 came with DirectML 1.2.0, which was not widely released.
def FL_2_1 : DML_FeatureLevelCase<2, 1, "1.4.0">;
def FL_3_0 : DML_FeatureLevelCase<3, 0, "1.4.0">;
def FL_3_1 : DML_FeatureLevelCase<3, 1, "1.5.0">;
def FL_4_0 : DML_FeatureLevelCase<4, 0, "1.6.0",
                                  "Windows 11, version 21H2 (build 22000)">;
def FL_4_1 : DML_FeatureLevelCase<4, 1, "1.7.0">;
def FL_5_0 : DML_FeatureLevelCase<5, 0, "1.8.0",
                                  "Windows 11, version 22H2 (build 22621)">;
def FL_5_1 : DML_FeatureLevelCase<5, 1, "1.9.0">;
def FL_5_2 : DML_FeatureLevelCase<5, 2, "1.10.0">;
def FL_6_0 : DML_FeatureLevelCase<6, 0, "1.11.0">;
def FL_6_1 : DML_FeatureLevelCase<6, 1, "1.12.0">;
def FL_6_2 : DML_FeatureLevelCase<6, 2, "1.13.0">;
// DirectML 1.15 introduced both levels, since there is no DirectML 1.14.
def FL_6_3 : DML_FeatureLevelCase<6, 3, "1.15.0">;
def FL_6_4 : DML_FeatureLevelCase<6, 4, "1.15.0">;

/// All levels, from the oldest to the newest.
defvar DML_FeatureLevelCases = [
  FL_1_0, FL_2_0, FL_2_1, FL_3_0, FL_3_1, FL_4_0, FL_4_1, FL_5_0, FL_5_1, FL_5_2,
  FL_6_0, FL_6_1, FL_6_2, FL_6_3, FL_6_4];

def DML_FeatureLevel : I32EnumAttr<"FeatureLevel", "DirectML feature level",
    DML_FeatureLevelCases> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

/// A DML_TENSOR_DATA_TYPE with DirectML's value and the name of the type in
/// MLIR.
class DML_DataTypeCase<string name, int val, string elementType>
    : I32EnumAttrCase<name, val, elementType>;

def DML_FLOAT32 : DML_DataTypeCase<"FLOAT32", 1, "f32">;
def DML_FLOAT16 : DML_DataTypeCase<"FLOAT16", 2, "f16">;
def DML_UINT32 : DML_DataTypeCase<"UINT32", 3, "ui32">;
def DML_UINT16 : DML_DataTypeCase<"UINT16", 4, "ui16">;
def DML_UINT8 : DML_DataTypeCase<"UINT8", 5, "ui8">;
def DML_INT32 : DML_DataTypeCase<"INT32", 6, "i32">;
def DML_INT16 : DML_DataTypeCase<"INT16", 7, "i16">;
def DML_INT8 : DML_DataTypeCase<"INT8", 8, "i8">;
def DML_FLOAT64 : DML_DataTypeCase<"FLOAT64", 9, "f64">;
def DML_UINT64 : DML_DataTypeCase<"UINT64", 10, "ui64">;
def DML_INT64 : DML_DataTypeCase<"INT64", 11, "i64">;
def DML_UINT4 : DML_DataTypeCase<"UINT4", 12, "ui4">;
def DML_INT4 : DML_DataTypeCase<"INT4", 13, "i4">;

def DML_DataType : I32EnumAttr<"DataType", "DirectML tensor data type",
    [DML_FLOAT32, DML_FLOAT16, DML_UINT32, DML_UINT16, DML_UINT8, DML_INT32,
     DML_INT16, DML_INT8, DML_FLOAT64, DML_UINT64, DML_INT64, DML_UINT4,
     DML_INT4]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}

/// A group of data types. DirectML's tables consist of such groups.
class DML_DataTypes<list<DML_DataTypeCase> cases> {
  list<DML_DataTypeCase> types = cases;
}
def DML_Float32And16 : DML_DataTypes<[DML_FLOAT32, DML_FLOAT16]>;
def DML_Float32And16Int8 : DML_DataTypes<
    DML_Float32And16.types # [DML_INT8, DML_UINT8]>;
def DML_UpTo32Bit : DML_DataTypes<DML_Float32And16.types #
    [DML_INT32, DML_INT16, DML_INT8, DML_UINT32, DML_UINT16, DML_UINT8]>;
def DML_AllButFloat64 : DML_DataTypes<
    DML_UpTo32Bit.types # [DML_INT64, DML_UINT64]>;
/// All types except those with 4 bits, which only two operators support.
def DML_AllDataTypes : DML_DataTypes<
    DML_AllButFloat64.types # [DML_FLOAT64]>;
def DML_OnlyFloat32 : DML_DataTypes<[DML_FLOAT32]>;
def DML_OnlyFloat16 : DML_DataTypes<[DML_FLOAT16]>;
def DML_OnlyInt32 : DML_DataTypes<[DML_INT32]>;
def DML_OnlyUInt32 : DML_DataTypes<[DML_UINT32]>;
def DML_OnlyUInt8 : DML_DataTypes<[DML_UINT8]>;
/// The types of the results of comparisons.
def DML_Truths : DML_DataTypes<[DML_UINT32, DML_UINT8]>;
def DML_Int8AndUInt8 : DML_DataTypes<[DML_INT8, DML_UINT8]>;
def DML_Quantized : DML_DataTypes<
    [DML_INT8, DML_INT4, DML_UINT8, DML_UINT4]>;
def DML_FloatsAndQuantized : DML_DataTypes<
    DML_Float32And16.types # DML_Quantized.types>;
def DML_Indices : DML_DataTypes<
    [DML_INT64, DML_INT32, DML_UINT64, DML_UINT32]>;
def DML_UnsignedIndices : DML_DataTypes<[DML_UINT64, DML_UINT32]>;
def DML_UnsignedUpTo32Bit : DML_DataTypes<
    [DML_UINT32, DML_UINT16, DML_UINT8]>;
def DML_Unsigned : DML_DataTypes<DML_UnsignedUpTo32Bit.types # [DML_UINT64]>;
def DML_IntegersUpTo32Bit : DML_DataTypes<DML_UnsignedUpTo32Bit.types #
    [DML_INT32, DML_INT16, DML_INT8]>;
def DML_FloatsAndInt32 : DML_DataTypes<
    DML_Float32And16.types # [DML_INT32, DML_UINT32]>;
def DML_FloatsAndInt32And64 : DML_DataTypes<
    DML_FloatsAndInt32.types # [DML_INT64, DML_UINT64]>;
def DML_FloatsAndUInt32 : DML_DataTypes<DML_Float32And16.types # [DML_UINT32]>;
def DML_FloatsAndSigned : DML_DataTypes<
    DML_Float32And16.types # [DML_INT32, DML_INT16, DML_INT8]>;
def DML_FloatsAndSignedTo64Bit : DML_DataTypes<
    DML_FloatsAndSigned.types # [DML_INT64]>;
def DML_FloatsAndSigned32Bit : DML_DataTypes<
    DML_Float32And16.types # [DML_INT32]>;
def DML_Float32AndInt32 : DML_DataTypes<[DML_FLOAT32, DML_INT32]>;
def DML_FloatsAndUpTo16Bit : DML_DataTypes<DML_Float32And16.types #
    [DML_INT16, DML_INT8, DML_UINT16, DML_UINT8]>;
def DML_Floats16To32Bit : DML_DataTypes<DML_FloatsAndInt32.types #
    [DML_INT16, DML_UINT16]>;

//===----------------------------------------------------------------------===//
// Support tables
//===----------------------------------------------------------------------===//

/// The ranks, from `min` to `max`, and the data types that a tensor may have.
class DML_Limits<int min, int max, DML_DataTypes dataTypes> {
  string limitsCpp = min # ", " # max # ", " #
      !interleave(!foreach(t, dataTypes.types,
                           "::dml::dataTypeBit(::dml::DataType::" # t.symbol #
                           ")"), " | ");
}

/// The ranks and data types of the tensor `tensorName`.
class DML_TensorSupport<string tensorName, int min, int max,
                        DML_DataTypes dataTypes>
    : DML_Limits<min, max, dataTypes> {
  string tensor = tensorName;
}

/// A row of an operator's table: the ranks and data types of its tensors from
/// `level` on, up to a newer row. The tensors are the operands, followed by the
/// results.
class DML_Support<DML_FeatureLevelCase fl, list<DML_TensorSupport> ts> {
  DML_FeatureLevelCase level = fl;
  list<DML_TensorSupport> tensors = ts;

  /// The cases of the operator's `selector` to which the row applies. Empty if
  /// it applies to all cases.
  list<EnumCase> cases = [];
  string casesCpp = !if(!empty(cases), "~uint32_t(0)",
      !interleave(!foreach(c, cases, "uint32_t(1) << " # c.value), " | "));

  /// The limits of all tensors, if they are equal.
  string sameLimitsCpp = "";
}

/// The usual row, in which all tensors have the same ranks and data types.
class DML_SameSupport<DML_FeatureLevelCase fl, int min, int max,
                      DML_DataTypes dataTypes> : DML_Support<fl, []> {
  let sameLimitsCpp = DML_Limits<min, max, dataTypes>.limitsCpp;
}

/// An enum case that was introduced later than its operator. `caseSource` is
/// the page that documents the case, if it is not the operator's page.
class DML_EnumCaseSupport<EnumCase enumCase, DML_FeatureLevelCase fl,
                          string caseSource = ""> {
  EnumCase case = enumCase;
  DML_FeatureLevelCase level = fl;
  string source = caseSource;
}
def DML_FeatureLevelHistory {
  string source = "DirectML feature level history, https://learn.microsoft.com/"
                  "windows/ai/directml/dml-feature-level-history";
}

/// An attribute whose values, or kinds of values, were introduced at different
/// levels.
class DML_CasesSupport {
  /// The EnumCaseSupport of each case, in C++.
  list<string> casesCpp = [];
  /// C++ statements that return the case of the attribute for an operation.
  string valueCpp = "";
}

/// A row of EnumCaseSupport in C++. `syntax` is the attribute in MLIR's syntax.
class DML_CaseCpp<string attribute, string caseName, int value, string syntax,
                  DML_FeatureLevelCase level, string source> {
  string cpp = "{\"" # attribute # "\", \"" # caseName # "\", " # value #
               ", \"" # syntax # "\", ::dml::FeatureLevel::" # level.symbol #
               ", \"" # source # "\"}";
}

/// The enum attribute `attributeName` of an operator. A case that is not in
/// `laterCases` was introduced together with the operator.
class DML_EnumSupport<string attributeName, EnumAttr attribute,
                      list<DML_EnumCaseSupport> laterCases = []>
    : DML_CasesSupport {
  let casesCpp = !foreach(c, attribute.enum.enumerants,
      "{\"" # attributeName # "\", \"" # c.str # "\", " # c.value # ", \"#" #
      attribute.dialect.name # "." # attribute.mnemonic # "<" # c.str #
      ">\", ::dml::FeatureLevel::" #
      !foldl("fl_1_0, \"\"", laterCases, found, later,
             !if(!eq(later.case.str, c.str),
                 later.level.symbol # ", \"" # later.source # "\"", found)) # "}");
  // The attribute is looked up by name, since the generated getter requires a
  // verified operation.
  let valueCpp = "if (attribute == \"" # attributeName # "\")\n" #
      "  if (auto value = getProperties()." # attributeName # ")\n" #
      "    return static_cast<uint32_t>(value.getValue());\n";
}

/// An enum attribute of which the operator only supports some cases, all
/// introduced together with the operator. The operator's verifier rejects other
/// cases, with a more precise message than the table would give.
class DML_EnumSubset<string attributeName, EnumAttr attribute,
                     list<EnumCase> cases> : DML_CasesSupport {
  let casesCpp = !foreach(c, cases,
      DML_CaseCpp<attributeName, c.str, c.value, "#" # attribute.dialect.name #
                  "." # attribute.mnemonic # "<" # c.str # ">", FL_1_0, "">.cpp);
  let valueCpp = "if (attribute == \"" # attributeName # "\")\n" #
      "  if (auto value = getProperties()." # attributeName # ")\n" #
      "    if (auto number = static_cast<uint32_t>(value.getValue());\n" #
      "        getOperatorSupport().getEnumCase(attribute, number))\n" #
      "      return number;\n";
}

/// A condition that levels before `level` do not accept, although their tables
/// permit the rank and type of each tensor. `condition` is a C++ expression on
/// `op`, the operation as FeatureLevelOpInterface, which may not have been
/// verified. `found` describes operations that meet the condition, and `wanted`
/// describes what the older levels require. With the found "one of scale and
/// bias is absent" and the wanted "both or neither", an error reads "one of
/// scale and bias is absent, but feature level 5_1 wants both or neither (this
/// needs 5_2)".
class DML_Rule<string ruleName, string found, string wanted,
               DML_FeatureLevelCase level, string cppCondition> {
  string cpp = "{\"" # ruleName # "\", \"" # found # "\", \"" # wanted #
               "\", ::dml::FeatureLevel::" # level.symbol # "}";
  string condition = cppCondition;
}

/// `names` as an array of strings in C++.
class DML_NamesCpp<list<string> names> {
  string cpp = "{\"" # !interleave(names, "\", \"") # "\"}";
}

/// Before `level`, the optional operands `names` must be both present or both
/// absent.
class DML_TogetherRule<list<string> names, DML_FeatureLevelCase level>
    : DML_Rule<!interleave(names, "_and_") # "_together",
               "one of " # !interleave(names, " and ") # " is absent",
               "both or neither", level,
               "::dml::detail::isAnyAbsent(op, " # DML_NamesCpp<names>.cpp #
               ") && !::dml::detail::areAllAbsent(op, " #
               DML_NamesCpp<names>.cpp # ")">;

/// Before `level`, all tensors must have the same rank.
class DML_EqualRanksRule<DML_FeatureLevelCase level>
    : DML_Rule<"equal_ranks", "the tensors have different ranks", "equal ranks",
               level, "::dml::detail::haveDifferentRanks(op)">;

/// Before `level`, the tensors `names` must have the same element type.
class DML_EqualTypesRule<list<string> names, DML_FeatureLevelCase level>
    : DML_Rule<"equal_element_types",
               !interleave(names, " and ") # " have different element types",
               "equal ones", level,
               "::dml::detail::haveDifferentTypes(op, " #
               DML_NamesCpp<names>.cpp # ")">;

/// Before `level`, the operands `names` must have the sizes of `input` in the
/// dimensions `dims`. From `level` on, a size of 1 is broadcast in these
/// dimensions. Negative dimensions are counted from the end. `dimensions` is
/// the text for all of them. The rule only applies if `also`, a condition in
/// C++, is true.
class DML_NotRepeatedRule<list<string> names, list<int> dims, string dimensions,
                          DML_FeatureLevelCase level, string also = "true",
                          string alsoFound = "">
    : DML_Rule<"whole_" # !interleave(names, "_and_"),
               !interleave(names, " or ") # " repeats elements along " #
               dimensions # alsoFound,
               "the sizes of input there", level,
               also # " && ::dml::detail::areRepeated(op, " #
               DML_NamesCpp<names>.cpp # ", {" # !interleave(dims, ", ") # "})">;

/// An array attribute with the constraints that generic code verifies
/// (ArraySupport). The bounds are inclusive and apply to integers; the bounds
/// of axes follow from the rank. `neutral` is the value for a dimension that
/// the operator does not change, or "" if there is none.
class DML_Array<string attributeName, string arrayKind, string tensorName,
                int firstDim, int count, int minimum, int maximum,
                string neutralValue> {
  string cpp = "{\"" # attributeName # "\", ::dml::ArraySupport::Kind::" #
      arrayKind # ", \"" # tensorName # "\", " # firstDim # ", " # count # ", " #
      minimum # ", " # maximum # ", " #
      !if(!empty(neutralValue), "std::nullopt",
          "int64_t(" # neutralValue # ")") # "}";
}

/// An array with one value for each dimension of `tensor` from `first` on.
class DML_DimensionArray<string attributeName, string neutral, int first = 0,
                         int minimum = 0, string tensor = "input",
                         int maximum = 4294967295>
    : DML_Array<attributeName, "PerDimension", tensor, first, 0, minimum,
                maximum, neutral>;

/// An array of distinct dimensions of `tensor`.
class DML_AxesArray<string attributeName, string tensor = "input">
    : DML_Array<attributeName, "Axes", tensor, 0, 0, 0, 7, "">;

/// An array of `count` values.
class DML_FixedArray<string attributeName, int count, int minimum = 0,
                     int maximum = 4294967295>
    : DML_Array<attributeName, "Fixed", "", 0, count, minimum, maximum, "">;

/// An array with any number of values, which the operator's verifier checks.
class DML_FreeArray<string attributeName, int minimum = 0,
                    int maximum = 4294967295>
    : DML_Array<attributeName, "Free", "", 0, 0, minimum, maximum, "">;

#endif // DML_IR_FEATURELEVELS_TD
