//===- Tensor.h - Tensors in host memory ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_TENSOR_H
#define DML_REFERENCE_TENSOR_H

#include "dml/IR/FeatureLevels.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"
#include <memory>
#include <vector>

namespace dml::reference {

/// Returns the number of bytes for each element of a Tensor, in which a 4-bit
/// element occupies a whole byte.
unsigned getByteWidth(DataType type);
/// Returns the number of bits in an element.
unsigned getBitWidth(DataType type);

/// Returns the bits of the f16 nearest to `value` (ties to even, infinity
/// beyond the range of f16).
uint16_t convertToHalf(float value);
/// Returns the value of an f16 with the given bits.
float convertFromHalf(uint16_t bits);

/// Returns the number of elements of a shape, or nothing if it exceeds 64 bits.
std::optional<int64_t> getNumElements(llvm::ArrayRef<int64_t> shape);

/// A row-major tensor in host memory, little-endian as everywhere in DirectML.
/// Copies share their elements: only the creator of a tensor writes the
/// elements, and afterwards the tensor is read-only. A 4-bit element is stored
/// in the low bits of a byte, whose upper bits are 0.
class Tensor {
public:
  /// Creates a tensor of zeros. Fails if there is not enough memory.
  static llvm::FailureOr<Tensor> create(DataType dataType,
                                        llvm::ArrayRef<int64_t> shape);

  /// Creates a tensor with the elements `values`, for tests and tools. The
  /// number of `values` must match the shape.
  template <typename T>
  static Tensor of(DataType dataType, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<T> values);

  DataType getDataType() const { return dataType; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  unsigned getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }
  size_t getNumBytes() const { return numElements * getByteWidth(dataType); }

  char *getData() { return elements.get(); }
  const char *getData() const { return elements.get(); }

  /// getNumPackedBytes() and pack() return the size and the contents of the
  /// tensor as executables and files store it: 4-bit elements are packed two to
  /// a byte, with the first element in the low half.
  size_t getNumPackedBytes() const;
  std::vector<char> pack() const;
  /// Sets the elements from `bytes`, which pack() has returned.
  void unpack(llvm::ArrayRef<char> bytes);

  /// Returns the same elements with another shape, or with another type of
  /// equal width.
  Tensor view(DataType newType, llvm::ArrayRef<int64_t> newShape) const;

  /// Returns an element as a double. The result is exact except for 64-bit
  /// integers beyond 2^53.
  double getNumber(int64_t index) const;
  /// Stores the nearest value that the element type can represent (ties to
  /// even). Integers saturate, and store NaN as 0.
  void setNumber(int64_t index, double value);

  /// Returns an element of an integer type.
  __int128 getInteger(int64_t index) const;
  /// Stores the low bits of `value`.
  void setInteger(int64_t index, __int128 value);

private:
  Tensor(DataType dataType, llvm::ArrayRef<int64_t> shape, int64_t numElements,
         std::shared_ptr<char> elements)
      : dataType(dataType), shape(shape), numElements(numElements),
        elements(std::move(elements)) {}

  DataType dataType;
  llvm::SmallVector<int64_t> shape;
  int64_t numElements;
  std::shared_ptr<char> elements;
};

/// Calls `callback` with each coordinate of `shape`, in row-major order.
void forEachCoordinate(
    llvm::ArrayRef<int64_t> shape,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> callback);

/// Copies elements from `input` to `output`, which have equal ranks and data
/// types: `output[o]` becomes `input[i]`, where `i` is source(dim, o) in each
/// dimension. If the source is `outsideOfInput` in some dimension, `output[o]`
/// becomes `fill`, the bytes of one element.
inline constexpr int64_t outsideOfInput = -1;
void gather(
    const Tensor &input, Tensor &output,
    llvm::function_ref<int64_t(unsigned dim, int64_t coordinate)> source,
    llvm::ArrayRef<char> fill = {});

template <typename T>
Tensor Tensor::of(DataType dataType, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<T> values) {
  llvm::FailureOr<Tensor> tensor = create(dataType, shape);
  for (auto [index, value] : llvm::enumerate(values))
    tensor->setNumber(index, static_cast<double>(value));
  return *tensor;
}

} // namespace dml::reference

#endif // DML_REFERENCE_TENSOR_H
