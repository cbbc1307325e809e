//===- RecurrentOps.cpp - Recurrent networks ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RecurrentOps.h"
#include "Arithmetic/Sums.h"
#include "Operators/ElementWiseRows.h"

using namespace mlir;

namespace dml::reference {

namespace {
using Vector = std::vector<Interval>;

/// One direction of a network, and the batch for which it is computed.
struct Direction {
  /// The number of the direction, and whether it runs from the last step to the
  /// first.
  int64_t number;
  bool isBackward;
  int64_t batch;
};

/// The tensors of an operator. Absent tensors are null.
class Network {
public:
  template <typename OpTy>
  Network(OpTy op, ArrayRef<Estimate> operands, int64_t gates)
      : activations(op.getActivationDescs()), gates(gates) {
    NamedOperands in(op, operands);
    input = in.getInput();
    weight = in.getWeight();
    recurrence = in.getRecurrence();
    bias = in.getBias();
    ArrayRef<int64_t> inputShape = input->value.getShape();
    steps = inputShape[1];
    batches = inputShape[2];
    inputSize = inputShape[3];
    hidden = recurrence->value.getShape()[3];
    directions = weight->value.getShape()[1];
    isReversed = op.getDirection() == RecurrentNetworkDirection::backward;
  }

  /// Adds the products of the input at time `t` with row `row` of the weights.
  void addInput(Sum &sum, const Direction &d, int64_t t, int64_t row) const {
    for (int64_t i = 0; i < inputSize; ++i)
      sum.add(Interval::load(*input, (t * batches + d.batch) * inputSize + i) *
              Interval::load(
                  *weight, (d.number * gates * hidden + row) * inputSize + i));
  }
  /// Adds the products of `state` with row `row` of the recurrent weights.
  void addRecurrence(Sum &sum, const Direction &d, const Vector &state,
                     int64_t row) const {
    for (int64_t k = 0; k < hidden; ++k)
      sum.add(state[k] *
              Interval::load(*recurrence,
                             (d.number * gates * hidden + row) * hidden + k));
  }
  void addInputBias(Sum &sum, const Direction &d, int64_t row) const {
    if (bias)
      sum.add(Interval::load(*bias, d.number * 2 * gates * hidden + row));
  }
  void addRecurrenceBias(Sum &sum, const Direction &d, int64_t row) const {
    if (bias)
      sum.add(Interval::load(*bias, (d.number * 2 + 1) * gates * hidden + row));
  }
  /// Returns the sum of all products and biases for gate `gate` of unit `unit`.
  Sum getSum(const Direction &d, int64_t t, const Vector &state, int64_t gate,
             int64_t unit) const {
    Sum sum;
    int64_t row = gate * hidden + unit;
    addInput(sum, d, t, row);
    addRecurrence(sum, d, state, row);
    addInputBias(sum, d, row);
    addRecurrenceBias(sum, d, row);
    return sum;
  }

  Interval activate(Interval x, const Direction &d, int64_t index) const {
    auto count = static_cast<int64_t>(activations.size()) / directions;
    return applyActivation(
        x, cast<ActivationAttr>(activations[d.number * count + index]));
  }

  /// Returns the state before the first step.
  Vector getInitial(const Estimate *tensor, const Direction &d) const {
    Vector state(hidden, Interval(0));
    if (tensor)
      for (int64_t unit = 0; unit < hidden; ++unit)
        state[unit] = Interval::load(*tensor, getPlace(d, unit));
    return state;
  }
  /// Returns the position of a unit in a tensor with one state for each
  /// direction.
  int64_t getPlace(const Direction &d, int64_t unit) const {
    return (d.number * batches + d.batch) * hidden + unit;
  }

