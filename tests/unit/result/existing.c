#include "result/existing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"

#define RESULT(status, results)                                                                  \
	"{\"run_id\": \"exp_1\", \"timestamp\": \"2026-11-22T10:00:00Z\", \"status\": \"" status \
	"\", \"results\": " results "}"
#define HOLDS(status)                                                                     \
	"' holds a result of 2026-11-22T10:00:00Z, status " status "; use another -o or " \
	"--overwrite"

static const struct {
	const char *text;
	enum res_worth worth;
	const char *says; /* NULL: no result exists */
} rows[] = {
	{ NULL, RES_WORTH_NOTHING, NULL },
	{ "", RES_WORTH_NOTHING, NULL },
	{ "notes", RES_WORTH_OTHER, "' already exists; use another -o or --overwrite" },
	{ "{}", RES_WORTH_OTHER, "' already exists; use another -o or --overwrite" },
	{ "{\"run_id\": 3}", RES_WORTH_OTHER, "' already exists; use another -o or --overwrite" },
	{ RESULT("completed", "{}"), RES_WORTH_WHOLE, HOLDS("completed") },
	{ RESULT("partial", "{}"), RES_WORTH_WHOLE, HOLDS("partial") },
	{ RESULT("timeout", "{}"), RES_WORTH_PART, HOLDS("timeout") },
	{ RESULT("interrupted", "{}"), RES_WORTH_PART, HOLDS("interrupted") },
	{ RESULT("interrupted", "{\"completed\": 1}"), RES_WORTH_PART, HOLDS("interrupted") },
	{ RESULT("failed", "{\"completed\": 0}"), RES_WORTH_END, HOLDS("failed") },
	{ RESULT("interrupted", "null"), RES_WORTH_END, HOLDS("interrupted") },
	{ RESULT("launch_failed", "null"), RES_WORTH_END, HOLDS("launch_failed") },
	{ RESULT("of a later version", "{}"), RES_WORTH_PART, HOLDS("of a later version") },
	{ "{\"date\": \"x\", \"duration\": 1, \"completed\": \"3\"}", RES_WORTH_OTHER,
	  "' already exists; use another -o or --overwrite" },
	/* the flat results of vLLM, alone and with ours */
	{ "{\"date\": \"x\", \"duration\": 1.5, \"completed\": 3}", RES_WORTH_WHOLE,
	  "' already exists; use another -o or --overwrite" },
	{ "{\"avg_latency\": 1.5, \"latencies\": [1.5]}", RES_WORTH_WHOLE,
	  "' already exists; use another -o or --overwrite" },
	{ "{\"date\": \"x\", \"profllm\": " RESULT("completed", "{}") "}", RES_WORTH_WHOLE,
	  HOLDS("completed") },
};

static void test_res_existing__describes_the_existing_result(void **state)
{
	auto_free char *path = pl_strdup(scratch_path(*state, "r.json"));

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct pl_err err = PL_ERR_INIT;
		unlink(path);
		if (rows[i].text != NULL)
			assert_int_equal(
				pl_file_write(path, rows[i].text, strlen(rows[i].text), &err), 0);
		assert_int_equal(res_existing_worth(path), rows[i].worth);
		int done = res_existing_check(path, "-o", &err);
		assert_int_equal(done, rows[i].says == NULL ? 0 : -1);
		if (done < 0 &&
		    (err.code != PL_ERR_INVALID || !pl_text_ends(err.text, rows[i].says)))
			fail_msg("'%s' does not end with \"%s\"", err.text, rows[i].says);
		bool is_empty = rows[i].worth == RES_WORTH_NOTHING;
		bool is_other = rows[i].worth == RES_WORTH_OTHER;
		assert_int_equal(res_existing_check_replaced(path, "-o", true, &err),
				 is_other ? -1 : 0);
		assert_int_equal(res_existing_check_replaced(path, "-o", false, &err),
				 is_empty || is_other ? 0 : -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_res_existing__describes_the_existing_result,
						scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
