//===- SupportMatrix.cpp - All operators at all levels --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SupportMatrix.h"
#include "dml/IR/DML.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace dml;

/// Calls `callback` for every operator, in alphabetical order.
static void forEachOperator(
    MLIRContext *context,
    llvm::function_ref<void(StringRef, const OperatorSupport &)> callback) {
  SmallVector<RegisteredOperationName> names =
      llvm::to_vector(context->getRegisteredOperationsByDialect(
          DMLDialect::getDialectNamespace()));
  llvm::sort(names, [](OperationName lhs, OperationName rhs) {
    return lhs.getStringRef() < rhs.getStringRef();
  });
  for (RegisteredOperationName name : names)
    if (const OperatorSupport *support = getOperatorSupport(name))
      callback(name.getStringRef(), *support);
}

static std::string describeRanks(const TensorSupport &tensor) {
  std::string ranks = std::to_string(tensor.minRank);
  if (tensor.minRank != tensor.maxRank)
    ranks += " to " + std::to_string(tensor.maxRank);
  return ranks;
}

static SmallVector<StringRef> getDataTypeNames(const TensorSupport &tensor) {
  SmallVector<StringRef> names;
  for (DataType type : getDataTypes())
    if (tensor.supportsDataType(type))
      names.push_back(stringifyDataType(type));
  return names;
}

/// Whether something about the operator is new at `level`.
static bool changesAt(const OperatorSupport &support, FeatureLevel level) {
  return llvm::any_of(
             support.levels,
             [&](const LevelSupport &row) { return row.level == level; }) ||
         llvm::any_of(support.enumCases,
                      [&](const EnumCaseSupport &enumCase) {
                        return enumCase.level == level &&
                               level > support.getIntroducedLevel();
                      }) ||
         llvm::any_of(support.rules, [&](const RuleSupport &rule) {
           return rule.level == level;
         });
}

static void printOverview(MLIRContext *context, raw_ostream &os) {
  os << "| operator |";
  for (const FeatureLevelInfo &info : getFeatureLevels())
    os << " " << getFeatureLevelNumber(info.level) << " |";
  os << "\n|---|";
  for (size_t i = 0; i < getFeatureLevels().size(); ++i)
    os << ":-:|";
  os << "\n";
  forEachOperator(context, [&](StringRef name, const OperatorSupport &support) {
    os << "| `" << name << "` |";
    for (const FeatureLevelInfo &info : getFeatureLevels()) {
      StringRef mark = "=";
      if (info.level < support.getIntroducedLevel())
        mark = " ";
      else if (info.level == support.getIntroducedLevel())
        mark = "new";
      else if (changesAt(support, info.level))
        mark = "more";
      os << " " << mark << " |";
    }
    os << "\n";
  });
}

static void printOperator(StringRef name, const OperatorSupport &support,
                          raw_ostream &os) {
  os << "\n### `" << name << "`\n\n`" << support.operatorType
     << "`, introduced in "
     << getFeatureLevelNumber(support.getIntroducedLevel())
     << ".\nSource: " << support.source << ".\n\n"
     << "| from level | tensor | ranks | data types |\n|---|---|---|---|\n";
  for (const LevelSupport &row : support.levels)
    for (const TensorSupport &tensor : row.tensors) {
      os << "| " << getFeatureLevelNumber(row.level) << " | `" << tensor.tensor
         << "` | " << describeRanks(tensor) << " | ";
      llvm::interleaveComma(getDataTypeNames(tensor), os);
      os << " |\n";
    }
  if (!support.enumCases.empty())
    os << "\n| attribute | case | from level |\n|---|---|---|\n";
  for (const EnumCaseSupport &enumCase : support.enumCases) {
    os << "| `" << enumCase.attribute << "` | `" << enumCase.enumCase << "` | "
       << getFeatureLevelNumber(
              std::max(enumCase.level, support.getIntroducedLevel()));
    if (!enumCase.source.empty())
      os << " (" << enumCase.source << ")";
    os << " |\n";
  }
  if (!support.rules.empty())
    os << "\n| only from level | where | older levels want |\n|---|---|---|\n";
  for (const RuleSupport &rule : support.rules)
    os << "| " << getFeatureLevelNumber(rule.level) << " | " << rule.found
       << " | " << rule.wanted << " |\n";
}

