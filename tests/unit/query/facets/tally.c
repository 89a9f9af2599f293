/*
 * A facet of a column's ordered numbers equals the facet that counts them one by one, to the last
 * byte, for all selections of rows and all later rows.
 */
#include "query/facets/tally_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"

#define ANSWER_BYTES_MAX (16u << 20)
#define NUMBER_FIELD     "results.p99_ttft_ms"
#define WHOLE_FIELD      "results.total_output_tokens"

static int no_document(void *context, int64_t id, const char *member, json_t **ret,
		       int64_t *ret_changed, struct pl_err *err)
{
	(void)ret_changed;
	(void)member;
	(void)context;
	(void)ret;
	return pl_err_set(err, PL_ERR_IO, "result %lld is not a document", (long long)id);
}

struct made {
	struct res_fields *fields;
	struct mirror *mirror;
	struct mirror_cell *cells;
	size_t number_at, whole_at;
	int64_t rows;
	struct pl_pyrandom rng;
};

static void made_init(struct made *made)
{
	size_t count;

	*made = (struct made){ .fields = res_fields_new(NULL) };
	pl_pyrandom_seed(&made->rng, 3);
	made->mirror = mirror_new(made->fields, no_document, NULL);
	const struct res_field *const *columns = mirror_column_fields(made->fields, &count);
	made->cells = pl_alloc_array(count, sizeof(*made->cells));
	for (size_t i = 0; i < count; i++) {
		made->number_at = strcmp(columns[i]->id, NUMBER_FIELD) == 0 ? i : made->number_at;
		made->whole_at = strcmp(columns[i]->id, WHOLE_FIELD) == 0 ? i : made->whole_at;
	}
}

static void made_done(struct made *made)
{
	mirror_free(made->mirror);
	free(made->cells);
	res_fields_free(made->fields);
}
#define auto_made __attribute__((cleanup(made_done), unused)) struct made

/* Below and above zero, infinite ones, some that many rows have. */
static double some_number(struct pl_pyrandom *rng, uint64_t different)
{
	static const double frequent[] = { 0, 0.5, -3, INFINITY, -INFINITY, 1e300 };
	uint64_t which = pl_pyrandom_below(rng, 40);

	return which < PL_ARRAY_SIZE(frequent) ? frequent[which]
					       : (double)pl_pyrandom_below(rng, different) / 8 - 20;
}

static void add_rows(struct made *made, size_t count, uint64_t different)
{
	struct pl_pyrandom *rng = &made->rng;

	for (size_t i = 0; i < count; i++) {
		uint64_t state = pl_pyrandom_below(rng, 30);
		struct mirror_cell there = { .state = RES_VALUE_PRESENT, .kind = RES_VALUE_NUMBER };
		there.is_explicit = pl_pyrandom_below(rng, 3) == 0;
		there.number = floor(exp((double)pl_pyrandom_below(rng, different) / 300));
		made->cells[made->whole_at] = there;
		there.number = some_number(rng, different);
		made->cells[made->number_at] = there;
		if (state < 2)
			made->cells[made->number_at].state = state == 0 ? RES_VALUE_NULL
									: RES_VALUE_NOT_RECORDED;
		mirror_append(made->mirror,
			      &(struct mirror_row){ .id = ++made->rows, .cells = made->cells });
	}
	for (size_t i = 0; i < count / 20; i++)
		(void)mirror_remove(made->mirror,
				    1 + (int64_t)pl_pyrandom_below(rng, (uint64_t)made->rows));
}

/* Returns all existing rows without one row of `part`, or only that one with `few`. */
static uint64_t *some_rows(struct pl_pyrandom *rng, const struct mirror_view *view, uint64_t part,
			   bool few)
{
	uint64_t *rows = pl_alloc_array(mirror_view_words(view), sizeof(*rows));

	for (size_t i = 0; i < mirror_view_segments(view); i++)
		mirror_view_live(view, i, rows + i * MIRROR_SEGMENT_WORDS);
	for (size_t i = 0; i < mirror_view_words(view); i++) {
		for (size_t bit = 0; rows[i] != 0 && bit < 64; bit++) {
			if ((pl_pyrandom_below(rng, part) == 0) != few)
				rows[i] &= ~(1ull << bit);
		}
	}
	return rows;
}

static void check_column(const struct mirror_column *column, const struct facet_rows *rows)
{
	static const struct facet_options options[] = {
		{ .limit = 50 }, { .limit = 1 }, { .limit = 1000, .offset = 7 }, { .limit = 100000 }
	};
	struct mirror_column plain = *column;
	auto_facets struct facet_scratch *scratch = query_facet_scratch_new();

	plain.number_cache = NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(options); i++) {
		auto_buf one = PL_BUF(ANSWER_BYTES_MAX), other = PL_BUF(ANSWER_BYTES_MAX);
		assert_true(query_facet_of(scratch, column, rows, &options[i], &one));
		assert_true(query_facet_of(scratch, &plain, rows, &options[i], &other));
		query_facet_values(scratch, column, rows, &options[i], &one);
		query_facet_values(scratch, &plain, rows, &options[i], &other);
		assert_int_equal(one.len, other.len);
		assert_memory_equal(one.data, other.data, one.len);
	}
}

