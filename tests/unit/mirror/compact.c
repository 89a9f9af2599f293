/* A mirror that was compacted has the same rows as before, and only their values. */
#include "mirror/mirror.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/mirror/random_table.h"
#include "unit/sanitizer.h"

/* ---- rows and values ------------------------------------------------------------------------- */

static uint32_t code_at(const struct mirror_column *column, size_t row)
{
	return mirror_chunk_code(mirror_column_chunk(column, row / MIRROR_SEGMENT_ROWS),
				 row % MIRROR_SEGMENT_ROWS);
}

/* Every value occurs in a live row, except "not recorded" and null. */
static void check_values(const struct table *table)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(table->mirror);

	auto_free uint8_t **used = pl_alloc_array(table->column_count, sizeof(*used));
	for (size_t i = 0; i < table->column_count; i++)
		used[i] = pl_alloc(snapshot->columns[i].distinct);
	for (size_t row = 0; next_live(snapshot, &row); row++) {
		for (size_t i = 0; i < table->column_count; i++)
			used[i][code_at(&snapshot->columns[i], row)] = 1;
	}
	for (size_t i = 0; i < table->column_count; i++) {
		for (uint32_t code = DICTIONARY_NULL + 1; code < snapshot->columns[i].distinct;
		     code++)
			assert_true(used[i][code]);
		free(used[i]);
	}
	for (size_t i = 0; i < snapshot->segment_count; i++)
		assert_null(snapshot->dead[i]);
	assert_true(snapshot->segment_count <= 1);
}

/* Writes to both mirrors, of which the table's is compacted from time to time. */
static void check_table(unsigned seed, size_t steps, bool are_asked)
{
	auto_table table;

	table_init(&table, seed);
	auto_mirror struct mirror *other = mirror_new(table.fields, no_document, NULL);
	for (size_t round = 0; round < 4; round++) {
		play(&table, steps, other);
		auto_snapshot struct mirror_snapshot *held = mirror_snapshot_take(table.mirror);
		auto_snapshot struct mirror_snapshot *expected = mirror_snapshot_take(other);
		mirror_compact(table.mirror);
		mirror_publish(table.mirror);
		check_values(&table);
		assert_true(are_equal(&table, other));
		if (are_asked)
			assert_same_answers(other, table.mirror);
		/* twice is once */
		mirror_compact(table.mirror);
		mirror_publish(table.mirror);
		assert_true(are_equal(&table, other));
		play(&table, steps / 4 + 3, other);
		assert_true(are_equal(&table, other));
		if (are_asked)
			assert_same_answers(other, table.mirror);
		assert_true(are_equal_snapshots(&table, held, expected));
	}
}

static void test_mirror_compact__keeps_all_rows(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 64, 700 };

	(void)state;
	for (unsigned seed = 0; seed < PL_ARRAY_SIZE(sizes); seed++)
		check_table(seed, sizes[seed % PL_ARRAY_SIZE(sizes)], seed % 3 == 0);
}

