//===- TensorSource.h - Elements that a program has -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The weights of a model that a program builds instead of writing a file. Their
// elements stay where the program has them: the importer reads those that it
// computes with, and others have an address alone, by which whoever uploads the
// weight finds the source.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_SUPPORT_TENSORSOURCE_H
#define DML_LIB_IMPORT_SUPPORT_TENSORSOURCE_H

#include "dml/IR/FileMemory.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace dml::reader {

/// The error of elements that cannot be read now, of a model that is not wrong.
inline llvm::Error makeReadError(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::io_error),
                                 message);
}

/// Elements that a program has: in memory, or wherever it reads them from. May
/// be read on many threads at once.
class TensorSource {
public:
  explicit TensorSource(uint64_t size, const char *data = nullptr)
      : size(size), data(data) {}
  virtual ~TensorSource() = default;

  uint64_t getSize() const { return size; }
  /// The elements in memory, or null.
  const char *getData() const { return data; }
  /// Reads bytes from `offset` on, in pieces of at most `pieceBytes`.
  llvm::Error read(uint64_t offset, llvm::MutableArrayRef<char> bytes) const;

  static constexpr size_t pieceBytes = 1 << 20;

protected:
  /// Reads one piece of a source without memory.
  virtual llvm::Error readPiece(uint64_t offset,
                                llvm::MutableArrayRef<char> bytes) const;

private:
  uint64_t size;
  const char *data;
};

/// Where a constant of a module has the elements of a source.
struct TensorPlace {
  const char *begin;
  uint64_t size;
  const TensorSource *source;
  /// Has the error of elements that could not be read, where they are a
  /// FileMemory.
  std::shared_ptr<FileMemory::State> state;
};

/// Elements, and what keeps them.
using Elements = std::pair<llvm::ArrayRef<char>, std::shared_ptr<const void>>;

/// Returns the elements of `source`, and appends their place to `places`, if
/// that is not null. Elements that are neither in memory nor few are a
/// FileMemory.
llvm::Expected<Elements>
openSource(const std::shared_ptr<const TensorSource> &source,
           std::vector<TensorPlace> *places);

} // namespace dml::reader

#endif // DML_LIB_IMPORT_SUPPORT_TENSORSOURCE_H
