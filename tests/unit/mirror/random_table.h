/*
 * Random tables: mirrors whose columns have every form of chunk and every kind of value, and comparisons of two mirrors.
 * Include cmocka.h first.
 */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "mirror/mirror_priv.h"
#include "mirror/view.h"
#include "query/query.h"
#include "request_contract.h"

#define ANSWER_BYTES_MAX (64u << 20)
#define KINDS            13
#define STRIDE           7 /* one of so many columns has values */
#define VERSION          1234

static inline int no_document(void *context, int64_t id, const char *member, json_t **ret,
			      int64_t *ret_changed, struct pl_err *err)
{
	(void)context;
	(void)member;
	(void)ret;
	(void)ret_changed;
	return pl_err_set(err, PL_ERR_IO, "result %lld is not a document", (long long)id);
}

struct table {
	struct res_fields *fields;
	const struct res_field *const *columns;
	size_t column_count;
	struct mirror_cell *cells;
	char (*texts)[48]; /* of the cells */
	struct pl_pyrandom rng;
	struct mirror *mirror;
	int64_t next_id;
};

static inline void table_init(struct table *table, unsigned seed)
{
	*table = (struct table){ .fields = res_fields_new(NULL), .next_id = 1 };
	table->columns = mirror_column_fields(table->fields, &table->column_count);
	table->cells = pl_alloc_array(table->column_count, sizeof(*table->cells));
	table->texts = pl_alloc_array(table->column_count, sizeof(*table->texts));
	table->mirror = mirror_new(table->fields, no_document, NULL);
	pl_pyrandom_seed(&table->rng, seed);
}

static inline void table_done(struct table *table)
{
	mirror_free(table->mirror);
	free(table->cells);
	free(table->texts);
	res_fields_free(table->fields);
}
#define auto_table __attribute__((cleanup(table_done), unused)) struct table

static inline uint32_t below(struct table *table, uint32_t limit)
{
	return (uint32_t)pl_pyrandom_below(&table->rng, limit);
}

static inline struct mirror_cell number_cell(double number, bool is_explicit)
{
	return (struct mirror_cell){ .state = RES_VALUE_PRESENT,
				     .kind = RES_VALUE_NUMBER,
				     .is_explicit = is_explicit,
				     .number = number };
}

/* Each kind of column leads to another form of chunk, or another kind of value. */
static inline struct mirror_cell random_cell(struct table *table, unsigned kind, int64_t id,
					     char *text)
{
	struct mirror_cell cell = { .state = RES_VALUE_PRESENT, .kind = RES_VALUE_TEXT };

	switch (kind) {
	case 0:
		return number_cell(7, false);
	case 1:
		return number_cell((double)(id / 40 % 5), false);
	case 2:
		return number_cell(below(table, 6), below(table, 2) == 0);
	case 3:
		return number_cell(below(table, 100) == 0 ? below(table, 50) + 3 : 2, true);
	case 4:
		return number_cell((double)below(table, 1u << 30) / 7 - 1000, below(table, 9) == 0);
	case 5:
		cell.state = below(table, 3) == 0 ? RES_VALUE_NULL : RES_VALUE_NOT_RECORDED;
		return cell;
	case 6:
		snprintf(text, 48, "text %lld \xc3\xa9", (long long)id);
		break;
	case 7:
		snprintf(text, 48, "{\"a\":[%u,null],\"b\":%u.5}", below(table, 300),
			 below(table, 2));
		cell.kind = RES_VALUE_JSON;
		break;
	case 8:
		snprintf(text, 48, "2026-01-%02uT03:04:%02uZ", below(table, 28) + 1,
			 below(table, 60));
		if (below(table, 50) == 0)
			snprintf(text, 48, "yesterday");
		break;
	case 9:
		return (struct mirror_cell){ .state = RES_VALUE_PRESENT,
					     .kind = RES_VALUE_YES,
					     .is_explicit = below(table, 4) == 0,
					     .number = below(table, 2) };
	case 10:
		if (below(table, 30) != 0)
			return (struct mirror_cell){ .state = RES_VALUE_NOT_RECORDED };
		return number_cell(-(double)below(table, 100000) / 3, false);
	case 11: {
		/* equal and nearly equal ones, as numbers and as texts, and null by either */
		static const double odd[] = { 0,     -0.0,    1,        0.1 + 0.2, 0.3,
					      1e308, -1e-320, INFINITY, -INFINITY };
		static const char *const texts[] = {
			"0", "-0", "1", "1.0", "NaN", "null", "", " "
		};
		unsigned which = below(table, 20);
		if (which < PL_ARRAY_SIZE(odd))
			return number_cell(odd[which], below(table, 2) == 0);
		cell.is_explicit = below(table, 2) == 0;
		if (which < PL_ARRAY_SIZE(odd) + PL_ARRAY_SIZE(texts))
			snprintf(text, 48, "%s", texts[which - PL_ARRAY_SIZE(odd)]);
		else
			cell.state = RES_VALUE_NULL;
		break;
	}
	default:
		snprintf(text, 48, "%s", below(table, 5) == 0 ? "" : "auto");
		if (below(table, 3) == 0)
			return number_cell(below(table, 400), false);
		cell.is_explicit = below(table, 2) == 0;
		break;
	}
	cell.text = text;
	return cell;
}

