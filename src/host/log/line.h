/*
 * One line of a server's log, after all prefixes that processes, loggers, containers, schedulers
 * and journald put before it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_LOG_WORD_BYTES 48

enum host_log_level { HOST_LOG_NO_LEVEL, HOST_LOG_QUIET, HOST_LOG_WARNING, HOST_LOG_ERROR };

struct host_log_line {
	const char *body; /* after all prefixes; the indentation of the message is kept */
	char *rest;       /* the lines after this one of a message that has several; NULL: none */
	char speaker[HOST_LOG_WORD_BYTES]; /* "EngineCore", "Worker_TP0"; "": missing */
	char source[HOST_LOG_WORD_BYTES];  /* "core.py"; "": missing */
	enum host_log_level level;
	bool stamped;
	int64_t stamp_ns;
};

/* Removes escape sequences and control bytes in place; only the final NUL remains. */
size_t host_log_line_clean(char *text, size_t len);
/*
 * Parses `text`, which must be clean, and modifies it if the line is wrapped in JSON or logfmt;
 * `body` and `rest` point into it. A wrapped message may have several lines: host_log_line_next()
 * returns the later ones.
 */
void host_log_line_read(char *text, int64_t real_ns, struct host_log_line *ret);
/* Moves to the next line of the message; false if it has none. */
bool host_log_line_next(struct host_log_line *line, int64_t real_ns);
