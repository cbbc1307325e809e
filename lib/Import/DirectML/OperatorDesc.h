//===- OperatorDesc.h - A DML_OPERATOR_DESC and its operator ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Converts the fields of DirectML's structures to operands, results and
// attributes, by their names. Tables generated from the operators' descriptions
// define the type of each field, so that no operator needs separate code.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_OPERATORDESC_H
#define DML_LIB_IMPORT_DIRECTML_OPERATORDESC_H

#include "Fields.h"
#include "Json.h"

namespace dml::directml {

/// A DML_BUFFER_TENSOR_DESC: a tensor, and the layout of its elements in
/// memory.
struct TensorDesc {
  DataType type = DataType::FLOAT32;
  llvm::SmallVector<int64_t> sizes;
  std::optional<llvm::SmallVector<int64_t>> strides;
  /// Whether the contents of the tensor are specified when the operator is
  /// initialized.
  bool isOwned = false;
  Path path;
};

/// The tensors of one field.
struct TensorField {
  /// The name under which the tensors are bound, such as "InputTensor".
  std::string name;
  const TensorInfo *info;
  llvm::SmallVector<TensorDesc> tensors;
};

/// A DML_OPERATOR_DESC.
struct OperatorDesc {
  mlir::OperationName name;
  Path path;
  /// All tensors that the operator may have, in order.
  llvm::SmallVector<TensorField> inputs, outputs;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// Returns the operator for "DML_OPERATOR_GEMM" or "GEMM". Errors refer to
/// `path`.
llvm::Expected<mlir::OperationName> findOperator(llvm::StringRef type,
                                                 const Path &path,
                                                 mlir::MLIRContext *context);

/// Returns a name such as "FLOAT32".
std::string describeDataType(DataType type);

/// Reads a tensor.
llvm::Expected<TensorDesc> readTensorDesc(const Json &json);

/// Reads a type such as "FLOAT32" or "DML_TENSOR_DATA_TYPE_FLOAT32".
llvm::Expected<DataType> readDataType(const Json &json);

/// Returns the bits of a number of the type `type`. An error states the range
/// of the type.
llvm::Expected<llvm::APInt> readElement(const Json &json, DataType type);

/// Returns the number of the type `type` that the low bits of `bits` represent,
/// as readElement() reads it.
llvm::json::Value describeElement(DataType type, uint64_t bits);

/// Reads the fields of the operator `name`. The value of an enum may be the
/// last part of its name, its whole name, or its number.
llvm::Expected<OperatorDesc> readOperatorDesc(mlir::OperationName name,
                                              const llvm::json::Object &fields,
                                              const Path &path);

/// Returns the number of bytes in `elements` elements of `type`.
uint64_t countBytes(DataType type, uint64_t elements);

/// Returns the type of the tensor that contains the elements of `desc` in the
/// order of memory: packed, and each element once. Its sizes are those of
/// `desc` unless strides imply another order.
llvm::Expected<mlir::RankedTensorType>
getMemoryType(const TensorDesc &desc, mlir::MLIRContext *context);

/// buildRead() builds the tensor that an operator reads from a tensor in memory
/// order, and buildWrite() the reverse.
llvm::Expected<mlir::Value> buildRead(mlir::OpBuilder &builder,
                                      mlir::Location loc, mlir::Value memory,
                                      const TensorDesc &desc);
llvm::Expected<mlir::Value> buildWrite(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Value value,
                                       const TensorDesc &desc);

/// Builds a tensor of type `type` with the bytes of `value`, which is packed
/// and has equally many bytes.
llvm::Expected<mlir::Value> reinterpret(mlir::OpBuilder &builder,
                                        mlir::Location loc, mlir::Value value,
                                        mlir::RankedTensorType type,
                                        const Path &path);

/// Builds the operator. `inputs` are tensors in memory order, one for each
/// input of `desc`. The results are in memory order, too.
llvm::Expected<llvm::SmallVector<mlir::Value>>
buildOperator(mlir::OpBuilder &builder, mlir::Location loc,
              const OperatorDesc &desc, llvm::ArrayRef<mlir::Value> inputs);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_OPERATORDESC_H
