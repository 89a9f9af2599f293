#include "result/flat/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_result_flat_file__names_of_artifacts(void **state)
{
	static const struct {
		const char *path, *artifact;
	} cases[] = {
		{ "r.json", "r.timeline.html" },
		{ "a/b.c/r.json", "a/b.c/r.timeline.html" },
		{ "a/b.c/r", "a/b.c/r.timeline.html" },
		{ "run.v1", "run.timeline.html" },
		{ "openai-10.0qps-M-1.5B-20260101.json",
		  "openai-10.0qps-M-1.5B-20260101.timeline.html" },
		{ "/x/.hidden", "/x/.hidden.timeline.html" },
		{ "/x/.hidden.json", "/x/.hidden.timeline.html" },
		{ "..r", "..r.timeline.html" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *artifact = res_flat_artifact_path(cases[i].path, ".timeline.html");
		assert_string_equal(artifact, cases[i].artifact);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_flat_file__names_of_artifacts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
