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
 * everywhere in LLVM. Where a device is lost, each call that needs it fails
 * with DML_ERROR_DEVICE_LOST; a session that is made anew has a new device.
 * Vulkan's drivers do not survive a fork: in a process whose parent has loaded
 * them, calls that need a device fail with DML_ERROR_INVALID_ARGUMENT, and the
 * destruction of a session of the parent leaves what is on the device as it is.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_SESSION_H
#define DML_SESSION_H

#include "dml/model.h"
#include "dml/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
 * Creating a session
\*===----------------------------------------------------------------------===*/

typedef struct DmlSessionImpl *DmlSession;

typedef enum DmlModelFormat {
  /* The format is determined by the name of the file, or else by the first
   * bytes. */
  DML_MODEL_FORMAT_AUTO = 0,
  DML_MODEL_FORMAT_ONNX = 1,
  /* A graph of DirectML that ONNX Runtime serialized (.bin). */
  DML_MODEL_FORMAT_DIRECTML_GRAPH = 2,
  /* A JSON model of DxDispatch (.json). */
  DML_MODEL_FORMAT_DXDISPATCH = 3,
  /* MLIR of dml operators, as text or bytecode (.mlir, .mlirbc). */
  DML_MODEL_FORMAT_MLIR = 4,
  /* An executable (.dmlx). */
  DML_MODEL_FORMAT_EXECUTABLE = 5,
  DML_MODEL_FORMAT_MAX_ENUM = 0x7fffffff
} DmlModelFormat;

/* The size of a symbolic dimension ("batch") or of a dimension without a name
 * ("input[1]"), or the value of an input of one integer or bool (0 or 1), which
 * is then no input any more. A size of 0 leaves an input without elements, such
 * as the past of a decoder's first step; runs may leave out such an input. */
typedef struct DmlNamedSize {
  const char *name;
  int64_t size;
} DmlNamedSize;

typedef struct DmlNamedValue {
  const char *name;
  const char *value;
} DmlNamedValue;

/* The bytes of a weight that the model lacks. A name that no such weight of the
 * model has is an error. */
typedef struct DmlNamedBytes {
  const char *name;
  const void *data;
  size_t size;
} DmlNamedBytes;

/* Called while a program is created, on the thread of the call that creates it:
 * the step `name` begins, and about `fraction` of the work, from 0 to 1, is
 * done. If the function returns false, the call fails with DML_ERROR_CANCELLED;
 * programs that were compiled before remain. Where a model is run as several
 * programs, the function is also called before each iteration of a loop, with
 * the name "running". Calls of other threads may call the function at the same
 * time. */
typedef bool (*DmlProgressCallback)(void *userData, const char *name,
                                    float fraction);

/* The times of one run. Nothing that it refers to outlives the call that
 * receives it. */
typedef struct DmlRunTimes {
  const void *next;
  /* The kernels and copies that the device executed, and when each of them
   * began and ended, in nanoseconds since the beginning of the first one. */
  const DmlStepInfo *steps;
  const DmlStepTime *times;
  uint32_t stepCount;
  /* When the work was given to the device, and when the host found it done, in
   * nanoseconds of CLOCK_MONOTONIC (of std::chrono::steady_clock elsewhere). */
  uint64_t submitTime;
  uint64_t finishTime;
} DmlRunTimes;

/* Called at the end of each run that has succeeded, on the thread of the run;
 * where a model is run as several programs, at the end of each program.
 * Runs of other threads may call the function at the same time. */
typedef void (*DmlRunTimesCallback)(void *userData, const DmlRunTimes *times);

