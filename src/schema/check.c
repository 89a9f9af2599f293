/*
 * Walks a document along the rules in two modes: loud mode records every error; quiet mode, used
 * where only validity matters (`if`, one of several alternatives), stops at the first one. So valid
 * values never produce texts, and a failing alternative costs none.
 *
 * Work is counted, so that neither a schema of nested alternatives nor a malicious document blocks
 * a caller.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "schema/value.h"
#include "schema/words.h"

/*
 * Visited nodes and tested patterns: a few for each pair of value and schema. More work means
 * nested alternatives. The maximum takes about a second.
 */
#define WORK_BASE   65536
#define WORK_A_PAIR 8
#define WORK_MAX    (1u << 25)
/* Maximum size of all pointers and keys of one check. */
#define FAULT_BYTES_MAX (16u << 20)
/* Similar names are searched for only as many errors as a user would read. */
#define NEAREST_MAX 100

/* The way to a value: a key, or NULL and an index. The first, without `up`, is the document. */
struct step {
	const struct step *up;
	const char *key;
	size_t index;
};

/* A member of the object being checked. */
struct member {
	const char *key;
	const json_t *value;
	unsigned property; /* index in `properties` plus 1; 0: none */
	bool is_matched;   /* one of `patternProperties` has it */
};

/* A schema with a bound on how often it contains itself. */
struct nesting {
	const struct schema_node *node;
	size_t levels;
	size_t nodes;
};

struct check {
	struct schema_faults *faults;
	size_t max;
	bool quiet;
	bool has_ended;     /* everything else counts as invalid */
	const char *naming; /* the key whose name is being checked, or NULL */
	unsigned level;
	unsigned depth;
	size_t work;
	struct member *members; /* of the objects on the way, the last one's last; may move */
	size_t member_count;
	size_t member_room;
	struct nesting *nestings;
	size_t nesting_count;
	size_t nesting_room;
};

/* The context of a rule being evaluated. */
struct rule_case {
	struct check *c;
	const struct schema_node *node;
	const struct schema_rule *rule;
	const json_t *value;
	const struct step *at;
	bool is_listed; /* the object's members, which are: */
	size_t first_member;
	size_t end_members;
};

static bool check_node(struct check *c, const struct schema_node *node, const json_t *value,
		       const struct step *at);

/* ---- faults -------------------------------------------------------------------------------- */

/* Two paths may lead to one schema and report the same error. */
static bool is_reported(const struct schema_faults *faults, const struct schema_fault *fault)
{
	for (size_t i = faults->count; i-- > 0 && faults->items[i].level >= fault->level;) {
		const struct schema_fault *other = &faults->items[i];
		if (other->level == fault->level && other->keyword == fault->keyword &&
		    strcmp(other->pointer, fault->pointer) == 0 &&
		    pl_text_equal(other->key, fault->key) &&
		    strcmp(other->expected, fault->expected) == 0)
			return true;
	}
	return false;
}

/*
 * Takes the texts of the fault, except the keyword's. Not for quiet checks. Always returns false.
 */
static bool report(struct check *c, const struct step *at, struct schema_fault fault)
{
	struct schema_faults *faults = c->faults;

	if (faults->count >= c->max || faults->bytes > FAULT_BYTES_MAX) {
		faults->cut = true;
		c->has_ended = true;
		schema_fault_done(&fault);
		return false;
	}
	auto_buf pointer = PL_BUF(SIZE_MAX / 2);
	const struct step *steps[SCHEMA_DEPTH_MAX + 1];
	size_t count = 0;
	for (; at->up != NULL; at = at->up)
		steps[count++] = at;
	while (count-- > 0) {
		if (steps[count]->key != NULL)
			schema_pointer_add(&pointer, steps[count]->key);
		else
			pl_buf_addf(&pointer, "/%zu", steps[count]->index);
	}
	fault.pointer = pl_buf_take(&pointer);
	if (fault.key == NULL)
		fault.key = pl_strdup(c->naming);
	fault.level = c->level;
	if (is_reported(faults, &fault)) {
		schema_fault_done(&fault);
		return false;
	}
	faults->bytes += strlen(fault.pointer) + (fault.key != NULL ? strlen(fault.key) : 0);
	*PL_PUSH(faults->items, faults->count, faults->room) = fault;
	return false;
}

