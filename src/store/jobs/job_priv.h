/*
 * What the files job*.c share: jobs, their parts and items as rows.
 *
 *	job_parts   state: queued; done (no bytes any more); cancelled (items of it may be queued again)
 *	            first_item, items: NULL until it was cut
 *	job_items   state: STORE_ITEM_STATE, and "again": it waits, with bytes of its own
 *	job_bytes   of items that can be read again
 *	job_files   the sha256 of each file that a part came with
 */
#pragma once

#include "store/jobs/job.h"
#include "store/store_priv.h"

#define STORE_ITEM_AGAIN "again"

/* *ret false: another process works on them, and this one does when that one ends. */
int store_jobs_own(struct store *store, bool *ret, struct pl_err *err) PL_MUST_CHECK;
/* A statement whose only parameter is the job; whose rows nobody wants. */
int store_job_run(struct store *store, const struct store_statement *which, int64_t id,
		  struct pl_err *err) PL_MUST_CHECK;
/* Within a transaction: a job for which nothing waits any more is done. */
int store_job_settle(struct store *store, int64_t id, struct pl_err *err) PL_MUST_CHECK;
/* Within a transaction, and now and then only: what nobody came back to is forgotten. */
int store_jobs_look(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* ?1: job; row: its state, and how many items its parts have so far. */
extern const struct store_statement store_job_sql_ask;
