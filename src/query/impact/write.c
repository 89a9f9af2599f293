#include <math.h>
#include <stdlib.h>

#include "query/impact/impact_priv.h"
#include "query/out_priv.h"
#include "query/series/set_priv.h"

#define FIELDS_MAX 12 /* of a cell in a response */

static void out_f64(struct pl_buf *out, const char *key, double number)
{
	query_out_key(out, key);
	query_out_f64(out, isfinite(number) ? number : NAN);
}

static void open_object(struct pl_buf *out, const char *key)
{
	query_out_key(out, key);
	pl_buf_add_char(out, '{');
}

static void open_list(struct pl_buf *out, const char *key)
{
	query_out_key(out, key);
	pl_buf_add_char(out, '[');
}

/* Writes the members of an input. */
static void write_about(const struct mirror_column *column, bool is_host, struct pl_buf *out)
{
	query_out_key(out, "field");
	query_out_text(out, column->field->id);
	query_out_key(out, "label");
	query_out_text(out, column->field->label);
	query_out_key(out, "unit");
	query_out_text(out, column->field->unit);
	query_out_key(out, "host");
	pl_buf_add_text(out, is_host ? "true" : "false");
}

static void write_input(const struct input *input, struct pl_buf *out)
{
	query_out_next(out);
	pl_buf_add_char(out, '{');
	write_about(input->column, input->is_host, out);
	pl_buf_add_char(out, '}');
}

static void write_inputs(const struct impact *impact, const char *key, const size_t *inputs,
			 size_t count, struct pl_buf *out)
{
	open_list(out, key);
	for (size_t i = 0; i < count; i++)
		write_input(&impact->inputs.items[inputs[i]], out);
	pl_buf_add_char(out, ']');
}

/* Writes the value of an input in the runs in which another one has the code. */
static void write_value_with(const struct impact *impact, size_t input, size_t lead, uint32_t code,
			     struct pl_buf *out)
{
	size_t row = res_impact_row_with(&impact->analysis, lead, code);
	struct mirror_value value = mirror_column_at(impact->inputs.items[input].column,
						     impact->places[row]);

	query_out_value(out, &value);
}

/* Writes one value per input of the effect. */
static void write_values(const struct impact *impact, const struct res_impact_effect *effect,
			 const char *key, uint32_t code, struct pl_buf *out)
{
	open_list(out, key);
	for (size_t i = 0; i < effect->factor_count; i++) {
		query_out_next(out);
		write_value_with(impact, effect->factors[i], effect->factors[0], code, out);
	}
	pl_buf_add_char(out, ']');
}

static void write_ratio(const struct res_impact_ratio *ratio, struct pl_buf *out)
{
	static const char *const methods[] = { NULL, "runs", "student", "signed_rank" };

	out_f64(out, "ratio", ratio->ratio);
	out_f64(out, "low", ratio->interval.low);
	out_f64(out, "high", ratio->interval.high);
	out_f64(out, "p", ratio->p);
	query_out_key(out, "method");
	query_out_text_or_null(out, methods[ratio->method]);
	out_count(out, "cell_count", ratio->cell_count);
}

static void write_plain(double ratio, const double means[2], const size_t counts[2],
			struct pl_buf *out)
{
	open_object(out, "plain");
	out_f64(out, "ratio", ratio);
	out_f64(out, "from_mean", means[0]);
	out_f64(out, "to_mean", means[1]);
	out_count(out, "from_count", counts[0]);
	out_count(out, "to_count", counts[1]);
	pl_buf_add_char(out, '}');
}

static void write_contrast(const struct impact *impact, const struct res_impact_effect *effect,
			   const struct res_impact_contrast *contrast, struct pl_buf *out)
{
	query_out_next(out);
	pl_buf_add_char(out, '{');
	write_values(impact, effect, "from", contrast->from, out);
	write_values(impact, effect, "to", contrast->to, out);
	write_ratio(&contrast->effect, out);
	out_count(out, "pair_count", contrast->pair_count);
	write_inputs(impact, "with", contrast->with, contrast->with_count, out);
	write_plain(contrast->plain_ratio, contrast->means, contrast->run_counts, out);
	pl_buf_add_char(out, '}');
}

static const char *finding_of(const struct impact *impact, enum res_impact_finding finding)
{
	enum res_field_direction direction = impact->metric->field->direction;

	if (finding < RES_IMPACT_LOWER || direction == RES_FIELD_NEITHER)
		return res_impact_finding_name(finding);
	return (finding == RES_IMPACT_HIGHER) == (direction == RES_FIELD_HIGHER) ? "better"
										 : "worse";
}

