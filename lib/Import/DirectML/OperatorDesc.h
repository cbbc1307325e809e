//===- OperatorDesc.h - A DML_OPERATOR_DESC and its operator ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The fields of DirectML's structures become operands, results and attributes
// by their names. Tables made from the operators' descriptions say what each
// holds; no operator is a case of its own.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_OPERATORDESC_H
#define DML_LIB_IMPORT_DIRECTML_OPERATORDESC_H

#include "Json.h"
#include "dml/IR/DML.h"

namespace dml::directml {

/// A DML_BUFFER_TENSOR_DESC: a tensor, and where its elements are in memory.
struct TensorDesc {
  DataType type = DataType::FLOAT32;
  llvm::SmallVector<int64_t> sizes;
  std::optional<llvm::SmallVector<int64_t>> strides;
  /// What the tensor holds is told when the operator is initialized.
  bool isOwned = false;
  Path path;
};

/// The tensors of one field.
struct TensorField {
  /// "InputTensor", under which they are bound.
  std::string name;
  const TensorInfo *info;
  llvm::SmallVector<TensorDesc> tensors;
};

/// A DML_OPERATOR_DESC.
struct OperatorDesc {
  mlir::OperationName name;
  Path path;
  /// All that the operator may have, in order.
  llvm::SmallVector<TensorField> inputs, outputs;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// "DML_OPERATOR_GEMM", or "GEMM". The error lies at `path`.
llvm::Expected<mlir::OperationName> findOperator(llvm::StringRef type,
                                                 const Path &path,
                                                 mlir::MLIRContext *context);

/// The field of DirectML's structure that holds the tensor: "InputTensor".
std::string getTensorFieldName(const TensorInfo &info);

/// "FLOAT32".
std::string describeDataType(DataType type);

/// Reads a tensor.
llvm::Expected<TensorDesc> readTensorDesc(const Json &json);

/// "FLOAT32", or "DML_TENSOR_DATA_TYPE_FLOAT32".
llvm::Expected<DataType> readDataType(const Json &json);

/// The bits of a number of the type `type`. The error says which it holds.
llvm::Expected<llvm::APInt> readElement(const Json &json, DataType type);

/// Reads the fields of the operator `name`. An enum's value is the end of its
/// name, its whole name, or its number.
llvm::Expected<OperatorDesc> readOperatorDesc(mlir::OperationName name,
                                              const llvm::json::Object &fields,
                                              const Path &path);

/// Bytes of an element, and of that many.
uint64_t countBytes(DataType type, uint64_t elements);

/// The tensor that holds the elements of `desc` as they are in memory: packed,
/// each once. Its sizes are those of `desc` unless strides say otherwise.
llvm::Expected<mlir::RankedTensorType>
getMemoryType(const TensorDesc &desc, mlir::MLIRContext *context);

/// Builds the tensor that an operator reads of one in memory, and the other way
/// round.
llvm::Expected<mlir::Value> buildRead(mlir::OpBuilder &builder,
                                      mlir::Location loc, mlir::Value memory,
                                      const TensorDesc &desc);
llvm::Expected<mlir::Value> buildWrite(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Value value,
                                       const TensorDesc &desc);

/// The bytes of `value`, which is packed, as a tensor of another type of as
/// many.
llvm::Expected<mlir::Value> reinterpret(mlir::OpBuilder &builder,
                                        mlir::Location loc, mlir::Value value,
                                        mlir::RankedTensorType type,
                                        const Path &path);

/// Builds the operator. `inputs` are tensors in memory, one for each of the
/// desc's inputs in order; the results are in memory, too.
llvm::Expected<llvm::SmallVector<mlir::Value>>
buildOperator(mlir::OpBuilder &builder, mlir::Location loc,
              const OperatorDesc &desc, llvm::ArrayRef<mlir::Value> inputs);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_OPERATORDESC_H
