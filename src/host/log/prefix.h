/*
 * The prefixes of a message in one log line. Each writer adds its prefix to the text that it
 * received, so prefixes occur in any order and number.
 */
#pragma once

#include "host/log/line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Moves `line->body` past one prefix and notes what it says: time, level, process, source file. A
 * level may be written twice; the innermost is that of the message's own logger. Returns false if
 * the body starts with no prefix.
 */
bool host_log_prefix_take(struct host_log_line *line, int64_t real_ns);
/* Finds the level that a word of `len` bytes names, case ignored. */
bool host_log_level_find(const char *word, size_t len, enum host_log_level *ret);
