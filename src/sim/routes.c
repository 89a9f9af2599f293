#include "sim/server_priv.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/jwalk.h"

#define JSON_TYPE "application/json"
#define BODY_MAX  (64u << 20)

void sim_answer_text(struct sim_conn *conn, int status, const char *json)
{
	sim_conn_answer(conn, status, JSON_TYPE, json, strlen(json));
}

static void answer_empty(struct sim_conn *conn)
{
	sim_conn_answer(conn, 200, NULL, "", 0);
}

static void show_health(struct sim_conn *conn)
{
	const struct sim_server *server = conn->server;
	bool well = pl_clock_now_ns() - server->listening_ns >=
		    server->options->faults.unhealthy_ns;

	sim_conn_answer(conn, well ? 200 : 503, NULL, "", 0);
}

static void show_version(struct sim_conn *conn)
{
	sim_answer_text(conn, 200, "{\"version\":\"" SIM_SERVER_NAME " " PROFLLM_VERSION "\"}");
}

static void show_metrics(struct sim_conn *conn)
{
	static const char garbage[] =
		"<html>\n{{{ \xff\xfe = = nan\nvllm:num_requests_running{engine=\n";
	int64_t fault = conn->server->options->faults.metrics;
	auto_buf body = { 0 };

	if (fault == SIM_METRICS_GONE) {
		sim_answer_text(conn, 404, "{\"detail\":\"Not Found\"}");
		return;
	}
	pl_buf_init(&body, BODY_MAX);
	if (fault == SIM_METRICS_GARBAGE)
		pl_buf_add(&body, garbage, sizeof(garbage) - 1);
	else
		sim_scrape(conn->server, &body);
	sim_conn_answer(conn, 200, "text/plain; version=1.0.0; charset=utf-8", pl_buf_text(&body),
			body.len);
}

static void reset_prefix_cache(struct sim_conn *conn)
{
	bool done = sim_engine_reset_prefix_cache(conn->server->engine);

	sim_answer_text(conn, 200, done ? "{\"success\":true}" : "{\"success\":false}");
}

static void show_load(struct sim_conn *conn)
{
	struct sim_engine_stats stats;
	char text[64];

	sim_engine_stats(conn->server->engine, &stats);
	snprintf(text, sizeof(text), "{\"server_load\":%u}", stats.running + stats.waiting);
	sim_answer_text(conn, 200, text);
}

static const struct {
	const char *method;
	const char *path;
	void (*fn)(struct sim_conn *conn);
} routes[] = {
	{ "GET", "/health", show_health },
	{ "GET", "/ping", answer_empty },
	{ "POST", "/ping", answer_empty },
	{ "GET", "/version", show_version },
	{ "GET", "/load", show_load },
	{ "GET", "/metrics", show_metrics },
	{ "GET", "/server_info", sim_show_server_info },
	{ "GET", "/v1/models", sim_list_models },
	{ "POST", "/v1/completions", sim_job_completions },
	{ "POST", "/v1/chat/completions", sim_job_chat },
	{ "POST", "/v1/responses", sim_job_responses },
	{ "POST", "/tokenize", sim_tokenize },
	{ "POST", "/detokenize", sim_detokenize },
	{ "GET", "/tokenizer_info", sim_tokenizer_info },
	{ "POST", "/reset_prefix_cache", reset_prefix_cache },
	{ "POST", "/reset_mm_cache", answer_empty },
	{ "POST", "/reset_encoder_cache", answer_empty },
	{ "POST", "/sleep", sim_sleep },
	{ "POST", "/wake_up", sim_wake_up },
	{ "GET", "/is_sleeping", sim_is_sleeping },
	{ "POST", "/start_profile", sim_start_profile },
	{ "POST", "/stop_profile", sim_stop_profile },
};
_Static_assert(PL_ARRAY_SIZE(routes) <= SIM_ROUTES_MAX, "each route has its counters");

size_t sim_route_count(void)
{
	return PL_ARRAY_SIZE(routes);
}

const char *sim_route_path(size_t i)
{
	return routes[i].path;
}

const char *sim_route_method(size_t i)
{
	return routes[i].method;
}

void sim_answer_json(struct sim_conn *conn, int status, const struct pl_buf *body)
{
	sim_conn_answer(conn, status, JSON_TYPE, pl_buf_text(body), body->len);
}

void sim_answer_refusal(struct sim_conn *conn, const struct sim_refusal *refusal)
{
	auto_buf body = { 0 };

	pl_buf_init(&body, BODY_MAX);
	sim_refusal_write(refusal, &body);
	sim_answer_json(conn, refusal->status, &body);
}

/* Where the text stops to be JSON, in bytes. */
static size_t json_error_place(const struct pl_buf *body)
{
	struct io_jwalk walk;
	enum io_jwalk_token token;

	io_jwalk_init(&walk, pl_buf_text(body), body->len);
	do {
		token = io_jwalk_next(&walk);
	} while (token != IO_JWALK_ERROR && token != IO_JWALK_DONE);
	return (size_t)(walk.at - pl_buf_text(body));
}

bool sim_body_json(struct sim_conn *conn, json_t **ret)
{
	struct pl_err err = PL_ERR_INIT;
	struct sim_refusal refusal;
	char place[32];

	if (pl_json_parse(pl_buf_text(&conn->body), conn->body.len, "body", ret, &err) == 0)
		return true;
	sim_refusal_init(&refusal);
	snprintf(place, sizeof(place), "%zu", json_error_place(&conn->body));
	sim_refuse_form(&refusal, "json_invalid", place, "JSON decode error", "'<dict of 0 items>'",
			", 'ctx': {'error': 'Expecting value'}");
	sim_answer_refusal(conn, &refusal);
	sim_refusal_done(&refusal);
	return false;
}

/* False: refused and answered. */
static bool guard(struct sim_conn *conn)
{
	const char *key = conn->server->options->api_key;
	auto_free char *wanted = pl_asprintf("Bearer %s", key != NULL ? key : "");

	if (conn->too_large) {
		sim_answer_text(conn, 413, "{\"detail\":\"Request body too large\"}");
		return false;
	}
	if (key == NULL || !pl_text_starts(conn->target, "/v1") ||
	    pl_text_equal(conn->authorization, wanted))
		return true;
	sim_answer_text(conn, 401, "{\"error\":\"Unauthorized\"}");
	return false;
}

void sim_route(struct sim_conn *conn)
{
	bool known = false;

	conn->route = PL_ARRAY_SIZE(routes);
	if (!guard(conn))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(routes); i++) {
		if (!pl_text_equal(routes[i].path, conn->target))
			continue;
		known = true;
		if (!pl_text_equal(routes[i].method, conn->method))
			continue;
		conn->route = i;
		routes[i].fn(conn);
		return;
	}
	if (known)
		sim_answer_text(conn, 405, "{\"detail\":\"Method Not Allowed\"}");
	else
		sim_answer_text(conn, 404, "{\"detail\":\"Not Found\"}");
}
