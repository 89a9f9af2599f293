/*
 * Compiles a document to nodes and rules. Nodes are made when a location is first referenced, and
 * compiled one after the other instead of recursively, so depth and cycles need no stack. A node is
 * identified by its location, so all references share it. A cycle that never descends into the
 * document ({"$ref": "#"}) would be checked forever; it is rejected here, once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "schema/schema_priv.h"
#include "schema/value.h"

#define ARENA_BLOCK_BYTES 65536
#define POINTER_BYTES_MAX 4096
#define DIALECT           "https://json-schema.org/draft/2020-12/schema"
#define FILE_SUFFIX       ".schema.json"
#define COUNT_MAX         1e15
#define FOUND_BYTES_MAX   200

struct compiler {
	struct schema *schema;
	json_t *indexes; /* place: index of its node */
	struct schema_node **nodes;
	size_t count;
	size_t room;
	struct pl_err *err;
};

/* The rule that is being made, and where. */
struct making {
	struct compiler *c;
	const struct schema_node *node;
	struct schema_rule *rule;
};

bool schema_pointer_add(struct pl_buf *pointer, const char *key)
{
	bool ok = pl_buf_add_char(pointer, '/');

	for (; *key != '\0'; key++)
		ok = ok && (*key == '~'   ? pl_buf_add_text(pointer, "~0")
			    : *key == '/' ? pl_buf_add_text(pointer, "~1")
					  : pl_buf_add_char(pointer, *key));
	return ok;
}

/* ---- errors -------------------------------------------------------------------------------- */

static int refuse_at(const struct making *m, const json_t *found, const char *expected,
		     const char *nearest)
{
	auto_free char *text = pl_json_to_text(found, PL_JSON_COMPACT);

	pl_err_set(m->c->err, PL_ERR_INVALID, "%s: %s: found %.*s%s, expected %s%s%s%s",
		   m->node->pointer, schema_keywords[m->rule->keyword], FOUND_BYTES_MAX, text,
		   strlen(text) > FOUND_BYTES_MAX ? "…" : "", expected,
		   nearest != NULL ? " (did you mean '" : "", nearest != NULL ? nearest : "",
		   nearest != NULL ? "'?)" : "");
	return -1;
}

static int refuse(const struct making *m, const char *expected)
{
	return refuse_at(m, m->rule->value, expected, NULL);
}

