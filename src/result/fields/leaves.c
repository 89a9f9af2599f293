#include "result/fields/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "result/fields/fields_priv.h"

/* Leaves of another version are made again. */
#define VERSION 2
/* Its leaves may have values of keys of the document that begin with '=' in place of those of fields. */
#define VERSION_WITH_ANY_KEYS 1

#define CHECKS   RES_FIELD_QUALITY ".checks"
#define EXPLICIT "config.server_explicit"
#define SOURCES  "config.server_source"

/* The length of config.server_source: as many keys as arguments, which is_explicit of their leaves already has. */
static const char *const unlisted[] = { SOURCES, EXPLICIT, CHECKS, RES_FIELD_FAILURES };

struct paths {
	char **items;
	size_t count;
	size_t room;
};

struct res_leaf_rules {
	const struct res_fields *fields;
	struct paths columns;           /* sorted */
	const char **slots;             /* of columns.items, by hash; NULL: free */
	size_t slot_count;              /* a power of two */
	struct paths lists;             /* lists of objects whose keys are fields; sorted */
	const struct res_field **whole; /* fields that are made from several leaves */
	size_t whole_count;
	size_t whole_room;
};

/* ---- paths --------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcmp(*one, *other);
}

/* Returns the path in the document; free(). */
static char *path_of(const char *id)
{
	const char *below = res_field_below(id, RES_FIELD_RUN ".");

	if (below != NULL)
		return pl_strdup(below);
	for (const struct res_field_alias *at = res_field_aliases; at->beginning != NULL; at++) {
		if ((below = res_field_below(id, at->beginning)) != NULL)
			return pl_asprintf("%s.%s", at->path, below);
	}
	return pl_strdup(id);
}

/* Returns whether `path` is a path above `other`. */
static bool is_above(const char *path, const char *other)
{
	size_t len = strlen(path);

	return len == 0 || (strncmp(path, other, len) == 0 && other[len] == '.');
}

static bool is_number(const char *part, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (part[i] < '0' || part[i] > '9')
			return part[i] == '+' && i == 0 && len > 1;
	}
	return len > 0;
}

/* Returns whether a part is empty, which values.c may skip. */
static bool has_empty_part(const char *path)
{
	return path[0] == '\0' || path[0] == '.' || path[strlen(path) - 1] == '.' ||
	       strstr(path, "..") != NULL;
}

/* Returns whether a part may be an index of a list. */
static bool has_index(const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ".");
		if (is_number(path, len) || (path[0] == '+' && len > 1))
			return true;
		if (path[len] == '\0')
			return false;
		path += len + 1;
	}
}

static void paths_sort(struct paths *paths)
{
	if (paths->count > 0)
		qsort(paths->items, paths->count, sizeof(*paths->items), compare_texts);
}

static void paths_done(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
}

