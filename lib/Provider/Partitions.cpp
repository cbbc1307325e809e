//===- Partitions.cpp - Which nodes become one ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Partitions.h"
#include <algorithm>
#include <map>
#include <numeric>

using namespace dml::provider;

/// Numbers the nodes so that a path from a node that is taken, through one that
/// is not, to a node that is taken, leads to a greater number. A node that is
/// not taken and has none that is taken in front has the number -1.
static std::vector<int64_t> findLevels(const Edges &reads,
                                       const std::vector<bool> &isTaken) {
  std::vector<int64_t> levels(reads.size());
  for (uint32_t node = 0; node < reads.size(); ++node) {
    levels[node] = isTaken[node] ? 0 : -1;
    for (uint32_t source : reads[node]) {
      int64_t step = isTaken[node] && !isTaken[source] ? 1 : 0;
      levels[node] = std::max(levels[node], levels[source] + step);
    }
  }
  return levels;
}

static uint32_t findRoot(std::vector<uint32_t> &parents, uint32_t node) {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

std::vector<std::vector<uint32_t>>
dml::provider::findPartitions(const Edges &reads,
                              const std::vector<bool> &isTaken) {
  std::vector<int64_t> levels = findLevels(reads, isTaken);
  std::vector<uint32_t> parents(reads.size());
  std::iota(parents.begin(), parents.end(), 0);
  for (uint32_t node = 0; node < reads.size(); ++node)
    for (uint32_t source : reads[node])
      if (isTaken[node] && isTaken[source] && levels[node] == levels[source])
        parents[findRoot(parents, node)] = findRoot(parents, source);
  std::map<uint32_t, std::vector<uint32_t>> groups;
  for (uint32_t node = 0; node < reads.size(); ++node)
    if (isTaken[node])
      groups[findRoot(parents, node)].push_back(node);
  std::vector<std::vector<uint32_t>> partitions;
  for (auto &[root, nodes] : groups)
    partitions.push_back(std::move(nodes));
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

Work &Work::operator+=(const Work &other) {
  operations += other.operations;
  bytes += other.bytes;
  nodes += other.nodes;
  copiedBytes += other.copiedBytes;
  moreSubmissions += other.moreSubmissions;
  return *this;
}

double dml::provider::estimateCpuTime(const Work &work, const Speeds &speeds) {
  return work.nodes * speeds.cpuSecondsPerNode +
         std::max(work.operations / speeds.cpuOperationsPerSecond,
                  work.bytes / speeds.cpuBytesPerSecond);
}

double dml::provider::estimateTransferTime(const Work &work,
                                           const Speeds &speeds) {
  return (1 + work.moreSubmissions) * speeds.secondsPerSubmission +
         work.copiedBytes / speeds.copiedBytesPerSecond;
}
