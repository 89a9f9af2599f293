/*
 * Sessions of browsers: who has signed in with a token. A session is a random id in a cookie, of which only the SHA-256 is
 * in memory. It ends when the user signs out, with its token, or after DASH_SESSION_S seconds; and with the server.
 * - A user has at most DASH_SESSIONS_PER_USER sessions; another one ends the oldest.
 * - Whether the token still exists is checked by the caller for each request.
 * - Locks itself.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

#include "base/err.h"
#include "dash/access/user.h"

#define DASH_SESSION_S         (12 * 3600)
#define DASH_SESSIONS_PER_USER 20
#define DASH_SESSION_ID_BYTES  65 /* 64 hexadecimal digits and a NUL */

struct dash_sessions {
	pthread_mutex_t lock;
	struct dash_session *items; /* the oldest first */
	size_t count;
	size_t room;
};

void dash_sessions_init(struct dash_sessions *sessions);
void dash_sessions_done(struct dash_sessions *sessions);
/* Starts a session and writes its id, for the cookie. */
int dash_sessions_start(struct dash_sessions *sessions, const struct dash_user *user, int64_t now_s,
			char ret_id[DASH_SESSION_ID_BYTES], struct pl_err *err) PL_MUST_CHECK;
/* Returns false if there is no session with this id. ret->expires_s is when the session ends. */
bool dash_sessions_find(struct dash_sessions *sessions, const char *id, int64_t now_s,
			struct dash_user *ret);
void dash_sessions_end(struct dash_sessions *sessions, const char *id);
/* Returns the number of sessions of a user that have not ended by now_s. */
size_t dash_sessions_count(struct dash_sessions *sessions, const char *name, int64_t now_s);
