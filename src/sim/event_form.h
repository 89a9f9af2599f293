/* Other valid forms of a stream's chunks, and the end of a failed stream. */
#pragma once

#include "base/buf.h"
#include "sim/faults.h"
#include "sim/refusal.h"
#include "sim/request.h"

/* Writes complete chunks in another form; `text` is the data of a message. */
void sim_event_reform(enum sim_event_form form, const char *chunks, size_t len, struct pl_buf *out);
/* Writes an error object after a stream's status 200, and the end of the stream. */
void sim_event_error(const struct sim_refusal *refusal, enum sim_api api, struct pl_buf *out);
