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

/// One DML_FEATURE_LEVEL; the value is DirectML's own (0x5100 is 5_1).
/// `directMLVersion` is the first widely released DirectML that supports the
/// level, `windowsRelease` the Windows that first carried that very DirectML as
/// a system component; empty where only the redistributable package has it.
/// Source: "DirectML version history" and "DirectML feature level history",
/// learn.microsoft.com/windows/ai/directml.
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
// DirectML 1.15 carries both levels: there is no DirectML 1.14.
def FL_6_3 : DML_FeatureLevelCase<6, 3, "1.15.0">;
def FL_6_4 : DML_FeatureLevelCase<6, 4, "1.15.0">;

/// All levels, oldest first.
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

/// One DML_TENSOR_DATA_TYPE; the value is DirectML's own, the string MLIR's.
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

/// The groups of data types that DirectML's tables are made of.
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
/// The types of 4 bits are left out, which two operators know.
def DML_AllDataTypes : DML_DataTypes<
    DML_AllButFloat64.types # [DML_FLOAT64]>;
def DML_OnlyFloat32 : DML_DataTypes<[DML_FLOAT32]>;
def DML_OnlyFloat16 : DML_DataTypes<[DML_FLOAT16]>;
def DML_OnlyInt32 : DML_DataTypes<[DML_INT32]>;
def DML_OnlyUInt32 : DML_DataTypes<[DML_UINT32]>;
def DML_OnlyUInt8 : DML_DataTypes<[DML_UINT8]>;
/// The types that the results of comparisons have.
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

/// What the tensor `tensorName` may be.
class DML_TensorSupport<string tensorName, int min, int max,
                        DML_DataTypes dataTypes>
    : DML_Limits<min, max, dataTypes> {
  string tensor = tensorName;
}

/// One row of an operator's table: what its tensors may be from `level` on, until
/// a newer row replaces it. Tensors stand in the order of the operands, then the
/// results.
class DML_Support<DML_FeatureLevelCase fl, list<DML_TensorSupport> ts> {
  DML_FeatureLevelCase level = fl;
  list<DML_TensorSupport> tensors = ts;

