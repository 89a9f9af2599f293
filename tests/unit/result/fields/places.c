#include "result/fields/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "result/fields/fields.h"

/* Something of each way in which fields stand in documents. */
static const char document_text[] =
	"{\"run_id\": \"r\", \"duration\": null, \"tags\": {\"a.b\": 1, \"5\": {\"x\": 2}, \"\": "
	"3},"
	" \"config\": {\"server\": {\"seed\": 1, \"new_one\": {\"k\": [{\"deep\": 1}]}},"
	"  \"benchmark\": {\"num_prompts\": 3}, \"experiment\": {\"server\": {\"seed\": 1}}},"
	" \"results\": {\"p97.5_ttft_ms\": 4, \"mean_ttft_ms_ci95\": [1, 2],"
	"  \"errors\": [{\"kind\": \"timeout\", \"count\": 2, \"retried\": 1}],"
	"  \"steady\": {\"mean_ttft_ms\": 5}},"
	" \"quality\": {\"verdict\": \"trusted\","
	"  \"checks\": [{\"no\": 0}, {\"id\": \"client_cpu\", \"status\": \"ok\", \"value\": 0.1}, "
	"{\"no\": "
	"1}]},"
	" \"system\": {\"gpus\": [{\"name\": \"G\", \"memory_mib\": 5}, {\"name\": \"G\"}]}}";

static const char *const ids[] = {
	"tags.a.b",
	"tags.5.x",
	"tags.5",
	"tags.",
	"tags",
	"config.server",
	"server.new_one",
	"server.new_one.k",
	"server.new_one.k.0",
	"server.new_one.k.+0",
	"experiment.server.seed",
	"results.p97.5_ttft_ms",
	"results.mean_ttft_ms_ci95",
	"results.mean_ttft_ms_ci95.1",
	"results.errors.timeout.count",
	"results.errors.timeout.retried",
	"results.errors.none_such.count",
	"quality.client_cpu.value",
	"quality.checks.2",
	"system.gpus.1",
	"run.tags.a.b",
	"run.results.p97.5_ttft_ms",
};

struct told {
	char *places[400];
	size_t count;
};

/* FNV-1a of the whole text: walking puts it together part by part. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = RES_PLACE_HASH_OF_NONE;

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static void keep(void *context, const char *place, uint64_t hash)
{
	struct told *told = context;

	assert_true(hash == hash_of(place));
	assert_true(told->count < PL_ARRAY_SIZE(told->places));
	told->places[told->count++] = pl_strdup(place);
}

static bool is_told(const struct told *told, const char *id)
{
	auto_buf place = { 0 };

	res_place_of_field(id, &place);
	for (size_t i = 0; i < told->count; i++) {
		if (strcmp(told->places[i], pl_buf_text(&place)) == 0)
			return true;
	}
	return false;
}

static void tell(const json_t *document, struct told *told)
{
	*told = (struct told){ .count = 0 };
	res_places_of(document, keep, told);
}

static void forget(struct told *told)
{
	for (size_t i = 0; i < told->count; i++)
		free(told->places[i]);
}

static json_t *read_document(void)
{
	json_t *document = json_loads(document_text, 0, NULL);

	assert_non_null(document);
	return document;
}

static void test_result_fields_places__what_is_recorded_is_told(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *document = read_document();
	size_t rows = res_fields_count(fields), recorded = 0;
	struct told told;

	(void)state;
	tell(document, &told);
	for (size_t i = 0; i < rows + PL_ARRAY_SIZE(ids); i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		struct res_field field;
		if (i < rows)
			field = *res_fields_at(fields, i);
		else if (res_fields_resolve(fields, ids[i - rows], &field, NULL) < 0)
			res_field_unlisted(ids[i - rows], &field);
		res_field_value(fields, &field, document, &value);
		recorded += value.state != RES_VALUE_NOT_RECORDED;
		if (value.state != RES_VALUE_NOT_RECORDED && !is_told(&told, field.id))
			fail_msg("'%s' is recorded and not told", field.id);
		if (i >= rows && value.state == RES_VALUE_NOT_RECORDED)
			fail_msg("'%s' is not recorded", field.id);
	}
	assert_true(recorded > PL_ARRAY_SIZE(ids) + 10);
	forget(&told);
}

static void test_result_fields_places__what_is_not_there_is_not_told(void **state)
{
	static const char *const none[] = {
		"tags.c",
		"tags.seed",
		"server.new",
		"server.new_one.x",
		"results.p97_ttft_ms",
		"results.steady.p97.5_ttft_ms",
		"quality.client_cpu.limit",
		"quality.other.value",
		"derived.nothing",
		"nothing",
		"run.nothing",
	};
	auto_json json_t *document = read_document();
	struct told told;

	(void)state;
	tell(document, &told);
	for (size_t i = 0; i < PL_ARRAY_SIZE(none); i++) {
		if (is_told(&told, none[i]))
			fail_msg("'%s' is told", none[i]);
	}
	forget(&told);
}

/* Names beyond all bounds have a place all the same, by their beginning. */
static void test_result_fields_places__long_names_are_cut_alike(void **state)
{
	auto_free char *key = pl_alloc(5000);
	auto_json json_t *document = json_object();
	struct told told;

	(void)state;
	memset(key, 'k', 4999);
	json_object_set_new(document, key, json_pack("{s:i}", "x", 1));
	auto_free char *id = pl_asprintf("%s.x", key);
	tell(document, &told);
	assert_true(is_told(&told, key));
	assert_true(is_told(&told, id));
	key[1] = 'l';
	assert_false(is_told(&told, key));
	forget(&told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_fields_places__what_is_recorded_is_told),
		cmocka_unit_test(test_result_fields_places__what_is_not_there_is_not_told),
		cmocka_unit_test(test_result_fields_places__long_names_are_cut_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