/* Returns the index of the first path that is not less. */
static size_t lower_bound(const struct paths *paths, const char *path)
{
	size_t low = 0, high = paths->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(paths->items[middle], path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool paths_have(const struct paths *paths, const char *path)
{
	size_t at = lower_bound(paths, path);

	return at < paths->count && strcmp(paths->items[at], path) == 0;
}

/* Returns whether a path is below this one. */
static bool paths_have_below(const struct paths *paths, const char *path)
{
	auto_free char *first = pl_asprintf("%s.", path);
	size_t at = lower_bound(paths, first);

	return at < paths->count && is_above(path, paths->items[at]);
}

/* ---- rules --------------------------------------------------------------------------------- */

static const char **slot_of(const struct res_leaf_rules *rules, const char *path)
{
	uint64_t hash = pl_hash_text(PL_HASH_NONE, path);
	size_t mask = rules->slot_count - 1, at = (size_t)(hash ^ hash >> 32) & mask;

	while (rules->slots[at] != NULL && strcmp(rules->slots[at], path) != 0)
		at = (at + 1) & mask;
	return &rules->slots[at];
}

static bool is_column(const struct res_leaf_rules *rules, const char *path)
{
	return *slot_of(rules, path) != NULL;
}

static bool is_check(const char *id)
{
	return res_field_below(id, RES_FIELD_QUALITY ".") != NULL;
}

/* Returns whether the value is not simply the one at the field's path. */
static bool is_whole(const struct res_field *field)
{
	return field->one != RES_FIELD_NONE || field->type == RES_FIELD_JSON ||
	       res_field_below(field->id, RES_FIELD_DERIVED ".") != NULL;
}

static void add_list(struct res_leaf_rules *rules, const char *path)
{
	char *list = pl_strdup(path);
	char *dot = strrchr(list, '.');

	*(dot != NULL ? dot : list) = '\0';
	*PL_PUSH(rules->lists.items, rules->lists.count, rules->lists.room) = list;
}

struct res_leaf_rules *res_leaf_rules_new(const struct res_fields *fields)
{
	struct res_leaf_rules *rules = pl_alloc(sizeof(*rules));

	rules->fields = fields;
	for (size_t i = 0; i < res_fields_count(fields); i++) {
		const struct res_field *field = res_fields_at(fields, i);
		char *path = path_of(field->id);
		if (field->one != RES_FIELD_NONE)
			add_list(rules, path);
		if (field->column)
			*PL_PUSH(rules->columns.items, rules->columns.count,
				 rules->columns.room) = pl_take(path);
		else if (is_whole(field) && !is_check(field->id))
			*PL_PUSH(rules->whole, rules->whole_count, rules->whole_room) = field;
		free(path);
	}
	paths_sort(&rules->columns);
	paths_sort(&rules->lists);
	for (rules->slot_count = 64; rules->slot_count < rules->columns.count * 4;)
		rules->slot_count *= 2;
	rules->slots = pl_alloc_array(rules->slot_count, sizeof(*rules->slots));
	for (size_t i = 0; i < rules->columns.count; i++)
		*slot_of(rules, rules->columns.items[i]) = rules->columns.items[i];
	return rules;
}

void res_leaf_rules_free(struct res_leaf_rules *rules)
{
	if (rules == NULL)
		return;
	paths_done(&rules->columns);
	paths_done(&rules->lists);
	free((void *)rules->slots);
	free((void *)rules->whole);
	free(rules);
}

json_t *res_leaf_rules_json(const struct res_leaf_rules *rules)
{
	json_t *columns = json_array(), *whole = json_array();

	for (size_t i = 0; i < rules->columns.count; i++)
		json_array_append_new(columns, json_string(rules->columns.items[i]));
	for (size_t i = 0; i < rules->whole_count; i++)
		json_array_append_new(whole, json_string(rules->whole[i]->id));
	return json_pack("{s:i, s:o, s:o}", "version", VERSION, "columns", columns, "fields",
			 whole);
}

/* ---- leaves of a document ------------------------------------------------------------------ */

struct leaving {
	const struct res_leaf_rules *rules;
	res_leaf_fn *on_leaf;
	void *context;
	const json_t *explicit; /* config.server_explicit, or NULL */
	const json_t *sources;
	const json_t *options; /* benchmark of config.experiment, or NULL */
	struct pl_buf path;
};

static void report(const struct leaving *leaving, const char *path, const char *text,
		   unsigned flags)
{
	leaving->on_leaf(leaving->context,
			 &(struct res_leaf){ .path = path, .text = text, .flags = flags });
}

/* As set_source() of values.c. */
static bool is_explicit(const struct leaving *leaving, const char *path)
{
	const char *argument = res_field_below(path, "config.server.");
	const char *option = res_field_below(path, "config.benchmark.");

	if (argument == NULL && option == NULL)
		return res_field_below(path, "config.experiment.") != NULL;
	const char *below = argument != NULL ? argument : option;
	auto_free char *name = pl_strndup(below, strcspn(below, "."));
	if (option != NULL)
		return json_object_get(leaving->options, name) != NULL;
	if (json_is_array(leaving->explicit))
		return pl_json_has_text(leaving->explicit, name);
	return pl_text_equal(json_string_value(json_object_get(leaving->sources, name)),
			     "explicit");
}

static void report_value(const struct leaving *leaving, const char *path, const json_t *json,
			 bool is_set)
{
	auto_buf text = PL_BUF(RES_LEAF_TEXT_BYTES_MAX);

	/* a text with U+0000 ends early as a C text */
	if (pl_json_write(json, PL_JSON_COMPACT, &text) && !text.full)
		report(leaving, path, pl_buf_text(&text), is_set ? RES_LEAF_EXPLICIT : 0);
	else
		report(leaving, path, "", RES_LEAF_DOCUMENT);
}

static bool has_objects(const json_t *list)
{
	PL_JSON_EACH(item, list) {
		if (json_is_object(item) || has_objects(item))
			return true;
	}
	return false;
}

static bool is_unlisted(const char *path)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(unlisted); i++) {
		if (strcmp(unlisted[i], path) == 0)
			return true;
	}
	return false;
}

