/*
 * Shared by the files job*.c: jobs, their parts and items as rows.
 *
 *	job_parts    state: queued; done (without bytes); cancelled (its items may be queued again)
 *	             first_item, items: NULL until the part is cut
 *	job_items    state: STORE_ITEM_STATE, or "again": queued with bytes of its own
 *	job_bytes    of items that can be read again
 *	job_files    the sha256 of each file in a part
 */
#pragma once

#include "store/jobs/job.h"
#include "store/store_priv.h"

#define STORE_ITEM_RETRY "again"

/* *ret false: another process owns the jobs; this one takes over when it ends. */
int store_jobs_claim(struct store *store, bool *ret, struct pl_err *err) PL_MUST_CHECK;
/* Runs a statement without results whose only parameter is the job. */
int store_job_run(struct store *store, const struct store_statement *which, int64_t id,
		  struct pl_err *err) PL_MUST_CHECK;
/* Within a transaction: marks the job as done if it has no pending work. */
int store_job_settle(struct store *store, int64_t id, struct pl_err *err) PL_MUST_CHECK;
/* Within a transaction, at intervals: removes uploads that no client resumed. */
int store_jobs_look(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* ?1: job; row: its state, and the number of items in its parts so far */
extern const struct store_statement store_job_sql_ask;
