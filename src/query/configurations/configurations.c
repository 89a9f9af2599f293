#include "query/configurations/configurations_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mirror/kernels/kernels.h"
#include "query/groups/compared_priv.h"
#include "query/out_priv.h"
#include "result/fields/fields.h"

#define VERDICT "quality.verdict"
#define TRUSTED "trusted"

#define VALUES_LISTED 20 /* per field; a response has no more */

/* Runs with the same values in all of these are repeats. */
static const char *const key_fields[] = {
	"derived.input_key",          "environment.engine.name",
	"environment.engine.version", "system.hardware_info.gpu_name",
	"derived.gpu_count",
};

void query_configurations_done(struct configurations *configurations)
{
	query_groups_done(&configurations->groups);
	query_groups_done(&configurations->parts);
	free(configurations->by.items);
	free(configurations->rows);
	free(configurations->group_of);
	free(configurations->starts);
	free(configurations->runs);
	free(configurations->places);
}

void query_configurations_ids(struct mirror_ids *ids)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(key_fields); i++)
		*PL_PUSH(ids->items, ids->count, ids->room) = key_fields[i];
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Returns the rows whose verdict is not `trusted`. Rows without a verdict are not among them. */
static void find_untrusted(const struct mirror_view *view, uint64_t *ret_rows)
{
	const struct mirror_column *column = mirror_view_column(view, VERDICT);

	for (size_t i = 0; i < mirror_view_segments(view); i++) {
		auto_free uint8_t *wanted = pl_alloc(column->distinct);
		for (uint32_t code = 0; code < column->distinct; code++) {
			const struct mirror_value *value = mirror_column_value(column, code);
			wanted[code] = value->class == MIRROR_TEXT &&
				       strcmp(value->text, TRUSTED) != 0;
		}
		mirror_chunk_match(mirror_column_chunk(column, i), mirror_view_rows(view, i),
				   wanted, column->distinct, ret_rows + i * MIRROR_SEGMENT_WORDS);
	}
}

/* Removes rows unless none would remain. Returns the number of removed rows. */
static size_t drop(struct configurations *configurations, const uint64_t *rows)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	size_t words = mirror_view_words(configurations->view);
	size_t count = kernels->count_and(configurations->rows, rows, words);

	if (count == kernels->count(configurations->rows, words))
		return 0;
	kernels->and_not(configurations->rows, configurations->rows, rows, words);
	return count;
}

void query_configurations_choose(struct configurations *configurations, bool with_simulated,
				 bool with_untrusted)
{
	size_t words = mirror_view_words(configurations->view);
	auto_free uint64_t *rows = pl_alloc_array(words, sizeof(*rows));

	query_compared_simulated(configurations->view, rows);
	configurations->simulated = mirror_kernels()->count_and(configurations->rows, rows, words);
	if (!with_simulated)
		configurations->simulated_excluded = drop(configurations, rows);
	memset(rows, 0, words * sizeof(*rows));
	find_untrusted(configurations->view, rows);
	if (!with_untrusted)
		configurations->untrusted_excluded = drop(configurations, rows);
}

/* ---- configurations ------------------------------------------------------------------------------ */

struct run {
	int64_t id;
	size_t index;
	size_t place;
	uint32_t part;
};

static int compare_runs(const void *a, const void *b)
{
	const struct run *one = a, *other = b;

	if (one->part != other->part)
		return one->part > other->part ? 1 : -1;
	return (one->id > other->id) - (one->id < other->id);
}

static void list_runs(struct configurations *configurations)
{
	const struct mirror_view *view = configurations->view;
	const struct groups *parts = &configurations->parts;
	size_t count = 0;
	auto_free struct run *runs = pl_alloc_array(parts->row_count + 1, sizeof(*runs));

	for (size_t word = 0; word < mirror_view_words(view); word++) {
		for (uint64_t bits = configurations->rows[word]; bits != 0; bits &= bits - 1) {
			size_t place = word * MIRROR_WORD_ROWS + (size_t)__builtin_ctzll(bits);
			runs[count] = (struct run){ mirror_view_id(view, place), count, place,
						    parts->of_row[count] };
			count++;
		}
	}
	qsort(runs, count, sizeof(*runs), compare_runs);
	configurations->starts = pl_alloc_array(parts->count + 1, sizeof(size_t));
	configurations->runs = pl_alloc_array(count + 1, sizeof(size_t));
	configurations->places = pl_alloc_array(count + 1, sizeof(size_t));
	configurations->group_of = pl_alloc_array(parts->count + 1, sizeof(uint32_t));
	for (size_t i = 0; i < count; i++) {
		configurations->runs[i] = runs[i].index;
		configurations->places[i] = runs[i].place;
		configurations->starts[runs[i].part + 1] = i + 1;
		configurations->group_of[runs[i].part] =
			configurations->groups.of_row[runs[i].index];
	}
}

