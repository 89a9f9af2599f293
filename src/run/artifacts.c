/*
 * Writes the artifacts of a result. Each is complete before the document is made, because the document contains its
 * size and SHA-256. Files that are not in `artifacts` do not belong to this run.
 */
#include "run/artifacts.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/zst.h"
#include "result/record_line.h"
#include "run/plots.h"
#include "run/redact.h"
#include "run/run_priv.h"

/* Longer than any: an event is 8 bytes in memory and less than ten times that in a line. */
#define LINE_BYTES_MAX (1u << 30)

static int write_record(struct pl_zst *zst, struct pl_buf *line, const struct res_record *record,
			struct pl_err *err)
{
	pl_buf_clear(line);
	if (!res_record_add_json(line, record) || !pl_buf_add_char(line, '\n'))
		return pl_err_set(err, PL_ERR_INTERNAL, "the record of a request is too long");
	return pl_zst_write(zst, line->data, line->len, err);
}

int run_requests_write(const char *path, const struct res_outcome *outcome, struct pl_err *err)
{
	size_t at = 0;
	auto_buf line = PL_BUF(LINE_BYTES_MAX);
	auto_zst struct pl_zst *zst = NULL;

	if (pl_zst_open(path, &zst, err) < 0)
		return -1;
	for (size_t i = 0; i < outcome->count; i++) {
		/* both are in the order of requests: one pass, failed attempts before the final record */
		for (; at < outcome->try_count && outcome->tries[at]->index == i; at++) {
			if (write_record(zst, &line, outcome->tries[at], err) < 0)
				return -1;
		}
		if (write_record(zst, &line, &outcome->records[i], err) < 0)
			return -1;
	}
	return pl_zst_commit(zst, err);
}

/* Writes {t_ns, source, id, values} of api/series.schema.json; takes `values`. */
static int write_sample(struct pl_zst *zst, int64_t t_ns, const char *source, json_t *values,
			struct pl_err *err)
{
	auto_json json_t *line = json_pack("{s:I, s:s, s:n, s:o}", "t_ns", (json_int_t)t_ns,
					   "source", source, "id", "values", values);

	auto_free char *text = pl_json_to_text(line, PL_JSON_COMPACT);
	if (pl_zst_write(zst, text, strlen(text), err) < 0)
		return -1;
	return pl_zst_write(zst, "\n", 1, err);
}

/* Appends the load's own counters to the telemetry of the run. */
static int finish_series(const struct run_state *run, size_t *ret_lines, struct pl_err *err)
{
	struct pl_zst *zst = run->telemetry.series;
	size_t count = run->measured.outcome != NULL ? run->measured.outcome->inflight_count : 0;
	struct host_telemetry_cost cost;

	if (host_telemetry_check_series(run->telemetry.host, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct res_inflight *at = &run->measured.outcome->inflight[i];
		json_t *values = json_pack("{s:i}", "in_flight", (int)at->in_flight);
		if (write_sample(zst, at->t_ns, "load", values, err) < 0)
			return -1;
	}
	host_telemetry_cost(run->telemetry.host, &cost);
	*ret_lines = (size_t)cost.lines + count;
	return pl_zst_commit(zst, err);
}

static json_t *series_section(const struct run_state *run, size_t lines)
{
	const struct exp_telemetry *requested = &run->context.experiment->telemetry;
	json_t *series = res_document_empty("series");
	auto_free char *name = pl_file_name(run->paths.series);
	const struct host_windows *windows = host_telemetry_windows(run->telemetry.host);
	struct host_telemetry_cost cost;

	host_telemetry_cost(run->telemetry.host, &cost);
	json_object_set_new(series, "file", pl_json_text(name));
	json_object_set_new(series, "samples", json_integer((json_int_t)lines));
	json_object_set_new(series, "interval_ms",
			    pl_json_number((double)requested->interval_ns / 1e6));
	/* several measured windows: from the start of the first to the end of the last */
	if (windows->count > 0) {
		const struct host_window *last = &windows->items[windows->count - 1];
		json_object_set_new(series, "measured_begin_ns",
				    json_integer(windows->items[0].begin_ns));
		json_object_set_new(series, "measured_end_ns",
				    pl_json_i64(last->end_ns, last->end_ns != INT64_MAX));
	}
	if (cost.metrics_requested > 0)
		json_object_set_new(series, "server_interval_ms",
				    pl_json_number((double)requested->server_metrics_ns / 1e6));
	/* of one core, over the whole run */
	if (cost.ticks.elapsed_s > 0)
		json_object_set_new(series, "overhead_share",
				    pl_json_number(cost.cpu_s / cost.ticks.elapsed_s));
	return series;
}

/* Redacts the output of a server or a client before it computes the hash: an artifact is the final file. */
static int add_log(json_t *artifacts, const char *path, enum res_artifact_kind kind,
		   struct pl_err *err)
{
	if (!pl_file_exists(path))
		return 0;
	if (run_redact_file(path, err) < 0)
		return -1;
	return res_artifact_add(artifacts, path, kind, err);
}

/* A result without its traces is still a result. */
static void add_traces(const struct run_state *run, json_t *artifacts)
{
	struct pl_err err = PL_ERR_INIT;

	for (size_t i = 0; i < run->profile.traces.count; i++) {
		const char *path = run->profile.traces.items[i].path;
		if (path != NULL && res_artifact_add(artifacts, path, RES_ARTIFACT_TRACE, &err) < 0)
			pl_log(PL_LOG_WARNING, "trace '%s' is missing in the result: %s", path,
			       err.text);
	}
}

int run_artifacts(const struct run_state *run, json_t **ret_artifacts, json_t **ret_series,
		  struct pl_err *err)
{
	auto_json json_t *artifacts = json_array();
	auto_json json_t *series = NULL;
	size_t lines = 0;

	/* Removes files of an earlier result with these names. */
	unlink(run->paths.requests);
	unlink(run->paths.series);
	unlink(run->paths.timeline);
	unlink(run->paths.dataset_stats);
	/* logs are written from the start, so an existing one belongs to this run */
	if (run->server.spawned_ns == RES_NO_TIME)
		unlink(run->paths.server_log);
	if (!run->measured.has_log)
		unlink(run->paths.client_log);
	if (run->measured.outcome != NULL && run->measured.outcome->records != NULL &&
	    run->context.experiment->output.requests &&
	    (run_requests_write(run->paths.requests, run->measured.outcome, err) < 0 ||
	     res_artifact_add(artifacts, run->paths.requests, RES_ARTIFACT_REQUESTS, err) < 0))
		return -1;
	if (run->telemetry.over && run->telemetry.series != NULL) {
		if (finish_series(run, &lines, err) < 0 ||
		    res_artifact_add(artifacts, run->paths.series, RES_ARTIFACT_SERIES, err) < 0)
			return -1;
		series = series_section(run, lines);
	}
	if (add_log(artifacts, run->paths.server_log, RES_ARTIFACT_SERVER_LOG, err) < 0)
		return -1;
	if (add_log(artifacts, run->paths.client_log, RES_ARTIFACT_CLIENT_LOG, err) < 0)
		return -1;
	PL_JSON_EACH(plot, run->measured.plots) {
		if (res_artifact_add(artifacts, json_string_value(plot), RES_ARTIFACT_CLIENT_PLOT,
				     err) < 0)
			return -1;
	}
	run_plots_of_run(run, artifacts);
	add_traces(run, artifacts);
	*ret_artifacts = pl_take(artifacts);
	*ret_series = pl_take(series);
	return 0;
}
