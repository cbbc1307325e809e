//===- DMLOpBase.td - Base class of the operators ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_DMLOPBASE_TD
#define DML_IR_DMLOPBASE_TD

include "dml/IR/DMLAttributes.td"
include "dml/IR/DMLInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A DirectML tensor. FeatureLevelOpInterface checks the shape and the data type
/// with messages that name the tensor.
def DML_Tensor : TensorOf<[AnyFloat, AnyInteger]>;

/// A static table named `name`, which may be empty.
class DML_ArrayCpp<string type, string name, list<string> elements> {
  string cpp = !if(!empty(elements),
      "  static constexpr ::llvm::ArrayRef<::dml::" # type # "> " # name # ";\n",
      "  static constexpr ::dml::" # type # " " # name # "[] = {" #
      !interleave(elements, ", ") # "};\n");
}

/// The DirectML operator DML_OPERATOR_<operatorName>. A definition states its
/// support table in `support`, newest level first, and its enum attributes in
/// `enumSupport`; FeatureLevelOpInterface answers from them.
class DML_Op<string mnemonic, string operatorName, list<Trait> traits = []>
    : Op<DML_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<FeatureLevelOpInterface,
            ["getOperatorSupport", "getEnumCaseValue"]>] # traits> {
  /// The oldest level in `support` introduced the operator.
  list<DML_Support> support = [];
  list<DML_EnumSupport> enumSupport = [];
  /// The arrays that have one value a dimension.
  list<DML_DimensionArray> dimensionArrays = [];
  /// Where the table comes from.
  string supportSource = "DML_" # operatorName # "_OPERATOR_DESC, https://learn."
      # "microsoft.com/windows/win32/api/directml/ns-directml-dml_"
      # !tolower(operatorName) # "_operator_desc";

  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";

  /// The operands' names, then the results'.
  list<string> tensorNames = !foldl([]<string>, [arguments, results], names, d,
      names # !foldl([]<string>, !range(!size(d)), ns, i,
          !if(!isa<TypeConstraint>(!getdagarg<Constraint>(d, i)),
              ns # [!getdagname(d, i)], ns)));
  assert !foldl(true, support, ok, row, !and(ok, !or(!empty(row.tensors),
      !eq(!interleave(!foreach(t, row.tensors, t.tensor), ", "),
          !interleave(tensorNames, ", "))))),
      "a row of " # operatorName # " wants the tensors " #
      !interleave(tensorNames, ", ");

  let extraClassDefinition = [{
    const ::dml::OperatorSupport &$cppClass::getOperatorSupport() {
  }] # !interleave(!foreach(row, support,
      "  static constexpr ::dml::TensorSupport " # row.level.symbol #
      "Tensors[] = {" # !interleave(!if(!empty(row.tensors),
          !foreach(name, tensorNames,
                   "{\"" # name # "\", " # row.sameLimitsCpp # "}"),
          !foreach(t, row.tensors,
                   "{\"" # t.tensor # "\", " # t.limitsCpp # "}")),
      ", ") # "};\n"), "") # [{
      static constexpr ::dml::LevelSupport levels[] = {
  }] # !interleave(!foreach(row, support, "{::dml::FeatureLevel::" #
      row.level.symbol # ", " # row.level.symbol # "Tensors}"), ", ") # [{
      };
  }] # DML_ArrayCpp<"EnumCaseSupport", "enumCases",
          !listflatten(!foreach(e, enumSupport, e.casesCpp))>.cpp
     # DML_ArrayCpp<"DimensionArray", "dimensionArrays",
          !foreach(a, dimensionArrays, a.cpp)>.cpp # [{
      static constexpr ::dml::OperatorSupport support = {
  }] # "\"DML_OPERATOR_" # operatorName #
       "\", levels, enumCases, dimensionArrays, \"" # supportSource # "\"" # [{
      };
      return support;
    }
    std::optional<uint32_t>
    $cppClass::getEnumCaseValue(::llvm::StringRef attribute) {
  }] # !interleave(!foreach(e, enumSupport, e.valueCpp), "") # [{
      return std::nullopt;
    }
  }];
}

#endif // DML_IR_DMLOPBASE_TD
