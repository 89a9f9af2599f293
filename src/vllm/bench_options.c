/* The options of `vllm bench serve` and ours: one row each (src/tbl/bench_args.h), one member of
 * struct vllm_bench each. */
#include "vllm/bench_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/row_words.h"
#include "vllm/secret.h"

/* clang-format off */
static const struct option_row rows[] = {
#define BENCH(type_, style_, name_, flag_, default_, min_, max_, help_, ...)                       \
	{ .name = #name_, .flag = flag_, .type = OPTION_##type_, .style = OPTION_STYLE_##style_,     \
	  .default_json = #default_, .min = min_, .max = max_, .help = help_,                        \
	  .offset = offsetof(struct vllm_bench, name_), .number_text = true, .infinite = true,       \
	  __VA_ARGS__ },
#include "tbl/bench_args.h"
#undef BENCH
};
/* clang-format on */

const struct option_row *vllm_bench_row(enum vllm_bench_id id)
{
	return &rows[id];
}

/* '-' and '_' are one, as in a flag. */
enum vllm_bench_id vllm_bench_find(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		size_t at = 0;
		while (at < len && (name[at] == '-' ? '_' : name[at]) == rows[i].name[at])
			at++;
		if (at == len && rows[i].name[at] == '\0')
			return (enum vllm_bench_id)i;
	}
	return VLLM_BENCH_COUNT;
}

void vllm_bench_set(struct vllm_bench *bench, enum vllm_bench_id id, const json_t *value)
{
	option_member_set(bench, &rows[id], value);
}

void vllm_bench_init(struct vllm_bench *bench)
{
	memset(bench, 0, sizeof(*bench));
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *value = option_member_default(&rows[i]);
		option_member_set(bench, &rows[i], value);
	}
}

void vllm_bench_done(struct vllm_bench *bench)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		option_member_done(bench, &rows[i]);
	memset(bench, 0, sizeof(*bench));
}

bool vllm_bench_thresholds(const char *text, double ret_ms[2])
{
	auto_free char *copy = pl_strdup(text != NULL ? text : "");
	double limits_ms[2] = { 0 };
	size_t count = 0;

	for (char *rest = copy, *one; (one = strsep(&rest, ",")) != NULL; count++) {
		double value;
		if (count == 2 || !pl_text_to_f64(pl_text_trim(one), &value) || isnan(value))
			return false;
		limits_ms[count] = value;
	}
	if (count != 2)
		return false;
	memcpy(ret_ms, limits_ms, sizeof(limits_ms));
	return true;
}

/* Hides the values of headers: the sender reads the member. */
json_t *vllm_bench_get(const struct vllm_bench *bench, enum vllm_bench_id id)
{
	json_t *value = option_member_get(bench, &rows[id]);

	if (!rows[id].secret || !json_is_array(value))
		return value;
	/* "NAME=***" for each "NAME=value". */
	json_t *shown = json_array();
	PL_JSON_EACH(item, value) {
		const char *text = json_string_value(item);
		json_array_append_new(shown,
				      json_sprintf("%.*s=***", (int)strcspn(text, "="), text));
	}
	json_decref(value);
	return shown;
}

json_t *vllm_bench_to_json(const struct vllm_bench *bench)
{
	json_t *json = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *value = vllm_bench_get(bench, (enum vllm_bench_id)i);
		json_object_set_new(json, rows[i].name, vllm_secret_json_shown(value));
	}
	return json;
}

bool vllm_bench_is_default(const struct vllm_bench *bench, enum vllm_bench_id id)
{
	/* only this row: callers check many rows, one at a time */
	struct vllm_bench plain = { 0 };
	auto_json json_t *value = option_member_default(&rows[id]);

	option_member_set(&plain, &rows[id], value);
	auto_json json_t *mine = option_member_get(bench, &rows[id]);
	auto_json json_t *theirs = option_member_get(&plain, &rows[id]);
	option_member_done(&plain, &rows[id]);
	return json_equal(mine, theirs);
}
