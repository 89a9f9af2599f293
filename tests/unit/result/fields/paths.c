#include "result/fields/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "result/fields/fields.h"

/* One field of each form that documents have. */
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

struct reported {
	char *positions[400];
	size_t count;
};

/* FNV-1a of the whole text: walking puts it together part by part. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = RES_PATH_HASH_OF_NONE;

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static void keep(void *context, const char *position, uint64_t hash)
{
	struct reported *reported = context;

	assert_true(hash == hash_of(position));
	assert_true(reported->count < PL_ARRAY_SIZE(reported->positions));
	reported->positions[reported->count++] = pl_strdup(position);
}

static bool is_reported(const struct reported *reported, const char *id)
{
	auto_buf position = { 0 };

	res_path_of_field(id, &position);
	for (size_t i = 0; i < reported->count; i++) {
		if (strcmp(reported->positions[i], pl_buf_text(&position)) == 0)
			return true;
	}
	return false;
}

static void report(const json_t *document, struct reported *reported)
{
	*reported = (struct reported){ .count = 0 };
	res_paths_of(document, keep, reported);
}

static void forget(struct reported *reported)
{
	for (size_t i = 0; i < reported->count; i++)
		free(reported->positions[i]);
}

static json_t *read_document(void)
{
	json_t *document = json_loads(document_text, 0, NULL);

	assert_non_null(document);
	return document;
}

static void test_result_fields_paths__recorded_fields_are_reported(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *document = read_document();
	size_t rows = res_fields_count(fields), recorded = 0;
	struct reported reported;

	(void)state;
	report(document, &reported);
	for (size_t i = 0; i < rows + PL_ARRAY_SIZE(ids); i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		struct res_field field;
		if (i < rows)
			field = *res_fields_at(fields, i);
		else if (res_fields_resolve(fields, ids[i - rows], &field, NULL) < 0)
			res_field_unlisted(ids[i - rows], &field);
		res_field_value(fields, &field, document, &value);
		recorded += value.state != RES_VALUE_NOT_RECORDED;
		if (value.state != RES_VALUE_NOT_RECORDED && !is_reported(&reported, field.id))
			fail_msg("'%s' is recorded and not reported", field.id);
		if (i >= rows && value.state == RES_VALUE_NOT_RECORDED)
			fail_msg("'%s' is not recorded", field.id);
	}
	assert_true(recorded > PL_ARRAY_SIZE(ids) + 10);
	forget(&reported);
}

static void test_result_fields_paths__missing_fields_are_not_reported(void **state)
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
	struct reported reported;

	(void)state;
	report(document, &reported);
	for (size_t i = 0; i < PL_ARRAY_SIZE(none); i++) {
		if (is_reported(&reported, none[i]))
			fail_msg("'%s' is reported", none[i]);
	}
	forget(&reported);
}

/* Names that are too long have a place nevertheless, by their beginning. */
static void test_result_fields_paths__long_names_are_cut_alike(void **state)
{
	auto_free char *key = pl_alloc(5000);
	auto_json json_t *document = json_object();
	struct reported reported;

	(void)state;
	memset(key, 'k', 4999);
	json_object_set_new(document, key, json_pack("{s:i}", "x", 1));
	auto_free char *id = pl_asprintf("%s.x", key);
	report(document, &reported);
	assert_true(is_reported(&reported, key));
	assert_true(is_reported(&reported, id));
	key[1] = 'l';
	assert_false(is_reported(&reported, key));
	forget(&reported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_fields_paths__recorded_fields_are_reported),
		cmocka_unit_test(test_result_fields_paths__missing_fields_are_not_reported),
		cmocka_unit_test(test_result_fields_paths__long_names_are_cut_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
