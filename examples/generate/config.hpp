//===- config.hpp - What a decoder's folder says --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The genai_config.json of a folder that onnxruntime-genai's model builder has
// written: the names of the decoder's inputs and outputs, the sizes of its
// caches, and how tokens are chosen.
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_GENERATE_CONFIG_HPP
#define EXAMPLES_GENERATE_CONFIG_HPP

#include "json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>

/// What is wrong with a folder or with an argument.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How the next token is chosen.
struct Search {
  bool isGreedy = true;
  double temperature = 1, topP = 1, penalty = 1;
  /// 0: all tokens.
  int64_t topK = 50;
  int64_t minLength = 0;
};

class Config {
public:
  explicit Config(const std::string &folder)
      : path(folder + "/genai_config.json") {
    std::ifstream file(path);
    if (!file)
      throw Refused("'" + path + "' cannot be read");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    try {
      root = JsonReader::read(text);
    } catch (const std::runtime_error &error) {
      throw Refused("'" + path + "' is no JSON: " + error.what());
    }
    readDecoder(folder);
    readSearch();
  }

  std::string path, model;
  /// Inputs and outputs. `mask` and `positions` may be "". The caches have an
  /// input and an output each for the keys and for the values of each layer.
  std::string ids, mask, positions, logits;
  std::vector<std::string> pasts, presents;
  int64_t layers = 0, heads = 0, headSize = 0, context = 0, vocabulary = 0;
  /// The tokens that end a text.
  std::vector<int64_t> ends;
  bool sharesBuffer = false;
  /// The longest text, and the number of tokens of a prompt that are run at
  /// once.
  int64_t maxLength = 0, chunk = 0;
  Search search;

private:
  /// Returns the member that a name such as "model.decoder.filename" tells, or
  /// null.
  const Json *find(const std::string &name) const {
    const Json *value = &root;
    for (size_t start = 0; start <= name.size();) {
      size_t end = std::min(name.find('.', start), name.size());
      auto member = value->members.find(name.substr(start, end - start));
      if (member == value->members.end())
        return nullptr;
      value = &member->second;
      start = end + 1;
    }
    return value->kind == Json::Null ? nullptr : value;
  }

  static std::string describe(const Json &value) {
    char number[32];
    std::snprintf(number, sizeof number, "%.10g", value.number);
    switch (value.kind) {
    case Json::Null:
      return "null";
    case Json::Bool:
      return value.truth ? "true" : "false";
    case Json::Number:
      return number;
    case Json::Text:
      return "\"" + value.text + "\"";
    case Json::Array:
      return "an array";
    case Json::Object:
      break;
    }
    return "an object";
  }

  [[noreturn]] void refuse(const std::string &name,
                           const std::string &wanted) const {
    const Json *value = find(name);
    throw Refused("'" + path + "': '" + name + "' is " +
                  (value ? describe(*value) : "not there") +
                  ", but wanted is " + wanted);
  }

  std::string getText(const std::string &name,
                      const char *otherwise = nullptr) const {
    const Json *value = find(name);
    if (!value && otherwise)
      return otherwise;
    if (!value || value->kind != Json::Text)
      refuse(name, "a text");
    return value->text;
  }

  bool getFlag(const std::string &name, bool otherwise) const {
    const Json *value = find(name);
    if (value && value->kind != Json::Bool)
      refuse(name, "true or false");
    return value ? value->truth : otherwise;
  }

  /// Returns a number from `least` to `most`. A default of -1 is none.
  double getFloat(const std::string &name, double otherwise, double least = 0,
                  double most = INT32_MAX) const {
    const Json *value = find(name);
    if (!value && otherwise >= 0)
      return otherwise;
    if (!value || value->kind != Json::Number ||
        !(value->number >= least && value->number <= most))
      refuse(name, "a number from " +
                       std::to_string(static_cast<int64_t>(least)) + " to " +
                       std::to_string(static_cast<int64_t>(most)));
    return value->number;
  }
  int64_t getNumber(const std::string &name, double otherwise, double least,
                    double most = INT32_MAX) const {
    double value = getFloat(name, otherwise, least, most);
    if (value != std::floor(value))
      refuse(name, "a whole number");
    return static_cast<int64_t>(value);
  }

  std::string getPattern(const std::string &name, int64_t layer) const {
    std::string value = getText(name);
    size_t place = value.find("%d");
    if (place == std::string::npos ||
        value.find("%d", place + 1) != std::string::npos)
      refuse(name, "a name with one %d for the layer");
    return value.replace(place, 2, std::to_string(layer));
  }

  void readDecoder(const std::string &folder) {
    const std::string decoder = "model.decoder.";
    model = folder + "/" + getText(decoder + "filename");
    layers = getNumber(decoder + "num_hidden_layers", -1, 1, 10000);
    heads = getNumber(decoder + "num_key_value_heads", -1, 1, 4096);
    headSize = getNumber(decoder + "head_size", -1, 1, 65536);
    context = getNumber("model.context_length", -1, 1);
    vocabulary = getNumber("model.vocab_size", -1, 1);
    ids = getText(decoder + "inputs.input_ids");
    mask = getText(decoder + "inputs.attention_mask", "");
    positions = getText(decoder + "inputs.position_ids", "");
    logits = getText(decoder + "outputs.logits");
    for (int64_t layer = 0; layer < layers; ++layer)
      for (const char *part : {"key_names", "value_names"}) {
        pasts.push_back(getPattern(decoder + "inputs.past_" + part, layer));
        presents.push_back(
            getPattern(decoder + "outputs.present_" + part, layer));
      }
    const std::string end = "model.eos_token_id";
    if (const Json *value = find(end)) {
      bool isArray = value->kind == Json::Array;
      for (const Json &each : isArray ? value->elements : std::vector{*value}) {
        if (each.kind != Json::Number || !(std::fabs(each.number) <= INT32_MAX))
          refuse(end, "a token or a list of tokens");
        ends.push_back(static_cast<int64_t>(each.number));
      }
    }
  }

  void readSearch() {
    const std::string name = "search.";
    sharesBuffer = getFlag(name + "past_present_share_buffer", false);
    maxLength = std::min(
        getNumber(name + "max_length", static_cast<double>(context), 1),
        context);
    chunk = getNumber(name + "chunk_size", 512, 1);
    search.isGreedy = !getFlag(name + "do_sample", false);
    search.temperature = getFloat(name + "temperature", 1);
    search.topP = getFloat(name + "top_p", 1);
    search.topK = getNumber(name + "top_k", 50, 0);
    search.penalty = getFloat(name + "repetition_penalty", 1);
    search.minLength = getNumber(name + "min_length", 0, 0);
    for (const char *each : {"num_beams", "num_return_sequences"})
      if (getNumber(name + each, 1, 1) != 1)
        refuse(name + each, "1: one text is made");
    if (getNumber(name + "no_repeat_ngram_size", 0, 0))
      refuse(name + "no_repeat_ngram_size", "0: no words are forbidden");
  }

  Json root;
};

#endif // EXAMPLES_GENERATE_CONFIG_HPP
