/*
 * The artifact files that a result names, in the result's own directory.
 *
 * A result may come from any source: its artifacts are looked for only in its own directory, must
 * be regular files, and are identified by SHA-256.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An artifact of a document; texts except the path are borrowed from the document. */
struct res_artifact {
	const char *run_id;
	const char *kind;
	const char *name;
	const char *sha256;
	int64_t bytes; /* -1: unknown */
	char *path;    /* free() */
};
struct res_artifacts {
	struct res_artifact *items;
	size_t count;
	size_t room;
	json_t *documents; /* own the texts */
};

/* Adds the artifacts of a result document in the file `path` to *ret; none if it has no run_id. */
void res_artifacts_add(json_t *document, const char *path, struct res_artifacts *ret);
/*
 * Adds the artifacts of every result document in a file: a single document, an array, or one per
 * line, also compressed (zstd, gzip). Ignores documents that cannot be read, because the import
 * reports why.
 */
void res_artifacts_of_file(const char *path, size_t bytes_max, struct res_artifacts *ret);
void res_artifacts_done(struct res_artifacts *besides);
#define auto_res_artifacts __attribute__((cleanup(res_artifacts_done), unused)) struct res_artifacts

enum res_artifact_state {
	RES_ARTIFACT_INTACT,
	RES_ARTIFACT_MISSING,    /* no regular file has this name */
	RES_ARTIFACT_CHANGED,    /* its bytes differ from the result's SHA-256 */
	RES_ARTIFACT_UNREADABLE, /* it could not be read: the reason is in *err */
};
/* Reads the whole file, unless its size differs from the result. *ret_bytes: its size. */
enum res_artifact_state res_artifact_check(const struct res_artifact *artifact, int64_t *ret_bytes,
					   struct pl_err *err);
