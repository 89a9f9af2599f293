/*
 * Prefixes of log lines, in the forms of vLLM's releases, of loggers, of containers, of journald
 * and of what starts processes on several hosts; lines that only look as if they had one; messages
 * of several lines.
 */
#include "host/log/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"

/* 2026-03-05T06:07:08Z */
#define NOW_REAL_NS (1772690828 * PL_NS_PER_S)

struct prefix {
	const char *line;
	const char *body;
	const char *speaker;
	const char *source;
	enum host_log_level level;
	const char *stamp; /* "" none */
};

static void check(const struct prefix *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		auto_free char *text = pl_strdup(cases[i].line);
		struct host_log_line line;
		char stamp[64] = "";
		host_log_line_clean(text, strlen(text));
		host_log_line_read(text, NOW_REAL_NS, &line);
		if (line.stamped) {
			pl_clock_format(line.stamp_ns, "%Y-%m-%d %H:%M:%S", 1, stamp,
					sizeof(stamp));
			snprintf(stamp + strlen(stamp), 8, ".%03d",
				 (int)(line.stamp_ns / PL_NS_PER_MS % 1000));
		}
		if (strcmp(line.body, cases[i].body) != 0)
			fail_msg("found '%s', expected '%s' of: %s", line.body, cases[i].body,
				 cases[i].line);
		assert_string_equal(line.speaker, cases[i].speaker);
		assert_string_equal(line.source, cases[i].source);
		assert_int_equal(line.level, cases[i].level);
		assert_string_equal(stamp, cases[i].stamp);
	}
}

static void test_host_log_prefix__of_vllm(void **state)
{
	(void)state;
	static const struct prefix cases[] = {
		{ "plain words", "plain words", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "(EngineCore pid=7) INFO 03-05 06:01:02 [core.py:1] hello", "hello", "EngineCore",
		  "core.py", HOST_LOG_QUIET, "2026-03-05 06:01:02.000" },
		{ "INFO 03-05 06:01:02 api_server.py:7] hello", "hello", "", "api_server.py",
		  HOST_LOG_QUIET, "2026-03-05 06:01:02.000" },
		{ "WARNING 12-31 23:59:59 [x.py:7] hello", "hello", "", "x.py", HOST_LOG_WARNING,
		  "2025-12-31 23:59:59.000" },
		{ "(APIServer pid=7)   File \"x\"", "  File \"x\"", "APIServer", "",
		  HOST_LOG_NO_LEVEL, "" },
		{ "(VllmWorker TP0 pid=7) ERROR 03-05 06:01:02 [x.py:7]   indented", "  indented",
		  "VllmWorker TP0", "x.py", HOST_LOG_ERROR, "2026-03-05 06:01:02.000" },
		{ "\x1b[1;36m(EngineCore_0 pid=7)\x1b[0;0m \x1b[36m(RayWorkerWrapper pid=9, "
		  "ip=10.0.0.1)\x1b[0m INFO 03-05 06:01:02 [m.py:7] hello\x1b[32m [repeated 3x "
		  "across cluster]\x1b[0m",
		  "hello [repeated 3x across cluster]", "RayWorkerWrapper", "m.py", HOST_LOG_QUIET,
		  "2026-03-05 06:01:02.000" },
		{ "(EngineCore_0 pid=7) (pid=9) INFO 03-05 06:01:02 [m.py:7] hello", "hello",
		  "EngineCore_0", "m.py", HOST_LOG_QUIET, "2026-03-05 06:01:02.000" },
		{ "INFO:     Application startup complete.", "Application startup complete.", "",
		  "", HOST_LOG_QUIET, "" },
		{ "ERROR:    [Errno 98] no", "[Errno 98] no", "", "", HOST_LOG_ERROR, "" },
		{ "2026-03-04T05:06:07.891234567Z stdout F INFO 03-05 06:01:02 [x.py:1] hello",
		  "hello", "", "x.py", HOST_LOG_QUIET, "2026-03-05 06:01:02.000" },
		{ "2026-03-04T05:06:07.891Z   indented", "  indented", "", "", HOST_LOG_NO_LEVEL,
		  "2026-03-04 05:06:07.891" },
		{ "2026-03-04 05:06:07,5\tINFO worker.py:17 -- hello", "hello", "", "worker.py",
		  HOST_LOG_QUIET, "2026-03-04 05:06:07.500" },
		{ "2026-03-04 05:06:07,891 - INFO - tuner.py:6 - hello", "hello", "", "",
		  HOST_LOG_QUIET, "2026-03-04 05:06:07.891" },
		{ "vllm-1  | INFO 03-05 06:01:02 [x.py:1] hello", "hello", "", "x.py",
		  HOST_LOG_QUIET, "2026-03-05 06:01:02.000" },
		{ "[rank3]: some.Error: no", "some.Error: no", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "[rank0]:[W304 22:40:11.215 P.cpp:14] hello", "hello", "", "", HOST_LOG_WARNING,
		  "2026-03-04 22:40:11.215" },
		{ "[E0304 22:40:11.215 P.cpp:14] hello", "hello", "", "", HOST_LOG_ERROR,
		  "2026-03-04 22:40:11.215" },
		{ "{\"level\": \"ERROR\", \"message\": \"some.Error: no\", \"timestamp\": "
		  "\"2026-03-04T05:06:07Z\"}",
		  "some.Error: no", "", "", HOST_LOG_ERROR, "2026-03-04 05:06:07.000" },
		{ "{\"log\":\"(EngineCore pid=7) hello\\n\",\"stream\":\"stderr\","
		  "\"time\":\"2026-03-04T05:06:07Z\"}",
		  "hello", "EngineCore", "", HOST_LOG_NO_LEVEL, "2026-03-04 05:06:07.000" },
		{ "bar| 6/7 [00:03<00:00, 20.1it/s](Worker pid=7) INFO 03-05 06:01:02 [x.py:1] yes",
		  "yes", "Worker", "x.py", HOST_LOG_QUIET, "2026-03-05 06:01:02.000" },
	};

	check(cases, PL_ARRAY_SIZE(cases));
}

