//===- Occupancy.cpp - Workgroups of a multiprocessor ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/Occupancy.h"
#include "dml/Target/MatrixCosts.h"
#include <algorithm>
#include <cmath>

using namespace dml;

double Occupancy::getMostGroups(const GroupResources &resources,
                                const DeviceSpeed &device) {
  return std::min(std::floor(device.registers / resources.registers),
                  std::floor(device.workgroupMemory / resources.bytes));
}

Occupancy Occupancy::get(const GroupResources &resources, double groups,
                         const DeviceSpeed &device) {
  double ofEach = std::ceil(groups / device.multiprocessors);
  return {ofEach, std::clamp(getMostGroups(resources, device), 1.0, ofEach),
          resources.registers > device.registers};
}

double Occupancy::getTimeOfIteration(double together, double alone) const {
  double time = std::max(together, alone / resident);
  return resident > 1 ? time + cost::matrix::unhiddenShare * alone : time;
}

double Occupancy::getTimeOfKernel(double ofGroup) const {
  return groups * (spills ? cost::matrix::spillTimes : 1) * ofGroup;
}
