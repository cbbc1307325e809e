//===- Axes.h - Drawing axes ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_PROGRAMS_AXES_H
#define DML_LIB_TESTING_PROGRAMS_AXES_H

#include "Testing/Programs/Operators.h"

namespace dml::fuzz {

/// Draws some dimensions of a tensor of rank `rank` in any order: mostly one
/// dimension, which is the last one half of the time; rarely none.
inline llvm::SmallVector<int64_t> drawAxes(Draft &draft, unsigned rank) {
  Random &random = draft.random;
  if (random.oneIn(16))
    return {};
  if (random.oneIn(3))
    return {rank - 1};
  llvm::SmallVector<int64_t> axes;
  for (unsigned dim : draft.drawOrder(rank)) {
    axes.push_back(dim);
    if (random.oneIn(2))
      break;
  }
  return axes;
}

/// Returns `shape` with size 1 for the dimensions in `axes`.
inline llvm::SmallVector<int64_t> reduceShape(llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int64_t> axes) {
  llvm::SmallVector<int64_t> reduced(shape);
  for (int64_t axis : axes)
    reduced[axis] = 1;
  return reduced;
}

/// Draws the axis of an operator with one axis.
inline uint64_t drawAxis(Draft &draft, unsigned rank) {
  return draft.random.oneIn(2) ? rank - 1 : draft.random.between(0, rank - 1);
}

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_PROGRAMS_AXES_H
