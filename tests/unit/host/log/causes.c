/*
 * Causes of death of a server: a synthetic log for each failure row, and logs that must not match
 * one.
 */
#include "host/log/server_log.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define READY "INFO:     Application startup complete.\n"

static const struct host_log_time now = { .mono_ns = 1, .real_ns = 1772690828000000000 };

static struct host_server_log *read_text(const char *text)
{
	struct host_server_log *log = host_server_log_new(10);

	host_server_log_feed(log, text, strlen(text), &now);
	host_server_log_end(log);
	return log;
}

/* The cause of a server that ended with exit status 1. */
static const char *cause_of(const char *text)
{
	auto_server_log struct host_server_log *log = read_text(text);
	struct host_death death = { .signal_number = 0 };

	return host_server_log_cause(log, &death);
}

struct fixture {
	const char *cause;
	const char *text;
};

static void check(const struct fixture *fixtures, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *got = cause_of(fixtures[i].text);
		if (!pl_text_equal(got, fixtures[i].cause))
			fail_msg("found %s, expected %s of:\n%s", got, fixtures[i].cause,
				 fixtures[i].text);
	}
}

static void test_host_log_causes__at_start(void **state)
{
	(void)state;
	static const struct fixture fixtures[] = {
		{ "out_of_memory", "torch.OutOfMemoryError: CUDA out of memory. Tried 2 GiB\n" },
		/* a phrase of an exception, or of the line below it, in the text of a log line */
		{ "gpu_too_old", "ValueError: Bfloat16 is only supported on GPUs of 8.0\n" },
		{ "unknown",
		  "ERROR 03-05 06:01:02 [x.py:1] Bfloat16 is only supported on GPUs of 8.0\n" },
		{ "out_of_memory", "(EngineCore pid=1) ERROR 03-05 06:01:02 [core.py:1] "
				   "torch.cuda.OutOfMemoryError: HIP out of memory.\n" },
		{ "out_of_memory", "ValueError: Free memory on device (1/8 GiB) on startup is less "
				   "than desired GPU memory utilization (0.9, 7 GiB).\n" },
		{ "out_of_memory", "MemoryError\n" },
		{ "out_of_memory", "terminate called after throwing an instance of 'x'\n"
				   "  what():  CUDA error: out of memory\n" },
		{ "kv_cache_too_small",
		  "ValueError: No available memory for the cache blocks. Try increasing.\n" },
		{ "kv_cache_too_small",
		  "ValueError: The model's max seq len (9) is larger than the maximum number of "
		  "tokens that can be stored in KV cache (8).\n" },
		{ "kv_cache_too_small",
		  "ValueError: To serve at least one request 9 GiB KV cache is needed, which is "
		  "larger than the available KV cache memory (8 GiB).\n" },
		{ "invalid_argument",
		  "usage: vllm [-h]\nvllm: error: unrecognized arguments: -x\n" },
		{ "invalid_argument", "vllm serve: error: argument --x: invalid choice: 'y'\n" },
		{ "invalid_argument",
		  "pydantic_core._pydantic_core.ValidationError: 1 validation error for C\n"
		  "some_field\n"
		  "  Input should be less than or equal to 1 [type=less_than_equal, x=1.5]\n" },
		{ "invalid_configuration",
		  "pydantic_core._pydantic_core.ValidationError: 1 validation error for C\n"
		  "  Value error, these two do not go together [type=value_error, x=y]\n" },
		{ "quantization_mismatch",
		  "pydantic_core._pydantic_core.ValidationError: 1 validation error for C\n"
		  "  Value error, Cannot find the config file for awq [type=value_error, x=y]\n" },
		{ "invalid_configuration",
		  "Traceback (most recent call last):\n"
		  "  File \"vllm/engine/arg_utils.py\", line 1, in create_engine_config\n"
		  "ValueError: these two do not go together\n" },
		{ "port_in_use", "OSError: [Errno 98] Address already in use\n" },
		{ "port_in_use", "ERROR:    [Errno 98] error while attempting to bind on address "
				 "('0.0.0.0', 8000): address already in use\n" },
		{ "port_in_use", "torch.distributed.DistNetworkError: The server socket has failed "
				 "to listen. port: 1, EADDRINUSE\n" },
		{ "model_not_found", "huggingface_hub.errors.RepositoryNotFoundError: 401 Client "
				     "Error. Repository Not Found\n" },
		/* the status line of a private model and of none is the same */
		{ "model_not_found", "requests.exceptions.HTTPError: 401 Client Error: no\n"
				     "huggingface_hub.errors.RepositoryNotFoundError: 401\n" },
		{ "gated_model", "requests.exceptions.HTTPError: 401 Client Error: no\n"
				 "huggingface_hub.errors.GatedRepoError: 401 Client Error.\n" },
		{ "gated_model", "OSError: You are trying to access a gated repo.\n" },
		{ "gated_model", "requests.exceptions.HTTPError: 401 Client Error: no\n" },
		{ "unsupported_model",
		  "ValueError: Model architectures ['X'] are not supported for now.\n" },
		{ "missing_dependency", "ModuleNotFoundError: No module named 'x'\n" },
		{ "missing_dependency", "node: error while loading shared libraries: libx.so.1\n" },
		{ "driver_mismatch",
		  "ImportError: libcuda.so.1: cannot open shared object file\n" },
		{ "driver_mismatch",
		  "RuntimeError: The NVIDIA driver on your system is too old (found 1).\n" },
		{ "no_gpu", "RuntimeError: Failed to infer device type\n" },
		{ "no_gpu", "RuntimeError: No CUDA GPUs are available\n" },
		{ "cuda_error",
		  "RuntimeError: CUDA error: no kernel image is available for execution\n" },
		{ "nccl_error",
		  "RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO)\n" },
		{ "nccl_error", "[rank0]:[E304 22:40:11.215 P.cpp:14] [Rank 0] Watchdog caught "
				"collective operation timeout: x\n" },
		{ "disk_full", "OSError: [Errno 28] No space left on device\n" },
		{ "host_memory", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0\n" },
		{ "host_memory", "ray.exceptions.OutOfMemoryError: Task was killed due to the node "
				 "running low on memory.\n" },
		{ "hang", "TimeoutError: RPC call to execute_model timed out.\n" },
		{ "crashed", "Fatal Python error: Segmentation fault\n" },
		{ "killed", "(EngineCore pid=1) ERROR 03-05 06:01:02 [m.py:3] Worker proc "
			    "VllmWorker-0 died unexpectedly (exit code: -9), shutting down.\n" },
	};

	check(fixtures, PL_ARRAY_SIZE(fixtures));
}

static void test_host_log_causes__no_wrong_cause(void **state)
{
	(void)state;
	static const struct fixture fixtures[] = {
		{ "unknown", "" },
		{ "unknown", "something that no one has ever seen\n" },
		{ "unknown", "RuntimeError: something that no one has ever seen\n" },
		{ "unknown", "Traceback (most recent call last):\n"
			     "  File \"x.py\", line 1, in f\n"
			     "ValueError: something that no one has ever seen\n" },
		/* warnings and reports that name what did not happen */
		{ "unknown", "WARNING 03-05 06:01:02 [x.py:1] CUDA out of memory may follow\n" },
		{ "unknown", "INFO 03-05 06:01:02 [x.py:1] CUDA error: none\n" },
		{ "unknown",
		  "(EngineCore pid=1) WARNING 03-05 06:01:02 [x.py:1] ImportError: no\n" },
		{ "unknown", "[W304 22:40:11.215 P.cpp:14] RuntimeError: NCCL error: none\n" },
		{ "unknown", "Address already in use is what you get when another listens\n" },
		{ "unknown", "x.py:1: UserWarning: The NVIDIA driver on your system is too old\n" },
		/* the code of a traceback, not its last line */
		{ "unknown", "Traceback (most recent call last):\n"
			     "    raise torch.OutOfMemoryError(\n"
			     "  torch.OutOfMemoryError: CUDA out of memory\n" },
		{ "unknown", "ERROR 03-05 06:01:02 [x.py:1]     raise ImportError: x\n" },
		{ "unknown", "program: error: the disk is on fire\n"
			     "sh: vllm: not found\n" },
		{ "unknown", "RuntimeError: Engine core initialization failed. See root cause\n" },
		{ "unknown", "a long text: and more: error: argument --x\n" },
		/* the cause of an earlier traceback does not carry over */
		{ "unknown",
		  "  File \"vllm/engine/arg_utils.py\", line 1, in create_engine_config\n"
		  "Traceback (most recent call last):\n"
		  "ValueError: of something else\n" },
		{ "unknown", "x.ValidationError: 1 validation error for C\n"
			     "INFO 03-05 06:01:02 [x.py:1] continued without it\n"
			     "  a list [type=value_error]\n" },
	};

	check(fixtures, PL_ARRAY_SIZE(fixtures));
}

static void test_host_log_causes__the_root(void **state)
{
	(void)state;
	static const struct fixture fixtures[] = {
		/* the engine's word goes before the front end's, whichever comes first */
		{ "out_of_memory",
		  "OSError: [Errno 28] No space left on device\n"
		  "(Worker_TP1 pid=2) torch.OutOfMemoryError: CUDA out of memory\n" },
		{ "out_of_memory", "(EngineCore pid=2) torch.OutOfMemoryError: CUDA out of memory\n"
				   "(APIServer pid=1) OSError: [Errno 28] No space left on device\n"
				   "(APIServer pid=1) RuntimeError: Engine core initialization "
				   "failed. See root cause above.\n" },
		/* of one witness the first */
		{ "nccl_error", "(Worker_TP0 pid=1) RuntimeError: NCCL error: a\n"
				"(Worker_TP1 pid=2) RuntimeError: CUDA error: b\n" },
		/* what is clear goes before what is vague */
		{ "disk_full", "requests.exceptions.HTTPError: 404 Client Error: no\n"
			       "OSError: [Errno 28] No space left on device\n" },
	};

	check(fixtures, PL_ARRAY_SIZE(fixtures));
}

static void test_host_log_causes__once_it_listens(void **state)
{
	(void)state;
	static const struct fixture fixtures[] = {
		{ "crashed", READY },
		{ "crashed", READY "(APIServer pid=1) ERROR 03-05 06:01:02 [v.py:1] "
				   "x.RequestValidationError: 1 validation error\n"
				   "  no [type=value_error, x]\n" },
		{ "crashed", READY "(APIServer pid=1) ERROR 03-05 06:01:02 [v.py:1] "
				   "RuntimeError: CUDA error: said by a request\n" },
		{ "crashed", READY "OSError: [Errno 98] Address already in use\n" },
		{ "crashed", READY "(EngineCore pid=1) ImportError: no\n" },
		{ "out_of_memory", READY "(EngineCore pid=1) ERROR 03-05 06:01:02 [c.py:1] "
					 "torch.OutOfMemoryError: CUDA out of memory\n" },
		{ "cuda_error",
		  READY "(Worker_TP0 pid=1) RuntimeError: CUDA error: an illegal memory access\n" },
		{ "nccl_error", READY "ERROR 03-05 06:01:02 x.py:1] RuntimeError: NCCL error\n" },
		{ "hang", READY "(EngineCore pid=1) TimeoutError: RPC call to f timed out.\n" },
	};

	check(fixtures, PL_ARRAY_SIZE(fixtures));
}

/* For an unknown cause, the first exception is reported, preferably one of an engine. */
static void test_host_log_causes__unknown_exceptions(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "RuntimeError: a\nRuntimeError: b\n", "RuntimeError: a" },
		{ "KeyError: 'a'\n(Worker pid=2) ERROR 03-05 06:01:02 [m.py:1] RuntimeError: b\n"
		  "(EngineCore pid=1) RuntimeError: c\n",
		  "RuntimeError: b" },
		{ "(APIServer pid=1) RuntimeError: a\nMemoryError\n", "RuntimeError: a" },
		{ READY "(APIServer pid=1) RuntimeError: of a request\n"
			"(EngineCore pid=1) RuntimeError: c\n",
		  "RuntimeError: c" },
		{ "(EngineCore pid=1) WARNING 03-05 06:01:02 [m.py:1] RuntimeError: b\n", NULL },
		{ "MemoryError\n", NULL },
		{ "hello\n", NULL },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_server_log struct host_server_log *log = read_text(cases[i][0]);
		const char *line = host_server_log_exception(log);
		if (cases[i][1] == NULL)
			assert_null(line);
		else
			assert_string_equal(line, cases[i][1]);
	}
}

