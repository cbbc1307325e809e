/*===- embed-compiler.c - dml's compiler inside a program in C ------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   dml-embed-compiler-c IN.mlir OUT.dmlx
 *
 * compiles a module in memory to an executable in memory, and writes that.
 * Errors go to stderr, one line each.
 *
\*===----------------------------------------------------------------------===*/

#include "dml-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>

/* The file's bytes, which the caller frees, or NULL. */
static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  long end;
  if (!file)
    return NULL;
  if (!fseek(file, 0, SEEK_END) && (end = ftell(file)) >= 0) {
    rewind(file);
    *size = (size_t)end;
    bytes = malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
      free(bytes);
      bytes = NULL;
    }
  }
  fclose(file);
  return bytes;
}

typedef struct Output {
  const char *path;
  int isWritten;
} Output;

/* The bytes live until this returns. */
static void writeExecutable(MlirStringRef bytes, void *userData) {
  Output *output = userData;
  FILE *file = fopen(output->path, "wb");
  if (!file)
    return;
  output->isWritten = fwrite(bytes.data, 1, bytes.length, file) == bytes.length;
  if (fclose(file))
    output->isWritten = 0;
}

static void printDiagnostic(MlirDiagnosticSeverity severity,
                            MlirStringRef location, MlirStringRef message,
                            void *userData) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  (void)userData;
  fprintf(stderr, "%.*s: %s: %.*s\n", (int)location.length, location.data,
          names[severity], (int)message.length, message.data);
}

int main(int argc, char **argv) {
  Output output = {NULL, 0};
  DmlCompilerOptions options;
  MlirLogicalResult result;
  char *source;
  size_t size = 0;
  if (argc != 3) {
    fprintf(stderr, "usage: dml-embed-compiler-c IN.mlir OUT.dmlx\n");
    return 2;
  }
  source = readFile(argv[1], &size);
  if (!source) {
    fprintf(stderr, "dml-embed-compiler-c: error: cannot read '%s'\n", argv[1]);
    return 2;
  }
  output.path = argv[2];

  options = dmlCompilerOptionsCreate();
  dmlCompilerOptionsSetDeviceProfile(options,
                                     mlirStringRefCreateFromCString("minimal"));
  result =
      dmlCompileToExecutable(mlirStringRefCreate(source, size),
                             mlirStringRefCreateFromCString(argv[1]), options,
                             writeExecutable, printDiagnostic, &output);
  dmlCompilerOptionsDestroy(options);
  free(source);
  if (mlirLogicalResultIsFailure(result))
    return 1;
  if (!output.isWritten) {
    fprintf(stderr, "dml-embed-compiler-c: error: cannot write '%s'\n",
            argv[2]);
    return 4;
  }
  return 0;
}
