//===- Context.cpp - Partitions that are compiled ahead -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include <climits>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace dml;
using namespace dml::provider;

static constexpr char contextType[] = "EPContext";
static constexpr char contextDomain[] = "com.microsoft";
/// The attribute that has a letter for each output, which is `scalarNote` or
/// `tensorNote`.
static constexpr char notesName[] = "notes";
static constexpr char scalarNote = 's', tensorNote = 't';

static const NodeAttribute *findAttribute(const Node &node, const char *name) {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

bool provider::isContext(const Node &node) {
  const NodeAttribute *source = findAttribute(node, "source");
  return node.type == contextType && node.domain == contextDomain && source &&
         source->text == providerName;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::string readExecutable(const Graph &graph, const Node &node) {
  const NodeAttribute *mode = findAttribute(node, "embed_mode");
  const NodeAttribute *content = findAttribute(node, "ep_cache_context");
  auto fail = [&](const std::string &message) {
    return Failure("node '" + node.name + "' (EPContext) " + message,
                   ORT_INVALID_GRAPH);
  };
  if (!content)
    throw fail("has no attribute 'ep_cache_context'");
  // The attribute is 1 where it is missing.
  if (!mode || mode->integer == 1)
    return content->text;
  const std::string &name = content->text;
  if (name.empty() || name.find('/') != std::string::npos ||
      name.find('\\') != std::string::npos)
    throw fail("names the file '" + name +
               "', but wanted is the name of a file in the model's folder");
  std::ifstream file(graph.folder + name, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file)
    throw fail("names the file '" + graph.folder + name +
               "', which cannot be read");
  return bytes;
}

Compiled provider::readContext(const Graph &graph, const Node &node) {
  Compiled compiled{readExecutable(graph, node), {}};
  const NodeAttribute *notes = findAttribute(node, notesName);
  for (size_t i = 0; i < node.outputs.size(); ++i)
    compiled.isScalar.push_back(notes && i < notes->text.size() &&
                                notes->text[i] == scalarNote);
  return compiled;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of a node that is made.
class Attributes {
public:
  ~Attributes() {
    for (OrtOpAttr *attribute : all)
      ort().ReleaseOpAttr(attribute);
  }
  void add(const char *name, const std::string &text) {
    if (text.size() > INT_MAX)
      throw Failure("the executable of a partition has " +
                    std::to_string(text.size()) +
                    " bytes, but wanted are at "
                    "most 2^31 - 1 within a model; with "
                    "'ep.context_embed_mode' 0 it is a file of its own");
    all.push_back(get<OrtOpAttr *>(
        ort().CreateOpAttr, name, static_cast<const void *>(text.data()),
        static_cast<int>(text.size()), ORT_OP_ATTR_STRING));
  }
  void add(const char *name, int64_t number) {
    all.push_back(get<OrtOpAttr *>(ort().CreateOpAttr, name,
                                   static_cast<const void *>(&number), 1,
                                   ORT_OP_ATTR_INT));
  }
  std::vector<OrtOpAttr *> all;
};
} // namespace

/// Writes the executable beside the model that is going to be written, and
/// returns its name. The file appears whole or not at all.
static std::string writeFile(const std::string &name,
                             const std::string &executable,
                             const Options &options,
                             const std::string &folder) {
  const std::string &model = options.contextPath;
  size_t slash = model.rfind('/') + 1;
  std::string file =
      (model.empty() ? "" : model.substr(slash) + ".") + name + ".dmlx";
  std::string path = (model.empty() ? folder : model.substr(0, slash)) + file;
  std::string incomplete = path + ".incomplete";
  std::ofstream stream(incomplete, std::ios::binary);
  stream.write(executable.data(),
               static_cast<std::streamsize>(executable.size()));
  stream.close();
  if (!stream || std::rename(incomplete.c_str(), path.c_str()) != 0) {
    std::remove(incomplete.c_str());
    throw Failure("the file '" + path + "' cannot be written");
  }
  return file;
}

static std::vector<const char *>
getNames(const std::vector<const OrtValueInfo *> &values) {
  std::vector<const char *> names;
  for (const OrtValueInfo *value : values)
    names.push_back(get<const char *>(ort().GetValueInfoName, value));
  return names;
}

OrtNode *provider::makeContext(const OrtNode *fused, const Compiled &compiled,
                               const Options &options,
                               const std::string &folder) {
  std::string name = get<const char *>(ort().Node_GetName, fused);
  Attributes attributes;
  attributes.add("embed_mode", options.embedsContext ? 1 : 0);
  attributes.add("main_context", 1);
  attributes.add("source", providerName);
  attributes.add("partition_name", name);
  attributes.add("ep_sdk_version", dmlGetVersion());
  std::string notes;
  for (bool isScalar : compiled.isScalar)
    notes += isScalar ? scalarNote : tensorNote;
  attributes.add(notesName, notes);
  attributes.add("ep_cache_context",
                 options.embedsContext
                     ? compiled.executable
                     : writeFile(name, compiled.executable, options, folder));
  std::vector<const char *> inputs = getNames(getAll<const OrtValueInfo *>(
      ort().Node_GetNumInputs, ort().Node_GetInputs, fused));
  std::vector<const char *> outputs = getNames(getAll<const OrtValueInfo *>(
      ort().Node_GetNumOutputs, ort().Node_GetOutputs, fused));
  OrtNode *node = nullptr;
  OrtStatus *status = ort().GetModelEditorApi()->CreateNode(
      contextType, contextDomain, name.c_str(), inputs.data(), inputs.size(),
      outputs.data(), outputs.size(), attributes.all.data(),
      attributes.all.size(), &node);
  check(status);
  // The node owns its attributes now.
  attributes.all.clear();
  return node;
}
