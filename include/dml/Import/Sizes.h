//===- Sizes.h - The sizes of the inputs of ONNX models ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// An ONNX model may leave sizes of its inputs open: in "x: [batch, 3, ?, ?]",
// three of the four. A program of dml has one shape for each tensor, so that a
// tool needs a size for each open dimension before the model is imported.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_SIZES_H
#define DML_IMPORT_SIZES_H

#include "dml/Import/Signature.h"

namespace dml::onnx {

/// The sizes that a command line states.
struct StatedSizes {
  /// "NAME=SIZE": the size of each dimension of this name.
  llvm::ArrayRef<std::string> dimensions;
  /// "INPUT:1x3x224x224": all sizes of an input.
  llvm::ArrayRef<std::string> shapes;
  /// The size of every dimension that is still open then.
  std::optional<int64_t> otherwise;
  /// "INPUT:1x3x224x224" or ":1x3x224x224": the shapes of tensors that inputs
  /// get. One without the name of an input belongs to the next input that has
  /// none, in order. They fill dimensions that nothing else states; one that
  /// contradicts the model is left to the reader of the tensor. "=VALUE" behind
  /// the shape of one integer or bool is the value, which is taken for an input
  /// that decides a branch.
  llvm::ArrayRef<std::string> given;
};

/// What stateSizes() finds out.
struct SizesOfInputs {
  /// The inputs and outputs, with -1 for the sizes that the model leaves open.
  Signature signature;
  /// The dimensions of batches whose size was taken to be 1.
  llvm::SmallVector<std::string> batches;
  /// The dimensions that have no size after all.
  llvm::SmallVector<std::string> open;
};

/// Adds the size of each open dimension of the model in `file` to
/// `options.dimensions`, in this order:
///
/// 1. the sizes that `stated.dimensions` and `stated.shapes` have,
/// 2. those of `stated.given`,
/// 3. 1 for a batch: each dimension whose name begins with "batch", or, in a
///    model without such a name, dimension 0 of each input of two dimensions
///    or more,
/// 4. the sum, for a name such as "past + 1" whose terms are numbers and names
///    that have a size,
/// 5. `stated.otherwise`.
///
/// Returns an error where `stated` is malformed or contradicts the model.
llvm::Expected<SizesOfInputs> stateSizes(const llvm::MemoryBuffer &file,
                                         const StatedSizes &stated,
                                         ImportOptions &options);

/// Returns "x: [batch, 3, ?, ?]". An open dimension has its name, or "?" if the
/// model gives it none.
std::string describeInput(const SignatureTensor &input);

/// Returns the shape of `input` with the sizes of `options`: "[1, 3, 224,
/// 224]".
std::string describeSizes(const SignatureTensor &input,
                          const ImportOptions &options);

/// Returns the error for inputs with the open dimensions `open`: it shows the
/// inputs, and how to state their sizes.
std::string describeOpenSizes(llvm::ArrayRef<SignatureTensor> inputs,
                              llvm::ArrayRef<std::string> open);

/// Returns the note that the sizes of `batches` were taken to be 1.
std::string describeBatches(llvm::ArrayRef<std::string> batches);

} // namespace dml::onnx

#endif // DML_IMPORT_SIZES_H
