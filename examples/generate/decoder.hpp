//===- decoder.hpp - A decoder and its caches -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Runs the tokens of a text, whose keys and values stay in buffers of the
// device. README.md says which sizes the caches have, and why.
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_GENERATE_DECODER_HPP
#define EXAMPLES_GENERATE_DECODER_HPP

#include "config.hpp"

#include <dml/session.hpp>

#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

/// Calls a function of C with `args` and an error, and throws the error.
template <typename Fn, typename... Args> void call(Fn function, Args... args) {
  DmlError error = nullptr;
  DmlResult result = function(args..., &error);
  if (result == DML_SUCCESS)
    return;
  std::string message = dmlGetErrorMessage(error);
  dmlDestroyError(error);
  throw dml::Error(result, message);
}

/// A buffer of the device, which begins as zeros.
class Buffer {
public:
  Buffer(DmlDevice device, uint64_t size) {
    call(dmlCreateBuffer, device, std::max<uint64_t>((size + 15) / 16, 1) * 16,
         DML_MEMORY_DEVICE, &handle);
    DmlBufferInfo info{};
    dmlGetBufferInfo(handle, &info);
    range = {info.buffer, 0, info.size};
  }
  Buffer(Buffer &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), range(other.range) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(range, other.range);
    return *this;
  }
  ~Buffer() { dmlDestroyBuffer(handle); }

  DmlBuffer handle = nullptr;
  DmlBufferRange range{};
};

/// Which positions the caches have: those of the whole text, 128 and twice as
/// many whenever they are full, or those in use.
enum class CacheKind { Fixed, Growing, Exact };

struct DecoderOptions {
  /// The number of positions for which there is ever to be a place.
  int64_t capacity = 0;
  CacheKind kind = CacheKind::Fixed;
  /// Whether each run copies the caches to other buffers.
  bool copies = false;
  std::string device, programs;
};

class Decoder {
public:
  /// Fixed and growing caches have a multiple of this many positions, so that
  /// few sizes occur.
  static constexpr int64_t granule = 128;

  Decoder(const Config &config, const DecoderOptions &options)
      : config(config), options(options),
        session(config.model, makeOptions(options)) {
    checkInputs();
    checkOutputs();
    reset();
  }

  /// Begins a new text.
  void reset() {
    length = 0;
    capacity = fit(0);
    caches = makeCaches(capacity);
    others.clear();
  }

  /// Returns the logits of the token that follows those of the last run, which
  /// there must have been.
  std::vector<float> getLogits() const {
    std::vector<float> logits(static_cast<size_t>(config.vocabulary));
    if (logitType == DML_DATA_TYPE_FLOAT32)
      std::memcpy(logits.data(), bytesOfLogits.data(), bytesOfLogits.size());
    else
      for (size_t i = 0; i < logits.size(); ++i)
        logits[i] = widen(readLogit<uint16_t>(i));
    return logits;
  }

  /// Returns the first of the tokens with the greatest of these logits, or -1
  /// if a logit is no finite number.
  int64_t findBest() const {
    return logitType == DML_DATA_TYPE_FLOAT32 ? findBestOf<uint32_t>(0x7f800000)
                                              : findBestOf<uint16_t>(0x7c00);
  }

  /// Runs tokens behind those that were run before.
  void forward(const std::vector<int64_t> &tokens) {
    int64_t total = length + static_cast<int64_t>(tokens.size());
    if (total > options.capacity)
      throw Refused("there are " + std::to_string(total) +
                    " tokens, but the caches have place for " +
                    std::to_string(options.capacity));
    int64_t wanted = std::max(capacity, fit(total));
    std::vector<Buffer> made;
    std::vector<Buffer> &targets = chooseTargets(wanted, made);

    std::vector<DmlSessionTensor> inputs, outputs;
    std::vector<std::vector<char>> bytes;
    // The bytes keep their places.
    bytes.reserve(3);
    addInput(inputs, bytes, config.ids, tokens);
    if (!config.mask.empty()) {
      // Zeros behind the positions in use: the size stays, and so does the
      // program.
      std::vector<int64_t> mask(static_cast<size_t>(wanted));
      std::fill_n(mask.begin(), total, 1);
      addInput(inputs, bytes, config.mask, mask);
    }
    if (!config.positions.empty()) {
      std::vector<int64_t> positions;
      for (int64_t position = length; position < total; ++position)
        positions.push_back(position);
      addInput(inputs, bytes, config.positions, positions);
    }
    outputs.push_back(makeTensor(config.logits));
    for (size_t i = 0; i < config.pasts.size(); ++i) {
      DmlSessionTensor past = makeTensor(config.pasts[i]);
      past.dataType = types[config.pasts[i]];
      setSizes(past, {1, config.heads, capacity, config.headSize});
      past.buffer = caches[i].range;
      inputs.push_back(past);
      outputs.push_back(makeTensor(config.presents[i]));
      outputs.back().buffer = targets[i].range;
    }
    run(inputs, outputs, tokens.size());
    if (&targets != &caches)
      exchange(targets, wanted);
    length = total;
  }

