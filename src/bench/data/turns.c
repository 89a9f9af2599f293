#include "bench/data/turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

#define PAUSE_KEY  "think_s"
#define LENGTH_KEY "output_tokens"
/* A longer pause is a mistake in the unit. */
#define PAUSE_MAX_S 86400.0
#define TOKENS_MAX  100000000
/* In custom_output_len: use the length in each record. */
#define FROM_RECORDS (-1)

/* ---- reading ---- */

static const char *role_of(const json_t *message)
{
	return pl_json_get_text(message, "role");
}

static bool is_response(const json_t *message)
{
	return pl_text_equal(role_of(message), "assistant");
}

/* ShareGPT's {"from": …, "value": …} as a message; another one as it is. NULL: neither. */
static json_t *message_of(const json_t *item)
{
	static const char *const names[][2] = {
		{ "human", "user" },          { "user", "user" },      { "gpt", "assistant" },
		{ "chatgpt", "assistant" },   { "bing", "assistant" }, { "bard", "assistant" },
		{ "assistant", "assistant" }, { "system", "system" },  { "tool", "tool" }
	};
	const char *from = pl_json_get_text(item, "from");
	json_t *value = json_object_get(item, "value");

	if (json_is_object(item) && role_of(item) != NULL)
		return json_incref((json_t *)item);
	for (size_t i = 0; i < PL_ARRAY_SIZE(names) && json_is_string(value); i++) {
		if (pl_text_equal(from, names[i][0]))
			return json_pack("{s:s, s:O}", "role", names[i][1], "content", value);
	}
	return NULL;
}

static const char *wrong_key(const json_t *message)
{
	const json_t *pause = json_object_get(message, PAUSE_KEY);
	const json_t *length = json_object_get(message, LENGTH_KEY);

	if (pause != NULL && (!json_is_number(pause) || json_number_value(pause) < 0 ||
			      json_number_value(pause) > PAUSE_MAX_S))
		return "'" PAUSE_KEY "': expected a number of seconds from 0 to 86400";
	if (length != NULL && (!json_is_integer(length) || json_integer_value(length) < 1 ||
			       json_integer_value(length) > TOKENS_MAX))
		return "'" LENGTH_KEY "': expected an integer of at least 1";
	return NULL;
}

