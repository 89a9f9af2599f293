/*
 * As value.c finds one field, so here all of them are: a field's path is cut at its dots in every way that
 * the document's keys allow, and the way whose first key is longest counts, if it leads to something. So of
 * an object the keys of most parts are gone into first, and what was found is not looked for again.
 */
#include "result/fields/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/fields/fields_priv.h"
#include "result/fields/tree.h"

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
		/* many keys of a document are nobody's: only those of fields are gone into */
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

/* A list is made one value field by field, as the row of each says. */
static void visit_list(struct res_values *values, res_tree_at root, res_tree_at at, json_t *list)
{
	const struct res_tree_node *node = res_tree_node(values->tree, at);

	for (res_tree_at below = node->first; below != 0;) {
		const struct res_tree_node *child = res_tree_node(values->tree, below);
		size_t field = child->field - 1;
		if (child->field != 0 && values->found[field].json == NULL) {
			const char *path = res_tree_path(values->tree, field) +
					   res_tree_node(values->tree, root)->path_len;
			values->found[field].json = res_field_walk(list, path,
								   values->rows[field].one);
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

/* ---- what stands elsewhere ------------------------------------------------------------------ */

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

static void count_failures(struct res_values *values)
{
	const json_t *errors = pl_json_get_path(values->document, RES_FIELD_FAILURES);
	res_tree_at kind = res_tree_node(values->tree, RES_TREE_FAILURES)->first, at;

	for (; kind != 0; kind = res_tree_node(values->tree, kind)->next) {
		for (at = res_tree_node(values->tree, kind)->first; at != 0;
		     at = res_tree_node(values->tree, at)->next) {
			size_t field = res_tree_node(values->tree, at)->field - 1;
			values->found[field].json = res_field_failure_count(
				errors, res_tree_path(values->tree, field));
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

/* Of a field and those inside of it; NULL and false leave what was said. */
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

static void mark_arguments(struct res_values *values, const json_t *config)
{
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
}

static void mark_options(struct res_values *values, const json_t *config)
{
	const json_t *asked = json_object_get(config, "experiment");

	if (!json_is_object(asked))
		return;
	mark(values, RES_TREE_BENCHMARK, "default", false);
	PL_JSON_EACH_MEMBER(name, ignored, json_object_get(asked, "benchmark"))
		mark_named(values, RES_TREE_BENCHMARK, name, "explicit", true);
}

/* Other keys of an experiment stand there only where they were set. */
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

/* What is recorded under another name alone. */
static void borrow(struct res_values *values)
{
	for (const struct res_field_loan *loan = res_field_loans; loan->id != NULL; loan++) {
		const struct res_field *field = res_fields_find(values->fields, loan->id);
		struct found *found = &values->found[field - values->rows];
		json_t *value = found->json == NULL ? res_field_loan_of(loan->id, values->document)
						    : NULL;
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
	for (size_t i = 0; res_field_places[i].beginning != NULL; i++) {
		json_t *place = pl_json_get_path(document, res_field_places[i].place);
		if (place != NULL)
			visit(values, RES_TREE_PLACES + (res_tree_at)i, place);
	}
	count_failures(values);
	mark_arguments(values, json_object_get(document, "config"));
	mark_options(values, json_object_get(document, "config"));
	mark_keys(values, RES_TREE_EXPERIMENT);
	borrow(values);
}

struct res_values *res_values_found(const struct res_fields *fields, const json_t *document)
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
	struct res_values *values = res_values_found(fields, document);

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
