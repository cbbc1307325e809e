//===- DMLInterfaces.td - Op interfaces --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_DMLINTERFACES_TD
#define DML_IR_DMLINTERFACES_TD

include "mlir/IR/OpBase.td"

def FeatureLevelOpInterface : OpInterface<"FeatureLevelOpInterface"> {
  let cppNamespace = "::dml";
  let description = [{
    An operator of DirectML: what it supports at each feature level, as data.

    The interface also verifies what holds for every operator at every level: its
    tensors have static shapes of sizes from 1 to 2^32 - 1 with at most 2^32 - 1
    elements, and some feature level supports their ranks and data types.
  }];
  let methods = [
    StaticInterfaceMethod<
      "The operator's support table.",
      "const ::dml::OperatorSupport &", "getOperatorSupport">,
    InterfaceMethod<
      "The numeric value of the enum attribute `attribute`, one of those that "
      "the support table names.",
      "uint32_t", "getEnumCaseValue", (ins "::llvm::StringRef":$attribute)>,
  ];
  let verify = [{
    return ::dml::detail::verifyOperator($_op);
  }];
}

#endif // DML_IR_DMLINTERFACES_TD
