#include "dash/access/access.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "dash/access/access_priv.h"
#include "dash/access/proxies.h"
#include "dash/problem.h"
#include "dash/routes.h"
#include "store/store.h"

/* A file that changed so shortly before it was read may change again without another time. */
#define SETTLE_NS (100 * PL_NS_PER_MS)

/* A proxy authenticates each request; only streams last longer. */
#define PROXY_USER_S 3600

#define REALM "Bearer realm=\"profllm-dashboard\""

static const char *const challenges[] = {
#define ROLE(NAME, name, meaning) \
	[DASH_ROLE_##NAME] = REALM ", error=\"insufficient_scope\", scope=\"" name "\"",
#include "tbl/roles.h"
};

/* ---- the file ------------------------------------------------------------------------------ */

/* Reads the file. The caller has locked for writing. */
static int read_file(struct dash_access *access, struct pl_err *err)
{
	struct dash_tokens tokens = { 0 };

	/* before the file is read: a later change gives another stamp */
	access->stamp = dash_file_stamp_of(access->path);
	access->is_settled = pl_clock_real_ns() - access->stamp.changed_ns > SETTLE_NS;
	int rc = dash_tokens_read(access->path, &tokens, err);
	dash_tokens_done(&access->tokens);
	access->tokens = tokens;
	access->is_readable = rc == 0;
	return rc;
}

/* Reports a failure once, and the recovery. */
static void reread(struct dash_access *access)
{
	bool was_readable = access->is_readable;
	struct pl_err err = PL_ERR_INIT;

	if (read_file(access, &err) < 0) {
		if (!pl_text_equal(access->fault, err.text))
			pl_log(PL_LOG_ERROR,
			       "--token-file: %s; requests are refused until it can "
			       "be read",
			       err.text);
		free(access->fault);
		access->fault = pl_strdup(err.text);
		return;
	}
	if (!was_readable)
		pl_log(PL_LOG_INFO, "--token-file: '%s' was read again", access->path);
	free(pl_take(access->fault));
}

void dash_access_lock(struct dash_access *access)
{
	struct dash_file_stamp stamp;

	if (access->path == NULL) {
		pthread_rwlock_rdlock(&access->lock);
		return;
	}
	stamp = dash_file_stamp_of(access->path);
	pthread_rwlock_rdlock(&access->lock);
	if (access->is_readable && access->is_settled &&
	    dash_file_stamp_equal(&stamp, &access->stamp))
		return;
	pthread_rwlock_unlock(&access->lock);
	pthread_rwlock_wrlock(&access->lock);
	/* another thread may have read it meanwhile; reading again is cheap and rare */
	reread(access);
	pthread_rwlock_unlock(&access->lock);
	pthread_rwlock_rdlock(&access->lock);
}

void dash_access_unlock(struct dash_access *access)
{
	pthread_rwlock_unlock(&access->lock);
}

int dash_access_open(const struct dash_access_options *options, struct dash_access **ret,
		     struct pl_err *err)
{
	struct dash_access *access = pl_alloc(sizeof(*access));

	access->path = options->token_file;
	access->proxies = options->proxies;
	pthread_rwlock_init(&access->lock, NULL);
	dash_tries_init(&access->tries);
	dash_sessions_init(&access->sessions);
	access->is_readable = true;
	if (access->path != NULL && read_file(access, err) < 0) {
		dash_access_free(access);
		return pl_err_wrap(err, "--token-file");
	}
	*ret = access;
	return 0;
}

int dash_access_open_sessions(struct dash_access *access, struct store *store, struct pl_err *err)
{
	if (!dash_access_has_tokens(access))
		return 0;
	snprintf(access->cookie, sizeof(access->cookie), "profllm_session_%.8s",
		 store_place_id(store));
	return dash_sessions_open(&access->sessions, store, err);
}

void dash_access_free(struct dash_access *access)
{
	if (access == NULL)
		return;
	dash_tokens_done(&access->tokens);
	dash_tries_done(&access->tries);
	dash_sessions_done(&access->sessions);
	pthread_rwlock_destroy(&access->lock);
	free(access->fault);
	free(access);
}

/* ---- users --------------------------------------------------------------------------------- */

void dash_access_set_user(struct dash_user *user, const struct dash_token *token)
{
	*user = (struct dash_user){ .role = token->role, .expires_s = token->expires_s };
	memcpy(user->name, token->name, sizeof(user->name));
	memcpy(user->salt, token->salt, sizeof(user->salt));
}

/* The caller has locked. A token of the same name that was added later does not count. */
static bool is_current(const struct dash_access *access, const struct dash_user *user)
{
	const struct dash_token *token = dash_tokens_find_user(&access->tokens, user->name);
	int64_t now_s = pl_clock_real_ns() / PL_NS_PER_S;

	if (user->is_of_proxy)
		return user->expires_s > now_s;
	return token != NULL && memcmp(token->salt, user->salt, sizeof(user->salt)) == 0 &&
	       token->role == user->role && token->expires_s > now_s && user->expires_s > now_s;
}

/* Whether the session of the user has ended. */
static bool has_signed_out(struct dash_access *access, const struct dash_user *user)
{
	return user->has_session && !dash_sessions_have(&access->sessions, user->session_hash,
							pl_clock_real_ns() / PL_NS_PER_S);
}

bool dash_access_allows(struct dash_access *access, const struct dash_user *user)
{
	if (access == NULL)
		return true;
	dash_access_lock(access);
	bool is_allowed = is_current(access, user);
	dash_access_unlock(access);
	return is_allowed && !has_signed_out(access, user);
}

/* ---- requests ------------------------------------------------------------------------------ */

/* Returns the token of "Bearer TOKEN"; NULL: another scheme. */
static const char *token_of(const char *authorization)
{
	static const char scheme[] = "Bearer ";
	size_t len = strlen(scheme);

	if (strncasecmp(authorization, scheme, len) != 0)
		return NULL;
	return authorization + len + strspn(authorization + len, " ");
}

static bool refuse_file(struct dash_answer *answer)
{
	answer->retry_s = 1;
	dash_refuse(answer, 503, "the tokens cannot be read; the log of the server has the reason");
	return false;
}

/* Counts the failure. */
static bool refuse_token(struct dash_access *access, const struct dash_head *head,
			 const char *detail, struct dash_answer *answer)
{
	int64_t now_ns = pl_clock_now_ns();
	const struct sockaddr *from = head->from.len > 0 ? &head->from.u.any : NULL;
	unsigned wait_s = dash_tries_wait(&access->tries, from, now_ns);

	if (wait_s > 0) {
		answer->retry_s = wait_s;
		dash_refuse(answer, 429, "too many invalid tokens from this address");
		return false;
	}
	dash_tries_fail(&access->tries, from, now_ns);
	answer->challenge = REALM ", error=\"invalid_token\"";
	dash_refuse(answer, 401, "%s", detail);
	return false;
}

/* Finds the user of a token. Returns false if the request is refused. */
static bool find_by_token(struct dash_access *access, const struct dash_head *head,
			  const char *text, struct dash_user *ret, struct dash_answer *answer)
{
	bool is_valid;

	dash_access_lock(access);
	bool is_readable = access->is_readable;
	const struct dash_token *token = dash_tokens_find(
		&access->tokens, text, pl_clock_real_ns() / PL_NS_PER_S, &is_valid);
	if (is_valid)
		dash_access_set_user(ret, token);
	dash_access_unlock(access);
	if (!is_readable)
		return refuse_file(answer);
	return is_valid || refuse_token(access, head,
					token != NULL ? "the token has expired"
						      : "the token is unknown or was revoked",
					answer);
}

/* Returns the id of the session in the Cookie header; NULL: there is none. free() */
static char *session_of(const struct dash_access *access, const struct dash_head *head)
{
	size_t len = strlen(access->cookie);
	const char *at = len > 0 ? head->cookie : NULL;

	/* RFC 6265, 4.2.1: NAME=VALUE; NAME=VALUE */
	while (at != NULL && *at != '\0') {
		at += strspn(at, " ;");
		size_t pair = strcspn(at, ";");
		if (strncmp(at, access->cookie, len) == 0 && at[len] == '=')
			return pl_strndup(at + len + 1, pair - len - 1);
		at += pair;
	}
	return NULL;
}

/* Finds the user of a session; a session that has ended is as good as none. */
static bool find_by_session(struct dash_access *access, const struct dash_head *head,
			    struct dash_user *ret, struct dash_answer *answer)
{
	auto_free char *id = session_of(access, head);
	struct dash_user user;

	if (id == NULL ||
	    !dash_sessions_find(&access->sessions, id, pl_clock_real_ns() / PL_NS_PER_S, &user))
		return true;
	dash_access_lock(access);
	bool is_readable = access->is_readable;
	bool is_allowed = is_current(access, &user);
	dash_access_unlock(access);
	if (!is_readable)
		return refuse_file(answer);
	if (is_allowed)
		*ret = user;
	return true;
}

/* Finds the user that a trusted proxy has authenticated. */
static bool find_by_proxy(const struct dash_access *access, const struct dash_head *head,
			  struct dash_user *ret, struct dash_answer *answer)
{
	const char *name = dash_proxies_user_header(access->proxies);

	if (!dash_user_is_valid(head->proxy_user)) {
		dash_refuse(answer, 403,
			    "%s: found '%.100s', expected 1 to 64 letters, digits and '._@+-', "
			    "starting with a letter or digit",
			    name, head->proxy_user);
		return false;
	}
	*ret = (struct dash_user){ .role = dash_proxies_role(access->proxies, head->proxy_groups),
				   .expires_s = pl_clock_real_ns() / PL_NS_PER_S + PROXY_USER_S,
				   .is_of_proxy = true };
	snprintf(ret->name, sizeof(ret->name), "%s", head->proxy_user);
	if (ret->role > DASH_ROLE_NONE)
		return true;
	answer->challenge = challenges[DASH_ROLE_READ];
	dash_refuse(answer, 403, "the user '%s' has no group with a role; its groups are '%.200s'",
		    ret->name, head->proxy_groups != NULL ? head->proxy_groups : "");
	return false;
}

/* Finds the user. Returns false if the request is refused. */
static bool find_user(struct dash_access *access, const struct dash_head *head,
		      struct dash_user *ret, struct dash_answer *answer)
{
	const char *text = head->authorization != NULL ? token_of(head->authorization) : NULL;
	bool has_token = text != NULL && pl_text_starts(text, DASH_TOKEN_PREFIX);

	/* a proxy may send a token of its own; a token of ours says more than the proxy */
	if (head->proxy_user != NULL && !has_token)
		return find_by_proxy(access, head, ret, answer);
	if (head->authorization == NULL)
		return find_by_session(access, head, ret, answer);
	if (text == NULL)
		return refuse_token(access, head,
				    "Authorization: found another scheme, expected 'Bearer' and a "
				    "token",
				    answer);
	return find_by_token(access, head, text, ret, answer);
}

bool dash_access_confirm(struct dash_access *access, const struct dash_user *user,
			 struct dash_answer *answer)
{
	if (access == NULL || user->role == DASH_ROLE_NONE)
		return true;
	dash_access_lock(access);
	bool is_readable = access->is_readable;
	bool is_allowed = is_current(access, user);
	dash_access_unlock(access);
	if (!is_readable)
		return refuse_file(answer);
	if (is_allowed && !has_signed_out(access, user))
		return true;
	answer->challenge = REALM ", error=\"invalid_token\"";
	dash_refuse(answer, 401, "the %s during the request",
		    is_allowed ? "session has ended" : "token has expired or was revoked");
	return false;
}

bool dash_access_check(struct dash_access *access, const struct dash_head *head,
		       enum dash_role role, struct dash_user *ret, struct dash_answer *answer)
{
	*ret = (struct dash_user){ .role = DASH_ROLE_NONE };
	if (access == NULL)
		return true;
	if (!find_user(access, head, ret, answer))
		return false;
	if (ret->role >= role)
		return true;
	if (ret->role == DASH_ROLE_NONE) {
		answer->challenge = REALM;
		dash_refuse(answer, 401, "%s",
			    access->path != NULL
				    ? "no token was sent; this dashboard demands one"
				    : "no trusted proxy has named a user; open the dashboard "
				      "through its proxy");
		return false;
	}
	answer->challenge = challenges[role];
	dash_refuse(answer, 403, "the %s '%s' has the role '%s', expected '%s'",
		    ret->is_of_proxy ? "user" : "token", ret->name, dash_role_name(ret->role),
		    dash_role_name(role));
	return false;
}

/* ---- sessions ------------------------------------------------------------------------------ */

/* A page that was loaded through TLS, maybe of a proxy, gets a cookie that is never sent without it. */
static void set_cookie(const struct dash_access *access, const struct dash_head *head,
		       const char *id, int seconds, struct dash_answer *answer)
{
	bool is_secure = head->is_secure ||
			 (head->origin != NULL && pl_text_starts(head->origin, "https://"));

	free(answer->cookie);
	answer->cookie = pl_asprintf("%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s",
				     access->cookie, id, seconds, is_secure ? "; Secure" : "");
}

bool dash_access_sign_in(struct dash_access *access, const struct dash_head *head,
			 const char *token, struct dash_user *ret, struct dash_answer *answer)
{
	int64_t now_s = pl_clock_real_ns() / PL_NS_PER_S;
	char id[DASH_SESSION_ID_BYTES];
	struct pl_err err = PL_ERR_INIT;

	*ret = (struct dash_user){ .role = DASH_ROLE_NONE };
	if (!find_by_token(access, head, token, ret, answer))
		return false;
	ret->has_session = true;
	if (ret->expires_s > now_s + DASH_SESSION_S)
		ret->expires_s = now_s + DASH_SESSION_S;
	if (dash_sessions_start(&access->sessions, ret, now_s, id, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return false;
	}
	set_cookie(access, head, id, DASH_SESSION_S, answer);
	dash_wipe(id, sizeof(id));
	answer->user_name = pl_strdup(ret->name);
	return true;
}

bool dash_access_has_tokens(const struct dash_access *access)
{
	return access != NULL && access->path != NULL;
}

bool dash_access_sign_out(struct dash_access *access, const struct dash_head *head,
			  struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;

	if (!dash_access_has_tokens(access))
		return true;
	auto_free char *id = session_of(access, head);
	if (id != NULL && dash_sessions_end(&access->sessions, id, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return false;
	}
	set_cookie(access, head, "", 0, answer);
	return true;
}

size_t dash_access_list(struct dash_access *access, struct dash_access_entry **ret)
{
	int64_t now_s = pl_clock_real_ns() / PL_NS_PER_S;

	*ret = NULL;
	if (access == NULL)
		return 0;
	dash_access_lock(access);
	size_t count = access->tokens.count;
	*ret = pl_alloc_array(count, sizeof(**ret));
	for (size_t i = 0; i < count; i++) {
		const struct dash_token *token = &access->tokens.items[i];
		(*ret)[i] = (struct dash_access_entry){ .role = token->role,
							.expires_s = token->expires_s };
		memcpy((*ret)[i].name, token->name, sizeof(token->name));
		(*ret)[i].sessions = dash_sessions_count(&access->sessions, token->name, now_s);
	}
	dash_access_unlock(access);
	return count;
}
