/*
 * Jobs: bytes that came in and are worked on later, one document after the other. A job is on the disk
 * when store_job_add() has answered, and each of its documents is stored in the same transaction as
 * what is told of it, so that a process that takes the job up again after a kill goes on behind the last
 * one: every document that was taken is there exactly once.
 *
 *	queued --store_job_next()--> running --store_job_finish()--> done
 *
 * What a job came with may hold secrets, and is in the file for as long as the job is not done. Behind
 * that it is written over; store_jobs_wipe() takes it out of the log, too. A process that is killed in
 * between leaves that to the next one.
 *
 * The store has to be opened with_jobs for store_job_next() and what follows it; those that were
 * running when a process died are queued again by store_open().
 */
#pragma once

#include "store/store.h"

/* `kind` is the caller's word for what the bytes are: "json", "batch", "raw". `media`: their media
 * type, or NULL. */
int store_job_add(struct store *store, const char *kind, const char *name, const char *media,
		  const char *bytes, size_t len, int64_t *ret_id, struct pl_err *err) PL_MUST_CHECK;

struct store_job {
	int64_t id; /* 0: none is waiting */
	char *kind;
	char *name;
	char *media; /* or NULL */
	char *bytes;
	size_t len;
	char *fault; /* why its bytes never can be read: there are none; NULL: they are there */
	size_t items_done; /* documents that were finished before: go on behind them */
};
/* The oldest that waits; it is running then. */
int store_job_next(struct store *store, struct store_job *ret, struct pl_err *err) PL_MUST_CHECK;
void store_job_release(struct store_job *job); /* its memory */
#define auto_store_job __attribute__((cleanup(store_job_release), unused)) struct store_job

/* How many documents it turned out to have: those without an outcome are shown as queued. */
int store_job_expect(struct store *store, int64_t id, size_t count,
		     struct pl_err *err) PL_MUST_CHECK;

struct store_job_item {
	size_t index; /* from 0, without a gap */
	const char *name;
	/* what is stored; NULL: it is rejected, and message and faults tell why */
	const struct store_prepared *prepared;
	const char *message;  /* of a rejected one */
	const json_t *faults; /* array as of store_document_read(), or NULL */
};
/* Stores the item's document and notes what became of it, both or neither. */
int store_job_item(struct store *store, int64_t id, const struct store_job_item *item,
		   struct store_put_result *ret, struct pl_err *err) PL_MUST_CHECK;
/* Its bytes are forgotten; what became of its items stays until 10,000 newer jobs have come. */
int store_job_finish(struct store *store, int64_t id, struct pl_err *err) PL_MUST_CHECK;

/*
 * Of what the jobs that are done came with nothing is in the files any more. For when none waits: it costs
 * a wait for the disk. -1, with BUSY: another process is reading; to be called again.
 */
int store_jobs_wipe(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/*
 * {job_id: text, kind, state: "queued" | "running" | "done", created, finished,
 *  counts: {queued, stored, duplicate, conflict, rejected},
 *  items: [{index, name, state, form, id, run_id, message, faults}]}
 * items are `limit` at most from the one with index `offset` on; counts are of all.
 * created and finished are RFC 3339; finished, form, id, run_id and message may be null; faults of what
 * is stored are the document's notes; id of a conflict or a duplicate is the result that is there. *ret NULL: there is no such job. New
 * reference.
 */
int store_job_json(struct store *store, int64_t id, int64_t offset, int64_t limit, json_t **ret,
		   struct pl_err *err) PL_MUST_CHECK;
