/*
 * States of the web UI that are too long for a URL, each stored under a short id.
 * - The id is derived from the state's bytes: the first letters of a hash in base64url, and more of them on a
 *   collision. The same state has the same id in every database.
 * - Links are never removed, because users save them. So there is room for STORE_LINKS_MAX of them and
 *   STORE_LINKS_BYTES_MAX in total. A user may take a fiftieth of both, so that no user can keep the others out.
 */
#pragma once

#include "store/store.h"

#define STORE_LINKS_MAX       100000
#define STORE_LINKS_BYTES_MAX (256u << 20)

#define STORE_LINKS_OF_USER_MAX       (STORE_LINKS_MAX / 50)
#define STORE_LINKS_OF_USER_BYTES_MAX (STORE_LINKS_BYTES_MAX / 50)

enum store_link_outcome {
	STORE_LINK_OK,
	STORE_LINK_FULL,         /* the limit of all users is reached */
	STORE_LINK_FULL_OF_USER, /* the limit of this user is reached */
};

/* `author`: the user; NULL: there are no users, so only the limits of all hold. *ret_id (free()), if the outcome is OK.
 * On disk when it returns. */
int store_link_put(struct store *store, const char *state, const char *author,
		   enum store_link_outcome *ret_outcome, char **ret_id,
		   struct pl_err *err) PL_MUST_CHECK;

struct store_link {
	char *state; /* NULL: no link has this id */
	char *created;
};
int store_link_get(struct store *store, const char *id, struct store_link *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void store_link_done(struct store_link *link);
#define auto_link __attribute__((cleanup(store_link_done), unused)) struct store_link
