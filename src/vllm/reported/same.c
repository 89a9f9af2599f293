#include "vllm/reported/same.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/row.h"
#include "vllm/python_literal.h"

#define WORD_BYTES_MAX 256
#define FLOAT_SHARE    1e-6 /* single precision on the way */

enum kind { NONE, TRUTH, NUMBER, WORD, UNSURE };

struct scalar {
	enum kind kind;
	bool truth;
	double number;
	char word[WORD_BYTES_MAX];
};

static const char *const synonyms[][2] = {
#define SYNONYM(a, b) { a, b },
#include "tbl/reported.h"
};

/* Lower case, '_' for '-', without "torch." and with one of two names. */
static bool set_word(struct scalar *scalar, const char *text)
{
	if (strncasecmp(text, "torch.", 6) == 0)
		text += 6;
	size_t len = strlen(text);
	if (len >= WORD_BYTES_MAX)
		return false;
	for (size_t i = 0; i <= len; i++)
		scalar->word[i] = text[i] == '-' ? '_' : (char)tolower((unsigned char)text[i]);
	for (size_t i = 0; i < PL_ARRAY_SIZE(synonyms); i++) {
		if (strcmp(scalar->word, synonyms[i][0]) == 0)
			strcpy(scalar->word, synonyms[i][1]);
	}
	scalar->kind = WORD;
	return true;
}

/* A path: vLLM may resolve it. Names of models have a slash too. */
static bool is_path(const char *text)
{
	return strpbrk(text, "/~\\") != NULL;
}

static bool is_number_type(enum option_type type)
{
	return type == OPTION_INT || type == OPTION_HUMAN_INT || type == OPTION_FLOAT;
}

static bool read_number(enum option_type type, const char *text, double *ret)
{
	int64_t whole;

	if (type == OPTION_HUMAN_INT && pl_text_to_human_int(text, &whole)) {
		*ret = (double)whole;
		return true;
	}
	return pl_text_to_f64(text, ret);
}

static bool read_truth(const char *text, bool *ret)
{
	*ret = strcasecmp(text, "true") == 0;
	return *ret || strcasecmp(text, "false") == 0;
}

/* Converts by the row's type: "8k" is a number if the argument is one. */
static struct scalar scalar_of(enum option_type type, const json_t *value)
{
	struct scalar scalar = { .kind = UNSURE };
	const char *text = json_string_value(value);

	if (json_is_null(value)) {
		scalar.kind = NONE;
	} else if (json_is_boolean(value)) {
		scalar.kind = TRUTH;
		scalar.truth = json_is_true(value);
	} else if (json_is_number(value)) {
		scalar.kind = NUMBER;
		scalar.number = json_number_value(value);
	} else if (text != NULL && type == OPTION_BOOL && read_truth(text, &scalar.truth)) {
		scalar.kind = TRUTH;
	} else if (text != NULL && is_number_type(type) &&
		   read_number(type, text, &scalar.number)) {
		scalar.kind = NUMBER;
	} else if (text != NULL && !is_number_type(type) && type != OPTION_BOOL && !is_path(text)) {
		(void)set_word(&scalar, text);
	}
	return scalar;
}

/* vLLM resolves a value to a more specific one: "fp8" to "fp8_ds_mla", "awq" to "awq_marlin". */
static bool is_word_of(const char *word, const char *longer)
{
	size_t len = strlen(word);

	return strncmp(word, longer, len) == 0 && (longer[len] == '\0' || longer[len] == '_');
}

/* -1: not sure; 0: differ; 1: same */
static int compare(const struct scalar *a, const struct scalar *b)
{
	if (a->kind == UNSURE || b->kind == UNSURE || a->kind != b->kind)
		return -1;
	switch (a->kind) {
	case TRUTH:
		return a->truth == b->truth;
	case NUMBER:
		return a->number == b->number ||
		       fabs(a->number - b->number) <=
			       FLOAT_SHARE * fmax(fabs(a->number), fabs(b->number));
	case WORD:
		return is_word_of(a->word, b->word) || is_word_of(b->word, a->word);
	default:
		return 1;
	}
}

static bool is_auto(const char *text)
{
	return text[0] == '\0' || strcasecmp(text, "auto") == 0 || strcasecmp(text, "none") == 0 ||
	       strcasecmp(text, "default") == 0;
}

