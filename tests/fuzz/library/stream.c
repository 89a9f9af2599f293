/* Any bytes as the progress of a program, whole and in pieces: the callbacks get the same, and no line is kept that is too long. */
#include "library/library.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(uint64_t *sum, const char *text)
{
	for (const char *at = text != NULL ? text : "\1"; *at != '\0'; at++)
		*sum = (*sum ^ (unsigned char)*at) * 1099511628211u;
}

static void see_phase(void *sum, const char *phase)
{
	add(sum, phase);
}

static void see_progress(void *sum, const struct profllm_progress *progress)
{
	add(sum, progress->phase);
	add(sum, progress->step);
	add(sum, progress->json);
}

static void see_log(void *sum, const char *source, const char *level, const char *text)
{
	add(sum, source);
	add(sum, level);
	add(sum, text);
}

static uint64_t read_in_steps(const uint8_t *data, size_t size, size_t step)
{
	uint64_t sum = 14695981039346656037u;
	struct library_stream stream = { .callbacks = { see_phase, &sum, see_progress, &sum,
							see_log, &sum } };

	for (size_t at = 0; at < size; at += step)
		library_stream_feed(&stream, (const char *)data + at,
				    size - at < step ? size - at : step);
	assert(stream.line.len <= LIBRARY_LINE_BYTES_MAX);
	library_stream_end(&stream);
	assert(stream.end == NULL || json_is_object(stream.end));
	library_stream_done(&stream);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole = read_in_steps(data, size, size > 0 ? size : 1);

	assert(read_in_steps(data, size, 7) == whole);
	return 0;
}
