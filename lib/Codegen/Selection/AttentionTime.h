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

/// Returns the bytes of all keys and values, each counted once.
double getFactorBytes(const Attention &attention);

/// Returns the cycles in which kernels that read all keys and values `times`
/// times read them from the last cache, which is each time but the first. The
/// first time is not counted, since each way to compute attention takes it.
double getTimeOfFactors(const Attention &attention, int64_t times,
                        const DeviceSpeed &device);

/// Returns the time, in cycles of a multiprocessor, of attention without an
/// attention kernel: of three kernels for the scores, the weights and the
/// products.
double getTimeApart(const Attention &attention, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H
