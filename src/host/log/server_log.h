/*
 * The log of a vLLM-form server, read as it grows: start-up phases, facts of the engine, why it
 * died, and its last lines. Its tables: tbl/log_lines.h, tbl/log_failures.h, tbl/log_hints.h.
 *
 * - Any bytes may come, in pieces of any size; the result does not depend on how they were cut.
 * - Memory is bounded: one line of 16 KiB (the rest of a longer one is dropped) and the tail.
 * - Once the front end listens only lines that say why a server dies are looked at.
 * - One thread at a time.
 */
#pragma once

#include "base/json.h"
#include "host/log/phases.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a server ended, as far as others than its log know it. */
struct host_death {
	int signal_number; /* what ended it, and did not come from us; 0: none */
	bool was_ready;
	bool oom_killed; /* the kernel killed for memory meanwhile: host_oom_kills() has risen */
};

struct host_server_log;

/* tail_lines: how many of the last lines are kept. */
struct host_server_log *host_server_log_new(size_t tail_lines);
void host_server_log_free(struct host_server_log *log);
PL_AUTO_DEFINE(struct host_server_log, host_server_log_free);
#define auto_server_log PL_AUTO(host_server_log_free)

void host_server_log_feed(struct host_server_log *log, const char *data, size_t len,
			  const struct host_log_time *seen);
/* Nothing more comes: what stands behind the last line break is a line too. */
void host_server_log_end(struct host_server_log *log);
/*
 * Feeds what the file has grown by since the last call; of a large growth after LISTENING only its
 * last part. The file is opened once: a log that is moved away is still read.
 */
int host_server_log_follow(struct host_server_log *log, const char *path,
			   struct pl_err *err) PL_MUST_CHECK;

const struct host_log_moment *host_server_log_moment(const struct host_server_log *log,
						     enum host_log_phase phase);
/* As host_log_phases_ns(). */
int64_t host_server_log_phase_ns(const struct host_server_log *log, enum host_log_phase phase);
bool host_server_log_is_listening(const struct host_server_log *log);
/* The server is known to answer, whatever it says: from now on as if it had said that it
 * listens. */
void host_server_log_set_ready(struct host_server_log *log);

/* Every key of the LOG_FACT rows, null where nothing is told. New reference. */
json_t *host_server_log_facts(const struct host_server_log *log);

/* What the engine says it runs with, "model='m', dtype=torch.bfloat16, ..."; NULL: nothing. */
const char *host_server_log_engine(const struct host_server_log *log);

/* The cause that the log names, NULL: none; and the line that does. */
const char *host_server_log_told(const struct host_server_log *log);
const char *host_server_log_told_line(const struct host_server_log *log);
/* What to try, where that line or its place in the start says more than the cause; NULL: as the
 * cause has it. Static. */
const char *host_server_log_hint(const struct host_server_log *log);
/* The first exception that names no known cause, an engine's before the front end's; NULL: none. */
const char *host_server_log_exception(const struct host_server_log *log);
/* Why a server died: a name of the CAUSE rows, "unknown" where nothing says it. Static. */
const char *host_server_log_cause(const struct host_server_log *log,
				  const struct host_death *death);

/* The last lines: no colours, of progress bars the last state, no blank lines at the end. */
json_t *host_server_log_tail(const struct host_server_log *log);
