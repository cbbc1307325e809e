/*===- header.c - session.h is C ------------------------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#include "dml/directml.h"
#include "dml/session.h"

/* A session's structures are those of C: zeros are every default. */
const DmlSessionCreateInfo dmlTestSessionDefaults = {0};
