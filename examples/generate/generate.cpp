//===- generate.cpp - Generate tokens with a decoder's folder -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Generates tokens with a decoder in a folder as onnxruntime-genai's model
// builder writes it. README.md says what is done, and generate.py is the same
// in Python.
//
//   dml-generate FOLDER TOKEN... [--max=32] [--sample --seed=1]
//
// prints the tokens that follow, and on standard error how many there are in a
// second.
//
//===----------------------------------------------------------------------===//

#include "decoder.hpp"

#include <chrono>
#include <cstdio>
#include <numeric>
#include <sstream>

namespace {

const char usage[] =
    "usage: dml-generate FOLDER TOKEN... [OPTION...]\n"
    "  --prompt=FILE      a file with tokens, behind these\n"
    "  --max=N            how many tokens follow at most (128)\n"
    "  --greedy           take the best token always\n"
    "  --sample           draw tokens by their weights\n"
    "  --seed=N           tells one draw from another (0)\n"
    "  --temperature=X --top-k=N --top-p=X\n"
    "                     instead of those of genai_config.json\n"
    "  --cache=fixed|growing|exact\n"
    "                     instead of what past_present_share_buffer says\n"
    "  --capacity=N       positions of the caches\n"
    "  --copies           copy the caches in each run\n"
    "  --chunk=N          run the prompt in pieces of so many tokens\n"
    "  --device=NAME      number, UUID or part of the name of a device\n"
    "  --programs=FOLDER  keeps compiled programs there\n"
    "  --warm-up          run prompt and step once before, so that times are\n"
    "                     without compiling\n";

/// The names of CacheKind.
const std::string cacheNames[] = {"fixed", "growing", "exact"};

/// The words of the command line: options by their names, and the others.
struct Arguments {
  std::map<std::string, std::string> options;
  std::vector<std::string> words;

  bool has(const std::string &name) const { return options.count(name) != 0; }
  std::string get(const std::string &name) const {
    auto found = options.find(name);
    return found == options.end() ? "" : found->second;
  }
  double getNumber(const std::string &name, double otherwise) const {
    if (!has(name))
      return otherwise;
    const std::string &text = options.at(name);
    char *end = nullptr;
    double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || !(number >= 0) || number > INT32_MAX)
      throw Refused("'" + name + "' is '" + text +
                    "', but wanted is a number from 0 on");
    return number;
  }
  int64_t getInteger(const std::string &name, int64_t otherwise) const {
    return static_cast<int64_t>(
        getNumber(name, static_cast<double>(otherwise)));
  }
};

Arguments readArguments(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      arguments.words.push_back(word);
      continue;
    }
    std::string name = word.substr(0, word.find('='));
    bool hasValue = name.size() < word.size();
    // The usage has "--max=N" for an option with a value.
    if (!std::strstr(usage, (name + (hasValue ? "=" : " ")).c_str()))
      throw Refused("'" + word + "' is no option with" +
                    (hasValue ? "" : "out") + " a value\n" + usage);
    arguments.options[name] = hasValue ? word.substr(name.size() + 1) : "";
  }
  if (arguments.words.empty())
    throw Refused(std::string("there is no folder\n") + usage);
  return arguments;
}

std::vector<int64_t> readPrompt(const Arguments &arguments,
                                const Config &config) {
  std::vector<std::string> words(arguments.words.begin() + 1,
                                 arguments.words.end());
  if (arguments.has("--prompt")) {
    std::ifstream file(arguments.get("--prompt"));
    if (!file)
      throw Refused("the prompt '" + arguments.get("--prompt") +
                    "' cannot be read");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream stream(text);
    for (std::string word; stream >> word;)
      words.push_back(word);
  }
  std::vector<int64_t> tokens;
  for (const std::string &word : words) {
    bool isNumber = word.size() < 10 &&
                    word.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber || std::stoll(word) >= config.vocabulary)
      throw Refused("a token is '" + word +
                    "', but wanted is a number from 0 to " +
                    std::to_string(config.vocabulary - 1));
    tokens.push_back(std::stoll(word));
  }
  if (tokens.empty())
    throw Refused("there are no tokens, but wanted is at least one");
  if (static_cast<int64_t>(tokens.size()) >= config.maxLength)
    throw Refused("the prompt has " + std::to_string(tokens.size()) +
                  " tokens, but the longest text of this decoder has " +
                  std::to_string(config.maxLength) + ", and one is to follow");
  return tokens;
}