/* Are the numbers kept by now? */
static bool are_in_order(const struct mirror_column *column, const struct facet_rows *rows,
			 size_t *ret_unknown)
{
	auto_tally tally = { .room = 0 };

	query_tally_column(&tally, column, rows);
	query_tally_find_numbers(&tally, column, rows);
	*ret_unknown = tally.counted_count;
	return tally.in_order != NULL;
}

static void check(struct made *made)
{
	static const uint64_t parts[] = { 2, 5, 60, 3000 };
	const struct mirror_ids none = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(made->mirror);
	auto_view struct mirror_view *view = NULL;

	assert_int_equal(mirror_view_new(snapshot, &none, &view, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(parts) * 2; i++) {
		auto_free uint64_t *words = some_rows(&made->rng, view, parts[i / 2], i % 2 == 0);
		auto_facet_rows struct facet_rows *rows = query_facet_rows_new(view, words);
		check_column(mirror_view_column(view, NUMBER_FIELD), rows);
		check_column(mirror_view_column(view, WHOLE_FIELD), rows);
	}
}

static void check_kept(struct made *made, bool are_some_unknown)
{
	const struct mirror_ids none = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(made->mirror);
	auto_view struct mirror_view *view = NULL;
	size_t unknown;

	assert_int_equal(mirror_view_new(snapshot, &none, &view, &err), 0);
	auto_free uint64_t *words = some_rows(&made->rng, view, 1000000, false);
	auto_facet_rows struct facet_rows *rows = query_facet_rows_new(view, words);
	assert_true(are_in_order(mirror_view_column(view, WHOLE_FIELD), rows, &unknown));
	assert_true(are_in_order(mirror_view_column(view, NUMBER_FIELD), rows, &unknown));
	assert_int_equal(unknown > 0, are_some_unknown);
	assert_true(mirror_snapshot_bytes(snapshot) > (size_t)made->rows * 3 * sizeof(uint32_t));
}

static void test_facet_of__is_the_same_for_ordered_numbers(void **state)
{
	auto_made made;

	(void)state;
	made_init(&made);
	add_rows(&made, 2000, 4000); /* without codes: there are too many */
	mirror_publish(made.mirror);
	check(&made);
	mirror_seal(made.mirror);
	add_rows(&made, 3000, 4000);
	mirror_publish(made.mirror);
	check(&made);
	check_kept(&made, false);
	/* some that the order has not, and some that it has */
	auto_snapshot struct mirror_snapshot *older = mirror_snapshot_take(made.mirror);
	mirror_seal(made.mirror);
	add_rows(&made, 300, 9000);
	mirror_publish(made.mirror);
	check_kept(&made, true);
	check(&made);
	/* as many again */
	add_rows(&made, 5000, 9000);
	mirror_publish(made.mirror);
	check(&made);
	check_kept(&made, false);
}

/* Those that had a code before there were many keep it. */
static void test_facet_of__is_the_same_where_some_have_codes(void **state)
{
	auto_made made;

	(void)state;
	made_init(&made);
	add_rows(&made, 1500, 500);
	mirror_seal(made.mirror);
	add_rows(&made, 6000, 9000);
	mirror_publish(made.mirror);
	check(&made);
	check_kept(&made, true);
}

/* A result that was requested once is not cached. */
static void test_shelf_take__keeps_repeated_requests(void **state)
{
	const struct mirror_ids none = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_made made;
	size_t unknown;

	(void)state;
	made_init(&made);
	add_rows(&made, 3000, 9000);
	mirror_publish(made.mirror);
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(made.mirror);
	auto_view struct mirror_view *view = NULL;
	assert_int_equal(mirror_view_new(snapshot, &none, &view, &err), 0);
	auto_free uint64_t *words = some_rows(&made.rng, view, 1000000, false);
	auto_facet_rows struct facet_rows *rows = query_facet_rows_new(view, words);
	const struct mirror_column *column = mirror_view_column(view, NUMBER_FIELD);
	size_t before = mirror_snapshot_bytes(snapshot);
	assert_false(are_in_order(column, rows, &unknown));
	assert_int_equal(mirror_snapshot_bytes(snapshot), before);
	assert_true(are_in_order(column, rows, &unknown));
	assert_true(mirror_snapshot_bytes(snapshot) > before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facet_of__is_the_same_for_ordered_numbers),
		cmocka_unit_test(test_facet_of__is_the_same_where_some_have_codes),
		cmocka_unit_test(test_shelf_take__keeps_repeated_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