static void walk_object(struct leaving *leaving, const json_t *object);

static void walk_value(struct leaving *leaving, const json_t *json)
{
	const struct res_leaf_rules *rules = leaving->rules;
	const char *path = pl_buf_text(&leaving->path);

	if (is_unlisted(path)) {
		report(leaving, path, "", RES_LEAF_DOCUMENT);
	} else if (json_is_object(json) && json_object_size(json) > 0) {
		walk_object(leaving, json);
	} else if (json_is_array(json) && has_objects(json) &&
		   (paths_have(&rules->lists, path) || paths_have_below(&rules->lists, path) ||
		    paths_have_below(&rules->columns, path))) {
		report(leaving, path, "", RES_LEAF_DOCUMENT);
	} else if (!is_column(rules, path)) {
		report_value(leaving, path, json, is_explicit(leaving, path));
	}
}

/* Returns whether a key with dots leads to config.server and the like, whose fields are found by single keys only. */
static bool is_bent_alias(const char *path, const char *key)
{
	const char *below = res_field_below(path, "config.");

	if (below == NULL || strchr(key, '.') == NULL)
		return false;
	for (const struct res_field_alias *at = res_field_aliases; at->beginning != NULL; at++) {
		size_t len = strlen(at->beginning) - 1;
		/* in a key of `config`, or of the document */
		if (strncmp(below, at->beginning, len) == 0 && below[len] == '.' &&
		    strlen(path) - strlen(key) <= strlen("config."))
			return true;
		if (strcmp(path, key) == 0 && strncmp(below, at->beginning, len) == 0 &&
		    below[len] == '\0')
			return true;
	}
	return false;
}

static bool is_too_long(const struct leaving *leaving, const json_t *object)
{
	PL_JSON_EACH_MEMBER(key, ignored, object) {
		if (leaving->path.len + strlen(key) + 1 > RES_LEAF_PATH_BYTES_MAX)
			return true;
	}
	return false;
}

static void walk_member(struct leaving *leaving, const char *key, const json_t *value)
{
	size_t len = leaving->path.len;

	if (len > 0)
		pl_buf_add_char(&leaving->path, '.');
	/* a part of a key is not an object */
	const char *dot = strrchr(key, '.');
	if (dot != NULL) {
		size_t start = leaving->path.len;
		pl_buf_add(&leaving->path, key, (size_t)(dot - key));
		report(leaving, pl_buf_text(&leaving->path), "", RES_LEAF_SPLIT);
		leaving->path.len = start;
	}
	pl_buf_add_text(&leaving->path, key);
	if (is_bent_alias(pl_buf_text(&leaving->path), key))
		report(leaving, pl_buf_text(&leaving->path), "", RES_LEAF_DOCUMENT);
	else
		walk_value(leaving, value);
	leaving->path.len = len;
	leaving->path.data[len] = '\0';
}

static void walk_object(struct leaving *leaving, const json_t *object)
{
	if (is_too_long(leaving, object)) {
		report(leaving, pl_buf_text(&leaving->path), "", RES_LEAF_DOCUMENT);
		return;
	}
	PL_JSON_EACH_MEMBER(key, value, object) {
		/* an id with an empty part is not a question */
		if (key[0] != '\0' && (strchr(key, '.') == NULL || !has_empty_part(key)))
			walk_member(leaving, key, value);
		else if (leaving->path.len > 0)
			report(leaving, pl_buf_text(&leaving->path), "", RES_LEAF_SPLIT);
	}
}

/* The first check by an id counts. */
static bool is_first(const json_t *checks, const json_t *check, const char *id)
{
	PL_JSON_EACH(other, checks) {
		if (pl_text_equal(pl_json_get_text(other, "id"), id))
			return other == check;
	}
	return false;
}

static void report_checks(const struct leaving *leaving, const json_t *document)
{
	const json_t *checks = pl_json_get_path(document, CHECKS);

	PL_JSON_EACH(check, checks) {
		const char *id = pl_json_get_text(check, "id");
		if (id == NULL || !is_first(checks, check, id))
			continue;
		PL_JSON_EACH_MEMBER(key, value, check) {
			auto_free char *path = pl_asprintf("=" RES_FIELD_QUALITY ".%s.%s", id, key);
			if (strchr(key, '.') != NULL || is_column(leaving->rules, path + 1))
				continue;
			if (strlen(path) > RES_LEAF_PATH_BYTES_MAX)
				report(leaving, "", "", RES_LEAF_DOCUMENT);
			else
				report_value(leaving, path, value, false);
		}
	}
}

