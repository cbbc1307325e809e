//===- ExternalFiles.cpp - Files that a model names -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Support/ExternalFiles.h"

#include "dml/IR/FileMemory.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace dml::reader;

ExternalFiles::ExternalFiles(llvm::StringRef modelPath, OpenedFiles *opened)
    : modelPath(modelPath), folder(llvm::sys::path::parent_path(modelPath)),
      opened(opened) {}

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

/// Returns the folder that really contains a file, after resolving symbolic
/// links.
static std::string getRealFolder(llvm::StringRef path) {
  llvm::SmallString<128> real;
  if (llvm::sys::fs::real_path(path, real))
    return {};
  return llvm::sys::path::parent_path(real).str();
}

llvm::Error
ExternalFiles::wantWithin(llvm::StringRef path,
                          const llvm::sys::fs::file_status &status) const {
  // If the model is a symbolic link, its files lie beside the target of the
  // link.
  llvm::SmallString<128> realFolder;
  (void)llvm::sys::fs::real_path(folder.empty() ? "." : folder, realFolder);
  std::string real = getRealFolder(path), beside = getRealFolder(modelPath);
  auto isWithin = [&](llvm::StringRef root) {
    return !root.empty() && !real.empty() &&
           (real == root ||
            (llvm::StringRef(real).starts_with(root) &&
             (root.ends_with("/") ||
              llvm::sys::path::is_separator(real[root.size()]))));
  };
  if (!isWithin(realFolder) && !isWithin(beside))
    return llvm::createStringError("its elements are in '" + path +
                                   "', a symbolic link that leads out of the "
                                   "model's folder, but wanted is a file in "
                                   "that folder");
  if (status.getLinkCount() > 1)
    return llvm::createStringError(
        "its elements are in '" + path + "', which has " +
        llvm::Twine(status.getLinkCount()) +
        " hard links, one of which may stand outside of the model's folder; "
        "wanted is a file with one name, such as a copy");
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<llvm::MemoryBuffer>>
ExternalFiles::open(llvm::StringRef location) {
  std::shared_ptr<llvm::MemoryBuffer> &file = files[location];
  if (file)
    return file;
  llvm::Expected<std::string> path = getPath(location);
  if (!path)
    return path.takeError();
  // Opening a pipe would block until another process writes to it.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(*path, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("its elements are in '" + *path +
                                   "', which is no file, but wanted is one");
  auto fail = [&](std::error_code error) {
    return llvm::createStringError("its elements are in '" + *path +
                                   "': " + error.message());
  };
  // The check applies to the opened file, and not to its name.
  llvm::Expected<llvm::sys::fs::file_t> handle =
      llvm::sys::fs::openNativeFileForRead(*path);
  if (!handle)
    return fail(llvm::errorToErrorCode(handle.takeError()));
  llvm::scope_exit close([&] { (void)llvm::sys::fs::closeFile(*handle); });
  if (std::error_code error = llvm::sys::fs::status(*handle, status))
    return fail(error);
  if (llvm::Error error = wantWithin(*path, status))
    return std::move(error);
  if (opened) {
    close.release();
    auto memory = FileMemory::create(*handle, *path);
    if (!memory)
      return memory.takeError();
    file = std::move(*memory);
    opened->push_back(file);
    return file;
  }
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      *handle, *path, status.getSize(), /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(buffer.getError());
  file = std::move(*buffer);
  return file;
}
