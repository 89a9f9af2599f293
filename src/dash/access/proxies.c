#include "dash/access/proxies.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "io/network.h"

#define LOG_NS (60 * PL_NS_PER_S)

struct group {
	char *name; /* "*": every user */
	enum dash_role role;
};

struct dash_proxies {
	struct io_network *networks;
	size_t network_count, network_room;
	const char *user_header, *groups_header;
	struct group *groups;
	size_t group_count, group_room;
	atomic_llong logged_ns; /* 0: never */
};

/* ---- options ------------------------------------------------------------------------------- */

static int read_networks(struct dash_proxies *proxies, const struct pl_opt_list *texts,
			 struct pl_err *err)
{
	for (size_t i = 0; i < texts->count; i++) {
		const char *text = texts->items[i];
		struct io_network network = { 0 };
		if (!io_network_parse(text, &network)) {
			network.len = io_address_parse(text, network.bytes);
			network.bits = (unsigned)network.len * 8;
		}
		if (network.len == 0)
			return pl_err_invalid(err,
					      "--trusted-proxy: found '%s', expected an address or "
					      "a network such as 10.0.0.0/8",
					      text);
		*PL_PUSH(proxies->networks, proxies->network_count,
			 proxies->network_room) = network;
	}
	return 0;
}

static int read_groups(struct dash_proxies *proxies, const struct pl_opt_list *texts,
		       struct pl_err *err)
{
	for (size_t i = 0; i < texts->count; i++) {
		const char *text = texts->items[i];
		const char *equals = strrchr(text, '=');
		struct group group = { .role = DASH_ROLE_NONE };
		if (equals == NULL || equals == text || strchr(text, ',') != NULL ||
		    !dash_role_find(equals + 1, &group.role) || group.role == DASH_ROLE_NONE)
			return pl_err_invalid(err,
					      "--role-of: found '%s', expected GROUP=ROLE with the "
					      "role read, write or admin",
					      text);
		group.name = pl_strndup(text, (size_t)(equals - text));
		*PL_PUSH(proxies->groups, proxies->group_count, proxies->group_room) = group;
		if (proxies->groups_header == NULL && strcmp(group.name, "*") != 0)
			return pl_err_invalid(err,
					      "--role-of: found the group '%s', expected '*' "
					      "without --auth-groups-header",
					      group.name);
	}
	return 0;
}

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

/* A header with another meaning cannot name a user. */
static int check_header(const char *option, const char *name, struct pl_err *err)
{
	static const char *const others[] = {
		"Authorization",     "Cookie", "Host", "Origin", "X-Forwarded-For",
		"X-Forwarded-Proto", NULL
	};

	if (name == NULL)
		return 0;
	for (size_t i = 0; others[i] != NULL; i++) {
		if (strcasecmp(name, others[i]) == 0)
			return pl_err_invalid(err, "%s: found '%s', which has another meaning",
					      option, name);
	}
	if (name[0] == '\0' || strspn(name, NAME_CHARS) != strlen(name))
		return pl_err_invalid(err,
				      "%s: found '%s', expected the name of a header such as "
				      "X-Forwarded-User",
				      option, name);
	return 0;
}

static int check_options(const struct dash_proxies_options *options, struct pl_err *err)
{
	if (options->user_header == NULL &&
	    (options->groups_header != NULL || options->roles->count > 0))
		return pl_err_invalid(err, "%s works only with --auth-header",
				      options->groups_header != NULL ? "--auth-groups-header"
								     : "--role-of");
	if (options->user_header == NULL)
		return 0;
	if (options->networks->count == 0)
		return pl_err_invalid(err, "--auth-header requires --trusted-proxy: other clients "
					   "could name any user");
	if (options->roles->count == 0)
		return pl_err_invalid(err, "--auth-header requires --role-of GROUP=ROLE, such as "
					   "--role-of '*=read'");
	if (options->groups_header != NULL &&
	    strcasecmp(options->user_header, options->groups_header) == 0)
		return pl_err_invalid(err, "--auth-header, --auth-groups-header: found '%s' twice",
				      options->user_header);
	if (check_header("--auth-header", options->user_header, err) < 0)
		return -1;
	return check_header("--auth-groups-header", options->groups_header, err);
}

int dash_proxies_open(const struct dash_proxies_options *options, struct dash_proxies **ret,
		      struct pl_err *err)
{
	if (check_options(options, err) < 0)
		return -1;
	*ret = NULL;
	if (options->networks->count == 0)
		return 0;
	auto_proxies *proxies = pl_alloc(sizeof(*proxies));
	proxies->user_header = options->user_header;
	proxies->groups_header = options->groups_header;
	if (read_networks(proxies, options->networks, err) < 0 ||
	    read_groups(proxies, options->roles, err) < 0)
		return -1;
	*ret = pl_take(proxies);
	return 0;
}

void dash_proxies_free(struct dash_proxies *proxies)
{
	if (proxies == NULL)
		return;
	for (size_t i = 0; i < proxies->group_count; i++)
		free(proxies->groups[i].name);
	free(proxies->groups);
	free(proxies->networks);
	free(proxies);
}

