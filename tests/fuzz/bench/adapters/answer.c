/*
 * An answer's bytes, head included, through HTTP, server-sent events and a decoder into a record.
 * The first byte says how large the pieces are, and what was asked for; the record must be complete
 * at the end, with texts that can be written.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "bench/load/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct res_record record;
	struct bench_recorder recorder = { .record = &record, .last_ns = RES_NO_TIME };
	struct bench_stream stream;
	enum bench_stream_result result = BENCH_STREAM_MORE;
	static const char *const adapters[] = { "openai-chat", "openai", "openai-responses",
						"openai" };
	size_t piece = size > 0 ? data[0] % 64 + 1u : 1;
	unsigned requested = size > 0 ? data[0] / 64 : 0;
	/* 3: in one piece; of a pooling protocol if the pieces are large */
	bool pools = requested == 3 && piece > 32;
	int64_t t_ns = 1000;
	size_t used;

	res_record_init(&record, 0);
	record.acted_ns = t_ns;
	bench_recorder_reserve(&recorder, 2);
	bench_stream_init(&stream,
			  bench_adapter_find(pools ? "openai-embeddings" : adapters[requested]),
			  requested == 3);
	stream.keeps_text = true;
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
	if (result == BENCH_STREAM_MORE || record.end_ns == RES_NO_TIME ||
	    record.ok != (result == BENCH_STREAM_DONE) || record.ok != (record.error == NULL))
		abort();
	if (record.error != NULL && (record.error[0] == '\0' || !pl_text_is_utf8(record.error)))
		abort();
	if (record.text == NULL || !pl_text_is_utf8(record.text))
		abort();
	if (pools && (record.output_tokens != RES_NO_COUNT || record.event_count != 0))
		abort();
	/* nonsense in usage could overflow the sums of a run */
	if (record.output_tokens > (INT64_C(1) << 40) || record.prompt_tokens > INT32_MAX)
		abort();
	bench_stream_done(&stream);
	res_record_done(&record);
	return 0;
}
