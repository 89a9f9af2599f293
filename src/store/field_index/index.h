/*
 * The field index: the leaves of all documents (result/fields/leaves.h), for queries on fields that are not columns.
 *
 *	field_rows      the leaves of one document, written in the transaction that stores or changes the result
 *	field_segments  up to 256 results whose rows were combined; field_chunks: one leaf path of a segment
 *	field_forms     the rules by which leaves were made
 *
 * - The entry in field_rows counts, else the one in the segment with the greatest id, if a result has several.
 * - A result without an entry, or with one by rules that this program does not accept, is read from its document.
 *   store_field_index_build() adds what is missing.
 * - When 256 rows have collected, the transaction that adds the last one combines them. So nothing is lost or counted
 *   twice if the process is killed.
 */
#pragma once

#include "mirror/mirror.h"
#include "result/fields/leaves.h"
#include "store/change.h"

struct store_field_index;
struct store_leaf_list;

struct store_field_index *store_field_index_new(const struct res_fields *fields);
void store_field_index_free(struct store_field_index *index);
/* Reads or adds the form of this program's leaves. */
int store_field_index_open(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* The database may not have the form of this program's leaves, since it was restored from a backup. */
void store_field_index_doubt(struct store *store);
/* Call it after a transaction; is_kept: it was committed. */
void store_field_index_end(struct store *store, bool is_kept);

/* Returns the row of a document without edits; free(). Any thread; no transaction. */
void *store_field_index_row(const struct store *store, const struct res_values *values,
			    size_t *ret_len);
/* Returns the row with the tags and notes of users; free(). `tags`: of the document, or NULL. */
void *store_field_index_edited(const struct store *store, const void *row, size_t len,
			       const json_t *tags, const struct store_edits *edits,
			       size_t *ret_len);

/* ---- within a transaction ---------------------------------------------------------------------- */

int store_field_index_put(struct store *store, int64_t id, const void *row, size_t len,
			  struct pl_err *err) PL_MUST_CHECK;
/* The same from the document, with its edits. */
int store_field_index_put_document(struct store *store, int64_t id, const json_t *document,
				   struct pl_err *err) PL_MUST_CHECK;
/* The same for an unreadable document: its fields are read from the document, which reports the reason. */
int store_field_index_put_unknown(struct store *store, int64_t id,
				  struct pl_err *err) PL_MUST_CHECK;
/* Combines rows if there are enough. Call it at the end of a transaction. */
int store_field_index_combine(struct store *store, struct pl_err *err) PL_MUST_CHECK;
/* Removes the values of these results, whose ids are in ascending order. */
int store_field_index_forget(struct store *store, const int64_t *ids, size_t count,
			     struct pl_err *err) PL_MUST_CHECK;

/* ---- reading and building ---------------------------------------------------------------------- */

/* A mirror_index_fn whose context is the store. */
int store_field_index_load(void *store, const struct res_field *field,
			   struct mirror_indexed *indexed, struct pl_err *err) PL_MUST_CHECK;

/* Indexes what is missing, in a thread, while this process owns the jobs of the database. */
int store_field_index_build(struct store *store, struct pl_err *err) PL_MUST_CHECK;
/* Ends the thread. Call it before the store closes. */
void store_field_index_stop(struct store *store);
