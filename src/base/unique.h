/* A number that no other process or call is likely to have: for names, not for secrets. */
#pragma once

#include <stdint.h>

/* The kernel's; of the time and the process where it gives none (a sandbox without the call). */
uint32_t pl_unique_u32(void);