static bool report_rule(const struct rule_case *a)
{
	struct schema_fault fault = { 0 };

	if (a->c->quiet)
		return false;
	schema_word(&fault, a->rule, a->value, a->c->faults->count < NEAREST_MAX);
	return report(a->c, a->at, fault);
}

/* The same with the found text given; takes `found`. */
static bool report_found(const struct rule_case *a, char *found, const char *expected)
{
	if (a->c->quiet) {
		free(found);
		return false;
	}
	return report(a->c, a->at,
		      (struct schema_fault){ .keyword = schema_keywords[a->rule->keyword],
					     .found = found,
					     .expected = pl_strdup(expected) });
}

/*
 * Reports that a limit is exceeded: the check ends, and no quiet check can revert that. Takes
 * `found`.
 */
static bool give_up(struct check *c, const struct step *at, char *found, const char *expected)
{
	auto_free char *copy = found;
	unsigned level = c->level;

	if (c->faults != NULL && !c->has_ended) {
		c->level = 0;
		report(c, at,
		       (struct schema_fault){ .keyword = "limit",
					      .found = pl_take(copy),
					      .expected = pl_strdup(expected) });
		c->level = level;
	}
	c->has_ended = true;
	return false;
}

static bool spend(const struct rule_case *a, size_t work)
{
	struct check *c = a->c;

	if (c->work < work)
		return give_up(c, a->at, pl_strdup("more"),
			       "a document that needs less work to check");
	c->work -= work;
	return true;
}

/* ---- arrays -------------------------------------------------------------------------------- */

static bool walk_unique(const struct rule_case *a)
{
	size_t first, second;

	if (json_is_false(a->rule->value))
		return true;
	if (!spend(a, json_array_size(a->value)))
		return false;
	bool found = schema_value_find_twice(a->value, &a->c->work, &first, &second);
	if (!found)
		return spend(a, 1);
	return report_found(a, pl_asprintf("the same item at positions %zu and %zu", first, second),
			    "unique items");
}

static bool walk_items_with(const struct rule_case *a, size_t from, size_t to)
{
	bool fits = true;

	for (size_t i = from; i < to && (fits || !a->c->quiet) && !a->c->has_ended; i++) {
		const struct step step = { .up = a->at, .index = i };
		size_t at = a->rule->keyword == SCHEMA_ITEMS ? 0 : i;
		fits &= check_node(a->c, a->rule->nodes[at], json_array_get(a->value, i), &step);
	}
	return fits;
}

static bool walk_prefix(const struct rule_case *a)
{
	size_t count = json_array_size(a->value);

	return walk_items_with(a, 0, count < a->rule->count ? count : a->rule->count);
}

static bool walk_items(const struct rule_case *a)
{
	const struct schema_rule *prefix = schema_rule_of(a->node, SCHEMA_PREFIX_ITEMS);
	size_t from = prefix != NULL ? prefix->count : 0, count = json_array_size(a->value);

	if (!json_is_false(a->rule->value))
		return walk_items_with(a, from, count);
	if (count <= from)
		return true;
	auto_free char *expected = pl_asprintf("at most %zu item%s", from, from == 1 ? "" : "s");
	return report_found(a, schema_describe(a->value), expected);
}

/* ---- objects ------------------------------------------------------------------------------- */

/* Looks up its keys once for all rules. */
static void list_members(struct rule_case *a)
{
	const struct schema_rule *properties = schema_rule_of(a->node, SCHEMA_PROPERTIES);
	struct check *c = a->c;

	a->is_listed = true;
	a->first_member = c->member_count;
	PL_JSON_EACH_MEMBER(key, value, a->value) {
		*PL_PUSH(c->members, c->member_count, c->member_room) = (struct member){
			.key = key,
			.value = value,
			.property = properties != NULL ? *schema_slot(properties, key) : 0
		};
	}
	a->end_members = c->member_count;
}

