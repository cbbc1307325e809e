//===- ExternalFiles.cpp - Files that a model names -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Support/ExternalFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace dml::reader;

ExternalFiles::ExternalFiles(llvm::StringRef modelPath)
    : folder(llvm::sys::path::parent_path(modelPath)) {}

llvm::Expected<std::string>
ExternalFiles::getPath(llvm::StringRef location) const {
  bool leaves = llvm::sys::path::is_absolute(location) || location.empty() ||
                location.contains('\0');
  for (auto part = llvm::sys::path::begin(location),
            end = llvm::sys::path::end(location);
       part != end; ++part)
    leaves |= *part == "..";
  if (leaves)
    return llvm::createStringError("its elements are in '" + location +
                                   "', but wanted is a file in the model's "
                                   "folder");
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, location);
  return path.str().str();
}

llvm::Expected<std::shared_ptr<llvm::MemoryBuffer>>
ExternalFiles::open(llvm::StringRef location) {
  std::shared_ptr<llvm::MemoryBuffer> &file = files[location];
  if (file)
    return file;
  llvm::Expected<std::string> path = getPath(location);
  if (!path)
    return path.takeError();
  // Opening a pipe would wait for whoever writes to it.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(*path, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("its elements are in '" + *path +
                                   "', which is no file, but wanted is one");
  auto buffer = llvm::MemoryBuffer::getFile(*path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("its elements are in '" + *path +
                                   "': " + buffer.getError().message());
  file = std::move(*buffer);
  return file;
}
