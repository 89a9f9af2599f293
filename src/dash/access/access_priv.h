/* The state of dash/access/access.h. For the files of this directory. */
#pragma once

#include "dash/access/access.h"
#include "dash/access/private_file.h"
#include "dash/access/sessions.h"
#include "dash/access/tokens.h"
#include "dash/access/tries.h"

#include <pthread.h>

struct dash_access {
	const char *path; /* of the token file; NULL: there is none */
	const struct dash_proxies *proxies;
	struct dash_tries tries;
	struct dash_sessions sessions;
	/*
	 * The name of the cookie. It differs between databases, also between copies, because a browser sends a cookie to every
	 * port of a host, and is the same for all processes of a database, which share its sessions.
	 */
	char cookie[32];
	pthread_rwlock_t lock; /* protects the fields below */
	struct dash_tokens tokens;
	struct dash_file_stamp stamp;
	bool is_settled;  /* the stamp is older than the time of reading, so a change changes it */
	bool is_readable; /* otherwise there are no tokens */
	char *fault;      /* the reason that was reported last; NULL: none */
};

/* Locks for reading, with the current content of the file. */
void dash_access_lock(struct dash_access *access);
void dash_access_unlock(struct dash_access *access);
/* Overwrites *user. */
void dash_access_set_user(struct dash_user *user, const struct dash_token *token);
