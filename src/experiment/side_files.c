#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/zst.h"
#include "experiment/run_priv.h"

static int write_line(struct pl_zst *zst, const json_t *json, struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);

	if (pl_zst_write(zst, text, strlen(text), err) < 0)
		return -1;
	return pl_zst_write(zst, "\n", 1, err);
}

static int write_requests(const struct exp_run *run, struct pl_err *err)
{
	auto_zst struct pl_zst *zst = NULL;

	if (pl_zst_open(run->paths.requests, &zst, err) < 0)
		return -1;
	for (size_t i = 0; i < run->outcome->count; i++) {
		auto_json json_t *json = md_record_to_json(&run->outcome->records[i]);
		if (write_line(zst, json, err) < 0)
			return -1;
	}
	return pl_zst_commit(zst, err);
}

/* {t_ns, source, id, values} of api/series.schema.json; takes `values`. */
static int write_sample(struct pl_zst *zst, int64_t t_ns, const char *source, json_t *values,
			struct pl_err *err)
{
	auto_json json_t *line = json_pack("{s:I, s:s, s:n, s:o}", "t_ns", (json_int_t)t_ns,
					   "source", source, "id", "values", values);

	return write_line(zst, line, err);
}

static int write_series(const struct exp_run *run, size_t *ret_lines, struct pl_err *err)
{
	auto_zst struct pl_zst *zst = NULL;
	const struct exp_window *window = &run->window;
	size_t lines = 0;

	if (pl_zst_open(run->paths.series, &zst, err) < 0)
		return -1;
	for (size_t i = 0; i < run->outcome->inflight_count; i++, lines++) {
		const struct bench_inflight *at = &run->outcome->inflight[i];
		json_t *values = json_pack("{s:i}", "in_flight", (int)at->in_flight);
		if (write_sample(zst, at->t_ns, "load", values, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < window->sample_count; i++) {
		const struct host_metrics_sample *sample = &window->samples[i];
		if (!sample->known)
			continue;
		lines++;
		if (write_sample(zst, sample->answered_ns, "server",
				 host_metrics_to_json(&sample->metrics), err) < 0)
			return -1;
	}
	*ret_lines = lines;
	return pl_zst_commit(zst, err);
}

static int add_artifact(json_t *artifacts, const char *path, enum md_artifact_kind kind,
			struct pl_err *err)
{
	json_t *artifact = NULL;

	if (md_result_artifact(path, kind, &artifact, err) < 0)
		return -1;
	json_array_append_new(artifacts, artifact);
	return 0;
}

static json_t *series_section(const struct exp_run *run, size_t lines)
{
	const struct exp_window *window = &run->window;
	json_t *series = md_result_empty("series");
	auto_free char *name = pl_file_name(run->paths.series);
	int64_t interval_ns = run->experiment->telemetry.server_metrics_ns;
	double elapsed_ns = (double)(window->end_ns - window->start_ns);

	json_object_set_new(series, "file", json_string(name));
	json_object_set_new(series, "samples", json_integer((json_int_t)lines));
	if (run->sampler != NULL && elapsed_ns > 0) {
		json_object_set_new(series, "server_interval_ms",
				    pl_json_number((double)interval_ns / 1e6));
		json_object_set_new(series, "overhead_share",
				    pl_json_number((double)window->sampler_cpu_ns / elapsed_ns));
	}
	return series;
}

/* Files of an earlier result by this name are not this one's. */
static void remove_old(const struct exp_run *run)
{
	unlink(run->paths.requests);
	unlink(run->paths.series);
	if (run->server.spawned_ns == MD_NO_TIME)
		unlink(run->paths.server_log);
}

int exp_side_files(const struct exp_run *run, json_t **ret_artifacts, json_t **ret_series,
		   struct pl_err *err)
{
	auto_json json_t *artifacts = json_array();
	auto_json json_t *series = NULL;
	size_t lines = 0;

	remove_old(run);
	if (run->outcome != NULL && run->experiment->output.requests &&
	    (write_requests(run, err) < 0 ||
	     add_artifact(artifacts, run->paths.requests, MD_ARTIFACT_REQUESTS, err) < 0))
		return -1;
	if (run->outcome != NULL && run->experiment->output.series) {
		if (write_series(run, &lines, err) < 0 ||
		    add_artifact(artifacts, run->paths.series, MD_ARTIFACT_SERIES, err) < 0)
			return -1;
		series = series_section(run, lines);
	}
	if (pl_file_exists(run->paths.server_log) &&
	    add_artifact(artifacts, run->paths.server_log, MD_ARTIFACT_SERVER_LOG, err) < 0)
		return -1;
	*ret_artifacts = pl_take(artifacts);
	*ret_series = pl_take(series);
	return 0;
}
