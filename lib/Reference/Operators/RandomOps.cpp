//===- RandomOps.cpp - DirectML's random numbers --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RandomOps.h"
#include "Operators/Evaluators.h"
#include <array>

using namespace mlir;

namespace dml::reference {

namespace {
/// The 128-bit counter and the key of a generator, as in the words of a state.
struct Philox {
  unsigned __int128 counter = 0;
  uint32_t key0 = 0, key1 = 0;

  explicit Philox(const Tensor &state)
      : key0(static_cast<uint32_t>(state.getInteger(4))),
        key1(static_cast<uint32_t>(state.getInteger(5))) {
    for (int word = 3; word >= 0; --word)
      counter = counter << 32 | static_cast<uint32_t>(state.getInteger(word));
  }

  uint32_t getWord(int word) const {
    return static_cast<uint32_t>(counter >> 32 * word);
  }

  /// Returns the random block for the counter.
  std::array<uint32_t, 4> getBlock() const {
    uint32_t k0 = key0, k1 = key1;
    std::array<uint32_t, 4> c = {getWord(0), getWord(1), getWord(2),
                                 getWord(3)};
    for (int round = 0; round < 10; ++round) {
      uint64_t p = uint64_t(0xD2511F53) * c[0], q = uint64_t(0xCD9E8D57) * c[2];
      c = {static_cast<uint32_t>(q >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(q),
           static_cast<uint32_t>(p >> 32) ^ c[3] ^ k1,
           static_cast<uint32_t>(p)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return c;
  }
};
} // namespace

static LogicalResult evaluate(RandomGeneratorOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  if (!operands[0].isExact())
    return op.emitOpError("makes random bits of a state that is known within "
                          "bounds only");
  FailureOr<Tensor> output = createTensor(op, op.getOutput().getType());
  if (failed(output))
    return failure();
  Philox philox(operands[0].value);
  for (int64_t i = 0, e = output->getNumElements(); i < e; i += 4) {
    std::array<uint32_t, 4> block = philox.getBlock();
    for (int64_t word = 0; word < 4 && i + word < e; ++word)
      output->setInteger(i + word, block[word]);
    ++philox.counter;
  }
  outputs.push_back(Estimate(std::move(*output)));
  if (Value next = op.getOutputState()) {
    FailureOr<Tensor> state = createTensor(op, next.getType());
    if (failed(state))
      return failure();
    for (int word = 0; word < 4; ++word)
      state->setInteger(word, philox.getWord(word));
    state->setInteger(4, philox.key0);
    state->setInteger(5, philox.key1);
    outputs.push_back(Estimate(std::move(*state)));
  }
  return success();
}

void addRandomEvaluators(Evaluators &evaluators) {
  evaluators.add<RandomGeneratorOp>(evaluate);
}

} // namespace dml::reference
