//===- Cuts.h - How a session divides its model -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_CUTS_H
#define DML_LIB_SESSION_CUTS_H

#include "dml/Import/Division.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <mutex>

namespace dml::session {

using CutPointer = std::shared_ptr<const onnx::Cut>;

/// The cuts that a session has made, so that later runs need not make them
/// again. May be used from many threads at once.
class Cuts {
public:
  /// Returns the cuts for a section and the tensors that are there, which `key`
  /// describes. The one that was used last is first.
  std::vector<CutPointer> find(const std::string &key);
  /// Adds a cut, or moves it to the front.
  void use(const std::string &key, const CutPointer &cut);

private:
  /// The most cuts that are kept for one key, such as those for 64 values of an
  /// integer, and the most keys.
  static constexpr size_t mostCuts = 64, mostKeys = 1024;
  /// The most bytes that the constants of all cuts may have.
  static constexpr uint64_t mostBytes = uint64_t(1) << 28;

  std::mutex mutex;
  uint64_t bytes = 0;
  llvm::StringMap<std::deque<CutPointer>> cuts;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_CUTS_H