static void test_host_log_causes__by_its_end(void **state)
{
	(void)state;
	static const char worker[] = "(EngineCore pid=1) ERROR 03-05 06:01:02 [m.py:3] Worker proc "
				     "VllmWorker-0 died unexpectedly (exit code: -9), shutting\n";
	static const char core[] =
		"RuntimeError: Engine core initialization failed. See root cause "
		"above. Failed core proc(s): {'EngineCore': -9}\n";
	static const char oom[] = "torch.OutOfMemoryError: CUDA out of memory\n";
	static const struct {
		const char *text;
		struct host_death death;
		const char *cause;
	} cases[] = {
		{ "", { .signal_number = SIGKILL }, "killed" },
		{ "", { .signal_number = SIGTERM }, "killed" },
		{ "", { .signal_number = SIGKILL, .was_ready = true }, "killed" },
		{ "", { .signal_number = SIGSEGV }, "crashed" },
		{ "", { .signal_number = SIGABRT }, "crashed" },
		{ "", { .was_ready = true }, "crashed" },
		{ "", { .oom_killed = true }, "unknown" },
		{ "", { .signal_number = SIGKILL, .oom_killed = true }, "host_memory" },
		{ "", { .signal_number = SIGTERM, .oom_killed = true }, "killed" },
		{ worker, { .oom_killed = true }, "host_memory" },
		{ worker, { .was_ready = true }, "killed" },
		{ core, { .oom_killed = true }, "host_memory" },
		{ core, { .oom_killed = false }, "killed" },
		{ oom, { .signal_number = SIGKILL, .oom_killed = true }, "out_of_memory" },
		{ oom, { .signal_number = SIGABRT, .was_ready = true }, "out_of_memory" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_server_log struct host_server_log *log = read_text(cases[i].text);
		assert_string_equal(host_server_log_cause(log, &cases[i].death), cases[i].cause);
	}
}

enum form { EXCEPTION = 1, DETAIL = 2, ERROR = 4, USAGE = 8, PLAIN = 16 };

static const struct {
	const char *cause;
	const char *when;
	unsigned forms;
	const char *phrase;
	const char *also;
} rows[] = {
#define LOG_FAILURE(cause, strength, when, forms, phrase, also) \
	{ #cause, #when, forms, phrase, also },
#include "tbl/log_failures.h"
};

/* A line of a traceback within the place, "" where a row names none. */
static const char *frame_of(const char *position)
{
	static const char *const frames[][2] = {
#define LOG_FRAME(position, phrase) { #position, "  File \"x.py\", line 1, " phrase "\n" },
#include "tbl/log_failures.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(frames); i++) {
		if (pl_text_equal(frames[i][0], position))
			return frames[i][1];
	}
	return "";
}

static char *line_of(unsigned form, const char *phrase, const char *also)
{
	switch (form) {
	case EXCEPTION:
		return pl_asprintf("builtins.Exception: %s %s\n", phrase, also);
	case DETAIL:
		return pl_asprintf("x.ValidationError: 1 validation error\n  %s %s\n", phrase,
				   also);
	case ERROR:
		return pl_asprintf("ERROR 03-05 06:01:02 [x.py:1] %s %s\n", phrase, also);
	case USAGE:
		return phrase[0] == ':' ? pl_asprintf("vllm%s%s\n", phrase, also)
					: pl_asprintf("%s %s\n", phrase, also);
	default:
		return pl_asprintf("%s %s\n", phrase, also);
	}
}

/* No row hides another, in any of its forms. */
static void test_host_log_causes__every_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		for (unsigned form = EXCEPTION; form <= PLAIN; form *= 2) {
			if ((rows[i].forms & form) == 0)
				continue;
			auto_free char *line = line_of(form, rows[i].phrase, rows[i].also);
			auto_free char *text = pl_asprintf("%s%s", frame_of(rows[i].when), line);
			auto_server_log struct host_server_log *log = read_text(text);
			const char *reported = host_server_log_cause_name(log);
			if (reported == NULL || !pl_text_equal(reported, rows[i].cause))
				fail_msg("'%s' is reported as %s", text,
					 reported != NULL ? reported : "none");
		}
	}
}