static bool has_all_needed(const struct rule_case *a)
{
	size_t count = 0;

	if (a->rule->needed == NULL)
		return false;
	for (size_t i = a->first_member; i < a->end_members; i++) {
		unsigned property = a->c->members[i].property;
		count += property != 0 && a->rule->needed[property - 1];
	}
	return count == a->rule->needed_count;
}

static bool walk_required(const struct rule_case *a)
{
	bool fits = true;

	if (has_all_needed(a))
		return true;
	for (size_t i = 0; i < a->rule->count && !a->c->has_ended; i++) {
		const char *key = a->rule->names[i];
		if (json_object_get(a->value, key) != NULL)
			continue;
		fits = false;
		if (a->c->quiet)
			break;
		report(a->c, a->at,
		       (struct schema_fault){
			       .keyword = schema_keywords[SCHEMA_REQUIRED],
			       .key = pl_strdup(key),
			       .found = pl_strdup("nothing"),
			       .expected = pl_asprintf("the key '%s'", key),
		       });
	}
	return fits;
}

/* Most schemas of names are a single pattern, which needs no JSON value. */
static bool fits_name_pattern(const struct schema_node *node, const char *name)
{
	return node->checked_count == 1 && node->rules[0].keyword == SCHEMA_PATTERN &&
	       schema_pattern_matches(node->rules[0].patterns[0], name, strlen(name));
}

/* A name is a text without a location: its errors are reported at the object. */
static bool walk_names(const struct rule_case *a)
{
	const char *was = a->c->naming;
	bool fits = true;

	for (size_t i = a->first_member; i < a->end_members; i++) {
		const char *key = a->c->members[i].key;
		if (!spend(a, 1))
			break;
		if (fits_name_pattern(a->rule->nodes[0], key))
			continue;
		auto_json json_t *name = json_string(key);
		a->c->naming = key;
		fits &= check_node(a->c, a->rule->nodes[0], name, a->at);
		if ((!fits && a->c->quiet) || a->c->has_ended)
			break;
	}
	a->c->naming = was;
	return fits && !a->c->has_ended;
}

static bool walk_properties(const struct rule_case *a)
{
	bool fits = true;

	for (size_t i = a->first_member; i < a->end_members; i++) {
		const struct member member = a->c->members[i];
		const struct step step = { .up = a->at, .key = member.key };
		if (member.property == 0)
			continue;
		fits &= check_node(a->c, a->rule->nodes[member.property - 1], member.value, &step);
		if ((!fits && a->c->quiet) || a->c->has_ended)
			break;
	}
	return fits;
}

static bool walk_by_pattern(const struct rule_case *a)
{
	bool fits = true;

	for (size_t i = a->first_member; i < a->end_members; i++) {
		const struct member member = a->c->members[i];
		const struct step step = { .up = a->at, .key = member.key };
		size_t len = strlen(member.key);
		if (!spend(a, a->rule->count))
			return false;
		for (size_t k = 0; k < a->rule->count; k++) {
			if (!schema_pattern_matches(a->rule->patterns[k], member.key, len))
				continue;
			a->c->members[i].is_matched = true;
			fits &= check_node(a->c, a->rule->nodes[k], member.value, &step);
		}
		if ((!fits && a->c->quiet) || a->c->has_ended)
			break;
	}
	return fits;
}

/* Prefers missing keys: an existing one was hardly meant. */
static char *nearest_property(const struct rule_case *a, const char *key)
{
	const struct schema_rule *properties = schema_rule_of(a->node, SCHEMA_PROPERTIES);
	struct pl_nearest nearest = { .name = key };

	if (properties == NULL || a->c->faults->count >= NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < properties->count; i++) {
		if (json_object_get(a->value, properties->names[i]) == NULL)
			pl_nearest_try(&nearest, properties->names[i]);
	}
	return pl_strdup(nearest.found != NULL
				 ? nearest.found
				 : pl_text_nearest(key, properties->names, properties->count));
}

static bool report_unknown(const struct rule_case *a, const char *key)
{
	if (a->c->quiet)
		return false;
	return report(a->c, a->at,
		      (struct schema_fault){ .keyword = schema_keywords[SCHEMA_ADDITIONAL],
					     .key = pl_strdup(key),
					     .found = pl_asprintf("the key '%s'", key),
					     .expected = pl_strdup("a known key"),
					     .nearest = nearest_property(a, key) });
}

