/*===- host.c - A program that runs models with the provider --------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   host LIBONNXRUNTIME PROVIDER < COMMANDS
 *
 * Loads ONNX Runtime, registers the provider, and obeys commands, one in a line
 * with its words separated by tabs. Each answer is a line; "error TEXT" is that
 * of a call that fails.
 *
 *   option KEY VALUE           an option of the provider for later sessions
 *   config KEY VALUE           an entry of the configuration of later sessions
 *   clear                      forgets options, entries and inputs
 *   level N                    ONNX Runtime's optimizations of later sessions
 *   cores N                    the CPU's threads for a node of later sessions;
 *                              0 for ONNX Runtime's own choice
 *   open dml|bytes|cpu MODEL   opens a session with the provider, of a file or
 *                              of its bytes, or on the CPU; "part PROVIDER
 *                              COUNT" for each part of COUNT nodes that a
 *                              provider has, or "unknown", then "opened" and
 *                              microseconds
 *   input NAME TYPE SIZES FILE gives an input: ONNX's number of the type, sizes
 *                              such as 2x3, or "-" for a scalar
 *   run FILE                   runs; FILE0, FILE1 ... receive the outputs;
 *                              "output NAME TYPE SIZES" for each, then "ran"
 *                              and microseconds
 *   bind N FILE                as run, but N times, with inputs and outputs in
 *                              device memory; each run has the first output of
 *                              the one before as its first input
 *   external COUNT             runs with COUNT floats, 0, 1, 2 ..., as the
 *                              input and as many as the output, both in memory
 *                              of another Vulkan device; "first" and the first
 *                              and the last of the output. Or "external" and
 *                              why there is no such memory. Where the devices
 *                              share semaphores, "semaphore" and the value
 *                              behind the run, 2, come before
 *   time host|device N         runs N times, with inputs and outputs in host
 *                              memory or bound to device memory; "time" and the
 *                              median in microseconds
 *   own host|device N MODEL    the same in a session of libdml alone
 *   devices                    "device" for each device of the provider, its
 *                              hardware device's type, vendor and number, and
 *                              the metadata of both; then "listed"
 *   twin MODEL                 opens a second session beside the one that is
open
 *   threads N COUNT            runs COUNT times on each of N threads, every
 *                              second one in the second session; fails unless
 *                              all have the bytes of the last run
 *   close                      closes both sessions
 *
\*===----------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L
#include "OnnxRuntimeAbi.h"
#include "external.h"
#include "own.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, MOST_WORDS = 8 };

typedef struct Pair {
  char *key, *value;
} Pair;

static const OrtApi *ort;
static uint32_t version = ORT_API_VERSION;
static OrtEnv *env;
static OrtMemoryInfo *hostMemory;
static const OrtEpDevice *device;

static Pair options[MOST], entries[MOST];
static size_t optionCount, entryCount;
static int level = ORT_ENABLE_ALL, cores = 1;

static OrtSession *session, *twin;
static char *inputNames[MOST];
static OrtValue *inputs[MOST];
static void *inputData[MOST];
static size_t inputCount;
static char *outputNames[MOST];
static size_t outputCount;
/* The outputs of the last run. */
static OrtValue *outputs[MOST];

/* Prints the error of a call, and returns whether there was one. */
static bool failed(OrtStatus *status) {
  if (!status)
    return false;
  const char *at = ort->GetErrorMessage(status);
  printf("error ");
  for (; *at; ++at)
    putchar(*at == '\n' ? ' ' : *at);
  putchar('\n');
  ort->ReleaseStatus(status);
  return true;
}

static long getMicroseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static void *allocate(size_t size) {
  void *memory = calloc(1, size ? size : 1);
  if (!memory)
    abort();
  return memory;
}

static char *copy(const char *text) {
  char *result = allocate(strlen(text) + 1);
  return strcpy(result, text);
}

/*===----------------------------------------------------------------------===*\
 * Sessions
\*===----------------------------------------------------------------------===*/

