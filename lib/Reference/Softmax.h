//===- Softmax.h - Softmax of a tensor ---------------------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_SOFTMAX_H
#define DML_LIB_REFERENCE_SOFTMAX_H

#include "Evaluators.h"

namespace dml::reference {

/// Stores the softmax of `input`, or its logarithm, in `output`: the sets whose
/// shares add up to 1 lie along `axes`.
void computeSoftmax(const Estimate &input, llvm::ArrayRef<int64_t> axes,
                    bool isLog, Estimate &output);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_SOFTMAX_H
