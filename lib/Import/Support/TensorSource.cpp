//===- TensorSource.cpp - Elements that a program has ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Support/TensorSource.h"

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

llvm::Expected<Elements>
dml::reader::openSource(const std::shared_ptr<const TensorSource> &source,
                        std::vector<TensorPlace> *places) {
  // A system has a limited number of ranges of memory, of which each FileMemory
  // takes one at least.
  constexpr uint64_t fewBytes = 1 << 16;
  uint64_t size = source->getSize();
  Elements elements{{source->getData(), size}, source};
  std::shared_ptr<FileMemory::State> state;
  if (!source->getData() && size <= fewBytes) {
    auto bytes = std::make_shared<std::vector<char>>(size);
    if (llvm::Error error = source->read(0, *bytes))
      return std::move(error);
    elements = {*bytes, bytes};
  } else if (!source->getData()) {
    llvm::Expected<std::shared_ptr<FileMemory>> memory = FileMemory::create(
        size,
        [source](uint64_t offset,
                 llvm::MutableArrayRef<char> piece) -> llvm::Expected<size_t> {
          if (llvm::Error error = source->read(offset, piece))
            return std::move(error);
          return piece.size();
        });
    if (!memory)
      return memory.takeError();
    state = (*memory)->getState();
    elements = {{(*memory)->getBufferStart(), size}, *memory};
  }
  if (places)
    places->push_back({elements.first.data(), size, source.get(), state});
  return elements;
}
