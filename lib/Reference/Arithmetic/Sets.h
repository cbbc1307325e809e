//===- Sets.h - The sets that an operator reduces ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_SETS_H
#define DML_LIB_REFERENCE_ARITHMETIC_SETS_H

#include "dml/Reference/Estimate.h"

namespace dml::reference {

/// The elements of a tensor that differ in their coordinates along some axes
/// alone are a set.
class Sets {
public:
  Sets(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes);

  /// Calls `callback` for each set, in row-major order of the other dimensions,
  /// with the places of its elements in the tensor, in row-major order.
  void
  forEach(llvm::function_ref<void(int64_t set, llvm::ArrayRef<int64_t> places)>
              callback) const;

private:
  std::vector<int64_t> firsts, offsets;
};

/// Whether a tensor has integers.
bool hasIntegers(const Estimate &tensor);

/// The place in the tensor of the winner among `places`: the greatest or the
/// least element, of equals the first or the last. NaNs lose against numbers.
/// Gives the number of the place.
int64_t findWinner(const Tensor &tensor, llvm::ArrayRef<int64_t> places,
                   bool isMax, bool lastWins);

/// The bounds of an element in an order where the winner is the greatest, and
/// NaN is less than numbers, or as little as the least. A long double holds all
/// numbers of DirectML's types.
struct Standing {
  long double low, high;

  static Standing get(const Estimate &tensor, int64_t place, bool isMax);
};

/// The numbers of the places whose elements may win, in increasing order: more
/// than `winner`, the reference's own, where bounds leave it open.
llvm::SmallVector<int64_t> findCandidates(const Estimate &tensor,
                                          llvm::ArrayRef<int64_t> places,
                                          bool isMax, int64_t winner);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_SETS_H
