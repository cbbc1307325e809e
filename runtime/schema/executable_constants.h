//===- executable_constants.h - Numbers of the format -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What executable.fbs says in prose, for those who write and read executables.
//
//===----------------------------------------------------------------------===//

#ifndef DML_EXECUTABLE_CONSTANTS_H
#define DML_EXECUTABLE_CONSTANTS_H

#include <cstddef>
#include <cstdint>

namespace dml::executable {

/// Bytes of which the beginning of every bound range is a multiple.
inline constexpr uint64_t kRangeAlignment = 256;
/// Bytes of which the size of every bound range is a multiple: a vector.
inline constexpr uint64_t kVectorSize = 16;
/// Dimensions of a tensor: DML_TENSOR_DIMENSION_COUNT_MAX1.
inline constexpr size_t kMaxRank = 8;
/// Steps that all iterations of all loops of a function run together, at most.
/// A file of a few bytes could otherwise ask for billions of steps, and the
/// memory of a command buffer grows with each of them.
inline constexpr uint64_t kMaxLoopSteps = uint64_t(1) << 20;

} // namespace dml::executable

#endif // DML_EXECUTABLE_CONSTANTS_H