static inline void fill_row(struct table *table, int64_t id)
{
	for (size_t i = 0; i < table->column_count; i += STRIDE)
		table->cells[i] = random_cell(table, (unsigned)(i / STRIDE % KINDS), id,
					      table->texts[i]);
}

/* Both mirrors get the same row; `other` may be NULL. */
static inline void append(struct table *table, struct mirror *other)
{
	char run_id[32];
	int64_t id = table->next_id;
	struct mirror_row row = { .id = id, .cells = table->cells };

	table->next_id += 1 + below(table, 3);
	snprintf(run_id, sizeof(run_id), "run-%lld", (long long)id);
	row.run_id = below(table, 10) != 0 ? run_id : NULL;
	fill_row(table, id);
	mirror_append(table->mirror, &row);
	if (other != NULL)
		mirror_append(other, &row);
}

static inline void change(struct table *table, struct mirror *other)
{
	int64_t id = 1 + below(table, (uint32_t)table->next_id);
	struct mirror_row row = { .id = id, .run_id = "replaced", .cells = table->cells };

	if (below(table, 2) == 0) {
		bool is_there = mirror_remove(table->mirror, id);
		if (other != NULL)
			assert_int_equal(mirror_remove(other, id), is_there);
		return;
	}
	fill_row(table, id);
	bool is_there = mirror_replace(table->mirror, &row);
	if (other != NULL)
		assert_int_equal(mirror_replace(other, &row), is_there);
}

static inline void play(struct table *table, size_t steps, struct mirror *other)
{
	for (size_t i = 0; i < steps; i++) {
		if (below(table, 6) == 0)
			change(table, other);
		else
			append(table, other);
		if (below(table, 200) != 0)
			continue;
		mirror_publish(table->mirror);
		if (below(table, 3) == 0)
			mirror_seal(table->mirror);
	}
	mirror_set_version(table->mirror, VERSION);
	mirror_publish(table->mirror);
	if (other != NULL) {
		mirror_set_version(other, VERSION);
		mirror_publish(other);
	}
}

/* ---- comparison -------------------------------------------------------------------------------- */

static inline bool are_equal_values(const struct mirror_value *one,
				    const struct mirror_value *other)
{
	bool has_number = one->class == MIRROR_NUMBER;

	return one->class == other->class && one->is_explicit == other->is_explicit &&
	       one->is_time == other->is_time &&
	       (has_number || one->is_time
			? memcmp(&one->number, &other->number, sizeof(one->number)) == 0
			: true) &&
	       (one->text == NULL) == (other->text == NULL) &&
	       (one->text == NULL || strcmp(one->text, other->text) == 0);
}

