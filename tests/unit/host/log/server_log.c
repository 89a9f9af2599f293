#include "host/log/server_log.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"
#include "host/log/line.h"

/* 2026-03-05T06:07:08Z */
#define NOW_REAL_NS (1772690828 * PL_NS_PER_S)
#define NOW_MONO_NS (1000 * PL_NS_PER_S)

static const struct host_log_time now = { .mono_ns = NOW_MONO_NS, .real_ns = NOW_REAL_NS };

static struct host_server_log *read_text(const char *text)
{
	struct host_server_log *log = host_server_log_new(100);

	host_server_log_feed(log, text, strlen(text), &now);
	host_server_log_end(log);
	return log;
}

static void test_host_log_server_log__escape_sequences(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "\x1b[31mred\x1b[0m", "red" },
		{ "\x1b]0;title\x07text", "text" },
		{ "\x1b]8;;x\x1b\\text", "text" },
		{ "\x1b(Btext", "text" },
		{ "a\x1b", "a" },
		{ "a\x1b[", "a" },
		{ "a\x1b[31", "a" },
		{ "a\x01"
		  "b\x7f"
		  "c\td",
		  "a b c\td" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *text = pl_strdup(cases[i][0]);
		assert_int_equal(host_log_line_clean(text, strlen(text)), strlen(cases[i][1]));
		assert_string_equal(text, cases[i][1]);
	}
}

