/*
 * `bench serve --dry-run`: shows the parsed options and the requests to send. It queries no server and reads no
 * dataset: values that depend on these are null, and marked as known later.
 */
#include "cli/bench_dry_run.h"

#include "base/text.h"
#include "bench/data/dataset.h"
#include "bench/load/arrivals.h"
#include "cli/cli.h"
#include "experiment/config.h"
#include "experiment/kinds.h"
#include "run/launch.h"
#include "vllm/bench/line.h"
#include "vllm/secret.h"

#define DRY_RUN_BYTES_MAX (16u << 20)
/* Any size works: lengths are drawn before the tokens, from other numbers. */
#define SOME_VOCABULARY 100000

/* {min, mean, max, total} of the samples' lengths. */
static json_t *lengths_of(const struct bench_dataset *dataset, bool output)
{
	int64_t least = INT64_MAX, most = 0, total = 0;

	for (size_t i = 0; i < dataset->count; i++) {
		int64_t len = output ? dataset->samples[i].output_tokens
				     : dataset->samples[i].prompt_tokens;
		least = len < least ? len : least;
		most = len > most ? len : most;
		total += len;
	}
	if (dataset->count == 0)
		return json_null();
	return json_pack("{s:I, s:f, s:I, s:I}", "min", (json_int_t)least, "mean",
			 (double)total / (double)dataset->count, "max", (json_int_t)most, "total",
			 (json_int_t)total);
}

/* Draws random prompts as ids of some vocabulary, which have the same lengths. Returns false for other data. */
static bool draw_lengths(const struct vllm_bench *bench, struct pl_nplegacy *nplegacy, json_t *plan)
{
	PL_AUTO(bench_dataset_free) struct bench_dataset *dataset = NULL;
	struct vllm_bench plain = *bench;
	struct pl_pyrandom pyrandom;
	char any[] = "vllm-pooling";
	bool pools = exp_backend_has(bench->backend, EXP_BACKEND_POOLS);

	if (!pl_text_equal(bench->dataset_name, "random") &&
	    !exp_dataset_has(bench->dataset_name, EXP_DATASET_PAIRS))
		return false;
	/* ids need no tokenizer, and this backend accepts them, alone and in lists */
	plain.backend = any;
	plain.prompt_token_ids = true;
	plain.vocab_size = bench->vocab_size != OPTION_NO_I64 ? bench->vocab_size : SOME_VOCABULARY;
	if (bench_dataset_build(&plain, NULL, &pyrandom, nplegacy, &dataset, PL_ERR_IGNORED) < 0)
		return false;
	json_object_set_new(plan, "prompt_tokens", lengths_of(dataset, false));
	json_object_set_new(plan, "output_tokens", pools ? json_null() : lengths_of(dataset, true));
	/* several prompts may be one request */
	json_object_set_new(plan, "requests", json_integer((json_int_t)dataset->count));
	return true;
}

/* Includes its text as on standard error. */
static json_t *problem_to_json(const struct option_problem *problem, const char *words)
{
	json_t *json = option_problem_to_json(problem);
	auto_buf text = PL_BUF(DRY_RUN_BYTES_MAX);

	option_problem_text(problem, OPTION_AS_FLAG, &text);
	json_object_set_new(json, "text", pl_json_text(words != NULL ? words : pl_buf_text(&text)));
	return json;
}

static json_t *problems_of(const struct vllm_bench_line *line,
			   const struct option_problems *problems)
{
	json_t *list = json_array();

	for (size_t i = 0; i < line->fault_count; i++) {
		const struct vllm_bench_fault *fault = &line->faults[i];
		auto_free char *key = fault->id != VLLM_BENCH_COUNT
					      ? pl_asprintf("benchmark.%s",
							    vllm_bench_row(fault->id)->name)
					      : NULL;
		json_array_append_new(
			list, problem_to_json(&(struct option_problem){ .key = key,
									.reason = "unreadable" },
					      fault->text));
	}
	for (size_t i = 0; i < problems->count; i++)
		json_array_append_new(list, problem_to_json(&problems->items[i], NULL));
	return list;
}

int cli_bench_refused(const struct vllm_bench_line *line, const struct option_problems *problems)
{
	auto_json json_t *refused = json_pack("{s:o}", "problems", problems_of(line, problems));

	return cli_print_json(refused);
}

static void add_range(const json_t *plan, const char *key, const char *label, struct pl_buf *buf)
{
	const json_t *range = json_object_get(plan, key);

	if (!json_is_object(range)) {
		pl_buf_addf(buf, "%s known after tokenization\n", label);
		return;
	}
	pl_buf_addf(buf, "%s %lld to %lld, %.1f on average, %lld in total\n", label,
		    (long long)pl_json_get_i64(range, "min"),
		    (long long)pl_json_get_i64(range, "max"), pl_json_get_f64(range, "mean"),
		    (long long)pl_json_get_i64(range, "total"));
}

