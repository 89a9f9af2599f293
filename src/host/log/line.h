/*
 * One line of a server's log, behind all that processes, loggers and containers put in front of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_LOG_WORD_BYTES 48

enum host_log_level { HOST_LOG_NO_LEVEL, HOST_LOG_QUIET, HOST_LOG_WARNING, HOST_LOG_ERROR };

struct host_log_line {
	const char *body; /* behind all prefixes; indentation of the message kept */
	char speaker[HOST_LOG_WORD_BYTES]; /* "EngineCore", "Worker_TP0"; "": not said */
	char source[HOST_LOG_WORD_BYTES];  /* "core.py"; "": not said */
	enum host_log_level level;
	bool stamped;
	int64_t stamp_ns;
};

/* Removes escape sequences and control bytes in place; no NUL is left but the last. */
size_t host_log_line_clean(char *text, size_t len);
/* `text` is clean and changed in place where a line is wrapped in JSON; `body` points into it. */
void host_log_line_read(char *text, int64_t real_ns, struct host_log_line *ret);
