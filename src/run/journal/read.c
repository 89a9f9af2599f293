/*
 * Reads a journal. Each line is checked against the earlier ones: one head, one plan, attempts in order, no record
 * twice. The first damaged or contradictory line ends the reading. Everything before it counts, and the size of the
 * ignored part is reported.
 */
#include "run/journal/read.h"

#include <stdio.h>
#include <stdlib.h>

#include "result/record_line.h"
#include "run/journal/line.h"
#include "schema/former.h"

/* The reader's state. It holds the requests of a plan before there are records of them. */
struct reading {
	struct run_journal_state *state;
	size_t room; /* of state->records */
	size_t try_room;
	bool in_plan; /* more of the plan may follow */
};

/* Returns NULL if it is not an object. */
static json_t *json_of(const struct run_line *line)
{
	json_t *json = NULL;

	if (pl_json_parse(line->text, line->len, "journal", &json, PL_ERR_IGNORED) < 0)
		return NULL;
	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

/* Reads a number >= 0; null is `none`, if that is below 0. */
static bool get_number(const json_t *json, const char *key, int64_t none, int64_t *ret)
{
	const json_t *value = json_object_get(json, key);

	*ret = none;
	if (json_is_null(value) && none < 0)
		return true;
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > RES_TIME_MAX)
		return false;
	*ret = json_integer_value(value);
	return true;
}

static bool get_time(const json_t *json, const char *key, int64_t *ret)
{
	return get_number(json, key, 0, ret);
}

/* Returns the index in the plan; (size_t)-1: invalid. */
static size_t get_index(const struct run_journal_state *state, const json_t *json)
{
	int64_t index = 0;

	return get_number(json, "index", 0, &index) && (uint64_t)index < state->count
		       ? (size_t)index
		       : (size_t)-1;
}

static bool take_head(struct run_journal_state *state, const struct run_line *line)
{
	auto_json json_t *head = json_of(line);
	const json_t *run_id = json_object_get(head, "run_id");

	schema_rename_former_head(head);
	if (!json_is_string(run_id) || json_string_length(run_id) == 0 ||
	    json_string_length(run_id) >= RES_RUN_ID_BYTES ||
	    !get_time(head, "started_real_ns", &state->started_real_ns) ||
	    !get_time(head, "started_ns", &state->started_ns) ||
	    !get_time(head, "pid", &state->pid))
		return false;
	snprintf(state->run_id, sizeof(state->run_id), "%s", json_string_value(run_id));
	/* missing in an earlier version's journal: then it is false */
	state->separate = pl_json_get_true(head, "separate");
	state->last_ns = state->started_ns;
	return true;
}

static void seen_at(struct run_journal_state *state, int64_t t_ns)
{
	if (t_ns > state->last_ns)
		state->last_ns = t_ns;
}

static bool take_stage(struct run_journal_state *state, const struct run_line *line)
{
	auto_json json_t *json = json_of(line);
	json_t *document = json_object_get(json, "document");
	enum res_stage stage;
	int64_t t_ns = 0;

	if (!json_is_object(document) || !get_time(json, "t_ns", &t_ns) ||
	    res_stage_find(pl_json_get_text(json, "stage"), &stage) < 0)
		return false;
	schema_rename_former_sections(document);
	state->stage = stage;
	json_decref(state->document);
	state->document = json_incref(document);
	seen_at(state, t_ns);
	return true;
}

static bool take_load(struct reading *r, const struct run_line *line)
{
	json_t *load = json_of(line);

	/* one plan per run */
	if (load == NULL || r->state->load != NULL) {
		json_decref(load);
		return false;
	}
	r->state->load = load;
	r->in_plan = true;
	return true;
}