typedef struct DmlSessionCreateInfo {
  const void *next;

  /* The model. Exactly one of three is given: the path of a file, beside which
   * there may be files with weights; bytes, which are not copied and must
   * remain valid as long as the session; or a model that was built node by node
   * (dml/model.h). */
  const char *path;
  const void *bytes;
  size_t byteSize;
  DmlModel model;
  DmlModelFormat format;
  /* The function to run. NULL: "main", or the only function. */
  const char *function;
  /* Sizes of dimensions that are the same in all runs. For ONNX models only. */
  const DmlNamedSize *dimensions;
  uint32_t dimensionCount;
  /* The weights that are inputs of the model, bound once
   * (DML_TENSOR_FLAG_OWNED_BY_DML), and the weights that an executable lacks.
   * They are not copied, and must remain valid as long as the session. */
  const DmlNamedBytes *weights;
  uint32_t weightCount;
  /* The file of weights that dml-compile --external-weights=FILE has written
   * for an executable. */
  const char *weightsPath;

  /* The device to run on, which the session shares. NULL: the session creates a
   * device, which `deviceSelector` selects as in dmlFindDevice. */
  DmlDevice device;
  const char *deviceSelector;

  /* The longest, in nanoseconds, that a call waits for the device; 0: without
   * end. A run that takes longer fails with DML_ERROR_TIMEOUT. Its work is late
   * then, and goes on; the session keeps what the work uses of the session's
   * own until the work has ended. The loops of a model that is run as several
   * programs have this limit together, without the time for making programs. It
   * is a limit of the device, as of dmlSetWaitLimit, and holds for all sessions
   * on the device: a later session that states one replaces it. */
  uint64_t waitLimit;

  /* Options of dml-compile with their values, such as {"row-tile", "8x2"}. */
  const DmlNamedValue *options;
  uint32_t optionCount;
  /* The largest number of bytes that the programs for earlier sizes may have on
   * the host and the device, without weights. If they have more, those that
   * were used longest ago are destroyed. The program that a run needs is kept
   * in any case. It is also the largest number of bytes that the loops of a run
   * may collect of their iterations, where the host counts them. 0: a quarter
   * of what the process may use of the device's memory, if the device has
   * VK_EXT_memory_budget, and 1 GiB at least. */
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
  /* A text that identifies this model among all models in the cache. NULL: a
   * digest of the graph; files with weights are identified by their names,
   * sizes, times and inodes. */
  const char *identifier;

  /* Receives the warnings of the compiler and of the session, on threads that
   * are inside a call of the session, but never on two threads at once. */
  DmlMessageCallback messageCallback;
  DmlProgressCallback progressCallback;
  /* Receives the times of the steps of each run. With the callback or with
   * `tracePath`, each step is preceded and followed by a timestamp, which waits
   * for all work before it, so that steps do not overlap. The session cannot be
   * created on a device whose queue has no timestamps. */
  DmlRunTimesCallback runTimesCallback;
  /* A file that receives the steps of all runs as a trace of events in JSON,
   * which Chrome (chrome://tracing) and Perfetto show. It is written run by run
   * and complete when the session is destroyed. NULL: no trace. */
  const char *tracePath;
  /* A value that the callbacks receive. */
  void *userData;
} DmlSessionCreateInfo;

/* Opens the model, reads the names and types of its inputs and outputs, and
 * finds the device. Nothing is compiled. */
DML_API DmlResult dmlCreateSession(const DmlSessionCreateInfo *info,
                                   DmlSession *session, DmlError *error);
DML_API void dmlDestroySession(DmlSession session);

/*===----------------------------------------------------------------------===*\
 * What the model takes and returns
\*===----------------------------------------------------------------------===*/

enum {
  /* The largest number of dimensions of a tensor. */
  DML_MAX_RANK = 8
};
/* The rank of an output if the model does not declare the number of its
 * dimensions. */
#define DML_UNKNOWN_RANK UINT32_MAX

typedef struct DmlSessionInfo {
  void *next;
  uint32_t inputCount;
  uint32_t outputCount;
  /* The device of the session, which the session still owns. */
  DmlDevice device;
  /* The profile of the devices that programs are compiled for, as for
   * dml-compile --device-profile, or "" for an executable. */
  const char *deviceProfile;
  /* The number of programs in memory, and the number of their bytes, which the
   * budget limits. */
  uint32_t programCount;
  uint64_t programBytes;
  /* The number of programs that the session has compiled so far, and the number
   * of programs that it has read from the cache instead. */
  uint64_t compiledCount;
  uint64_t cachedCount;
  /* The number of bytes of weights on the device, including the weights of
   * other sessions of this process. Sessions with the same device and model
   * share their weights. */
  uint64_t weightBytes;
} DmlSessionInfo;