/* Moves on to the next live row. */
static inline bool next_live(const struct mirror_snapshot *snapshot, size_t *row)
{
	uint64_t live[MIRROR_SEGMENT_WORDS];

	for (;; (*row)++) {
		size_t segment = *row / MIRROR_SEGMENT_ROWS, at = *row % MIRROR_SEGMENT_ROWS;
		if (segment >= snapshot->segment_count)
			return false;
		if (at >= snapshot->rows[segment]) {
			*row = (segment + 1) * MIRROR_SEGMENT_ROWS - 1;
			continue;
		}
		/* once per word would do; tables are small */
		mirror_snapshot_live(snapshot, segment, live);
		if (live[at / 64] >> at % 64 & 1)
			return true;
	}
}

static inline const char *run_id_at(const struct mirror_snapshot *snapshot, size_t row)
{
	return snapshot->segments[row / MIRROR_SEGMENT_ROWS]
		->names->run_ids[row % MIRROR_SEGMENT_ROWS];
}

static inline bool are_equal_rows(const struct table *table, const struct mirror_snapshot *one,
				  size_t one_row, const struct mirror_snapshot *other,
				  size_t other_row)
{
	const char *run_id = run_id_at(one, one_row), *other_run_id = run_id_at(other, other_row);

	if (snapshot_id(one, one_row) != snapshot_id(other, other_row) ||
	    (run_id == NULL) != (other_run_id == NULL) ||
	    (run_id != NULL && strcmp(run_id, other_run_id) != 0))
		return false;
	for (size_t i = 0; i < table->column_count; i++) {
		struct mirror_value value = mirror_column_at(&one->columns[i], one_row);
		struct mirror_value restored = mirror_column_at(&other->columns[i], other_row);
		if (!are_equal_values(&value, &restored))
			return false;
	}
	return true;
}

static inline bool are_equal_snapshots(const struct table *table, const struct mirror_snapshot *one,
				       const struct mirror_snapshot *two)
{
	size_t row = 0, other_row = 0, count = 0;

	while (next_live(one, &row)) {
		if (!next_live(two, &other_row) ||
		    !are_equal_rows(table, one, row++, two, other_row++))
			return false;
		count++;
	}
	return !next_live(two, &other_row) && count == mirror_snapshot_count(two) &&
	       mirror_snapshot_count(one) == count &&
	       mirror_snapshot_version(one) == mirror_snapshot_version(two);
}

static inline bool are_equal(const struct table *table, struct mirror *other)
{
	auto_snapshot struct mirror_snapshot *one = mirror_snapshot_take(table->mirror);
	auto_snapshot struct mirror_snapshot *two = mirror_snapshot_take(other);

	return are_equal_snapshots(table, one, two);
}

static inline char *answer_of(struct mirror *mirror, const char *text)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_json json_t *request = json_loads(text, 0, NULL);
	auto_buf buf = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	assert_non_null(request);
	assert_true(request_fits(REQUEST_APPLY, request, &faults));
	if (query_apply(snapshot, request, &buf, &faults, &err) < 0)
		fail_msg("%s", err.text);
	auto_json json_t *answer = json_loadb(buf.data, buf.len, 0, NULL);
	assert_non_null(answer);
	json_object_del(answer, "elapsed_ms");
	return json_dumps(answer, JSON_SORT_KEYS);
}

static inline void assert_same_answers(struct mirror *one, struct mirror *other)
{
	static const char *const requests[] = {
		"{\"facets\": true, \"limit\": 20}",
		"{\"facets\": true, \"limit\": 5, \"filter\": {\"field\": \"server.model\", "
		"\"op\": "
		"\"is_recorded\"}}",
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(requests); i++) {
		auto_free char *expected = answer_of(one, requests[i]);
		auto_free char *found = answer_of(other, requests[i]);
		assert_string_equal(found, expected);
	}
}
