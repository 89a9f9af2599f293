#include "demo/fill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/base/scratch.h"
#include "unit/store/stores.h"

#define ROWS 160

struct watch {
	int64_t last;
	int64_t enough; /* stops it from there on */
};

static bool reported(void *context, int64_t done)
{
	struct watch *watch = context;

	assert_true(done > watch->last);
	watch->last = done;
	return done < watch->enough;
}

static void fill_store(struct store *store, int64_t rows, struct watch *watch,
		       int64_t counts[STORE_OUTCOME_COUNT])
{
	auto_history struct demo *history = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (demo_new(3, ROWS, &history, &err) < 0)
		fail_msg("%s", err.text);
	const struct demo_fill work = { .store = store,
					.history = history,
					.rows = rows,
					.on_progress = reported,
					.context = watch };
	if (demo_fill(&work, counts, &err) < 0)
		fail_msg("%s", err.text);
}

/* The row `id` is what the store would have made of the document as bytes. */
static void assert_as_read(const struct tools *tools, struct store *store, int64_t id)
{
	auto_store_entry entry = { .id = 0 };
	auto_store_document read = { .len = 0 };
	auto_json json_t *faults = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_get(store, id, &entry, &err) < 0 ||
	    store_document_read(
		    tools->reader,
		    &(struct store_source){
			    .bytes = entry.bytes, .len = entry.len, .name = "x", .line = 1 },
		    &read, &faults, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(entry.id, id);
	assert_int_equal(entry.form, read.form);
	assert_string_equal(entry.sha256, read.sha256);
	assert_string_equal(entry.run_id, read.run_id);
	assert_int_equal(json_array_size(entry.notes), json_array_size(read.notes));
}

static void test_demo_fill__stores_each_in_its_order(void **state)
{
	auto_tools tools = { .fields = NULL };
	int64_t counts[STORE_OUTCOME_COUNT];
	struct watch watch = { .enough = INT64_MAX };

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "made.db"), false,
						    false);
	fill_store(store, ROWS, &watch, counts);
	assert_int_equal(counts[STORE_STORED], ROWS);
	assert_int_equal(watch.last, ROWS);
	for (int64_t id = 1; id <= ROWS; id += 23)
		assert_as_read(&tools, store, id);

	auto_history struct demo *history = NULL;
	auto_store_entry entry = { .id = 0 };
	auto_json json_t *made = NULL;
	struct pl_err err = PL_ERR_INIT;
	if (demo_new(3, ROWS, &history, &err) < 0 || demo_document(history, 141, &made, &err) < 0 ||
	    store_get(store, 142, &entry, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(json_equal(made, entry.document));

	watch.last = 0;
	fill_store(store, ROWS, &watch, counts);
	assert_int_equal(counts[STORE_DUPLICATE], ROWS);
}

static void test_demo_fill__ends_when_told(void **state)
{
	auto_tools tools = { .fields = NULL };
	int64_t counts[STORE_OUTCOME_COUNT];
	struct watch watch = { .enough = 1 };

	tools_init(&tools);
	auto_store struct store *store = open_store(&tools, scratch_path(*state, "made.db"), false,
						    false);
	fill_store(store, 1000000, &watch, counts);
	assert_int_equal(counts[STORE_STORED], watch.last);
	assert_true(watch.last < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_demo_fill__stores_each_in_its_order),
		scratch_test(test_demo_fill__ends_when_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
