//===- ModuleFile.cpp - The files that modules stand in -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/ModuleFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace dml;

/// Bytes that are looked at before a file is read.
constexpr size_t kStart = 4096;
/// Bytes of a pipe or a device at most, which need not have an end.
constexpr size_t kMostOfStream = size_t(1) << 31;

std::string dml::describePath(llvm::StringRef path) {
  return path == "-" ? "standard input" : ("'" + path + "'").str();
}

/// Describes the first bytes of text with which no file begins that is read, or
/// returns "".
static std::string describeForeignText(llvm::StringRef start) {
  if (start.consume_front("\xEF\xBB\xBF"))
    // JSON may have the mark.
    return start.ltrim().starts_with("{") && !start.ltrim().starts_with("{-#")
               ? ""
               : "a byte order mark of UTF-8, which MLIR's text does not have: "
                 "save the file without it";
  unsigned size = llvm::getUTF8SequenceSize(
      reinterpret_cast<const llvm::UTF8 *>(start.bytes_begin()),
      reinterpret_cast<const llvm::UTF8 *>(start.bytes_end()));
  if (start.empty() || llvm::isASCII(start.front()) || size == 0)
    return "";
  return ("the letter '" + start.take_front(size) +
          "', with which none of these begins")
      .str();
}

static llvm::Error
checkStart(llvm::StringRef path, llvm::StringRef start,
           llvm::function_ref<bool(llvm::StringRef start)> isText) {
  if (start.substr(4).starts_with("DMLX"))
    return llvm::createStringError(
        describePath(path) +
        " is an executable, which dml-run and dml-inspect read; wanted is a "
        "module or a model");
  start = start.take_front(kStart);
  constexpr char kNone[] =
      " is none of the files that are read (MLIR, ONNX models, JSON models of "
      "DxDispatch, serialized graphs of DirectML): it begins with ";
  if (!isText(start))
    return llvm::Error::success();
  // Notepad and others save text so.
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF"))
    return llvm::createStringError(describePath(path) + kNone +
                                   "the byte order mark of UTF-16: save the "
                                   "text as UTF-8");
  if (start.contains('\0')) {
    bool isNothing = start.find_first_not_of('\0') == llvm::StringRef::npos;
    return llvm::createStringError(
        describePath(path) + kNone +
        (isNothing ? llvm::Twine(start.size()) + " bytes of 0"
                   : "binary data of no format that is known"));
  }
  if (std::string text = describeForeignText(start); !text.empty())
    return llvm::createStringError(describePath(path) + kNone + text);
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
      return llvm::createStringError("cannot read " + describePath(path) +
                                     ": " + llvm::toString(count.takeError()));
    bytes.truncate(size + *count);
    isOver = *count == 0;
    // An empty file is an empty module; an empty stream is a command that
    // failed or none at all.
    if (isOver && bytes.empty())
      return llvm::createStringError(
          describePath(path) + " is empty, but wanted is a module or a model");
    if (!isChecked && (isOver || bytes.size() >= kStart)) {
      isChecked = true;
      if (llvm::Error error =
              checkStart(path, {bytes.data(), bytes.size()}, isText))
        return error;
    }
    if (bytes.size() > kMostOfStream)
      return llvm::createStringError(
          describePath(path) + " has more than " + llvm::Twine(kMostOfStream) +
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
