/*
 * Files into the store. What is told of a document as stored is on the disk: a kill in between loses
 * what was not told yet, and the same call again takes the rest.
 */
#pragma once

#include "store/store.h"

/* One document, or a file that holds none that can be read. Valid during the call. */
struct dash_imported {
	const char *path;
	const char *name; /* of the document: its file's, or "r.jsonl:3" */
	enum store_outcome outcome;
	const struct store_document *document; /* NULL: rejected */
	int64_t id;                            /* of the result that is there; 0: rejected */
	bool is_deleted;                       /* that one was deleted */
	const char *message;                   /* of a rejected one; else NULL */
	bool is_unread;       /* it is rejected because its file cannot be read just now */
	const json_t *faults; /* as of store_document_read(), notes of others */
};

/* A file beside a result that is in the store, which its document names. Valid during the call. */
struct dash_imported_artifact {
	const char *path;
	const char *kind;
	const char *name;
	const char *state; /* "stored", "duplicate", "missing", "changed", "failed" */
	const char *message;
};

/* Called once a document, in the order of the files, and behind it once each of its artifacts. */
typedef void dash_import_fn(void *context, const struct dash_imported *imported);
typedef void dash_import_artifact_fn(void *context, const struct dash_imported *imported,
				     const struct dash_imported_artifact *artifact);

/* A sweep's summary, which is none of the results. Valid during the call. */
struct dash_imported_sweep {
	const char *path;
	const char *id;
	const char *message; /* why it is not kept; NULL: it is, in place of what was told before */
};
typedef void dash_import_sweep_fn(void *context, const struct dash_imported_sweep *sweep);

struct dash_import;
/* Borrows all. `artifact` NULL: results alone are taken. */
struct dash_import *dash_import_new(struct store *store, const struct store_reader *reader,
				    dash_import_fn *told, dash_import_artifact_fn *artifact,
				    void *context);
/* Without it nobody is told of sweeps. */
void dash_import_tell_sweeps(struct dash_import *import, dash_import_sweep_fn *told);
/*
 * What is done with other content under a run_id that is there; without it that is skipped. The same content is a
 * duplicate whatever is chosen, so that the same files can be taken again. deleted_stays: nothing that was deleted is
 * brought back; else STORE_REPLACE does that.
 */
void dash_import_choose(struct dash_import *import, enum store_known on_conflict,
			bool deleted_stays);
/* What is not finished is not stored. */
void dash_import_free(struct dash_import *import);
PL_AUTO_DEFINE(struct dash_import, dash_import_free);
#define auto_dash_import PL_AUTO(dash_import_free)

/* -1: the store has failed; a file that cannot be read is rejected, as what is in it. */
int dash_import_file(struct dash_import *import, const char *path,
		     struct pl_err *err) PL_MUST_CHECK;
/* The rest of what was given. What was given and is not in the store by then is forgotten where it fails. */
int dash_import_finish(struct dash_import *import, struct pl_err *err) PL_MUST_CHECK;
