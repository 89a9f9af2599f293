#include "dash/analysis/watches.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/thread.h"
#include "dash/analysis/verdict.h"
#include "dash/analysis/webhook.h"
#include "dash/request.h"
#include "store/analysis/watch.h"
#include "store/store.h"

#define TICK_NS  PL_NS_PER_S
#define REST     4  /* times the duration of an evaluation */
#define PRIORITY 10 /* nice value */

struct dash_watches {
	const struct dash_context *context;
	struct dash_webhook *webhook; /* NULL: none */
	pthread_t thread;
	struct pl_pause pause;
	atomic_int stop;
	atomic_bool is_dirty; /* a watch has changed */
	/* of the thread: */
	int64_t version;    /* of the data that all watches were evaluated for; -1: none */
	int64_t last_entry; /* the newest entry of the histories that was sent */
	bool is_silent;     /* the webhook failed, and this was logged */
};

/* ---- evaluation ------------------------------------------------------------------------------ */

static void log_state(const json_t *watch, const json_t *state)
{
	auto_free char *name = pl_clean_shown(pl_json_get_text(watch, "name"));
	const json_t *counts = json_object_get(state, "counts");
	const char *message = pl_json_get_text(state, "message");

	if (message != NULL) {
		pl_log(PL_LOG_WARNING, "watch '%s': error: %s", name, message);
		return;
	}
	pl_log(pl_json_get_true(state, "failed") ? PL_LOG_WARNING : PL_LOG_INFO,
	       "watch '%s': %s (%lld regressions and %lld suspects in %lld series)", name,
	       pl_json_get_text(state, "state"), (long long)pl_json_get_i64(counts, "regression"),
	       (long long)pl_json_get_i64(counts, "suspect"),
	       (long long)pl_json_get_i64(counts, "series"));
}

static bool is_current(const json_t *watch, int64_t version)
{
	const json_t *state = json_object_get(watch, "state");

	return json_is_object(state) && pl_json_get_i64(state, "data_version") >= version;
}

static int evaluate(struct dash_watches *watches, const json_t *watch, struct pl_err *err)
{
	auto_json json_t *state = NULL;
	int64_t version = 0;
	bool changed = false;

	if (dash_verdict(watches->context, json_object_get(watch, "question"),
			 pl_json_get_text(watch, "fail_on"), &state, &version, err) < 0 ||
	    store_watch_settle(watches->context->store, pl_json_get_i64(watch, "id"),
			       pl_json_get_i64(watch, "revision"), version, state, &changed,
			       err) < 0)
		return -1;
	if (changed)
		log_state(watch, state);
	return 0;
}

/* Returns -1 if a watch could not be evaluated, to try again later. */
static int evaluate_all(struct dash_watches *watches, int64_t version, struct pl_err *err)
{
	auto_json json_t *all = NULL;
	int result = 0;

	if (store_watch_list(watches->context->store, false, &all, err) < 0)
		return -1;
	PL_JSON_EACH(watch, all) {
		if (atomic_load(&watches->stop) != 0)
			return -1;
		if (!is_current(watch, version) && evaluate(watches, watch, err) < 0)
			result = -1;
	}
	return result;
}

/* ---- webhook --------------------------------------------------------------------------------- */

/*
 * Sends the new entries in order. One that fails is not sent again, but logged; only the first failure in a row is. The
 * others then wait for the next look, because a receiver that does not respond would delay the evaluation by each.
 */
static void send_news(struct dash_watches *watches)
{
	auto_json json_t *news = NULL;

	if (store_watch_news(watches->context->store, watches->last_entry, &news, PL_ERR_IGNORED) <
	    0)
		return;
	PL_JSON_EACH(entry, news) {
		struct pl_err err = PL_ERR_INIT;
		auto_free char *body = pl_json_to_text(entry, PL_JSON_COMPACT);
		if (atomic_load(&watches->stop) != 0)
			return;
		bool failed = dash_webhook_send(watches->webhook, body, strlen(body), &err) < 0;
		watches->last_entry = pl_json_get_i64(entry, "entry");
		if (failed && !watches->is_silent)
			pl_log(PL_LOG_WARNING,
			       "--watch-webhook: could not send the state of a watch: %s",
			       err.text);
		watches->is_silent = failed;
		if (failed)
			return;
	}
}

static int find_last_entry(struct dash_watches *watches, struct pl_err *err)
{
	auto_json json_t *news = NULL;

	if (store_watch_news(watches->context->store, -1, &news, err) < 0)
		return -1;
	watches->last_entry = pl_json_get_i64(json_array_get(news, 0), "entry");
	return 0;
}

/* ---- thread ---------------------------------------------------------------------------------- */

/* Returns the time until the next look. */
static int64_t look(struct dash_watches *watches)
{
	int64_t begin_ns = pl_clock_now_ns(), version = -1;

	if (store_data_version(watches->context->store, &version, PL_ERR_IGNORED) < 0)
		return TICK_NS;
	if (atomic_exchange(&watches->is_dirty, false) || version != watches->version) {
		bool failed = evaluate_all(watches, version, PL_ERR_IGNORED) < 0;
		watches->version = failed ? -1 : version;
	}
	int64_t rest_ns = REST * (pl_clock_now_ns() - begin_ns);
	if (watches->webhook != NULL)
		send_news(watches);
	return rest_ns > TICK_NS ? rest_ns : TICK_NS;
}

static void *run(void *data)
{
	struct dash_watches *watches = data;
	int64_t pause_ns;

	pl_thread_lower(PRIORITY);
	do
		pause_ns = look(watches);
	while (pl_pause_until(&watches->pause, pl_clock_now_ns() + pause_ns));
	return NULL;
}

static void release(struct dash_watches *watches)
{
	pl_pause_done(&watches->pause);
	dash_webhook_free(watches->webhook);
	free(watches);
}

int dash_watches_start(const struct dash_context *context, const char *webhook,
		       struct dash_watches **ret, struct pl_err *err)
{
	struct dash_watches *watches = pl_alloc(sizeof(*watches));

	*watches = (struct dash_watches){ .context = context, .version = -1 };
	pl_pause_init(&watches->pause);
	if ((webhook != NULL &&
	     (dash_webhook_new(webhook, &watches->stop, &watches->webhook, err) < 0 ||
	      find_last_entry(watches, err) < 0)) ||
	    pl_thread_start(&watches->thread, run, watches, err) < 0) {
		release(watches);
		return -1;
	}
	*ret = watches;
	return 0;
}

void dash_watches_wake(struct dash_watches *watches)
{
	atomic_store(&watches->is_dirty, true);
}

void dash_watches_stop(struct dash_watches *watches)
{
	if (watches == NULL)
		return;
	atomic_store(&watches->stop, 1);
	store_end_questions(watches->context->store);
	pl_pause_end(&watches->pause);
	pthread_join(watches->thread, NULL);
	release(watches);
}
