//===- FileMemory.cpp - The bytes of a file, as they are wanted -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/FileMemory.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <shared_mutex>
#include <sys/mman.h>

using namespace dml;
using llvm::StringRef;

/// The size of the blocks in which a file is read, a multiple of every page
/// size.
static constexpr uint64_t blockBytes = 1 << 16;
/// The most bytes that are read in one system call.
static constexpr uint64_t pieceBytes = 1 << 20;

namespace {
/// All memories, by the address of their first byte.
struct Registry {
  std::shared_mutex mutex;
  std::map<const char *, FileMemory *> memories;
};
} // namespace

/// Returns the registry. It is never destroyed, since memories may still exist
/// when the process ends.
static Registry &getRegistry() {
  static auto *registry = new Registry;
  return *registry;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<FileMemory>> FileMemory::open(StringRef path) {
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::createStringError("cannot open input file '" + path +
                                   "': " + llvm::toString(file.takeError()));
  return create(*file, path);
}

/// The status of a file whose bytes have addresses.
static llvm::Expected<llvm::sys::fs::file_status>
getStatus(llvm::sys::fs::file_t file) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(file, status))
    return llvm::errorCodeToError(code);
  if (!llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("it is no regular file, but wanted is one");
  return status;
}

llvm::Expected<std::unique_ptr<FileMemory>>
FileMemory::create(llvm::sys::fs::file_t file, StringRef path) {
  auto reader = [file, close = llvm::scope_exit([file]() mutable {
                         (void)llvm::sys::fs::closeFile(file);
                       })](uint64_t offset, llvm::MutableArrayRef<char> piece) {
    return llvm::sys::fs::readNativeFileSlice(file, piece, offset);
  };
  std::unique_ptr<FileMemory> memory(new FileMemory(std::move(reader), path));
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError("cannot open input file '" + path +
                                   "': " + llvm::toString(std::move(error)));
  };
  llvm::Expected<llvm::sys::fs::file_status> status = getStatus(file);
  if (!status)
    return fail(status.takeError());
  memory->state->status = *status;
  if (llvm::Error error = memory->reserve(status->getSize()))
    return fail(std::move(error));
  return memory;
}

llvm::Expected<std::unique_ptr<FileMemory>> FileMemory::create(uint64_t size,
                                                               Reader reader) {
  std::unique_ptr<FileMemory> memory(new FileMemory(std::move(reader), ""));
  if (llvm::Error error = memory->reserve(size))
    return std::move(error);
  return memory;
}

llvm::Error FileMemory::reserve(uint64_t bytes) {
  size = bytes;
  if (size > SIZE_MAX / 2)
    return llvm::createStringError("it has " + llvm::Twine(size) + " bytes");
  // An empty file also gets an address.
  reserved = llvm::alignTo(std::max<uint64_t>(size, 1), blockBytes);
  void *address = ::mmap(nullptr, reserved, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return llvm::errorCodeToError(
        std::error_code(errno, std::generic_category()));
  memory = static_cast<char *>(address);
  blocks.resize(reserved / blockBytes);
  init(memory, memory + size, /*RequiresNullTerminator=*/false);
  Registry &registry = getRegistry();
  std::lock_guard<std::shared_mutex> lock(registry.mutex);
  registry.memories[memory] = this;
  return llvm::Error::success();
}

FileMemory::~FileMemory() {
  if (!memory)
    return;
  {
    Registry &registry = getRegistry();
    std::lock_guard<std::shared_mutex> lock(registry.mutex);
    registry.memories.erase(memory);
  }
  (void)::munmap(memory, reserved);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

FileMemory *FileMemory::find(const char *address) {
  Registry &registry = getRegistry();
  std::shared_lock<std::shared_mutex> lock(registry.mutex);
  auto next = registry.memories.upper_bound(address);
  if (next == registry.memories.begin())
    return nullptr;
  FileMemory *found = std::prev(next)->second;
  return address < found->memory + found->size ? found : nullptr;
}

void FileMemory::want(llvm::ArrayRef<char> bytes) {
  if (bytes.empty())
    return;
  FileMemory *found = find(bytes.data());
  if (!found)
    return;
  auto begin = static_cast<uint64_t>(bytes.data() - found->memory);
  found->read(begin, std::min<uint64_t>(begin + bytes.size(), found->size));
}

void FileMemory::read(uint64_t begin, uint64_t end) {
  std::lock_guard<std::mutex> lock(mutex);
  auto last = static_cast<unsigned>((end - 1) / blockBytes);
  for (auto block = static_cast<unsigned>(begin / blockBytes); block <= last;) {
    if (blocks.test(block)) {
      ++block;
      continue;
    }
    int next = blocks.find_first_in(block, last + 1);
    unsigned stop = next < 0 ? last + 1 : static_cast<unsigned>(next);
    readBlocks(block, stop);
    blocks.set(block, stop);
    block = stop;
  }
}

void FileMemory::readBlocks(unsigned first, unsigned end) {
  uint64_t begin = first * blockBytes;
  constexpr int access = PROT_READ | PROT_WRITE;
  // A process may have only a limited number of ranges of memory with different
  // access. If the limit is reached, the whole file becomes one range.
  if (::mprotect(memory + begin, (end - first) * blockBytes, access) != 0 &&
      ::mprotect(memory, reserved, access) != 0)
    llvm::report_bad_alloc_error("there is no memory for the bytes of a file");
  uint64_t stop = std::min(end * blockBytes, size);
  while (begin < stop) {
    llvm::Expected<size_t> count =
        reader(begin, {memory + begin, std::min(stop - begin, pieceBytes)});
    if (!count)
      return fail(llvm::toString(count.takeError()));
    if (*count == 0)
      return fail("it ends at byte " + std::to_string(begin) + ", but had " +
                  std::to_string(size) + " bytes when it was opened");
    begin += *count;
  }
}

void FileMemory::fail(const std::string &why) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (state->error.empty())
    state->error = path.empty() ? why : "cannot read '" + path + "': " + why;
}

uint64_t FileMemory::countReadBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return blocks.count() * blockBytes;
}
