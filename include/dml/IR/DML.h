//===- DML.h - The dml dialect ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The dialect, its attributes and its interfaces. Each family of operators has
// its own header, such as dml/IR/PaddingOps.h. dml/IR/DMLOps.h includes all of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_DML_H
#define DML_IR_DML_H

#include "dml/IR/FeatureLevels.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dml/IR/DMLDialect.h.inc"

namespace dml::detail {
/// Verifies `op` for FeatureLevelOpInterface: the constraints that apply to all
/// operators.
llvm::LogicalResult verifyOperator(mlir::Operation *op);

/// Emits a remark if two operands of `op`, which is invalid, seem to be
/// exchanged: if `verify` succeeds after exchanging them.
void noteSwappedOperands(
    mlir::Operation *op,
    llvm::function_ref<llvm::LogicalResult(mlir::Operation *)> verify);

/// Verifies an operation like MLIR: its traits, and then its own verifier.
template <typename OpTy, template <typename> class... Traits>
llvm::LogicalResult verifyOp(mlir::Op<OpTy, Traits...> op) {
  return llvm::failure(
      failed(mlir::op_definition_impl::verifyTraits<Traits<OpTy>...>(op)) ||
      failed(mlir::cast<OpTy>(op.getOperation()).verify()));
}

/// Returns a text for an error about `attribute`, which the operator `op` does
/// not have: the attribute that was probably meant, or the list of all
/// attributes.
std::string describeUnknownAttribute(mlir::OperationName op,
                                     llvm::StringRef attribute);

/// Checks that `op` has only its own attributes and attributes with the prefix
/// of a dialect. An unknown attribute is usually a misspelt one, whose default
/// value would otherwise be used silently.
llvm::LogicalResult verifyAttributeNames(mlir::Operation *op);

/// The operator `OpTy` as it is registered in the dialect, with three
/// additional checks. First, unknown attributes between "<{" and "}>" of the
/// generic form are rejected: these attributes become properties before
/// verification, and the generated code drops unknown ones. Second, the names
/// of other attributes are checked before anything else of the operator. Third,
/// if the operator is invalid, noteSwappedOperands() looks for exchanged
/// operands.
template <typename OpTy> struct Strict : OpTy {
  using OpTy::OpTy;

  static llvm::LogicalResult setPropertiesFromAttr(
      typename OpTy::Properties &properties, mlir::Attribute from,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
    // Builders, which pass no `emitError`, pass all attributes of an operation
    // here. Those attributes are verified later.
    auto attributes = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(from);
    mlir::OperationName name(OpTy::getOperationName(), from.getContext());
    // If operands have segments, the generated list of names lacks the
    // attribute for the segments of results.
    auto isKnown = [](llvm::StringRef attribute) {
      return llvm::is_contained(OpTy::getAttributeNames(), attribute) ||
             (OpTy::template hasTrait<
                  mlir::OpTrait::AttrSizedResultSegments>() &&
              attribute == "resultSegmentSizes");
    };
    auto emitOpError = [&] { return emitError() << "'" << name << "' op "; };
    if (attributes && emitError)
      for (mlir::NamedAttribute attribute : attributes)
        if (!isKnown(attribute.getName().getValue()))
          return emitOpError()
                 << describeUnknownAttribute(name, attribute.getName());
    // Also checks the kinds of attributes, so that errors are the same as for
    // the custom form.
    if constexpr (!std::is_same_v<typename OpTy::Properties,
                                  mlir::EmptyProperties>) {
      if (attributes && emitError) {
        mlir::NamedAttrList list(attributes);
        if (failed(OpTy::verifyInherentAttrs(name, list, emitOpError)))
          return llvm::failure();
      }
    }
    return OpTy::setPropertiesFromAttr(properties, from, emitError);
  }

  /// Checks the names of attributes first: where a required attribute is
  /// misspelt, the error is about the misspelt one.
  static mlir::OperationName::VerifyInvariantsFn getVerifyInvariantsFn() {
    return [](mlir::Operation *op) -> llvm::LogicalResult {
      if (failed(verifyAttributeNames(op)))
        return llvm::failure();
      auto verify = [](mlir::Operation *any) {
        return verifyOp(mlir::cast<OpTy>(any));
      };
      if (succeeded(verify(op)))
        return llvm::success();
      noteSwappedOperands(op, verify);
      return llvm::failure();
    };
  }
};
} // namespace dml::detail

/// Gives `Strict<OpTy>` the TypeID of `OpTy`, so that isa and cast treat them
/// alike.
template <typename OpTy>
struct mlir::detail::TypeIDResolver<dml::detail::Strict<OpTy>>
    : mlir::detail::TypeIDResolver<OpTy> {};

