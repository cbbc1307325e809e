//===- Suggestions.h - What a misspelt name probably means ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_SUGGESTIONS_H
#define DML_IR_SUGGESTIONS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dml {

/// Returns the one of `names` that a misspelt `name` probably means, or an
/// empty text if none of `names` is similar enough or several are equally
/// similar.
llvm::StringRef findNearest(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> names);

/// Returns the end of an error about the misspelt `name`, which names the one
/// of `names` that was probably meant: "; did you mean 'relu'?". Returns an
/// empty text where findNearest() does.
std::string suggestNearest(llvm::StringRef name,
                           llvm::ArrayRef<llvm::StringRef> names);

/// Lets MLIR's errors about an operation that no dialect has name the operation
/// of the same dialect that was probably meant:
///
///   custom op 'dml.activation_rellu' is unknown; did you mean
///   'dml.activation_relu'?
///
/// Takes effect in a context when the context loads the dialect dml, if the
/// handler that prints diagnostics was registered before.
void suggestOperations(mlir::DialectRegistry &registry);

} // namespace dml

#endif // DML_IR_SUGGESTIONS_H
