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

    The interface also verifies what holds for every operator at every level: it
    has no attributes but its own and those with a dialect's prefix, its tensors
    have static shapes of sizes from 1 to 2^32 - 1 with at most 2^32 - 1
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
    InterfaceMethod<
      "The first operand or result, and their number, that tensor `index` of "
      "the support table stands for. It may lie outside of an op that is not "
      "verified.",
      "std::pair<unsigned, unsigned>", "getTensorRange",
      (ins "unsigned":$index)>,
    InterfaceMethod<
      "Whether the op is what rule `rule` of the support table keeps from older "
      "levels.",
      "bool", "meetsCondition", (ins "unsigned":$rule)>,
  ];
  // Queries on an operation that work for any operator. They may also be called
  // before verification: a value that is not a DirectML tensor then has no
  // requirements.
  let extraClassDeclaration = [{
    ::dml::FeatureLevel getIntroducedLevel() {
      return getOperatorSupport().getIntroducedLevel();
    }

    /// An operand or result of the operation.
    struct Tensor {
      const ::dml::TensorInfo *info;
      /// The index in the list of tensors of the support table.
      unsigned index;
      /// The index within a variadic tensor.
      std::optional<unsigned> position;
      /// The number of the operand or result.
      unsigned number;
      ::mlir::Type type;

      /// "input", or "inputs[2]".
      std::string getName() const;
    };
    /// Returns the tensors of the operation: the operands, followed by the
    /// results.
    ::llvm::SmallVector<Tensor> getTensors();
    /// Returns the first tensor with the name `name`, or nothing if there is
    /// none.
    std::optional<Tensor> getTensor(::llvm::StringRef name);

    /// Returns the value of the attribute on which rows of the table depend, or
    /// nothing if there is none.
    std::optional<uint32_t> getSelected();
    /// Returns the row of the table for the operation at `level`, or null.
    const ::dml::LevelSupport *getRow(::dml::FeatureLevel level);

    /// Returns the requirements of the operation on its feature level.
    ::llvm::SmallVector<::dml::Requirement> getRequirements();

    /// Returns the requirements that `level` does not meet. If `level` lacks
    /// the operator, no other requirement is listed.
    ::llvm::SmallVector<::dml::Requirement>
    getViolations(::dml::FeatureLevel level);

    /// The oldest level that supports the operation, or nothing if there is
    /// none; and the requirement that determines this level.
    struct MinimumLevel {
      std::optional<::dml::FeatureLevel> level;
      ::dml::Requirement deciding;
    };
    MinimumLevel getMinimumLevel();

    /// Emits an error at the first requirement that `level` does not meet.
    ::llvm::LogicalResult verifyFeatureLevel(::dml::FeatureLevel level);

    /// Emits an error that `level` does not meet `violation`, with a note that
    /// names the source of this information.
    ::mlir::InFlightDiagnostic
    emitViolation(const ::dml::Requirement &violation,
                  ::dml::FeatureLevel level);
  }];
  let verify = "return ::dml::detail::verifyOperator($_op);";
}

def MovementOpInterface : OpInterface<"MovementOpInterface"> {
  let cppNamespace = "::dml";
  let description = [{
    An operator that may do no more than move elements of its one operand.
  }];
  let methods = [
    InterfaceMethod<
      "Whether every element of the result is a copy of an element of the "
      "operand or a constant, and each dimension's coordinate is chosen in that "
      "dimension alone. Such an op may be applied one dimension after the other, "
      "and may move the bits of one type as another's.",
      "bool", "movesElements">,
    InterfaceMethod<
      "Changes the op's constants so that they have in tensors of `to` the bits "
      "that they had in tensors of `from`; fails if that cannot be.",
      "::llvm::LogicalResult", "reinterpretConstants",
      (ins "::mlir::Type":$from, "::mlir::Type":$to), "",
      [{ return ::llvm::failure(); }]>,
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::dml";
  let description = [{
    An operator that older operators, or its own older enum cases, can express.
  }];
  let methods = [
    InterfaceMethod<
      "Builds values equal to the op's results, bit for bit, of operators and "
      "enum cases older than those of the op; fails, having built nothing, if it "
      "cannot.",
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::OpBuilder &":$builder)>,
  ];
}

#endif // DML_IR_DMLINTERFACES_TD
