#include "dash/access/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "dash/access/tokens.h"

#define ID_BYTES 32
#define LOOK_NS  PL_NS_PER_S

/* ---- the copy ------------------------------------------------------------------------------ */

static int64_t now_s(void)
{
	return pl_clock_real_ns() / PL_NS_PER_S;
}

/* Replaces the copy, unless this process has changed sessions since the database was read. */
static void replace(struct dash_sessions *sessions, struct store_session *items, size_t count,
		    uint64_t change_count)
{
	struct store_session *former = items;

	pthread_mutex_lock(&sessions->lock);
	sessions->lookups = 0;
	if (sessions->change_count == change_count) {
		former = sessions->items;
		sessions->items = items;
		sessions->count = sessions->room = count;
	}
	pthread_mutex_unlock(&sessions->lock);
	free(former);
}

static int read_all(struct dash_sessions *sessions, struct pl_err *err)
{
	struct store_session *items = NULL;
	size_t count = 0;

	pthread_mutex_lock(&sessions->lock);
	uint64_t change_count = sessions->change_count;
	pthread_mutex_unlock(&sessions->lock);
	if (store_session_list(sessions->store, now_s(), &items, &count, err) < 0)
		return -1;
	replace(sessions, items, count, change_count);
	return 0;
}

/* If the database cannot be read, the former copy remains. */
static void *watch(void *data)
{
	struct dash_sessions *sessions = data;
	bool has_failed = false;

	while (pl_pause_until(&sessions->pause, pl_clock_now_ns() + LOOK_NS)) {
		struct pl_err err = PL_ERR_INIT;
		bool fails = read_all(sessions, &err) < 0;
		if (fails && !has_failed)
			pl_log(PL_LOG_WARNING, "could not read the sessions: %s", err.text);
		has_failed = fails;
	}
	return NULL;
}

void dash_sessions_init(struct dash_sessions *sessions)
{
	*sessions = (struct dash_sessions){ 0 };
	pthread_mutex_init(&sessions->lock, NULL);
	pl_pause_init(&sessions->pause);
}

int dash_sessions_open(struct dash_sessions *sessions, struct store *store, struct pl_err *err)
{
	sessions->store = store;
	if (read_all(sessions, err) == 0 &&
	    pl_thread_start(&sessions->thread, watch, sessions, err) == 0)
		return 0;
	sessions->store = NULL;
	return -1;
}

void dash_sessions_done(struct dash_sessions *sessions)
{
	pl_pause_end(&sessions->pause);
	if (sessions->store != NULL)
		pthread_join(sessions->thread, NULL);
	pl_pause_done(&sessions->pause);
	pthread_mutex_destroy(&sessions->lock);
	free(sessions->items);
}

/* ---- users --------------------------------------------------------------------------------- */

static struct store_session session_of(const struct dash_user *user, const char *id)
{
	struct store_session session = { .started_us = pl_clock_real_ns() / PL_NS_PER_US,
					 .expires_s = user->expires_s };

	pl_sha256(id, strlen(id), session.hash);
	snprintf(session.name, sizeof(session.name), "%s", user->name);
	snprintf(session.role, sizeof(session.role), "%s", dash_role_name(user->role));
	for (size_t i = 0; i < DASH_SALT_BYTES; i++)
		snprintf(session.salt + 2 * i, 3, "%02x", user->salt[i]);
	return session;
}

