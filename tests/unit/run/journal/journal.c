#include "run/journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/load/feed.h"
#include "run/journal/file.h"
#include "run/journal/frame.h"
#include "run/journal/read.h"

#define RUN_ID "exp_20260102_030405_0a1b2c"

static void write_run(const char *output, size_t count, struct res_outcome **ret)
{
	auto_journal struct run_journal *journal = NULL;
	struct bench_request *requests = pl_alloc_array(count, sizeof(*requests));
	auto_feed struct bench_feed *feed = bench_feed_new();
	struct pl_err err = PL_ERR_INIT;

	for (size_t i = 0; i < count; i++) {
		requests[i] = (struct bench_request){ .body = "x",
						      .body_len = 1,
						      .request_id = { "r-", (int64_t)i },
						      .prompt_tokens = 3,
						      .output_tokens = 4 };
	}
	struct bench_load load = {
		.adapter = bench_adapter_find("null"),
		.host_header = "x",
		.path = "/",
		.headers = "",
		.requests = requests,
		.count = count,
		.max_concurrency = 2,
		.threads = 2,
		.request_timeout_ns = 60 * PL_NS_PER_S,
		.stall_timeout_ns = 60 * PL_NS_PER_S,
		.run_timeout_ns = OPTION_NO_I64,
		.feed = feed,
	};
	if (run_journal_open(output, false, &journal, &err) < 0)
		fail_msg("%s", err.text);
	run_journal_head(journal, RUN_ID, 1767323045 * PL_NS_PER_S, 1000);
	run_journal_stage(journal, RES_STAGE_PREPARE, json_pack("{s:s}", "name", "first"));
	run_journal_stage(journal, RES_STAGE_MEASURE, json_pack("{s:s}", "name", "second"));
	run_journal_load(journal, requests, count, json_pack("{s:b}", "requests", 1));
	run_journal_follow(journal, feed);
	assert_int_equal(bench_load_run(&load, ret, &err), 0);
	run_journal_unfollow(journal);
	free(requests);
}

static void assert_same_record(const struct res_record *a, const struct res_record *b)
{
	auto_json json_t *left = res_record_to_json(a);
	auto_json json_t *right = res_record_to_json(b);
	auto_free char *left_text = pl_json_to_text(left, PL_JSON_COMPACT);
	auto_free char *right_text = pl_json_to_text(right, PL_JSON_COMPACT);

	assert_string_equal(left_text, right_text);
}

