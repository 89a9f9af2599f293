/* Logs of real servers, by the table of tests/unit/host/log: each engine reports the arguments as
 * the front end took them, so that none may be accused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "host/log/server_log.h"
#include "test_data.h"
#include "vllm/catalog.h"
#include "vllm/reported/fields.h"
#include "vllm/reported/mismatch.h"

#define TABLE      PROFLLM_SOURCE_DIR "/tests/unit/host/log/server_logs.json"
#define DATA_BYTES (64u << 20)

static struct host_server_log *read_log(const char *name)
{
	struct host_server_log *log = host_server_log_new(10);
	struct host_log_time seen = { .mono_ns = 1, .real_ns = pl_clock_real_ns() };
	auto_free char *path = pl_asprintf("%s/data/%s", test_data_folder(), name);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len = 0;

	assert_int_equal(pl_file_read(path, DATA_BYTES, &text, &len, &err), 0);
	host_server_log_feed(log, text, len, &seen);
	host_server_log_end(log);
	return log;
}

/* The number of compared reports; fails where one differs. */
static unsigned check(const char *name)
{
	struct host_server_log *log = read_log(name);
	auto_json json_t *facts = host_server_log_facts(log);
	const char *args = json_string_value(json_object_get(facts, "non_default_args"));
	auto_json json_t *requested = args != NULL ? vllm_reported_fields(args) : json_object();
	const struct vllm_reported reported = {
		.args = args,
		.engine = host_server_log_engine(log),
		.defaults_known = true,
	};
	auto_json json_t *list = vllm_mismatches(vllm_catalog_reference(), requested, &reported);
	auto_buf text = PL_BUF(65536);
	unsigned compared = args != NULL && reported.engine != NULL;

	vllm_mismatches_add_text(list, &text);
	if (text.len > 0)
		fail_msg("%s: %s", name, pl_buf_text(&text));
	host_server_log_free(log);
	return compared;
}

static void real_servers_are_not_accused(void **state)
{
	auto_json json_t *table = NULL;
	struct pl_err err = PL_ERR_INIT;
	unsigned compared = 0;

	skip_without_test_data();
	(void)state;
	assert_int_equal(pl_json_read_file(TABLE, &table, &err), 0);
	PL_JSON_EACH_MEMBER(name, expected, table) {
		if (json_is_object(expected))
			compared += check(name);
	}
	assert_true(compared >= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_servers_are_not_accused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
