#include "base/clean.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *text, *line, *html;
} cases[] = {
	{ "", "", "" },
	{ "plain", "plain", "plain" },
	{ "two\nlines\tand\x7f more\r", "two lines and  more ", "two lines and  more " },
	{ "\xc3\xa4\xe2\x89\xa4\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x89\xa4\xf0\x9f\x98\x80",
	  "\xc3\xa4\xe2\x89\xa4\xf0\x9f\x98\x80" },
	{ "bad \xff\xc3( \xed\xa0\x80",
	  "bad \xef\xbf\xbd\xef\xbf\xbd( \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
	  "bad \xef\xbf\xbd\xef\xbf\xbd( \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "</script><b a=\"x\" b='y'>&amp;", "</script><b a=\"x\" b='y'>&amp;",
	  "&lt;/script&gt;&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;" },
	/* U+202E, U+2066, U+061C and U+200F; U+200D and U+2065 have no direction */
	{ "a\xe2\x80\xaetxt.\xe2\x81\xa6"
	  "b\xd8\x9c\xe2\x80\x8f",
	  "a\xef\xbf\xbdtxt.\xef\xbf\xbd"
	  "b\xef\xbf\xbd\xef\xbf\xbd",
	  "a\xef\xbf\xbdtxt.\xef\xbf\xbd"
	  "b\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\xe2\x80\x8d\xe2\x81\xa5\xd8\xa7", "\xe2\x80\x8d\xe2\x81\xa5\xd8\xa7",
	  "\xe2\x80\x8d\xe2\x81\xa5\xd8\xa7" },
	{ "\"back\\slash\"", "\"back\\slash\"", "&quot;back\\slash&quot;" },
};

static void test_base_clean__line_and_html(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *line = pl_clean_shown(cases[i].text);
		auto_buf html = { 0 };
		pl_buf_init(&html, 1000);
		assert_string_equal(line, cases[i].line);
		assert_true(pl_clean_html(&html, cases[i].text));
		assert_string_equal(pl_buf_text(&html), cases[i].html);
	}
}

/* Names in documents keep their characters. */
static void test_base_clean__line_keeps_directions(void **state)
{
	auto_free char *line = pl_clean_line("\xe2\x80\xaetxt\n");

	(void)state;
	assert_string_equal(line, "\xe2\x80\xaetxt ");
}

static void test_base_clean__ceiling(void **state)
{
	auto_buf html = { 0 };

	(void)state;
	pl_buf_init(&html, 6);
	assert_false(pl_clean_html(&html, "a<<"));
	assert_true(html.len <= 6);
}

/* Whatever the bytes, it ends and keeps what is ASCII. */
static void test_base_clean__any_bytes(void **state)
{
	char text[40];

	(void)state;
	srand(3);
	for (int round = 0; round < 3000; round++) {
		size_t len = (size_t)(rand() % 39), ascii = 0, retained = 0;
		for (size_t i = 0; i < len; i++)
			text[i] = (char)(1 + rand() % 255);
		text[len] = '\0';
		auto_free char *line = pl_clean_line(text);
		for (size_t i = 0; i < len; i++)
			ascii += (unsigned char)text[i] < 0x80;
		for (size_t i = 0; line[i] != '\0'; i++)
			retained += (unsigned char)line[i] < 0x80;
		assert_int_equal(retained, ascii);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_clean__line_and_html),
		cmocka_unit_test(test_base_clean__line_keeps_directions),
		cmocka_unit_test(test_base_clean__ceiling),
		cmocka_unit_test(test_base_clean__any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
