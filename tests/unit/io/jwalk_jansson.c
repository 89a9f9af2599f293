#include "io/jwalk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "test_data.h"

/* Reads an exact copy, so that a sanitizer sees a read beyond its end. */
static bool accepts(const char *text, size_t len)
{
	auto_free char *copy = pl_memdup(text, len);
	enum io_jwalk_token token;
	struct io_jwalk walk;

	io_jwalk_init(&walk, copy, len);
	do
		token = io_jwalk_next(&walk);
	while (token != IO_JWALK_DONE && token != IO_JWALK_ERROR);
	return token == IO_JWALK_DONE;
}

/* The tree of the value whose first token was just read, or NULL. */
static json_t *build(struct io_jwalk *walk, enum io_jwalk_token token);

static json_t *build_text(const struct io_jwalk *walk)
{
	char *out = pl_alloc(walk->len + 1);
	size_t len = io_jwalk_decode(walk, out, walk->len + 1);

	assert_true(len <= walk->len);
	json_t *text = json_stringn(out, len);
	free(out);
	return text;
}

static json_t *build_number(const struct io_jwalk *walk)
{
	int64_t value;

	if (io_jwalk_to_i64(walk, &value))
		return json_integer(value);
	char *text = pl_strndup(walk->text, walk->len);
	json_t *real = json_real(strtod(text, NULL));
	free(text);
	return real;
}

