#include "mirror/mirror.h"

#include "request_contract.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "mirror/view.h"
#include "query/query.h"
#include "unit/sanitizer.h"

#define ANSWER_BYTES_MAX (16u << 20)
#define SEED_FIELD       "server.seed"
#define MODEL_FIELD      "server.model"
#define RATE_FIELD       "results.p99_ttft_ms"

static int no_document(void *context, int64_t id, const char *member, json_t **ret,
		       int64_t *ret_changed, struct pl_err *err)
{
	(void)ret_changed;
	(void)member;
	(void)context;
	(void)ret;
	return pl_err_set(err, PL_ERR_IO, "result %lld is not a document", (long long)id);
}

/* A row whose cells may be set by their fields. */
struct maker {
	struct res_fields *fields;
	const struct res_field *const *columns;
	size_t count;
	struct mirror_cell *cells;
	struct mirror *mirror;
};

static void maker_init(struct maker *maker)
{
	maker->fields = res_fields_new(NULL);
	maker->columns = mirror_column_fields(maker->fields, &maker->count);
	maker->cells = pl_alloc_array(maker->count, sizeof(*maker->cells));
	maker->mirror = mirror_new(maker->fields, no_document, NULL);
}

static void maker_done(struct maker *maker)
{
	mirror_free(maker->mirror);
	free(maker->cells);
	res_fields_free(maker->fields);
}
#define auto_maker __attribute__((cleanup(maker_done), unused)) struct maker

static struct mirror_cell *cell_of(struct maker *maker, const char *id)
{
	for (size_t i = 0; i < maker->count; i++) {
		if (strcmp(maker->columns[i]->id, id) == 0)
			return &maker->cells[i];
	}
	fail_msg("no column %s", id);
	return NULL;
}

/* A result: its id and the number of its changes. */
struct made {
	int64_t id;
	int seed; /* -1: not recorded; 0: null */
	int model;
	double rate; /* below 0: not recorded */
};

static void put(struct maker *maker, const struct made *made, bool is_new)
{
	char model[16], run_id[32];
	struct mirror_row row = { .id = made->id, .run_id = run_id, .cells = maker->cells };

	snprintf(model, sizeof(model), "model-%d", made->model);
	snprintf(run_id, sizeof(run_id), "run-%lld", (long long)made->id);
	*cell_of(maker, SEED_FIELD) = (struct mirror_cell){
		.state = made->seed < 0    ? RES_VALUE_NOT_RECORDED
			 : made->seed == 0 ? RES_VALUE_NULL
					   : RES_VALUE_PRESENT,
		.kind = RES_VALUE_NUMBER,
		.is_explicit = made->seed % 2 == 0,
		.number = made->seed,
	};
	*cell_of(maker, MODEL_FIELD) = (struct mirror_cell){ .state = RES_VALUE_PRESENT,
							     .kind = RES_VALUE_TEXT,
							     .text = model };
	*cell_of(maker, RATE_FIELD) = (struct mirror_cell){
		.state = made->rate < 0 ? RES_VALUE_NOT_RECORDED : RES_VALUE_PRESENT,
		.kind = RES_VALUE_NUMBER,
		.number = made->rate,
	};
	if (is_new)
		mirror_append(maker->mirror, &row);
	else
		assert_true(mirror_replace(maker->mirror, &row));
}

static struct made random_one(struct pl_pyrandom *rng, int64_t id)
{
	return (struct made){ .id = id,
			      .seed = (int)pl_pyrandom_below(rng, 8) - 1,
			      .model = (int)(id / 20 % 9),
			      .rate = (double)pl_pyrandom_below(rng, 5000) / 7 - 20 };
}

/* ---- a plain evaluation ------------------------------------------------------------------------ */

static json_t *requested(const struct mirror_snapshot *snapshot, const char *text)
{
	auto_json json_t *request = json_loads(text, 0, NULL);
	auto_buf answer = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	assert_non_null(request);
	assert_true(request_fits(REQUEST_APPLY, request, &faults));
	if (query_apply(snapshot, request, &answer, &faults, &err) < 0)
		fail_msg("%s", err.text);
	json_t *json = json_loadb(answer.data, answer.len, 0, NULL);
	assert_non_null(json);
	return json;
}

