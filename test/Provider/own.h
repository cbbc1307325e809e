/*===- own.h - A session of dml without ONNX Runtime ----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_TEST_PROVIDER_OWN_H
#define DML_TEST_PROVIDER_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An input of a run. */
typedef struct OwnInput {
  const char *name;
  /* ONNX's number of the type. */
  int type;
  const int64_t *sizes;
  size_t rank;
  void *data;
  size_t byteSize;
} OwnInput;

/* Runs a model `count` times in a session of libdml, which the provider has
 * loaded, and sets the median in nanoseconds. If `isBound`, inputs and outputs
 * are buffers of the device, and else host memory. Returns NULL, or what has
 * failed. */
const char *timeOwn(const char *model, const OwnInput *inputs,
                    size_t inputCount, bool isBound, size_t count,
                    long *median);

/* The median of times, which are sorted. */
long findMedian(long *times, size_t count);

long getNanoseconds(void);

#endif