template <typename... OpTys> void dml::DMLDialect::addOperations() {
  (mlir::RegisteredOperationName::insert<detail::Strict<OpTys>>(*this), ...);
}

#include "dml/IR/DMLInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dml/IR/DMLAttributes.h.inc"

namespace dml {

/// The name of the attribute that states the target of a module or function.
inline constexpr llvm::StringLiteral targetAttrName = "dml.target";

/// The name of the attribute of arguments and results that names a tensor. The
/// names in a function differ.
inline constexpr llvm::StringLiteral nameAttrName = "dml.name";

/// The name of the attribute of arguments and results that stores the original
/// type of a tensor, after code generation has replaced the type by another one
/// with the same bytes.
inline constexpr llvm::StringLiteral typeAttrName = "dml.type";

/// The name of the attribute of arguments and results that states the strides
/// of the caller's tensor, in elements.
inline constexpr llvm::StringLiteral stridesAttrName = "dml.strides";

/// The name of the attribute of arguments and results that states the number of
/// bytes of the caller's tensor.
inline constexpr llvm::StringLiteral totalSizeAttrName = "dml.total_size";

/// Sets the attribute `name` of those arguments and results of `function` for
/// which the getters return an attribute. Setting all attributes at once saves
/// time, since each change rewrites the list of all attributes.
void setTensorAttrs(
    mlir::FunctionOpInterface function, llvm::StringRef name,
    llvm::function_ref<mlir::Attribute(unsigned)> getArgumentAttr,
    llvm::function_ref<mlir::Attribute(unsigned)> getResultAttr);

/// Stores the original types of the tensors in a function's signature whose
/// types a conversion changes, unless an earlier conversion has already stored
/// them. The executable needs these types.
void keepTensorTypes(mlir::FunctionOpInterface function,
                     llvm::function_ref<bool(mlir::Type)> isChanged);

/// The name of the attribute that states the dml operator from which an
/// operation was lowered.
inline constexpr llvm::StringLiteral labelAttrName = "dml.label";

/// The name of the module attribute that contains a serialized executable.
inline constexpr llvm::StringLiteral executableAttrName = "dml.executable";

/// Whether the runtime accepts `text` as a name: `text` must be UTF-8, not
/// empty, and without control characters.
bool isName(llvm::StringRef text);

/// Returns the feature level for `op`: the level of the nearest `dml.target` on
/// `op` or around it, or the newest level if there is none.
FeatureLevel getTargetFeatureLevel(mlir::Operation *op);

namespace detail {
/// Emits an error if `op` does not fuse `activation`, which is the value of the
/// attribute `attribute`, or its element `index`. A null activation is
/// accepted.
llvm::LogicalResult
verifyFusedActivation(mlir::Operation *op, ActivationAttr activation,
                      llvm::StringRef attribute = "fused_activation",
                      std::optional<size_t> index = std::nullopt);

/// Returns the enum case of the newest one of `activations`, the value of the
/// array attribute `attribute`, according to the support table.
std::optional<uint32_t> getNewestFusedCase(mlir::ArrayAttr activations,
                                           const OperatorSupport &support,
                                           llvm::StringRef attribute);

/// Emits an error if the parameters of the activation function `activation` are
/// invalid.
llvm::LogicalResult
verifyActivation(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 ActivationFunction activation,
                 mlir::DictionaryAttr parameters);

/// Emits an error if the tensor `name` with the type `type` has more than two
/// dimensions, apart from leading dimensions of size 1.
llvm::LogicalResult verifyMatrix(mlir::Operation *op, llvm::StringRef name,
                                 mlir::RankedTensorType type);

/// Whether at least one of the optional tensors `names` is absent, and whether
/// all of them are.
bool isAnyAbsent(FeatureLevelOpInterface op,
                 llvm::ArrayRef<llvm::StringRef> names);
bool areAllAbsent(FeatureLevelOpInterface op,
                  llvm::ArrayRef<llvm::StringRef> names);

/// Whether two tensors of `op` have different ranks.
bool haveDifferentRanks(FeatureLevelOpInterface op);

/// Whether two of the tensors `names` have different element types.
bool haveDifferentTypes(FeatureLevelOpInterface op,
                        llvm::ArrayRef<llvm::StringRef> names);

/// Whether one of the tensors `names` differs in size from the tensor `input`
/// along one of `dims`. Negative dimensions are counted from the end.
bool areRepeated(FeatureLevelOpInterface op,
                 llvm::ArrayRef<llvm::StringRef> names,
                 llvm::ArrayRef<int64_t> dims);
} // namespace detail

/// Returns the support table of the operator `name`, or null if `name` is not a
/// dml operator.
const OperatorSupport *getOperatorSupport(mlir::OperationName name);

} // namespace dml

#endif // DML_IR_DML_H
