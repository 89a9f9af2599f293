/*
 * A journal of any bytes, read twice: as they are, and as frames whose sums are right, or nothing
 * behind a sum would ever be reached. Input of the second: kind u8, length u16, bytes; again.
 */
#include "run/journal/read.h"

#include <stdint.h>
#include <stdlib.h>

#include "run/journal/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever was believed can be written to a side file and read from there. */
static void use(const struct run_journal_state *state)
{
	struct pl_err err = PL_ERR_INIT;

	if (state->over > state->count || !json_is_object(state->document))
		abort();
	for (size_t i = 0; i < state->count; i++) {
		auto_json json_t *json = res_record_to_json(&state->records[i]);
		struct res_record again;
		if (state->records[i].index != i || json == NULL)
			abort();
		/* a file's own rules may be stricter about what a peer sent */
		if (res_record_from_json(json, &again, &err) == 0)
			res_record_done(&again);
	}
}

/* The same of failed tries, each in front of the one that followed. */
static void use_tries(const struct run_journal_state *state)
{
	for (size_t i = 0; i < state->try_count; i++) {
		const struct res_record *one = state->tries[i];
		auto_json json_t *json = res_record_to_json(one);
		if (json == NULL || one->ok || !one->retried || one->index >= state->count ||
		    one->tries >= state->records[one->index].tries)
			abort();
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
	auto_buf framed = { 0 };

	read_all(data, size);
	pl_buf_init(&framed, 1u << 24);
	run_frame_start(&framed);
	while (size >= 3) {
		size_t len = (size_t)data[1] | (size_t)data[2] << 8;
		if (len > size - 3)
			len = size - 3;
		run_frame_add(&framed, (enum run_frame_kind)data[0], data + 3, len);
		data += 3 + len;
		size -= 3 + len;
	}
	read_all(framed.data, framed.len);
	return 0;
}
