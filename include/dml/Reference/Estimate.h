//===- Estimate.h - Tensors with bounds -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_ESTIMATE_H
#define DML_REFERENCE_ESTIMATE_H

#include "dml/Reference/Tensor.h"

namespace dml::reference {

/// A tensor together with bounds for the results of correct implementations.
///
/// `value` is the result of the reference. Each element of a correct result
/// lies between the corresponding elements of `lower` and `upper`, inclusive.
/// If both bounds are NaN, the element must be NaN; if only `upper` is NaN, the
/// element may be anything. For example, a driver may round 1/3 in f32 to
/// 0.33333331 or to 0.33333334, which are therefore the bounds of the quotient
/// of 1 and 3.
///
/// If nothing is uncertain, the three tensors share their elements, so that an
/// exact estimate needs no more memory than one tensor. Copies of an estimate
/// share their elements as well.
struct Estimate {
  /// Creates an exact estimate. If `bits` is set, the bits of the elements are
  /// certain as well, including those of NaNs and the signs of zeros.
  explicit Estimate(Tensor value, bool bits = true)
      : value(value), lower(value), upper(value), isBitExact(bits) {}
  Estimate(Tensor value, Tensor lower, Tensor upper)
      : value(std::move(value)), lower(std::move(lower)),
        upper(std::move(upper)), isBitExact(false) {}

  /// Whether each element has only one correct number.
  bool isExact() const { return lower.getData() == upper.getData(); }

  Tensor value, lower, upper;
  /// Whether each bit of a correct result is certain. Otherwise, zeros of
  /// either sign count as equal, and so do all NaNs.
  bool isBitExact;
};

/// Whether the bounds of element `index` include every number of its type.
/// Comparing a result with such bounds has no effect.
bool admitsAnything(const Estimate &estimate, int64_t index);

/// Returns the number of elements whose bounds include everything.
int64_t countUnjudged(const Estimate &estimate);

} // namespace dml::reference

#endif // DML_REFERENCE_ESTIMATE_H
