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

/// A DirectML operator. A definition states its support table in `support`,
/// newest level first, and the enum cases that came later in `enumSupport`.
class DML_Op<string mnemonic, string dmlOperator, list<Trait> traits = []>
    : Op<DML_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<FeatureLevelOpInterface,
            ["getOperatorSupport", "getEnumCaseValue"]>] # traits> {
  /// The oldest level in `support` introduced the operator.
  list<DML_Support> support = [];
  list<DML_EnumSupport> enumSupport = [];
  /// The page that the table comes from.
  string supportSource = "";

  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";

  let extraClassDefinition = [{
    const ::dml::OperatorSupport &$cppClass::getOperatorSupport() {
  }] # !interleave(!foreach(s, support, s.arrayCpp), "") # [{
      static constexpr ::dml::LevelSupport levels[] = {
  }] # !interleave(!foreach(s, support, s.cpp), ", ") # [{
      };
  }] # !if(!empty(enumSupport), "", "static constexpr ::dml::EnumCaseSupport "
           "enumCases[] = {" # !interleave(!foreach(e, enumSupport, e.cpp), ", ")
           # "};") # [{
      static constexpr ::dml::OperatorSupport support = {
  }] # "\"" # dmlOperator # "\", levels, " #
       !if(!empty(enumSupport), "{}", "enumCases") # ", \"" # supportSource #
       "\"" # [{
      };
      return support;
    }
    uint32_t $cppClass::getEnumCaseValue(::llvm::StringRef attribute) {
  }] # !interleave(!foreach(e, enumSupport, e.valueCpp), "") # [{
      llvm_unreachable("the support table names no such enum attribute");
    }
  }];
}

#endif // DML_IR_DMLOPBASE_TD
