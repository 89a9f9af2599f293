/* A number that is most likely unique across processes and calls: for names, not for secrets. */
#pragma once

#include <stdint.h>

/*
 * Returns a random number from the kernel, or one derived from the time and the process if the
 * kernel provides none (a sandbox that blocks the call).
 */
uint32_t pl_unique_u32(void);
