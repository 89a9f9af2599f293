#include "base/yaml_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/text.h"

enum {
	YAML_DEPTH_MAX = 64,
	YAML_NODES_MAX = 100000,
	YAML_ANCHORS_MAX = 1000,
};

/* A node with the size of its subtree with all aliases expanded. */
struct node {
	struct pl_yaml pub; /* first, so that a struct pl_yaml * is a struct node * */
	size_t nodes;
	int height;
};

struct anchor {
	const char *name;
	struct node *node; /* NULL while the anchored node is being read */
};

struct builder {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	bool has_event;
	struct pl_yaml_doc *doc;
	size_t nodes; /* of the document so far, aliases written out */
	struct anchor *anchors;
	size_t anchor_count;
	size_t anchor_room;
	struct pl_err *err;
};

/* One pair of a mapping under way. */
struct pair {
	struct node *key;
	struct node *value;
	size_t order;
	bool merged; /* came in by "<<" */
};

static int build_node(struct builder *b, int depth, struct node **ret);

static int fail_at(struct builder *b, int line, int column, const char *text)
{
	/* "file:line:column:", which editors and people jump to. */
	return pl_err_set_at(b->err, PL_ERR_INVALID, b->doc->source, line, column, text);
}

static int fail_here(struct builder *b, const char *text)
{
	return fail_at(b, (int)b->event.start_mark.line + 1, (int)b->event.start_mark.column + 1,
		       text);
}