static void releaseOutputs(void) {
  for (size_t i = 0; i < MOST; ++i) {
    if (outputs[i])
      ort->ReleaseValue(outputs[i]);
    outputs[i] = NULL;
  }
}

static void clearInputs(void) {
  for (size_t i = 0; i < inputCount; ++i) {
    ort->ReleaseValue(inputs[i]);
    free(inputNames[i]);
    free(inputData[i]);
  }
  inputCount = 0;
}

static void clearPairs(Pair *pairs, size_t *count) {
  for (size_t i = 0; i < *count; ++i) {
    free(pairs[i].key);
    free(pairs[i].value);
  }
  *count = 0;
}

static void closeSession(void) {
  releaseOutputs();
  for (size_t i = 0; i < outputCount; ++i)
    free(outputNames[i]);
  outputCount = 0;
  if (session)
    ort->ReleaseSession(session);
  if (twin)
    ort->ReleaseSession(twin);
  session = twin = NULL;
}

static OrtStatus *addProvider(OrtSessionOptions *settings) {
  const char *keys[MOST], *values[MOST];
  for (size_t i = 0; i < optionCount; ++i) {
    keys[i] = options[i].key;
    values[i] = options[i].value;
  }
  return ort->SessionOptionsAppendExecutionProvider_V2(
      settings, env, &device, 1, keys, values, optionCount);
}

static OrtStatus *configure(OrtSessionOptions *settings, bool isProvider) {
  OrtStatus *status = ort->SetIntraOpNumThreads(settings, cores);
  if (!status)
    status = ort->AddSessionConfigEntry(
        settings, "session.record_ep_graph_assignment_info", "1");
  if (!status)
    status = ort->SetSessionGraphOptimizationLevel(
        settings, (GraphOptimizationLevel)level);
  for (size_t i = 0; i < entryCount && !status; ++i)
    status =
        ort->AddSessionConfigEntry(settings, entries[i].key, entries[i].value);
  if (!status && isProvider)
    status = addProvider(settings);
  return status;
}

static void nameOutputs(void) {
  OrtAllocator *allocator;
  size_t count = 0;
  if (failed(ort->GetAllocatorWithDefaultOptions(&allocator)) ||
      failed(ort->SessionGetOutputCount(session, &count)))
    return;
  for (size_t i = 0; i < count && i < MOST; ++i) {
    char *name;
    if (failed(ort->SessionGetOutputName(session, i, allocator, &name)))
      return;
    outputNames[outputCount++] = copy(name);
    failed(ort->AllocatorFree(allocator, name));
  }
}

/* Prints which parts of the model each provider has. */
static void printParts(void) {
  const OrtEpAssignedSubgraph *const *parts;
  size_t count = 0;
  if (version < 24) {
    printf("unknown\n");
    return;
  }
  if (failed(ort->Session_GetEpGraphAssignmentInfo(session, &parts, &count)))
    return;
  for (size_t i = 0; i < count; ++i) {
    const OrtEpAssignedNode *const *nodes;
    const char *name;
    size_t nodeCount = 0;
    if (!failed(ort->EpAssignedSubgraph_GetEpName(parts[i], &name)) &&
        !failed(ort->EpAssignedSubgraph_GetNodes(parts[i], &nodes, &nodeCount)))
      printf("part\t%s\t%zu\n", name, nodeCount);
  }
}

/* Creates a session of a file, or of the bytes of a file. */
static OrtStatus *createSession(const char *model, bool isBytes,
                                const OrtSessionOptions *settings) {
  if (!isBytes)
    return ort->CreateSession(env, model, settings, &session);
  FILE *file = fopen(model, "rb");
  if (!file)
    return ort->CreateStatus(ORT_NO_SUCHFILE, "there is no such file");
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  void *bytes = allocate(size);
  size = fread(bytes, 1, size, file);
  fclose(file);
  OrtStatus *status =
      ort->CreateSessionFromArray(env, bytes, size, settings, &session);
  free(bytes);
  return status;
}

