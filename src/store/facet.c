/*
 * A scan of one column counts all that is in it: classes in a small array, texts by their code, numbers in
 * a hash that lives as long as the query (its slots bear the number of the scan, so that none has to be
 * cleared). Only what is shown is put in order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/columns_priv.h"
#include "store/facet_priv.h"
#include "store/histogram.h"
#include "store/order.h"

#define ALL_SHOWN_MAX   30 /* so many values are all shown */
#define HISTOGRAM_ABOVE 12 /* different numbers */
#define WHOLE_MAX       9e15
#define HASH_MULTIPLIER 0x9e3779b97f4a7c15u

struct value {
	enum store_class class;
	uint32_t code;
	double number;
	size_t count;
};

struct slot {
	double number;
	uint32_t count;
	uint32_t scan;
};

struct facet_scratch {
	const struct store_view *view;
	struct slot *slots;
	unsigned slot_bits;
	uint32_t scan;
	uint32_t *used; /* slots of this scan */
	size_t used_count;
	uint32_t *text_counts;
	size_t text_room;
	size_t class_counts[STORE_CLASS_COUNT];
	size_t explicit_count;
	struct value *values;
	size_t value_count;
	size_t value_room;
	struct store_counted *finite;
	size_t finite_count;
	size_t finite_room;
};

struct facet_scratch *facet_scratch_new(const struct store_view *view)
{
	struct facet_scratch *scratch = pl_alloc(sizeof(*scratch));
	size_t rows = store_view_rows(view);

	scratch->view = view;
	scratch->slot_bits = 4;
	while ((1ull << scratch->slot_bits) < rows * 2)
		scratch->slot_bits++;
	scratch->slots = pl_alloc_array(1ull << scratch->slot_bits, sizeof(*scratch->slots));
	scratch->used = pl_alloc_array(rows, sizeof(*scratch->used));
	return scratch;
}

void facet_scratch_free(struct facet_scratch *scratch)
{
	if (scratch == NULL)
		return;
	free(scratch->slots);
	free(scratch->used);
	free(scratch->text_counts);
	free(scratch->values);
	free(scratch->finite);
	free(scratch);
}

/* ---- values as JSON -------------------------------------------------------------------------- */

/* "inf" for an infinite one, whole ones without a point. */
static json_t *number_to_json(double number)
{
	if (isinf(number))
		return json_string(number > 0 ? "inf" : "-inf");
	if (fabs(number) < WHOLE_MAX && trunc(number) >= number && trunc(number) <= number)
		return json_integer((json_int_t)number);
	return json_real(number);
}

static json_t *to_json(const struct store_column *column, enum store_class class, double number,
		       uint32_t code)
{
	switch (class) {
	case STORE_NULL:
		return json_null();
	case STORE_NUMBER:
		return number_to_json(number);
	case STORE_NO:
		return json_false();
	case STORE_YES:
		return json_true();
	case STORE_TEXT:
		return json_string(column->texts[code].text);
	case STORE_JSON:
		return json_loads(column->texts[code].text, JSON_DECODE_ANY, NULL);
	default:
		return NULL;
	}
}

json_t *store_cell_to_json(const struct store_column *column, size_t row)
{
	enum store_class class = store_class_at(column, row);

	return to_json(column, class, class == STORE_NUMBER ? column->numbers[row] : 0,
		       class >= STORE_TEXT ? column->codes[row] : 0);
}

/* ---- one scan -------------------------------------------------------------------------------- */

static void count_number(struct facet_scratch *scratch, double number)
{
	uint64_t bits, mask = (1ull << scratch->slot_bits) - 1;
	double key = number + 0.0; /* -0 is 0 */

	memcpy(&bits, &key, sizeof(bits));
	for (uint64_t at = bits * HASH_MULTIPLIER >> (64 - scratch->slot_bits);; at = at + 1) {
		struct slot *slot = &scratch->slots[at & mask];
		if (slot->scan != scratch->scan) {
			*slot = (struct slot){ key, 1, scratch->scan };
			scratch->used[scratch->used_count++] = (uint32_t)(at & mask);
			return;
		}
		if (!(slot->number < key) && !(slot->number > key)) {
			slot->count++;
			return;
		}
	}
}

static void count_row(struct facet_scratch *scratch, const struct store_column *column, size_t row)
{
	enum store_class class = column->classes[row] & ~STORE_EXPLICIT;

	scratch->class_counts[class]++;
	scratch->explicit_count += column->classes[row] / STORE_EXPLICIT;
	if (class == STORE_NUMBER)
		count_number(scratch, column->numbers[row]);
	else if (class >= STORE_TEXT)
		scratch->text_counts[column->codes[row]]++;
}

