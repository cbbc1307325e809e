/*===- older.c - The provider in an older ONNX Runtime --------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plugin that hands the calls of ONNX Runtime on to the provider at
 * $DML_PROVIDER, with an ONNX Runtime that has no API version above
 * $DML_API_VERSION.
 *
\*===----------------------------------------------------------------------===*/

#include "OnnxRuntimeAbi.h"
#include <dlfcn.h>
#include <stdlib.h>

typedef OrtStatus *(*CreateFactories)(const char *, const OrtApiBase *,
                                      const OrtLogger *, OrtEpFactory **,
                                      size_t, size_t *);
typedef OrtStatus *(*ReleaseFactory)(OrtEpFactory *);

static const OrtApiBase *newer;
static void *library;

static const OrtApi *getApi(uint32_t version) {
  const char *newest = getenv("DML_API_VERSION");
  return newest && version > (uint32_t)atoi(newest) ? NULL
                                                    : newer->GetApi(version);
}

static const char *getVersion(void) { return newer->GetVersionString(); }

static const OrtApiBase older = {getApi, getVersion};

OrtStatus *CreateEpFactories(const char *name, const OrtApiBase *base,
                             const OrtLogger *logger, OrtEpFactory **factories,
                             size_t most, size_t *count) {
  const char *path = getenv("DML_PROVIDER");
  CreateFactories create = NULL;
  newer = base;
  if (path && !library)
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library)
    *(void **)&create = dlsym(library, "CreateEpFactories");
  if (!create)
    return base->GetApi(1)->CreateStatus(ORT_FAIL, dlerror());
  return create(name, &older, logger, factories, most, count);
}

OrtStatus *ReleaseEpFactory(OrtEpFactory *factory) {
  ReleaseFactory release = NULL;
  *(void **)&release = dlsym(library, "ReleaseEpFactory");
  return release(factory);
}
