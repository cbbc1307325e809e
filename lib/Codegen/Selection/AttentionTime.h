//===- AttentionTime.h - What attention takes time for ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H
#define DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H

#include "Analysis/Attention.h"
#include "dml/Target/DeviceProfile.h"

namespace dml {

/// Returns the operations that a product takes where a thread adds up `rows` by
/// `columns` sums, since the thread shares the loads of its factors.
double getOpsOfProduct(double rows, double columns, const DeviceSpeed &device);

/// Returns the cycles of a multiprocessor for kernels that compute scores,
/// weights and products one after the other.
double getTimeApart(const Attention &attention, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H
