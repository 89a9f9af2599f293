/* Inputs and environment of the runs of each side: equal, different, not recorded. */
#include "result/compare/compare_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define VALUES_SHOWN     20
#define SHARED_BYTES_MAX 2048
#define WHOLE_MAX        9e15 /* a double is exact to here */
#define MEASURED_TIMES   1.1  /* measured numbers within this ratio are alike */

static const struct kind {
	const char *id;
	const char *title;
	const char *alone;
	const char *text;
} kinds[] = {
#define KIND(id, title, alone, text) { #id, title, alone, text },
#include "tbl/comparability.h"
};

enum comparable_form {
	COMPARABLE_VALUE,
	COMPARABLE_ANY,
	COMPARABLE_CHARTED,
	COMPARABLE_RECORDED,
	COMPARABLE_MEASURED
};

static const struct comparable {
	const char *kind;
	const char *field;
	enum comparable_form form;
} comparables[] = {
#define COMPARABLE(kind, field) { #kind, field, COMPARABLE_VALUE },
#define ANY(kind, field)        { #kind, field, COMPARABLE_ANY },
#define CHARTED(kind, field)    { #kind, field, COMPARABLE_CHARTED },
#define RECORDED(kind, field)   { #kind, field, COMPARABLE_RECORDED },
#define MEASURED(kind, field)   { #kind, field, COMPARABLE_MEASURED },
#include "tbl/comparability.h"
};

/* ---- values of a side ---------------------------------------------------------------------- */

void res_compare_values_done(struct res_compare_values *values)
{
	json_decref(values->counts);
	*values = (struct res_compare_values){ 0 };
}

void res_compare_add_json(struct res_compare_values *values, const char *json, size_t count)
{
	int64_t before;

	if (values->counts == NULL)
		values->counts = json_object();
	before = pl_json_get_i64(values->counts, json);
	json_object_set_new(values->counts, json, json_integer(before + (json_int_t)count));
}

static void add_value(struct res_compare_values *values, json_t *json, size_t count)
{
	auto_json json_t *owned = json;
	auto_free char *text = res_field_canonical(owned);

	res_compare_add_json(values, text, count);
}

void res_compare_reach(struct res_compare_values *values, double number)
{
	if (!values->has_numbers || number < values->least)
		values->least = number;
	if (!values->has_numbers || number > values->most)
		values->most = number;
	values->has_numbers = true;
}

void res_compare_add_number(struct res_compare_values *values, double number, size_t count)
{
	res_compare_reach(values, number);
	if (isinf(number))
		add_value(values, json_string(number > 0 ? "inf" : "-inf"), count);
	else if (number == floor(number) && fabs(number) < WHOLE_MAX)
		add_value(values, json_integer((json_int_t)number), count);
	else
		add_value(values, json_real(number), count);
}

void res_compare_add_yes(struct res_compare_values *values, bool yes, size_t count)
{
	res_compare_add_json(values, yes ? "true" : "false", count);
}

void res_compare_add_text(struct res_compare_values *values, const char *text, size_t count)
{
	add_value(values, pl_json_text(text), count);
}

struct listed {
	const char *text;
	int64_t count;
};

/* The most frequent first; equally frequent ones by their text. */
static int compare_listed(const void *a, const void *b)
{
	const struct listed *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return strcmp(one->text, other->text);
}

static json_t *values_json(const struct res_compare_values *values)
{
	size_t count = json_object_size(values->counts), at = 0;
	auto_free struct listed *listed = pl_alloc_array(count, sizeof(*listed));
	json_t *list = json_array();

	PL_JSON_EACH_MEMBER(text, number, values->counts)
		listed[at++] = (struct listed){ text, json_integer_value(number) };
	qsort(listed, count, sizeof(*listed), compare_listed);
	for (size_t i = 0; i < count && i < VALUES_SHOWN; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:I}", "value",
						pl_json_or_null(pl_json_of_text(listed[i].text)),
						"count", (json_int_t)listed[i].count));
	return json_pack("{s:o, s:I, s:I, s:I}", "values", list, "distinct",
			 (json_int_t)(count + values->more), "null", (json_int_t)values->null,
			 "not_recorded", (json_int_t)values->not_recorded);
}

/* ---- a field on all sides ------------------------------------------------------------------ */

struct row {
	const struct res_field *field;
	size_t count;
	struct res_compare_values sides[RES_COMPARE_SIDES_MAX];
};

static void row_done(struct row *row)
{
	for (size_t i = 0; i < row->count; i++)
		res_compare_values_done(&row->sides[i]);
}
#define auto_row __attribute__((cleanup(row_done), unused)) struct row

