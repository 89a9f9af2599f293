/*
 * The thread that works on jobs (store/jobs/job.h), one document after the other: cuts what came in into
 * documents, has each read (upload/readers.h), stores it or notes why not. What a server left unfinished, however it ended,
 * the next one goes on with: nothing of a job is known here that the store does not know.
 */
#pragma once

#include "store/store.h"

struct dash_ingest;

/* Begins at once with what waits in the store, which has to be opened with_jobs. Both are borrowed. */
int dash_ingest_start(struct store *store, const struct store_reader *reader,
		      struct dash_ingest **ret, struct pl_err *err) PL_MUST_CHECK;
/* There is a new job. Any thread. */
void dash_ingest_wake(struct dash_ingest *ingest);
/* Returns when the document that is worked on is done with; the rest stays for the next server. */
void dash_ingest_stop(struct dash_ingest *ingest);
