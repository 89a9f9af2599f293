/*
 * An answer's bytes, head included, through HTTP, server-sent events and the OpenAI decoder into a
 * record. The first byte says how large the pieces are; the record must be complete at the end.
 */
#include <stdint.h>
#include <stdlib.h>

#include "bench/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct md_record record;
	struct bench_recorder recorder = { .record = &record, .last_ns = MD_NO_TIME };
	struct bench_stream stream;
	enum bench_stream_result result = BENCH_STREAM_MORE;
	size_t piece = size > 0 ? data[0] % 64 + 1u : 1;
	int64_t t_ns = 1000;
	size_t used;

	md_record_init(&record, 0);
	record.acted_ns = t_ns;
	bench_recorder_reserve(&recorder, 2);
	bench_stream_init(&stream, bench_adapter_find("openai-chat"), false);
	bench_stream_start(&stream, &recorder);
	for (size_t at = 1; at < size && result == BENCH_STREAM_MORE; at += piece) {
		size_t len = size - at < piece ? size - at : piece;
		bench_stream_read(&stream, ++t_ns, at % 2 == 0);
		result = bench_stream_feed(&stream, (const char *)data + at, len, &used);
		if (used > len)
			abort();
	}
	if (result == BENCH_STREAM_MORE)
		result = bench_stream_end(&stream);
	if (result == BENCH_STREAM_MORE || record.end_ns == MD_NO_TIME ||
	    record.ok != (result == BENCH_STREAM_DONE) || record.ok != (record.error == NULL))
		abort();
	bench_stream_done(&stream);
	md_record_done(&record);
	return 0;
}