static void openSession(const char *kind, const char *model) {
  OrtSessionOptions *settings;
  long begin = getMicroseconds();
  closeSession();
  if (failed(ort->CreateSessionOptions(&settings)))
    return;
  bool isBytes = strcmp(kind, "bytes") == 0;
  if (!failed(configure(settings, isBytes || strcmp(kind, "dml") == 0)) &&
      !failed(createSession(model, isBytes, settings))) {
    nameOutputs();
    printParts();
    printf("opened %ld\n", getMicroseconds() - begin);
  }
  ort->ReleaseSessionOptions(settings);
}

static void openTwin(const char *model) {
  OrtSessionOptions *settings;
  if (failed(ort->CreateSessionOptions(&settings)))
    return;
  if (!failed(configure(settings, true)) &&
      !failed(ort->CreateSession(env, model, settings, &twin)))
    printf("twin\n");
  ort->ReleaseSessionOptions(settings);
}

/*===----------------------------------------------------------------------===*\
 * Tensors
\*===----------------------------------------------------------------------===*/

static size_t readSizes(const char *text, int64_t *sizes) {
  size_t rank = 0;
  while (*text && *text != '-' && rank < MOST) {
    char *end;
    sizes[rank++] = strtoll(text, &end, 10);
    text = *end == 'x' ? end + 1 : end;
  }
  return rank;
}

static void addInput(char **words) {
  int64_t sizes[MOST];
  size_t rank = readSizes(words[3], sizes), size = 0;
  FILE *file = fopen(words[4], "rb");
  if (!file || inputCount == MOST) {
    printf("error there is no file %s\n", words[4]);
    return;
  }
  fseek(file, 0, SEEK_END);
  size = (size_t)ftell(file);
  rewind(file);
  inputData[inputCount] = allocate(size);
  if (fread(inputData[inputCount], 1, size, file) != size)
    printf("error the file %s cannot be read\n", words[4]);
  fclose(file);
  inputNames[inputCount] = copy(words[1]);
  if (!failed(ort->CreateTensorWithDataAsOrtValue(
          hostMemory, inputData[inputCount], size, sizes, rank,
          (ONNXTensorElementDataType)atoi(words[2]), &inputs[inputCount])))
    ++inputCount;
}

/* Runs the session once, into `results`, which are released by the caller. */
static OrtStatus *run(OrtSession *which, OrtValue **results) {
  return ort->Run(which, NULL, (const char *const *)inputNames,
                  (const OrtValue *const *)inputs, inputCount,
                  (const char *const *)outputNames, outputCount, results);
}

static void writeOutput(size_t index, const char *prefix) {
  OrtTensorTypeAndShapeInfo *info;
  ONNXTensorElementDataType type;
  int64_t sizes[MOST];
  size_t rank = 0, size = 0;
  void *data = NULL;
  char path[4096];
  if (failed(ort->GetTensorTypeAndShape(outputs[index], &info)))
    return;
  if (!failed(ort->GetTensorElementType(info, &type)) &&
      !failed(ort->GetDimensionsCount(info, &rank)) && rank < MOST &&
      !failed(ort->GetDimensions(info, sizes, rank)) &&
      !failed(ort->GetTensorSizeInBytes(outputs[index], &size)) &&
      !failed(ort->GetTensorMutableData(outputs[index], &data))) {
    printf("output\t%s\t%d\t", outputNames[index], (int)type);
    for (size_t i = 0; i < rank; ++i)
      printf(i ? "x%lld" : "%lld", (long long)sizes[i]);
    printf(rank ? "\n" : "-\n");
    snprintf(path, sizeof(path), "%s%zu", prefix, index);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size)
      printf("error %s cannot be written\n", path);
    if (file)
      fclose(file);
  }
  ort->ReleaseTensorTypeAndShapeInfo(info);
}

static void runSession(const char *prefix) {
  if (!session) {
    printf("error there is no session\n");
    return;
  }
  releaseOutputs();
  long begin = getMicroseconds();
  if (failed(run(session, outputs)))
    return;
  long end = getMicroseconds();
  for (size_t i = 0; i < outputCount; ++i)
    writeOutput(i, prefix);
  printf("ran %ld\n", end - begin);
}

