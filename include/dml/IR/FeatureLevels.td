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
class DML_FeatureLevelCase<int major, int minor>
    : I32EnumAttrCase<"fl_" # major # "_" # minor,
                      !add(!shl(major, 12), !shl(minor, 8))>;

def FL_1_0 : DML_FeatureLevelCase<1, 0>;
def FL_2_0 : DML_FeatureLevelCase<2, 0>;
def FL_2_1 : DML_FeatureLevelCase<2, 1>;
def FL_3_0 : DML_FeatureLevelCase<3, 0>;
def FL_3_1 : DML_FeatureLevelCase<3, 1>;
def FL_4_0 : DML_FeatureLevelCase<4, 0>;
def FL_4_1 : DML_FeatureLevelCase<4, 1>;
def FL_5_0 : DML_FeatureLevelCase<5, 0>;
def FL_5_1 : DML_FeatureLevelCase<5, 1>;
def FL_5_2 : DML_FeatureLevelCase<5, 2>;
def FL_6_0 : DML_FeatureLevelCase<6, 0>;
def FL_6_1 : DML_FeatureLevelCase<6, 1>;
def FL_6_2 : DML_FeatureLevelCase<6, 2>;
def FL_6_3 : DML_FeatureLevelCase<6, 3>;
def FL_6_4 : DML_FeatureLevelCase<6, 4>;

def DML_FeatureLevel : I32EnumAttr<"FeatureLevel", "DirectML feature level",
    [FL_1_0, FL_2_0, FL_2_1, FL_3_0, FL_3_1, FL_4_0, FL_4_1, FL_5_0, FL_5_1,
     FL_5_2, FL_6_0, FL_6_1, FL_6_2, FL_6_3, FL_6_4]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

/// One DML_TENSOR_DATA_TYPE; the value is DirectML's own.
class DML_DataTypeCase<string name, int val> : I32EnumAttrCase<name, val>;

def DML_FLOAT32 : DML_DataTypeCase<"FLOAT32", 1>;
def DML_FLOAT16 : DML_DataTypeCase<"FLOAT16", 2>;
def DML_UINT32 : DML_DataTypeCase<"UINT32", 3>;
def DML_UINT16 : DML_DataTypeCase<"UINT16", 4>;
def DML_UINT8 : DML_DataTypeCase<"UINT8", 5>;
def DML_INT32 : DML_DataTypeCase<"INT32", 6>;
def DML_INT16 : DML_DataTypeCase<"INT16", 7>;
def DML_INT8 : DML_DataTypeCase<"INT8", 8>;
def DML_FLOAT64 : DML_DataTypeCase<"FLOAT64", 9>;
def DML_UINT64 : DML_DataTypeCase<"UINT64", 10>;
def DML_INT64 : DML_DataTypeCase<"INT64", 11>;

def DML_DataType : I32EnumAttr<"DataType", "DirectML tensor data type",
    [DML_FLOAT32, DML_FLOAT16, DML_UINT32, DML_UINT16, DML_UINT8, DML_INT32,
     DML_INT16, DML_INT8, DML_FLOAT64, DML_UINT64, DML_INT64]> {
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
def DML_AllDataTypes : DML_DataTypes<
    DML_AllButFloat64.types # [DML_FLOAT64]>;

//===----------------------------------------------------------------------===//
// Support tables
//===----------------------------------------------------------------------===//

/// What one tensor of an operator may be at one level.
class DML_TensorSupport<string name, int min, int max, DML_DataTypes dataTypes> {
  string tensor = name;
  int minRank = min;
  int maxRank = max;
  list<DML_DataTypeCase> types = dataTypes.types;

  string cpp = "{\"" # name # "\", " # min # ", " # max # ", " #
      !interleave(!foreach(t, dataTypes.types,
                           "dataTypeBit(::dml::DataType::" # t.symbol # ")"),
                  " | ") # "}";
}

/// One row of an operator's table: what its tensors may be from `level` on, until
/// a newer row replaces it. Tensors stand in the order of the operands, then the
/// results.
class DML_Support<DML_FeatureLevelCase fl, list<DML_TensorSupport> ts> {
  DML_FeatureLevelCase level = fl;
  list<DML_TensorSupport> tensors = ts;

  string arrayName = fl.symbol # "Tensors";
  string arrayCpp = "static constexpr ::dml::TensorSupport " # arrayName #
      "[] = {" # !interleave(!foreach(t, ts, t.cpp), ", ") # "};\n";
  string cpp = "{::dml::FeatureLevel::" # fl.symbol # ", " # arrayName # "}";
}

/// The common row: every named tensor has the same ranks and data types.
class DML_SameSupport<DML_FeatureLevelCase fl, list<string> tensors, int min,
                      int max, DML_DataTypes dataTypes>
    : DML_Support<fl, !foreach(t, tensors,
                               DML_TensorSupport<t, min, max, dataTypes>)>;

/// An enum case that came later than its operator.
class DML_EnumCaseSupport<I32EnumAttrCase enumCase, DML_FeatureLevelCase fl> {
  I32EnumAttrCase case = enumCase;
  DML_FeatureLevelCase level = fl;
}

/// The cases of one enum attribute that only newer levels have.
class DML_EnumSupport<string attributeName, list<DML_EnumCaseSupport> laterCases> {
  string attribute = attributeName;
  list<DML_EnumCaseSupport> cases = laterCases;

  string cpp = !interleave(!foreach(c, laterCases,
      "{\"" # attributeName # "\", \"" # c.case.str # "\", " # c.case.value #
      ", ::dml::FeatureLevel::" # c.level.symbol # "}"), ", ");
  string valueCpp = "if (attribute == \"" # attributeName # "\")\n" #
      "  return static_cast<uint32_t>(get" #
      !toupper(!substr(attributeName, 0, 1)) # !substr(attributeName, 1) #
      "());\n";
}

#endif // DML_IR_FEATURELEVELS_TD
