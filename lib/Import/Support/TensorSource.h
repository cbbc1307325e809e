//===- TensorSource.h - Elements that a program has -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The weights of a model that a program builds instead of writing a file. Their
// elements stay where the program has them: the importer reads those that it
// computes with, and gives others an address alone, by which whoever uploads
// the weight finds the source.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_SUPPORT_TENSORSOURCE_H
#define DML_LIB_IMPORT_SUPPORT_TENSORSOURCE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
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
};

/// The elements that the constants of one module have from sources.
class SourceTensors {
public:
  /// The places of tensors are appended to `places`, if that is not null.
  explicit SourceTensors(std::vector<TensorPlace> *places) : places(places) {}

  /// Elements, and what keeps them.
  using Elements = std::pair<llvm::ArrayRef<char>, std::shared_ptr<const void>>;
  /// Returns the elements of `source`. Where `isRead` is not set and the source
  /// has no memory, the elements are addresses that must not be read before
  /// load().
  llvm::Expected<Elements>
  open(const std::shared_ptr<const TensorSource> &source, bool isRead);

  /// Reads the elements that begin at `data` to their place, where open() has
  /// not read them.
  llvm::Error load(const char *data);

private:
  struct Unread {
    std::shared_ptr<const TensorSource> source;
    /// The addresses, which go with the last constant that has them.
    std::weak_ptr<const void> range;
  };

  std::vector<TensorPlace> *places;
  llvm::DenseMap<const char *, Unread> unread;
};

} // namespace dml::reader

#endif // DML_LIB_IMPORT_SUPPORT_TENSORSOURCE_H
