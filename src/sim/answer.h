/* Sends complete responses in vLLM's forms, and parses or refuses JSON bodies. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "sim/refusal.h"

#include <stdbool.h>

struct sim_conn;

/* Sends a text that is already JSON. */
void sim_answer_text(struct sim_conn *conn, int status, const char *json);
void sim_answer_json(struct sim_conn *conn, int status, const struct pl_buf *body);
void sim_answer_refusal(struct sim_conn *conn, const struct sim_refusal *refusal);
/* Parses the body as JSON; false: an error was sent. */
bool sim_body_json(struct sim_conn *conn, json_t **ret);
