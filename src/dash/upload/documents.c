/*
 * A small upload may be compressed, so its size in memory is limited for the complete job: a job that ends the process
 * would be processed again at the next start.
 */
#include "dash/upload/documents.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/gz.h"
#include "base/text.h"
#include "base/zst.h"
#include "dash/contract.h"

/* Limit of all files, decompressed. A single file may be as large. */
#define BYTES_MAX STORE_PARTS_BYTES_MAX
/* Limit of compressed files over the limit: each costs as much work as all accepted ones. */
#define TOO_LARGE_MAX 4
/* Limit of a name in a message, because text follows it. */
#define NAME_SHOWN_MAX 1000

/* The files of a job while they are split into documents. */
struct cutting {
	struct dash_documents *documents;
	size_t documents_max;
	size_t bytes_left;
	size_t too_large;
	size_t file; /* index of the current file */
};

static void add(struct cutting *cutting, const struct dash_document *document)
{
	struct dash_documents *documents = cutting->documents;
	struct dash_document *added = PL_PUSH(documents->items, documents->count, documents->room);

	*added = *document;
	added->file = cutting->file;
}

static void add_fault(struct cutting *cutting, const char *name, const struct pl_err *err)
{
	add(cutting,
	    &(struct dash_document){ .bytes = "", .name = name, .fault = pl_strdup(err->text) });
}

static bool is_packed(const char *bytes, size_t len)
{
	return pl_zst_is(bytes, len) || pl_gz_is(bytes, len);
}

static int refuse_bytes(const struct cutting *cutting, const char *name, struct pl_err *err)
{
	char most[PL_BYTES_TEXT_BYTES], left[PL_BYTES_TEXT_BYTES];

	pl_text_from_bytes(BYTES_MAX, most);
	if (cutting->bytes_left == BYTES_MAX)
		return pl_err_invalid(err,
				      "'%s' was not read: after decompression, it exceeds the "
				      "limit of %s per upload",
				      name, most);
	return pl_err_invalid(
		err, "'%s' was not read: one upload may have %s after decompression, and %s remain",
		name, most, pl_text_from_bytes(cutting->bytes_left, left));
}

/* *ret_text: free(), if the file was compressed. */
static int unpack(struct cutting *cutting, const char *name, char **ret_text, const char **bytes,
		  size_t *len, struct pl_err *err)
{
	if (!is_packed(*bytes, *len))
		return *len <= cutting->bytes_left ? 0 : refuse_bytes(cutting, name, err);
	if (cutting->too_large >= TOO_LARGE_MAX)
		return refuse_bytes(cutting, name, err);
	if ((pl_zst_is(*bytes, *len)
		     ? pl_zst_unpack(*bytes, *len, cutting->bytes_left, name, ret_text, len, err)
		     : pl_gz_unpack(*bytes, *len, cutting->bytes_left, name, ret_text, len, err)) <
	    0) {
		if (!pl_text_ends(err->text, " after decompression"))
			return -1;
		cutting->too_large++;
		return refuse_bytes(cutting, name, err);
	}
	*bytes = *ret_text;
	/* double compression can only serve to evade the limit */
	if (is_packed(*bytes, *len))
		return pl_err_invalid(err, "'%s' is compressed twice", name);
	return 0;
}

static int cut_file(struct cutting *cutting, const char *bytes, size_t len, const char *name,
		    struct store_parts *parts, struct pl_err *err)
{
	auto_free char *shown = pl_asprintf("%.*s", NAME_SHOWN_MAX, name);
	auto_free char *text = NULL;

	if (cutting->documents->count >= cutting->documents_max)
		return pl_err_invalid(
			err, "'%s' was not read: one upload may have at most %zu documents", shown,
			cutting->documents_max);
	if (unpack(cutting, shown, &text, &bytes, &len, err) < 0 ||
	    store_parts_of(bytes, len, name, parts, err) < 0)
		return -1;
	cutting->bytes_left -= len;
	if (parts->count > 0)
		return 0;
	store_parts_done(parts);
	return pl_err_invalid(err, "'%s' contains no document", shown);
}

/* Adds a file, which may be compressed and may contain many documents. */
static void add_file(struct cutting *cutting, const char *bytes, size_t len, const char *name,
		     struct store_parts *parts)
{
	struct dash_documents *documents = cutting->documents;
	struct pl_err err = PL_ERR_INIT;

	if (cut_file(cutting, bytes, len, name, parts, &err) < 0) {
		*parts = (struct store_parts){ 0 };
		add_fault(cutting, name, &err);
		return;
	}
	for (size_t i = 0; i < parts->count; i++) {
		if (documents->count >= cutting->documents_max) {
			pl_err_invalid(&err,
				       "%zu of its documents were not read: one upload may have at "
				       "most %zu",
				       parts->count - i, cutting->documents_max);
			add_fault(cutting, name, &err);
			return;
		}
		add(cutting, &(struct dash_document){ .bytes = parts->items[i].bytes,
						      .len = parts->items[i].len,
						      .name = parts->items[i].name,
						      .line = parts->items[i].line });
	}
}

static void add_form(struct cutting *cutting, const char *media, const char *name,
		     const char *bytes, size_t len)
{
	struct dash_documents *documents = cutting->documents;
	struct pl_err err = PL_ERR_INIT;

	if (dash_form_read(media, bytes, len, &documents->form, &err) < 0) {
		documents->form = (struct dash_form){ 0 };
		add_fault(cutting, name, &err);
		return;
	}
	documents->part_count = documents->form.count;
	documents->parts = pl_alloc_array(documents->part_count, sizeof(*documents->parts));
	for (size_t i = 0; i < documents->form.count; i++) {
		const struct dash_form_file *file = &documents->form.files[i];
		cutting->file = i;
		add_file(cutting, file->bytes, file->len, file->name, &documents->parts[i]);
	}
}

void dash_documents_of(const char *kind, const char *media, const char *name, const char *bytes,
		       size_t len, struct dash_documents *ret)
{
	bool is_batch = strcmp(kind, DASH_JOB_BATCH) == 0;
	/* store/documents/parts.h limits a single file */
	struct cutting cutting = { .documents = ret,
				   .documents_max = is_batch ? DASH_FORM_FILES_MAX : SIZE_MAX,
				   .bytes_left = BYTES_MAX };

	*ret = (struct dash_documents){ 0 };
	if (strcmp(kind, DASH_JOB_JSON) == 0) {
		add(&cutting,
		    &(struct dash_document){ .bytes = bytes, .len = len, .name = name, .line = 1 });
	} else if (is_batch && dash_media_is(media, DASH_MEDIA_FORM)) {
		add_form(&cutting, media, name, bytes, len);
	} else {
		ret->part_count = 1;
		ret->parts = pl_alloc_array(1, sizeof(*ret->parts));
		add_file(&cutting, bytes, len, name, &ret->parts[0]);
	}
}

void dash_documents_done(struct dash_documents *documents)
{
	for (size_t i = 0; i < documents->count; i++)
		free(documents->items[i].fault);
	free(documents->items);
	for (size_t i = 0; i < documents->part_count; i++)
		store_parts_done(&documents->parts[i]);
	free(documents->parts);
	dash_form_done(&documents->form);
	*documents = (struct dash_documents){ 0 };
}
