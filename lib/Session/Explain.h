//===- Explain.h - Verdicts on models ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_EXPLAIN_H
#define DML_LIB_SESSION_EXPLAIN_H

#include "Support.h"
#include <string>
#include <vector>

namespace dml::session {

/// A problem of a verdict, with the members of DmlProblemInfo.
struct Problem {
  DmlProblemKind kind;
  std::string name, function, node;
  uint32_t line = 0, column = 0;
  std::string level, reason, rewrite, whyNoRewrite;
};

/// What stands behind a DmlVerdict: everything as text, so that no module stays
/// in memory.
class ModelVerdict {
public:
  /// Where there is no host memory, the process ends, as it does in LLVM.
  static Expected<std::unique_ptr<ModelVerdict>>
  create(const DmlExplainInfo &info) noexcept;

  void describe(DmlVerdictInfo &info) const;
  Status describe(uint32_t index, DmlProblemInfo &info) const;
  const std::string &getText() const { return text; }
  const std::string &getJson() const { return json; }

private:
  ModelVerdict() = default;

  std::string level, directML, windows, askedLevel;
  DmlFit fit = DML_FIT_UNKNOWN;
  bool canLegalize = false;
  size_t operatorCount = 0;
  std::vector<Problem> problems;
  std::string text, json;
};

/// Rewrites the model for the level of `info`; the module as bytecode or text.
/// Where there is no host memory, the process ends.
Expected<std::string> legalizeModel(const DmlExplainInfo &info,
                                    DmlModuleForm form) noexcept;

} // namespace dml::session

#endif // DML_LIB_SESSION_EXPLAIN_H
