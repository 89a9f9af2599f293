#include "result/fields/leaves.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/result/fields/documents.h"

#define SEED      11
#define DOCUMENTS 200

/* Ids without a row: newer than this program, or parts of values. */
static const char *const unlisted[] = {
	"server.new_one",
	"server.new_one.x",
	"server.compilation_config.other",
	"server.compilation_config.other.x",
	"server.compilation_config.9",
	"server.cudagraph_capture_sizes.0",
	"server.seed.0",
	"server.host.b",
	"server.logging_config.a",
	"server.logging_config.a.0",
	"server",
	"benchmark.new_one",
	"benchmark.header.0",
	"experiment.launch",
	"experiment.launch.new_one",
	"config.server.seed",
	"config.server_source.seed",
	"config.server.host",
	"run.config.server.host",
	"run.new_one",
	"run.new_one.a.b",
	"tags.a",
	"tags.a.b",
	"tags.2024",
	"tags.x.y",
	"tags",
	"results.p97.5_ttft_ms",
	"results.p99",
	"results.errors",
	"results.errors.timeout.count",
	"results.errors.timeout.retried",
	"results.errors.none_such.count",
	"results.errors.0.kind",
	"results.mean_ttft_ms_ci95.0",
	"results.mean_ttft_ms_ci95.1",
	"results.latencies.0",
	"quality.client_cpu",
	"quality.none_such.value",
	"quality.client_cpu.new_one",
	"quality.checks.0.value",
	"quality.client_cpu.value.x",
	"system.gpus",
	"system.gpus.0.name",
	"system.gpus.new_one",
	"system.new_one",
	"launch.env.HOME",
	"launch.env",
	"odd.",
	".odd",
	"odd..x",
	"odd.a.b",
	"odd",
	"new_list.0",
	"new_list.0.a",
	"new_list",
	"new_list.a",
};

/* As documents.h, with keys that no field names. */
static const char *const more[] = {
	"{\"config\": {\"server\": {\"host\": \"h\", \"new_one\": {\"x\": 1, \"y.z\": 2},"
	" \"logging_config\": {\"a\": [1, {\"b\": 2}]}, \"cudagraph_capture_sizes\": [4, 8]},"
	" \"server_explicit\": [\"new_one\", \"host\", \"logging_config\"],"
	" \"benchmark\": {\"new_one\": null, \"header\": [\"x\"]},"
	" \"experiment\": {\"benchmark\": {\"new_one\": 1}, \"launch\": {\"new_one\": \"30s\"}}},"
	" \"tags\": {\"a\": \"b\", \"2024\": 5, \"x.y\": 3, \"x\": {\"z\": 1}},"
	" \"odd\": {\"\": 1, \"a.\": 2, \"a\": {\"b\": 3}}, \"new_list\": [{\"a\": 1}, 2],"
	" \"new_one\": {\"a\": {\"b\": \"inf\"}}, \"launch\": {\"env\": {\"HOME\": \"/root\"}},"
	" \"results\": {\"latencies\": [1, 2], \"mean_ttft_ms_ci95\": [1.5, 2.5],"
	" \"p97.5_ttft_ms\": 7, \"errors\": []},"
	" \"quality\": {\"checks\": [{\"id\": \"client_cpu\", \"new_one\": {\"x\": 1}, \"limit\": "
	"3,"
	" \"value\": 1}], \"none_such\": {\"value\": 9}},"
	" \"system\": {\"gpus\": [{\"uuid\": \"u\", \"new_one\": 1}, {\"name\": \"G\"}], "
	"\"new_one\": 4}}",
	"{\"tags\": {\"a\": {\"b\": 1}, \"a.b\": 2}, \"run\": {\"new_one\": 1},"
	" \"server\": {\"new_one\": 3}, \"stored\": {\"notes\": \"n\"}}",
};

struct leaf_list {
	struct res_leaf *items;
	size_t count;
	size_t room;
};

static void add_leaf(void *context, const struct res_leaf *leaf)
{
	struct leaf_list *list = context;

	*PL_PUSH(list->items, list->count, list->room) =
		(struct res_leaf){ pl_strdup(leaf->path), pl_strdup(leaf->text), leaf->flags };
}

