/* `benchmark:`, the options of the load. */
#include "experiment/config_priv.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/dotted.h"

/* A list of scalars as the text that vLLM wants: "50,99". */
static json_t *joined(const struct pl_yaml *list)
{
	auto_buf text = PL_BUF(4096);

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

/* Converts YAML spellings of values that vLLM takes as text; NULL: none of them. */
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
	struct pl_nearest nearest = { .name = name->text };

	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		pl_nearest_try(&nearest, vllm_bench_row((enum vllm_bench_id)i)->name);
	option_reader_add(reader, OPTION_ERROR, name, key, "unknown option", NULL, nearest.found);
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
	auto_free char *raw_key = pl_asprintf("benchmark.%s", row->name);
	exp_raw_put(reader, raw_key, node, json_incref(value));
	auto_free char *path = exp_expand(reader, node, key, json_string_value(value));
	json_decref(value);
	return path != NULL ? json_string(path) : NULL;
}

/* Merges "extra_body.temperature" into the value from the file. */
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
		auto_free char *location = pl_asprintf("benchmark.%s", vllm_bench_row(id)->name);
		option_reader_locate(reader, location,
				     map->items[i]->line > 0 ? map->items[i] : name);
		value = laid_over(bench, id, map->items[i], value);
		vllm_bench_set(bench, id, value);
		bench_set[id] = true;
		json_decref(value);
	}
}