static json_int_t number_at(const json_t *json, const char *path)
{
	return json_integer_value(pl_json_get_path(json, path));
}

static json_int_t count_of_value(const json_t *facet, const json_t *value)
{
	PL_JSON_EACH(item, json_object_get(facet, "values")) {
		if (json_equal(json_object_get(item, "value"), value))
			return json_integer_value(json_object_get(item, "count"));
	}
	return 0;
}

#define SEEDS  8
#define MODELS 9

struct counts {
	size_t all, found;
	size_t seeds[SEEDS]; /* of all: by seed + 1 */
	size_t explicit;
	size_t models[MODELS]; /* of those found */
	double rate_max;       /* of those found */
	int64_t newest;        /* of those found */
};

/* The question: seed between 2 and 4. */
static struct counts count_plainly(const struct made *made, size_t count)
{
	struct counts counts = { .rate_max = -1 };

	for (size_t i = 0; i < count; i++) {
		if (made[i].id == 0)
			continue;
		counts.all++;
		counts.seeds[made[i].seed + 1]++;
		counts.explicit += made[i].seed >= 0 && made[i].seed % 2 == 0;
		if (made[i].seed < 2 || made[i].seed > 4)
			continue;
		counts.found++;
		counts.models[made[i].model]++;
		counts.newest = made[i].id > counts.newest ? made[i].id : counts.newest;
		counts.rate_max = made[i].rate > counts.rate_max ? made[i].rate : counts.rate_max;
	}
	return counts;
}

static void check_seeds(const json_t *facet, const struct counts *counts)
{
	assert_int_equal(number_at(facet, "count"), counts->all);
	assert_int_equal(number_at(facet, "missing"), counts->seeds[0]);
	assert_int_equal(number_at(facet, "null"), counts->seeds[1]);
	assert_int_equal(number_at(facet, "explicit"), counts->explicit);
	for (int seed = 1; seed < SEEDS - 1; seed++) {
		auto_json json_t *value = json_integer(seed);
		assert_int_equal(count_of_value(facet, value), counts->seeds[seed + 1]);
	}
}

static void check(const struct mirror_snapshot *snapshot, const struct made *made, size_t count)
{
	struct counts counts = count_plainly(made, count);
	auto_json json_t *answer = requested(snapshot,
					     "{\"filter\": {\"field\": \"" SEED_FIELD
					     "\", \"op\": \"between\", \"value\": [2, 4]},"
					     " \"facets\": [\"" SEED_FIELD "\", \"" MODEL_FIELD
					     "\", \"" RATE_FIELD "\"],"
					     " \"columns\": [], \"limit\": 1}");
	auto_json json_t *by_rate = requested(
		snapshot, "{\"filter\": {\"field\": \"" SEED_FIELD
			  "\", \"op\": \"between\", \"value\": [2, 4]},"
			  " \"sort\": [{\"field\": \"" RATE_FIELD "\", \"dir\": \"desc\"}],"
			  " \"columns\": [\"" RATE_FIELD "\"], \"limit\": 1}");
	const json_t *facets = json_object_get(answer, "facets");
	const json_t *row = json_array_get(json_object_get(answer, "rows"), 0);
	const json_t *best = json_array_get(json_object_get(by_rate, "rows"), 0);

	assert_int_equal(number_at(answer, "total"), counts.all);
	assert_int_equal(number_at(answer, "count"), counts.found);
	check_seeds(json_object_get(facets, SEED_FIELD), &counts);
	for (int i = 0; i < MODELS; i++) {
		auto_json json_t *value = json_sprintf("model-%d", i);
		assert_int_equal(count_of_value(json_object_get(facets, MODEL_FIELD), value),
				 counts.models[i]);
	}
	assert_int_equal(number_at(row, "id"), counts.newest);
	if (counts.rate_max < 0)
		return;
	const json_t *cell = json_object_get(json_object_get(best, "cells"), RATE_FIELD);
	assert_true(json_number_value(cell) >= counts.rate_max);
	assert_true(json_number_value(cell) <= counts.rate_max);
	assert_true(json_number_value(json_object_get(json_object_get(facets, RATE_FIELD),
						      "max")) >= counts.rate_max);
}

