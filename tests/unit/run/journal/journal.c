#include "run/journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/load/feed.h"
#include "result/record_line.h"
#include "run/journal/file.h"
#include "run/journal/line.h"
#include "run/journal/read.h"

#define RUN_ID "exp_20260102_030405_0a1b2c"

static atomic_int syncs; /* calls of fdatasync() */

/* Counts the calls of the journal, which is linked to this one instead of the C library's. */
int fdatasync(int fd)
{
	atomic_fetch_add(&syncs, 1);
	return (int)syscall(SYS_fdatasync, fd);
}

/* The last request is sent after last_ns. Returns how often the journal asked for a sync while the load ran. */
static int write_run_until(const char *output, size_t count, int64_t last_ns,
			   struct res_outcome **ret)
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
	requests[count - 1].planned_ns = last_ns;
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
	run_journal_head(journal, RUN_ID, false, 1767323045 * PL_NS_PER_S, 1000);
	run_journal_stage(journal, RES_STAGE_PREPARE, json_pack("{s:s}", "name", "first"));
	run_journal_stage(journal, RES_STAGE_MEASURE, json_pack("{s:s}", "name", "second"));
	run_journal_load(journal, requests, count, json_pack("{s:b}", "requests", 1));
	int before = atomic_load(&syncs);
	run_journal_follow(journal, feed);
	assert_int_equal(bench_load_run(&load, ret, &err), 0);
	int during = atomic_load(&syncs) - before;
	run_journal_unfollow(journal);
	free(requests);
	return during;
}

static void write_run(const char *output, size_t count, struct res_outcome **ret)
{
	write_run_until(output, count, 0, ret);
}

static void assert_same_record(const struct res_record *a, const struct res_record *b)
{
	auto_buf left = { 0 }, right = { 0 };

	pl_buf_init(&left, 64u << 20);
	pl_buf_init(&right, 64u << 20);
	assert_true(res_record_add_json(&left, a) && res_record_add_json(&right, b));
	assert_string_equal(pl_buf_text(&left), pl_buf_text(&right));
}