static json_t *build_items(struct io_jwalk *walk)
{
	json_t *list = json_array();
	enum io_jwalk_token token;

	while ((token = io_jwalk_next(walk)) != IO_JWALK_END) {
		json_t *item = build(walk, token);
		if (item == NULL) {
			json_decref(list);
			return NULL;
		}
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *build_members(struct io_jwalk *walk)
{
	json_t *object = json_object();
	enum io_jwalk_token token;

	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		json_t *key = build_text(walk);
		json_t *value = build(walk, io_jwalk_next(walk));
		/* jansson's own rule: a later one of the same name replaces the earlier */
		if (value != NULL)
			json_object_set_new(object, json_string_value(key), value);
		json_decref(key);
		if (value == NULL)
			break;
	}
	if (token == IO_JWALK_END)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *build(struct io_jwalk *walk, enum io_jwalk_token token)
{
	switch (token) {
	case IO_JWALK_OBJECT:
		return build_members(walk);
	case IO_JWALK_ARRAY:
		return build_items(walk);
	case IO_JWALK_STRING:
		return build_text(walk);
	case IO_JWALK_NUMBER:
		return build_number(walk);
	case IO_JWALK_TRUE:
		return json_true();
	case IO_JWALK_FALSE:
		return json_false();
	case IO_JWALK_NULL:
		return json_null();
	default:
		return NULL;
	}
}

static uint64_t rng_state;

static unsigned below(unsigned n)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (unsigned)((rng_state >> 20) % n);
}

static const char *pick(const char *const *texts, size_t count)
{
	return texts[below((unsigned)count)];
}

static void write_space(struct pl_buf *buf)
{
	static const char *const spaces[] = { "", "", "", "", " ", "\n", "\t", "\r\n " };

	pl_buf_add_text(buf, pick(spaces, PL_ARRAY_SIZE(spaces)));
}

static void write_string(struct pl_buf *buf)
{
	static const char *const parts[] = {
		"a",
		"token",
		"\\n",
		"\\\"",
		"\\\\",
		"\\u00e9",
		"\\ud83d\\ude00",
		"\xc3\xa9",
		"\xe4\xb8\xad",
		"\xf0\x9f\x98\x80",
		"0123456789",
		" ",
		"/",
		"\\/",
		"\\u0001",
	};
	unsigned count = below(6);

	pl_buf_add_char(buf, '"');
	for (unsigned i = 0; i < count; i++)
		pl_buf_add_text(buf, pick(parts, PL_ARRAY_SIZE(parts)));
	pl_buf_add_char(buf, '"');
}

static void write_value(struct pl_buf *buf, unsigned depth)
{
	static const char *const plain[] = { "0",     "-0",   "1",     "-17",
					     "3.25",  "1e3",  "-1E-2", "true",
					     "false", "null", "0.1",   "9007199254740993" };
	unsigned kind = below(depth > 0 ? 4 : 2);
	unsigned count = below(4);

	write_space(buf);
	if (kind == 0)
		pl_buf_add_text(buf, pick(plain, PL_ARRAY_SIZE(plain)));
	else if (kind == 1)
		write_string(buf);
	if (kind < 2)
		return;
	pl_buf_add_char(buf, kind == 2 ? '[' : '{');
	for (unsigned i = 0; i < count; i++) {
		if (i > 0)
			pl_buf_add_char(buf, ',');
		write_space(buf);
		if (kind == 3) {
			write_string(buf);
			write_space(buf);
			pl_buf_add_char(buf, ':');
		}
		write_value(buf, depth - 1);
		write_space(buf);
	}
	pl_buf_add_char(buf, kind == 2 ? ']' : '}');
}

/* Changes, inserts or removes a byte of a kind that matters. */
static void spoil(struct pl_buf *buf)
{
	static const char alphabet[] = "{}[]:,\"\\u0019dDeE+-.tfnabr \n\t\x01\x7f"
				       "\x80\xbf\xc3\xe4\xed\xf0\xf4\xff";
	unsigned at = below((unsigned)buf->len);
	char c = alphabet[below(sizeof(alphabet))]; /* its NUL, too */

	switch (below(3)) {
	case 0:
		buf->data[at] = c;
		break;
	case 1:
		pl_buf_add_char(buf, ' ');
		memmove(buf->data + at + 1, buf->data + at, buf->len - 1 - at);
		buf->data[at] = c;
		break;
	default:
		memmove(buf->data + at, buf->data + at + 1, buf->len - at);
		buf->len--;
	}
}

/*
 * jansson refuses four things that are JSON: numbers beyond its types, NUL in a name, halves of a
 * pair of surrogates, more than 2048 levels; and it takes "1\0" for a whole text. The walker
 * refuses more than 64 levels. All else must be judged and understood alike.
 */
static bool compare(const char *text, size_t len)
{
	static const char half_pair[] = "invalid Unicode '";
	json_error_t error;

	if (memchr(text, '\0', len) != NULL) {
		assert_false(accepts(text, len));
		return false;
	}
	json_t *want = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	enum json_error_code why = want == NULL ? json_error_code(&error) : json_error_unknown;

	if (why == json_error_numeric_overflow || why == json_error_null_byte_in_key ||
	    (want == NULL && strncmp(error.text, half_pair, strlen(half_pair)) == 0))
		return false;
	bool ok = accepts(text, len);
	if (ok != (want != NULL))
		fail_msg("'%.*s': walker %s, jansson: %s", (int)len, text,
			 ok ? "accepts" : "refuses", want != NULL ? "accepts" : error.text);
	struct io_jwalk walk;
	io_jwalk_init(&walk, text, len);
	json_t *have = build(&walk, io_jwalk_next(&walk));
	if (ok && !json_equal(have, want))
		fail_msg("'%.*s' was understood differently", (int)len, text);
	json_decref(have);
	json_decref(want);
	return ok;
}

static void test_io_jwalk_jansson__same_verdict_and_tree(void **state)
{
	size_t accepted = 0;
	enum { DOCUMENTS = 60000 };

	(void)state;
	rng_state = 20260101;
	for (size_t i = 0; i < DOCUMENTS; i++) {
		auto_buf text = { 0 };
		pl_buf_init(&text, 1 << 20);
		write_value(&text, 5);
		write_space(&text);
		unsigned spoils = below(3);
		for (unsigned n = 0; n < spoils && text.len > 0; n++)
			spoil(&text);
		accepted += compare(pl_buf_text(&text), text.len);
	}
	/* the comparison says something only when both sorts came up often */
	assert_in_range(accepted, DOCUMENTS / 4, DOCUMENTS * 3 / 4);
}

/* JSON bodies of a real server, where they are at hand. */
static void test_io_jwalk_jansson__real_bodies(void **state)
{
	skip_without_test_data();
	static const char *const names[] = { "chat",      "completions", "err_json",
					     "v1_models", "responses",   "server_info" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_free char *path = pl_asprintf("%s/data/real/http/%s.txt", test_data_folder(),
						   names[i]);
		auto_free char *text = NULL;
		struct pl_err err = PL_ERR_INIT;
		size_t len;
		assert_true(pl_file_exists(path));
		assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
		const char *body = strstr(text, "\r\n\r\n");
		assert_non_null(body);
		assert_true(compare(body + 4, strlen(body + 4)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_jwalk_jansson__same_verdict_and_tree),
		cmocka_unit_test(test_io_jwalk_jansson__real_bodies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
