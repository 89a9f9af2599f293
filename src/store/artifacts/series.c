#include "store/artifacts/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum kind { LEVEL, RATE, COUNT, BITS, HELD };

static const struct quantity {
	const char *source;
	const char *name;
	const char *unit;
	const char *text;
	enum kind kind;
} quantities[] = {
	{ "load", "in_flight", "req", "requests in flight", HELD },
#define QUANTITY(source, name, unit, kind, text) { #source, #name, unit, text, kind },
#define PAGE(name, unit, kind, text)             { "server_metrics", #name, unit, text, kind },
#include "tbl/telemetry.h"
};

#define QUANTITIES PL_ARRAY_SIZE(quantities)

struct bin {
	double sum;
	size_t count;
};

struct work {
	const struct store_series_span *span;
	struct bin *bins; /* consecutive per quantity */
	double before
		[QUANTITIES]; /* for quantities with held values: the value at the start; NaN: none */
	size_t lines;
	size_t skipped;
};

static const struct quantity *find(const char *source, const char *name)
{
	for (size_t i = 0; i < QUANTITIES; i++) {
		if (strcmp(quantities[i].name, name) == 0 &&
		    strcmp(quantities[i].source, source) == 0)
			return &quantities[i];
	}
	return NULL;
}

static void add_value(struct work *work, const struct quantity *quantity, int64_t t_ns,
		      double value)
{
	const struct store_series_span *span = work->span;
	size_t at = (size_t)(quantity - quantities);

	if (!isfinite(value) || t_ns >= span->to_ns || quantity->kind == COUNT ||
	    quantity->kind == BITS)
		return;
	if (t_ns < span->from_ns) {
		work->before[at] = value;
		return;
	}
	double share = (double)(t_ns - span->from_ns) / (double)(span->to_ns - span->from_ns);
	size_t position = (size_t)(share * (double)span->bins);
	struct bin *bin =
		&work->bins[at * span->bins + (position < span->bins ? position : span->bins - 1)];
	bin->sum = quantity->kind == HELD ? value : bin->sum + value;
	bin->count = quantity->kind == HELD ? 1 : bin->count + 1;
}

static bool add_line(struct work *work, const char *line, size_t len)
{
	auto_json json_t *json = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_parse(line, len, "series", &json, &err) < 0 || !json_is_object(json))
		return false;
	const json_t *t_ns = json_object_get(json, "t_ns");
	const char *source = pl_json_get_text(json, "source");
	const json_t *values = json_object_get(json, "values");
	if (!json_is_integer(t_ns) || json_integer_value(t_ns) < 0 || source == NULL ||
	    !json_is_object(values))
		return false;
	PL_JSON_EACH_MEMBER(name, value, values) {
		const struct quantity *quantity = find(source, name);
		if (quantity != NULL && json_is_number(value))
			add_value(work, quantity, json_integer_value(t_ns),
				  json_number_value(value));
	}
	return true;
}

/* Returns NULL if there is no number. */
static json_t *values_of(const struct work *work, size_t at)
{
	const struct bin *bins = &work->bins[at * work->span->bins];
	bool is_held = quantities[at].kind == HELD, has_any = false;
	double held = work->before[at];
	json_t *values = json_array();

	for (size_t i = 0; i < work->span->bins; i++) {
		double value = bins[i].count > 0 ? bins[i].sum / (double)bins[i].count : NAN;
		if (is_held && isnan(value))
			value = held;
		held = value;
		has_any = has_any || bins[i].count > 0;
		json_array_append_new(values, isfinite(value) ? json_real(value) : json_null());
	}
	if (!has_any)
		json_decref(values);
	return has_any ? values : NULL;
}

static json_t *series_of(const struct work *work)
{
	json_t *list = json_array();

	for (size_t i = 0; i < QUANTITIES; i++) {
		const struct quantity *quantity = &quantities[i];
		json_t *values = values_of(work, i);
		if (values != NULL)
			json_array_append_new(list,
					      json_pack("{s:s, s:s, s:s, s:s, s:o}", "source",
							quantity->source, "name", quantity->name,
							"unit", quantity->unit, "text",
							quantity->text, "values", values));
	}
	return list;
}

json_t *store_series_bins(const char *text, size_t len, const struct store_series_span *span)
{
	auto_free struct bin *bins = pl_alloc_array(span->bins * QUANTITIES, sizeof(*bins));
	struct work work = { .span = span, .bins = bins };
	double bin_s = (double)(span->to_ns - span->from_ns) / 1e9 / (double)span->bins;
	json_t *t_s = json_array();

	for (size_t i = 0; i < QUANTITIES; i++)
		work.before[i] = NAN;
	const char *end = text + len;
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *stop = newline != NULL ? newline : end;
		if (stop > line && add_line(&work, line, (size_t)(stop - line)))
			work.lines++;
		else if (stop > line)
			work.skipped++;
		line = stop + 1;
	}
	for (size_t i = 0; i < span->bins; i++)
		json_array_append_new(t_s, json_real(((double)i + 0.5) * bin_s));
	return json_pack("{s:o, s:I, s:I, s:o}", "t_s", t_s, "lines", (json_int_t)work.lines,
			 "skipped", (json_int_t)work.skipped, "series", series_of(&work));
}