/// Chooses tokens from their logits.
class Sampler {
public:
  Sampler(const Config &config, const Search &search, uint64_t seed)
      : config(config), search(search), state(seed) {}

  /// Returns the token that follows `tokens`, which `decoder` has run.
  int64_t choose(const Decoder &decoder, const std::vector<int64_t> &tokens) {
    bool isGreedy =
        search.isGreedy || search.temperature == 0 || search.topK == 1;
    if (isGreedy && !isPenalized() && !isTooShort(tokens)) {
      int64_t best = decoder.findBest();
      if (best < 0)
        refuseLogits(tokens);
      return best;
    }
    std::vector<float> logits = decoder.getLogits();
    if (!std::all_of(logits.begin(), logits.end(),
                     [](float logit) { return std::isfinite(logit); }))
      refuseLogits(tokens);
    std::vector<double> scores(logits.begin(), logits.end());
    adjust(scores, tokens);
    if (isGreedy)
      return std::max_element(scores.begin(), scores.end()) - scores.begin();
    return drawOne(scores);
  }

private:
  [[noreturn]] static void refuseLogits(const std::vector<int64_t> &tokens) {
    throw Refused("a logit behind " + std::to_string(tokens.size()) +
                  " tokens is no finite number");
  }

  bool isPenalized() const {
    return search.penalty != 0 && search.penalty != 1;
  }
  bool isTooShort(const std::vector<int64_t> &tokens) const {
    return static_cast<int64_t>(tokens.size()) < search.minLength;
  }

  /// Penalizes tokens that stand in the text, and excludes ends of the text
  /// while it is too short.
  void adjust(std::vector<double> &scores,
              const std::vector<int64_t> &tokens) const {
    if (isPenalized()) {
      std::vector<int64_t> seen = tokens;
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      for (int64_t token : seen) {
        double &score = scores[static_cast<size_t>(token)];
        score = score < 0 ? score * search.penalty : score / search.penalty;
      }
    }
    if (isTooShort(tokens))
      for (int64_t end : config.ends)
        if (end >= 0 && end < config.vocabulary)
          scores[static_cast<size_t>(end)] = -INFINITY;
  }

  int64_t drawOne(const std::vector<double> &scores) {
    std::vector<int64_t> best(scores.size());
    std::iota(best.begin(), best.end(), 0);
    size_t count = best.size();
    if (search.topK)
      count = std::min(count, static_cast<size_t>(search.topK));
    auto score = [&](int64_t token) {
      return scores[static_cast<size_t>(token)];
    };
    // Of equal scores the lower token is the better one.
    std::partial_sort(
        best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count),
        best.end(), [&](int64_t a, int64_t b) {
          return score(a) != score(b) ? score(a) > score(b) : a < b;
        });
    best.resize(count);
    std::vector<double> sums;
    double sum = 0;
    for (int64_t token : best)
      sums.push_back(sum += std::exp((score(token) - score(best[0])) /
                                     search.temperature));
    if (search.topP > 0 && search.topP < 1)
      sums.erase(std::lower_bound(sums.begin(), sums.end(), search.topP * sum) +
                     1,
                 sums.end());
    auto place =
        std::upper_bound(sums.begin(), sums.end(), draw() * sums.back());
    return best[std::min(static_cast<size_t>(place - sums.begin()),
                         sums.size() - 1)];
  }

  /// Returns a number from 0 to 1 by the generator splitmix64, as in
  /// generate.py.
  double draw() {
    state += 0x9e3779b97f4a7c15;
    uint64_t word = state;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((word ^ word >> 31) >> 11) * 0x1p-53;
  }

  const Config &config;
  const Search search;
  uint64_t state;
};

Search readSearch(const Arguments &arguments, Search search) {
  search.temperature = arguments.getNumber("--temperature", search.temperature);
  search.topK = arguments.getInteger("--top-k", search.topK);
  search.topP = arguments.getNumber("--top-p", search.topP);
  if (arguments.has("--sample") || arguments.has("--greedy"))
    search.isGreedy = arguments.has("--greedy");
  return search;
}

