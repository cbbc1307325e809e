//===- TensorSource.cpp - Elements that a program has ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Support/TensorSource.h"

#include <sys/mman.h>

using namespace dml;
using namespace dml::reader;

llvm::Error TensorSource::readPiece(uint64_t,
                                    llvm::MutableArrayRef<char>) const {
  llvm_unreachable("a source without memory reads its elements");
}

llvm::Error TensorSource::read(uint64_t offset,
                               llvm::MutableArrayRef<char> bytes) const {
  assert(offset <= size && bytes.size() <= size - offset);
  if (data) {
    std::copy_n(data + offset, bytes.size(), bytes.begin());
    return llvm::Error::success();
  }
  while (!bytes.empty()) {
    llvm::MutableArrayRef<char> piece =
        bytes.take_front(std::min(bytes.size(), pieceBytes));
    if (llvm::Error error = readPiece(offset, piece))
      return error;
    offset += piece.size();
    bytes = bytes.drop_front(piece.size());
  }
  return llvm::Error::success();
}

/// Reserves addresses without memory. A read before load() is a fault, and not
/// a tensor of zeros.
static std::shared_ptr<char> reserve(uint64_t size) {
  void *begin = ::mmap(nullptr, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    return nullptr;
  return std::shared_ptr<char>(static_cast<char *>(begin),
                               [size](char *range) { ::munmap(range, size); });
}

llvm::Expected<SourceTensors::Elements>
SourceTensors::open(const std::shared_ptr<const TensorSource> &source,
                    bool isRead) {
  uint64_t size = source->getSize();
  Elements elements{{source->getData(), size}, source};
  if (!source->getData() && isRead) {
    auto bytes = std::make_shared<std::vector<char>>(size);
    if (llvm::Error error = source->read(0, *bytes))
      return std::move(error);
    elements = {*bytes, bytes};
  } else if (!source->getData()) {
    std::shared_ptr<char> range = reserve(size);
    if (!range)
      return llvm::createStringError("there are no addresses for its " +
                                     llvm::Twine(size) + " bytes of elements");
    unread[range.get()] = {source, range};
    elements = {{range.get(), size}, range};
  }
  if (places)
    places->push_back({elements.first.data(), size, source.get()});
  return elements;
}

llvm::Error SourceTensors::load(const char *data) {
  auto found = unread.find(data);
  if (found == unread.end() || found->second.range.expired())
    return llvm::Error::success();
  const TensorSource &source = *found->second.source;
  uint64_t size = source.getSize();
  auto *begin = const_cast<char *>(data);
  if (::mprotect(begin, size, PROT_READ | PROT_WRITE) != 0)
    return llvm::createStringError("there is no memory for " +
                                   llvm::Twine(size) + " bytes of elements");
  if (llvm::Error error = source.read(0, {begin, size}))
    return error;
  unread.erase(found);
  return llvm::Error::success();
}
