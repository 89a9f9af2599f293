/*
 * What vLLM's `bench serve` refuses after its parser (order and contents of spec: validation and
 * set-up), and what it finds only after the run, which is too late: each option is checked before
 * the first request.
 */
#include "vllm/bench/line_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Options have no place of their own after the parse: a fault is about the whole line. */
#define WHOLE_LINE SIZE_MAX

static void refuse(struct vllm_bench_line *line, char *text, const char *hint)
{
	vllm_bench_fault_add(line, WHOLE_LINE, text, hint)->kind = VLLM_BENCH_REFUSED;
}

static void add(struct vllm_bench_line *line, const char *text)
{
	refuse(line, pl_strdup(text), NULL);
}

void vllm_bench_line_add(struct vllm_bench_line *line, enum vllm_bench_fault_kind kind, char *text)
{
	vllm_bench_fault_add(line, WHOLE_LINE, text, NULL)->kind = kind;
}

static bool is_dataset(const struct vllm_bench_line *line, const char *name)
{
	return pl_text_equal(line->bench.dataset_name, name);
}

static void check_concurrency(struct vllm_bench_line *line)
{
	const struct vllm_bench *bench = &line->bench;

	if (bench->max_concurrency != OPTION_NO_I64 && bench->max_concurrency <= 0)
		add(line, "--max-concurrency must be greater than 0");
	if (bench->seed < 0 || bench->seed > UINT32_MAX)
		add(line, "--seed: Seed must be between 0 and 2**32 - 1");
}

static void check_thresholds(struct vllm_bench_line *line)
{
	double limits_ms[2];

	if (line->bench.plot_timeline &&
	    !vllm_bench_thresholds(line->bench.timeline_itl_thresholds, limits_ms))
		add(line, "Invalid --timeline-itl-thresholds format: two numbers of milliseconds, "
			  "separated by a comma, are expected");
}

/* In vLLM's order; the first that is broken is told. */
static const char *ramp_fault(const struct vllm_bench *bench)
{
	int64_t start = bench->ramp_up_start_rps;
	int64_t end = bench->ramp_up_end_rps;

	if (!isinf(bench->request_rate))
		return "--request-rate must be left out with --ramp-up-strategy, which sets the "
		       "rate";
	if (start == OPTION_NO_I64 || end == OPTION_NO_I64)
		return "--ramp-up-strategy needs --ramp-up-start-rps and --ramp-up-end-rps";
	if (start < 0 || end < 0)
		return "--ramp-up-start-rps and --ramp-up-end-rps must not be negative";
	if (start > end)
		return "--ramp-up-start-rps must not be above --ramp-up-end-rps";
	if (start == 0 && pl_text_equal(bench->ramp_up_strategy, "exponential"))
		return "For exponential ramp-up, the start RPS cannot be 0.";
	if (start == 0)
		return "--ramp-up-start-rps: a rate of 0 sends nothing; it must be above 0";
	return NULL;
}

static void check_ramp(struct vllm_bench_line *line)
{
	const char *fault = NULL;

	if (line->bench.ramp_up_strategy != NULL)
		fault = ramp_fault(&line->bench);
	else if (line->given[VLLM_BENCH_ramp_up_start_rps] ||
		 line->given[VLLM_BENCH_ramp_up_end_rps])
		vllm_bench_line_add(
			line, VLLM_BENCH_WARNING,
			pl_strdup("--ramp-up-start-rps and --ramp-up-end-rps do nothing "
				  "without --ramp-up-strategy"));
	if (fault != NULL)
		add(line, fault);
}

/* What it lacks is told where the run is not begun; a user or password in it is not repeated. */
static void check_base_url(struct vllm_bench_line *line)
{
	const char *url = line->bench.base_url;

	if (url == NULL || pl_text_starts(url, "http://") || pl_text_starts(url, "https://"))
		return;
	refuse(line,
	       pl_asprintf("--base-url: found '%s', expected http://HOST:PORT or https://HOST:PORT",
			   strchr(url, '@') == NULL ? url : "***"),
	       NULL);
}

/* KEY=VALUE; a key may be empty where vLLM lets it. */
static void check_pairs(struct vllm_bench_line *line, const json_t *list, bool named,
			const char *fault)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)list, i, item)
	{
		const char *text = json_string_value(item);
		if (strchr(text, '=') != NULL && (!named || text[0] != '='))
			continue;
		add(line, fault);
		return;
	}
}

static void check_dataset(struct vllm_bench_line *line)
{
	static const char *const made[] = { "random", "random-mm", "random-rerank",
					    "prefix_repetition" };
	static const char *const read[] = { "sharegpt",     "burstgpt",     "custom",
					    "custom_audio", "custom_image", "spec_bench",
					    "speed_bench",  "timed_trace",  "hf" };
	const struct vllm_bench *bench = &line->bench;

	for (size_t i = 0; i < PL_ARRAY_SIZE(made); i++) {
		if (is_dataset(line, made[i]) && bench->dataset_path != NULL)
			refuse(line,
			       pl_asprintf("--dataset-path: data set '%s' is made up and reads no "
					   "file",
					   made[i]),
			       "leave out --dataset-path, or name the file's kind by "
			       "--dataset-name");
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(read); i++) {
		if (is_dataset(line, read[i]) && bench->dataset_path == NULL)
			refuse(line,
			       pl_asprintf("--dataset-path FILE is missing: data set "
					   "'%s' is read from one",
					   read[i]),
			       NULL);
	}
	if (bench->self_timed >= 0 && !is_dataset(line, "timed_trace"))
		add(line,
		    "--self-timed and --no-self-timed go with --dataset-name timed_trace only");
}