/* Without rows, a column accepts codes for numbers again. */
static void test_mirror_compact__of_no_row_is_new(void **state)
{
	auto_table table;

	(void)state;
	table_init(&table, 7);
	play(&table, 3000, NULL);
	mirror_keep(table.mirror, NULL, 0);
	mirror_compact(table.mirror);
	mirror_publish(table.mirror);
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(table.mirror);
	assert_int_equal(mirror_snapshot_count(snapshot), 0);
	assert_int_equal(snapshot->segment_count, 0);
	for (size_t i = 0; i < table.column_count; i++) {
		assert_int_equal(snapshot->columns[i].distinct, DICTIONARY_NULL + 1);
		assert_false(snapshot->columns[i].values->refuses_numbers);
	}
	auto_mirror struct mirror *other = mirror_new(table.fields, no_document, NULL);
	play(&table, 3000, other);
	assert_true(are_equal(&table, other));
	assert_same_answers(other, table.mirror);
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define LIVE 300
#ifdef __SANITIZE_ADDRESS__
#define CHANGES 80000
#else
#define CHANGES 150000
#endif
#define PER_VERSION 20

/* Each change has new numbers, texts and times. */
static void test_mirror_compact__memory_depends_on_rows_not_changes(void **state)
{
	auto_table table;
	char run_id[32];
	struct mirror_row row = { .run_id = run_id };
	size_t most = 0, versions = 0;

	(void)state;
	table_init(&table, 11);
	row.cells = table.cells;
	for (size_t i = 0; i < CHANGES; i++) {
		row.id = (int64_t)(i < LIVE ? i : below(&table, LIVE)) + 1;
		snprintf(run_id, sizeof(run_id), "run-%zu", i);
		/* a kind of each, of which several have new values */
		for (size_t kind = 4; kind < 10; kind++)
			table.cells[kind * STRIDE] = random_cell(&table, (unsigned)kind, (int64_t)i,
								 table.texts[kind * STRIDE]);
		if (i < LIVE)
			mirror_append(table.mirror, &row);
		else
			assert_true(mirror_replace(table.mirror, &row));
		if (i % PER_VERSION != 0)
			continue;
		mirror_publish(table.mirror);
		auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(table.mirror);
		size_t bytes = mirror_snapshot_bytes(snapshot);
		most = bytes > most ? bytes : most;
		assert_true(snapshot->segment_count <= 4);
		versions++;
	}
	assert_true(versions == CHANGES / PER_VERSION);
	/* at most 33,000 dead rows of 200 bytes, and room for an open segment */
	assert_true(most < (16u << 20));
	mirror_compact(table.mirror);
	mirror_publish(table.mirror);
	auto_snapshot struct mirror_snapshot *last = mirror_snapshot_take(table.mirror);
	assert_int_equal(mirror_snapshot_count(last), LIVE);
	assert_true(mirror_snapshot_bytes(last) < (1u << 20));
	check_values(&table);
}

/* ---- readers --------------------------------------------------------------------------------- */

#define READERS 3
#define IDS     40
#ifdef __SANITIZE_ADDRESS__
#define ROUNDS 30
#else
#define ROUNDS 100
#endif

/* Documents by id, which never change: tags.k is the id modulo 4. */
static int read_document(void *context, int64_t id, const char *member, json_t **ret,
			 int64_t *ret_changed, struct pl_err *err)
{
	(void)context;
	(void)member;
	(void)err;
	*ret_changed = 0;
	*ret = json_pack("{s:s, s:{s:I}}", "run_id", "r", "tags", "k", (json_int_t)id % 4);
	return 0;
}

struct reader {
	pthread_t thread;
	struct mirror *mirror;
	atomic_bool *is_over;
	size_t answers;
	bool is_right;
};

#define BUSY (-2)

static json_int_t count_of(const struct mirror_snapshot *snapshot, const char *text)
{
	auto_json json_t *request = json_loads(text, 0, NULL);
	auto_buf buf = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	/* a newer snapshot has the answer */
	if (query_apply(snapshot, request, &buf, &faults, &err) < 0)
		return err.code == PL_ERR_BUSY ? BUSY : -1;
	auto_json json_t *answer = json_loadb(buf.data, buf.len, 0, NULL);
	return json_integer_value(json_object_get(answer, "count"));
}

/* Reads columns, a field of documents and their order again and again, from a snapshot that is some versions old. */
static void *read_on(void *data)
{
	struct reader *reader = data;

	reader->is_right = true;
	while (!atomic_load(reader->is_over) || reader->answers == 0) {
		auto_snapshot struct mirror_snapshot *held = mirror_snapshot_take(reader->mirror);
		for (int i = 0; i < 3; i++) {
			json_int_t all = count_of(held, "{\"facets\": true, \"limit\": 5}");
			json_int_t some = count_of(
				held, "{\"filter\": {\"field\": \"tags.k\", \"op\": \"eq\", "
				      "\"value\": 1}, \"limit\": 5, \"columns\": [\"tags.k\"]}");
			reader->is_right = reader->is_right && all == IDS &&
					   (some == IDS / 4 || some == BUSY);
		}
		reader->answers++;
	}
	return NULL;
}

static void test_mirror_compact__threads_read_meanwhile(void **state)
{
	auto_table table;
	atomic_bool is_over = false;
	struct reader readers[READERS];
	struct mirror_row row = { .run_id = "r" };

	(void)state;
	table_init(&table, 13);
	row.cells = table.cells;
	auto_mirror struct mirror *mirror = mirror_new(table.fields, read_document, NULL);
	for (row.id = 1; row.id <= IDS; row.id++) {
		fill_row(&table, row.id);
		mirror_append(mirror, &row);
	}
	mirror_publish(mirror);
	for (size_t i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .mirror = mirror, .is_over = &is_over };
		assert_int_equal(pthread_create(&readers[i].thread, NULL, read_on, &readers[i]), 0);
	}
	for (size_t round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < IDS / 4; i++) {
			row.id = 1 + below(&table, IDS);
			fill_row(&table, (int64_t)(round * IDS + i));
			assert_true(mirror_replace(mirror, &row));
		}
		if (round % 2 == 0)
			mirror_compact(mirror);
		mirror_publish(mirror);
	}
	atomic_store(&is_over, true);
	for (size_t i = 0; i < READERS; i++)
		pthread_join(readers[i].thread, NULL);
	for (size_t i = 0; i < READERS; i++)
		assert_true(readers[i].is_right);
}

#define MANY 21000 /* enough for two threads */

static void test_mirror_compact__threads_make_the_columns(void **state)
{
	auto_table table;
	struct mirror_row row = { .run_id = "r" };

	(void)state;
	table_init(&table, 17);
	row.cells = table.cells;
	auto_mirror struct mirror *other = mirror_new(table.fields, no_document, NULL);
	for (row.id = 1; row.id <= MANY; row.id++) {
		for (size_t kind = 0; kind < KINDS; kind++)
			table.cells[kind * STRIDE] = random_cell(&table, (unsigned)kind, row.id,
								 table.texts[kind * STRIDE]);
		mirror_append(table.mirror, &row);
		mirror_append(other, &row);
	}
	for (int64_t id = 5; id <= MANY; id += 5) {
		assert_true(mirror_remove(table.mirror, id));
		assert_true(mirror_remove(other, id));
	}
	mirror_compact(table.mirror);
	mirror_publish(table.mirror);
	mirror_publish(other);
	check_values(&table);
	assert_same_answers(other, table.mirror);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_compact__keeps_all_rows),
		cmocka_unit_test(test_mirror_compact__of_no_row_is_new),
		cmocka_unit_test(test_mirror_compact__memory_depends_on_rows_not_changes),
		cmocka_unit_test(test_mirror_compact__threads_read_meanwhile),
		cmocka_unit_test(test_mirror_compact__threads_make_the_columns),
	};

#ifdef __SANITIZE_THREAD__
	/* the others have one thread each, and take a minute there */
	cmocka_set_test_filter("*__threads_*");
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
