/*
 * States of the web UI that are too long for a URL, each stored under a short id.
 * - The id is derived from the state's bytes: the first letters of a hash in base64url, and more of them on a
 *   collision. The same state has the same id in every database.
 * - Links are never removed, because users save them. So there is room for STORE_LINKS_MAX of them and
 *   STORE_LINKS_BYTES_MAX in total.
 */
#pragma once

#include "store/store.h"

#define STORE_LINKS_MAX       100000
#define STORE_LINKS_BYTES_MAX (256u << 20)

/* *ret_id (free()); NULL: no room. On disk when it returns. */
int store_link_put(struct store *store, const char *state, char **ret_id,
		   struct pl_err *err) PL_MUST_CHECK;

struct store_link {
	char *state; /* NULL: no link has this id */
	char *created;
};
int store_link_get(struct store *store, const char *id, struct store_link *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void store_link_done(struct store_link *link);
#define auto_link __attribute__((cleanup(store_link_done), unused)) struct store_link