/* Finds line and column of byte `offset`: the reader reports no line. */
static void position_of(const char *text, size_t offset, int *ret_line, int *ret_column)
{
	int line = 1;
	int column = 1;

	for (size_t i = 0; i < offset; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	*ret_line = line;
	*ret_column = column;
}

/*
 * libyaml says "found character that cannot start any token", which does not say that the character
 * is a tab.
 */
static bool indented_by_tab(const char *text, size_t len, size_t line)
{
	const char *end = text + len;

	for (; line > 0 && text != NULL; line--) {
		text = memchr(text, '\n', (size_t)(end - text));
		text = text != NULL ? text + 1 : NULL;
	}
	while (text != NULL && text < end && *text == ' ')
		text++;
	return text != NULL && text < end && *text == '\t';
}

static int syntax_error(struct builder *b)
{
	const yaml_parser_t *p = &b->parser;
	const char *problem = p->problem != NULL ? p->problem : "out of memory";
	const char *text = (const char *)p->input.string.start;
	size_t len = (size_t)(p->input.string.end - p->input.string.start);
	int line = (int)p->problem_mark.line + 1;
	int column = (int)p->problem_mark.column + 1;
	auto_free char *shown = NULL;

	/*
	 * Bytes that are not UTF-8, or not a character: found below the scanner, which alone counts
	 * lines.
	 */
	if (p->error == YAML_READER_ERROR) {
		position_of(text, p->problem_offset < len ? p->problem_offset : len, &line,
			    &column);
		shown = pl_asprintf("not valid YAML: %s", problem);
	} else if (indented_by_tab(text, len, p->problem_mark.line)) {
		shown = pl_asprintf("not valid YAML: %s (a tab cannot indent)", problem);
	} else {
		shown = pl_asprintf("not valid YAML: %s%s%s", problem,
				    p->context != NULL ? " " : "",
				    p->context != NULL ? p->context : "");
	}
	return fail_at(b, line, column, shown);
}

static int next_event(struct builder *b)
{
	if (b->has_event)
		yaml_event_delete(&b->event);
	b->has_event = false;
	if (!yaml_parser_parse(&b->parser, &b->event))
		return syntax_error(b);
	b->has_event = true;
	return 0;
}

static struct node *new_node(struct builder *b, enum pl_yaml_kind kind)
{
	struct node *node = pl_arena_alloc(b->doc->arena, sizeof(*node));

	node->pub.kind = kind;
	node->pub.text = "";
	node->pub.line = (int)b->event.start_mark.line + 1;
	node->pub.column = (int)b->event.start_mark.column + 1;
	node->nodes = 1;
	return node;
}

/*
 * Counts nodes against the document's limit. An alias counts as all nodes that it refers to:
 * otherwise a few lines of nested aliases (the "billion laughs") would become a tree that exhausts
 * memory when it is walked.
 */
static int spend(struct builder *b, size_t nodes)
{
	b->nodes += nodes;
	if (b->nodes > YAML_NODES_MAX)
		return fail_here(b, "more than 100000 nodes");
	return 0;
}

static int add_anchor(struct builder *b, const yaml_char_t *name, size_t *ret_index)
{
	if (b->anchor_count >= YAML_ANCHORS_MAX)
		return fail_here(b, "more than 1000 anchors");
	*ret_index = b->anchor_count;
	PL_PUSH(b->anchors, b->anchor_count, b->anchor_room)->name = pl_arena_strndup(
		b->doc->arena, (const char *)name, strlen((const char *)name));
	return 0;
}

/* An alias stands for the node itself; the tree shares it, the counts do not. */
static int build_alias(struct builder *b, int depth, struct node **ret)
{
	const char *name = (const char *)b->event.data.alias.anchor;
	char text[128];

	/*
	 * Searches from the last one: a repeated name refers to the later node (YAML 1.2, 3.2.2.2).
	 */
	for (size_t i = b->anchor_count; i-- > 0;) {
		const struct anchor *anchor = &b->anchors[i];
		if (strcmp(anchor->name, name) != 0)
			continue;
		snprintf(text, sizeof(text), "alias '*%.60s' refers to a node that contains it",
			 name);
		if (anchor->node == NULL)
			return fail_here(b, text);
		if (depth + anchor->node->height > YAML_DEPTH_MAX)
			return fail_here(b, "nested more than 64 levels deep");
		*ret = anchor->node;
		return spend(b, anchor->node->nodes);
	}
	snprintf(text, sizeof(text),
		 "alias '*%.60s' refers to an anchor that is not defined above it", name);
	return fail_here(b, text);
}

/* The core schema's tags define the type; "!" and !!str make it text. */
static int check_tag(struct builder *b, const yaml_char_t *tag, enum pl_yaml_kind kind,
		     bool *ret_text)
{
	static const char core[] = "tag:yaml.org,2002:";
	static const char *const scalars[] = { "str", "int", "float", "bool", "null" };
	const char *name = (const char *)tag;
	char text[128];

	*ret_text = false;
	if (name == NULL)
		return 0;
	if (strcmp(name, "!") == 0) {
		*ret_text = true;
		return 0;
	}
	if (pl_text_starts(name, core)) {
		name += sizeof(core) - 1;
		*ret_text = strcmp(name, "str") == 0;
		for (size_t i = 0; i < PL_ARRAY_SIZE(scalars) && kind == PL_YAML_SCALAR; i++) {
			if (strcmp(name, scalars[i]) == 0)
				return 0;
		}
		if ((kind == PL_YAML_MAP && strcmp(name, "map") == 0) ||
		    (kind == PL_YAML_LIST && strcmp(name, "seq") == 0))
			return 0;
	}
	snprintf(text, sizeof(text), "unknown tag '%.60s'", (const char *)tag);
	return fail_here(b, text);
}

static int build_scalar(struct builder *b, struct node **ret)
{
	const char *value = (const char *)b->event.data.scalar.value;
	size_t len = b->event.data.scalar.length;
	const yaml_char_t *tag = b->event.data.scalar.tag;
	struct node *node = new_node(b, PL_YAML_SCALAR);
	bool is_text;

	if (check_tag(b, tag, PL_YAML_SCALAR, &is_text) < 0 || spend(b, 1) < 0)
		return -1;
	/* "\0" in double quotes: a C string would end there, and the rest be lost unseen. */
	if (memchr(value, '\0', len) != NULL)
		return fail_here(b, "a text cannot hold a NUL character");
	bool plain = b->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	node->pub.plain = (plain || tag != NULL) && !is_text;
	node->pub.text = pl_arena_strndup(b->doc->arena, value, len);
	*ret = node;
	return 0;
}

static void adopt(struct node *parent, const struct node *child)
{
	parent->nodes += child->nodes;
	if (child->height >= parent->height)
		parent->height = child->height + 1;
}

static int build_list(struct builder *b, int depth, struct node **ret)
{
	struct node *node = new_node(b, PL_YAML_LIST);
	auto_free struct pl_yaml **items = NULL;
	size_t room = 0;
	bool is_text;

	if (check_tag(b, b->event.data.sequence_start.tag, PL_YAML_LIST, &is_text) < 0 ||
	    spend(b, 1) < 0)
		return -1;
	for (;;) {
		struct node *item;
		if (next_event(b) < 0)
			return -1;
		if (b->event.type == YAML_SEQUENCE_END_EVENT)
			break;
		if (build_node(b, depth + 1, &item) < 0)
			return -1;
		*PL_PUSH(items, node->pub.count, room) = &item->pub;
		adopt(node, item);
	}
	/*
	 * Grown on the heap and then copied to the arena at its final size, because an arena cannot
	 * free memory.
	 */
	size_t bytes = node->pub.count * sizeof(struct pl_yaml *);
	node->pub.items = pl_arena_alloc(b->doc->arena, bytes);
	if (bytes > 0)
		memcpy(node->pub.items, items, bytes);
	*ret = node;
	return 0;
}

struct pairs {
	struct pair *items;
	size_t count;
	size_t room;
};

static void pairs_done(struct pairs *pairs)
{
	free(pairs->items);
}

static void pairs_add(struct pairs *pairs, struct node *key, struct node *value, bool merged)
{
	size_t order = pairs->count;

	*PL_PUSH(pairs->items, pairs->count, pairs->room) =
		(struct pair){ .key = key, .value = value, .order = order, .merged = merged };
}

/* The mapping's own pairs before merged ones, then as written. */
static int by_order(const void *left, const void *right)
{
	const struct pair *a = left;
	const struct pair *b = right;

	if (a->merged != b->merged)
		return a->merged - b->merged;
	return a->order < b->order ? -1 : 1;
}

static int by_key(const void *left, const void *right)
{
	const struct pair *a = left;
	const struct pair *b = right;
	int order = strcmp(a->key->pub.text, b->key->pub.text);

	return order != 0 ? order : by_order(left, right);
}

/* Drops merged pairs that are overridden; a key that the mapping itself gives twice is an error. */
static int settle_pairs(struct builder *b, struct pairs *pairs)
{
	const struct pair *first = NULL;
	const struct pair *retry = NULL;
	size_t retained = 0;

	if (pairs->count == 0)
		return 0;
	/*
	 * Sorts by key to find duplicates without comparing all pairs, and then restores the order
	 * for readers.
	 */
	qsort(pairs->items, pairs->count, sizeof(struct pair), by_key);
	for (size_t i = 1; i < pairs->count; i++) {
		const struct pair *pair = &pairs->items[i];
		/* Reports the repeated key that comes first in the file. */
		if (strcmp(pair[-1].key->pub.text, pair->key->pub.text) != 0 || pair->merged ||
		    (retry != NULL && retry->order < pair->order))
			continue;
		first = pair - 1;
		retry = pair;
	}
	if (retry != NULL) {
		char text[160];
		snprintf(text, sizeof(text), "duplicate key '%.80s' (first at line %d)",
			 retry->key->pub.text, first->key->pub.line);
		return fail_at(b, retry->key->pub.line, retry->key->pub.column, text);
	}
	for (size_t i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->items[i];
		if (retained == 0 ||
		    strcmp(pairs->items[retained - 1].key->pub.text, pair->key->pub.text) != 0)
			pairs->items[retained++] = *pair;
	}
	pairs->count = retained;
	qsort(pairs->items, retained, sizeof(struct pair), by_order);
	return 0;
}

static int merge_map(struct builder *b, struct pairs *pairs, const struct pl_yaml *from)
{
	if (from->kind != PL_YAML_MAP) {
		char found[80];
		auto_free char *text = NULL;
		pl_yaml_describe(from, found, sizeof(found));
		text = pl_asprintf("'<<': found %s, expected a mapping or a list of mappings",
				   found);
		return fail_at(b, from->line, from->column, text);
	}
	for (size_t i = 0; i < from->count; i++) {
		struct node *value = (struct node *)from->items[i];
		if (spend(b, value->nodes + 1) < 0)
			return -1;
		pairs_add(pairs, (struct node *)from->keys[i], value, true);
	}
	return 0;
}

/*
 * A mapping's own keys win over merged ones, and of several merged mappings the first:
 * yaml.org/type/merge.html. by_order() puts them in that order.
 */
static int merge(struct builder *b, struct pairs *pairs, const struct node *from)
{
	if (from->pub.kind != PL_YAML_LIST)
		return merge_map(b, pairs, &from->pub);
	for (size_t i = 0; i < from->pub.count; i++) {
		if (merge_map(b, pairs, from->pub.items[i]) < 0)
			return -1;
	}
	return 0;
}

static int build_pair(struct builder *b, int depth, struct pairs *pairs, int *merge_line)
{
	struct node *key;
	struct node *value;

	int line = (int)b->event.start_mark.line + 1;
	int column = (int)b->event.start_mark.column + 1;
	if (build_node(b, depth + 1, &key) < 0)
		return -1;
	if (key->pub.kind != PL_YAML_SCALAR)
		return fail_at(b, line, column, "a key cannot be a list or a mapping");
	if (next_event(b) < 0 || build_node(b, depth + 1, &value) < 0)
		return -1;
	/* In quotes it is an ordinary key. */
	if (!key->pub.plain || strcmp(key->pub.text, "<<") != 0) {
		pairs_add(pairs, key, value, false);
		return 0;
	}
	if (*merge_line > 0) {
		char text[80];
		snprintf(text, sizeof(text), "duplicate key '<<' (first at line %d)", *merge_line);
		return fail_at(b, line, column, text);
	}
	*merge_line = line;
	return merge(b, pairs, value);
}

static int build_map(struct builder *b, int depth, struct node **ret)
{
	struct node *node = new_node(b, PL_YAML_MAP);
	__attribute__((cleanup(pairs_done))) struct pairs pairs = { 0 };
	int merge_line = 0;
	bool is_text;

	if (check_tag(b, b->event.data.mapping_start.tag, PL_YAML_MAP, &is_text) < 0 ||
	    spend(b, 1) < 0)
		return -1;
	for (;;) {
		if (next_event(b) < 0)
			return -1;
		if (b->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (build_pair(b, depth, &pairs, &merge_line) < 0)
			return -1;
	}
	if (settle_pairs(b, &pairs) < 0)
		return -1;
	size_t bytes = pairs.count * sizeof(struct pl_yaml *);
	node->pub.count = pairs.count;
	node->pub.keys = pl_arena_alloc(b->doc->arena, bytes);
	node->pub.items = pl_arena_alloc(b->doc->arena, bytes);
	for (size_t i = 0; i < pairs.count; i++) {
		node->pub.keys[i] = &pairs.items[i].key->pub;
		node->pub.items[i] = &pairs.items[i].value->pub;
		adopt(node, pairs.items[i].key);
		adopt(node, pairs.items[i].value);
	}
	*ret = node;
	return 0;
}

static const yaml_char_t *event_anchor(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor;
	default:
		return NULL;
	}
}

/* The node that the current event begins; leaves its last event current. */
static int build_node(struct builder *b, int depth, struct node **ret)
{
	const yaml_char_t *anchor = event_anchor(&b->event);
	size_t index = 0;
	bool anchored = anchor != NULL;
	int result;

	if (depth > YAML_DEPTH_MAX)
		return fail_here(b, "nested more than 64 levels deep");
	if (anchored && add_anchor(b, anchor, &index) < 0)
		return -1;
	switch (b->event.type) {
	case YAML_ALIAS_EVENT:
		return build_alias(b, depth, ret);
	case YAML_SCALAR_EVENT:
		result = build_scalar(b, ret);
		break;
	case YAML_SEQUENCE_START_EVENT:
		result = build_list(b, depth, ret);
		break;
	case YAML_MAPPING_START_EVENT:
		result = build_map(b, depth, ret);
		break;
	default:
		return fail_here(b, "not valid YAML: a value is missing");
	}
	if (result == 0 && anchored)
		b->anchors[index].node = *ret;
	return result;
}

/* A stream of one document, or of none: an empty map. */
static int build_stream(struct builder *b)
{
	struct node *root = NULL;

	/* the start of the stream, then the next event */
	if (next_event(b) < 0 || next_event(b) < 0)
		return -1;
	if (b->event.type == YAML_DOCUMENT_START_EVENT) {
		if (next_event(b) < 0 || build_node(b, 1, &root) < 0)
			return -1;
		if (next_event(b) < 0 || next_event(b) < 0) /* the end, then the next event */
			return -1;
		if (b->event.type == YAML_DOCUMENT_START_EVENT)
			return fail_here(b, "a second document is not allowed");
	}
	/* A file of comments only is an empty mapping: all that it could set has a default. */
	if (root == NULL || (root->pub.plain && root->pub.text[0] == '\0')) {
		root = new_node(b, PL_YAML_MAP);
		root->pub.line = 1;
		root->pub.column = 1;
	}
	b->doc->root = &root->pub;
	return 0;
}

int pl_yaml_build(struct pl_yaml_doc *doc, const char *text, size_t len, struct pl_err *err)
{
	struct builder b = { .doc = doc, .err = err };

	if (!yaml_parser_initialize(&b.parser))
		return pl_err_set(err, PL_ERR_INTERNAL, "%s: no memory", doc->source);
	yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, len);
	int result = build_stream(&b);
	if (b.has_event)
		yaml_event_delete(&b.event);
	yaml_parser_delete(&b.parser);
	free(b.anchors);
	return result;
}