/* NAME:MILLISECONDS of ttft, tpot, e2el. */
static void check_goodput(struct vllm_bench_line *line)
{
	static const char *const names[] = { "ttft", "tpot", "e2el" };
	size_t i;
	json_t *item;

	json_array_foreach(line->bench.goodput, i, item)
	{
		const char *text = json_string_value(item);
		size_t len = strcspn(text, ":");
		double limit = -1;
		bool known = false;
		for (size_t k = 0; k < PL_ARRAY_SIZE(names); k++)
			known |= strlen(names[k]) == len && strncmp(names[k], text, len) == 0;
		if (text[len] == ':' && known && pl_text_to_f64(text + len + 1, &limit) &&
		    limit >= 0)
			continue;
		refuse(line,
		       pl_asprintf("--goodput: found '%.100s', expected NAME:MILLISECONDS "
				   "with NAME of ttft, tpot, e2el",
				   text),
		       NULL);
	}
}

static void check_percentiles(struct vllm_bench_line *line)
{
	auto_free char *copy = pl_strdup(line->bench.metric_percentiles);
	double value;

	for (char *rest = copy, *one; (one = strsep(&rest, ",")) != NULL;) {
		one = pl_text_trim(one);
		if (pl_text_to_f64(one, &value) && value >= 0 && value <= 100)
			continue;
		refuse(line,
		       pl_asprintf("--metric-percentiles: found '%.100s', expected numbers "
				   "from 0 to 100, separated by commas",
				   one),
		       NULL);
	}
}

/* vLLM tells these after the warm-ups or after the run. */
static void check_late_ones(struct vllm_bench_line *line)
{
	const struct vllm_bench *bench = &line->bench;

	if (!(bench->burstiness > 0))
		refuse(line,
		       pl_asprintf("A positive burstiness factor is expected, but given %g",
				   bench->burstiness),
		       NULL);
	check_pairs(line, bench->metadata, false,
		    "Invalid metadata format. Please use KEY=VALUE format.");
	if (bench->plot_dataset_stats && !bench->save_result && !bench->append_result &&
	    !bench->plot_timeline)
		add(line, "--plot-dataset-stats needs --save-result, --append-result or "
			  "--plot-timeline");
	if (json_object_size(bench->extra_body) == 0 && bench->extra_body != NULL &&
	    !json_is_object(bench->extra_body))
		add(line, "--extra-body: a JSON object is expected");
	if (bench->chat_template_kwargs != NULL && !json_is_object(bench->chat_template_kwargs))
		add(line, "--chat-template-kwargs: a JSON object is expected");
}

static void out_of_bounds(struct vllm_bench_line *line, const struct option_row *row,
			  const char *found)
{
	auto_free char *least = option_row_bound_text(row, row->min);
	auto_free char *most = option_row_bound_text(row, row->max);

	if (isinf(row->max) && isinf(row->min))
		refuse(line, pl_asprintf("%s: found %s, expected a number", row->flag, found),
		       NULL);
	else if (isinf(row->max))
		refuse(line,
		       pl_asprintf("%s: found %s, expected at least %s", row->flag, found, least),
		       NULL);
	else
		refuse(line,
		       pl_asprintf("%s: found %s, expected %s to %s", row->flag, found, least,
				   most),
		       NULL);
}

/* Options whose bounds vLLM has words of its own for are told by those. */
static bool is_told(enum vllm_bench_id id)
{
	return id == VLLM_BENCH_max_concurrency || id == VLLM_BENCH_seed ||
	       id == VLLM_BENCH_burstiness || id == VLLM_BENCH_ramp_up_start_rps ||
	       id == VLLM_BENCH_ramp_up_end_rps;
}

static void check_bounds(struct vllm_bench_line *line, enum vllm_bench_id id)
{
	const struct option_row *row = vllm_bench_row(id);
	const json_t *value = json_object_get(line->set, row->name);
	double found = 0;

	if (value == NULL || is_told(id) || (row->type != OPTION_INT && row->type != OPTION_FLOAT))
		return;
	if (json_is_string(value))
		(void)pl_text_to_f64(json_string_value(value), &found);
	else
		found = json_number_value(value);
	if (found >= row->min && found <= row->max)
		return;
	auto_free char *text = json_is_string(value) ? pl_strdup(json_string_value(value))
						     : json_dumps(value, JSON_ENCODE_ANY);
	out_of_bounds(line, row, text);
}

static void check_supported(struct vllm_bench_line *line, enum vllm_bench_id id)
{
	if (!line->given[id] || !vllm_bench_row(id)->later ||
	    vllm_bench_is_default(&line->bench, id))
		return;
	vllm_bench_line_add(line, VLLM_BENCH_LATER,
			    pl_asprintf("'%s' is not in this version", vllm_bench_row(id)->flag));
}

void vllm_bench_line_check(struct vllm_bench_line *line)
{
	check_concurrency(line);
	check_thresholds(line);
	check_ramp(line);
	check_base_url(line);
	check_pairs(line, line->bench.header, true,
		    "Invalid header format. Please use KEY=VALUE format.");
	check_dataset(line);
	check_goodput(line);
	check_percentiles(line);
	check_late_ones(line);
	vllm_bench_line_check_idle(line);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		check_bounds(line, (enum vllm_bench_id)i);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		check_supported(line, (enum vllm_bench_id)i);
}

size_t vllm_bench_line_count(const struct vllm_bench_line *line, enum vllm_bench_fault_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < line->fault_count; i++)
		count += line->faults[i].kind == kind;
	return count;
}
