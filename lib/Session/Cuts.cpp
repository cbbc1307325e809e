//===- Cuts.cpp - How a session divides its model -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Cuts.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dml::session;

std::vector<CutPointer> Cuts::find(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = cuts.find(key);
  if (found == cuts.end())
    return {};
  return {found->second.begin(), found->second.end()};
}

/// Returns the number of bytes of the elements that a cut keeps.
static uint64_t countBytes(const dml::onnx::Cut &cut) {
  uint64_t bytes = 0;
  for (const auto *list : {&cut.fixed, &cut.constants})
    for (const auto &[name, tensor] : *list)
      bytes += tensor.elements.size();
  return bytes;
}

void Cuts::use(const std::string &key, const CutPointer &cut) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = cuts.find(key);
  if (found != cuts.end()) {
    std::deque<CutPointer> &list = found->second;
    if (auto known = llvm::find(list, cut); known != list.end()) {
      std::rotate(list.begin(), known, std::next(known));
      return;
    }
  }
  // Shapes that vary without end would otherwise fill the memory.
  uint64_t added = key.size() + countBytes(*cut);
  if (bytes + added > mostBytes ||
      (cuts.size() >= mostKeys && found == cuts.end())) {
    cuts.clear();
    bytes = 0;
  }
  bytes += added;
  std::deque<CutPointer> &list = cuts[key];
  list.push_front(cut);
  if (list.size() > mostCuts) {
    bytes -= key.size() + countBytes(*list.back());
    list.pop_back();
  }
}
