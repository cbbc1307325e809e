//===- Compare.h - How far two tensors are apart ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_COMPARE_H
#define DML_TOOLS_SUPPORT_COMPARE_H

#include "support/HostTensor.h"

namespace dml::tools {

/// What a difference may be: absolute + relative * |expected|, as in NumPy's
/// allclose.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// Compares two tensors of the same type. Zeros of either sign are equal, and
/// so are NaNs, whatever their bits. Empty where all elements are within the
/// tolerance; else how many are not, and the first and the largest difference
/// with their coordinates.
std::string describeDifference(const HostTensor &found,
                               const HostTensor &expected,
                               const Tolerance &tolerance);

/// Compares a tensor with bounds of its type, either of which may be null. The
/// bounds themselves are within; where both are NaN, NaN is, and where the
/// upper one alone is, anything (what dml-interpret writes). NaN is within no
/// other bounds. Zeros of either sign are equal, unless both bounds are the
/// same zero, which alone is within. Empty where all elements are within; else
/// how many are not, and the first.
std::string describeOutside(const HostTensor &found, const HostTensor *lower,
                            const HostTensor *upper);

/// Elements whose bounds admit every number of the type, or anything at all, so
/// that comparing them says nothing.
struct Unjudged {
  uint64_t count = 0;
  uint64_t total = 0;

  bool isEverything() const { return count != 0 && count == total; }
};
Unjudged countUnjudged(const HostTensor *lower, const HostTensor *upper);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_COMPARE_H
