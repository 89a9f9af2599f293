/*
 * The compiled form of a schema, which validation walks: a node per schema, a rule per keyword in
 * it.
 */
#pragma once

#include "schema/pattern.h"
#include "schema/schema.h"

/*
 * KEYWORD(id, name, form): the known keywords. The form defines the allowed value:
 *   TYPES     a type's name or a list of them       NUMBER, ABOVE_ZERO, COUNT, FLAG
 *   LIST      a list with at least one item         NAMES     a list of texts
 *   PATTERN   a regular expression                  REF       reference to another schema
 *   SCHEMA    a schema, true or false               SCHEMAS   a list of them
 *   BY_NAME   an object of schemas                  BY_PATTERN the same, names are patterns
 *   DIALECT   the URI of the draft                  TEXT, ANY nothing else is required
 * In the order in which errors are reported; the keywords after ELSE do not affect validity.
 */
#define SCHEMA_KEYWORDS(KEYWORD)                               \
	KEYWORD(NODES_MAX, "x-nodes-max", COUNT)               \
	KEYWORD(LEVELS_MAX, "x-levels-max", COUNT)             \
	KEYWORD(REF, "$ref", REF)                              \
	KEYWORD(TYPE, "type", TYPES)                           \
	KEYWORD(CONST, "const", ANY)                           \
	KEYWORD(ENUM, "enum", LIST)                            \
	KEYWORD(MINIMUM, "minimum", NUMBER)                    \
	KEYWORD(EXCLUSIVE_MINIMUM, "exclusiveMinimum", NUMBER) \
	KEYWORD(MAXIMUM, "maximum", NUMBER)                    \
	KEYWORD(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", NUMBER) \
	KEYWORD(MULTIPLE_OF, "multipleOf", ABOVE_ZERO)         \
	KEYWORD(MIN_LENGTH, "minLength", COUNT)                \
	KEYWORD(MAX_LENGTH, "maxLength", COUNT)                \
	KEYWORD(PATTERN, "pattern", PATTERN)                   \
	KEYWORD(MIN_ITEMS, "minItems", COUNT)                  \
	KEYWORD(MAX_ITEMS, "maxItems", COUNT)                  \
	KEYWORD(UNIQUE_ITEMS, "uniqueItems", FLAG)             \
	KEYWORD(PREFIX_ITEMS, "prefixItems", SCHEMAS)          \
	KEYWORD(ITEMS, "items", SCHEMA)                        \
	KEYWORD(MIN_PROPERTIES, "minProperties", COUNT)        \
	KEYWORD(MAX_PROPERTIES, "maxProperties", COUNT)        \
	KEYWORD(REQUIRED, "required", NAMES)                   \
	KEYWORD(PROPERTY_NAMES, "propertyNames", SCHEMA)       \
	KEYWORD(PROPERTIES, "properties", BY_NAME)             \
	KEYWORD(BY_PATTERN, "patternProperties", BY_PATTERN)   \
	KEYWORD(ADDITIONAL, "additionalProperties", SCHEMA)    \
	KEYWORD(ALL_OF, "allOf", SCHEMAS)                      \
	KEYWORD(ANY_OF, "anyOf", SCHEMAS)                      \
	KEYWORD(ONE_OF, "oneOf", SCHEMAS)                      \
	KEYWORD(NOT, "not", SCHEMA)                            \
	KEYWORD(IF, "if", SCHEMA)                              \
	KEYWORD(THEN, "then", SCHEMA)                          \
	KEYWORD(ELSE, "else", SCHEMA)                          \
	KEYWORD(DEFS, "$defs", BY_NAME)                        \
	KEYWORD(DIALECT, "$schema", DIALECT)                   \
	KEYWORD(COMMENT, "$comment", TEXT)                     \
	KEYWORD(TITLE, "title", TEXT)                          \
	KEYWORD(DESCRIPTION, "description", TEXT)              \
	KEYWORD(FORMAT, "format", TEXT)                        \
	KEYWORD(MEDIA_TYPE, "contentMediaType", TEXT)          \
	KEYWORD(ENCODING, "contentEncoding", TEXT)             \
	KEYWORD(DEFAULT, "default", ANY)                       \
	KEYWORD(EXAMPLES, "examples", ANY)                     \
	KEYWORD(DEPRECATED, "deprecated", FLAG)                \
	KEYWORD(READ_ONLY, "readOnly", FLAG)                   \
	KEYWORD(WRITE_ONLY, "writeOnly", FLAG)

enum schema_keyword {
#define KEYWORD(id, name, form) SCHEMA_##id,
	SCHEMA_KEYWORDS(KEYWORD)
#undef KEYWORD
		SCHEMA_KEYWORD_COUNT
};
extern const char *const schema_keywords[SCHEMA_KEYWORD_COUNT];

/* JSON types as bits; an integer has INTEGER and NUMBER. */
enum schema_type {
	SCHEMA_TYPE_NULL = 1,
	SCHEMA_TYPE_BOOLEAN = 2,
	SCHEMA_TYPE_INTEGER = 4,
	SCHEMA_TYPE_NUMBER = 8,
	SCHEMA_TYPE_STRING = 16,
	SCHEMA_TYPE_ARRAY = 32,
	SCHEMA_TYPE_OBJECT = 64,
};
/* The names of the bits, from the lowest; SCHEMA_TYPES of them. */
#define SCHEMA_TYPES 7
extern const char *const schema_types[SCHEMA_TYPES];
unsigned schema_type_of(const json_t *json);

struct schema_rule {
	enum schema_keyword keyword;
	const json_t *value;
	unsigned types; /* TYPES */
	size_t count;   /* COUNT: the number; otherwise the size of each array: */
	struct schema_node **nodes;
	const char **names;            /* BY_NAME: sorted; NAMES */
	unsigned *slots;               /* BY_NAME: index in names plus 1, by hash; 0: free */
	size_t slot_count;             /* a power of two */
	struct res_pattern **patterns; /* PATTERN, BY_PATTERN */
	/*
	 * REQUIRED, if the rule PROPERTIES has all of its names: which of those are required, and
	 * their number; otherwise NULL
	 */
	bool *needed;
	size_t needed_count;
};

struct schema_node {
	const char *pointer; /* "result.schema.json#/$defs/count" */
	const struct schema_document *document;
	const json_t *json; /* an object, true or false */
	struct schema_rule *rules;
	size_t count;
	size_t checked_count; /* number of rules that affect validity; the others follow */
	/*
	 * while searching for cycles: it is on the current path; number of nodes below that check
	 * the same value, including itself, 0: unknown
	 */
	bool is_on_way;
	unsigned height;
};

struct schema_document {
	char *name;
	json_t *root;
};

struct schema {
	struct pl_arena *arena; /* nodes, rules and their arrays */
	struct schema_document **documents;
	size_t document_count;
	size_t document_room;
	struct res_pattern **patterns;
	size_t pattern_count;
	size_t pattern_room;
	size_t node_count;
	const struct schema_node *root;
};

/* BY_NAME: returns the slot of a name, or the free one for it. */
unsigned *schema_slot(const struct schema_rule *rule, const char *name);

/* Returns the rule of that keyword, or NULL. */
static inline const struct schema_rule *schema_rule_of(const struct schema_node *node,
						       enum schema_keyword keyword)
{
	for (size_t i = 0; i < node->count; i++) {
		if (node->rules[i].keyword == keyword)
			return &node->rules[i];
	}
	return NULL;
}

/*
 * Returns whether the value, which has these types, violates the rule by itself. False for rules
 * about nested values or other schemas.
 */
bool schema_breaks(const struct schema_rule *rule, const json_t *value, unsigned types);

/* Maximum nesting of schemas for one value, and of values and schemas together. */
#define SCHEMA_CHAIN_MAX 64
#define SCHEMA_DEPTH_MAX 256
