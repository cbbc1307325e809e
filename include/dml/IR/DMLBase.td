//===- DMLBase.td - The dml dialect ------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_DMLBASE_TD
#define DML_IR_DMLBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def DML_Dialect : Dialect {
  let name = "dml";
  let cppNamespace = "::dml";
  let summary = "DirectML's operators";
  let description = [{
    Each operation is one DirectML operator, under its DirectML name in snake
    case: `DML_OPERATOR_PADDING` is `dml.padding`. Operands, results and
    attributes are the fields of the operator's desc in snake case, less the
    counts that MLIR knows (`DimensionCount`, `RepeatsCount`, `ScaleCount`).

    **Types.** A DirectML tensor is a ranked `tensor` of static shape with one to
    eight dimensions. `FLOATn` is `fn`, `INTn` is `in` (signless integers have
    signed meaning), `UINTn` is `uin`. Every size is at least 1 and at most
    2^32 - 1, and so is the number of elements.

    **Attributes.** An operator has its own and those with the prefix of a dialect
    (`dml.label`). Any other is an error, since a misspelt optional attribute
    would leave that attribute at its default.

    **Feature levels.** What a tensor's rank and data type may be, and which enum
    cases exist, depends on the feature level. The module or a function states
    its level with the attribute `dml.target`; nested targets override outer
    ones. Without one, the newest level (6_4) holds. Every operator's table of
    levels stands in its ODS description and is reachable through
    `FeatureLevelOpInterface`.

    **Names.** The attribute `dml.name`, on an argument or a result of a function,
    names the tensor in a compiled executable's signature. No two of a function
    have the same name.
  }];
  let useDefaultAttributePrinterParser = 1;
  // Each family of operators registers its own, in the file that defines them.
  let extraClassDeclaration = [{
#define DML_FAMILY(name) void register##name##Ops();
#include "dml/IR/Families.def"

  private:
    // Registers operators that refuse attributes which they do not have.
    template <typename... OpTys> void addOperations();

  public:
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // DML_IR_DMLBASE_TD
