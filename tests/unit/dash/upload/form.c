#include "dash/upload/form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MEDIA           "multipart/form-data; boundary=B"
#define FILE_HEAD(name) "--B\r\nContent-Disposition: form-data; name=f; filename=" name "\r\n\r\n"

static void test_dash_upload_form__files(void **state)
{
	(void)state;
	static const char body[] = "a preamble\r\n" FILE_HEAD(
		"a") "one\r\n--\r\n\r\n--Bno\r\n"
		     "--B \t\r\nX: y\r\nContent-Disposition: form-data; "
		     "name=\"f\"\r\n\r\nfield\r\n" FILE_HEAD("\"\"") "\r\n" FILE_HEAD(
			     "\"e\"") "\r\n--B--\r\nan epilogue";
	struct dash_form form;
	struct pl_err err = PL_ERR_INIT;

	/* "--Bno" begins as the boundary does, and no encoder would choose one that is in the bytes */
	assert_int_equal(dash_form_read(MEDIA, body, sizeof(body) - 1, &form, &err), -1);
	assert_non_null(strstr(err.text, "the end of the line after the boundary"));

	static const char good[] = "a preamble\r\n" FILE_HEAD(
		"a") "one\r\n--\r\n\r\n--b\r\n"
		     "--B \t\r\nX: y\r\nContent-Disposition: form-data; "
		     "name=\"f\"\r\n\r\nfield\r\n" FILE_HEAD("\"\"") "\r\n" FILE_HEAD(
			     "\"e\"") "\r\n--B--\r\nan epilogue";
	assert_int_equal(dash_form_read(MEDIA, good, sizeof(good) - 1, &form, &err), 0);
	assert_int_equal(form.count, 2);
	assert_string_equal(form.files[0].name, "a");
	assert_int_equal(form.files[0].len, strlen("one\r\n--\r\n\r\n--b"));
	assert_memory_equal(form.files[0].bytes, "one\r\n--\r\n\r\n--b", form.files[0].len);
	assert_string_equal(form.files[1].name, "e");
	assert_int_equal(form.files[1].len, 0);
	dash_form_done(&form);
}

static void test_dash_upload_form__the_end_alone(void **state)
{
	(void)state;
	struct dash_form form;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(dash_form_read(MEDIA, "--B--", 5, &form, &err), 0);
	assert_int_equal(form.count, 0);
	dash_form_done(&form);
}

static void test_dash_upload_form__names(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "filename=a", "a" },
		{ "filename=\"a b\"; x=y", "a b" },
		{ "FileName = \"no\"; filename=yes", "yes" },
		{ "filename=\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d" },
		{ "filename=\"a;b\"", "a;b" },
		{ "filename=\"open", "open" },
		{ "filename=x; filename*=UTF-8'en'%e2%82%ac%20rates", "\xe2\x82\xac rates" },
		{ "filename=x; filename*=ISO-8859-1''%a3", "x" },
		{ "filename*=utf-8''%00%zz%", "%00%zz%" },
		{ "filename=\"\xff\t\"", "\xef\xbf\xbd " },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct dash_form form;
		struct pl_err err = PL_ERR_INIT;
		auto_free char *body = pl_asprintf("--B\r\nContent-Disposition: form-data; name=f; "
						   "%s\r\n\r\nx\r\n--B--",
						   cases[i][0]);
		assert_int_equal(dash_form_read(MEDIA, body, strlen(body), &form, &err), 0);
		assert_int_equal(form.count, 1);
		assert_string_equal(form.files[0].name, cases[i][1]);
		dash_form_done(&form);
	}
}

/* A part may name only an encoding that leaves its bytes as they are. */
static void test_dash_upload_form__encodings(void **state)
{
	(void)state;
	static const struct {
		const char *encoding;
		bool taken;
	} cases[] = {
		{ "binary", true },
		{ "8bit", true },
		{ "7BIT", true },
		{ "Binary", true },
		{ "quoted-printable", false },
		{ "base64", false },
		{ "9bit", false },
		{ "bin", false },
		{ "", false },
		{ "x-7bit", false },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct dash_form form;
		struct pl_err err = PL_ERR_INIT;
		auto_free char *body = pl_asprintf("--B\r\nContent-Disposition: form-data; name=f; "
						   "filename=a\r\nContent-Transfer-Encoding: "
						   "%s\r\n\r\nx\r\n--B--",
						   cases[i].encoding);
		bool taken = dash_form_read(MEDIA, body, strlen(body), &form, &err) == 0;
		if (taken != cases[i].taken)
			fail_msg("'%s': %s", cases[i].encoding, taken ? "taken" : err.text);
		if (!taken) {
			assert_non_null(strstr(err.text, "no Content-Transfer-Encoding"));
			continue;
		}
		assert_int_equal(form.count, 1);
		assert_memory_equal(form.files[0].bytes, "x", form.files[0].len);
		dash_form_done(&form);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_upload_form__encodings),
		cmocka_unit_test(test_dash_upload_form__files),
		cmocka_unit_test(test_dash_upload_form__the_end_alone),
		cmocka_unit_test(test_dash_upload_form__names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
