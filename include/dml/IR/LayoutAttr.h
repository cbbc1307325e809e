//===- LayoutAttr.h - In which order elements lie in memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_LAYOUTATTR_H
#define DML_IR_LAYOUTATTR_H

#include "llvm/ADT/StringRef.h"

namespace dml {

/// The name of the attribute that states the order in which a kernel needs the
/// elements of a tensor in memory. An operator with this attribute is lowered
/// to kernels that read its operands in this order. A linalg.generic with this
/// attribute only reorders elements: its result is written to memory, and not
/// fused into readers.
inline constexpr llvm::StringLiteral layoutAttrName = "dml.layout";

/// The order in which the channels of one position are neighbours: an image
/// with 2 channels and 3 positions, a0 a1 a2 b0 b1 b2, becomes a0 b0 a1 b1 a2
/// b2.
inline constexpr llvm::StringLiteral channelsLast = "channels_last";

/// Like channelsLast, but with exactly the positions that the operator's
/// windows cover: positions in the padding contain zeros, and positions that no
/// window reads are omitted.
inline constexpr llvm::StringLiteral channelsLastCovered =
    "channels_last_covered";

/// Only the filter is reordered, with the order of terms that belongs to
/// channels last, and the input remains as it is. Programs for any number and
/// size of images can then share the filter, and each program can choose the
/// order of its input.
inline constexpr llvm::StringLiteral orderedFilter = "ordered_filter";

/// All names of layouts.
inline constexpr llvm::StringLiteral layoutNames[] = {
    channelsLast, channelsLastCovered, orderedFilter};

} // namespace dml

#endif // DML_IR_LAYOUTATTR_H
