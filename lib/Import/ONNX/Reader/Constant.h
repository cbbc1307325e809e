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
#include "Support/TensorSource.h"
#include "dml/IR/DML.h"
#include "dml/IR/FileMemory.h"
#include <memory>

namespace dml::onnx {

using Shape = llvm::SmallVector<int64_t>;

/// Returns the number of bytes of an element in memory. 4-bit elements occupy a
/// whole byte, except in a packed Constant.
unsigned getByteWidth(DataType type);

/// Whether elements have 4 bits. Files store two of them in each byte, with the
/// first one in the low half.
inline bool isFourBits(DataType type) {
  return type == DataType::UINT4 || type == DataType::INT4;
}

/// Calls `function` with a 0 of the C++ type that stores an element of `type`:
/// uint16_t for a half, and uint8_t for 4-bit elements.
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

/// Returns the data type for the TensorProto.DataType `type`, which is ui8 for
/// bool. Returns nothing for types that DirectML does not support.
std::optional<DataType> toDataType(int32_t type);

/// Whether the TensorProto.DataType `type` is bool. A bool is stored as one
/// byte.
inline bool isBoolType(int64_t type) { return type == 9; }
/// Return the half nearest to a number, and the value of a half.
uint16_t toHalf(double value);
double fromHalf(uint16_t bits);

/// Returns the name of a TensorProto.DataType, such as "float" or "bfloat16".
std::string describeONNXType(int32_t type);

/// Returns the TensorProto.DataType with a name such as "FLOAT" or "BOOL", or
/// 0.
int32_t findONNXType(llvm::StringRef name);

/// Returns the number of elements of `shape`, or nothing if it exceeds 32 bits,
/// which is the limit for DirectML's tensors.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// Returns a description such as "2x3" or "scalar".
std::string describeShape(llvm::ArrayRef<int64_t> shape);

/// A tensor with known elements, which are a view of the file or a few numbers.
/// 4-bit elements are a view of the file as well, two to a byte, if they have
/// more bytes than an attribute may have: such a constant is packed.
class Constant {
public:
  /// Creates a constant. `data` contains all elements, or a single one to which
  /// all are equal.
  Constant(DataType type, Shape shape, llvm::ArrayRef<char> data,
           std::shared_ptr<const void> owner)
      : type(type), shape(std::move(shape)), data(data),
        owner(std::move(owner)) {}

  /// Creates a constant with the 4-bit elements that `data` has two to a byte,
  /// the first in the low half. The number of bytes must match.
  static Constant getFourBits(DataType type, Shape shape,
                              llvm::ArrayRef<char> data,
                              std::shared_ptr<const void> owner);

  /// Creates a constant with a few elements, which are converted as by ONNX's
  /// Cast.
  static Constant get(DataType type, Shape shape,
                      llvm::ArrayRef<int64_t> elements);
  static Constant get(DataType type, Shape shape,
                      llvm::ArrayRef<double> elements);

  DataType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return *countElements(shape); }
  bool isSplat() const;
  /// Whether the elements become a resource, which exists as long as the
  /// module's context.
  bool isResource() const {
    return !isSplat() && getNumStoredBytes() > reader::maxInlineBytes;
  }
  /// Returns the address of the elements, which identifies this constant. The
  /// elements may not have been read yet.
  const char *getAddress() const { return data.data(); }
  const char *getData() const {
    FileMemory::want(data);
    return data.data();
  }
  /// Returns the bytes of this constant, which has elements of 8 bits, as 4-bit
  /// elements with the shape `newShape`, two to a byte. Returns nothing if one
  /// byte with two different elements is repeated more often than a foldable
  /// constant may have bytes.
  std::optional<Constant> viewAsFourBits(DataType newType,
                                         Shape newShape) const;
  /// Returns the same constant with 4-bit elements as materialize() wants them:
  /// two to a byte if the constant is a resource, else a byte for each.
  Constant getStored() const;
  /// Returns the same constant with a byte for each 4-bit element. The constant
  /// must be foldable, so that the copy is small.
  Constant unpack() const;
  bool isFloat() const {
    return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
           type == DataType::FLOAT64;
  }

  /// Whether there are few enough elements to evaluate nodes with them during
  /// import.
  bool isFoldable() const { return getNumElements() <= maxFoldable; }
  static constexpr int64_t maxFoldable = 1 << 16;

  /// Return the elements of a foldable constant as integers, or as doubles.
  llvm::SmallVector<int64_t> getIntegers() const;
  llvm::SmallVector<double> getFloats() const;

  /// Returns the same elements with another shape.
  Constant reshape(Shape newShape) const {
    Constant result = *this;
    result.shape = std::move(newShape);
    return result;
  }
  /// Returns a constant with the shape `newShape` whose elements are all equal
  /// to this one's only element.
  Constant splat(Shape newShape) const {
    return Constant(type, std::move(newShape),
                    data.take_front(getByteWidth(type)), owner);
  }

  /// Builds the constant as a tensor with the shape `physical`, which has
  /// equally many elements. The constant must be stored as by getStored().
  /// Apart from small constants, the elements are not copied.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<int64_t> physical,
                          llvm::StringRef name) const;

private:
  /// The number of bytes in a module. There, 4-bit elements of a resource are
  /// two to a byte.
  size_t getNumStoredBytes() const {
    return isFourBits(type) && !isPacked ? (data.size() + 1) / 2 : data.size();
  }
  DataType type;
  Shape shape;
  llvm::ArrayRef<char> data;
  std::shared_ptr<const void> owner;
  bool isPacked = false;
};

/// What the constants of a model are read from.
struct ConstantReader {
  /// Keeps the model's file open, or what a built model refers to.
  std::shared_ptr<const void> owner;
  /// The files beside the model.
  reader::ExternalFiles files;
  /// Gets the places of tensors of a built model, where it is not null.
  std::vector<reader::TensorPlace> *places;

  /// Reads a tensor. Returns an error if the number of elements does not match
  /// its dims and type.
  llvm::Expected<Constant> read(const TensorProto &tensor);
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_CONSTANT_H
