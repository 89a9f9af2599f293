/*
 * vLLM's own files of a run, in addition to ours: the flat result, the lines on failures, and the file for PyTorch's
 * dashboard. A file named after its time never collides; one with a fixed name may hold an earlier result.
 */
#include "run/document/flat_result.h"

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "result/existing.h"
#include "result/flat/file.h"
#include "result/flat/pytorch.h"
#include "result/report.h"
#include "run/journal/file.h"
#include "run/paths.h"
#include "run/run_priv.h"

#define FAILURES_BYTES_MAX (1u << 20)

void run_failure_lines(const struct run_state *run)
{
	auto_buf lines = PL_BUF(FAILURES_BYTES_MAX);

	if (run->settings->failures == NULL || run->measured.outcome == NULL)
		return;
	res_report_first_failures(run->measured.outcome->records, run->measured.outcome->count,
				  &lines);
	*run->settings->failures = pl_buf_take(&lines);
}

/* Returns benchmark.model, or the server's name for the model it serves: its path or hub id. */
static const char *model_id_of(const struct run_state *run)
{
	const char *root = run_identity_root(&run->identity);

	if (run->context.experiment->bench.model != NULL)
		return run->context.experiment->bench.model;
	return root != NULL ? root : run->identity.model;
}

void run_flat_input(const struct run_state *run, const json_t *document, struct res_flat_input *ret)
{
	const struct res_outcome *outcome = run->measured.outcome;
	int64_t real_ns = run->context.started_real_ns - run->context.started_ns;

	*ret = (struct res_flat_input){
		.bench = &run->context.experiment->bench,
		.results = json_object_get(document, "results"),
		.records = outcome->records,
		.count = outcome->count,
		.model_id = model_id_of(run),
		.start_ns = outcome->start_ns,
		.started_real_ns = real_ns + outcome->start_ns,
		.ended_real_ns = real_ns + outcome->end_ns,
		.document = document,
	};
}

/* Returns the path of a new file with a fixed name; free(). NULL: it is appended to, or named after its time. */
static char *fixed_path(const struct vllm_bench *bench)
{
	const struct res_flat_input named = { .bench = bench };

	if (bench->append_result || bench->result_filename == NULL ||
	    bench->result_filename[0] == '\0')
		return NULL;
	return res_flat_path(&named);
}

/* `bench` replaces a result as vLLM does, but no other file. */
static int check_offline_existing(const struct run_state *run, struct pl_err *err)
{
	const char *path = run->context.experiment->bench.output_json;

	if (path == NULL)
		return 0;
	if (pl_file_check_writable(path, err) < 0)
		return pl_err_wrap(err, "{benchmark.output_json}");
	if (run->settings->overwrite || run->settings->names_of_vllm)
		return res_existing_check_replaced(path, "benchmark.output_json", true, err);
	return res_existing_check(path, "benchmark.output_json", err);
}

int run_flat_check_existing(const struct run_state *run, struct pl_err *err)
{
	const struct vllm_bench *bench = &run->context.experiment->bench;
	auto_free char *path = fixed_path(bench);

	if (check_offline_existing(run, err) < 0)
		return -1;
	if (path == NULL || !bench->save_result || run->settings->names_of_vllm)
		return 0;
	if (run->settings->overwrite)
		return res_existing_check_replaced(path, "benchmark.result_filename", true, err);
	return res_existing_check(path, "benchmark.result_filename", err);
}

/* Returns whether it is the result, one of its artifacts (except `own`), or its journal. */
static bool is_of_run(const struct run_paths *paths, const char *path, const char *artifact)
{
	auto_free char *journal = run_journal_path(paths->output);
	bool is = pl_file_would_be_same(paths->result, path) ||
		  pl_file_would_be_same(journal, path);

	for (size_t i = 0; i < run_paths_artifact_count() && !is; i++) {
		const char *side = run_paths_artifact(paths, i);
		is = side != artifact && pl_file_would_be_same(side, path);
	}
	return is;
}