static void fill_row(const struct res_compare_source *source, const struct res_field *field,
		     struct row *ret)
{
	*ret = (struct row){ .field = field, .count = source->side_count };
	for (size_t i = 0; i < source->side_count; i++)
		source->values(source->context, i, field, &ret->sides[i]);
}

static json_t *row_sides(const struct row *row)
{
	json_t *sides = json_array();

	for (size_t i = 0; i < row->count; i++)
		json_array_append_new(sides, values_json(&row->sides[i]));
	return sides;
}

/* Different things that runs have there, null among them; `missing`: how many runs have nothing. */
struct variety {
	size_t different;
	size_t missing;
	const char *only; /* the only value; NULL: none */
};

static struct variety variety_of(const struct row *row)
{
	auto_json json_t *all = json_object();
	struct variety ret = { 0 };
	bool is_null = false;

	for (size_t i = 0; i < row->count; i++) {
		PL_JSON_EACH_MEMBER(text, ignored, row->sides[i].counts) {
			json_object_set_new(all, text, json_null());
			ret.only = text;
		}
		is_null = is_null || row->sides[i].null > 0;
		ret.missing += row->sides[i].not_recorded;
		ret.different += row->sides[i].more;
	}
	ret.different += json_object_size(all) + is_null;
	return ret;
}

static bool have_same_values(const struct res_compare_values *a, const struct res_compare_values *b)
{
	if ((a->null > 0) != (b->null > 0) || (a->not_recorded > 0) != (b->not_recorded > 0) ||
	    json_object_size(a->counts) != json_object_size(b->counts))
		return false;
	PL_JSON_EACH_MEMBER(text, ignored, a->counts) {
		if (json_object_get(b->counts, text) == NULL)
			return false;
	}
	return true;
}

static bool differs_between(const struct row *row)
{
	for (size_t i = 1; i < row->count; i++) {
		if (!have_same_values(&row->sides[0], &row->sides[i]))
			return true;
	}
	return false;
}

/* ---- inputs -------------------------------------------------------------------------------- */

static const char *role_name(enum res_field_role role)
{
	return role == RES_FIELD_INPUT ? "input" : role == RES_FIELD_ENGINE ? "engine" : "host";
}

struct inputs {
	json_t *between;
	json_t *within;
	json_t *equal;
	json_t *partly;
};

static json_t *only_value(const struct variety *variety)
{
	return variety->only != NULL ? pl_json_or_null(pl_json_of_text(variety->only))
				     : json_null();
}

static void add_input(struct inputs *inputs, const struct row *row)
{
	const struct res_field *field = row->field;
	struct variety variety = variety_of(row);
	bool is_between = differs_between(row);

	if (variety.different == 0)
		return;
	if (variety.different > 1)
		json_array_append_new(is_between ? inputs->between : inputs->within,
				      json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "field",
						field->id, "label", field->label, "group",
						field->group, "role", role_name(field->role),
						"between", is_between, "sides", row_sides(row)));
	else if (variety.missing > 0)
		json_array_append_new(inputs->partly, json_string(field->id));
	else
		json_array_append_new(inputs->equal, json_pack("{s:s, s:o}", "field", field->id,
							       "value", only_value(&variety)));
}

/* Lists the roles in order: choices of the user say more than the environment. */
json_t *res_compare_inputs(const struct res_compare_source *source, bool list_equal)
{
	static const enum res_field_role roles[] = { RES_FIELD_INPUT, RES_FIELD_ENGINE,
						     RES_FIELD_HOST };
	struct inputs inputs = { json_array(), json_array(), json_array(), json_array() };
	size_t count;
	const struct res_field *const *columns = res_fields_columns(source->fields, &count);

	for (size_t role = 0; role < PL_ARRAY_SIZE(roles); role++) {
		for (size_t i = 0; i < count; i++) {
			auto_row row = { 0 };
			if (columns[i]->role != roles[role])
				continue;
			fill_row(source, columns[i], &row);
			add_input(&inputs, &row);
		}
	}
	json_array_extend(inputs.between, inputs.within);
	json_decref(inputs.within);
	json_t *all = json_pack("{s:o, s:I, s:I}", "differing", inputs.between, "equal",
				(json_int_t)json_array_size(inputs.equal), "partly_recorded",
				(json_int_t)json_array_size(inputs.partly));
	if (list_equal) {
		json_object_set(all, "equal_fields", inputs.equal);
		json_object_set(all, "partly_recorded_fields", inputs.partly);
	}
	json_decref(inputs.equal);
	json_decref(inputs.partly);
	return all;
}

/* ---- cautions ------------------------------------------------------------------------------ */

