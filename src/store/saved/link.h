/*
 * States of the page that are too long for an address, each under a short id.
 *
 * - The id is made of the state's bytes: the same state has the same id, wherever and whenever it is kept.
 *   The first letters of a hash in base64url; more of them where two states have the same.
 * - None is ever forgotten, for the id stands in somebody's notes; so there is room for
 *   STORE_LINKS_MAX of them and for STORE_LINKS_BYTES_MAX in all.
 */
#pragma once

#include "store/store.h"

#define STORE_LINKS_MAX       100000
#define STORE_LINKS_BYTES_MAX (256u << 20)

/* *ret_id (free()); NULL: there is no room. On the disk when it is answered. */
int store_link_put(struct store *store, const char *state, char **ret_id,
		   struct pl_err *err) PL_MUST_CHECK;

struct store_link {
	char *state; /* NULL: there is none by that id */
	char *created;
};
int store_link_get(struct store *store, const char *id, struct store_link *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void store_link_done(struct store_link *link);
#define auto_link __attribute__((cleanup(store_link_done), unused)) struct store_link