/* An index knows a path once: two leaves of one path are a mark. */
static void unite(struct leaf_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		for (size_t k = i + 1; k < list->count; k++) {
			if (strcmp(list->items[i].path, list->items[k].path) == 0 &&
			    (list->items[i].flags != RES_LEAF_SPLIT ||
			     list->items[k].flags != RES_LEAF_SPLIT))
				list->items[i].flags = list->items[k].flags = RES_LEAF_DOCUMENT;
		}
	}
}

static void list_done(struct leaf_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free((void *)list->items[i].path);
		free((void *)list->items[i].text);
	}
	free(list->items);
}

struct counts {
	size_t asked, known, recorded, plain;
};

static void check_field(const struct res_leaf_rules *rules, const struct res_fields *fields,
			const struct res_field *field, const json_t *document,
			const struct leaf_list *list, struct counts *counts)
{
	auto_leaf_question question = { 0 };
	auto_free struct res_leaf *leaves = pl_alloc_array(list->count, sizeof(*leaves));
	auto_value expected = { .state = RES_VALUE_NOT_RECORDED };
	auto_value found = { .state = RES_VALUE_NOT_RECORDED };
	size_t count = 0;

	counts->asked++;
	if (!res_leaf_ask(rules, fields, field, &question))
		return;
	for (size_t i = 0; i < list->count; i++) {
		if (res_leaf_matches(&question, list->items[i].path) &&
		    !res_leaf_is_ignored(&question, &list->items[i]))
			leaves[count++] = list->items[i];
	}
	if (!res_leaf_value(fields, &question, leaves, count, &found))
		return;
	counts->known++;
	res_field_value(fields, field, document, &expected);
	counts->recorded += expected.state != RES_VALUE_NOT_RECORDED;
	/* a value that is not recorded cannot be explicit */
	bool is_same = expected.state == found.state &&
		       (expected.state == RES_VALUE_NOT_RECORDED ||
			(expected.is_explicit == found.is_explicit &&
			 (expected.state == RES_VALUE_NULL ||
			  (expected.kind == found.kind && json_equal(expected.json, found.json)))));
	double number = 0;
	bool is_explicit = false;
	if (is_same && count == 1 && res_leaf_number(&question, leaves, &number, &is_explicit) &&
	    (expected.kind != RES_VALUE_NUMBER || is_explicit != expected.is_explicit ||
	     number < expected.number || number > expected.number))
		fail_msg("'%s': found %g, expected %g", field->id, number, expected.number);
	struct res_leaf_plain plain;
	if (is_same && count == 1 && res_leaf_plain(&question, leaves, &plain)) {
		counts->plain++;
		if (plain.kind != expected.kind || plain.is_explicit != expected.is_explicit ||
		    strlen(expected.text) != plain.len ||
		    memcmp(expected.text, plain.text, plain.len) != 0)
			fail_msg("'%s': found %.*s, expected %s", field->id, (int)plain.len,
				 plain.text, expected.text);
	}
	if (is_same)
		return;
	auto_free char *text = pl_json_to_text(document, PL_JSON_COMPACT);
	auto_json json_t *one = res_value_to_json(&expected);
	auto_json json_t *other = res_value_to_json(&found);
	auto_free char *expected_text = pl_json_to_text(one, PL_JSON_COMPACT);
	auto_free char *found_text = pl_json_to_text(other, PL_JSON_COMPACT);
	fail_msg("'%s': found %s, expected %s, of %s", field->id, found_text, expected_text, text);
}

static void check_document(const struct res_leaf_rules *rules, const struct res_fields *fields,
			   const json_t *document, struct counts *counts)
{
	auto_values struct res_values *values = res_values_new(fields, document);
	__attribute__((cleanup(list_done))) struct leaf_list list = { 0 };

	res_leaves_of(rules, values, add_leaf, &list);
	unite(&list);
	for (size_t i = 0; i < res_fields_count(fields); i++) {
		const struct res_field *field = res_fields_at(fields, i);
		if (!field->column)
			check_field(rules, fields, field, document, &list, counts);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(unlisted); i++) {
		struct res_field field;
		if (res_fields_resolve(fields, unlisted[i], &field, NULL) < 0)
			res_field_unlisted(unlisted[i], &field);
		field.id = unlisted[i];
		check_field(rules, fields, &field, document, &list, counts);
	}
}

