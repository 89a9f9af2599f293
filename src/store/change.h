/*
 * What people say of results that are stored: tags, notes, and that one is not wanted any more. The document
 * stays as it came; this stands beside it, and fields are of both:
 *
 *	tags.NAME       as they are now, those of the document among them
 *	stored.notes    what people noted
 *	stored.repeat   2 and up: it was kept beside others of the same content or run_id
 *	stored.near     the oldest result that tells of the same run (store/possible_duplicates.h)
 *	stored.upload   the latest job that stored it or found it stored
 *
 * A result that is deleted is in no answer, and is there until store_prune(): the same content is still known, and can
 * be brought back. Each change is noted with its time and its author.
 */
#pragma once

#include "store/store.h"

#define STORE_TAGS_MAX 200 /* of one result */

enum store_change_kind {
#define STORE_CHANGE(NAME, name, text) STORE_CHANGE_##NAME,
#include "tbl/store_words.h"
	STORE_CHANGE_COUNT
};

/* What stands beside a document. */
struct store_edits {
	json_t *tags; /* by name: text, or null where one of the document was taken away; NULL: none */
	char *notes; /* or NULL */
	int64_t repeat;
	int64_t near;   /* 0: none is */
	int64_t upload; /* 0: none */
	bool is_deleted;
};
void store_edits_done(struct store_edits *edits);
#define auto_edits __attribute__((cleanup(store_edits_done), unused)) struct store_edits

/* The document with what stands beside it, in which fields are looked up: a new reference; nothing of the
 * document is changed. */
json_t *store_edits_over(const struct store_edits *edits, json_t *document);

enum store_change_answer {
	STORE_CHANGE_OK,
	STORE_CHANGE_NONE, /* there is no such result */
	STORE_CHANGE_GONE, /* it was deleted */
	STORE_CHANGE_FULL, /* more tags than one may have */
};

/* change: ChangeRequest of api/openapi.yaml. What is said already changes nothing. */
int store_change(struct store *store, int64_t id, const json_t *change,
		 enum store_change_answer *ret, struct pl_err *err) PL_MUST_CHECK;
/* One that is deleted, or not, already: OK. `author` may be NULL. */
int store_delete(struct store *store, int64_t id, const char *author, enum store_change_answer *ret,
		 struct pl_err *err) PL_MUST_CHECK;
int store_restore(struct store *store, int64_t id, const char *author,
		  enum store_change_answer *ret, struct pl_err *err) PL_MUST_CHECK;

/* Changes of api/openapi.yaml. *ret NULL: there is no such result. New reference. */
int store_changes_json(struct store *store, int64_t id, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;

/*
 * Removes for good the results that were deleted more than older_than_ns ago (0: all deleted results), and what belongs
 * to them. *ret_count: how many. now_ns is a real time. A deletion whose date contradicts the order of the changes, as
 * after the clock was set, counts as recent.
 */
int store_prune(struct store *store, int64_t now_ns, int64_t older_than_ns, int64_t *ret_count,
		struct pl_err *err) PL_MUST_CHECK;