static void read_text(const char *path, char **ret, size_t *ret_len)
{
	struct pl_err err = PL_ERR_INIT;

	if (pl_file_read(path, 64u << 20, ret, ret_len, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_exp_journal__holds_what_the_run_measured(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	auto_journal_state struct run_journal_state *read = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = NULL;
	size_t len;

	write_run(output, 300, &outcome);
	read_text(path, &text, &len);
	assert_int_equal(run_journal_read(text, len, &read, &err), 0);
	assert_string_equal(read->run_id, RUN_ID);
	assert_true(read->started_ns == 1000 && read->stage == RES_STAGE_MEASURE);
	assert_string_equal(json_string_value(json_object_get(read->document, "name")), "second");
	assert_true(json_is_true(json_object_get(read->load, "requests")));
	assert_int_equal(read->count, 300);
	assert_int_equal(read->over, 300);
	assert_int_equal(read->cut_bytes, 0);
	assert_true(read->start_ns == outcome->start_ns);
	assert_true(read->last_ns >= outcome->end_ns);
	for (size_t i = 0; i < 300; i++)
		assert_same_record(&read->records[i], &outcome->records[i]);
}

static struct res_record failed_try(uint64_t index, int64_t acted_ns)
{
	struct res_record record;

	res_record_init(&record, index);
	record.acted_ns = acted_ns;
	record.end_ns = acted_ns + 5;
	record.error_kind = res_failure_name("connect");
	return record;
}

/* Two requests: one is tried three times and ends, one is killed within its second try. */
static void test_exp_journal__holds_tries(void **state)
{
	const struct run_frame_row row = { .prompt_tokens = 1, .output_tokens = 1 };
	auto_journal_state struct run_journal_state *read = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1 << 20);
	run_frame_start(&buf);
	auto_json json_t *head = json_pack("{s:s, s:i, s:i, s:i}", "run_id", RUN_ID,
					   "started_real_ns", 1, "started_ns", 1, "pid", 1);
	auto_json json_t *stage = json_pack("{s:s, s:i, s:{}}", "stage", "measure", "t_ns", 2,
					    "document");
	auto_json json_t *how = json_object();
	assert_true(run_frame_add_json(&buf, RUN_FRAME_HEAD, head));
	assert_true(run_frame_add_json(&buf, RUN_FRAME_STAGE, stage));
	assert_true(run_frame_add_json(&buf, RUN_FRAME_LOAD, how));
	for (uint64_t i = 0; i < 2; i++)
		assert_true(run_frame_add_row(&buf, &row));
	for (uint64_t i = 0; i < 2; i++) {
		struct res_record acted = failed_try(i, 10);
		assert_true(run_frame_add_acted(&buf, &acted));
	}
	static const uint64_t order[] = { 1, 0, 0 };
	for (size_t i = 0; i < 3; i++) {
		struct res_record one = failed_try(order[i], 10 + 20 * (int64_t)i);
		assert_true(run_frame_add_record(&buf, RUN_FRAME_TRY, &one));
	}
	struct res_record last = failed_try(0, 10);
	assert_true(run_frame_add_record(&buf, RUN_FRAME_RECORD, &last));
	/* what is over is not tried again: from here on nothing is believed */
	assert_true(run_frame_add_record(&buf, RUN_FRAME_TRY, &last));
	if (run_journal_read(buf.data, buf.len, &read, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(read->cut_bytes > 0);
	assert_int_equal(read->over, 1);
	assert_int_equal(read->records[0].tries, 3);
	assert_int_equal(read->records[1].tries, 2);
	assert_string_equal(read->records[1].error_kind, "abandoned");
	assert_int_equal(read->try_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(read->tries[i]->index, i / 2);
		assert_int_equal(read->tries[i]->tries, i % 2 + 1);
		assert_true(read->tries[i]->retried);
	}
	assert_int_equal(read->tries[0]->acted_ns, 30);
}

/* Wherever it was cut: what is left is a beginning of the run, and no more than that. */
static void test_exp_journal__may_end_anywhere(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	auto_free char *text = NULL;
	size_t len, over = 0, readable = 0;

	write_run(output, 6, &outcome);
	read_text(path, &text, &len);
	for (size_t cut = 0; cut <= len; cut++) {
		auto_journal_state struct run_journal_state *read = NULL;
		struct run_journal_glance glance;
		struct pl_err err = PL_ERR_INIT;
		/* of its own, so that a read beyond the end is found */
		auto_free char *part = pl_memdup(text, cut);
		enum run_journal_look look = run_journal_look(part, cut, &glance);
		int done = run_journal_read(part, cut, &read, &err);
		assert_int_equal(look, done == 0 ? RUN_JOURNAL_RUN : RUN_JOURNAL_EMPTY);
		/* once readable, always readable, and never less */
		assert_true(done == 0 || readable == 0);
		if (done < 0)
			continue;
		readable++;
		assert_true(read->over >= over);
		over = read->over;
		for (size_t i = 0; i < read->count; i++) {
			const struct res_record *record = &read->records[i];
			bool is_over = record->ok ||
				       (strcmp(record->error_kind, "abandoned") != 0 &&
					strcmp(record->error_kind, "not_sent") != 0);
			if (is_over)
				assert_same_record(record, &outcome->records[i]);
		}
	}
	assert_int_equal(over, 6);
}

static void test_exp_journal__a_changed_byte_is_found(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	auto_free char *text = NULL;
	size_t len;

	write_run(output, 4, &outcome);
	read_text(path, &text, &len);
	for (size_t at = 20; at < len; at++) {
		auto_journal_state struct run_journal_state *read = NULL;
		struct pl_err err = PL_ERR_INIT;
		text[at] ^= 0x10;
		if (run_journal_read(text, len, &read, &err) == 0)
			assert_true(read->cut_bytes > 0);
		text[at] ^= 0x10;
	}
}

static void check_refused(const char *output, bool overwrite, enum pl_err_code code,
			  const char *says)
{
	struct run_journal *journal = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(run_journal_open(output, overwrite, &journal, &err), -1);
	assert_int_equal(err.code, code);
	if (strstr(err.text, says) == NULL)
		fail_msg("'%s' does not say '%s'", err.text, says);
}

static void check_taken(const char *output, bool overwrite)
{
	auto_journal struct run_journal *journal = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (run_journal_open(output, overwrite, &journal, &err) < 0)
		fail_msg("%s", err.text);
}

static void write_file(const char *path, const char *text, size_t len)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, text, len, &err), 0);
}

static void test_exp_journal__what_a_killed_run_left_is_kept(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	auto_free char *before = NULL, *after = NULL;
	static const char result[] = "{\"run_id\": \"" RUN_ID "\"}";
	size_t len, after_len;

	write_run(output, 4, &outcome);
	read_text(path, &before, &len);
	check_refused(output, false, PL_ERR_INVALID, "profllm recover");
	/* to open it with leave to overwrite gives nothing up yet */
	check_taken(output, true);
	read_text(path, &after, &after_len);
	assert_int_equal(after_len, len);
	assert_memory_equal(after, before, len);
	/* its run's result is there: nothing is lost */
	write_file(output, result, sizeof(result) - 1);
	check_taken(output, false);
	/* another run's */
	write_file(output, "{\"run_id\": \"exp_1\"}", 19);
	check_refused(output, false, PL_ERR_INVALID, RUN_ID);
}

static void test_exp_journal__files_that_are_not_ours_to_take(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	static const char newer[] = RUN_JOURNAL_MAGIC "\3\0\0\0 and what follows";

	write_file(path, "my notes\n", 9);
	check_refused(output, false, PL_ERR_INVALID, "not a journal");
	check_refused(output, true, PL_ERR_INVALID, "not a journal");
	write_file(path, newer, sizeof(newer) - 1);
	check_refused(output, false, PL_ERR_INVALID, "format 3 of another profllm");
	static const char older[] = RUN_JOURNAL_MAGIC "\1\0\0\0 and what follows";
	write_file(path, older, sizeof(older) - 1);
	check_refused(output, false, PL_ERR_INVALID, "format 1 of another profllm");
	check_taken(output, true);
	/* killed before its first frame was whole: nothing had begun */
	write_file(path, RUN_JOURNAL_MAGIC, 10);
	check_taken(output, false);
	unlink(path);
	assert_int_equal(symlink("elsewhere", path), 0);
	check_refused(output, true, PL_ERR_IO, "cannot open");
}

static void test_exp_journal__one_in_which_nothing_was_written_goes(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));

	check_taken(output, false);
	assert_int_equal(scratch_count(scratch, 0), 0);
}

