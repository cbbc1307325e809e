//===- CApi.cpp - The C API of sessions -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "AheadOfTime.h"
#include "Boundary.h"
#include "Explain.h"
#include "Session.h"
#include "Survey.h"
#include <cstdlib>
#include <cstring>

using namespace dml;
using namespace dml::session;
using runtime::guard;

struct DmlSessionImpl {
  std::unique_ptr<Session> object;
};

DmlResult dmlCreateSession(const DmlSessionCreateInfo *info,
                           DmlSession *session, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(info);
    DML_NEED(session);
    DML_CHECK_CHAIN(DmlSessionCreateInfo, info);
    Expected<std::unique_ptr<Session>> created = Session::create(*info);
    if (!created)
      return created.status();
    *session = new DmlSessionImpl{std::move(*created)};
    return Status();
  });
}

void dmlDestroySession(DmlSession session) {
  // What is on the device belongs to the process that has made the session.
  if (session && !runtime::wantOwnVulkan().ok())
    (void)session->object.release();
  delete session;
}

DmlResult dmlGetSessionInfo(DmlSession session, DmlSessionInfo *info,
                            DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(session);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlSessionInfo, info);
    session->object->describe(*info);
    return Status();
  });
}

static void describe(const SignatureTensor &tensor,
                     DmlSessionTensorInfo &info) {
  info.name = tensor.name.c_str();
  info.dataType = tensor.type ? static_cast<DmlDataType>(*tensor.type)
                              : DML_DATA_TYPE_UNKNOWN;
  info.rank = DML_UNKNOWN_RANK;
  size_t rank = 0;
  // An output may be declared with more dimensions than any tensor has.
  if (tensor.hasRank && tensor.dimensions.size() <= DML_MAX_RANK) {
    rank = tensor.dimensions.size();
    info.rank = static_cast<uint32_t>(rank);
  }
  for (size_t i = 0; i < DML_MAX_RANK; ++i) {
    info.sizes[i] = i < rank ? tensor.dimensions[i].size : 0;
    info.dimensionNames[i] = i < rank ? tensor.dimensions[i].name.c_str() : "";
  }
}

static Status describe(const char *kind,
                       llvm::ArrayRef<SignatureTensor> tensors, uint32_t index,
                       DmlSessionTensorInfo &info) {
  if (index >= tensors.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, kind, " ", index,
                     " does not exist; there are ", tensors.size());
  describe(tensors[index], info);
  return Status();
}

DmlResult dmlGetSessionInput(DmlSession session, uint32_t index,
                             DmlSessionTensorInfo *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(session);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlSessionTensorInfo, info);
    return describe("input", session->object->getSignature().inputs, index,
                    *info);
  });
}

DmlResult dmlGetSessionOutput(DmlSession session, uint32_t index,
                              DmlSessionTensorInfo *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(session);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlSessionTensorInfo, info);
    return describe("output", session->object->getSignature().outputs, index,
                    *info);
  });
}

/// Fails where a pointer to tensors is missing.
static Status checkTensors(DmlSession session, const DmlSessionTensor *inputs,
                           uint32_t inputCount, const DmlSessionTensor *outputs,
                           uint32_t outputCount) {
  DML_NEED(session);
  if (inputCount != 0)
    DML_NEED(inputs);
  if (outputCount != 0)
    DML_NEED(outputs);
  return Status();
}

DmlResult dmlRunSession(DmlSession session, const DmlSessionTensor *inputs,
                        uint32_t inputCount, DmlSessionTensor *outputs,
                        uint32_t outputCount, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_TRY(checkTensors(session, inputs, inputCount, outputs, outputCount));
    return session->object->run({inputs, inputCount}, {outputs, outputCount});
  });
}

void dmlFreeTensor(DmlSessionTensor *tensor) {
  if (!tensor)
    return;
  std::free(tensor->data);
  tensor->data = nullptr;
}

DmlResult dmlPrepareSession(DmlSession session, const DmlSessionTensor *inputs,
                            uint32_t inputCount, DmlSessionTensor *outputs,
                            uint32_t outputCount, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_TRY(checkTensors(session, inputs, inputCount, outputs, outputCount));
    return session->object->prepare({inputs, inputCount},
                                    {outputs, outputCount});
  });
}

static Status copyPieces(llvm::ArrayRef<std::pair<const void *, size_t>> pieces,
                         DmlBytes &bytes);

DmlResult dmlGetSessionTuning(DmlSession session, DmlBytes *table,
                              DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(session);
    DML_NEED(table);
    std::string text = session->object->getTuning();
    return copyPieces({{text.data(), text.size()}}, *table);
  });
}

//===----------------------------------------------------------------------===//
// Verdicts, rewriting and compiling without a device
//===----------------------------------------------------------------------===//

struct DmlVerdictImpl {
  std::unique_ptr<ModelVerdict> object;
};

