/*
 * Trusted proxies (--trusted-proxy), and the users that they authenticate (--auth-header).
 *
 *	browser ──> oauth2-proxy, Authelia, … ──> X-Forwarded-User: alice, X-Forwarded-Groups: dev,ops ──> server
 *
 * - Only a connection from the address of a trusted proxy may name a user, its groups, the client's address
 *   (X-Forwarded-For) and scheme (X-Forwarded-Proto). The headers of others are ignored, and the first one per minute is
 *   logged.
 * - A user has the strongest role of its groups (--role-of GROUP=ROLE).
 * - Nothing here changes after open(), except the time of the last log line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/opt.h"
#include "dash/access/user.h"
#include "io/sock.h"

struct dash_proxies;
struct dash_proxies_options {
	const struct pl_opt_list *networks; /* "10.0.0.0/8", "127.0.0.1" */
	const char *user_header;            /* NULL: proxies authenticate no users */
	const char *groups_header;          /* NULL: only '*' has a role */
	const struct pl_opt_list *roles;    /* "GROUP=ROLE"; the group '*' has every user */
};

/* Borrows all texts. *ret is NULL if there are no options. */
int dash_proxies_open(const struct dash_proxies_options *options, struct dash_proxies **ret,
		      struct pl_err *err) PL_MUST_CHECK;
void dash_proxies_free(struct dash_proxies *proxies);
PL_AUTO_DEFINE(struct dash_proxies, dash_proxies_free);
#define auto_proxies PL_AUTO(dash_proxies_free) struct dash_proxies

/* NULL: there is none. All functions below take NULL proxies. */
const char *dash_proxies_user_header(const struct dash_proxies *proxies);
const char *dash_proxies_groups_header(const struct dash_proxies *proxies);
bool dash_proxies_trust(const struct dash_proxies *proxies, const struct sockaddr *from);
/* Returns whether the loopback is trusted, through which every user of this host can claim to be any user. */
bool dash_proxies_trust_loopback(const struct dash_proxies *proxies);
/* Logs that a header of this client was ignored. */
void dash_proxies_log_ignored(struct dash_proxies *proxies, const struct sockaddr *from);
/*
 * Returns the address of the client: the last one in X-Forwarded-For that is not a trusted proxy. Clients can write the
 * ones before it. An item that is not an address ends the search at the proxy that sent it.
 */
struct io_addr dash_proxies_client(const struct dash_proxies *proxies, const struct sockaddr *from,
				   const char *forwarded_for);
/* Returns the strongest role of the groups, "dev, ops" or NULL; NONE: they have no role. */
enum dash_role dash_proxies_role(const struct dash_proxies *proxies, const char *groups);
