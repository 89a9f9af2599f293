/* `benchmark:`, the options of the load. */
#include "experiment/config_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/dotted.h"

/* A list of scalars as the text that vLLM wants: "50,99". */
static json_t *joined(const struct pl_yaml *list)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, 4096);
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i]->kind != PL_YAML_SCALAR)
			return NULL;
		pl_buf_addf(&text, "%s%s", i > 0 ? "," : "", list->items[i]->text);
	}
	return text.full ? NULL : json_string(pl_buf_text(&text));
}

/* "a, b" as on the command line. */
static json_t *split(const char *text)
{
	json_t *list = json_array();

	option_commas_add(list, text);
	return list;
}

/* A mapping of scalars as vLLM's list: "KEY=VALUE". */
static json_t *paired(const struct pl_yaml *map, char between)
{
	auto_json json_t *list = json_array();

	for (size_t i = 0; i < map->count; i++) {
		if (map->items[i]->kind != PL_YAML_SCALAR)
			return NULL;
		json_array_append_new(list, json_sprintf("%s%c%s", map->keys[i]->text, between,
							 map->items[i]->text));
	}
	return pl_take(list);
}

/* Spellings of YAML for what vLLM takes as text; NULL: none of them. */
static json_t *other_spelling(const struct option_row *row, const struct pl_yaml *node)
{
	if (row->joined)
		return node->kind == PL_YAML_LIST && node->count > 0 ? joined(node) : NULL;
	if (row->pairs != '\0')
		return node->kind == PL_YAML_MAP ? paired(node, row->pairs) : NULL;
	if (row->commas)
		return node->kind == PL_YAML_SCALAR && strchr(node->text, ',') != NULL
			       ? split(node->text)
			       : NULL;
	if (row != vllm_bench_row(VLLM_BENCH_random_range_ratio) || node->kind != PL_YAML_MAP)
		return NULL;
	auto_json json_t *ratios = pl_yaml_to_json(node);
	auto_free char *text = ratios != NULL ? pl_json_to_text(ratios, PL_JSON_PYTHON) : NULL;
	return text != NULL ? json_string(text) : NULL;
}

static void unknown_option(struct option_reader *reader, const struct pl_yaml *name,
			   const char *key)
{
	const char *names[VLLM_BENCH_COUNT];

	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		names[i] = vllm_bench_row((enum vllm_bench_id)i)->name;
	option_reader_add(reader, OPTION_ERROR, name, key, "an unknown option",
			  "a key of 'benchmark'",
			  pl_text_nearest(name->text, names, VLLM_BENCH_COUNT));
}

static json_t *read_option(struct option_reader *reader, enum vllm_bench_id id,
			   const struct pl_yaml *node, const char *key)
{
	const struct option_row *row = vllm_bench_row(id);
	json_t *value = other_spelling(row, node);

	if (value == NULL)
		value = option_value_read(reader, node, key, row);
	if (!json_is_string(value) || !row->expand)
		return value;
	auto_free char *path = exp_expand(reader, node, key, json_string_value(value));
	json_decref(value);
	return path != NULL ? json_string(path) : NULL;
}

/* Puts "extra_body.temperature" beside what the file said. */
static json_t *laid_over(const struct vllm_bench *bench, enum vllm_bench_id id,
			 const struct pl_yaml *node, json_t *value)
{
	json_t *merged = node->kind == PL_YAML_MAP && node->line == 0 ? vllm_bench_get(bench, id)
								      : NULL;

	if (!json_is_object(merged) || !json_is_object(value)) {
		json_decref(merged);
		return value;
	}
	json_object_update_recursive(merged, value);
	json_decref(value);
	return merged;
}

void exp_benchmark_read(struct option_reader *reader, const struct pl_yaml *map,
			struct vllm_bench *bench, bool bench_set[VLLM_BENCH_COUNT])
{
	for (size_t i = 0; i < map->count; i++) {
		const struct pl_yaml *name = map->keys[i];
		auto_free char *key = pl_asprintf("benchmark.%s", name->text);
		enum vllm_bench_id id = vllm_bench_find(name->text);

		if (exp_key_is_repeated(reader, map, i, key))
			continue;
		if (id == VLLM_BENCH_COUNT) {
			unknown_option(reader, name, key);
			continue;
		}
		json_t *value = read_option(reader, id, map->items[i], key);
		if (value == NULL)
			continue;
		auto_free char *place = pl_asprintf("benchmark.%s", vllm_bench_row(id)->name);
		option_reader_place(reader, place, map->items[i]->line > 0 ? map->items[i] : name);
		value = laid_over(bench, id, map->items[i], value);
		vllm_bench_set(bench, id, value);
		bench_set[id] = true;
		json_decref(value);
	}
}

