#include "dash/live/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dash/live/live.h"

#define TEXT_BYTES_MAX (1u << 20)
#define GAP_S          4

static json_t *snapshot_of(double elapsed_s, int in_flight)
{
	return json_pack("{s:f, s:{s:i}, s:{s:n, s:i}, s:[{s:i, s:i}, {s:i, s:n}]}", "elapsed_s",
			 elapsed_s, "requests", "in_flight", in_flight, "server",
			 "kv_cache_percent", "running", in_flight - 1, "gpus",
			 "utilization_percent", 90, "power_w", 500, "utilization_percent", 70,
			 "power_w");
}

static void add(struct dash_live_history *history, double elapsed_s, int in_flight)
{
	auto_json json_t *snapshot = snapshot_of(elapsed_s, in_flight);

	dash_live_history_add(history, snapshot, GAP_S);
}

static json_t *read_columns(const struct dash_live_history *history)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	dash_live_history_write(history, &text);
	json_t *columns = pl_json_of_text(pl_buf_text(&text));
	assert_non_null(columns);
	PL_JSON_EACH_MEMBER(key, column, columns)
		assert_int_equal(json_array_size(column), dash_live_history_count(history));
	return columns;
}

static const json_t *value_at(const json_t *columns, const char *name, size_t i)
{
	return json_array_get(json_object_get(columns, name), i);
}

static double number_at(const json_t *columns, const char *name, size_t i)
{
	const json_t *value = value_at(columns, name, i);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static void test_values(void **state)
{
	struct dash_live_history *history = dash_live_history_new();

	(void)state;
	add(history, 1.5, 8);
	add(history, 1.5, 99); /* the same time again: ignored */
	add(history, 2.5, 9);
	auto_json json_t *columns = read_columns(history);
	assert_int_equal(dash_live_history_count(history), 2);
	assert_int_equal(json_object_size(columns), 15);
	assert_true(number_at(columns, "t_s", 0) == 1.5);
	assert_true(number_at(columns, "in_flight", 1) == 9);
	assert_true(number_at(columns, "running", 1) == 8);
	assert_true(number_at(columns, "gpu_utilization_percent", 0) == 80);
	assert_true(number_at(columns, "power_w", 0) == 500); /* of the GPU that reports it */
	assert_true(json_is_null(value_at(columns, "kv_cache_percent", 0)));
	assert_true(json_is_null(value_at(columns, "ttft_median_ms", 0)));
	dash_live_history_free(history);
}

static void test_gap(void **state)
{
	struct dash_live_history *history = dash_live_history_new();

	(void)state;
	add(history, 1, 8);
	add(history, 5, 8); /* no gap yet */
	add(history, 15, 9);
	auto_json json_t *columns = read_columns(history);
	assert_int_equal(dash_live_history_count(history), 4);
	assert_true(number_at(columns, "t_s", 2) == 10);
	assert_true(json_is_null(value_at(columns, "in_flight", 2)));
	assert_true(number_at(columns, "in_flight", 3) == 9);
	dash_live_history_free(history);
}

/* The points cover the whole run, each the mean of its snapshots, however long the run is; a gap stays one. */
static void test_long_run(void **state)
{
	struct dash_live_history *history = dash_live_history_new();
	const int seconds = 10 * DASH_LIVE_POINTS_MAX;
	double last = -1;
	size_t gaps = 0;

	(void)state;
	for (int i = 0; i < seconds; i++)
		add(history, i < seconds / 2 ? i : i + 1000, i);
	auto_json json_t *columns = read_columns(history);
	size_t count = dash_live_history_count(history);
	assert_true(count >= DASH_LIVE_POINTS_MAX / 2 - 1 && count <= DASH_LIVE_POINTS_MAX);
	for (size_t i = 0; i < count; i++) {
		double time_s = number_at(columns, "t_s", i);
		assert_true(time_s > last);
		last = time_s;
		if (json_is_null(value_at(columns, "in_flight", i))) {
			gaps++;
			assert_true(time_s > seconds / 2 - 32 && time_s < seconds / 2 + 1032);
			continue;
		}
		double expected = time_s < seconds / 2 ? time_s : time_s - 1000;
		assert_true(fabs(number_at(columns, "in_flight", i) - expected) < 1e-6);
	}
	assert_int_equal(gaps, 1);
	assert_true(number_at(columns, "t_s", 0) < 16);
	assert_true(last > seconds + 1000 - 32);
	dash_live_history_free(history);
}

/* The mean of such numbers is out of range, which JSON cannot hold. */
static void test_numbers_out_of_range_are_null(void **state)
{
	struct dash_live_history *history = dash_live_history_new();

	(void)state;
	for (int i = 0; i <= DASH_LIVE_POINTS_MAX; i++) {
		auto_json json_t *snapshot = json_pack("{s:i, s:{s:f}}", "elapsed_s", i, "client",
						       "late_median_ms", 1.7e308);
		dash_live_history_add(history, snapshot, GAP_S);
	}
	auto_json json_t *columns = read_columns(history);
	assert_true(json_is_null(value_at(columns, "late_median_ms", 0)));
	dash_live_history_free(history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_long_run),
		cmocka_unit_test(test_numbers_out_of_range_are_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
