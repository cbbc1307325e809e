//===- Einsum.cpp - Einstein's sums ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "dml/IR/Layout.h"
#include "dml/IR/ViewOps.h"
#include <map>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// A tensor with named dimensions.
struct Term {
  std::string labels;
  Shape shape;
  Value value;

  int64_t getSize(char label) const { return shape[labels.find(label)]; }
  bool has(char label) const { return labels.find(label) != std::string::npos; }
};
} // namespace

/// Returns the term with its dimensions in the order of `labels`, which
/// contains the same labels.
static Term reorder(NodeImporter &node, const Term &term,
                    const std::string &labels) {
  SmallVector<int64_t> permutation;
  Term result;
  result.labels = labels;
  for (char label : labels) {
    permutation.push_back(static_cast<int64_t>(term.labels.find(label)));
    result.shape.push_back(term.getSize(label));
  }
  result.value = term.value;
  if (!labels.empty())
    result.value =
        node.transpose(node.reshape(term.value, term.shape), permutation);
  return result;
}

/// Returns the term, summed over the dimensions for which `keep` is false.
static Term reduce(NodeImporter &node, const Term &term,
                   llvm::function_ref<bool(char)> keep) {
  Shape physical = toPhysical(term.shape), reduced = physical, axes;
  size_t lead = physical.size() - term.shape.size();
  Term result;
  for (auto [dim, label] : llvm::enumerate(term.labels)) {
    if (keep(label)) {
      result.labels.push_back(label);
      result.shape.push_back(term.shape[dim]);
    } else {
      axes.push_back(static_cast<int64_t>(lead + dim));
      reduced[lead + dim] = 1;
    }
  }
  if (axes.empty())
    return term;
  DataType type = node.getType(0);
  result.value = node.reshape(
      node.apply("reduce", node.reshape(term.value, physical),
                 {node.enumCase("function", "reduce_function", "sum"),
                  node.ints("axes", axes)},
                 node.getTensorType(reduced, type)),
      toPhysical(result.shape));
  return result;
}

/// Returns the product of `a` and `b`, summed over the dimensions that are not
/// in `output`.
static Term multiply(NodeImporter &node, Term a, Term b,
                     const std::string &output) {
  auto inOutput = [&](char label) {
    return output.find(label) != std::string::npos;
  };
  a = reduce(node, a,
             [&](char label) { return inOutput(label) || b.has(label); });
  b = reduce(node, b,
             [&](char label) { return inOutput(label) || a.has(label); });
  std::string batch, inner, rows, columns;
  for (char label : a.labels)
    (!b.has(label) ? rows : inOutput(label) ? batch : inner).push_back(label);
  for (char label : b.labels)
    if (!a.has(label))
      columns.push_back(label);
  a = reorder(node, a, batch + rows + inner);
  b = reorder(node, b, batch + columns + inner);
  auto count = [](const Term &term, const std::string &labels) {
    int64_t count = 1;
    for (char label : labels)
      count *= term.getSize(label);
    return count;
  };
  int64_t batches = count(a, batch), m = count(a, rows), n = count(b, columns),
          k = count(a, inner);
  DataType type = node.getType(0);
  Term result;
  result.labels = batch + rows + columns;
  if (result.labels.size() > maxRank) {
    (void)node.reject("it makes a tensor of " + Twine(result.labels.size()) +
                      " dimensions, but DirectML's tensors have at most " +
                      Twine(maxRank));
    return reduce(node, a, inOutput);
  }
  for (char label : result.labels)
    result.shape.push_back((a.has(label) ? a : b).getSize(label));
  if (inner.empty()) {
    Shape physical = {1, batches, m, n};
    result.value = node.combine(
        "element_wise_multiply",
        node.repeat(node.reshape(a.value, {1, batches, m, 1}), physical),
        node.repeat(node.reshape(b.value, {1, batches, 1, n}), physical));
    return result;
  }
  if (type != DataType::FLOAT32 && type != DataType::FLOAT16) {
    result.value =
        multiplyAndSum(node, node.reshape(a.value, {1, batches, m, k}),
                       node.reshape(b.value, {1, batches, n, k}));
    return result;
  }
  result.value =
      *node.build("gemm",
                  {{"a", node.reshape(a.value, {1, batches, m, k})},
                   {"b", node.reshape(b.value, {1, batches, n, k})}},
                  {node.enumCase("trans_a", "matrix_transform", "none"),
                   node.enumCase("trans_b", "matrix_transform", "transpose"),
                   node.number("alpha", 1), node.number("beta", 0)},
                  node.getTensorType({1, batches, m, n}, type));
  return result;
}

