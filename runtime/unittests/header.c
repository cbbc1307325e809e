/* The public header is C: this file compiles as such, and as nothing newer than
 * C99.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dml/runtime.h"

const char *dmlTestVersionFromC(void);
const char *dmlTestVersionFromC(void) {
  DmlExecutable executable = NULL;
  DmlError error = NULL;
  const char *version = dmlGetVersion();
  if (dmlCreateExecutable("", 0, NULL, &executable, &error) == DML_SUCCESS)
    version = NULL;
  dmlDestroyError(error);
  return version;
}
