//===- ModuleFile.cpp - The files that modules stand in -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/ModuleFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace dml;

/// Bytes that are looked at before a file is read.
constexpr size_t kStart = 4096;
/// Bytes of a pipe or a device at most, which need not have an end.
constexpr size_t kMostOfStream = size_t(1) << 31;

static llvm::Error
checkStart(llvm::StringRef path, llvm::StringRef start,
           llvm::function_ref<bool(llvm::StringRef start)> isText) {
  if (start.substr(4).starts_with("DMLX"))
    return llvm::createStringError(
        "'" + path +
        "' is an executable, which dml-run and dml-inspect read; wanted is a "
        "module or a model");
  start = start.take_front(kStart);
  size_t zero = start.find('\0');
  if (zero == llvm::StringRef::npos || !isText(start))
    return llvm::Error::success();
  bool isNothing = start.find_first_not_of('\0') == llvm::StringRef::npos;
  return llvm::createStringError(
      "'" + path +
      "' is none of the files that are read (MLIR, ONNX models, JSON models "
      "of DxDispatch, serialized graphs of DirectML): it begins with " +
      (isNothing ? llvm::Twine(start.size()) + " bytes of 0"
                 : "binary data of no format that is known"));
  return llvm::Error::success();
}

/// Reads what has an end nobody knows.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readStream(llvm::StringRef path, llvm::sys::fs::file_t file,
           llvm::function_ref<bool(llvm::StringRef start)> isText) {
  constexpr size_t kBlock = 1 << 16;
  llvm::SmallVector<char, 0> bytes;
  bool isChecked = false, isOver = false;
  while (!isOver) {
    size_t size = bytes.size();
    bytes.resize_for_overwrite(size + kBlock);
    auto count = llvm::sys::fs::readNativeFile(
        file, llvm::MutableArrayRef<char>(bytes).drop_front(size));
    if (!count)
      return llvm::createStringError("cannot read '" + path +
                                     "': " + llvm::toString(count.takeError()));
    bytes.truncate(size + *count);
    isOver = *count == 0;
    // An empty file is an empty module; an empty stream is a command that
    // failed or none at all.
    if (isOver && bytes.empty())
      return llvm::createStringError(
          (path == "-" ? llvm::Twine("standard input") : "'" + path + "'") +
          " is empty, but wanted is a module or a model");
    if (!isChecked && (isOver || bytes.size() >= kStart)) {
      isChecked = true;
      if (llvm::Error error =
              checkStart(path, {bytes.data(), bytes.size()}, isText))
        return error;
    }
    if (bytes.size() > kMostOfStream)
      return llvm::createStringError(
          "'" + path + "' has more than " + llvm::Twine(kMostOfStream) +
          " bytes, which is too much for what is no regular file");
  }
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), path == "-" ? llvm::StringRef("<stdin>") : path);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
dml::openModuleFile(llvm::StringRef path,
                    llvm::function_ref<bool(llvm::StringRef start)> isText,
                    bool isRead) {
  if (path == "-")
    return readStream(path, llvm::sys::fs::getStdinHandle(), isText);
  auto fail = [&](std::error_code code) {
    return llvm::createStringError("cannot open input file '" + path +
                                   "': " + code.message());
  };
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return fail(code);
  if (llvm::sys::fs::is_directory(status))
    return fail(std::make_error_code(std::errc::is_a_directory));
  if (!llvm::sys::fs::is_regular_file(status)) {
    auto file = llvm::sys::fs::openNativeFileForRead(path);
    if (!file)
      return fail(llvm::errorToErrorCode(file.takeError()));
    llvm::scope_exit close([&] { llvm::sys::fs::closeFile(*file); });
    return readStream(path, *file, isText);
  }
  // A 0 behind the bytes, which text alone needs, would have files whose last
  // page is full be read into memory.
  auto opened = llvm::MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false, isRead);
  if (!opened)
    return fail(opened.getError());
  std::unique_ptr<llvm::MemoryBuffer> buffer = std::move(*opened);
  llvm::StringRef bytes = buffer->getBuffer();
  if (llvm::Error error = checkStart(path, bytes, isText))
    return error;
  bool isFull =
      buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap &&
      bytes.size() % llvm::sys::Process::getPageSizeEstimate() == 0;
  if (isFull && isText(bytes.take_front(kStart)))
    return llvm::MemoryBuffer::getMemBufferCopy(bytes, path);
  return buffer;
}
