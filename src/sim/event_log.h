/*
 * --sim-log: what the server received and sent, as JSON lines, written by a thread of its own.
 *
 * - The loop's thread puts fixed-size records into a ring; the writer formats and writes them in
 *   the same order. A full ring makes the loop wait: nothing is lost.
 * - The writer is woken by sim_event_log_flush() (end of a batch) and when the ring is half full.
 * - A request's handle lives from request() to end(), which hands it to the writer.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct sim_event_log;
struct sim_event_id; /* a request in the log */

int sim_event_log_open(const char *path, struct sim_event_log **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Writes what is left, ends the thread, closes the file. -1: something could not be written. */
int sim_event_log_close(struct sim_event_log *log, struct pl_err *err);

/* request_id: the client's x-request-id or NULL. prompt_tokens: all prompts together. */
struct sim_event_id *sim_event_log_request(struct sim_event_log *log, int64_t t_ns,
					   const char *request_id, uint32_t prompt_tokens);
/* One event of a stream, `bytes` with its chunk's frame; an answer that is not streamed has
 * none. It went out between t_ns and took_ns later. */
void sim_event_log_token(struct sim_event_log *log, struct sim_event_id *id, int64_t t_ns,
			 int64_t took_ns, uint32_t choice, uint32_t tokens, uint32_t bytes);
/* cached: tokens of its prompts that were found in the prefix cache. status: "completed", "aborted" or
 * "error". */
void sim_event_log_end(struct sim_event_log *log, struct sim_event_id *id, int64_t t_ns,
		       uint32_t tokens, uint32_t cached, const char *status);
/* A cache was emptied: "prefix", "mm" or "encoder". */
void sim_event_log_reset(struct sim_event_log *log, int64_t t_ns, const char *cache);
void sim_event_log_flush(struct sim_event_log *log);
