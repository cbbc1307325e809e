//===- InPlace.h - Outputs in the buffers of inputs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The caller of a function may ask for an output in the buffer of an input: a
// decoder's cache of keys is an input and an output, and one buffer for both
// saves the copy of all positions that a step leaves as they are.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_INPLACE_H
#define DML_IR_INPLACE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace dml {

/// The name of the attribute that asks for an output in the buffer of an input.
/// Its value is the number of the pair: the argument with `dml.in_place = 0`
/// and the result with `dml.in_place = 0` are one buffer. Both have one type
/// and the same strides.
/// After bufferization, the result is an argument as well.
inline constexpr llvm::StringLiteral inPlaceAttrName = "dml.in_place";

/// The name of the unit attribute of a linalg.generic whose result is another
/// tensor with some elements written. Such a generic is not fused into readers
/// of its result: where both tensors have one buffer, its kernel writes the new
/// elements alone, and readers load each element from one place.
inline constexpr llvm::StringLiteral updateAttrName = "dml.update";

/// A result of a function that is to be in the buffer of an argument.
struct InPlacePair {
  unsigned argument, result;
};

/// Whether the elements of both tensors of `pair` have the same places: the
/// attribute `dml.strides` is the same for both, or there is none.
bool haveOneLayout(mlir::FunctionOpInterface function, InPlacePair pair);

/// Writes the attribute for `pairs` on `function`. Errors are reported at the
/// location of `function`.
llvm::LogicalResult setInPlace(mlir::FunctionOpInterface function,
                               llvm::ArrayRef<InPlacePair> pairs);

/// Returns the pair "present=past": the result `present` and the argument
/// `past`, by their `dml.name`, or else by their kind and number, as in
/// "output1=input0". Reports an error at the location of `function` if there is
/// no such pair.
llvm::FailureOr<InPlacePair> parseInPlace(mlir::FunctionOpInterface function,
                                          llvm::StringRef text);

} // namespace dml

#endif // DML_IR_INPLACE_H
