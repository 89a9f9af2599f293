#include "result/record_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"

#define START_NS INT64_C(1000000000)

static void add_event(struct res_record *record, int64_t delta_ns, int64_t tokens, unsigned flags)
{
	record->events = realloc(record->events,
				 (record->event_count + 600) * sizeof(struct res_event));
	assert_non_null(record->events);
	record->event_count += res_event_encode(record->events + record->event_count, 600, delta_ns,
						tokens, flags);
}

/* A chat answer: role-only event, three tokens of which two in one segment, a finish reason. */
static void make_finished(struct res_record *record)
{
	res_record_init(record, 7);
	record->request_id = (struct res_request_id){ "bench-", 7 };
	record->tries = 2;
	record->planned_ns = START_NS - 500;
	record->acted_ns = START_NS;
	record->connected_ns = START_NS + 100;
	record->handshake_ns = 60;
	record->sent_ns = START_NS + 200;
	record->headers_ns = START_NS + 5000;
	add_event(record, 6000, 0, 0);
	add_event(record, 1000, 1, RES_EVENT_CONTENT);
	add_event(record, 0, 2, RES_EVENT_CONTENT | RES_EVENT_COALESCED);
	add_event(record, 900, 0, RES_EVENT_FINISH | RES_EVENT_USER_STAMP);
	record->end_ns = START_NS + 8000;
	record->status = 200;
	record->prompt_tokens_requested = 10;
	record->prompt_tokens = 12;
	record->output_tokens_requested = 3;
	record->output_tokens = 3;
	record->token_source = RES_TOKENS_USAGE;
	strcpy(record->finish_reason, "length");
	record->ok = true;
}

/* As a file holds it; the caller's (free()). */
static char *record_text(const struct res_record *record)
{
	struct pl_buf line;

	pl_buf_init(&line, 64u << 20);
	assert_true(res_record_add_json(&line, record));
	return pl_buf_take(&line);
}

static json_t *record_json(const struct res_record *record)
{
	auto_free char *text = record_text(record);
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (pl_json_parse(text, strlen(text), "record", &json, &err) < 0)
		fail_msg("%s: %s", err.text, text);
	return json;
}

/* Through JSON and its text and back: the same object, and the same record. */
static void assert_round_trip(const struct res_record *record)
{
	auto_free char *text = record_text(record);
	auto_json json_t *read = record_json(record);
	struct res_record back;
	struct pl_err err = PL_ERR_INIT;

	if (res_record_from_json(read, &back, &err) < 0)
		fail_msg("%s: %s", err.text, text);
	auto_free char *retry = record_text(&back);
	assert_string_equal(retry, text);
	assert_int_equal(back.event_count, record->event_count);
	if (record->event_count > 0)
		assert_memory_equal(back.events, record->events,
				    record->event_count * sizeof(struct res_event));
	assert_int_equal(back.ok, record->ok);
	assert_true(pl_text_equal(back.error_kind, record->error_kind));
	assert_int_equal(back.prompt_tokens, record->prompt_tokens);
	res_record_done(&back);
}

static void test_result_record__starts_with_nothing_known(void **state)
{
	struct res_record record;
	auto_json json_t *json = NULL;
	const char *key;
	json_t *value;

	(void)state;
	res_record_init(&record, 3);
	record.ok = true;
	json = record_json(&record);
	json_object_foreach(json, key, value)
	{
		if (strcmp(key, "index") == 0)
			assert_int_equal(json_integer_value(value), 3);
		else if (strcmp(key, "events") == 0)
			assert_int_equal(json_array_size(value), 0);
		else if (strcmp(key, "token_source") == 0)
			assert_string_equal(json_string_value(value), "none");
		else if (strcmp(key, "try") == 0 || strcmp(key, "tries") == 0)
			assert_int_equal(json_integer_value(value), 0);
		else if (strcmp(key, "retried") == 0)
			assert_true(json_is_false(value));
		else if (!json_is_null(value))
			fail_msg("'%s' is not null", key);
	}
	assert_round_trip(&record);
}

