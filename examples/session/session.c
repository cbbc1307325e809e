/*===- session.c - Open a model and run it --------------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Opens a model of any format, runs it once, and prints the five largest
 * elements of its first output:
 *
 *   dml-session MODEL [INPUT]
 *
 * INPUT is a file with the bytes of the first input. All other bytes are 0, and
 * sizes that the model leaves open are 1.
 *
\*===----------------------------------------------------------------------===*/

#include <dml/session.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program where a call has failed. */
static void check(DmlResult result, DmlError error) {
  if (result == DML_SUCCESS)
    return;
  fprintf(stderr, "error: %s\n", dmlGetErrorMessage(error));
  dmlDestroyError(error);
  exit(1);
}

/* Makes a tensor of zeros for the input that `info` describes. */
static DmlSessionTensor makeInput(const DmlSessionTensorInfo *info) {
  DmlSessionTensor tensor = {0};
  size_t count = 1;
  uint32_t i;
  tensor.name = info->name;
  tensor.dataType = info->dataType;
  tensor.rank = info->rank;
  for (i = 0; i < info->rank; ++i) {
    tensor.sizes[i] = info->sizes[i] < 0 ? 1 : info->sizes[i];
    count *= (size_t)tensor.sizes[i];
  }
  tensor.byteSize = (count * dmlGetDataTypeBits(info->dataType) + 7) / 8;
  tensor.data = calloc(tensor.byteSize, 1);
  return tensor;
}

/* Whether element `a` comes after element `b` where the largest is first, and
 * of equal ones that with the smaller index. */
static int isBehind(const float *elements, size_t a, size_t b) {
  return elements[a] < elements[b] || (elements[a] == elements[b] && a > b);
}

static void printLargest(const DmlSessionTensor *tensor) {
  const float *elements = tensor->data;
  size_t count = tensor->byteSize / sizeof(float), i;
  size_t best = 0;
  int rank;
  if (tensor->dataType != DML_DATA_TYPE_FLOAT32) {
    printf("%s: %s\n", tensor->name, dmlGetDataTypeName(tensor->dataType));
    return;
  }
  for (rank = 0; rank < 5 && (size_t)rank < count; ++rank) {
    size_t last = best;
    best = count;
    for (i = 0; i < count; ++i)
      if (!isnan(elements[i]) && (rank == 0 || isBehind(elements, i, last)) &&
          (best == count || isBehind(elements, best, i)))
        best = i;
    if (best == count)
      break;
    printf("%s[%zu] = %g\n", tensor->name, best, elements[best]);
  }
}

int main(int argc, char **argv) {
  DmlSessionCreateInfo create = {0};
  DmlSessionInfo info = {0};
  DmlSessionTensorInfo input = {0};
  DmlSession session = NULL;
  DmlError error = NULL;
  DmlSessionTensor *inputs;
  DmlSessionTensor output = {0};
  uint32_t i;

  if (argc < 2) {
    fprintf(stderr, "usage: dml-session MODEL [INPUT]\n");
    return 2;
  }
  create.path = argv[1];
  check(dmlCreateSession(&create, &session, &error), error);
  check(dmlGetSessionInfo(session, &info, &error), error);
  inputs = calloc(info.inputCount + 1, sizeof(*inputs));
  for (i = 0; i < info.inputCount; ++i) {
    check(dmlGetSessionInput(session, i, &input, &error), error);
    inputs[i] = makeInput(&input);
  }
  if (argc > 2 && info.inputCount != 0) {
    FILE *file = fopen(argv[2], "rb");
    if (!file || fread(inputs[0].data, inputs[0].byteSize, 1, file) != 1 ||
        fgetc(file) != EOF) {
      fprintf(stderr,
              "error: '%s' has not exactly the %zu bytes of input '%s'\n",
              argv[2], inputs[0].byteSize, inputs[0].name);
      return 1;
    }
    fclose(file);
  }

  check(dmlRunSession(session, inputs, info.inputCount, &output, 1, &error),
        error);
  printLargest(&output);

  dmlFreeTensor(&output);
  for (i = 0; i < info.inputCount; ++i)
    free(inputs[i].data);
  free(inputs);
  dmlDestroySession(session);
  return 0;
}
