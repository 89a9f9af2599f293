/* Columns of an export are of its snapshot, whatever is written meanwhile. */
#include "query/export/export.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/mirror/random_table.h"

#define NUMBERS      "results.mean_ttft_ms"
#define FIRST        10   /* rows whose numbers have codes */
#define LATER        1200 /* distinct numbers, more than have codes */
#define READERS      2
#define PIECE_BYTES  4096
#define EXPORT_BYTES ((size_t)1 << 24)

/* Exports the column as one file, from a new reference of the snapshot. Returns false on failure. */
static bool export_into(struct mirror_snapshot *snapshot, enum query_export_form form,
			struct pl_buf *ret)
{
	const struct query_export_options options = { .form = form,
						      .program = "p",
						      .time = "2026-01-01T00:00:00Z" };
	auto_json json_t *request = json_pack("{s:[s]}", "columns", NUMBERS);
	auto_schema_faults faults = { 0 };
	struct query_export *made = NULL;
	struct pl_err err = PL_ERR_INIT;
	char bytes[PIECE_BYTES];
	size_t len = 0;
	int result = query_export_new(mirror_snapshot_for(snapshot, NULL), request, &options, &made,
				      &faults, &err);

	while (result == 0 &&
	       (result = query_export_read(made, bytes, sizeof(bytes), &len, &err)) == 0 && len > 0)
		pl_buf_add(ret, bytes, len);
	query_export_free(made);
	return result == 0 && ret->len > 0;
}

/* Appends rows with the numbers from `first` on, and publishes from time to time. */
static void append_numbers(struct table *table, size_t first, size_t count)
{
	struct mirror_row row = { .run_id = "r", .cells = table->cells };
	size_t column = 0;

	while (strcmp(table->columns[column]->id, NUMBERS) != 0)
		column++;
	for (size_t i = first; i < first + count; i++) {
		row.id = (int64_t)i + 1;
		table->cells[column] = number_cell((double)i / 8, i % 3 == 0);
		mirror_append(table->mirror, &row);
		if (i % 20 == 0)
			mirror_publish(table->mirror);
	}
	mirror_publish(table->mirror);
}

static void test_query_export_column__of_a_snapshot_stays(void **state)
{
	static const enum query_export_form forms[] = { QUERY_EXPORT_PARQUET, QUERY_EXPORT_ARROW };
	auto_table table;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(forms); i++) {
		auto_buf before = PL_BUF(EXPORT_BYTES);
		auto_buf after = PL_BUF(EXPORT_BYTES);
		table_init(&table, 3);
		append_numbers(&table, 0, FIRST);
		mirror_seal(table.mirror);
		mirror_publish(table.mirror);
		{
			auto_snapshot struct mirror_snapshot *held = mirror_snapshot_take(
				table.mirror);
			assert_true(export_into(held, forms[i], &before));
			append_numbers(&table, FIRST, LATER);
			assert_true(export_into(held, forms[i], &after));
		}
		assert_int_equal(before.len, after.len);
		assert_memory_equal(before.data, after.data, before.len);
		if (i + 1 < PL_ARRAY_SIZE(forms))
			table_done(&table);
	}
}

struct reader {
	pthread_t thread;
	struct mirror *mirror;
	atomic_bool *is_over;
	bool is_right;
};

static void *read_on(void *data)
{
	struct reader *reader = data;

	reader->is_right = true;
	do {
		auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(
			reader->mirror);
		auto_buf bytes = PL_BUF(EXPORT_BYTES);
		reader->is_right = export_into(snapshot, QUERY_EXPORT_ARROW, &bytes) &&
				   reader->is_right;
	} while (!atomic_load(reader->is_over));
	return NULL;
}

static void test_query_export_column__threads_read_while_codes_run_out(void **state)
{
	auto_table table;
	atomic_bool is_over = false;
	struct reader readers[READERS];

	(void)state;
	table_init(&table, 5);
	append_numbers(&table, 0, FIRST);
	mirror_seal(table.mirror);
	for (size_t i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .mirror = table.mirror, .is_over = &is_over };
		assert_int_equal(pthread_create(&readers[i].thread, NULL, read_on, &readers[i]), 0);
	}
	append_numbers(&table, FIRST, LATER);
	atomic_store(&is_over, true);
	for (size_t i = 0; i < READERS; i++)
		pthread_join(readers[i].thread, NULL);
	for (size_t i = 0; i < READERS; i++)
		assert_true(readers[i].is_right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_export_column__of_a_snapshot_stays),
		cmocka_unit_test(test_query_export_column__threads_read_while_codes_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
