#include "sim/answer.h"

#include <stdio.h>
#include <string.h>

#include "io/jwalk.h"
#include "sim/conn.h"

#define JSON_TYPE "application/json"
#define BODY_MAX  (64u << 20)

void sim_answer_text(struct sim_conn *conn, int status, const char *json)
{
	sim_conn_answer(conn, status, JSON_TYPE, json, strlen(json));
}

void sim_answer_json(struct sim_conn *conn, int status, const struct pl_buf *body)
{
	sim_conn_answer(conn, status, JSON_TYPE, pl_buf_text(body), body->len);
}

void sim_answer_refusal(struct sim_conn *conn, const struct sim_refusal *refusal)
{
	auto_buf body = PL_BUF(BODY_MAX);

	sim_refusal_write(refusal, &body);
	sim_answer_json(conn, refusal->status, &body);
}

/* Where the text stops to be JSON, in bytes. */
static size_t json_error_location(const struct pl_buf *body)
{
	struct io_jwalk walk;
	enum io_jwalk_token token;

	/*
	 * jansson counts characters, pydantic's message bytes: the walker stops where its own
	 * grammar ends.
	 */
	io_jwalk_init(&walk, pl_buf_text(body), body->len);
	do {
		token = io_jwalk_next(&walk);
	} while (token != IO_JWALK_ERROR && token != IO_JWALK_DONE);
	return (size_t)(walk.at - pl_buf_text(body));
}

bool sim_body_json(struct sim_conn *conn, json_t **ret)
{
	auto_refusal refusal = SIM_REFUSAL_INIT;
	char position[32];

	if (pl_json_parse(pl_buf_text(&conn->body), conn->body.len, "body", ret, PL_ERR_IGNORED) ==
	    0)
		return true;
	snprintf(position, sizeof(position), "%zu", json_error_location(&conn->body));
	/* FastAPI's own words for a body that is not JSON, which vLLM passes on with 400. */
	sim_refuse_form(&refusal, "json_invalid", position, "JSON decode error",
			"'<dict of 0 items>'", ", 'ctx': {'error': 'Expecting value'}");
	sim_answer_refusal(conn, &refusal);
	return false;
}
