//===- LayoutAttr.h - In which order elements lie in memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_LAYOUTATTR_H
#define DML_IR_LAYOUTATTR_H

#include "llvm/ADT/StringRef.h"

namespace dml {

/// The name of the attribute that says in which order a kernel wants the
/// elements of a tensor in memory. An operator that has the attribute is
/// lowered to kernels that read its operands in that order. A linalg.generic
/// that has it does nothing but put elements into that order: its result is
/// written to memory, and not looked up where it is read.
inline constexpr llvm::StringLiteral layoutAttrName = "dml.layout";

/// The order in which the channels of a position lie side by side: an image of
/// 2 channels and 3 positions, a0 a1 a2 b0 b1 b2, becomes a0 b0 a1 b1 a2 b2.
inline constexpr llvm::StringLiteral channelsLast = "channels_last";

/// The same with the positions that the windows of an operator cover, and no
/// others: zeros stand where its padding is, and positions that no window reads
/// are left out.
inline constexpr llvm::StringLiteral channelsLastCovered =
    "channels_last_covered";

} // namespace dml

#endif // DML_IR_LAYOUTATTR_H
