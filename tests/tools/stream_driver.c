/*
 * Feeds response bytes to a stream and prints the record. Reads lines "ADAPTER HEX" from standard input, one response
 * each, and prints one line of JSON for each. Every response is also fed cut in two at every byte, and byte by
 * byte: the program fails if any of these records differs in anything but times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "bench/load/stream.h"
#include "result/record_line.h"

#define ACTED_NS 1000
#define READ_NS  2000

/* One read, so that cuts do not change times: its bytes come in pieces of `first` and then `piece` bytes. */
static void feed(const char *adapter, const char *bytes, size_t len, size_t first, size_t piece,
		 struct res_record *ret)
{
	struct bench_recorder recorder = { .record = ret, .last_ns = RES_NO_TIME };
	enum bench_stream_result result = BENCH_STREAM_MORE;
	struct bench_stream stream;
	size_t used, step = first;

	res_record_init(ret, 0);
	ret->acted_ns = ACTED_NS;
	bench_recorder_reserve(&recorder, 1);
	bench_stream_init(&stream, bench_adapter_find(adapter), false);
	bench_stream_start(&stream, &recorder);
	bench_stream_read(&stream, READ_NS, true);
	for (size_t at = 0; at < len && result == BENCH_STREAM_MORE; at += step, step = piece) {
		if (step > len - at)
			step = len - at;
		result = bench_stream_feed(&stream, bytes + at, step, &used);
	}
	if (result == BENCH_STREAM_MORE)
		bench_stream_end(&stream);
	bench_stream_done(&stream);
}

static char *line_of(const char *adapter, const char *bytes, size_t len, size_t first, size_t piece)
{
	struct res_record record;
	auto_buf line = PL_BUF(1u << 20);

	feed(adapter, bytes, len, first, piece, &record);
	res_record_add_json(&line, &record);
	res_record_done(&record);
	return pl_buf_take(&line);
}

static size_t decode_hex(char *text)
{
	size_t len = strlen(text) / 2;

	for (size_t i = 0; i < len; i++) {
		char digits[] = { text[2 * i], text[2 * i + 1], '\0' };
		text[i] = (char)strtol(digits, NULL, 16);
	}
	return len;
}

static bool play(const char *adapter, const char *bytes, size_t len)
{
	auto_free char *whole = line_of(adapter, bytes, len, len, len);
	auto_free char *single = line_of(adapter, bytes, len, 1, 1);

	if (strcmp(whole, single) != 0) {
		fprintf(stderr, "byte by byte:\n%s\n%s\n", single, whole);
		return false;
	}
	for (size_t cut = 1; cut < len; cut++) {
		auto_free char *two = line_of(adapter, bytes, len, cut, len);
		if (strcmp(whole, two) == 0)
			continue;
		fprintf(stderr, "cut at byte %zu:\n%s\n%s\n", cut, two, whole);
		return false;
	}
	puts(whole);
	return true;
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	bool ok = true;

	while (ok && getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		char *hex = strchr(line, ' ');
		*hex++ = '\0';
		ok = play(line, hex, decode_hex(hex));
	}
	free(line);
	return ok ? 0 : 1;
}