static bool raises_caution(const struct row *row, const char *alone)
{
	struct variety variety = variety_of(row);
	auto_json json_t *json = variety.only != NULL ? pl_json_of_text(variety.only) : NULL;
	auto_free char *only = json != NULL ? pl_json_to_plain(json) : NULL;

	if (variety.different > 1 || (variety.different == 1 && variety.missing > 0))
		return true;
	/* null in all of them is not a deviating value */
	return alone != NULL && only != NULL && variety.different == 1 &&
	       !pl_text_equal(only, alone);
}

/* Some runs have any, and others have none. */
static bool is_of_some(const struct row *row)
{
	bool some = false, others = false;

	for (size_t i = 0; i < row->count; i++) {
		others = others || row->sides[i].null + row->sides[i].not_recorded > 0;
		PL_JSON_EACH_MEMBER(count, ignored, row->sides[i].counts) {
			bool is_none = strcmp(count, "0") == 0;
			some = some || !is_none;
			others = others || is_none;
		}
	}
	return some && others;
}

/* A chart is one side. */
static bool is_looked_at(const struct res_compare_source *source,
			 const struct comparable *comparable)
{
	if (comparable->form == COMPARABLE_CHARTED && source->side_count > 1)
		return false;
	return source->is_shown == NULL || !source->is_shown(source->context, comparable->field);
}

/* A count that no run records is zero, so any run records it. */
static bool is_reported(const struct row *row, const struct comparable *comparable)
{
	bool is_count = comparable->form == COMPARABLE_ANY;

	for (size_t i = 0; i < row->count; i++) {
		const struct res_compare_values *values = &row->sides[i];
		if (json_object_size(values->counts) + values->null +
			    (is_count ? values->not_recorded : 0) >
		    0)
			return true;
	}
	return false;
}

/* Every run has a number there, or every run records it at all. */
static bool is_of_all(const struct row *row, bool with_number)
{
	for (size_t i = 0; i < row->count; i++) {
		const struct res_compare_values *values = &row->sides[i];
		if (values->not_recorded > 0 ||
		    (with_number && (values->null > 0 || !values->has_numbers)))
			return false;
	}
	return true;
}

/* A run records another value than the one that raises no caution. */
static bool is_recorded_otherwise(const struct row *row, const char *alone)
{
	for (size_t i = 0; i < row->count; i++) {
		if (row->sides[i].more > 0)
			return true;
		PL_JSON_EACH_MEMBER(text, ignored, row->sides[i].counts) {
			if (!pl_text_equal(text, alone))
				return true;
		}
	}
	return false;
}

static bool is_far_apart(const struct row *row)
{
	struct res_compare_values all = { 0 };

	for (size_t i = 0; i < row->count; i++) {
		if (!row->sides[i].has_numbers)
			continue;
		res_compare_reach(&all, row->sides[i].least);
		res_compare_reach(&all, row->sides[i].most);
	}
	return all.has_numbers && all.most > all.least * MEASURED_TIMES;
}

/* The fields of one kind. */
struct looked {
	const struct res_compare_source *source;
	const struct kind *kind;
	bool is_certain; /* all runs have numbers in one of its fields: nothing measured replaces them */
	bool is_measured; /* all runs have the measured value instead */
	bool is_reported; /* some run records one of its fields */
	bool has_fields;
};

static bool is_raised(const struct looked *looked, const struct row *row,
		      const struct comparable *comparable)
{
	switch (comparable->form) {
	case COMPARABLE_ANY:
		return is_of_some(row);
	case COMPARABLE_RECORDED:
		return is_recorded_otherwise(row, looked->kind->alone);
	case COMPARABLE_MEASURED:
		return !looked->is_certain && is_far_apart(row);
	default:
		/*
		 * a length that only some runs record, while all have the measured one: the latter
		 * decides
		 */
		return raises_caution(row, looked->kind->alone) &&
		       !(looked->is_measured && variety_of(row).different == 1);
	}
}

static bool is_reported_by(const struct looked *looked, const struct row *row,
			   const struct comparable *comparable)
{
	if (comparable->form == COMPARABLE_RECORDED)
		return is_of_all(row, false);
	if (comparable->form == COMPARABLE_MEASURED)
		return looked->is_measured;
	return is_reported(row, comparable);
}

/* Returns the next relevant field of the kind, from *at, and fills *ret. NULL: no more. */
static const struct comparable *next_field(const struct looked *looked, size_t *at, struct row *ret)
{
	while (*at < PL_ARRAY_SIZE(comparables)) {
		const struct comparable *comparable = &comparables[(*at)++];
		const struct res_field *field = strcmp(comparable->kind, looked->kind->id) == 0
							? res_fields_find(looked->source->fields,
									  comparable->field)
							: NULL;
		if (field == NULL || !is_looked_at(looked->source, comparable))
			continue;
		if (comparable->form == COMPARABLE_MEASURED && looked->is_certain)
			continue;
		row_done(ret);
		fill_row(looked->source, field, ret);
		return comparable;
	}
	return NULL;
}

