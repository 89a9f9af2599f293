#include "dash/upload/documents.h"

#include <stdlib.h>
#include <string.h>

#include "dash/contract.h"

static void add(struct dash_documents *documents, const struct dash_document *document)
{
	*PL_PUSH(documents->items, documents->count, documents->room) = *document;
}

static void add_fault(struct dash_documents *documents, const char *name, const struct pl_err *err)
{
	add(documents,
	    &(struct dash_document){ .bytes = "", .name = name, .fault = pl_strdup(err->text) });
}

/* A file, which may be packed and may hold many. */
static void add_file(struct dash_documents *documents, const char *bytes, size_t len,
		     const char *name, struct store_parts *parts)
{
	struct pl_err err = PL_ERR_INIT;

	if (store_parts_of(bytes, len, name, parts, &err) < 0) {
		*parts = (struct store_parts){ 0 };
		add_fault(documents, name, &err);
		return;
	}
	for (size_t i = 0; i < parts->count; i++)
		add(documents, &(struct dash_document){ .bytes = parts->items[i].bytes,
							.len = parts->items[i].len,
							.name = parts->items[i].name });
}

static void add_form(struct dash_documents *documents, const char *media, const char *name,
		     const char *bytes, size_t len)
{
	struct pl_err err = PL_ERR_INIT;

	if (dash_form_read(media, bytes, len, &documents->form, &err) < 0) {
		documents->form = (struct dash_form){ 0 };
		add_fault(documents, name, &err);
		return;
	}
	documents->part_count = documents->form.count;
	documents->parts = pl_alloc_array(documents->part_count, sizeof(*documents->parts));
	for (size_t i = 0; i < documents->form.count; i++) {
		const struct dash_form_file *file = &documents->form.files[i];
		add_file(documents, file->bytes, file->len, file->name, &documents->parts[i]);
	}
}

void dash_documents_of(const char *kind, const char *media, const char *name, const char *bytes,
		       size_t len, struct dash_documents *ret)
{
	*ret = (struct dash_documents){ 0 };
	if (strcmp(kind, DASH_JOB_JSON) == 0) {
		add(ret, &(struct dash_document){ .bytes = bytes, .len = len, .name = name });
	} else if (strcmp(kind, DASH_JOB_BATCH) == 0 && dash_media_is(media, DASH_MEDIA_FORM)) {
		add_form(ret, media, name, bytes, len);
	} else {
		ret->part_count = 1;
		ret->parts = pl_alloc_array(1, sizeof(*ret->parts));
		add_file(ret, bytes, len, name, &ret->parts[0]);
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