static void test_result_record__keeps_what_some_records_have(void **state)
{
	struct res_record record;
	struct res_event_at at;

	(void)state;
	make_finished(&record);
	record.output_chunks = true;
	record.server_queue_s = 0.0015;
	record.server_decode_s = 2.5;
	add_event(&record, 5, 0, RES_EVENT_EMPTY_TEXT);
	record.end_ns += 5;
	assert_round_trip(&record);
	auto_free char *text = record_text(&record);
	assert_non_null(strstr(
		text,
		",\"output_chunks\":true,\"server_queue_s\":0.0015,\"server_decode_s\":2.5,"));
	assert_null(strstr(text, "server_ttft_s"));
	assert_non_null(strstr(text, ",0,32]"));
	/* without the speaker's event and the one that only ends the answer */
	struct res_event_cursor cursor = res_record_cursor(&record);
	static const unsigned flags[] = { RES_EVENT_CONTENT,
					  RES_EVENT_CONTENT | RES_EVENT_COALESCED,
					  RES_EVENT_EMPTY_TEXT };
	for (size_t i = 0; i < PL_ARRAY_SIZE(flags); i++) {
		assert_true(res_record_next_chunk(&cursor, &at));
		assert_int_equal(at.flags, flags[i]);
	}
	assert_false(res_record_next_chunk(&cursor, &at));
	assert_int_equal(res_record_first_event_ns(&record), START_NS + 6000);
	assert_int_equal(res_record_first_chunk_ns(&record), START_NS + 7000);
	record.output_chunks = false;
	assert_int_equal(res_record_first_chunk_ns(&record), START_NS + 6000);
	res_record_done(&record);
}

static void test_result_record__writes_the_side_files_object(void **state)
{
	static const char wanted[] =
		"{\"index\":7,\"request_id\":\"bench-7\",\"try\":2,\"tries\":2,"
		"\"retried\":false,\"planned_ns\":999999500,\"queued_ns\":"
		"null,"
		"\"acted_ns\":1000000000,\"connected_ns\":1000000100,\"handshake_ns\":60,"
		"\"sent_ns\":1000000200,"
		"\"headers_ns\":1000005000,\"first_event_ns\":1000006000,"
		"\"first_token_ns\":1000007000,\"end_ns\":1000008000,"
		"\"events\":[[1000006000,0,0],[1000007000,1,2],[1000007000,2,3],[1000007900,0,12]],"
		"\"prompt_tokens_requested\":10,\"prompt_tokens\":12,\"output_tokens_requested\":3,"
		"\"output_tokens\":3,\"token_source\":\"usage\",\"finish_reason\":\"length\","
		"\"status\":200,\"error\":null}";
	struct res_record record;

	(void)state;
	make_finished(&record);
	auto_free char *text = record_text(&record);
	assert_string_equal(text, wanted);
	assert_round_trip(&record);
	res_record_done(&record);
}

static void test_result_record__round_trips_failures(void **state)
{
	static const char *const messages[] = { NULL, "engine died", "bad \xff\xc3 bytes",
						"\"quoted\"\n\\" };
	struct res_record record;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(messages); i++) {
		make_finished(&record);
		record.ok = false;
		record.status = i == 0 ? 0 : 500;
		record.error_kind = res_failure_name(i == 0 ? "connect" : "http_status");
		record.error = pl_strdup(messages[i]);
		assert_round_trip(&record);
		res_record_done(&record);
	}
}

static void test_result_record__marks_invalid_utf8(void **state)
{
	struct res_record record;
	auto_json json_t *json = NULL;

	(void)state;
	res_record_init(&record, 0);
	record.error_kind = res_failure_name("stream_error");
	record.error = pl_strdup("a\xff"
				 "b");
	json = record_json(&record);
	assert_string_equal(json_string_value(pl_json_get_path(json, "error.message")),
			    "a\xef\xbf\xbd"
			    "b");
	res_record_done(&record);
}

/* A line is written completely or not at all. */
static void test_result_record__needs_room_for_all(void **state)
{
	struct res_record record;

	(void)state;
	make_finished(&record);
	auto_free char *text = record_text(&record);
	for (size_t room = 0; room <= strlen(text) + 128; room++) {
		auto_buf line = { 0 };
		pl_buf_init(&line, room + 1);
		pl_buf_add_char(&line, '>');
		if (res_record_add_json(&line, &record)) {
			assert_true(room >= strlen(text));
			assert_string_equal(pl_buf_text(&line) + 1, text);
		} else {
			assert_true(room < strlen(text) + 64);
			assert_int_equal(line.len, 1);
		}
	}
	res_record_done(&record);
}

