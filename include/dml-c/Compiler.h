/*===- dml-c/Compiler.h - dml's compiler for programs in C ----------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compiles modules of dml operators to executables, the bytes of a .dmlx file,
 * which dmlCreateExecutable of the runtime takes (dml/runtime.h). Names and
 * types follow MLIR's C API.
 *
 * Errors. A call that can fail returns an MlirLogicalResult. Why it failed is
 * said by one diagnostic or several, through the caller's callback or, for
 * modules of the caller's, the handlers of their context. A call that fails
 * gives no executable, not a part of one. Nothing is written to the standard
 * streams. As everywhere in LLVM, running out of memory ends the process.
 *
 * Ownership. The caller frees what a function ...Create returns, by the
 * function ...Destroy. Strings that are passed in are copied or read during the
 * call; they need no zero at their end. What a callback is given lives until
 * the callback returns. Both kinds of callback run on the thread of the call,
 * before it returns, one at a time; they must neither throw nor jump out.
 *
 * Threads. Calls may run at the same time on any threads, with options of their
 * own or the same ones that nobody changes. A context with its modules is to be
 * used by one call at a time. A call may use threads of its own.
 *
 * Compatibility. Until version 1.0 a release may change this interface; the
 * shared library's SOVERSION says which releases agree.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_C_COMPILER_H
#define DML_C_COMPILER_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
 * Options
\*===----------------------------------------------------------------------===*/

/* What to compile for, and how: the options of dml-compile under the same names
 * and with the same defaults. Wrong values are found when they are used. */
typedef struct DmlCompilerOptions {
  void *ptr;
} DmlCompilerOptions;

MLIR_CAPI_EXPORTED DmlCompilerOptions dmlCompilerOptionsCreate(void);
MLIR_CAPI_EXPORTED void dmlCompilerOptionsDestroy(DmlCompilerOptions options);

/* Sets the option that dml-compile has as --NAME=VALUE, such as "row-tile" to
 * "32x4". The value of an option that is on or off ("fuse", "external-weights",
 * "legalize") is "true" or "false". Fails, and sets nothing, if there is no
 * option of that name or its value is neither of the two. Each of the functions
 * below sets one option. */
MLIR_CAPI_EXPORTED MlirLogicalResult dmlCompilerOptionsSet(
    DmlCompilerOptions options, MlirStringRef name, MlirStringRef value);

/* The Vulkan features that kernels may use: "full" or "minimal", then features
 * to add or take away, as in "full,-shaderFloat64". Where the profile is "",
 * the default, the profile is the one that dml_device.profile states in the
 * module, else "full". */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetDeviceProfile(DmlCompilerOptions options,
                                   MlirStringRef profile);
/* Another profile: where any is added, these stand for the one that is set, and
 * the executable has a variant of each function for each of them, the one to be
 * preferred first. A device runs the first variant that it can. */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsAddDeviceProfile(DmlCompilerOptions options,
                                   MlirStringRef profile);
/* Whether constants of many elements become weights, whose bytes programs bind
 * by their names (dmlBindWeight) and the executable lacks. */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetExternalWeights(DmlCompilerOptions options, bool external);
/* The feature level that operators must keep to, such as "5_0". Where it is "",
 * the default, it is what dml.target says in the module. */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetFeatureLevel(DmlCompilerOptions options,
                                  MlirStringRef level);
/* Whether operators that this level lacks are rewritten by ones that it has. */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetLegalize(DmlCompilerOptions options, bool legalize);
/* Whether tensors are computed where they are read, if that saves time. */
MLIR_CAPI_EXPORTED void dmlCompilerOptionsSetFuse(DmlCompilerOptions options,
                                                  bool fuse);
/* "auto", "none", or the tile of kernels for sums of products: "64x64". */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetContractionTile(DmlCompilerOptions options,
                                     MlirStringRef tile);
/* "auto", "none", or the tile of kernels for reductions of rows: the threads of
 * a row and the vectors that each has at a time, "32x4". */
MLIR_CAPI_EXPORTED void dmlCompilerOptionsSetRowTile(DmlCompilerOptions options,
                                                     MlirStringRef tile);
/* "auto", "none", or the tile of kernels for attention that write no scores:
 * queries and keys, "64x32", or a "dml.kernel" with a matrix_attention_tile,
 * a resident_attention_tile or a split_attention_tile. */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetAttentionTile(DmlCompilerOptions options,
                                   MlirStringRef tile);
/* "auto", "none", or the tile of kernels with cooperative matrices: rows,
 * columns and terms of a workgroup and rows and columns of its subgroups,
 * "128x128x32x64x64". */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetMatrixTile(DmlCompilerOptions options, MlirStringRef tile);
/* "auto", "none", or the parts that sums of products have where they can have
 * so many, "4". */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetSumParts(DmlCompilerOptions options, MlirStringRef parts);
/* "auto", "none", or "channels_last" or "channels_last_covered" for all
 * convolutions that can have channels last. */
MLIR_CAPI_EXPORTED void
dmlCompilerOptionsSetConvolutionLayout(DmlCompilerOptions options,
                                       MlirStringRef layout);

/*===----------------------------------------------------------------------===*\
 * Compiling
\*===----------------------------------------------------------------------===*/

/* Takes a diagnostic. `location` is the place in the source, "model.mlir:3:8",
 * "model.mlir" for all of it, or "" where none is known. A note
 * (MlirDiagnosticNote) belongs to what came before it. */
typedef void (*DmlDiagnosticCallback)(MlirDiagnosticSeverity severity,
                                      MlirStringRef location,
                                      MlirStringRef message, void *userData);

/* Compiles `source`, a module as MLIR's text or bytecode, of any stage that
 * dml-compile --emit writes, or of TOSA. `name` stands in locations. Where that
 * succeeds, `takeExecutable` is called once, with all bytes of the executable;
 * else `takeDiagnostic`, which may be NULL, has had one error at least.
 * `userData` is for both. */
MLIR_CAPI_EXPORTED MlirLogicalResult dmlCompileToExecutable(
    MlirStringRef source, MlirStringRef name, DmlCompilerOptions options,
    MlirStringCallback takeExecutable, DmlDiagnosticCallback takeDiagnostic,
    void *userData);

/* The same of a module of the caller's, which is changed on the way. Its
 * context was made with what dmlRegisterCompilerDialects adds. Diagnostics are
 * the context's (mlirContextAttachDiagnosticHandler). */
MLIR_CAPI_EXPORTED MlirLogicalResult
dmlModuleCompileToExecutable(MlirModule module, DmlCompilerOptions options,
                             MlirStringCallback takeExecutable, void *userData);

#ifdef __cplusplus
}
#endif

#endif /* DML_C_COMPILER_H */
