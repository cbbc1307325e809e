/*===- print-functions.c - A program in C ---------------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints the names of an executable's functions.
 *
\*===------------------------------------------------------------------------===*/

#include "dml/runtime.h"

#include <stdio.h>

int main(int argc, char **argv) {
  DmlExecutable executable = NULL;
  DmlError error = NULL;
  DmlExecutableInfo info = {0};
  uint32_t i;
  if (argc != 2 || dmlCreateExecutableFromFile(argv[1], &executable, &error)) {
    fprintf(stderr, "error: %s\n", dmlGetErrorMessage(error));
    return 1;
  }
  dmlGetExecutableInfo(executable, &info);
  for (i = 0; i < info.functionCount; ++i) {
    DmlFunctionInfo function = {0};
    if (dmlGetFunctionInfo(executable, i, &function, NULL))
      return 1;
    printf("%s\n", function.name);
  }
  dmlDestroyExecutable(executable);
  return 0;
}
