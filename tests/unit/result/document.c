#include "result/document.h"

#include <math.h>
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

#define STARTED_NS INT64_C(1767323045678000000) /* 2026-01-02T03:04:05.678Z */

/* In the order of the result file. */
static const char *const keys[] = { "schema_version", "run_id",      "suite",     "name",
				    "tags",           "timestamp",   "duration",  "config",
				    "results",        "system",      "profiling", "status",
				    "launch",         "environment", "quality",   "error",
				    "artifacts",      "series" };

struct parts {
	struct res_document_parts parts;
	json_t *config, *results, *quality, *error;
};

static struct parts make_parts(enum res_status status)
{
	struct pl_err why = PL_ERR_INIT;
	struct parts made = {
		.config = json_pack("{s:{}}", "server"),
		.results = json_pack("{s:i}", "completed", 3),
		.quality = json_pack("{s:s,s:[]}", "verdict", "trusted", "checks"),
	};

	pl_err_set(&why, PL_ERR_TIMEOUT, "no byte for 60 s");
	made.error = res_error(RES_STAGE_MEASURE, &why, RES_CAUSE_HANG, NULL, OPTION_AS_FILE, 0,
			       NULL);
	made.parts = (struct res_document_parts){
		.run_id = "exp_20260102_030405_0a1b2c",
		.started_real_ns = STARTED_NS,
		.duration_s = 1.5,
		.config = made.config,
		.results = made.results,
		.quality = made.quality,
		.error = made.error,
		.status = status,
	};
	return made;
}

static void done_parts(struct parts *made)
{
	json_decref(made->config);
	json_decref(made->results);
	json_decref(made->quality);
	json_decref(made->error);
}

static void test_result_document__has_every_key_in_order(void **state)
{
	struct parts made = make_parts(RES_STATUS_COMPLETED);
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t i = 0;
	const char *key;
	json_t *value;

	(void)state;
	made.parts.error = NULL;
	assert_int_equal(res_document_build(&made.parts, &result, &err), 0);
	assert_int_equal(json_object_size(result), PL_ARRAY_SIZE(keys));
	json_object_foreach(result, key, value)
	{
		assert_string_equal(key, keys[i]);
		assert_non_null(value);
		i++;
	}
	assert_true(json_is_null(json_object_get(result, "suite")));
	assert_true(json_is_null(json_object_get(result, "error")));
	assert_true(json_is_null(json_object_get(result, "series")));
	assert_int_equal(json_object_size(json_object_get(result, "tags")), 0);
	assert_int_equal(json_array_size(json_object_get(result, "artifacts")), 0);
	assert_string_equal(json_string_value(json_object_get(result, "timestamp")),
			    "2026-01-02T03:04:05.678Z");
	assert_string_equal(json_string_value(json_object_get(result, "status")), "completed");
	assert_int_equal(json_array_size(pl_json_get_path(result, "system.gpus")), 0);
	done_parts(&made);
}

/* Which of results and error a status allows. */
static const struct {
	enum res_status status;
	bool neither, results, error, both;
} fits[] = {
	{ RES_STATUS_COMPLETED, false, true, false, false },
	{ RES_STATUS_PARTIAL, false, true, false, true },
	{ RES_STATUS_FAILED, false, false, true, true },
	{ RES_STATUS_LAUNCH_FAILED, false, false, true, false },
	{ RES_STATUS_TIMEOUT, false, false, true, true },
	{ RES_STATUS_INTERRUPTED, false, false, true, true },
};

static void assert_builds(const struct res_document_parts *parts, bool wanted)
{
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;
	int got = res_document_build(parts, &result, &err);

	if ((got == 0) != wanted)
		fail_msg("status %d: %s", (int)parts->status, got == 0 ? "was built" : err.text);
	assert_int_equal(result != NULL, wanted);
}

