/* The last lines of a growing log file, read without disturbing its writer. One thread at a time. */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RUN_TAIL_LINES 5

struct run_tail {
	char *path;   /* owned; NULL: no log */
	off_t at;     /* bytes that were read */
	int64_t line; /* number of complete lines before `at` */
	struct run_tail_line {
		int64_t line; /* from 1 */
		char text[400];
		size_t len;
	} lines[RUN_TAIL_LINES], current;
	bool has_returned; /* the last byte was a CR */
	size_t count;
};

/* Follows the file from its start. NULL: none. */
void run_tail_open(struct run_tail *tail, const char *path);
void run_tail_done(struct run_tail *tail);
/* Reads what was appended, at most some MiB per call. */
void run_tail_read(struct run_tail *tail);
/* Returns [{line, severity, text}], the last line last. New reference. */
json_t *run_tail_json(const struct run_tail *tail);