static void report_whole(const struct leaving *leaving, const struct res_values *values)
{
	for (size_t i = 0; i < leaving->rules->whole_count; i++) {
		const struct res_field *field = leaving->rules->whole[i];
		if (res_values_lacks(values, field))
			continue;
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_values_get(values, field, &value);
		if (value.state == RES_VALUE_NOT_RECORDED)
			continue;
		auto_free char *path = pl_asprintf("=%s", field->id);
		report_value(leaving, path, value.json, value.is_explicit);
	}
}

/* Paths that begin with '=' are those of fields. */
static bool has_field_path(const json_t *document)
{
	PL_JSON_EACH_MEMBER(key, ignored, document) {
		if (key[0] == '=')
			return true;
	}
	return false;
}

static void walk_part(struct leaving *leaving, const json_t *part)
{
	const json_t *config = json_object_get(part, "config");

	leaving->explicit = json_object_get(config, "server_explicit");
	leaving->sources = json_object_get(config, "server_source");
	leaving->options = json_object_get(json_object_get(config, "experiment"), "benchmark");
	if (has_field_path(part))
		report(leaving, "", "", RES_LEAF_DOCUMENT);
	if (json_is_object(part))
		walk_object(leaving, part);
}

void res_leaves_of_part(const struct res_leaf_rules *rules, const json_t *part,
			res_leaf_fn *on_leaf, void *context)
{
	struct leaving leaving = { .rules = rules,
				   .on_leaf = on_leaf,
				   .context = context,
				   .path = PL_BUF(2 * RES_LEAF_PATH_BYTES_MAX) };

	walk_part(&leaving, part);
	pl_buf_done(&leaving.path);
}

void res_leaves_of(const struct res_leaf_rules *rules, const struct res_values *values,
		   res_leaf_fn *on_leaf, void *context)
{
	struct leaving leaving = { .rules = rules,
				   .on_leaf = on_leaf,
				   .context = context,
				   .path = PL_BUF(2 * RES_LEAF_PATH_BYTES_MAX) };
	const json_t *document = res_values_document(values);
	const json_t *errors = pl_json_get_path(document, RES_FIELD_FAILURES);

	walk_part(&leaving, document);
	report_checks(&leaving, document);
	if (errors != NULL)
		report_value(&leaving, "=" RES_FIELD_FAILURES, errors, false);
	report_whole(&leaving, values);
	pl_buf_done(&leaving.path);
}

/* ---- questions ----------------------------------------------------------------------------- */

/* Returns whether a column may hold a list that the path leads into. */
static bool is_in_column(const struct res_leaf_rules *rules, const char *path)
{
	auto_free char *above = pl_strdup(path);

	if (!has_index(path))
		return false;
	for (char *dot = strrchr(above, '.'); dot != NULL; dot = strrchr(above, '.')) {
		*dot = '\0';
		if (is_column(rules, above))
			return true;
	}
	return false;
}

bool res_leaf_ask(const struct res_leaf_rules *rules, const struct res_fields *fields,
		  const struct res_field *field, struct res_leaf_question *ret)
{
	const struct res_field *listed = res_fields_find(fields, field->id);
	const char *id = listed != NULL ? listed->id : field->id;

	*ret = (struct res_leaf_question){ .field = field };
	if (strcmp(id, field->id) != 0 || (listed != NULL && listed->column) ||
	    has_empty_part(id) || id[0] == '=')
		return false;
	if (res_field_below(id, RES_FIELD_FAILURES ".") != NULL) {
		ret->alone = pl_strdup("=" RES_FIELD_FAILURES);
		return true;
	}
	if (listed != NULL && is_whole(listed) && !is_check(id)) {
		ret->alone = pl_asprintf("=%s", id);
		return true;
	}
	if (res_field_below(id, RES_FIELD_DERIVED ".") != NULL)
		return false;
	auto_free char *path = path_of(id);
	if (has_empty_part(path) || is_column(rules, path) ||
	    paths_have_below(&rules->columns, path) || is_in_column(rules, path))
		return false;
	if (is_check(id))
		ret->alone = pl_asprintf("=%s", id);
	ret->path = pl_take(path);
	return true;
}