void dml::printSupportMatrix(MLIRContext *context, raw_ostream &os) {
  os << "<!-- Written by `dml-explain --matrix=markdown`; `ninja dml-docs` "
        "refreshes it. -->\n"
        "# Feature levels\n\n"
        "What each operator accepts at each DirectML feature level, as its ODS "
        "description\nstates it. "
        "[FeatureLevelChecks.md](FeatureLevelChecks.md) "
        "says what is done with it.\n\n"
        "## Levels\n\n"
        "| level | value | DirectML | Windows component | first Windows that "
        "has "
        "it |\n|---|---|---|---|---|\n";
  for (const FeatureLevelInfo &info : getFeatureLevels()) {
    auto orNone = [](StringRef text) { return text.empty() ? "none" : text; };
    os << "| " << getFeatureLevelNumber(info.level) << " | "
       << llvm::format_hex(static_cast<uint32_t>(info.level), 6) << " | "
       << info.directMLVersion << " | " << orNone(info.windowsRelease) << " | "
       << orNone(getFirstWindowsRelease(info.level)) << " |\n";
  }
  os << "\nDirectML is the first widely released version that supports the "
        "level; "
        "the Windows\ncomponent is the Windows that first carried this very "
        "version. From 1.4.0 on,\nDirectML is also the redistributable package "
        "Microsoft.AI.DirectML, for Windows 10\nand newer. Source: DirectML "
        "version history and DirectML feature level history,\n"
        "https://learn.microsoft.com/windows/ai/directml/dml-version-history "
        "and"
        "\n.../dml-feature-level-history.\n\n"
        "## Operators by level\n\n"
        "`new`: introduced; `more`: more ranks, data types or modes; `=`: as "
        "at "
        "the level before.\n\n";
  printOverview(context, os);
  os << "\n## Operators\n";
  forEachOperator(context, [&](StringRef name, const OperatorSupport &support) {
    printOperator(name, support, os);
  });
}

llvm::json::Value dml::getSupportMatrix(MLIRContext *context) {
  llvm::json::Array levels, operators;
  for (const FeatureLevelInfo &info : getFeatureLevels())
    levels.push_back(getFeatureLevelNumber(info.level));
  forEachOperator(context, [&](StringRef name, const OperatorSupport &support) {
    llvm::json::Array rows, enumCases, rules;
    for (const LevelSupport &row : support.levels) {
      llvm::json::Object tensors;
      for (const TensorSupport &tensor : row.tensors) {
        llvm::json::Array types;
        for (StringRef type : getDataTypeNames(tensor))
          types.push_back(type);
        tensors[tensor.tensor] =
            llvm::json::Object{{"min_rank", tensor.minRank},
                               {"max_rank", tensor.maxRank},
                               {"data_types", std::move(types)}};
      }
      rows.push_back(
          llvm::json::Object{{"level", getFeatureLevelNumber(row.level)},
                             {"tensors", std::move(tensors)}});
    }
    for (const EnumCaseSupport &enumCase : support.enumCases)
      enumCases.push_back(llvm::json::Object{
          {"attribute", enumCase.attribute},
          {"case", enumCase.enumCase},
          {"level", getFeatureLevelNumber(std::max(
                        enumCase.level, support.getIntroducedLevel()))}});
    for (const RuleSupport &rule : support.rules)
      rules.push_back(
          llvm::json::Object{{"rule", rule.name},
                             {"found", rule.found},
                             {"wanted", rule.wanted},
                             {"level", getFeatureLevelNumber(rule.level)}});
    operators.push_back(llvm::json::Object{{"op", name},
                                           {"operator", support.operatorType},
                                           {"source", support.source},
                                           {"support", std::move(rows)},
                                           {"enum_cases", std::move(enumCases)},
                                           {"rules", std::move(rules)}});
  });
  return llvm::json::Object{{"levels", std::move(levels)},
                            {"operators", std::move(operators)}};
}
