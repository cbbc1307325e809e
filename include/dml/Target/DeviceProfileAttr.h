//===- DeviceProfileAttr.h - The device of a module -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_DEVICEPROFILEATTR_H
#define DML_TARGET_DEVICEPROFILEATTR_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"

#include "dml/Target/DeviceDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dml/Target/DeviceProfileAttr.h.inc"

namespace dml {

/// The name of the module attribute that states the device profile.
inline constexpr llvm::StringLiteral deviceProfileAttrName =
    "dml_device.profile";

/// Returns the profile of the devices that `op` is compiled for. The nearest
/// module around `op`, or `op` itself, states the profile; without a statement,
/// the profile is "full". The reference is valid as long as the context of
/// `op`.
const DeviceProfile &getDeviceProfile(mlir::Operation *op);

} // namespace dml

#endif // DML_TARGET_DEVICEPROFILEATTR_H