static void test_result_document__status_results_and_error_fit(void **state)
{
	(void)state;
	assert_int_equal(PL_ARRAY_SIZE(fits), RES_STATUS_COUNT);
	for (size_t i = 0; i < PL_ARRAY_SIZE(fits); i++) {
		struct parts made = make_parts(fits[i].status);
		assert_builds(&made.parts, fits[i].both);
		made.parts.error = NULL;
		assert_builds(&made.parts, fits[i].results);
		made.parts.results = NULL;
		assert_builds(&made.parts, fits[i].neither);
		made.parts.error = made.error;
		assert_builds(&made.parts, fits[i].error);
		done_parts(&made);
	}
}

static void test_result_document__refuses_missing_parts(void **state)
{
	struct parts made = make_parts(RES_STATUS_TIMEOUT);
	struct res_document_parts parts = made.parts;

	(void)state;
	assert_builds(&parts, true);
	parts.run_id = NULL;
	assert_builds(&parts, false);
	parts = made.parts;
	parts.config = NULL;
	assert_builds(&parts, false);
	parts = made.parts;
	parts.quality = NULL;
	assert_builds(&parts, false);
	parts = made.parts;
	parts.duration_s = NAN;
	assert_builds(&parts, false);
	parts.duration_s = -1;
	assert_builds(&parts, false);
	parts = made.parts;
	parts.status = RES_STATUS_COUNT;
	assert_builds(&parts, false);
	done_parts(&made);
}

static void test_result_document__status_names(void **state)
{
	enum res_status status;

	(void)state;
	for (int i = 0; i < RES_STATUS_COUNT; i++) {
		assert_int_equal(res_status_find(res_status_name((enum res_status)i), &status), 0);
		assert_int_equal(status, i);
	}
	assert_int_equal(res_status_find("done", &status), -1);
	assert_int_equal(res_status_find(NULL, &status), -1);
}

static void test_result_document__run_id(void **state)
{
	char one[RES_RUN_ID_BYTES], two[RES_RUN_ID_BYTES];

	(void)state;
	res_run_id_make(STARTED_NS, one);
	assert_int_equal(strlen(one), RES_RUN_ID_BYTES - 1);
	assert_true(pl_text_starts(one, "exp_20260102_030405_"));
	assert_int_equal(strspn(one + 20, "0123456789abcdef"), 6);
	/* two equal draws of 24 bits, four times over, do not happen */
	for (int i = 0; i < 4; i++) {
		res_run_id_make(STARTED_NS, two);
		if (strcmp(one, two) != 0)
			return;
	}
	fail_msg("ids do not differ: %s", one);
}

static void test_result_document__empty_sections(void **state)
{
	auto_json json_t *system = res_document_empty("system");
	auto_json json_t *profiling = res_document_empty("profiling");
	auto_json json_t *launch = res_document_empty("launch");
	auto_json json_t *environment = res_document_empty("environment");

	(void)state;
	assert_null(res_document_empty("no_such_section"));
	assert_true(json_is_null(json_object_get(system, "peak_gpu_memory_gb")));
	assert_true(json_is_null(json_object_get(system, "avg_gpu_utilization")));
	assert_true(json_is_null(json_object_get(system, "hardware_info")));
	assert_true(json_is_array(json_object_get(system, "gpus")));
	assert_true(json_is_null(pl_json_get_path(system, "host.memory_peak_bytes")));
	assert_true(json_is_null(pl_json_get_path(system, "client.cpu_s")));
	assert_true(json_is_false(json_object_get(profiling, "enabled")));
	assert_true(json_is_null(json_object_get(profiling, "trace_file_path")));
	assert_true(json_is_null(pl_json_get_path(launch, "phases.ready_s")));
	assert_true(json_is_null(pl_json_get_path(environment, "engine.simulated")));
}

