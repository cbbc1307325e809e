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

/// The factors of one side whose products a multiprocessor adds up by
/// cooperative matrices in a cycle, in bytes: so many products of factors of a
/// byte, half as many of f16.
/// unit:   bytes
/// device: products of matrix units: 1024 of f16 in a cycle
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

/// The operations that bring a factor into workgroup memory: one of a vector of
/// neighbours, one of several that padding is looked for together, and one that
/// is loaded by itself.
/// unit:   operations for a factor
/// device: none: it follows from how code is generated
/// shown:  conv64to64_56_k3_f16
inline constexpr double opsPerMovedFactor = 0.5;
inline constexpr double opsPerChosenFactor = 1.5;
inline constexpr double opsPerSingleFactor = 4;

/// The share of what a workgroup's units do one after the other that other
/// workgroups do not hide.
/// unit:   share of the time
/// device: none: it decides between tiles that are much alike otherwise
/// shown:  -
inline constexpr double unhiddenShare = 0.1;

/// What all threads of a workgroup wait for at a barrier, together with what
/// they wait for behind it: the first matrices that they load.
/// unit:   cycles
/// device: the latency of workgroup memory and barriers
/// shown:  gemm4096_f16 with 64 terms of a stage instead of 32
inline constexpr double barrierCycles = 150;

/// What a workgroup waits for before its first products and behind its last.
/// unit:   cycles
/// device: the latency of memory
/// shown:  conv256to64_56_k1_f16
inline constexpr double startCycles = 1500;

/// Registers of a multiprocessor, and those of a thread beside its sums and
/// the factors that are on their way.
/// unit:   registers of 4 bytes
/// device: 65,536 on GPUs of several vendors
/// shown:  gemm4096_f16
inline constexpr double registers = 65536;
inline constexpr double otherRegisters = 48;

/// By how much a kernel takes longer whose threads have more than their
/// registers hold.
/// unit:   times
/// device: the rate of the first cache beside that of registers
/// shown:  -
inline constexpr double spillFactor = 4;

/// How often what a workgroup may have of workgroup memory is there.
/// unit:   times
/// device: 100 KiB of a multiprocessor at least, beside 48 KiB of a workgroup
/// shown:  -
inline constexpr double workgroupMemories = 2;

/// Terms of an iteration that a stage has next to each other, at most: more
/// leave no room for several iterations.
/// unit:   terms
/// device: workgroup memory
/// shown:  conv3to64_224_k7s2_f16
inline constexpr int64_t maxTermsTogether = 32;

} // namespace dml::cost

#endif // DML_LIB_CODEGEN_MATRIXCOSTS_H
