#include "run/replace.h"

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
#include "result/existing.h"

#define RUN_ID "exp_20260102_030405_0a1b2c"

static void put(const char *path, const char *text)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
}

static void check_text(const char *path, const char *expected)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = NULL;

	assert_int_equal(pl_file_read(path, 1 << 20, &text, NULL, &err), 0);
	assert_string_equal(text, expected);
}

static json_t *document_of(const char *run_id, const char *status, const char *log)
{
	return json_pack("{s:s, s:s, s:s, s:{}, s:[{s:s}], s:{s:s}}", "run_id", run_id, "timestamp",
			 "2026-01-02T03:04:05Z", "status", status, "results", "artifacts", "name",
			 log, "series", "file", "r." RUN_ID ".series.jsonl.zst");
}

/* Makes a result with a log and a picture at OUTPUT, and a run's log in the same directory. */
static void make_both(const char *output, const char *status, struct run_paths *ret_to,
		      struct run_paths *ret_from)
{
	auto_json json_t *old = document_of("exp_1", status, "r.server.log");
	struct pl_err err = PL_ERR_INIT;

	run_paths_make(output, NULL, ret_to);
	run_paths_make(output, RUN_ID, ret_from);
	assert_int_equal(pl_json_write_file(old, output, &err), 0);
	put(ret_to->server_log, "old log");
	put(ret_to->timeline, "old picture");
	put(ret_from->server_log, "new log");
}

static void test_run_replace__as_much_takes_the_place(void **state)
{
	auto_free char *output = pl_strdup(scratch_path(*state, "r.json"));
	struct run_paths to, from;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *new = document_of(RUN_ID, "partial", "r." RUN_ID ".server.log");
	auto_json json_t *written = NULL;

	make_both(output, "completed", &to, &from);
	assert_int_equal(run_replace(&from, new, &err), 0);
	assert_false(from.is_alternative);
	assert_string_equal(from.result, output);
	check_text(to.server_log, "new log");
	assert_false(pl_file_exists(to.timeline));
	assert_int_equal(pl_json_read_file(output, &written, &err), 0);
	assert_string_equal(json_string_value(pl_json_get_path(written, "series.file")),
			    "r.series.jsonl.zst");
	const json_t *log = json_array_get(json_object_get(written, "artifacts"), 0);
	assert_string_equal(json_string_value(json_object_get(log, "name")), "r.server.log");
	run_paths_done(&from);
	run_paths_done(&to);
}

static void test_run_replace__a_lesser_result_gets_another_name(void **state)
{
	auto_free char *output = pl_strdup(scratch_path(*state, "r.json"));
	struct run_paths to, from;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *new = document_of(RUN_ID, "interrupted", "r." RUN_ID ".server.log");

	make_both(output, "partial", &to, &from);
	assert_int_equal(run_replace(&from, new, &err), 0);
	assert_true(from.is_alternative);
	check_text(to.server_log, "old log");
	check_text(to.timeline, "old picture");
	check_text(from.server_log, "new log");
	assert_true(pl_file_exists(from.result));
	run_paths_done(&from);
	run_paths_done(&to);
}

/* Killed once the result was in place, with none, some or all of its files moved. */
static void test_run_replace__finished_twice_is_finished(void **state)
{
	auto_free char *output = pl_strdup(scratch_path(*state, "r.json"));
	struct run_paths to, from;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *new = document_of(RUN_ID, "completed", "r.server.log");

	make_both(output, "completed", &to, &from);
	assert_int_equal(pl_json_write_file(new, output, &err), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(run_replace_finish(output, new, &err), 0);
		check_text(to.server_log, "new log");
		assert_false(pl_file_exists(from.server_log));
		assert_false(pl_file_exists(to.timeline));
	}
	run_paths_done(&from);
	run_paths_done(&to);
}

static void test_run_replace__drop_takes_only_the_runs_own(void **state)
{
	auto_free char *output = pl_strdup(scratch_path(*state, "r.json"));
	struct run_paths to, from;

	make_both(output, "completed", &to, &from);
	run_replace_drop(output, RUN_ID);
	assert_false(pl_file_exists(from.server_log));
	check_text(to.server_log, "old log");
	run_paths_done(&from);
	run_paths_done(&to);
}

static void test_run_paths__names(void **state)
{
	(void)state;
	struct run_paths paths;

	run_paths_make("a/b.json", RUN_ID, &paths);
	assert_string_equal(paths.result, "a/b." RUN_ID ".json");
	assert_string_equal(paths.requests, "a/b." RUN_ID ".requests.jsonl.zst");
	run_paths_done(&paths);
	run_paths_make("a/b", RUN_ID, &paths);
	assert_string_equal(paths.result, "a/b." RUN_ID ".json");
	assert_string_equal(paths.client_timeline, "a/b." RUN_ID ".client.timeline.html");
	run_paths_done(&paths);
	run_paths_make("a/b", NULL, &paths);
	assert_string_equal(paths.result, "a/b");
	assert_string_equal(paths.server_log, "a/b.server.log");
	run_paths_done(&paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_run_replace__as_much_takes_the_place,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_run_replace__a_lesser_result_gets_another_name,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_run_replace__finished_twice_is_finished,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_run_replace__drop_takes_only_the_runs_own,
						scratch_setup, scratch_teardown),
		cmocka_unit_test(test_run_paths__names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
