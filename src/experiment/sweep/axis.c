/*
 * Axes: which keys take which values. Values are not validated here: the reader of the cells'
 * experiments does it, and reports errors at the value's location.
 */
#include <string.h>

#include "base/text.h"
#include "experiment/sweep/sweep_priv.h"
#include "option/secret.h"

#define SHARE_DIGITS 6 /* of a sampled number: more would not be useful */

static const char *const sections[] = { "server", "benchmark", "launch" };

/*
 * Returns the canonical name of an argument, with the rest of a dotted name
 * ("compilation_config.mode").
 */
static const char *server_name(const struct exp_sweep_reader *sweep, const char *name)
{
	size_t len = strcspn(name, ".");
	auto_free char *first = pl_strndup(name, len);
	const struct option_row *arg = vllm_arg_find(sweep->catalog, first);

	if (arg == NULL)
		return NULL;
	auto_free char *full = pl_asprintf("%s%s", arg->name, name + len);
	return pl_arena_strndup(sweep->sweep->arena, full, strlen(full));
}

static bool is_secret(const struct exp_sweep_reader *sweep, const char *section, const char *name)
{
	auto_free char *first = pl_strndup(name, strcspn(name, "."));
	const struct option_row *arg = strcmp(section, "server") == 0
					       ? vllm_arg_find(sweep->catalog, first)
					       : NULL;
	enum vllm_bench_id id = strcmp(section, "benchmark") == 0 ? vllm_bench_find(first)
								  : VLLM_BENCH_COUNT;
	const char *variable = strcmp(first, "env") == 0 ? name + strlen(first) : "";

	return (arg != NULL && arg->secret) ||
	       (id != VLLM_BENCH_COUNT && vllm_bench_row(id)->secret) ||
	       (variable[0] == '.' && option_secret_is_name(variable + 1));
}

const char *exp_sweep_key(struct exp_sweep_reader *sweep, const char *section,
			  const struct pl_yaml *name)
{
	const char *text = name->text;
	auto_free char *full = section != NULL ? pl_asprintf("%s.%s", section, text)
					       : pl_strdup(text);
	auto_free char *location = pl_asprintf("sweep.%s", full);

	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		size_t len = strlen(sections[i]);
		if (strncmp(full, sections[i], len) != 0 || full[len] != '.')
			continue;
		char *inner = full + len + 1;
		for (char *at = inner; *at != '\0' && *at != '.'; at++)
			*at = *at == '-' ? '_' : *at;
		if (is_secret(sweep, sections[i], inner)) {
			option_reader_refuse(sweep->reader, name, location, "a secret",
					     "a key whose values may be shown");
			return NULL;
		}
		const char *known = i == 0 ? server_name(sweep, inner) : NULL;
		auto_free char *key = pl_asprintf("%s.%s", sections[i],
						  known != NULL ? known : inner);
		return pl_arena_strndup(sweep->sweep->arena, key, strlen(key));
	}
	option_reader_refuse(
		sweep->reader, name, location, "unknown key",
		"zip, lengths, points, where, sample, sets, or a key of the experiment, "
		"such as server.max_num_seqs or launch.env.NAME");
	return NULL;
}

static struct exp_axis *axis_new(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
				 size_t key_count, size_t count)
{
	struct pl_arena *arena = sweep->sweep->arena;
	struct exp_axis *axis = pl_arena_alloc(arena, sizeof(*axis));

	axis->at = at;
	axis->keys = pl_arena_alloc(arena, key_count * sizeof(*axis->keys));
	axis->key_count = key_count;
	axis->count = count;
	axis->settings = pl_arena_alloc(arena, key_count * count * sizeof(*axis->settings));
	return axis;
}

struct exp_axis *exp_axis_read(struct exp_sweep_reader *sweep, const char *key,
			       const struct pl_yaml *at, const struct pl_yaml *value)
{
	auto_free char *full = pl_asprintf("sweep.%s", key);

	if (exp_range_is_meant(value))
		return exp_axis_range(sweep, key, at, value);
	if (value->kind == PL_YAML_MAP ||
	    (value->kind == PL_YAML_LIST &&
	     (value->count == 0 || value->count > EXP_SWEEP_VALUES_MAX))) {
		option_reader_refuse(
			sweep->reader, value, full,
			value->kind == PL_YAML_LIST && value->count == 0 ? "an empty list" : NULL,
			"a list of up to 10000 values such as [1, 2, 4], or a range "
			"such as {from: 1, to: 256, scale: 2^k}");
		return NULL;
	}
	bool is_list = value->kind == PL_YAML_LIST;
	struct exp_axis *axis = axis_new(sweep, at, 1, is_list ? value->count : 1);
	axis->keys[0] = key;
	for (size_t i = 0; i < axis->count; i++)
		axis->settings[i] = (struct exp_setting){ key, at,
							  is_list ? value->items[i] : value };
	return axis;
}

struct exp_axis *exp_axis_zip(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
			      const struct exp_axis *axes)
{
	size_t key_count = 0;

	for (const struct exp_axis *axis = axes; axis != NULL; axis = axis->next) {
		key_count++;
		if (axis->count == axes->count && axis->count > 0)
			continue;
		auto_free char *key = pl_asprintf("sweep.zip.%s", axis->keys[0]);
		auto_free char *found = pl_asprintf("%zu values", axis->count);
		auto_free char *expected = pl_asprintf("%zu, as many as %s has", axes->count,
						       axes->keys[0]);
		option_reader_refuse(sweep->reader, axis->at, key,
				     axis->count > 0 ? found : "a range without 'step' or 'count'",
				     axis->count > 0 ? expected
						     : "as many values as the other keys");
		return NULL;
	}
	struct exp_axis *zip = axis_new(sweep, at, key_count, axes->count);
	size_t k = 0;
	for (const struct exp_axis *axis = axes; axis != NULL; axis = axis->next, k++) {
		zip->keys[k] = axis->keys[0];
		for (size_t i = 0; i < zip->count; i++)
			zip->settings[i * key_count + k] = axis->settings[i];
	}
	return zip;
}

