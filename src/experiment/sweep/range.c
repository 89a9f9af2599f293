/*
 * Ranges: {from: 1, to: 256, scale: 2^k}. A range of whole numbers has no others. Ends are values,
 * also where rounding took a bit of them away.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/sweep/sweep_priv.h"

#define DIGITS    12   /* of a number that was computed: 0.3 and not 0.30000000000000004 */
#define END_PART  1e-9 /* share of a step within which a value counts as the end */
#define WHOLE_MAX 9e15 /* whole numbers that a double has exactly */

enum scale { SCALE_LINEAR, SCALE_LOG, SCALE_DOUBLE };
static const char *const scale_names[] = { "linear", "log", "2^k", NULL };
static const char *const range_keys[] = { "from", "to", "scale", "step", "count", NULL };

/* A range as it was written. */
struct written {
	struct exp_range range;
	enum scale scale;
	double step; /* 0: not given */
	bool whole_step;
	int64_t count; /* 0: not given */
};

bool exp_range_is_meant(const struct pl_yaml *value)
{
	return value->kind == PL_YAML_MAP &&
	       (pl_yaml_get(value, "from") != NULL || pl_yaml_get(value, "to") != NULL);
}

/* Also "32k". */
static bool read_number(struct exp_sweep_reader *sweep, const char *key, const char *name,
			const struct pl_yaml *node, double *ret, bool *ret_whole)
{
	auto_free char *full = pl_asprintf("sweep.%s.%s", key, name);
	int64_t whole;

	*ret_whole = node->kind == PL_YAML_SCALAR && node->plain &&
		     pl_text_to_human_int(node->text, &whole);
	if (*ret_whole)
		*ret = (double)whole;
	else if (!pl_yaml_to_f64(node, ret))
		*ret = NAN;
	if (isfinite(*ret) && fabs(*ret) < WHOLE_MAX)
		return true;
	option_reader_refuse(sweep->reader, node, full, NULL, "a number");
	return false;
}

static bool read_scale(struct exp_sweep_reader *sweep, const char *key, const struct pl_yaml *node,
		       enum scale *ret)
{
	auto_free char *full = pl_asprintf("sweep.%s.scale", key);

	for (size_t i = 0; node->kind == PL_YAML_SCALAR && scale_names[i] != NULL; i++) {
		if (strcmp(scale_names[i], node->text) == 0) {
			*ret = (enum scale)i;
			return true;
		}
	}
	auto_free char *found = node->kind == PL_YAML_SCALAR ? pl_asprintf("'%s'", node->text)
							     : NULL;
	option_reader_add(sweep->reader, OPTION_ERROR, node, full, found, "linear, log or 2^k",
			  option_key_nearest(node->text, scale_names));
	return false;
}

static bool read_member(struct exp_sweep_reader *sweep, const char *key, const struct pl_yaml *name,
			const struct pl_yaml *node, struct written *range)
{
	auto_free char *full = pl_asprintf("sweep.%s.%s", key, name->text);
	double number;
	bool whole;

	if (strcmp(name->text, "scale") == 0)
		return read_scale(sweep, key, node, &range->scale);
	if (!PL_TEXT_IS_ONE_OF(name->text, range_keys)) {
		option_reader_add(sweep->reader, OPTION_ERROR, name, full, "unknown key",
				  "from, to, scale, step or count",
				  option_key_nearest(name->text, range_keys));
		return false;
	}
	if (!read_number(sweep, key, name->text, node, &number, &whole))
		return false;
	if (strcmp(name->text, "step") == 0 && number > 0) {
		range->step = number;
		range->whole_step = whole;
	} else if (strcmp(name->text, "count") == 0 && whole && number >= 2 &&
		   number <= EXP_SWEEP_VALUES_MAX) {
		range->count = (int64_t)number;
	} else if (strcmp(name->text, "from") == 0) {
		range->range.from = number;
		range->range.whole = range->range.whole && whole;
	} else if (strcmp(name->text, "to") == 0) {
		range->range.to = number;
		range->range.whole = range->range.whole && whole;
	} else {
		option_reader_refuse(sweep->reader, node, full, NULL,
				     strcmp(name->text, "step") == 0 ? "a number above 0"
								     : "2 to 10000");
		return false;
	}
	return true;
}

