//===- Cuts.cpp - How a session divides its model -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Cuts.h"
#include "llvm/ADT/STLExtras.h"

using namespace dml::session;

std::vector<CutPointer> Cuts::find(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = cuts.find(key);
  if (found == cuts.end())
    return {};
  return {found->second.begin(), found->second.end()};
}

void Cuts::use(const std::string &key, const CutPointer &cut) {
  std::lock_guard<std::mutex> lock(mutex);
  // Shapes that vary without end would otherwise fill the memory.
  if (cuts.size() >= mostKeys && !cuts.contains(key))
    cuts.clear();
  std::deque<CutPointer> &list = cuts[key];
  if (!list.empty() && list.front() == cut)
    return;
  auto known = llvm::find(list, cut);
  if (known != list.end())
    list.erase(known);
  list.push_front(cut);
  if (list.size() > mostCuts)
    list.pop_back();
}
