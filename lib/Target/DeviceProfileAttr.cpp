//===- DeviceProfileAttr.cpp - The device of a module ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dml;

#include "dml/Target/DeviceDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dml/Target/DeviceProfileAttr.cpp.inc"

void DMLDeviceDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dml/Target/DeviceProfileAttr.cpp.inc"
      >();
}

LogicalResult
DMLDeviceDialect::verifyOperationAttribute(Operation *op,
                                           NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != deviceProfileAttrName)
    return op->emitError("'") << name << "' is unknown; the attribute of the "
                              << "dialect is '" << deviceProfileAttrName << "'";
  if (!isa<ModuleOp>(op))
    return op->emitError("'")
           << name << "' is an attribute of modules, but stands on '"
           << op->getName() << "'";
  if (!isa<DeviceProfileAttr>(attribute.getValue()))
    return op->emitError("'") << name << "' is " << attribute.getValue()
                              << ", but wanted is a profile, such as "
                                 "#dml_device.profile<\"full\">";
  return success();
}

Attribute DeviceProfileAttr::parse(AsmParser &parser, Type) {
  SMLoc location;
  std::string specification;
  if (parser.parseLess() || parser.getCurrentLocation(&location) ||
      parser.parseString(&specification) || parser.parseGreater())
    return {};
  llvm::Expected<DeviceProfile> profile = DeviceProfile::parse(specification);
  if (profile)
    return get(parser.getContext(), *profile);
  parser.emitError(location, llvm::toString(profile.takeError()));
  return {};
}

void DeviceProfileAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getProfile().str() << "\">";
}

const DeviceProfile &dml::getDeviceProfile(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attribute =
            op->getAttrOfType<DeviceProfileAttr>(deviceProfileAttrName))
      return attribute.getProfile();
  static const DeviceProfile full = DeviceProfile::getFull();
  return full;
}