struct checker {
	struct option_reader *reader;
	const struct pl_yaml *map;
	const struct vllm_bench *bench;
};

/* A fault of an option; `anchor` (or NULL) is the option that asks for it where it was not
 * given. */
static void complain(struct checker *c, enum option_severity severity, const char *name,
		     const char *anchor, const char *found, const char *expected,
		     const char *nearest)
{
	struct option_reader set = { .source = "--set", .problems = c->reader->problems };
	const struct pl_yaml *node = exp_map_get(c->map, name);
	auto_free char *key = pl_asprintf("benchmark.%s", name);

	if (node == NULL && anchor != NULL)
		node = exp_map_get(c->map, anchor);
	option_reader_add(node != NULL ? c->reader : &set, severity, node, key, found, expected,
			  nearest);
}

static void complain_text(struct checker *c, enum option_severity severity, const char *name,
			  const char *text, const char *expected, const char *nearest)
{
	auto_free char *found = pl_asprintf("text '%s'", text);

	complain(c, severity, name, NULL, found, expected, nearest);
}

static void check_pairs(struct checker *c, const char *name, const json_t *list, bool hidden)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)list, i, item)
	{
		const char *text = json_string_value(item);
		if (strchr(text, '=') == NULL || text[0] == '=')
			complain_text(c, OPTION_ERROR, name, hidden ? "***" : text, "KEY=VALUE",
				      NULL);
		else if (hidden && strpbrk(text, "\r\n") != NULL)
			complain(c, OPTION_ERROR, name, NULL, "a line end in a header",
				 "names and values of one line", NULL);
	}
}

static void check_goodput(struct checker *c)
{
	static const char *const names[] = { "ttft", "tpot", "e2el", NULL };
	size_t i;
	json_t *item;

	json_array_foreach(c->bench->goodput, i, item)
	{
		const char *text = json_string_value(item);
		size_t len = strcspn(text, ":");
		auto_free char *name = pl_strndup(text, len);
		double limit = -1;
		bool known = false;
		for (size_t k = 0; names[k] != NULL; k++)
			known = known || strcmp(names[k], name) == 0;
		if (text[len] != ':' || !pl_text_to_f64(text + len + 1, &limit) || !(limit >= 0))
			complain_text(c, OPTION_ERROR, "goodput", text, "NAME:MILLISECONDS", NULL);
		else if (!known)
			complain_text(c, OPTION_ERROR, "goodput", text, "ttft, tpot or e2el",
				      option_key_nearest(name, names));
	}
}

static void check_percentiles(struct checker *c)
{
	static const char *const names[] = {
		"ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue",
		NULL
	};
	auto_free char *percentiles = pl_strdup(c->bench->metric_percentiles);
	auto_free char *metrics = pl_strdup(c->bench->percentile_metrics);
	double percentile;

	for (char *rest = percentiles, *one; (one = strsep(&rest, ",")) != NULL;) {
		one = pl_text_trim(one);
		if (!pl_text_to_f64(one, &percentile) || !(percentile >= 0 && percentile <= 100))
			complain_text(c, OPTION_ERROR, "metric_percentiles", one,
				      "numbers from 0 to 100, separated by commas", NULL);
	}
	for (char *rest = metrics, *one; (one = strsep(&rest, ",")) != NULL;) {
		bool known = false;
		for (size_t i = 0; names[i] != NULL; i++)
			known = known || strcmp(names[i], one) == 0;
		if (!known)
			complain_text(c, OPTION_WARNING, "percentile_metrics", one,
				      "ttft, tpot, itl, e2el, client_queue_time or "
				      "e2el_including_client_queue",
				      option_key_nearest(one, names));
	}
}

static void check_thresholds(struct checker *c)
{
	const char *text = c->bench->timeline_itl_thresholds;
	double limits_ms[2];

	if (c->bench->plot_timeline && !vllm_bench_thresholds(text, limits_ms))
		complain_text(c, OPTION_ERROR, "timeline_itl_thresholds", text != NULL ? text : "",
			      "two numbers of milliseconds, separated by a comma", NULL);
}

/* A prompt of no tokens is none; special tokens, which are not known here, take some more. */
static void check_random(struct checker *c)
{
	const struct vllm_bench *bench = c->bench;
	const char *text = bench->random_range_ratio != NULL ? bench->random_range_ratio : "0";
	auto_json json_t *both = json_loads(text, 0, NULL);
	bool own = bench->input_len == OPTION_NO_I64;
	int64_t len = own ? bench->random_input_len : bench->input_len;
	double ratio = 0;

	if (strcmp(bench->dataset_name, "random") != 0)
		return;
	if (!pl_text_to_f64(text, &ratio) && json_is_number(json_object_get(both, "input")))
		ratio = json_number_value(json_object_get(both, "input"));
	if ((double)bench->random_prefix_len + floor((double)len * (1 - ratio)) >= 1)
		return;
	auto_free char *found = pl_asprintf("number %lld", (long long)len);
	complain(c, OPTION_ERROR, own ? "random_input_len" : "input_len", "random_range_ratio",
		 found,
		 "a length that leaves each prompt a token, less random_range_ratio, with "
		 "random_prefix_len",
		 NULL);
}

