//===- DataType.cpp - Names and sizes of data types and features ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DataType.h"

using namespace dml::runtime;

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
    break;
  }
  return 0;
}

size_t dmlGetDataTypeSize(DmlDataType type) {
  return dmlGetDataTypeBits(type) / 8;
}

const char *dmlGetFeatureName(DmlFeatureFlagBits feature) {
  switch (feature) {
  case DML_FEATURE_SHADER_INT8_BIT:
    return "shaderInt8";
  case DML_FEATURE_SHADER_INT16_BIT:
    return "shaderInt16";
  case DML_FEATURE_SHADER_INT64_BIT:
    return "shaderInt64";
  case DML_FEATURE_SHADER_FLOAT16_BIT:
    return "shaderFloat16";
  case DML_FEATURE_SHADER_FLOAT64_BIT:
    return "shaderFloat64";
  case DML_FEATURE_STORAGE_BUFFER_8BIT_ACCESS_BIT:
    return "storageBuffer8BitAccess";
  case DML_FEATURE_STORAGE_BUFFER_16BIT_ACCESS_BIT:
    return "storageBuffer16BitAccess";
  case DML_FEATURE_SHADER_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32_BIT:
    return "shaderSignedZeroInfNanPreserveFloat32";
  case DML_FEATURE_ALL:
    break;
  }
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

std::string dml::runtime::describeApiVersion(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version));
}