/* Every LOG_READ row has a line here, with the name and value that it reports. */
static const struct {
	const char *line;
	const char *facts; /* JSON of the facts that are reported */
} fact_cases[] = {
	{ "vLLM API server version 1.2.3", "{\"vllm_version\": \"1.2.3\"}" },
	{ "INFO 03-05 06:01:02 [a.py:3]  \u2588  version 1.2.3+abc",
	  "{\"vllm_version\": \"1.2.3+abc\"}" },
	{ "profllm-sim version 1.2.3, model a (simulated)", "{}" },
	{ "INFO 03-05 06:01:02 [a.py:3]  \u2588  model   my org/my model",
	  "{\"model\": \"my org/my model\"}" },
	{ "Initializing a V1 LLM engine (v1.2.3) with config: model='a/b', "
	  "speculative_config=None, tokenizer='a/b', dtype=torch.float16, "
	  "max_seq_len=1024, tensor_parallel_size=2, pipeline_parallel_size=3, "
	  "data_parallel_size=4, quantization=None, quantization_config=None, "
	  "enforce_eager=True, kv_cache_dtype=fp8,  device_config=cuda, "
	  "enable_prefix_caching=False, chunked_prefill_enabled=True, x=y",
	  "{\"vllm_version\": \"1.2.3\", \"model\": \"a/b\", \"dtype\": \"float16\", "
	  "\"kv_cache_dtype\": \"fp8\", \"max_model_len\": 1024, "
	  "\"tensor_parallel_size\": 2, \"pipeline_parallel_size\": 3, "
	  "\"data_parallel_size\": 4, \"device\": \"cuda\", \"enforce_eager\": true, "
	  "\"prefix_caching\": false, \"chunked_prefill\": true}" },
	{ "Initializing an LLM engine (v0.4.0) with config: model=\"c\", quantization=awq,"
	  " dtype=bfloat16, enable_chunked_prefill=False)",
	  "{\"vllm_version\": \"0.4.0\", \"model\": \"c\", \"dtype\": \"bfloat16\", "
	  "\"quantization\": \"awq\", \"chunked_prefill\": false}" },
	{ "Resolved architecture: AForCausalLM", "{\"architecture\": \"AForCausalLM\"}" },
	{ "Using max model len 8192", "{\"max_model_len\": 8192}" },
	{ "Auto-fit max_model_len: reduced from 8192 to 4096 to fit in available GPU "
	  "memory",
	  "{\"max_model_len\": 4096}" },
	{ "Chunked prefill is enabled with max_num_batched_tokens=2048.",
	  "{\"chunked_prefill\": true, \"max_num_batched_tokens\": 2048}" },
	{ "Using FLASHINFER attention backend out of potential backends: ['A', 'B'].",
	  "{\"attention_backend\": \"FLASHINFER\"}" },
	{ "Using AttentionBackendEnum.TRITON_ATTN backend.",
	  "{\"attention_backend\": \"TRITON_ATTN\"}" },
	{ "Using Triton backend on V1 engine.", "{\"attention_backend\": \"TRITON_ATTN\"}" },
	{ "Using Flash Attention backend.", "{\"attention_backend\": \"FLASH_ATTN\"}" },
	{ "Using XFormers backend.", "{\"attention_backend\": \"XFORMERS\"}" },
	{ "Using backend AttentionBackendEnum.FLASH_ATTN for vit attention", "{}" },
	{ "Using AttentionBackendEnum.TORCH_SDPA for MMEncoderAttention.", "{}" },
	{ "Using Triton backend for FP8 MoE", "{}" },
	{ "Using some unheard-of backend.", "{}" },
	{ "Model loading took 2.0 GiB and 3.5 seconds",
	  "{\"weights_gb\": 2.147483648, \"model_load_s\": 3.5}" },
	{ "Model loading took 2.0 GiB memory and 3.5 seconds",
	  "{\"weights_gb\": 2.147483648, \"model_load_s\": 3.5}" },
	{ "Loading model weights took 2.5 GB", "{\"weights_gb\": 2.5}" },
	{ "Time spent downloading weights for a/b: 4.5 seconds", "{\"weights_download_s\": 4.5}" },
	{ "Loading weights took 3.25 seconds", "{\"weights_load_s\": 3.25}" },
	{ "torch.compile takes 1.5 s in total", "{\"compile_s\": 1.5}" },
	{ "torch.compile took 2.5 s in total", "{\"compile_s\": 2.5}" },
	{ "torch.compile and initial profiling/warmup run together took 3.5 s in total",
	  "{\"compile_s\": 3.5}" },
	{ "GPU KV cache size: 2,640,144 tokens", "{\"kv_cache_tokens\": 2640144}" },
	{ "CPU KV cache size: 1,024 tokens, Maximum concurrency for 2,048 tokens per "
	  "request: 0.50x",
	  "{\"kv_cache_tokens\": 1024, \"max_concurrency\": 0.5}" },
	{ "Available KV cache memory: 1.0 GiB", "{\"kv_cache_gb\": 1.073741824}" },
	{ "Explicitly set (2.0/22.09) GiB for KV cache on node 0.",
	  "{\"kv_cache_gb\": 2.147483648}" },
	{ "cache_config_info with initialization after num_gpu_blocks is: 330018",
	  "{\"gpu_blocks\": 330018}" },
	{ "# GPU blocks: 1234, # CPU blocks: 99", "{\"gpu_blocks\": 1234}" },
	{ "non-default args: {'port': 1, 'block_size': 64}",
	  "{\"block_size\": 64, \"non_default_args\": \"{'port': 1, 'block_size': 64}\"}" },
	{ "Block size is set to 128 if prefix cache or chunked prefill is enabled.",
	  "{\"block_size\": 128}" },
	{ "Setting attention block size to 16 tokens to ensure that", "{\"block_size\": 16}" },
	{ "Graph capturing finished in 4 secs, took 0.5 GiB",
	  "{\"graph_capture_s\": 4.0, \"graph_gb\": 0.536870912}" },
	{ "init engine (profile, create kv cache, warmup model) took 30.5 s (compilation: "
	  "17.93 s)",
	  "{\"init_engine_s\": 30.5}" },
	{ "INFO 03-05 06:01:02 [ray_distributed_executor.py:3] hello", "{\"executor\": \"ray\"}" },
	{ "INFO 03-05 06:01:02 [uniproc_executor.py:3] hello", "{\"executor\": \"uni\"}" },
	/* lines that were cut */
	{ "Loading weights took ", "{}" },
	{ "Model loading took 2.0", "{}" },
	{ "Available KV cache memory: x GiB", "{}" },
	{ "GPU KV cache size: 99999999999999999999 tokens", "{}" },
};

static void test_host_log_server_log__facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(fact_cases); i++) {
		auto_server_log struct host_server_log *log = read_text(fact_cases[i].line);
		auto_json json_t *facts = host_server_log_facts(log);
		auto_json json_t *reported = json_object();
		auto_json json_t *want = json_loads(fact_cases[i].facts, 0, NULL);
		const char *key;
		json_t *value;
		assert_non_null(want);
		json_object_foreach(facts, key, value)
		{
			if (!json_is_null(value))
				json_object_set(reported, key, value);
		}
		if (json_equal(reported, want))
			continue;
		auto_free char *got = json_dumps(reported, 0);
		fail_msg("'%s': found %s, expected %s", fact_cases[i].line, got,
			 fact_cases[i].facts);
	}
}

