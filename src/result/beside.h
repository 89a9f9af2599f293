/*
 * The files that a result names as its artifacts, where they lie: beside it.
 *
 * A result may have come from anywhere: what it names is looked for in its own folder only, a plain file, and is
 * known again by its SHA-256.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An artifact of a document; texts but the path are the document's. */
struct res_beside {
	const char *run_id;
	const char *kind;
	const char *name;
	const char *sha256;
	int64_t bytes; /* -1: not told */
	char *path;    /* free() */
};
struct res_besides {
	struct res_beside *items;
	size_t count;
	size_t room;
	json_t *documents; /* that the texts belong to */
};

/* Of a document of ours in the file `path`; adds to *ret. One that has no run_id has none. */
void res_beside_add(json_t *document, const char *path, struct res_besides *ret);
/*
 * Of every document of ours in a file: one, an array, or one a line; packed (zstd, gzip) too. What cannot be read has none:
 * who takes results in says why.
 */
void res_beside_of_file(const char *path, size_t bytes_max, struct res_besides *ret);
void res_beside_done(struct res_besides *besides);
#define auto_besides __attribute__((cleanup(res_beside_done), unused)) struct res_besides

enum res_beside_state {
	RES_BESIDE_THERE,
	RES_BESIDE_ABSENT,  /* no plain file is there by that name */
	RES_BESIDE_CHANGED, /* its bytes are others than the result says */
	RES_BESIDE_UNREAD,  /* it cannot be read just now: why is in *err */
};
/* Reads all of it, unless it is longer or shorter than the result says. *ret_bytes: how many it has. */
enum res_beside_state res_beside_look(const struct res_beside *beside, int64_t *ret_bytes,
				      struct pl_err *err);
