/*===- dml/model.h - Build a model node by node ---------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model of ONNX's operators that a program makes in memory, for a session
 * (DmlSessionCreateInfo::model): inputs, outputs, weights and nodes are added
 * by a call each, and no file is written. The weights' elements stay where the
 * program has them.
 *
 * A model is as an .onnx file would be, and is checked as one: a call here
 * refuses what no model can have, a session what is wrong with its inputs, and
 * a run or a preparation what is wrong with its nodes. Nodes are added in an
 * order in which each reads what stands before it. Other than a file, a model
 * has no functions: a program adds the nodes of a function in the place of each
 * call. ONNX Runtime does so itself before it runs a graph.
 *
 * Errors, ownership, threads and structures are as in dml/runtime.h. Beyond:
 * names, sizes and attributes are copied. A session keeps what it needs of a
 * model, which may be destroyed; the elements of weights, and what callbacks
 * read, stay until the last session that was made of the model is destroyed.
 * A model from which a session was made, or that is the graph of a node, does
 * not change any more. It is used by one thread at a time until then, and by
 * many afterwards. Running out of host memory ends the process, as everywhere
 * in LLVM.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_MODEL_H
#define DML_MODEL_H

#include "dml/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DmlModelImpl *DmlModel;

/* The types of a model's elements, numbered as in ONNX's TensorProto.DataType.
 * A model may also contain other types of ONNX, but not as operands of
 * operators. */
typedef enum DmlElementType {
  DML_ELEMENT_TYPE_UNDEFINED = 0,
  DML_ELEMENT_TYPE_FLOAT = 1,
  DML_ELEMENT_TYPE_UINT8 = 2,
  DML_ELEMENT_TYPE_INT8 = 3,
  DML_ELEMENT_TYPE_UINT16 = 4,
  DML_ELEMENT_TYPE_INT16 = 5,
  DML_ELEMENT_TYPE_INT32 = 6,
  DML_ELEMENT_TYPE_INT64 = 7,
  /* A byte, 0 or 1. */
  DML_ELEMENT_TYPE_BOOL = 9,
  DML_ELEMENT_TYPE_FLOAT16 = 10,
  DML_ELEMENT_TYPE_DOUBLE = 11,
  DML_ELEMENT_TYPE_UINT32 = 12,
  DML_ELEMENT_TYPE_UINT64 = 13,
  /* Two elements in a byte, the first in the low half. */
  DML_ELEMENT_TYPE_UINT4 = 21,
  DML_ELEMENT_TYPE_INT4 = 22,
  DML_ELEMENT_TYPE_MAX_ENUM = 0x7fffffff
} DmlElementType;

/*===----------------------------------------------------------------------===*\
 * Creating a model
\*===----------------------------------------------------------------------===*/

/* The version of an operator set (a domain of operators) for which the model is
 * written: {"", 21} for ONNX's own operators. The structure never grows. */
typedef struct DmlOperatorSet {
  const char *domain;
  int64_t version;
} DmlOperatorSet;

typedef struct DmlModelCreateInfo {
  const void *next;
  /* The name of the model in messages. NULL: "<model>". */
  const char *name;
  /* The versions of the model's operator sets. There are none in the graph of a
   * node, which uses the versions of its model. */
  const DmlOperatorSet *operatorSets;
  uint32_t operatorSetCount;
  /* Identifies the weights of this model that have no identifier of their own.
   * For example, it consists of the name and the version of the model. Equal
   * weights in models with equal identifiers exist once on a device, and the
   * cache finds programs without reading the weights. NULL: only sessions of
   * this very model share its weights, and their bytes are read to find
   * programs in the cache. */
  const char *identifier;
} DmlModelCreateInfo;

DML_API DmlResult dmlCreateModel(const DmlModelCreateInfo *info,
                                 DmlModel *model, DmlError *error);
DML_API void dmlDestroyModel(DmlModel model);

/*===----------------------------------------------------------------------===*\
 * Inputs, outputs and other tensors
\*===----------------------------------------------------------------------===*/

/* The type and the shape of a tensor. */
typedef struct DmlModelTensor {
  const void *next;
  const char *name;
  /* The type. An input must have one. For other tensors,
   * DML_ELEMENT_TYPE_UNDEFINED leaves it open. */
  DmlElementType elementType;
  /* The number of dimensions. An input must have one. For other tensors,
   * UINT32_MAX (DML_UNKNOWN_RANK) leaves the shape open. */
  uint32_t rank;
  /* The sizes, with -1 for an open size. */
  const int64_t *sizes;
  /* The names of open sizes, with NULL or "" for a size without a name. NULL if
   * no size has a name. */
  const char *const *dimensionNames;
} DmlModelTensor;