/* As a json_t writes them. */
static void test_result_record__numbers_of_any_size(void **state)
{
	struct res_record record;

	(void)state;
	res_record_init(&record, 0);
	for (int64_t step = 1; step < RES_TIME_MAX / 10; step *= 10) {
		for (int64_t off = -1; off <= 1; off++) {
			auto_json json_t *json = NULL;
			record.end_ns = step + off;
			json = record_json(&record);
			assert_true(json_integer_value(json_object_get(json, "end_ns")) ==
				    step + off);
		}
	}
}

static void test_result_record__joins_entries_of_one_event(void **state)
{
	static const int64_t counts[] = { 0,    1,    2046, 2047,  2048,
					  2049, 4094, 4095, 65536, RES_RECORD_TOKENS_MAX };
	struct res_record record;
	struct res_event_at at;

	(void)state;
	res_record_init(&record, 0);
	record.ok = true;
	record.acted_ns = START_NS;
	for (size_t i = 0; i < PL_ARRAY_SIZE(counts); i++)
		add_event(&record, 10, counts[i], RES_EVENT_CONTENT);
	assert_true(record.event_count > PL_ARRAY_SIZE(counts));
	struct res_event_cursor cursor = res_record_cursor(&record);
	for (size_t i = 0; i < PL_ARRAY_SIZE(counts); i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.tokens, counts[i]);
		assert_int_equal(at.t_ns, START_NS + 10 * (int64_t)(i + 1));
		assert_int_equal(at.flags, RES_EVENT_CONTENT);
	}
	assert_false(res_record_next(&cursor, &at));
	assert_round_trip(&record);
	res_record_done(&record);
}

static void add_since(struct res_record *record, int64_t early_ns, unsigned exact)
{
	record->events = realloc(record->events,
				 (record->event_count + 1) * sizeof(struct res_event));
	assert_non_null(record->events);
	record->events[record->event_count++] = res_event_since(early_ns, exact);
}

static void test_result_record__marks_exact_times(void **state)
{
	static const int64_t early[] = { 0, 7, 7, 0, 0, 40, 0, 5, 5 };
	struct res_record record;
	struct res_event_at at;

	(void)state;
	res_record_init(&record, 0);
	record.ok = true;
	record.acted_ns = START_NS;
	add_event(&record, 100, 1, RES_EVENT_CONTENT);
	/* two of three; the middle one over several entries */
	add_event(&record, 100, 1, RES_EVENT_CONTENT);
	add_event(&record, 0, 3 * RES_EVENT_TOKENS_MAX, RES_EVENT_COALESCED);
	add_event(&record, 0, 1, RES_EVENT_COALESCED);
	add_since(&record, 7, 1);
	add_event(&record, 100, 1, RES_EVENT_CONTENT);
	/* one that the reader timed */
	add_event(&record, 100, 1, RES_EVENT_USER_STAMP);
	add_since(&record, 40, 0);
	add_event(&record, 100, 1, 0);
	add_event(&record, 100, 1, 0);
	add_event(&record, 0, 1, RES_EVENT_COALESCED);
	add_since(&record, 5, 0);
	struct res_event_cursor cursor = res_record_cursor(&record);
	for (size_t i = 0; i < PL_ARRAY_SIZE(early); i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.t_ns - at.earliest_ns, early[i]);
	}
	assert_int_equal(at.t_ns, START_NS + 600);
	assert_false(res_record_next(&cursor, &at));
	assert_round_trip(&record);
	res_record_done(&record);
}

static void test_result_record__reads_lines_without_a_handshake(void **state)
{
	struct res_record record, back;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	make_finished(&record);
	auto_json json_t *json = record_json(&record);
	json_object_del(json, "handshake_ns");
	assert_int_equal(res_record_from_json(json, &back, &err), 0);
	assert_int_equal(back.handshake_ns, RES_NO_COUNT);
	res_record_done(&back);
	res_record_done(&record);
}

static void test_result_record__keeps_the_longest_gap(void **state)
{
	struct res_record record;

	(void)state;
	res_record_init(&record, 0);
	record.ok = true;
	record.acted_ns = START_NS;
	add_event(&record, RES_EVENT_DELTA_MAX, 1, RES_EVENT_CONTENT);
	assert_int_equal(res_record_first_token_ns(&record), START_NS + RES_EVENT_DELTA_MAX);
	assert_round_trip(&record);
	res_record_done(&record);
}

