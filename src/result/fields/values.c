/*
 * The values of one field and of all fields in a document. Three cases are distinguished
 * everywhere: a missing leaf (including one in a section that is null), a leaf that is null, and a
 * value. If a document has a list where the field is a single value, the row says how to combine
 * the entries. An unknown entry makes the result unknown, because a partial sum would be wrong.
 */
#include "result/fields/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "result/fields/fields.h"
#include "result/fields/fields_priv.h"
#include "result/fields/tree.h"

/*
 * Fields that some documents record only under another name: a load generator's file names the
 * model that it requested and has no server arguments. Their source is RES_FIELD_BORROWED.
 */
static const struct loan {
	const char *id;   /* "server.model" */
	const char *path; /* "config.benchmark.model" */
} loans[] = {
	{ "server.model", "config.benchmark.model" },
};

/* Returns a borrowed reference; NULL: the field has no such name, or the path has no text. */
static json_t *loan_of(const char *id, const json_t *document)
{
	for (const struct loan *loan = loans; loan < loans + PL_ARRAY_SIZE(loans); loan++) {
		json_t *value = strcmp(loan->id, id) == 0 ? pl_json_get_path(document, loan->path)
							  : NULL;
		if (json_is_string(value))
			return value;
	}
	return NULL;
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Combines numbers or booleans; for booleans MAX means "any". */
static json_t *sum_up(const json_t *values, enum res_field_one one)
{
	size_t count = json_array_size(values);
	bool whole = true;
	double sum = 0, least = INFINITY, most = -INFINITY;

	PL_JSON_EACH(item, values) {
		if (!json_is_number(item) && !json_is_boolean(item))
			return json_null();
		double number = json_is_boolean(item) ? json_is_true(item)
						      : json_number_value(item);
		whole = whole && json_is_integer(item);
		sum += number;
		least = fmin(least, number);
		most = fmax(most, number);
	}
	double made = one == RES_FIELD_SUM    ? sum
		      : one == RES_FIELD_MEAN ? sum / (double)count
		      : one == RES_FIELD_MAX  ? most
					      : least;
	if (json_is_boolean(json_array_get(values, 0)))
		return json_boolean(made > 0);
	return whole && one != RES_FIELD_MEAN && fabs(made) < WHOLE_MAX
		       ? json_integer((json_int_t)made)
		       : pl_json_number(made);
}

/* Combines one value or more; null if one of them is unknown. */
static json_t *make_one(json_t *values, enum res_field_one one)
{
	json_t *first = json_array_get(values, 0);

	if (one == RES_FIELD_EACH)
		return json_incref(values);
	if (one != RES_FIELD_SAME)
		return sum_up(values, one);
	PL_JSON_EACH(item, values) {
		if (!json_equal(item, first))
			return json_null();
	}
	return json_incref(first);
}

/* ---- places -------------------------------------------------------------------------------- */

/* Returns the value at a dotted path. New reference; NULL: none. */
static json_t *walk(const json_t *json, const char *path, enum res_field_one one);

/* Keys may have dots in them (p99.9_ttft_ms): the longest one that exists counts. */
static json_t *walk_object(const json_t *json, const char *path, enum res_field_one one)
{
	auto_free char *key = pl_strdup(path);

	for (char *dot = key + strlen(key); dot != NULL; dot = strrchr(key, '.')) {
		*dot = '\0';
		const json_t *inside = json_object_get(json, key);
		const char *rest = path + (dot - key);
		json_t *found = inside == NULL ? NULL : walk(inside, rest + (*rest == '.'), one);
		if (found != NULL)
			return found;
	}
	return NULL;
}

static json_t *walk_list(const json_t *json, const char *path, enum res_field_one one)
{
	auto_json json_t *values = json_array();
	size_t known = 0;
	int64_t index;

	if (one == RES_FIELD_NONE)
		return pl_text_to_i64(path, &index) && index >= 0
			       ? json_incref(json_array_get(json, (size_t)index))
			       : NULL;
	PL_JSON_EACH(item, json) {
		json_t *value = walk(item, path, RES_FIELD_NONE);
		known += value != NULL;
		json_array_append_new(values, value != NULL ? value : json_null());
	}
	return known > 0 ? make_one(values, one) : NULL;
}

static json_t *walk(const json_t *json, const char *path, enum res_field_one one)
{
	if (path[0] == '\0')
		return json_incref((json_t *)json);
	if (json_is_object(json))
		return walk_object(json, path, one);
	return json_is_array(json) ? walk_list(json, path, one) : NULL;
}

/* "client_cpu.value": of the check by that id. */
static json_t *check_value(const json_t *document, const char *path)
{
	const json_t *checks = pl_json_get_path(document, "quality.checks");
	const char *dot = strrchr(path, '.');
	auto_free char *id = dot != NULL ? pl_strndup(path, (size_t)(dot - path)) : pl_strdup("");

	PL_JSON_EACH(check, checks) {
		const char *name = pl_json_get_text(check, "id");
		if (dot != NULL && name != NULL && strcmp(name, id) == 0)
			return json_incref(json_object_get(check, dot + 1));
	}
	return NULL;
}

/* Sums over all entries of the kind. The list names every kind that occurred. */
static json_t *failure_count(const json_t *errors, const char *path)
{
	const char *dot = strchr(path, '.');
	double count = 0;

	if (!json_is_array(errors) || dot == NULL)
		return NULL;
	PL_JSON_EACH(entry, errors) {
		const char *kind = json_string_value(json_object_get(entry, "kind"));
		const json_t *more = json_object_get(entry, dot + 1);
		if (kind == NULL || strncmp(kind, path, (size_t)(dot - path)) != 0 ||
		    kind[dot - path] != '\0')
			continue;
		if (more == NULL)
			return NULL;
		count += json_number_value(more);
	}
	return count < WHOLE_MAX ? json_integer((json_int_t)count) : json_null();
}

static struct res_values *values_found(const struct res_fields *fields, const json_t *document);

/* New reference; NULL: not recorded. */
static json_t *find_value(const struct res_fields *fields, const struct res_field *field,
			  const json_t *document)
{
	const char *path;
	json_t *found;

	if (!json_is_object(document))
		return NULL;
	if ((path = res_field_below(field->id, RES_FIELD_DERIVED ".")) != NULL) {
		auto_values struct res_values *values = values_found(fields, document);
		return res_field_derive(values, path);
	}
	if ((path = res_field_below(field->id, RES_FIELD_FAILURES ".")) != NULL)
		return failure_count(pl_json_get_path(document, RES_FIELD_FAILURES), path);
	if ((path = res_field_below(field->id, RES_FIELD_QUALITY ".")) != NULL &&
	    (found = check_value(document, path)) != NULL)
		return found;
	if ((path = res_field_below(field->id, RES_FIELD_RUN ".")) != NULL)
		return walk(document, path, field->one);
	for (const struct res_field_alias *at = res_field_aliases; at->beginning != NULL; at++) {
		if ((path = res_field_below(field->id, at->beginning)) != NULL) {
			const json_t *part = pl_json_get_path(document, at->path);
			return part != NULL ? walk(part, path, field->one) : NULL;
		}
	}
	return walk(document, field->id, field->one);
}

/* ---- meanings ------------------------------------------------------------------------------ */

char *res_field_canonical(const json_t *json)
{
	return pl_json_to_text(json, PL_JSON_SORTED);
}

static void set_number(struct res_value *value, double number)
{
	value->kind = RES_VALUE_NUMBER;
	value->number = number;
}

/* A number may be a text: "inf", "30s"; any other text is the word that it is. */
static void set_text(const struct res_field *field, struct res_value *value)
{
	bool is_number = field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT;
	double number;
	int64_t ns;

	value->kind = RES_VALUE_TEXT;
	value->text = json_string_value(value->json);
	if (field->option != NULL && field->option->type == OPTION_DURATION &&
	    pl_text_to_duration_ns(value->text, &ns)) {
		set_number(value, (double)ns / (double)PL_NS_PER_S);
		json_decref(value->json);
		value->json = json_real(value->number);
	} else if (is_number && pl_text_to_f64(value->text, &number) && isinf(number)) {
		set_number(value, number);
	}
}

void res_field_value_of(const struct res_field *field, json_t *json, struct res_value *ret)
{
	*ret = (struct res_value){ .json = json };
	if (json == NULL)
		return;
	ret->state = json_is_null(json) ? RES_VALUE_NULL : RES_VALUE_PRESENT;
	if (json_is_number(json)) {
		set_number(ret, json_number_value(json));
	} else if (json_is_boolean(json)) {
		ret->kind = RES_VALUE_YES;
		ret->yes = json_is_true(json);
	} else if (json_is_string(json)) {
		set_text(field, ret);
	} else if (ret->state == RES_VALUE_PRESENT) {
		ret->kind = RES_VALUE_JSON;
		ret->text = ret->made = res_field_canonical(json);
	}
}

/* A run assigns the server's port and address: the list has what the user set. */
static void set_argument_source(const char *name, const json_t *document, struct res_value *value)
{
	const json_t *explicit = pl_json_get_path(document, "config.server_explicit");
	const json_t *sources = pl_json_get_path(document, "config.server_source");

	value->source = json_string_value(json_object_get(sources, name));
	value->is_explicit = json_is_array(explicit)
				     ? pl_json_has_text(explicit, name)
				     : value->source != NULL &&
					       strcmp(value->source, "explicit") == 0;
}

/* The whole argument or option is set or not, its keys with it. */
static void set_source(const struct res_field *field, const json_t *document,
		       struct res_value *value)
{
	const char *argument = res_field_below(field->id, "server.");
	const char *option = res_field_below(field->id, "benchmark.");
	const char *below = argument != NULL ? argument : option;

	/* called for a thousand fields per result, most of which are metrics */
	if (below == NULL && res_field_below(field->id, "experiment.") == NULL)
		return;
	auto_free char *name = below != NULL ? pl_strndup(below, strcspn(below, ".")) : NULL;
	if (argument != NULL) {
		set_argument_source(name, document, value);
		return;
	}
	const json_t *requested = option != NULL ? pl_json_get_path(document, "config.experiment")
						 : NULL;
	if (option != NULL && json_is_object(requested))
		value->is_explicit = json_object_get(json_object_get(requested, "benchmark"),
						     name) != NULL;
	else if (option == NULL && value->state != RES_VALUE_NOT_RECORDED)
		value->is_explicit = true;
	else
		return;
	value->source = value->is_explicit ? "explicit" : "default";
}

void res_field_value(const struct res_fields *fields, const struct res_field *field,
		     const json_t *document, struct res_value *ret)
{
	json_t *found = find_value(fields, field, document);
	json_t *loan = found == NULL ? loan_of(field->id, document) : NULL;

	res_field_value_of(field, loan != NULL ? json_incref(loan) : found, ret);
	set_source(field, document, ret);
	if (loan != NULL)
		ret->source = RES_FIELD_BORROWED;
}

void res_value_done(struct res_value *value)
{
	json_decref(value->json);
	free(value->made);
}

json_t *res_value_to_json(const struct res_value *value)
{
	static const char *const states[] = { "not_recorded", "null", "value" };
	json_t *shown = value->state != RES_VALUE_PRESENT ? json_null() : json_incref(value->json);

	if (value->kind == RES_VALUE_NUMBER && isinf(value->number)) {
		json_decref(shown);
		shown = json_string(value->number > 0 ? "inf" : "-inf");
	}
	return json_pack("{s:s, s:o, s:b, s:s?}", "state", states[value->state], "value", shown,
			 "explicit", value->is_explicit, "source", value->source);
}

/* ---- all fields at once --------------------------------------------------------------------- */

/*
 * A field's path is split at its dots in every way that the document's keys allow; the split with
 * the longest first key counts, if it leads to a value. So the keys of an object with most parts
 * are visited first, and found fields are not searched again.
 */
struct found {
	json_t *json; /* NULL: not recorded */
	const char *source;
	bool is_explicit;
};

struct res_values {
	const struct res_fields *fields;
	const struct res_tree *tree;
	const struct res_field *rows; /* of the list */
	const json_t *document;
	struct found found[]; /* of each row */
};

/* Takes the reference. */
static void take(struct res_values *values, size_t field, json_t *json)
{
	if (values->found[field].json == NULL)
		values->found[field].json = json;
	else
		json_decref(json);
}

/* ---- the walk ------------------------------------------------------------------------------ */

static void visit(struct res_values *values, res_tree_at at, json_t *json);

static size_t dots_of(const char *key)
{
	size_t dots = 0;

	for (; *key != '\0'; key++)
		dots += *key == '.';
	return dots;
}

static size_t most_dots(const struct res_values *values, res_tree_at at, const json_t *object)
{
	size_t most = 0;

	PL_JSON_EACH_MEMBER(key, ignored, object) {
		size_t dots = dots_of(key);
		/* many keys of a document belong to no field: consider only those of fields */
		if (dots > most && res_tree_below(values->tree, at, key) != 0)
			most = dots;
	}
	return most;
}

static void visit_members(struct res_values *values, res_tree_at at, const json_t *object)
{
	for (size_t left = most_dots(values, at, object) + 1; left-- > 0;) {
		PL_JSON_EACH_MEMBER(key, value, object) {
			res_tree_at below = dots_of(key) == left
						    ? res_tree_below(values->tree, at, key)
						    : 0;
			if (below != 0)
				visit(values, below, value);
		}
	}
}

/* Combines a list field by field, as the row of each says. */
static void visit_list(struct res_values *values, res_tree_at root, res_tree_at at, json_t *list)
{
	const struct res_tree_node *node = res_tree_node(values->tree, at);

	for (res_tree_at below = node->first; below != 0;) {
		const struct res_tree_node *child = res_tree_node(values->tree, below);
		size_t field = child->field - 1;
		if (child->field != 0 && values->found[field].json == NULL) {
			const char *path = res_tree_path(values->tree, field) +
					   res_tree_node(values->tree, root)->path_len;
			values->found[field].json = walk(list, path, values->rows[field].one);
		}
		visit_list(values, root, below, list);
		below = child->next;
	}
}

static void visit(struct res_values *values, res_tree_at at, json_t *json)
{
	uint32_t field = res_tree_node(values->tree, at)->field;

	if (field != 0)
		take(values, field - 1, json_incref(json));
	if (res_tree_node(values->tree, at)->first == 0)
		return;
	if (json_is_object(json))
		visit_members(values, at, json);
	else if (json_is_array(json))
		visit_list(values, at, at, json);
}

/* ---- values with other paths ---------------------------------------------------------------- */

/* The first check by an id counts, so it comes last. */
static void visit_checks(struct res_values *values)
{
	const json_t *checks = pl_json_get_path(values->document, RES_FIELD_QUALITY ".checks");

	for (size_t i = json_array_size(checks); i-- > 0;) {
		const json_t *check = json_array_get(checks, i);
		const char *id = pl_json_get_text(check, "id");
		res_tree_at at = id != NULL ? res_tree_child(values->tree, RES_TREE_CHECKS, id,
							     strlen(id))
					    : 0;
		/* none by this name is known */
		if (at == 0)
			continue;
		for (at = res_tree_node(values->tree, at)->first; at != 0;) {
			const struct res_tree_node *key = res_tree_node(values->tree, at);
			struct found *found = &values->found[key->field - 1];
			json_decref(found->json);
			found->json = json_incref(json_object_get(check, key->key));
			at = key->next;
		}
	}
}

static void derive(struct res_values *values)
{
	res_tree_at at = res_tree_node(values->tree, RES_TREE_DERIVED)->first;

	for (; at != 0; at = res_tree_node(values->tree, at)->next) {
		size_t field = res_tree_node(values->tree, at)->field - 1;
		values->found[field].json = res_field_derive(values,
							     res_tree_path(values->tree, field));
	}
}

/* ---- sources ------------------------------------------------------------------------------- */

/* Sets both for a field and the fields inside it; NULL and false change nothing. */
static void mark(struct res_values *values, res_tree_at at, const char *source, bool is_explicit)
{
	const struct res_tree_node *node = res_tree_node(values->tree, at);

	if (node->field != 0) {
		struct found *found = &values->found[node->field - 1];
		found->source = source != NULL ? source : found->source;
		found->is_explicit |= is_explicit;
	}
	for (res_tree_at below = node->first; below != 0;
	     below = res_tree_node(values->tree, below)->next)
		mark(values, below, source, is_explicit);
}

static void mark_named(struct res_values *values, res_tree_at root, const char *name,
		       const char *source, bool is_explicit)
{
	res_tree_at at = res_tree_child(values->tree, root, name, strlen(name));

	if (at != 0)
		mark(values, at, source, is_explicit);
}

static void mark_options(struct res_values *values, const json_t *config)
{
	const json_t *requested = json_object_get(config, "experiment");

	if (!json_is_object(requested))
		return;
	mark(values, RES_TREE_BENCHMARK, "default", false);
	PL_JSON_EACH_MEMBER(name, ignored, json_object_get(requested, "benchmark"))
		mark_named(values, RES_TREE_BENCHMARK, name, "explicit", true);
}

/* Other keys of an experiment are in the document only if they were set. */
static void mark_keys(struct res_values *values, res_tree_at at)
{
	const struct res_tree_node *node = res_tree_node(values->tree, at);

	if (node->field != 0 && values->found[node->field - 1].json != NULL) {
		values->found[node->field - 1].source = "explicit";
		values->found[node->field - 1].is_explicit = true;
	}
	for (res_tree_at below = node->first; below != 0;
	     below = res_tree_node(values->tree, below)->next)
		mark_keys(values, below);
}

/* Fills the fields that a document records only under another name. */
static void borrow(struct res_values *values)
{
	for (const struct loan *loan = loans; loan < loans + PL_ARRAY_SIZE(loans); loan++) {
		const struct res_field *field = res_fields_find(values->fields, loan->id);
		struct found *found = &values->found[field - values->rows];
		json_t *value = found->json == NULL ? loan_of(loan->id, values->document) : NULL;
		if (value == NULL)
			continue;
		found->json = json_incref(value);
		found->source = RES_FIELD_BORROWED;
	}
}

/* ---- all ----------------------------------------------------------------------------------- */

static void find_all(struct res_values *values)
{
	json_t *document = (json_t *)values->document;

	visit_checks(values);
	visit(values, RES_TREE_DOCUMENT, document);
	visit(values, RES_TREE_RUN, document);
	for (size_t i = 0; res_field_aliases[i].beginning != NULL; i++) {
		json_t *part = pl_json_get_path(document, res_field_aliases[i].path);
		if (part != NULL)
			visit(values, RES_TREE_PATHS + (res_tree_at)i, part);
	}
	const json_t *errors = pl_json_get_path(values->document, RES_FIELD_FAILURES);
	res_tree_at kind = res_tree_node(values->tree, RES_TREE_FAILURES)->first, at;
	for (; kind != 0; kind = res_tree_node(values->tree, kind)->next) {
		for (at = res_tree_node(values->tree, kind)->first; at != 0;
		     at = res_tree_node(values->tree, at)->next) {
			size_t field = res_tree_node(values->tree, at)->field - 1;
			values->found[field].json = failure_count(
				errors, res_tree_path(values->tree, field));
		}
	}
	const json_t *config = json_object_get(document, "config");
	const json_t *explicit = json_object_get(config, "server_explicit");
	const json_t *sources = json_object_get(config, "server_source");
	PL_JSON_EACH_MEMBER(name, source, sources) {
		const char *text = json_string_value(source);
		if (text != NULL)
			mark_named(values, RES_TREE_SERVER, name, text,
				   !json_is_array(explicit) && strcmp(text, "explicit") == 0);
	}
	PL_JSON_EACH(name, explicit) {
		if (json_is_string(name))
			mark_named(values, RES_TREE_SERVER, json_string_value(name), NULL, true);
	}
	mark_options(values, json_object_get(document, "config"));
	mark_keys(values, RES_TREE_EXPERIMENT);
	borrow(values);
}

static struct res_values *values_found(const struct res_fields *fields, const json_t *document)
{
	size_t count = res_fields_count(fields);
	struct res_values *values = pl_alloc(sizeof(*values) + count * sizeof(*values->found));

	values->fields = fields;
	values->tree = res_fields_tree(fields);
	values->rows = res_fields_at(fields, 0);
	values->document = document;
	if (json_is_object(document))
		find_all(values);
	return values;
}

struct res_values *res_values_new(const struct res_fields *fields, const json_t *document)
{
	struct res_values *values = values_found(fields, document);

	if (json_is_object(document))
		derive(values);
	return values;
}

void res_values_free(struct res_values *values)
{
	if (values == NULL)
		return;
	for (size_t i = 0; i < res_fields_count(values->fields); i++)
		json_decref(values->found[i].json);
	free(values);
}

void res_values_get(const struct res_values *values, const struct res_field *field,
		    struct res_value *ret)
{
	const struct found *found = &values->found[field - values->rows];

	res_field_value_of(field, json_incref(found->json), ret);
	ret->source = found->source;
	ret->is_explicit = found->is_explicit;
}

bool res_values_lacks(const struct res_values *values, const struct res_field *field)
{
	const struct found *found = &values->found[field - values->rows];

	return found->json == NULL && !found->is_explicit;
}

const struct res_fields *res_values_fields(const struct res_values *values)
{
	return values->fields;
}

const json_t *res_values_document(const struct res_values *values)
{
	return values->document;
}