/* Locks are of a process: the one that holds it must be another. */
static void test_exp_journal__one_of_a_run_that_lives_is_left_alone(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	int ready[2], end[2], status = 0;
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	pid_t child = fork();
	if (child == 0) {
		struct run_journal *journal = NULL;
		struct pl_err err = PL_ERR_INIT;
		close(end[1]);
		if (run_journal_open(output, false, &journal, &err) < 0)
			_exit(1);
		run_journal_head(journal, RUN_ID, 1, 1);
		run_journal_stage(journal, RES_STAGE_PREPARE, json_object());
		if (write(ready[1], &byte, 1) != 1 || read(end[0], &byte, 1) < 0)
			_exit(2);
		run_journal_remove(journal);
		run_journal_free(journal);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	char says[64];
	snprintf(says, sizeof(says), "process %d", (int)child);
	check_refused(output, false, PL_ERR_BUSY, says);
	check_refused(output, true, PL_ERR_BUSY, says);
	struct run_journal_file file;
	struct pl_err err = PL_ERR_INIT;
	assert_int_equal(run_journal_file_find(output, &file, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	close(end[1]);
	assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	check_taken(output, false);
	assert_int_equal(run_journal_file_find(output, &file, &err), -1);
	assert_int_equal(err.code, PL_ERR_NOT_FOUND);
	close(ready[0]);
	close(ready[1]);
	close(end[0]);
}

/* A run without one: every call is allowed and does nothing. */
static void test_exp_journal__none(void **state)
{
	(void)state;
	run_journal_head(NULL, RUN_ID, 1, 1);
	run_journal_stage(NULL, RES_STAGE_LAUNCH, json_object());
	run_journal_load(NULL, NULL, 0, json_object());
	run_journal_alive(NULL);
	run_journal_follow(NULL, NULL);
	run_journal_unfollow(NULL);
	run_journal_remove(NULL);
	run_journal_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_exp_journal__holds_what_the_run_measured),
		scratch_test(test_exp_journal__may_end_anywhere),
		cmocka_unit_test(test_exp_journal__holds_tries),
		scratch_test(test_exp_journal__a_changed_byte_is_found),
		scratch_test(test_exp_journal__what_a_killed_run_left_is_kept),
		scratch_test(test_exp_journal__files_that_are_not_ours_to_take),
		scratch_test(test_exp_journal__one_in_which_nothing_was_written_goes),
		scratch_test(test_exp_journal__one_of_a_run_that_lives_is_left_alone),
		cmocka_unit_test(test_exp_journal__none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
