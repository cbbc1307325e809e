//===- Indices.h - Indices that are data ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_INDICES_H
#define DML_LIB_REFERENCE_ARITHMETIC_INDICES_H

#include "dml/Reference/Estimate.h"

namespace dml::reference {

/// Reads the indices that determine the place to or from which one element is
/// moved. If some indices are known only within bounds, the reader enumerates
/// all combinations of their possible values:
///
///   IndexReader reader(indices);
///   use(read(reader));             // the indices of the reference
///   if (reader.isOpen() && reader.begin())
///     do
///       use(read(reader));         // all combinations
///     while (reader.next());
class IndexReader {
public:
  explicit IndexReader(const Estimate &indices) : indices(indices) {}

  /// Returns the coordinate that the indices specify at `at` for a dimension of
  /// `size` elements, or nothing if it is out of range. Negative indices count
  /// from the end.
  std::optional<int64_t> get(llvm::ArrayRef<int64_t> at, int64_t size);
  /// Does the same, but clamps the coordinate to the range.
  int64_t getClamped(llvm::ArrayRef<int64_t> at, int64_t size);

  /// Whether an index that was read has several possible values.
  bool isOpen() const;
  /// Goes to the first combination. Returns false if there are too many
  /// combinations.
  bool begin();
  /// Goes to the next combination. Returns false if there is none.
  bool next();

private:
  struct Choice {
    __int128 first, last, current;
  };

  /// Returns the next index, at `at`.
  __int128 read(llvm::ArrayRef<int64_t> at, int64_t size);

  const Estimate &indices;
  /// The indices that were read, in their order.
  llvm::SmallVector<Choice> choices;
  size_t position = 0;
  bool isBegun = false;
};

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_INDICES_H
