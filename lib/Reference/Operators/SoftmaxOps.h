//===- SoftmaxOps.h - Softmax of a tensor -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_SOFTMAX_H
#define DML_LIB_REFERENCE_SOFTMAX_H

#include "Arithmetic/Interval.h"
#include "Operators/Evaluators.h"

namespace dml::reference {

/// Stores the softmax of `input`, or its logarithm, in `output`: the sets whose
/// shares add up to 1 lie along `axes`.
void computeSoftmax(const Estimate &input, llvm::ArrayRef<int64_t> axes,
                    bool isLog, Estimate &output);

/// Whether `x` is neither infinite nor NaN for certain.
bool isFinite(Interval x);

/// `share`, which is a number's exponential divided by the sum of those of
/// numbers that are all finite and that it is one of. So it lies between 0 and
/// 1, however wide their bounds are; a kernel that computes the exponential
/// twice may be a little above.
Interval limitShare(Interval share);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_SOFTMAX_H