/* ---- tests -------------------------------------------------------------------------------------- */

#define ROWS_MAX (MIRROR_SEGMENT_ROWS + 20000)
/* AddressSanitizer finds as many wrong bytes at the ends of fewer rows, in a fraction of the time. */
#ifdef __SANITIZE_ADDRESS__
#define ROW_COUNTS    0, 1, 63, 64, 65, 1000, 16383, 16384, 16385
#define FULL_SEGMENTS 65537
#define VERSIONS      60
#else
#define ROW_COUNTS    0, 1, 63, 64, 65, 1000, 16383, 16384, 16385, 80000, 81920, 81921, 85000
#define FULL_SEGMENTS 65535, 65536, 65537
#define VERSIONS      400
#endif

static void test_mirror_mirror__rows_may_end_anywhere(void **state)
{
	/* an open segment is sealed where it is published with 16,384 rows or more */
	static const size_t lengths[] = { ROW_COUNTS };
	auto_maker maker = { .count = 0 };
	auto_free struct made *made = pl_alloc_array(ROWS_MAX, sizeof(*made));
	struct mirror_snapshot *held = NULL; /* of numbers that still had codes */
	struct pl_pyrandom rng;
	size_t count = 0;

	(void)state;
	maker_init(&maker);
	pl_pyrandom_seed(&rng, 1);
	for (size_t i = 0; i < PL_ARRAY_SIZE(lengths); i++) {
		for (; count < lengths[i]; count++) {
			made[count] = random_one(&rng, (int64_t)count + 1);
			put(&maker, &made[count], true);
		}
		mirror_publish(maker.mirror);
		auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(maker.mirror);
		check(snapshot, made, count);
		assert_int_equal(mirror_snapshot_version(snapshot), count);
		if (count == 1000)
			held = mirror_snapshot_take(maker.mirror);
	}
	check(held, made, 1000);
	mirror_snapshot_put(held);
}

/* Without a snapshot in between segments are full. */
static void test_mirror_mirror__a_segment_has_so_many_rows(void **state)
{
	static const size_t lengths[] = { FULL_SEGMENTS };
	auto_free struct made *made = pl_alloc_array(ROWS_MAX, sizeof(*made));

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(lengths); i++) {
		auto_maker maker = { .count = 0 };
		struct pl_pyrandom rng;
		maker_init(&maker);
		pl_pyrandom_seed(&rng, 4);
		for (size_t k = 0; k < lengths[i]; k++) {
			made[k] = random_one(&rng, (int64_t)k + 1);
			put(&maker, &made[k], true);
		}
		mirror_publish(maker.mirror);
		auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(maker.mirror);
		check(snapshot, made, lengths[i]);
	}
}

#define HELD   6
#define BEFORE 65000 /* the next ones fill the segment */

