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
/// The verifier of FeatureLevelOpInterface.
llvm::LogicalResult verifyOperator(mlir::Operation *op);
} // namespace dml::detail

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

/// Keeps the types of those tensors of a function's signature that a conversion
/// changes, for the executable, where no earlier one did.
void keepTensorTypes(mlir::FunctionOpInterface function,
                     llvm::function_ref<bool(mlir::Type)> isChanged);

/// Name of the attribute that carries the name of the dml operator which an
/// operation was lowered from.
inline constexpr llvm::StringLiteral labelAttrName = "dml.label";

/// Name of the module attribute that holds a serialized executable.
inline constexpr llvm::StringLiteral executableAttrName = "dml.executable";

/// Whether the runtime takes `text` for a name: not empty, and without control
/// characters.
bool isName(llvm::StringRef text);

/// The feature level that holds for `op`: that of the nearest `dml.target` on
/// it or around it, else the newest.
FeatureLevel getTargetFeatureLevel(mlir::Operation *op);

namespace detail {
/// Emits an error if `op` does not fuse `activation`; null is fine.
llvm::LogicalResult verifyFusedActivation(mlir::Operation *op,
                                          ActivationAttr activation);

/// Emits an error if the numbers among the attributes of the activation
/// function `activation` have no meaning.
llvm::LogicalResult verifyActivation(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
    ActivationFunction activation, mlir::DictionaryAttr parameters);
} // namespace detail

/// The support table of the operator `name`, or null if it is none.
const OperatorSupport *getOperatorSupport(mlir::OperationName name);

} // namespace dml

#endif // DML_IR_DML_H