static void write_effects(const struct impact *impact, struct pl_buf *out)
{
	open_list(out, "effects");
	for (size_t i = 0; i < impact->analysis.effect_count; i++) {
		const struct res_impact_effect *effect = &impact->analysis.effects[i];
		query_out_next(out);
		pl_buf_add_char(out, '{');
		write_inputs(impact, "inputs", effect->factors, effect->factor_count, out);
		query_out_key(out, "finding");
		query_out_text(out, finding_of(impact, effect->finding));
		out_f64(out, "q", effect->q);
		out_f64(out, "importance", effect->importance);
		open_list(out, "contrasts");
		for (size_t k = 0; k < effect->contrast_count; k++)
			write_contrast(impact, effect, &effect->contrasts[k], out);
		pl_buf_add_char(out, ']');
		out_count(out, "more_level_count", effect->more_levels);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

static void write_rest(const struct impact *impact, struct pl_buf *out)
{
	open_list(out, "rest");
	for (size_t i = 0; i < impact->analysis.rest_count; i++) {
		const struct res_impact_rest *rest = &impact->analysis.rests[i];
		const struct input *input = &impact->inputs.items[rest->factor];
		query_out_next(out);
		pl_buf_add_char(out, '{');
		write_about(input->column, input->is_host, out);
		query_out_key(out, "reason");
		query_out_text(out, res_impact_reason_name(rest->reason));
		write_inputs(impact, "with", rest->with, rest->with_count, out);
		out_count(out, "with_more_count", rest->with_more);
		if (rest->from == 0) {
			pl_buf_add_text(out, ",\"from\":null,\"to\":null,\"plain\":null");
		} else {
			query_out_key(out, "from");
			write_value_with(impact, rest->factor, rest->factor, rest->from, out);
			query_out_key(out, "to");
			write_value_with(impact, rest->factor, rest->factor, rest->to, out);
			write_plain(rest->plain_ratio, rest->means, rest->run_counts, out);
		}
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

/* Writes the inputs with a single value, unless there are no rows. */
static void write_constant(const struct impact *impact, struct pl_buf *out)
{
	open_list(out, "constant");
	for (size_t i = 0; i < impact->constant.count && impact->row_count > 0; i++) {
		const struct input *input = &impact->constant.items[i];
		struct mirror_value value = mirror_column_at(input->column, impact->places[0]);
		if (value.class == MIRROR_MISSING)
			continue;
		query_out_next(out);
		pl_buf_add_char(out, '{');
		write_about(input->column, input->is_host, out);
		query_out_key(out, "value");
		query_out_value(out, &value);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

static void write_side(const struct impact *impact, const char *key, size_t at, struct pl_buf *out)
{
	const struct res_impact_effect *effect = &impact->analysis.effects[at];

	open_object(out, key);
	write_inputs(impact, "inputs", effect->factors, effect->factor_count, out);
	write_values(impact, effect, "from", effect->contrasts[0].from, out);
	write_values(impact, effect, "to", effect->contrasts[0].to, out);
	pl_buf_add_char(out, '}');
}

static void write_interactions(const struct impact *impact, struct pl_buf *out)
{
	static const char *const keys[] = { "at_from", "at_to" };

	open_list(out, "interactions");
	for (size_t i = 0; i < impact->analysis.interaction_count; i++) {
		const struct res_impact_interaction *found = &impact->analysis.interactions[i];
		query_out_next(out);
		pl_buf_add_char(out, '{');
		write_side(impact, "first", found->first, out);
		write_side(impact, "second", found->second, out);
		write_ratio(&found->ratio, out);
		for (size_t side = 0; side < 2; side++) {
			open_object(out, keys[side]);
			write_ratio(&found->at[side], out);
			pl_buf_add_char(out, '}');
		}
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

/* ---- pairs --------------------------------------------------------------------------------------- */

static bool is_value(const struct impact *impact, size_t input, uint32_t code, const json_t *wanted)
{
	size_t row = res_impact_row_with(&impact->analysis, input, code);
	struct mirror_value value = mirror_column_at(impact->inputs.items[input].column,
						     impact->places[row]);

	return json_is_null(wanted) ? value.class == MIRROR_NULL
				    : query_series_value_is(&value, wanted);
}

/* Returns whether the request names the contrast of an effect by the values of its input at `at`. */
static bool is_wanted(const struct impact *impact, size_t input, size_t lead,
		      const struct res_impact_contrast *contrast)
{
	const json_t *from = json_object_get(impact->pairs_of, "from"),
		     *to = json_object_get(impact->pairs_of, "to");
	size_t rows[] = { res_impact_row_with(&impact->analysis, lead, contrast->from),
			  res_impact_row_with(&impact->analysis, lead, contrast->to) };
	const struct res_impact_factor *factor = &impact->factors[input];

	return (from == NULL || is_value(impact, input, factor->codes[rows[0]], from)) &&
	       (to == NULL || is_value(impact, input, factor->codes[rows[1]], to));
}

static bool find_contrast(const struct impact *impact, size_t *ret_effect, size_t *ret_contrast)
{
	for (size_t i = 0; i < impact->analysis.effect_count; i++) {
		const struct res_impact_effect *effect = &impact->analysis.effects[i];
		for (size_t k = 0; k < effect->factor_count; k++) {
			size_t input = effect->factors[k];
			if (impact->inputs.items[input].column != impact->pairs_column)
				continue;
			for (size_t at = 0; at < effect->contrast_count; at++) {
				if (!is_wanted(impact, input, effect->factors[0],
					       &effect->contrasts[at]))
					continue;
				*ret_effect = i;
				*ret_contrast = at;
				return true;
			}
			return false;
		}
	}
	return false;
}

static double size_of(const struct res_impact_cell *cell)
{
	return fabs(log(cell->medians[1] / cell->medians[0]));
}

/* Sorts indices of cells: the largest differences first, otherwise in their order. */
static int compare_cells(const void *a, const void *b, void *context)
{
	const struct res_impact_cell *cells = context;
	size_t one = *(const size_t *)a, other = *(const size_t *)b;
	double x = size_of(&cells[one]), y = size_of(&cells[other]);

	if (x != y)
		return x > y ? -1 : 1;
	return one < other ? -1 : one > other;
}

/* Returns whether two inputs differ between the same cells. */
static bool repeats(const struct impact *impact, const struct res_impact_cell *cells, size_t count,
		    size_t one, size_t other)
{
	const struct res_impact_factor *a = &impact->factors[one], *b = &impact->factors[other];
	auto_free uint32_t *of_a = pl_alloc_array((size_t)a->level_count + 1, sizeof(*of_a));
	auto_free uint32_t *of_b = pl_alloc_array((size_t)b->level_count + 1, sizeof(*of_b));

	for (size_t i = 0; i < count; i++) {
		uint32_t x = a->codes[cells[i].rows[0]], y = b->codes[cells[i].rows[0]];
		if ((of_a[x] != 0 && of_a[x] != y + 1) || (of_b[y] != 0 && of_b[y] != x + 1))
			return false;
		of_a[x] = y + 1;
		of_b[y] = x + 1;
	}
	return true;
}

/*
 * Finds the inputs in which the cells differ, without those of the effect, those that differ within a cell, and those that
 * differ in the same way as an earlier one.
 */
static size_t find_fields(const struct impact *impact, const struct res_impact_cell *cells,
			  size_t count, size_t ret[FIELDS_MAX])
{
	size_t found = 0;

	for (size_t k = 0; k < impact->inputs.count && found < FIELDS_MAX; k++) {
		const uint32_t *codes = impact->factors[k].codes;
		bool differs = false, is_equal_within = true, is_repeated = false;
		for (size_t i = 0; i < count && is_equal_within; i++) {
			for (size_t row = 0; row < cells[i].counts[0] + cells[i].counts[1]; row++)
				is_equal_within = is_equal_within &&
						  codes[cells[i].rows[row]] ==
							  codes[cells[i].rows[0]];
			differs = differs || codes[cells[i].rows[0]] != codes[cells[0].rows[0]];
		}
		for (size_t i = 0; i < found && differs && is_equal_within && !is_repeated; i++)
			is_repeated = repeats(impact, cells, count, ret[i], k);
		if (differs && is_equal_within && !is_repeated)
			ret[found++] = k;
	}
	return found;
}

static void write_cell(const struct impact *impact, const struct res_impact_cell *cell,
		       const size_t *fields, size_t field_count, struct pl_buf *out)
{
	static const char *const keys[] = { "from", "to" };
	const size_t *row = cell->rows;

	query_out_next(out);
	pl_buf_add_char(out, '{');
	for (size_t side = 0; side < 2; side++) {
		open_object(out, keys[side]);
		open_list(out, "ids");
		for (size_t i = 0; i < cell->counts[side]; i++) {
			query_out_next(out);
			query_out_i64(out, impact->row_ids[*row++]);
		}
		pl_buf_add_char(out, ']');
		out_f64(out, "median", cell->medians[side]);
		pl_buf_add_char(out, '}');
	}
	out_f64(out, "ratio", cell->medians[1] / cell->medians[0]);
	open_list(out, "values");
	for (size_t i = 0; i < field_count; i++) {
		struct mirror_value value = mirror_column_at(impact->inputs.items[fields[i]].column,
							     impact->places[cell->rows[0]]);
		query_out_next(out);
		query_out_value(out, &value);
	}
	pl_buf_add_char(out, ']');
	pl_buf_add_char(out, '}');
}

static void write_pairs(const struct impact *impact, struct pl_buf *out)
{
	size_t effect, contrast, count, fields[FIELDS_MAX];
	struct res_impact_cell *cells;

	if (impact->pairs_column == NULL || !find_contrast(impact, &effect, &contrast)) {
		query_out_key(out, "pairs");
		pl_buf_add_text(out, "null");
		return;
	}
	const struct res_impact_effect *about = &impact->analysis.effects[effect];
	res_impact_cells(&impact->analysis, effect, contrast, &cells, &count);
	auto_free size_t *order = pl_alloc_array(count + 1, sizeof(*order));
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_cells, cells);
	size_t shown = count < impact->limit ? count : impact->limit;
	size_t field_count = find_fields(impact, cells, count, fields);
	open_object(out, "pairs");
	write_inputs(impact, "inputs", about->factors, about->factor_count, out);
	write_values(impact, about, "from", about->contrasts[contrast].from, out);
	write_values(impact, about, "to", about->contrasts[contrast].to, out);
	write_inputs(impact, "fields", fields, field_count, out);
	open_list(out, "cells");
	for (size_t i = 0; i < shown; i++)
		write_cell(impact, &cells[order[i]], fields, field_count, out);
	pl_buf_add_char(out, ']');
	out_count(out, "more_count", count - shown);
	pl_buf_add_char(out, '}');
	res_impact_cells_free(cells, count);
}

/* ---- the response ----------------------------------------------------------------------------------- */

static void write_metric(const struct impact *impact, struct pl_buf *out)
{
	static const char *const directions[] = { NULL, "lower", "higher" };
	const struct res_field *field = impact->metric->field;

	open_object(out, "metric");
	query_out_key(out, "field");
	query_out_text(out, field->id);
	query_out_key(out, "label");
	query_out_text(out, field->label);
	query_out_key(out, "unit");
	query_out_text(out, field->unit);
	query_out_key(out, "direction");
	query_out_text_or_null(out, directions[field->direction]);
	pl_buf_add_char(out, '}');
}

/* Writes the cautions about fields that are no inputs here: those are equal within a pair. */
static void write_cautions(const struct impact *impact, struct pl_buf *out)
{
	auto_free const struct mirror_column **columns = pl_alloc_array(impact->inputs.count + 1,
									sizeof(*columns));
	size_t count = 0;

	for (size_t i = 0; i < impact->inputs.count; i++)
		columns[count++] = impact->inputs.items[i].column;
	columns[count++] = impact->metric;
	auto_json json_t *cautions = query_configurations_cautions(&impact->configurations, columns,
								   count);
	query_out_key(out, "cautions");
	pl_json_write(cautions, PL_JSON_COMPACT, out);
}

static void write_head(const struct impact *impact, struct pl_buf *out)
{
	const struct configurations *rows = &impact->configurations;

	pl_buf_add_char(out, '{');
	out_count(out, "count", impact->row_count);
	out_count(out, "total", mirror_view_count(impact->view));
	out_count(out, "simulated", rows->simulated);
	out_count(out, "excluded", rows->simulated_excluded);
	out_count(out, "untrusted_excluded", rows->untrusted_excluded);
	out_count(out, "unmeasured", impact->unmeasured);
	write_metric(impact, out);
	out_f64(out, "effect", impact->effect);
	open_list(out, "ignored");
	for (size_t i = 0; i < impact->vary.count; i++)
		write_input(&(struct input){ impact->vary.items[i], false, false }, out);
	pl_buf_add_char(out, ']');
}

int query_impact_write(const struct impact *impact, int64_t data_version, struct pl_buf *out,
		       struct pl_err *err)
{
	write_head(impact, out);
	write_effects(impact, out);
	write_rest(impact, out);
	write_constant(impact, out);
	write_interactions(impact, out);
	out_f64(out, "explained_share", impact->analysis.explained);
	write_cautions(impact, out);
	write_pairs(impact, out);
	out_count(out, "omitted_count", impact->analysis.omitted_count);
	open_list(out, "incomplete");
	if (impact->analysis.are_effects_cut) {
		query_out_next(out);
		query_out_text(out, "effects");
	}
	if (impact->analysis.are_importances_cut) {
		query_out_next(out);
		query_out_text(out, "importance");
	}
	pl_buf_add_char(out, ']');
	return query_out_end(out, data_version, "; request fewer pairs", err);
}
