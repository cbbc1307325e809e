/*===- dml/session.h - Open a model and run it ----------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The library through which a program opens a model and runs it: the importers,
 * the compiler and the runtime (dml/runtime.h) behind one handle. A session
 * tells what the model takes and returns, and runs the model on tensors of any
 * sizes that the model takes. A program for some sizes is compiled when these
 * sizes are first met, and kept.
 *
 * Errors, ownership, threads and structures are as in dml/runtime.h. Beyond:
 * a session may be used from many threads at once. Calls that meet the same
 * new sizes compile once, and wait for each other; different sizes are
 * compiled side by side. Running out of host memory is an error of a run whose
 * program is there; where a model is read or compiled, it ends the process, as
 * everywhere in LLVM. Where a device is lost, each call that needs it fails with
 * DML_ERROR_DEVICE_LOST; a session that is made anew has a new device.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_SESSION_H
#define DML_SESSION_H

#include "dml/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
 * Creating a session
\*===----------------------------------------------------------------------===*/

typedef struct DmlSessionImpl *DmlSession;

typedef enum DmlModelFormat {
  /* By the name of the file, else by the first bytes. */
  DML_MODEL_FORMAT_AUTO = 0,
  DML_MODEL_FORMAT_ONNX = 1,
  /* A graph of DirectML that ONNX Runtime serialized (.bin). */
  DML_MODEL_FORMAT_DIRECTML_GRAPH = 2,
  /* A JSON model of DxDispatch (.json). */
  DML_MODEL_FORMAT_DXDISPATCH = 3,
  /* MLIR of dml operators, as text or bytecode (.mlir, .mlirbc). */
  DML_MODEL_FORMAT_MLIR = 4,
  /* An executable (.dmlx). */
  DML_MODEL_FORMAT_EXECUTABLE = 5
} DmlModelFormat;

/* The size of a symbolic dimension, "batch", of a dimension without a name,
 * "input[1]", or the value of an input of one integer. */
typedef struct DmlNamedSize {
  const char *name;
  int64_t size;
} DmlNamedSize;

typedef struct DmlNamedValue {
  const char *name;
  const char *value;
} DmlNamedValue;

/* Bytes that the model itself lacks. */
typedef struct DmlNamedBytes {
  const char *name;
  const void *data;
  size_t size;
} DmlNamedBytes;

/* Called while a program is made, on the thread of the call that makes the
 * program: the step `name` begins, and about `fraction` of the work, from 0 to
 * 1, is done. Returning false cancels the call, which then fails with
 * DML_ERROR_CANCELLED; what was compiled before stays. Calls of other threads
 * call back at the same time. */
typedef bool (*DmlProgressCallback)(void *userData, const char *name,
                                    float fraction);

typedef struct DmlSessionCreateInfo {
  const void *next;

  /* The model: a file, whose weights may stand in files beside it, or bytes,
   * which are not copied and must live as long as the session. One of both. */
  const char *path;
  const void *bytes;
  size_t byteSize;
  DmlModelFormat format;
  /* The function to run. NULL: "main", or the only one that there is. */
  const char *function;
  /* Sizes that all runs have; for ONNX models alone. */
  const DmlNamedSize *dimensions;
  uint32_t dimensionCount;
  /* Weights that are no constants of the model but inputs that are bound once
   * (DML_TENSOR_FLAG_OWNED_BY_DML), and those that an executable lacks. They
   * are not copied and must live as long as the session. */
  const DmlNamedBytes *weights;
  uint32_t weightCount;
  /* The file of weights that dml-compile --external-weights=FILE wrote beside
   * an executable. */
  const char *weightsPath;

  /* The device to run on, of which the session takes a share. NULL: the session
   * makes one, which `deviceSelector` names as in dmlFindDevice. */
  DmlDevice device;
  const char *deviceSelector;

  /* The longest, in nanoseconds, that a call waits for the device; 0: without
   * end. A run that takes longer fails with DML_ERROR_TIMEOUT. Its work is late
   * then, and goes on; the session keeps what the work uses of the session's
   * own until the work has ended. It is a limit of the device, as of
   * dmlSetWaitLimit, and holds for all sessions on the device: a later session
   * that states one replaces it. */
  uint64_t waitLimit;

  /* Options of dml-compile, by the names that they have there:
   * {"row-tile", "8x2"}. */
  const DmlNamedValue *options;
  uint32_t optionCount;
  /* The most bytes that programs for sizes that were met before may keep, on
   * the host and the device, weights aside; the ones used longest ago are given
   * up. The program that a run needs is kept in any case. 0: 1 GiB. */
  uint64_t programBudget;
  /* A folder that keeps programs and pipelines for later processes, which then
   * compile nothing; the session makes it where it is missing. Several
   * processes may use one folder. Drivers run what pipelines hold, so that
   * files are used only where nobody but this user may write them. NULL:
   * nothing is kept. */
  const char *cacheDirectory;
  /* The most bytes that the files of the folder have together; those that were
   * used longest ago are removed. 0: 4 GiB. */
  uint64_t cacheBudget;
  /* What tells this model from all others in the cache. NULL: a digest of the
   * graph; files that have weights count by their names, sizes, times and
   * inodes. */
  const char *identifier;

  /* Warnings of the compiler and of the session. May be called from any thread
   * that is inside a call of the session, never from two at once. */
  DmlMessageCallback messageCallback;
  DmlProgressCallback progressCallback;
  /* For both callbacks. */
  void *userData;
} DmlSessionCreateInfo;

