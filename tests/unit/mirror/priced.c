#include "mirror/priced.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "mirror/mirror_priv.h"
#include "mirror/view.h"

enum { SEGMENTS = 3, ROWS_MAX = 1500 };

static int no_document(void *context, int64_t id, const char *member, json_t **ret,
		       int64_t *ret_changed, struct pl_err *err)
{
	(void)context;
	(void)member;
	(void)ret;
	(void)ret_changed;
	return pl_err_set(err, PL_ERR_IO, "result %lld is not a document", (long long)id);
}

/* The sources of one row; NaN and NULL: not recorded. */
struct made {
	const char *gpu;
	double numbers[RES_PRICED_SOURCES];
};

struct play {
	struct res_fields *fields;
	struct mirror *mirror;
	struct mirror_cell *cells;
	size_t places[RES_PRICED_SOURCES]; /* of the sources among the cells */
	struct made rows[SEGMENTS * ROWS_MAX];
	size_t count;
	struct pl_pyrandom rng;
};

static void play_init(struct play *play)
{
	size_t count;

	memset(play, 0, sizeof(*play));
	pl_pyrandom_seed(&play->rng, 20261130);
	play->fields = res_fields_new(NULL);
	play->mirror = mirror_new(play->fields, no_document, NULL);
	const struct res_field *const *columns = mirror_column_fields(play->fields, &count);
	play->cells = pl_alloc_array(count, sizeof(*play->cells));
	for (size_t i = 0; i < RES_PRICED_SOURCES; i++) {
		for (size_t k = 0; k < count; k++) {
			if (strcmp(columns[k]->id, res_priced_source_ids[i]) == 0)
				play->places[i] = k;
		}
		assert_string_equal(columns[play->places[i]]->id, res_priced_source_ids[i]);
	}
}

static void play_done(struct play *play)
{
	mirror_free(play->mirror);
	free(play->cells);
	res_fields_free(play->fields);
}

static double random_number(struct play *play)
{
	return pl_pyrandom_below(&play->rng, 9) == 0
		       ? NAN
		       : (double)pl_pyrandom_below(&play->rng, 100000) / 8;
}

static void add_row(struct play *play)
{
	static const char *const gpus[] = { "H100", "B200", "A100", NULL };
	struct made *made = &play->rows[play->count++];

	made->gpu = gpus[pl_pyrandom_below(&play->rng, 4)];
	for (size_t i = 0; i < RES_PRICED_SOURCES; i++)
		made->numbers[i] = random_number(play);
	made->numbers[RES_PRICED_GPU_COUNT] = (double)pl_pyrandom_below(&play->rng, 9);
	for (size_t i = 0; i < RES_PRICED_SOURCES; i++) {
		bool is_known = i == RES_PRICED_GPU_NAME ? made->gpu != NULL
							 : !isnan(made->numbers[i]);
		play->cells[play->places[i]] = (struct mirror_cell){
			.state = is_known ? RES_VALUE_PRESENT : RES_VALUE_NOT_RECORDED,
			.kind = i == RES_PRICED_GPU_NAME ? RES_VALUE_TEXT : RES_VALUE_NUMBER,
			.number = made->numbers[i],
			.text = i == RES_PRICED_GPU_NAME ? made->gpu : NULL,
		};
	}
	const struct mirror_row row = { .id = (int64_t)play->count, .cells = play->cells };
	mirror_append(play->mirror, &row);
}

static struct res_prices *prices_of(const char *text)
{
	auto_json json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return res_prices_new(json);
}

/* The definitions; NaN: missing. */
static double expected(enum res_priced field, const struct made *made, double h100, double carbon)
{
	double gpus = made->numbers[RES_PRICED_GPU_COUNT];
	double hour = gpus > 0 && made->gpu != NULL && strcmp(made->gpu, "H100") == 0 ? h100 * gpus
										      : NAN;
	double output = made->numbers[RES_PRICED_OUTPUT_THROUGHPUT],
	       input = made->numbers[RES_PRICED_INPUT_THROUGHPUT];

	switch (field) {
	case RES_PRICED_cost_per_hour:
		return hour;
	case RES_PRICED_cost_per_million_output_tokens:
		return output > 0 ? hour * 1e6 / (3600 * output) : NAN;
	case RES_PRICED_cost_per_million_input_tokens:
		return input > 0 ? hour * 1e6 / (3600 * input) : NAN;
	default:
		return made->numbers[RES_PRICED_ENERGY_PER_TOKEN_J] * carbon / 3.6;
	}
}

/* Compares all fields of the rows, of which there are `count`. */
static void check(const struct play *play, const struct mirror_snapshot *snapshot, size_t count,
		  double h100, double carbon)
{
	const struct mirror_ids ids = { 0 };
	auto_view struct mirror_view *view = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t found = 0, known = 0;

	assert_int_equal(mirror_view_new(snapshot, &ids, &view, &err), 0);
	for (size_t segment = 0; segment < mirror_view_segments(view); segment++) {
		for (size_t at = 0; at < mirror_view_rows(view, segment); at++) {
			size_t place = segment * MIRROR_SEGMENT_ROWS + at;
			const struct made *made = &play->rows[mirror_view_id(view, place) - 1];
			found++;
			for (int i = 0; i < RES_PRICED_COUNT; i++) {
				enum res_priced field = (enum res_priced)i;
				const struct mirror_column *column = mirror_view_column(
					view, res_priced_id(field));
				struct mirror_value value = mirror_column_at(column, place);
				double wanted = expected(field, made, h100, carbon);
				assert_int_equal(value.class,
						 isnan(wanted) ? MIRROR_MISSING : MIRROR_NUMBER);
				if (isnan(wanted))
					continue;
				assert_true(fabs(value.number - wanted) <= 1e-12 * fabs(wanted));
				known++;
			}
		}
	}
	assert_int_equal(found, count);
	assert_true(isnan(h100) ? known == 0 : known > count / 2);
}

