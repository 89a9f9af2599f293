/* The files of the page in the program: whole, under their paths, with or without a page built in. */
#include "dash/page_files.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_dash_page_files__an_index_exists(void **state)
{
	const struct dash_page_file *index = dash_page_find("/index.html");

	(void)state;
	assert_non_null(index);
	assert_string_equal(index->content_type, "text/html; charset=utf-8");
	assert_memory_equal(index->bytes, "<!doctype html>", 15);
	assert_false(index->is_hashed);
	assert_null(dash_page_find("/"));
	assert_null(dash_page_find("index.html"));
	assert_null(dash_page_find("/../index.html"));
}

static void test_dash_page_files__bytes_are_those_of_the_hash(void **state)
{
	const struct dash_page_file *file;
	char hex[65];

	(void)state;
	for (size_t i = 0; (file = dash_page_at(i)) != NULL; i++) {
		pl_sha256(file->bytes, file->len, hex);
		assert_string_equal(hex, file->etag);
		assert_ptr_equal(dash_page_find(file->path), file);
		assert_int_equal(file->path[0], '/');
		assert_int_equal(file->is_hashed, strncmp(file->path, "/assets/", 8) == 0);
		if (file->gzip != NULL) {
			assert_memory_equal(file->gzip, "\x1f\x8b", 2);
			assert_true(file->gzip_len < file->len);
			assert_true(file->brotli_len > 0 &&
				    file->brotli_len < file->gzip_len * 11 / 10);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_page_files__an_index_exists),
		cmocka_unit_test(test_dash_page_files__bytes_are_those_of_the_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
