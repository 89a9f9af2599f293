/*
 * The fields by which results are compared, filtered and shown: one row per leaf of a result
 * document, from the lists of src/tbl, and the fields derived from them. This header defines the
 * fields and their values in a document. It also says which fields are database columns, because
 * that depends on the same rows.
 *
 *  server.NAME benchmark.NAME       config.server, config.benchmark of the document
 *  server.NAME.KEY                  a key inside of a JSON argument
 *  experiment.SECTION.KEY           config.experiment: other requested keys
 *  run.KEY tags.NAME                keys of the document itself, its tags
 *  results.KEY results.steady.KEY   metrics; statistics of every family of tbl/metrics.h
 *  results.errors.KIND.count        failed requests of that kind (also: retried)
 *  quality.verdict quality.ID.value checks by their id (also: status, limit, effect, text)
 *  quality.measurement.KEY quality.load.KEY.value
 *  system.gpus.KEY                  lists: their entries combined into one value, as the row says
 *  derived.KEY                      computed from other fields
 *  system launch environment …      as in the document
 *
 * - A list of fields borrows the catalogue that it was made from, is immutable and may be read by
 *   any thread.
 * - Nothing is validated here: a document of an older or newer version, or a small one, yields the
 *   values that it has. A missing value is "not recorded", which differs from null and from zero.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/catalog.h"

#include <stdbool.h>
#include <stddef.h>

enum res_field_type {
	RES_FIELD_NUMBER,
	RES_FIELD_COUNT, /* an integer */
	RES_FIELD_YES,   /* true or false */
	RES_FIELD_TEXT,
	RES_FIELD_TIME, /* RFC 3339: a later time is also greater as a text */
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

/* How the values of a list's entries are combined. */
enum res_field_one {
	RES_FIELD_NONE,
	RES_FIELD_SUM,
	RES_FIELD_MEAN,
	RES_FIELD_MAX,
	RES_FIELD_MIN,
	RES_FIELD_SAME, /* the common value; null if they differ */
	RES_FIELD_EACH, /* a list of all values */
};

struct res_field {
	const char *id; /* "server.tensor_parallel_size" */
	const char *label;
	const char *short_label; /* for the head of a table; NULL: the label */
	const char *help;
	const char *group;
	const char *unit; /* "": none */
	enum res_field_type type;
	enum res_field_direction direction; /* the better direction */
	enum res_field_role role;
	enum res_field_one one;
	bool column;
	bool words;                      /* may also be a word instead of a number: "auto" */
	bool open;                       /* an object that may have keys without rows */
	const char *of;                  /* id of the object that contains this key; NULL: none */
	const struct option_row *option; /* for an argument, an option or a key; otherwise NULL */
};

struct res_fields;

/* Uses the reference's rows if catalog is NULL; borrows it. */
struct res_fields *res_fields_new(const struct vllm_catalog *catalog);
void res_fields_free(struct res_fields *fields);
PL_AUTO_DEFINE(struct res_fields, res_fields_free);
#define auto_fields PL_AUTO(res_fields_free)

/* All fields in the order of the rows, in one array. */
size_t res_fields_count(const struct res_fields *fields);
const struct res_field *res_fields_at(const struct res_fields *fields, size_t i);
/* The columns in that order; borrowed from the list. */
const struct res_field *const *res_fields_columns(const struct res_fields *fields,
						  size_t *ret_count);
/* Finds a field by its present or a former id (result/fields/former.h). Returns NULL if there is none. */
const struct res_field *res_fields_find(const struct res_fields *fields, const char *id);
/* Returns the most similar id, or NULL. */
const char *res_fields_nearest(const struct res_fields *fields, const char *id);
/*
 * Resolves any id that a document may have: a row; a percentile, an interval ("…_ci95.0") or a
 * client error without a row; a key inside of an object. *ret borrows `id` if it has no row.
 * Returns -1 if there is no such field; the error names the most similar one. err may be NULL.
 */
int res_fields_resolve(const struct res_fields *fields, const char *id, struct res_field *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Makes a field from its path alone: an argument that is newer than the rows. Borrows `id`. */
void res_field_unlisted(const char *id, struct res_field *ret);

/*
 * Returns {id, label, short_label, help, group, unit, type, direction, role, one, column, words}; short_label
 * only if there is one. New reference.
 */
json_t *res_field_to_json(const struct res_field *field);

/* ---- values in a document ------------------------------------------------------------------- */

enum res_value_state {
	RES_VALUE_NOT_RECORDED,
	RES_VALUE_NULL, /* unset, or the metric does not exist */
	RES_VALUE_PRESENT,
};

enum res_value_kind { RES_VALUE_NUMBER, RES_VALUE_TEXT, RES_VALUE_YES, RES_VALUE_JSON };

/* Members after `kind` are valid if the value exists. */
struct res_value {
	enum res_value_state state;
	enum res_value_kind kind; /* type of the value, which may differ from its field's */
	double number;            /* may be infinite; durations in seconds */
	bool yes;
	const char *text; /* JSON: compact, with sorted keys */
	/*
	 * origin of an argument or option: "explicit", "default", "unknown" (its default is
	 * unknown), "not_in_release" (the release has no such argument), "benchmark" (from the load,
	 * because the document has no such argument); NULL: not recorded
	 */
	const char *source;
	bool is_explicit; /* set by the user */
	json_t *json;     /* as in the document; durations as seconds */
	char *made;       /* owned storage for text that exists nowhere else */
};

/* Overwrites *ret (res_value_done()); its texts may be borrowed from the document. */
void res_field_value(const struct res_fields *fields, const struct res_field *field,
		     const json_t *document, struct res_value *ret);
/* Makes the value for this JSON, without a source. Takes the reference; NULL: not recorded. */
void res_field_value_of(const struct res_field *field, json_t *json, struct res_value *ret);
void res_value_done(struct res_value *value);
#define auto_value __attribute__((cleanup(res_value_done), unused)) struct res_value

/*
 * Returns {state: "not_recorded" | "null" | "value", value, explicit, source}; an infinite number
 * is "inf". New reference.
 */
json_t *res_value_to_json(const struct res_value *value);
/*
 * Returns compact JSON with sorted keys: texts are equal if and only if the values are. The caller
 * frees it with free().
 */
char *res_field_canonical(const json_t *json);
