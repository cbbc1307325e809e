//===- BufferViews.h - Buffers as arrays of vectors -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_BUFFERVIEWS_H
#define DML_LIB_CODEGEN_EMIT_BUFFERVIEWS_H

#include "Emit/IndexForms.h"
#include "dml/Codegen/IR/Placement.h"
#include "mlir/IR/BuiltinTypes.h"

namespace dml {

/// Describes how the elements of a type fill the vector that a thread stores at
/// once. SPIR-V's vectors have at most four components, so that a vector of
/// narrow elements is a vector of 32-bit words: 8 elements of f16 fill 4 words.
struct Packing {
  /// The vector has `bytes` bytes: 4, 8 or 16, or else the size of one element.
  Packing(mlir::Type elementType, int64_t bytes)
      : element(elementType), bits(elementType.getIntOrFloatBitWidth()),
        bytes(bytes) {}

  /// Returns the number of elements in a vector.
  int64_t getCount() const { return bytes * 8 / bits; }
  /// Whether the vector consists of 32-bit words, each of which holds several
  /// elements.
  bool hasWords() const { return bits < 32 && getCount() > 1; }
  /// Returns the number of elements in a word, or 1 if the vector does not
  /// consist of words.
  int64_t getPerWord() const { return hasWords() ? 32 / bits : 1; }
  mlir::IntegerType getWordType() const {
    return mlir::IntegerType::get(element.getContext(), 32);
  }
  /// Returns the type of the elements that fill one word, such as a vector of
  /// two f16.
  mlir::VectorType getPartType() const {
    return mlir::VectorType::get(getPerWord(), element);
  }
  /// Returns the type that a load or a store has: an element, a word, or a
  /// vector of elements or of words.
  mlir::Type getVectorType() const {
    mlir::Type component = hasWords() ? getWordType() : element;
    int64_t count = getCount() / getPerWord();
    return count == 1 ? component : mlir::VectorType::get(count, component);
  }

  mlir::Type element;
  int64_t bits, bytes;
};

/// Creates the views through which a kernel accesses buffers: arrays of
/// elements or of vectors. SPIR-V with logical addressing cannot cast pointers,
/// so that the kernel binds each view as a separate buffer.
class BufferViews {
public:
  /// The views are created in front of `launch`, the kernel's launch.
  explicit BufferViews(mlir::Operation *launch) : launch(launch) {}

  /// Returns a view of the whole buffer in which `buffer` is placed, as
  /// elements of the type of `buffer`.
  mlir::Value getRoot(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  mlir::Value getElements(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  mlir::Value getVectors(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                         const Packing &packing);

private:
  mlir::Value getView(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Type element, int64_t elementBits);

  mlir::Operation *launch;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> views;
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
};

/// Translates `position`, a position in a placed buffer, to the position in the
/// root, the larger buffer that contains the placed buffer. Both positions
/// count units of `bytes` bytes, which are the size of an element or of a
/// vector.
LinearForm getPlace(IndexForms &forms, mlir::ImplicitLocOpBuilder &b,
                    const Placement &placement, LinearForm position,
                    int64_t bytes);

/// The vectors of an output that is placed in a larger buffer, the root. If the
/// output is strided, as columns of a table are, its vectors are spread over
/// the root. A kernel therefore stores vectors through a view of the whole
/// root, where they are numbered from the root's beginning.
class OutputVectors {
public:
  OutputVectors(mlir::ImplicitLocOpBuilder &b, BufferViews &views,
                mlir::Value output, const Packing &packing);

  mlir::Value getBuffer() const { return buffer; }
  /// Returns the position in the root of vector `number` of the output.
  mlir::Value getPlace(IndexForms &forms, mlir::ImplicitLocOpBuilder &b,
                       const LinearForm &number) const;

private:
  Placement placement;
  mlir::Value buffer;
  int64_t bytes;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_BUFFERVIEWS_H
