//===- RecurrentOps.cpp - Recurrent networks to linalg --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The products of the input with the weights are one contraction for all time
// steps. The further computation of a step is the body of a loop over the
// steps, which carries the states. The number of steps is static. Lengths of
// sequences are data, which select between the new and the old state at each
// step.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RecurrentOps.h"
#include "ElementWiseRows.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dml;

/// The largest number of steps that are written out. A loop gives its states
/// their initial values and copies the sequence out at the end, which takes a
/// few kernels more.
static constexpr int64_t maxStepsWrittenOut = 4;

namespace {
/// Loads the element of a state, in one direction, for a batch and a unit.
using StateFn =
    std::function<Number(ElementBuilder &b, Value batch, Value unit)>;

/// The converted operands of an operator. Absent operands are null.
struct Operands {
  Value input, weight, recurrence, bias, hiddenInit, cellInit, lengths,
      peephole;
};

/// The common part of the lowerings of the three operators.
class RecurrentBuilder {
public:
  /// `gates` is the number of gates, each of which has one matrix.
  RecurrentBuilder(OpBuilder &builder, Operation *op, const Operands &operands,
                   ArrayAttr activations, RecurrentNetworkDirection direction,
                   int64_t gates)
      : builder(builder), op(op), operands(operands), activations(activations),
        direction(direction), gates(gates) {
    ArrayRef<int64_t> input = getShape(operands.input);
    steps = input[1];
    batch = input[2];
    inputSize = input[3];
    directions = getShape(operands.weight)[1];
    hidden = getShape(operands.recurrence)[3];
  }

  /// The tensors of the states after one step, with the shape {1, 1, B, H}, in
  /// f32.
  using States = SmallVector<Value>;

  /// What a step reads besides weights and states.
  struct StepInputs {
    /// The input's contribution to the gates, with the shape {T, D, B,
    /// gates * H}, and the row of the step: in a loop, row 0 of a slice with
    /// one row.
    Value projection;
    int64_t row;
    /// In a loop over sequences with lengths, a tensor with the shape {1, B}
    /// that tells whether the step belongs to the sequence of each batch.
    Value inside;
  };
  /// Computes the states after a step from the preceding ones. The first state
  /// is the hidden state.
  using StepFn = llvm::function_ref<States(int64_t d, const StepInputs &inputs,
                                           ArrayRef<StateFn> states)>;

  /// Builds the steps along the sequences.
  void run(StepFn step) {
    finalStates.resize(operandStates().size());
    // An executable has no loops within loops.
    if (steps > maxStepsWrittenOut && !op->getParentOfType<scf::ForOp>())
      return buildLoop(step);
    for (int64_t d = 0; d < directions; ++d)
      for (auto [all, value] :
           llvm::zip_equal(finalStates, writeStepsOut(d, step)))
        all.push_back(value);
  }

  /// Returns the results: the sequence, and then the final states of `run`.
  /// `types` contains null for results that the operator does not have.
  SmallVector<Value> buildResults(ArrayRef<RankedTensorType> types) {
    SmallVector<Value> results;
    if (RankedTensorType type = types.front()) {
      Value joined = buildJoin(builder, op, sequences, /*axis=*/1);
      results.push_back(
          operands.lengths || type != joined.getType()
              ? buildTensor(
                    builder, op, type,
                    [&](ElementBuilder &b, ValueRange indices) -> Value {
                      Number x{&b,
                               tensor::ExtractOp::create(b, joined, indices)};
                      if (operands.lengths) {
                        Value t = b.createOrFold<arith::IndexCastUIOp>(
                            b.getI32Type(), indices[0]);
                        x = select(isInside(b, t, indices[2]), x, x(0));
                      }
                      return fromF32(b, x.value, type.getElementType());
                    })
              : joined);
    }
    for (auto [type, states] :
         llvm::zip_equal(types.drop_front(), finalStates)) {
      if (!type)
        continue;
      Value joined = buildJoin(builder, op, states, /*axis=*/1);
      results.push_back(
          type == joined.getType()
              ? joined
              : buildTensor(
                    builder, op, type,
                    [&, type = type](ElementBuilder &b, ValueRange indices) {
                      return fromF32(
                          b, tensor::ExtractOp::create(b, joined, indices),
                          type.getElementType());
                    }));
    }
    return results;
  }

