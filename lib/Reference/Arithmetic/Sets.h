//===- Sets.h - The sets that an operator reduces ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_SETS_H
#define DML_LIB_REFERENCE_ARITHMETIC_SETS_H

#include "dml/Reference/Estimate.h"

namespace dml::reference {

/// Divides the elements of a tensor into sets: two elements belong to the same
/// set if their coordinates differ only along the given axes.
class Sets {
public:
  Sets(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes);

  /// Calls `callback` for each set, in row-major order of the other dimensions.
  /// `places` are the positions of the set's elements in the tensor, in
  /// row-major order.
  void
  forEach(llvm::function_ref<void(int64_t set, llvm::ArrayRef<int64_t> places)>
              callback) const;

private:
  std::vector<int64_t> firsts, offsets;
};

/// Whether a tensor has integer elements.
bool hasIntegers(const Estimate &tensor);

/// Returns the index in `places` of the winner: the greatest or the least
/// element, and among equal elements the first or the last. NaN loses against
/// numbers.
int64_t findWinner(const Tensor &tensor, llvm::ArrayRef<int64_t> places,
                   bool isMax, bool lastWins);

/// The bounds of an element in an order in which the winner is the greatest.
/// NaN is less than each number, or equal to the least number. A long double
/// represents all numbers of DirectML's types exactly.
struct Standing {
  long double low, high;

  static Standing get(const Estimate &tensor, int64_t place, bool isMax);
};

/// Returns the indices in `places` of all elements that may win, in increasing
/// order. If the bounds leave the winner open, there are other candidates
/// besides `winner`, the winner of the reference.
llvm::SmallVector<int64_t> findCandidates(const Estimate &tensor,
                                          llvm::ArrayRef<int64_t> places,
                                          bool isMax, int64_t winner);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_SETS_H
