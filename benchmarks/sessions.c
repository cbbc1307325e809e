/*===- sessions.c - A session at several shapes ---------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program in C of benchmarks/sessions.py:
 *
 *   sessions MODEL CACHE FOLDER DEVICE SHAPE...
 *
 * Opens MODEL with the folder CACHE for its programs, and runs it at each
SHAPE,
 * such as "batch=4,length=16": twice, and then for 0.3 seconds, in which a GPU
 * that was idle while the program was made raises its clock again. Input I of
 * shape S is read from the file FOLDER/in.S.I, and output O of the second run
is
 * written to FOLDER/c.S.O. Prints the seconds of the parts, of the first two
 * runs and of the fastest run, and bytes of memory, as JSON. DEVICE is a
 * number, a UUID or a part of a name, or "".
 *
\*===----------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include <dml/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double getSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Ends the program if a call has failed. */
static void check(DmlResult result, DmlError error) {
  if (result == DML_SUCCESS)
    return;
  fprintf(stderr, "error: %s\n", dmlGetErrorMessage(error));
  dmlDestroyError(error);
  exit(1);
}

/* The seconds of the steps in which a program is made. */
enum { MaxSteps = 8 };
static const char *stepNames[MaxSteps];
static double stepSeconds[MaxSteps];
static int stepCount, currentStep;
static double stepBegin;

static void endStep(void) {
  double now = getSeconds();
  if (currentStep >= 0)
    stepSeconds[currentStep] += now - stepBegin;
  stepBegin = now;
  currentStep = -1;
}

/* The progress callback, which is called at the beginning of each step. The
 * names are literals of the library. */
static bool beginStep(void *userData, const char *name, float fraction) {
  (void)userData;
  (void)fraction;
  endStep();
  for (currentStep = 0; currentStep < stepCount; ++currentStep)
    if (strcmp(stepNames[currentStep], name) == 0)
      return true;
  if (stepCount == MaxSteps) {
    currentStep = -1;
    return true;
  }
  stepNames[stepCount] = name;
  stepSeconds[stepCount++] = 0;
  return true;
}

/* Returns the size `name` of a shape such as "batch=4,length=16". */
static int64_t findSize(const char *shape, const char *name) {
  size_t length = strlen(name);
  const char *at = shape;
  while (at) {
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      return strtoll(at + length + 1, NULL, 10);
    at = strchr(at, ',');
    at = at ? at + 1 : NULL;
  }
  fprintf(stderr, "error: the shape '%s' has no size '%s'\n", shape, name);
  exit(1);
}

static FILE *openFile(const char *folder, const char *kind, int shape,
                      uint32_t index, const char *mode) {
  char path[4096];
  FILE *file;
  snprintf(path, sizeof(path), "%s/%s.%d.%u", folder, kind, shape, index);
  file = fopen(path, mode);
  if (!file) {
    fprintf(stderr, "error: cannot open '%s'\n", path);
    exit(1);
  }
  return file;
}

/* Reads the input that `info` describes from its file. */
static DmlSessionTensor makeInput(const DmlSessionTensorInfo *info,
                                  const char *folder, const char *shape,
                                  int shapeNumber, uint32_t index) {
  DmlSessionTensor tensor = {0};
  size_t count = 1;
  uint32_t i;
  FILE *file = openFile(folder, "in", shapeNumber, index, "rb");
  tensor.name = info->name;
  tensor.dataType = info->dataType;
  tensor.rank = info->rank;
  for (i = 0; i < info->rank; ++i) {
    tensor.sizes[i] = info->sizes[i] < 0
                          ? findSize(shape, info->dimensionNames[i])
                          : info->sizes[i];
    count *= (size_t)tensor.sizes[i];
  }
  tensor.byteSize = (count * dmlGetDataTypeBits(info->dataType) + 7) / 8;
  tensor.data = malloc(tensor.byteSize);
  if (fread(tensor.data, 1, tensor.byteSize, file) != tensor.byteSize) {
    fprintf(stderr, "error: the file of input '%s' has not its %zu bytes\n",
            info->name, tensor.byteSize);
    exit(1);
  }
  fclose(file);
  return tensor;
}

/* Returns the largest number of bytes that the process has had in memory. */
static unsigned long long getHostPeak(void) {
  char line[256];
  unsigned long long kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof(line), file))
    if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1)
      break;
  if (file)
    fclose(file);
  return 1024 * kilobytes;
}

/* Runs the program once and returns the seconds. Where `folder` is not NULL,
 * the outputs are written there. */
