//===- Constant.h - Tensors whose elements are known ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_READER_CONSTANT_H
#define DML_LIB_IMPORT_ONNX_READER_CONSTANT_H

#include "Reader/Model.h"
#include "Support/Builder.h"
#include "Support/ExternalFiles.h"
#include "dml/IR/DML.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace dml::onnx {

using Shape = llvm::SmallVector<int64_t>;

/// Bytes of an element in memory: elements of four bits have one each.
unsigned getByteWidth(DataType type);

/// Whether elements have four bits. Files hold two of them in a byte, the first
/// in its low half.
inline bool isFourBits(DataType type) {
  return type == DataType::UINT4 || type == DataType::INT4;
}

/// Calls `function` with a 0 of the C++ type that holds an element of `type` in
/// memory: uint16_t for a half, and uint8_t for four bits.
template <typename Function>
auto dispatchType(DataType type, Function function) {
  switch (type) {
  case DataType::FLOAT16:
  case DataType::UINT16:
    return function(uint16_t());
  case DataType::FLOAT32:
    return function(float());
  case DataType::FLOAT64:
    return function(double());
  case DataType::UINT4:
  case DataType::INT4:
  case DataType::UINT8:
    return function(uint8_t());
  case DataType::INT8:
    return function(int8_t());
  case DataType::INT16:
    return function(int16_t());
  case DataType::UINT32:
    return function(uint32_t());
  case DataType::INT32:
    return function(int32_t());
  case DataType::UINT64:
    return function(uint64_t());
  case DataType::INT64:
    return function(int64_t());
  }
  llvm_unreachable("unknown data type");
}

/// The data type of TensorProto.DataType `type`: bool is ui8. Nothing for those
/// that DirectML has none for.
std::optional<DataType> toDataType(int32_t type);

/// Whether TensorProto.DataType `type` is bool, of which each is one byte.
inline bool isBoolType(int64_t type) { return type == 9; }
/// The half that is nearest to a number, and the number that a half is.
uint16_t toHalf(double value);
double fromHalf(uint16_t bits);

/// "float", "bfloat16": a TensorProto.DataType by its name.
std::string describeONNXType(int32_t type);

/// The TensorProto.DataType of the name "FLOAT" or "BOOL", or 0.
int32_t findONNXType(llvm::StringRef name);

/// The number of elements of `shape`; nothing if that is not a number of 32
/// bits, which DirectML's tensors are limited to.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// "2x3", or "scalar".
std::string describeShape(llvm::ArrayRef<int64_t> shape);

/// A tensor whose elements are known: views of the file, or a few numbers.
class Constant {
public:
  /// All elements, or the one that all of them equal.
  Constant(DataType type, Shape shape, llvm::ArrayRef<char> data,
           std::shared_ptr<const void> owner)
      : type(type), shape(std::move(shape)), data(data),
        owner(std::move(owner)) {}

  /// A constant of few elements, which are converted as ONNX's Cast does.
  static Constant get(DataType type, Shape shape,
                      llvm::ArrayRef<int64_t> elements);
  static Constant get(DataType type, Shape shape,
                      llvm::ArrayRef<double> elements);

  /// `rows` of elements of four bits, each of which begins with a byte of
  /// `packed`; there are as many bytes as they take.
  static Constant unpack(DataType type, Shape shape, int64_t rows,
                         llvm::ArrayRef<char> packed);

  DataType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return *countElements(shape); }
  bool isSplat() const;
  /// Whether the elements become a resource, which lives as long as the
  /// module's context.
  bool isResource() const {
    // MLIR does not say how a resource holds elements of four bits.
    return !isSplat() && data.size() > reader::maxInlineBytes &&
           !isFourBits(type);
  }
  const char *getData() const { return data.data(); }
  bool isFloat() const {
    return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
           type == DataType::FLOAT64;
  }

  /// Whether the elements are few enough to compute with while importing.
  bool isFoldable() const { return getNumElements() <= maxFoldable; }
  static constexpr int64_t maxFoldable = 1 << 16;

  /// The elements of a foldable constant: of integers, or as doubles.
  llvm::SmallVector<int64_t> getIntegers() const;
  llvm::SmallVector<double> getFloats() const;

  /// The same elements in another shape.
  Constant reshape(Shape newShape) const {
    return Constant(type, std::move(newShape), data, owner);
  }
  /// The one element that all are, as often as `newShape` says.
  Constant splat(Shape newShape) const {
    return Constant(type, std::move(newShape),
                    data.take_front(getByteWidth(type)), owner);
  }

  /// Builds the constant as a tensor of the shape `physical`, which has as many
  /// elements. The elements stay where they are, but for a few.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<int64_t> physical,
                          llvm::StringRef name) const;

private:
  DataType type;
  Shape shape;
  llvm::ArrayRef<char> data;
  std::shared_ptr<const void> owner;
};

/// Reads a TensorProto, whose elements are in the model's file, which `owner`
/// holds, or in one beside it. Fails where they are not as many as its dims and
/// type say.
llvm::Expected<Constant> readConstant(const TensorProto &tensor,
                                      std::shared_ptr<const void> owner,
                                      reader::ExternalFiles &files);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_CONSTANT_H
