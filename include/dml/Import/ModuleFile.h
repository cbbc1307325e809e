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

/// Returns how messages call the file `path`: "'path'", or "standard input" for
/// "-".
std::string describePath(llvm::StringRef path);

/// Opens the file `path`, or standard input for "-". A file of any size is
/// mapped into memory, or read if `isRead` is true: if another process
/// truncates a mapped file, a signal ends this process. `isText` decides, by
/// the first bytes, whether the file is text, which then ends with a 0 in
/// memory. Text with a 0 at its beginning is refused before it is read, and so
/// are executables.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openModuleFile(llvm::StringRef path,
               llvm::function_ref<bool(llvm::StringRef start)> isText,
               bool isRead = false);

} // namespace dml

#endif // DML_IMPORT_MODULEFILE_H