/* Whether a line that the row fits, with the phrase added, gives the hint. */
static bool gives_hint(size_t row, const char *position, const char *phrase, const char *hint)
{
	for (unsigned form = EXCEPTION; form <= PLAIN; form *= 2) {
		if ((rows[row].forms & form) == 0)
			continue;
		auto_free char *also = pl_asprintf("%s %s", rows[row].also, phrase);
		auto_free char *line = line_of(form, rows[row].phrase, also);
		auto_free char *text = pl_asprintf("%s%s%s",
						   pl_text_equal(position, "SERVING") ? READY : "",
						   frame_of(position), line);
		auto_server_log struct host_server_log *log = read_text(text);
		if (pl_text_equal(host_server_log_cause_name(log), rows[row].cause) &&
		    pl_text_equal(host_server_log_hint(log), hint))
			return true;
	}
	return false;
}

/* No hint hides another, and each belongs to a cause that lines name. */
static void test_host_log_causes__every_hint(void **state)
{
	(void)state;
	static const struct {
		const char *cause;
		const char *position;
		const char *phrase;
		const char *hint;
	} hints[] = {
#define LOG_HINT(cause, position, phrase, hint) { #cause, #position, phrase, hint },
#include "tbl/log_hints.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(hints); i++) {
		bool given = false;
		for (size_t row = 0; row < PL_ARRAY_SIZE(rows) && !given; row++)
			given = pl_text_equal(rows[row].cause, hints[i].cause) &&
				gives_hint(row, hints[i].position, hints[i].phrase, hints[i].hint);
		if (!given)
			fail_msg("no line gives the hint of %s for '%s' in %s", hints[i].cause,
				 hints[i].phrase, hints[i].position);
		size_t len = strlen(hints[i].hint);
		assert_true(len >= 20 && len <= 240 && hints[i].hint[len - 1] != '.');
	}
}

