//===- TuningOptions.h - Options that choose between kernels ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_TUNINGOPTIONS_H
#define DML_TOOLS_SUPPORT_TUNINGOPTIONS_H

#include "dml/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace dml::tools {

/// The compiler's options that influence the choice of kernels, as options of a
/// tool: the records of DML_TuningOption in dml/Target/Options.td.
class TuningOptions {
public:
  /// Registers the options. The tool's help lists them in `category`.
  explicit TuningOptions(llvm::cl::OptionCategory &category)
      : category(category) {}

  /// Sets the options of the same names.
  void copyTo(CompilerOptions &options) const {
#define DML_TUNING_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,             \
                          DESCRIPTION)                                         \
  options.MEMBER = MEMBER.getValue();
#include "dml/Target/Options.def"
  }

  /// Returns the names and values of all options.
  std::vector<std::pair<std::string, std::string>> list() const {
    std::vector<std::pair<std::string, std::string>> options;
    auto add = [&](const char *name, const auto &value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
        options.emplace_back(name, value ? "true" : "false");
      else
        options.emplace_back(name, value);
    };
#define DML_TUNING_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,             \
                          DESCRIPTION)                                         \
  add(NAME, MEMBER.getValue());
#include "dml/Target/Options.def"
    return options;
  }

  /// Returns the options that differ from their defaults, as on a command line
  /// with a space in front of each: " --row-tile='8x2' --fuse='0'".
  std::string str() const {
    std::string text;
    llvm::raw_string_ostream os(text);
#define DML_TUNING_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,             \
                          DESCRIPTION)                                         \
  if (MEMBER.getValue() != DEFAULT)                                            \
    os << " --" NAME "='" << MEMBER.getValue() << "'";
#include "dml/Target/Options.def"
    return text;
  }

private:
  llvm::cl::OptionCategory &category;
#define DML_TUNING_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME,             \
                          DESCRIPTION)                                         \
  llvm::cl::opt<TYPE> MEMBER{                                                  \
      NAME, llvm::cl::desc(DESCRIPTION), llvm::cl::value_desc(VALUE_NAME),     \
      llvm::cl::init(DEFAULT), llvm::cl::cat(category)};
#include "dml/Target/Options.def"
};

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_TUNINGOPTIONS_H