static json_t *fact_of(const char *text, const char *key)
{
	auto_server_log struct host_server_log *log = read_text(text);
	auto_json json_t *facts = host_server_log_facts(log);

	return json_incref(json_object_get(facts, key));
}

static void test_host_log_server_log__several_workers(void **state)
{
	(void)state;
	auto_json json_t *slowest = fact_of(
		"(Worker_TP0 pid=1) Loading weights took 2.00 seconds\n"
		"(Worker_TP1 pid=2) Loading weights took 3.50 seconds\n"
		"(Worker_TP2 pid=3) Loading weights took 1.00 seconds\n",
		"weights_load_s");
	auto_json json_t *smallest = fact_of("Available KV cache memory: 4.0 GiB\n"
					     "Available KV cache memory: 1.0 GiB\n"
					     "Available KV cache memory: 2.0 GiB\n",
					     "kv_cache_gb");
	auto_json json_t *last = fact_of("Using max model len 8\nUsing max model len 4\n",
					 "max_model_len");
	auto_json json_t *first = fact_of("Resolved architecture: A\nResolved architecture: B\n",
					  "architecture");

	assert_true(json_number_value(slowest) == 3.5);
	assert_true(json_number_value(smallest) == 1.073741824);
	assert_int_equal(json_integer_value(last), 4);
	assert_string_equal(json_string_value(first), "A");
}

static void test_host_log_server_log__nothing_is_read_once_it_listens(void **state)
{
	(void)state;
	static const char text[] = "INFO:     Application startup complete.\n"
				   "Loading weights took 3.25 seconds\n";
	auto_server_log struct host_server_log *log = read_text(text);
	auto_json json_t *facts = host_server_log_facts(log);

	assert_true(host_server_log_is_listening(log));
	assert_true(json_is_null(json_object_get(facts, "weights_load_s")));
	assert_false(host_server_log_moment(log, HOST_LOG_WEIGHTS_END)->reached);
}

/* An engine that does not say that it listens, and answers. */
static void test_host_log_server_log__ready_without_a_word(void **state)
{
	(void)state;
	static const char text[] = "Loading weights took 3.25 seconds\nImportError: no\n";
	auto_server_log struct host_server_log *log = host_server_log_new(1);

	host_server_log_set_ready(log);
	assert_true(host_server_log_is_listening(log));
	host_server_log_feed(log, text, strlen(text), &now);
	assert_null(host_server_log_cause_name(log));
	assert_false(host_server_log_moment(log, HOST_LOG_WEIGHTS_END)->reached);
	assert_false(host_server_log_moment(log, HOST_LOG_LISTENING)->reached);
}

static void test_host_log_server_log__bytes_that_are_no_utf8(void **state)
{
	(void)state;
	auto_server_log struct host_server_log *log = read_text(
		"Resolved architecture: A\xff\n\xc3(\n");
	auto_json json_t *facts = host_server_log_facts(log);
	auto_json json_t *tail = host_server_log_tail(log);

	assert_string_equal(json_string_value(json_object_get(facts, "architecture")),
			    "A\xEF\xBF\xBD");
	assert_string_equal(json_string_value(json_array_get(tail, 1)), "\xEF\xBF\xBD(");
}

static void test_host_log_server_log__tail(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t lines;
		const char *tail; /* lines joined by "/" */
	} cases[] = {
		{ "a\nb\nc\n", 2, "b/c" },
		{ "a\nb\nc", 2, "b/c" },
		{ "a\nb\nc\n", 9, "a/b/c" },
		{ "a\n\nb\n \n\n", 9, "a//b" },
		{ "", 3, "" },
		{ "a\n", 0, "" },
		{ "a\r\nb\r\n", 9, "a/b" },
		{ "x\n\r10%\r20%\r30%\ny\n", 9, "x/30%/y" },
		{ "\x1b[31mred\x1b[0m\n", 9, "red" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_server_log struct host_server_log *log = host_server_log_new(cases[i].lines);
		auto_buf joined = { 0 };
		size_t n;
		json_t *line;
		pl_buf_init(&joined, 1024);
		host_server_log_feed(log, cases[i].text, strlen(cases[i].text), &now);
		host_server_log_end(log);
		auto_json json_t *tail = host_server_log_tail(log);
		json_array_foreach(tail, n, line)
			pl_buf_addf(&joined, "%s%s", n > 0 ? "/" : "", json_string_value(line));
		assert_string_equal(pl_buf_text(&joined), cases[i].tail);
	}
}

