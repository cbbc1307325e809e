//===- InnerGraphs.h - Nodes with graphs within them ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_INNERGRAPHS_H
#define DML_LIB_PROVIDER_INNERGRAPHS_H

#include "Options.h"

namespace dml::provider {

struct Graph;
struct Speeds;

/// Decides which nodes with graphs within them a session can run, and sets
/// Node::problem of others and Node::innerWork. ONNX Runtime knows no shape of
/// a tensor that a Loop hands on; the shapes of those that keep their sizes are
/// entered. A session runs If, Loop and
/// Scan with the host between the programs of their graphs (docs/
/// ControlFlow.md), if
///
/// 1. the importer can read all nodes within, or they are such nodes again;
/// 2. the shapes of all tensors are known before the model runs, except for
///    those that the node itself computes;
/// 3. no tensor changes its sizes from iteration to iteration, since each of
///    the sizes would need a program of its own;
/// 4. with `partitioning=auto`, the CPU takes longer for an iteration, or for a
///    branch, than the submissions take.
///
/// With `partitioning=directml`, and in models that are compiled ahead, no such
/// node is taken.
void checkInnerGraphs(Graph &graph, const Options &options,
                      const Speeds &speeds);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_INNERGRAPHS_H