void res_leaf_question_done(struct res_leaf_question *question)
{
	free(question->alone);
	free(question->path);
}

bool res_leaf_matches(const struct res_leaf_question *question, const char *path)
{
	if (path[0] == '\0')
		return true;
	if (path[0] == '=')
		return question->alone != NULL && strcmp(path, question->alone) == 0;
	return question->path != NULL &&
	       (strcmp(path, question->path) == 0 || is_above(path, question->path) ||
		is_above(question->path, path));
}

/* Returns whether the answer needs a value that has no leaf because it has a column for this path. */
static bool needs_path(const struct res_leaf_question *question, const char *path)
{
	return question == NULL ||
	       (question->alone != NULL && strcmp(question->alone + 1, path) == 0) ||
	       (question->path != NULL &&
		(strcmp(question->path, path) == 0 || is_above(question->path, path)));
}

static bool needs_whole(const struct res_leaf_question *question, const struct res_field *field)
{
	return question == NULL ||
	       (question->alone != NULL && strcmp(question->alone + 1, field->id) == 0);
}

static bool is_version_accepted(int64_t version, const struct res_leaf_question *question)
{
	return version == VERSION ||
	       (version == VERSION_WITH_ANY_KEYS && question != NULL && question->alone == NULL);
}

bool res_leaf_rules_accept(const struct res_leaf_rules *rules, const json_t *other,
			   const struct res_leaf_question *question)
{
	const json_t *whole = json_object_get(other, "fields");

	if (!is_version_accepted(pl_json_get_i64(other, "version"), question))
		return false;
	PL_JSON_EACH(path, json_object_get(other, "columns")) {
		if (!json_is_string(path) || (!is_column(rules, json_string_value(path)) &&
					      needs_path(question, json_string_value(path))))
			return false;
	}
	for (size_t i = 0; i < rules->whole_count; i++) {
		if (needs_whole(question, rules->whole[i]) &&
		    (!json_is_array(whole) || !pl_json_has_text(whole, rules->whole[i]->id)))
			return false;
	}
	return true;
}

/* Sets a value of a document that is made from leaves. Returns false if another one is in its place. */
static bool set_at(json_t *document, const char *path, json_t *value)
{
	json_t *object = document;

	for (;;) {
		size_t len = strcspn(path, ".");
		json_t *there = json_object_getn(object, path, len);
		if (path[len] == '\0') {
			if (there != NULL) {
				json_decref(value);
				return false;
			}
			json_object_setn_new(object, path, len, value);
			return true;
		}
		if (there == NULL) {
			there = json_object();
			json_object_setn_new(object, path, len, there);
		}
		if (!json_is_object(there)) {
			json_decref(value);
			return false;
		}
		object = there;
		path += len + 1;
	}
}

