/*
 * Imports files into the store. Documents that were reported as stored are on disk. After a kill, the same call imports
 * the remaining ones.
 */
#pragma once

#include "store/store.h"

/* A document, or a file without readable documents. Valid during the call. */
struct dash_imported {
	const char *path;
	const char *name; /* of the document: the name of its file, or "r.jsonl:3" */
	enum store_outcome outcome;
	const struct store_document *document; /* NULL: rejected */
	int64_t id;           /* of the stored or the existing result; 0: rejected */
	bool is_deleted;      /* the existing result is deleted */
	const char *message;  /* of a rejected document; else NULL */
	bool is_unread;       /* rejected because its file is currently unreadable */
	const json_t *faults; /* from store_document_read(); notes if it was not rejected */
};

/* An artifact that the document of a stored result names. Valid during the call. */
struct dash_imported_artifact {
	const char *path;
	const char *kind;
	const char *name;
	const char *state; /* "stored", "duplicate", "missing", "changed", "failed" */
	const char *message;
};

/* Called once per document, in the order of the files, followed by one call per artifact of it. */
typedef void dash_import_fn(void *context, const struct dash_imported *imported);
typedef void dash_import_artifact_fn(void *context, const struct dash_imported *imported,
				     const struct dash_imported_artifact *artifact);

/* A sweep's summary, which is not a result. Valid during the call. */
struct dash_imported_sweep {
	const char *path;
	const char *id;
	const char *message; /* why it was not stored; NULL: stored, replacing any former plan */
};
typedef void dash_import_sweep_fn(void *context, const struct dash_imported_sweep *sweep);

struct dash_import;
/* Borrows all. `artifact` NULL: imports only results. */
struct dash_import *dash_import_new(struct store *store, const struct store_reader *reader,
				    dash_import_fn *on_result, dash_import_artifact_fn *artifact,
				    void *context);
/* Sets the callback for sweeps; without it, they are not reported. */
void dash_import_report_sweeps(struct dash_import *import, dash_import_sweep_fn *on_result);
/*
 * Sets the handling of other content under an existing run_id; the default is to skip it. The same content is always a
 * duplicate, so the same files can be imported again. deleted_stays: never restores a deleted result; else
 * STORE_REPLACE does.
 */
void dash_import_choose(struct dash_import *import, enum store_conflict_policy on_conflict,
			bool deleted_stays);
/* Unfinished documents are not stored. */
void dash_import_free(struct dash_import *import);
PL_AUTO_DEFINE(struct dash_import, dash_import_free);
#define auto_dash_import PL_AUTO(dash_import_free)

/* Returns -1 if the store failed. An unreadable file is rejected, as is an unreadable document. */
int dash_import_file(struct dash_import *import, const char *path,
		     struct pl_err *err) PL_MUST_CHECK;
/* Stores the remaining documents. If it fails, documents that are not stored yet are discarded. */
int dash_import_finish(struct dash_import *import, struct pl_err *err) PL_MUST_CHECK;
