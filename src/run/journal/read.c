#include "run/journal/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/journal/frame.h"

/* A plan's rows before there are records of them. */
struct reading {
	struct run_journal_state *state;
	size_t room; /* of state->records */
	size_t try_room;
	bool in_rows; /* rows may still come */
};

static json_t *json_of(const struct run_frame *frame)
{
	struct pl_err ignored = PL_ERR_INIT;
	json_t *json = NULL;

	if (pl_json_parse((const char *)frame->data, frame->len, "journal", &json, &ignored) < 0)
		return NULL;
	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

static bool get_time(const json_t *json, const char *key, int64_t *ret)
{
	const json_t *value = json_object_get(json, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*ret = json_integer_value(value);
	return true;
}

static bool take_head(struct run_journal_state *state, const struct run_frame *frame)
{
	auto_json json_t *head = json_of(frame);
	const json_t *run_id = json_object_get(head, "run_id");

	if (!json_is_string(run_id) || json_string_length(run_id) == 0 ||
	    json_string_length(run_id) >= RES_RUN_ID_BYTES ||
	    !get_time(head, "started_real_ns", &state->started_real_ns) ||
	    !get_time(head, "started_ns", &state->started_ns) ||
	    !get_time(head, "pid", &state->pid))
		return false;
	snprintf(state->run_id, sizeof(state->run_id), "%s", json_string_value(run_id));
	state->last_ns = state->started_ns;
	return true;
}

static void seen_at(struct run_journal_state *state, int64_t t_ns)
{
	if (t_ns > state->last_ns)
		state->last_ns = t_ns;
}

static bool take_stage(struct run_journal_state *state, const struct run_frame *frame)
{
	auto_json json_t *json = json_of(frame);
	json_t *document = json_object_get(json, "document");
	enum res_stage stage;
	int64_t t_ns = 0;

	if (!json_is_object(document) || !get_time(json, "t_ns", &t_ns) ||
	    res_stage_find(json_string_value(json_object_get(json, "stage")), &stage) < 0)
		return false;
	state->stage = stage;
	json_decref(state->document);
	state->document = json_incref(document);
	seen_at(state, t_ns);
	return true;
}

static bool take_load(struct reading *r, const struct run_frame *frame)
{
	json_t *load = json_of(frame);

	/* one plan a run */
	if (load == NULL || r->state->load != NULL) {
		json_decref(load);
		return false;
	}
	r->state->load = load;
	r->in_rows = true;
	return true;
}

static bool take_row(struct reading *r, const struct run_frame *frame)
{
	struct run_journal_state *state = r->state;
	struct run_frame_row row;

	if (!r->in_rows || !run_frame_get_row(frame, &row))
		return false;
	pl_grow((void **)&state->records, &r->room, state->count + 1, sizeof(*state->records));
	struct res_record *record = &state->records[state->count];
	res_record_init(record, state->count++);
	/* after the start, until that is known */
	record->planned_ns = row.planned_ns;
	record->prompt_tokens_asked = row.prompt_tokens;
	record->output_tokens_asked = row.output_tokens;
	res_record_set_id(record, row.request_id);
	return true;
}

static bool is_over(const struct res_record *record)
{
	return record->ok || record->error_kind != NULL;
}

static bool take_acted(struct reading *r, const struct run_frame *frame)
{
	struct run_frame_acted acted;

	r->in_rows = false;
	if (!run_frame_get_acted(frame, &acted) || acted.index >= r->state->count)
		return false;
	struct res_record *record = &r->state->records[acted.index];
	if (is_over(record))
		return true;
	if (record->acted_ns == RES_NO_TIME)
		record->tries = 1;
	record->planned_ns = acted.planned_ns;
	record->queued_ns = acted.queued_ns;
	record->acted_ns = acted.acted_ns;
	return true;
}

/* What a request's own record is made of, once it is known: how often it was tried. */
static bool take_try(struct reading *r, const struct run_frame *frame)
{
	struct run_journal_state *state = r->state;
	struct res_record record;

	r->in_rows = false;
	if (!run_frame_get_record(frame, &record))
		return false;
	struct res_record *whole = record.index < state->count ? &state->records[record.index]
							       : NULL;
	if (whole == NULL || is_over(whole) || whole->tries == 0 || whole->tries >= RES_TRIES_MAX ||
	    record.ok || record.event_count > 0) {
		res_record_done(&record);
		return false;
	}
	record.tries = whole->tries++;
	record.retried = true;
	pl_grow((void **)&state->tries, &r->try_room, state->try_count + 1, sizeof(*state->tries));
	struct res_record *kept = pl_alloc(sizeof(*kept));
	*kept = record;
	state->tries[state->try_count++] = kept;
	return true;
}

static bool take_record(struct reading *r, const struct run_frame *frame)
{
	struct res_record record;

	r->in_rows = false;
	if (!run_frame_get_record(frame, &record))
		return false;
	if (record.index >= r->state->count || is_over(&r->state->records[record.index])) {
		res_record_done(&record);
		return false;
	}
	record.tries = r->state->records[record.index].tries;
	if (record.tries == 0 && record.acted_ns != RES_NO_TIME)
		record.tries = 1;
	res_record_done(&r->state->records[record.index]);
	r->state->records[record.index] = record;
	r->state->over++;
	return true;
}

static bool take_tick(struct reading *r, const struct run_frame *frame)
{
	struct run_frame_tick tick;

	if (!run_frame_get_tick(frame, &tick))
		return false;
	if (tick.start_ns != RES_NO_TIME)
		r->state->start_ns = tick.start_ns;
	seen_at(r->state, tick.t_ns);
	return true;
}

/* False: from here on the file is not to be believed. */
static bool take_frame(struct reading *r, const struct run_frame *frame)
{
	switch (frame->kind) {
	case RUN_FRAME_STAGE:
		return take_stage(r->state, frame);
	case RUN_FRAME_LOAD:
		return take_load(r, frame);
	case RUN_FRAME_ROW:
		return take_row(r, frame);
	case RUN_FRAME_ACTED:
		return take_acted(r, frame);
	case RUN_FRAME_RECORD:
		return take_record(r, frame);
	case RUN_FRAME_TRY:
		return take_try(r, frame);
	case RUN_FRAME_TICK:
		return take_tick(r, frame);
	default:
		return false;
	}
}

/* What had not come to its end says how far it had. */
static void finish_records(struct run_journal_state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		struct res_record *record = &state->records[i];
		if (is_over(record))
			continue;
		bool acted = record->acted_ns != RES_NO_TIME;
		if (!acted)
			record->planned_ns = state->start_ns == RES_NO_TIME
						     ? RES_NO_TIME
						     : state->start_ns + record->planned_ns;
		record->error_kind = res_failure_name(acted ? "abandoned" : "not_sent");
		record->error = pl_strdup(acted ? "profllm was killed while the request was open"
						: "profllm was killed before the request was sent");
	}
}

enum run_journal_look run_journal_look(const void *data, size_t len, struct run_journal_glance *ret)
{
	struct run_journal_state state = { 0 };
	struct run_frames frames;
	struct run_frame frame;

	*ret = (struct run_journal_glance){ .version = RUN_JOURNAL_VERSION };
	/* killed while it wrote its first bytes */
	size_t known = len < RUN_JOURNAL_MAGIC_BYTES ? len : RUN_JOURNAL_MAGIC_BYTES;
	if (known > 0 && memcmp(data, RUN_JOURNAL_MAGIC, known) != 0)
		return RUN_JOURNAL_FOREIGN;
	if (len < RUN_JOURNAL_START_BYTES)
		return RUN_JOURNAL_EMPTY;
	ret->version = run_frames_begin(&frames, data, len);
	if (ret->version != RUN_JOURNAL_VERSION)
		return RUN_JOURNAL_OTHER_VERSION;
	bool begun = run_frames_next(&frames, &frame) && frame.kind == RUN_FRAME_HEAD &&
		     take_head(&state, &frame) && run_frames_next(&frames, &frame) &&
		     frame.kind == RUN_FRAME_STAGE && take_stage(&state, &frame);
	if (begun) {
		snprintf(ret->run_id, sizeof(ret->run_id), "%s", state.run_id);
		ret->pid = state.pid;
	}
	json_decref(state.document);
	return begun ? RUN_JOURNAL_RUN : RUN_JOURNAL_EMPTY;
}

static int check_look(const void *data, size_t len, struct pl_err *err)
{
	struct run_journal_glance glance;

	switch (run_journal_look(data, len, &glance)) {
	case RUN_JOURNAL_FOREIGN:
		return pl_err_set(err, PL_ERR_INVALID, "not a journal of profllm");
	case RUN_JOURNAL_OTHER_VERSION:
		return pl_err_set(err, PL_ERR_INVALID,
				  "found format %lld, expected %d: it was written by another "
				  "version of profllm, which can read it",
				  (long long)glance.version, RUN_JOURNAL_VERSION);
	case RUN_JOURNAL_EMPTY:
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "holds no run: it was killed before it had begun");
	case RUN_JOURNAL_RUN:
		break;
	}
	return 0;
}

