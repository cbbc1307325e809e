//===- AttachDevice.cpp - Stating the device of a module ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"

namespace dml {
#define GEN_PASS_DEF_ATTACHDEVICE
#include "dml/Transforms/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
struct AttachDevice : dml::impl::AttachDeviceBase<AttachDevice> {
  using AttachDeviceBase::AttachDeviceBase;

  void runOnOperation() override {
    llvm::Expected<DeviceProfile> parsed = DeviceProfile::parse(profile);
    if (!parsed) {
      // The error is reported at the location, because an error at the module
      // would print the module.
      emitError(getOperation().getLoc(), llvm::toString(parsed.takeError()));
      return signalPassFailure();
    }
    getOperation()->setAttr(deviceProfileAttrName,
                            DeviceProfileAttr::get(&getContext(), *parsed));
  }
};
} // namespace
