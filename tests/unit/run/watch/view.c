#include "run/watch/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/width.h"

#define TEXT_BYTES_MAX 65536

static json_t *snapshot_of(double elapsed_s, double in_flight, const char *name)
{
	return json_pack(
		"{s:{s:s, s:s, s:n, s:s}, s:{s:s, s:n, s:f, s:[{s:s, s:f}]}, "
		"s:{s:i, s:i, s:i, s:f, s:f, s:f}, s:{s:f}, s:{s:f}, s:{s:f, s:f, s:f}, s:{s:n}, "
		"s:[{s:i, s:i}, {s:i, s:n}], s:[{s:s, s:i, s:s}], s:{s:s, s:s, s:[{s:s, s:s, s:f, "
		"s:f, s:s}]}}",
		"run", "name", name, "model", "m", "server", "load", "8 requests/s", "phase",
		"name", "measuring", "step", "elapsed_s", elapsed_s, "done", "name", "load weights",
		"seconds", 33.0, "requests", "done", 50, "failed", 2, "total", 200, "in_flight",
		in_flight, "elapsed_s", elapsed_s, "remaining_s", 90.0, "rates", "done_per_s", 7.5,
		"client", "late_median_ms", 0.2, "ttft_ms", "median", 97.2, "low", 95.0, "high",
		99.0, "server", "running", "gpus", "utilization_percent", 90, "power_w", 500,
		"utilization_percent", 70, "power_w", "errors", "cause", "reset", "count", 2,
		"first_sample", "request 7", "verdict", "state", "degraded", "sentence",
		"1 check is over its limit.", "reasons", "check", "failures", "sentence",
		"Some requests failed.", "value", 2.0, "limit", 0.0, "unit", "count");
}

static void write_view(const struct run_view *view, const char *name, int snapshots,
		       struct pl_buf *text)
{
	struct run_view_history history = { 0 };

	for (int i = 0; i < snapshots; i++) {
		auto_json json_t *snapshot = snapshot_of(i, i, name);
		assert_non_null(snapshot);
		run_view_add(&history, snapshot);
		if (i + 1 == snapshots)
			run_view_text(view, &history, snapshot, text);
	}
	assert_true(history.count <= RUN_VIEW_POINTS);
}

static void test_lines(void **state)
{
	const struct run_view view = { .columns = 80, .rows = 24, .is_unicode = true };
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	(void)state;
	write_view(&view, "name", 8, &text);
	assert_string_equal(pl_buf_text(&text),
			    "degraded: 1 check is over its limit.\n"
			    "  Some requests failed. 2, limit 0 count\n"
			    "[#######---------------------] 25 %  50 of 200 (2 failed)  about 1:30 "
			    "remaining\n"
			    "name   m   8 requests/s\n"
			    "phase  measuring 7 s  (before it 33 s: load weights 33)\n"
			    "rate   done 7.5/s   late 0.2 ms\n"
			    "                  -7 s now\n"
			    "in flight         ▁▂▃▄▅▆▇█  7\n"
			    "TTFT median ms    ████████  97.2 ±2\n"
			    "GPU utilization % ▇▇▇▇▇▇▇▇  80\n"
			    "GPU power W       ████████  500\n"
			    "error  2 reset, first: request 7\n");
}

/* A pooling protocol has inputs and no tokens. */
static void test_pooled(void **state)
{
	const struct run_view view = { .columns = 80, .rows = 24, .is_unicode = true };
	struct run_view_history history = { 0 };
	auto_json json_t *snapshot = snapshot_of(3, 1, "name");
	auto_json json_t *more = json_pack("{s:{s:n}, s:{s:f, s:f, s:f}, s:{s:f, s:f}}", "ttft_ms",
					   "median", "e2el_ms", "median", 41.5, "low", 40.0, "high",
					   43.0, "rates", "done_per_s", 7.5, "inputs_per_s", 30.0);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	(void)state;
	json_object_update(snapshot, more);
	run_view_add(&history, snapshot);
	run_view_text(&view, &history, snapshot, &text);
	assert_non_null(strstr(pl_buf_text(&text), "rate   done 7.5/s   30 inputs/s"));
	assert_non_null(strstr(pl_buf_text(&text), "E2EL median ms    █  41.5 ±1.5\n"));
	assert_null(strstr(pl_buf_text(&text), "TTFT"));
}

/* Whatever the texts and the size are, the view fits and moves no cursor. */
static void test_sizes(void **state)
{
	(void)state;
	for (size_t columns = 1; columns < 100; columns += 7) {
		for (size_t rows = 1; rows < 30; rows += 5) {
			const struct run_view view = { .columns = columns, .rows = rows };
			auto_buf text = PL_BUF(TEXT_BYTES_MAX);
			size_t lines = 0;
			write_view(&view,
				   "a\033[2J\n\xe2\x80\xae"
				   "wide: \xe5\xb0\x8f",
				   3, &text);
			assert_null(strchr(pl_buf_text(&text), '\033'));
			for (const char *line = pl_buf_text(&text); *line != '\0'; lines++) {
				size_t len = strcspn(line, "\n");
				assert_true(pl_width(line, len) <= columns);
				line += len + 1;
			}
			assert_true(lines < rows || rows == 1);
			assert_true(lines <= (rows > 1 ? rows - 1 : 0));
		}
	}
}

/* A sparkline covers the whole load, however long it is. */
static void test_long_load(void **state)
{
	const struct run_view view = { .columns = 80, .rows = 24 };
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	(void)state;
	write_view(&view, "name", 5000, &text);
	const char *line = strstr(pl_buf_text(&text), "in flight         ");
	assert_non_null(line);
	line += strlen("in flight         ");
	assert_int_equal(line[0], '_');
	assert_int_equal(line[39], '#');
	for (int i = 1; i < 40; i++)
		assert_true(strchr("_.-~=+*#", line[i]) >= strchr("_.-~=+*#", line[i - 1]));
	assert_non_null(strstr(pl_buf_text(&text), "-4999 s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_pooled),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_long_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
