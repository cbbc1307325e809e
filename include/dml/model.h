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
 * order in which each reads what stands before it.
 *
 * Errors, ownership, threads and structures are as in dml/runtime.h. Beyond:
 * names, sizes and attributes are copied. A session keeps what it needs of a
 * model, which may be destroyed; the elements of weights, and what callbacks
 * read, stay until the last session that was made of the model is destroyed.
 * A model from which a session was made, or that is the graph of a node, does
 * not change any more. It is used by one thread at a time until then, and by
 * many afterwards.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_MODEL_H
#define DML_MODEL_H

#include "dml/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DmlModelImpl *DmlModel;

/* The types of a model's elements, with the numbers of ONNX's
 * TensorProto.DataType. A model may have others of these numbers too, and is
 * refused where they reach an operator. */
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
  /* Two elements to a byte, the first in the low half. */
  DML_ELEMENT_TYPE_UINT4 = 21,
  DML_ELEMENT_TYPE_INT4 = 22,
  DML_ELEMENT_TYPE_MAX_ENUM = 0x7fffffff
} DmlElementType;

/*===----------------------------------------------------------------------===*\
 * Creating a model
\*===----------------------------------------------------------------------===*/

/* The version of a domain's operators that a model is written in: {"", 21} for
 * ONNX's own. The structure never grows. */
typedef struct DmlOperatorSet {
  const char *domain;
  int64_t version;
} DmlOperatorSet;

typedef struct DmlModelCreateInfo {
  const void *next;
  /* For messages. NULL: "<model>". */
  const char *name;
  /* None for the graph of a node, which has those of the model. */
  const DmlOperatorSet *operatorSets;
  uint32_t operatorSetCount;
  /* What tells the contents of this model's weights from those of all other
   * models, for weights that have no identifier of their own: the name and the
   * version of the model, say. Where there are equal weights under an equal
   * identifier, sessions share them on a device, and programs of the cache are
   * found without reading the weights. NULL: sessions of this model alone share
   * its weights, and their bytes are read for the cache's key. */
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
  /* Inputs have a type; for others DML_ELEMENT_TYPE_UNDEFINED leaves it open.
   */
  DmlElementType elementType;
  /* Inputs have a rank; for others UINT32_MAX (DML_UNKNOWN_RANK) leaves the
   * shape open. */
  uint32_t rank;
  /* -1 for a size that is open. */
  const int64_t *sizes;
  /* The names of open sizes; NULL or "" for one without a name. NULL where no
   * size has a name. */
  const char *const *dimensionNames;
} DmlModelTensor;

/* Adds an input or an output; they keep the order of the calls. */
DML_API DmlResult dmlAddModelInput(DmlModel model, const DmlModelTensor *tensor,
                                   DmlError *error);
DML_API DmlResult dmlAddModelOutput(DmlModel model,
                                    const DmlModelTensor *tensor,
                                    DmlError *error);
/* Says what the type and the shape of a tensor between nodes are. A run checks
 * this; models do without. */
DML_API DmlResult dmlAddModelValue(DmlModel model, const DmlModelTensor *tensor,
                                   DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Weights
\*===----------------------------------------------------------------------===*/

/* Writes `size` bytes of a weight, at most 1 MiB, from the byte `offset` on to
 * `destination`. Returns NULL, or why that is not possible: text that stays
 * until the same thread calls again. The call of the session fails with this
 * text then. May be called on any thread while a call of a session or of a
 * model goes on, on several at once, and must not call either. */
typedef const char *(*DmlReadWeightCallback)(void *userData, uint64_t offset,
                                             size_t size, void *destination);

/* A tensor that is known. Of its `byteSize` bytes, packed and in row-major
 * order, no more than 64 are copied when it is added; the others stay in one of
 * three places. They are read when a program is made, at most once for each
 * device, and those of small tensors (65,536 elements, or 4 bits each), which
 * the compiler may compute with, each time that a program is compiled. */
typedef struct DmlModelWeight {
  const void *next;
  const char *name;
  DmlElementType elementType;
  uint32_t rank;
  const int64_t *sizes;
  uint64_t byteSize;
  /* Memory of the caller. */
  const void *data;
  /* Or a function of the caller's. */
  DmlReadWeightCallback read;
  void *userData;
  /* Or the bytes from `offset` on in a file, which does not change. */
  const char *path;
  uint64_t offset;
  /* What tells the contents of the weight from those of all others. NULL:
   * DmlModelCreateInfo::identifier; for a file, its name, size, time and inode.
   */
  const char *identifier;
} DmlModelWeight;

DML_API DmlResult dmlAddModelWeight(DmlModel model,
                                    const DmlModelWeight *weight,
                                    DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Nodes
\*===----------------------------------------------------------------------===*/

/* The numbers are those of ONNX's AttributeProto.AttributeType. */
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

/* The structure never grows. Its type says which members hold the value. */
typedef struct DmlModelAttribute {
  const char *name;
  DmlAttributeType type;
  float f;
  int64_t i;
  const char *s;
  /* The numbers or strings of a list. */
  uint32_t count;
  const float *floats;
  const int64_t *ints;
  const char *const *strings;
  /* Its name may be NULL. */
  const DmlModelWeight *tensor;
  /* A branch of an If, or the body of another operator: a model that stays as
   * it is from now on, and may be destroyed. */
  DmlModel graph;
} DmlModelAttribute;

typedef struct DmlModelNode {
  const void *next;
  /* NULL or "" for ONNX's own operators. */
  const char *domain;
  /* The operator: "Add". */
  const char *type;
  /* For messages; may be NULL. */
  const char *name;
  /* "" for an input or output that is absent. */
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