  /// Builds the contribution of the input to each gate, for all steps, with the
  /// shape {T, D, B, gates * H}: the product with the weights, plus the biases.
  /// The recurrent biases are included only if `withRecurrence` is set.
  void buildProjection(bool withRecurrence) {
    auto type = RankedTensorType::get(
        {steps, directions, batch, gates * hidden}, builder.getF32Type());
    projection = buildSums(
        builder, op, type, inputSize, builder.getF32Type(),
        [&](ElementBuilder &, ValueRange indices) -> TermFn {
          return [&, at = SmallVector<Value>(indices)](ElementBuilder &b,
                                                       ValueRange i) -> Value {
            Value zero = b.index(0);
            return (load(b, operands.input, {zero, at[0], at[2], i[0]}) *
                    load(b, operands.weight, {zero, at[1], at[3], i[0]}))
                .value;
          };
        },
        [&](ElementBuilder &b, ValueRange indices, Value sum) {
          Number result{&b, sum};
          if (operands.bias) {
            result = result + getBias(b, indices[1], indices[3], false);
            if (withRecurrence)
              result = result + getBias(b, indices[1], indices[3], true);
          }
          return result.value;
        },
        sharersOfSum);
  }

  /// Builds a tensor with the shape {1, 1, B, count * H} for `count` gates from
  /// `first` on. `finish` computes each element from the product of `state`
  /// with a row of the gates' matrices, and receives the batch and the row.
  Value buildProducts(int64_t d, int64_t first, int64_t count,
                      const StateFn &state,
                      llvm::function_ref<Number(ElementBuilder &b, Value batch,
                                                Value row, Number sum)>
                          finish) {
    auto getRow = [&](ElementBuilder &b, Value index) {
      return b.add(index, first * hidden);
    };
    return buildSums(
        builder, op, getType(count), hidden, builder.getF32Type(),
        [&](ElementBuilder &b, ValueRange indices) -> TermFn {
          Value row = getRow(b, indices[3]);
          return [&, row, batch = indices[2]](ElementBuilder &b,
                                              ValueRange k) -> Value {
            return (state(b, batch, k[0]) *
                    load(b, operands.recurrence,
                         {b.index(0), b.index(d), row, k[0]}))
                .value;
          };
        },
        [&](ElementBuilder &b, ValueRange indices, Value sum) {
          return finish(b, indices[2], getRow(b, indices[3]), Number{&b, sum})
              .value;
        },
        sharersOfSum);
  }

  /// Builds a state with the shape {1, 1, B, H}.
  Value buildState(
      llvm::function_ref<Number(ElementBuilder &b, Value batch, Value unit)>
          element) {
    return buildTensor(builder, op, getType(1),
                       [&](ElementBuilder &b, ValueRange indices) {
                         return element(b, indices[2], indices[3]).value;
                       });
  }

  /// Loads the contribution of the input to `row` of the gates.
  Number getProjection(ElementBuilder &b, int64_t d, const StepInputs &inputs,
                       Value batch, Value row) {
    return load(b, inputs.projection,
                {b.index(inputs.row), b.index(d), batch, row});
  }
  /// Loads the element of gate `gate`, counted from the first gate in `tensor`,
  /// which buildProducts() has built.
  Number getGate(ElementBuilder &b, Value tensor, int64_t gate, Value batch,
                 Value unit) {
    return load(b, tensor,
                {b.index(0), b.index(0), batch, b.add(unit, gate * hidden)});
  }
  /// Loads a bias of the input's products or of the recurrent products.
  Number getBias(ElementBuilder &b, Value d, Value row, bool ofRecurrence) {
    return load(b, operands.bias,
                {b.index(0), b.index(0), d,
                 ofRecurrence ? b.add(row, gates * hidden) : row});
  }
  Number getBias(ElementBuilder &b, int64_t d, Value row, bool ofRecurrence) {
    return getBias(b, b.index(d), row, ofRecurrence);
  }
  /// Computes `x` plus the product of a peephole weight and the cell state
  /// `cell`.
  Number addPeephole(Number x, int64_t d, int64_t gate, Value unit,
                     Number cell) {
    if (!operands.peephole)
      return x;
    ElementBuilder &b = *x.b;
    return x + load(b, operands.peephole,
                    {b.index(0), b.index(0), b.index(d),
                     b.add(unit, gate * hidden)}) *
                   cell;
  }