static void test_result_record__refuses_entries_without_room(void **state)
{
	struct res_event entries[2];

	(void)state;
	assert_int_equal(res_event_encode(entries, 0, 1, 1, 0), 0);
	assert_int_equal(res_event_encode(entries, 1, 1, 2048, 0), 0);
	assert_int_equal(res_event_encode(entries, 2, 1, 2048, 0), 2);
	assert_int_equal(res_event_encode(entries, 2, 1, 3 * 2047, 0), 0);
	assert_int_equal(res_event_encode(entries, 2, -5, -5, RES_EVENT_MORE), 1);
	assert_int_equal(entries[0].delta_ns, 0);
	assert_int_equal(entries[0].tokens, 0);
	assert_int_equal(entries[0].flags, 0);
}

static void test_result_record__first_times_follow_the_flags(void **state)
{
	struct res_record record;

	(void)state;
	res_record_init(&record, 0);
	assert_int_equal(res_record_first_event_ns(&record), RES_NO_TIME);
	record.acted_ns = START_NS;
	add_event(&record, 10, 0, 0);
	assert_int_equal(res_record_first_event_ns(&record), START_NS + 10);
	assert_int_equal(res_record_first_token_ns(&record), RES_NO_TIME);
	add_event(&record, 10, 0, RES_EVENT_FINISH);
	assert_int_equal(res_record_first_token_ns(&record), RES_NO_TIME);
	add_event(&record, 10, 1, RES_EVENT_CONTENT);
	assert_int_equal(res_record_first_token_ns(&record), START_NS + 30);
	res_record_done(&record);
}

/* One change to a good object that must be refused; NULL value: the key is taken away. */
static const struct broken {
	const char *key;
	const char *value;
} broken[] = {
	{ "index", "null" },
	{ "index", "-1" },
	{ "index", "1.5" },
	{ "index", NULL },
	{ "request_id", "\"\"" },
	{ "request_id", "5" },
	{ "request_id", NULL },
	{ "try", "null" },
	{ "try", "3" },
	{ "try", "-1" },
	{ "try", NULL },
	{ "tries", "null" },
	{ "tries", "1" },
	{ "tries", NULL },
	{ "retried", "null" },
	{ "retried", "true" },
	{ "retried", NULL },
	{ "planned_ns", "\"1\"" },
	{ "planned_ns", "-1" },
	{ "acted_ns", "null" },
	{ "acted_ns", "2000000000" },
	{ "headers_ns", NULL },
	{ "first_event_ns", "1000006001" },
	{ "first_event_ns", "null" },
	{ "first_token_ns", "1000006000" },
	{ "first_token_ns", NULL },
	{ "events", "null" },
	{ "events", "{}" },
	{ "events", "[1]" },
	{ "events", "[[1000006000,0]]" },
	{ "events", "[[1000006000,0,0,1000005000,0]]" },
	{ "events", "[[1000006000,0,0,1000006000]]" },
	{ "events", "[[1000006000,0,0,999999999]]" },
	{ "events", "[[1000006000,0,0],[1000007000,0,2,1000006500],[1000007000,0,1,1000006400]]" },
	{ "events", "[[1000006000,0,0],[1000007000,0,2],[1000007000,0,1,1000006500]]" },
	{ "handshake_ns", "-1" },
	{ "handshake_ns", "1.5" },
	{ "events", "[[1000006000,-1,0]]" },
	{ "events", "[[1000006000,0,32]]" },
	{ "events", "[[1000006000,1048577,0]]" },
	{ "events", "[[1000006000,0.5,0]]" },
	{ "events", "[[1000006000,0,0],[1000005999,1,2]]" },
	{ "events", "[[36184372088832000,0,0]]" },
	{ "output_tokens", "-1" },
	{ "token_source", "\"guess\"" },
	{ "token_source", "null" },
	{ "finish_reason", "\"012345678901234567890123\"" },
	{ "status", "1000" },
	{ "status", "0" },
	{ "status", NULL },
	{ "error", NULL },
	{ "error", "true" },
	{ "error", "{}" },
	{ "error", "{\"kind\":\"nonsense\",\"status\":200,\"message\":null}" },
	{ "error", "{\"kind\":\"connect\",\"status\":201,\"message\":null}" },
	{ "error", "{\"kind\":\"connect\",\"status\":200}" },
	{ "error", "{\"kind\":\"connect\",\"status\":200,\"message\":1}" },
	{ "error", "{\"kind\":\"connect\",\"status\":200,\"message\":null,\"more\":1}" },
	{ "unknown_key", "1" },
};

