//===- ExternalFiles.h - Files that a model names ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_SUPPORT_EXTERNALFILES_H
#define DML_LIB_IMPORT_SUPPORT_EXTERNALFILES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace dml::reader {

/// Files that a reader has opened. The identifier of a buffer is its path.
using OpenedFiles = std::vector<std::shared_ptr<llvm::MemoryBuffer>>;

/// The files in the folder of a model.
class ExternalFiles {
public:
  /// The files of the model at `modelPath`. They are mapped into memory; where
  /// `opened` is not null, each is a FileMemory instead, which is appended.
  explicit ExternalFiles(llvm::StringRef modelPath,
                         OpenedFiles *opened = nullptr);

  /// Returns the path of the file `location` in the folder. Returns an error if
  /// the path leads outside of the folder, since a model may only refer to
  /// files in its own folder.
  llvm::Expected<std::string> getPath(llvm::StringRef location) const;

  /// Opens a file with tensor elements, at most once.
  llvm::Expected<std::shared_ptr<llvm::MemoryBuffer>>
  open(llvm::StringRef location);

private:
  /// Returns an error if an opened file is in the folder only by its name: if a
  /// symbolic link leads out of the folder, or if the file has another name
  /// that may lie elsewhere.
  llvm::Error wantWithin(llvm::StringRef path,
                         const llvm::sys::fs::file_status &status) const;

  std::string modelPath, folder;
  OpenedFiles *opened;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files;
};

} // namespace dml::reader

#endif // DML_LIB_IMPORT_SUPPORT_EXTERNALFILES_H
