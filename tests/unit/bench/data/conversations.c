#include "bench/data/conversations.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"

/* JSON with the other quotes: `text` as one line "prompt>completion|prompt>completion". */
static char *pairs_of(const char *text, struct bench_entries *entries)
{
	auto_free char *json = pl_text_replace(text, "'", "\"");
	struct pl_err err = PL_ERR_INIT;
	auto_buf line = PL_BUF(1 << 16);

	if (bench_conversations_parse("x.json", json, strlen(json), entries, &err) < 0)
		return pl_strdup(err.text);
	for (size_t i = 0; i < entries->count; i++)
		pl_buf_addf(&line, "%s%s>%s", i > 0 ? "|" : "", entries->items[i].prompt,
			    entries->items[i].completion);
	return pl_strdup(pl_buf_text(&line));
}

struct form {
	const char *text, *pairs;
	size_t mended, first, media;
};

static const struct form forms[] = {
	{ "[{'id':'1','conversations':[{'from':'human','value':'a'},{'from':'gpt','value':'b'}]}]",
	  "a>b", 0, 0, 0 },
	/* one per line, with a byte order mark, blank lines and CRLF */
	{ "\xef\xbb\xbf{'conversations':[{'value':'a'},{'value':'b'}]}\r\n\n"
	  "{'conversations':[{'value':'c'},{'value':'d'},{'value':'e'}]}\r\n",
	  "a>b|c>d", 0, 0, 0 },
	{ "\xef\xbb\xbf [ {'conversations':[{'value':'a'},{'value':'b'}]} ] \n", "a>b", 0, 0, 0 },
	/* over several lines each */
	{ "{\n 'conversations': [\n {'value':'a'},\n {'value':'b'}]}\n{\n 'messages': []}\n", "a>b",
	  0, 0, 0 },
	{ "[{'messages':[{'role':'user','content':'a'},{'role':'assistant','content':'b'}]}]",
	  "a>b", 0, 0, 0 },
	{ "[{'messages':[{'role':'system','content':'s'},{'role':'user','content':'a'},"
	  "{'role':'assistant','content':'b'}]}]",
	  "a>b", 0, 0, 0 },
	/* vLLM takes a system turn of ShareGPT's form as the prompt */
	{ "[{'conversations':[{'from':'system','value':'s'},{'from':'human','value':'a'}]}]", "s>a",
	  0, 0, 0 },
	{ "[{'conversations':[{'role':'user','content':'a'},{'from':'gpt','value':'b'}]}]", "a>b",
	  0, 0, 0 },
	{ "[{'conversation':[{'role':'user','text':'a'},{'role':'assistant','text':'b'}]}]", "a>b",
	  0, 0, 0 },
	{ "[{'items':[{'from':'human','value':'a'},{'from':'gpt','value':'b'}]}]", "a>b", 0, 0, 0 },
	{ "[{'messages':[{'role':'user','content':[{'type':'text','text':'a'},{'type':'image_url',"
	  "'image_url':{}},{'type':'text','text':'c'}]},{'role':'assistant','content':'b'}]}]",
	  "ac>b", 0, 0, 1 },
	{ "[{'image':'i.png','conversations':[{'value':'a'},{'value':'b'}]}]", "a>b", 0, 0, 1 },
	/* the keys in another order, of other types, and values that are none */
	{ "[{'conversations':[{'value':'a','n':[1,{}],'from':3},{'x':null,'value':'b'}],'z':{}}]",
	  "a>b", 0, 0, 0 },
	{ "[1, null, 'x', [], {}, {'conversations':3}, {'conversations':[]},"
	  "{'conversations':[{'value':'only'}]},{'conversations':[{'value':'a'},{'value':'b'}]}]",
	  "a>b", 0, 0, 0 },
	/* half a pair, alone and next to a complete one */
	{ "[{'conversations':[{'value':'x\\ud83d'},{'value':'b'}]},"
	  "{'conversations':[{'value':'\\ud83d\\ude00'},{'value':'\\udc00y\\ud800\\u0041'}]}]",
	  "x\xef\xbf\xbd>b|\xf0\x9f\x98\x80>\xef\xbf\xbdy\xef\xbf\xbd"
	  "A",
	  2, 1, 0 },
	{ "[{'conversations':[{'value':'a'},{'value':'b'}]},"
	  "{'score':NaN,'conversations':[{'value':'NaN'},{'value':'-Infinity'}],'w':-Infinity}]",
	  "a>b|NaN>-Infinity", 1, 2, 0 },
	{ "{'messages':[{'role':'user','content':'a','logprob':-Infinity},{'content':'b'}]}\n"
	  "{'messages':[{'content':'c'},{'content':'d'}]}",
	  "a>b|c>d", 1, 1, 0 },
	/* bytes that are not UTF-8, and half a pair encoded alone */
	{ "[{'conversations':[{'value':'x\xff'},{'value':'y\xed\xa0\xbd'}]},{'conversations':"
	  "[{'value':'c'},{'value':'d'}]}]",
	  "x\xef\xbf\xbd>y\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|c>d", 1, 1, 0 },
	/* U+0000 as tokenizers have it (pl_json_to_ctext()), and escapes */
	{ "[{'conversations':[{'value':'a\\u0000b'},{'value':'\\n\\u00e9\\/'}]}]",
	  "a\xc0\x80"
	  "b>\n\xc3\xa9/",
	  0, 0, 0 },
};