/* Two scalars. */
static int compare_one(enum option_type type, const json_t *requested, const json_t *reported,
		       bool none_counts)
{
	struct scalar a = scalar_of(type, requested);
	const char *text = json_string_value(reported);

	if (json_equal(requested, reported))
		return 1;
	/* "<Mode.NONE: 0>", "Mode.NONE": the requested value may be its name or its value. */
	const char *dot = text != NULL ? strchr(text, '.') : NULL;
	if (dot != NULL && (text[0] == '<' || isupper((unsigned char)text[0]))) {
		auto_free char *name = pl_strdup(strchr(text, '.') + 1);
		auto_json json_t *value = NULL;
		char *colon = strstr(name, ": ");
		struct scalar by_name = { .kind = UNSURE };
		if (colon != NULL) {
			*colon = '\0';
			colon[strlen(colon + 2) + 1] = '\0'; /* the '>' */
			value = vllm_python_literal(colon + 2);
		}
		(void)set_word(&by_name, name);
		int same = compare(&a, &by_name);
		if (same == 1 || value == NULL)
			return same;
		struct scalar by_value = scalar_of(type, value);
		int same_value = compare(&a, &by_value);
		return same_value == -1 ? same : same_value;
	}
	if (text != NULL && !none_counts && is_auto(text))
		return -1;
	struct scalar b = scalar_of(type, reported);
	if (b.kind == NONE && a.kind != NONE && a.kind != UNSURE)
		return none_counts ? 0 : -1;
	return compare(&a, &b);
}

/* Returns whether the list contains the item; -1: uncertain. */
static int is_in(enum option_type type, const json_t *list, const json_t *item)
{
	int found = 0;

	PL_JSON_EACH(other, list) {
		int same = compare_one(type, item, other, true);
		if (same == 1)
			return 1;
		if (same == -1)
			found = -1;
	}
	return found;
}

/*
 * Compares in any order. A single value equals a list of one; a server may report the first item of
 * a list.
 */
static int compare_lists(enum option_type type, const json_t *requested, const json_t *reported)
{
	if (!json_is_array(reported))
		return is_in(type, requested, reported);
	if (!json_is_array(requested))
		return json_array_size(reported) == 1
			       ? compare_one(type, requested, json_array_get(reported, 0), true)
			       : -1;
	if (json_array_size(requested) != json_array_size(reported))
		return json_array_size(reported) == 0 ? -1 : 0;
	PL_JSON_EACH(item, requested) {
		int found = is_in(type, reported, item);
		if (found != 1)
			return found;
	}
	return 1;
}

/* Compares the requested keys of the object, and only values of the same type. */
static bool same_object(const json_t *requested, const json_t *reported, const char **ret_key)
{
	PL_JSON_EACH_MEMBER(key, value, requested) {
		const json_t *other = json_object_get(reported, key);
		if (other == NULL || json_is_object(value) || json_is_array(value) ||
		    json_is_null(value) || json_is_null(other))
			continue;
		if (compare_one(OPTION_ANY, value, other, false) == 0) {
			*ret_key = key;
			return false;
		}
	}
	return true;
}

bool vllm_value_is_open(const struct option_row *row, const json_t *requested)
{
	auto_json json_t *special = pl_json_of_text(row->special_values);
	const char *text = json_string_value(requested);

	if (json_is_null(requested) || row->secret || row->aside || pl_json_has(special, requested))
		return true;
	if (json_is_number(requested) && json_number_value(requested) == -1)
		return true;
	return text != NULL && (is_auto(text) || is_path(text));
}

bool vllm_same_value(const struct option_row *row, const json_t *requested, const json_t *reported,
		     bool none_counts, const char **ret_key)
{
	enum option_type type = row->type == OPTION_LIST ? row->items : row->type;

	*ret_key = NULL;
	if (json_is_object(requested))
		return !json_is_object(reported) || same_object(requested, reported, ret_key);
	if (json_is_object(reported))
		return true;
	if (json_is_array(requested) || json_is_array(reported))
		return compare_lists(type, requested, reported) != 0;
	return compare_one(type, requested, reported, none_counts) != 0;
}
