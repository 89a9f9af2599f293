#include "io/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "test_data.h"

/* Are bytes of an unfinished event held? By the standard they are dropped at the end. */
static bool is_dirty(const struct io_sse *sse)
{
	return sse->has_data || (sse->line.len > 0 && sse->line.data[0] != ':');
}

/* Each event's data in brackets. */
static int report(void *user, const char *data, size_t len)
{
	struct pl_buf *story = user;

	pl_buf_add_text(story, "[");
	pl_buf_add(story, data, len);
	pl_buf_add_text(story, "]");
	return 0;
}

struct stream {
	const char *bytes;
	const char *story;
	bool dirty; /* at the end */
};

static const struct stream streams[] = {
	{ "", "", false },
	{ "data: a\n\n", "[a]", false },
	{ "data: a\n\ndata: b\n\n", "[a][b]", false },
	{ "data: a\r\n\r\ndata: b\r\n\r\n", "[a][b]", false },
	{ "data: a\r\rdata: b\r\r", "[a][b]", false },
	{ "data: a\r\n\rdata: b\n\r\ndata: c\r\r\n", "[a][b][c]", false },
	{ "data: a\r\n\n", "[a]", false },
	{ "data:a\n\n", "[a]", false },
	{ "data:  a \n\n", "[ a ]", false },
	{ "data:\n\n", "[]", false },
	{ "data\n\n", "[]", false },
	{ "data\ndata\n\n", "[\n]", false },
	{ "data: \n\n", "[]", false },
	{ "data: a\ndata: b\ndata:c\n\n", "[a\nb\nc]", false },
	{ "data:\ndata: b\n\n", "[\nb]", false },
	{ "data: a\ndata:\n\n", "[a\n]", false },
	{ "data: a\n: note\nevent: x\nid: 7\nretry: 10\ndata: b\n\n", "[a\nb]", false },
	{ ": ping\n\n", "", false },
	{ ": ping\ndata: a\n\n", "[a]", false },
	{ ": ping\n\ndata: a\n\n:\n\n", "[a]", false },
	{ "event: x\n\ndata: a\n\n", "[a]", false },
	{ "data a\n\n", "", false },
	{ "database: a\n\n", "", false },
	{ "Data: a\n\n", "", false },
	{ " data: a\n\n", "", false },
	{ "dat: a\ndata: b\n\n", "[b]", false },
	{ "\n\n\n\ndata: a\n\n\n\n", "[a]", false },
	{ "\xef\xbb\xbf"
	  "data: a\n\ndata: b\n\n",
	  "[a][b]", false },
	{ "\xef\xbb\xbf\n\xef\xbb\xbf"
	  "data: a\n\ndata: b\n\n",
	  "[b]", false },
	{ "\xef\xbb"
	  "data: a\n\ndata: b\n\n",
	  "[b]", false },
	{ "data: caf\xc3\xa9 \xf0\x9f\x98\x80\n\n", "[caf\xc3\xa9 \xf0\x9f\x98\x80]", false },
	{ "data: {\"a\": \"b\\n\"}\n\ndata: [DONE]\n\n", "[{\"a\": \"b\\n\"}][[DONE]]", false },
	{ "data: a: b\n\n", "[a: b]", false },
	{ "data: a", "", true },
	{ "data: a\n", "", true },
	{ "data: a\n\ndata: b", "[a]", true },
	{ "data: a\n\n: pin", "[a]", false },
	{ "data: a\r\n\r", "[a]", false },
};

static void feed_exact(struct io_sse *sse, const char *bytes, size_t len)
{
	struct pl_err err = PL_ERR_INIT;
	char *copy = pl_memdup(bytes, len);

	assert_int_equal(io_sse_feed(sse, copy, len, &err), 0);
	free(copy);
}

static void check_cut(struct io_sse *sse, const struct stream *stream, size_t first, size_t step)
{
	struct pl_buf *story = sse->user;
	size_t len = strlen(stream->bytes);
	size_t piece = first;

	pl_buf_clear(story);
	io_sse_reset(sse);
	for (size_t at = 0; at < len; at += piece, piece = step) {
		if (piece > len - at)
			piece = len - at;
		feed_exact(sse, stream->bytes + at, piece);
	}
	assert_string_equal(pl_buf_text(story), stream->story);
	assert_int_equal(is_dirty(sse), stream->dirty);
}

static void test_io_sse__cuts_change_nothing(void **state)
{
	auto_buf story = { 0 };
	struct io_sse sse;

	(void)state;
	pl_buf_init(&story, 1 << 16);
	io_sse_init(&sse, report, &story);
	for (size_t i = 0; i < PL_ARRAY_SIZE(streams); i++) {
		check_cut(&sse, &streams[i], 1, 1);
		check_cut(&sse, &streams[i], 3, 3);
		for (size_t cut = 1; cut <= strlen(streams[i].bytes); cut++)
			check_cut(&sse, &streams[i], cut, 1 << 16);
	}
	io_sse_done(&sse);
}

static void test_io_sse__counts_events(void **state)
{
	auto_buf story = { 0 };
	struct io_sse sse;

	(void)state;
	pl_buf_init(&story, 1 << 16);
	io_sse_init(&sse, report, &story);
	feed_exact(&sse, ":\n\ndata: a\n\nid: 1\n\ndata\n\ndata: x", 30);
	assert_int_equal(sse.events, 2);
	io_sse_reset(&sse);
	assert_int_equal(sse.events, 0);
	io_sse_done(&sse);
}

struct span {
	const char *from;
	const char *to;
	size_t events;
};

static int check_borrowed(void *user, const char *data, size_t len)
{
	struct span *span = user;

	assert_true(data >= span->from && data + len <= span->to);
	span->events++;
	return 0;
}

