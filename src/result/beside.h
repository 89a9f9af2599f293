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
struct res_beside {
	const char *run_id;
	const char *kind;
	const char *name;
	const char *sha256;
	int64_t bytes; /* -1: unknown */
	char *path;    /* free() */
};
struct res_besides {
	struct res_beside *items;
	size_t count;
	size_t room;
	json_t *documents; /* own the texts */
};

/* Adds the artifacts of a result document in the file `path` to *ret; none if it has no run_id. */
void res_beside_add(json_t *document, const char *path, struct res_besides *ret);
/*
 * Adds the artifacts of every result document in a file: a single document, an array, or one per
 * line, also compressed (zstd, gzip). Ignores documents that cannot be read, because the import
 * reports why.
 */
void res_beside_of_file(const char *path, size_t bytes_max, struct res_besides *ret);
void res_beside_done(struct res_besides *besides);
#define auto_besides __attribute__((cleanup(res_beside_done), unused)) struct res_besides

enum res_beside_state {
	RES_BESIDE_THERE,
	RES_BESIDE_ABSENT,  /* no regular file has this name */
	RES_BESIDE_CHANGED, /* its bytes differ from the result's SHA-256 */
	RES_BESIDE_UNREAD,  /* it could not be read: the reason is in *err */
};
/* Reads the whole file, unless its size differs from the result. *ret_bytes: its size. */
enum res_beside_state res_beside_look(const struct res_beside *beside, int64_t *ret_bytes,
				      struct pl_err *err);
