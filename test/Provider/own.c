/*===- own.c - A session of dml without ONNX Runtime ----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L
#include "own.h"
#include <dlfcn.h>
#include <dml/session.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 };

static char problem[1024];
static DmlBuffer buffers[2 * MOST];
static size_t bufferCount;

#define LOAD(name)                                                             \
  __typeof__(&name) own_##name = NULL;                                         \
  *(void **)&own_##name = dlsym(library, #name)

long getNanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static int compareTimes(const void *left, const void *right) {
  long a = *(const long *)left, b = *(const long *)right;
  return (a > b) - (a < b);
}

long findMedian(long *times, size_t count) {
  qsort(times, count, sizeof(long), compareTimes);
  return times[count / 2];
}

static bool failed(void *library, DmlResult result, DmlError error) {
  LOAD(dmlGetErrorMessage);
  LOAD(dmlDestroyError);
  if (result == DML_SUCCESS)
    return false;
  strncpy(problem, own_dmlGetErrorMessage(error), sizeof(problem) - 1);
  own_dmlDestroyError(error);
  return true;
}

static DmlDataType toDataType(int type) {
  static const DmlDataType types[] = {
      DML_DATA_TYPE_UNKNOWN, DML_DATA_TYPE_FLOAT32, DML_DATA_TYPE_UINT8,
      DML_DATA_TYPE_INT8,    DML_DATA_TYPE_UINT16,  DML_DATA_TYPE_INT16,
      DML_DATA_TYPE_INT32,   DML_DATA_TYPE_INT64,   DML_DATA_TYPE_UNKNOWN,
      DML_DATA_TYPE_UINT8,   DML_DATA_TYPE_FLOAT16, DML_DATA_TYPE_FLOAT64};
  return type >= 0 && type < (int)(sizeof(types) / sizeof(*types))
             ? types[type]
             : DML_DATA_TYPE_UNKNOWN;
}

/* Moves a tensor to a buffer of the device. */
static bool moveToDevice(void *library, DmlSession session,
                         DmlSessionTensor *tensor) {
  LOAD(dmlGetSessionInfo);
  LOAD(dmlCreateBuffer);
  LOAD(dmlWriteBuffer);
  LOAD(dmlGetBufferInfo);
  DmlError error = NULL;
  DmlSessionInfo info = {0};
  DmlBufferInfo made = {0};
  DmlBuffer buffer = NULL;
  uint64_t size = (tensor->byteSize + 15) / 16 * 16;
  if (failed(library, own_dmlGetSessionInfo(session, &info, &error), error) ||
      failed(library,
             own_dmlCreateBuffer(info.device, size, DML_MEMORY_DEVICE, &buffer,
                                 &error),
             error))
    return false;
  buffers[bufferCount++] = buffer;
  if (tensor->data && failed(library,
                             own_dmlWriteBuffer(buffer, 0, tensor->data,
                                                tensor->byteSize, &error),
                             error))
    return false;
  own_dmlGetBufferInfo(buffer, &made);
  tensor->data = NULL;
  tensor->buffer.buffer = made.buffer;
  tensor->buffer.size = made.size;
  return true;
}

/* The runs' tensors. */
static bool prepare(void *library, DmlSession session, const OwnInput *inputs,
                    size_t inputCount, bool isBound, DmlSessionTensor *given,
                    DmlSessionTensor *results, uint32_t outputCount) {
  LOAD(dmlPrepareSession);
  DmlError error = NULL;
  for (size_t i = 0; i < inputCount; ++i) {
    given[i].name = inputs[i].name;
    given[i].dataType = toDataType(inputs[i].type);
    given[i].rank = (uint32_t)inputs[i].rank;
    memcpy(given[i].sizes, inputs[i].sizes, inputs[i].rank * sizeof(int64_t));
    given[i].data = inputs[i].data;
    given[i].byteSize = inputs[i].byteSize;
  }
  if (failed(library,
             own_dmlPrepareSession(session, given, (uint32_t)inputCount,
                                   results, outputCount, &error),
             error))
    return false;
  for (size_t i = 0; isBound && i < inputCount; ++i)
    if (!moveToDevice(library, session, &given[i]))
      return false;
  for (size_t i = 0; isBound && i < outputCount; ++i)
    if (!moveToDevice(library, session, &results[i]))
      return false;
  return true;
}

static bool timeRuns(void *library, DmlSession session,
                     const DmlSessionTensor *given, size_t inputCount,
                     DmlSessionTensor *results, uint32_t outputCount,
                     long *times, size_t count) {
  LOAD(dmlRunSession);
  LOAD(dmlFreeTensor);
  DmlError error = NULL;
  for (size_t i = 0; i < count; ++i) {
    long begin = getNanoseconds();
    if (failed(library,
               own_dmlRunSession(session, given, (uint32_t)inputCount, results,
                                 outputCount, &error),
               error))
      return false;
    times[i] = getNanoseconds() - begin;
    for (uint32_t k = 0; k < outputCount; ++k)
      if (results[k].data)
        own_dmlFreeTensor(&results[k]);
  }
  return true;
}

const char *timeOwn(const char *model, const OwnInput *inputs,
                    size_t inputCount, bool isBound, size_t count,
                    long *median) {
  void *library = dlopen("libdml.so.0.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library)
    return "libdml.so.0.1 is not loaded";
  LOAD(dmlCreateSession);
  LOAD(dmlDestroySession);
  LOAD(dmlGetSessionInfo);
  LOAD(dmlDestroyBuffer);
  DmlSessionCreateInfo create = {0};
  DmlSessionInfo info = {0};
  DmlSession session = NULL;
  DmlError error = NULL;
  DmlSessionTensor given[MOST], results[MOST];
  long *times = calloc(count + 1, sizeof(long));
  memset(given, 0, sizeof(given));
  memset(results, 0, sizeof(results));
  create.path = model;
  *problem = 0;
  if (inputCount <= MOST &&
      !failed(library, own_dmlCreateSession(&create, &session, &error),
              error) &&
      !failed(library, own_dmlGetSessionInfo(session, &info, &error), error) &&
      info.outputCount <= MOST &&
      prepare(library, session, inputs, inputCount, isBound, given, results,
              info.outputCount) &&
      timeRuns(library, session, given, inputCount, results, info.outputCount,
               times, count))
    *median = findMedian(times, count);
  else if (!*problem)
    strcpy(problem, "the model has too many inputs or outputs");
  if (session)
    own_dmlDestroySession(session);
  while (bufferCount > 0)
    own_dmlDestroyBuffer(buffers[--bufferCount]);
  free(times);
  dlclose(library);
  return *problem ? problem : NULL;
}
