//===- DML.h - The dml dialect ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The dialect, its attributes and its interfaces. The operators stand in a
// header for each family, dml/IR/PaddingOps.h for instance, and all of them in
// dml/IR/DMLOps.h.
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
/// The verifier of FeatureLevelOpInterface, for what holds for every operator.
llvm::LogicalResult verifyOperator(mlir::Operation *op);

/// Emits a remark if `op`, which is not valid, has two operands in each other's
/// place: if `verify` finds nothing wrong once they have changed places.
void noteSwappedOperands(
    mlir::Operation *op,
    llvm::function_ref<llvm::LogicalResult(mlir::Operation *)> verify);

/// Verifies an operation as MLIR does: its traits, then what it has to say
/// itself.
template <typename OpTy, template <typename> class... Traits>
llvm::LogicalResult verifyOp(mlir::Op<OpTy, Traits...> op) {
  return llvm::failure(
      failed(mlir::op_definition_impl::verifyTraits<Traits<OpTy>...>(op)) ||
      failed(mlir::cast<OpTy>(op.getOperation()).verify()));
}

/// What an error says of `attribute`, which the operator `op` does not have:
/// the attribute that was probably meant, or all that there are.
std::string describeUnknownAttribute(mlir::OperationName op,
                                     llvm::StringRef attribute);

/// The operator `OpTy` as it is registered. What the generic form of operations
/// has between "<{" and "}>" becomes the operator's properties before there is
/// an operation to verify, and the generated code drops what it does not know.
/// An operator that is not valid is looked at once more, for a hint.
template <typename OpTy> struct Strict : OpTy {
  using OpTy::OpTy;

  static llvm::LogicalResult setPropertiesFromAttr(
      typename OpTy::Properties &properties, mlir::Attribute from,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
    // Builders, which want no error, hand over all of an operation's attributes
    // here. These are verified later.
    auto attributes = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(from);
    mlir::OperationName name(OpTy::getOperationName(), from.getContext());
    // The generated names leave out the results' segments where the operands
    // have some, too.
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
    // The same of the kinds of attributes, in the words of the custom form.
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

  static mlir::OperationName::VerifyInvariantsFn getVerifyInvariantsFn() {
    return [](mlir::Operation *op) -> llvm::LogicalResult {
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

/// `Strict<OpTy>` is `OpTy` for whoever asks.
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

/// Name of the attribute that states the target of a module or function.
inline constexpr llvm::StringLiteral targetAttrName = "dml.target";

/// Name of the argument and result attribute that names a tensor. No two of a
/// function have the same.
inline constexpr llvm::StringLiteral nameAttrName = "dml.name";

/// Name of the argument and result attribute that keeps the type which a tensor
/// had before code generation gave it another one of the same bytes.
inline constexpr llvm::StringLiteral typeAttrName = "dml.type";

/// Name of the argument and result attribute that has the strides of the
/// caller's tensor, in elements.
inline constexpr llvm::StringLiteral stridesAttrName = "dml.strides";

/// Name of the argument and result attribute that has the bytes which the
/// caller states for its tensor.
inline constexpr llvm::StringLiteral totalSizeAttrName = "dml.total_size";

/// Sets the attribute `name` of those arguments and results of `function` for
/// which the getters return one. All are set at once: to set the attribute of
/// one writes the list of all.
void setTensorAttrs(
    mlir::FunctionOpInterface function, llvm::StringRef name,
    llvm::function_ref<mlir::Attribute(unsigned)> getArgumentAttr,
    llvm::function_ref<mlir::Attribute(unsigned)> getResultAttr);

/// Keeps the types of those tensors of a function's signature that a conversion
/// changes, for the executable, where no earlier one did.
void keepTensorTypes(mlir::FunctionOpInterface function,
                     llvm::function_ref<bool(mlir::Type)> isChanged);

/// Name of the attribute that carries the name of the dml operator which an
/// operation was lowered from.
inline constexpr llvm::StringLiteral labelAttrName = "dml.label";

/// Name of the module attribute that holds a serialized executable.
inline constexpr llvm::StringLiteral executableAttrName = "dml.executable";

/// Whether the runtime takes `text` for a name: UTF-8 that is not empty and has
/// no control characters.
bool isName(llvm::StringRef text);

/// The feature level that holds for `op`: that of the nearest `dml.target` on
/// it or around it, else the newest.
FeatureLevel getTargetFeatureLevel(mlir::Operation *op);

namespace detail {
/// Emits an error if `op` does not fuse `activation`, which is the attribute
/// `attribute` or element `index` of it; null is fine.
llvm::LogicalResult
verifyFusedActivation(mlir::Operation *op, ActivationAttr activation,
                      llvm::StringRef attribute = "fused_activation",
                      std::optional<size_t> index = std::nullopt);

/// The case, in the support table, of that one of `activations`, the array
/// attribute `attribute`, which came last.
std::optional<uint32_t> getNewestFusedCase(mlir::ArrayAttr activations,
                                           const OperatorSupport &support,
                                           llvm::StringRef attribute);

/// Emits an error if the numbers among the attributes of the activation
/// function `activation` have no meaning.
llvm::LogicalResult
verifyActivation(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 ActivationFunction activation,
                 mlir::DictionaryAttr parameters);

/// Emits an error if the tensor `name` of the type `type` has more than two
/// dimensions without its leading sizes of 1.
llvm::LogicalResult verifyMatrix(mlir::Operation *op, llvm::StringRef name,
                                 mlir::RankedTensorType type);

/// Whether one of the optional tensors `names` is absent, or all of them are.
bool isAnyAbsent(FeatureLevelOpInterface op,
                 llvm::ArrayRef<llvm::StringRef> names);
bool areAllAbsent(FeatureLevelOpInterface op,
                  llvm::ArrayRef<llvm::StringRef> names);

/// Whether two tensors of the op have different ranks.
bool haveDifferentRanks(FeatureLevelOpInterface op);

/// Whether two of the tensors `names` have different element types.
bool haveDifferentTypes(FeatureLevelOpInterface op,
                        llvm::ArrayRef<llvm::StringRef> names);

/// Whether one of the tensors `names` has another size than the tensor `input`
/// along one of `dims`. A dimension below 0 is counted from the end.
bool areRepeated(FeatureLevelOpInterface op,
                 llvm::ArrayRef<llvm::StringRef> names,
                 llvm::ArrayRef<int64_t> dims);
} // namespace detail

/// The support table of the operator `name`, or null if it is none.
const OperatorSupport *getOperatorSupport(mlir::OperationName name);

} // namespace dml

#endif // DML_IR_DML_H