/*===----------------------------------------------------------------------===*\
 * Binding
\*===----------------------------------------------------------------------===*/

/* Makes a tensor of `allocator` like `value`, with its elements if `copies`. */
static OrtStatus *makeLike(OrtAllocator *allocator, const OrtValue *value,
                           bool copies, OrtValue **result) {
  OrtTensorTypeAndShapeInfo *info;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  int64_t sizes[MOST];
  size_t rank = 0;
  OrtStatus *status = ort->GetTensorTypeAndShape(value, &info);
  if (status)
    return status;
  status = ort->GetTensorElementType(info, &type);
  if (!status)
    status = ort->GetDimensionsCount(info, &rank);
  if (!status && rank < MOST)
    status = ort->GetDimensions(info, sizes, rank);
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if (!status)
    status = ort->CreateTensorAsOrtValue(allocator, sizes, rank, type, result);
  if (!status && copies)
    status = ort->CopyTensors(env, &value, result, NULL, 1);
  return status;
}

/* Runs once, and replaces `results`, which are in device memory. */
static OrtStatus *runBound(OrtIoBinding *binding, const OrtMemoryInfo *memory,
                           OrtValue **results) {
  OrtAllocator *host;
  OrtValue **values = NULL;
  size_t count = 0;
  OrtStatus *status = NULL;
  for (size_t i = 0; i < outputCount && !status; ++i)
    status = ort->BindOutputToDevice(binding, outputNames[i], memory);
  if (!status)
    status = ort->RunWithBinding(session, NULL, binding);
  if (!status)
    status = ort->GetAllocatorWithDefaultOptions(&host);
  if (!status)
    status = ort->GetBoundOutputValues(binding, host, &values, &count);
  for (size_t i = 0; i < count; ++i) {
    if (results[i])
      ort->ReleaseValue(results[i]);
    results[i] = values[i];
  }
  if (values)
    failed(ort->AllocatorFree(host, values));
  return status;
}

/* Fails unless a tensor is in device memory. */
static void wantDevice(const OrtValue *value) {
  const OrtMemoryInfo *memory;
  OrtMemoryInfoDeviceType type = OrtMemoryInfoDeviceType_CPU;
  if (failed(ort->GetTensorMemoryInfo(value, &memory)))
    return;
  ort->MemoryInfoGetDeviceType(memory, &type);
  if (type != OrtMemoryInfoDeviceType_GPU)
    printf("error an output is in host memory\n");
}

static OrtStatus *bindAndRun(OrtIoBinding *binding, OrtAllocator *allocator,
                             const OrtMemoryInfo *memory, size_t count,
                             OrtValue **given, OrtValue **results) {
  OrtStatus *status = NULL;
  for (size_t i = 0; i < inputCount && !status; ++i) {
    status = makeLike(allocator, inputs[i], true, &given[i]);
    if (!status)
      status = ort->BindInput(binding, inputNames[i], given[i]);
  }
  for (size_t i = 0; i < count && !status; ++i) {
    if (i)
      status = ort->BindInput(binding, inputNames[0], results[0]);
    if (!status)
      status = runBound(binding, memory, results);
  }
  return status;
}

static void releaseAll(OrtValue **values) {
  for (size_t i = 0; i < MOST; ++i)
    if (values[i])
      ort->ReleaseValue(values[i]);
}

/* Copies the results to the host, and writes them. */
static void writeBound(OrtValue **results, const char *prefix) {
  OrtAllocator *host;
  releaseOutputs();
  if (failed(ort->GetAllocatorWithDefaultOptions(&host)))
    return;
  for (size_t i = 0; i < outputCount; ++i) {
    wantDevice(results[i]);
    if (failed(makeLike(host, results[i], true, &outputs[i])))
      return;
    writeOutput(i, prefix);
  }
  printf("ran 0\n");
}

