/*
 * A journal of any bytes, read twice: as they are, and as lines whose sums are right, or nothing
 * behind a sum would ever be reached. Input of the second: lines of a kind's digit and its text.
 * make_corpus.py makes the corpus.
 */
#include "run/journal/read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "result/record_line.h"
#include "run/journal/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that each accepted record survives being written to the requests file and read back. */
static void check_record(const struct res_record *record)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *json = NULL;
	auto_buf line = { 0 };
	struct res_record retry;

	pl_buf_init(&line, 64u << 20);
	if (!res_record_add_json(&line, record) ||
	    pl_json_parse(line.data, line.len, "line", &json, &err) < 0 ||
	    res_record_from_json(json, &retry, &err) < 0)
		abort();
	res_record_done(&retry);
}

static void use(const struct run_journal_state *state)
{
	if (state->over > state->count || !json_is_object(state->document) ||
	    (state->damaged_line > 0 && state->cut_bytes == 0))
		abort();
	for (size_t i = 0; i < state->count; i++) {
		if (state->records[i].index != i)
			abort();
		check_record(&state->records[i]);
	}
}

/* Does the same for failed tries, each before its successor. */
static void use_tries(const struct run_journal_state *state)
{
	for (size_t i = 0; i < state->try_count; i++) {
		const struct res_record *one = state->tries[i];
		if (one->ok || !one->retried || one->index >= state->count ||
		    one->tries >= state->records[one->index].tries)
			abort();
		check_record(one);
	}
}

static void read_all(const void *data, size_t size)
{
	auto_journal_state struct run_journal_state *state = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (run_journal_read(data, size, &state, &err) == 0)
		use(state);
	if (state != NULL)
		use_tries(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf summed = { 0 };

	read_all(data, size);
	pl_buf_init(&summed, 1u << 24);
	if (!run_line_add_start(&summed))
		abort();
	for (const uint8_t *end = data + size, *next; data < end; data = next + 1) {
		next = memchr(data, '\n', (size_t)(end - data));
		if (next == NULL)
			next = end;
		if (next > data)
			run_line_add(&summed,
				     (enum run_line_kind)((data[0] - (unsigned)'0') %
							  RUN_LINE_KIND_COUNT),
				     (const char *)data + 1, (size_t)(next - data) - 1);
	}
	read_all(summed.data, summed.len);
	return 0;
}
