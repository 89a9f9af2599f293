/*
 * Artifacts whose text takes long to read. They are read once, soon after they arrive or when they are first requested,
 * and what was read is kept in a file (store/artifacts/prepared.h), so that it is fast to open even after a restart. A
 * thread reads and writes these files. For any thread.
 */
#pragma once

#include "dash/parsed/parsed.h"
#include "store/artifacts/prepared.h"

struct mirror_cancel_token;
struct store_artifact;

struct dash_prepared_kind {
	struct dash_parsed_kind parsed;
	const char *name; /* the kind of the artifacts */
	/* Reads the text of an artifact. cancel_token NULL: never canceled. */
	int (*read)(struct store *store, const struct store_artifact *artifact,
		    struct mirror_cancel_token *cancel_token, size_t bytes_max, void **ret,
		    struct pl_err *err);
	store_prepared_save_fn *save;
	int (*load)(int fd, size_t bytes_max, void **ret, struct pl_err *err);
};

struct dash_prepared;
int dash_prepared_start(struct store *store, struct dash_parsed_cache *cache,
			struct dash_prepared **ret, struct pl_err *err) PL_MUST_CHECK;
/* Ends the thread, and frees. Accepts NULL. */
void dash_prepared_stop(struct dash_prepared *prepared);

/* Sets *ret to a new reference: from the cache, from a prepared file, or else from the text. Errors: dash_parsed_open(). */
int dash_prepared_open(struct dash_prepared *prepared, const struct dash_prepared_kind *kind,
		       const struct store_artifact *artifact,
		       struct mirror_cancel_token *cancel_token, void **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Has the thread read an artifact that was just stored, unless it is small, or many others wait. */
void dash_prepared_add(struct dash_prepared *prepared, const struct dash_prepared_kind *kind,
		       const struct store_artifact *artifact);
