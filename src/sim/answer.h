/*
 * Whole answers in the forms that vLLM has, and a body of JSON read or refused.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "sim/refusal.h"

#include <stdbool.h>

struct sim_conn;

/* A text that is JSON already. */
void sim_answer_text(struct sim_conn *conn, int status, const char *json);
void sim_answer_json(struct sim_conn *conn, int status, const struct pl_buf *body);
void sim_answer_refusal(struct sim_conn *conn, const struct sim_refusal *refusal);
/* The body as JSON; false: answered with an error. */
bool sim_body_json(struct sim_conn *conn, json_t **ret);