static double runOnce(DmlSession session, const DmlSessionInfo *info,
                      const DmlSessionTensor *inputs, DmlSessionTensor *outputs,
                      const char *folder, int number) {
  DmlError error = NULL;
  double begin, end;
  uint32_t i;
  memset(outputs, 0, info->outputCount * sizeof(*outputs));
  begin = getSeconds();
  check(dmlRunSession(session, inputs, info->inputCount, outputs,
                      info->outputCount, &error),
        error);
  end = getSeconds();
  for (i = 0; i < info->outputCount; ++i) {
    if (folder) {
      FILE *file = openFile(folder, "c", number, i, "wb");
      fwrite(outputs[i].data, 1, outputs[i].byteSize, file);
      fclose(file);
    }
    dmlFreeTensor(&outputs[i]);
  }
  return end - begin;
}

/* Runs the program for 0.3 seconds, and returns the seconds of the fastest run.
 */
static double runSettled(DmlSession session, const DmlSessionInfo *info,
                         const DmlSessionTensor *inputs,
                         DmlSessionTensor *outputs) {
  double end = getSeconds() + 0.3, fastest = 1e9;
  do {
    double seconds = runOnce(session, info, inputs, outputs, NULL, 0);
    fastest = seconds < fastest ? seconds : fastest;
  } while (getSeconds() < end);
  return fastest;
}

/* Makes the program for one shape, runs it and prints the times. */
static void runShape(DmlSession session, const DmlSessionInfo *info,
                     const char *folder, const char *shape, int number) {
  DmlSessionTensor *inputs = calloc(info->inputCount + 1, sizeof(*inputs));
  DmlSessionTensor *outputs = calloc(info->outputCount + 1, sizeof(*outputs));
  DmlSessionInfo before = {0}, after = {0};
  DmlError error = NULL;
  double begin;
  uint32_t i;
  int run, step;
  for (i = 0; i < info->inputCount; ++i) {
    DmlSessionTensorInfo input = {0};
    check(dmlGetSessionInput(session, i, &input, &error), error);
    inputs[i] = makeInput(&input, folder, shape, number, i);
  }
  check(dmlGetSessionInfo(session, &before, &error), error);
  stepCount = 0;
  currentStep = -1;
  begin = getSeconds();
  check(dmlPrepareSession(session, inputs, info->inputCount, outputs,
                          info->outputCount, &error),
        error);
  endStep();
  printf("%s{\"shape\": \"%s\", \"make\": %.6f, \"steps\": {",
         number ? ", " : "", shape, getSeconds() - begin);
  for (step = 0; step < stepCount; ++step)
    printf("%s\"%s\": %.6f", step ? ", " : "", stepNames[step],
           stepSeconds[step]);
  printf("}, \"runs\": [");
  for (run = 0; run < 2; ++run)
    printf(
        "%s%.6f", run ? ", " : "",
        runOnce(session, info, inputs, outputs, run ? folder : NULL, number));
  printf(", %.6f", runSettled(session, info, inputs, outputs));
  check(dmlGetSessionInfo(session, &after, &error), error);
  printf("], \"plan\": %llu}",
         (unsigned long long)(after.programBytes - before.programBytes));
  for (i = 0; i < info->inputCount; ++i)
    free(inputs[i].data);
  free(inputs);
  free(outputs);
}

int main(int argc, char **argv) {
  DmlSessionCreateInfo create = {0};
  DmlSessionInfo info = {0};
  DmlMemoryUse use = {0};
  DmlSession session = NULL;
  DmlError error = NULL;
  double begin = getSeconds();
  int i;

  if (argc < 6) {
    fprintf(stderr, "usage: sessions MODEL CACHE FOLDER DEVICE SHAPE...\n");
    return 2;
  }
  create.path = argv[1];
  create.cacheDirectory = argv[2];
  create.deviceSelector = *argv[4] ? argv[4] : NULL;
  create.programBudget = (uint64_t)1 << 62;
  create.progressCallback = beginStep;
  check(dmlCreateSession(&create, &session, &error), error);
  check(dmlGetSessionInfo(session, &info, &error), error);
  printf("{\"create\": %.6f, \"shapes\": [", getSeconds() - begin);
  for (i = 5; i < argc; ++i)
    runShape(session, &info, argv[3], argv[i], i - 5);
  check(dmlGetSessionInfo(session, &info, &error), error);
  check(dmlGetMemoryUse(info.device, &use, &error), error);
  printf("], \"compiled\": %llu, \"cached\": %llu, \"weights\": %llu, "
         "\"used\": %llu, \"peak\": %llu, \"host\": %llu}\n",
         (unsigned long long)info.compiledCount,
         (unsigned long long)info.cachedCount,
         (unsigned long long)info.weightBytes, (unsigned long long)use.used,
         (unsigned long long)use.peak, getHostPeak());
  dmlDestroySession(session);
  return 0;
}
