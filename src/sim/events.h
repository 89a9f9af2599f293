/*
 * The bytes of a stream: each function puts one chunk, frame included, into the server's scratch and
 * returns its first byte, good until the next call. And the body of an answer in one piece.
 */
#pragma once

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

struct sim_choice;
struct sim_job;

const char *sim_event_role(struct sim_choice *choice, size_t *ret_len);
/* The tokens said and not sent. */
const char *sim_event_tokens(struct sim_choice *choice, size_t *ret_len);
/* Usage, [DONE] and the last chunk. */
const char *sim_event_end(struct sim_job *job, size_t *ret_len);
void sim_event_prepare(struct sim_choice *choice);
/* What a stream of /v1/responses begins with, before anything is computed. */
const char *sim_event_begin(struct sim_job *job, size_t *ret_len);
/* A choice's text so far, in quotes. */
void sim_event_add_text(struct pl_buf *out, const struct sim_choice *choice);
/* What usage says for so many tokens. */
uint32_t sim_event_claimed_tokens(const struct sim_job *job, uint32_t tokens);
/* The body of an answer that is not streamed. */
void sim_answer_write(const struct sim_job *job, struct pl_buf *out);
