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
/// vectors have at most four components: narrow elements travel in 32-bit
/// words.
struct Packing {
  /// `bytes` is the size of an element, or 4, 8 or 16 where that is no less.
  Packing(mlir::Type elementType, int64_t bytes)
      : element(elementType), bits(elementType.getIntOrFloatBitWidth()),
        bytes(bytes) {}

  /// Elements in a vector.
  int64_t getCount() const { return bytes * 8 / bits; }
  /// Whether elements travel in words.
  bool hasWords() const { return bits < 32 && getCount() > 1; }
  /// Elements in a 32-bit word, 1 if they do not travel in words.
  int64_t getPerWord() const { return hasWords() ? 32 / bits : 1; }
  mlir::IntegerType getWordType() const {
    return mlir::IntegerType::get(element.getContext(), 32);
  }
  /// The elements of a word.
  mlir::VectorType getPartType() const {
    return mlir::VectorType::get(getPerWord(), element);
  }
  /// What loads and stores take: elements, or words of narrow ones; a vector of
  /// them if they are several.
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
  /// Views are made before `launch`.
  explicit BufferViews(mlir::Operation *launch) : launch(launch) {}

  /// The buffer that `buffer` is placed in, as elements of its type.
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

/// Where element `position` of a buffer is among those of its root, or vector
/// `position`, if `bytes` are those of a vector.
LinearForm getPlace(IndexForms &forms, mlir::ImplicitLocOpBuilder &b,
                    const Placement &placement, LinearForm position,
                    int64_t bytes);

/// An output as a kernel stores it: the vectors of the buffer that it is placed
/// in, all of them, and where the output's own are among these. A kernel that
/// stored to a view of the output alone would store beyond the array that it
/// declares.
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
