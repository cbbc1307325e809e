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

double Occupancy::getGroupsOfRegisters(double registers,
                                       const DeviceSpeed &device) {
  return std::floor(device.registers / registers);
}

Occupancy Occupancy::get(const GroupResources &resources, double groups,
                         const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  double ofRegisters = getGroupsOfRegisters(resources.registers, device);
  double ofMemory = std::floor(
      cost::matrix::workgroupMemories *
      static_cast<double>(profile.getMaxWorkgroupMemory()) / resources.bytes);
  double ofEach = std::ceil(groups / device.multiprocessors);
  return {ofEach, std::clamp(std::min(ofRegisters, ofMemory), 1.0, ofEach),
          ofRegisters < 1};
}

double Occupancy::getTimeOfIteration(double together, double alone) const {
  double time = std::max(together, alone / resident);
  return resident > 1 ? time + cost::matrix::unhiddenShare * alone : time;
}

double Occupancy::getTimeOfKernel(double ofGroup) const {
  return groups * (spills ? cost::matrix::spillTimes : 1) * ofGroup;
}
