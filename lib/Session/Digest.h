//===- Digest.h - What keys of caches are made of ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_DIGEST_H
#define DML_LIB_SESSION_DIGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include <array>
#include <string>

namespace dml::session {

using Digest = std::array<uint8_t, 32>;

/// Makes a digest of parts. Two lists of parts have one digest only if they are
/// equal: each part is preceded by its size.
class Digester {
public:
  void add(uint64_t number) {
    hasher.update({reinterpret_cast<const uint8_t *>(&number), sizeof(number)});
  }
  void add(llvm::StringRef part) {
    add(uint64_t(part.size()));
    addBytes(part);
  }
  void add(const Digest &digest) {
    hasher.update(llvm::ArrayRef<uint8_t>(digest));
  }
  /// Adds a piece of a part. The caller adds the size of the part separately.
  void addBytes(llvm::StringRef bytes) { hasher.update(bytes); }

  Digest finish() { return hasher.final<32>(); }

private:
  llvm::BLAKE3 hasher;
};

inline std::string toHex(const Digest &digest) {
  return llvm::toHex(digest, /*LowerCase=*/true);
}

} // namespace dml::session

#endif // DML_LIB_SESSION_DIGEST_H
