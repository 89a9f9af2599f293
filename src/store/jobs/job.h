/*
 * Jobs: uploads, from one document to a folder of thousands of files. What comes for one comes in parts,
 * each of them the body of one request, and is worked on later, one document after the other. A part is on the
 * disk when store_job_add() has answered; what becomes of a document is noted in the transaction that
 * stores it. So a process that takes a part up again after a kill goes on behind the last one: every
 * document that was taken is there exactly once.
 *
 *	          open --store_job_close()--+
 *	                                    v
 *	(a job of one part begins here)  queued --> running --> done
 *	                                    |          |
 *	          store_job_cancel():       +----------+--> cancelled        store_job_retry(), _choose(): queued again
 *
 * An item is a document of it. It has an index, counted from 0 over all parts in the order in which they are
 * worked on, and a row from the moment that its part was cut; its states are STORE_ITEM_STATE of
 * tbl/store_words.h.
 *
 * What a part came with may hold secrets, and is in the file for as long as the part is not done. Behind
 * that it is written over; store_jobs_wipe() takes it out of the log, too. A process that is killed in
 * between leaves that to the next one. What an item can be tried again with stays for seven days, secrets
 * as "***".
 *
 * The store has to be opened with_jobs for store_job_next() and what follows it.
 */
#pragma once

#include "store/store.h"

#define STORE_JOB_ITEMS_MAX 1000000 /* of one job */

enum store_item_state {
#define STORE_ITEM_STATE(NAME, name, text) STORE_ITEM_##NAME,
#include "tbl/store_words.h"
	STORE_ITEM_STATE_COUNT
};
const char *store_item_state_name(enum store_item_state state);

/* What came of asking for a change of a job. */
enum store_job_answer {
	STORE_JOB_OK,
	STORE_JOB_NONE,    /* there is no such job */
	STORE_JOB_CLOSED,  /* no part can come any more */
	STORE_JOB_FULL,    /* it has as many items as it may have */
	STORE_JOB_CHANGED, /* what is there is not what was expected */
	STORE_JOB_NOTHING, /* of all its items there is none that this can be asked of */
	STORE_JOB_OTHER,   /* other files came under this key */
	STORE_JOB_NO_ITEM, /* one of the items is not there, or nothing like this can be done to it */
};

/* ---- in ------------------------------------------------------------------------------------ */

struct store_job_plan {
	const char *name;
	int64_t files; /* that will come; -1: not said */
	int64_t bytes;
	enum store_known on_conflict;
	const char *author; /* who says so, or NULL */
};
/* A job that is open, of kind "parts". */
int store_job_open(struct store *store, const struct store_job_plan *plan, int64_t *ret_id,
		   struct pl_err *err) PL_MUST_CHECK;

struct store_job_part {
	const char
		*author;  /* of a job of its own who says what becomes of what is known, or NULL */
	const char *kind; /* the caller's word for what the bytes are: "json", "batch", "raw" */
	const char *name;
	const char *media; /* their media type, or NULL */
	const char *bytes;
	size_t len;
	char (*sha256)[65]; /* of each file in it */
	size_t files;
	/* the sender's own, or NULL: a part of the same key that came to this job before is not taken again, whatever
	 * became of the job: OK; OTHER where its files were others */
	const char *key;
};
/* To the job *id; where that is 0 as a job of its own, of the part's kind and name, that *id names then. */
int store_job_add(struct store *store, int64_t *id, enum store_known on_conflict,
		  const struct store_job_part *part, enum store_job_answer *ret,
		  struct pl_err *err) PL_MUST_CHECK;
/* No more parts come. One that is closed already stays so: OK. */
int store_job_close(struct store *store, int64_t id, enum store_job_answer *ret,
		    struct pl_err *err) PL_MUST_CHECK;

/* What is not stored yet never will be, until it is tried again. One that is over stays as it is: OK. */
int store_job_cancel(struct store *store, int64_t id, enum store_job_answer *ret,
		     struct pl_err *err) PL_MUST_CHECK;
/*
 * What was rejected or cancelled, and of which there are still bytes, is read again: the items, or all where
 * that is NULL (array of whole numbers); NOTHING: there is none. NO_ITEM: *ret_at is its place among them, and nothing was changed.
 */
int store_job_retry(struct store *store, int64_t id, const json_t *items,
		    enum store_job_answer *ret, size_t *ret_at, struct pl_err *err) PL_MUST_CHECK;

struct store_job_wish {
	struct store_choice choice; /* expected: of one item */
	const json_t *items;        /* as above */
	const char *of; /* only those that are a "conflict" or a "duplicate"; NULL: both */
};
/* The same of what is a conflict or a duplicate. CHANGED where it was not what was expected that is there. */
int store_job_choose(struct store *store, int64_t id, const struct store_job_wish *chosen,
		     enum store_job_answer *ret, size_t *ret_at, struct pl_err *err) PL_MUST_CHECK;

