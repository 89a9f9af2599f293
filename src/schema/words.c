#include "schema/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"

/* Enough for user input, short enough for a line. */
#define VALUE_BYTES_MAX   80
#define CHOICES_SHOWN_MAX 12
#define FORMS_DEPTH_MAX   4
#define WORDS_BYTES_MAX   4096

/* ---- values -------------------------------------------------------------------------------- */

/* "a list with 3 items" */
static void add_size(struct pl_buf *buf, const char *kind, size_t count, const char *noun)
{
	if (count == 0)
		pl_buf_addf(buf, "an empty %s", kind);
	else
		pl_buf_addf(buf, "%s %s with %zu %s%s", kind[0] == 'o' ? "an" : "a", kind, count,
			    noun, count == 1 ? "" : "s");
}

/* Truncates a long text between characters. */
static void add_value(struct pl_buf *buf, const json_t *value)
{
	if (value == NULL) {
		pl_buf_add_text(buf, "nothing");
	} else if (json_is_object(value)) {
		pl_buf_add_text(buf, "an object");
	} else if (json_is_array(value)) {
		add_size(buf, "list", json_array_size(value), "item");
	} else if (json_is_string(value)) {
		const char *text = json_string_value(value);
		size_t len = json_string_length(value);
		size_t shown = len < VALUE_BYTES_MAX ? len : VALUE_BYTES_MAX;
		while (shown < len && shown > 0 && ((unsigned char)text[shown] & 0xC0) == 0x80)
			shown--;
		pl_text_add_json(buf, text, shown, false);
		if (shown < len)
			pl_buf_addf(buf, "… (%zu bytes)", len);
	} else {
		pl_json_write(value, PL_JSON_COMPACT, buf);
	}
}

char *schema_describe(const json_t *value)
{
	auto_buf text = PL_BUF(WORDS_BYTES_MAX);

	add_value(&text, value);
	return pl_buf_take(&text);
}

/* For a list the found text is always "a list with 3 items"; for texts it is their length. */
static char *found_of(const struct schema_rule *rule, const json_t *value)
{
	bool is_length = rule->keyword == SCHEMA_MIN_LENGTH || rule->keyword == SCHEMA_MAX_LENGTH;

	if (is_length)
		return pl_asprintf(
			"a string of %zu characters",
			pl_text_columns(json_string_value(value), json_string_length(value)));
	if (!json_is_object(value) || rule->keyword == SCHEMA_TYPE)
		return schema_describe(value);
	auto_buf text = PL_BUF(WORDS_BYTES_MAX);

	add_size(&text, "object", json_object_size(value), "key");
	return pl_buf_take(&text);
}

/* ---- expectations -------------------------------------------------------------------------- */

/* Returns the type in words: "an integer"; null has no article. */
static const char *articled(const char *type)
{
	static const struct {
		const char *type, *words;
	} types[] = {
		{ "array", "a list" },       { "boolean", "true or false" },
		{ "integer", "an integer" }, { "number", "a number" },
		{ "object", "an object" },   { "string", "a string" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].type, type) == 0)
			return types[i].words;
	}
	return type;
}

/* "an integer or null": null comes last. */
static void add_types(struct pl_buf *buf, unsigned types)
{
	for (unsigned i = 1, left = types; i <= SCHEMA_TYPES; i++) {
		unsigned bit = 1u << i % SCHEMA_TYPES;
		if (!(types & bit))
			continue;
		pl_buf_addf(buf, "%s%s",
			    left == types              ? ""
			    : (left & (left - 1)) == 0 ? " or "
						       : ", ",
			    articled(schema_types[i % SCHEMA_TYPES]));
		left &= ~bit;
	}
}

static void add_choices(struct pl_buf *buf, const json_t *choices)
{
	size_t count = json_array_size(choices);

	if (count > 1)
		pl_buf_add_text(buf, "one of ");
	for (size_t i = 0; i < count && i < CHOICES_SHOWN_MAX; i++) {
		pl_buf_add_text(buf, i > 0 ? ", " : "");
		add_value(buf, json_array_get(choices, i));
	}
	if (count > CHOICES_SHOWN_MAX)
		pl_buf_addf(buf, " and %zu more", count - CHOICES_SHOWN_MAX);
}

static void add_rule(struct pl_buf *buf, const struct schema_rule *rule, unsigned depth);

/* Returns the rule that describes a schema in short: its type or its values. NULL: none. */
static const struct schema_rule *form_of(const struct schema_node *node)
{
	static const enum schema_keyword telling[] = { SCHEMA_CONST,   SCHEMA_ENUM, SCHEMA_PATTERN,
						       SCHEMA_TYPE,    SCHEMA_REF,  SCHEMA_ANY_OF,
						       SCHEMA_REQUIRED };

	for (size_t i = 0; i < PL_ARRAY_SIZE(telling); i++) {
		const struct schema_rule *rule = schema_rule_of(node, telling[i]);
		if (rule != NULL)
			return rule;
	}
	return NULL;
}