static void bind(size_t count, const char *prefix) {
  const OrtMemoryInfo *memory =
      ort->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  OrtAllocator *allocator;
  OrtIoBinding *binding;
  OrtValue *given[MOST] = {NULL}, *results[MOST] = {NULL};
  if (!memory || failed(ort->CreateAllocator(session, memory, &allocator))) {
    printf("error the provider has no device memory\n");
    return;
  }
  if (!failed(ort->CreateIoBinding(session, &binding))) {
    if (!failed(bindAndRun(binding, allocator, memory, count, given, results)))
      writeBound(results, prefix);
    ort->ReleaseIoBinding(binding);
  }
  releaseAll(given);
  releaseAll(results);
  ort->ReleaseAllocator(allocator);
}

/*===----------------------------------------------------------------------===*\
 * Imported memory
\*===----------------------------------------------------------------------===*/

enum { EXTERNAL_BYTES = 1 << 20, OUTPUT_OFFSET = EXTERNAL_BYTES / 2 };

static OrtStatus *runImported(const OrtInteropApi *interop,
                              OrtExternalResourceImporter *importer,
                              OrtExternalMemoryHandle *memory, int64_t count) {
  OrtExternalTensorDescriptor tensor = {0};
  OrtValue *given = NULL, *result = NULL;
  tensor.version = ORT_API_VERSION;
  tensor.element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  tensor.shape = &count;
  tensor.rank = 1;
  OrtStatus *status =
      interop->CreateTensorFromMemory(importer, memory, &tensor, &given);
  tensor.offset_bytes = OUTPUT_OFFSET;
  if (!status)
    status =
        interop->CreateTensorFromMemory(importer, memory, &tensor, &result);
  const char *name = "x";
  if (!status)
    status = ort->Run(session, NULL, &name, (const OrtValue *const *)&given, 1,
                      (const char *const *)outputNames, 1, &result);
  if (given)
    ort->ReleaseValue(given);
  if (result)
    ort->ReleaseValue(result);
  return status;
}

/* Runs behind a semaphore of the other device, and signals it, if there is one.
 */
static bool runBetweenSignals(const OrtInteropApi *interop,
                              OrtExternalResourceImporter *importer,
                              OrtExternalMemoryHandle *memory, int64_t count) {
  OrtExternalSemaphoreDescriptor descriptor = {0};
  OrtExternalSemaphoreHandle *semaphore = NULL;
  OrtSyncStream *stream = NULL;
  bool canImport = false, isDone = false;
  int fd = -1;
  descriptor.version = ORT_API_VERSION;
  descriptor.type = ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD;
  if (failed(ort->CreateSyncStreamForEpDevice(device, NULL, &stream)) ||
      failed(
          interop->CanImportSemaphore(importer, descriptor.type, &canImport)))
    return false;
  if (!canImport || exportSemaphore(&fd)) {
    isDone = !failed(runImported(interop, importer, memory, count));
  } else {
    descriptor.native_handle = (void *)(intptr_t)fd;
    signalExported(1);
    isDone =
        !failed(interop->ImportSemaphore(importer, &descriptor, &semaphore)) &&
        !failed(interop->WaitSemaphore(importer, semaphore, stream, 1)) &&
        !failed(runImported(interop, importer, memory, count)) &&
        !failed(interop->SignalSemaphore(importer, semaphore, stream, 2));
    printf("semaphore\t%llu\n", (unsigned long long)getExportedValue());
  }
  if (semaphore)
    interop->ReleaseExternalSemaphoreHandle(semaphore);
  ort->ReleaseSyncStream(stream);
  if (fd >= 0)
    close(fd);
  return isDone;
}

/* Imports the memory, and runs with tensors in it. */
static bool importAndRun(int fd, int64_t count) {
  const OrtInteropApi *interop = ort->GetInteropApi();
  OrtExternalResourceImporter *importer = NULL;
  OrtExternalMemoryHandle *memory = NULL;
  OrtExternalMemoryDescriptor descriptor = {0};
  bool canImport = false, isDone = false;
  descriptor.version = ORT_API_VERSION;
  descriptor.handle_type = ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD;
  descriptor.native_handle = (void *)(intptr_t)fd;
  descriptor.size_bytes = EXTERNAL_BYTES;
  if (failed(
          interop->CreateExternalResourceImporterForDevice(device, &importer)))
    return false;
  if (!failed(interop->CanImportMemory(importer, descriptor.handle_type,
                                       &canImport)) &&
      canImport)
    isDone = !failed(interop->ImportMemory(importer, &descriptor, &memory)) &&
             runBetweenSignals(interop, importer, memory, count);
  else
    printf("external the provider imports no such memory\n");
  if (memory)
    interop->ReleaseExternalMemoryHandle(memory);
  interop->ReleaseExternalResourceImporter(importer);
  return isDone;
}