static bool is_ratio(const json_t *value)
{
	double ratio = json_is_number(value) ? json_number_value(value) : -1;

	return ratio >= 0 && ratio < 1;
}

static void check_range_ratio(struct checker *c)
{
	const char *text = c->bench->random_range_ratio;
	auto_json json_t *both = json_loads(text, 0, NULL);
	double ratio;

	if (pl_text_to_f64(text, &ratio) && ratio >= 0 && ratio < 1)
		return;
	if (json_object_size(both) == 2 && is_ratio(json_object_get(both, "input")) &&
	    is_ratio(json_object_get(both, "output")))
		return;
	complain_text(c, OPTION_ERROR, "random_range_ratio", text,
		      "a number from 0 to below 1, or {input: a, output: b} of such", NULL);
}

static void check_ramp(struct checker *c)
{
	const struct vllm_bench *bench = c->bench;
	bool has_start = bench->ramp_up_start_rps != OPTION_NO_I64;
	bool has_end = bench->ramp_up_end_rps != OPTION_NO_I64;

	if (bench->ramp_up_strategy == NULL) {
		if (has_start || has_end)
			complain(c, OPTION_ERROR, "ramp_up_strategy",
				 has_start ? "ramp_up_start_rps" : "ramp_up_end_rps", "null",
				 "linear or exponential beside a ramp's rates", NULL);
		return;
	}
	if (!has_start)
		complain(c, OPTION_ERROR, "ramp_up_start_rps", "ramp_up_strategy", "null",
			 "a rate to start from", NULL);
	if (!has_end)
		complain(c, OPTION_ERROR, "ramp_up_end_rps", "ramp_up_strategy", "null",
			 "a rate to end with", NULL);
	if (has_start && bench->ramp_up_start_rps == 0)
		complain(c, OPTION_ERROR, "ramp_up_start_rps", NULL, "number 0", "a rate above 0",
			 NULL);
	if (has_start && has_end && bench->ramp_up_start_rps > bench->ramp_up_end_rps) {
		auto_free char *found = pl_asprintf("number %lld",
						    (long long)bench->ramp_up_end_rps);
		complain(c, OPTION_ERROR, "ramp_up_end_rps", NULL, found,
			 "a rate not below ramp_up_start_rps", NULL);
	}
	if (!isinf(bench->request_rate))
		complain(c, OPTION_ERROR, "request_rate", NULL, "a rate",
			 "inf beside ramp_up_strategy", NULL);
}

static void check_dataset(struct checker *c)
{
	static const char *const from_files[] = { "sharegpt",     "burstgpt",     "custom",
						  "custom_audio", "custom_image", "timed_trace",
						  "spec_bench",   "sonnet" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(from_files); i++) {
		if (strcmp(c->bench->dataset_name, from_files[i]) != 0 ||
		    c->bench->dataset_path != NULL)
			continue;
		auto_free char *expected = pl_asprintf("the file of data set '%s'", from_files[i]);
		complain(c, OPTION_ERROR, "dataset_path", "dataset_name", "null", expected, NULL);
	}
	bool has_all = strcmp(c->bench->dataset_name, "custom") == 0 ||
		       strcmp(c->bench->dataset_name, "spec_bench") == 0;
	if (c->bench->num_prompts < 1 && !has_all) {
		auto_free char *found = pl_asprintf("number %lld",
						    (long long)c->bench->num_prompts);
		complain(
			c, OPTION_ERROR, "num_prompts", NULL, found,
			"an integer from 1 (with data sets custom and spec_bench 0 is all records)",
			NULL);
	}
	if (strcmp(c->bench->dataset_name, "custom") == 0 && c->bench->custom_output_len == 0)
		complain(c, OPTION_ERROR, "custom_output_len", NULL, "number 0",
			 "-1 or an integer of at least 1", NULL);
}

void exp_benchmark_check(struct option_reader *reader, const struct pl_yaml *map,
			 const struct vllm_bench *bench)
{
	struct checker c = { .reader = reader, .map = map, .bench = bench };

	check_pairs(&c, "header", bench->header, true);
	check_pairs(&c, "metadata", bench->metadata, false);
	check_goodput(&c);
	check_percentiles(&c);
	check_thresholds(&c);
	check_range_ratio(&c);
	check_random(&c);
	check_ramp(&c);
	check_dataset(&c);
}
