/*
 * The bytes of a job as documents, in an order that is the same each time, so that a job that was
 * interrupted goes on where it was.
 *
 * Bounded, unpacked, over all files: STORE_PARTS_BYTES_MAX bytes, and of a batch DASH_FORM_FILES_MAX
 * documents. A file that goes beyond is one document with its fault, and so is the rest of one that
 * holds more documents than are left, and one that holds none.
 */
#pragma once

#include "dash/upload/form.h"
#include "store/documents/parts.h"

/* Kinds of jobs, as the routes are called. */
#define DASH_JOB_JSON  "json"
#define DASH_JOB_BATCH "batch"
#define DASH_JOB_RAW   "raw"

#define DASH_MEDIA_FORM "multipart/form-data"

struct dash_document {
	const char *bytes; /* borrowed from the job, or from a part */
	size_t len;
	const char *name;
	int line;    /* of the file, where it begins */
	size_t file; /* which one of the files that came, from 0 */
	char *fault; /* why there are no bytes to read; NULL: there are */
};

struct dash_documents {
	struct dash_document *items;
	size_t count;
	size_t room;
	struct dash_form form;
	struct store_parts *parts; /* of each file */
	size_t part_count;
};

/* Overwrites *ret. What cannot be cut is one document with its fault. All strings are borrowed. */
void dash_documents_of(const char *kind, const char *media, const char *name, const char *bytes,
		       size_t len, struct dash_documents *ret);
void dash_documents_done(struct dash_documents *documents);
#define auto_documents __attribute__((cleanup(dash_documents_done), unused)) struct dash_documents
