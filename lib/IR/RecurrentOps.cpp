//===- RecurrentOps.cpp - DirectML's recurrent networks -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RecurrentOps.h"
#include "OpUtils.h"
#include <array>

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/RecurrentOps.cpp.inc"

void DMLDialect::registerRecurrentOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/RecurrentOps.cpp.inc"
      >();
}

namespace {
/// The required sizes of a tensor, and their names in the operator's
/// description.
struct WantedShape {
  StringRef tensor;
  std::array<int64_t, 4> sizes;
  std::string text;
};
} // namespace

/// Checks the constraints that the three operators have in common. `gates` is
/// the number of matrices in `weight`, and `count` the number of activations
/// for each direction.
template <typename OpTy>
static LogicalResult verifyRecurrent(OpTy op, int64_t gates, int64_t count) {
  auto getShape = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> input = getShape(op.getInput()),
                    recurrence = getShape(op.getRecurrence());
  int64_t steps = input[1], batch = input[2], inputSize = input[3],
          hidden = recurrence[3];
  int64_t directions =
      op.getDirection() == RecurrentNetworkDirection::bidirectional ? 2 : 1;
  auto times = [](int64_t factor) {
    return factor == 1 ? std::string("H") : std::to_string(factor) + " * H";
  };
  const WantedShape shapes[] = {
      {"input", {1, steps, batch, inputSize}, "{1, T, B, I}"},
      {"weight",
       {1, directions, gates * hidden, inputSize},
       "{1, D, " + times(gates) + ", I}"},
      {"recurrence",
       {1, directions, gates * hidden, hidden},
       "{1, D, " + times(gates) + ", H}"},
      {"bias",
       {1, 1, directions, 2 * gates * hidden},
       "{1, 1, D, " + times(2 * gates) + "}"},
      {"hidden_init", {1, directions, batch, hidden}, "{1, D, B, H}"},
      {"cell_mem_init", {1, directions, batch, hidden}, "{1, D, B, H}"},
      {"sequence_lengths", {1, 1, 1, batch}, "{1, 1, 1, B}"},
      {"peephole", {1, 1, directions, 3 * hidden}, "{1, 1, D, 3 * H}"},
      {"output_sequence", {steps, directions, batch, hidden}, "{T, D, B, H}"},
      {"output_single", {1, directions, batch, hidden}, "{1, D, B, H}"},
      {"output_cell_single", {1, directions, batch, hidden}, "{1, D, B, H}"},
  };
  auto interface = cast<FeatureLevelOpInterface>(op.getOperation());
  for (const WantedShape &wanted : shapes) {
    auto tensor = interface.getTensor(wanted.tensor);
    if (!tensor)
      continue;
    ArrayRef<int64_t> found = cast<RankedTensorType>(tensor->type).getShape();
    if (found != ArrayRef(wanted.sizes))
      return op.emitOpError()
             << wanted.tensor << " has the sizes " << describeSizes(found)
             << ", but wants " << describeSizes(wanted.sizes) << ", which is "
             << wanted.text;
  }
  if (op->getNumResults() == 0)
    return op.emitOpError("has no result, but wants one at least");

  ArrayAttr activations = op.getActivationDescs();
  auto wantedCount = static_cast<size_t>(count * directions);
  if (activations.size() != wantedCount)
    return op.emitOpError()
           << "activation_descs has " << activations.size()
           << (activations.size() == 1 ? " activation" : " activations")
           << ", but wants " << wantedCount << ": " << count
           << " for each direction";
  for (auto [index, activation] :
       llvm::enumerate(activations.getAsRange<ActivationAttr>()))
    if (failed(dml::detail::verifyFusedActivation(op, activation,
                                                  "activation_descs", index)))
      return failure();
  return success();
}

LogicalResult RNNOp::verify() { return verifyRecurrent(*this, 1, 1); }
LogicalResult GRUOp::verify() { return verifyRecurrent(*this, 3, 2); }

LogicalResult LSTMOp::verify() {
  if (failed(verifyRecurrent(*this, 4, 3)))
    return failure();
  double threshold = getClipThreshold().convertToDouble();
  if (getUseClipThreshold() && !(threshold >= 0))
    return emitOpError() << "clip_threshold is " << threshold
                         << ", but wants a number of 0 or more";
  return success();
}
