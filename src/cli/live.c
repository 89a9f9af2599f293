#include "cli/live.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "result/document.h"
#include "run/watch/watch.h"
#include "upload/live.h"

#define END_WAIT_NS (2 * PL_NS_PER_S)

static void warn(void *data, const char *why)
{
	struct cli_live *live = data;

	if (atomic_exchange(&live->has_warned, true))
		return;
	pl_log(PL_LOG_WARNING, "no live view: %s; the run continues", why);
}

/* The id of the run is in its first snapshot. Returns false if no snapshot can be sent. */
static bool start_sender(struct cli_live *live, const json_t *snapshot)
{
	const struct upload_live_options options = {
		.target = live->target,
		.run_id = pl_json_path_text(snapshot, "run.run_id"),
		.warn = warn,
		.data = live,
	};
	struct pl_err err = PL_ERR_INIT;

	if (live->sender != NULL || live->has_failed)
		return live->sender != NULL;
	if (upload_live_start(&options, &live->sender, &err) == 0)
		return true;
	live->has_failed = true;
	warn(live, err.text);
	return false;
}

static void take(void *data, const json_t *snapshot)
{
	struct cli_live *live = data;

	json_decref(live->last);
	live->last = json_incref((json_t *)snapshot);
	if (start_sender(live, snapshot))
		upload_live_put(live->sender, pl_json_to_text(snapshot, PL_JSON_COMPACT));
}

static void set_sink(struct cli_live *live, const char *url)
{
	live->sink = (struct run_sink){
		.take = take,
		.data = live,
		.command = live->command,
		.page = pl_text_starts(url, "unix:") ? NULL : url,
	};
}

const struct run_sink *cli_live_open(struct cli_dashboard *dashboard, const char *command,
				     struct cli_live *ret)
{
	struct pl_err err = PL_ERR_INIT;

	*ret = (struct cli_live){ .command = pl_strdup(command), .has_own = true };
	ret->target = &ret->own;
	set_sink(ret, dashboard->url);
	if (cli_dashboard_open(dashboard, &ret->own, &err) == 0)
		return &ret->sink;
	warn(ret, err.text);
	return NULL;
}

const struct run_sink *cli_live_begin(const struct run_target *target, const char *url,
				      const struct run_point *point, struct cli_live *live)
{
	live->target = target;
	set_sink(live, url);
	live->sink.point = point;
	return &live->sink;
}

static json_t *last_snapshot(const json_t *before, const json_t *result, int exit_status)
{
	json_t *last = json_deep_copy(before);
	const char *status = result != NULL ? pl_json_get_text(result, "status") : NULL;
	json_t *reason = result != NULL ? pl_json_get_path(result, "error.message") : NULL;
	json_t *quality = result != NULL ? json_object_get(result, "quality") : NULL;

	json_object_set_new(last, "sequence",
			    json_integer(pl_json_get_i64(before, "sequence") + 1));
	json_object_set_new(json_object_get(last, "phase"), "name", json_string("ended"));
	if (json_is_object(quality)) {
		json_t *verdict = run_watch_verdict(quality, true);
		/* as in the report, a run that did not complete has none */
		if (!pl_text_equal(status, res_status_name(RES_STATUS_COMPLETED)))
			json_object_set_new(verdict, "state", json_string("unknown"));
		json_object_set_new(last, "verdict", verdict);
	}
	json_object_set_new(last, "ended",
			    json_pack("{s:i, s:s, s:o}", "exit_status", exit_status & 0xff, "state",
				      status != NULL ? status : "failed", "sentence",
				      json_is_string(reason) && json_string_length(reason) < 2000
					      ? json_incref(reason)
					      : json_null()));
	return last;
}

void cli_live_close(struct cli_live *live, const json_t *result, int exit_status)
{
	if (live->sender != NULL) {
		auto_json json_t *last = last_snapshot(live->last, result, exit_status);
		upload_live_put(live->sender, pl_json_to_text(last, PL_JSON_COMPACT));
		upload_live_stop(live->sender, END_WAIT_NS);
	}
	if (live->has_own)
		run_target_done(&live->own);
	json_decref(live->last);
	free(live->command);
	*live = (struct cli_live){ .has_warned = atomic_load(&live->has_warned) };
}