  ArrayAttr activations;
  int64_t gates, steps, batches, inputSize, hidden, directions;
  bool isReversed;

private:
  const Estimate *input, *weight, *recurrence, *bias;
};
} // namespace

/// For each direction and batch, runs `step` for each time `t`. `step` updates
/// the states. `inits` are the tensors with the initial states, and `finals`
/// the results for the final states. The first state is the hidden state.
template <typename OpTy>
static LogicalResult
run(OpTy op, const Network &network, const Estimate *lengths,
    ArrayRef<const Estimate *> inits, ArrayRef<Value> finals,
    Evaluators::Estimates &outputs,
    llvm::function_ref<void(const Direction &d, int64_t t,
                            MutableArrayRef<Vector> states)>
        step) {
  if (lengths && !lengths->isExact())
    return op.emitOpError(
        "has sequence_lengths that are known within bounds only");
  auto create = [&](Value result) -> FailureOr<std::optional<Estimate>> {
    if (!result)
      return std::optional<Estimate>();
    FailureOr<Estimate> estimate = createBounds(op, result.getType());
    if (failed(estimate))
      return failure();
    return std::optional(*estimate);
  };
  FailureOr<std::optional<Estimate>> sequence = create(op.getOutputSequence());
  if (failed(sequence))
    return failure();
  std::vector<std::optional<Estimate>> ends;
  for (Value result : finals) {
    FailureOr<std::optional<Estimate>> end = create(result);
    if (failed(end))
      return failure();
    ends.push_back(*end);
  }

  for (int64_t number = 0; number < network.directions; ++number)
    for (int64_t batch = 0; batch < network.batches; ++batch) {
      Direction d{number, network.isReversed || number == 1, batch};
      std::vector<Vector> states;
      for (const Estimate *init : inits)
        states.push_back(network.getInitial(init, d));
      int64_t length = network.steps;
      if (lengths)
        length = static_cast<int64_t>(
            std::min<__int128>(lengths->value.getInteger(batch), length));
      for (int64_t i = 0; i < length; ++i) {
        int64_t t = d.isBackward ? length - 1 - i : i;
        step(d, t, states);
        for (int64_t unit = 0; *sequence && unit < network.hidden; ++unit)
          states.front()[unit].store(**sequence, t * network.directions *
                                                         network.batches *
                                                         network.hidden +
                                                     network.getPlace(d, unit));
      }
      for (auto [state, end] : llvm::zip_equal(states, ends))
        for (int64_t unit = 0; end && unit < network.hidden; ++unit)
          state[unit].store(*end, network.getPlace(d, unit));
    }
  if (*sequence)
    outputs.push_back(std::move(**sequence));
  for (std::optional<Estimate> &end : ends)
    if (end)
      outputs.push_back(std::move(*end));
  return success();
}

static LogicalResult evaluate(RNNOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  Network network(op, operands, /*gates=*/1);
  NamedOperands in(op, operands);
  return run(
      op, network, in.getSequenceLengths(), in.getHiddenInit(),
      op.getOutputSingle(), outputs,
      [&](const Direction &d, int64_t t, MutableArrayRef<Vector> states) {
        Vector before = states[0];
        for (int64_t unit = 0; unit < network.hidden; ++unit)
          states[0][unit] = network.activate(
              network.getSum(d, t, before, 0, unit).get(), d, 0);
      });
}

static LogicalResult evaluate(GRUOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  Network network(op, operands, /*gates=*/3);
  int64_t hidden = network.hidden;
  NamedOperands in(op, operands);
  return run(
      op, network, in.getSequenceLengths(), in.getHiddenInit(),
      op.getOutputSingle(), outputs,
      [&](const Direction &d, int64_t t, MutableArrayRef<Vector> states) {
        Vector before = states[0], z(hidden, Interval(0)), r = z, reset = z;
        for (int64_t unit = 0; unit < hidden; ++unit) {
          z[unit] = network.activate(
              network.getSum(d, t, before, 0, unit).get(), d, 0);
          r[unit] = network.activate(
              network.getSum(d, t, before, 1, unit).get(), d, 0);
          reset[unit] = r[unit] * before[unit];
        }
        for (int64_t unit = 0; unit < hidden; ++unit) {
          Interval x(0);
          if (op.getLinearBeforeReset()) {
            int64_t row = 2 * hidden + unit;
            Sum ofInput, ofState;
            network.addInput(ofInput, d, t, row);
            network.addInputBias(ofInput, d, row);
            network.addRecurrence(ofState, d, before, row);
            network.addRecurrenceBias(ofState, d, row);
            x = ofInput.get() + r[unit] * ofState.get();
          } else {
            x = network.getSum(d, t, reset, 2, unit).get();
          }
          Interval n = network.activate(x, d, 1);
          states[0][unit] =
              (Interval(1) - z[unit]) * n + z[unit] * before[unit];
        }
      });
}

static LogicalResult evaluate(LSTMOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  Network network(op, operands, /*gates=*/4);
  int64_t hidden = network.hidden;
  NamedOperands in(op, operands);
  const Estimate *peephole = in.getPeephole();
  double threshold = op.getClipThreshold().convertToDouble();
  auto clip = [&](Interval x) {
    return op.getUseClipThreshold()
               ? min(max(x, Interval(-threshold)), Interval(threshold))
               : x;
  };
  return run(
      op, network, in.getSequenceLengths(),
      {in.getHiddenInit(), in.getCellMemInit()},
      {op.getOutputSingle(), op.getOutputCellSingle()}, outputs,
      [&](const Direction &d, int64_t t, MutableArrayRef<Vector> states) {
        Vector before = states[0];
        // Returns the sum of a gate, including the product of its peephole
        // weight and `cell`.
        auto getSum = [&](int64_t gate, int64_t unit, Interval cell) {
          Sum sum = network.getSum(d, t, before, gate, unit);
          if (peephole)
            sum.add(Interval::load(*peephole,
                                   (d.number * 3 + gate) * hidden + unit) *
                    cell);
          return clip(sum.get());
        };
        for (int64_t unit = 0; unit < hidden; ++unit) {
          Interval &cell = states[1][unit];
          Interval i = network.activate(getSum(0, unit, cell), d, 0);
          Interval f = op.getCoupleInputForget()
                           ? Interval(1) - i
                           : network.activate(getSum(2, unit, cell), d, 0);
          Interval c = network.activate(
              clip(network.getSum(d, t, before, 3, unit).get()), d, 1);
          cell = f * cell + i * c;
          Interval o = network.activate(getSum(1, unit, cell), d, 0);
          states[0][unit] = o * network.activate(cell, d, 2);
        }
      });
}

void addRecurrentEvaluators(Evaluators &evaluators) {
  evaluators.add<GRUOp>(evaluate);
  evaluators.add<LSTMOp>(evaluate);
  evaluators.add<RNNOp>(evaluate);
}

} // namespace dml::reference
