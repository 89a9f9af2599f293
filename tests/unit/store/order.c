#include "store/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "store/instant.h"

#define ITEMS_MAX 200

static int compare_items(const void *a, const void *b, void *context)
{
	const uint32_t *one = a, *other = b;

	assert_string_equal(context, "context");
	return (*one > *other) - (*one < *other);
}

static void test_store_order__has_the_first_ones_of_many(void **state)
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
		store_order_first(items, count, sizeof(*items), first, compare_items, context);
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
	{ "quality.client_error.status", RES_FIELD_TEXT, { "ok", "beyond", "unknown" } },
	{ "server.model", RES_FIELD_TEXT, { "", "A", "B", "a", "trusted", "ä", "日" } },
	{ "run.timestamp",
	  RES_FIELD_TIME,
	  { "2026-11-19T15:00:00+02:00", "2026-11-19T14:00:00Z", "2026-11-19 14:00:00.5",
	    "2026-11-19", "yesterday" } },
};

static void test_store_order__of_texts_is_their_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct store_text texts[8] = { 0 };
		struct store_column column = {
			.field = { .id = cases[i].field, .type = cases[i].type }, .texts = texts
		};
		/* the last ones first: a code says nothing of the place */
		while (column.text_count < 8 && cases[i].texts[column.text_count] != NULL)
			column.text_count++;
		for (size_t k = 0; k < column.text_count; k++) {
			struct store_text *text = &texts[column.text_count - 1 - k];
			*text = (struct store_text){ .text = cases[i].texts[k],
						     .class = STORE_TEXT };
			text->is_time = cases[i].type == RES_FIELD_TIME &&
					store_instant_parse(text->text, &text->time_us);
		}
		auto_free uint32_t *ranks = store_order_ranks(&column);
		for (size_t k = 0; k < column.text_count; k++)
			assert_int_equal(ranks[k], column.text_count - 1 - k);
		assert_true(store_order_texts(&column, 0, 1) > 0);
	}
}

/* So that the next key decides between them. */
static void test_store_order__one_instant_is_one_place(void **state)
{
	struct store_text texts[3] = { { .text = "2026-11-19T16:00:00+02:00" },
				       { .text = "2026-11-19T14:00:00Z" },
				       { .text = "2026-11-19T14:00:01Z" } };
	struct store_column column = { .field = { .id = "run.timestamp", .type = RES_FIELD_TIME },
				       .texts = texts,
				       .text_count = 3 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		texts[i].class = STORE_TEXT;
		texts[i].is_time = store_instant_parse(texts[i].text, &texts[i].time_us);
	}
	auto_free uint32_t *ranks = store_order_ranks(&column);
	assert_int_equal(ranks[0], ranks[1]);
	assert_true(ranks[2] > ranks[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_order__has_the_first_ones_of_many),
		cmocka_unit_test(test_store_order__of_texts_is_their_fields),
		cmocka_unit_test(test_store_order__one_instant_is_one_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