/* Each snapshot stays what it was, while rows are added, replaced and removed, and a segment is sealed. */
static void test_mirror_mirror__a_snapshot_stays_what_it_was(void **state)
{
	auto_maker maker = { .count = 0 };
	auto_free struct made *made = pl_alloc_array(ROWS_MAX, sizeof(*made));
	struct made *retained[HELD];
	struct mirror_snapshot *snapshots[HELD];
	size_t counts[HELD], count = 0;
	struct pl_pyrandom rng;

	(void)state;
	maker_init(&maker);
	pl_pyrandom_seed(&rng, 2);
	for (; count < BEFORE; count++) {
		made[count] = random_one(&rng, (int64_t)count + 1);
		put(&maker, &made[count], true);
	}
	for (size_t i = 0; i < HELD; i++) {
		for (size_t k = 0; k < 300; k++) {
			size_t at = (size_t)pl_pyrandom_below(&rng, count);
			bool is_there = made[at].id != 0;
			made[count] = random_one(&rng, (int64_t)count + 1);
			put(&maker, &made[count++], true);
			if (k % 3 == 0) {
				assert_int_equal(mirror_remove(maker.mirror, (int64_t)at + 1),
						 is_there);
				made[at].id = 0;
			} else if (is_there) {
				made[at] = random_one(&rng, made[at].id);
				put(&maker, &made[at], false);
			}
		}
		if (i % 2 == 1)
			mirror_seal(maker.mirror);
		mirror_publish(maker.mirror);
		snapshots[i] = mirror_snapshot_take(maker.mirror);
		retained[i] = pl_alloc_array(count, sizeof(*made));
		memcpy(retained[i], made, count * sizeof(*made));
		counts[i] = count;
	}
	for (size_t i = 0; i < HELD; i++) {
		check(snapshots[i], retained[i], counts[i]);
		mirror_snapshot_put(snapshots[i]);
		free(retained[i]);
	}
	/* one that was removed may come back */
	assert_true(mirror_remove(maker.mirror, (int64_t)count));
	assert_false(mirror_remove(maker.mirror, (int64_t)count));
	put(&maker, &made[count - 1], true);
	mirror_publish(maker.mirror);
	auto_snapshot struct mirror_snapshot *last = mirror_snapshot_take(maker.mirror);
	check(last, made, count);
	assert_true(mirror_snapshot_bytes(last) > count * sizeof(double));
}

#define FIRST   10000 /* rows */
#define CHANGES 150000
#define STEP    1000 /* changes per version */

/* Memory does not grow with the number of changes, and snapshots taken before stay what they were. */
static void test_mirror_mirror__dead_rows_take_no_memory(void **state)
{
	auto_maker maker = { .count = 0 };
	auto_free struct made *made = pl_alloc_array(FIRST, sizeof(*made));
	auto_free struct made *before = pl_alloc_array(FIRST, sizeof(*made));
	struct mirror_snapshot *held = NULL;
	struct pl_pyrandom rng;
	size_t middle = 0;

	(void)state;
	maker_init(&maker);
	pl_pyrandom_seed(&rng, 4);
	for (size_t i = 0; i < FIRST; i++) {
		made[i] = random_one(&rng, (int64_t)i + 1);
		put(&maker, &made[i], true);
	}
	for (size_t i = 1; i <= CHANGES; i++) {
		size_t at = (size_t)pl_pyrandom_below(&rng, FIRST);
		if (made[at].id == 0)
			continue;
		made[at] = random_one(&rng, made[at].id);
		if (i % (CHANGES / 4) == 0) {
			assert_true(mirror_remove(maker.mirror, made[at].id));
			made[at].id = 0;
		} else {
			put(&maker, &made[at], false);
		}
		if (i % STEP != 0)
			continue;
		mirror_publish(maker.mirror);
		auto_snapshot struct mirror_snapshot *now = mirror_snapshot_take(maker.mirror);
		if (i == CHANGES / 2)
			middle = mirror_snapshot_bytes(now);
		if (i == CHANGES / 5 * 3) {
			held = mirror_snapshot_take(maker.mirror);
			memcpy(before, made, FIRST * sizeof(*made));
		}
	}
	auto_snapshot struct mirror_snapshot *last = mirror_snapshot_take(maker.mirror);
	check(last, made, FIRST);
	check(held, before, FIRST);
	mirror_snapshot_put(held);
	assert_true(mirror_snapshot_bytes(last) < middle + middle / 4);
}

/* ---- a writer and readers ------------------------------------------------------------------------ */

#define READERS 3
#define BASE    200 /* rows at the start */

struct play {
	struct maker maker;
	atomic_bool is_over;
	/* by version: what the question counts then; written before the version is published */
	size_t all[VERSIONS * 8];
	size_t found[VERSIONS * 8];
};

struct reader {
	pthread_t thread;
	struct play *play;
	size_t answers;
	int64_t last;
	bool is_right;
};

