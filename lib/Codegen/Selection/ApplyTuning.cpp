//===- ApplyTuning.cpp - Kernels that were measured -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/MapKernel.h"
#include "Selection/KernelKinds.h"
#include "Selection/MapTiles.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/Passes.h"
#include "dml/Codegen/Tuning.h"
#include "dml/IR/DML.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Target/TuningTable.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include <set>
#include <tuple>

namespace dml {
#define GEN_PASS_DEF_APPLYTUNING
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Dispatches
//===----------------------------------------------------------------------===//

linalg::GenericOp dml::getGenericOfDispatch(func::FuncOp function) {
  if (function.isExternal() || !function.isPrivate() ||
      function.getNumResults() != 0 || !function.getBody().hasOneBlock())
    return {};
  auto generics = function.getBody().getOps<linalg::GenericOp>();
  if (!llvm::hasSingleElement(generics) ||
      !(*generics.begin()).hasPureBufferSemantics())
    return {};
  return *generics.begin();
}

std::string dml::getDispatchKey(func::FuncOp dispatch) {
  OwningOpRef<func::FuncOp> copy = dispatch.clone();
  copy->setName("dispatch");
  getGenericOfDispatch(*copy)->removeAttr(labelAttrName);
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, OpPrintingFlags().useLocalScope().printGenericOpForm());
  llvm::BLAKE3 hasher;
  hasher.update(text);
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Proposals
//===----------------------------------------------------------------------===//

namespace {
/// A dispatch (a function with one generic) whose kernel may be chosen.
class TunableDispatch {
public:
  /// Analyses `op`, the generic of a dispatch.
  TunableDispatch(linalg::GenericOp op, const DeviceProfile &profile);

