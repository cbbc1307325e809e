//===- ModuleFile.h - The files that modules stand in -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_MODULEFILE_H
#define DML_IMPORT_MODULEFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace dml {

/// Opens the file `path`, or standard input for "-". A file is mapped into
/// memory, of whatever size, or read where `isRead`: a mapped file that is cut
/// off meanwhile ends the process by a signal. `isText` tells by the first
/// bytes whether text stands there, which ends with a 0 in memory then, and has
/// none at its beginning: other files are refused before they are read. An
/// executable is refused too.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openModuleFile(llvm::StringRef path,
               llvm::function_ref<bool(llvm::StringRef start)> isText,
               bool isRead = false);

} // namespace dml

#endif // DML_IMPORT_MODULEFILE_H
