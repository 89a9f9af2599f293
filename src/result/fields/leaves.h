/*
 * The values of a document that are not columns, as a flat list of leaves: path and JSON text. An index of leaves answers
 * a query on any field without reading documents (store/field_index/).
 *
 *	config.server.fast_mode          a key of the document, by its path
 *	=system.gpus.uuid                a field whose value is made from a list or an object, by its id
 *	=quality.client_cpu.limit        a key of a check, by the id of the check
 *	=results.errors                  the list of failures
 *
 * - A path is the keys, joined by dots; lists are leaves. Values that a column of the row holds have no leaf.
 * - A value without a leaf (long texts, lists of objects with fields of their own) is marked (RES_LEAF_DOCUMENT): its
 *   fields are read from the document.
 * - res_leaf_value() equals res_field_value() on the complete document; a unit test compares them for all fields.
 */
#pragma once

#include "result/fields/values.h"

#include "base/buf.h"

#define RES_LEAF_PATH_BYTES_MAX 1000
#define RES_LEAF_TEXT_BYTES_MAX 2000
#define RES_LEAF_COUNT_MAX      8000 /* per document; one with more has a single mark */

enum res_leaf_flags {
	RES_LEAF_EXPLICIT = 1, /* of an argument or option that the user set */
	RES_LEAF_DOCUMENT =
		2, /* no value: read this path, and all above and below, from the document */
	RES_LEAF_SPLIT =
		4, /* no value: an object has keys with dots; read it, and all above, from the document */
};

struct res_leaf {
	const char *path; /* "": the whole document */
	const char *text; /* compact JSON; "" for a mark */
	unsigned flags;
};

/* The paths that have columns, and the fields that are made from several leaves. Immutable; any thread may use it. */
struct res_leaf_rules;
struct res_leaf_rules *res_leaf_rules_new(const struct res_fields *fields);
void res_leaf_rules_free(struct res_leaf_rules *rules);
PL_AUTO_DEFINE(struct res_leaf_rules, res_leaf_rules_free);
#define auto_leaf_rules PL_AUTO(res_leaf_rules_free)
/*
 * Returns the rules as JSON, to recognize the leaves that other rules have made: {version, columns: [path], fields: [id]}.
 * New reference.
 */
json_t *res_leaf_rules_json(const struct res_leaf_rules *rules);

/* The leaf and its texts are valid during the call. */
typedef void res_leaf_fn(void *context, const struct res_leaf *leaf);
/*
 * Reports the leaves of a document, in no order; a path with several leaves is ambiguous, except for RES_LEAF_SPLIT.
 * `tags` and `stored` are those of the document.
 */
void res_leaves_of(const struct res_leaf_rules *rules, const struct res_values *values,
		   res_leaf_fn *on_leaf, void *context);
/* The same for an object with some of a document's keys, without the fields that are made from several leaves. */
void res_leaves_of_part(const struct res_leaf_rules *rules, const json_t *part,
			res_leaf_fn *on_leaf, void *context);

/* A field as a question: the leaves that its value is made from. */
struct res_leaf_question {
	const struct res_field *field; /* as of res_fields_resolve() */
	char *alone;                   /* the leaf with this path is the value; NULL: none */
	char *path;                    /* this path, all above and all below; NULL: only `alone` */
};
/* Returns false if only the document has the answer. *ret borrows the field; res_leaf_question_done(). */
bool res_leaf_ask(const struct res_leaf_rules *rules, const struct res_fields *fields,
		  const struct res_field *field, struct res_leaf_question *ret);
/*
 * Returns whether leaves made by `other` (res_leaf_rules_json()) have the answer; NULL: to every question. A release that
 * adds columns, or fields of other kinds, does not make the leaves of other fields useless.
 */
bool res_leaf_rules_accept(const struct res_leaf_rules *rules, const json_t *other,
			   const struct res_leaf_question *question);
void res_leaf_question_done(struct res_leaf_question *question);
#define auto_leaf_question \
	__attribute__((cleanup(res_leaf_question_done), unused)) struct res_leaf_question
/* Returns whether the value may depend on leaves with this path. */
bool res_leaf_matches(const struct res_leaf_question *question, const char *path);
/* Returns whether a leaf with such a path has no effect on the value: the mark of an object above that was split. */
bool res_leaf_is_ignored(const struct res_leaf_question *question, const struct res_leaf *leaf);
/*
 * Makes the value from all matching leaves of one document, in any order; none: not recorded. The texts must be valid
 * until res_value_done(). Returns false, without a value, if the document must be read.
 */
bool res_leaf_value(const struct res_fields *fields, const struct res_leaf_question *question,
		    const struct res_leaf *leaves, size_t count, struct res_value *ret);
/* Does the same for a single leaf whose value is a number, faster. False: use res_leaf_value(). */
bool res_leaf_number(const struct res_leaf_question *question, const struct res_leaf *leaf,
		     double *ret, bool *ret_is_explicit);
/*
 * Does the same for a single leaf whose value is a text, or a list of texts, of printable ASCII. The text of the value
 * is ret->len bytes of the leaf's text, without a NUL after them.
 */
struct res_leaf_plain {
	enum res_value_kind kind; /* TEXT or JSON */
	bool is_explicit;
	const char *text;
	size_t len;
};
bool res_leaf_plain(const struct res_leaf_question *question, const struct res_leaf *leaf,
		    struct res_leaf_plain *ret);
