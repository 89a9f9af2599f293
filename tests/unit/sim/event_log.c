/* The event log: lines in order, nothing lost however fast they come. */
#include "sim/event_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"

/* More than the ring holds. */
#define MANY 200000u

static void read_back(const char *path, char **ret)
{
	struct pl_err err = PL_ERR_INIT;
	size_t len;

	assert_int_equal(pl_file_read(path, 1u << 30, ret, &len, &err), 0);
}

static struct sim_event_log *open_log(char *path)
{
	struct sim_event_log *log;
	struct pl_err err = PL_ERR_INIT;

	close(scratch_file(path));
	assert_int_equal(sim_event_log_open(path, &log, &err), 0);
	return log;
}

static void test_sim_event_log__lines(void **state)
{
	char path[SCRATCH_PATH];
	struct sim_event_log *log = open_log(path);
	struct sim_event_id *named = sim_event_log_request(log, 1000, "a\"b", 7, 0);
	struct sim_event_id *nameless = sim_event_log_request(log, 2000, NULL, 1, 0);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	sim_event_log_token(log, named, 3000, 900, 0, 0, 44);
	sim_event_log_token(log, named, 4000, INT64_C(1) << 40, 1, 1, 55);
	sim_event_log_end(log, nameless, 5000, 0, 0, "aborted");
	sim_event_log_set_times(named, &(struct sim_event_times){ 1100, 1200, 3000, 4000 });
	sim_event_log_end(log, named, 6000, 1, 5, "completed");
	sim_event_log_reset(log, 7000, "prefix");
	assert_int_equal(sim_event_log_close(log, &err), 0);
	read_back(path, &text);
	assert_string_equal(
		text,
		"{\"event\":\"request\",\"request_id\":\"a\\\"b\",\"t_ns\":1000,\"prompt_tokens\":"
		"7}\n"
		"{\"event\":\"request\",\"request_id\":null,\"t_ns\":2000,\"prompt_tokens\":1}\n"
		"{\"event\":\"token\",\"request_id\":\"a\\\"b\",\"t_ns\":3000,\"index\":0,"
		"\"choice\":0,\"tokens\":0,\"bytes\":44,\"took_ns\":900}\n"
		"{\"event\":\"token\",\"request_id\":\"a\\\"b\",\"t_ns\":4000,\"index\":1,"
		"\"choice\":1,\"tokens\":1,\"bytes\":55,\"took_ns\":4294967295}\n"
		"{\"event\":\"end\",\"request_id\":null,\"t_ns\":5000,\"tokens\":0,"
		"\"cached_tokens\":0,\"queued_ns\":null,\"scheduled_ns\":null,"
		"\"first_token_ns\":null,\"last_token_ns\":null,\"status\":\"aborted\"}\n"
		"{\"event\":\"end\",\"request_id\":\"a\\\"b\",\"t_ns\":6000,\"tokens\":1,"
		"\"cached_tokens\":5,\"queued_ns\":1100,\"scheduled_ns\":1200,"
		"\"first_token_ns\":3000,\"last_token_ns\":4000,\"status\":\"completed\"}\n"
		"{\"event\":\"reset\",\"request_id\":null,\"t_ns\":7000,\"cache\":\"prefix\"}\n");
}

static void test_sim_event_log__nothing_is_lost(void **state)
{
	char path[SCRATCH_PATH];
	struct sim_event_log *log = open_log(path);
	struct sim_event_id *id = sim_event_log_request(log, 0, "x", 1, 0);
	struct pl_err err = PL_ERR_INIT;
	unsigned long expected = 0;
	char line[256];
	FILE *file;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++)
		sim_event_log_token(log, id, i, 0, 0, 1, 1);
	sim_event_log_end(log, id, MANY, MANY, 0, "completed");
	assert_int_equal(sim_event_log_close(log, &err), 0);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file)); /* the request's */
	while (fgets(line, sizeof(line), file) != NULL) {
		assert_int_equal(strtoul(strstr(line, "t_ns\":") + 6, NULL, 10), expected);
		expected++;
	}
	fclose(file);
	assert_int_equal(expected, MANY + 1);
}

static void test_sim_event_log__none(void **state)
{
	struct sim_event_log *log;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(sim_event_log_open("/no/such/folder/log", &log, &err), -1);
	assert_null(sim_event_log_request(NULL, 0, "x", 1, 0));
	sim_event_log_token(NULL, NULL, 0, 0, 0, 0, 0);
	sim_event_log_end(NULL, NULL, 0, 0, 0, "completed");
	sim_event_log_flush(NULL);
	assert_int_equal(sim_event_log_close(NULL, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_event_log__lines),
		cmocka_unit_test(test_sim_event_log__nothing_is_lost),
		cmocka_unit_test(test_sim_event_log__none),
	};

	return cmocka_run_group_tests_name("test_sim_event_log", tests, NULL, NULL);
}
