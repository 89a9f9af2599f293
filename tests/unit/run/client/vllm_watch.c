#include "run/client/vllm_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/scratch.h"

static void the_tail_of_a_log(void **state)
{
	static const struct {
		const char *log, *tail;
	} cases[] = {
		{ "", "[]" },
		{ "one\n", "[\"one\"]" },
		{ "one\ntwo\nthree\n", "[\"two\",\"three\"]" },
		/* the program was killed in a line */
		{ "one\ntwo\nthr", "[\"two\",\"thr\"]" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const char *path = scratch_path(*state, "log");
		assert_int_equal(
			pl_file_write(path, cases[i].log, strlen(cases[i].log), PL_ERR_IGNORED), 0);
		auto_json json_t *tail = run_vllm_log_tail(path, 2);
		auto_free char *text = pl_json_to_text(tail, PL_JSON_COMPACT);
		assert_string_equal(text, cases[i].tail);
	}
	auto_json json_t *missing = run_vllm_log_tail(scratch_path(*state, "missing"), 2);
	assert_int_equal(json_array_size(missing), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(the_tail_of_a_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