static void test_res_leaves__have_the_values_of_documents(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_leaf_rules struct res_leaf_rules *rules = res_leaf_rules_new(fields);
	struct counts counts = { 0 };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(odd_documents); i++) {
		auto_json json_t *document = pl_json_of_text(odd_documents[i]);
		check_document(rules, fields, document, &counts);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(more); i++) {
		auto_json json_t *document = pl_json_of_text(more[i]);
		assert_non_null(document);
		check_document(rules, fields, document, &counts);
	}
	/* most need no document */
	assert_true(counts.known * 100 > counts.asked * 60);
	assert_true(counts.recorded > 40);
	assert_true(counts.plain > 0);
}

static void test_res_leaves__of_any_document(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_leaf_rules struct res_leaf_rules *rules = res_leaf_rules_new(fields);
	struct pl_pyrandom rng;
	struct counts counts = { 0 };

	(void)state;
	pl_pyrandom_seed(&rng, SEED);
	for (size_t i = 0; i < DOCUMENTS; i++) {
		auto_json json_t *document = any_document(&rng, fields);
		check_document(rules, fields, document, &counts);
	}
	assert_true(counts.known * 100 > counts.asked * 50);
	assert_true(counts.recorded > (size_t)DOCUMENTS * 5);
	assert_true(counts.plain > (size_t)DOCUMENTS);
}

static bool accepts(const struct res_leaf_rules *rules, const struct res_fields *fields,
		    const json_t *other, const char *id)
{
	auto_leaf_question question = { 0 };
	struct res_field field;

	if (res_fields_resolve(fields, id, &field, NULL) < 0)
		res_field_unlisted(id, &field);
	return res_leaf_ask(rules, fields, &field, &question) &&
	       res_leaf_rules_accept(rules, other, &question);
}

/* Columns that were added since have no effect; a field that was made of several leaves since needs new ones. */
static void test_res_leaves__know_other_rules(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_leaf_rules struct res_leaf_rules *rules = res_leaf_rules_new(fields);
	auto_json json_t *same = res_leaf_rules_json(rules);
	auto_json json_t *other = json_deep_copy(same);

	(void)state;
	assert_true(res_leaf_rules_accept(rules, same, NULL));
	json_array_remove(json_object_get(other, "columns"), 0);
	json_array_append_new(json_object_get(other, "fields"), json_string("server.none_such"));
	assert_true(res_leaf_rules_accept(rules, other, NULL));
	json_array_append_new(json_object_get(other, "columns"), json_string("results.none_such"));
	assert_false(res_leaf_rules_accept(rules, other, NULL));
	/* only questions that need the value are affected */
	assert_true(accepts(rules, fields, other, "server.host"));
	assert_true(accepts(rules, fields, other, "results.none_such_either"));
	assert_false(accepts(rules, fields, other, "results.none_such"));
	json_decref(other);
	other = json_deep_copy(same);
	json_array_clear(json_object_get(other, "fields"));
	assert_true(accepts(rules, fields, other, "server.host"));
	assert_true(accepts(rules, fields, other, "quality.client_cpu.limit"));
	assert_false(accepts(rules, fields, other, "system.gpus.uuid"));
	json_decref(other);
	other = json_deep_copy(same);
	json_array_remove(json_object_get(other, "fields"), 0);
	assert_false(res_leaf_rules_accept(rules, other, NULL));
	json_decref(other);
	other = json_deep_copy(same);
	/* in version 1, keys that begin with '=' are among the values of fields */
	json_object_set_new(other, "version", json_integer(1));
	assert_false(res_leaf_rules_accept(rules, other, NULL));
	assert_true(accepts(rules, fields, other, "server.host"));
	assert_false(accepts(rules, fields, other, "system.gpus.uuid"));
	assert_false(accepts(rules, fields, other, "quality.client_cpu.limit"));
	assert_false(accepts(rules, fields, other, "results.errors.timeout.count"));
	json_object_set_new(other, "version", json_integer(0));
	assert_false(res_leaf_rules_accept(rules, other, NULL));
	assert_false(accepts(rules, fields, other, "server.host"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_res_leaves__have_the_values_of_documents),
		cmocka_unit_test(test_res_leaves__of_any_document),
		cmocka_unit_test(test_res_leaves__know_other_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
