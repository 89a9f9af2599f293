/*
 * The filter language, which selects results.
 *
 *	{"and": [TREE, …]}   {"or": [TREE, …]}   {"not": TREE}   {"field": ID, "op": OP, "value": VALUE}
 *
 *	eq ne                                      one value
 *	in not_in                                  a list of at least one value
 *	lt le gt ge                                one value; between: [LOW, HIGH], both inclusive
 *	contains starts_with                       a text, ignoring case
 *	is_null not_null is_recorded is_explicit   no value
 *
 * Every predicate is true or false for a row, and `not` is the plain complement.
 *
 *	value of the row   is_recorded   is_null   not_null   operators with a value
 *	not recorded       false         false     false      false
 *	null               true          true      false      false
 *	a value            true          false     true       by the value
 *
 * is_explicit: the user set the recorded value, which may be null. So a value that is not recorded matches `not
 * is_recorded` (and every complement), and neither it nor null matches `ne` or `not_in`.
 *
 * Values of different kinds are never equal: 1, "1", true and [1] are four values. A value in a filter is read like one
 * in a document (result/fields): "inf" of a number field is a number, "30s" of a duration are seconds. Lists and
 * objects are equal if their compact JSON with sorted keys is (in them, 1 is not 1.0). The type of a field determines
 * its operators:
 *
 *	number, count    eq … not_in with numbers, and with words ("auto") if the field may have them;
 *	                 lt … between with numbers: words are neither below nor above any
 *	yes              eq … not_in with true and false
 *	text             eq … not_in, lt … between by code points; contains, starts_with
 *	time             RFC 3339 ("T" may be a space, no zone: UTC), compared as points in time to the
 *	                 microsecond: "14:00:00+02:00" is "12:00:00Z"; or relative to the time at which
 *	                 the filter is read ("now-12h", "today-30d": mirror/instant.h). An invalid time in
 *	                 a document is a text that equals only itself. contains, starts_with: of the text
 *	json, unlisted   all operators: numbers are compared with numbers, texts with texts
 *
 * Any field also accepts values of other kinds that some result has there (a word among numbers), so every value in the
 * options can be used. contains and starts_with also search words among numbers, and lists and objects in their compact
 * form, but never numbers, true and false.
 *
 * Case is ignored by Unicode's simple case folding, character by character ("Σ" matches "ς" and "σ", the Kelvin sign
 * matches "k"); "ß" matches "ẞ" and not "ss". There is no normalization: a letter with a combining mark is not the
 * composed letter.
 *
 * A field is any id that result/fields resolves, or an unknown one that some document contains (an argument that is
 * newer than the rows).
 */
#pragma once

#include "mirror/view.h"
#include "query/needle.h"
#include "schema/schema.h"

#include <stdint.h>

/* The maximum number of distinct values per predicate; each takes one byte of memory. */
#define QUERY_FILTER_VALUES_MAX (1u << 25)

struct query_filter;

/* Appends the ids in a tree to `ids`, borrowed from it. A view needs them before the tree is compiled. */
void query_filter_fields(const json_t *tree, struct mirror_ids *ids);

/*
 * The tree is valid by api/openapi.yaml. NULL or JSON null: every row. `pointer`: location of the tree in the request,
 * for faults. Returns -1 if faults were added. The filter borrows the view, and nothing from the tree.
 */
int query_filter_new(const struct mirror_view *view, const json_t *tree, const char *pointer,
		     struct query_filter **ret, struct schema_faults *faults) PL_MUST_CHECK;
void query_filter_free(struct query_filter *filter);
PL_AUTO_DEFINE(struct query_filter, query_filter_free);
#define auto_filter PL_AUTO(query_filter_free)

/* Returns the matching rows as bitmaps of all segments (mirror/view.h), which last as long as the filter. */
const uint64_t *query_filter_rows(struct query_filter *filter);
/*
 * The same without the conditions on that column: terms of the top-level `and` (or the tree itself) that concern only
 * this field, also through `or` and `not`. So a list of values shows the count for each choice.
 */
const uint64_t *query_filter_rows_without(struct query_filter *filter,
					  const struct mirror_column *column);