/* Appends "one of the keys 'and', 'or' or 'not'" for leading forms that require one key each. Returns their number. */
static size_t add_required_keys(struct pl_buf *buf, const struct schema_rule *rule)
{
	size_t count = 0;

	while (count < rule->count) {
		const struct schema_rule *form = form_of(rule->nodes[count]);
		if (form == NULL || form->keyword != SCHEMA_REQUIRED || form->count != 1)
			break;
		count++;
	}
	for (size_t i = 0; count > 1 && i < count; i++)
		pl_buf_addf(buf, "%s'%s'",
			    i == 0          ? "one of the keys "
			    : i + 1 < count ? ", "
					    : " or ",
			    form_of(rule->nodes[i])->names[0]);
	return count > 1 ? count : 0;
}

static void add_forms(struct pl_buf *buf, const struct schema_rule *rule, unsigned depth)
{
	for (size_t i = depth < FORMS_DEPTH_MAX ? add_required_keys(buf, rule) : 0; i < rule->count;
	     i++) {
		const struct schema_rule *form = form_of(rule->nodes[i]);
		size_t before = buf->len;
		pl_buf_add_text(buf, i > 0 ? ", or " : "");
		if (depth < FORMS_DEPTH_MAX && form != NULL) {
			add_rule(buf, form, depth + 1);
			continue;
		}
		/* it has no name */
		buf->len = before;
		pl_buf_addf(buf, "%sform %zu of %zu", i > 0 ? ", or " : "", i + 1, rule->count);
	}
}

static void add_number(struct pl_buf *buf, const char *before, const json_t *number)
{
	pl_buf_add_text(buf, before);
	pl_json_write(number, PL_JSON_COMPACT, buf);
}

static void add_count(struct pl_buf *buf, const struct schema_rule *rule, const char *bound,
		      const char *noun)
{
	pl_buf_addf(buf, "%s %zu %s%s", bound, rule->count, noun, rule->count == 1 ? "" : "s");
}

/* "the keys 'field' and 'op'" */
static void add_names(struct pl_buf *buf, const struct schema_rule *rule)
{
	pl_buf_add_text(buf, rule->count == 1 ? "the key " : "the keys ");
	for (size_t i = 0; i < rule->count; i++)
		pl_buf_addf(buf, "%s'%s'",
			    i == 0                ? ""
			    : i + 1 < rule->count ? ", "
						  : " and ",
			    rule->names[i]);
}

static void add_rule(struct pl_buf *buf, const struct schema_rule *rule, unsigned depth)
{
	switch ((int)rule->keyword) {
	case SCHEMA_TYPE:
		add_types(buf, rule->types);
		break;
	case SCHEMA_CONST:
		add_value(buf, rule->value);
		break;
	case SCHEMA_ENUM:
		add_choices(buf, rule->value);
		break;
	case SCHEMA_PATTERN:
		pl_buf_addf(buf, "a text like %.*s", VALUE_BYTES_MAX,
			    json_string_value(rule->value));
		pl_buf_add_text(buf, json_string_length(rule->value) > VALUE_BYTES_MAX ? "…" : "");
		break;
	case SCHEMA_MINIMUM:
		add_number(buf, "at least ", rule->value);
		break;
	case SCHEMA_EXCLUSIVE_MINIMUM:
		add_number(buf, "more than ", rule->value);
		break;
	case SCHEMA_MAXIMUM:
		add_number(buf, "at most ", rule->value);
		break;
	case SCHEMA_EXCLUSIVE_MAXIMUM:
		add_number(buf, "less than ", rule->value);
		break;
	case SCHEMA_MULTIPLE_OF:
		add_number(buf, "a multiple of ", rule->value);
		break;
	case SCHEMA_MIN_LENGTH:
		add_count(buf, rule, "at least", "character");
		break;
	case SCHEMA_MAX_LENGTH:
		add_count(buf, rule, "at most", "character");
		break;
	case SCHEMA_MIN_ITEMS:
		add_count(buf, rule, "at least", "item");
		break;
	case SCHEMA_MAX_ITEMS:
		add_count(buf, rule, "at most", "item");
		break;
	case SCHEMA_MIN_PROPERTIES:
		add_count(buf, rule, "at least", "key");
		break;
	case SCHEMA_MAX_PROPERTIES:
		add_count(buf, rule, "at most", "key");
		break;
	case SCHEMA_REQUIRED:
		add_names(buf, rule);
		break;
	case SCHEMA_REF:
	case SCHEMA_ANY_OF:
	case SCHEMA_ONE_OF:
		add_forms(buf, rule, depth);
		break;
	case SCHEMA_NOT:
		pl_buf_add_text(buf, "anything but ");
		add_forms(buf, rule, depth);
		break;
	default:
		break;
	}
}