DmlResult dmlExplainModel(const DmlExplainInfo *info, DmlVerdict *verdict,
                          DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(info);
    DML_NEED(verdict);
    DML_CHECK_CHAIN(DmlExplainInfo, info);
    DML_TRY(checkArray("DmlExplainInfo", "dimensions", info->dimensions,
                       info->dimensionCount));
    auto created = ModelVerdict::create(*info);
    if (!created)
      return created.status();
    *verdict = new DmlVerdictImpl{std::move(*created)};
    return Status();
  });
}

void dmlDestroyVerdict(DmlVerdict verdict) { delete verdict; }

DmlResult dmlGetVerdictInfo(DmlVerdict verdict, DmlVerdictInfo *info,
                            DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(verdict);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlVerdictInfo, info);
    verdict->object->describe(*info);
    return Status();
  });
}

DmlResult dmlGetVerdictProblem(DmlVerdict verdict, uint32_t index,
                               DmlProblemInfo *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(verdict);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlProblemInfo, info);
    return verdict->object->describe(index, *info);
  });
}

const char *dmlGetVerdictText(DmlVerdict verdict) {
  return verdict ? verdict->object->getText().c_str() : "";
}

const char *dmlGetVerdictJson(DmlVerdict verdict) {
  return verdict ? verdict->object->getJson().c_str() : "";
}

struct DmlSurveyImpl {
  std::unique_ptr<ModelSurvey> object;
};

DmlResult dmlSurveyModel(const DmlSurveyInfo *info, DmlSurvey *survey,
                         DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(info);
    DML_NEED(survey);
    DML_CHECK_CHAIN(DmlSurveyInfo, info);
    DML_TRY(checkArray("DmlSurveyInfo", "dimensions", info->dimensions,
                       info->dimensionCount));
    Expected<std::unique_ptr<ModelSurvey>> created = ModelSurvey::create(*info);
    if (!created)
      return created.status();
    *survey = new DmlSurveyImpl{std::move(*created)};
    return Status();
  });
}

void dmlDestroySurvey(DmlSurvey survey) { delete survey; }

DmlResult dmlGetSurveyNode(DmlSurvey survey, uint32_t index,
                           DmlSurveyNode *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(survey);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlSurveyNode, info);
    return survey->object->describe(index, *info);
  });
}

DmlResult dmlGetSurveyTensor(DmlSurvey survey, const char *name,
                             DmlSurveyTensor *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(survey);
    DML_NEED(name);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlSurveyTensor, info);
    return survey->object->describe(name, *info);
  });
}

/// Copies the pieces, one behind the other, to memory of the caller's.
static Status copyPieces(llvm::ArrayRef<std::pair<const void *, size_t>> pieces,
                         DmlBytes &bytes) {
  size_t size = 0;
  for (auto [_, count] : pieces)
    size += count;
  auto *data = static_cast<char *>(std::malloc(std::max<size_t>(size, 1)));
  if (!data)
    return makeError(DML_ERROR_OUT_OF_MEMORY, "there is no host memory for ",
                     size, " bytes of the result");
  bytes = {data, size};
  for (auto [source, count] : pieces) {
    std::memcpy(data, source, count);
    data += count;
  }
  return Status();
}

Status dml::session::copyBytes(llvm::StringRef bytes, DmlBytes &copy) {
  return copyPieces({{bytes.data(), bytes.size()}}, copy);
}

void dmlFreeBytes(DmlBytes *bytes) {
  if (!bytes)
    return;
  std::free(bytes->data);
  bytes->data = nullptr;
}

DmlResult dmlLegalizeModel(const DmlExplainInfo *info, DmlModuleForm form,
                           DmlBytes *module, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(info);
    DML_NEED(module);
    DML_CHECK_CHAIN(DmlExplainInfo, info);
    DML_TRY(checkArray("DmlExplainInfo", "dimensions", info->dimensions,
                       info->dimensionCount));
    Expected<std::string> legalized = legalizeModel(*info, form);
    if (!legalized)
      return legalized.status();
    return copyBytes(*legalized, *module);
  });
}

DmlResult dmlCompileModel(const DmlCompileInfo *info, DmlBytes *executable,
                          DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(info);
    DML_NEED(executable);
    DML_CHECK_CHAIN(DmlCompileInfo, info);
    const char *name = "DmlCompileInfo";
    DML_TRY(
        checkArray(name, "dimensions", info->dimensions, info->dimensionCount));
    DML_TRY(checkArray(name, "deviceProfiles", info->deviceProfiles,
                       info->deviceProfileCount));
    DML_TRY(checkArray(name, "options", info->options, info->optionCount));
    auto compiled = compileAheadOfTime(*info);
    if (!compiled)
      return compiled.status();
    return copyPieces((*compiled)->image.pieces, *executable);
  });
}