static int refuse_unknown(const struct compiler *c, const struct schema_node *node)
{
	PL_JSON_EACH_MEMBER(key, value, node->json) {
		size_t i = 0;
		while (i < SCHEMA_KEYWORD_COUNT && strcmp(schema_keywords[i], key) != 0)
			i++;
		if (i < SCHEMA_KEYWORD_COUNT)
			continue;
		const char *nearest = pl_text_nearest(key, schema_keywords, SCHEMA_KEYWORD_COUNT);
		return pl_err_set(c->err, PL_ERR_INVALID, "%s: unknown keyword '%s'%s%s%s",
				  node->pointer, key, nearest != NULL ? " (did you mean '" : "",
				  nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "");
	}
	return 0;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/*
 * Returns the node of the location and makes it if necessary; NULL: the location is too long, which
 * is reported.
 */
static struct schema_node *node_at(struct compiler *c, const struct schema_document *document,
				   const struct pl_buf *location, const json_t *json)
{
	const json_t *index = json_object_get(c->indexes, pl_buf_text(location));

	if (location->full) {
		pl_err_set(c->err, PL_ERR_INVALID,
			   "%.100s…: nested too deeply: its JSON pointer has more than %d bytes",
			   pl_buf_text(location), POINTER_BYTES_MAX);
		return NULL;
	}
	if (index != NULL)
		return c->nodes[json_integer_value(index)];
	struct schema_node *node = pl_arena_alloc(c->schema->arena, sizeof(*node));
	node->pointer = pl_arena_strndup(c->schema->arena, pl_buf_text(location), location->len);
	node->document = document;
	node->json = json;
	json_object_set_new(c->indexes, node->pointer, json_integer((json_int_t)c->count));
	*PL_PUSH(c->nodes, c->count, c->room) = node;
	return node;
}

/*
 * Adds the node for the schema in the rule's value: under `key`, or, if that is NULL, at `index`,
 * or the value itself.
 */
static int add_node(const struct making *m, const char *key, size_t index, const json_t *json)
{
	auto_buf location = PL_BUF(POINTER_BYTES_MAX);

	pl_buf_add_text(&location, m->node->pointer);
	schema_pointer_add(&location, schema_keywords[m->rule->keyword]);
	if (key != NULL)
		schema_pointer_add(&location, key);
	else if (json != m->rule->value)
		pl_buf_addf(&location, "/%zu", index);
	struct schema_node *node = node_at(m->c, m->node->document, &location, json);
	if (node == NULL)
		return -1;
	m->rule->nodes[m->rule->count++] = node;
	return 0;
}

static void *room_for(const struct making *m, size_t count, size_t size)
{
	return pl_arena_alloc(m->c->schema->arena, (count + 1) * size);
}

/* ---- where a $ref leads -------------------------------------------------------------------- */

static const struct schema_document *add_document(struct schema *schema, const char *name,
						  json_t *root)
{
	struct schema_document *document = pl_alloc(sizeof(*document));

	document->name = pl_strdup(name);
	document->root = json_incref(root);
	return *PL_PUSH(schema->documents, schema->document_count,
			schema->document_room) = document;
}

/* Returns a document that was already read, or an embedded one; NULL: none, which is reported. */
static const struct schema_document *find_document(const struct making *m, const char *name)
{
	struct schema *schema = m->c->schema;
	auto_json json_t *root = NULL;

	for (size_t i = 0; i < schema->document_count; i++) {
		if (strcmp(schema->documents[i]->name, name) == 0)
			return schema->documents[i];
	}
	auto_free char *stem = pl_strndup(name, strlen(name) - pl_text_ends(name, FILE_SUFFIX) *
								       strlen(FILE_SUFFIX));
	const char *text = pl_text_ends(name, FILE_SUFFIX) ? schema_copy(stem) : NULL;
	if (text == NULL) {
		refuse(m, "a JSON pointer into this document or into NAME" FILE_SUFFIX
			  ", a built-in schema");
		return NULL;
	}
	if (pl_json_parse(text, strlen(text), name, &root, m->c->err) < 0)
		return NULL;
	return add_document(schema, name, root);
}

static const char *nearest_key(const json_t *object, const char *name)
{
	struct pl_nearest nearest = { .name = name };

	PL_JSON_EACH_MEMBER(key, value, object)
		pl_nearest_try(&nearest, key);
	return nearest.found;
}

static const json_t *step_into(const json_t *json, const char *token)
{
	int64_t index;

	if (json_is_object(json))
		return json_object_get(json, token);
	if (!json_is_array(json) || token[strspn(token, "0123456789")] != '\0' ||
	    !pl_text_to_i64(token, &index))
		return NULL;
	return json_array_get(json, (size_t)index);
}

/*
 * Returns the node at the pointer, which is modified. NULL: err says which step fails, after
 * `from`, the referring schema.
 */
static struct schema_node *follow(struct compiler *c, const struct schema_document *document,
				  char *pointer, const char *from)
{
	auto_buf location = PL_BUF(POINTER_BYTES_MAX);
	const json_t *json = document->root;

	pl_buf_addf(&location, "%s#", document->name);
	if (pointer[0] != '\0' && pointer[0] != '/') {
		pl_err_set(c->err, PL_ERR_INVALID,
			   "%s: found '%s', expected a JSON pointer: empty, or '/' first", from,
			   pointer);
		return NULL;
	}
	strsep(&pointer, "/");
	for (char *token; (token = strsep(&pointer, "/")) != NULL;) {
		char *to = token;
		for (const char *at = token; *at != '\0'; at++) {
			bool is_one = *at == '~' && (at[1] == '0' || at[1] == '1');
			*to++ = !is_one ? *at : at[1] == '0' ? '~' : '/';
			at += is_one;
		}
		*to = '\0';
		const json_t *inner = step_into(json, token);
		if (inner == NULL) {
			const char *nearest = nearest_key(json, token);
			pl_err_set(c->err, PL_ERR_NOT_FOUND, "%s: '%s' does not exist in %s%s%s%s",
				   from, token, pl_buf_text(&location),
				   nearest != NULL ? " (did you mean '" : "",
				   nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "");
			return NULL;
		}
		schema_pointer_add(&location, token);
		json = inner;
	}
	return node_at(c, document, &location, json);
}

static int form_REF(struct making *m)
{
	auto_free char *text = pl_strdup(json_string_value(m->rule->value));
	const struct schema_document *document = m->node->document;

	if (text == NULL)
		return refuse(m, "text");
	char *fragment = strchr(text, '#');
	if (fragment != NULL)
		*fragment++ = '\0';
	const char *file = text + (pl_text_starts(text, "./") ? 2 : 0);
	if (*file != '\0')
		document = find_document(m, file);
	if (document == NULL)
		return -1;
	auto_free char *pointer = pl_strdup(fragment != NULL ? fragment : "");
	auto_free char *from = pl_asprintf("%s: $ref '%s'", m->node->pointer,
					   json_string_value(m->rule->value));
	/* %41 in a fragment; bytes that no key can hold stay as they are. */
	char *to = pointer;
	for (const char *at = pointer; *at != '\0'; at++) {
		int high = *at == '%' ? pl_hex_value(at[1]) : -1;
		int low = high >= 0 ? pl_hex_value(at[2]) : -1;
		bool is_one = low >= 0 && high * 16 + low > 0;
		*to++ = is_one ? (char)(high * 16 + low) : *at;
		at += is_one ? 2 : 0;
	}
	*to = '\0';
	m->rule->nodes = room_for(m, 1, sizeof(*m->rule->nodes));
	m->rule->nodes[0] = follow(m->c, document, pointer, from);
	m->rule->count = 1;
	return m->rule->nodes[0] != NULL ? 0 : -1;
}

/* ---- what values have to be ---------------------------------------------------------------- */

static int add_type(const struct making *m, const json_t *word)
{
	for (unsigned i = 0; i < SCHEMA_TYPES && json_is_string(word); i++) {
		if (strcmp(json_string_value(word), schema_types[i]) == 0) {
			m->rule->types |= 1u << i;
			return 0;
		}
	}
	return refuse_at(m, word, "null, boolean, integer, number, string, array or object",
			 json_is_string(word) ? pl_text_nearest(json_string_value(word),
								schema_types, SCHEMA_TYPES)
					      : NULL);
}

static int form_TYPES(struct making *m)
{
	if (!json_is_array(m->rule->value))
		return add_type(m, m->rule->value);
	if (json_array_size(m->rule->value) == 0)
		return refuse(m, "at least one type");
	PL_JSON_EACH(word, m->rule->value) {
		if (add_type(m, word) < 0)
			return -1;
	}
	return 0;
}

static int form_NUMBER(struct making *m)
{
	return json_is_number(m->rule->value) ? 0 : refuse(m, "a number");
}

static int form_ABOVE_ZERO(struct making *m)
{
	return json_number_value(m->rule->value) > 0 ? 0 : refuse(m, "a number above 0");
}

static int form_COUNT(struct making *m)
{
	double count = json_number_value(m->rule->value);

	if (!json_is_number(m->rule->value) || !schema_value_is_whole(m->rule->value) || count < 0)
		return refuse(m, "an integer of at least 0");
	m->rule->count = count < COUNT_MAX ? (size_t)count : (size_t)COUNT_MAX;
	return 0;
}

static int form_FLAG(struct making *m)
{
	return json_is_boolean(m->rule->value) ? 0 : refuse(m, "true or false");
}

static int form_TEXT(struct making *m)
{
	return json_is_string(m->rule->value) ? 0 : refuse(m, "text");
}

static int form_ANY(struct making *m)
{
	(void)m;
	return 0;
}

static int form_DIALECT(struct making *m)
{
	return pl_text_equal(json_string_value(m->rule->value), DIALECT)
		       ? 0
		       : refuse(m, "\"" DIALECT "\"");
}

static int form_LIST(struct making *m)
{
	return json_array_size(m->rule->value) > 0 ? 0
						   : refuse(m, "a list with at least one value");
}

static int form_NAMES(struct making *m)
{
	if (!json_is_array(m->rule->value))
		return refuse(m, "a list of strings");
	m->rule->names = room_for(m, json_array_size(m->rule->value), sizeof(*m->rule->names));
	PL_JSON_EACH(name, m->rule->value) {
		if (!json_is_string(name))
			return refuse_at(m, name, "text", NULL);
		m->rule->names[m->rule->count++] = json_string_value(name);
	}
	return 0;
}

/* The pattern is the schema's, the rule at `index` borrows it. */
static int add_pattern(const struct making *m, const char *text, size_t len, size_t index)
{
	struct schema *schema = m->c->schema;
	struct res_pattern *pattern;

	if (schema_pattern_new(text, len, &pattern, m->c->err) < 0)
		return pl_err_wrap(m->c->err, "%s: %s: '%.*s'", m->node->pointer,
				   schema_keywords[m->rule->keyword],
				   len < FOUND_BYTES_MAX ? (int)len : FOUND_BYTES_MAX, text);
	*PL_PUSH(schema->patterns, schema->pattern_count, schema->pattern_room) = pattern;
	m->rule->patterns[index] = pattern;
	return 0;
}

static int form_PATTERN(struct making *m)
{
	if (!json_is_string(m->rule->value))
		return refuse(m, "a regular expression");
	m->rule->patterns = room_for(m, 1, sizeof(*m->rule->patterns));
	return add_pattern(m, json_string_value(m->rule->value), json_string_length(m->rule->value),
			   0);
}

static int form_SCHEMA(struct making *m)
{
	m->rule->nodes = room_for(m, 1, sizeof(*m->rule->nodes));
	return add_node(m, NULL, 0, m->rule->value);
}

static int form_SCHEMAS(struct making *m)
{
	if (json_array_size(m->rule->value) == 0)
		return refuse(m, "a list with at least one schema");
	m->rule->nodes = room_for(m, json_array_size(m->rule->value), sizeof(*m->rule->nodes));
	PL_JSON_EACH(item, m->rule->value) {
		if (add_node(m, NULL, item_at, item) < 0)
			return -1;
	}
	return 0;
}

unsigned *schema_slot(const struct schema_rule *rule, const char *name)
{
	uint64_t hash = pl_hash_text(PL_HASH_NONE, name);

	for (size_t at = (size_t)(hash ^ hash >> 29);; at++) {
		unsigned *slot = &rule->slots[at & (rule->slot_count - 1)];
		if (*slot == 0 || strcmp(rule->names[*slot - 1], name) == 0)
			return slot;
	}
}

static void make_slots(const struct making *m)
{
	struct schema_rule *rule = m->rule;

	for (rule->slot_count = 2; rule->slot_count < rule->count * 2;)
		rule->slot_count *= 2;
	rule->slots = room_for(m, rule->slot_count, sizeof(*rule->slots));
	for (size_t i = 0; i < rule->count; i++)
		*schema_slot(rule, rule->names[i]) = (unsigned)i + 1;
}

static int form_BY_NAME(struct making *m)
{
	size_t count = json_object_size(m->rule->value), i = 0;

	if (!json_is_object(m->rule->value))
		return refuse(m, "an object whose values are schemas");
	m->rule->nodes = room_for(m, count, sizeof(*m->rule->nodes));
	m->rule->names = room_for(m, count, sizeof(*m->rule->names));
	PL_JSON_EACH_MEMBER(key, value, m->rule->value)
		m->rule->names[i++] = key;
	qsort(m->rule->names, count, sizeof(*m->rule->names), pl_text_compare);
	for (i = 0; i < count; i++) {
		const char *key = m->rule->names[i];
		if (add_node(m, key, 0, json_object_get(m->rule->value, key)) < 0)
			return -1;
	}
	make_slots(m);
	return 0;
}

static int form_BY_PATTERN(struct making *m)
{
	if (!json_is_object(m->rule->value))
		return refuse(m, "an object whose values are schemas");
	size_t count = json_object_size(m->rule->value);
	m->rule->nodes = room_for(m, count, sizeof(*m->rule->nodes));
	m->rule->patterns = room_for(m, count, sizeof(*m->rule->patterns));
	PL_JSON_EACH_MEMBER(key, value, m->rule->value) {
		if (add_pattern(m, key, strlen(key), m->rule->count) < 0 ||
		    add_node(m, key, 0, value) < 0)
			return -1;
	}
	return 0;
}

/* ---- all of it ----------------------------------------------------------------------------- */

const char *const schema_keywords[SCHEMA_KEYWORD_COUNT] = {
#define KEYWORD(id, name, form) [SCHEMA_##id] = name,
	SCHEMA_KEYWORDS(KEYWORD)
#undef KEYWORD
};

static int (*const forms[SCHEMA_KEYWORD_COUNT])(struct making *) = {
#define KEYWORD(id, name, form) [SCHEMA_##id] = form_##form,
	SCHEMA_KEYWORDS(KEYWORD)
#undef KEYWORD
};

/* Lets an object be checked against the names with one lookup per key of the object. */
static void note_needed(const struct compiler *c, struct schema_node *node)
{
	struct schema_rule *required = (struct schema_rule *)schema_rule_of(node, SCHEMA_REQUIRED);
	const struct schema_rule *properties = schema_rule_of(node, SCHEMA_PROPERTIES);
	size_t count = 0;

	if (required == NULL || properties == NULL)
		return;
	bool *needed = pl_arena_alloc(c->schema->arena, properties->count + 1);
	for (size_t i = 0; i < required->count; i++) {
		unsigned at = *schema_slot(properties, required->names[i]);
		if (at == 0)
			return;
		count += !needed[at - 1];
		needed[at - 1] = true;
	}
	required->needed = needed;
	required->needed_count = count;
}

static int compile_node(struct compiler *c, struct schema_node *node)
{
	size_t size = json_object_size(node->json);

	if (json_is_boolean(node->json))
		return 0;
	if (!json_is_object(node->json)) {
		auto_free char *text = pl_json_to_text(node->json, PL_JSON_COMPACT);
		return pl_err_set(c->err, PL_ERR_INVALID,
				  "%s: found %.*s, expected a schema: an object, true or false",
				  node->pointer, FOUND_BYTES_MAX, text);
	}
	node->rules = pl_arena_alloc(c->schema->arena, (size + 1) * sizeof(*node->rules));
	for (unsigned i = 0; i < SCHEMA_KEYWORD_COUNT && node->count < size; i++) {
		const json_t *value = json_object_get(node->json, schema_keywords[i]);
		if (value == NULL)
			continue;
		struct schema_rule *rule = &node->rules[node->count++];
		*rule = (struct schema_rule){ .keyword = (enum schema_keyword)i, .value = value };
		if (forms[i](&(struct making){ .c = c, .node = node, .rule = rule }) < 0)
			return -1;
		node->checked_count += i <= SCHEMA_ELSE;
	}
	note_needed(c, node);
	return node->count < size ? refuse_unknown(c, node) : 0;
}

/* Returns whether the keyword's schema applies to the same value. */
static bool is_known_path(enum schema_keyword keyword)
{
	return keyword == SCHEMA_REF || (keyword >= SCHEMA_ALL_OF && keyword <= SCHEMA_ELSE);
}

static int measure(struct schema_node *node, unsigned depth, struct pl_err *err)
{
	unsigned height = 0;

	if (node->is_on_way)
		return pl_err_set(err, PL_ERR_INVALID,
				  "%s: refers to itself without a step into the document",
				  node->pointer);
	if (node->height > 0)
		return 0;
	node->is_on_way = true;
	for (size_t i = 0; i < node->count && depth < SCHEMA_CHAIN_MAX; i++) {
		const struct schema_rule *rule = &node->rules[i];
		for (size_t k = 0; k < rule->count && is_known_path(rule->keyword); k++) {
			if (measure(rule->nodes[k], depth + 1, err) < 0)
				return -1;
			if (rule->nodes[k]->height > height)
				height = rule->nodes[k]->height;
		}
	}
	node->is_on_way = false;
	node->height = height + 1;
	if (depth >= SCHEMA_CHAIN_MAX || node->height > SCHEMA_CHAIN_MAX)
		return pl_err_set(err, PL_ERR_INVALID,
				  "%s: more than %d nested schemas for one value", node->pointer,
				  SCHEMA_CHAIN_MAX);
	return 0;
}

static int compile_all(struct compiler *c)
{
	for (size_t i = 0; i < c->count; i++) {
		if (compile_node(c, c->nodes[i]) < 0)
			return -1;
	}
	for (size_t i = 0; i < c->count; i++) {
		if (measure(c->nodes[i], 0, c->err) < 0)
			return -1;
	}
	return 0;
}

int schema_compile(const json_t *document, const char *name, const char *pointer,
		   const struct schema **ret, struct pl_err *err)
{
	struct schema *made = pl_alloc(sizeof(*made));
	auto_schema const struct schema *schema = made;
	auto_json json_t *indexes = json_object();
	auto_free char *steps = pl_strdup(pointer);
	auto_free struct schema_node **nodes = NULL;
	struct compiler c = { .schema = made, .indexes = indexes, .err = err };

	made->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	const struct schema_document *root = add_document(made, name, (json_t *)document);
	made->root = follow(&c, root, steps, name);
	int result = made->root != NULL ? compile_all(&c) : -1;
	nodes = c.nodes;
	made->node_count = c.count;
	if (result < 0)
		return -1;
	*ret = pl_take(schema);
	return 0;
}

void schema_free(const struct schema *schema)
{
	if (schema == NULL)
		return;
	for (size_t i = 0; i < schema->pattern_count; i++)
		schema_pattern_free(schema->patterns[i]);
	for (size_t i = 0; i < schema->document_count; i++) {
		free(schema->documents[i]->name);
		json_decref(schema->documents[i]->root);
		free(schema->documents[i]);
	}
	free(schema->patterns);
	free(schema->documents);
	pl_arena_free(schema->arena);
	free((void *)schema);
}
