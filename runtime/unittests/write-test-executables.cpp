//===- write-test-executables.cpp - Files for the tests of dml-run --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestExecutables.h"

#include <cstdio>
#include <fstream>

using namespace dml::test;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write-test-executables FOLDER\n");
    return 1;
  }
  auto save = [&](const std::string &name, const std::vector<uint8_t> &bytes) {
    std::ofstream file(std::string(argv[1]) + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    return !file.fail();
  };
  std::vector<uint8_t> arithmetic = write(*makeArithmetic());
  auto greedy = makeTwice();
  greedy->requirements->max_compute_shared_memory_size = 1u << 31;
  // OpTypeVoid with another id than before, in front of the first function.
  auto doubled = makeArithmetic();
  std::vector<uint32_t> &code = doubled->shader_modules[0]->code;
  size_t at = 5;
  while ((code[at] & 0xffff) != 54)
    at += code[at] >> 16;
  code.insert(code.begin() + static_cast<ptrdiff_t>(at),
              {2 << 16 | 19, code[3]++});
  // A device lacks more for its own steps than for the variant.
  auto demanding = makeVariants();
  demanding->requirements->max_compute_shared_memory_size = 1u << 31;
  demanding->requirements->max_storage_buffer_range = UINT64_MAX;
  demanding->requirements->max_compute_workgroup_invocations = UINT32_MAX;
  demanding->functions[0]
      ->variants[0]
      ->requirements->max_compute_shared_memory_size = 1u << 30;
  bool ok = save("arithmetic.dmlx", arithmetic) &&
            save("doubled-type.dmlx", write(*doubled)) &&
            save("copies.dmlx", write(*makeCopies())) &&
            save("twice.dmlx", write(*makeTwice())) &&
            save("variants.dmlx", write(*makeVariants())) &&
            save("weights.dmlx", write(*makeWeights())) &&
            save("demanding.dmlx", write(*demanding)) &&
            save("greedy.dmlx", write(*greedy)) &&
            save("chain.dmlx", write(*makeChain(200))) &&
            save("loop.dmlx", write(*makeLoop(5)));
  arithmetic.resize(arithmetic.size() / 2);
  return ok && save("truncated.dmlx", arithmetic) ? 0 : 1;
}
