//===- DataType.cpp - Names and sizes of data types and features ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DataType.h"

#include "executable_generated.h"

using namespace dml::runtime;
namespace fb = dml::executable;

const char *dmlGetDataTypeName(DmlDataType type) {
  switch (type) {
  case DML_DATA_TYPE_FLOAT32:
    return "f32";
  case DML_DATA_TYPE_FLOAT16:
    return "f16";
  case DML_DATA_TYPE_UINT32:
    return "ui32";
  case DML_DATA_TYPE_UINT16:
    return "ui16";
  case DML_DATA_TYPE_UINT8:
    return "ui8";
  case DML_DATA_TYPE_INT32:
    return "i32";
  case DML_DATA_TYPE_INT16:
    return "i16";
  case DML_DATA_TYPE_INT8:
    return "i8";
  case DML_DATA_TYPE_FLOAT64:
    return "f64";
  case DML_DATA_TYPE_UINT64:
    return "ui64";
  case DML_DATA_TYPE_INT64:
    return "i64";
  case DML_DATA_TYPE_UINT4:
    return "ui4";
  case DML_DATA_TYPE_INT4:
    return "i4";
  case DML_DATA_TYPE_UNKNOWN:
  case DML_DATA_TYPE_MAX_ENUM:
    break;
  }
  return "unknown";
}

size_t dmlGetDataTypeBits(DmlDataType type) {
  switch (type) {
  case DML_DATA_TYPE_FLOAT64:
  case DML_DATA_TYPE_UINT64:
  case DML_DATA_TYPE_INT64:
    return 64;
  case DML_DATA_TYPE_FLOAT32:
  case DML_DATA_TYPE_UINT32:
  case DML_DATA_TYPE_INT32:
    return 32;
  case DML_DATA_TYPE_FLOAT16:
  case DML_DATA_TYPE_UINT16:
  case DML_DATA_TYPE_INT16:
    return 16;
  case DML_DATA_TYPE_UINT8:
  case DML_DATA_TYPE_INT8:
    return 8;
  case DML_DATA_TYPE_UINT4:
  case DML_DATA_TYPE_INT4:
    return 4;
  case DML_DATA_TYPE_UNKNOWN:
  case DML_DATA_TYPE_MAX_ENUM:
    break;
  }
  return 0;
}

size_t dmlGetDataTypeSize(DmlDataType type) {
  return dmlGetDataTypeBits(type) / 8;
}

// The enum of the public header is that of the table.
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  static_assert(DML_FEATURE_##CONSTANT##_BIT == 1 << (NUMBER),                 \
                "DML_FEATURE_" #CONSTANT "_BIT differs from " #NAME            \
                " in Features.def");
#include "Features.def"
static_assert(DML_FEATURE_ALL ==
                  (2 << static_cast<unsigned>(fb::Feature::MAX)) - 1,
              "DML_FEATURE_ALL differs from the features in Features.def");

const char *dmlGetFeatureName(DmlFeatureFlagBits feature) {
  for (fb::Feature value : fb::EnumValuesFeature())
    if (feature == 1 << static_cast<unsigned>(value))
      return fb::EnumNameFeature(value);
  return nullptr;
}

std::string dml::runtime::describeFeatures(DmlFeatureFlags features) {
  std::string names;
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1)
    if (features & bit) {
      if (!names.empty())
        names += ", ";
      names += dmlGetFeatureName(static_cast<DmlFeatureFlagBits>(bit));
    }
  return names;
}

std::string dml::runtime::describeMatrixShape(const DmlMatrixShape &shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns) +
         "x" + std::to_string(shape.terms) + "x" +
         dmlGetDataTypeName(shape.factors) + "x" +
         dmlGetDataTypeName(shape.sums);
}

bool dml::runtime::areEqual(const DmlMatrixShape &a, const DmlMatrixShape &b) {
  return a.rows == b.rows && a.columns == b.columns && a.terms == b.terms &&
         a.factors == b.factors && a.sums == b.sums;
}

std::string dml::runtime::describeApiVersion(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version));
}