int run_journal_read(const void *data, size_t len, struct run_journal_state **ret,
		     struct pl_err *err)
{
	struct run_frames frames;
	struct run_frame frame;

	if (check_look(data, len, err) < 0)
		return -1;
	auto_journal_state struct run_journal_state *state = pl_alloc(sizeof(*state));
	struct reading r = { .state = state };
	state->start_ns = RES_NO_TIME;
	state->stage = RES_STAGE_PREPARE;
	run_frames_begin(&frames, data, len);
	bool good = run_frames_next(&frames, &frame) && take_head(state, &frame);
	size_t read_to = frames.at;
	while (good && run_frames_next(&frames, &frame) && take_frame(&r, &frame))
		read_to = frames.at;
	state->cut_bytes = len - read_to;
	res_record_sort_tries(state->tries, state->try_count);
	finish_records(state);
	*ret = pl_take(state);
	return 0;
}

void run_journal_state_free(struct run_journal_state *state)
{
	if (state == NULL)
		return;
	for (size_t i = 0; i < state->count; i++)
		res_record_done(&state->records[i]);
	free(state->records);
	for (size_t i = 0; i < state->try_count; i++) {
		res_record_done(state->tries[i]);
		free(state->tries[i]);
	}
	free(state->tries);
	json_decref(state->document);
	json_decref(state->load);
	free(state);
}