static bool walk_additional(const struct rule_case *a)
{
	bool fits = true;

	if (json_is_true(a->rule->value))
		return true;
	for (size_t i = a->first_member; i < a->end_members; i++) {
		const struct member member = a->c->members[i];
		const struct step step = { .up = a->at, .key = member.key };
		/* neither `properties` nor `patternProperties`, which come before it, have the key */
		if (member.property == 0 && !member.is_matched)
			fits &= json_is_false(a->rule->value)
					? report_unknown(a, member.key)
					: check_node(a->c, a->rule->nodes[0], member.value, &step);
		if ((!fits && a->c->quiet) || a->c->has_ended)
			break;
	}
	return fits && !a->c->has_ended;
}

/* ---- forms --------------------------------------------------------------------------------- */

static bool fits_quietly(const struct rule_case *a, const struct schema_node *node)
{
	bool was = a->c->quiet;

	a->c->quiet = true;
	bool fits = check_node(a->c, node, a->value, a->at);
	a->c->quiet = was;
	return fits;
}

static bool walk_same(const struct rule_case *a)
{
	bool fits = true;

	for (size_t i = 0; i < a->rule->count && (fits || !a->c->quiet); i++)
		fits &= check_node(a->c, a->rule->nodes[i], a->value, a->at);
	return fits;
}

/* Returns whether the value has the schema's type, or is one of its values. */
static bool may_be_meant(const struct schema_node *node, const json_t *value)
{
	unsigned types = schema_type_of(value);
	bool is_meant = !json_is_false(node->json);

	for (size_t i = 0; i < node->count && is_meant; i++) {
		const struct schema_rule *rule = &node->rules[i];
		if (rule->keyword == SCHEMA_REF)
			is_meant = may_be_meant(rule->nodes[0], value);
		else if (rule->keyword == SCHEMA_TYPE || rule->keyword == SCHEMA_CONST ||
			 rule->keyword == SCHEMA_ENUM)
			is_meant = !schema_breaks(rule, value, types);
	}
	return is_meant;
}

/* Returns the rule of the keys that the schema requires, or NULL, and how many of them the value has. */
static const struct schema_rule *required_of(const struct schema_node *node, const json_t *value,
					     size_t *ret_found)
{
	const struct schema_rule *ref = schema_rule_of(node, SCHEMA_REF);
	const struct schema_rule *rule = schema_rule_of(node, SCHEMA_REQUIRED);

	*ret_found = 0;
	if (rule == NULL)
		return ref != NULL ? required_of(ref->nodes[0], value, ret_found) : NULL;
	for (size_t i = 0; i < rule->count; i++)
		*ret_found += json_object_get(value, rule->names[i]) != NULL;
	return rule;
}

/*
 * Reports the missing key, if exactly one alternative requires a key of the object and another that is missing, and none
 * has all its keys.
 */
static bool report_half(const struct rule_case *a)
{
	const struct schema_rule *rule = NULL;
	const char *missing = NULL;
	size_t count = 0;

	for (size_t i = 0; i < a->rule->count && json_is_object(a->value); i++) {
		size_t found;
		const struct schema_rule *required = required_of(a->rule->nodes[i], a->value,
								 &found);
		if (required == NULL || found == 0)
			continue;
		if (found == required->count)
			return false;
		rule = required;
		count++;
	}
	if (count != 1)
		return false;
	for (size_t i = 0; i < rule->count && missing == NULL; i++)
		missing = json_object_get(a->value, rule->names[i]) == NULL ? rule->names[i] : NULL;
	struct schema_fault words = { 0 };
	schema_word(&words, rule, a->value, false);
	(void)report_found(a, pl_asprintf("an object without the key '%s'", missing),
			   words.expected);
	schema_fault_done(&words);
	return true;
}

/*
 * No alternative is valid: reports the errors of the intended one, if exactly one is possible. For
 * an empty value everything was already reported.
 */