  /// Applies activation `index` of the direction to `x`.
  Number activate(Number x, int64_t d, int64_t index) {
    auto count = static_cast<int64_t>(activations.size()) / directions;
    return applyActivation(
        x, cast<ActivationAttr>(activations[d * count + index]));
  }

  /// Selects the new state, or the old state behind the end of a batch's
  /// sequence.
  Number keepOutside(Number next, Number before, const StepInputs &inputs,
                     Value batch) {
    if (!operands.lengths)
      return next;
    ElementBuilder &b = *next.b;
    if (!inputs.inside) {
      Value time = arith::ConstantOp::create(
          b, b.getIntegerAttr(b.getI32Type(), inputs.row));
      return select(isInside(b, time, batch), next, before);
    }
    Value flag = tensor::ExtractOp::create(b, inputs.inside,
                                           ValueRange{b.index(0), batch});
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(b.getI32Type()));
    return select(Condition{&b, b.cmpi(arith::CmpIPredicate::ne, flag, none)},
                  next, before);
  }

  static StateFn getState(Value tensor) {
    return [=](ElementBuilder &b, Value batch, Value unit) {
      return load(b, tensor, {b.index(0), b.index(0), batch, unit});
    };
  }

  int64_t getHidden() const { return hidden; }

private:
  static ArrayRef<int64_t> getShape(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  }
  static Number load(ElementBuilder &b, Value tensor,
                     std::array<Value, 4> indices) {
    return {&b, toF32(b, tensor::ExtractOp::create(b, tensor, indices))};
  }
  RankedTensorType getType(int64_t count) {
    return RankedTensorType::get({1, 1, batch, count * hidden},
                                 builder.getF32Type());
  }
  bool isBackward(int64_t d) const {
    return d == 1 || direction == RecurrentNetworkDirection::backward;
  }
  bool needsSequence() const {
    return cast<FeatureLevelOpInterface>(op)
        .getTensor("output_sequence")
        .has_value();
  }
  /// Returns the initial values of the states.
  SmallVector<Value> operandStates() const {
    SmallVector<Value> states = {operands.hiddenInit};
    if (isa<LSTMOp>(op))
      states.push_back(operands.cellInit);
    return states;
  }
  /// Returns an initial state, which is zero if there is no tensor.
  StateFn getInitial(Value tensor, int64_t d) {
    return [=](ElementBuilder &b, Value batch, Value unit) {
      if (!tensor)
        return Number{&b, arith::ConstantOp::create(b, b.getF32FloatAttr(0))};
      return load(b, tensor, {b.index(0), b.index(d), batch, unit});
    };
  }
  /// Whether the time `t`, an i32, lies within the batch's sequence.
  Condition isInside(ElementBuilder &b, Value t, Value batch) {
    Value zero = b.index(0);
    Value length = tensor::ExtractOp::create(
        b, operands.lengths, ValueRange{zero, zero, zero, batch});
    return {&b, b.cmpi(arith::CmpIPredicate::ult, t, length)};
  }

  /// Writes each step out, from the initial states to the final ones.
  States writeStepsOut(int64_t d, StepFn step) {
    SmallVector<StateFn> states;
    for (Value init : operandStates())
      states.push_back(getInitial(init, d));
    SmallVector<Value> sequence(steps);
    States last;
    for (int64_t i = 0; i < steps; ++i) {
      int64_t t = isBackward(d) ? steps - 1 - i : i;
      last = step(d, {projection, t, Value()}, states);
      sequence[t] = last.front();
      for (auto [state, value] : llvm::zip_equal(states, last))
        state = getState(value);
    }
    if (needsSequence())
      sequences.push_back(buildJoin(builder, op, sequence, /*axis=*/0));
    return last;
  }

