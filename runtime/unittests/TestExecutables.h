//===- TestExecutables.h - Executables for tests --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Executables made by hand from small kernels. A test takes the object form,
// spoils what it wants spoiled, and writes it.
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_TESTEXECUTABLES_H
#define DML_UNITTESTS_TESTEXECUTABLES_H

#include "executable_generated.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dml::test {

/// The object form of an executable, as FlatBuffers generates it.
using ExecutableObject = executable::ExecutableT;

/// The words of a kernel of kernels/, by the file's stem.
std::vector<uint32_t> loadKernel(const std::string &name);

/// Functions over 4x32xf32:
///   main(a, b) -> sum, reversed  two kernels, a copy, temporary and barriers;
///                                reversed is 2x64xf32
///   add_constant(a) -> sum       a + (0, 1, 2, ...), from the constants
std::unique_ptr<ExecutableObject> makeArithmetic();

/// twice(a: 3xi64) -> b, which needs shaderInt64.
std::unique_ptr<ExecutableObject> makeTwice();

/// twice(a: 3xi64) -> b with two variants: one that needs shaderInt64, and the
/// function's own steps, which compute in words of 32 bits, into a temporary
/// that is copied.
std::unique_ptr<ExecutableObject> makeVariants();

/// scaled(a: 4x32xf32) -> sum, where sum is a + offset + weight. The constants
/// have the offset (0, 1, 2, ...), the caller binds the weight, and the
/// initialization adds both.
std::unique_ptr<ExecutableObject> makeWeights();

/// The functions of makeArithmetic, where the output of add_constant is in the
/// place of the input.
std::unique_ptr<ExecutableObject> makeInPlace();

/// A function for each data type, called as the type is ("f32", ...), which
/// copies a 2x3 tensor, "scalar", which copies an f32 of rank 0, and "long",
/// which copies 1024 f32. No kernels.
std::unique_ptr<ExecutableObject> makeCopies();

/// chain(a: 32xui32) -> b, where kernel i of `count`, 2 or more, computes
/// 3 * x + i of what the one before it gave.
std::unique_ptr<ExecutableObject> makeChain(uint32_t count);

/// running(a: {count}x128xf32, start: 128xf32) -> sums: {count}x128xf32, where
/// row count - 1 - i of the sums is start plus rows 0 to i of `a`. A copy, and
/// a loop of `count` iterations over a kernel and a copy: the kernel goes
/// through the rows of `a` and writes the two halves of the temporary in turn,
/// and the copy goes through the rows of the sums from the last to the first.
std::unique_ptr<ExecutableObject> makeLoop(uint32_t count);

/// The bytes of an executable.
std::vector<uint8_t> write(const ExecutableObject &object);

} // namespace dml::test

#endif // DML_UNITTESTS_TESTEXECUTABLES_H
