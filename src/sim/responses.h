/* /v1/responses: its events, without frames, and its response if it is not streamed. */
#pragma once

#include "base/buf.h"

struct sim_job;

void sim_responses_begin(struct sim_job *job, struct pl_buf *out);
void sim_responses_open(struct sim_job *job, struct pl_buf *out);
void sim_responses_delta_head(struct pl_buf *out);
void sim_responses_delta_end(struct sim_job *job, struct pl_buf *out);
void sim_responses_end(struct sim_job *job, struct pl_buf *out);
void sim_responses_answer(const struct sim_job *job, struct pl_buf *out);