/* ---- work ---------------------------------------------------------------------------------- */

/* An item to be worked on. */
struct store_job_turn {
	size_t index;
	enum store_known on_conflict;
	/* as of struct store_choice, its own */
	char *author;
	char *expected;
	/* of one that is read again: its name and bytes, its own; of a part NULL */
	char *name;
	char *bytes;
	size_t len;
};

struct store_job_work {
	int64_t job;   /* 0: nothing waits */
	int64_t part;  /* 0: these are single items that are read again */
	unsigned hold; /* on the jobs, when it was read (store/db/sql.h) */
	char *kind;
	char *name;
	char *media; /* or NULL */
	char *bytes;
	size_t len;
	char *fault;  /* why its bytes never can be read: there are none; NULL: they are there */
	size_t first; /* index of the part's first item */
	size_t done; /* of a part that was not cut: items that a program of the form before has done */
	enum store_known on_conflict;
	char *author; /* or NULL */
	/* those that wait, in order. Of a part that was not cut yet there are none: store_job_cut() */
	struct store_job_turn *turns;
	size_t count;
	bool is_cut;
};
/* The part that has waited longest, and items that are read again, some of one job: in turns where both wait. */
int store_job_next(struct store *store, struct store_job_work *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void store_job_release(struct store_job_work *work); /* its memory */
#define auto_store_job_work \
	__attribute__((cleanup(store_job_release), unused)) struct store_job_work

/* Of a part that was not cut yet: turns for so many items. */
void store_job_lay_out(struct store_job_work *work, size_t count);

/*
 * Between these two what becomes of a group of items is one transaction. *ret_goes_on false: the job was
 * cancelled meanwhile, or the work is another process's, or may have been for a while; nothing is to be stored, the
 * transaction is over, and store_job_next() tells what is to be done.
 */
int store_job_group_begin(struct store *store, const struct store_job_work *work, bool *ret_goes_on,
			  struct pl_err *err) PL_MUST_CHECK;
int store_job_group_end(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* Within a group. What a part turned out to hold: the names of its items, and the file of each (from 0, growing).
 * Doing it again changes nothing. */
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
	/* what is stored; NULL: it is rejected, and message and faults tell why */
	const struct store_prepared *prepared;
	const char *message;  /* of a rejected one */
	const json_t *faults; /* array as of store_document_read(), or NULL */
	size_t len;           /* of its bytes */
	const char
		*kept; /* of a rejected one: to be read again, without secrets; NULL: not to be */
};
/* Within a group. Stores the item's document and notes what became of it. */
int store_job_item(struct store *store, const struct store_job_work *work,
		   const struct store_job_item *item, struct store_put_result *ret,
		   struct pl_err *err) PL_MUST_CHECK;
/* Within a group: the work is done. Bytes of a part are forgotten; what became of its items stays for
 * seven days behind the job's end, and then until 10,000 newer jobs have come. */
int store_job_done(struct store *store, const struct store_job_work *work,
		   struct pl_err *err) PL_MUST_CHECK;

/*
 * Items that are worked on just now, and how far they have come (PARSED or VALID): told by store_job_json(), and
 * never kept. Takes the place of what was said before; count 0: nothing.
 */
void store_job_mark(struct store *store, const struct store_job_work *work, size_t first_turn,
		    size_t count, enum store_item_state state);

/*
 * Of what the parts that are done came with nothing is in the files any more. For when none waits: it costs
 * a wait for the disk. What has been kept for seven days is forgotten, too. -1, with BUSY: another process is
 * reading; to be called again.
 */
int store_jobs_wipe(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* ---- told ---------------------------------------------------------------------------------- */

struct store_job_page {
	int64_t offset;
	int64_t limit;
	const char *state; /* only those; NULL: all */
};
/*
 * Upload of api/openapi.yaml; limit 0: without items. counts are of all items, total of those that the page's
 * state is about. *ret NULL: there is no such job. New reference.
 */
int store_job_json(struct store *store, int64_t id, const struct store_job_page *page, json_t **ret,
		   struct pl_err *err) PL_MUST_CHECK;
/* Uploads of api/openapi.yaml: the newest first. New reference. */
int store_jobs_json(struct store *store, const struct store_job_page *page, json_t **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* KnownAnswer of api/openapi.yaml, of an array of sha256; of that job where it has it, 0: of whichever. New reference. */
int store_jobs_known(struct store *store, const json_t *sha256, int64_t job, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * What a duplicate or a conflict is about: the bytes that came (free(); NULL: of a duplicate, and where they are
 * forgotten) and the result that is there. False in *ret_found: there is no such item.
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
