//===- Compare.h - How far two tensors are apart ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_COMPARE_H
#define DML_TOOLS_SUPPORT_COMPARE_H

#include "support/HostTensor.h"

namespace dml::tools {

/// The largest difference that counts as equal: absolute + relative *
/// |expected|, as in NumPy's allclose.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// Returns an element as a number, rounded where it is a large integer.
double getNumber(const HostTensor &tensor, uint64_t index);

/// Compares two tensors of the same type. Zeros of either sign are equal, and
/// so are all NaNs. Returns "" if all elements are within the tolerance.
/// Otherwise returns the number of elements that are not, with the first and
/// the largest difference and their coordinates.
std::string describeDifference(const HostTensor &found,
                               const HostTensor &expected,
                               const Tolerance &tolerance);

/// Compares a tensor with bounds of its type, each of which may be null. The
/// bounds include the two limits. Two bounds that are NaN admit only NaN. If
/// only the upper bound is NaN, the bounds admit any value (dml-interpret
/// writes such bounds). All other bounds exclude NaN. Zeros of either sign are
/// equal, unless both bounds are a zero of the same sign, which then is the
/// only number within. Returns "" if all elements are within the bounds, and
/// otherwise the number of elements that are not, with the first of them.
std::string describeOutside(const HostTensor &found, const HostTensor *lower,
                            const HostTensor *upper);

/// The number of elements whose bounds admit every number of the type, so that
/// a comparison is meaningless, and the total number of elements.
struct Unjudged {
  uint64_t count = 0;
  uint64_t total = 0;

  bool isEverything() const { return count != 0 && count == total; }
};
Unjudged countUnjudged(const HostTensor *lower, const HostTensor *upper);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_COMPARE_H