static void ask_once(struct reader *reader)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(
		reader->play->maker.mirror);
	auto_json json_t *answer = requested(
		snapshot,
		"{\"filter\": {\"field\": \"" SEED_FIELD
		"\", \"op\": \"between\", \"value\": [2, 4]},"
		" \"facets\": [\"" SEED_FIELD "\", \"" MODEL_FIELD "\"], \"columns\": [],"
		" \"sort\": [{\"field\": \"" RATE_FIELD
		"\", \"dir\": \"asc\"}, {\"field\": \"" MODEL_FIELD "\", \"dir\": \"asc\"}]}");
	json_int_t version = number_at(answer, "data_version");
	json_int_t all = number_at(answer, "total"), found = number_at(answer, "count");
	const json_t *facets = json_object_get(answer, "facets");
	size_t models = 0;

	PL_JSON_EACH(item, json_object_get(json_object_get(facets, MODEL_FIELD), "values"))
		models += (size_t)json_integer_value(json_object_get(item, "count"));
	reader->answers++;
	reader->is_right = reader->is_right && version >= reader->last &&
			   all == (json_int_t)reader->play->all[version] &&
			   found == (json_int_t)reader->play->found[version] &&
			   models == (size_t)found &&
			   number_at(json_object_get(facets, SEED_FIELD), "count") == all;
	reader->last = version;
}

static void *read_on(void *data)
{
	struct reader *reader = data;

	while (!atomic_load(&reader->play->is_over))
		ask_once(reader);
	ask_once(reader);
	return NULL;
}

static void note(struct play *play, const struct made *made, size_t count, int64_t version)
{
	struct counts counts = count_plainly(made, count);

	play->all[version] = counts.all;
	play->found[version] = counts.found;
}

static void write_on(struct play *play, struct made *made)
{
	struct pl_pyrandom rng;
	size_t count = 0;
	int64_t version = 0;

	pl_pyrandom_seed(&rng, 3);
	for (int i = 0; i < VERSIONS; i++) {
		size_t changes = 1 + (size_t)pl_pyrandom_below(&rng, 5);
		int64_t before = version;
		for (size_t k = 0; k < changes; k++) {
			size_t at = count > BASE ? (size_t)pl_pyrandom_below(&rng, count) : count;
			if (at == count || pl_pyrandom_below(&rng, 2) == 0) {
				made[count] = random_one(&rng, (int64_t)count + 1);
				put(&play->maker, &made[count++], true);
			} else if (made[at].id != 0 && pl_pyrandom_below(&rng, 3) == 0) {
				assert_true(mirror_remove(play->maker.mirror, made[at].id));
				made[at].id = 0;
			} else if (made[at].id != 0) {
				made[at] = random_one(&rng, made[at].id);
				put(&play->maker, &made[at], false);
			} else {
				continue;
			}
			version++;
		}
		/* who reads what was noted of a published version must not meet who notes it again */
		if (version == before)
			continue;
		note(play, made, count, version);
		mirror_publish(play->maker.mirror);
	}
}

static void test_mirror_mirror__every_answer_is_of_one_version(void **state)
{
	auto_free struct play *play = pl_alloc(sizeof(*play));
	auto_free struct made *made = pl_alloc_array(VERSIONS * 8, sizeof(*made));
	struct reader readers[READERS];

	(void)state;
	maker_init(&play->maker);
	for (int i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .play = play, .is_right = true };
		assert_int_equal(pthread_create(&readers[i].thread, NULL, read_on, &readers[i]), 0);
	}
	write_on(play, made);
	atomic_store(&play->is_over, true);
	for (int i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		assert_true(readers[i].is_right);
		assert_true(readers[i].answers > 0);
	}
	maker_done(&play->maker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_mirror__rows_may_end_anywhere),
		cmocka_unit_test(test_mirror_mirror__a_segment_has_so_many_rows),
		cmocka_unit_test(test_mirror_mirror__a_snapshot_stays_what_it_was),
		cmocka_unit_test(test_mirror_mirror__dead_rows_take_no_memory),
		cmocka_unit_test(test_mirror_mirror__every_answer_is_of_one_version),
	};

#ifdef __SANITIZE_THREAD__
	/* the others have one thread each, and take a minute there */
	cmocka_set_test_filter("*_one_version");
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
