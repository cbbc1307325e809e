/*===- dml/directml.h - Models of DirectML's own structures ---------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For programs that call DirectML: a DML_OPERATOR_DESC becomes an operator, and
 * an operator or a DML_GRAPH_DESC becomes a model, for a session
 * (DmlSessionCreateInfo::model) and for all else that takes a model. A program
 * that fills DirectML's structures so changes who makes its operators and its
 * graph, and what runs it. dml/directml.hpp goes further: it implements
 * IDMLDevice1 by these functions.
 *
 * The structures are those of Microsoft's DirectML.h, as C++ lays them out with
 * pointers of 64 bits, of all target versions up to 0x6400. This header
 * declares their names alone. It may be included with DirectML.h, in either
 * order, and without it.
 *
 * Checked are: null pointers, where a pointer is not optional; the values of
 * enums and flags; counts, indices and sizes; TotalTensorSizeInBytes; strides;
 * all that the operators' verifiers check; and the edges of a graph. An error
 * names the field, the value found and the value wanted:
 *   DML_OPERATOR_GEMM.BTensor.Desc.Sizes[3]: found 0, wanted ...
 * The caller sees to it that a pointer that is not null leads to the structure,
 * or to the number of elements, that stands for it in DirectML.h: nothing can
 * check that.
 *
 * Errors, ownership, threads and structures are as in dml/runtime.h. Nothing
 * refers to DirectML's structures after a call, not to the bytes of constant
 * nodes either. Running out of host memory ends the process, as everywhere in
 * LLVM.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_DIRECTML_H
#define DML_DIRECTML_H

#include "dml/session.h"

struct DML_OPERATOR_DESC;
struct DML_GRAPH_DESC;

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
 * Operators
\*===----------------------------------------------------------------------===*/

/* An operator, in the place of an IDMLOperator. It never changes, so that many
 * threads may use it at once. */
typedef struct DmlOperatorImpl *DmlOperator;

/* Reads the description of an operator, and verifies the operator. In the place
 * of IDMLDevice::CreateOperator. */
DML_API DmlResult dmlCreateOperator(const struct DML_OPERATOR_DESC *desc,
                                    DmlOperator *op, DmlError *error);
/* Models of the operator remain. */
DML_API void dmlDestroyOperator(DmlOperator op);

/*===----------------------------------------------------------------------===*\
 * Models
\*===----------------------------------------------------------------------===*/

typedef struct DmlDescribedModelCreateInfo {
  const void *next;
  /* The name of the model in messages. NULL: "<operator>" or "<graph>". */
  const char *name;
  /* DML_EXECUTION_FLAGS. The flags change how DirectML computes, not what: they
   * are checked, and nothing else. */
  uint32_t executionFlags;
} DmlDescribedModelCreateInfo;

/* Makes a model of one operator. In the place of IDMLDevice::CompileOperator,
 * but nothing is compiled before a session runs the model. The session's inputs
 * and outputs have the names of the fields: "ATensor", "InputTensors[1]".
 * `info` may be NULL. dmlDestroyModel destroys the model. */
DML_API DmlResult dmlCreateModelOfOperator(
    DmlOperator op, const DmlDescribedModelCreateInfo *info, DmlModel *model,
    DmlError *error);

/* Makes a model of a graph. In the place of IDMLDevice1::CompileGraph. The
 * member `Operator` of each DML_OPERATOR_GRAPH_NODE_DESC is a DmlOperator,
 * converted to an IDMLOperator pointer, which may be destroyed afterwards.
 * Nodes may stand in any order. An input or output of the session has the name
 * of its edge, or, where that is null or no other one's, "input0" or "output0".
 */
DML_API DmlResult dmlCreateModelOfGraph(const struct DML_GRAPH_DESC *graph,
                                        const DmlDescribedModelCreateInfo *info,
                                        DmlModel *model, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * What a program binds
\*===----------------------------------------------------------------------===*/

typedef struct DmlDescribedModelInfo {
  void *next;
  /* The numbers of bindings that DirectML takes of a program: one for each
   * input or output of the graph; for an operator, one for each of its tensors,
   * absent optional ones and each tensor of an array included. */
  uint32_t inputCount;
  uint32_t outputCount;
} DmlDescribedModelInfo;

/* Fails for a model that was built node by node. */
DML_API DmlResult dmlGetDescribedModelInfo(DmlModel model,
                                           DmlDescribedModelInfo *info,
                                           DmlError *error);

typedef enum DmlBindPointKind {
  /* Nothing is bound (DML_BINDING_TYPE_NONE): an optional tensor that is
   * absent, or a graph input without an edge. */
  DML_BIND_POINT_KIND_NONE = 0,
  /* An input or output of each run. */
  DML_BIND_POINT_KIND_RUN = 1,
  /* An input with the flag DML_TENSOR_FLAG_OWNED_BY_DML, which DirectML's
   * initializer takes: one of DmlSessionCreateInfo::weights. */
  DML_BIND_POINT_KIND_WEIGHT = 2,
  DML_BIND_POINT_KIND_MAX_ENUM = 0x7fffffff
} DmlBindPointKind;

typedef struct DmlBindPoint {
  void *next;
  DmlBindPointKind kind;
  /* The place among the inputs or outputs of the session, if `kind` is
   * DML_BIND_POINT_KIND_RUN. Places count those alone. */
  uint32_t index;
  /* The name of the session's input, output or weight, or NULL. It is valid as
   * long as the model. */
  const char *name;
  /* The tensor as it lies in memory: where strides permute or repeat
   * dimensions, these are the sizes of the elements that are there. `byteSize`
   * is what a session takes; DirectML's TotalTensorSizeInBytes may be more. */
  DmlDataType dataType;
  uint32_t rank;
  int64_t sizes[DML_MAX_RANK];
  uint64_t byteSize;
} DmlBindPoint;

/* Tells what a program binds to the input or output `index`, as DirectML counts
 * them. */
DML_API DmlResult dmlGetInputBindPoint(DmlModel model, uint32_t index,
                                       DmlBindPoint *point, DmlError *error);
DML_API DmlResult dmlGetOutputBindPoint(DmlModel model, uint32_t index,
                                        DmlBindPoint *point, DmlError *error);

/* Returns the model as a module in MLIR, whose function is "main": a file
 * (.mlir, .mlirbc) for the tools, and a source for dmlCompileToExecutable. */
DML_API DmlResult dmlGetModelModule(DmlModel model, DmlModuleForm form,
                                    DmlBytes *module, DmlError *error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DML_DIRECTML_H */
