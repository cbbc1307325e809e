//===- Nesting.h - How deep a module's text is nested -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_NESTING_H
#define DML_IR_NESTING_H

#include "llvm/Support/Error.h"

namespace dml {

/// Refuses the text of a module with brackets that are nested more than 256
/// deep, with which MLIR's parser would overflow the stack. Looks at each
/// character once. Must be called before MLIR parses a text that anybody may
/// have written.
llvm::Error checkNesting(llvm::StringRef text);

} // namespace dml

#endif // DML_IR_NESTING_H