static void runExternal(int64_t count) {
  size_t size = (size_t)count * sizeof(float);
  float *elements = allocate(size);
  int fd = -1;
  for (int64_t i = 0; i < count; ++i)
    elements[i] = (float)i;
  const char *problem =
      session ? exportMemory(EXTERNAL_BYTES, &fd) : "there is no session";
  if (!problem)
    problem = writeExported(elements, 0, size);
  if (!problem && importAndRun(fd, count)) {
    problem = readExported(elements, OUTPUT_OFFSET, size);
    if (!problem)
      printf("first\t%g\t%g\n", elements[0], elements[count - 1]);
  }
  if (problem)
    printf("external %s\n", problem);
  if (fd >= 0)
    close(fd);
  free(elements);
}

/* Runs that write the tensors of the run before, so that nothing is allocated.
 */
static bool timeBound(OrtIoBinding *binding, size_t count, long *times) {
  for (size_t i = 0; i < count; ++i) {
    long begin = getNanoseconds();
    if (failed(ort->RunWithBinding(session, NULL, binding)))
      return false;
    times[i] = getNanoseconds() - begin;
  }
  return true;
}

static bool timeOnDevice(size_t count, long *times) {
  const OrtMemoryInfo *memory =
      ort->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  OrtAllocator *allocator;
  OrtIoBinding *binding;
  OrtValue *given[MOST] = {NULL}, *results[MOST] = {NULL};
  if (!memory || failed(ort->CreateAllocator(session, memory, &allocator)))
    return false;
  bool isDone = false;
  if (!failed(ort->CreateIoBinding(session, &binding))) {
    isDone = !failed(bindAndRun(binding, allocator, memory, 1, given, results));
    for (size_t i = 0; i < outputCount && isDone; ++i)
      isDone = !failed(ort->BindOutput(binding, outputNames[i], results[i]));
    isDone = isDone && timeBound(binding, count, times);
    ort->ReleaseIoBinding(binding);
  }
  releaseAll(given);
  releaseAll(results);
  ort->ReleaseAllocator(allocator);
  return isDone;
}

static bool timeOnHost(size_t count, long *times) {
  for (size_t i = 0; i < count; ++i) {
    releaseOutputs();
    long begin = getNanoseconds();
    if (failed(run(session, outputs)))
      return false;
    times[i] = getNanoseconds() - begin;
  }
  return true;
}

static void timeRuns(bool isBound, size_t count) {
  long *times = allocate((count + 1) * sizeof(long));
  if (isBound ? timeOnDevice(count, times) : timeOnHost(count, times))
    printf("time %.2f\n", (double)findMedian(times, count) / 1e3);
  else
    printf("error the runs are not timed\n");
  free(times);
}

static void timeSession(bool isBound, size_t count, const char *model) {
  OwnInput own[MOST];
  int64_t sizes[MOST][MOST];
  long median = 0;
  for (size_t i = 0; i < inputCount; ++i) {
    OrtTensorTypeAndShapeInfo *info;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (failed(ort->GetTensorTypeAndShape(inputs[i], &info)))
      return;
    own[i].name = inputNames[i];
    own[i].sizes = sizes[i];
    own[i].data = inputData[i];
    bool isRead =
        !failed(ort->GetTensorElementType(info, &type)) &&
        !failed(ort->GetDimensionsCount(info, &own[i].rank)) &&
        !failed(ort->GetDimensions(info, sizes[i], own[i].rank)) &&
        !failed(ort->GetTensorSizeInBytes(inputs[i], &own[i].byteSize));
    own[i].type = (int)type;
    ort->ReleaseTensorTypeAndShapeInfo(info);
    if (!isRead)
      return;
  }
  const char *problem =
      timeOwn(model, own, inputCount, isBound, count, &median);
  if (problem)
    printf("error %s\n", problem);
  else
    printf("time %.2f\n", (double)median / 1e3);
}