/* ---- nearest ------------------------------------------------------------------------------- */

static void try_choices(struct pl_nearest *nearest, const struct schema_rule *rule, unsigned depth)
{
	PL_JSON_EACH(choice, rule->keyword == SCHEMA_ENUM ? rule->value : NULL) {
		if (json_is_string(choice))
			pl_nearest_try(nearest, json_string_value(choice));
	}
	if (depth >= FORMS_DEPTH_MAX ||
	    (rule->keyword != SCHEMA_REF && rule->keyword != SCHEMA_ANY_OF &&
	     rule->keyword != SCHEMA_ONE_OF))
		return;
	for (size_t i = 0; i < rule->count; i++) {
		for (size_t k = 0; k < rule->nodes[i]->count; k++)
			try_choices(nearest, &rule->nodes[i]->rules[k], depth + 1);
	}
}

/* Returns the most similar of the schema's texts, if the value is a text; NULL: none. */
static const char *nearest_value(const struct schema_rule *rule, const json_t *value)
{
	struct pl_nearest nearest = { .name = json_string_value(value) };

	if (!json_is_string(value) || rule->keyword == SCHEMA_NOT)
		return NULL;
	try_choices(&nearest, rule, 0);
	return nearest.found;
}

void schema_word(struct schema_fault *fault, const struct schema_rule *rule, const json_t *value,
		 bool with_nearest)
{
	auto_buf expected = PL_BUF(WORDS_BYTES_MAX);

	add_rule(&expected, rule, 0);
	fault->keyword = schema_keywords[rule->keyword];
	fault->found = found_of(rule, value);
	fault->expected = pl_buf_take(&expected);
	fault->nearest = with_nearest ? pl_strdup(nearest_value(rule, value)) : NULL;
}

/* ---- faults -------------------------------------------------------------------------------- */

void schema_fault_done(struct schema_fault *fault)
{
	free(fault->pointer);
	free(fault->key);
	free(fault->found);
	free(fault->expected);
	free(fault->nearest);
}

void schema_faults_done(struct schema_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++)
		schema_fault_done(&faults->items[i]);
	free(faults->items);
	*faults = (struct schema_faults){ 0 };
}

bool schema_fault_has_details(const struct schema_faults *faults, size_t at)
{
	return at + 1 < faults->count && faults->items[at + 1].level > faults->items[at].level;
}

void schema_fault_text(const struct schema_fault *fault, struct pl_buf *buf)
{
	auto_buf text = PL_BUF(SIZE_MAX / 2);
	bool is_missing = strcmp(fault->keyword, schema_keywords[SCHEMA_REQUIRED]) == 0;
	bool is_unknown = strcmp(fault->keyword, schema_keywords[SCHEMA_ADDITIONAL]) == 0;

	pl_buf_addf(&text, "%s: ", fault->pointer[0] != '\0' ? fault->pointer : "at the top level");
	if (fault->key != NULL && is_missing)
		pl_buf_addf(&text, "key '%s' is missing", fault->key);
	else if (fault->key != NULL && is_unknown)
		pl_buf_addf(&text, "unknown key '%s'", fault->key);
	else
		pl_buf_addf(&text, "%s%s%sfound %s, expected %s", fault->key != NULL ? "key '" : "",
			    fault->key != NULL ? fault->key : "", fault->key != NULL ? "': " : "",
			    fault->found, fault->expected);
	if (fault->nearest != NULL)
		pl_buf_addf(&text, " (did you mean '%s'?)", fault->nearest);
	auto_free char *line = pl_clean_line(pl_buf_text(&text));
	pl_buf_add_text(buf, line);
}

static json_t *fault_to_json(const struct schema_fault *fault)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:[]}", "pointer",
			 pl_json_text(fault->pointer), "keyword", fault->keyword, "key",
			 pl_json_text(fault->key), "found", pl_json_text(fault->found), "expected",
			 pl_json_text(fault->expected), "nearest", pl_json_text(fault->nearest),
			 "within");
}

json_t *schema_faults_to_json(const struct schema_faults *faults)
{
	json_t *all = json_array();

	for (size_t i = 0; i < faults->count; i++) {
		const struct schema_fault *fault = &faults->items[i];
		json_t *list = all;
		/* levels increase one at a time, so there is always a preceding one */
		for (unsigned level = 0; level < fault->level; level++)
			list = json_object_get(json_array_get(list, json_array_size(list) - 1),
					       "within");
		json_array_append_new(list, fault_to_json(fault));
	}
	return all;
}
