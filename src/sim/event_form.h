/*
 * A stream's chunks in other forms, all of them good; and how a stream ends that failed.
 */
#pragma once

#include "base/buf.h"
#include "sim/faults.h"
#include "sim/refusal.h"
#include "sim/request.h"

/* Whole chunks, each written in another form; `text` is a message's data. */
void sim_event_reform(enum sim_event_form form, const char *chunks, size_t len, struct pl_buf *out);
/* An error object behind a stream's 200, and the stream's end. */
void sim_event_error(const struct sim_refusal *refusal, enum sim_api api, struct pl_buf *out);