static void test_host_log_prefix__of_hosts(void **state)
{
	(void)state;
	static const struct prefix cases[] = {
		{ "Mar  4 05:06:07 gpu-7 vllm[8727]: (EngineCore pid=8727) ERROR 03-05 06:01:02 "
		  "[core.py:8] hello",
		  "hello", "EngineCore", "core.py", HOST_LOG_ERROR, "2026-03-05 06:01:02.000" },
		{ "Mar 04 05:06:07.250 gpu-7 vllm[8727]:   File \"x\"", "  File \"x\"", "", "",
		  HOST_LOG_NO_LEVEL, "2026-03-04 05:06:07.250" },
		{ "Mar 04 05:06:07 gpu-7 kernel: hello", "hello", "", "", HOST_LOG_NO_LEVEL,
		  "2026-03-04 05:06:07.000" },
		{ "Mar 04 05:06:07 some.Error: no", "some.Error: no", "", "", HOST_LOG_NO_LEVEL,
		  "2026-03-04 05:06:07.000" },
		{ "2026-03-04T05:06:07+0100 gpu-7 vllm[87]: hello", "hello", "", "",
		  HOST_LOG_NO_LEVEL, "2026-03-04 05:06:07.000" },
		{ "Wed 2026-03-04 05:06:07 CET gpu-7 vllm[87]: hello", "hello", "", "",
		  HOST_LOG_NO_LEVEL, "2026-03-04 05:06:07.000" },
		{ "<27>Mar  4 05:06:07 gpu-7 vllm[87]: hello", "hello", "", "", HOST_LOG_NO_LEVEL,
		  "2026-03-04 05:06:07.000" },
		/* srun --label, pdsh, mpirun, torchrun */
		{ "0: (EngineCore pid=7) hello", "hello", "EngineCore", "", HOST_LOG_NO_LEVEL, "" },
		{ " 3:   File \"x\"", "  File \"x\"", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "node01: some.Error: no", "some.Error: no", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "[1,3]<stderr>:some.Error: no", "some.Error: no", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "[default3]:  indented", " indented", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "[Rank 0] hello", "hello", "", "", HOST_LOG_NO_LEVEL, "" },
	};

	check(cases, PL_ARRAY_SIZE(cases));
}

