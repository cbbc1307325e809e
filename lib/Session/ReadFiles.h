//===- ReadFiles.h - The files that a model is read from --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_READFILES_H
#define DML_LIB_SESSION_READFILES_H

#include "Image.h"
#include "Model.h"

namespace dml::session {

/// Memory that constants may refer to, and the file or the weight of a built
/// model whose bytes have these addresses.
struct MappedSource {
  const char *begin;
  uint64_t size;
  WeightSource::Kind kind;
  uint32_t index;
};

/// What a model is read from: its own file and those beside it, or the weights
/// of a built model.
class ReadFiles {
public:
  ReadFiles(const Model &model, const llvm::MemoryBuffer &file);

  /// The model's own file first.
  llvm::SmallVector<MappedSource> list() const;
  /// Notes the files in the image, as they were when they were opened.
  Status addTo(Image &image) const;
  /// Fails where a file could not be read, or is another one now.
  Status check() const;

  /// The files beside the model.
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> beside;
  /// The weights of a built model.
  std::vector<reader::TensorPlace> weights;

private:
  const Model &model;
  MappedSource own;
  /// The memory itself goes with the last constant that refers to it.
  std::shared_ptr<FileMemory::State> state;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_READFILES_H
