/*
 * The thread that processes jobs (store/jobs/job.h), one document after another: it splits the bytes into documents,
 * has each one read (upload/readers.h), and stores it or records why not. All state is in the store, so the next server
 * continues whatever this one left unfinished, however it ended.
 */
#pragma once

#include "store/store.h"

struct dash_counters;
struct dash_ingest;

/*
 * Starts with the pending work of the store, which must be opened with_jobs. Borrows all. `counters` counts the documents;
 * NULL: no one does.
 */
int dash_ingest_start(struct store *store, const struct store_reader *reader,
		      struct dash_counters *counters, struct dash_ingest **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* Reports a new job. Any thread. */
void dash_ingest_wake(struct dash_ingest *ingest);
/* Returns when the current document is finished. The next server continues with the others. */
void dash_ingest_stop(struct dash_ingest *ingest);
