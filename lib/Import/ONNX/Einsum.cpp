//===- Einsum.cpp - Einstein's sums ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// A tensor whose dimensions have names.
struct Term {
  std::string labels;
  Shape shape;
  Value value;

  int64_t getSize(char label) const { return shape[labels.find(label)]; }
  bool has(char label) const { return labels.find(label) != std::string::npos; }
};
} // namespace

/// The term with its dimensions in the order of `labels`, which has the same.
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

/// The term summed along the dimensions that `keep` does not have.
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

/// The product of `a` and `b`, summed along what `output` does not have.
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

static LogicalResult importEinsum(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  std::string equation;
  for (char c : node.getString("equation", ""))
    if (c != ' ')
      equation.push_back(c);
  auto fail = [&](const Twine &why) {
    return node.reject("its equation is '" + node.getString("equation", "") +
                       "', " + why);
  };
  auto [left, right] = StringRef(equation).split("->");
  bool isExplicit = StringRef(equation).contains("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != node.getNumInputs())
    return fail("but it has " + Twine(node.getNumInputs()) + " inputs");
  SmallVector<Term> terms;
  std::map<char, int64_t> sizes;
  std::map<char, unsigned> uses;
  for (auto [index, part] : llvm::enumerate(parts)) {
    Term term;
    term.labels = part.str();
    term.shape = node.getShape(index);
    if (!llvm::all_of(part, llvm::isAlpha))
      return fail("but wanted are letters: the provider has no ellipsis");
    if (part.size() != term.shape.size())
      return fail("but its input " + Twine(index) + " has the shape " +
                  describeShape(term.shape));
    for (auto [label, size] : llvm::zip_equal(part, term.shape)) {
      if (part.count(label) > 1)
        return fail("but wanted is each letter of a tensor once: the importer "
                    "reads no diagonals");
      if (sizes.try_emplace(label, size).first->second != size)
        return fail(Twine("whose letter ") + Twine(label) + " has the sizes " +
                    Twine(sizes[label]) + " and " + Twine(size));
      ++uses[label];
    }
    term.value = node.get(index);
    terms.push_back(std::move(term));
  }
  std::string output = right.str();
  // An equation without an arrow keeps what stands once, in the order of the
  // alphabet.
  if (!isExplicit)
    for (auto [label, count] : uses)
      if (count == 1)
        output.push_back(label);
  for (char label : output)
    if (!sizes.count(label) || StringRef(output).count(label) > 1)
      return fail("but wanted is each letter of the output once, and in an "
                  "input");
  auto inOutput = [&](char label) {
    return output.find(label) != std::string::npos;
  };
  Term result = terms.size() == 1 ? reduce(node, terms[0], inOutput)
                                  : multiply(node, terms[0], terms[1], output);
  result = reorder(node, result, output);
  return node.set(0, result.value, result.shape);
}

void dml::onnx::addEinsumOperator(Registry &registry) {
  registry.add("Einsum", "REDUCE, ELEMENT_WISE_MULTIPLY or GEMM", importEinsum);
}
