//===- SerializeExecutable.cpp - Writing executables as a pass ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Executable/Executable.h"
#include "dml/Executable/Passes.h"
#include "dml/IR/DML.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace dml {
#define GEN_PASS_DEF_SERIALIZEEXECUTABLE
#include "dml/Executable/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
struct SerializeExecutable
    : dml::impl::SerializeExecutableBase<SerializeExecutable> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    FailureOr<std::vector<uint8_t>> bytes = dml::exportExecutable(
        getOperation(), profile.getMaxMemoryAllocationSize());
    if (failed(bytes))
      return signalPassFailure();
    auto type = RankedTensorType::get({static_cast<int64_t>(bytes->size())},
                                      IntegerType::get(&getContext(), 8));
    getOperation()->setAttr(
        dml::executableAttrName,
        DenseElementsAttr::get<uint8_t>(type, ArrayRef<uint8_t>(*bytes)));
  }
};
} // namespace
