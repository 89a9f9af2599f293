#include "dash/log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/gz.h"
#include "base/json.h"
#include "base/zst.h"
#include "mirror/cancel_token.h"

static struct dash_log_index lines;
static struct dash_log_matches matches;

static struct dash_log *open_indexed(const char *text, size_t len, const char *cause)
{
	struct dash_log *log = dash_log_open_text(text, len);

	assert_int_equal(dash_log_index_make(log, cause, &lines, PL_ERR_IGNORED), 0);
	return log;
}

/* A file without a name, with these bytes. */
static int file_of(const void *bytes, size_t len)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fflush(file), 0);
	int fd = dup(fileno(file));
	fclose(file);
	return fd;
}

static json_t *rows_of(struct dash_log *log, int64_t first, int64_t last)
{
	struct dash_log_wanted wanted[64];
	json_t *rows = NULL;
	size_t count = 0;

	for (int64_t line = first; line <= last; line++)
		wanted[count++] = (struct dash_log_wanted){ .line = line };
	assert_int_equal(dash_log_rows(log, &lines, wanted, count, &rows, PL_ERR_IGNORED), 0);
	return rows;
}

static const char *text_of(const json_t *rows, size_t i)
{
	return pl_json_get_text(json_array_get(rows, i), "text");
}

static void lines_and_ends(void **state)
{
	static const struct {
		const char *text;
		int64_t lines;
		const char *last;
	} cases[] = {
		{ "", 0, NULL },     { "a", 1, "a" },        { "a\n", 1, "a" },
		{ "\n", 1, "" },     { "\n\n", 2, "" },      { "a\nb", 2, "b" },
		{ "a\r\n", 1, "a" }, { "a\r", 1, "a\r" },    { "a\r\nb\r\n", 2, "b" },
		{ "\r\n", 1, "" },   { "a\n\nb\n", 3, "b" }, { "a\rb\n", 1, "a\rb" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_dash_log struct dash_log *log = open_indexed(cases[i].text,
								  strlen(cases[i].text), NULL);
		assert_int_equal(lines.lines, cases[i].lines);
		assert_int_equal(lines.bytes, strlen(cases[i].text));
		assert_int_equal(lines.cause, 0);
		auto_json json_t *rows = rows_of(log, 1, lines.lines);
		assert_int_equal(json_array_size(rows), cases[i].lines);
		if (cases[i].last != NULL)
			assert_string_equal(text_of(rows, json_array_size(rows) - 1),
					    cases[i].last);
	}
}

/* Any bytes are text: the response has valid UTF-8, and a NUL is not the end. */
static void bytes_are_text(void **state)
{
	static const char bytes[] = "a\0b\xff\xfe \x1b[31m<b>\n\xe2\x82";
	auto_dash_log struct dash_log *log = open_indexed(bytes, sizeof(bytes) - 1, NULL);
	auto_json json_t *rows = rows_of(log, 1, 2);
	const json_t *text = json_object_get(json_array_get(rows, 0), "text");

	(void)state;
	static const char expected[] = "a\0b\xef\xbf\xbd\xef\xbf\xbd \x1b[31m<b>";
	assert_int_equal(json_string_length(text), sizeof(expected) - 1);
	assert_memory_equal(json_string_value(text), expected, sizeof(expected));
	assert_true(strncmp(text_of(rows, 1), "\xef\xbf\xbd", 3) == 0);
}

static void a_long_line_is_cut(void **state)
{
	enum { LEN = 3 << 20 };
	auto_free char *text = pl_alloc(LEN + 8);
	auto_json json_t *rows = NULL;

	(void)state;
	memset(text, 'x', LEN);
	memcpy(text + LEN - 4, "Hit!\nend", 8);
	auto_dash_log struct dash_log *log = open_indexed(text, LEN + 4, "hit");
	assert_int_equal(lines.lines, 2);
	assert_int_equal(lines.cause, 0);
	assert_int_equal(dash_log_search(log, &lines, "hIT", 1, 1, &matches, PL_ERR_IGNORED), 0);
	assert_int_equal(matches.count, 1);
	assert_int_equal(matches.items[0].line, 1);
	assert_int_equal(matches.items[0].from, LEN - 4);
	assert_int_equal(dash_log_rows(log, &lines, matches.items, 1, &rows, PL_ERR_IGNORED), 0);
	const json_t *row = json_array_get(rows, 0);
	assert_int_equal(pl_json_get_i64(row, "bytes"), LEN);
	assert_int_equal(pl_json_get_i64(row, "from"), LEN - 4 - 200);
	assert_int_equal(strlen(text_of(rows, 0)), 204);
	assert_string_equal(text_of(rows, 0) + 200, "Hit!");
	auto_json json_t *whole = rows_of(log, 1, 2);
	assert_int_equal(strlen(text_of(whole, 0)), DASH_LOG_TEXT_BYTES);
	assert_string_equal(text_of(whole, 1), "end");
}

/* The cut is between two characters. */
static void a_cut_keeps_characters_whole(void **state)
{
	(void)state;
	for (size_t lead = 0; lead < 4; lead++) {
		auto_buf text = PL_BUF(1 << 20);
		for (size_t i = 0; i < lead; i++)
			pl_buf_add_char(&text, 'x');
		for (size_t i = 0; i < 1000; i++)
			pl_buf_add_text(&text, "\xf0\x9f\x94\xa5");
		auto_dash_log struct dash_log *log = open_indexed(text.data, text.len, NULL);
		auto_json json_t *rows = rows_of(log, 1, 1);
		assert_null(strstr(text_of(rows, 0), "\xef\xbf\xbd"));
		assert_int_equal(strlen(text_of(rows, 0)), lead + (2000 - lead) / 4 * 4);
	}
}

static void numbered(struct pl_buf *text, int64_t count)
{
	for (int64_t i = 1; i <= count; i++)
		pl_buf_addf(text, "line %lld of the log\n", (long long)i);
}

/* Many lines: the stride grows, and any line is found. Plain, zstd and gzip alike. */
static void any_line_is_found(void **state)
{
	enum { LINES = 700000 };
	auto_buf text = PL_BUF(64 << 20);
	size_t zst_len = 0, gz_len = 0;

	(void)state;
	numbered(&text, LINES);
	auto_free char *zst = pl_zst_pack(text.data, text.len, &zst_len);
	auto_free char *gz = pl_gz_pack(text.data, text.len, 1, &gz_len);
	const struct {
		const char *bytes;
		size_t len;
	} files[] = { { text.data, text.len }, { zst, zst_len }, { gz, gz_len } };
	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_dash_log struct dash_log *log = NULL;
		assert_int_equal(dash_log_open(file_of(files[i].bytes, files[i].len), "x.log", NULL,
					       &log, PL_ERR_IGNORED),
				 0);
		assert_int_equal(dash_log_index_make(log, " line 690123 of the log\nmore", &lines,
						     PL_ERR_IGNORED),
				 0);
		assert_int_equal(lines.lines, LINES);
		assert_int_equal(lines.bytes, text.len);
		assert_int_equal(lines.cause, 690123);
		assert_true(lines.count <= DASH_LOG_OFFSETS_MAX && lines.stride > 64);
		static const int64_t wanted[] = { 1,      63,    65, 64 * 4096, 64 * 4096 + 1,
						  555555, LINES, 2 };
		for (size_t k = 0; k < PL_ARRAY_SIZE(wanted); k++) {
			auto_json json_t *rows = rows_of(log, wanted[k], wanted[k]);
			auto_free char *expected = pl_asprintf("line %lld of the log",
							       (long long)wanted[k]);
			assert_string_equal(text_of(rows, 0), expected);
		}
		/* the matches of a plain count; each search continues the one before */
		size_t found = 0;
		for (int64_t line = 1, last = 0; line > 0; line = matches.next) {
			assert_int_equal(dash_log_search(log, &lines, "LINE 1", line, 1 << 20,
							 &matches, PL_ERR_IGNORED),
					 0);
			for (size_t k = 0; k < matches.count; k++) {
				assert_true(matches.items[k].line > last);
				last = matches.items[k].line;
			}
			found += matches.count;
			assert_true(matches.next == 0 || matches.next > line);
		}
		assert_int_equal(found, 111111);
	}
}

