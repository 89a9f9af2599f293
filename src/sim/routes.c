#include "sim/routes.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "sim/admin.h"
#include "sim/answer.h"
#include "sim/conn.h"
#include "sim/job.h"
#include "sim/scrape.h"
#include "sim/server_priv.h"
#include "sim/tools.h"

#define PAGE_BYTES_MAX (64u << 20)

static void answer_empty(struct sim_conn *conn)
{
	sim_conn_answer(conn, 200, NULL, "", 0);
}

static void show_health(struct sim_conn *conn)
{
	const struct sim_server *server = conn->server;
	/* --sim-unhealthy: it listens and answers everything else, like a server whose engine is still starting. */
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
	/* Invalid UTF-8, a truncated line, invalid values: a reader must record a gap and no values. */
	static const char garbage[] =
		"<html>\n{{{ \xff\xfe = = nan\nvllm:num_requests_running{engine=\n";
	int64_t fault = conn->server->options->faults.metrics;
	auto_buf body = PL_BUF(PAGE_BYTES_MAX);

	if (fault == SIM_METRICS_GONE) {
		sim_answer_text(conn, 404, "{\"detail\":\"Not Found\"}");
		return;
	}
	if (fault == SIM_METRICS_GARBAGE)
		pl_buf_add(&body, garbage, sizeof(garbage) - 1);
	else
		sim_scrape(conn->server, &body);
	sim_conn_answer(conn, 200, "text/plain; version=1.0.0; charset=utf-8", pl_buf_text(&body),
			body.len);
}

/* Like vLLM, caches can only be emptied in development mode; it is the default in the simulator. */
static bool may_reset(struct sim_conn *conn)
{
	if (!pl_text_equal(getenv("VLLM_SERVER_DEV_MODE"), "0"))
		return true;
	sim_answer_text(conn, 404, "{\"detail\":\"Not Found\"}");
	return false;
}

static void note_reset(struct sim_conn *conn, const char *cache)
{
	sim_event_log_reset(conn->server->log, pl_clock_now_ns(), cache);
}

static void reset_prefix_cache(struct sim_conn *conn)
{
	if (!may_reset(conn))
		return;
	bool done = sim_engine_reset_prefix_cache(conn->server->engine);
	if (done)
		note_reset(conn, "prefix");
	sim_answer_text(conn, 200, done ? "{\"success\":true}" : "{\"success\":false}");
}

/* These are always empty: the simulator only accepts texts. */
static void reset_mm_cache(struct sim_conn *conn)
{
	if (!may_reset(conn))
		return;
	note_reset(conn, "mm");
	answer_empty(conn);
}

static void reset_encoder_cache(struct sim_conn *conn)
{
	if (!may_reset(conn))
		return;
	note_reset(conn, "encoder");
	answer_empty(conn);
}

static void show_load(struct sim_conn *conn)
{
	struct sim_engine_stats stats;
	char text[64];

	sim_server_stats(conn->server, &stats);
	snprintf(text, sizeof(text), "{\"server_load\":%u}", stats.running + stats.waiting);
	sim_answer_text(conn, 200, text);
}

static const struct {
	const char *method;
	const char *path;
	void (*fn)(struct sim_conn *conn);
	enum sim_route_model model;
} routes[] = {
#define ROUTE(method, path, handler, model) { method, path, handler, SIM_ROUTE_##model },
#include "tbl/sim_routes.h"
};

/* Returns false if refused, with a response. */
static bool guard(struct sim_conn *conn)
{
	const char *key = conn->server->options->api_key;
	auto_free char *wanted = pl_asprintf("Bearer %s", key != NULL ? key : "");

	if (conn->too_large) {
		sim_answer_text(conn, 413, "{\"detail\":\"Request body too large\"}");
		return false;
	}
	/* As in vLLM, /health, /metrics and others need no key. */
	if (key == NULL || !pl_text_starts(conn->target, "/v1") ||
	    pl_text_equal(conn->authorization, wanted))
		return true;
	sim_answer_text(conn, 401, "{\"error\":\"Unauthorized\"}");
	return false;
}

void sim_route(struct sim_conn *conn)
{
	bool known = false;

	conn->route = SIM_ROUTE_NONE;
	if (!guard(conn))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(routes); i++) {
		/* A known path with another method is 405 instead of 404, as in Starlette. */
		if (!pl_text_equal(routes[i].path, conn->target) ||
		    !sim_options_have_route(conn->server->options, routes[i].model))
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