static void test_host_log_prefix__of_containers(void **state)
{
	(void)state;
	static const struct prefix cases[] = {
		{ "vllm_1  | some.Error: no", "some.Error: no", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "llm_vllm.1.x2a@gpu-7    | hello", "hello", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "a | hello", "hello", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "a| hello", "a| hello", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "[pod/vllm-7c9f-x2/vllm] (EngineCore pid=7)   indented", "  indented",
		  "EngineCore", "", HOST_LOG_NO_LEVEL, "" },
		{ "time=\"2026-03-04T05:06:07Z\" level=error msg=\"no \\\"x\\\" here\" id=7",
		  "no \"x\" here", "", "", HOST_LOG_ERROR, "2026-03-04 05:06:07.000" },
	};

	check(cases, PL_ARRAY_SIZE(cases));
}

static void test_host_log_prefix__of_loggers(void **state)
{
	(void)state;
	static const struct prefix cases[] = {
		{ "2026-03-04 05:06:07.891 | ERROR    | vllm.engine:run:12 - some.Error: no",
		  "some.Error: no", "", "", HOST_LOG_ERROR, "2026-03-04 05:06:07.891" },
		{ "2026-03-04 05:06:07 | ERROR | stderr | some.Error: no", "some.Error: no", "", "",
		  HOST_LOG_NO_LEVEL, "2026-03-04 05:06:07.000" },
		{ "2026-03-04 05:06:07,891 - vllm.engine - ERROR - some.Error: no",
		  "some.Error: no", "", "", HOST_LOG_ERROR, "2026-03-04 05:06:07.891" },
		{ "2026-03-04 05:06:07,891 ERROR vllm.engine: some.Error: no", "some.Error: no", "",
		  "", HOST_LOG_ERROR, "2026-03-04 05:06:07.891" },
		{ "[2026-03-04 05:06:07,891][vllm.engine][ERROR] - some.Error: no",
		  "some.Error: no", "", "", HOST_LOG_ERROR, "2026-03-04 05:06:07.891" },
		{ "[2026-03-04 05:06:07 +0000] [7] [ERROR] some.Error: no", "some.Error: no", "",
		  "", HOST_LOG_ERROR, "2026-03-04 05:06:07.000" },
		{ "ERROR:vllm.engine:some.Error: no", "some.Error: no", "", "", HOST_LOG_ERROR,
		  "" },
		{ "2026/03/04 05:06:07 hello", "hello", "", "", HOST_LOG_NO_LEVEL,
		  "2026-03-04 05:06:07.000" },
		{ "05:06:07 ERROR some.Error: no", "some.Error: no", "", "", HOST_LOG_ERROR, "" },
		{ "(ServeReplica:llm:V pid=7, ip=10.0.0.1) ERROR 2026-03-04 05:06:07,891 llm 12 "
		  "replica.py:34 -- some.Error: no",
		  "some.Error: no", "ServeReplica:llm:V", "", HOST_LOG_ERROR,
		  "2026-03-04 05:06:07.891" },
		{ "(raylet, ip=10.0.0.2) hello", "hello", "raylet", "", HOST_LOG_NO_LEVEL, "" },
		{ "vLLM STDERR: some.Error: no", "some.Error: no", "", "", HOST_LOG_NO_LEVEL, "" },
		/* colors whose escape byte was lost or written out */
		{ "[36m(Worker pid=7)[0m hello", "hello", "Worker", "", HOST_LOG_NO_LEVEL, "" },
		{ "Mar  4 05:06:07 gpu-7 vllm[87]: #033[0;36m(Worker pid=7)#033[0;0m hello",
		  "hello", "Worker", "", HOST_LOG_NO_LEVEL, "2026-03-04 05:06:07.000" },
		{ "^[[36m(Worker pid=7)^[[0m hello", "hello", "Worker", "", HOST_LOG_NO_LEVEL, "" },
		/* a group of exceptions */
		{ "    | some.Error: no", "some.Error: no", "", "", HOST_LOG_NO_LEVEL, "" },
	};

	check(cases, PL_ARRAY_SIZE(cases));
}

