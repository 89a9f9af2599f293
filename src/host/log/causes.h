/*
 * The cause of a server's death according to its log: the rows of tbl/log_failures.h and
 * tbl/log_hints.h.
 */
#pragma once

#include "host/log/line.h"
#include "host/log/phases.h"

#include <stdbool.h>

#define HOST_LOG_QUOTE_BYTES 512

/* The source of a cause; a more reliable source has a higher value. */
enum host_log_witness { HOST_LOG_NOBODY, HOST_LOG_VAGUE, HOST_LOG_FRONT, HOST_LOG_ENGINE };

/*
 * When a row applies; the values after ANY are stages of the startup at which an error was raised.
 */
enum host_log_step {
	HOST_STEP_START,
	HOST_STEP_ANY,
	HOST_STEP_CONFIG,
	HOST_STEP_TOKENIZER,
	HOST_STEP_WEIGHTS,
	HOST_STEP_PROFILE,
	HOST_STEP_KV_CACHE,
	HOST_STEP_GRAPHS,
	HOST_STEP_FRONT_END,
	HOST_STEP_SERVING,
};

struct host_log_causes {
	const char *cause;
	const char *hint; /* what to try; NULL: the hint for the cause in tbl/states.h */
	enum host_log_witness witness;
	bool is_lasting; /* reported by an engine or a worker, not dropped at the next phase */
	char quote[HOST_LOG_QUOTE_BYTES];
	/* the first exception that no row knows */
	enum host_log_witness exception_witness;
	char exception[HOST_LOG_QUOTE_BYTES];
	bool worker_killed;                /* the engine reports SIGKILL */
	enum host_log_step step;           /* by the frames of the traceback; START: none known */
	enum host_log_step reached;        /* by the phases of the log; START: none known */
	unsigned details;                  /* lines that may still belong to a pydantic exception */
	char field[HOST_LOG_WORD_BYTES];   /* the key that they are about; "": none */
	char detail[HOST_LOG_QUOTE_BYTES]; /* the first of these lines */
};

void host_log_causes_take(struct host_log_causes *causes, const struct host_log_line *line,
			  bool listening);
/*
 * Notes that the log reached a phase. Causes that the front end or a vague line reported before it
 * are dropped: the start continued after them. LISTENING drops all.
 */
void host_log_causes_reach(struct host_log_causes *causes, enum host_log_phase phase);