  /// Whether the module states the kernel already, so that the compiler has no
  /// choice.
  bool isStated() const { return kernel && !attention; }
  KernelQuery getQuery() const {
    return {op, profile, contraction ? &*contraction : nullptr,
            attention ? &*attention : nullptr};
  }
  /// Returns the kernel that the compiler chooses, or null if there is none.
  Attribute choose(const KernelWishes &wishes) const;
  /// Returns the value of `dml.kernel` that describes the kernel of `proposal`.
  Attribute getAttr(const Proposal &proposal) const;

private:
  linalg::GenericOp op;
  const DeviceProfile &profile;
  Attribute kernel;
  std::optional<Contraction> contraction;
  std::optional<Attention> attention;
};
} // namespace

TunableDispatch::TunableDispatch(linalg::GenericOp op,
                                 const DeviceProfile &profile)
    : op(op), profile(profile), kernel(op->getAttr(kernelAttrName)) {
  if (!kernel) {
    contraction = Contraction::match(op);
    return;
  }
  std::optional<KernelTile> tile = getKernelTile(kernel);
  if (tile && (std::holds_alternative<AttentionTile>(*tile) ||
               std::holds_alternative<SplitAttentionTile>(*tile) ||
               std::holds_alternative<MatrixAttentionTile>(*tile) ||
               std::holds_alternative<ResidentAttentionTile>(*tile)))
    attention = Attention::match(op);
}

Attribute TunableDispatch::getAttr(const Proposal &proposal) const {
  KernelTile tile = proposal.tile.value_or(MapTile());
  if (const auto *map = std::get_if<MapTile>(&tile); map && map->isOpen()) {
    if (!findMapProblem(op).empty())
      return {};
    tile = chooseMapTile(op, profile.getSpeed());
  }
  return getKernelAttr(tile, linalg::GenericOp(op).getContext());
}

Attribute TunableDispatch::choose(const KernelWishes &wishes) const {
  if (kernel)
    return kernel;
  std::optional<KernelTile> tile = chooseKernel(getQuery(), wishes);
  return getAttr({tile, /*cycles=*/std::nullopt});
}

/// Adds the kernels that the options request to `wishes`.
static LogicalResult addWishes(KernelWishes &wishes,
                               const KernelOptions &options, Operation *op) {
  return success(
      succeeded(wishes.add("matrix-tile", options.matrixTile, op)) &&
      succeeded(wishes.add("contraction-tile", options.contractionTile, op)) &&
      succeeded(wishes.add("row-tile", options.rowTile, op)) &&
      succeeded(wishes.add("attention-tile", options.attentionTile, op)));
}

/// The shape of a tile of sums: its rows, columns and slices.
using SumShape = std::tuple<int64_t, int64_t, int64_t>;

/// Returns the shape of a tile. A model of time that is wrong about a tile is
/// usually wrong about all tiles of this shape, whatever their stages, so that
/// a tuner measures several shapes. Tiles of kernels that compute no sums all
/// have the same shape.
static SumShape getShape(const Proposal &proposal) {
  if (!proposal.tile)
    return {};
  return std::visit(
      [](const auto &tile) -> SumShape {
        using Tile = std::decay_t<decltype(tile)>;
        if constexpr (std::is_same_v<Tile, MatrixTile> ||
                      std::is_same_v<Tile, ContractionTile> ||
                      std::is_same_v<Tile, SliceTile>)
          return {tile.rows, tile.columns, tile.slices};
        else
          return {};
      },
      *proposal.tile);
}

SmallVector<Attribute> dml::proposeKernels(func::FuncOp dispatch,
                                           const DeviceProfile &profile,
                                           const KernelOptions &options,
                                           size_t most) {
  linalg::GenericOp op = getGenericOfDispatch(dispatch);
  KernelWishes wishes;
  if (!op || failed(addWishes(wishes, options, dispatch)))
    return {};
  TunableDispatch tunable(op, profile);
  if (tunable.isStated())
    return {};
  llvm::SetVector<Attribute> kernels;
  if (Attribute chosen = tunable.choose(wishes))
    kernels.insert(chosen);
  else
    return {};
  // The best proposal of each kind comes first, then the best one of each
  // shape, and then all others.
  constexpr size_t mostOfKind = 128;
  Proposals best(getKernelKinds().size() + 1), shapes(most), others(most);
  auto add = [&](const Proposals &proposals) {
    std::set<SumShape> known;
    for (auto [index, proposal] : llvm::enumerate(proposals.get())) {
      Proposal weighed = proposal;
      if (weighed.cycles)
        *weighed.cycles *= weighed.share;
      bool isNew = known.insert(getShape(proposal)).second;
      (index == 0 ? best : isNew ? shapes : others).add(std::move(weighed));
    }
  };
  for (const KernelKind *kind : getKernelKinds()) {
    Proposals proposals(mostOfKind);
    wishes.proposeAll(*kind, tunable.getQuery(), proposals);
    add(proposals);
  }
  KernelQuery query = tunable.getQuery();
  if (!query.contraction && !query.attention && findMapProblem(op).empty()) {
    Proposals proposals(mostOfKind);
    proposeMapTiles(op, profile.getSpeed(), proposals);
    add(proposals);
  }
  for (const Proposals *proposals : {&best, &shapes, &others})
    for (const Proposal &proposal : proposals->get())
      if (kernels.size() < most)
        if (Attribute kernel = tunable.getAttr(proposal))
          kernels.insert(kernel);
  return kernels.takeVector();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ApplyTuning : dml::impl::ApplyTuningBase<ApplyTuning> {
  using Base::Base;

  void runOnOperation() override;
  void apply(func::FuncOp dispatch, const TuningTable &table,
             const KernelWishes &wishes);
};
} // namespace

void ApplyTuning::apply(func::FuncOp dispatch, const TuningTable &table,
                        const KernelWishes &wishes) {
  linalg::GenericOp op = getGenericOfDispatch(dispatch);
  if (!op)
    return;
  const TunedKernel *tuned = table.find(getDispatchKey(dispatch));
  if (!tuned)
    return;
  const DeviceProfile &profile = getDeviceProfile(op);
  TunableDispatch tunable(op, profile);
  if (tunable.isStated())
    return;
  std::optional<KernelTile> tile =
      parseKernelTile(tuned->kernel, &getContext());
  if (!tile) {
    op.emitWarning("the tuning table has a kernel for this dispatch that is no "
                   "'dml.kernel'; the models of time choose its kernel");
    return;
  }
  const KernelKind &kind = getKernelKind(*tile);
  if (!wishes.isFree(kind))
    return;
  std::optional<Proposal> proposal = kind.propose(tunable.getQuery(), &*tile);
  if (!proposal) {
    op.emitWarning("the tuning table has a kernel for this dispatch that "
                   "cannot compute it, a ")
        << getTileName(*tile) << "; the models of time choose its kernel";
    return;
  }
  op->setAttr(kernelAttrName, tunable.getAttr(*proposal));
}

void ApplyTuning::runOnOperation() {
  if (tuning.empty())
    return;
  ModuleOp module = getOperation();
  llvm::Expected<TuningTable> table = TuningTable::parse(tuning);
  if (!table) {
    module.emitError("the tuning table cannot be read: ")
        << llvm::toString(table.takeError());
    return signalPassFailure();
  }
  KernelWishes wishes;
  if (failed(addWishes(wishes,
                       {matrixTile, contractionTile, rowTile, attentionTile},
                       module)))
    return signalPassFailure();
  std::string profile = getDeviceProfile(module).str();
  if (table->profile != profile) {
    emitWarning(UnknownLoc::get(&getContext()),
                "the tuning table is for the device profile '")
        << table->profile << "', but wanted is '" << profile
        << "'; the models of time choose all kernels (--device=native on the "
           "table's device, or --device-profile, compiles for the table's "
           "profile)";
    return;
  }
  for (auto function : module.getOps<func::FuncOp>())
    apply(function, *table, wishes);
}