/*===----------------------------------------------------------------------===*\
 * Threads
\*===----------------------------------------------------------------------===*/

static bool isSame(OrtValue *left, OrtValue *right) {
  size_t leftSize = 0, rightSize = 0;
  void *leftData = NULL, *rightData = NULL;
  return !failed(ort->GetTensorSizeInBytes(left, &leftSize)) &&
         !failed(ort->GetTensorSizeInBytes(right, &rightSize)) &&
         !failed(ort->GetTensorMutableData(left, &leftData)) &&
         !failed(ort->GetTensorMutableData(right, &rightData)) &&
         leftSize == rightSize && memcmp(leftData, rightData, leftSize) == 0;
}

/* What a thread runs. */
typedef struct Task {
  OrtSession *session;
  size_t count;
} Task;

static void *runThread(void *argument) {
  const Task *task = argument;
  size_t count = task->count, wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    OrtValue *results[MOST] = {NULL};
    if (failed(run(task->session, results)))
      ++wrong;
    for (size_t k = 0; k < outputCount; ++k) {
      if (!results[k])
        continue;
      wrong += !isSame(results[k], outputs[k]);
      ort->ReleaseValue(results[k]);
    }
  }
  return (void *)wrong;
}

static void runThreads(size_t threadCount, size_t count) {
  pthread_t threads[MOST];
  Task tasks[MOST];
  size_t wrong = 0;
  if (!session || !outputs[0] || threadCount > MOST) {
    printf("error threads need a run before them\n");
    return;
  }
  for (size_t i = 0; i < threadCount; ++i) {
    tasks[i].session = i % 2 && twin ? twin : session;
    tasks[i].count = count;
    pthread_create(&threads[i], NULL, runThread, &tasks[i]);
  }
  for (size_t i = 0; i < threadCount; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    wrong += (size_t)result;
  }
  if (wrong)
    printf("error %zu results differ\n", wrong);
  else
    printf("threads agree\n");
}

/*===----------------------------------------------------------------------===*\
 * Commands
\*===----------------------------------------------------------------------===*/

static void addPair(Pair *pairs, size_t *count, char **words) {
  if (*count == MOST)
    return;
  pairs[*count].key = copy(words[1]);
  pairs[(*count)++].value = copy(words[2]);
}

static void printPairs(const OrtKeyValuePairs *pairs) {
  const char *const *keys, *const *values;
  size_t count = 0;
  if (pairs)
    ort->GetKeyValuePairs(pairs, &keys, &values, &count);
  for (size_t i = 0; i < count; ++i)
    printf("\t%s=%s", keys[i], values[i]);
}

static void listDevices(void) {
  const OrtEpDevice *const *devices;
  size_t count = 0;
  if (failed(ort->GetEpDevices(env, &devices, &count)))
    return;
  for (size_t i = 0; i < count; ++i) {
    const OrtHardwareDevice *hardware = ort->EpDevice_Device(devices[i]);
    printf("device\t%s\ttype=%d\tvendor=0x%x\tnumber=0x%x",
           ort->EpDevice_EpName(devices[i]),
           (int)ort->HardwareDevice_Type(hardware),
           ort->HardwareDevice_VendorId(hardware),
           ort->HardwareDevice_DeviceId(hardware));
    printPairs(ort->HardwareDevice_Metadata(hardware));
    printf("\t|");
    printPairs(ort->EpDevice_EpMetadata(devices[i]));
    printf("\n");
  }
  printf("listed\n");
}