/* Returns NULL for a valid range, otherwise what was expected. */
static const char *what_is_wrong(const struct written *range)
{
	if (isnan(range->range.from) || isnan(range->range.to))
		return "both 'from' and 'to'";
	if (range->range.from > range->range.to)
		return "a 'from' of at most 'to'";
	if (range->scale != SCALE_LINEAR && range->range.from <= 0)
		return "a 'from' above 0 for this scale";
	if (range->scale != SCALE_LINEAR && range->step > 0)
		return "no 'step', which works only with the linear scale";
	if (range->scale == SCALE_DOUBLE && range->count > 0)
		return "no 'count', because 2^k doubles 'from' until 'to'";
	if (range->step > 0 && range->count > 0)
		return "either 'step' or 'count'";
	if (range->step > 0 &&
	    (range->range.to - range->range.from) / range->step > EXP_SWEEP_VALUES_MAX - 1)
		return "at most 10000 values";
	return NULL;
}

/* Returns false after the last value. */
static bool value_at(const struct written *range, size_t i, double *ret)
{
	double from = range->range.from;
	double to = range->range.to;

	if (range->scale == SCALE_DOUBLE) {
		*ret = ldexp(from, (int)i);
		return *ret <= to;
	}
	if (range->step > 0) {
		*ret = from + (double)i * range->step;
		return *ret <= to + END_PART * range->step;
	}
	double share = (double)i / (double)(range->count - 1);
	*ret = range->scale == SCALE_LOG ? from * pow(to / from, share)
					 : from + (to - from) * share;
	if (i + 1 == (size_t)range->count)
		*ret = to;
	return i < (size_t)range->count;
}

const struct pl_yaml *exp_number_node(struct exp_sweep_reader *sweep, double number, bool whole,
				      int digits, const struct pl_yaml *at)
{
	struct pl_yaml *node = pl_arena_alloc(sweep->sweep->arena, sizeof(*node));
	char text[PL_F64_TEXT_BYTES + 16];

	if (whole) {
		snprintf(text, sizeof(text), "%.0f", round(number));
	} else {
		double rounded;
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (pl_text_to_f64(text, &rounded))
			pl_text_from_f64(rounded, text);
	}
	*node = (struct pl_yaml){
		.kind = PL_YAML_SCALAR,
		.plain = true,
		.text = pl_arena_strndup(sweep->sweep->arena, text, strlen(text)),
		.line = at->line,
		.column = at->column,
	};
	return node;
}

/* Whole numbers may fall together: each once. */
static void fill(struct exp_sweep_reader *sweep, const struct written *range,
		 const struct pl_yaml *at, const struct pl_yaml *value, struct exp_axis *axis)
{
	bool whole = range->range.whole && (range->step == 0 || range->whole_step);
	size_t room = EXP_SWEEP_VALUES_MAX;
	const char *last = "";
	double number;

	if (range->count > 0)
		room = (size_t)range->count;
	else if (range->scale == SCALE_DOUBLE)
		room = 1100; /* doubles have no more powers of two */
	else
		room = (size_t)((range->range.to - range->range.from) / range->step) + 2;
	axis->settings = pl_arena_alloc(sweep->sweep->arena, room * sizeof(*axis->settings));
	for (size_t i = 0; i < room && value_at(range, i, &number); i++) {
		const struct pl_yaml *node = exp_number_node(sweep, number, whole, DIGITS, value);
		if (strcmp(node->text, last) == 0)
			continue;
		last = node->text;
		axis->settings[axis->count++] = (struct exp_setting){ axis->keys[0], at, node };
	}
}

struct exp_axis *exp_axis_range(struct exp_sweep_reader *sweep, const char *key,
				const struct pl_yaml *at, const struct pl_yaml *value)
{
	struct written range = { .range = { .from = NAN, .to = NAN, .whole = true } };
	struct exp_axis *axis = pl_arena_alloc(sweep->sweep->arena, sizeof(*axis));
	auto_free char *full = pl_asprintf("sweep.%s", key);

	for (size_t i = 0; i < value->count; i++) {
		if (!read_member(sweep, key, value->keys[i], value->items[i], &range))
			return NULL;
	}
	const char *wrong = what_is_wrong(&range);
	if (wrong != NULL) {
		option_reader_refuse(sweep->reader, value, full, "a range", wrong);
		return NULL;
	}
	axis->at = at;
	axis->keys = pl_arena_alloc(sweep->sweep->arena, sizeof(*axis->keys));
	axis->keys[0] = key;
	axis->key_count = 1;
	axis->range = range.range;
	axis->range.logarithmic = range.scale == SCALE_LOG;
	if (range.count > 0 || range.step > 0 || range.scale == SCALE_DOUBLE)
		fill(sweep, &range, at, value, axis);
	return axis;
}

/* Integers are equally likely; on the logarithmic scale the nearest one is used. */
double exp_range_share(const struct exp_range *range, double share)
{
	if (range->logarithmic) {
		double number = range->from * pow(range->to / range->from, share);
		return range->whole ? round(number) : number;
	}
	if (range->whole)
		return range->from + floor((range->to - range->from + 1) * share);
	return range->from + (range->to - range->from) * share;
}