  /// Whether runs write their positions into the caches that they read.
  bool staysInPlace() const {
    return !options.copies && options.kind != CacheKind::Exact;
  }

  const Config &config;
  const DecoderOptions options;
  const dml::Session session;
  int64_t capacity = 0;

private:
  static dml::SessionOptions makeOptions(const DecoderOptions &options) {
    dml::SessionOptions result;
    result.device = options.device;
    result.cacheDirectory = options.programs;
    result.dimensions["batch_size"] = 1;
    return result;
  }

  /// Checks that the inputs of the model are those of the folder's config.
  void checkInputs() {
    std::vector<std::string> asked = {config.ids};
    for (const std::string &name : {config.mask, config.positions})
      if (!name.empty())
        asked.push_back(name);
    asked.insert(asked.end(), config.pasts.begin(), config.pasts.end());
    for (const dml::TensorInfo &input : session.inputs())
      types[input.name] = input.dataType;
    for (const std::string &name : asked)
      checkName("input", name, types.count(name));
    for (const auto &[name, type] : types)
      if (std::find(asked.begin(), asked.end(), name) == asked.end())
        throw Refused("'" + config.model + "' has the input '" + name +
                      "', but '" + config.path + "' does not say what it is");
  }

  void checkOutputs() {
    std::map<std::string, dml::TensorInfo> outputs;
    for (dml::TensorInfo &output : session.outputs())
      outputs[output.name] = output;
    checkName("output", config.logits, outputs.count(config.logits));
    for (const std::string &name : config.presents)
      checkName("output", name, outputs.count(name));
    const dml::TensorInfo &logits = outputs[config.logits];
    logitType = logits.dataType;
    if (logitType != DML_DATA_TYPE_FLOAT16 &&
        logitType != DML_DATA_TYPE_FLOAT32)
      throw Refused("the output '" + config.logits + "' has elements of " +
                    dmlGetDataTypeName(logitType) +
                    ", but wanted are FLOAT16 or FLOAT32");
    // A size of -1 is open.
    int64_t width = logits.sizes.empty() ? -1 : logits.sizes.back();
    if (width >= 0 && width != config.vocabulary)
      throw Refused("'" + config.path + "': 'model.vocab_size' is " +
                    std::to_string(config.vocabulary) +
                    ", but wanted are the " + std::to_string(width) +
                    " logits of '" + config.logits + "'");
  }

  void checkName(const char *kind, const std::string &name, size_t isKnown) {
    if (!isKnown)
      throw Refused("'" + config.path + "' names the " + kind + " '" + name +
                    "', but '" + config.model + "' has no such " + kind);
  }

  /// The positions of a cache of which `count` are in use: 128, 256, 512 of a
  /// growing one.
  int64_t fit(int64_t count) const {
    if (options.kind != CacheKind::Growing)
      return options.kind == CacheKind::Fixed ? options.capacity : count;
    int64_t positions = granule;
    while (positions < count)
      positions *= 2;
    return std::min(positions, options.capacity);
  }

  std::vector<Buffer> makeCaches(int64_t positions) {
    std::vector<Buffer> made;
    for (const std::string &name : config.pasts)
      made.emplace_back(session.info().device,
                        getSize(types[name]) *
                            static_cast<uint64_t>(config.heads * positions *
                                                  config.headSize));
    return made;
  }

  /// Returns the buffers for the caches behind the run: those before it, if
  /// they may stay.
  std::vector<Buffer> &chooseTargets(int64_t wanted,
                                     std::vector<Buffer> &made) {
    if (wanted == capacity && staysInPlace())
      return caches;
    if (wanted == capacity && !others.empty())
      return others;
    made = makeCaches(wanted);
    return made;
  }

  /// Takes the buffers that a run has written.
  void exchange(std::vector<Buffer> &targets, int64_t wanted) {
    std::vector<Buffer> old = std::move(caches);
    caches = std::move(targets);
    if (wanted == capacity)
      others = std::move(old);
    else
      others.clear();
    capacity = wanted;
  }

  static uint64_t getSize(DmlDataType type) {
    switch (type) {
    case DML_DATA_TYPE_FLOAT16:
      return 2;
    case DML_DATA_TYPE_INT64:
      return 8;
    default:
      return 4;
    }
  }