static void obey(char **words, int count) {
  if (strcmp(words[0], "option") == 0 && count == 3)
    addPair(options, &optionCount, words);
  else if (strcmp(words[0], "config") == 0 && count == 3)
    addPair(entries, &entryCount, words);
  else if (strcmp(words[0], "level") == 0 && count == 2)
    level = atoi(words[1]);
  else if (strcmp(words[0], "cores") == 0 && count == 2)
    cores = atoi(words[1]);
  else if (strcmp(words[0], "open") == 0 && count == 3)
    openSession(words[1], words[2]);
  else if (strcmp(words[0], "twin") == 0 && count == 2)
    openTwin(words[1]);
  else if (strcmp(words[0], "input") == 0 && count == 5)
    addInput(words);
  else if (strcmp(words[0], "run") == 0 && count == 2)
    runSession(words[1]);
  else if (strcmp(words[0], "bind") == 0 && count == 3)
    bind((size_t)atoi(words[1]), words[2]);
  else if (strcmp(words[0], "external") == 0 && count == 2)
    runExternal(atoi(words[1]));
  else if (strcmp(words[0], "time") == 0 && count == 3)
    timeRuns(strcmp(words[1], "device") == 0, (size_t)atoi(words[2]));
  else if (strcmp(words[0], "own") == 0 && count == 4)
    timeSession(strcmp(words[1], "device") == 0, (size_t)atoi(words[2]),
                words[3]);
  else if (strcmp(words[0], "devices") == 0)
    listDevices();
  else if (strcmp(words[0], "threads") == 0 && count == 3)
    runThreads((size_t)atoi(words[1]), (size_t)atoi(words[2]));
  else if (strcmp(words[0], "inputs") == 0)
    clearInputs();
  else if (strcmp(words[0], "close") == 0)
    closeSession();
  else if (strcmp(words[0], "clear") == 0) {
    clearInputs();
    clearPairs(options, &optionCount);
    clearPairs(entries, &entryCount);
  } else
    printf("error there is no command '%s' with %d words\n", words[0], count);
  fflush(stdout);
}

static void obeyAll(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    char *words[MOST_WORDS], *rest = NULL;
    int count = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *word = strtok_r(line, "\t", &rest); word && count < MOST_WORDS;
         word = strtok_r(NULL, "\t", &rest))
      words[count++] = word;
    if (count > 0)
      obey(words, count);
  }
  free(line);
}

/* Finds the provider's first device. */
static bool findDevice(void) {
  const OrtEpDevice *const *devices;
  size_t count = 0;
  if (failed(ort->GetEpDevices(env, &devices, &count)))
    return false;
  for (size_t i = 0; i < count && !device; ++i)
    if (strcmp(ort->EpDevice_EpName(devices[i]), "DmlVulkan") == 0)
      device = devices[i];
  if (!device)
    printf("error the provider has no device\n");
  return device != NULL;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: host LIBONNXRUNTIME PROVIDER < COMMANDS\n");
    return 2;
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const OrtApiBase *(*getBase)(void) = NULL;
  if (library)
    *(void **)&getBase = dlsym(library, "OrtGetApiBase");
  if (!getBase) {
    fprintf(stderr, "host: %s\n", dlerror());
    return 2;
  }
  for (; !ort && version > 22; version -= !ort)
    ort = getBase()->GetApi(version);
  if (!ort) {
    fprintf(stderr, "host: ONNX Runtime %s is too old\n",
            getBase()->GetVersionString());
    return 2;
  }
  const char *verbose = getenv("HOST_LOG");
  bool isReady =
      !failed(ort->CreateEnv(verbose ? ORT_LOGGING_LEVEL_INFO
                                     : ORT_LOGGING_LEVEL_ERROR,
                             "host", &env)) &&
      !failed(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault,
                                       &hostMemory)) &&
      !failed(ort->RegisterExecutionProviderLibrary(env, "dml", argv[2])) &&
      findDevice();
  if (isReady)
    obeyAll();
  closeSession();
  clearInputs();
  clearPairs(options, &optionCount);
  clearPairs(entries, &entryCount);
  if (isReady)
    isReady = !failed(ort->UnregisterExecutionProviderLibrary(env, "dml"));
  ort->ReleaseMemoryInfo(hostMemory);
  ort->ReleaseEnv(env);
  return isReady ? 0 : 1;
}