DecoderOptions readOptions(const Arguments &arguments, const Config &config,
                           int64_t length) {
  DecoderOptions options;
  options.kind = config.sharesBuffer ? CacheKind::Fixed : CacheKind::Growing;
  if (arguments.has("--cache")) {
    auto name = std::find(std::begin(cacheNames), std::end(cacheNames),
                          arguments.get("--cache"));
    if (name == std::end(cacheNames))
      throw Refused("'--cache' is '" + arguments.get("--cache") +
                    "', but wanted is 'fixed', 'growing' or 'exact'");
    options.kind = static_cast<CacheKind>(name - cacheNames);
  }
  options.copies = arguments.has("--copies");
  options.device = arguments.get("--device");
  options.programs = arguments.get("--programs");
  int64_t granule = Decoder::granule;
  options.capacity =
      std::min((length + granule - 1) / granule * granule, config.context);
  options.capacity = arguments.getInteger("--capacity", options.capacity);
  if (options.capacity < length || options.capacity > config.context)
    throw Refused("the capacity is " + std::to_string(options.capacity) +
                  ", but wanted are " + std::to_string(length) +
                  " positions for this text, to " +
                  std::to_string(config.context));
  return options;
}

/// Runs a prompt, `chunk` tokens at a time.
void runPrompt(Decoder &decoder, const std::vector<int64_t> &prompt,
               size_t chunk) {
  for (size_t start = 0; start < prompt.size(); start += chunk) {
    size_t count = std::min(chunk, prompt.size() - start);
    auto begin = prompt.begin() + static_cast<std::ptrdiff_t>(start);
    decoder.forward({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }
}

void report(const char *name, size_t count, double seconds) {
  std::fprintf(stderr, "%s: %zu tokens in %.3f s", name, count, seconds);
  if (seconds > 0)
    std::fprintf(stderr, ", %.1f a second",
                 static_cast<double>(count) / seconds);
  std::fprintf(stderr, "\n");
}

/// Prints tokens that follow the prompt, until one of them ends the text or
/// there are `most`.
void generate(Decoder &decoder, Sampler &sampler,
              const std::vector<int64_t> &prompt, int64_t most, size_t chunk) {
  using Clock = std::chrono::steady_clock;
  auto getSeconds = [start = Clock::now()] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const std::vector<int64_t> &ends = decoder.config.ends;
  std::vector<int64_t> tokens = prompt;
  runPrompt(decoder, prompt, chunk);
  double promptSeconds = 0, seconds = 0;
  for (int64_t count = 1;; ++count) {
    tokens.push_back(sampler.choose(decoder, tokens));
    seconds = getSeconds();
    if (count == 1)
      promptSeconds = seconds;
    std::printf("%lld ", static_cast<long long>(tokens.back()));
    std::fflush(stdout);
    if (count == most ||
        std::find(ends.begin(), ends.end(), tokens.back()) != ends.end())
      break;
    decoder.forward({tokens.back()});
  }
  std::printf("\n");
  report("prompt", prompt.size(), promptSeconds);
  report("generation", tokens.size() - prompt.size() - 1,
         seconds - promptSeconds);
}

void run(const Arguments &arguments) {
  Config config(arguments.words[0]);
  std::vector<int64_t> prompt = readPrompt(arguments, config);
  int64_t length = static_cast<int64_t>(prompt.size());
  int64_t most =
      std::min(arguments.getInteger("--max", 128), config.maxLength - length);
  if (most < 1)
    throw Refused("'--max' is 0, but wanted is 1 token at least");
  // No place is wanted for the last token, which is not run.
  Decoder decoder(config, readOptions(arguments, config, length + most - 1));
  Sampler sampler(config, readSearch(arguments, config.search),
                  static_cast<uint64_t>(arguments.getInteger("--seed", 0)));
  int64_t chunk = arguments.getInteger("--chunk", config.chunk);
  if (chunk < 1)
    throw Refused("'--chunk' is 0, but wanted is 1 token at least");
  if (arguments.has("--warm-up")) {
    runPrompt(decoder, prompt, static_cast<size_t>(chunk));
    if (most > 1)
      decoder.forward({prompt.back()});
    decoder.reset();
  }
  generate(decoder, sampler, prompt, most, static_cast<size_t>(chunk));
  DmlSessionInfo info = decoder.session.info();
  std::fprintf(stderr,
               "programs: %llu compiled, %llu read; caches: %lld positions, "
               "%s, %s\n",
               static_cast<unsigned long long>(info.compiledCount),
               static_cast<unsigned long long>(info.cachedCount),
               static_cast<long long>(decoder.capacity),
               cacheNames[static_cast<int>(decoder.options.kind)].c_str(),
               decoder.staysInPlace() ? "in place" : "copied");
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    run(readArguments(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
