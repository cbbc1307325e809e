//===- FileMemory.h - The bytes of a file, as they are wanted ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A program that maps a file into memory ends by the signal SIGBUS where
// another process cuts the file off meanwhile. A session reads files instead,
// but not all of the bytes: of a model of 4 GiB the compiler wants the graph
// and small constants, a few megabytes. The others take an address and no
// memory. So do weights of a model that a program builds instead of a file, and
// that the program reads from wherever it has them.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_FILEMEMORY_H
#define DML_IR_FILEMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <mutex>
#include <string>

namespace dml {

/// Memory that has an address for each byte of a file, but contains only the
/// bytes that were read. Code must call want() for bytes before it reads them.
/// May be used from many threads at once.
class FileMemory final : public llvm::MemoryBuffer {
public:
  /// Creates the memory of `file`, whose name is `path`. The memory owns and
  /// closes the file.
  static llvm::Expected<std::unique_ptr<FileMemory>>
  create(llvm::sys::fs::file_t file, llvm::StringRef path);
  /// Opens the file `path`.
  static llvm::Expected<std::unique_ptr<FileMemory>> open(llvm::StringRef path);
  /// Fills a piece of at most 1 MiB from `offset` on. Returns how many bytes
  /// the front of the piece has, which are none at the end.
  using Reader = llvm::unique_function<llvm::Expected<size_t>(
      uint64_t offset, llvm::MutableArrayRef<char> piece)>;
  /// Makes memory for `size` bytes that `reader` reads, instead of a file. One
  /// thread at a time calls `reader`.
  static llvm::Expected<std::unique_ptr<FileMemory>> create(uint64_t size,
                                                            Reader reader);
  ~FileMemory() override;

  /// Reads the part of `bytes` that lies in any FileMemory and has not been
  /// read yet. Does nothing for other memory. Bytes that cannot be read become
  /// 0, and State::getError() then returns the error.
  static void want(llvm::ArrayRef<char> bytes);
  /// Returns the memory that contains `address`, or null.
  static FileMemory *find(const char *address);

  /// The status and the error of a file, which outlive the memory.
  class State {
  public:
    /// The file's status at its opening.
    llvm::sys::fs::file_status status;
    /// Why a part could not be read, or "".
    std::string getError() const {
      std::lock_guard<std::mutex> lock(mutex);
      return error;
    }

  private:
    friend class FileMemory;
    mutable std::mutex mutex;
    std::string error;
  };
  const std::shared_ptr<State> &getState() const { return state; }
  /// Returns the number of bytes that have been read and take memory.
  uint64_t countReadBytes() const;

  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }
  llvm::StringRef getBufferIdentifier() const override { return path; }

private:
  FileMemory(Reader reader, llvm::StringRef path)
      : reader(std::move(reader)), path(path.str()) {}
  llvm::Error reserve(uint64_t bytes);
  void read(uint64_t begin, uint64_t end);
  void readBlocks(unsigned first, unsigned end);
  void fail(const std::string &why);

  Reader reader;
  /// The file's path, or "".
  const std::string path;
  std::shared_ptr<State> state = std::make_shared<State>();
  char *memory = nullptr;
  uint64_t size = 0, reserved = 0;
  mutable std::mutex mutex;
  /// The blocks that have been read.
  llvm::BitVector blocks;
};

} // namespace dml

#endif // DML_IR_FILEMEMORY_H
