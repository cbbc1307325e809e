//===- Indices.h - Indices that are data ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_INDICES_H
#define DML_LIB_REFERENCE_ARITHMETIC_INDICES_H

#include "dml/Reference/Estimate.h"

namespace dml::reference {

/// Reads the indices that one element is moved by. Where some are known within
/// bounds only, it goes through all combinations that they may have:
///
///   IndexReader reader(indices);
///   use(read(reader));             // the reference's own
///   if (reader.isOpen() && reader.begin())
///     do
///       use(read(reader));         // every one, also the reference's
///     while (reader.next());
class IndexReader {
public:
  explicit IndexReader(const Estimate &indices) : indices(indices) {}

  /// The coordinate that the indices have at `at` for a dimension of `size`
  /// elements; nothing if it is out of range. Negative ones count from the end.
  std::optional<int64_t> get(llvm::ArrayRef<int64_t> at, int64_t size);
  /// The same, moved to the nearest coordinate that is in range.
  int64_t getClamped(llvm::ArrayRef<int64_t> at, int64_t size);

  /// Whether an index that was read may be another one as well.
  bool isOpen() const;
  /// Goes to the first combination. False where there are too many to try.
  bool begin();
  /// Goes to the next combination, if there is one.
  bool next();

private:
  struct Choice {
    __int128 first, last, current;
  };

  /// The next index, at `at`.
  __int128 read(llvm::ArrayRef<int64_t> at, int64_t size);

  const Estimate &indices;
  /// The indices that are read, in order.
  llvm::SmallVector<Choice> choices;
  size_t position = 0;
  bool isBegun = false;
};

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_INDICES_H
