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

/// How the elements of a type fill the vector that a thread stores. SPIR-V's
/// vectors have at most four components, so that a vector of narrow elements is
/// a vector of 32-bit words: 8 elements of f16 are 4 words.
struct Packing {
  /// `bytes` is the size of an element, or 4, 8 or 16 where that is no less.
  Packing(mlir::Type elementType, int64_t bytes)
      : element(elementType), bits(elementType.getIntOrFloatBitWidth()),
        bytes(bytes) {}

  /// Elements in a vector.
  int64_t getCount() const { return bytes * 8 / bits; }
  /// Whether the vector is made of words of several elements.
  bool hasWords() const { return bits < 32 && getCount() > 1; }
  /// Elements in a word, 1 if the vector is not made of words.
  int64_t getPerWord() const { return hasWords() ? 32 / bits : 1; }
  mlir::IntegerType getWordType() const {
    return mlir::IntegerType::get(element.getContext(), 32);
  }
  /// The elements of a word.
  mlir::VectorType getPartType() const {
    return mlir::VectorType::get(getPerWord(), element);
  }
  /// The type of a load or a store: an element or a word, or a vector of
  /// several of them.
  mlir::Type getVectorType() const {
    mlir::Type component = hasWords() ? getWordType() : element;
    int64_t count = getCount() / getPerWord();
    return count == 1 ? component : mlir::VectorType::get(count, component);
  }

  mlir::Type element;
  int64_t bits, bytes;
};

/// Buffers as kernels see them: arrays of elements or vectors. SPIR-V
/// with logical addressing has no casts of pointers, so that each view is a
/// buffer of its own to the kernel.
class BufferViews {
public:
  /// Views are created in front of `launch`.
  explicit BufferViews(mlir::Operation *launch) : launch(launch) {}

  /// Returns the buffer that `buffer` is placed in, as elements of the type of
  /// `buffer`.
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

/// Returns the number that element `position` of a buffer has among the
/// elements of the buffer's root. If `bytes` is the size of a vector, all of
/// these are vectors.
LinearForm getPlace(IndexForms &forms, mlir::ImplicitLocOpBuilder &b,
                    const Placement &placement, LinearForm position,
                    int64_t bytes);

/// The vectors of the buffer that an output is placed in. A kernel stores the
/// output's vectors at their places among all vectors of that buffer: if the
/// kernel stored through a view of the output alone, vectors of a strided
/// output would lie beyond the array that the view declares.
class OutputVectors {
public:
  OutputVectors(mlir::ImplicitLocOpBuilder &b, BufferViews &views,
                mlir::Value output, const Packing &packing);

  mlir::Value getBuffer() const { return buffer; }
  /// The place of vector `number` of the output.
  mlir::Value getPlace(IndexForms &forms, mlir::ImplicitLocOpBuilder &b,
                       const LinearForm &number) const;

private:
  Placement placement;
  mlir::Value buffer;
  int64_t bytes;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_BUFFERVIEWS_H
