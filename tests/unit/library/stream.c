#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "library/library.h"

#define SEEN_BYTES_MAX (1u << 20)

static void see_phase(void *data, const char *phase)
{
	pl_buf_addf(data, "phase %s; ", phase);
}

static void see_progress(void *data, const struct profllm_progress *progress)
{
	pl_buf_addf(data, "progress %s %s %g %g %g %g; ",
		    progress->phase != NULL ? progress->phase : "-",
		    progress->step != NULL ? progress->step : "-", progress->elapsed_s,
		    progress->request_done, progress->request_total, progress->remaining_s);
}

static void see_log(void *data, const char *source, const char *level, const char *text)
{
	pl_buf_addf(data, "log %s %s '%s'; ", source, level != NULL ? level : "-", text);
}

static struct library_stream stream_into(struct pl_buf *seen)
{
	return (struct library_stream){
		.callbacks = { .phase = see_phase,
			       .phase_data = seen,
			       .progress = see_progress,
			       .progress_data = seen,
			       .log = see_log,
			       .log_data = seen },
	};
}

#define HEAD "{\"stream\":{\"version\":1}}\n"

static void assert_seen(const char *text, size_t step, const char *expected)
{
	auto_buf seen = PL_BUF(SEEN_BYTES_MAX);
	struct library_stream stream = stream_into(&seen);
	size_t len = strlen(text);

	for (size_t at = 0; at < len; at += step)
		library_stream_feed(&stream, text + at, len - at < step ? len - at : step);
	library_stream_end(&stream);
	library_stream_done(&stream);
	assert_string_equal(pl_buf_text(&seen), expected);
}

static void test_library_stream__a_line_of_other_bytes_becomes_text(void **state)
{
	(void)state;
	assert_seen(HEAD "profllm: error: a\xff"
			 "b\n",
		    5,
		    "log profllm error 'a\xef\xbf\xbd"
		    "b'; ");
}

static void test_library_stream__calls_back_for_each_line(void **state)
{
	static const char text[] = HEAD
		"{\"phase\":\"measuring\"}\n"
		"{\"snapshot\":{\"elapsed_s\":1.5,\"phase\":{\"name\":\"measuring\",\"step\":null},"
		"\"requests\":{\"done\":3,\"total\":null,\"remaining_s\":2},"
		"\"log\":[{\"line\":1,\"severity\":\"INFO\",\"text\":\"a\"},"
		"{\"line\":2,\"severity\":null,\"text\":\"b\"}]}}\n"
		"{\"snapshot\":{\"log\":[{\"line\":2,\"severity\":null,\"text\":\"b\"},"
		"{\"line\":4,\"severity\":\"ERROR\",\"text\":\"c\"}]}}\n"
		"{\"level\":\"warning\",\"message\":\"w\"}\n";
	static const char expected[] = "phase measuring; log server info 'a'; log server - 'b'; "
				       "progress measuring - 1.5 3 -1 2; log server error 'c'; "
				       "progress - - -1 -1 -1 -1; log profllm warning 'w'; ";

	(void)state;
	for (size_t step = 1; step < 100; step += 7)
		assert_seen(text, step, expected);
	assert_seen(text, sizeof(text), expected);
}

static void test_library_stream__takes_other_lines_as_messages(void **state)
{
	(void)state;
	assert_seen("profllm: error: unknown option '--progress'\n\nwarning: w\n{\"a\":\nlast", 5,
		    "log profllm error 'unknown option '--progress''; log profllm warning 'w'; "
		    "log profllm - '{\"a\":'; log profllm - 'last'; ");
	/* members of other types, and an object of a later version */
	assert_seen(HEAD
		    "{\"phase\":1,\"snapshot\":[],\"end\":null,\"message\":2}\n{\"later\":{}}\n",
		    9, "");
}

static void test_library_stream__ignores_another_version(void **state)
{
	auto_buf seen = PL_BUF(SEEN_BYTES_MAX);
	struct library_stream stream = stream_into(&seen);
	static const char text[] =
		"{\"stream\":{\"version\":2}}\n{\"phase\":\"measuring\"}\n{\"end\":{}}\n";

	(void)state;
	library_stream_feed(&stream, text, strlen(text));
	assert_string_equal(pl_buf_text(&seen), "");
	assert_null(stream.end);
	assert_string_equal(stream.last_error,
			    "the progress of the program has version 2, this library reads "
			    "version 1; install the same version of both");
	library_stream_done(&stream);
}

static void test_library_stream__leaves_out_a_line_that_is_too_long(void **state)
{
	auto_buf seen = PL_BUF(SEEN_BYTES_MAX);
	struct library_stream stream = stream_into(&seen);
	size_t len = LIBRARY_LINE_BYTES_MAX / 8;
	auto_free char *part = pl_alloc(len + 1);

	(void)state;
	memset(part, 'x', len);
	for (int i = 0; i < 20; i++)
		library_stream_feed(&stream, part, len);
	assert_true(stream.line.len <= LIBRARY_LINE_BYTES_MAX);
	library_stream_feed(&stream, "\nnext\n", 6);
	assert_string_equal(pl_buf_text(&seen),
			    "log profllm warning 'left out a line that is too long'; "
			    "log profllm - 'next'; ");
	library_stream_done(&stream);
}

static void test_library_stream__keeps_the_end_and_the_problems(void **state)
{
	struct library_stream stream = { 0 };
	static const char text[] = HEAD "{\"level\":\"error\",\"message\":\"m\",\"problem\":{"
					"\"severity\":\"error\",\"key\":\"k\"}}\n"
					"{\"end\":{\"exit_status\":2}}\n";

	(void)state;
	library_stream_feed(&stream, text, strlen(text));
	assert_int_equal(pl_json_get_i64(stream.end, "exit_status"), 2);
	assert_int_equal(json_array_size(stream.problems), 1);
	assert_string_equal(stream.last_error, "m");
	library_stream_done(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library_stream__a_line_of_other_bytes_becomes_text),
		cmocka_unit_test(test_library_stream__calls_back_for_each_line),
		cmocka_unit_test(test_library_stream__takes_other_lines_as_messages),
		cmocka_unit_test(test_library_stream__ignores_another_version),
		cmocka_unit_test(test_library_stream__leaves_out_a_line_that_is_too_long),
		cmocka_unit_test(test_library_stream__keeps_the_end_and_the_problems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
