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

/// Files that a reader maps into memory. The identifier of a buffer is its
/// path.
using OpenedFiles = std::vector<std::shared_ptr<llvm::MemoryBuffer>>;

/// Files of a model's folder.
class ExternalFiles {
public:
  /// The files of the model at `modelPath`. Each that is opened is appended to
  /// `opened`, if that is not null.
  explicit ExternalFiles(llvm::StringRef modelPath,
                         OpenedFiles *opened = nullptr);

  /// Where the file `location` of the folder is. An error where that lies
  /// outside: a model names files of its own folder, and others are none of its
  /// business.
  llvm::Expected<std::string> getPath(llvm::StringRef location) const;

  /// Maps a file with elements of a tensor into memory, once.
  llvm::Expected<std::shared_ptr<llvm::MemoryBuffer>>
  open(llvm::StringRef location);

private:
  /// Fails where an opened file is one of the folder by its name alone: where a
  /// symbolic link leads out of it, or another name may stand elsewhere.
  llvm::Error wantWithin(llvm::StringRef path,
                         const llvm::sys::fs::file_status &status) const;

  std::string modelPath, folder;
  OpenedFiles *opened;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files;
};

} // namespace dml::reader

#endif // DML_LIB_IMPORT_SUPPORT_EXTERNALFILES_H
