#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_base_err__rows(void **state)
{
	static const struct {
		enum pl_err_code code;
		const char *name;
		int exit_status;
	} rows[] = {
		{ PL_ERR_NONE, "NONE", 0 },
		{ PL_ERR_FAILED, "FAILED", 1 },
		{ PL_ERR_INVALID, "INVALID", 2 },
		{ PL_ERR_IO, "IO", 2 },
		{ PL_ERR_NOT_FOUND, "NOT_FOUND", 2 },
		{ PL_ERR_LAUNCH, "LAUNCH", 3 },
		{ PL_ERR_TIMEOUT, "TIMEOUT", 4 },
		{ PL_ERR_BUSY, "BUSY", 5 },
		{ PL_ERR_VERDICT, "VERDICT", 6 },
		{ PL_ERR_REGRESSION, "REGRESSION", 7 },
		{ PL_ERR_INTERRUPTED, "INTERRUPTED", 130 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		assert_string_equal(pl_err_name(rows[i].code), rows[i].name);
		assert_int_equal(pl_err_exit_status(rows[i].code), rows[i].exit_status);
	}
}

static void test_base_err__set_is_one_line(void **state)
{
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(err.code, PL_ERR_NONE);
	assert_int_equal(pl_err_set(&err, PL_ERR_INVALID, "key '%s'", "a\nb\r\nc"), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_string_equal(err.text, "key 'a b  c'");
}

static void test_base_err__errno(void **state)
{
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	errno = ENOENT;
	assert_int_equal(pl_err_errno(&err, "cannot open '%s'", "x"), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_string_equal(err.text, "cannot open 'x': No such file or directory");
}

static void test_base_err__wrap_keeps_the_code(void **state)
{
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	pl_err_set(&err, PL_ERR_BUSY, "port taken");
	assert_int_equal(pl_err_wrap(&err, "server '%d'", 1), -1);
	assert_int_equal(pl_err_wrap(&err, "run"), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	assert_string_equal(err.text, "run: server '1': port taken");
}

static void test_base_err__long_texts_are_cut(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	char text[5000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	pl_err_set(&err, PL_ERR_IO, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	pl_err_wrap(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	errno = EIO;
	pl_err_errno(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_err__rows),
		cmocka_unit_test(test_base_err__set_is_one_line),
		cmocka_unit_test(test_base_err__errno),
		cmocka_unit_test(test_base_err__wrap_keeps_the_code),
		cmocka_unit_test(test_base_err__long_texts_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