static void test_host_log_prefix__that_are_none(void **state)
{
	(void)state;
	static const struct prefix cases[] = {
		{ "docker: Error response from daemon: no",
		  "docker: Error response from daemon: no", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "python3: error while loading", "python3: error while loading", "", "",
		  HOST_LOG_NO_LEVEL, "" },
		{ "libx.so.1: cannot open", "libx.so.1: cannot open", "", "", HOST_LOG_NO_LEVEL,
		  "" },
		{ "     7: not a label", "     7: not a label", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "rate(x[30m]) is high", "rate(x[30m]) is high", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "[Errno 98] no", "[Errno 98] no", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "Mayor 04 05:06:07 hello", "Mayor 04 05:06:07 hello", "", "", HOST_LOG_NO_LEVEL,
		  "" },
		{ "ERROR socket.gaierror: no", "socket.gaierror: no", "", "", HOST_LOG_ERROR, "" },
		{ "(nowhere) INFO", "(nowhere) INFO", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "ERROR", "ERROR", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "INFO 99-05 06:01:02 [x.py:1] hello", "99-05 06:01:02 [x.py:1] hello", "", "",
		  HOST_LOG_QUIET, "" },
		{ "2026-13-04T05:06:07Z hello", "2026-13-04T05:06:07Z hello", "", "",
		  HOST_LOG_NO_LEVEL, "" },
		{ "{\"a\": 1}", "{\"a\": 1}", "", "", HOST_LOG_NO_LEVEL, "" },
		{ "{not json}", "{not json}", "", "", HOST_LOG_NO_LEVEL, "" },
	};

	check(cases, PL_ARRAY_SIZE(cases));
}

/* A JSON formatter wraps a whole traceback in one line. */
static void test_host_log_prefix__several_lines(void **state)
{
	(void)state;
	static const char *const lines[][8] = {
		{ "{\"level\": \"ERROR\", \"message\": \"it failed\", \"exc_info\": \"Traceback "
		  "(most recent call last):\\n  File \\\"x\\\"\\nsome.Error: no\\n\"}",
		  "it failed", "Traceback (most recent call last):", "  File \"x\"",
		  "some.Error: no", NULL },
		{ "{\"log\": \"(Worker pid=7) one\\r\\n(Worker pid=7)   two\\n\"}", "one", "  two",
		  NULL },
		{ "time=\"2026-03-04T05:06:07Z\" level=fatal msg=\"one\\ntwo\"", "one", "two",
		  NULL },
		{ "one", "one", NULL },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(lines); i++) {
		auto_free char *text = pl_strdup(lines[i][0]);
		struct host_log_line line;
		size_t count = 1;
		host_log_line_clean(text, strlen(text));
		host_log_line_read(text, NOW_REAL_NS, &line);
		do {
			assert_non_null(lines[i][count]);
			assert_string_equal(line.body, lines[i][count]);
			count++;
		} while (host_log_line_next(&line, NOW_REAL_NS));
		assert_null(lines[i][count]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_log_prefix__of_vllm),
		cmocka_unit_test(test_host_log_prefix__of_hosts),
		cmocka_unit_test(test_host_log_prefix__of_containers),
		cmocka_unit_test(test_host_log_prefix__of_loggers),
		cmocka_unit_test(test_host_log_prefix__that_are_none),
		cmocka_unit_test(test_host_log_prefix__several_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
