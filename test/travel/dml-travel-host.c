/*===- dml-travel-host.c - A process that loads the travelling library ----===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   dml-travel-host LIBRARY compile IN.mlir OUT.dmlx
 *   dml-travel-host LIBRARY run IN.mlir DEVICE [OTHER...]
 *
 * loads dml's LIBRARY, compiles a module, and writes the executable or runs
 * the executable on the first device whose name has DEVICE in it. Each library
 * OTHER is loaded first, with its symbols shown to all that is loaded later.
 * The module to be run is examples/gemm.mlir: relu(0.5 * 0.25 * 256 - 30) is 2.
 * In the end the program prints the libraries of the process that have LLVM or
 * MLIR in their names. The program needs libc alone, as an empty root has no
 * more.
 *
\*===----------------------------------------------------------------------===*/

#include "dml-c/Compiler.h"
#include "dml/runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

/* The functions of the library that the program calls, by their names. */
#define FUNCTIONS(F)                                                           \
  F(dmlCompilerOptionsCreate)                                                  \
  F(dmlCompilerOptionsDestroy)                                                 \
  F(dmlCompilerOptionsSetDeviceProfile)                                        \
  F(dmlCompileToExecutable)                                                    \
  F(dmlGetErrorMessage)                                                        \
  F(dmlCreateExecutable)                                                       \
  F(dmlDestroyExecutable)                                                      \
  F(dmlCreateInstance)                                                         \
  F(dmlDestroyInstance)                                                        \
  F(dmlCreateDevice)                                                           \
  F(dmlDestroyDevice)                                                          \
  F(dmlCreateProgram)                                                          \
  F(dmlDestroyProgram)                                                         \
  F(dmlRunFunction)

static struct {
#define DECLARE(NAME) __typeof__(&(NAME)) NAME;
  FUNCTIONS(DECLARE)
} dml;

static void loadLibrary(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail("%s", dlerror());
#define LOAD(NAME)                                                             \
  *(void **)&dml.NAME = dlsym(library, #NAME);                                 \
  if (!dml.NAME)                                                               \
    fail("%s", dlerror());
  FUNCTIONS(LOAD)
}

/*===----------------------------------------------------------------------===*\
 * Compiling
\*===----------------------------------------------------------------------===*/

typedef struct Bytes {
  char *data;
  size_t size;
} Bytes;

static Bytes readFile(const char *path) {
  enum { kLimit = 1 << 20 };
  Bytes bytes = {malloc(kLimit), 0};
  FILE *file = fopen(path, "rb");
  if (!file || !bytes.data)
    fail("cannot read '%s'", path);
  bytes.size = fread(bytes.data, 1, kLimit, file);
  fclose(file);
  return bytes;
}

static void keepExecutable(MlirStringRef executable, void *userData) {
  Bytes *bytes = userData;
  bytes->data = malloc(executable.length);
  if (!bytes->data)
    fail("no memory for %zu bytes", executable.length);
  memcpy(bytes->data, executable.data, executable.length);
  bytes->size = executable.length;
}

static void printDiagnostic(MlirDiagnosticSeverity severity,
                            MlirStringRef location, MlirStringRef message,
                            void *userData) {
  (void)severity;
  (void)userData;
  fprintf(stderr, "%.*s: %.*s\n", (int)location.length, location.data,
          (int)message.length, message.data);
}

/* Compiles a file for the device profile "minimal", which every device fits. */
static Bytes compile(const char *path) {
  Bytes source = readFile(path), executable = {NULL, 0};
  DmlCompilerOptions options = dml.dmlCompilerOptionsCreate();
  MlirStringRef text = {source.data, source.size};
  MlirStringRef name = {path, strlen(path)}, profile = {"minimal", 7};
  dml.dmlCompilerOptionsSetDeviceProfile(options, profile);
  if (!dml.dmlCompileToExecutable(text, name, options, keepExecutable,
                                  printDiagnostic, &executable)
           .value)
    fail("'%s' is not compiled", path);
  dml.dmlCompilerOptionsDestroy(options);
  free(source.data);
  return executable;
}

static void writeFile(const char *path, Bytes bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size ||
      fclose(file))
    fail("cannot write '%s'", path);
}

/*===----------------------------------------------------------------------===*\
 * Running
\*===----------------------------------------------------------------------===*/

static void check(DmlResult result, DmlError error) {
  if (result != DML_SUCCESS)
    fail("%s", dml.dmlGetErrorMessage(error));
}

enum { kRows = 64, kColumns = 64, kTerms = 256 };
static float x[kRows * kTerms], weights[kTerms * kColumns],
    bias[kRows * kColumns], output[kRows * kColumns];

static void fill(float *values, size_t count, float value) {
  while (count--)
    *values++ = value;
}

static void runGemm(DmlDevice device, Bytes bytes) {
  DmlHostTensor inputs[] = {
      {x, sizeof x}, {weights, sizeof weights}, {bias, sizeof bias}};
  DmlHostTensor outputs[] = {{output, sizeof output}};
  DmlExecutable executable;
  DmlProgram program;
  DmlError error = NULL;
  size_t i;
  fill(x, kRows * kTerms, 0.5F);
  fill(weights, kTerms * kColumns, 0.25F);
  fill(bias, kRows * kColumns, -30.0F);
  check(dml.dmlCreateExecutable(bytes.data, bytes.size, &executable, &error),
        error);
  check(dml.dmlCreateProgram(device, executable, &program, &error), error);
  check(dml.dmlRunFunction(program, 0, inputs, 3, outputs, 1, &error), error);
  for (i = 0; i < kRows * kColumns; ++i)
    if (output[i] != 2.0F)
      fail("element %zu is %g, but wanted 2", i, (double)output[i]);
  dml.dmlDestroyProgram(program);
  dml.dmlDestroyExecutable(executable);
}

static void run(Bytes executable, const char *selector) {
  DmlDeviceCreateInfo info = {.selector = selector};
  DmlInstance instance;
  DmlDevice device;
  DmlError error = NULL;
  check(dml.dmlCreateInstance(NULL, &instance, &error), error);
  check(dml.dmlCreateDevice(instance, &info, &device, &error), error);
  runGemm(device, executable);
  dml.dmlDestroyDevice(device);
  dml.dmlDestroyInstance(instance);
}

static int printLibrary(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  if (strstr(info->dlpi_name, "libLLVM") || strstr(info->dlpi_name, "libMLIR"))
    printf("%s\n", info->dlpi_name);
  return 0;
}

int main(int argc, char **argv) {
  int i;
  int runs = argc > 4 && !strcmp(argv[2], "run");
  if (!runs && (argc != 5 || strcmp(argv[2], "compile") != 0))
    fail("usage: dml-travel-host LIBRARY compile IN.mlir OUT.dmlx\n"
         "       dml-travel-host LIBRARY run IN.mlir DEVICE [OTHER...]");
  for (i = 5; i < argc; ++i)
    if (!dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL))
      fail("%s", dlerror());
  loadLibrary(argv[1]);
  if (runs) {
    run(compile(argv[3]), argv[4]);
    /* Now that the driver is loaded, the compiler works as before. */
    run(compile(argv[3]), argv[4]);
  } else {
    writeFile(argv[4], compile(argv[3]));
  }
  dl_iterate_phdr(printLibrary, NULL);
  return 0;
}