static void test_io_sse__whole_events_are_not_copied(void **state)
{
	static const char bytes[] = "data: one\n\n: c\ndata: two\r\n\r\ndata:three\n\n";
	struct span span = { bytes, bytes + sizeof(bytes), 0 };
	struct pl_err err = PL_ERR_INIT;
	struct io_sse sse;

	(void)state;
	io_sse_init(&sse, check_borrowed, &span);
	assert_int_equal(io_sse_feed(&sse, bytes, sizeof(bytes) - 1, &err), 0);
	assert_int_equal(span.events, 3);
	assert_null(sse.line.data);
	assert_null(sse.event.data);
	io_sse_done(&sse);
}

static int refuse_second(void *user, const char *data, size_t len)
{
	int *calls = user;

	(void)data;
	(void)len;
	return ++*calls == 2 ? 42 : 0;
}

static void test_io_sse__callback_may_refuse(void **state)
{
	static const char bytes[] = "data: a\n\ndata: b\n\ndata: c\n\n";
	struct pl_err err = PL_ERR_INIT;
	struct io_sse sse;
	int calls = 0;

	(void)state;
	io_sse_init(&sse, refuse_second, &calls);
	assert_int_equal(io_sse_feed(&sse, bytes, sizeof(bytes) - 1, &err), 42);
	assert_int_equal(calls, 2);
	io_sse_done(&sse);
}

/* `line` over and over, until refused; it may not take more than `max` bytes. */
static void check_bounded(const char *line, size_t max)
{
	size_t len = strlen(line);
	size_t block_len = len * 4096;
	auto_free char *block = pl_alloc(block_len);
	struct pl_err err = PL_ERR_INIT;
	auto_buf story = { 0 };
	struct io_sse sse;
	size_t fed = 0;

	for (size_t at = 0; at < block_len; at += len)
		memcpy(block + at, line, len);
	pl_buf_init(&story, 1 << 16);
	io_sse_init(&sse, report, &story);
	while (io_sse_feed(&sse, block, block_len, &err) == 0) {
		fed += block_len;
		assert_true(fed <= max);
	}
	assert_int_equal(err.code, PL_ERR_NETWORK);
	assert_non_null(strstr(err.text, "larger than"));
	assert_string_equal(pl_buf_text(&story), "");
	io_sse_done(&sse);
}

static void test_io_sse__events_are_bounded(void **state)
{
	(void)state;
	check_bounded("0123456789abcdef", IO_SSE_EVENT_BYTES_MAX);
	check_bounded("data: 0123456789\n", 2 * IO_SSE_EVENT_BYTES_MAX);
}

/* Answers of a real server, where they are at hand: each holds a stream that ends with [DONE]. */
static int take_any(void *user, const char *data, size_t len)
{
	(void)data;
	*(size_t *)user += len;
	return 0;
}

/* A stream's largest event is not kept for all the streams that follow. */
static void test_io_sse__memory_is_given_back(void **state)
{
	enum { EVENT_BYTES = 1 << 20, PIECE_BYTES = 1 << 16, CACHE_BYTES = 1 << 16 };
	auto_free char *text = pl_alloc(EVENT_BYTES);
	struct pl_err err = PL_ERR_INIT;
	struct io_sse sse;
	size_t bytes = 0;

	(void)state;
	memset(text, 'x', EVENT_BYTES);
	memcpy(text, "data:", 5);
	io_sse_init(&sse, take_any, &bytes);
	for (int i = 0; i < 2; i++) {
		for (size_t at = 0; at < EVENT_BYTES; at += PIECE_BYTES)
			assert_int_equal(io_sse_feed(&sse, text + at, PIECE_BYTES, &err), 0);
		assert_int_equal(io_sse_feed(&sse, "\ndata:y\n\n", 9, &err), 0);
		assert_int_equal(bytes, (size_t)(i + 1) * (EVENT_BYTES - 5 + 2));
		assert_true(sse.line.room > CACHE_BYTES || sse.event.room > CACHE_BYTES);
		io_sse_reset(&sse);
		assert_true(sse.line.room <= CACHE_BYTES && sse.event.room <= CACHE_BYTES);
		assert_int_equal(sse.events, 0);
	}
	io_sse_done(&sse);
}

static void test_io_sse__real_streams(void **state)
{
	skip_without_test_data();
	static const char *const names[] = { "chat_stream", "completions_stream",
					     "completions_batch_stream", "chat_stream_cont" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_free char *path = pl_asprintf("%s/data/real/http/%s.txt", test_data_folder(),
						   names[i]);
		auto_free char *text = NULL;
		struct pl_err err = PL_ERR_INIT;
		auto_buf story = { 0 };
		struct io_sse sse;
		size_t len;
		assert_true(pl_file_exists(path));
		assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
		const char *body = strstr(text, "\r\n\r\n");
		assert_non_null(body);
		pl_buf_init(&story, 1 << 20);
		io_sse_init(&sse, report, &story);
		feed_exact(&sse, body + 4, strlen(body + 4));
		assert_true(sse.events >= 3);
		assert_false(is_dirty(&sse));
		assert_non_null(strstr(pl_buf_text(&story), "}][[DONE]]"));
		io_sse_done(&sse);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_sse__cuts_change_nothing),
		cmocka_unit_test(test_io_sse__counts_events),
		cmocka_unit_test(test_io_sse__whole_events_are_not_copied),
		cmocka_unit_test(test_io_sse__callback_may_refuse),
		cmocka_unit_test(test_io_sse__events_are_bounded),
		cmocka_unit_test(test_io_sse__memory_is_given_back),
		cmocka_unit_test(test_io_sse__real_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
