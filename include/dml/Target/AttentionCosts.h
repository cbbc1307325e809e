//===- AttentionCosts.h - Costs of attention kernels ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The constants by which dml-fuse-attention chooses between one kernel for an
// attention and kernels that write its scores, described as those of
// CostModel.h are.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_ATTENTIONCOSTS_H
#define DML_TARGET_ATTENTIONCOSTS_H

#include "dml/Target/CostModel.h"
#include <cstdint>

namespace dml::cost::attention {

/// A score takes so many operations beside its products: an exponential, the
/// maximum and the sum of its query, and two passages of workgroup memory.
/// unit:   operations
/// device: units that compute functions, for each unit that adds
/// shown:  -
inline constexpr double opsPerScore = opsPerFunction + 14;

/// Kernels that compute scores, weights and products one after the other move
/// the bytes of all scores so often through memory: scores are written and
/// read, and so are weights. unit:   times shown:  -
inline constexpr double passesOfScores = 4;

/// So many of these three kernels wait for the one before.
/// unit:   kernels
/// shown:  -
inline constexpr double waitingKernels = 2;

} // namespace dml::cost::attention

#endif // DML_TARGET_ATTENTIONCOSTS_H
