/*
 * A row that a release lacks stays in its catalogue, marked as absent, as in the nearest release
 * that has it: a user who sets it gets a specific error, and may pass it on.
 */
#include "vllm/catalog_priv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "option/row_words.h"
#include "vllm/catalog.h"
#include "vllm/history.h"

#define RELEASE_CURRENT false
#define RELEASE_GONE    true

/* clang-format off */
static const struct option_row reference_fields[] = {
#define FIELD(type_, arg_, path_, min_, max_, ...)                                                 \
	{ .of = #arg_, .name = path_, .type = OPTION_##type_, .min = min_, .max = max_,              \
	  .lenient = true, __VA_ARGS__ },
#include "tbl/engine_fields.h"
#undef FIELD
};

static const struct option_row reference_args[] = {
#define ARG(type_, style_, release_, name_, flag_, default_, min_, max_, help_, ...)               \
	{ .name = #name_, .flag = flag_, .group = ARG_GROUP, .type = OPTION_##type_,                 \
	  .style = OPTION_STYLE_##style_, .gone = RELEASE_##release_, .absent = RELEASE_##release_,  \
	  .default_json = #default_, .min = min_, .max = max_, .help = help_, __VA_ARGS__ },
#include "tbl/engine_args.h"
#undef ARG
};
/* clang-format on */

size_t vllm_rows_arg_count(void)
{
	return PL_ARRAY_SIZE(reference_args);
}

size_t vllm_field_count(void)
{
	return PL_ARRAY_SIZE(reference_fields);
}

const struct option_row *vllm_field_at(size_t i)
{
	return &reference_fields[i];
}

static bool is_null(const char *json)
{
	return strcmp(json, "null") == 0;
}

/* Texts and choices are one type in the history. */
static enum option_type text_type(enum option_type type, const char *choices)
{
	if (type == OPTION_STRING || type == OPTION_ENUM)
		return choices != NULL ? OPTION_ENUM : OPTION_STRING;
	return type;
}

/* "--no-x" of "--x" */
static const char *negative_of(const struct option_row *row, struct pl_arena *arena)
{
	if (row->style != OPTION_STYLE_TOGGLE)
		return NULL;
	auto_free char *flag = pl_asprintf("--no-%s", row->flag + 2);
	return pl_arena_strndup(arena, flag, strlen(flag));
}

/* Applies the values of a range to the row. */
static void apply(struct option_row *row, const struct vllm_range *range, struct pl_arena *arena)
{
	if (range->default_json != NULL || range->computed != NULL) {
		row->default_json = range->default_json;
		row->nullable |= row->default_json == NULL || is_null(row->default_json);
	}
	if (range->type != NULL)
		(void)option_type_read(range->type, row);
	if (range->choices != NULL) {
		row->choices = is_null(range->choices) ? NULL : range->choices;
		row->choices_open = pl_text_equal(range->choices_open, "true");
		/* words on the reference's */
		row->choices_note = NULL;
		row->help_choices = NULL;
	}
	if (range->choices != NULL || range->type != NULL) {
		row->type = text_type(row->type, row->choices);
		row->items = text_type(row->items, row->choices);
	}
	if (range->flag != NULL)
		row->flag = range->flag;
	if (range->aliases != NULL)
		row->aliases = range->aliases[0] != '\0' ? range->aliases : NULL;
	if (range->style != NULL)
		(void)option_style_find(range->style, &row->style);
	if (range->const_json != NULL)
		row->const_json = range->const_json;
	if (range->flag != NULL || range->style != NULL || row->style != OPTION_STYLE_TOGGLE)
		row->negative_flag = negative_of(row, arena);
	/*
	 * in the reference's range (until NULL) the row has the value: a range has a single value
	 */
	if (range->deprecated != NULL && range->until != NULL)
		row->deprecated = strcmp(range->deprecated, "true") == 0;
	if (range->default_env != NULL)
		row->default_env = range->default_env[0] != '\0' ? range->default_env : NULL;
}

/* The range that a release is nearest to, which does not have it. */
static const struct vllm_range *nearest_range(const struct vllm_history *history,
					      const struct vllm_version *release)
{
	bool known;

	return vllm_release_compare(release, history->ranges[0].since, &known) < 0
		       ? history->ranges
		       : vllm_history_last(history);
}

/* Returns all former lists of choices, for a row that has one in some release. */
static const char *const *all_choices(const struct vllm_history *history, const char *today,
				      struct pl_arena *arena)
{
	size_t count = 0, used = 0;

	for (const struct vllm_range *range = history->ranges; range->since != NULL; range++)
		count += range->choices != NULL;
	if (count == 0)
		return NULL;
	const char **lists = pl_arena_alloc(arena, (count + 2) * sizeof(*lists));
	for (const struct vllm_range *range = history->ranges; range->since != NULL; range++) {
		if (range->choices != NULL && !is_null(range->choices))
			lists[used++] = range->choices;
	}
	if (today != NULL)
		lists[used++] = today;
	lists[used] = NULL;
	return lists;
}

/* `release` NULL: the reference, to which the row belongs unless it was removed. */
static void take_history(struct option_row *row, const struct vllm_history *history,
			 const struct vllm_version *release, struct pl_arena *arena)
{
	const struct vllm_range *range = NULL;

	row->since = vllm_history_since(history);
	row->removed_in = vllm_history_until(history);
	row->release_choices = all_choices(history, row->choices, arena);
	if (history->replaced_by != NULL)
		row->replaced_by = history->replaced_by;
	if (release == NULL)
		return;
	range = vllm_history_range(history, release);
	row->absent = range == NULL;
	/* Removes the negative aliases that a release does not have yet. */
	bool known;
	if (history->negative_aliases_since != NULL &&
	    vllm_release_compare(release, history->negative_aliases_since, &known) < 0)
		row->negative_aliases = NULL;
	apply(row, range != NULL ? range : nearest_range(history, release), arena);
}

/* Returns the history of the key, otherwise that of the object that contains it. */
static const struct vllm_history *field_history(const struct option_row *field)
{
	const struct vllm_history *history = vllm_history_find(field->of, field->name);
	auto_free char *object = pl_strdup(field->name);
	char *dot = strrchr(object, '.');

	if (history != NULL || dot == NULL)
		return history;
	*dot = '\0';
	return vllm_history_find(field->of, object);
}

static void take_field_history(struct option_row *field, const struct vllm_version *release,
			       struct pl_arena *arena)
{
	const struct vllm_history *history = field_history(field);

	if (history == NULL)
		return;
	if (strcmp(history->name, field->name) == 0)
		take_history(field, history, release, arena);
	else if (release != NULL)
		field->absent = vllm_history_range(history, release) == NULL;
}

/* Makes the row of a key that the reference lacks: its type is unknown, except for choices. */
static struct option_row gone_field(const struct vllm_history *history,
				    const struct vllm_version *release, struct pl_arena *arena)
{
	struct option_row field = {
		.of = history->of,
		.name = history->name,
		.min = -INFINITY,
		.max = INFINITY,
		.nullable = true,
		.lenient = true,
		.gone = true,
		.absent = true,
	};
	take_history(&field, history, release, arena);
	if (field.choices != NULL)
		field.type = field.choices[1] == '"' ? OPTION_ENUM : OPTION_INT;
	return field;
}

static bool is_gone_key(const struct vllm_history *history)
{
	return history->of != NULL && vllm_history_until(history) != NULL;
}

/* Makes the keys of the reference, then the removed ones. */
static struct option_row *make_fields(const struct vllm_version *release, struct pl_arena *arena,
				      size_t *ret_count)
{
	size_t count = vllm_field_count();

	for (size_t i = 0; i < vllm_history_count(); i++)
		count += is_gone_key(vllm_history_at(i));
	struct option_row *fields = pl_arena_alloc(arena, count * sizeof(*fields));
	size_t used = vllm_field_count();
	memcpy(fields, reference_fields, sizeof(reference_fields));
	for (size_t i = 0; i < used; i++)
		take_field_history(&fields[i], release, arena);
	for (size_t i = 0; i < vllm_history_count(); i++) {
		if (is_gone_key(vllm_history_at(i)))
			fields[used++] = gone_field(vllm_history_at(i), release, arena);
	}
	for (size_t i = 0; i < count; i++) {
		fields[i].fields = fields;
		fields[i].field_count = count;
	}
	*ret_count = count;
	return fields;
}

static bool is_parser(const char *arg)
{
	static const struct {
		const char *name, *key;
	} arguments[] = {
#define PARSER_ARGUMENT(kind, name, key, noun, plugin) { #name, key },
#include "tbl/parsers.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(arguments); i++) {
		if (arguments[i].key == NULL && strcmp(arguments[i].name, arg) == 0)
			return true;
	}
	return false;
}

void vllm_rows_make(const struct vllm_version *release, struct option_row *args,
		    struct pl_arena *arena)
{
	size_t field_count;
	struct option_row *fields = make_fields(release, arena, &field_count);

	memcpy(args, reference_args, sizeof(reference_args));
	for (size_t i = 0; i < PL_ARRAY_SIZE(reference_args); i++) {
		const struct vllm_history *history = vllm_history_find(NULL, args[i].name);
		args[i].fields = fields;
		args[i].field_count = field_count;
		args[i].choices_ruled = is_parser(args[i].name);
		if (history != NULL)
			take_history(&args[i], history, release, arena);
	}
}
