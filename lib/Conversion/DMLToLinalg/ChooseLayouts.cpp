//===- ChooseLayouts.cpp - In which order kernels read --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "dml/Conversion/Passes.h"
#include "dml/IR/LayoutAttr.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/IR/BuiltinOps.h"

namespace dml {
#define GEN_PASS_DEF_CHOOSELAYOUTS
#include "dml/Conversion/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
struct ChooseLayouts : dml::impl::ChooseLayoutsBase<ChooseLayouts> {
  using ChooseLayoutsBase::ChooseLayoutsBase;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    StringRef wanted = convolutionLayout;
    if (wanted != "auto" && wanted != "none" &&
        !llvm::is_contained(layoutNames, wanted)) {
      getOperation().emitError("convolution-layout is '")
          << wanted << "', but wants to be 'auto', 'none', '" << channelsLast
          << "', '" << channelsLastCovered << "' or '" << orderedFilter << "'";
      return signalPassFailure();
    }
    if (wanted == "none")
      return;
    getOperation().walk([&](Operation *op) {
      if (op->hasAttr(layoutAttrName) || !canHaveChannelsLast(op))
        return;
      StringRef layout =
          wanted == "auto" ? chooseLayout(op, profile, sharedWeights) : wanted;
      if (!layout.empty())
        op->setAttr(layoutAttrName, StringAttr::get(&getContext(), layout));
    });
  }
};
} // namespace
