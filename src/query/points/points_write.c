/* Parts of a response that all forms share. */
#include "query/points/points_priv.h"

#include "base/clock.h"
#include "query/out_priv.h"

static const char *const form_names[POINTS_FORM_COUNT] = { "points",    "groups", "bins",
							   "neighbors", "grid",   "parallel" };

const char *query_points_form_name(enum points_form form)
{
	return form_names[form];
}

void query_points_write_kinds(const char *key, const struct points_kinds *kinds, struct pl_buf *out)
{
	query_out_key(out, key);
	if (kinds->column == NULL) {
		pl_buf_add_text(out, "null");
		return;
	}
	pl_buf_add_text(out, "{\"field\":");
	query_out_text(out, kinds->column->field->id);
	query_out_key(out, "kinds");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < kinds->count; i++) {
		query_out_next(out);
		const struct points_kind *kind = &kinds->items[i];
		static const char *const states[] = { "value", "range", "null", "missing",
						      "other" };
		pl_buf_addf(out, "{\"state\":\"%s\"", states[kind->state]);
		if (kind->state == POINTS_VALUE) {
			query_out_key(out, "value");
			query_out_value(out, &kind->value);
		} else if (kind->state == POINTS_RANGE) {
			query_out_key(out, "low");
			query_out_f64(out, kind->low);
			query_out_key(out, "high");
			query_out_f64(out, kind->high);
		}
		out_count(out, "count", kind->count);
		if (kind->rank != SIZE_MAX)
			out_count(out, "rank", kind->rank);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_text(out, "]}");
}

void query_points_write_axis(const struct points_axis *axis, struct pl_buf *out)
{
	static const char *const kinds[] = { "number", "time", "kinds" };
	bool is_none = axis->least > axis->most;

	if (axis->column == NULL) {
		pl_buf_add_text(out, "null");
		return;
	}
	pl_buf_add_text(out, "{\"field\":");
	query_out_text(out, axis->column->field->id);
	query_out_key(out, "kind");
	query_out_text(out, kinds[axis->kind]);
	query_out_key(out, "log");
	pl_buf_add_text(out, axis->is_log ? "true" : "false");
	out_count(out, "not_positive", axis->not_positive);
	query_out_key(out, "min");
	query_out_f64(out, is_none ? NAN : axis->least);
	query_out_key(out, "max");
	query_out_f64(out, is_none ? NAN : axis->most);
	query_points_write_kinds("kinds", &axis->kinds, out);
	pl_buf_add_char(out, '}');
}

void query_points_write_reasons(const char *const *names, const size_t *counts, size_t count,
				struct pl_buf *out)
{
	pl_buf_add_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (counts[i] > 0)
			out_count(out, names[i], counts[i]);
	}
	pl_buf_add_char(out, '}');
}

bool query_points_is_in_time(struct points *points, enum points_part part)
{
	int64_t used_ns = pl_clock_now_ns() - points->began_ns;
	bool fits = mirror_view_goes_on(points->view, &points->ended) == 0 &&
		    mirror_view_has_time(points->view) &&
		    (points->budget_ms == 0 || used_ns < points->budget_ms * PL_NS_PER_MS);

	points->not_ready[part] = !fits;
	return fits;
}

void query_points_write_choices(const struct points *points, struct pl_buf *out)
{
	static const char *const keys[POINTS_ROLE_COUNT] = { "x", "y", "value" };

	query_out_key(out, "choices");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < points->choice_count; i++) {
		const struct points_choice *choice = &points->choices[i];
		query_out_next(out);
		pl_buf_add_text(out, "{\"form\":");
		query_out_text(out, query_points_form_name(choice->form));
		for (enum points_role role = 0; role < POINTS_ROLE_COUNT; role++) {
			if (choice->columns[role] == NULL)
				continue;
			query_out_key(out, keys[role]);
			query_out_text(out, choice->columns[role]->field->id);
		}
		out_count(out, "count", choice->row_count);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}
