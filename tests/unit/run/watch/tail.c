#include "run/watch/tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void append(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_line(const json_t *lines, size_t i, int64_t line, const char *severity,
			const char *text)
{
	const json_t *item = json_array_get(lines, i);

	assert_int_equal(pl_json_get_i64(item, "line"), line);
	assert_string_equal(pl_json_get_text(item, "text"), text);
	if (severity == NULL)
		assert_true(json_is_null(json_object_get(item, "severity")));
	else
		assert_string_equal(pl_json_get_text(item, "severity"), severity);
}

static void test_growing_file(void **state)
{
	char path[] = "/tmp/profllm-tail-XXXXXX";
	struct run_tail tail = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	run_tail_open(&tail, path);
	run_tail_read(&tail);
	auto_json json_t *none = run_tail_json(&tail);
	assert_int_equal(json_array_size(none), 0);

	append(path, "INFO 11-29 one\n\n(EngineCore pid=7) WARNING 11-29 two\nloading 1 %\rload");
	run_tail_read(&tail);
	auto_json json_t *two = run_tail_json(&tail);
	assert_int_equal(json_array_size(two), 2); /* blank and unfinished lines are no lines */
	assert_line(two, 0, 1, "INFO", "INFO 11-29 one");
	assert_line(two, 1, 3, "WARNING", "(EngineCore pid=7) WARNING 11-29 two");

	append(path, "ing 2 %\nd \033[31mred\033[0m\ne\nf\ng\nh\n");
	run_tail_read(&tail);
	auto_json json_t *more = run_tail_json(&tail);
	assert_int_equal(json_array_size(more), RUN_TAIL_LINES);
	assert_line(more, 0, 5, NULL, "d  [31mred [0m");
	assert_line(more, 4, 9, NULL, "h");
	run_tail_done(&tail);
	unlink(path);
}

/* In pieces: a CR may be the last byte of one. */
static void test_lines_that_end_in_cr_lf(void **state)
{
	char path[] = "/tmp/profllm-tail-XXXXXX";
	struct run_tail tail = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	run_tail_open(&tail, path);
	append(path, "INFO one\r");
	run_tail_read(&tail);
	append(path, "\nINFO two\r\r\n50 %\r100 %\r\n");
	run_tail_read(&tail);
	auto_json json_t *lines = run_tail_json(&tail);
	assert_int_equal(json_array_size(lines), 3);
	assert_line(lines, 0, 1, "INFO", "INFO one");
	assert_line(lines, 1, 2, "INFO", "INFO two");
	assert_line(lines, 2, 3, NULL, "100 %");
	run_tail_done(&tail);
	unlink(path);
}

static void test_long_line(void **state)
{
	char path[] = "/tmp/profllm-tail-XXXXXX";
	struct run_tail tail = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 2000; i++)
		assert_int_equal(write(fd, "0123456789", 10), 10);
	assert_int_equal(write(fd, "\xc3\nnext\n", 7), 7);
	close(fd);
	run_tail_open(&tail, path);
	run_tail_read(&tail);
	auto_json json_t *lines = run_tail_json(&tail);
	assert_int_equal(json_array_size(lines), 2);
	assert_int_equal(strlen(pl_json_get_text(json_array_get(lines, 0), "text")), 399);
	assert_line(lines, 1, 2, NULL, "next");
	run_tail_done(&tail);
	unlink(path);
}

static void test_no_file(void **state)
{
	struct run_tail tail = { 0 };

	(void)state;
	run_tail_read(&tail);
	run_tail_open(&tail, "/nonexistent/log");
	run_tail_read(&tail);
	assert_int_equal(tail.count, 0);
	run_tail_done(&tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growing_file),
		cmocka_unit_test(test_lines_that_end_in_cr_lf),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
