//===- KernelKind.cpp - The interface of kinds of kernels -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelKind.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;

void Proposals::add(Proposal proposal) {
  auto isFaster = [](const Proposal &a, const Proposal &b) {
    return a.cycles.value_or(HUGE_VAL) < b.cycles.value_or(HUGE_VAL);
  };
  auto *place = llvm::upper_bound(proposals, proposal, isFaster);
  if (place == proposals.end() && proposals.size() == most)
    return;
  proposals.insert(place, std::move(proposal));
  if (proposals.size() > most)
    proposals.pop_back();
}

std::optional<Proposal> KernelKind::propose(const KernelQuery &query,
                                            const KernelTile *wanted) const {
  Proposals proposals;
  proposeAll(query, wanted, proposals);
  return proposals.takeBest();
}

bool KernelKind::parseSizes(StringRef text, ArrayRef<int64_t *> sizes) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  return parts.size() == sizes.size() &&
         llvm::all_of(llvm::zip_equal(parts, sizes), [](auto pair) {
           auto [part, size] = pair;
           return !part.getAsInteger(10, *size) && *size > 0;
         });
}

std::optional<KernelTile> KernelKind::parseTile(StringRef text,
                                                MLIRContext *context) const {
  std::optional<KernelTile> tile;
  if (text.starts_with("{"))
    tile = parseKernelTile(text, context);
  return tile && dml::getTileName(*tile) == getTileName() ? tile : std::nullopt;
}

std::string KernelKind::describeProblem(StringRef problem) const {
  if (problem.empty())
    return "";
  StringRef name = getTileName(), article = name.starts_with("a") ? "an" : "a";
  return ("has " + article + " " + name + " that " + problem).str();
}
