//===- decoder.cpp - Generate tokens with a cache in place ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Runs a decoder that make_decoder.py has written, token after token. The keys
// and values of earlier tokens stay in buffers of the device, which are inputs
// and outputs of each run, so that a run writes the position of its token and
// nothing else of them.
//
//   dml-decoder MODEL TOKEN COUNT [--copies]
//
// prints COUNT tokens that follow TOKEN. COUNT is at most the capacity of the
// caches, which have a position for each token. With --copies, a run reads the
// state from one buffer and writes all of it to another, as without state in
// place.
//
//===----------------------------------------------------------------------===//

#include <dml/session.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// The number of tokens of a model of make_decoder.py. A larger one would be a
/// row behind the end of the embedding.
constexpr int64_t numTokens = 96;

/// A buffer of the device, which begins as zeros.
class Buffer {
public:
  Buffer(DmlDevice device, size_t size) {
    DmlError error = nullptr;
    std::vector<char> zeros(size);
    if (dmlCreateBuffer(device, size, DML_MEMORY_DEVICE, &handle, &error) ||
        dmlWriteBuffer(handle, 0, zeros.data(), size, &error)) {
      std::string message = dmlGetErrorMessage(error);
      dmlDestroyError(error);
      dmlDestroyBuffer(handle);
      throw dml::Error(DML_ERROR_OUT_OF_MEMORY, message);
    }
  }
  ~Buffer() { dmlDestroyBuffer(handle); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  DmlBufferRange range() const {
    DmlBufferInfo info{};
    dmlGetBufferInfo(handle, &info);
    return {info.buffer, 0, info.size};
  }

private:
  DmlBuffer handle = nullptr;
};

/// The cache of a layer: an input "past...." and an output "present....".
struct State {
  dml::TensorInfo past;
  std::string present;
  /// The second one is for copies alone.
  std::unique_ptr<Buffer> buffers[2];
};

std::vector<State> makeStates(const dml::Session &session, bool copies) {
  std::vector<State> states;
  for (dml::TensorInfo &input : session.inputs()) {
    if (input.name.rfind("past.", 0) != 0)
      continue;
    size_t bytes = sizeof(float);
    for (int64_t size : input.sizes)
      bytes *= static_cast<size_t>(size);
    State state;
    state.present = "present." + input.name.substr(std::strlen("past."));
    state.past = std::move(input);
    for (int i = 0; i < (copies ? 2 : 1); ++i)
      state.buffers[i] = std::make_unique<Buffer>(session.info().device, bytes);
    states.push_back(std::move(state));
  }
  return states;
}

/// Reads a number from `least` to `most` of the command line. The program says
/// which number it is with `name`.
int64_t readNumber(const std::string &name, const char *text, int64_t least,
                   int64_t most) {
  char *end = nullptr;
  errno = 0;
  int64_t number = std::strtoll(text, &end, 10);
  if (end == text || *end || errno || number < least || number > most)
    throw std::invalid_argument(name + " is '" + text + "', but wanted is " +
                                std::to_string(least) + " to " +
                                std::to_string(most));
  return number;
}

void generate(const dml::Session &session, int64_t token, const char *countText,
              bool copies) {
  std::vector<State> states = makeStates(session, copies);
  if (states.empty() || states.front().past.sizes.size() != 4)
    throw std::invalid_argument("the model has no caches of 4 dimensions; "
                                "wanted is a model of make_decoder.py");
  int64_t capacity = states.front().past.sizes[2];
  int64_t count = readNumber("COUNT", countText, 1, capacity);
  for (int64_t position = 0; position < count; ++position) {
    std::vector<int64_t> tokens = {token}, positions = {position};
    std::vector<dml::Input> inputs = {{"token", {1}, tokens},
                                      {"position", {1}, positions}};
    std::vector<dml::BufferOutput> outputs;
    int from = copies ? static_cast<int>(position % 2) : 0;
    int to = copies ? 1 - from : 0;
    for (const State &state : states) {
      inputs.emplace_back(state.past.name, state.past.dataType,
                          state.past.sizes, state.buffers[from]->range());
      outputs.push_back({state.present, state.buffers[to]->range()});
    }
    // The first output is the next token.
    token = session.run(inputs, outputs)[0].copy<int64_t>()[0];
    std::printf("%lld%c", static_cast<long long>(token),
                position + 1 == count ? '\n' : ' ');
  }
}

} // namespace

int main(int argc, char **argv) {
  bool copies = argc == 5 && std::strcmp(argv[4], "--copies") == 0;
  if (argc != 4 && !copies) {
    std::fprintf(stderr, "usage: dml-decoder MODEL TOKEN COUNT [--copies]\n");
    return 2;
  }
  try {
    dml::Session session(argv[1]);
    generate(session, readNumber("TOKEN", argv[2], 0, numTokens - 1), argv[3],
             copies);
  } catch (const std::invalid_argument &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  } catch (const dml::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