  SmallVector<OpFoldResult> getAttrs(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  }
  Value reshape(Value tensor, ArrayRef<int64_t> shape,
                ArrayRef<ReassociationIndices> groups) {
    auto type = cast<RankedTensorType>(tensor.getType());
    auto reshaped = RankedTensorType::get(shape, type.getElementType());
    if (type.getRank() < static_cast<int64_t>(shape.size()))
      return tensor::ExpandShapeOp::create(builder, op->getLoc(), reshaped,
                                           tensor, groups);
    return tensor::CollapseShapeOp::create(builder, op->getLoc(), reshaped,
                                           tensor, groups);
  }

  /// Builds a table that tells for each step and each batch whether the step
  /// belongs to the sequence, with the shape {T, B}. The body of the loop then
  /// reads a row, and not the number of its step.
  Value buildInside() {
    auto type = RankedTensorType::get({steps, batch}, builder.getI32Type());
    return buildTensor(
        builder, op, type, [&](ElementBuilder &b, ValueRange indices) -> Value {
          Value t =
              b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), indices[0]);
          Value one =
              arith::ConstantOp::create(b, b.getIntegerAttr(b.getI32Type(), 1));
          Value none =
              arith::ConstantOp::create(b, b.getZeroAttr(b.getI32Type()));
          return b.select(isInside(b, t, indices[1]).value, one, none);
        });
  }

  /// Builds a loop over the steps of all directions. The loop carries the
  /// states of each direction, and behind these the hidden states of all steps
  /// where the sequence is wanted.
  void buildLoop(StepFn step) {
    Location loc = op->getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    int64_t rowSize = directions * batch * gates * hidden;
    Value rows = reshape(projection, {steps, rowSize}, {{0}, {1, 2, 3}});
    Value inside = operands.lengths ? buildInside() : Value();
    SmallVector<Value> inits;
    for (int64_t d = 0; d < directions; ++d)
      beginDirection(d, inits);
    Value last = constant(steps - 1);
    auto loop = scf::ForOp::create(builder, loc, constant(0), constant(steps),
                                   constant(1), inits);
    size_t count = inits.size() / directions;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> yielded;
      for (int64_t d = 0; d < directions; ++d) {
        Value t = loop.getInductionVar();
        if (isBackward(d))
          t = arith::SubIOp::create(builder, loc, last, t);
        StepInputs inputs{reshape(getRow(rows, t, rowSize),
                                  {1, directions, batch, gates * hidden},
                                  {{0}, {1, 2, 3}}),
                          0, inside ? getRow(inside, t, batch) : Value()};
        writeStep(d, step, inputs, t,
                  ValueRange(loop.getRegionIterArgs()).slice(d * count, count),
                  yielded);
      }
      scf::YieldOp::create(builder, loc, yielded);
    }
    for (int64_t d = 0; d < directions; ++d) {
      ValueRange results =
          ValueRange(loop.getResults()).slice(d * count, count);
      for (auto [all, value] : llvm::zip_first(finalStates, results))
        all.push_back(value);
      if (needsSequence())
        sequences.push_back(reshape(results.back(), {steps, 1, batch, hidden},
                                    {{0}, {1, 2, 3}}));
    }
  }

  /// Adds what a loop carries for a direction, before the first step.
  void beginDirection(int64_t d, SmallVectorImpl<Value> &inits) {
    for (Value init : operandStates())
      inits.push_back(
          buildState([&](ElementBuilder &b, Value batch, Value unit) {
            return getInitial(init, d)(b, batch, unit);
          }));
    if (needsSequence())
      inits.push_back(tensor::EmptyOp::create(
          builder, op->getLoc(), ArrayRef<int64_t>{steps, batch * hidden},
          builder.getF32Type()));
  }

  /// Builds the step at time `t`, and adds what it hands on to `yielded`.
  void writeStep(int64_t d, StepFn step, const StepInputs &inputs, Value t,
                 ValueRange carried, SmallVectorImpl<Value> &yielded) {
    ValueRange states = carried.take_front(finalStates.size());
    States after = step(d, inputs, llvm::map_to_vector(states, getState));
    llvm::append_range(yielded, after);
    if (!needsSequence())
      return;
    int64_t size = batch * hidden;
    Value row = reshape(after.front(), {1, size}, {{0}, {1, 2, 3}});
    yielded.push_back(tensor::InsertSliceOp::create(
        builder, op->getLoc(), row, carried.back(),
        ArrayRef<OpFoldResult>{t, builder.getIndexAttr(0)}, getAttrs({1, size}),
        getAttrs({1, 1})));
  }

  /// Returns row `t` of `rows`, which has rows of `size` elements.
  Value getRow(Value rows, Value t, int64_t size) {
    return tensor::ExtractSliceOp::create(
        builder, op->getLoc(), rows,
        ArrayRef<OpFoldResult>{t, builder.getIndexAttr(0)}, getAttrs({1, size}),
        getAttrs({1, 1}));
  }

  OpBuilder &builder;
  Operation *op;
  Operands operands;
  ArrayAttr activations;
  RecurrentNetworkDirection direction;
  int64_t gates, steps, batch, inputSize, directions, hidden;
  Value projection;
  /// The hidden states after all steps, with the shape {T, 1, B, H}, for each
  /// direction.
  SmallVector<Value> sequences;
  /// The states of the directions after their last steps, for each state.
  SmallVector<SmallVector<Value>> finalStates;
};
} // namespace

