/*
 * The logs of the test data against a table written by hand from reading them
 * (server_logs.json): phases, facts and causes.
 */
#include "host/log/server_log.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "test_data.h"

#define TABLE       PROFLLM_SOURCE_DIR "/tests/unit/host/log/server_logs.json"
#define DATA_BYTES  (64u << 20)
#define STAMP_BYTES 16

static struct host_server_log *read_log(const char *name)
{
	auto_free char *path = pl_asprintf("%s/data/%s", test_data_folder(), name);
	struct host_server_log *log = host_server_log_new(200);
	struct pl_err err = PL_ERR_INIT;

	if (host_server_log_follow(log, path, &err) < 0)
		fail_msg("%s", err.text);
	host_server_log_end(log);
	return log;
}

/* "02:16:28", "seen", or NULL for a phase that is not reached. */
static const char *moment_text(const struct host_log_moment *moment, char text[STAMP_BYTES])
{
	int64_t s = moment->stamp_ns / PL_NS_PER_S;

	if (!moment->reached)
		return NULL;
	if (!moment->stamped)
		return "seen";
	snprintf(text, STAMP_BYTES, "%02d:%02d:%02d", (int)(s / 3600 % 24), (int)(s / 60 % 60),
		 (int)(s % 60));
	return text;
}

static const char *const phase_names[] = {
#define LOG_PHASE(id, name, which) #name,
#include "tbl/log_lines.h"
};

static unsigned check_phases(const char *name, const struct host_server_log *log,
			     const json_t *expected)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < HOST_LOG_PHASE_COUNT; i++) {
		enum host_log_phase phase = (enum host_log_phase)i;
		const char *phase_name = phase_names[i];
		const char *want = json_string_value(json_object_get(expected, phase_name));
		char text[STAMP_BYTES];
		const char *got = moment_text(host_server_log_moment(log, phase), text);
		if (pl_text_equal(want, got) || (want == NULL && got == NULL))
			continue;
		print_error("%s: %s: found %s, expected %s\n", name, phase_name,
			    got != NULL ? got : "nothing", want != NULL ? want : "nothing");
		wrong++;
	}
	return wrong;
}

static bool is_number(const json_t *json, double value)
{
	return json_is_number(json) && fabs(json_number_value(json) - value) <= 1e-9 * fabs(value);
}

static bool is_same(const json_t *want, const json_t *got)
{
	if (want == NULL || json_is_null(want))
		return json_is_null(got);
	if (json_is_array(want)) {
		const char *unit = json_string_value(json_array_get(want, 1));
		double bytes = pl_text_equal(unit, "GiB") ? 1073741824.0 : 1e9;
		return is_number(got, json_number_value(json_array_get(want, 0)) * bytes / 1e9);
	}
	if (json_is_number(want))
		return is_number(got, json_number_value(want));
	return json_equal(want, got);
}

static unsigned check_facts(const char *name, const struct host_server_log *log,
			    const json_t *expected)
{
	auto_json json_t *facts = host_server_log_facts(log);
	unsigned wrong = 0;
	const char *key;
	json_t *got, *want;

	json_object_foreach(facts, key, got)
	{
		want = json_object_get(expected, key);
		if (json_is_true(want) && json_is_string(got))
			continue;
		if (is_same(want, got))
			continue;
		auto_free char *a = got != NULL ? json_dumps(got, JSON_ENCODE_ANY) : NULL;
		auto_free char *b = want != NULL ? json_dumps(want, JSON_ENCODE_ANY) : NULL;
		print_error("%s: %s: found %s, expected %s\n", name, key, a,
			    b != NULL ? b : "null");
		wrong++;
	}
	json_object_foreach((json_t *)expected, key, want)
	{
		if (json_object_get(facts, key) != NULL)
			continue;
		print_error("%s: %s: no such fact\n", name, key);
		wrong++;
	}
	return wrong;
}

static unsigned check_cause(const char *name, const struct host_server_log *log,
			    const json_t *expected)
{
	const char *reported = json_string_value(json_object_get(expected, "told"));
	const char *cause = json_string_value(json_object_get(expected, "cause"));
	const char *got = host_server_log_cause_name(log);
	struct host_death death = { .signal_number = 0 };

	cause = cause != NULL ? cause : reported;
	if (!(reported == NULL ? got == NULL : pl_text_equal(reported, got))) {
		print_error("%s: told %s, expected %s\n", name, got != NULL ? got : "nothing",
			    reported != NULL ? reported : "nothing");
		return 1;
	}
	if (cause == NULL)
		return 0;
	assert_string_equal(host_server_log_cause(log, &death), cause);
	return 0;
}

static void test_host_log_real__table(void **state)
{
	skip_without_test_data();
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *table = NULL;
	const char *name;
	json_t *expected;
	unsigned wrong = 0, count = 0;

	assert_int_equal(pl_json_read_file(TABLE, &table, &err), 0);
	json_object_foreach(table, name, expected)
	{
		if (!json_is_object(expected))
			continue;
		auto_server_log struct host_server_log *log = read_log(name);
		wrong += check_phases(name, log, json_object_get(expected, "phases"));
		wrong += check_facts(name, log, json_object_get(expected, "facts"));
		wrong += check_cause(name, log, expected);
		count++;
	}
	assert_int_equal(wrong, 0);
	assert_int_equal(count, 23);
}

/* A server that is looked at while it still starts: at no moment a phase or a cause too many. */
static void test_host_log_real__byte_by_byte(void **state)
{
	skip_without_test_data();
	(void)state;
	static const char name[] = "real/logs/start_fails_kv_cache_too_large.log";
	auto_server_log struct host_server_log *whole = read_log(name);
	auto_server_log struct host_server_log *log = host_server_log_new(200);
	auto_free char *path = pl_asprintf("%s/data/%s", test_data_folder(), name);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len = 0;

	assert_int_equal(pl_file_read(path, DATA_BYTES, &text, &len, &err), 0);
	struct host_log_time seen = { .mono_ns = 1, .real_ns = pl_clock_real_ns() };
	for (size_t i = 0; i < len; i++)
		host_server_log_feed(log, text + i, 1, &seen);
	host_server_log_end(log);
	auto_json json_t *facts = host_server_log_facts(log), *tail = host_server_log_tail(log);
	auto_json json_t *all_facts = host_server_log_facts(whole);
	auto_json json_t *all_tail = host_server_log_tail(whole);
	assert_true(json_equal(facts, all_facts) && json_equal(tail, all_tail));
	assert_string_equal(host_server_log_cause_name(log), host_server_log_cause_name(whole));
	assert_string_equal(host_server_log_cause_quote(log), host_server_log_cause_quote(whole));
	assert_true(strstr(host_server_log_cause_quote(log), "ValueError: Available memory") ==
		    host_server_log_cause_quote(log));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_log_real__table),
		cmocka_unit_test(test_host_log_real__byte_by_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
