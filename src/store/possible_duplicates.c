#include "store/possible_duplicates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "result/fields/values.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_get_duplicate_key, "SELECT near_key FROM benchmark_runs WHERE id = ?1");
static STORE_STATEMENT(
	sql_list_wrong_duplicates,
	"SELECT w.id, w.oldest FROM (SELECT r.id, r.near, coalesce((SELECT o.id"
	" FROM benchmark_runs o WHERE o.near_key = r.near_key AND o.id < r.id AND o.deleted = 0"
	" AND (o.form <> r.form OR o.near_inputs IS NULL OR r.near_inputs IS NULL"
	" OR o.near_inputs = r.near_inputs) ORDER BY o.id LIMIT 1), 0) AS oldest"
	" FROM benchmark_runs r WHERE r.near_key = ?1 AND r.deleted = 0) w"
	" WHERE w.near <> w.oldest ORDER BY w.id");
/* also update the field's column, where NULL means not recorded */
static STORE_STATEMENT(sql_set_duplicate, "UPDATE benchmark_runs"
					  " SET near = ?2, \"stored.possible_duplicate\" = "
					  "nullif(CAST(?2 AS BIGINT), 0), changed = ?3"
					  " WHERE id = ?1");

#define KEY_BYTES_MAX (16u << 20)
#define REPORT_BYTES  512 /* enough for most: a longer text is formatted twice */
#define MEASURED_MIN  3   /* so many equal metrics with a fraction are not a coincidence */

static const char *const hash_all[] = {
	"results.duration",           "results.completed",
	"results.total_input_tokens", "results.total_output_tokens",
	"results.mean_ttft_ms",       "results.median_ttft_ms",
	"results.mean_tpot_ms",       "results.mean_itl_ms",
	"results.output_throughput",
};

static bool is_measured(double number)
{
	return isfinite(number) && number != floor(number);
}

/* Returns false if fewer than MEASURED_MIN were measured. */
static bool add_summary(const struct res_values *values, struct pl_buf *text)
{
	size_t measured = 0;

	pl_buf_reserve(text, REPORT_BYTES);
	for (size_t i = 0; i < PL_ARRAY_SIZE(hash_all); i++) {
		const struct res_field *field = res_fields_find(res_values_fields(values),
								hash_all[i]);
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		if (field == NULL)
			continue;
		res_values_get(values, field, &value);
		if (value.state != RES_VALUE_PRESENT || value.kind != RES_VALUE_NUMBER)
			continue;
		measured += is_measured(value.number);
		pl_buf_addf(text, "%s=%.9g\n", hash_all[i], value.number);
	}
	return measured >= MEASURED_MIN;
}

/* Adds the inputs and all metrics. */
static bool add_all(const struct res_values *values, struct pl_buf *text)
{
	const struct res_field *field = res_fields_find(res_values_fields(values),
							"derived.input_key");
	json_t *results = json_object_get(res_values_document(values), "results");
	auto_value key = { .state = RES_VALUE_NOT_RECORDED };

	if (json_object_size(results) == 0 || field == NULL)
		return false;
	res_values_get(values, field, &key);
	if (key.state != RES_VALUE_PRESENT)
		return false;
	auto_free char *figures = res_field_canonical(results);
	return pl_buf_addf(text, "%s\n%s", key.text, figures);
}

void store_duplicates_key(const struct res_values *values, char key[65])
{
	auto_buf hashed = PL_BUF(KEY_BYTES_MAX);
	auto_buf all = PL_BUF(KEY_BYTES_MAX);

	key[0] = '\0';
	if (add_summary(values, &hashed))
		pl_sha256(pl_buf_text(&hashed), hashed.len, key);
	else if (add_all(values, &all))
		pl_sha256(pl_buf_text(&all), all.len, key);
}

/* ---- marks in the database ---- */

int store_duplicates_key_of(struct store *store, int64_t id, char key[65], struct pl_err *err)
{
	auto_borrowed get = NULL;
	bool is_row = false;

	key[0] = '\0';
	if (store_sql_cached(&store->writer, &sql_get_duplicate_key, &get, err) < 0)
		return -1;
	store_sql_bind_i64(get, 1, id);
	if (store_sql_step(get, &is_row, err) < 0)
		return -1;
	if (is_row && !store_sql_is_null(get, 0))
		snprintf(key, 65, "%s", store_sql_text(get, 0));
	return 0;
}

struct mark {
	int64_t id;
	int64_t possible_duplicate;
};

struct marks {
	struct mark *items;
	size_t count;
	size_t room;
};

static int list_wrong(struct store *store, const char *key, struct marks *ret, struct pl_err *err)
{
	auto_borrowed list = NULL;
	int result;

	if (store_sql_cached(&store->writer, &sql_list_wrong_duplicates, &list, err) < 0)
		return -1;
	store_sql_bind_text(list, 1, key);
	while ((result = store_sql_next(list, err)) > 0) {
		*PL_PUSH(ret->items, ret->count,
			 ret->room) = (struct mark){ .id = store_sql_i64(list, 0),
						     .possible_duplicate = store_sql_i64(list, 1) };
	}
	return result;
}

static int set_marks(struct store *store, const struct marks *marks, struct pl_err *err)
{
	struct store_stmt *set;
	int64_t version;

	if (marks->count == 0)
		return 0;
	store_results_change(store);
	if (store_next_version(store, &version, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_set_duplicate, &set, err) < 0)
		return -1;
	for (size_t i = 0; i < marks->count; i++) {
		store_sql_bind_i64(set, 1, marks->items[i].id);
		store_sql_bind_i64(set, 2, marks->items[i].possible_duplicate);
		store_sql_bind_i64(set, 3, version);
		if (store_sql_finish(set, err) < 0)
			return -1;
	}
	return 0;
}

int store_duplicates_settle(struct store *store, const char *key, struct pl_err *err)
{
	struct marks marks = { 0 };

	if (key[0] == '\0')
		return 0;
	int result = list_wrong(store, key, &marks, err);
	if (result == 0)
		result = set_marks(store, &marks, err);
	free(marks.items);
	return result;
}
