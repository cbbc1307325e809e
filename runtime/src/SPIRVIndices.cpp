//===- SPIRVIndices.cpp - Indices that stay within their arrays -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRVIndices.h"

#include "SPIRVReader.h"

using namespace dml::runtime;
using namespace dml::runtime::spirv;

/// Inserts a minimum in front of each instruction with an index that is not
/// proven to be valid. Equal limits share a constant.
static std::vector<uint32_t> writeMinima(const std::vector<uint32_t> &words,
                                         const UnprovenIndices &unproven) {
  std::vector<uint32_t> import, constants;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> lasts;
  uint32_t next = words[3], glslSet = unproven.glslSet;
  if (glslSet == 0) {
    glslSet = next++;
    // "GLSL.std.450" and its end.
    import = {6u << 16 | OpExtInstImport,
              glslSet,
              0x4c534c47,
              0x6474732e,
              0x3035342e,
              0};
  }
  for (const UnprovenIndices::Index &index : unproven.indices) {
    if (!lasts.try_emplace({index.type, index.last}, next).second)
      continue;
    bool isLong = index.width > 32;
    constants.insert(constants.end(),
                     {(isLong ? 5u : 4u) << 16 | OpConstant, index.type, next++,
                      static_cast<uint32_t>(index.last)});
    if (isLong)
      constants.push_back(static_cast<uint32_t>(index.last >> 32));
  }
  std::vector<uint32_t> result;
  result.reserve(words.size() + import.size() + constants.size() +
                 7 * unproven.indices.size());
  uint32_t done = 0;
  auto copyTo = [&](size_t end) {
    result.insert(result.end(), words.begin() + done, words.begin() + end);
    done = static_cast<uint32_t>(end);
  };
  copyTo(unproven.importsEnd);
  result.insert(result.end(), import.begin(), import.end());
  copyTo(unproven.globalsEnd);
  result.insert(result.end(), constants.begin(), constants.end());
  // The indices of one instruction follow each other, and all their minima are
  // inserted in front of the instruction.
  for (size_t i = 0; i < unproven.indices.size();) {
    uint32_t at = unproven.indices[i].at;
    copyTo(at);
    std::vector<uint32_t> inst(words.begin() + at,
                               words.begin() + at + (words[at] >> 16));
    for (; i < unproven.indices.size() && unproven.indices[i].at == at; ++i) {
      const UnprovenIndices::Index &index = unproven.indices[i];
      uint32_t &operand = inst[index.operand];
      result.insert(result.end(),
                    {7u << 16 | OpExtInst, index.type, next, glslSet, GlslUMin,
                     operand, lasts.at({index.type, index.last})});
      operand = next++;
    }
    result.insert(result.end(), inst.begin(), inst.end());
    done = at + static_cast<uint32_t>(inst.size());
  }
  copyTo(words.size());
  result[3] = next;
  return result;
}

Expected<uint32_t>
dml::runtime::limitSPIRVIndices(std::vector<uint32_t> &words) {
  // The reader writes zeros into what it reads.
  std::vector<uint32_t> read = words;
  UnprovenIndices unproven;
  if (Expected<SPIRVModule> module = Reader(read, &unproven).read(); !module)
    return module.status();
  if (unproven.indices.empty())
    return 0u;
  std::vector<uint32_t> limited = writeMinima(words, unproven);
  read = limited;
  if (Expected<SPIRVModule> module = readSPIRVModule(read); !module)
    return module.status();
  words = std::move(limited);
  return static_cast<uint32_t>(unproven.indices.size());
}