static void test_mirror_priced__all_segments_follow_the_prices(void **state)
{
	auto_free struct play *play = pl_alloc(sizeof(*play));

	(void)state;
	play_init(play);
	for (size_t i = 0; i < ROWS_MAX; i++)
		add_row(play);
	mirror_seal(play->mirror);
	mirror_publish(play->mirror);
	struct mirror_snapshot *unpriced = mirror_snapshot_take(play->mirror);
	check(play, unpriced, ROWS_MAX, NAN, NAN);
	mirror_set_prices(play->mirror,
			  prices_of("{\"prices\": [{\"gpu\": \"H100\", \"per_hour\": 2.5}], "
				    "\"carbon_g_per_kwh\": 380}"));
	/* prices apply from the next publish on */
	struct mirror_snapshot *still = mirror_snapshot_take(play->mirror);
	check(play, still, ROWS_MAX, NAN, NAN);
	mirror_publish(play->mirror);
	struct mirror_snapshot *priced = mirror_snapshot_take(play->mirror);
	check(play, priced, ROWS_MAX, 2.5, 380);
	/* more rows, one by one, in the open segment and in another one */
	for (size_t i = 0; i < 40; i++) {
		add_row(play);
		mirror_publish(play->mirror);
		auto_snapshot struct mirror_snapshot *now = mirror_snapshot_take(play->mirror);
		check(play, now, ROWS_MAX + i + 1, 2.5, 380);
	}
	mirror_seal(play->mirror);
	for (size_t i = 0; i < ROWS_MAX; i++)
		add_row(play);
	mirror_set_prices(play->mirror,
			  prices_of("{\"prices\": [{\"gpu\": \"H100\", \"per_hour\": 7}], "
				    "\"carbon_g_per_kwh\": 12.5}"));
	mirror_publish(play->mirror);
	struct mirror_snapshot *last = mirror_snapshot_take(play->mirror);
	check(play, last, 2 * ROWS_MAX + 40, 7, 12.5);
	/* rows with new places keep their prices */
	mirror_compact(play->mirror);
	mirror_publish(play->mirror);
	struct mirror_snapshot *compact = mirror_snapshot_take(play->mirror);
	check(play, compact, 2 * ROWS_MAX + 40, 7, 12.5);
	mirror_set_prices(play->mirror,
			  prices_of("{\"prices\": [{\"gpu\": \"H100\", \"per_hour\": 9}], "
				    "\"carbon_g_per_kwh\": 1}"));
	mirror_publish(play->mirror);
	struct mirror_snapshot *dearer = mirror_snapshot_take(play->mirror);
	check(play, dearer, 2 * ROWS_MAX + 40, 9, 1);
	check(play, compact, 2 * ROWS_MAX + 40, 7, 12.5);
	mirror_snapshot_put(compact);
	mirror_snapshot_put(dearer);
	/* earlier snapshots stay what they were */
	check(play, priced, ROWS_MAX, 2.5, 380);
	check(play, unpriced, ROWS_MAX, NAN, NAN);
	mirror_snapshot_put(last);
	mirror_snapshot_put(priced);
	mirror_snapshot_put(still);
	mirror_snapshot_put(unpriced);
	play_done(play);
}

static void test_mirror_priced__removed_rows_stay_in_their_places(void **state)
{
	auto_free struct play *play = pl_alloc(sizeof(*play));
	const struct mirror_ids ids = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	play_init(play);
	mirror_set_prices(play->mirror,
			  prices_of("{\"prices\": [{\"gpu\": \"H100\", \"per_hour\": 1}]}"));
	for (size_t i = 0; i < 100; i++)
		add_row(play);
	for (int64_t id = 1; id <= 100; id += 3)
		assert_true(mirror_remove(play->mirror, id));
	mirror_publish(play->mirror);
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(play->mirror);
	auto_view struct mirror_view *view = NULL;
	assert_int_equal(mirror_view_new(snapshot, &ids, &view, &err), 0);
	const struct mirror_column *column = mirror_view_column(view, "derived.cost_per_hour");
	for (size_t at = 0; at < 100; at++) {
		double wanted = expected(RES_PRICED_cost_per_hour, &play->rows[at], 1, NAN);
		struct mirror_value value = mirror_column_at(column, at);
		assert_int_equal(value.class, isnan(wanted) ? MIRROR_MISSING : MIRROR_NUMBER);
	}
	mirror_view_free(pl_take(view));
	mirror_snapshot_put(pl_take(snapshot));
	play_done(play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_priced__all_segments_follow_the_prices),
		cmocka_unit_test(test_mirror_priced__removed_rows_stay_in_their_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
