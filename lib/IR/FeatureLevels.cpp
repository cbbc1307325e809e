//===- FeatureLevels.cpp - What DirectML supports at each level -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/FeatureLevels.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

#include "dml/IR/DMLEnums.cpp.inc"

namespace dml {

const LevelSupport *OperatorSupport::getRow(FeatureLevel level) const {
  const LevelSupport *row = llvm::find_if(
      levels, [&](const LevelSupport &row) { return row.level <= level; });
  return row == levels.end() ? nullptr : row;
}

llvm::StringRef getFeatureLevelNumber(FeatureLevel level) {
  llvm::StringRef name = stringifyFeatureLevel(level);
  name.consume_front("fl_");
  return name;
}

std::optional<DataType> getDataType(Type elementType) {
  if (elementType.isF64())
    return DataType::FLOAT64;
  if (elementType.isF32())
    return DataType::FLOAT32;
  if (elementType.isF16())
    return DataType::FLOAT16;
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || integer.isSigned())
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 64:
    return isUnsigned ? DataType::UINT64 : DataType::INT64;
  case 32:
    return isUnsigned ? DataType::UINT32 : DataType::INT32;
  case 16:
    return isUnsigned ? DataType::UINT16 : DataType::INT16;
  case 8:
    return isUnsigned ? DataType::UINT8 : DataType::INT8;
  default:
    return std::nullopt;
  }
}

Type getElementType(DataType type, MLIRContext *context) {
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case DataType::FLOAT64:
    return Float64Type::get(context);
  case DataType::FLOAT32:
    return Float32Type::get(context);
  case DataType::FLOAT16:
    return Float16Type::get(context);
  case DataType::INT64:
    return IntegerType::get(context, 64);
  case DataType::INT32:
    return IntegerType::get(context, 32);
  case DataType::INT16:
    return IntegerType::get(context, 16);
  case DataType::INT8:
    return IntegerType::get(context, 8);
  case DataType::UINT64:
    return unsignedType(64);
  case DataType::UINT32:
    return unsignedType(32);
  case DataType::UINT16:
    return unsignedType(16);
  case DataType::UINT8:
    return unsignedType(8);
  }
  llvm_unreachable("unknown data type");
}

} // namespace dml
