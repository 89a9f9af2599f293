/*
 * Logging for programs: lines on standard error. Libraries return errors and do not log, except at
 * PL_LOG_DEBUG, which is off unless PROFLLM_LOG=debug is set.
 */
#pragma once

#include <stdbool.h>

#include "base/mem.h"

enum pl_log_level { PL_LOG_ERROR, PL_LOG_WARNING, PL_LOG_INFO, PL_LOG_DEBUG };

/*
 * Reads PROFLLM_LOG (error, warning, info, debug; default info). Each line starts with `program`.
 */
void pl_log_init(const char *program);
void pl_log(enum pl_log_level level, const char *format, ...) PL_PRINTF(2, 3);
/* Returns the number of lines that were written: they move what a program redraws on a terminal. */
unsigned pl_log_count(void);

/*
 * Returns true if `fd` is a terminal on which lines can be redrawn: TERM is set and is not "dumb".
 */
bool pl_log_redraws(int fd);
/*
 * Returns true if `fd` is a terminal that supports color: NO_COLOR is unset or empty, and TERM is
 * not "dumb".
 */
bool pl_log_has_color(int fd);