static void test_result_document__error_object(void **state)
{
	auto_json json_t *tail = json_pack("[s,s]", "one", "two");
	struct pl_err why = PL_ERR_INIT;
	auto_json json_t *error = NULL;
	auto_json json_t *bare = NULL;
	auto_free char *text = NULL;

	(void)state;
	pl_err_set(&why, PL_ERR_LAUNCH, "server ended with status 1");
	error = res_error(RES_STAGE_LAUNCH, &why, RES_CAUSE_OUT_OF_MEMORY, NULL, OPTION_AS_FILE, 0,
			  tail);
	assert_true(json_string_length(json_object_get(error, "hint")) > 0);
	json_object_set_new(error, "hint", json_string("less"));
	text = pl_json_to_text(error, PL_JSON_COMPACT);
	assert_string_equal(text, "{\"stage\":\"launch\",\"code\":\"LAUNCH\","
				  "\"message\":\"server ended with status 1\","
				  "\"cause\":\"out_of_memory\",\"hint\":\"less\",\"log_line\":null,"
				  "\"log_tail\":[\"one\",\"two\"]}");
	bare = res_error(RES_STAGE_STOP, &why, RES_CAUSE_COUNT, NULL, OPTION_AS_FILE, 0, NULL);
	assert_true(json_is_null(json_object_get(bare, "cause")));
	assert_true(json_is_null(json_object_get(bare, "hint")));
	assert_int_equal(res_cause_find("hang"), RES_CAUSE_HANG);
	assert_int_equal(res_cause_find("bad_luck"), RES_CAUSE_UNKNOWN);
	assert_true(json_is_null(json_object_get(bare, "log_tail")));
}

static char *hint_of(enum res_cause cause, int64_t pid)
{
	struct pl_err why = PL_ERR_INIT;

	pl_err_set(&why, PL_ERR_FAILED, "it ended");
	auto_json json_t *error = res_error(RES_STAGE_MEASURE, &why, cause, NULL, OPTION_AS_FILE,
					    pid, NULL);
	return pl_strdup(json_string_value(json_object_get(error, "hint")));
}

/* The process's number, or no word of a process. */
static void test_result_document__hints_name_the_process(void **state)
{
	(void)state;
	auto_free char *port = hint_of(RES_CAUSE_PORT_IN_USE, 4711),
		       *somewhere = hint_of(RES_CAUSE_PORT_IN_USE, 0);
	assert_non_null(strstr(port, "the process that holds the port (process 4711)"));
	assert_true(pl_text_ends(somewhere, "the process that holds the port"));
	for (int cause = 0; cause < RES_CAUSE_COUNT; cause++) {
		auto_free char *known = hint_of((enum res_cause)cause, 4711);
		auto_free char *unknown = hint_of((enum res_cause)cause, 0);
		assert_null(strstr(known, "PID"));
		assert_null(strstr(unknown, "PID"));
		/* of any other the process ends with the run */
		assert_int_equal(strstr(known, "4711") != NULL, cause == RES_CAUSE_PORT_IN_USE);
		assert_int_equal(strcmp(known, unknown) == 0, strstr(known, "4711") == NULL);
	}
}

static void test_result_document__artifact_and_file(void **state)
{
	char folder[SCRATCH_PATH];
	struct parts made = make_parts(RES_STATUS_TIMEOUT);
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *artifacts = json_array();
	auto_json json_t *result = NULL;
	auto_json json_t *read = NULL;
	auto_free char *path = NULL, *text = NULL;

	(void)state;
	scratch_folder(folder);
	path = pl_asprintf("%s/r.server.log", folder);
	assert_int_equal(pl_file_write(path, "abc", 3, &err), 0);
	assert_int_equal(res_artifact_add(artifacts, path, RES_ARTIFACT_SERVER_LOG, &err), 0);
	text = pl_json_to_text(artifacts, PL_JSON_COMPACT);
	assert_string_equal(
		text, "[{\"kind\":\"server_log\",\"name\":\"r.server.log\",\"size\":3,\"sha256\":"
		      "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}]");

	assert_int_equal(res_document_build(&made.parts, &result, &err), 0);
	assert_int_equal(pl_json_write_file(result, path, &err), 0);
	assert_int_equal(pl_json_read_file(path, &read, &err), 0);
	assert_true(json_equal(read, result));
	unlink(path);
	assert_int_equal(res_artifact_add(artifacts, path, RES_ARTIFACT_SERIES, &err), -1);
	assert_int_equal(json_array_size(artifacts), 1);
	rmdir(folder);
	assert_int_equal(pl_json_write_file(result, path, &err), -1);
	done_parts(&made);
}