static void test_result_record__refuses_broken_objects(void **state)
{
	struct res_record record, back;

	(void)state;
	make_finished(&record);
	for (size_t i = 0; i < PL_ARRAY_SIZE(broken); i++) {
		auto_json json_t *json = record_json(&record);
		struct pl_err err = PL_ERR_INIT;
		if (broken[i].value == NULL)
			json_object_del(json, broken[i].key);
		else
			json_object_set_new(json, broken[i].key,
					    json_loads(broken[i].value, JSON_DECODE_ANY, NULL));
		res_record_init(&back, 99);
		if (res_record_from_json(json, &back, &err) == 0)
			fail_msg("%s = %s was taken", broken[i].key, broken[i].value);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_int_equal(back.index, 99);
	}
	res_record_done(&record);
}

static void test_result_record__a_failed_try_has_a_separate_line(void **state)
{
	struct res_record record;
	auto_json json_t *json = NULL;

	(void)state;
	res_record_init(&record, 3);
	record.acted_ns = 5;
	record.end_ns = 9;
	record.tries = 2;
	record.retried = true;
	record.status = 503;
	record.error_kind = res_failure_name("http_status");
	json = record_json(&record);
	assert_int_equal(json_integer_value(json_object_get(json, "try")), 2);
	assert_true(json_is_null(json_object_get(json, "tries")));
	assert_true(json_is_true(json_object_get(json, "retried")));
	assert_round_trip(&record);
}

static void test_result_record__names_of_any_length(void **state)
{
	char prefix[RES_ID_PREFIX_MAX + 1], text[RES_ID_BYTES];
	struct res_record record;

	(void)state;
	/* what a plan holds once is not in each of its records */
	assert_true(sizeof(struct res_request_id) <= 16);
	memset(prefix, 'x', RES_ID_PREFIX_MAX);
	prefix[RES_ID_PREFIX_MAX] = '\0';
	make_finished(&record);
	record.request_id = (struct res_request_id){ prefix, INT64_MAX };
	res_request_id_text(&record.request_id, text, sizeof(text));
	assert_int_equal(strlen(text), RES_ID_PREFIX_MAX + 19);
	assert_string_equal(text + RES_ID_PREFIX_MAX, "9223372036854775807");
	assert_round_trip(&record);
	res_record_set_id(&record, "own");
	res_request_id_text(&record.request_id, text, sizeof(text));
	assert_string_equal(text, "own");
	res_record_set_id(&record, "");
	res_request_id_text(&record.request_id, text, sizeof(text));
	assert_string_equal(text, "");
	res_record_done(&record);
}

static void test_result_record__refuses_other_json(void **state)
{
	auto_json json_t *array = json_array();
	struct pl_err err = PL_ERR_INIT;
	struct res_record back;

	(void)state;
	assert_int_equal(res_record_from_json(array, &back, &err), -1);
	assert_int_equal(res_record_from_json(NULL, &back, &err), -1);
}

static void test_result_record__knows_its_words(void **state)
{
	(void)state;
	assert_string_equal(res_token_source_name(RES_TOKENS_EVENTS), "events");
	assert_string_equal(res_failure_name("truncated"), "truncated");
	assert_null(res_failure_name("Truncated"));
	assert_null(res_failure_name(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_record__starts_with_nothing_known),
		cmocka_unit_test(test_result_record__keeps_what_some_records_have),
		cmocka_unit_test(test_result_record__writes_the_side_files_object),
		cmocka_unit_test(test_result_record__round_trips_failures),
		cmocka_unit_test(test_result_record__marks_invalid_utf8),
		cmocka_unit_test(test_result_record__needs_room_for_all),
		cmocka_unit_test(test_result_record__numbers_of_any_size),
		cmocka_unit_test(test_result_record__joins_entries_of_one_event),
		cmocka_unit_test(test_result_record__marks_exact_times),
		cmocka_unit_test(test_result_record__reads_lines_without_a_handshake),
		cmocka_unit_test(test_result_record__keeps_the_longest_gap),
		cmocka_unit_test(test_result_record__refuses_entries_without_room),
		cmocka_unit_test(test_result_record__first_times_follow_the_flags),
		cmocka_unit_test(test_result_record__refuses_broken_objects),
		cmocka_unit_test(test_result_record__a_failed_try_has_a_separate_line),
		cmocka_unit_test(test_result_record__names_of_any_length),
		cmocka_unit_test(test_result_record__refuses_other_json),
		cmocka_unit_test(test_result_record__knows_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
