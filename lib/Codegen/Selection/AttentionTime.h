//===- AttentionTime.h - The costs of attention -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H
#define DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H

#include "Analysis/Attention.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// Returns the operations that a thread executes for one product of a sum. The
/// number includes a share of the loads of factors, which the products of all
/// `rows` by `columns` sums of the thread use.
double getOpsOfProduct(double rows, double columns, const DeviceSpeed &device);

/// Returns the time of attention without an attention kernel, in cycles of a
/// multiprocessor: the time of one kernel for the scores, one for the weights,
/// and one for the products of weights and values.
double getTimeApart(const Attention &attention, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H
