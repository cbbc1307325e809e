//===- AheadOfTime.cpp - Executables without a device ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "AheadOfTime.h"
#include "Compile.h"
#include "Model.h"
#include "dml/Target/DeviceProfile.h"

using namespace mlir;
using namespace dml;
using namespace dml::session;

/// Opens the model of a call, with the options that are about reading it.
static Expected<std::unique_ptr<Model>> openCompiled(const DmlCompileInfo &info,
                                                     CompilerOptions &options) {
  Expected<std::unique_ptr<Model>> model = Model::openUnrun(info);
  if (model)
    for (uint32_t i = 0; i < info.optionCount; ++i)
      DML_TRY(setOption(info.options[i], **model, options));
  if (std::string error = describeWrongOption(options); !error.empty())
    return Status(DML_ERROR_INVALID_ARGUMENT, error);
  return model;
}

static Expected<std::vector<std::string>>
readProfiles(const DmlCompileInfo &info) {
  std::vector<std::string> profiles;
  for (uint32_t i = 0; i < info.deviceProfileCount; ++i) {
    profiles.emplace_back(info.deviceProfiles[i] ? info.deviceProfiles[i] : "");
    llvm::Expected<DeviceProfile> parsed =
        DeviceProfile::parse(profiles.back());
    if (!parsed)
      return invalid(parsed.takeError());
  }
  return profiles;
}

/// Fails if the runtime rejects the executable. The constants, of which there
/// may be many, are not read.
static Status wantReadable(const ExecutableImage &image) {
  uint64_t size = 0;
  for (auto [_, bytes] : image.pieces)
    size += bytes;
  if (size >= INT32_MAX)
    return makeError(DML_ERROR_UNSUPPORTED, "the executable would have ", size,
                     " bytes, but wanted are fewer than ", INT32_MAX,
                     "; dml-compile --external-weights leaves weights out");
  return openExecutable(image.withoutConstants).status();
}

Expected<std::unique_ptr<AheadOfTimeExecutable>>
dml::session::compileAheadOfTime(const DmlCompileInfo &info) noexcept {
  CompilerOptions options;
  Expected<std::unique_ptr<Model>> model = openCompiled(info, options);
  if (!model)
    return model.status();
  Expected<std::vector<std::string>> profiles = readProfiles(info);
  if (!profiles)
    return profiles.status();
  const std::string &name = (*model)->getName();
  Progress progress(info.progressCallback, info.userData);
  Messages messages(info.messageCallback, info.userData);
  DML_TRY(progress.begin("reading the model", 0));
  auto result = std::make_unique<AheadOfTimeExecutable>();
  CompilerContext &context = result->context;
  auto module = (*model)->readUnrun(context, Model::UnrunOptions());
  if (!module)
    return module.status();
  result->module = std::move(*module);
  FailureOr<ExecutableImage> image =
      compileToImage(*result->module, options, *profiles, [&](PassManager &pm) {
        addProgress(pm, progress);
        return success();
      });
  DML_TRY(progress.check());
  for (const std::string &warning : context.getWarnings())
    messages.warn(name + ": " + warning);
  if (failed(image))
    return context.getError(DML_ERROR_UNSUPPORTED, "the compiler fails")
        .in(name);
  DML_TRY_IN(wantReadable(*image), name);
  result->image = std::move(*image);
  return result;
}