using StepInputs = RecurrentBuilder::StepInputs;

static SmallVector<Value> build(RNNOp op, RecurrentBuilder &network,
                                ArrayRef<RankedTensorType> types) {
  network.buildProjection(/*withRecurrence=*/true);
  network.run(
      [&](int64_t d, const StepInputs &inputs, ArrayRef<StateFn> states) {
        const StateFn &hidden = states[0];
        return RecurrentBuilder::States{network.buildProducts(
            d, 0, 1, hidden,
            [&](ElementBuilder &b, Value batch, Value unit, Number sum) {
              Number x = network.getProjection(b, d, inputs, batch, unit) + sum;
              return network.keepOutside(network.activate(x, d, 0),
                                         hidden(b, batch, unit), inputs, batch);
            })};
      });
  return network.buildResults(types);
}

static SmallVector<Value> build(GRUOp op, RecurrentBuilder &network,
                                ArrayRef<RankedTensorType> types) {
  // The gates are z, r and h.
  bool isLinear = op.getLinearBeforeReset(), hasBias = bool(op.getBias());
  network.buildProjection(/*withRecurrence=*/!isLinear);
  auto combine = [&](Number z, Number x, const StateFn &hidden, int64_t d,
                     const StepInputs &inputs, Value batch, Value unit) {
    Number before = hidden(*z.b, batch, unit);
    Number next = (z(1) - z) * network.activate(x, d, /*index=*/1) + z * before;
    return network.keepOutside(next, before, inputs, batch);
  };
  network.run([&](int64_t d, const StepInputs &inputs,
                  ArrayRef<StateFn> states) -> RecurrentBuilder::States {
    const StateFn &hidden = states[0];
    if (isLinear) {
      Value products = network.buildProducts(
          d, 0, 3, hidden,
          [&](ElementBuilder &b, Value, Value row, Number sum) {
            return hasBias ? sum + network.getBias(b, d, row,
                                                   /*ofRecurrence=*/true)
                           : sum;
          });
      return {network.buildState([&](ElementBuilder &b, Value batch,
                                     Value unit) {
        Number projected[3], multiplied[3];
        for (int64_t gate = 0; gate < 3; ++gate) {
          projected[gate] = network.getProjection(
              b, d, inputs, batch, b.add(unit, gate * network.getHidden()));
          multiplied[gate] = network.getGate(b, products, gate, batch, unit);
        }
        Number z = network.activate(projected[0] + multiplied[0], d, 0);
        Number r = network.activate(projected[1] + multiplied[1], d, 0);
        return combine(z, projected[2] + r * multiplied[2], hidden, d, inputs,
                       batch, unit);
      })};
    }
    Value gates = network.buildProducts(
        d, 0, 2, hidden,
        [&](ElementBuilder &b, Value batch, Value row, Number sum) {
          return network.activate(
              network.getProjection(b, d, inputs, batch, row) + sum, d, 0);
        });
    auto reset = [&](ElementBuilder &b, Value batch, Value unit) {
      return network.getGate(b, gates, /*gate=*/1, batch, unit) *
             hidden(b, batch, unit);
    };
    return {network.buildProducts(
        d, 2, 1, reset,
        [&](ElementBuilder &b, Value batch, Value row, Number sum) {
          Number x = network.getProjection(b, d, inputs, batch, row) + sum;
          Value unit = b.sub(row, b.index(2 * network.getHidden()));
          Number z = network.getGate(b, gates, /*gate=*/0, batch, unit);
          return combine(z, x, hidden, d, inputs, batch, unit);
        })};
  });
  return network.buildResults(types);
}