/* Texts at the border of two blocks are found. */
static void borders_are_searched(void **state)
{
	static const char needle[] = "Out Of Memory";

	(void)state;
	for (int shift = -20; shift <= 4; shift++) {
		auto_buf text = PL_BUF(2 << 20);
		for (int i = 0; i < (256 << 10) + shift - 1; i++)
			pl_buf_add_char(&text, i % 100 == 99 ? '\n' : '.');
		int64_t line = 1;
		for (size_t i = 0; i < text.len; i++)
			line += text.data[i] == '\n';
		pl_buf_add_text(&text, needle);
		pl_buf_add_text(&text, "\nafter\n");
		auto_dash_log struct dash_log *log = open_indexed(text.data, text.len, needle);
		assert_int_equal(lines.cause, line);
		assert_int_equal(dash_log_search(log, &lines, "out of memory", 1, INT64_MAX,
						 &matches, PL_ERR_IGNORED),
				 0);
		assert_int_equal(matches.count, 1);
		assert_int_equal(matches.items[0].line, line);
		assert_int_equal(matches.next, 0);
	}
}

/* As in filters: Unicode's simple case folding, and bytes that are not UTF-8 match nothing. */
static void letters_of_any_script_match_in_either_case(void **state)
{
	static const char text[] = "\xc3\x89t\xc3\xa9\nnothing\n\xce\xa3\xce\xaf\xcf\x82\n\xff"
				   "MI\xff\n\xe2\x84\xaa\n";
	static const struct {
		const char *needle;
		int64_t line;
	} rows[] = {
		{ "\xc3\xa9T\xc3\x89", 1 },        /* éTÉ */
		{ "\xcf\x83\xce\x8a\xce\xa3", 3 }, /* σΊΣ */
		{ "mi", 4 },
		{ "k", 5 }, /* the Kelvin sign */
		{ "NOTHING", 2 },
	};
	auto_dash_log struct dash_log *log = open_indexed(text, strlen(text), NULL);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		assert_int_equal(dash_log_search(log, &lines, rows[i].needle, 1, INT64_MAX,
						 &matches, PL_ERR_IGNORED),
				 0);
		assert_int_equal(matches.count, 1);
		assert_int_equal(matches.items[0].line, rows[i].line);
	}
}

