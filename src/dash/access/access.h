/*
 * Access: finds the user of each request by its token, session or trusted proxy, and compares the user's role with that
 * of the route (x-role in api/openapi.yaml). Without a token file and such proxies (NULL), every client that reaches the
 * server may do everything.
 *
 *	Authorization: Bearer ──> tokens.h ──┐
 *	X-Forwarded-User: …   ──> proxies.h ─┤
 *	Cookie: profllm_…     ──> sessions.h ┴──> user ──> role ≥ that of the route? ──> handler, or 401, 403, 429, 503
 *
 * - The status of the token file is read for every request, and the file again if it has changed. So revoking a token
 *   takes effect at once, also for its sessions and for responses in transmission.
 * - If the file cannot be read, no user has access until it can be read again (503). The reason is in the log.
 * - An address that fails too often waits (tries.h). A valid token in Authorization is accepted nevertheless, because it
 *   cannot be guessed, and others may share the address.
 * - All functions may be called from any thread, and take NULL.
 */
#pragma once

#include "base/err.h"
#include "dash/access/user.h"

struct dash_access;
struct dash_answer;
struct dash_head;

struct dash_proxies;
struct dash_access_options {
	const char *token_file;             /* NULL: no client has a token */
	const struct dash_proxies *proxies; /* NULL: there are none */
};

/* Reads the file, which must be usable. Borrows the options' members. */
int dash_access_open(const struct dash_access_options *options, struct dash_access **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* Reads the sessions of the database. Call it once, before requests. The store is borrowed. NULL: does nothing. */
struct store;
int dash_access_open_sessions(struct dash_access *access, struct store *store,
			      struct pl_err *err) PL_MUST_CHECK;
void dash_access_free(struct dash_access *access);
PL_AUTO_DEFINE(struct dash_access, dash_access_free);
#define auto_access PL_AUTO(dash_access_free) struct dash_access

/*
 * Returns false if the request is refused, with the reason in the response. *ret is the user; for NULL, and for role NONE
 * and an unknown client, it is zero. A user of a proxy without a role is refused for each route.
 */
bool dash_access_check(struct dash_access *access, const struct dash_head *head,
		       enum dash_role role, struct dash_user *ret, struct dash_answer *answer);
/*
 * Checks again that the user has not lost access, when a body that may have taken long has arrived. Returns false if the
 * request is refused.
 */
bool dash_access_confirm(struct dash_access *access, const struct dash_user *user,
			 struct dash_answer *answer);
/*
 * Signs in with the text of a token: sets the cookie of a new session. Returns false if it is refused, with the reason in
 * the response. As in access_check, a valid token is accepted from any address: behind a proxy all users have one, and
 * anybody could keep them all out.
 */
bool dash_access_sign_in(struct dash_access *access, const struct dash_head *head,
			 const char *token, struct dash_user *ret, struct dash_answer *answer);
/* Returns whether users can sign in. */
bool dash_access_has_tokens(const struct dash_access *access);
/* Ends the session of the request, if it has one, and removes the cookie. Returns false with the reason in the response. */
bool dash_access_sign_out(struct dash_access *access, const struct dash_head *head,
			  struct dash_answer *answer);
/*
 * Returns whether the user may still receive results: the token exists, and neither it nor the session has ended. A user
 * of a proxy may for one hour; then the client asks again.
 */
bool dash_access_allows(struct dash_access *access, const struct dash_user *user);

/* A token without its secret, and its current sessions. */
struct dash_access_entry {
	char name[DASH_USER_BYTES];
	enum dash_role role;
	int64_t expires_s; /* Unix time; INT64_MAX: never */
	size_t sessions;
};
/* Lists the tokens in the order of the file. Returns their number, 0 for NULL. free(*ret) */
size_t dash_access_list(struct dash_access *access, struct dash_access_entry **ret);