/* The important lines come last, because the options fill a screen or two. */
static void add_people_form(const json_t *shown, bool pools, struct pl_buf *buf)
{
	auto_free char *options = pl_json_to_text(json_object_get(shown, "options"),
						  PL_JSON_INDENT);
	auto_free char *set = pl_json_to_text(json_object_get(shown, "set"), PL_JSON_PYTHON);
	const json_t *plan = json_object_get(shown, "plan");

	pl_buf_addf(buf, "options: %s\n", options);
	pl_buf_addf(buf, "set:            %s\n", set);
	pl_buf_addf(buf, "to:             %s%s\n", pl_json_get_text(shown, "url"),
		    pl_json_get_text(shown, "endpoint"));
	if (json_is_null(json_object_get(plan, "requests")))
		pl_buf_add_text(buf, "requests:       all records of the dataset");
	else
		pl_buf_addf(buf, "requests:       %lld",
			    (long long)pl_json_get_i64(plan, "requests"));
	if (json_is_number(json_object_get(plan, "last_send_s")))
		pl_buf_addf(buf, ", sent from %.3f s to %.3f s",
			    pl_json_get_f64(plan, "first_send_s"),
			    pl_json_get_f64(plan, "last_send_s"));
	pl_buf_add_char(buf, '\n');
	add_range(plan, "prompt_tokens", "prompt tokens: ", buf);
	if (pools)
		pl_buf_add_text(buf, "output tokens:  none\n");
	else
		add_range(plan, "output_tokens", "output tokens: ", buf);
	PL_JSON_EACH(problem, json_object_get(shown, "problems"))
		pl_buf_addf(buf, "problem:        %s\n", pl_json_get_text(problem, "text"));
}

int cli_bench_dry_run(const struct exp_config *experiment, const struct vllm_bench_line *line,
		      const struct option_problems *problems, bool as_json)
{
	const struct vllm_bench *bench = &experiment->bench;
	const struct exp_backend *backend = exp_backend_find(bench->backend);
	auto_launch struct run_launch *launch = NULL;
	const struct run_taking taking = { .look_only = true, .quiet = true };
	auto_json json_t *shown = json_object();
	struct pl_err err = PL_ERR_INIT;
	json_t *plan = json_object();
	auto_buf text = PL_BUF(DRY_RUN_BYTES_MAX);

	json_object_set_new(shown, "options", vllm_bench_to_json(bench));
	/* As typed, without secrets. */
	json_t *given = json_object();
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const char *name = vllm_bench_row((enum vllm_bench_id)i)->name;
		if (!line->given[i])
			continue;
		auto_json json_t *value = vllm_bench_get(&line->bench, (enum vllm_bench_id)i);
		json_object_set_new(given, name, vllm_secret_json_shown(value));
	}
	json_object_set_new(shown, "set", given);
	json_object_set_new(shown, "plan", plan);
	if (run_launch_plan(experiment, &taking, &launch, &err) < 0)
		return cli_fail(&err);
	/* Options out of range are among the problems, and then there is no plan. */
	bool plannable = problems->errors == 0;
	struct pl_nplegacy nplegacy;
	/* the number of records in the file is unknown until it is read */
	json_object_set_new(plan, "requests",
			    pl_json_i64(bench->num_prompts, bench->num_prompts > 0));
	if (!plannable || !draw_lengths(bench, &nplegacy, plan)) {
		json_object_set_new(plan, "prompt_tokens", json_null());
		json_object_set_new(plan, "output_tokens", json_null());
	}
	size_t count = plannable ? (size_t)pl_json_get_i64(plan, "requests") : 0;
	auto_free double *arrivals_s = pl_alloc_array(count, sizeof(*arrivals_s));
	/* as after the prompts; if none could be drawn, from the seed alone */
	pl_nplegacy_seed(&nplegacy, (uint32_t)bench->seed);
	/* the times of a trace are in its file */
	bool known = count > 0 && !exp_is_self_timed(bench);
	bench_arrivals_build(bench, count, &nplegacy, arrivals_s);
	json_object_set_new(plan, "first_send_s", known ? json_real(arrivals_s[0]) : json_null());
	json_object_set_new(plan, "last_send_s",
			    known ? json_real(arrivals_s[count - 1]) : json_null());
	json_object_set_new(shown, "problems", problems_of(line, problems));
	json_object_set_new(shown, "url", json_string(launch->url));
	json_object_set_new(
		shown, "endpoint",
		json_string(bench->endpoint != NULL ? bench->endpoint : backend->endpoint));
	if (as_json)
		return cli_print_json(shown);
	add_people_form(shown, exp_backend_has(bench->backend, EXP_BACKEND_POOLS), &text);
	return cli_print(pl_buf_text(&text));
}
