/*
 * Logging for programs: lines on standard error. Libraries return errors and do not log, except at
 * PL_LOG_DEBUG, which is off unless PROFLLM_LOG=debug is set.
 */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "base/mem.h"

enum pl_log_level { PL_LOG_ERROR, PL_LOG_WARNING, PL_LOG_INFO, PL_LOG_DEBUG };

/*
 * Reads PROFLLM_LOG (error, warning, info, debug; default info). Each line starts with `program`.
 */
void pl_log_init(const char *program);
void pl_log(enum pl_log_level level, const char *format, ...) PL_PRINTF(2, 3);
/* "error" */
const char *pl_log_level_name(enum pl_log_level level);
/* Returns false if no level has this name. */
bool pl_log_level_find(const char *name, enum pl_log_level *ret);
/* Call it before the first thread starts, as the next two. Replaces the level of PROFLLM_LOG. */
void pl_log_set_level(enum pl_log_level level);
/*
 * With JSON, each line is an object: {"time": RFC 3339 in UTC, "level", "program", "message"} and the members of
 * pl_log_object().
 */
enum pl_log_format { PL_LOG_TEXT, PL_LOG_JSON };
void pl_log_set_format(enum pl_log_format format);
/* `observer` is called with each warning and error, in any thread, after secrets were removed. It must not log. */
void pl_log_set_observer(void (*observer)(enum pl_log_level level, const char *message));

/* Returns whether a line of this level is written. */
bool pl_log_has(enum pl_log_level level);
enum pl_log_format pl_log_format(void);
/*
 * Writes a line with further members, for the format JSON. Takes the reference. Secrets are removed from all texts, and
 * JSON escapes control characters.
 */
void pl_log_object(enum pl_log_level level, const char *message, json_t *members);
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
