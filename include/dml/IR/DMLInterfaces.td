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
    elements, and the newest feature level supports the op. (A lower level is
    checked where it is stated, by the attribute `dml.target`.)
  }];
  let methods = [
    StaticInterfaceMethod<
      "The operator's support table.",
      "const ::dml::OperatorSupport &", "getOperatorSupport">,
    InterfaceMethod<
      "The numeric value of the enum attribute `attribute`, one of those that "
      "the support table names; nothing if the op lacks it.",
      "std::optional<uint32_t>", "getEnumCaseValue",
      (ins "::llvm::StringRef":$attribute)>,
  ];
  // Queries on an op, generic over operators. They may be asked of an op that is
  // not verified: what is no DirectML tensor then requires nothing.
  let extraClassDeclaration = [{
    ::dml::FeatureLevel getIntroducedLevel() {
      return getOperatorSupport().getIntroducedLevel();
    }

    /// The tensors: the operands, then the results.
    unsigned getNumTensors();
    ::llvm::StringRef getTensorName(unsigned index);
    ::mlir::Type getTensorType(unsigned index);
    bool isResultTensor(unsigned index);

    /// What this very op needs of its feature level.
    ::llvm::SmallVector<::dml::Requirement> getRequirements();

    /// The requirements that `level` does not meet. Where the operator itself is
    /// missing, nothing else is listed.
    ::llvm::SmallVector<::dml::Requirement>
    getViolations(::dml::FeatureLevel level);

    /// The oldest level that supports this very op (nothing if none does), and
    /// the requirement that decides it.
    struct MinimumLevel {
      std::optional<::dml::FeatureLevel> level;
      ::dml::Requirement deciding;
    };
    MinimumLevel getMinimumLevel();

    /// Emits an error that names the first requirement that `level` does not
    /// meet, or all of them.
    ::llvm::LogicalResult verifyFeatureLevel(::dml::FeatureLevel level,
                                             bool reportAll = false);
  }];
  let verify = [{
    return ::dml::detail::verifyOperator($_op);
  }];
}

#endif // DML_IR_DMLINTERFACES_TD
