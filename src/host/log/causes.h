/*
 * Why a server died, as far as its log says it: the rows LOG_FAILURE of tbl/log_lines.h.
 */
#pragma once

#include <stdbool.h>

#define HOST_LOG_TOLD_BYTES 512

struct host_log_line;

/* Who says it, the better witness the higher. */
enum host_log_witness { HOST_LOG_NOBODY, HOST_LOG_VAGUE, HOST_LOG_FRONT, HOST_LOG_ENGINE };

struct host_log_causes {
	const char *cause;
	enum host_log_witness witness;
	char said[HOST_LOG_TOLD_BYTES];
	/* the first exception that no row knows */
	enum host_log_witness exception_witness;
	char exception[HOST_LOG_TOLD_BYTES];
	bool worker_killed; /* by SIGKILL, says the engine */
	bool in_config;     /* a frame of the traceback makes the configuration */
	unsigned details;   /* lines that may still belong to a pydantic exception */
};

void host_log_causes_take(struct host_log_causes *causes, const struct host_log_line *line,
			  bool listening);
