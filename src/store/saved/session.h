/*
 * Sessions of users who have signed in (dash/access/sessions.h), for all processes of a database. The database has only
 * the SHA-256 of a session's id, so it does not grant access.
 */
#pragma once

#include "store/store.h"

#define STORE_SESSIONS_MAX 10000

struct store_session {
	char hash[65]; /* hexadecimal digits; unique */
	char name[65]; /* of the user */
	char role[16];
	char salt[33];      /* of the user's token, as hexadecimal digits */
	int64_t started_us; /* Unix time, so fine that it orders the sessions of a user */
	int64_t expires_s;  /* Unix time */
};

/* Adds a session, and removes those that have expired and the user's oldest beyond `max`, 1 or more. */
int store_session_add(struct store *store, const struct store_session *session, int64_t now_s,
		      int64_t max, struct pl_err *err) PL_MUST_CHECK;
/* A missing session is no error. */
int store_session_remove(struct store *store, const char *hash, struct pl_err *err) PL_MUST_CHECK;
/* Returns false in *ret_is_found for a session that is missing or has expired. */
int store_session_get(struct store *store, const char *hash, int64_t now_s,
		      struct store_session *ret, bool *ret_is_found,
		      struct pl_err *err) PL_MUST_CHECK;
/* Lists the sessions that have not expired, the oldest first. The caller frees *ret. */
int store_session_list(struct store *store, int64_t now_s, struct store_session **ret,
		       size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
