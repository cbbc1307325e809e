//===- Fields.h - The fields of DirectML's structures -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The tables that Fields.td makes of the operators' descriptions: which fields
// the structure of an operator has, what they hold, and where they are in
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_FIELDS_H
#define DML_LIB_IMPORT_DIRECTML_FIELDS_H

#include "dml/IR/DML.h"

namespace dml::directml {

/// The kinds of values of attributes.
enum class FieldKind {
  Enum,
  Bool,
  Float,
  Integer,
  Integers,
  Floats,
  Scalar,
  ScaleBias,
  Activation,
  Activations,
};

/// An attribute of an operator.
struct FieldRow {
  llvm::StringLiteral op;
  /// The position among the arguments of the operator.
  uint8_t index;
  llvm::StringLiteral attribute;
  FieldKind kind;
  /// The mnemonic of the enum.
  llvm::StringLiteral enumName;
  /// The field with the number of elements of the array, or an empty text for
  /// what is no array. DML_SIZE_2D is none.
  llvm::StringLiteral count;
  bool isOptional;

  bool isSize2D() const { return kind == FieldKind::Integers && count.empty(); }
};

/// A case of an enum.
struct FieldCaseRow {
  llvm::StringLiteral enumName;
  llvm::StringLiteral name;
  uint32_t value;
};

/// Returns the attributes of the operator `op` in the order of its structure.
llvm::ArrayRef<FieldRow> getFields(mlir::OperationName op);

/// Returns the cases of all enums.
llvm::ArrayRef<FieldCaseRow> getFieldCases();

/// Returns the field of DirectML's structure for `row`.
std::string getFieldName(const FieldRow &row);

/// Returns the field of DirectML's structure for the tensor, such as
/// "InputTensor".
std::string getTensorFieldName(const TensorInfo &info);

/// Returns the field with the type of the scalar `row`.
llvm::StringRef getTypeField(const FieldRow &row);

/// Returns the field with the number of tensors in the array `info`.
std::string getCountField(const TensorInfo &info);

/// Returns the name of the operator with the value `value` of
/// DML_OPERATOR_TYPE, such as "DML_OPERATOR_GEMM", or an empty text if no
/// operator has the value.
std::string getOperatorType(uint32_t value);
/// Returns the largest value of DML_OPERATOR_TYPE.
uint32_t getLastOperatorType();

/// A member of an operator's structure in memory, as DirectML.h declares it:
/// with the alignment that C++ gives each member on a machine with pointers of
/// 64 bits.
struct Member {
  enum class Kind {
    /// A pointer to a DML_TENSOR_DESC, or to several.
    Tensor,
    /// The number of elements of arrays of the structure.
    Count,
    /// The DML_TENSOR_DATA_TYPE of a DML_SCALAR_UNION.
    DataType,
    /// A value of the kind `row->kind`. Values of the kinds ScaleBias,
    /// Activation and Activations, and arrays, are behind a pointer.
    Attribute,
  };
  Kind kind;
  std::string name;
  const TensorInfo *tensor = nullptr;
  const FieldRow *row = nullptr;
  size_t offset = 0;
  size_t size = 0;
};

/// The structure of an operator in memory.
struct Structure {
  llvm::SmallVector<Member> members;
  size_t size = 0;
};

/// Returns the structure of the operator `op`.
Structure getStructure(mlir::OperationName op);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_FIELDS_H
