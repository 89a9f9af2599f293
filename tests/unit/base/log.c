#include "base/log.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "scratch.h"

struct capture {
	int retained;
	char path[400];
};

static void capture_start(struct capture *capture, struct scratch *scratch)
{
	snprintf(capture->path, sizeof(capture->path), "%s", scratch_path(scratch, "log"));
	fflush(stderr);
	capture->retained = dup(STDERR_FILENO);
	int fd = open(capture->path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static char *capture_end(struct capture *capture)
{
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL;

	dup2(capture->retained, STDERR_FILENO);
	close(capture->retained);
	assert_int_equal(pl_file_read(capture->path, 100000, &text, NULL, &err), 0);
	return text;
}

static void test_base_log__lines_and_levels(void **state)
{
	struct scratch *scratch = *state;
	struct capture capture;

	setenv("PROFLLM_LOG", "warning", 1);
	pl_log_init("prog");
	capture_start(&capture, scratch);
	pl_log(PL_LOG_ERROR, "one %d", 1);
	pl_log(PL_LOG_WARNING, "two");
	pl_log(PL_LOG_INFO, "three");
	setenv("PROFLLM_LOG", "debug", 1);
	pl_log_init("prog");
	pl_log(PL_LOG_INFO, "four");
	pl_log(PL_LOG_DEBUG, "five");
	auto_free char *text = capture_end(&capture);
	assert_string_equal(text, "prog: error: one 1\nprog: warning: two\nprog: four\n"
				  "prog: debug: five\n");
}

static void test_base_log__a_long_line_is_cut_but_ended(void **state)
{
	struct scratch *scratch = *state;
	struct capture capture;
	char text[10000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	setenv("PROFLLM_LOG", "info", 1);
	pl_log_init("prog");
	capture_start(&capture, scratch);
	pl_log(PL_LOG_INFO, "%s", text);
	auto_free char *line = capture_end(&capture);
	size_t len = strlen(line);
	assert_true(len > 3000 && len < 5000);
	assert_int_equal(line[len - 1], '\n');
	assert_ptr_equal(strchr(line, '\n'), line + len - 1);
}

static void test_base_log__a_file_has_no_color(void **state)
{
	struct scratch *scratch = *state;
	int fd = open(scratch_path(scratch, "x"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_false(pl_log_has_color(fd));
	close(fd);
}

static void test_base_log__a_terminal_has_color_by_default(void **state)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	(void)state;
	if (fd < 0)
		skip();
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_true(pl_log_has_color(fd));
	setenv("NO_COLOR", "", 1);
	assert_true(pl_log_has_color(fd));
	setenv("NO_COLOR", "1", 1);
	assert_false(pl_log_has_color(fd));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_false(pl_log_has_color(fd));
	unsetenv("TERM");
	assert_false(pl_log_has_color(fd));
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		scratch_test(test_base_log__lines_and_levels),
		scratch_test(test_base_log__a_long_line_is_cut_but_ended),
		scratch_test(test_base_log__a_file_has_no_color),
		cmocka_unit_test(test_base_log__a_terminal_has_color_by_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