/* Adds an input or an output. The model's inputs and outputs have the order of
 * the calls. */
DML_API DmlResult dmlAddModelInput(DmlModel model, const DmlModelTensor *tensor,
                                   DmlError *error);
DML_API DmlResult dmlAddModelOutput(DmlModel model,
                                    const DmlModelTensor *tensor,
                                    DmlError *error);
/* Declares the type and the shape of a tensor between nodes. A run checks them.
 * The declaration is optional. */
DML_API DmlResult dmlAddModelValue(DmlModel model, const DmlModelTensor *tensor,
                                   DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Weights
\*===----------------------------------------------------------------------===*/

/* Writes `size` bytes of a weight, at most 1 MiB, to `destination`, beginning
 * with the byte `offset` of the weight. Returns NULL, or the text of an error,
 * with which the call of the session fails. The text must remain valid until
 * the same thread calls the callback again. The callback may be called during
 * any call of a session or of a model, on any thread and on several at once. It
 * must not call functions of sessions or of models. */
typedef const char *(*DmlReadWeightCallback)(void *userData, uint64_t offset,
                                             size_t size, void *destination);

/* A weight: a tensor with constant elements, packed and in row-major order. A
 * weight of at most 64 bytes is copied when it is added. The elements of a
 * larger weight remain in one of three places: `data`, `read` or `path`. They
 * are read when a program is created, at most once for each device. The
 * elements of small tensors (at most 65,536 elements) may also be read each
 * time a program is compiled, since the compiler may compute with them. */
typedef struct DmlModelWeight {
  const void *next;
  const char *name;
  DmlElementType elementType;
  uint32_t rank;
  const int64_t *sizes;
  uint64_t byteSize;
  /* Place 1: memory of the caller. */
  const void *data;
  /* Place 2: a function of the caller, which receives `userData`. */
  DmlReadWeightCallback read;
  void *userData;
  /* Place 3: a file, in which the elements begin at `offset`. The file must not
   * change. */
  const char *path;
  uint64_t offset;
  /* Identifies the contents of the weight among all weights. NULL:
   * DmlModelCreateInfo::identifier is used, or, for a file, its name, size,
   * time and inode. */
  const char *identifier;
} DmlModelWeight;

DML_API DmlResult dmlAddModelWeight(DmlModel model,
                                    const DmlModelWeight *weight,
                                    DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Nodes
\*===----------------------------------------------------------------------===*/

/* The types of attributes, numbered as in ONNX's
 * AttributeProto.AttributeType. */
typedef enum DmlAttributeType {
  DML_ATTRIBUTE_TYPE_FLOAT = 1,
  DML_ATTRIBUTE_TYPE_INT = 2,
  DML_ATTRIBUTE_TYPE_STRING = 3,
  DML_ATTRIBUTE_TYPE_TENSOR = 4,
  DML_ATTRIBUTE_TYPE_GRAPH = 5,
  DML_ATTRIBUTE_TYPE_FLOATS = 6,
  DML_ATTRIBUTE_TYPE_INTS = 7,
  DML_ATTRIBUTE_TYPE_STRINGS = 8,
  DML_ATTRIBUTE_TYPE_MAX_ENUM = 0x7fffffff
} DmlAttributeType;

/* An attribute of a node. `type` determines which of the members contain the
 * value. The structure never grows. */
typedef struct DmlModelAttribute {
  const char *name;
  DmlAttributeType type;
  float f;
  int64_t i;
  const char *s;
  /* The length of a list, and its numbers or strings. */
  uint32_t count;
  const float *floats;
  const int64_t *ints;
  const char *const *strings;
  /* A tensor. Its name may be NULL. */
  const DmlModelWeight *tensor;
  /* A graph, such as a branch of ONNX's If: a model that must not change from
   * now on, and may be destroyed. */
  DmlModel graph;
} DmlModelAttribute;

typedef struct DmlModelNode {
  const void *next;
  /* The domain of the operator. NULL or "" for ONNX's own operators. */
  const char *domain;
  /* The operator, such as "Add". */
  const char *type;
  /* The name of the node in messages. It may be NULL. */
  const char *name;
  /* The names of the inputs and outputs, with "" for one that is absent. */
  const char *const *inputs;
  uint32_t inputCount;
  const char *const *outputs;
  uint32_t outputCount;
  const DmlModelAttribute *attributes;
  uint32_t attributeCount;
} DmlModelNode;

DML_API DmlResult dmlAddModelNode(DmlModel model, const DmlModelNode *node,
                                  DmlError *error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DML_MODEL_H */