static bool take_plan(struct reading *r, const struct run_line *line)
{
	struct run_journal_state *state = r->state;
	auto_json json_t *json = json_of(line);
	const json_t *id = json_object_get(json, "request_id");
	int64_t index = 0, planned_ns = 0, prompt_tokens = 0, output_tokens = 0, sequences = 0;
	int64_t session = 0, turn = 0;
	int64_t images = 0, videos = 0;
	double audio_s = json_number_value(json_object_get(json, "audio_s"));

	schema_rename_former_record(json);
	if (!r->in_plan || !get_number(json, "index", 0, &index) ||
	    (uint64_t)index != state->count || !get_time(json, "planned_ns", &planned_ns) ||
	    /* the start is added to it at the end */
	    planned_ns > RES_TIME_MAX / 2 ||
	    !get_number(json, "prompt_tokens_requested", RES_NO_COUNT, &prompt_tokens) ||
	    !get_number(json, "output_tokens_requested", RES_NO_COUNT, &output_tokens) ||
	    (json_object_get(json, "input_sequences") != NULL &&
	     !get_number(json, "input_sequences", 0, &sequences)) ||
	    (json_object_get(json, "session") != NULL &&
	     (!get_number(json, "session", 0, &session) || !get_number(json, "turn", 0, &turn) ||
	      session > UINT32_MAX || turn > UINT32_MAX)) ||
	    (json_object_get(json, "images") != NULL && !get_number(json, "images", 0, &images)) ||
	    (json_object_get(json, "videos") != NULL && !get_number(json, "videos", 0, &videos)) ||
	    !json_is_string(id) || json_string_length(id) >= RES_ID_BYTES)
		return false;
	pl_grow((void **)&state->records, &r->room, state->count + 1, sizeof(*state->records));
	struct res_record *record = &state->records[state->count];
	res_record_init(record, state->count++);
	/* relative to the start, until that is known */
	record->planned_ns = planned_ns;
	record->prompt_tokens_requested = prompt_tokens;
	record->output_tokens_requested = output_tokens;
	record->input_sequences = sequences;
	record->session = (uint32_t)session;
	record->turn = (uint32_t)turn;
	record->images = images;
	record->videos = videos;
	record->audio_s = audio_s > 0 ? audio_s : 0;
	res_record_set_id(record, json_string_value(id));
	return true;
}

static bool is_over(const struct res_record *record)
{
	return record->ok || record->error_kind != NULL;
}

static bool take_acted(struct reading *r, const struct run_line *line)
{
	auto_json json_t *json = json_of(line);
	size_t index = get_index(r->state, json);
	int64_t planned_ns, queued_ns, acted_ns;

	r->in_plan = false;
	if (index == (size_t)-1 || !get_number(json, "planned_ns", RES_NO_TIME, &planned_ns) ||
	    !get_number(json, "queued_ns", RES_NO_TIME, &queued_ns) ||
	    !get_time(json, "acted_ns", &acted_ns))
		return false;
	struct res_record *record = &r->state->records[index];
	if (is_over(record))
		return true;
	if (record->acted_ns == RES_NO_TIME)
		record->tries = 1;
	record->planned_ns = planned_ns;
	record->queued_ns = queued_ns;
	record->acted_ns = acted_ns;
	return true;
}

/* Stores a failed attempt, and updates the record of its request. */
static bool keep_try(struct reading *r, struct res_record *whole, const struct res_record *try)
{
	struct run_journal_state *state = r->state;

	if (try->tries != whole->tries || try->tries >= RES_TRIES_MAX || try->event_count > 0)
		return false;
	whole->tries++;
	pl_grow((void **)&state->tries, &r->try_room, state->try_count + 1, sizeof(*state->tries));
	struct res_record *retained = pl_alloc(sizeof(*retained));
	*retained = *try;
	state->tries[state->try_count++] = retained;
	return true;
}

static bool keep_record(struct reading *r, struct res_record *whole,
			const struct res_record *record)
{
	/* a request that was never sent has no attempts */
	if (record->tries != whole->tries)
		return false;
	res_record_done(whole);
	*whole = *record;
	r->state->over++;
	return true;
}

static bool take_record(struct reading *r, const struct run_line *line)
{
	struct run_journal_state *state = r->state;
	auto_json json_t *json = json_of(line);
	struct res_record record;

	schema_rename_former_record(json);
	r->in_plan = false;
	if (res_record_from_json(json, &record, PL_ERR_IGNORED) < 0)
		return false;
	struct res_record *whole = record.index < state->count ? &state->records[record.index]
							       : NULL;
	if (whole != NULL && !is_over(whole) &&
	    (record.retried ? keep_try(r, whole, &record) : keep_record(r, whole, &record)))
		return true;
	res_record_done(&record);
	return false;
}

static bool take_tick(struct reading *r, const struct run_line *line)
{
	auto_json json_t *json = json_of(line);
	int64_t t_ns, start_ns;

	if (!get_time(json, "t_ns", &t_ns) ||
	    !get_number(json, "start_ns", RES_NO_TIME, &start_ns) || start_ns > RES_TIME_MAX / 2)
		return false;
	if (start_ns != RES_NO_TIME)
		r->state->start_ns = start_ns;
	seen_at(r->state, t_ns);
	return true;
}

