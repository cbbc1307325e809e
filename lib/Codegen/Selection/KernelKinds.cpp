//===- KernelKinds.cpp - The kinds of kernels, and their contest ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/KernelKinds.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dml;

ArrayRef<const KernelKind *> dml::getKernelKinds() {
  static const KernelKind *const kinds[] = {
#define DML_KERNEL_KIND(name) &get##name##Kind(),
#include "Selection/KernelKinds.def"
  };
  return kinds;
}

const KernelKind &dml::getKernelKind(const KernelTile &tile) {
  StringRef name = getTileName(tile);
  return **llvm::find_if(getKernelKinds(), [&](const KernelKind *kind) {
    return kind->getTileName() == name;
  });
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

LogicalResult KernelWishes::add(StringRef option, StringRef text,
                                Operation *op) {
  if (text == "auto")
    return success();
  bool isRead = text == "none";
  std::string description;
  for (const KernelKind *kind : getKernelKinds()) {
    if (kind->getOption() != option)
      continue;
    if (description.empty())
      description = kind->describeOption();
    std::optional<KernelTile> &tile = wishes[kind];
    if (text != "none")
      tile = kind->parseOption(text, op->getContext());
    isRead |= tile.has_value();
  }
  if (isRead)
    return success();
  return op->emitError() << option << " is '" << text
                         << "', but wants to be 'auto', 'none', "
                         << description;
}

void KernelWishes::proposeAll(const KernelKind &kind, const KernelQuery &query,
                              Proposals &proposals) const {
  auto wish = wishes.find(&kind);
  if (wish == wishes.end())
    kind.proposeAll(query, /*wanted=*/nullptr, proposals);
  else if (wish->second)
    kind.proposeAll(query, &*wish->second, proposals);
}

std::optional<Proposal> KernelWishes::propose(const KernelKind &kind,
                                              const KernelQuery &query) const {
  Proposals proposals;
  proposeAll(kind, query, proposals);
  return proposals.takeBest();
}

//===----------------------------------------------------------------------===//
// The contest
//===----------------------------------------------------------------------===//

std::optional<KernelTile> dml::chooseKernel(const KernelQuery &query,
                                            const KernelWishes &wishes,
                                            double bound) {
  std::optional<Proposal> fastest, preferred;
  // Whether the kind of `preferred` is listed before the kind of `fastest`.
  bool isFirst = false;
  for (const KernelKind *kind : getKernelKinds()) {
    std::optional<Proposal> proposal = wishes.propose(*kind, query);
    if (!proposal)
      continue;
    if (proposal->isPreferred) {
      // Kinds propose kernels in the order of their list. A preferred proposal
      // loses only to the fastest proposal of an earlier kind. If no earlier
      // kind has proposed a kernel that is fast enough, the preferred proposal
      // wins at once.
      if (!fastest)
        return proposal->tile;
      if (!preferred)
        preferred = proposal;
      continue;
    }
    double cycles = proposal->share * *proposal->cycles;
    if (cycles >= bound)
      continue;
    bound = cycles;
    fastest = proposal;
    isFirst = preferred.has_value();
  }
  if (isFirst)
    return preferred->tile;
  return fastest ? fastest->tile : std::nullopt;
}

double dml::estimateCycles(const KernelQuery &query) {
  double least = HUGE_VAL;
  for (const KernelKind *kind : getKernelKinds()) {
    std::optional<Proposal> proposal = kind->propose(query, /*wanted=*/nullptr);
    if (!proposal || !proposal->cycles)
      continue;
    if (proposal->isPreferred)
      return *proposal->cycles;
    least = std::min(least, *proposal->cycles);
  }
  return least;
}