int run_flat_check_apart(const struct vllm_bench *bench, const struct run_paths *paths,
			 bool names_of_vllm, struct pl_err *err)
{
	const struct res_flat_input named = { .bench = bench };
	bool is_saved = bench->save_result || bench->append_result;
	const struct {
		bool written;
		const char *suffix;   /* NULL: the flat result itself */
		const char *artifact; /* the only chart that the run writes there */
	} files[] = {
		{ is_saved, NULL, NULL },
		{ is_saved && res_pytorch_wanted(), RES_PYTORCH_SUFFIX, NULL },
		{ names_of_vllm && bench->plot_timeline, RUN_TIMELINE_SUFFIX, paths->timeline },
		{ names_of_vllm && bench->plot_dataset_stats, RUN_DATASET_STATS_SUFFIX,
		  paths->dataset_stats },
	};

	if (bench->output_json != NULL && is_of_run(paths, bench->output_json, NULL))
		return pl_err_invalid(err,
				      "--output '%s' and {benchmark.output_json} would both write "
				      "'%s'",
				      paths->output, bench->output_json);
	/* a file named after its time never collides */
	if (bench->result_filename == NULL || bench->result_filename[0] == '\0')
		return 0;
	auto_free char *flat = res_flat_path(&named);
	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_free char *artifact_path = files[i].suffix != NULL
							? res_flat_artifact_path(flat,
										 files[i].suffix)
							: pl_strdup(flat);
		if (files[i].written && is_of_run(paths, artifact_path, files[i].artifact))
			return pl_err_invalid(err,
					      "--output '%s' and {benchmark.result_filename} '%s' "
					      "would both write '%s'",
					      paths->output, flat, artifact_path);
	}
	return 0;
}

/* Equals res_worth() of the run's result, which does not exist yet when its charts are drawn. */
static enum res_worth worth_of(const struct run_state *run)
{
	const struct res_outcome *outcome = run->measured.outcome;

	if (res_status_is_whole(run->ending.status))
		return RES_WORTH_WHOLE;
	for (size_t i = 0; i < outcome->count; i++) {
		if (outcome->records[i].ok)
			return RES_WORTH_PART;
	}
	return RES_WORTH_END;
}

char *run_flat_alternative_name(const struct run_state *run)
{
	const struct vllm_bench *bench = &run->context.experiment->bench;
	auto_free char *path = fixed_path(bench);

	if (path == NULL || worth_of(run) >= res_existing_worth(path))
		return NULL;
	auto_free char *suffix = pl_asprintf(".%s.json", run->context.run_id);
	return res_flat_artifact_path(bench->result_filename, suffix);
}

int run_flat_result(const struct run_state *run, const json_t *document, char **ret_path,
		    struct pl_err *err)
{
	struct vllm_bench bench = run->context.experiment->bench;
	auto_free char *artifact_path = NULL;
	struct res_flat_input input;

	/* without measurements, vLLM's form has no content */
	if ((!bench.save_result && !bench.append_result) || run->measured.outcome == NULL)
		return 0;
	run_flat_input(run, document, &input);
	artifact_path = run_flat_alternative_name(run);
	if (artifact_path != NULL)
		bench.result_filename = artifact_path;
	input.bench = &bench;
	if (res_flat_write(&input, ret_path, err) < 0)
		return -1;
	run_log(&run->context, "vLLM's flat result: %s", *ret_path);
	if (res_pytorch_wanted()) {
		/* It only repeats metrics, so a failure to write it does not affect the run's result. */
		const char *flat_path = *ret_path;
		auto_free char *path = NULL;
		struct pl_err why = PL_ERR_INIT;
		if (res_pytorch_write(&input, flat_path, &path, &why) < 0)
			pl_log(PL_LOG_WARNING, "no PyTorch benchmark file was written: %s",
			       why.text);
		else
			run_log(&run->context, "PyTorch benchmark file: %s", path);
	}
	return 0;
}
