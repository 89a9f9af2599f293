/* The words behind a flag as typed values, the way Python reads them. */
#include "vllm/bench/line_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/dotted.h"
#include "vllm/python_text.h"

enum { CHOICES_BYTES_MAX = 8192, TUPLE_MAX = 8 };

static json_t *read_int(const char *word)
{
	auto_free char *text = option_number_text(word);
	int64_t value;

	if (text == NULL || !pl_text_to_i64(text, &value))
		return NULL;
	return json_integer(value);
}

/*
 * Converts like Python's float(): a number out of range is infinite. Unlike strtod(), float()
 * rejects hexadecimal numbers.
 */
static bool to_f64(const char *text, double *ret)
{
	const char *digits = text + (text[0] == '+' || text[0] == '-');

	if ((!isdigit((unsigned char)*digits) && *digits != '.') || strpbrk(text, "xXpP") != NULL)
		return false;
	char *end;
	*ret = strtod(text, &end);
	return end > digits && *end == '\0';
}

static json_t *read_float(const char *word)
{
	auto_free char *text = option_number_text(word);
	double value;

	if (text == NULL)
		return NULL;
	if (strcasecmp(text, "infinity") == 0 || strcasecmp(text, "inf") == 0 ||
	    strcasecmp(text, "+inf") == 0 || strcasecmp(text, "+infinity") == 0)
		return json_string("inf");
	if (strcasecmp(text, "-inf") == 0 || strcasecmp(text, "-infinity") == 0)
		return json_string("-inf");
	if (strcasecmp(text + (text[0] == '+' || text[0] == '-'), "nan") == 0)
		return json_string("nan");
	if (!to_f64(text, &value))
		return NULL;
	return isinf(value) ? json_string(value > 0 ? "inf" : "-inf") : json_real(value);
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Returns "(256, 256, 1)" as printed; NULL: not a tuple of integers. Moves *at past it. */
static char *read_tuple(const char **at)
{
	auto_buf text = PL_BUF(256);
	const char *here = skip_blanks(*at);
	size_t count = 0;

	if (*here++ != '(')
		return NULL;
	pl_buf_add_char(&text, '(');
	for (here = skip_blanks(here); *here != ')' && count < TUPLE_MAX; count++) {
		char *end;
		long number = strtol(here, &end, 10);
		if (end == here)
			return NULL;
		pl_buf_addf(&text, "%s%ld", count > 0 ? ", " : "", number);
		here = skip_blanks(end);
		if (*here == ',')
			here = skip_blanks(here + 1);
		else if (*here != ')')
			return NULL;
	}
	if (*here != ')' || count == 0)
		return NULL;
	pl_buf_add_char(&text, ')');
	*at = here + 1;
	return pl_strdup(pl_buf_text(&text));
}

/* {(height, width, frames): share, …}: Python's way to write it. NULL: it is not that. */
static json_t *read_buckets(const char *word)
{
	auto_json json_t *object = json_object();
	const char *at = skip_blanks(word);

	if (*at++ != '{')
		return NULL;
	for (at = skip_blanks(at); *at != '}';) {
		auto_free char *key = read_tuple(&at);
		at = skip_blanks(at);
		if (key == NULL || *at != ':')
			return NULL;
		char *end;
		double share = strtod(at + 1, &end);
		if (end == at + 1 || !isfinite(share))
			return NULL;
		json_object_set_new(object, key, json_real(share));
		at = skip_blanks(end);
		if (*at == ',')
			at = skip_blanks(at + 1);
		else if (*at != '}')
			return NULL;
	}
	return *skip_blanks(at + 1) == '\0' ? pl_take(object) : NULL;
}

static json_t *read_list(const struct option_argv_word *flag)
{
	json_t *list = json_array();

	for (size_t i = 0; i < option_argv_value_count(flag); i++) {
		const char *text = option_argv_value(flag, i);
		if (flag->flag->row->commas)
			option_commas_add(list, text);
		else
			json_array_append_new(list, json_string(text));
	}
	return list;
}

/*
 * Returns NULL if the text is invalid for the type. *ret_name is the Python function that vLLM's
 * parser calls, because its message contains it.
 */
static json_t *read_typed(const struct option_row *row, const char *text, const char **ret_type)
{
	switch (row->type) {
	case OPTION_INT:
		*ret_type = "int";
		return read_int(text);
	case OPTION_FLOAT:
		*ret_type = "float";
		return read_float(text);
	case OPTION_JSON:
		*ret_type = row->literal ? "_parse_mm_bucket_config" : "loads";
		return row->literal ? read_buckets(text) : pl_json_of_text(text);
	default:
		*ret_type = "str";
		return json_string(text);
	}
}

/* Python's way to quote is the usual mistake. */
static char *why_no_json(const char *text)
{
	json_error_t fault;
	auto_json json_t *json = json_loads(text, JSON_DECODE_ANY, &fault);
	const char *excess = option_json_excess(text);

	if (excess != NULL)
		return pl_asprintf("it has %s, which cannot be sent", excess);
	if (strchr(text, '\'') != NULL && strchr(text, '"') == NULL)
		return pl_strdup("JSON strings need double quotes");
	return json == NULL ? pl_asprintf("not valid JSON: %s", fault.text) : NULL;
}

static void report_choice(struct vllm_bench_line *line, const struct option_row *row, size_t word,
			  const json_t *choices, const char *text)
{
	auto_free char *shown = vllm_python_repr(text);
	auto_buf fault = PL_BUF(CHOICES_BYTES_MAX);
	struct pl_nearest nearest = { .name = text };

	pl_buf_addf(&fault, "argument %s: invalid choice: %.200s (choose from ", row->flag, shown);
	PL_JSON_EACH(choice, choices) {
		pl_buf_addf(&fault, "%s'%s'", choice_at > 0 ? ", " : "", json_string_value(choice));
		pl_nearest_try(&nearest, json_string_value(choice));
	}
	pl_buf_add_char(&fault, ')');
	const struct option_hint *older = row->older_values;
	while (older != NULL && older->value != NULL && strcmp(older->value, text) != 0)
		older++;
	const char *hint = older != NULL ? older->hint : NULL;
	vllm_bench_fault_add(line, word, pl_strdup(pl_buf_text(&fault)), hint)->nearest =
		hint == NULL ? pl_strdup(nearest.found) : NULL;
}

/* NULL with a fault: no duration, or one that the row does not allow. */
static json_t *read_duration(struct vllm_bench_line *line, const struct option_row *row,
			     size_t word, const char *text)
{
	int64_t ns;

	if (!pl_text_to_duration_ns(text, &ns)) {
		vllm_bench_fault_add(line, word,
				     pl_asprintf("argument %s: found '%.200s', expected a duration "
						 "such as 30s or 500ms",
						 row->flag, text),
				     NULL);
		return NULL;
	}
	if ((double)ns >= row->min && (double)ns <= row->max)
		return json_integer(ns);
	auto_free char *least = option_row_bound_text(row, row->min);
	auto_free char *most = option_row_bound_text(row, row->max);
	vllm_bench_fault_add(line, word,
			     pl_asprintf("argument %s: found '%.200s', expected a duration from %s "
					 "to %s",
					 row->flag, text, least, most),
			     NULL);
	return NULL;
}

json_t *vllm_bench_value_read(struct vllm_bench_line *line, const struct option_argv_word *word)
{
	const struct option_row *row = word->flag->row;
	size_t location = (size_t)word->line;
	const char *type;

	if (row->type == OPTION_LIST)
		return read_list(word);
	const char *text = option_argv_value(word, 0);
	if (row->type == OPTION_DURATION)
		return read_duration(line, row, location, text);
	auto_json json_t *value = read_typed(row, text, &type);
	if (value == NULL) {
		auto_free char *shown = vllm_python_repr(text);
		auto_free char *hint = strcmp(type, "loads") == 0 ? why_no_json(text) : NULL;
		vllm_bench_fault_add(line, location,
				     pl_asprintf("argument %s: invalid %s value: %.200s", row->flag,
						 type, shown),
				     hint);
		return NULL;
	}
	auto_json json_t *choices = pl_json_of_text(row->choices);
	if (choices != NULL && !pl_json_has_text(choices, text)) {
		report_choice(line, row, location, choices, text);
		return NULL;
	}
	return pl_take(value);
}
