/*
 * Jobs: uploads, from one document to a folder of thousands of files. A job receives parts, each the body of one
 * request, and processes their documents later, one after another. A part is on disk when store_job_add() has returned,
 * and the outcome of a document is recorded in the transaction that stores it. So a process that resumes a part after a
 * kill continues after the last recorded document: every accepted document is stored exactly once.
 *
 *	          open --store_job_close()--+
 *	                                    v
 *	(a job of one part begins here)  queued --> running --> done
 *	                                    |          |
 *	          store_job_cancel():       +----------+--> cancelled        store_job_retry(), _choose(): queued again
 *
 * Each document of a job is an item. Its index counts from 0 over all parts in processing order. It has a row as soon
 * as its part is cut; its states are STORE_ITEM_STATE of tbl/store_words.h.
 *
 * The bytes of a part may hold secrets and are in the file until the part is done. They are then overwritten, and
 * store_jobs_wipe() removes them from the log, too. If a process is killed in between, the next one does this. The
 * bytes that allow a retry of an item are kept for seven days, with secrets as "***".
 *
 * store_job_next() and the functions after it need a store opened with_jobs.
 */
#pragma once

#include "store/store.h"

#define STORE_JOB_ITEMS_MAX 1000000 /* per job */

enum store_item_state {
#define STORE_ITEM_STATE(NAME, name, text) STORE_ITEM_##NAME,
#include "tbl/store_words.h"
	STORE_ITEM_STATE_COUNT
};
const char *store_item_state_name(enum store_item_state state);

/* The outcome of a request to change a job. */
enum store_job_answer {
	STORE_JOB_OK,
	STORE_JOB_NONE,    /* the job does not exist */
	STORE_JOB_CLOSED,  /* the job accepts no more parts */
	STORE_JOB_FULL,    /* the job has reached STORE_JOB_ITEMS_MAX */
	STORE_JOB_CHANGED, /* the stored result is not the expected one */
	STORE_JOB_NOTHING, /* no item of the job is in a state that allows this */
	STORE_JOB_OTHER,   /* this key was used for other files */
	STORE_JOB_FOREIGN, /* the job has another author */
	STORE_JOB_NO_ITEM, /* an item does not exist, or its state does not allow this */
};

/* ---- receiving ----------------------------------------------------------------------------- */

struct store_job_plan {
	const char *name;
	int64_t files; /* that will follow; -1: unknown */
	int64_t bytes;
	enum store_conflict_policy on_conflict;
	const char *author; /* the user who decides on conflicts, or NULL */
};
/* Opens a job of kind "parts". */
int store_job_open(struct store *store, const struct store_job_plan *plan, int64_t *ret_id,
		   struct pl_err *err) PL_MUST_CHECK;

struct store_job_part {
	const char *author; /* for a new job: the user who decides on conflicts, or NULL */
	const char *user;   /* for an open job: who must be its author, if it has one; NULL: any */
	const char *kind; /* the form of the bytes, defined by the caller: "json", "batch", "raw" */
	const char *name;
	const char *media; /* their media type, or NULL */
	const char *bytes;
	size_t len;
	char (*sha256)[65]; /* of each file in it */
	size_t files;
	/*
	 * The client's idempotency key, or NULL. A part with the same key that this job received before is not added
	 * again, whatever the state of the job: OK, or OTHER if its files differed.
	 */
	const char *key;
};
/* Adds a part to job *id. If *id is 0, creates a job with the part's kind and name and sets *id. */
int store_job_add(struct store *store, int64_t *id, enum store_conflict_policy on_conflict,
		  const struct store_job_part *part, enum store_job_answer *ret,
		  struct pl_err *err) PL_MUST_CHECK;
/*
 * Closes a job to further parts. OK if it is already closed. FOREIGN: the job has another author than `user`; NULL: any
 * may close it.
 */
int store_job_close(struct store *store, int64_t id, const char *user, enum store_job_answer *ret,
		    struct pl_err *err) PL_MUST_CHECK;

/*
 * Cancels the items that are not stored yet; they can be retried. OK if the job has already finished, which changes
 * nothing. FOREIGN: as store_job_close().
 */
int store_job_cancel(struct store *store, int64_t id, const char *user, enum store_job_answer *ret,
		     struct pl_err *err) PL_MUST_CHECK;
/*
 * Reads rejected or cancelled items again if their bytes are still available. `items` is an array of indexes, or NULL
 * for all. NOTHING: there is none. NO_ITEM: *ret_at is the position in `items`, and nothing was changed.
 */
int store_job_retry(struct store *store, int64_t id, const json_t *items,
		    enum store_job_answer *ret, size_t *ret_at, struct pl_err *err) PL_MUST_CHECK;

struct store_job_request {
	struct store_choice choice; /* `expected` requires exactly one item */
	const json_t *items;        /* as in store_job_retry() */
	const char *of; /* only items in the state "conflict" or "duplicate"; NULL: both */
};
/* Applies a choice to items that are conflicts or duplicates. CHANGED: the stored result is not the expected one. */
int store_job_choose(struct store *store, int64_t id, const struct store_job_request *chosen,
		     enum store_job_answer *ret, size_t *ret_at, struct pl_err *err) PL_MUST_CHECK;

/* ---- processing ---------------------------------------------------------------------------- */