static void test_bench_data_conversations__forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(forms); i++) {
		auto_entries entries = { 0 };
		auto_free char *pairs = pairs_of(forms[i].text, &entries);
		if (strcmp(pairs, forms[i].pairs) != 0)
			fail_msg("%zu: found '%s', expected '%s'", i, pairs, forms[i].pairs);
		if (entries.mended != forms[i].mended || entries.first_mended != forms[i].first ||
		    entries.with_media != forms[i].media)
			fail_msg("%zu: repaired %zu from %zu, media %zu", i, entries.mended,
				 entries.first_mended, entries.with_media);
	}
}

/* Whatever a text is cut to, it is read as less, or refused at a place. */
static void test_bench_data_conversations__cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(forms); i++) {
		for (size_t len = 0; len < strlen(forms[i].text); len++) {
			auto_entries entries = { 0 };
			auto_free char *cut = pl_strndup(forms[i].text, len);
			auto_free char *pairs = pairs_of(cut, &entries);
			assert_true(entries.count <= 2 || pl_text_starts(pairs, "x.json:"));
		}
	}
}

static int temporary(void)
{
	char path[] = "/tmp/conversations.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* Reading in parts, in windows of many sizes, gives the same as the whole text. */
static void test_bench_data_conversations__windows(void **state)
{
	static const size_t lengths[] = { 3, 70000, 1 << 20, 9 << 20, 0, 4 << 20 };
	auto_buf text = PL_BUF(SIZE_MAX / 2);
	auto_entries whole = { 0 }, parts = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	pl_buf_add_text(&text, "[");
	for (size_t i = 0; i < 12; i++) {
		pl_buf_addf(&text, "%s\n{\"n\": %s, \"conversations\": [{\"value\": \"%zu ",
			    i > 0 ? "," : "", i == 7 ? "NaN" : "0", i);
		for (size_t k = 0; k < lengths[i % PL_ARRAY_SIZE(lengths)]; k += 8)
			pl_buf_add_text(&text, "\\u00e9 \\\"");
		pl_buf_addf(&text, "\"}, {\"value\": \"answer %zu\"}]}", i);
	}
	pl_buf_add_text(&text, "\n]\n");
	auto_fd int fd = temporary();
	assert_int_equal(pl_fd_write(fd, text.data, text.len), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(bench_conversations_read("x.json", fd, &parts, &err), 0);
	assert_int_equal(bench_conversations_parse("x.json", text.data, text.len, &whole, &err), 0);
	assert_int_equal(whole.count, 12);
	assert_int_equal(parts.count, 12);
	assert_int_equal(parts.mended, 1);
	assert_int_equal(parts.first_mended, 8);
	for (size_t i = 0; i < 12; i++) {
		assert_string_equal(parts.items[i].prompt, whole.items[i].prompt);
		assert_string_equal(parts.items[i].completion, whole.items[i].completion);
	}
}

/* The place of a fault is one of the file, also after the first window. */
static void test_bench_data_conversations__place_of_a_fault(void **state)
{
	auto_buf text = PL_BUF(SIZE_MAX / 2);
	auto_entries entries = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		pl_buf_add_text(&text, "{\"messages\": [{\"content\": \"");
		for (size_t k = 0; k < 1 << 20; k++)
			pl_buf_add_char(&text, 'x');
		pl_buf_add_text(&text, "\"}]}\n");
	}
	pl_buf_add_text(&text, "{\"a\": 1} {\"b\": }\n");
	auto_fd int fd = temporary();
	assert_int_equal(pl_fd_write(fd, text.data, text.len), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(bench_conversations_read("x.json", fd, &entries, &err), -1);
	assert_string_equal(err.text, "x.json:7:16: not valid JSON");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bench_data_conversations__forms),
		cmocka_unit_test(test_bench_data_conversations__cut),
		cmocka_unit_test(test_bench_data_conversations__windows),
		cmocka_unit_test(test_bench_data_conversations__place_of_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
