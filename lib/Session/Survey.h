//===- Survey.h - Which nodes of a model can be computed --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_SURVEY_H
#define DML_LIB_SESSION_SURVEY_H

#include "Support.h"
#include "dml/Import/Survey.h"

namespace dml::session {

/// What stands behind a DmlSurvey.
class ModelSurvey {
public:
  /// Where there is no host memory, the process ends, as it does in LLVM.
  static Expected<std::unique_ptr<ModelSurvey>>
  create(const DmlSurveyInfo &info) noexcept;

  Status describe(uint32_t index, DmlSurveyNode &info) const;
  Status describe(const char *name, DmlSurveyTensor &info) const;

private:
  ModelSurvey() = default;

  onnx::Survey survey;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_SURVEY_H
