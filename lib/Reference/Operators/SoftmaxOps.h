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

/// Stores the softmax of `input`, or its logarithm, in `output`. The elements
/// along `axes` form the sets whose results add up to 1.
void computeSoftmax(const Estimate &input, llvm::ArrayRef<int64_t> axes,
                    bool isLog, Estimate &output);

/// Whether `x` is certainly neither infinite nor NaN.
bool isFinite(Interval x);

/// Limits `share`, the quotient of the exponential of a number and the sum of
/// the exponentials of a set that includes this number. All numbers of the set
/// are finite. The share therefore lies between 0 and 1, regardless of the
/// width of the bounds. A kernel that computes the exponential twice may
/// slightly exceed 1.
Interval limitShare(Interval share);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_SOFTMAX_H
