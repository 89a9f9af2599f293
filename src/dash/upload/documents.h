/*
 * The bytes of a job as documents, in a reproducible order, so that an interrupted job can continue. Limits over all
 * files, decompressed: STORE_PARTS_BYTES_MAX bytes, and DASH_FORM_FILES_MAX documents per batch. A file over the limit
 * becomes one document with an error. So do the documents of a file after the limit, and a file without documents.
 */
#pragma once

#include "dash/upload/form.h"
#include "store/documents/parts.h"

/* Kinds of jobs, named like their routes. */
#define DASH_JOB_JSON  "json"
#define DASH_JOB_BATCH "batch"
#define DASH_JOB_RAW   "raw"

#define DASH_MEDIA_FORM "multipart/form-data"

struct dash_document {
	const char *bytes; /* borrowed from the job, or from a part */
	size_t len;
	const char *name;
	int line;    /* of the file, where it starts */
	size_t file; /* index of the uploaded file, from 0 */
	char *fault; /* why it is unreadable; NULL: readable */
};

struct dash_documents {
	struct dash_document *items;
	size_t count;
	size_t room;
	struct dash_form form;
	struct store_parts *parts; /* of each file */
	size_t part_count;
};

/* Overwrites *ret. A file that cannot be split is one document with an error. All strings are borrowed. */
void dash_documents_of(const char *kind, const char *media, const char *name, const char *bytes,
		       size_t len, struct dash_documents *ret);
void dash_documents_done(struct dash_documents *documents);
