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

/// Returns the average number of operations that a thread with a block of
/// `rows` by `columns` sums executes for one product. These are 1 for the
/// product itself and the product's share of the loads of factors, in vectors
/// of 4. A block of 8 by 8 sums, for example, loads 4 vectors for 64 products.
double getOpsOfProduct(double rows, double columns, const DeviceSpeed &device);

/// Returns the bytes of all keys and values, each counted once.
double getFactorBytes(const Attention &attention);

/// Returns the cycles in which the last-level cache serves the reads of all
/// keys and values, if kernels read them `times` times. The first read is not
/// counted: it is from memory, and every way to compute attention needs it.
double getTimeOfFactors(const Attention &attention, int64_t times,
                        const DeviceSpeed &device);

/// Returns the time of attention without an attention kernel, in cycles of a
/// multiprocessor. Three kernels then compute the scores, the weights, and the
/// products of weights and values. The memory of many scores counts as
/// additional time.
double getTimeApart(const Attention &attention, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_ATTENTIONTIME_H