static bool report_forms(const struct rule_case *a)
{
	const struct schema_node *meant = NULL;
	bool holds_some = json_is_object(a->value) || json_is_array(a->value);
	size_t count = 0;

	if (a->c->quiet || a->c->has_ended)
		return false;
	size_t before = a->c->faults->count;
	if (!report_half(a))
		report_rule(a);
	/* the same was already reported with its details */
	if (a->c->faults->count == before)
		return false;
	for (size_t i = 0; i < a->rule->count && holds_some; i++) {
		if (may_be_meant(a->rule->nodes[i], a->value)) {
			meant = a->rule->nodes[i];
			count++;
		}
	}
	if (count != 1 || a->c->has_ended)
		return false;
	a->c->level++;
	(void)check_node(a->c, meant, a->value, a->at);
	a->c->level--;
	return false;
}

static bool walk_any(const struct rule_case *a)
{
	for (size_t i = 0; i < a->rule->count; i++) {
		if (fits_quietly(a, a->rule->nodes[i]))
			return true;
	}
	return report_forms(a);
}

static bool walk_one(const struct rule_case *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->rule->count; i++)
		count += fits_quietly(a, a->rule->nodes[i]);
	if (count == 1)
		return true;
	return count == 0 ? report_forms(a)
			  : report_found(a,
					 pl_asprintf("a value that matches %zu of %zu forms", count,
						     a->rule->count),
					 "a value that matches exactly one form");
}

static bool walk_not(const struct rule_case *a)
{
	return !fits_quietly(a, a->rule->nodes[0]) || report_rule(a);
}

static bool walk_if(const struct rule_case *a)
{
	const struct schema_rule *branch = schema_rule_of(
		a->node, fits_quietly(a, a->rule->nodes[0]) ? SCHEMA_THEN : SCHEMA_ELSE);

	return branch == NULL || check_node(a->c, branch->nodes[0], a->value, a->at);
}

/* ---- all rules ----------------------------------------------------------------------------- */

#define ARRAY  SCHEMA_TYPE_ARRAY
#define OBJECT SCHEMA_TYPE_OBJECT
#define EVERY  (~0u)

/*
 * Rules without a function: those that a value violates by itself, those that do not affect
 * validity, and those used only by other rules.
 */
static const struct {
	unsigned types; /* of values that it is about */
	bool (*walk)(const struct rule_case *);
} rules[SCHEMA_KEYWORD_COUNT] = {
	[SCHEMA_REF] = { EVERY, walk_same },
	[SCHEMA_UNIQUE_ITEMS] = { ARRAY, walk_unique },
	[SCHEMA_PREFIX_ITEMS] = { ARRAY, walk_prefix },
	[SCHEMA_ITEMS] = { ARRAY, walk_items },
	[SCHEMA_REQUIRED] = { OBJECT, walk_required },
	[SCHEMA_PROPERTY_NAMES] = { OBJECT, walk_names },
	[SCHEMA_PROPERTIES] = { OBJECT, walk_properties },
	[SCHEMA_BY_PATTERN] = { OBJECT, walk_by_pattern },
	[SCHEMA_ADDITIONAL] = { OBJECT, walk_additional },
	[SCHEMA_ALL_OF] = { EVERY, walk_same },
	[SCHEMA_ANY_OF] = { EVERY, walk_any },
	[SCHEMA_ONE_OF] = { EVERY, walk_one },
	[SCHEMA_NOT] = { EVERY, walk_not },
	[SCHEMA_IF] = { EVERY, walk_if },
};

static bool check_rule(const struct rule_case *a, unsigned types)
{
	enum schema_keyword keyword = a->rule->keyword;

	if (rules[keyword].walk == NULL)
		return !schema_breaks(a->rule, a->value, types) || report_rule(a);
	return !(rules[keyword].types & types) || rules[keyword].walk(a);
}

static bool is_about_members(const struct schema_rule *rule)
{
	return rule->keyword >= SCHEMA_REQUIRED && rule->keyword <= SCHEMA_ADDITIONAL;
}

/* ---- nesting ------------------------------------------------------------------------------- */