static const struct {
	enum res_status status;
	const char *verdict;
	enum res_fail_on fail_on;
	int signal;
	int exit_status;
} ends[] = {
	{ RES_STATUS_COMPLETED, "trusted", RES_FAIL_ON_NOTHING, 0, 0 },
	{ RES_STATUS_COMPLETED, "client_limited", RES_FAIL_ON_NOTHING, 0, 0 },
	{ RES_STATUS_COMPLETED, "trusted", RES_FAIL_ON_DEGRADED, 0, 0 },
	{ RES_STATUS_COMPLETED, "degraded", RES_FAIL_ON_DEGRADED, 0, 6 },
	{ RES_STATUS_COMPLETED, "client_limited", RES_FAIL_ON_DEGRADED, 0, 6 },
	{ RES_STATUS_COMPLETED, NULL, RES_FAIL_ON_DEGRADED, 0, 6 },
	{ RES_STATUS_COMPLETED, "trusted", RES_FAIL_ON_CLIENT_LIMITED, 0, 0 },
	{ RES_STATUS_COMPLETED, "degraded", RES_FAIL_ON_CLIENT_LIMITED, 0, 0 },
	{ RES_STATUS_COMPLETED, "client_limited", RES_FAIL_ON_CLIENT_LIMITED, 0, 6 },
	{ RES_STATUS_PARTIAL, "client_limited", RES_FAIL_ON_DEGRADED, 0, 1 },
	{ RES_STATUS_FAILED, NULL, RES_FAIL_ON_NOTHING, 0, 1 },
	{ RES_STATUS_LAUNCH_FAILED, NULL, RES_FAIL_ON_DEGRADED, 0, 3 },
	{ RES_STATUS_TIMEOUT, "degraded", RES_FAIL_ON_DEGRADED, 0, 4 },
	{ RES_STATUS_INTERRUPTED, NULL, RES_FAIL_ON_NOTHING, 2, 130 },
	{ RES_STATUS_INTERRUPTED, NULL, RES_FAIL_ON_NOTHING, 15, 143 },
	{ RES_STATUS_INTERRUPTED, "degraded", RES_FAIL_ON_DEGRADED, 1, 129 },
	{ RES_STATUS_INTERRUPTED, NULL, RES_FAIL_ON_NOTHING, 0, 130 },
};

static void test_result_document__exit_statuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(ends); i++) {
		int got = res_exit_status(ends[i].status, ends[i].verdict, ends[i].fail_on,
					  ends[i].signal);
		if (got != ends[i].exit_status)
			fail_msg("case %zu: %d, expected %d", i, got, ends[i].exit_status);
	}
}

static void test_result_document__fail_on(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	enum res_fail_on fail_on = RES_FAIL_ON_NOTHING;

	(void)state;
	assert_int_equal(res_fail_on_parse("degraded", &fail_on, &err), 0);
	assert_int_equal(fail_on, RES_FAIL_ON_DEGRADED);
	assert_int_equal(res_fail_on_parse("client_limited", &fail_on, &err), 0);
	assert_int_equal(fail_on, RES_FAIL_ON_CLIENT_LIMITED);
	assert_int_equal(res_fail_on_parse("trusted", &fail_on, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_int_equal(fail_on, RES_FAIL_ON_CLIENT_LIMITED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_document__has_every_key_in_order),
		cmocka_unit_test(test_result_document__status_results_and_error_fit),
		cmocka_unit_test(test_result_document__refuses_missing_parts),
		cmocka_unit_test(test_result_document__status_names),
		cmocka_unit_test(test_result_document__run_id),
		cmocka_unit_test(test_result_document__empty_sections),
		cmocka_unit_test(test_result_document__error_object),
		cmocka_unit_test(test_result_document__hints_name_the_process),
		cmocka_unit_test(test_result_document__artifact_and_file),
		cmocka_unit_test(test_result_document__exit_statuses),
		cmocka_unit_test(test_result_document__fail_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
