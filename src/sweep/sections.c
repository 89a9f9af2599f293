#include "sweep/sections.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "vllm/bench_options.h"
#include "vllm/secret.h"

/* Removes the parts that are shown differently, which are secrets. */
static void leave_out(json_t *whole, const json_t *shown, const char *prefix, json_t *left_out)
{
	auto_json json_t *members = json_copy(whole);

	PL_JSON_EACH_MEMBER(name, value, members) {
		const json_t *other = json_object_get(shown, name);
		auto_free char *key = pl_asprintf("%s%s%s", prefix, prefix[0] != '\0' ? "." : "",
						  name);
		if (json_equal(value, other))
			continue;
		if (json_is_object(value) && json_is_object(other)) {
			leave_out(json_object_get(whole, name), other, key, left_out);
			continue;
		}
		json_object_del(whole, name);
		json_array_append_new(left_out, json_string(key));
	}
}

json_t *sweep_sections(const struct exp_sweep *sweep, json_t *left_out)
{
	json_t *whole = pl_yaml_to_json(&sweep->base);
	auto_json json_t *shown = vllm_secret_json_shown(whole);

	leave_out(whole, shown, "", left_out);
	/* Removes load options that are always secret. */
	json_t *benchmark = json_object_get(whole, "benchmark");
	auto_json json_t *members = json_copy(benchmark);
	PL_JSON_EACH_MEMBER(name, value, members) {
		enum vllm_bench_id id = vllm_bench_find(name);
		if (id == VLLM_BENCH_COUNT || !vllm_bench_row(id)->secret)
			continue;
		json_object_del(benchmark, name);
		json_array_append_new(left_out, json_sprintf("benchmark.%s", name));
	}
	return whole;
}

char *sweep_name(const struct exp_sweep *sweep)
{
	static const char *const keys[] = { "name", "suite" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		const struct pl_yaml *value = pl_yaml_get(&sweep->base, keys[i]);
		if (value != NULL && value->kind == PL_YAML_SCALAR && value->text[0] != '\0')
			return pl_strdup(value->text);
	}
	char *name = pl_file_name(sweep->source);
	char *end = strrchr(name, '.');
	if (end != NULL && end > name)
		*end = '\0';
	return name;
}
