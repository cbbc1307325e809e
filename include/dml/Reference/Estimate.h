//===- Estimate.h - Tensors with bounds -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_ESTIMATE_H
#define DML_REFERENCE_ESTIMATE_H

#include "dml/Reference/Tensor.h"

namespace dml::reference {

/// A tensor, and what a correct implementation may have in its place.
///
/// `value` is what the reference computes. Every element of a correct result
/// lies between those of `lower` and `upper`, both included: where the two
/// bounds are NaN it is NaN, and where `upper` alone is NaN it may be anything.
/// For example, a driver may round 1/3 in f32 to 0.33333331 or to 0.33333334:
/// these are the bounds of a division of 1 by 3.
///
/// The three share their elements where nothing is uncertain, so that exact
/// tensors cost what one tensor does. Copies share their elements, too.
struct Estimate {
  /// An estimate that is certain. `bits` says that the bits of the elements are
  /// certain as well, those of NaNs and of the signs of zeros included.
  explicit Estimate(Tensor value, bool bits = true)
      : value(value), lower(value), upper(value), isBitExact(bits) {}
  Estimate(Tensor value, Tensor lower, Tensor upper)
      : value(std::move(value)), lower(std::move(lower)),
        upper(std::move(upper)), isBitExact(false) {}

  /// Whether there is only one correct number for each element.
  bool isExact() const { return lower.getData() == upper.getData(); }

  Tensor value, lower, upper;
  /// Whether every bit of a correct result is known. Zeros of either sign, and
  /// all NaNs, are equal otherwise.
  bool isBitExact;
};

/// Whether the bounds of element `index` admit every number of its type, or
/// anything at all: comparing a result with them says nothing.
bool admitsAnything(const Estimate &estimate, int64_t index);

/// How many elements admit anything.
int64_t countUnjudged(const Estimate &estimate);

} // namespace dml::reference

#endif // DML_REFERENCE_ESTIMATE_H