/* Parses without the checks of a document: it was one. NULL: not JSON. */
static json_t *parse(const char *text)
{
	return json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static bool is_set_by_user(const struct res_field *field, unsigned flags)
{
	return (flags & RES_LEAF_EXPLICIT) != 0 &&
	       (res_field_below(field->id, "server.") != NULL ||
		res_field_below(field->id, "benchmark.") != NULL ||
		res_field_below(field->id, "experiment.") != NULL);
}

static bool value_of_one(const struct res_leaf_question *question, const struct res_leaf *leaf,
			 struct res_value *ret)
{
	json_t *json = parse(leaf->text);

	if (json == NULL)
		return false;
	res_field_value_of(question->field, json, ret);
	ret->is_explicit = is_set_by_user(question->field, leaf->flags);
	return true;
}

bool res_leaf_is_ignored(const struct res_leaf_question *question, const struct res_leaf *leaf)
{
	/* objects above a path are found by their keys */
	return (leaf->flags & RES_LEAF_SPLIT) != 0 && question->path != NULL &&
	       is_above(leaf->path, question->path);
}

static bool value_of_document(const struct res_fields *fields,
			      const struct res_leaf_question *question,
			      const struct res_leaf *leaves, size_t count, struct res_value *ret)
{
	auto_json json_t *document = json_object();
	unsigned flags = 0;

	for (size_t i = 0; i < count; i++) {
		const struct res_leaf *leaf = &leaves[i];
		if (res_leaf_is_ignored(question, leaf))
			continue;
		json_t *json = leaf->flags > RES_LEAF_EXPLICIT ? NULL : parse(leaf->text);
		if (json == NULL || !set_at(document, leaf->path + (leaf->path[0] == '='), json))
			return false;
		flags |= leaf->flags;
	}
	res_field_value(fields, question->field, document, ret);
	ret->is_explicit = ret->state != RES_VALUE_NOT_RECORDED &&
			   is_set_by_user(question->field, flags);
	return true;
}

/* Returns whether the leaf alone is the value. */
static bool is_alone(const struct res_leaf_question *question, const struct res_leaf *leaf)
{
	if (leaf->flags > RES_LEAF_EXPLICIT)
		return false;
	if (question->alone != NULL && strcmp(leaf->path, question->alone) == 0)
		return strcmp(leaf->path, "=" RES_FIELD_FAILURES) != 0;
	return question->path != NULL && strcmp(leaf->path, question->path) == 0;
}

bool res_leaf_number(const struct res_leaf_question *question, const struct res_leaf *leaf,
		     double *ret, bool *ret_is_explicit)
{
	char first = leaf->text[0];

	if ((first != '-' && (first < '0' || first > '9')) || !is_alone(question, leaf) ||
	    !pl_text_to_f64(leaf->text, ret))
		return false;
	*ret_is_explicit = is_set_by_user(question->field, leaf->flags);
	return true;
}

/* Returns the end of a JSON string, written as pl_text_add_json() does, or NULL if it is another one. */
static const char *end_of_plain(const char *at, const char *end)
{
	if (at == end || *at++ != '"')
		return NULL;
	for (;;) {
		at += pl_text_plain_bytes(at, (size_t)(end - at));
		if (at == end)
			return NULL;
		if (*at == '"')
			return at + 1;
		if (at[0] != '\\' || (at[1] != '\\' && at[1] != '"'))
			return NULL;
		at += 2;
	}
}

/* Returns whether it is a list of strings, compact, in which each value has one form. */
static bool is_plain_list(const char *text, size_t len)
{
	const char *at = text + 1, *end = text + len;

	if (len == 2 && text[1] == ']')
		return true;
	while ((at = end_of_plain(at, end)) != NULL && at < end && *at == ',')
		at++;
	return at != NULL && at + 1 == end && *at == ']';
}

/* Returns whether a text of the field is the text that it is, as set_text() decides. */
static bool has_plain_texts(const struct res_field *field)
{
	return field->type != RES_FIELD_NUMBER && field->type != RES_FIELD_COUNT &&
	       (field->option == NULL || field->option->type != OPTION_DURATION);
}

bool res_leaf_plain(const struct res_leaf_question *question, const struct res_leaf *leaf,
		    struct res_leaf_plain *ret)
{
	const char *text = leaf->text;
	bool is_list = text[0] == '[';

	if ((!is_list && text[0] != '"') || !is_alone(question, leaf))
		return false;
	size_t len = strlen(text);
	bool is_text = !is_list && len >= 2 && text[len - 1] == '"' &&
		       pl_text_plain_bytes(text + 1, len - 2) == len - 2 &&
		       has_plain_texts(question->field);
	if (!is_text && (!is_list || !is_plain_list(text, len)))
		return false;
	*ret = (struct res_leaf_plain){
		.kind = is_list ? RES_VALUE_JSON : RES_VALUE_TEXT,
		.is_explicit = is_set_by_user(question->field, leaf->flags),
		.text = is_list ? text : text + 1,
		.len = is_list ? len : len - 2,
	};
	return true;
}

bool res_leaf_value(const struct res_fields *fields, const struct res_leaf_question *question,
		    const struct res_leaf *leaves, size_t count, struct res_value *ret)
{
	*ret = (struct res_value){ .state = RES_VALUE_NOT_RECORDED };
	for (size_t i = 0; i < count; i++) {
		if ((leaves[i].flags & RES_LEAF_DOCUMENT) != 0)
			return false;
	}
	if (count == 0)
		return true;
	/* a key of a check counts before a key of the same path */
	for (size_t i = 0; i < count; i++) {
		if (leaves[i].path[0] == '=' && is_alone(question, &leaves[i]))
			return value_of_one(question, &leaves[i], ret);
	}
	if (count == 1 && is_alone(question, &leaves[0]))
		return value_of_one(question, &leaves[0], ret);
	return value_of_document(fields, question, leaves, count, ret);
}