static int take_record(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		       struct bench_entries *into, struct pl_err *err)
{
	static const char *const keys[] = { "messages", "conversations", "conversation", "items" };
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };
	auto_json json_t *messages = json_array();
	const json_t *list = NULL;
	bool has_turn = false;

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys) && list == NULL; i++)
		list = json_object_get(json, keys[i]);
	if (!json_is_array(list))
		return pl_err_invalid(err, "%s:%zu: expected an object with 'messages', a list",
				      bench->dataset_path, line_no);
	PL_JSON_EACH(item, list) {
		json_t *message = message_of(item);
		const char *wrong = message != NULL ? wrong_key(message)
						    : "expected 'role' and 'content', or 'from' "
						      "and 'value' of a known speaker";
		if (message != NULL)
			json_array_append_new(messages, message);
		if (wrong != NULL)
			return pl_err_invalid(err, "%s:%zu: message %zu: %s", bench->dataset_path,
					      line_no, json_array_size(messages), wrong);
		has_turn |= !is_response(message) && !pl_text_equal(role_of(message), "system");
	}
	/* some records of ShareGPT are empty, or the end of a conversation that was cut */
	if (!has_turn)
		return 0;
	json_t *tools = json_object_get(json, "tools");
	entry.object = json_pack("{s:O, s:O*}", "messages", messages, "tools",
				 json_is_null(tools) ? NULL : tools);
	bench_entries_add(into, &entry);
	return 0;
}

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	size_t number = 0;
	json_error_t fault;

	if (text[strspn(text, " \t\r\n")] != '[')
		return bench_json_lines(bench, text, len, 0, take_record, into, err);
	auto_json json_t *all = json_loadb(text, len, JSON_ALLOW_NUL, &fault);
	if (all == NULL)
		return pl_err_invalid(err, "%s:%d:%d: not valid JSON: %s", bench->dataset_path,
				      fault.line, fault.column, fault.text);
	PL_JSON_EACH(record, all) {
		if (take_record(bench, record, ++number, into, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- building ---- */

/* Where a turn of a record begins, and its response; `end` is after the response. */
struct turn {
	size_t from;
	size_t to;              /* the response, if it was recorded, else the end of the record */
	bool recorded;          /* the conversation continues with the recorded response */
	double pause_s;         /* NaN: not recorded */
	const json_t *response; /* NULL: none */
};

struct turns {
	struct turn *items;
	size_t count;
	size_t room;
};

/* A turn needs a message of its own, so responses that follow each other join the next turn. */
static void cut_turns(const json_t *messages, struct turns *ret)
{
	size_t count = json_array_size(messages), from = 0;
	bool has_own = false;

	for (size_t i = 0; i <= count; i++) {
		const json_t *message = json_array_get(messages, i);
		bool ends = i == count || is_response(message);
		if (i < count)
			has_own |= !ends && !pl_text_equal(role_of(message), "system");
		if (!ends || !has_own)
			continue;
		const json_t *first = json_array_get(messages, from);
		const json_t *pause = json_object_get(first, PAUSE_KEY);
		*PL_PUSH(ret->items, ret->count, ret->room) = (struct turn){
			.from = from,
			.to = i,
			.pause_s = pause != NULL ? json_number_value(pause) : NAN,
			.response = message,
			.recorded = pl_text_equal(role_of(json_array_get(messages, i + 1)), "tool"),
		};
		from = i + 1;
		has_own = false;
	}
}

/* Without the keys that are ours. */
static json_t *bare(const json_t *message)
{
	json_t *copy = json_copy((json_t *)message);

	json_object_del(copy, PAUSE_KEY);
	json_object_del(copy, LENGTH_KEY);
	return copy;
}

static json_t *messages_of(const json_t *record, const struct turns *turns, size_t i)
{
	const json_t *messages = json_object_get(record, "messages");
	json_t *own = json_array();

	if (i > 0 && turns->items[i - 1].recorded)
		json_array_append_new(own, bare(turns->items[i - 1].response));
	for (size_t k = turns->items[i].from; k < turns->items[i].to; k++)
		json_array_append_new(own, bare(json_array_get(messages, k)));
	return own;
}

/* Counts the recorded responses; turns without a text to count have a length already. */
static int count_responses(struct bench_dataset_work *work, const char *const *texts,
			   struct pl_err *err)
{
	size_t count = 0;
	auto_free size_t *places = pl_alloc_array(work->into->count, sizeof(*places));
	auto_free const char **wanted = pl_alloc_array(work->into->count, sizeof(*wanted));
	auto_free struct bench_ids *ids = pl_alloc_array(work->into->count, sizeof(*ids));

	for (size_t i = 0; i < work->into->count; i++) {
		if (texts[i] == NULL)
			continue;
		places[count] = i;
		wanted[count++] = texts[i];
	}
	if (count == 0)
		return 0;
	if (work->tokenizer == NULL)
		return pl_err_invalid(err,
				      "the lengths of recorded responses need a tokenizer, and "
				      "the server has no usable /tokenize; set "
				      "{benchmark.output_len}");
	if (bench_tokenizer_encode(work->tokenizer, wanted, count, false, ids, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		work->into->samples[places[i]].output_tokens = ids[i].count > 0
								       ? (int64_t)ids[i].count
								       : 1;
		free(ids[i].ids);
	}
	return 0;
}

/* Returns the length for all turns; RES_NO_COUNT: that of each recorded response. */
static int64_t output_len(const struct vllm_bench *bench)
{
	int64_t len = pl_text_equal(bench->dataset_name, "custom") ? bench->custom_output_len
								   : bench->sharegpt_output_len;

	if (bench->output_len != OPTION_NO_I64)
		return bench->output_len;
	return len == FROM_RECORDS || len == OPTION_NO_I64 ? RES_NO_COUNT : len;
}

/* What follows for a turn whose response was not recorded. */
#define OUTPUT_LEN 256

struct building {
	struct bench_dataset_work *work;
	const char **texts; /* [work->into->count] responses to count; NULL: none */
	size_t room;
};

static void add_turns(struct building *building, const json_t *record, const struct turns *turns,
		      size_t count)
{
	struct bench_dataset_work *work = building->work;
	const struct vllm_bench *bench = work->bench;
	int64_t len = output_len(bench);
	size_t texts = work->into->count;

	work->into->session_count++;
	for (size_t i = 0; i < count; i++) {
		const struct turn *turn = &turns->items[i];
		const json_t *length = json_object_get(turn->response, LENGTH_KEY);
		const char *text = NULL;
		struct bench_sample sample = {
			.messages = messages_of(record, turns, i),
			.tools = json_incref(json_object_get(record, "tools")),
			.prompt_tokens = RES_NO_COUNT,
			.output_tokens = len,
			.session = (uint32_t)work->into->session_count,
			.turn = (uint32_t)i,
			.gap_s = isnan(turn->pause_s) ? (double)bench->multi_turn_delay_ms / 1e3
						      : turn->pause_s,
			.grows = true,
			.keeps_response = !turn->recorded,
		};
		if (len == RES_NO_COUNT && length != NULL)
			sample.output_tokens = json_integer_value(length);
		else if (len == RES_NO_COUNT)
			text = pl_json_get_text(turn->response, "content");
		if (sample.output_tokens == RES_NO_COUNT)
			sample.output_tokens = OUTPUT_LEN;
		bench_dataset_add(work, &sample);
		*PL_PUSH(building->texts, texts, building->room) = text;
	}
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	struct building building = { .work = work };
	size_t wanted = bench->num_prompts < 1 ? work->entries.count : (size_t)bench->num_prompts;

	bench_entries_shuffle(work, (uint64_t)bench->seed);
	for (size_t i = 0; i < work->entries.count && work->into->session_count < wanted; i++) {
		const json_t *record = work->entries.items[i].object;
		struct turns turns = { 0 };
		cut_turns(json_object_get(record, "messages"), &turns);
		size_t most = bench->multi_turn_max_turns > 0 ? (size_t)bench->multi_turn_max_turns
							      : turns.count;
		size_t count = turns.count < most ? turns.count : most;
		if (count > 0 && count >= (size_t)bench->multi_turn_min_turns)
			add_turns(&building, record, &turns, count);
		free(turns.items);
	}
	int done = 0;
	if (work->into->count == 0)
		done = pl_err_invalid(err, "no conversation has {benchmark.multi_turn_min_turns} "
					   "turns");
	else
		done = count_responses(work, building.texts, err);
	free(building.texts);
	if (done < 0)
		return pl_err_wrap(err, "dataset '%s'", bench->dataset_path);
	work->into->chat_template = "server";
	if (bench->num_prompts > 0 && work->into->session_count < wanted)
		bench_dataset_note(work->into,
				   "%zu conversations instead of %zu: the dataset has no more",
				   work->into->session_count, wanted);
	return 0;
}

const struct bench_dataset_kind bench_dataset_turns = { .parse = parse,
							.nothing = "no conversation",
							.build = build };
