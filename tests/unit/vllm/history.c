#include "vllm/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "vllm/catalog.h"

static struct vllm_version parse(const char *text)
{
	struct vllm_version version;
	struct pl_err err = PL_ERR_INIT;

	if (vllm_version_parse(text, &version, &err) < 0)
		fail_msg("%s", err.text);
	return version;
}

static void releases_are_in_order(void **state)
{
	(void)state;
	assert_int_equal(vllm_release_count(), 69);
	assert_string_equal(vllm_release_at(0), "0.4.0");
	assert_string_equal(vllm_release_at(68), VLLM_REFERENCE_RELEASE);
	for (size_t i = 1; i < vllm_release_count(); i++) {
		struct vllm_version before = parse(vllm_release_at(i - 1));
		struct vllm_version after = parse(vllm_release_at(i));
		assert_int_equal(vllm_version_compare(&before, &after), -1);
	}
}

/* The assumptions of the look-up. */
static void rows_are_sorted_and_have_no_gaps(void **state)
{
	size_t gone = 0, args = 0;

	(void)state;
	for (size_t i = 0; i < vllm_history_count(); i++) {
		const struct vllm_history *history = vllm_history_at(i);
		const struct vllm_range *range = history->ranges;
		assert_ptr_equal(vllm_history_find(history->of, history->name), history);
		for (; range->since != NULL; range++) {
			bool known;
			struct vllm_version since = parse(range->since);
			if (range[1].since != NULL)
				assert_string_equal(range->until, range[1].since);
			assert_true(range->until == NULL ||
				    vllm_release_compare(&since, range->until, &known) < 0);
		}
		assert_int_equal(history->replaced_by != NULL, history->map != VLLM_MAP_NONE);
		args += history->of == NULL;
		gone += history->of == NULL && vllm_history_until(history) != NULL;
		if (history->of == NULL)
			assert_int_equal(
				vllm_history_until(history) != NULL,
				vllm_arg_find(vllm_catalog_reference(), history->name)->gone);
	}
	assert_int_equal(args, 396);
	assert_int_equal(gone, 76);
	assert_int_equal(vllm_history_count() - args, 288);
}

static void a_release_falls_into_a_range(void **state)
{
	static const struct {
		const char *of;
		const char *name;
		const char *release;
		const char *since; /* of the range; NULL: there is none */
	} cases[] = {
		{ NULL, "prefix_caching_hash_algo", "0.8.2", NULL },
		{ NULL, "prefix_caching_hash_algo", "0.8.3", "0.8.3" },
		{ NULL, "prefix_caching_hash_algo", "0.8.5.post1", "0.8.3" },
		{ NULL, "prefix_caching_hash_algo", "0.10.1", "0.10.0" },
		{ NULL, "prefix_caching_hash_algo", "0.9.2", "0.8.3" },
		/* not read: as the one before */
		{ NULL, "prefix_caching_hash_algo", "0.10.1.1", "0.10.0" },
		{ NULL, "prefix_caching_hash_algo", "0.10.2rc1", "0.10.0" },
		{ NULL, "prefix_caching_hash_algo", "0.10.2", "0.10.2" },
		{ NULL, "prefix_caching_hash_algo", "0.32.0", "0.13.0" },
		{ NULL, "prefix_caching_hash_algo", "1.0", "0.13.0" },
		/* older than all: as the first */
		{ NULL, "gpu_memory_utilization", "0.3.3", "0.4.0" },
		{ NULL, "task", "0.3.3", NULL },
		{ NULL, "task", "0.12.0", "0.10.1" },
		{ NULL, "task", "0.13.0", NULL },
		{ "compilation_config", "level", "0.17.1", "0.10.1" },
		{ "compilation_config", "level", "0.18.0", NULL },
		{ "compilation_config", "mode", "0.11.0", NULL },
		{ "compilation_config", "mode", "0.11.1", "0.11.1" },
		{ "compilation_config", "pass_config.enable_noop", "0.12.0", "0.12.0" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct vllm_history *history = vllm_history_find(cases[i].of, cases[i].name);
		struct vllm_version release = parse(cases[i].release);
		assert_non_null(history);
		const struct vllm_range *range = vllm_history_range(history, &release);
		const char *since = range != NULL ? range->since : NULL;
		if ((since == NULL) != (cases[i].since == NULL) ||
		    (since != NULL && strcmp(since, cases[i].since) != 0))
			fail_msg("%s in %s: %s", cases[i].name, cases[i].release,
				 since != NULL ? since : "none");
	}
	assert_null(vllm_history_find(NULL, "level"));
	assert_null(vllm_history_find("compilation_config", "task"));
	assert_null(vllm_history_find(NULL, "made_up"));
}

static void ends_are_known(void **state)
{
	const struct vllm_history *task = vllm_history_find(NULL, "task");
	const struct vllm_history *ray = vllm_history_find(NULL, "worker_use_ray");
	const struct vllm_history *graphs = vllm_history_find("compilation_config",
							      "full_cuda_graph");

	(void)state;
	assert_string_equal(vllm_history_since(task), "0.6.4");
	assert_string_equal(vllm_history_until(task), "0.13.0");
	assert_string_equal(task->replaced_by, "runner, convert");
	assert_int_equal(task->map, VLLM_MAP_OTHER);
	assert_string_equal(task->told_by, "message 0.12.0");
	assert_int_equal(ray->map, VLLM_MAP_CONSTANT);
	assert_string_equal(ray->value, "\"ray\"");
	assert_int_equal(graphs->map, VLLM_MAP_VALUES);
	assert_string_equal(graphs->value, "[[true, \"FULL\"]]");
	assert_string_equal(
		vllm_history_find(NULL, "max_context_len_to_capture")->replacement_until, "0.11.0");
	assert_null(vllm_history_until(vllm_history_find(NULL, "model")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_are_in_order),
		cmocka_unit_test(rows_are_sorted_and_have_no_gaps),
		cmocka_unit_test(a_release_falls_into_a_range),
		cmocka_unit_test(ends_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
