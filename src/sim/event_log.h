/*
 * --sim-log: what the server received and sent, as JSON lines, written by a separate thread.
 * - The loop's thread puts fixed-size records into a ring; the writer formats and writes them in the same order. If the
 *   ring is full, the loop waits: no record is lost.
 * - sim_event_log_flush() (at the end of a batch) and a half full ring wake the writer.
 * - A request's handle lives from request() to end(), which passes it to the writer.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct sim_event_log;
struct sim_event_id; /* a request in the log */

int sim_event_log_open(const char *path, struct sim_event_log **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Writes the remaining records, ends the thread, closes the file. Returns -1 if a write failed. */
int sim_event_log_close(struct sim_event_log *log, struct pl_err *err);

/*
 * request_id: the client's x-request-id or NULL. prompt_tokens: all prompts together; media_tokens: those of them for
 * media, logged if there are any.
 */
struct sim_event_id *sim_event_log_request(struct sim_event_log *log, int64_t t_ns,
					   const char *request_id, uint32_t prompt_tokens,
					   uint32_t media_tokens);
/*
 * Logs one event of a stream; `bytes` includes its chunk's frame. A response that is not streamed has none. It was sent
 * between t_ns and took_ns later.
 */
void sim_event_log_token(struct sim_event_log *log, struct sim_event_id *id, int64_t t_ns,
			 int64_t took_ns, uint32_t choice, uint32_t tokens, uint32_t bytes);
/* Times of the engine, of the first choice; -1: not reached. */
struct sim_event_times {
	int64_t queued_ns;    /* the engine received it */
	int64_t scheduled_ns; /* start of its first step */
	int64_t first_token_ns;
	int64_t last_token_ns;
};
#define SIM_EVENT_NO_TIMES ((struct sim_event_times){ -1, -1, -1, -1 })

/* Sets the times that end() writes. */
void sim_event_log_set_times(struct sim_event_id *id, const struct sim_event_times *times);
/* cached: tokens of its prompts found in the prefix cache. status: "completed", "aborted" or "error". */
void sim_event_log_end(struct sim_event_log *log, struct sim_event_id *id, int64_t t_ns,
		       uint32_t tokens, uint32_t cached, const char *status);
/* Logs that a cache was emptied: "prefix", "mm" or "encoder". */
void sim_event_log_reset(struct sim_event_log *log, int64_t t_ns, const char *cache);
void sim_event_log_flush(struct sim_event_log *log);