/* An item to process. */
struct store_job_pending {
	size_t index;
	enum store_conflict_policy on_conflict;
	/* owned; as in struct store_choice */
	char *author;
	char *expected;
	/* owned; the name and bytes of an item that is read again, NULL for items of a part */
	char *name;
	char *bytes;
	size_t len;
};

struct store_job_work {
	int64_t job;   /* 0: no work */
	int64_t part;  /* 0: single items that are read again */
	unsigned hold; /* store_sql_jobs_hold() when the work was read (store/db/sql.h) */
	char *kind;
	char *name;
	char *media; /* or NULL */
	char *bytes;
	size_t len;
	char *fault;  /* why the bytes are unreadable, and then there are none; NULL: readable */
	size_t first; /* index of the part's first item */
	size_t done; /* of a part that was not cut: items already done by a program with the former table form */
	enum store_conflict_policy on_conflict;
	char *author; /* or NULL */
	/* Pending items in order. A part that was not cut yet has none: see store_job_cut(). */
	struct store_job_pending *pending;
	size_t count;
	bool is_cut;
};
/* Returns the part that has waited longest, or items of one job to read again. If both wait, they alternate. */
int store_job_next(struct store *store, struct store_job_work *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void store_job_release(struct store_job_work *work); /* frees its memory */
#define auto_store_job_work \
	__attribute__((cleanup(store_job_release), unused)) struct store_job_work

/* Creates `count` turns for a part that was not cut yet. */
void store_job_lay_out(struct store_job_work *work, size_t count);

/*
 * The outcomes of a group of items between these two calls are one transaction. *ret_goes_on false: the job was
 * cancelled, or another process owns the work or may have owned it. Then store nothing: the transaction has ended, and
 * store_job_next() returns what to do.
 */
int store_job_group_begin(struct store *store, const struct store_job_work *work, bool *ret_goes_on,
			  struct pl_err *err) PL_MUST_CHECK;
int store_job_group_end(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/*
 * Within a group. Records the items of a part: their names, and the file of each (ascending from 0). Repeating this
 * changes nothing.
 */
struct store_job_cut {
	const char *name;
	size_t file;
};
int store_job_cut(struct store *store, const struct store_job_work *work,
		  const struct store_job_cut *items, size_t count,
		  struct pl_err *err) PL_MUST_CHECK;

struct store_job_item {
	size_t index;
	struct store_choice choice;
	/* the document to store; NULL: rejected, as message and faults explain */
	const struct store_prepared *prepared;
	const char *message;  /* of a rejected one */
	const json_t *faults; /* array as of store_document_read(), or NULL */
	size_t len;           /* of its bytes */
	const char *
		retained; /* of a rejected item: its bytes without secrets, to be read again; NULL: not possible */
};
/* Within a group. Stores the item's document and records the outcome. */
int store_job_item(struct store *store, const struct store_job_work *work,
		   const struct store_job_item *item, struct store_put_result *ret,
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * Within a group. Marks the work as done and discards the bytes of a part. The outcomes of its items are kept for seven
 * days after the end of the job, and then until there are 10,000 newer jobs.
 */
int store_job_done(struct store *store, const struct store_job_work *work,
		   struct pl_err *err) PL_MUST_CHECK;

/*
 * Sets the items that are being processed and their state (PARSED or VALID). store_job_json() reports them; they are
 * not stored. Replaces the previous call; count 0: none.
 */
void store_job_mark(struct store *store, const struct store_job_work *work, size_t first_pending,
		    size_t count, enum store_item_state state);

/*
 * Removes the bytes of finished parts from the database's files, and outcomes older than seven days. Call it when no
 * work is pending, because it waits for the disk. Returns -1 with BUSY while another process is reading; call it again.
 */
int store_jobs_wipe(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* ---- reporting ----------------------------------------------------------------------------- */

struct store_job_page {
	int64_t offset;
	int64_t limit;
	const char *state; /* only items in this state; NULL: all */
};
/*
 * Returns Upload of api/openapi.yaml, as a new reference. limit 0: without items. Its counts cover all items, its total
 * those in the state of the page. *ret NULL: the job does not exist.
 */
int store_job_json(struct store *store, int64_t id, const struct store_job_page *page, json_t **ret,
		   struct pl_err *err) PL_MUST_CHECK;
/* Returns Uploads of api/openapi.yaml, the newest first, as a new reference. */
int store_jobs_json(struct store *store, const struct store_job_page *page, json_t **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns KnownAnswer of api/openapi.yaml for an array of sha256, as a new reference. A file of this job is preferred;
 * 0: any job.
 */
int store_jobs_known(struct store *store, const json_t *sha256, int64_t job, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * The two sides of a duplicate or a conflict: the uploaded bytes (free(); NULL for a duplicate, and after they were
 * discarded) and the stored result. found is false if the item does not exist.
 */
struct store_job_rival {
	bool found;
	int64_t id;
	char *bytes;
	size_t len;
	char *state;
};
int store_job_rival(struct store *store, int64_t job, int64_t item, struct store_job_rival *ret,
		    struct pl_err *err) PL_MUST_CHECK;
void store_job_rival_done(struct store_job_rival *rival);
#define auto_job_rival __attribute__((cleanup(store_job_rival_done), unused)) struct store_job_rival