/* Returns false if the file is invalid from this line on. */
static bool take_line(struct reading *r, const struct run_line *line)
{
	switch (line->kind) {
	case RUN_LINE_STAGE:
		return take_stage(r->state, line);
	case RUN_LINE_LOAD:
		return take_load(r, line);
	case RUN_LINE_PLAN:
		return take_plan(r, line);
	case RUN_LINE_ACTED:
		return take_acted(r, line);
	case RUN_LINE_RECORD:
		return take_record(r, line);
	case RUN_LINE_TICK:
		return take_tick(r, line);
	default:
		return false;
	}
}

/*
 * Completes the records of unfinished requests with their progress. Planned times are relative to the start until a
 * request is sent, because the start is unknown before.
 */
static void finish_records(struct run_journal_state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		struct res_record *record = &state->records[i];
		if (is_over(record))
			continue;
		bool acted = record->acted_ns != RES_NO_TIME;
		if (!acted && state->start_ns != RES_NO_TIME)
			record->planned_ns += state->start_ns;
		else if (!acted)
			record->planned_ns = RES_NO_TIME;
		record->error_kind = res_failure_name(acted ? "abandoned" : "not_sent");
		record->error = pl_strdup(acted ? "profllm was killed while the request was open"
						: "profllm was killed before the request was sent");
	}
}

enum run_journal_look run_journal_look(const void *data, size_t len, struct run_journal_glance *ret)
{
	struct run_journal_state state = { 0 };
	struct run_lines lines;
	struct run_line line;

	*ret = (struct run_journal_glance){ .version = run_lines_begin(&lines, data, len) };
	if (ret->version < 0)
		return RUN_JOURNAL_FOREIGN;
	/* killed while it wrote its first bytes */
	if (ret->version == 0)
		return RUN_JOURNAL_EMPTY;
	if (ret->version != RUN_JOURNAL_VERSION)
		return RUN_JOURNAL_OTHER_VERSION;
	bool begun = run_lines_next(&lines, &line) == RUN_LINES_ONE && line.kind == RUN_LINE_HEAD &&
		     take_head(&state, &line) && run_lines_next(&lines, &line) == RUN_LINES_ONE &&
		     line.kind == RUN_LINE_STAGE && take_stage(&state, &line);
	if (begun) {
		snprintf(ret->run_id, sizeof(ret->run_id), "%s", state.run_id);
		ret->pid = state.pid;
		ret->separate = state.separate;
	}
	json_decref(state.document);
	return begun ? RUN_JOURNAL_RUN : RUN_JOURNAL_EMPTY;
}

int run_journal_read(const void *data, size_t len, struct run_journal_state **ret,
		     struct pl_err *err)
{
	enum run_lines_found found;
	struct run_lines lines;
	struct run_line line;

	struct run_journal_glance glance;
	switch (run_journal_look(data, len, &glance)) {
	case RUN_JOURNAL_FOREIGN:
		return pl_err_invalid(err, "not a journal of profllm");
	case RUN_JOURNAL_OTHER_VERSION:
		return pl_err_invalid(err,
				      "found format %lld, expected %d; recover the run with the "
				      "version of profllm that wrote it",
				      (long long)glance.version, RUN_JOURNAL_VERSION);
	case RUN_JOURNAL_EMPTY:
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "contains no run: profllm was killed before the run began");
	case RUN_JOURNAL_RUN:
		break;
	}
	auto_journal_state struct run_journal_state *state = pl_alloc(sizeof(*state));
	struct reading r = { .state = state };
	state->start_ns = RES_NO_TIME;
	state->stage = RES_STAGE_PREPARE;
	run_lines_begin(&lines, data, len);
	/* check_look() has verified the head */
	bool good = run_lines_next(&lines, &line) == RUN_LINES_ONE && take_head(state, &line);
	size_t read_to = lines.at;
	while (good && (found = run_lines_next(&lines, &line)) == RUN_LINES_ONE) {
		good = take_line(&r, &line);
		if (good)
			read_to = lines.at;
	}
	state->cut_bytes = len - read_to;
	if (!good)
		state->damaged_line = lines.number;
	else if (found == RUN_LINES_DAMAGED)
		state->damaged_line = lines.number + 1;
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
