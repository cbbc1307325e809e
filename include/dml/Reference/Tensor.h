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

/// Bytes of one element in a Tensor, in which one of 4 bits has a byte of its
/// own.
unsigned getByteWidth(DataType type);
/// Bits of one element.
unsigned getBitWidth(DataType type);

/// The nearest f16 (halves to even, infinity beyond its range), as its bits.
uint16_t convertToHalf(float value);
/// The value of an f16.
float convertFromHalf(uint16_t bits);

/// The number of elements of a shape, if it fits 64 bits.
std::optional<int64_t> getNumElements(llvm::ArrayRef<int64_t> shape);

/// A row-major tensor in host memory, little-endian as everywhere in DirectML.
/// Copies share their elements: whoever creates a tensor fills it, and from
/// then on it is read only. Elements of 4 bits are the low ones of a byte,
/// whose upper ones are 0.
class Tensor {
public:
  /// A tensor of zeros. Fails where there is not enough memory.
  static llvm::FailureOr<Tensor> create(DataType dataType,
                                        llvm::ArrayRef<int64_t> shape);

  /// A tensor of these elements, for tests and tools. `values` has as many as
  /// the shape asks for.
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

  /// The bytes in which executables and files have the elements: those of 4
  /// bits are two to a byte, the first in the low half.
  size_t getNumPackedBytes() const;
  std::vector<char> pack() const;
  /// Takes the elements from as many bytes.
  void unpack(llvm::ArrayRef<char> bytes);

  /// The same elements seen as another shape or as another type of the same
  /// width.
  Tensor view(DataType newType, llvm::ArrayRef<int64_t> newShape) const;

  /// An element as a number. Exact but for 64-bit integers beyond 2^53.
  double getNumber(int64_t index) const;
  /// Stores the nearest value that the element type has: halves to even,
  /// saturating for integers, which store NaN as 0.
  void setNumber(int64_t index, double value);

  /// An element of an integer type.
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

/// Calls `callback` with every coordinate of `shape`, in row-major order.
void forEachCoordinate(
    llvm::ArrayRef<int64_t> shape,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> callback);

/// Moves elements: `output[o] = input[source(dim, o) in every dimension]`, and
/// `fill`, one element's bytes, where the source of some dimension is
/// `outsideOfInput`. Ranks and data types agree.
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
