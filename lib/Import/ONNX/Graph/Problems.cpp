//===- Problems.cpp - Nodes that cannot be imported -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/Problems.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

void Problems::add(StringRef domain, StringRef type, StringRef name,
                   StringRef reason) {
  std::string fullName =
      (domain.empty() ? type : (domain + "." + type).str()).str();
  Problem &problem = problems[{fullName, reason.str()}];
  if (problem.count++ == 0)
    problem.firstNode = name.str();
}

SmallVector<std::string> Problems::list() const {
  SmallVector<std::string> list;
  for (const auto &[key, problem] : problems)
    list.push_back(key.first + ": " + std::to_string(problem.count) +
                   (problem.count == 1 ? " node, '" : " nodes, the first '") +
                   problem.firstNode + "': " + key.second);
  return list;
}

unsigned Problems::countNodes() const {
  unsigned count = 0;
  for (const auto &[key, problem] : problems)
    count += problem.count;
  return count;
}

std::string Problems::describe(size_t numNodes) const {
  return ("DirectML's operators do not express " + Twine(countNodes()) +
          " of " + Twine(numNodes) + " nodes:\n  " +
          llvm::join(list(), "\n  ") +
          (isForSession() ? "\n" + sessionNote.str() : ""))
      .str();
}

bool dml::onnx::isLoop(StringRef domain, StringRef type) {
  return domain.empty() && (type == "Loop" || type == "Scan");
}

bool dml::onnx::isRunByHost(StringRef domain, StringRef type) {
  return domain.empty() && (type == "NonMaxSuppression" || type == "NonZero" ||
                            type == "Unique" || type == "Compress");
}

StringRef dml::onnx::describeUnknown(StringRef domain, StringRef type) {
  bool isPublic =
      domain.starts_with("ai.onnx") || domain.starts_with("com.microsoft");
  if (!domain.empty())
    return isPublic ? "the importer does not know it"
                    : "the importer does not know it, and the model has no "
                      "function of this name";
  return llvm::StringSwitch<StringRef>(type)
      .Cases({"ConcatFromSequence", "Optional", "OptionalGetElement",
              "OptionalHasElement", "SequenceAt", "SequenceConstruct",
              "SequenceEmpty", "SequenceErase", "SequenceInsert",
              "SequenceLength", "SequenceMap", "SplitToSequence"},
             "its sequence or optional value is no tensor")
      .Cases(
          {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"},
          "no DirectML tensor has strings")
      .Cases({"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike",
              "RandomUniform", "RandomUniformLike"},
             "it draws numbers by no generator that ONNX describes, and "
             "DirectML has Philox alone")
      .Cases({"AffineGrid", "CenterCropPad", "Det", "DeformConv", "DFT",
              "ImageDecoder", "MelWeightMatrix", "STFT", "TfIdfVectorizer"},
             "DirectML has no operator for it, and the importer builds it of "
             "none")
      .Cases({"MemcpyFromHost", "MemcpyToHost"},
             "ONNX Runtime puts it between providers, and no model has it")
      .Default("the importer does not know it");
}