static SmallVector<Value> build(LSTMOp op, RecurrentBuilder &network,
                                ArrayRef<RankedTensorType> types) {
  // The order of the gates. The first three have peepholes.
  enum { I, O, F, C };
  auto clip = [&](Number x) {
    if (!op.getUseClipThreshold())
      return x;
    double threshold = op.getClipThreshold().convertToDouble();
    return min(max(x, x(-threshold)), x(threshold));
  };
  network.buildProjection(/*withRecurrence=*/true);
  network.run([&](int64_t d, const StepInputs &inputs,
                  ArrayRef<StateFn> states) -> RecurrentBuilder::States {
    const StateFn &hidden = states[0], &cell = states[1];
    Value sums = network.buildProducts(
        d, 0, 4, hidden,
        [&](ElementBuilder &b, Value batch, Value row, Number sum) {
          return network.getProjection(b, d, inputs, batch, row) + sum;
        });
    Value nextCell =
        network.buildState([&](ElementBuilder &b, Value batch, Value unit) {
          Number before = cell(b, batch, unit);
          auto getSum = [&](int64_t gate) {
            return network.getGate(b, sums, gate, batch, unit);
          };
          auto getGate = [&](int64_t gate) {
            return network.activate(
                clip(network.addPeephole(getSum(gate), d, gate, unit, before)),
                d, 0);
          };
          Number i = getGate(I);
          Number f = op.getCoupleInputForget() ? i(1) - i : getGate(F);
          Number c = network.activate(clip(getSum(C)), d, 1);
          return network.keepOutside(f * before + i * c, before, inputs, batch);
        });
    StateFn newCell = RecurrentBuilder::getState(nextCell);
    Value nextHidden =
        network.buildState([&](ElementBuilder &b, Value batch, Value unit) {
          Number now = newCell(b, batch, unit);
          Number o = network.activate(
              clip(network.addPeephole(network.getGate(b, sums, O, batch, unit),
                                       d, O, unit, now)),
              d, 0);
          return network.keepOutside(o * network.activate(now, d, 2),
                                     hidden(b, batch, unit), inputs, batch);
        });
    return {nextHidden, nextCell};
  });
  return network.buildResults(types);
}

namespace {
template <typename OpTy, int64_t gates>
struct RecurrentLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Operands operands{adaptor.getInput(), adaptor.getWeight(),
                      adaptor.getRecurrence(), adaptor.getBias(),
                      adaptor.getHiddenInit()};
    operands.lengths = adaptor.getSequenceLengths();
    auto getType = [&](Value result) {
      return result ? this->getTypeConverter()
                          ->template convertType<RankedTensorType>(
                              result.getType())
                    : RankedTensorType();
    };
    SmallVector<RankedTensorType> types = {getType(op.getOutputSequence()),
                                           getType(op.getOutputSingle())};
    if constexpr (std::is_same_v<OpTy, LSTMOp>) {
      operands.cellInit = adaptor.getCellMemInit();
      operands.peephole = adaptor.getPeephole();
      types.push_back(getType(op.getOutputCellSingle()));
    }
    RecurrentBuilder network(rewriter, op, operands, op.getActivationDescs(),
                             op.getDirection(), gates);
    rewriter.replaceOp(op, build(op, network, types));
    return success();
  }
};
} // namespace

void dml::populateRecurrentPatterns(const TypeConverter &typeConverter,
                                    RewritePatternSet &patterns) {
  patterns.add<RecurrentLowering<RNNOp, 1>, RecurrentLowering<GRUOp, 3>,
               RecurrentLowering<LSTMOp, 4>>(typeConverter,
                                             patterns.getContext());
}
