//===- MatrixCosts.h - What matrix kernels weigh ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which tiles of matrix kernels are chosen, in the form of
// CostModel.h. Only their proportions matter.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_MATRIXCOSTS_H
#define DML_LIB_CODEGEN_MATRIXCOSTS_H

#include <cstdint>

namespace dml::cost {

/// Multiprocessors of a device, which each run workgroups of their own.
/// unit:   multiprocessors
/// device: 132 of an H100 or H200; the desktop GPUs of several vendors have 40
///         to 128
/// shown:  gemm1024_f16 with cooperative matrices
inline constexpr double multiprocessors = 128;

/// Products that a multiprocessor adds up by cooperative matrices, times the
/// bytes of a factor: 1024 products of f16 in a cycle.
/// unit:   bytes of factors in a cycle
/// device: the rate of matrix units, which is twice as high for factors of half
///         as many bytes
/// shown:  gemm4096_f16
inline constexpr double matrixBytesPerCycle = 2048;

/// The matrix units that matrixBytesPerCycle are shared among: a subgroup uses
/// one of them at a time.
/// unit:   units
/// device: units of a multiprocessor that begin instructions, 4 on GPUs of
///         several vendors
/// shown:  gemm1024_f16
inline constexpr double matrixUnits = 4;

/// What a multiprocessor loads from its workgroup memory, or stores there.
/// unit:   bytes in a cycle
/// device: 32 banks of 4 bytes
/// shown:  gemm4096_f16
inline constexpr double workgroupBytesPerCycle = 128;

/// What a multiprocessor loads from the last cache.
/// unit:   bytes in a cycle
/// device: 24 to 32 of an H100, where all multiprocessors load
/// shown:  gemm4096_f16 with tiles of 128 times 256 instead of 128 times 128
inline constexpr double cachedBytesPerCycle = 28;

/// Operations of threads that a multiprocessor begins.
/// unit:   operations in a cycle
/// device: 128 on GPUs of several vendors
/// shown:  -
inline constexpr double opsPerCycle = 128;

/// What a factor takes on its way into workgroup memory, in operations of
/// threads and what they wait for each other: one of a vector of neighbours,
/// one of several that padding is looked for together, and one that is loaded
/// by itself.
/// unit:   operations for a factor
/// device: none: it follows from how code is generated
/// shown:  conv64to64_56_k3_f16, conv256to256_14_k3_f16
inline constexpr double opsPerMovedFactor = 0.5;
inline constexpr double opsPerChosenFactor = 18;
inline constexpr double opsPerSingleFactor = 20;

/// The share of a stage of one workgroup that others on the same multiprocessor
/// do not hide.
/// unit:   share of the time
/// device: none: workgroups wait for the same units now and then
/// shown:  gemm4096_f16 with 128 times 128 sums and stages of 32 terms
inline constexpr double unhiddenShare = 0.15;

/// What the threads of a workgroup wait for at a barrier.
/// unit:   cycles
/// device: the latency of workgroup memory and barriers
/// shown:  gemm4096_f16 with 128 times 256 sums and stages of 16 terms, which
///         take 0.88 of the time with one barrier for each stage instead of two
inline constexpr double barrierCycles = 150;

/// What a workgroup waits for besides, once in each stage: factors that are
/// still on their way, and the first matrices of the stage.
/// unit:   cycles
/// device: the latency of the last cache, less the time of a stage's products
/// shown:  gemm4096_f16 with 64 terms of a stage instead of 32
inline constexpr double stageCycles = 500;

/// What a workgroup waits for before its first products and behind its last.
/// unit:   cycles
/// device: the latency of memory, and the start of a workgroup
/// shown:  gemm1024_f16
inline constexpr double startCycles = 3000;

/// Registers of a multiprocessor, and those of a thread beside its sums and
/// the factors that are on their way.
/// unit:   registers of 4 bytes
/// device: 65,536 on GPUs of several vendors
/// shown:  gemm4096_f16
inline constexpr double registers = 65536;
inline constexpr double otherRegisters = 80;

/// By how much a kernel takes longer whose threads have more than their
/// registers hold.
/// unit:   times
/// device: the rate of the first cache beside that of registers
/// shown:  -
inline constexpr double spillFactor = 4;

/// What the workgroups of a multiprocessor have of workgroup memory together,
/// as far as drivers leave it to them, beside what one of them may have.
/// unit:   times
/// device: how drivers share memory between workgroups and the first cache
/// shown:  gemm4096_f16 with 128 times 128 sums and stages of 32 terms: 0.57 of
///         the time on an H200 with one stage, 20 KiB, instead of two, 40 KiB
inline constexpr double workgroupMemories = 0.9;

/// Terms of an iteration that a stage has next to each other, at most: more
/// leave no room for several iterations.
/// unit:   terms
/// device: workgroup memory
/// shown:  conv3to64_224_k7s2_f16
inline constexpr int64_t maxTermsTogether = 32;

} // namespace dml::cost

#endif // DML_LIB_CODEGEN_MATRIXCOSTS_H
