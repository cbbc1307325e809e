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

    **Layouts.** In functions, tensors are packed: row-major, without gaps. The
    caller's tensors may have what a `DML_BUFFER_TENSOR_DESC` has beside its sizes,
    as attributes on arguments and results of a function:

    * `dml.strides = array<i64: ...>` is one stride a dimension, in elements, from 0
      to 2^32 - 1: the element at coordinates `c` stands at `sum(c[i] * strides[i])`
      in the bound buffer. An argument may repeat elements by strides of 0, or by
      strides that overlap. A result may not: sorted by strides, each dimension of
      more than one element reaches beyond all elements of those with smaller
      strides. What lies between the elements of a result becomes 0. A tensor
      reaches over at most 2^32 - 1 elements.
    * `dml.in_place = N` on an argument and on a result of the same type asks for one
      buffer for both, the pair of the number N. The compiler refuses a pair if a kernel
      reads elements that another invocation writes, or reads old elements that are
      written before.
    * `dml.total_size` is the bytes that the buffer has: a multiple of 4, and no less
      than `DMLCalcBufferTensorSize` gives, which is the bytes up to the last
      element, rounded up to 4. The executable then wants a buffer of that many.

    Only compiled executables know of layouts: values are what they would be without
    them, in the interpreter for instance. `GuaranteedBaseOffsetAlignment` has no
    attribute, since every bound buffer begins at a multiple of 16 bytes, and
    `DML_TENSOR_FLAG_OWNED_BY_DML` has none, since an executable holds the constants
    that it owns. Tensors within a graph get strides by `dml.view`.
  }];
  let useDefaultAttributePrinterParser = 1;
  // Each family of operators has a function that registers its operators, in
  // the file that defines them.
  let extraClassDeclaration = [{
#define DML_FAMILY(name) void register##name##Ops();
#include "dml/IR/Families.def"

  private:
    // Registers operators that reject unknown attributes.
    template <typename... OpTys> void addOperations();

  public:
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // DML_IR_DMLBASE_TD
