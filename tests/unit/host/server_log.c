#include "host/server_log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "others_data.h"

#define REAL_LOGS PROFLLM_SOURCE_DIR "/../shared/data/real/logs/"

static void test_host_server_log__figures(void **state)
{
	(void)state;
	static const char text[] =
		"INFO [default_loader.py:1] Loading weights took 3.25 seconds\n"
		"INFO [gpu_model_runner.py:1] Model loading took 14.9889 GiB and 5.517956 seconds\n"
		"INFO Available KV cache memory: 12.02 GiB\n"
		"INFO GPU KV cache size: 2,640,144 tokens\n"
		"INFO Maximum concurrency for 16,384 tokens per request: 284.25x\n"
		"INFO torch.compile takes 13.26 s in total\n"
		"INFO Graph capturing finished in 4 secs, took 0.65 GiB\n"
		"INFO init engine (profile, create kv cache, warmup model) took 30.88 seconds\n"
		"INFO:     Application startup complete.\n";
	struct host_server_log log;

	host_server_log_parse(text, sizeof(text) - 1, &log);
	assert_true(log.weights_s == 3.25 && log.weights_gib == 14.9889);
	assert_true(log.kv_cache_gib == 12.02 && log.kv_cache_tokens == 2640144);
	assert_true(log.max_model_len == 16384 && log.kv_cache_concurrency == 284.25);
	assert_true(log.compile_s == 13.26 && log.graphs_s == 4 && log.init_engine_s == 30.88);
	assert_true(log.ready);
}

static void test_host_server_log__nothing_told(void **state)
{
	(void)state;
	struct host_server_log log;

	host_server_log_parse("hello\n", 6, &log);
	assert_true(isnan(log.weights_s) && isnan(log.kv_cache_tokens) && isnan(log.max_model_len));
	assert_false(log.ready);
	/* a line that was cut */
	host_server_log_parse("Loading weights took ", 21, &log);
	assert_true(isnan(log.weights_s));
}

static void test_host_server_log__largest_of_the_workers(void **state)
{
	(void)state;
	static const char text[] = "(Worker_TP0) Loading weights took 2.00 seconds\n"
				   "(Worker_TP1) Loading weights took 3.50 seconds\n"
				   "(Worker_TP2) Loading weights took 1.00 seconds\n";
	struct host_server_log log;

	host_server_log_parse(text, sizeof(text) - 1, &log);
	assert_true(log.weights_s == 3.5);
}

static void test_host_server_log__tail(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t lines;
		const char *tail;
	} cases[] = {
		{ "a\nb\nc\n", 2, "b\nc" },
		{ "a\nb\nc", 2, "b\nc" },
		{ "a\nb\nc\n", 9, "a\nb\nc" },
		{ "a\nb\n\n\n", 1, "b" },
		{ "", 3, "" },
		{ "a\n", 0, "" },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *tail = host_server_log_tail(cases[i].text, strlen(cases[i].text),
							    cases[i].lines);
		assert_string_equal(tail, cases[i].tail);
	}
}

static void test_host_server_log__how_it_died(void **state)
{
	(void)state;
	assert_string_equal(host_server_log_cause("", 0, 0, false), "unknown");
	assert_string_equal(host_server_log_cause("", 0, 9, false), "killed");
	assert_string_equal(host_server_log_cause("", 0, 11, false), "crashed");
	assert_string_equal(host_server_log_cause("", 0, 0, true), "crashed");
}

/* Causes read from the logs by eye. */
static void test_host_server_log__real_causes(void **state)
{
	skip_without_others_data();
	(void)state;
	static const struct {
		const char *name;
		const char *cause;
	} cases[] = {
		{ "start_fails_unknown_argument.log", "invalid_argument" },
		{ "start_fails_bad_choice.log", "invalid_argument" },
		{ "start_fails_gpu_memory_utilization.log", "invalid_argument" },
		{ "start_fails_batched_tokens_small.log", "invalid_configuration" },
		{ "start_fails_model_len_too_long.log", "invalid_configuration" },
		{ "start_fails_tp_too_large.log", "invalid_configuration" },
		{ "start_fails_kv_cache_too_large.log", "out_of_memory" },
		{ "start_fails_quantization_mismatch.log", "quantization_mismatch" },
		{ "start_fails_model_not_found.log", "model_not_found" },
		{ "start_fails_port_in_use.log", "port_in_use" },
		{ "engine_dies_on_first_request.log", "crashed" },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *path = pl_asprintf("%s%s", REAL_LOGS, cases[i].name);
		auto_free char *text = NULL;
		struct pl_err err = PL_ERR_INIT;
		size_t len;
		assert_true(pl_file_exists(path));
		assert_int_equal(host_server_log_read(path, 8 << 20, &text, &len, &err), 0);
		assert_string_equal(host_server_log_cause(text, len, 0, false), cases[i].cause);
	}
}

static void test_host_server_log__real_start(void **state)
{
	skip_without_others_data();
	(void)state;
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct host_server_log log;
	size_t len;

	assert_true(pl_file_exists(REAL_LOGS "serve_ok_with_load.log"));
	assert_int_equal(host_server_log_read(REAL_LOGS "serve_ok_with_load.log", 8 << 20, &text,
					      &len, &err),
			 0);
	host_server_log_parse(text, len, &log);
	assert_true(log.weights_s == 0.04 && log.init_engine_s == 43.99);
	assert_true(log.kv_cache_tokens == 1048576 && log.kv_cache_concurrency == 512);
	assert_true(log.max_model_len == 2048 && log.ready);
	assert_true(isnan(log.graphs_s) && isnan(log.compile_s));
}

static void test_host_server_log__reads_the_end_of_a_large_log(void **state)
{
	(void)state;
	char path[] = "/tmp/profllm-log-XXXXXX";
	auto_fd int fd = mkstemp(path);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	assert_int_equal(host_server_log_read(path, 4, &text, &len, &err), 0);
	unlink(path);
	assert_int_equal(len, 4);
	assert_string_equal(text, "6789");
	assert_int_equal(host_server_log_read(path, 4, &text, &len, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_server_log__figures),
		cmocka_unit_test(test_host_server_log__nothing_told),
		cmocka_unit_test(test_host_server_log__largest_of_the_workers),
		cmocka_unit_test(test_host_server_log__tail),
		cmocka_unit_test(test_host_server_log__how_it_died),
		cmocka_unit_test(test_host_server_log__real_causes),
		cmocka_unit_test(test_host_server_log__real_start),
		cmocka_unit_test(test_host_server_log__reads_the_end_of_a_large_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
