/*===- external.h - Memory of another Vulkan device -----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_TEST_PROVIDER_EXTERNAL_H
#define DML_TEST_PROVIDER_EXTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* Allocates `size` bytes of memory of the first physical device, in a VkDevice
 * of its own, and exports them as the descriptor `*fd`. Returns NULL, or what
 * has failed. The memory exists until the process ends. */
const char *exportMemory(size_t size, int *fd);

/* Creates a timeline semaphore of that VkDevice whose value is 0, and exports
 * it as the descriptor `*fd`. Returns NULL, or why there is none. */
const char *exportSemaphore(int *fd);
/* Sets the semaphore's value, and returns it, on that VkDevice. */
void signalExported(uint64_t value);
uint64_t getExportedValue(void);

/* Copy between host memory and the memory of exportMemory, on that VkDevice. */
const char *writeExported(const void *data, size_t offset, size_t size);
const char *readExported(void *data, size_t offset, size_t size);

#endif