/* A match at the border of two blocks may be longer than the text that is sought. */
static void long_matches_at_borders_are_found(void **state)
{
	(void)state;
	for (int shift = -12; shift <= 4; shift++) {
		auto_buf text = PL_BUF(2 << 20);
		for (int i = 0; i < (256 << 10) + shift - 1; i++)
			pl_buf_add_char(&text, i % 100 == 99 ? '\n' : '.');
		pl_buf_add_text(&text, "\xe2\x84\xaa\xe2\x84\xaa\xe2\x84\xaa\n");
		auto_dash_log struct dash_log *log = open_indexed(text.data, text.len, NULL);
		assert_int_equal(
			dash_log_search(log, &lines, "kKk", 1, INT64_MAX, &matches, PL_ERR_IGNORED),
			0);
		assert_int_equal(matches.count, 1);
	}
}

static void a_search_counts_lines(void **state)
{
	static const char text[] = "aa a\n\nA\nb\nxa";
	auto_dash_log struct dash_log *log = open_indexed(text, strlen(text), NULL);

	(void)state;
	assert_int_equal(dash_log_search(log, &lines, "a", 1, INT64_MAX, &matches, PL_ERR_IGNORED),
			 0);
	assert_int_equal(matches.count, 3);
	assert_int_equal(matches.items[1].line, 3);
	assert_int_equal(matches.items[2].line, 5);
	assert_int_equal(matches.items[2].from, 1);
	assert_int_equal(dash_log_search(log, &lines, "a", 2, INT64_MAX, &matches, PL_ERR_IGNORED),
			 0);
	assert_int_equal(matches.count, 2);
	assert_int_equal(dash_log_search(log, &lines, "a", 6, INT64_MAX, &matches, PL_ERR_IGNORED),
			 0);
	assert_int_equal(matches.count, 0);
}

static void a_full_list_continues(void **state)
{
	auto_buf text = PL_BUF(1 << 20);

	(void)state;
	for (size_t i = 0; i < DASH_LOG_MATCHES_MAX + 2; i++)
		pl_buf_add_text(&text, "x x\n");
	auto_dash_log struct dash_log *log = open_indexed(text.data, text.len, NULL);
	assert_int_equal(dash_log_search(log, &lines, "x", 1, INT64_MAX, &matches, PL_ERR_IGNORED),
			 0);
	assert_int_equal(matches.count, DASH_LOG_MATCHES_MAX);
	assert_int_equal(matches.next, DASH_LOG_MATCHES_MAX + 1);
	assert_int_equal(dash_log_search(log, &lines, "x", matches.next, INT64_MAX, &matches,
					 PL_ERR_IGNORED),
			 0);
	assert_int_equal(matches.count, 2);
	assert_int_equal(matches.next, 0);
}

static void damaged_files_are_refused(void **state)
{
	auto_buf text = PL_BUF(64 << 20);
	size_t zst_len = 0, gz_len = 0;

	(void)state;
	numbered(&text, 50000);
	auto_free char *zst = pl_zst_pack(text.data, text.len, &zst_len);
	auto_free char *gz = pl_gz_pack(text.data, text.len, 6, &gz_len);
	const struct {
		const char *bytes;
		size_t len;
	} files[] = { { zst, zst_len / 2 },
		      { gz, gz_len / 2 },
		      { zst, zst_len - 1 },
		      { "\x28\xb5\x2f\xfdjunk", 8 },
		      { "\x1f\x8b\x08\xffjunk junk junk", 18 } };
	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_dash_log struct dash_log *log = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(dash_log_open(file_of(files[i].bytes, files[i].len), "x.log", NULL,
					       &log, &err),
				 0);
		assert_int_equal(dash_log_index_make(log, NULL, &lines, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_non_null(strstr(err.text, "'x.log' is not"));
	}
}

static bool has_left(struct mirror_cancel_token *cancel_token)
{
	(void)cancel_token;
	return true;
}

static void a_client_that_left_ends_it(void **state)
{
	struct mirror_cancel_token token = { has_left };
	auto_dash_log struct dash_log *log = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(dash_log_open(file_of("a\n", 2), "x.log", &token, &log, &err), 0);
	assert_int_equal(dash_log_index_make(log, NULL, &lines, &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERRUPTED);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_ends),
		cmocka_unit_test(bytes_are_text),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(a_cut_keeps_characters_whole),
		cmocka_unit_test(any_line_is_found),
		cmocka_unit_test(borders_are_searched),
		cmocka_unit_test(letters_of_any_script_match_in_either_case),
		cmocka_unit_test(long_matches_at_borders_are_found),
		cmocka_unit_test(a_search_counts_lines),
		cmocka_unit_test(a_full_list_continues),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(a_client_that_left_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