DML_API DmlResult dmlGetSessionInfo(DmlSession session, DmlSessionInfo *info,
                                    DmlError *error);

/* A tensor as the model declares it. */
typedef struct DmlSessionTensorInfo {
  void *next;
  const char *name;
  /* The data type, or DML_DATA_TYPE_UNKNOWN for an output for which the model
   * declares none. ONNX's truth values are DML_DATA_TYPE_UINT8,
   * bytes of 0 and 1: a run refuses other bytes in host memory, and computes
   * with them as they are in a buffer. */
  DmlDataType dataType;
  uint32_t rank;
  /* The sizes, with -1 for a size that the model leaves open. */
  int64_t sizes[DML_MAX_RANK];
  /* The name of each open size, and "" for other sizes. Sizes with the same
   * name are equal in all inputs. An open size without a name in the model has
   * a name of its own, such as "input[1]". */
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
 * elements are packed and in row-major order, unless the model has strides for
 * the tensor (DmlTensorInfo). */
typedef struct DmlSessionTensor {
  const void *next;
  /* The name of the input or output. NULL: the input or output with the
   * tensor's place in the array. */
  const char *name;
  DmlDataType dataType;
  uint32_t rank;
  /* The sizes. An open size of an input may be 0, where the model's operators
   * take an input without elements; such an input needs no memory. */
  int64_t sizes[DML_MAX_RANK];
  /* Host memory of `byteSize` bytes. A run does not write the memory of
   * inputs. An input of one bool or integer that decides which branch of an
   * ONNX If is computed is here, and in no buffer: there is a program for each
   * of its values. */
  void *data;
  size_t byteSize;
  /* A range of device memory, as for dmlBindInput, if `data` is NULL and
   * buffer.buffer is not. */
  DmlBufferRange buffer;
} DmlSessionTensor;

/* Runs the model and waits for it. All inputs are given, in any order where
 * they have names.
 *
 * Of the outputs any may be given. Their name, type, rank, sizes and byteSize
 * are set; what stood there is not read, but for the byteSize of memory that
 * the caller gives, which must be enough. Where an output has neither `data`
 * nor a buffer, the session allocates `data`, which dmlFreeTensor frees. A run
 * that fails sets nothing.
 *
 * An ONNX model whose branches, loops or sizes depend on data is run as several
 * programs, with the host between them. The sizes of its outputs may be known
 * after the run alone, and may be 0.
 *
 * An output may be bound to the very range of an input, whose elements it then
 * replaces: a decoder's cache that is given so stays in place, and its new
 * positions alone move. The session compiles a program of its own for it. Where
 * the compiler cannot prove that the output may be written over the input, the
 * call fails with DML_ERROR_UNSUPPORTED, names the operator, and nothing has
 * changed. */
DML_API DmlResult dmlRunSession(DmlSession session,
                                const DmlSessionTensor *inputs,
                                uint32_t inputCount, DmlSessionTensor *outputs,
                                uint32_t outputCount, DmlError *error);

/* Frees `data`, which the session has allocated, and sets it to NULL. */
DML_API void dmlFreeTensor(DmlSessionTensor *tensor);

/* Creates the program for inputs of these sizes, if there is none. `data` and
 * `buffer` are not read, except that an output and an input with one range get
 * the program of a run that has both, and that the value of an input that
 * decides a branch counts. Sets the name, type, rank, sizes and
 * byteSize of `outputs`, which may be empty, as a run does.
 *
 * Of a model that is run as several programs, the first one is created. An
 * output whose sizes are not known before the run has those that the model
 * declares, with -1 for a size that the model leaves open, or the rank
 * DML_UNKNOWN_RANK, and the byteSize 0. Of small inputs of integers or bools in
 * host memory, the elements count. */
DML_API DmlResult dmlPrepareSession(DmlSession session,
                                    const DmlSessionTensor *inputs,
                                    uint32_t inputCount,
                                    DmlSessionTensor *outputs,
                                    uint32_t outputCount, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Kernels that were measured on the device
 *
 * Models of time choose the kernels of a program, unless a table of kernels
 * says which ones were the fastest on the device. Two options of a session
 * (DmlSessionCreateInfo::options) are about such tables:
 *
 *   {"tuning", "model.tuning"}  a table that dml-tune or dmlGetSessionTuning
 *                               has written; it is not used, with a warning,
 *                               where it is for another device profile
 *   {"tune", "true"}            before a program is compiled, the session runs
 *                               several kernels for each dispatch that no table
 *                               has, for up to a minute, and uses the fastest
 *
 * A session with a cacheDirectory keeps what it has measured there, by the
 * device, its driver and its profile, and later sessions use it, whether they
 * measure or not.
\*===----------------------------------------------------------------------===*/

/* Bytes that a call has allocated. dmlFreeBytes frees them. */
typedef struct DmlBytes {
  void *data;
  size_t size;
} DmlBytes;

/* Frees `data` and sets it to NULL. */
DML_API void dmlFreeBytes(DmlBytes *bytes);

/* Returns the text of a table of kernels, in JSON (docs/Tuning.md): of a
 * session that measures, the kernels for the dispatches of all programs that it
 * has compiled so far, with their times; of another session, the table that it
 * uses, or a table without kernels. */
DML_API DmlResult dmlGetSessionTuning(DmlSession session, DmlBytes *table,
                                      DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Which feature level a model needs, and why
 *
 * None of these calls needs a device, or a session.
\*===----------------------------------------------------------------------===*/

/* The verdict on a model: the feature level that the model needs, and the
 * problems at a given level. A verdict never changes, so that many threads may
 * read it at once. Its strings remain valid as long as the verdict. */
typedef struct DmlVerdictImpl *DmlVerdict;

typedef struct DmlExplainInfo {
  const void *next;

  /* The model, as in DmlSessionCreateInfo, which may be no executable. Nothing
   * refers to the bytes or the elements of weights after the call. */
  const char *path;
  const void *bytes;
  size_t byteSize;
  DmlModel model;
  DmlModelFormat format;
  /* The sizes of all dimensions that an ONNX model leaves open. */
  const DmlNamedSize *dimensions;
  uint32_t dimensionCount;

  /* The feature level at which the model is to run, such as "5_0". NULL: the
   * levels that the model states for its operators, if any. */
  const char *level;
  /* Whether the operators of an ONNX model are fused as ONNX Runtime fuses them
   * for its DirectML provider. */
  bool ortOptimizations;
} DmlExplainInfo;

/* Determines the feature level that the model needs, and the problems of the
 * model at `level`. The call fails if the model cannot be read. It succeeds if
 * the model does not fit the level. */
DML_API DmlResult dmlExplainModel(const DmlExplainInfo *info,
                                  DmlVerdict *verdict, DmlError *error);
DML_API void dmlDestroyVerdict(DmlVerdict verdict);

typedef enum DmlFit {
  DML_FIT_NO = 0,
  DML_FIT_YES = 1,
  /* Unknown: the level of some parts of the model is not known, or DirectML
   * does not execute them. The problems of the verdict name these parts. */
  DML_FIT_UNKNOWN = 2
} DmlFit;

typedef struct DmlVerdictInfo {
  void *next;
  /* The oldest feature level that supports everything in the model, such as
   * "3_1", or "" if it is not known. */
  const char *level;
  /* The first release of DirectML, and the first version of Windows, that
   * support `level`. "" if there is none, as for Windows and the newest levels,
   * or if `level` is not known. */
  const char *directML;
  const char *windows;
  /* DmlExplainInfo::level, or "". */
  const char *askedLevel;
  /* Whether the model runs at DmlExplainInfo::level, or at the levels that the
   * model states. Without such levels, a model fits if the level that it needs
   * is known. */
  DmlFit fit;
  /* Whether dmlLegalizeModel succeeds: each operator that does not fit
   * DmlExplainInfo::level can be rewritten. */
  bool canLegalize;
  /* The number of DirectML's operators in the model. */
  uint32_t operatorCount;
  uint32_t problemCount;
} DmlVerdictInfo;

DML_API DmlResult dmlGetVerdictInfo(DmlVerdict verdict, DmlVerdictInfo *info,
                                    DmlError *error);

typedef enum DmlProblemKind {
  /* An operator that the level does not support. */
  DML_PROBLEM_KIND_OPERATOR = 0,
  /* An operation that is not DirectML's. */
  DML_PROBLEM_KIND_FOREIGN = 1,
  /* Nodes of an ONNX model that cannot be expressed by DirectML's operators. */
  DML_PROBLEM_KIND_UNREAD = 2,
  /* A node that ONNX Runtime does not assign to its DirectML provider. */
  DML_PROBLEM_KIND_NOT_TAKEN = 3,
  /* An optimization of ONNX Runtime that this library does not model. It could
   * create an operator that needs a newer level. */
  DML_PROBLEM_KIND_NOT_MODELLED = 4
} DmlProblemKind;

/* A reason why the model does not fit, or may not fit. Strings that do not
 * apply to the kind of problem are "". */
typedef struct DmlProblemInfo {
  void *next;
  DmlProblemKind kind;
  /* Depends on the kind of problem: the operator or operation, such as
   * "dml.tile"; the kind of nodes and the reason why they cannot be read; or
   * the optimization. */
  const char *name;
  /* The place of the operator: its function; the name of its ONNX node; or, in
   * MLIR text, its line and column, counted from 1. */
  const char *function;
  const char *node;
  uint32_t line;
  uint32_t column;
  /* The oldest feature level that supports the operator. */
  const char *level;
  /* The reason why the operator does not fit: "input has rank 2, but feature
   * level 3_0 supports rank 4 (rank 2 needs 3_1)". Several reasons are
   * separated by "; ". */
  const char *reason;
  /* The operators by which dmlLegalizeModel replaces this operator, such as
   * "dml.gemm, 2 times dml.tile", or the reason why it cannot. Both are ""
   * without DmlExplainInfo::level. */
  const char *rewrite;
  const char *whyNoRewrite;
} DmlProblemInfo;

DML_API DmlResult dmlGetVerdictProblem(DmlVerdict verdict, uint32_t index,
                                       DmlProblemInfo *info, DmlError *error);

/* The whole verdict: the text that `dml-explain` prints, with control
 * characters escaped, and the JSON that `dml-explain --json` prints, which has
 * every operator. */
DML_API const char *dmlGetVerdictText(DmlVerdict verdict);
DML_API const char *dmlGetVerdictJson(DmlVerdict verdict);

/*===----------------------------------------------------------------------===*\
 * Which nodes of a model can be computed
 *
 * For a program that gives parts of a graph to a session and computes the
 * others itself. None of these calls needs a device, or a session.
\*===----------------------------------------------------------------------===*/

/* The survey of a model that was built node by node. A node that cannot be
 * computed does not keep the nodes behind it from being surveyed: its outputs
 * count as inputs of the model, where the model declares their types and their
 * shapes (dmlAddModelValue), each size by its number or its name. A survey
 * never changes, so that many threads may read it at once. Its strings and
 * arrays remain valid as long as the survey. */
typedef struct DmlSurveyImpl *DmlSurvey;

typedef struct DmlSurveyInfo {
  const void *next;
  /* The model. Elements of large weights are not read. */
  DmlModel model;
  /* Sizes of open dimensions, and the size of all others. The survey is about
   * these sizes: at other sizes a node may be refused that is computed here. */
  const DmlNamedSize *dimensions;
  uint32_t dimensionCount;
  int64_t openSize;
  /* The feature level that the operators of a node must fit, such as "5_0".
   * NULL: any. */
  const char *level;
} DmlSurveyInfo;

/* Fails where the model as a whole cannot be read. */
DML_API DmlResult dmlSurveyModel(const DmlSurveyInfo *info, DmlSurvey *survey,
                                 DmlError *error);
DML_API void dmlDestroySurvey(DmlSurvey survey);

typedef struct DmlSurveyNode {
  void *next;
  /* Why the node cannot be computed, in the words of dmlExplainModel, or "". */
  const char *problem;
  /* Why ONNX Runtime's provider for DirectML does not take the node, or "". */
  const char *notTaken;
  /* Whether all outputs are known when a program is compiled, as those of Shape
   * are: no kernel computes the node. */
  bool isFolded;
} DmlSurveyNode;

/* Describes a node, by its place in the order in which nodes were added. */
DML_API DmlResult dmlGetSurveyNode(DmlSurvey survey, uint32_t index,
                                   DmlSurveyNode *info, DmlError *error);

typedef struct DmlSurveyTensor {
  void *next;
  DmlDataType dataType;
  uint32_t rank;
  int64_t sizes[DML_MAX_RANK];
  /* Whether the elements are known when a program is compiled. */
  bool isConstant;
  /* The elements of such a tensor if it has at most 64 integers or truth
   * values; else NULL. */
  const int64_t *elements;
} DmlSurveyTensor;

/* Describes a tensor that is read or computed by the nodes without a problem.
 * Fails with DML_ERROR_NOT_FOUND for any other name. */
DML_API DmlResult dmlGetSurveyTensor(DmlSurvey survey, const char *name,
                                     DmlSurveyTensor *info, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Rewriting and compiling without a device
\*===----------------------------------------------------------------------===*/

typedef enum DmlModuleForm {
  DML_MODULE_FORM_BYTECODE = 0,
  DML_MODULE_FORM_TEXT = 1,
  DML_MODULE_FORM_MAX_ENUM = 0x7fffffff
} DmlModuleForm;

/* Rewrites the operators of the model that do not fit `info->level`, which must
 * not be NULL, as operators that fit and compute the same bits. Returns the
 * module in MLIR, which states the level and which a session can open. If an
 * operator cannot be rewritten, or if the model has nodes that cannot be read,
 * the call fails, and the error names them. Operations other than DirectML's
 * remain unchanged. */
DML_API DmlResult dmlLegalizeModel(const DmlExplainInfo *info,
                                   DmlModuleForm form, DmlBytes *module,
                                   DmlError *error);

typedef struct DmlCompileInfo {
  const void *next;

  /* The model, as in DmlExplainInfo. */
  const char *path;
  const void *bytes;
  size_t byteSize;
  DmlModel model;
  DmlModelFormat format;
  const DmlNamedSize *dimensions;
  uint32_t dimensionCount;

  /* The profiles of the devices to compile for, as for dml-compile
   * --device-profile: "full,-shaderFloat64", or DmlSessionInfo::deviceProfile
   * of a session on such a device. The executable has a variant for each
   * profile. A device runs the first variant that it supports. Without
   * profiles, the profile that the model states is used, or else "full". */
  const char *const *deviceProfiles;
  uint32_t deviceProfileCount;
  /* As in DmlSessionCreateInfo. */
  const DmlNamedValue *options;
  uint32_t optionCount;
  DmlMessageCallback messageCallback;
  DmlProgressCallback progressCallback;
  void *userData;
} DmlCompileInfo;

/* Compiles all functions of a model ahead of time, together with the weights.
 * Returns the bytes of an executable (a .dmlx file), which a session and
 * dmlCreateExecutable accept. */
DML_API DmlResult dmlCompileModel(const DmlCompileInfo *info,
                                  DmlBytes *executable, DmlError *error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DML_SESSION_H */