/* Returns false if the database has another form of user than this program. */
static bool user_of(const struct store_session *session, struct dash_user *ret)
{
	struct dash_user user = { .expires_s = session->expires_s, .has_session = true };

	if (!dash_user_is_valid(session->name) || !dash_role_find(session->role, &user.role) ||
	    strlen(session->salt) != 2 * DASH_SALT_BYTES)
		return false;
	snprintf(user.name, sizeof(user.name), "%s", session->name);
	memcpy(user.session_hash, session->hash, sizeof(user.session_hash));
	for (size_t i = 0; i < DASH_SALT_BYTES; i++) {
		int high = pl_hex_value(session->salt[2 * i]);
		int low = pl_hex_value(session->salt[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		user.salt[i] = (unsigned char)(high << 4 | low);
	}
	*ret = user;
	return true;
}

/* ---- changes ------------------------------------------------------------------------------- */

/*
 * Returns the index; count: there is none. The caller has locked. An attacker cannot choose the hash of a guess, so the
 * time of the comparison reveals nothing about the hash of an id.
 */
static size_t index_of(const struct dash_sessions *sessions, const char *hash)
{
	size_t i = 0;

	while (i < sessions->count && strcmp(sessions->items[i].hash, hash) != 0)
		i++;
	return i;
}

static void remove_at(struct dash_sessions *sessions, size_t at)
{
	memmove(&sessions->items[at], &sessions->items[at + 1],
		(sessions->count - at - 1) * sizeof(*sessions->items));
	sessions->count--;
}

/* Removes sessions that have expired, and the oldest of a user that has the maximum. */
static void make_room(struct dash_sessions *sessions, const char *name, int64_t time_s)
{
	size_t count = 0;

	for (size_t i = sessions->count; i-- > 0;) {
		const struct store_session *session = &sessions->items[i];
		bool is_same = strcmp(session->name, name) == 0;
		if (session->expires_s <= time_s || (is_same && ++count >= DASH_SESSIONS_PER_USER))
			remove_at(sessions, i);
	}
}

int dash_sessions_start(struct dash_sessions *sessions, const struct dash_user *user,
			int64_t time_s, char ret_id[DASH_SESSION_ID_BYTES], struct pl_err *err)
{
	unsigned char bytes[ID_BYTES];

	if (dash_random(bytes, sizeof(bytes), err) < 0)
		return -1;
	for (size_t i = 0; i < ID_BYTES; i++)
		snprintf(ret_id + 2 * i, 3, "%02x", bytes[i]);
	dash_wipe(bytes, sizeof(bytes));
	struct store_session session = session_of(user, ret_id);
	if (session.expires_s > time_s + DASH_SESSION_S)
		session.expires_s = time_s + DASH_SESSION_S;
	if (store_session_add(sessions->store, &session, time_s, DASH_SESSIONS_PER_USER, err) < 0)
		return -1;
	pthread_mutex_lock(&sessions->lock);
	sessions->change_count++;
	/* the thread may have read it from the database */
	if (index_of(sessions, session.hash) == sessions->count) {
		make_room(sessions, user->name, time_s);
		*PL_PUSH(sessions->items, sessions->count, sessions->room) = session;
	}
	pthread_mutex_unlock(&sessions->lock);
	return 0;
}

/* ---- search -------------------------------------------------------------------------------- */

static bool is_id(const char *id)
{
	return strlen(id) == DASH_SESSION_ID_BYTES - 1 &&
	       strspn(id, "0123456789abcdef") == DASH_SESSION_ID_BYTES - 1;
}

/* Looks for a session of another process. It is in the copy from the next second on. */
static bool look_up(struct dash_sessions *sessions, const char *hash, int64_t time_s,
		    struct store_session *ret)
{
	bool is_found = false;

	pthread_mutex_lock(&sessions->lock);
	bool may = sessions->lookups < DASH_LOOKUPS_PER_S;
	sessions->lookups += may;
	pthread_mutex_unlock(&sessions->lock);
	return may &&
	       store_session_get(sessions->store, hash, time_s, ret, &is_found, PL_ERR_IGNORED) ==
		       0 &&
	       is_found;
}

static bool find(struct dash_sessions *sessions, const char *hash, int64_t time_s,
		 struct store_session *ret)
{
	pthread_mutex_lock(&sessions->lock);
	size_t at = index_of(sessions, hash);
	bool is_known = at < sessions->count;
	if (is_known)
		*ret = sessions->items[at];
	pthread_mutex_unlock(&sessions->lock);
	return (is_known || look_up(sessions, hash, time_s, ret)) && ret->expires_s > time_s;
}

bool dash_sessions_find(struct dash_sessions *sessions, const char *id, int64_t time_s,
			struct dash_user *ret)
{
	char hash[PL_SHA256_HEX_BYTES];
	struct store_session session;

	if (!is_id(id))
		return false;
	pl_sha256(id, strlen(id), hash);
	return find(sessions, hash, time_s, &session) && user_of(&session, ret);
}

bool dash_sessions_have(struct dash_sessions *sessions, const char *hash, int64_t time_s)
{
	struct store_session session;

	return find(sessions, hash, time_s, &session);
}

int dash_sessions_end(struct dash_sessions *sessions, const char *id, struct pl_err *err)
{
	char hash[PL_SHA256_HEX_BYTES];

	if (!is_id(id))
		return 0;
	pl_sha256(id, strlen(id), hash);
	if (store_session_remove(sessions->store, hash, err) < 0)
		return -1;
	pthread_mutex_lock(&sessions->lock);
	sessions->change_count++;
	size_t at = index_of(sessions, hash);
	if (at < sessions->count)
		remove_at(sessions, at);
	pthread_mutex_unlock(&sessions->lock);
	return 0;
}

size_t dash_sessions_count(struct dash_sessions *sessions, const char *name, int64_t time_s)
{
	size_t count = 0;

	pthread_mutex_lock(&sessions->lock);
	for (size_t i = 0; i < sessions->count; i++) {
		const struct store_session *session = &sessions->items[i];
		count += session->expires_s > time_s && strcmp(session->name, name) == 0;
	}
	pthread_mutex_unlock(&sessions->lock);
	return count;
}
