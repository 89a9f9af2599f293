/*
 * A transaction costs a sync, so several documents share one. They are read, checked and compressed before it begins,
 * because other writers, such as a server with an upload, wait while it is open.
 */
#include "dash/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "dash/import/sweep.h"
#include "result/artifacts.h"
#include "result/files.h"
#include "store/artifacts/artifact.h"
#include "store/documents/parts.h"

#define BATCH_COUNT 64
#define BATCH_BYTES (4u << 20)
#define BLOCK_BYTES 65536

struct waiting {
	char *path;
	char *name;
	struct store_document document;
	struct store_prepared *prepared; /* NULL: rejected */
	char *message;
	bool is_unread;
	json_t *faults;
	struct store_put_result result;
};

struct dash_import {
	struct store *store;
	const struct store_reader *reader;
	dash_import_fn *on_result;
	dash_import_artifact_fn *on_artifact;
	dash_import_sweep_fn *on_sweep;
	struct dash_contract *contract; /* set when a sweep's summary was found */
	void *context;
	struct store_choice choice;
	struct waiting waiting[BATCH_COUNT];
	size_t count;
	size_t bytes;
};

struct dash_import *dash_import_new(struct store *store, const struct store_reader *reader,
				    dash_import_fn *on_result, dash_import_artifact_fn *artifact,
				    void *context)
{
	struct dash_import *import = pl_alloc(sizeof(*import));

	import->store = store;
	import->reader = reader;
	import->on_result = on_result;
	import->on_artifact = artifact;
	import->context = context;
	return import;
}

void dash_import_choose(struct dash_import *import, enum store_conflict_policy on_conflict,
			bool deleted_stays)
{
	import->choice = (struct store_choice){ .on_conflict = on_conflict,
						.same_stays = true,
						.deleted_stays = deleted_stays };
}

void dash_import_report_sweeps(struct dash_import *import, dash_import_sweep_fn *on_result)
{
	import->on_sweep = on_result;
}

static void forget(struct dash_import *import)
{
	for (size_t i = 0; i < import->count; i++) {
		struct waiting *waiting = &import->waiting[i];
		free(waiting->path);
		free(waiting->name);
		free(waiting->message);
		json_decref(waiting->faults);
		store_prepared_free(waiting->prepared);
		store_document_done(&waiting->document);
		*waiting = (struct waiting){ 0 };
	}
	import->count = 0;
	import->bytes = 0;
}

void dash_import_free(struct dash_import *import)
{
	if (import == NULL)
		return;
	forget(import);
	dash_contract_free(import->contract);
	free(import);
}

/* ---- artifacts ----------------------------------------------------------------------------- */

static int copy(struct store_artifact_in *in, int fd, struct pl_err *err)
{
	char block[BLOCK_BYTES];
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(fd, block, sizeof(block)))) > 0) {
		if (store_artifact_write(in, block, (size_t)got, err) < 0)
			return -1;
	}
	return got < 0 ? pl_err_errno(err, "could not be read") : 0;
}

static int put_file(struct store *store, const struct res_artifact *candidate, struct pl_err *err)
{
	auto_fd int fd = open(candidate->path, O_RDONLY | O_CLOEXEC);
	struct store_artifact_in *in;
	bool is_new;

	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", candidate->path);
	if (store_artifact_begin(store, candidate->run_id, candidate->kind, candidate->name, &in,
				 err) < 0)
		return -1;
	int result = copy(in, fd, err) < 0
			     ? -1
			     : store_artifact_end(in, candidate->sha256, &is_new, err);
	store_artifact_free(in);
	return result;
}

static bool has(const struct store_artifacts *stored, const struct res_artifact *candidate)
{
	const struct store_artifact *artifact = store_artifacts_find(stored, candidate->kind,
								     candidate->name);

	return artifact != NULL && artifact->stored_at != NULL &&
	       strcmp(artifact->sha256, candidate->sha256) == 0;
}

static struct dash_imported_artifact artifact_of(const struct res_artifact *candidate,
						 const char *state)
{
	return (struct dash_imported_artifact){ .path = candidate->path,
						.kind = candidate->kind,
						.name = candidate->name,
						.state = state };
}

