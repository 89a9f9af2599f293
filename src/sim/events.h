/*
 * The bytes of a stream. Each function writes one chunk, with its frame, into the server's scratch buffer and returns
 * its first byte, valid until the next call. Also the body of a complete response.
 */
#pragma once

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

struct sim_choice;
struct sim_job;

const char *sim_event_role(struct sim_choice *choice, size_t *ret_len);
/* The generated tokens that were not sent yet. */
const char *sim_event_tokens(struct sim_choice *choice, size_t *ret_len);
/* The usage, [DONE] and the last chunk. */
const char *sim_event_end(struct sim_job *job, size_t *ret_len);
void sim_event_prepare(struct sim_choice *choice);
/* The start of a stream of /v1/responses, before anything is computed. */
const char *sim_event_begin(struct sim_job *job, size_t *ret_len);
/* Appends a choice's text so far, in quotes. */
void sim_event_add_text(struct pl_buf *out, const struct sim_choice *choice);
/* Returns the number that usage reports for this number of tokens. */
uint32_t sim_event_claimed_tokens(const struct sim_job *job, uint32_t tokens);
/* Writes the body of a response that is not streamed. */
void sim_answer_write(const struct sim_job *job, struct pl_buf *out);
