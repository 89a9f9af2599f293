#include "dash/access/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "dash/access/tokens.h"

#define ID_BYTES 32

struct dash_session {
	char hash[PL_SHA256_HEX_BYTES];
	struct dash_user user;
};

void dash_sessions_init(struct dash_sessions *sessions)
{
	*sessions = (struct dash_sessions){ 0 };
	pthread_mutex_init(&sessions->lock, NULL);
}

void dash_sessions_done(struct dash_sessions *sessions)
{
	pthread_mutex_destroy(&sessions->lock);
	free(sessions->items);
}

static void remove_at(struct dash_sessions *sessions, size_t at)
{
	memmove(&sessions->items[at], &sessions->items[at + 1],
		(sessions->count - at - 1) * sizeof(*sessions->items));
	sessions->count--;
}

/* Removes sessions that have expired, and the oldest of a user that has the maximum. */
static void make_room(struct dash_sessions *sessions, const char *name, int64_t now_s)
{
	size_t count = 0;

	for (size_t i = sessions->count; i-- > 0;) {
		const struct dash_user *user = &sessions->items[i].user;
		bool is_same = strcmp(user->name, name) == 0;
		if (user->expires_s <= now_s || (is_same && ++count >= DASH_SESSIONS_PER_USER))
			remove_at(sessions, i);
	}
}

int dash_sessions_start(struct dash_sessions *sessions, const struct dash_user *user, int64_t now_s,
			char ret_id[DASH_SESSION_ID_BYTES], struct pl_err *err)
{
	struct dash_session session = { .user = *user };
	unsigned char bytes[ID_BYTES];

	if (dash_random(bytes, sizeof(bytes), err) < 0)
		return -1;
	for (size_t i = 0; i < ID_BYTES; i++)
		snprintf(ret_id + 2 * i, 3, "%02x", bytes[i]);
	dash_wipe(bytes, sizeof(bytes));
	pl_sha256(ret_id, strlen(ret_id), session.hash);
	if (session.user.expires_s > now_s + DASH_SESSION_S)
		session.user.expires_s = now_s + DASH_SESSION_S;
	pthread_mutex_lock(&sessions->lock);
	make_room(sessions, user->name, now_s);
	*PL_PUSH(sessions->items, sessions->count, sessions->room) = session;
	pthread_mutex_unlock(&sessions->lock);
	return 0;
}

/*
 * Returns the index; count: there is none. The caller has locked. An attacker cannot choose the hash of a guess, so the
 * time of the comparison reveals nothing about the hash of an id.
 */
static size_t index_of(const struct dash_sessions *sessions, const char *id)
{
	char hash[PL_SHA256_HEX_BYTES];
	size_t i = 0;

	pl_sha256(id, strlen(id), hash);
	while (i < sessions->count && memcmp(sessions->items[i].hash, hash, sizeof(hash)) != 0)
		i++;
	return i;
}

bool dash_sessions_find(struct dash_sessions *sessions, const char *id, int64_t now_s,
			struct dash_user *ret)
{
	bool is_found = false;

	pthread_mutex_lock(&sessions->lock);
	size_t at = index_of(sessions, id);
	if (at < sessions->count && sessions->items[at].user.expires_s > now_s) {
		*ret = sessions->items[at].user;
		is_found = true;
	}
	pthread_mutex_unlock(&sessions->lock);
	return is_found;
}

void dash_sessions_end(struct dash_sessions *sessions, const char *id)
{
	pthread_mutex_lock(&sessions->lock);
	size_t at = index_of(sessions, id);
	if (at < sessions->count)
		remove_at(sessions, at);
	pthread_mutex_unlock(&sessions->lock);
}

size_t dash_sessions_count(struct dash_sessions *sessions, const char *name, int64_t now_s)
{
	size_t count = 0;

	pthread_mutex_lock(&sessions->lock);
	for (size_t i = 0; i < sessions->count; i++) {
		const struct dash_user *user = &sessions->items[i].user;
		count += user->expires_s > now_s && strcmp(user->name, name) == 0;
	}
	pthread_mutex_unlock(&sessions->lock);
	return count;
}