namespace {
/// The equation of a node, as the letters of each input and of the output. The
/// dimensions of an ellipsis have the letters in `ellipsis`, and the last
/// dimension has the last of these letters.
struct Equation {
  SmallVector<std::string> inputs;
  std::string output;
  std::map<char, int64_t> sizes;
  static constexpr StringLiteral ellipsis = "\1\2\3\4\5\6\7\10";

  /// Rejects the node, since its equation does not match its inputs.
  static LogicalResult fail(NodeImporter &node, const Twine &why) {
    return node.reject("its equation is '" + node.getString("equation", "") +
                       "', " + why);
  }
};
} // namespace

/// Returns the letters of `part`, whose ellipsis stands for `rank` dimensions.
static FailureOr<std::string> getLetters(NodeImporter &node, StringRef part,
                                         size_t rank) {
  auto [before, after] = part.split("...");
  if (!llvm::all_of(before, llvm::isAlpha) ||
      !llvm::all_of(after, llvm::isAlpha))
    return Equation::fail(node,
                          "but wanted are letters and at most one ellipsis in "
                          "a tensor");
  std::string letters = before.str();
  if (part.contains("..."))
    letters += Equation::ellipsis.take_back(rank);
  return letters + after.str();
}

/// Reads the letters of the inputs and their sizes.
static FailureOr<Equation> readInputs(NodeImporter &node, StringRef left) {
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != node.getNumInputs())
    return Equation::fail(node, "but it has " + Twine(node.getNumInputs()) +
                                    " inputs");
  Equation equation;
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (failed(getLetters(node, part, 0)))
      return failure();
    const Shape &shape = node.getShape(index);
    if (static_cast<int64_t>(shape.size()) > maxRank)
      return node.reject(
          "its input " + Twine(index) + " has " + Twine(shape.size()) +
          " dimensions, but DirectML's tensors have at most " + Twine(maxRank));
    size_t count = part.size() - (part.contains("...") ? 3 : 0);
    if (count > shape.size() ||
        (!part.contains("...") && count != shape.size()))
      return Equation::fail(node, "but its input " + Twine(index) +
                                      " has the shape " + describeShape(shape));
    FailureOr<std::string> letters =
        getLetters(node, part, shape.size() - count);
    if (failed(letters))
      return failure();
    for (auto [label, size] : llvm::zip_equal(*letters, shape)) {
      // A dimension of size 1 is broadcast.
      int64_t &known = equation.sizes.try_emplace(label, size).first->second;
      if (known == 1)
        known = size;
      else if (size != 1 && size != known)
        return Equation::fail(
            node, (llvm::isAlpha(label) ? "whose letter " + Twine(label)
                                        : Twine("whose ellipsis")) +
                      " has the sizes " + Twine(known) + " and " + Twine(size));
    }
    equation.inputs.push_back(*letters);
  }
  return equation;
}

