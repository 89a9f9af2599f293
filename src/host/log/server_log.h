/*
 * The log of a vLLM-compatible server, read as it grows: startup phases, facts of the engine, the
 * cause of its death, and its last lines. Its tables: tbl/log_lines.h, tbl/log_failures.h,
 * tbl/log_hints.h.
 *
 * - Input may be any bytes in pieces of any size; the result does not depend on the pieces.
 * - Memory is bounded: one line of 16 KiB (the rest of a longer one is dropped) and the tail.
 * - Once the front end listens, only lines that explain a death are evaluated.
 * - One thread at a time.
 */
#pragma once

#include "base/json.h"
#include "host/log/phases.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a server ended, as far as known without its log. */
struct host_death {
	int signal_number; /* the signal that ended it, not sent by this process; 0: none */
	bool was_ready;
	/* the kernel killed a process for memory in the meantime: host_oom_kills() has increased */
	bool oom_killed;
};

struct host_server_log;

/* tail_lines: number of last lines to keep. */
struct host_server_log *host_server_log_new(size_t tail_lines);
void host_server_log_free(struct host_server_log *log);
PL_AUTO_DEFINE(struct host_server_log, host_server_log_free);
#define auto_server_log PL_AUTO(host_server_log_free)

void host_server_log_feed(struct host_server_log *log, const char *data, size_t len,
			  const struct host_log_time *seen);
/* Ends the log: text after the last line break counts as a line. */
void host_server_log_end(struct host_server_log *log);
/*
 * Feeds what was appended to the file since the last call. If much was appended after LISTENING,
 * feeds only the last part. The file is opened once: a log that is renamed is still read.
 */
int host_server_log_follow(struct host_server_log *log, const char *path,
			   struct pl_err *err) PL_MUST_CHECK;

const struct host_log_moment *host_server_log_moment(const struct host_server_log *log,
						     enum host_log_phase phase);
/* As host_log_phases_ns(). */
int64_t host_server_log_phase_ns(const struct host_server_log *log, enum host_log_phase phase);
bool host_server_log_is_listening(const struct host_server_log *log);
/*
 * Notes that the server responds, whatever its log says: later lines are handled as after
 * LISTENING.
 */
void host_server_log_set_ready(struct host_server_log *log);

/* Returns every key of the LOG_FACT rows, null if unknown. New reference. */
json_t *host_server_log_facts(const struct host_server_log *log);

/*
 * Returns the engine's configuration from the log, "model='m', dtype=torch.bfloat16, ..."; NULL:
 * unknown.
 */
const char *host_server_log_engine(const struct host_server_log *log);

/* Return the cause that the log names and the line that names it; NULL: none. */
const char *host_server_log_cause_name(const struct host_server_log *log);
const char *host_server_log_cause_quote(const struct host_server_log *log);
/*
 * Returns what to try, if that line or its stage of the startup is more specific than the cause;
 * NULL: use the hint of the cause. Static.
 */
const char *host_server_log_hint(const struct host_server_log *log);
/*
 * Returns the first exception that matches no known cause, an engine's before the front end's;
 * NULL: none.
 */
const char *host_server_log_exception(const struct host_server_log *log);
/* Returns why a server died: a name of the CAUSE rows, "unknown" if nothing says it. Static. */
const char *host_server_log_cause(const struct host_server_log *log,
				  const struct host_death *death);

/*
 * Returns the last lines: without colors, progress bars in their last state, no blank lines at the
 * end.
 */
json_t *host_server_log_tail(const struct host_server_log *log);