/* Stores a missing artifact, and records the outcome. */
static void import_artifacts(struct dash_import *import, const struct res_artifact *candidate,
			     struct dash_imported_artifact *on_result, struct pl_err *err)
{
	int64_t bytes;
	enum res_artifact_state state = res_artifact_check(candidate, &bytes, err);

	if (state == RES_ARTIFACT_INTACT && put_file(import->store, candidate, err) == 0)
		return;
	if (state == RES_ARTIFACT_MISSING) {
		on_result->state = "missing";
		on_result->message = "the file is not in the directory of the result";
	} else if (state == RES_ARTIFACT_CHANGED) {
		on_result->state = "changed";
		on_result->message = "the file changed after the run";
	} else {
		on_result->state = "failed";
		on_result->message = err->text;
	}
}

static void take_artifacts(struct dash_import *import, const struct dash_imported *imported,
			   const struct store_artifacts *stored,
			   const struct res_artifact *candidate)
{
	struct dash_imported_artifact on_result = artifact_of(candidate, "stored");
	struct pl_err err = PL_ERR_INIT;

	if (has(stored, candidate))
		on_result.state = "duplicate";
	else
		import_artifacts(import, candidate, &on_result, &err);
	import->on_artifact(import->context, imported, &on_result);
}

/* Imports the artifacts of a stored result. Those of a conflict belong to another result. */
static void take_besides(struct dash_import *import, const struct dash_imported *imported)
{
	auto_res_artifacts besides = { 0 };
	auto_artifacts stored = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (import->on_artifact == NULL || imported->document == NULL ||
	    (imported->outcome != STORE_STORED && imported->outcome != STORE_DUPLICATE))
		return;
	res_artifacts_add(imported->document->json, imported->path, &besides);
	if (besides.count == 0)
		return;
	if (store_artifacts_of(import->store, imported->id, &stored, &err) < 0) {
		/* Records that the stored artifacts are currently unknown. */
		for (size_t i = 0; i < besides.count; i++) {
			struct dash_imported_artifact on_result = artifact_of(&besides.items[i],
									      "failed");
			on_result.message = err.text;
			import->on_artifact(import->context, imported, &on_result);
		}
		return;
	}
	for (size_t i = 0; i < besides.count; i++)
		take_artifacts(import, imported, &stored, &besides.items[i]);
}

static int put_all(struct dash_import *import, struct pl_err *err)
{
	struct pl_err later = PL_ERR_INIT;
	int result = 0;

	if (store_batch_begin(import->store, err) < 0)
		return -1;
	for (size_t i = 0; i < import->count && result == 0; i++) {
		struct waiting *waiting = &import->waiting[i];
		if (waiting->prepared != NULL)
			result = store_put_as(import->store, waiting->prepared, &import->choice,
					      &waiting->result, err);
	}
	/* returns the first failure again */
	if (store_batch_end(import->store, result < 0 ? &later : err) < 0)
		return -1;
	return result;
}

/* Returns whether waiting cannot change it. */
static bool is_lasting(const struct pl_err *err)
{
	return err->code == PL_ERR_INVALID || err->code == PL_ERR_INTERNAL;
}

static void reject(struct waiting *waiting, const struct pl_err *err, json_t *faults)
{
	waiting->message = pl_strdup(err->text);
	waiting->faults = faults;
}

/* Rejects documents that the store refuses, so that they do not block the others. */
static int put_each(struct dash_import *import, struct pl_err *err)
{
	for (size_t i = 0; i < import->count; i++) {
		struct waiting *waiting = &import->waiting[i];
		if (waiting->prepared == NULL ||
		    store_put_as(import->store, waiting->prepared, &import->choice,
				 &waiting->result, err) == 0)
			continue;
		if (!is_lasting(err))
			return -1;
		json_t *faults = json_array();
		json_array_append_new(faults, store_fault_new("", 0, err->text));
		reject(waiting, err, faults);
		store_prepared_free(pl_take(waiting->prepared));
	}
	return 0;
}

static bool has_documents(const struct dash_import *import)
{
	for (size_t i = 0; i < import->count; i++) {
		if (import->waiting[i].prepared != NULL)
			return true;
	}
	return false;
}