/* Opens the model, reads what it takes and returns, and finds the device.
 * Nothing is compiled. */
DML_API DmlResult dmlCreateSession(const DmlSessionCreateInfo *info,
                                   DmlSession *session, DmlError *error);
DML_API void dmlDestroySession(DmlSession session);

/*===----------------------------------------------------------------------===*\
 * What the model takes and returns
\*===----------------------------------------------------------------------===*/

enum {
  /* Dimensions of a tensor, at most. */
  DML_MAX_RANK = 8
};
/* Of an output whose number of dimensions the model does not say. */
#define DML_UNKNOWN_RANK UINT32_MAX

typedef struct DmlSessionInfo {
  void *next;
  uint32_t inputCount;
  uint32_t outputCount;
  /* The device that the session runs on; it stays the session's. */
  DmlDevice device;
  /* What programs are compiled for, as dml-compile --device-profile takes it:
   * "" for an executable. */
  const char *deviceProfile;
  /* Programs in memory, and their bytes, which the budget bounds. */
  uint32_t programCount;
  uint64_t programBytes;
  /* Programs that the session has compiled so far, and those that it has read
   * from the cache instead. */
  uint64_t compiledCount;
  uint64_t cachedCount;
  /* Bytes of the weights on the device, those of other sessions of this process
   * included: sessions on one device and model share them. */
  uint64_t weightBytes;
} DmlSessionInfo;

DML_API DmlResult dmlGetSessionInfo(DmlSession session, DmlSessionInfo *info,
                                    DmlError *error);

/* A tensor as the model declares it. */
typedef struct DmlSessionTensorInfo {
  void *next;
  const char *name;
  /* DML_DATA_TYPE_UNKNOWN for an output that the model declares without. Truth
   * values of ONNX are DML_DATA_TYPE_UINT8. */
  DmlDataType dataType;
  uint32_t rank;
  /* -1 for a size that the model leaves open. */
  int64_t sizes[DML_MAX_RANK];
  /* The name of a size that is open, or "". Inputs have one size for one name,
   * and a dimension without a name has one of its own: "input[1]". */
  const char *dimensionNames[DML_MAX_RANK];
} DmlSessionTensorInfo;

DML_API DmlResult dmlGetSessionInput(DmlSession session, uint32_t index,
                                     DmlSessionTensorInfo *info,
                                     DmlError *error);
DML_API DmlResult dmlGetSessionOutput(DmlSession session, uint32_t index,
                                      DmlSessionTensorInfo *info,
                                      DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Running
\*===----------------------------------------------------------------------===*/

/* A tensor of a run, in host memory or in a buffer of the session's device. Its
 * elements are packed and in row-major order, but where the model gives the
 * tensor strides (DmlTensorInfo). */
typedef struct DmlSessionTensor {
  const void *next;
  /* NULL: the input or output of this place in the array. */
  const char *name;
  DmlDataType dataType;
  uint32_t rank;
  int64_t sizes[DML_MAX_RANK];
  /* Host memory of `byteSize` bytes. An input is not written. */
  void *data;
  size_t byteSize;
  /* Device memory, where `data` is NULL and buffer.buffer is not: a range as
   * for dmlBindInput. */
  DmlBufferRange buffer;
} DmlSessionTensor;

/* Runs the model and waits for it. All inputs are given, in any order where
 * they have names.
 *
 * Of the outputs any may be given. Their name, type, rank, sizes and byteSize
 * are set; what stood there is not read, but for the byteSize of memory that
 * the caller gives, which must be enough. Where an output has neither `data`
 * nor a buffer, the session allocates `data`, which dmlFreeTensor frees. A run
 * that fails sets nothing. */
DML_API DmlResult dmlRunSession(DmlSession session,
                                const DmlSessionTensor *inputs,
                                uint32_t inputCount, DmlSessionTensor *outputs,
                                uint32_t outputCount, DmlError *error);

/* Frees `data`, which the session allocated, and sets it to NULL. */
DML_API void dmlFreeTensor(DmlSessionTensor *tensor);

/* Makes the program for inputs of these sizes ready; `data` and `buffer` are
 * not read. The name, type, rank, sizes and byteSize of `outputs`, of which
 * there may be none, become those that a run gives. */
DML_API DmlResult dmlPrepareSession(DmlSession session,
                                    const DmlSessionTensor *inputs,
                                    uint32_t inputCount,
                                    DmlSessionTensor *outputs,
                                    uint32_t outputCount, DmlError *error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DML_SESSION_H */