/* Every cause that the parser names is one of the result schema. */
static void test_host_log_causes__are_those_of_results(void **state)
{
	(void)state;
	static const char *const named[] = {
#define LOG_FAILURE(cause, strength, when, forms, phrase, also) #cause,
#include "tbl/log_failures.h"
#define LOG_HINT(cause, position, phrase, hint) #cause,
#include "tbl/log_hints.h"
		"host_memory", "killed", "crashed", "unknown"
	};
	static const char *const causes[] = {
#define CAUSE(id, name, text, hint) #name,
#include "tbl/states.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(named); i++) {
		size_t found = 0;
		while (found < PL_ARRAY_SIZE(causes) && !pl_text_equal(causes[found], named[i]))
			found++;
		if (found == PL_ARRAY_SIZE(causes))
			fail_msg("no cause '%s' in tbl/states.h", named[i]);
	}
}

static void test_host_log_causes__hints_are_sentences(void **state)
{
	(void)state;
	static const char *const hints[] = {
#define CAUSE(id, name, text, hint) hint,
#include "tbl/states.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(hints); i++) {
		size_t len = strlen(hints[i]);
		assert_true(len >= 20 && len <= 240);
		assert_true(hints[i][len - 1] != '.' && hints[i][len - 1] != ' ');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_log_causes__at_start),
		cmocka_unit_test(test_host_log_causes__no_wrong_cause),
		cmocka_unit_test(test_host_log_causes__the_root),
		cmocka_unit_test(test_host_log_causes__once_it_listens),
		cmocka_unit_test(test_host_log_causes__unknown_exceptions),
		cmocka_unit_test(test_host_log_causes__by_its_end),
		cmocka_unit_test(test_host_log_causes__every_row),
		cmocka_unit_test(test_host_log_causes__every_hint),
		cmocka_unit_test(test_host_log_causes__are_those_of_results),
		cmocka_unit_test(test_host_log_causes__hints_are_sentences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
