/*
 * The fields by which results are compared, filtered and shown: every leaf of a result document as
 * one row, made of the lists of src/tbl, and what is derived of them. Here is what a field is and what
 * it has in a document; which of them are columns of a database is told too, for that is a choice of
 * the same rows.
 *
 *	server.NAME benchmark.NAME       config.server, config.benchmark of the document
 *	server.NAME.KEY                  a key inside of a JSON argument
 *	experiment.SECTION.KEY           config.experiment: other keys that were asked for
 *	run.KEY tags.NAME                keys of the document itself, its tags
 *	results.KEY results.steady.KEY   figures; statistics of every family of tbl/metrics.h
 *	results.errors.KIND.count        failed requests of that kind (also: retried)
 *	quality.verdict quality.ID.value checks by their id (also: status, limit, effect, text)
 *	quality.measurement.KEY quality.load.KEY.value
 *	system.gpus.KEY                  lists: their entries made one value, as the row says
 *	derived.KEY                      what follows from others
 *	system launch environment …      as they stand in the document
 *
 * - A list of fields borrows the catalogue that it was made of, never changes and may be read by any
 *   thread.
 * - Nothing is checked here: a document of an older or newer version, or one that holds little, has
 *   what it has. What is not in it is not recorded; null is something else, and zero too.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/catalog.h"

#include <stdbool.h>
#include <stddef.h>

enum res_field_type {
	RES_FIELD_NUMBER,
	RES_FIELD_COUNT, /* a whole number */
	RES_FIELD_YES,   /* true or false */
	RES_FIELD_TEXT,
	RES_FIELD_TIME, /* RFC 3339: later is greater as a text too */
	RES_FIELD_JSON, /* a list or an object */
};

enum res_field_direction { RES_FIELD_NEITHER, RES_FIELD_LOWER, RES_FIELD_HIGHER };

enum res_field_role {
	RES_FIELD_INPUT,
	RES_FIELD_OUTPUT,
	RES_FIELD_ENGINE,
	RES_FIELD_HOST,
	RES_FIELD_PROVENANCE,
};

/* How the values of a list's entries become one. */
enum res_field_one {
	RES_FIELD_NONE,
	RES_FIELD_SUM,
	RES_FIELD_MEAN,
	RES_FIELD_MAX,
	RES_FIELD_MIN,
	RES_FIELD_SAME, /* the value that all have; null where they differ */
	RES_FIELD_EACH, /* a list of them */
};

struct res_field {
	const char *id; /* "server.tensor_parallel_size" */
	const char *label;
	const char *help;
	const char *group;
	const char *unit; /* "": none */
	enum res_field_type type;
	enum res_field_direction direction; /* which is better */
	enum res_field_role role;
	enum res_field_one one;
	bool column;
	bool words;     /* its numbers may also be a word: "auto" */
	bool open;      /* an object of which the rows do not know every key */
	const char *of; /* the id of the object whose key it is; NULL: it stands by itself */
	const struct option_row *option; /* of an argument, an option or a key; else NULL */
};

struct res_fields;

/* Of the reference's rows where catalog is NULL; it is borrowed. */
struct res_fields *res_fields_new(const struct vllm_catalog *catalog);
void res_fields_free(struct res_fields *fields);
PL_AUTO_DEFINE(struct res_fields, res_fields_free);
#define auto_fields PL_AUTO(res_fields_free)

/* In the order of the rows, in one array. */
size_t res_fields_count(const struct res_fields *fields);
const struct res_field *res_fields_at(const struct res_fields *fields, size_t i);
/* Those that are columns, in that order; borrowed from the list. */
const struct res_field *const *res_fields_columns(const struct res_fields *fields,
						  size_t *ret_count);
/* NULL: no row is called so. */
const struct res_field *res_fields_find(const struct res_fields *fields, const char *id);
/* The id that was likely meant, or NULL. */
const char *res_fields_nearest(const struct res_fields *fields, const char *id);
/*
 * A field for any id that a document may have: a row; a percentile, an interval ("…_ci95.0") or a
 * client error that is no row; a key inside of an object. *ret borrows `id` where it is no row's.
 * -1: there is no such field; the error names the nearest. err NULL: nobody wants to know why.
 */
int res_fields_resolve(const struct res_fields *fields, const char *id, struct res_field *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* A field by its place alone, of whose meaning nothing is known: an argument that is newer than the
 * rows. Borrows `id`. */
void res_field_unlisted(const char *id, struct res_field *ret);

/* {id, label, help, group, unit, type, direction, role, one, column, words}. New reference. */
json_t *res_field_to_json(const struct res_field *field);

/* ---- what a document has ------------------------------------------------------------------- */

enum res_value_state {
	RES_VALUE_NOT_RECORDED,
	RES_VALUE_NULL, /* unset, or: there is no such figure */
	RES_VALUE_THERE,
};

enum res_value_kind { RES_VALUE_NUMBER, RES_VALUE_TEXT, RES_VALUE_YES, RES_VALUE_JSON };

/* Members behind `kind` say something where the value is there. */
struct res_value {
	enum res_value_state state;
	enum res_value_kind kind; /* of the value, which may be another than its field's */
	double number;            /* may be infinite; durations in seconds */
	bool yes;
	const char *text; /* of JSON: compact, keys sorted */
	/* where an argument or option has it from: "explicit", "default", "unknown" (no default is
	 * known), "absent" (the release has no such argument), "benchmark" (of the load, whose document has no
	 * such argument); NULL: the document does not tell */
	const char *source;
	bool is_explicit; /* the user set it */
	json_t *json;     /* as the document has it; durations as seconds */
	char *made;       /* what text borrows, where it stands nowhere else */
};

/* Overwrites *ret (res_value_done()); its texts may be the document's. */
void res_field_value(const struct res_fields *fields, const struct res_field *field,
		     const json_t *document, struct res_value *ret);
/* The value where a document has this one, with nothing of its source; takes the reference, NULL: not
 * recorded. */
void res_field_value_of(const struct res_field *field, json_t *json, struct res_value *ret);
void res_value_done(struct res_value *value);
#define auto_value __attribute__((cleanup(res_value_done), unused)) struct res_value

/* {state: "not_recorded" | "null" | "value", value, explicit, source}; an infinite number is "inf".
 * New reference. */
json_t *res_value_to_json(const struct res_value *value);
/* Compact JSON, the keys of objects in order: two texts are the same where the values are. The caller's
 * (free()). */
char *res_field_canonical(const json_t *json);
