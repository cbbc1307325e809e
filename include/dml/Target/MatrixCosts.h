//===- MatrixCosts.h - What matrix kernels weigh ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// This file has the numbers by which tiles of matrix kernels are chosen. Each
// is described as those of CostModel.h are. Only the proportions between the
// numbers matter.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_MATRIXCOSTS_H
#define DML_TARGET_MATRIXCOSTS_H

#include "dml/Target/DeviceSpeed.h"
#include <cstdint>

namespace dml::cost {

/// A multiprocessor adds up so many products in a cycle by cooperative
/// matrices, times the bytes of a factor. It adds up 1024 products of f16, for
/// example, whose factors have 2 bytes.
/// unit:   bytes of factors in a cycle
/// device: the rate of matrix units, which is twice as high for factors of half
///         as many bytes
/// shown:  gemm4096_f16
inline constexpr double matrixBytesPerCycle = 2048;

/// A multiprocessor has so many matrix units, which share matrixBytesPerCycle.
/// A subgroup uses one of them at a time.
/// unit:   units
/// device: units of a multiprocessor that begin instructions, 4 on GPUs of
///         several vendors
/// shown:  gemm1024_f16
inline constexpr double matrixUnits = 4;

/// A multiprocessor loads so much from its workgroup memory, or stores so much
/// there.
/// unit:   bytes in a cycle
/// device: 32 banks of 4 bytes
/// shown:  gemm4096_f16
inline constexpr double workgroupBytesPerCycle = 128;

/// A multiprocessor loads so much from the last cache.
/// unit:   bytes in a cycle
/// device: 24 to 32 of an H100, where all multiprocessors load
/// shown:  gemm4096_f16 with tiles of 128 times 256 instead of 128 times 128
inline constexpr double cachedBytesPerCycle = 28;

/// A multiprocessor begins so many operations of threads.
/// unit:   operations in a cycle
/// device: 128 on GPUs of several vendors
/// shown:  -
inline constexpr double opsPerCycle = 128;

/// Returns how many operations of threads all multiprocessors begin in a cycle.
inline double getOpsOfCycle(const DeviceSpeed &device) {
  return device.multiprocessors * opsPerCycle;
}

/// A factor takes so many operations of threads on its way into workgroup
/// memory, and what threads wait for each other counts as operations, too. The
/// first number is for a factor that moves in a vector of neighbours, the
/// second for one that may be padding, and the third for one that is loaded by
/// itself.
/// unit:   operations for a factor
/// device: none: it follows from how code is generated
/// shown:  conv64to64_56_k3_f16, conv256to256_14_k3_f16
inline constexpr double opsPerMovedFactor = 0.5;
inline constexpr double opsPerChosenFactor = 18;
inline constexpr double opsPerSingleFactor = 20;

/// So many operations of these are saved where the factors of a convolution's
/// columns are staged as vectors of channels: the first number is for rows of
/// an image that are whole vectors of positions, the second for others, whose
/// positions have an address of their own for each tap.
/// unit:   operations for a factor
/// device: none: it follows from how code is generated
/// shown:  conv64to64_56_k3_f16 (4 to 8), conv128to128_28_k3_f16 (37),
///         conv256to256_14_k3_f16 (48), conv512to512_7_k3_f16 (126): the
///         kernels take 59, 65, 80 and 175 us on an H100, and 44 to 52, 28, 31
///         and 48 with channels last
inline constexpr double opsSavedInRows = 7;
inline constexpr double opsSavedAcrossRows = 37;

/// The time of a copy that turns an image's planes into channels, in that of
/// memory moving as many bytes.
/// unit:   times
/// device: none: it follows from how code is generated
/// shown:  conv64to64_56_k3_f16, whose copy of 26 MB takes 17 us on an H100
inline constexpr double turningFactor = 2;

/// A subgroup waits so long in each stage for what it loads and multiplies,
/// unless others of the same matrix unit have something to do meanwhile.
/// unit:   cycles
/// device: the latency of workgroup memory and of matrix units
/// shown:  gemm_128x768x3072_f16, which takes 12.1 us on an H100 with four
///         subgroups for 64 times 48 sums, and 11.3 with eight
inline constexpr double subgroupCycles = 625;

/// Some matrix units may have one subgroup more than others. This share of the
/// time that the others then have nothing to do adds to a stage.
/// unit:   share of the time
/// device: none: it follows from how the products of a stage overlap its loads
/// shown:  conv128to128_28_k3_f16, which takes 41.8 us on an H100 with six
///         subgroups of 64 times 64 sums, and 39.9 with eight of 64 times 48
inline constexpr double idleShare = 0.25;

/// Slices exchange their sums in the end. Beside startCycles once more, each
/// slice but the first takes so many times as long for it as it takes to store
/// the sums of one slice and to load them.
/// unit:   times
/// device: none: it follows from how code is generated
/// shown:  gemm1024_f16, which takes 19.8 us on an H100 with two slices of 64
///         times 128 sums, and 19.3 without; conv256to256_14_k3_f16, which
///         takes 38.5 instead of 41.8 with two slices of 128 times 96
inline constexpr double exchangeFactor = 4;

/// Other workgroups on the same multiprocessor do not hide this share of what a
/// workgroup alone takes for a stage.
/// unit:   share of the time
/// device: none: workgroups wait for the same units now and then
/// shown:  gemm4096_f16 with 128 times 128 sums and stages of 32 terms
inline constexpr double unhiddenShare = 0.15;

/// The threads of a workgroup wait so long for each other at a barrier.
/// unit:   cycles
/// device: the latency of workgroup memory and barriers
/// shown:  gemm4096_f16 with 128 times 256 sums and stages of 16 terms, which
///         take 0.88 of the time with one barrier for each stage instead of two
inline constexpr double barrierCycles = 150;

/// A workgroup waits so long once in each stage, beside its barriers: for
/// factors that are still on their way, and for the first matrices of the
/// stage.
/// unit:   cycles
/// device: the latency of the last cache, less the time of a stage's products
/// shown:  gemm4096_f16 with 64 terms of a stage instead of 32
inline constexpr double stageCycles = 500;

/// A workgroup waits so long in all, before its first products and after its
/// last ones.
/// unit:   cycles
/// device: the latency of memory, and the start of a workgroup
/// shown:  gemm1024_f16
inline constexpr double startCycles = 3000;

/// A multiprocessor has so many registers, and a thread takes so many of them
/// beside those of its sums and of the factors that are on their way.
/// unit:   registers of 4 bytes
/// device: 65,536 on GPUs of several vendors
/// shown:  gemm4096_f16
inline constexpr double registers = 65536;
inline constexpr double otherRegisters = 80;

/// A thread has so many registers at most.
/// unit:   registers of 4 bytes
/// device: 255 on GPUs of several vendors
/// shown:  -
inline constexpr double registersOfThread = 255;

/// A kernel takes so many times as long if its threads have more values than
/// their registers hold.
/// unit:   times
/// device: the rate of the first cache beside that of registers
/// shown:  -
inline constexpr double spillFactor = 4;

/// The workgroups of a multiprocessor together have so many times the workgroup
/// memory that one of them may have. Drivers leave the rest to the first cache.
/// unit:   times
/// device: how drivers share memory between workgroups and the first cache
/// shown:  gemm4096_f16 with 128 times 128 sums and stages of 32 terms: 0.57 of
///         the time on an H200 with one stage, 20 KiB, instead of two, 40 KiB
inline constexpr double workgroupMemories = 0.9;

/// A stage has at most so many terms of an iteration next to each other: more
/// would leave no room for several iterations.
/// unit:   terms
/// device: workgroup memory
/// shown:  conv3to64_224_k7s2_f16
inline constexpr int64_t maxTermsTogether = 32;

} // namespace dml::cost

#endif // DML_TARGET_MATRIXCOSTS_H
