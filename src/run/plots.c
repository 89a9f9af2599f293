/*
 * The charts of a run. A chart only repeats the records, so a failure to draw it is a warning and does not affect the
 * result. Before the run, the paths are checked to be writable.
 */
#include "run/plots.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "plot/dataset.h"
#include "plot/timeline/timeline.h"
#include "result/flat/file.h"
#include "run/document/flat_result.h"
#include "run/run_priv.h"

/* Returns NULL for a real engine; free(). */
static char *simulator_of(const json_t *engine)
{
	if (!pl_json_get_true(engine, "simulated"))
		return NULL;
	char *name = res_engine_text(engine);
	return name != NULL ? name : pl_strdup("a simulator");
}

static int draw_timeline(const struct run_plots *plots, struct pl_err *err)
{
	auto_free char *simulator = simulator_of(plots->engine);
	struct plot_timeline_input input = {
		.records = plots->records,
		.count = plots->count,
		.model = plots->model,
		.backend = plots->bench->backend,
		.real_offset_ns = plots->real_offset_ns,
		.simulator = simulator,
	};

	(void)vllm_bench_thresholds(plots->bench->timeline_itl_thresholds, input.thresholds_ms);
	return plot_timeline(&input, plots->timeline_path, err);
}

static int draw_dataset(const struct run_plots *plots, struct pl_err *err)
{
	struct plot_dataset_input input = {
		.dataset = plots->bench->dataset_name,
		.model = plots->model,
		.records = plots->records,
		.count = plots->count,
	};

	return plot_dataset(&input, plots->dataset_path, err);
}

/* The charts. */
static const struct picture {
	size_t requested; /* offset of the option in struct vllm_bench */
	size_t path;      /* offset in struct run_plots */
	const char *suffix;
	enum res_artifact_kind kind;
	const char *what;
	int (*draw)(const struct run_plots *plots, struct pl_err *err);
} pictures[] = {
	{ offsetof(struct vllm_bench, plot_timeline), offsetof(struct run_plots, timeline_path),
	  RUN_TIMELINE_SUFFIX, RES_ARTIFACT_TIMELINE, "time line", draw_timeline },
	{ offsetof(struct vllm_bench, plot_dataset_stats), offsetof(struct run_plots, dataset_path),
	  RUN_DATASET_STATS_SUFFIX, RES_ARTIFACT_DATASET_STATS, "lengths in the dataset",
	  draw_dataset },
};

static bool is_requested(const struct picture *picture, const struct vllm_bench *bench)
{
	return *(const bool *)((const char *)bench + picture->requested);
}

static const char *path_of(const struct picture *picture, const struct run_plots *plots)
{
	return *(const char *const *)((const char *)plots + picture->path);
}

void run_plots_draw(const struct run_plots *plots, json_t *artifacts)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(pictures); i++) {
		const struct picture *picture = &pictures[i];
		const char *path = path_of(picture, plots);
		struct pl_err why = PL_ERR_INIT;
		if (!is_requested(picture, plots->bench))
			continue;
		if (picture->draw(plots, &why) < 0) {
			pl_log(PL_LOG_WARNING, "could not draw the %s: %s", picture->what,
			       why.text);
			continue;
		}
		if (!plots->quiet)
			pl_log(PL_LOG_INFO, "%s: %s", picture->what, path);
		if (artifacts != NULL && res_artifact_add(artifacts, path, picture->kind, &why) < 0)
			pl_log(PL_LOG_WARNING, "%s", why.text);
	}
}

static bool is_wanted(const struct run_state *run)
{
	bool any = false;

	for (size_t i = 0; i < PL_ARRAY_SIZE(pictures); i++)
		any |= is_requested(&pictures[i], &run->context.experiment->bench);
	return any && !run->client->draws_pictures;
}

/* Without records; with the engine that responded. */
static struct run_plots plots_of(const struct run_state *run)
{
	return (struct run_plots){
		.bench = &run->context.experiment->bench,
		.model = run->identity.model,
		.real_offset_ns = run->context.started_real_ns - run->context.started_ns,
		.timeline_path = run->paths.timeline,
		.dataset_path = run->paths.dataset_stats,
		.quiet = run->settings->quiet,
	};
}

int run_plots_check_paths(const struct run_state *run, struct pl_err *err)
{
	struct run_plots plots = plots_of(run);

	if (!is_wanted(run))
		return 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(pictures); i++) {
		const struct picture *picture = &pictures[i];
		if (!is_requested(picture, plots.bench))
			continue;
		int done = run->settings->names_of_vllm
				   ? res_flat_check_artifact(plots.bench, picture->suffix, err)
				   : pl_file_check_writable(path_of(picture, &plots), err);
		if (done < 0)
			return -1;
	}
	return 0;
}

/* Artifacts are in the directory of their result. */
static bool is_alternative(const char *path, const char *other)
{
	auto_free char *folder = pl_file_dir(path);
	auto_free char *other_folder = pl_file_dir(other);

	return pl_file_same(folder, other_folder);
}

/* Charts named after the flat result, whether it is written or not. */
static void draw_for_flat(const struct run_state *run, struct run_plots *plots, json_t *artifacts)
{
	struct vllm_bench bench = run->context.experiment->bench;
	auto_free char *alternative_name = run_flat_alternative_name(run);
	struct res_flat_input input;
	struct pl_err why = PL_ERR_INIT;

	run_flat_input(run, NULL, &input);
	if (alternative_name != NULL)
		bench.result_filename = alternative_name;
	input.bench = &bench;
	if (res_flat_folder(&run->context.experiment->bench, &why) < 0) {
		pl_log(PL_LOG_WARNING, "no pictures: %s", why.text);
		return;
	}
	auto_free char *flat = res_flat_path(&input);
	bool listed = run->settings->output_dropped || is_alternative(flat, run->settings->output);
	char *alternative[PL_ARRAY_SIZE(pictures)];
	for (size_t i = 0; i < PL_ARRAY_SIZE(pictures); i++) {
		alternative[i] = res_flat_artifact_path(flat, pictures[i].suffix);
		memcpy((char *)plots + pictures[i].path, &alternative[i], sizeof(alternative[i]));
	}
	run_plots_draw(plots, listed ? artifacts : NULL);
	for (size_t i = 0; i < PL_ARRAY_SIZE(pictures); i++)
		free(alternative[i]);
}

void run_plots_of_run(const struct run_state *run, json_t *artifacts)
{
	const struct run_identity *identity = &run->identity;
	struct run_plots plots = plots_of(run);

	if (!is_wanted(run) || run->measured.outcome == NULL ||
	    run->measured.outcome->records == NULL)
		return;
	plots.records = run->measured.outcome->records;
	plots.count = run->measured.outcome->count;
	auto_json json_t *engine = json_pack(
		"{s:o, s:o, s:b}", "name", pl_json_text(identity->name), "version",
		pl_json_text(identity->engine_version), "simulated", identity->simulated);
	plots.engine = engine;
	if (run->settings->names_of_vllm)
		draw_for_flat(run, &plots, artifacts);
	else
		run_plots_draw(&plots, artifacts);
}