int query_configurations_make(struct configurations *configurations, struct pl_err *err)
{
	const struct mirror_view *view = configurations->view;
	const struct request_fields *by = &configurations->by;
	auto_free const struct mirror_column **columns = pl_alloc_array(
		by->count + PL_ARRAY_SIZE(key_fields), sizeof(*columns));
	size_t count = 0;

	for (size_t i = 0; i < by->count; i++)
		columns[count++] = by->items[i];
	for (size_t i = 0; i < PL_ARRAY_SIZE(key_fields); i++) {
		const struct mirror_column *column = mirror_view_column(view, key_fields[i]);
		if (column != NULL)
			columns[count++] = column;
	}
	query_groups_of(view, by->items, by->count, configurations->rows, SIZE_MAX,
			&configurations->groups);
	if (mirror_view_goes_on(view, err) < 0)
		return -1;
	query_groups_of(view, columns, count, configurations->rows, SIZE_MAX,
			&configurations->parts);
	/* without rows, the one group has no configuration */
	if (configurations->parts.row_count == 0)
		configurations->parts.count = 0;
	list_runs(configurations);
	return mirror_view_goes_on(view, err);
}

/* ---- cautions ------------------------------------------------------------------------------------ */

struct caution_rows {
	const struct configurations *configurations;
	const struct mirror_column *const *shown;
	size_t shown_count;
	struct facet_rows *rows;
	struct tally tally;
};

static bool is_shown(void *context, const char *id)
{
	const struct caution_rows *of = context;
	const struct request_fields *by = &of->configurations->by;

	for (size_t i = 0; i < of->shown_count; i++) {
		if (pl_text_equal(of->shown[i]->field->id, id))
			return true;
	}
	for (size_t i = 0; i < by->count; i++) {
		if (pl_text_equal(by->items[i]->field->id, id))
			return true;
	}
	return false;
}

static void values_of(void *context, size_t side, const struct res_field *field,
		      struct res_compare_values *ret)
{
	struct caution_rows *of = context;
	const struct mirror_column *column = mirror_view_column(of->configurations->view,
								field->id);

	(void)side;
	if (column != NULL)
		query_compared_values(&of->tally, column, of->rows, VALUES_LISTED, ret);
}

json_t *query_configurations_cautions(const struct configurations *configurations,
				      const struct mirror_column *const *shown, size_t count)
{
	auto_facet_rows struct facet_rows *rows = query_facet_rows_new(configurations->view,
								       configurations->rows);
	struct caution_rows of = {
		.configurations = configurations, .shown = shown, .shown_count = count, .rows = rows
	};
	json_t *cautions = res_compare_cautions(
		&(struct res_compare_source){ .context = &of,
					      .fields = mirror_view_fields(configurations->view),
					      .side_count = 1,
					      .values = values_of,
					      .is_shown = is_shown });
	query_tally_done(&of.tally);
	return cautions;
}

/* ---- output -------------------------------------------------------------------------------------- */

void query_configurations_write_ids(const struct configurations *configurations, size_t start,
				    size_t end, struct pl_buf *out)
{
	query_out_key(out, "ids");
	pl_buf_add_char(out, '[');
	for (size_t i = start; i < end; i++) {
		query_out_next(out);
		query_out_i64(out, mirror_view_id(configurations->view, configurations->places[i]));
	}
	pl_buf_add_char(out, ']');
}

void query_configurations_write_key(const struct configurations *configurations, size_t group,
				    struct pl_buf *out)
{
	query_out_key(out, "key");
	pl_buf_add_char(out, '{');
	for (size_t i = 0; i < configurations->by.count; i++) {
		const struct mirror_column *column = configurations->by.items[i];
		struct mirror_value value = mirror_column_at(column,
							     configurations->groups.row[group]);
		if (value.class == MIRROR_MISSING)
			continue;
		query_out_key(out, column->field->id);
		query_out_value(out, &value);
	}
	pl_buf_add_char(out, '}');
}

void query_configurations_write_metric(const struct res_field *field, bool higher,
				       struct pl_buf *out)
{
	query_out_key(out, "field");
	query_out_text(out, field->id);
	query_out_key(out, "label");
	query_out_text(out, field->label);
	query_out_key(out, "unit");
	query_out_text(out, field->unit);
	query_out_key(out, "direction");
	query_out_text(out, higher ? "higher" : "lower");
}