/* Finds whether all runs record the fields with numbers, or all have the measured value instead. */
static void find_measured(struct looked *looked)
{
	const struct comparable *comparable;
	auto_row row = { 0 };
	bool has_measured = false, is_whole = true;

	for (size_t at = 0; (comparable = next_field(looked, &at, &row)) != NULL;) {
		if (comparable->form == COMPARABLE_VALUE && is_of_all(&row, true))
			looked->is_certain = true;
		if (comparable->form != COMPARABLE_MEASURED)
			continue;
		has_measured = true;
		is_whole = is_whole && is_of_all(&row, true);
	}
	looked->is_measured = !looked->is_certain && has_measured && is_whole;
}

static bool can_measure(const struct kind *kind)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(comparables); i++) {
		if (comparables[i].form == COMPARABLE_MEASURED &&
		    strcmp(comparables[i].kind, kind->id) == 0)
			return true;
	}
	return false;
}

/* *ret_reported: some run records one of the kind's fields; *ret_any: the kind has a field. */
static json_t *caution_fields(const struct res_compare_source *source, const struct kind *kind,
			      bool *ret_reported, bool *ret_any)
{
	struct looked looked = { .source = source, .kind = kind };
	const struct comparable *comparable;
	json_t *fields = json_array();
	auto_row row = { 0 };

	if (can_measure(kind))
		find_measured(&looked);
	for (size_t at = 0; (comparable = next_field(&looked, &at, &row)) != NULL;) {
		looked.has_fields = true;
		looked.is_reported = looked.is_reported ||
				     is_reported_by(&looked, &row, comparable);
		if (is_raised(&looked, &row, comparable))
			json_array_append_new(fields,
					      json_pack("{s:s, s:s, s:o}", "field", row.field->id,
							"label", row.field->label, "sides",
							row_sides(&row)));
	}
	*ret_reported = looked.is_reported;
	*ret_any = looked.has_fields;
	return fields;
}

static void add_shared(const struct res_compare_source *source, json_t *cautions)
{
	auto_buf text = PL_BUF(SHARED_BYTES_MAX);

	if (source->shared == NULL)
		return;
	/* "10 runs are in A and in B, 3 in A and in C" */
	for (size_t a = 0; a < source->side_count; a++) {
		for (size_t b = a + 1; b < source->side_count; b++) {
			size_t count = source->shared[a][b];
			const char *verb = count == 1 ? " run is" : " runs are";
			if (count == 0)
				continue;
			pl_buf_addf(&text, "%s%zu%s in %c and in %c", text.len > 0 ? ", " : "",
				    count, text.len > 0 ? "" : verb, (char)('A' + a),
				    (char)('A' + b));
		}
	}
	if (text.len == 0)
		return;
	pl_buf_add_text(&text, "; the comparison assumes that no run is in two sides");
	json_array_append_new(cautions,
			      json_pack("{s:s, s:s, s:s, s:[]}", "kind", "shared", "title",
					"shared runs", "text", pl_buf_text(&text), "fields"));
}

static bool have_all_runs(const struct res_compare_source *source)
{
	for (size_t i = 0; i < source->side_count; i++) {
		if (source->sides[i].runs == 0)
			return false;
	}
	return true;
}

void res_compare_alike(const struct res_compare_source *source, json_t *answer)
{
	json_t *cautions = json_array(), *alike = json_array(), *not_reported = json_array();
	bool have_runs = source->sides == NULL || have_all_runs(source);

	add_shared(source, cautions);
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];
		bool reported, any;
		auto_json json_t *fields = caution_fields(source, kind, &reported, &any);
		if (json_array_size(fields) > 0)
			json_array_append_new(cautions,
					      json_pack("{s:s, s:s, s:s, s:O}", "kind", kind->id,
							"title", kind->title, "text", kind->text,
							"fields", fields));
		else if (any)
			json_array_append_new(
				reported && have_runs ? alike : not_reported,
				json_pack("{s:s, s:s}", "kind", kind->id, "title", kind->title));
	}
	json_object_set_new(answer, "cautions", cautions);
	json_object_set_new(answer, "comparable", alike);
	json_object_set_new(answer, "unknown", not_reported);
}

json_t *res_compare_cautions(const struct res_compare_source *source)
{
	auto_json json_t *answer = json_object();

	res_compare_alike(source, answer);
	return json_incref(json_object_get(answer, "cautions"));
}
