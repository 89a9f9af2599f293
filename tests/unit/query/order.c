#include "query/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"

#define ITEMS_MAX 200

static int compare_items(const void *a, const void *b, void *context)
{
	const uint32_t *one = a, *other = b;

	assert_string_equal(context, "context");
	return (*one > *other) - (*one < *other);
}

static void test_query_order__has_the_first_ones_of_many(void **state)
{
	char context[] = "context";
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 3);
	for (int round = 0; round < 500; round++) {
		uint32_t items[ITEMS_MAX], sorted[ITEMS_MAX];
		size_t count = pl_pyrandom_below(&rng, ITEMS_MAX);
		size_t first = pl_pyrandom_below(&rng, ITEMS_MAX + 20);
		for (size_t i = 0; i < count; i++)
			items[i] = sorted[i] = (uint32_t)i * 3;
		pl_pyrandom_shuffle(&rng, items, count, sizeof(*items));
		query_order_first(items, count, sizeof(*items), first, compare_items, context);
		for (size_t i = 0; i < count && i < first; i++)
			assert_int_equal(items[i], sorted[i]);
		/* none is lost */
		qsort_r(items, count, sizeof(*items), compare_items, context);
		assert_memory_equal(items, sorted, count * sizeof(*items));
	}
}

static const struct {
	const char *field;
	enum res_field_type type;
	const char *texts[8]; /* in their order */
} cases[] = {
	{ "quality.verdict",
	  RES_FIELD_TEXT,
	  { "trusted", "degraded", "client_limited", "", "another", "untrusted" } },
	{ "run.status",
	  RES_FIELD_TEXT,
	  { "completed", "partial", "failed", "launch_failed", "timeout", "interrupted", "odd" } },
	{ "quality.client_error.status", RES_FIELD_TEXT, { "passed", "over_limit", "unknown" } },
	{ "server.model", RES_FIELD_TEXT, { "", "A", "B", "a", "trusted", "ä", "日" } },
	{ "run.timestamp",
	  RES_FIELD_TIME,
	  { "2026-11-19T15:00:00+02:00", "2026-11-19T14:00:00Z", "2026-11-19 14:00:00.5",
	    "2026-11-19", "yesterday" } },
};

static void add_text(struct dictionary *values, const char *text)
{
	const struct mirror_cell cell = { .state = RES_VALUE_PRESENT,
					  .kind = RES_VALUE_TEXT,
					  .text = text };

	mirror_dictionary_code(values, &cell);
}

static struct mirror_column column_of(const struct res_field *field,
				      const struct dictionary *values)
{
	return (struct mirror_column){ .field = field,
				       .values = values,
				       .distinct = values->count };
}

static void test_query_order__of_texts_is_their_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct res_field field = { .id = cases[i].field, .type = cases[i].type };
		const char *const *words = query_order_words(field.id);
		struct dictionary values;
		uint32_t count = 0;
		mirror_dictionary_init(&values, field.type);
		while (count < 8 && cases[i].texts[count] != NULL)
			count++;
		/* the last ones first: a code says nothing of the place */
		for (uint32_t k = count; k-- > 0;)
			add_text(&values, cases[i].texts[k]);
		struct mirror_column column = column_of(&field, &values);
		struct ranks *ranks = query_order_ranks(&column);
		for (uint32_t code = 3; code < values.count; code++) {
			assert_true(ranks->positions[code] < ranks->positions[code - 1]);
			assert_true(query_order_values(words, dictionary_value(&values, code - 1),
						       dictionary_value(&values, code)) > 0);
		}
		assert_int_equal(values.count, count + 2);
		query_order_put(&column, ranks);
		mirror_dictionary_done(&values);
	}
}

/* So that the next key decides between them. */
static void test_query_order__one_instant_is_one_place(void **state)
{
	const struct res_field field = { .id = "run.timestamp", .type = RES_FIELD_TIME };
	struct dictionary values;

	(void)state;
	mirror_dictionary_init(&values, field.type);
	add_text(&values, "2026-11-19T16:00:00+02:00");
	add_text(&values, "2026-11-19T14:00:00Z");
	add_text(&values, "2026-11-19T14:00:01Z");
	struct mirror_column column = column_of(&field, &values);
	struct ranks *ranks = query_order_ranks(&column);
	assert_int_equal(ranks->positions[0], 0);
	assert_int_equal(ranks->positions[1], 1);
	assert_int_equal(ranks->positions[2], ranks->positions[3]);
	assert_true(ranks->positions[4] > ranks->positions[2]);
	query_order_put(&column, ranks);
	mirror_dictionary_done(&values);
}

/* Whatever came in between: the same as of all at once. */
static void test_query_order__continues_with_new_rows(void **state)
{
	const struct res_field field = { .id = "server.model", .type = RES_FIELD_TEXT };
	struct dictionary values;
	struct pl_pyrandom rng;
	char text[32];

	(void)state;
	pl_pyrandom_seed(&rng, 9);
	mirror_dictionary_init(&values, field.type);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 30 * round; i++) {
			snprintf(text, sizeof(text), "%x",
				 (unsigned)pl_pyrandom_below(&rng, 99999));
			add_text(&values, text);
		}
		struct mirror_column column = column_of(&field, &values);
		struct ranks *ranks = query_order_ranks(&column);
		for (uint32_t i = 1; i < values.count; i++) {
			const uint32_t *code = &ranks->order[i];
			assert_true(query_order_values(NULL, dictionary_value(&values, code[-1]),
						       dictionary_value(&values, *code)) < 0);
			assert_int_equal(ranks->positions[*code], i);
			assert_int_equal(
				query_order_find(&column, ranks, dictionary_value(&values, *code)),
				2 * i + 1);
		}
		const struct mirror_value last = { .class = MIRROR_TEXT, .text = "zzz" };
		assert_int_equal(query_order_find(&column, ranks, &last), 2 * values.count);
		query_order_put(&column, ranks);
	}
	mirror_dictionary_done(&values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_order__has_the_first_ones_of_many),
		cmocka_unit_test(test_query_order__of_texts_is_their_fields),
		cmocka_unit_test(test_query_order__one_instant_is_one_place),
		cmocka_unit_test(test_query_order__continues_with_new_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
