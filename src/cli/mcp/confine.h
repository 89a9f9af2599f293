/* Limits what a process may read and write, by the kernel's Landlock, if it has it (Linux 5.13). */
#pragma once

#include <stdbool.h>

/* Returns whether the kernel has Landlock. */
bool cli_mcp_confine_works(void);
/*
 * From here on, this process and its children may write only to devices, and read only what lies below `folder`, libraries
 * and programs, models in the cache of Hugging Face, and the named files (NULL-terminated). For a forked child before
 * exec(): allocates nothing. Does nothing without Landlock.
 */
void cli_mcp_confine(const char *folder, const char *const *files);