static void scan(struct facet_scratch *scratch, const struct store_column *column,
		 const uint64_t *rows)
{
	scratch->scan++;
	scratch->used_count = scratch->explicit_count = 0;
	memset(scratch->class_counts, 0, sizeof(scratch->class_counts));
	pl_grow((void **)&scratch->text_counts, &scratch->text_room, column->text_count + 1,
		sizeof(*scratch->text_counts));
	memset(scratch->text_counts, 0, column->text_count * sizeof(*scratch->text_counts));
	for (size_t word = 0; word < store_view_words(scratch->view); word++) {
		if (column->classes == NULL)
			scratch->class_counts[STORE_MISSING] += (size_t)__builtin_popcountll(
				rows[word]);
		for (uint64_t bits = column->classes == NULL ? 0 : rows[word]; bits != 0;
		     bits &= bits - 1)
			count_row(scratch, column, word * BITS + (size_t)__builtin_ctzll(bits));
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool has_needle(const struct store_column *column, const struct value *value,
		       const struct store_needle *needle)
{
	char number[PL_F64_TEXT_BYTES];
	const char *text = value->class == STORE_NO ? "false" : "true";

	if (needle == NULL)
		return true;
	if (value->class >= STORE_TEXT) {
		text = column->texts[value->code].text;
	} else if (value->class == STORE_NUMBER) {
		pl_text_from_f64(value->number, number);
		if (pl_text_ends(number, ".0"))
			number[strlen(number) - 2] = '\0';
		text = number;
	}
	return store_needle_is_in(needle, text);
}

/* All of the scan: its words, or what is none. */
static void list_values(struct facet_scratch *scratch, const struct store_column *column,
			bool words, bool others)
{
	scratch->value_count = 0;
	for (size_t i = 0; others && i < scratch->used_count; i++) {
		const struct slot *slot = &scratch->slots[scratch->used[i]];
		*PL_PUSH(scratch->values, scratch->value_count, scratch->value_room) =
			(struct value){ STORE_NUMBER, 0, slot->number, slot->count };
	}
	for (int i = STORE_NO; others && i <= STORE_YES; i++) {
		if (scratch->class_counts[i] == 0)
			continue;
		*PL_PUSH(scratch->values, scratch->value_count, scratch->value_room) =
			(struct value){ (enum store_class)i, 0, 0, scratch->class_counts[i] };
	}
	for (size_t i = 0; i < column->text_count; i++) {
		enum store_class class = column->texts[i].class;
		if (scratch->text_counts[i] > 0 && (class == STORE_TEXT ? words : others))
			*PL_PUSH(scratch->values, scratch->value_count, scratch->value_room) =
				(struct value){ class, (uint32_t)i, 0, scratch->text_counts[i] };
	}
}

static int compare_values(const void *a, const void *b, void *context)
{
	const struct value *one = a, *other = b;

	if (one->class != other->class)
		return one->class < other->class ? -1 : 1;
	if (one->class >= STORE_TEXT)
		return store_order_texts(context, one->code, other->code);
	return (one->number > other->number) - (one->number < other->number);
}

static int compare_counts(const void *a, const void *b, void *context)
{
	const struct value *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return compare_values(a, b, context);
}

/* Those that were listed, as far as they are asked for. New reference. */
static json_t *show_values(struct facet_scratch *scratch, const struct store_column *column,
			   const struct facet_options *options, size_t *ret_found)
{
	bool all = scratch->value_count <= ALL_SHOWN_MAX && !options->by_count;
	size_t count = 0, last;
	json_t *shown = json_array();

	for (size_t i = 0; i < scratch->value_count; i++) {
		if (has_needle(column, &scratch->values[i], options->needle))
			scratch->values[count++] = scratch->values[i];
	}
	last = all || count < options->offset + options->limit ? count
							       : options->offset + options->limit;
	store_order_first(scratch->values, count, sizeof(*scratch->values), last,
			  all ? compare_values : compare_counts, (void *)column);
	for (size_t i = options->offset; i < last; i++) {
		const struct value *value = &scratch->values[i];
		json_t *item = json_object();
		json_object_set_new(item, "value",
				    to_json(column, value->class, value->number, value->code));
		json_object_set_new(item, "count", json_integer((json_int_t)value->count));
		json_array_append_new(shown, item);
	}
	*ret_found = count;
	return shown;
}

/* ---- numbers and times ----------------------------------------------------------------------- */

static void add_histogram(struct facet_scratch *scratch, json_t *facet)
{
	struct store_histogram histogram;
	json_t *edges = json_array(), *counts = json_array();

	store_histogram(scratch->finite, scratch->finite_count, &histogram);
	for (size_t i = 0; i <= histogram.bins; i++)
		json_array_append_new(edges, number_to_json(histogram.edges[i]));
	for (size_t i = 0; i < histogram.bins; i++)
		json_array_append_new(counts, json_integer((json_int_t)histogram.counts[i]));
	json_object_set_new(facet, "histogram",
			    json_pack("{s:o, s:o}", "edges", edges, "counts", counts));
}

static void add_numbers(struct facet_scratch *scratch, json_t *facet)
{
	double least = INFINITY, most = -INFINITY;

	scratch->finite_count = 0;
	for (size_t i = 0; i < scratch->used_count; i++) {
		const struct slot *slot = &scratch->slots[scratch->used[i]];
		least = slot->number < least ? slot->number : least;
		most = slot->number > most ? slot->number : most;
		if (isfinite(slot->number))
			*PL_PUSH(scratch->finite, scratch->finite_count, scratch->finite_room) =
				(struct store_counted){ slot->number, slot->count };
	}
	if (scratch->used_count > 0) {
		json_object_set_new(facet, "min", number_to_json(least));
		json_object_set_new(facet, "max", number_to_json(most));
	}
	if (scratch->finite_count > HISTOGRAM_ABOVE)
		add_histogram(scratch, facet);
}

static void add_times(struct facet_scratch *scratch, const struct store_column *column,
		      json_t *facet)
{
	const struct store_text *first = NULL, *last = NULL;

	for (size_t i = 0; i < column->text_count; i++) {
		const struct store_text *text = &column->texts[i];
		if (scratch->text_counts[i] == 0 || !text->is_time)
			continue;
		if (first == NULL || text->time_us < first->time_us)
			first = text;
		if (last == NULL || text->time_us > last->time_us)
			last = text;
	}
	if (first != NULL) {
		json_object_set_new(facet, "min", json_string(first->text));
		json_object_set_new(facet, "max", json_string(last->text));
	}
}

/* ---- the facet ------------------------------------------------------------------------------- */

/* Are there two rows that differ? Null and not recorded count as any value. */
static bool varies(const struct facet_scratch *scratch, const struct store_column *column)
{
	size_t different = scratch->used_count;

	for (size_t i = 0; i <= STORE_YES; i++)
		different += i != STORE_NUMBER && scratch->class_counts[i] > 0;
	for (size_t i = 0; different < 2 && i < column->text_count; i++)
		different += scratch->text_counts[i] > 0;
	return different > 1;
}

static bool is_numeric(const struct facet_scratch *scratch, const struct store_column *column)
{
	const struct res_field *field = &column->field;

	return field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT ||
	       (field->type == RES_FIELD_JSON && scratch->class_counts[STORE_NUMBER] > 0);
}

json_t *facet_values(struct facet_scratch *scratch, const struct store_column *column,
		     const uint64_t *rows, const struct facet_options *options)
{
	size_t count = 0, found;
	json_t *values;

	scan(scratch, column, rows);
	for (size_t i = 0; i < STORE_CLASS_COUNT; i++)
		count += scratch->class_counts[i];
	list_values(scratch, column, true, true);
	size_t distinct = scratch->value_count;
	values = show_values(scratch, column, options, &found);
	size_t told = options->offset + json_array_size(values);
	return json_pack("{s:I, s:I, s:I, s:o, s:I}", "count", (json_int_t)count, "distinct",
			 (json_int_t)distinct, "matching", (json_int_t)found, "values", values,
			 "more", (json_int_t)(found > told ? found - told : 0));
}

json_t *facet_of(struct facet_scratch *scratch, const struct store_column *column,
		 const uint64_t *rows, const struct facet_options *options)
{
	size_t count = 0, found;
	json_t *facet, *values;

	if (options->only_varying && column->classes == NULL)
		return NULL;
	scan(scratch, column, rows);
	if (options->only_varying && !varies(scratch, column))
		return NULL;
	bool numeric = is_numeric(scratch, column);
	for (size_t i = 0; i < STORE_CLASS_COUNT; i++)
		count += scratch->class_counts[i];
	list_values(scratch, column, !numeric, true);
	size_t distinct = scratch->value_count;
	values = show_values(scratch, column, options, &found);
	facet = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I}", "count", (json_int_t)count,
			  "recorded", (json_int_t)(count - scratch->class_counts[STORE_MISSING]),
			  "null", (json_int_t)scratch->class_counts[STORE_NULL], "missing",
			  (json_int_t)scratch->class_counts[STORE_MISSING], "explicit",
			  (json_int_t)scratch->explicit_count, "distinct", (json_int_t)distinct,
			  "values", values, "more", (json_int_t)(found - json_array_size(values)));
	if (numeric) {
		struct facet_options all_words = *options;
		all_words.limit = SIZE_MAX;
		add_numbers(scratch, facet);
		list_values(scratch, column, true, false);
		json_object_set_new(facet, "words",
				    show_values(scratch, column, &all_words, &found));
	} else if (column->field.type == RES_FIELD_TIME) {
		add_times(scratch, column, facet);
	}
	return facet;
}
