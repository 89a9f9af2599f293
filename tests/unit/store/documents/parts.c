#include "store/documents/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/zst.h"

static const struct {
	const char *name, *text;
	const char *parts; /* "name=bytes@line" with '|' between */
} rows[] = {
	{ "r.json", "{}", "r.json={}@1" },
	{ "r.json", "\xef\xbb\xbf \n {\"a\":\n1}\n\n", "r.json={\"a\":\n1}@2" },
	{ "r.json", "{\"a\": 1}\n{\"b\": 2}\n", "r.json:1={\"a\": 1}@1|r.json:2={\"b\": 2}@2" },
	{ "r.json", "{\"a\": 1} x\n{\"b\": 2}\n", "r.json={\"a\": 1} x\n{\"b\": 2}@1" },
	{ "r.json", "{\"a\": \"}{\"}\n", "r.json={\"a\": \"}{\"}@1" },
	{ "r.json", "{\n}\n{\n}", "r.json={\n}\n{\n}@1" },
	{ "r.jsonl", "{\"a\"\n\n  {\"b\": 2} \r\nx",
	  "r.jsonl:1={\"a\"@1|r.jsonl:3={\"b\": 2}@3|r.jsonl:4=x@4" },
	{ "r.ndjson.zst", "{}\n", "r.ndjson.zst:1={}@1" },
	{ "r.json", "[{\"a\": [1, 2]},\n {\"b\": \"],\\\"\"}, 3\n]",
	  "r.json[0]={\"a\": [1, 2]}@1|r.json[1]={\"b\": \"],\\\"\"}@2|r.json[2]=3@2" },
	{ "r.json", " [ ] ", "" },
	{ "r.json", "[{},,{}]", "r.json[0]={}@1|r.json[1]=@1|r.json[2]={}@1" },
	{ "r.json", "5", "r.json=5@1" },
};

static void write_parts(const struct store_parts *parts, struct pl_buf *buf)
{
	for (size_t i = 0; i < parts->count; i++) {
		const struct store_part *part = &parts->items[i];
		pl_buf_addf(buf, "%s%s=%.*s@%d", i > 0 ? "|" : "", part->name, (int)part->len,
			    part->bytes, part->line);
	}
}

static void test_store_documents_parts__slices(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].text), packed_len;
		auto_free char *packed = pl_zst_pack(rows[i].text, len, &packed_len);
		const struct {
			const char *bytes;
			size_t len;
		} both[] = { { rows[i].text, len }, { packed, packed_len } };
		for (size_t k = 0; k < 2; k++) {
			auto_store_parts parts = { 0 };
			auto_buf reported = PL_BUF(4096);
			struct pl_err err = PL_ERR_INIT;
			if (store_parts_of(both[k].bytes, both[k].len, rows[i].name, &parts, &err) <
			    0)
				fail_msg("%s: %s", rows[i].text, err.text);
			write_parts(&parts, &reported);
			assert_string_equal(pl_buf_text(&reported), rows[i].parts);
		}
	}
}

/* The time must grow with the bytes, although all parts are on one line. */
static void test_store_documents_parts__many_on_one_line(void **state)
{
	const size_t count = 20000, bytes = 1000;
	auto_buf text = PL_BUF(32u << 20);
	auto_store_parts parts = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	pl_buf_add_text(&text, "\n[");
	for (size_t i = 0; i < count; i++)
		pl_buf_addf(&text, "%s{\"a\": \"%0*zu\"}", i > 0 ? "," : "", (int)bytes, i);
	pl_buf_add_text(&text, "]");
	clock_t begun = clock();
	assert_int_equal(store_parts_of(pl_buf_text(&text), text.len, "r.json", &parts, &err), 0);
	assert_int_equal(parts.count, count);
	assert_int_equal(parts.items[count - 1].line, 2);
	/* 0.1 s, also under a sanitizer; counting the lines of each part from the first byte takes 20 s */
	assert_true(clock() - begun < 4 * CLOCKS_PER_SEC);
}

static void test_store_documents_parts__what_cannot_be_cut(void **state)
{
	static const struct {
		const char *text, *says;
	} broken[] = {
		{ "", "'r.json' is empty" },
		{ " \n\t", "'r.json' is empty" },
		{ "[{}, {}", "'r.json' is incomplete: its array is not closed" },
		{ "[{}, {}] x", "'r.json': unexpected data after the end of the array" },
		{ "[]\n[]", "'r.json': unexpected data after the end of the array" },
		{ "\x28\xb5\x2f\xfdxx", "'r.json' is incomplete: its end is missing" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(broken); i++) {
		auto_store_parts parts = { 0 };
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(store_parts_of(broken[i].text, strlen(broken[i].text), "r.json",
						&parts, &err),
				 -1);
		if (strstr(err.text, broken[i].says) == NULL)
			fail_msg("%s: %s", broken[i].text, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_documents_parts__slices),
		cmocka_unit_test(test_store_documents_parts__many_on_one_line),
		cmocka_unit_test(test_store_documents_parts__what_cannot_be_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
