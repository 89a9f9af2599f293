/*
 * The filter language: which results are meant.
 *
 *	{"and": [TREE, …]}  {"or": [TREE, …]}  {"not": TREE}  {"field": ID, "op": OP, "value": VALUE}
 *
 *	eq ne                one value
 *	in not_in            a list of values, one at least
 *	lt le gt ge          one value; between: [LOW, HIGH], both ends belong to it
 *	contains starts_with a text, found without regard to case
 *	is_null not_null is_recorded is_explicit     no value
 *
 * Every predicate is true or false of a row, and `not` is the plain complement of what it holds.
 *
 *	the row has     is_recorded  is_null  not_null  all that take a value
 *	nothing         false        false    false     false
 *	null            true         true     false     false
 *	a value         true         false    true      by the value
 *
 * is_explicit: the user set what is recorded there, be it null. So what is not recorded is in `not
 * is_recorded` (and in every complement), and neither that nor null is in `ne` or `not_in`.
 *
 * Values of another kind are never equal: 1, "1", true and [1] are four. A value of a filter is read as
 * one of a document (result/fields): "inf" of a number field is a number, "30s" of a duration are
 * seconds. Lists and objects are equal where their compact JSON with sorted keys is (1 is not 1.0 in
 * them). What a predicate may ask follows from the field's type:
 *
 *	number, count   eq … not_in of numbers, and of words ("auto") where the field may have such;
 *	                lt … between of numbers: words are neither below nor above any
 *	yes             eq … not_in of true and false
 *	text            eq … not_in, lt … between by code points; contains, starts_with
 *	time            RFC 3339 ("T" may be a blank, no zone: UTC), compared as instants to the
 *	                microsecond: "14:00:00+02:00" is "12:00:00Z"; or told from the moment at which the
 *	                filter is read ("now-12h", "today-30d": mirror/instant.h). What is no such time in a document is
 *	                a text, equal to itself only. contains, starts_with: of the text as it stands
 *	json, unlisted  all of it: numbers are compared with numbers, texts with texts
 *
 * and of values of any field: a kind that some result has there, though it is not the field's (a word
 * among numbers), may be asked for too, so that each value that options tell can be taken. contains and
 * starts_with look at words among numbers and at lists and objects in their compact form, too; at numbers,
 * true and false never.
 *
 * Without regard to case: by Unicode's simple case folding, one character for one ("Σ" finds "ς" and
 * "σ", the Kelvin sign finds "k"); "ß" finds "ẞ" and not "ss". No normalization: a letter and a combining
 * mark are not the composed letter.
 *
 * A field is any id that result/fields resolves, or one that stands in some document all the same (an
 * argument that is newer than the rows).
 */
#pragma once

#include "schema/schema.h"
#include "query/needle.h"
#include "mirror/view.h"

#include <stdint.h>

/* Different values of fields, by each predicate: a byte of memory each. */
#define QUERY_FILTER_VALUES_MAX (1u << 25)

struct query_filter;

/*
 * Appends the ids that a tree names to `ids`, borrowed from it: a view has to have them before the tree is
 * compiled.
 */
void query_filter_fields(const json_t *tree, struct mirror_ids *ids);

/*
 * The tree fits api/openapi.yaml. NULL or JSON null: every row. `pointer`: where the tree stands in the request, for faults. -1:
 * its faults were added to `faults`. The filter borrows the view, of the tree nothing.
 */
int query_filter_new(const struct mirror_view *view, const json_t *tree, const char *pointer,
		     struct query_filter **ret, struct schema_faults *faults) PL_MUST_CHECK;
void query_filter_free(struct query_filter *filter);
PL_AUTO_DEFINE(struct query_filter, query_filter_free);
#define auto_filter PL_AUTO(query_filter_free)

/*
 * Rows as bitmaps of all segments (mirror/view.h), which last as long as the filter. All rows that the
 * filter means.
 */
const uint64_t *query_filter_rows(struct query_filter *filter);
/*
 * The same but for what the tree asks of that column: terms of the and at its top (or the tree itself)
 * that speak of this field alone, also by or and not, are left out. So a list of values to choose from
 * shows what each choice would give.
 */
const uint64_t *query_filter_rows_without(struct query_filter *filter,
					  const struct mirror_column *column);