static FailureOr<Equation> readEquation(NodeImporter &node) {
  std::string text;
  for (char c : node.getString("equation", ""))
    if (c != ' ')
      text.push_back(c);
  auto [left, right] = StringRef(text).split("->");
  FailureOr<Equation> equation = readInputs(node, left);
  if (failed(equation))
    return failure();
  std::map<char, unsigned> uses;
  for (const std::string &letters : equation->inputs)
    for (char label : letters)
      ++uses[label];
  size_t rank = llvm::count_if(uses, [](const auto &use) {
    return Equation::ellipsis.contains(use.first);
  });
  if (StringRef(text).contains("->")) {
    FailureOr<std::string> letters = getLetters(node, right, rank);
    if (failed(letters))
      return failure();
    equation->output = *letters;
    if (rank != 0 && !right.contains("..."))
      return Equation::fail(node, "but wanted is an ellipsis in the output, "
                                  "too");
  } else {
    // Without an arrow, the output consists of the dimensions of the ellipsis
    // and of the letters that occur only once, in alphabetical order.
    for (auto [label, count] : uses)
      if (count == 1 || Equation::ellipsis.contains(label))
        equation->output.push_back(label);
  }
  for (char label : equation->output)
    if (!equation->sizes.count(label) ||
        StringRef(equation->output).count(label) > 1)
      return Equation::fail(node, "but wanted is each letter of the output "
                                  "once, and in an input");
  return equation;
}

/// Returns input `index` with each letter occurring only once. A letter that
/// occurs several times selects a diagonal. A letter is removed if its size is
/// 1 here but not in another input.
static Term getTerm(NodeImporter &node, const Equation &equation,
                    unsigned index) {
  const Shape &from = node.getShape(index);
  SmallVector<int64_t> packed = getPackedStrides(from), strides;
  Term term;
  for (auto [label, size, stride] :
       llvm::zip_equal(equation.inputs[index], from, packed)) {
    if (size != equation.sizes.at(label))
      continue;
    if (term.has(label)) {
      strides[term.labels.find(label)] += stride;
      continue;
    }
    term.labels.push_back(label);
    term.shape.push_back(size);
    strides.push_back(stride);
  }
  term.value = node.get(index);
  if (*countElements(term.shape) == *countElements(from))
    return term;
  // Selects the elements on the diagonals. Leading dimensions are added to the
  // tensor if necessary.
  Shape physical = toPhysical(term.shape);
  SmallVector<int64_t> all(physical.size() - strides.size(), 0);
  all.append(strides);
  auto type = cast<RankedTensorType>(term.value.getType());
  term.value = ViewOp::create(node.getBuilder(), term.value.getLoc(),
                              type.clone(physical), term.value, all);
  return term;
}

static LogicalResult importEinsum(NodeImporter &node) {
  unsigned count = node.getNumInputs();
  if (count == 0)
    return node.reject("it has no inputs, but wanted is one at least");
  if (failed(node.wantInputs(count, count)))
    return failure();
  FailureOr<Equation> equation = readEquation(node);
  if (failed(equation))
    return failure();
  Shape output;
  for (char label : equation->output)
    output.push_back(equation->sizes[label]);
  if (failed(wantTensor(node, output)))
    return failure();
  bool isNothing = false;
  for (unsigned index = 0; index < count; ++index) {
    isNothing |= isEmpty(node.getShape(index));
    if (node.getType(index) != node.getType(0))
      return node.reject("its inputs have different element types");
  }
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  if (isNothing) {
    // Sums over empty dimensions are 0.
    for (unsigned index = 0; index < count; ++index)
      node.ignoreInput(index);
    return node.set(0, Constant::get(node.getType(0), {1}, ArrayRef<int64_t>(0))
                           .splat(output));
  }
  Term result = getTerm(node, *equation, 0);
  for (unsigned index = 1; index < count; ++index) {
    // Keeps the letters that the output or later inputs contain.
    std::string kept = equation->output;
    for (const std::string &letters :
         ArrayRef(equation->inputs).drop_front(index + 1))
      kept += letters;
    result = multiply(node, result, getTerm(node, *equation, index), kept);
  }
  result = reduce(node, result, [&](char label) {
    return equation->output.find(label) != std::string::npos;
  });
  result = reorder(node, result, equation->output);
  return node.set(0, result.value, output);
}

void dml::onnx::addEinsumNodes(Registry &registry) {
  registry.add("Einsum", "REDUCE, ELEMENT_WISE_MULTIPLY or GEMM", importEinsum);
}
