//===- DeviceFeatures.h - The features of a Vulkan device -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_DEVICEFEATURES_H
#define DML_RUNTIME_DEVICEFEATURES_H

#include "Vulkan.h"
#include "dml/runtime.h"

#include <type_traits>

namespace dml::runtime {

/// The operations of subgroups, which are bits in Vulkan, as members of a
/// structure like other features.
struct SubgroupOperations {
  VkBool32 subgroupShuffle = VK_FALSE;
};

/// The structures that have the members which Features.def names.
struct FeatureStructures {
  VkPhysicalDeviceFeatures core{};
  VkPhysicalDeviceVulkan11Features vulkan11{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features vulkan12{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan12Properties properties12{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
  SubgroupOperations operations;
};

/// Returns the features whose members are set.
inline DmlFeatureFlags getFeatures(const FeatureStructures &structures) {
  DmlFeatureFlags features = 0;
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  if (structures.STRUCTURE.NAME)                                               \
    features |= DML_FEATURE_##CONSTANT##_BIT;
#include "Features.def"
  return features;
}

/// Whether a device has what `Structure` states without being asked for it.
template <typename Structure>
constexpr bool kIsProperties =
    std::is_same_v<Structure, VkPhysicalDeviceVulkan12Properties> ||
    std::is_same_v<Structure, SubgroupOperations>;

/// Returns the features that are properties, which no application enables.
constexpr DmlFeatureFlags getProperties() {
  DmlFeatureFlags properties = 0;
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  if (kIsProperties<decltype(FeatureStructures::STRUCTURE)>)                   \
    properties |= DML_FEATURE_##CONSTANT##_BIT;
#include "Features.def"
  return properties;
}

} // namespace dml::runtime

#endif // DML_RUNTIME_DEVICEFEATURES_H
