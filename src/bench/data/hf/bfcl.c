/*
 * The Berkeley Function Calling Leaderboard: chats with tools, one file per category. The categories are interleaved and
 * then shuffled by a generator of their own, as in vLLM.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/data/hf/hf_priv.h"
#include "experiment/kinds.h"

#define CATEGORIES_MAX 64

static const char *const defaults[] = { "simple", "live_simple", "multiple" };

/* The records of each category. */
struct categories {
	json_t *records[CATEGORIES_MAX]; /* arrays */
	size_t count;
};

static void categories_done(struct categories *categories)
{
	for (size_t i = 0; i < categories->count; i++)
		json_decref(categories->records[i]);
}
#define auto_categories __attribute__((cleanup(categories_done), unused)) struct categories

/* Adds the names of a list that commas separate. NULL adds none. */
static void add_names(const char *list, struct pl_strv *names)
{
	auto_free char *copy = list != NULL ? pl_strdup(list) : NULL;

	for (char *rest = copy, *name; (name = strsep(&rest, ",")) != NULL;)
		pl_strv_add(names, pl_text_trim(name));
}

/* Finds the file of each category. */
static int find_files(const struct vllm_bench *bench, struct pl_strv *ret, struct pl_err *err)
{
	auto_free char *root = NULL;
	auto_strv names = { 0 };

	if (!exp_backend_has(bench->backend, EXP_BACKEND_TOOLS))
		return pl_err_invalid(err,
				      "found backend '%s', expected openai-chat, because the "
				      "records of the dataset are chats with tools",
				      bench->backend);
	PL_JSON_EACH(item, bench->bfcl_categories)
		add_names(json_string_value(item), &names);
	add_names(json_string_value(bench->bfcl_categories), &names);
	bool is_set = names.count > 0;
	for (size_t i = 0; !is_set && i < PL_ARRAY_SIZE(defaults); i++)
		pl_strv_add(&names, defaults[i]);
	if (bench_hf_root(bench, &root, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		auto_free char *path = pl_asprintf("%s/BFCL_v3_%s.json", root, name);
		if (strchr(name, '/') != NULL || !pl_file_exists(path))
			return pl_err_invalid(err,
					      "'%s' has no category '%s': its file BFCL_v3_%s.json "
					      "is missing",
					      root, name, name);
		if (pl_file_check_regular(path, err) < 0)
			return -1;
		pl_strv_add(ret, path);
	}
	if (ret->count == 0 || ret->count > CATEGORIES_MAX)
		return pl_err_invalid(err, "found %zu categories, expected 1 to %d", ret->count,
				      CATEGORIES_MAX);
	return 0;
}

int bench_hf_bfcl_files(const struct vllm_bench *bench, struct pl_strv *ret, struct pl_err *err)
{
	return find_files(bench, ret, err);
}

static int read_category(const char *path, json_t *into, struct pl_err *err)
{
	auto_strv files = { 0 };
	json_t *record;

	pl_strv_add(&files, path);
	PL_AUTO(bench_hf_source_free)
	struct hf_source *source = bench_hf_source_new(&files, "question function");
	for (;;) {
		if (bench_hf_source_next(source, &record, err) < 0)
			return -1;
		if (record == NULL)
			return 0;
		json_array_append_new(into, record);
	}
}

/* ---- tools ----------------------------------------------------------------------------------- */

/* The types of the dataset, as JSON Schema names them. */
static void translate_types(json_t *schema)
{
	static const struct {
		const char *from, *to;
	} types[] = {
		{ "dict", "object" },
		{ "float", "number" },
		{ "tuple", "array" },
		{ "any", "string" },
	};

	if (json_is_object(schema)) {
		const char *type = pl_json_get_text(schema, "type");
		for (size_t i = 0; type != NULL && i < PL_ARRAY_SIZE(types); i++) {
			if (strcmp(type, types[i].from) == 0) {
				json_object_set_new(schema, "type", json_string(types[i].to));
				break;
			}
		}
		PL_JSON_EACH_MEMBER(key, value, schema)
			translate_types(value);
	}
	if (json_is_array(schema)) {
		PL_JSON_EACH(item, schema)
			translate_types(item);
	}
}

static json_t *tools_of(const json_t *functions)
{
	json_t *tools = json_array();

	PL_JSON_EACH(function, functions) {
		json_t *copy = json_deep_copy(function);
		translate_types(json_object_get(copy, "parameters"));
		json_array_append_new(
			tools, json_pack("{s:s, s:o}", "type", "function", "function", copy));
	}
	return tools;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Takes the first record of each category, then the second ones, and so on. Borrowed. */
static json_t **interleave(const struct categories *categories, size_t *ret_count)
{
	size_t total = 0, most = 0, at = 0;

	for (size_t i = 0; i < categories->count; i++) {
		size_t count = json_array_size(categories->records[i]);
		total += count;
		most = count > most ? count : most;
	}
	json_t **records = pl_alloc_array(total, sizeof(*records));
	for (size_t row = 0; row < most; row++) {
		for (size_t i = 0; i < categories->count; i++) {
			json_t *record = json_array_get(categories->records[i], row);
			if (record != NULL)
				records[at++] = record;
		}
	}
	*ret_count = total;
	return records;
}

int bench_hf_bfcl_build(struct bench_dataset_work *work, int64_t output_len, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	auto_categories categories = { 0 };
	auto_strv files = { 0 };
	struct pl_pyrandom rng;
	size_t count;

	if (find_files(bench, &files, err) < 0)
		return -1;
	for (size_t i = 0; i < files.count; i++) {
		categories.records[categories.count++] = json_array();
		if (read_category(files.items[i], categories.records[i], err) < 0)
			return -1;
	}
	auto_free json_t **records = interleave(&categories, &count);
	pl_pyrandom_seed(&rng, (uint64_t)bench->seed);
	if (!bench->disable_shuffle)
		pl_pyrandom_shuffle(&rng, records, count, sizeof(*records));
	for (size_t i = 0; i < count && work->into->count < (size_t)bench->num_prompts; i++) {
		json_t *turns = json_object_get(records[i], "question");
		json_t *functions = json_object_get(records[i], "function");
		json_t *messages = json_array_get(turns, 0);
		if (json_array_size(messages) == 0 || json_array_size(functions) == 0)
			continue;
		struct bench_sample sample = {
			.messages = json_incref(messages),
			.overrides = json_pack("{s:o, s:s}", "tools", tools_of(functions),
					       "tool_choice", "auto"),
			.prompt_tokens = RES_NO_COUNT,
			.output_tokens = output_len,
		};
		bench_dataset_add(work, &sample);
	}
	if (work->into->count == 0)
		return pl_err_invalid(err, "%s: no record has a question and a function",
				      bench->dataset_path);
	bench_dataset_note(work->into, "prompt lengths are unknown before the run: the server "
				       "applies the chat template with the tools");
	bench_dataset_oversample(work, (uint64_t)bench->seed);
	return 0;
}