  /// The cases of the operator's `selector` that the row is for; empty for all.
  list<EnumCase> cases = [];
  string casesCpp = !if(!empty(cases), "~uint32_t(0)",
      !interleave(!foreach(c, cases, "uint32_t(1) << " # c.value), " | "));

  /// The limits of every tensor, where they are the same.
  string sameLimitsCpp = "";
}

/// The common row: all tensors have the same ranks and data types.
class DML_SameSupport<DML_FeatureLevelCase fl, int min, int max,
                      DML_DataTypes dataTypes> : DML_Support<fl, []> {
  let sameLimitsCpp = DML_Limits<min, max, dataTypes>.limitsCpp;
}

/// An enum case that came later than its operator; `caseSource` says where that
/// is written, if not on the operator's page.
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

/// An attribute whose values, or kinds of values, came at different levels.
class DML_CasesSupport {
  /// The EnumCaseSupport of each case.
  list<string> casesCpp = [];
  /// Statements that return an op's case of the attribute.
  string valueCpp = "";
}

/// A row of EnumCaseSupport; `syntax` is the attribute in MLIR's syntax.
class DML_CaseCpp<string attribute, string caseName, int value, string syntax,
                  DML_FeatureLevelCase level, string source> {
  string cpp = "{\"" # attribute # "\", \"" # caseName # "\", " # value #
               ", \"" # syntax # "\", ::dml::FeatureLevel::" # level.symbol #
               ", \"" # source # "\"}";
}

/// The enum attribute `attributeName` of an operator. A case that is not among
/// `laterCases` is as old as the operator.
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
  // The attribute is looked up by its name, since the generated getter wants an
  // op that is verified.
  let valueCpp = "if (attribute == \"" # attributeName # "\")\n" #
      "  if (auto value = getProperties()." # attributeName # ")\n" #
      "    return static_cast<uint32_t>(value.getValue());\n";
}

/// An enum attribute of which the operator has some cases only, all as old as the
/// operator. Its verifier refuses the others, and says more than the table does.
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

/// What levels before `level` do not take, although their tables list each
/// tensor's rank and type: an op for which `condition` holds, a C++ expression on
/// `op`, the op's FeatureLevelOpInterface, that may not be verified. `found` says of
/// such an op what it is, `wanted` what the older levels want. With the found "one
/// of scale and bias is absent" and the wanted "both or neither", an error reads
/// "one of scale and bias is absent, but feature level 5_1 wants both or neither
/// (this needs 5_2)".
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

/// Before `level`, the two optional operands `names` are both there or both absent.
class DML_TogetherRule<list<string> names, DML_FeatureLevelCase level>
    : DML_Rule<!interleave(names, "_and_") # "_together",
               "one of " # !interleave(names, " and ") # " is absent",
               "both or neither", level,
               "::dml::detail::isAnyAbsent(op, " # DML_NamesCpp<names>.cpp #
               ") && !::dml::detail::areAllAbsent(op, " #
               DML_NamesCpp<names>.cpp # ")">;

/// Before `level`, all tensors have one rank.
class DML_EqualRanksRule<DML_FeatureLevelCase level>
    : DML_Rule<"equal_ranks", "the tensors have different ranks", "equal ranks",
               level, "::dml::detail::haveDifferentRanks(op)">;

/// Before `level`, the tensors `names` have one element type.
class DML_EqualTypesRule<list<string> names, DML_FeatureLevelCase level>
    : DML_Rule<"equal_element_types",
               !interleave(names, " and ") # " have different element types",
               "equal ones", level,
               "::dml::detail::haveDifferentTypes(op, " #
               DML_NamesCpp<names>.cpp # ")">;

/// Before `level`, the operands `names` must have the sizes of `input` in the
/// dimensions `dims`. From `level` on, a size of 1 repeats one element there.
/// Dimensions below 0 are counted from the end, and `dimensions` names them all.
/// The rule holds where `also`, a condition in C++, is true.
class DML_NotRepeatedRule<list<string> names, list<int> dims, string dimensions,
                          DML_FeatureLevelCase level, string also = "true",
                          string alsoFound = "">
    : DML_Rule<"whole_" # !interleave(names, "_and_"),
               !interleave(names, " or ") # " repeats elements along " #
               dimensions # alsoFound,
               "the sizes of input there", level,
               also # " && ::dml::detail::areRepeated(op, " #
               DML_NamesCpp<names>.cpp # ", {" # !interleave(dims, ", ") # "})">;

/// An array attribute, and what generic code verifies of it (ArraySupport). The
/// bounds are inclusive and hold for integers; those of axes follow from the
/// rank. The `neutral` value leaves a dimension as it is; "" where there is none.
class DML_Array<string attributeName, string arrayKind, string tensorName,
                int firstDim, int count, int minimum, int maximum,
                string neutralValue> {
  string cpp = "{\"" # attributeName # "\", ::dml::ArraySupport::Kind::" #
      arrayKind # ", \"" # tensorName # "\", " # firstDim # ", " # count # ", " #
      minimum # ", " # maximum # ", " #
      !if(!empty(neutralValue), "std::nullopt",
          "int64_t(" # neutralValue # ")") # "}";
}

/// An array of one value for each dimension of `tensor` from `first` on.
class DML_DimensionArray<string attributeName, string neutral, int first = 0,
                         int minimum = 0, string tensor = "input",
                         int maximum = 4294967295>
    : DML_Array<attributeName, "PerDimension", tensor, first, 0, minimum,
                maximum, neutral>;

/// Distinct dimensions of `tensor`.
class DML_AxesArray<string attributeName, string tensor = "input">
    : DML_Array<attributeName, "Axes", tensor, 0, 0, 0, 7, "">;

/// `count` values.
class DML_FixedArray<string attributeName, int count, int minimum = 0,
                     int maximum = 4294967295>
    : DML_Array<attributeName, "Fixed", "", 0, count, minimum, maximum, "">;

/// An array of any number of values, of which the operator's verifier decides.
class DML_FreeArray<string attributeName, int minimum = 0,
                    int maximum = 4294967295>
    : DML_Array<attributeName, "Free", "", 0, 0, minimum, maximum, "">;

#endif // DML_IR_FEATURELEVELS_TD