static void read_text(const char *path, char **ret, size_t *ret_len)
{
	struct pl_err err = PL_ERR_INIT;

	if (pl_file_read(path, 64u << 20, ret, ret_len, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_run_journal__holds_what_the_run_measured(void **state)
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

static struct res_record failed_try(uint64_t index, uint32_t number, int64_t acted_ns)
{
	struct res_record record;

	res_record_init(&record, index);
	record.tries = number;
	record.retried = true;
	record.acted_ns = acted_ns;
	record.end_ns = acted_ns + 5;
	record.error_kind = res_failure_name("connect");
	return record;
}

/* Writes the lines before the first record of a run of two requests. */
static void begin_run(struct pl_buf *buf)
{
	static const struct bench_request request = { .prompt_tokens = 1, .output_tokens = 1 };
	auto_json json_t *head = json_pack("{s:s, s:i, s:i, s:i}", "run_id", RUN_ID,
					   "started_real_ns", 1, "started_ns", 1, "pid", 1);
	auto_json json_t *stage = json_pack("{s:s, s:i, s:{}}", "stage", "measure", "t_ns", 2,
					    "document");
	auto_json json_t *how = json_object();

	assert_true(run_line_add_start(buf));
	assert_true(run_line_add_json(buf, RUN_LINE_HEAD, head));
	assert_true(run_line_add_json(buf, RUN_LINE_STAGE, stage));
	assert_true(run_line_add_json(buf, RUN_LINE_LOAD, how));
	for (size_t i = 0; i < 2; i++)
		assert_true(run_line_add_plan(buf, i, &request));
	for (uint64_t i = 0; i < 2; i++) {
		struct res_record acted = failed_try(i, 1, 10);
		assert_true(run_line_add_acted(buf, &acted));
	}
}

/* Two requests: one is tried three times and ends, one is killed within its second try. */
static void test_run_journal__holds_tries(void **state)
{
	auto_journal_state struct run_journal_state *read = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1 << 20);
	begin_run(&buf);
	static const uint64_t order[] = { 1, 0, 0 };
	for (size_t i = 0; i < 3; i++) {
		struct res_record one = failed_try(order[i], i == 2 ? 2 : 1, 10 + 20 * (int64_t)i);
		assert_true(run_line_add_record(&buf, &one));
	}
	struct res_record last = failed_try(0, 3, 10);
	last.retried = false;
	assert_true(run_line_add_record(&buf, &last));
	/* a finished request is not tried again: from here on nothing is believed */
	last.retried = true;
	assert_true(run_line_add_record(&buf, &last));
	if (run_journal_read(buf.data, buf.len, &read, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(read->cut_bytes > 0);
	/* the start, head, stage, load, plan and acted twice, three tries, the end, and then it */
	assert_int_equal(read->damaged_line, 4 + 4 + 4 + 1);
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

/* A record that contradicts the lines before it is rejected. */
static void test_run_journal__refuses_contradicting_records(void **state)
{
	struct {
		struct res_record record;
		const char *why;
	} wrong[] = {
		{ failed_try(2, 1, 10), "no such request" },
		{ failed_try(0, 2, 10), "not the next try" },
		{ failed_try(0, 1, 10), "tries of an end that were not made" },
		{ failed_try(0, 0, 10), "no try at all" },
	};

	(void)state;
	wrong[2].record.retried = false;
	wrong[2].record.tries = 2;
	for (size_t i = 0; i < PL_ARRAY_SIZE(wrong); i++) {
		auto_journal_state struct run_journal_state *read = NULL;
		struct pl_err err = PL_ERR_INIT;
		auto_buf buf = { 0 };
		pl_buf_init(&buf, 1 << 20);
		begin_run(&buf);
		size_t good = buf.len;
		assert_true(run_line_add_record(&buf, &wrong[i].record));
		assert_int_equal(run_journal_read(buf.data, buf.len, &read, &err), 0);
		if (read->cut_bytes != buf.len - good || read->damaged_line != 9 || read->over > 0)
			fail_msg("%s", wrong[i].why);
	}
}

static size_t behind_last_end(const char *text, size_t len)
{
	const char *end = memrchr(text, '\n', len);

	return end != NULL ? (size_t)(end - text) + 1 : 0;
}

/* A journal that is cut at any byte yields a beginning of the run, and no more. */
static void test_run_journal__may_end_anywhere(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	auto_free char *text = NULL;
	size_t len, over = 0, readable = 0;

	write_run(output, 3, &outcome);
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
		/* a torn line is none that is damaged */
		assert_int_equal(read->damaged_line, 0);
		assert_int_equal(read->cut_bytes, cut - behind_last_end(part, cut));
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
	assert_int_equal(over, 3);
}

static void test_run_journal__a_changed_byte_is_found(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	auto_free char *text = NULL;
	size_t len;

	write_run(output, 2, &outcome);
	read_text(path, &text, &len);
	size_t first = (size_t)(strchr(text, '\n') - text) + 1;
	for (size_t at = first, number = 2; at < len; at++) {
		auto_journal_state struct run_journal_state *read = NULL;
		struct pl_err err = PL_ERR_INIT;
		bool ends_line = text[at] == '\n';
		text[at] ^= 0x10;
		if (run_journal_read(text, len, &read, &err) == 0) {
			/* the number of the line; a damaged last line end leaves no number */
			assert_int_equal(read->damaged_line, at + 1 < len ? number : 0);
			assert_true(read->cut_bytes >= len - at);
		} else {
			assert_true(number <= 3);
		}
		text[at] ^= 0x10;
		number += ends_line;
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

static void test_run_journal__what_a_killed_run_left_is_kept(void **state)
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
	/* its run's result exists: nothing is lost */
	write_file(output, result, sizeof(result) - 1);
	check_taken(output, false);
	/* another run's */
	write_file(output, "{\"run_id\": \"exp_1\"}", 19);
	check_refused(output, false, PL_ERR_INVALID, RUN_ID);
}

static void test_run_journal__files_that_are_not_ours_to_take(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));
	auto_free char *path = run_journal_path(output);
	static const char newer[] = "[\"ProfLLM journal\",4]\nand what follows";
	static const char framed[] = "ProfLLM journal\n\2\0\0\0 and what follows";

	write_file(path, "my notes\n", 9);
	check_refused(output, false, PL_ERR_INVALID, "not a journal");
	check_refused(output, true, PL_ERR_INVALID, "not a journal");
	write_file(path, newer, sizeof(newer) - 1);
	check_refused(output, false, PL_ERR_INVALID, "format 4 of another version");
	write_file(path, framed, sizeof(framed) - 1);
	check_refused(output, false, PL_ERR_INVALID, "format 2 of another version");
	check_taken(output, true);
	/* killed before its first line was complete: nothing had started */
	write_file(path, newer, 10);
	check_taken(output, false);
	unlink(path);
	assert_int_equal(symlink("elsewhere", path), 0);
	check_refused(output, true, PL_ERR_IO, "could not open");
}

static void test_run_journal__one_in_which_nothing_was_written_goes(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *output = pl_strdup(scratch_path(scratch, "r.json"));

	check_taken(output, false);
	assert_int_equal(scratch_count(scratch), 0);
}

/* Locks are of a process: the one that holds it must be another. */
static void test_run_journal__one_of_a_run_that_lives_is_left_alone(void **state)
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
		run_journal_head(journal, RUN_ID, false, 1, 1);
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

static size_t count_lines(const char *output)
{
	auto_free char *path = run_journal_path(output);
	auto_free char *text = NULL;
	size_t len, count = 0;

	read_text(path, &text, &len);
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		count++;
	return count;
}

/* A stage of several steps, some of which learn nothing. */
static void test_run_journal__a_stage_as_it_was_is_not_noted_again(void **state)
{
	static const struct {
		enum res_stage stage;
		const char *name;
		size_t lines; /* with the start and the head */
	} rows[] = {
		{ RES_STAGE_PREPARE, "a", 3 }, { RES_STAGE_PREPARE, "a", 3 },
		{ RES_STAGE_PREPARE, "b", 4 }, { RES_STAGE_LAUNCH, "b", 5 },
		{ RES_STAGE_LAUNCH, "b", 5 },  { RES_STAGE_PREPARE, "b", 6 },
	};
	auto_free char *output = pl_strdup(scratch_path(*state, "r.json"));
	auto_journal struct run_journal *journal = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(run_journal_open(output, false, &journal, &err), 0);
	run_journal_head(journal, RUN_ID, false, 1, 1);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		run_journal_stage(journal, rows[i].stage, json_pack("{s:s}", "name", rows[i].name));
		if (count_lines(output) != rows[i].lines)
			fail_msg("row %zu: %zu lines", i, count_lines(output));
	}
	run_journal_remove(journal);
}

/* Ticks are written every 100 ms; the disk is asked for a sync once a second. */
static void test_run_journal__syncs_once_a_second(void **state)
{
	auto_free char *output = pl_strdup(scratch_path(*state, "r.json"));
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;

	assert_in_range(write_run_until(output, 4, 1300 * PL_NS_PER_MS, &outcome), 1, 2);
	/* the start, the head, two stages, the load, each request three times, and the ticks */
	size_t ticks = count_lines(output) - 5 - (size_t)3 * 4;
	assert_in_range(ticks, 2, 16);
}

/* A run without one: every call is allowed and does nothing. */
static void test_run_journal__none(void **state)
{
	(void)state;
	run_journal_head(NULL, RUN_ID, false, 1, 1);
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
		scratch_test(test_run_journal__holds_what_the_run_measured),
		scratch_test(test_run_journal__may_end_anywhere),
		cmocka_unit_test(test_run_journal__holds_tries),
		cmocka_unit_test(test_run_journal__refuses_contradicting_records),
		scratch_test(test_run_journal__a_changed_byte_is_found),
		scratch_test(test_run_journal__what_a_killed_run_left_is_kept),
		scratch_test(test_run_journal__files_that_are_not_ours_to_take),
		scratch_test(test_run_journal__one_in_which_nothing_was_written_goes),
		scratch_test(test_run_journal__one_of_a_run_that_lives_is_left_alone),
		scratch_test(test_run_journal__a_stage_as_it_was_is_not_noted_again),
		scratch_test(test_run_journal__syncs_once_a_second),
		cmocka_unit_test(test_run_journal__none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
