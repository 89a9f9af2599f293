/*
 * Sessions of browsers: who has signed in with a token. A session is a random id in a cookie. The database has its SHA-256
 * (store/saved/session.h), so that a session outlives a restart, and all processes of a database know it. It ends when
 * the user signs out, with its token, or after DASH_SESSION_S seconds.
 * - A copy in memory answers requests. A thread reads it from the database each second, so other processes notice the end
 *   of a session within two seconds. An id that the copy lacks is looked up at once, at most DASH_LOOKUPS_PER_S times per
 *   second, because clients can invent ids.
 * - A user has at most DASH_SESSIONS_PER_USER sessions; another one ends the oldest.
 * - Whether the token still exists is checked by the caller for each request.
 * - Locks itself.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

#include "base/err.h"
#include "base/thread.h"
#include "dash/access/user.h"
#include "store/saved/session.h"

#define DASH_SESSION_S         (12 * 3600)
#define DASH_SESSIONS_PER_USER 20
#define DASH_LOOKUPS_PER_S     50
#define DASH_SESSION_ID_BYTES  65 /* 64 hexadecimal digits and a NUL */

struct dash_sessions {
	struct store *store; /* NULL: not open */
	pthread_t thread;
	struct pl_pause pause;
	pthread_mutex_t lock;        /* protects the fields below */
	struct store_session *items; /* the oldest first */
	size_t count;
	size_t room;
	uint64_t change_count; /* changes by this process */
	unsigned lookups;      /* in this second */
};

void dash_sessions_init(struct dash_sessions *sessions);
/* Reads the sessions of the database, and again each second. Call it once, before others. The store is borrowed. */
int dash_sessions_open(struct dash_sessions *sessions, struct store *store,
		       struct pl_err *err) PL_MUST_CHECK;
void dash_sessions_done(struct dash_sessions *sessions);
/* Starts a session and writes its id, for the cookie. When it returns, the session is on disk. */
int dash_sessions_start(struct dash_sessions *sessions, const struct dash_user *user, int64_t now_s,
			char ret_id[DASH_SESSION_ID_BYTES], struct pl_err *err) PL_MUST_CHECK;
/* Returns false if there is no session with this id. ret->expires_s is when the session ends. */
bool dash_sessions_find(struct dash_sessions *sessions, const char *id, int64_t now_s,
			struct dash_user *ret);
/* Returns whether the session with this hash has not ended. */
bool dash_sessions_have(struct dash_sessions *sessions, const char *hash, int64_t now_s);
int dash_sessions_end(struct dash_sessions *sessions, const char *id,
		      struct pl_err *err) PL_MUST_CHECK;
/* Returns the number of sessions of a user that have not ended by now_s. */
size_t dash_sessions_count(struct dash_sessions *sessions, const char *name, int64_t now_s);