/* A log may grow without end and a line too: only so much is kept. */
static void test_host_log_server_log__bounded(void **state)
{
	(void)state;
	auto_server_log struct host_server_log *log = host_server_log_new(100000);
	auto_free char *line = pl_alloc(100001);

	memset(line, 'x', 100000);
	line[100000] = '\n';
	for (size_t i = 0; i < 5000; i++)
		host_server_log_feed(log, line, i % 100 == 0 ? 100001 : 0, &now);
	auto_json json_t *tail = host_server_log_tail(log);
	assert_int_equal(json_array_size(tail), 50);
	assert_int_equal(json_string_length(json_array_get(tail, 0)), 2048);
	for (size_t i = 0; i < 9000; i++)
		host_server_log_feed(log, line + 97000, 3001, &now);
	auto_json json_t *later = host_server_log_tail(log);
	assert_in_range(json_array_size(later), 8000, 8192);
}

static void add_line(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void test_host_log_server_log__follows_a_file(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	auto_fd int fd = scratch_file(path);
	auto_server_log struct host_server_log *log = host_server_log_new(2);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(host_server_log_follow(log, path, &err), 0);
	add_line(fd, "Starting to load model a...\nLoading weig");
	assert_int_equal(host_server_log_follow(log, path, &err), 0);
	assert_true(host_server_log_moment(log, HOST_LOG_WEIGHTS_BEGIN)->reached);
	assert_false(host_server_log_moment(log, HOST_LOG_WEIGHTS_END)->reached);
	unlink(path);
	add_line(fd, "hts took 1.5 seconds\nlast words");
	assert_int_equal(host_server_log_follow(log, path, &err), 0);
	assert_true(host_server_log_moment(log, HOST_LOG_WEIGHTS_END)->reached);
	host_server_log_end(log);
	auto_json json_t *tail = host_server_log_tail(log);
	assert_int_equal(json_array_size(tail), 2);
	assert_string_equal(json_string_value(json_array_get(tail, 1)), "last words");
	auto_server_log struct host_server_log *none = host_server_log_new(2);
	assert_int_equal(host_server_log_follow(none, path, &err), -1);
}

/* Once it listens, of much that was written unread only the end is looked at. */
static void test_host_log_server_log__leaves_out_a_backlog(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	auto_fd int fd = scratch_file(path);
	auto_server_log struct host_server_log *log = host_server_log_new(1);
	auto_free char *much = pl_alloc(1 << 20);
	struct pl_err err = PL_ERR_INIT;

	add_line(fd, "INFO:     Application startup complete.\n");
	assert_int_equal(host_server_log_follow(log, path, &err), 0);
	add_line(fd, "(EngineCore pid=1) torch.OutOfMemoryError: CUDA out of memory\n");
	memset(much, 'x', 1 << 20);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(write(fd, much, 1 << 20), 1 << 20);
	add_line(fd, "\n(EngineCore pid=1) RuntimeError: NCCL error: no\n");
	assert_int_equal(host_server_log_follow(log, path, &err), 0);
	unlink(path);
	assert_string_equal(host_server_log_cause_name(log), "nccl_error");
}

static struct host_server_log *at_phase(const char *text, int64_t mono_ns, int64_t real_ns)
{
	struct host_server_log *log = host_server_log_new(1);
	struct host_log_time seen = { .mono_ns = mono_ns, .real_ns = real_ns };

	host_server_log_feed(log, text, strlen(text), &seen);
	return log;
}

/* A line seen late is taken at its own time, whatever the time zone of the server. */
static void test_host_log_server_log__times_of_phases(void **state)
{
	(void)state;
	static const struct {
		const char *stamp;
		int64_t late_ns; /* taken off the time of seeing */
	} cases[] = {
		{ "INFO 03-05 06:07:08 [x.py:1] ", 0 },
		{ "INFO 03-05 06:07:07 [x.py:1] ", PL_NS_PER_S },
		{ "INFO 03-05 06:05:08 [x.py:1] ", 120 * PL_NS_PER_S },
		{ "INFO 03-05 07:07:03 [x.py:1] ", 5 * PL_NS_PER_S },
		{ "INFO 03-05 11:37:03 [x.py:1] ", 5 * PL_NS_PER_S },
		{ "INFO 03-04 22:07:03 [x.py:1] ", 5 * PL_NS_PER_S },
		{ "INFO 03-05 06:07:09 [x.py:1] ", 0 }, /* a clock that runs ahead */
		{ "", 0 },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *text = pl_asprintf("%sLoading weights took 1 seconds\n",
						   cases[i].stamp);
		auto_server_log struct host_server_log *log = at_phase(text, NOW_MONO_NS,
								       NOW_REAL_NS);
		assert_int_equal(host_server_log_phase_ns(log, HOST_LOG_WEIGHTS_END),
				 NOW_MONO_NS - cases[i].late_ns);
		assert_int_equal(host_server_log_phase_ns(log, HOST_LOG_GRAPHS), INT64_MIN);
	}
}

/* A stamp without its fraction is up to a second early; the moment before it was seen in time. */
static void test_host_log_server_log__phases_do_not_run_backwards(void **state)
{
	(void)state;
	static const char end[] = "INFO 03-05 06:07:08 [x.py:1] Loading weights took 1 seconds\n";
	struct host_log_time seen = { .mono_ns = NOW_MONO_NS + 1100 * PL_NS_PER_MS,
				      .real_ns = NOW_REAL_NS + 1100 * PL_NS_PER_MS };
	int64_t begin_ns = NOW_MONO_NS + 900 * PL_NS_PER_MS;
	auto_server_log struct host_server_log *log = at_phase(
		"INFO 03-05 06:07:08 [x.py:1] Starting to load model a...\n", begin_ns,
		NOW_REAL_NS + 900 * PL_NS_PER_MS);

	host_server_log_feed(log, end, strlen(end), &seen);
	assert_int_equal(host_server_log_phase_ns(log, HOST_LOG_WEIGHTS_BEGIN), begin_ns);
	assert_int_equal(host_server_log_phase_ns(log, HOST_LOG_WEIGHTS_END), begin_ns);
}

/* Ray prints lines late and in any order: the first and the last by their own clocks. */
static void test_host_log_server_log__phases_of_workers_out_of_order(void **state)
{
	(void)state;
	static const char text[] = "INFO 03-05 06:00:03 [x.py:1] Starting to load model a...\n"
				   "INFO 03-05 06:00:09 [x.py:1] Loading weights took 1 seconds\n"
				   "INFO 03-05 06:00:01 [x.py:1] Starting to load model a...\n"
				   "INFO 03-05 06:00:05 [x.py:1] Loading weights took 2 seconds\n";
	auto_server_log struct host_server_log *log = read_text(text);
	const struct host_log_moment *begin = host_server_log_moment(log, HOST_LOG_WEIGHTS_BEGIN);
	const struct host_log_moment *end = host_server_log_moment(log, HOST_LOG_WEIGHTS_END);

	assert_int_equal((end->stamp_ns - begin->stamp_ns) / PL_NS_PER_S, 8);
	assert_true(host_server_log_moment(log, HOST_LOG_FIRST_LINE)->stamp_ns > begin->stamp_ns);
}

/* Each phrase that marks a phase, and that phase alone (but the first line). */
static void test_host_log_server_log__marks(void **state)
{
	(void)state;
	static const struct {
		enum host_log_phase phase;
		const char *phrase;
	} marks[] = {
#define LOG_MARK(phase, phrase) { HOST_LOG_##phase, phrase },
#include "tbl/log_lines.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(marks); i++) {
		auto_free char *text = pl_asprintf("INFO x %s\n", marks[i].phrase);
		auto_server_log struct host_server_log *log = read_text(text);
		for (size_t p = 0; p < HOST_LOG_PHASE_COUNT; p++) {
			bool expected = p == marks[i].phase || p == HOST_LOG_FIRST_LINE;
			assert_int_equal(
				host_server_log_moment(log, (enum host_log_phase)p)->reached,
				expected);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_log_server_log__escape_sequences),
		cmocka_unit_test(test_host_log_server_log__facts),
		cmocka_unit_test(test_host_log_server_log__several_workers),
		cmocka_unit_test(test_host_log_server_log__nothing_is_read_once_it_listens),
		cmocka_unit_test(test_host_log_server_log__ready_without_a_word),
		cmocka_unit_test(test_host_log_server_log__bytes_that_are_no_utf8),
		cmocka_unit_test(test_host_log_server_log__tail),
		cmocka_unit_test(test_host_log_server_log__bounded),
		cmocka_unit_test(test_host_log_server_log__follows_a_file),
		cmocka_unit_test(test_host_log_server_log__leaves_out_a_backlog),
		cmocka_unit_test(test_host_log_server_log__times_of_phases),
		cmocka_unit_test(test_host_log_server_log__phases_do_not_run_backwards),
		cmocka_unit_test(test_host_log_server_log__phases_of_workers_out_of_order),
		cmocka_unit_test(test_host_log_server_log__marks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