const char *dash_proxies_user_header(const struct dash_proxies *proxies)
{
	return proxies != NULL ? proxies->user_header : NULL;
}

const char *dash_proxies_groups_header(const struct dash_proxies *proxies)
{
	return proxies != NULL ? proxies->groups_header : NULL;
}

/* ---- addresses ----------------------------------------------------------------------------- */

static bool contain(const struct dash_proxies *proxies, const unsigned char *address, size_t len)
{
	for (size_t i = 0; i < proxies->network_count; i++) {
		if (io_network_contains(&proxies->networks[i], address, len))
			return true;
	}
	return false;
}

bool dash_proxies_trust(const struct dash_proxies *proxies, const struct sockaddr *from)
{
	unsigned char address[IO_ADDRESS_BYTES_MAX];

	return proxies != NULL && contain(proxies, address, io_address_of(from, address));
}

bool dash_proxies_trust_loopback(const struct dash_proxies *proxies)
{
	static const unsigned char v4[4] = { 127, 0, 0, 1 };
	const struct in6_addr v6 = IN6ADDR_LOOPBACK_INIT;

	return proxies != NULL && (contain(proxies, v4, sizeof(v4)) ||
				   contain(proxies, v6.s6_addr, sizeof(v6.s6_addr)));
}

static struct io_addr copy(const struct sockaddr *from)
{
	struct io_addr addr = { 0 };

	if (from == NULL || (from->sa_family != AF_INET && from->sa_family != AF_INET6))
		return addr;
	addr.len = from->sa_family == AF_INET ? sizeof(addr.u.v4) : sizeof(addr.u.v6);
	memcpy(&addr.u, from, addr.len);
	return addr;
}

void dash_proxies_log_ignored(struct dash_proxies *proxies, const struct sockaddr *from)
{
	long long last_ns = atomic_load(&proxies->logged_ns), now_ns = pl_clock_now_ns();
	struct io_addr addr = copy(from);
	char text[64] = "a Unix socket";

	if ((last_ns != 0 && now_ns - last_ns < LOG_NS) ||
	    !atomic_compare_exchange_strong(&proxies->logged_ns, &last_ns, now_ns))
		return;
	if (addr.len > 0)
		io_addr_text(&addr, text, sizeof(text));
	pl_log(PL_LOG_WARNING, "%s from %s was ignored, because it is not a --trusted-proxy",
	       proxies->user_header, text);
}

/* Parses "1.2.3.4", "1.2.3.4:80", "::1" or "[::1]:80". Returns false for another form, such as "unknown". */
static bool read_client(char *text, struct io_addr *ret)
{
	unsigned char bytes[IO_ADDRESS_BYTES_MAX];
	char *colon = strchr(text, ':');
	char *end = strchr(text, ']');

	if (text[0] == '[' && end != NULL) {
		*end = '\0';
		text++;
	} else if (colon != NULL && strchr(colon + 1, ':') == NULL) {
		*colon = '\0';
	}
	size_t len = io_address_parse(text, bytes);
	if (len == 0)
		return false;
	*ret = (struct io_addr){ .len = len == 4 ? sizeof(ret->u.v4) : sizeof(ret->u.v6) };
	ret->u.any.sa_family = len == 4 ? AF_INET : AF_INET6;
	memcpy(len == 4 ? (void *)&ret->u.v4.sin_addr : (void *)&ret->u.v6.sin6_addr, bytes, len);
	return true;
}

struct io_addr dash_proxies_client(const struct dash_proxies *proxies, const struct sockaddr *from,
				   const char *forwarded_for)
{
	struct io_addr client = copy(from);

	if (forwarded_for == NULL)
		return client;
	auto_free char *rest = pl_strdup(forwarded_for);
	while (dash_proxies_trust(proxies, &client.u.any)) {
		char *comma = strrchr(rest, ',');
		struct io_addr next;
		if (!read_client(pl_text_trim(comma != NULL ? comma + 1 : rest), &next))
			break;
		client = next;
		if (comma == NULL)
			break;
		*comma = '\0';
	}
	return client;
}

/* ---- roles --------------------------------------------------------------------------------- */

static enum dash_role role_of(const struct dash_proxies *proxies, const char *name)
{
	enum dash_role role = DASH_ROLE_NONE;

	for (size_t i = 0; i < proxies->group_count; i++) {
		const struct group *group = &proxies->groups[i];
		if (group->role > role && strcmp(group->name, name) == 0)
			role = group->role;
	}
	return role;
}

enum dash_role dash_proxies_role(const struct dash_proxies *proxies, const char *groups)
{
	auto_free char *copy_of_groups = pl_strdup(groups != NULL ? groups : "");
	enum dash_role role = role_of(proxies, "*");
	char *rest = copy_of_groups;

	while (rest != NULL) {
		const char *name = pl_text_trim(strsep(&rest, ","));
		/* a group that is named '*' is not every user */
		enum dash_role found = strcmp(name, "*") != 0 ? role_of(proxies, name)
							      : DASH_ROLE_NONE;
		if (found > role)
			role = found;
	}
	return role;
}
