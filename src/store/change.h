/*
 * User edits of stored results: tags, notes and deletion. The document is never changed; edits are stored separately,
 * and fields combine both:
 *
 *	tags.NAME         the current tags, including those of the document
 *	stored.notes      the notes of users
 *	stored.repeat     2 and up: it was kept in addition to results of the same content or run_id
 *	stored.possible_duplicate  the oldest result of the same run (store/possible_duplicates.h)
 *	stored.upload     the latest job that stored it or found it as a duplicate
 *
 * A deleted result is in no response and remains until store_prune(): its content is still a duplicate, and it can be
 * restored. Each change is recorded with its time and author.
 */
#pragma once

#include "store/store.h"

#define STORE_TAGS_MAX 200 /* per result */

enum store_change_kind {
#define STORE_CHANGE(NAME, name, text) STORE_CHANGE_##NAME,
#include "tbl/store_words.h"
	STORE_CHANGE_COUNT
};

/* The edits of a document. */
struct store_edits {
	json_t *tags; /* by name: text, or null for a removed tag of the document; NULL: no edits */
	char *notes;  /* or NULL */
	int64_t repeat;
	int64_t possible_duplicate; /* 0: none */
	int64_t upload;             /* 0: none */
	bool is_deleted;
};
void store_edits_done(struct store_edits *edits);
#define auto_edits __attribute__((cleanup(store_edits_done), unused)) struct store_edits

/*
 * Returns the document with its edits, which fields are read from, as a new reference. The document itself is
 * unchanged.
 */
json_t *store_edits_over(const struct store_edits *edits, json_t *document);

enum store_change_answer {
	STORE_CHANGE_OK,
	STORE_CHANGE_NONE, /* the result does not exist */
	STORE_CHANGE_GONE, /* the result is deleted */
	STORE_CHANGE_FULL, /* more tags than STORE_TAGS_MAX */
};

/* Applies a change: ChangeRequest of api/openapi.yaml. Values that are already set change nothing. */
int store_change(struct store *store, int64_t id, const json_t *change,
		 enum store_change_answer *ret, struct pl_err *err) PL_MUST_CHECK;
/* Both return OK if the result is already in that state. `author` may be NULL. */
int store_delete(struct store *store, int64_t id, const char *author, enum store_change_answer *ret,
		 struct pl_err *err) PL_MUST_CHECK;
int store_restore(struct store *store, int64_t id, const char *author,
		  enum store_change_answer *ret, struct pl_err *err) PL_MUST_CHECK;

/* Returns Changes of api/openapi.yaml, as a new reference. *ret NULL: the result does not exist. */
int store_changes_json(struct store *store, int64_t id, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;

/*
 * Removes the results that were deleted more than older_than_ns ago (0: all deleted results), and what belongs to them.
 * Held results (store/prune/hold.h) stay. *ret_count is the number of removed ones. now_ns is a real time. A deletion whose date contradicts the order of the changes, as
 * after the clock was set, counts as recent.
 */
int store_prune(struct store *store, int64_t now_ns, int64_t older_than_ns, int64_t *ret_count,
		struct pl_err *err) PL_MUST_CHECK;