static struct nesting *nesting_of(struct check *c, const struct schema_node *node)
{
	for (size_t i = 0; i < c->nesting_count; i++) {
		if (c->nestings[i].node == node)
			return &c->nestings[i];
	}
	struct nesting *nesting = PL_PUSH(c->nestings, c->nesting_count, c->nesting_room);
	*nesting = (struct nesting){ .node = node };
	return nesting;
}

static bool exceeds(const struct schema_node *node, enum schema_keyword keyword, size_t count)
{
	const struct schema_rule *rule = schema_rule_of(node, keyword);

	return rule != NULL && count > rule->count;
}

/* A value beyond a bound ends the check: it may be as large as it likes. */
static bool check_nesting(const struct rule_case *a, const char *noun, enum schema_keyword keyword)
{
	auto_free char *expected = pl_asprintf("at most %zu %s",
					       schema_rule_of(a->node, keyword)->count, noun);

	return give_up(a->c, a->at, schema_describe(a->value), expected);
}

static bool enter_nesting(const struct rule_case *a)
{
	struct nesting *nesting = nesting_of(a->c, a->node);

	nesting->levels++;
	nesting->nodes++;
	if (exceeds(a->node, SCHEMA_NODES_MAX, nesting->nodes))
		return check_nesting(a, "nodes", SCHEMA_NODES_MAX);
	return !exceeds(a->node, SCHEMA_LEVELS_MAX, nesting->levels) ||
	       check_nesting(a, "levels", SCHEMA_LEVELS_MAX);
}

static bool has_nesting(const struct schema_node *node)
{
	return node->count > 0 && node->rules[0].keyword <= SCHEMA_LEVELS_MAX;
}

static bool check_node(struct check *c, const struct schema_node *node, const json_t *value,
		       const struct step *at)
{
	struct rule_case a = { .c = c, .node = node, .value = value, .at = at };
	unsigned types = schema_type_of(value);
	bool fits = true;

	if (c->has_ended || !spend(&a, 1))
		return false;
	if (c->depth >= SCHEMA_DEPTH_MAX)
		return give_up(c, at, pl_strdup("more"), "a document with fewer levels");
	if (json_is_false(node->json))
		return !c->quiet && report(c, at,
					   (struct schema_fault){
						   .keyword = "false",
						   .found = schema_describe(value),
						   .expected = pl_strdup("no value"),
					   });
	if (has_nesting(node) && !enter_nesting(&a))
		return false;
	c->depth++;
	for (size_t i = 0; i < node->checked_count && (fits || !c->quiet) && !c->has_ended; i++) {
		a.rule = &node->rules[i];
		if (is_about_members(a.rule) && types == SCHEMA_TYPE_OBJECT && !a.is_listed)
			list_members(&a);
		fits &= check_rule(&a, types);
	}
	c->depth--;
	if (has_nesting(node)) {
		struct nesting *nesting = nesting_of(a.c, a.node);
		if (--nesting->levels == 0)
			nesting->nodes = 0;
	}
	c->member_count -= a.end_members - a.first_member;
	return fits && !c->has_ended;
}

static size_t count_values(const json_t *value, unsigned depth)
{
	size_t count = 1;

	if (depth >= SCHEMA_DEPTH_MAX)
		return count;
	PL_JSON_EACH(inner, value)
		count += count_values(inner, depth + 1);
	PL_JSON_EACH_MEMBER(key, inner, value)
		count += count_values(inner, depth + 1);
	return count;
}

static size_t work_for(const struct schema *schema, const json_t *document)
{
	size_t schemas = schema->node_count + schema->pattern_count;
	size_t values = count_values(document, 0);

	if (values > (WORK_MAX - WORK_BASE) / WORK_A_PAIR / schemas)
		return WORK_MAX;
	return WORK_BASE + values * schemas * WORK_A_PAIR;
}

bool schema_check(const struct schema *schema, const json_t *document, size_t max,
		  struct schema_faults *ret)
{
	const struct step top = { .up = NULL };
	struct check c = { .faults = ret, .max = max, .quiet = ret == NULL };

	c.work = work_for(schema, document);
	bool fits = check_node(&c, schema->root, document, &top);
	free(c.members);
	free(c.nestings);
	return fits;
}