/* "1024x128" */
static bool read_pair(struct exp_sweep_reader *sweep, const struct pl_yaml *node,
		      struct exp_setting *ret, const char *const *keys, const struct pl_yaml *at)
{
	const char *text = node->kind == PL_YAML_SCALAR ? node->text : "";
	size_t cut = strcspn(text, "x");
	auto_free char *input = pl_strndup(text, cut);
	int64_t numbers[2];

	if (text[cut] != 'x' || !pl_text_to_human_int(input, &numbers[0]) ||
	    !pl_text_to_human_int(text + cut + 1, &numbers[1]) || numbers[0] < 0 ||
	    numbers[1] < 1) {
		option_reader_refuse(sweep->reader, node, "sweep.lengths", NULL,
				     "tokens of input and output such as 1024x128");
		return false;
	}
	for (size_t i = 0; i < 2; i++)
		ret[i] = (struct exp_setting){
			keys[i], at, exp_number_node(sweep, (double)numbers[i], true, 0, node)
		};
	return true;
}

struct exp_axis *exp_axis_lengths(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
				  const struct pl_yaml *value)
{
	static const char *const keys[] = { "benchmark.input_len", "benchmark.output_len" };
	const struct pl_yaml *input = exp_map_get(value, "input");
	const struct pl_yaml *output = exp_map_get(value, "output");

	if (input != NULL && output != NULL && value->count == 2) {
		struct exp_axis *first = exp_axis_read(sweep, keys[0], at, input);
		if (first != NULL)
			first->next = exp_axis_read(sweep, keys[1], at, output);
		return first != NULL && first->next != NULL ? first : NULL;
	}
	if (value->kind != PL_YAML_LIST || value->count == 0) {
		option_reader_refuse(sweep->reader, value, "sweep.lengths", NULL,
				     "a list such as [128x128, 1024x128], or lists for input and "
				     "output such as {input: [128, 1024], output: [128, 512]}");
		return NULL;
	}
	struct exp_axis *axis = axis_new(sweep, at, 2, value->count);
	axis->keys[0] = keys[0];
	axis->keys[1] = keys[1];
	for (size_t i = 0; i < value->count; i++) {
		if (!read_pair(sweep, value->items[i], &axis->settings[2 * i], keys, at))
			return NULL;
	}
	return axis;
}

/* ---- points ---- */

static struct exp_axis *refuse_points(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
				      const char *found)
{
	option_reader_refuse(sweep->reader, at, "sweep.points", found,
			     "a list of up to 100000 mappings with the same keys, such as "
			     "[{server.max_num_seqs: 64, benchmark.max_concurrency: 8}]");
	return NULL;
}

/* Returns the value of a point's key in any spelling; NULL: none, or a problem was reported. */
static const struct pl_yaml *point_value(struct exp_sweep_reader *sweep,
					 const struct pl_yaml *point, const char *key)
{
	const struct pl_yaml *plain = pl_yaml_get(point, key);

	for (size_t i = 0; plain == NULL && i < point->count; i++) {
		const char *inner = exp_sweep_key(sweep, NULL, point->keys[i]);
		if (inner == NULL)
			return NULL;
		if (strcmp(inner, key) == 0)
			plain = point->items[i];
	}
	return plain;
}

struct exp_axis *exp_axis_points(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
				 const struct pl_yaml *value)
{
	const struct pl_yaml *first = value->kind == PL_YAML_LIST && value->count > 0
					      ? value->items[0]
					      : NULL;

	if (first == NULL || first->kind != PL_YAML_MAP || first->count == 0 ||
	    value->count > EXP_SWEEP_CELLS_MAX)
		return refuse_points(sweep, value, NULL);
	struct exp_axis *axis = axis_new(sweep, at, first->count, value->count);
	for (size_t k = 0; k < axis->key_count; k++) {
		axis->keys[k] = exp_sweep_key(sweep, NULL, first->keys[k]);
		if (axis->keys[k] == NULL)
			return NULL;
	}
	for (size_t i = 0; i < axis->count; i++) {
		const struct pl_yaml *point = value->items[i];
		if (point->kind != PL_YAML_MAP || point->count != axis->key_count)
			return refuse_points(sweep, point, "a point with other keys");
		for (size_t k = 0; k < axis->key_count; k++) {
			const struct pl_yaml *inner = point_value(sweep, point, axis->keys[k]);
			if (inner == NULL)
				return refuse_points(sweep, point, "a point with other keys");
			axis->settings[i * axis->key_count + k] =
				(struct exp_setting){ axis->keys[k], point, inner };
		}
	}
	return axis;
}

const struct exp_setting *exp_axis_step(const struct exp_axis *axis, size_t index)
{
	return &axis->settings[index * axis->key_count];
}

const struct exp_setting *exp_axis_share(struct exp_sweep_reader *sweep,
					 const struct exp_axis *axis, double share)
{
	if (axis->count > 0)
		return exp_axis_step(axis, (size_t)(share * (double)axis->count));
	struct exp_setting *setting = pl_arena_alloc(sweep->sweep->arena, sizeof(*setting));
	*setting = (struct exp_setting){ axis->keys[0], axis->at,
					 exp_number_node(
						 sweep, exp_range_share(&axis->range, share),
						 axis->range.whole, SHARE_DIGITS, axis->at) };
	return setting;
}