  static DmlSessionTensor makeTensor(const std::string &name) {
    DmlSessionTensor tensor{};
    tensor.name = name.c_str();
    return tensor;
  }
  static void setSizes(DmlSessionTensor &tensor,
                       const std::vector<int64_t> &sizes) {
    tensor.rank = static_cast<uint32_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), tensor.sizes);
  }

  /// Adds an input of one row of numbers, of INT64 or INT32.
  void addInput(std::vector<DmlSessionTensor> &inputs,
                std::vector<std::vector<char>> &bytes, const std::string &name,
                const std::vector<int64_t> &numbers) {
    DmlSessionTensor tensor = makeTensor(name);
    tensor.dataType = types[name];
    setSizes(tensor, {1, static_cast<int64_t>(numbers.size())});
    std::vector<char> &stored = bytes.emplace_back();
    if (tensor.dataType == DML_DATA_TYPE_INT32) {
      std::vector<int32_t> narrow(numbers.begin(), numbers.end());
      stored.resize(4 * numbers.size());
      std::memcpy(stored.data(), narrow.data(), stored.size());
    } else {
      stored.resize(8 * numbers.size());
      std::memcpy(stored.data(), numbers.data(), stored.size());
    }
    tensor.data = stored.data();
    tensor.byteSize = stored.size();
    inputs.push_back(tensor);
  }

  /// Runs the model, and reads the last row of logits alone: a prompt of 512
  /// tokens has 131 MB of them where the vocabulary has 128,256.
  void run(std::vector<DmlSessionTensor> &inputs,
           std::vector<DmlSessionTensor> &outputs, size_t rows) {
    size_t row = static_cast<size_t>(config.vocabulary) * getSize(logitType);
    bytesOfLogits.resize(row);
    if (rows == 1) {
      outputs[0].data = bytesOfLogits.data();
      outputs[0].byteSize = row;
    } else {
      if (promptRows < rows)
        promptLogits =
            std::make_unique<Buffer>(session.info().device, rows * row);
      promptRows = std::max(promptRows, rows);
      outputs[0].buffer = promptLogits->range;
    }
    call(dmlRunSession, session.get(),
         static_cast<const DmlSessionTensor *>(inputs.data()),
         static_cast<uint32_t>(inputs.size()), outputs.data(),
         static_cast<uint32_t>(outputs.size()));
    if (rows > 1)
      call(dmlReadBuffer, promptLogits->handle, (rows - 1) * row,
           static_cast<void *>(bytesOfLogits.data()), row);
  }

  template <typename Bits> Bits readLogit(size_t token) const {
    Bits bits;
    std::memcpy(&bits, bytesOfLogits.data() + token * sizeof(Bits),
                sizeof(Bits));
    return bits;
  }

  /// Finds the best token by the bits of the logits. Compilers compare integers
  /// eight at a time, and floats one after the other: with 128,256 logits, the
  /// search takes 0.01 ms instead of 0.2. A whole step takes 3 ms on a fast
  /// GPU.
  ///
  /// Floats have the order of the integers that their bits are, if all bits of
  /// negative floats but the sign are flipped. The bits of -2 and -1 in f16,
  /// 0xc000 and 0xbc00, become 0xbfff and 0xc3ff, of which the first is the
  /// lesser integer. Without its sign, an infinity or a NaN has the bits
  /// `infinity` or more.
  template <typename Bits> int64_t findBestOf(Bits infinity) const {
    using Key = std::make_signed_t<Bits>;
    constexpr Key magnitude = std::numeric_limits<Key>::max();
    auto getKey = [&](size_t token) {
      auto bits = static_cast<Key>(readLogit<Bits>(token));
      return static_cast<Key>(bits < 0 ? bits ^ magnitude : bits);
    };
    auto count = static_cast<size_t>(config.vocabulary);
    Key best = getKey(0), largest = 0;
    for (size_t token = 0; token < count; ++token) {
      best = std::max(best, getKey(token));
      largest = std::max(largest,
                         static_cast<Key>(readLogit<Bits>(token) & magnitude));
    }
    if (largest >= static_cast<Key>(infinity))
      return -1;
    // The zeros are equal, but the key of -0 is -1.
    Key least = best == 0 ? Key(-1) : best;
    size_t token = 0;
    while (getKey(token) < least)
      ++token;
    return static_cast<int64_t>(token);
  }

  /// Returns the f32 of the f16 with the bits `half`. No operand is a subnormal
  /// f32, because some processors take a hundred times as long to compute with
  /// subnormal numbers.
  static float widen(uint16_t half) {
    uint32_t exponent = half & 0x7c00, mantissa = half & 0x3ff;
    // The exponent of f16 has the bias 15, and that of f32 127. Infinities and
    // NaNs have the largest exponent, 31 in f16 and 255 in f32.
    uint32_t bits = (exponent | mantissa) << 13;
    bits += (exponent == 0x7c00 ? 255u - 31 : 127u - 15) << 23;
    float number = 0;
    std::memcpy(&number, &bits, 4);
    if (exponent == 0)
      number = static_cast<float>(mantissa) * 0x1p-24f;
    return half & 0x8000 ? -number : number;
  }

  std::map<std::string, DmlDataType> types;
  DmlDataType logitType = DML_DATA_TYPE_UNKNOWN;
  /// The logits of the last run. Their memory is kept from run to run.
  std::vector<char> bytesOfLogits;
  /// The positions in use.
  int64_t length = 0;
  /// The caches, and the buffers that take their place where runs copy them.
  std::vector<Buffer> caches, others;
  std::unique_ptr<Buffer> promptLogits;
  size_t promptRows = 0;
};

#endif // EXAMPLES_GENERATE_DECODER_HPP