int dash_import_finish(struct dash_import *import, struct pl_err *err)
{
	if (has_documents(import) && put_all(import, err) < 0 &&
	    (!is_lasting(err) || put_each(import, err) < 0)) {
		forget(import);
		return -1;
	}
	for (size_t i = 0; i < import->count; i++) {
		const struct waiting *waiting = &import->waiting[i];
		bool is_rejected = waiting->prepared == NULL;
		const struct dash_imported imported = {
			.path = waiting->path,
			.name = waiting->name,
			.outcome = is_rejected ? STORE_REJECTED : waiting->result.outcome,
			.document = is_rejected ? NULL : &waiting->document,
			.id = waiting->result.id,
			.is_deleted = waiting->result.is_deleted,
			.message = waiting->message,
			.is_unread = waiting->is_unread,
			.faults = is_rejected ? waiting->faults : waiting->document.notes,
		};
		import->on_result(import->context, &imported);
		take_besides(import, &imported);
	}
	forget(import);
	return 0;
}

static struct waiting *add(struct dash_import *import, const char *path, const char *name)
{
	struct waiting *waiting = &import->waiting[import->count++];

	waiting->path = pl_strdup(path);
	const char *slash = strrchr(path, '/');
	waiting->name = pl_strdup(name + (slash != NULL ? slash + 1 - path : 0));
	return waiting;
}

static int take_part(struct dash_import *import, const char *path, const struct store_part *part,
		     struct pl_err *err)
{
	struct pl_err why = PL_ERR_INIT;
	json_t *faults = NULL;

	struct waiting *waiting = add(import, path, part->name);
	import->bytes += part->len;
	const struct store_source source = {
		.bytes = part->bytes, .len = part->len, .name = part->name, .line = part->line
	};
	if (store_document_read(import->reader, &source, &waiting->document, &faults, &why) < 0)
		reject(waiting, &why, faults);
	else
		waiting->prepared = store_prepare(import->store, &waiting->document, waiting->name);
	if (import->count == BATCH_COUNT || import->bytes >= BATCH_BYTES)
		return dash_import_finish(import, err);
	return 0;
}

/* *ret_unread: the content is unknown, and may be readable later. */
static int read_parts(const char *path, struct store_parts *ret, bool *ret_unread,
		      struct pl_err *err)
{
	auto_free char *bytes = NULL;
	size_t len = 0;

	if (pl_file_read(path, STORE_PARTS_BYTES_MAX, &bytes, &len, err) < 0) {
		*ret_unread = err->code != PL_ERR_INVALID;
		return -1;
	}
	return store_parts_of(bytes, len, path, ret, err);
}

/* Returns 1 if it is a summary, which was reported; 0 for any other file; -1 if the store failed. */
static int take_sweep(struct dash_import *import, const char *path, struct pl_err *err)
{
	auto_free char *id = NULL;
	auto_free char *message = NULL;

	if (!res_may_be_sweep(path))
		return 0;
	if ((import->contract == NULL && dash_contract_open(&import->contract, err) < 0) ||
	    dash_import_sweep(import->store, import->contract, path, &id, &message, err) < 0)
		return -1;
	if (id != NULL && import->on_sweep != NULL)
		import->on_sweep(import->context,
				 &(struct dash_imported_sweep){ path, id, message });
	return id != NULL;
}

int dash_import_file(struct dash_import *import, const char *path, struct pl_err *err)
{
	int is_sweep = take_sweep(import, path, err);
	struct pl_err why = PL_ERR_INIT;
	auto_store_parts parts = { 0 };
	bool is_unread = false;

	if (is_sweep != 0)
		return is_sweep < 0 ? -1 : 0;
	if (read_parts(path, &parts, &is_unread, &why) < 0) {
		json_t *faults = json_array();
		json_array_append_new(faults, store_fault_new("", 0, why.text));
		struct waiting *waiting = add(import, path, path);
		waiting->is_unread = is_unread;
		reject(waiting, &why, faults);
		return import->count == BATCH_COUNT ? dash_import_finish(import, err) : 0;
	}
	for (size_t i = 0; i < parts.count; i++) {
		if (take_part(import, path, &parts.items[i], err) < 0)
			return -1;
	}
	return 0;
}
