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
	const char *message;                   /* of a rejected one; else NULL */
	const json_t *faults;                  /* as of store_document_read(), notes of others */
};

/* Called once a document, in the order of the files. */
typedef void dash_import_fn(void *context, const struct dash_imported *imported);

struct dash_import;
/* Borrows all. */
struct dash_import *dash_import_new(struct store *store, const struct store_reader *reader,
				    dash_import_fn *told, void *context);
/* What is not finished is not stored. */
void dash_import_free(struct dash_import *import);
PL_AUTO_DEFINE(struct dash_import, dash_import_free);
#define auto_dash_import PL_AUTO(dash_import_free)

/* -1: the store has failed; a file that cannot be read is rejected, as what is in it. */
int dash_import_file(struct dash_import *import, const char *path,
		     struct pl_err *err) PL_MUST_CHECK;
/* The rest of what was given. */
int dash_import_finish(struct dash_import *import, struct pl_err *err) PL_MUST_CHECK;
