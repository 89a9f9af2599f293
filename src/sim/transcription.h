/* /v1/audio/transcriptions and /v1/audio/translations: their form, prompt, events and response. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "sim/refusal.h"

#include <stdbool.h>

struct sim_choice;
struct sim_conn;
struct sim_job;
struct sim_limits;
struct sim_prompt;

/*
 * Converts a form to the body that sim_request_parse() takes: its fields, `stream_options`, and as `file` an object with
 * the tokens of the recording. A new reference.
 */
int sim_form_to_body(const char *type, const char *bytes, size_t len, json_t **ret,
		     struct sim_refusal *refusal) PL_MUST_CHECK;
/* Does it with the body of a request; false: refused, with a response. */
bool sim_body_form(struct sim_conn *conn, json_t **ret);
/* The tokens of the recording, then those of the text `prompt`. */
int sim_prompt_from_recording(const json_t *body, const struct sim_limits *limits,
			      struct sim_prompt *ret, struct sim_refusal *refusal) PL_MUST_CHECK;

/* An event up to the first choice; its end after the text; the event with the usage. */
void sim_transcription_head(const struct sim_job *job, struct pl_buf *out);
void sim_transcription_delta_end(const struct sim_choice *choice, struct pl_buf *out);
void sim_transcription_end(const struct sim_job *job, struct pl_buf *out);
void sim_transcription_answer(const struct sim_job *job, struct pl_buf *out);
