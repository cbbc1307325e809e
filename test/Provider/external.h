/*===- external.h - Memory of another Vulkan device -----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_TEST_PROVIDER_EXTERNAL_H
#define DML_TEST_PROVIDER_EXTERNAL_H

#include <stddef.h>

/* Allocates `size` bytes of memory of the first physical device, in a VkDevice
 * of its own, maps them at `*mapped`, and exports them as the descriptor `*fd`.
 * Returns NULL, or what has failed. The memory exists until the process ends.
 */
const char *exportMemory(size_t size, int *fd, void **mapped);

#endif
