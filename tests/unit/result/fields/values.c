#include "result/fields/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/result/fields/documents.h"

#define SEED      7
#define DOCUMENTS 300

/* ---- the same ------------------------------------------------------------------------------ */

static void check_field(const struct res_fields *fields, const struct res_field *field,
			const json_t *document, const struct res_values *values)
{
	auto_value alone = { .state = RES_VALUE_NOT_RECORDED };
	auto_value of_all = { .state = RES_VALUE_NOT_RECORDED };

	res_field_value(fields, field, document, &alone);
	res_values_get(values, field, &of_all);
	auto_json json_t *one = res_value_to_json(&alone);
	auto_json json_t *other = res_value_to_json(&of_all);
	bool lacks = alone.state == RES_VALUE_NOT_RECORDED && !alone.is_explicit;
	if (json_equal(one, other) && alone.kind == of_all.kind &&
	    lacks == res_values_lacks(values, field))
		return;
	auto_free char *text = pl_json_to_text(document, PL_JSON_COMPACT);
	auto_free char *expected = pl_json_to_text(one, PL_JSON_COMPACT);
	auto_free char *found = pl_json_to_text(other, PL_JSON_COMPACT);
	fail_msg("'%s' of %s: found %s, expected %s", field->id, text, found, expected);
}

/* How many fields it has. */
static size_t check_document(const struct res_fields *fields, const json_t *document)
{
	auto_values struct res_values *values = res_values_new(fields, document);
	size_t recorded = 0;

	for (size_t i = 0; i < res_fields_count(fields); i++) {
		const struct res_field *field = res_fields_at(fields, i);
		/* one alone is found by way of all */
		if (pl_text_starts(field->id, "derived."))
			continue;
		check_field(fields, field, document, values);
		recorded += !res_values_lacks(values, field);
	}
	return recorded;
}

static void test_res_values__are_those_of_each_field(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	size_t recorded = 0;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(odd_documents); i++) {
		auto_json json_t *document = pl_json_of_text(odd_documents[i]);
		assert_non_null(document);
		recorded += check_document(fields, document);
	}
	assert_true(recorded > 30);
}

static void test_res_values__of_any_document(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct pl_pyrandom rng;
	size_t recorded = 0;

	(void)state;
	pl_pyrandom_seed(&rng, SEED);
	for (size_t i = 0; i < DOCUMENTS; i++) {
		auto_json json_t *document = any_document(&rng, fields);
		recorded += check_document(fields, document);
	}
	assert_true(recorded > (size_t)DOCUMENTS * KEYS_MAX / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_res_values__are_those_of_each_field),
		cmocka_unit_test(test_res_values__of_any_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
