#include "dash/head_priv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/unique.h"
#include "dash/access/proxies.h"
#include "dash/answer.h"
#include "dash/guard.h"
#include "dash/problem.h"
#include "dash/routes.h"
#include "dash/target.h"

struct count {
	const char *name;
	unsigned count;
};

static enum MHD_Result count_header(void *data, enum MHD_ValueKind kind, const char *name,
				    const char *value)
{
	struct count *count = data;

	(void)kind;
	(void)value;
	count->count += strcasecmp(name, count->name) == 0;
	return MHD_YES;
}

/* Counts a header. Two of some headers are an attempt to be parsed in two ways. */
static unsigned count_of(struct MHD_Connection *connection, const char *name)
{
	struct count count = { .name = name };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &count);
	return count.count;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static bool is_safe(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
	       strcmp(method, "OPTIONS") == 0;
}

/* The length of a request must be unambiguous (RFC 9112, 6.3): otherwise nothing after its header is read. */
static bool check_length(struct MHD_Connection *connection, struct dash_answer *answer)
{
	unsigned lengths = count_of(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	unsigned encodings = count_of(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);

	if (lengths + encodings <= 1)
		return true;
	answer->closes = true;
	dash_refuse(
		answer, 400,
		"Content-Length, Transfer-Encoding: found %u and %u headers, expected exactly one",
		lengths, encodings);
	return false;
}

/* A proxy and this server must not read different ones. */
static bool check_credentials(struct MHD_Connection *connection, struct dash_answer *answer)
{
	unsigned count = count_of(connection, MHD_HTTP_HEADER_AUTHORIZATION);

	if (count <= 1)
		return true;
	dash_refuse(answer, 400, "Authorization: found %u headers, expected at most one", count);
	return false;
}

static bool check_sender(struct MHD_Connection *connection, const struct dash_hosts *hosts,
			 bool is_secure, const char *method, struct dash_answer *answer)
{
	unsigned host_count = count_of(connection, MHD_HTTP_HEADER_HOST);
	const char *host = header(connection, MHD_HTTP_HEADER_HOST);
	const char *origin = header(connection, MHD_HTTP_HEADER_ORIGIN);
	const char *site = header(connection, "Sec-Fetch-Site");

	if (host_count != 1) {
		dash_refuse(answer, 400, "Host: found %u headers, expected one", host_count);
		return false;
	}
	if (!dash_guard_host_of(hosts, host)) {
		dash_refuse(answer, 403,
			    "Host: found '%s', expected localhost, 127.0.0.1 or [::1]%s", host,
			    hosts == NULL || (hosts->count == 0 && !hosts->takes_addresses)
				    ? ""
				    : ", an address, or a name of --allow-host");
		return false;
	}
	if (is_safe(method))
		return true;
	if (!dash_guard_site(site)) {
		dash_refuse(answer, 403,
			    "Sec-Fetch-Site: found '%s', expected 'same-origin' or none: pages of "
			    "other origins cannot change results",
			    site);
		return false;
	}
	if (dash_guard_origin(origin, host, is_secure))
		return true;
	dash_refuse(answer, 403,
		    "Origin: found '%s', expected '%s://%s' or none: pages of other sites cannot "
		    "change results",
		    origin, is_secure ? "https" : "http", host);
	return false;
}

static size_t head_bytes(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

	return info != NULL ? info->header_size : 0;
}

static const struct sockaddr *address_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info != NULL ? info->client_addr : NULL;
}

/* Headers of a trusted proxy that are sent twice may be those of its client. */
static bool check_once(struct MHD_Connection *connection, const char *name,
		       struct dash_answer *answer)
{
	unsigned count = name != NULL ? count_of(connection, name) : 0;

	if (count <= 1)
		return true;
	dash_refuse(answer, 400, "%s: found %u headers, expected at most one", name, count);
	return false;
}

/* Returns the value; NULL if it is missing or empty. */
static const char *filled(struct MHD_Connection *connection, const char *name)
{
	const char *value = name != NULL ? header(connection, name) : NULL;

	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Sets what a trusted proxy says of its client. Otherwise the client is the peer. */
static bool read_proxy(struct MHD_Connection *connection, const struct dash_head_options *options,
		       struct dash_head *ret, struct dash_answer *answer)
{
	static const char for_name[] = "X-Forwarded-For", scheme_name[] = "X-Forwarded-Proto";
	const char *user_name = dash_proxies_user_header(options->proxies);
	const char *groups_name = dash_proxies_groups_header(options->proxies);
	const struct sockaddr *peer = address_of(connection);

	ret->is_secure = options->is_secure;
	ret->is_forwarded = dash_proxies_trust(options->proxies, peer);
	if (!ret->is_forwarded) {
		ret->from = dash_proxies_client(NULL, peer, NULL);
		if (filled(connection, user_name) != NULL)
			dash_proxies_log_ignored(options->proxies, peer);
		return true;
	}
	if (!check_once(connection, for_name, answer) ||
	    !check_once(connection, scheme_name, answer) ||
	    !check_once(connection, user_name, answer) ||
	    !check_once(connection, groups_name, answer))
		return false;
	ret->from = dash_proxies_client(options->proxies, peer, header(connection, for_name));
	ret->is_secure |= pl_text_equal(header(connection, scheme_name), "https");
	ret->proxy_user = filled(connection, user_name);
	ret->proxy_groups = filled(connection, groups_name);
	return true;
}

bool dash_head_read(struct MHD_Connection *connection, const struct dash_head_options *options,
		    const char *method, const char *text, struct dash_target *target,
		    struct dash_head *ret, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;

	if (head_bytes(connection) > DASH_HEAD_BYTES_MAX) {
		dash_refuse(answer, 431, "the head is larger than %d bytes", DASH_HEAD_BYTES_MAX);
		return false;
	}
	*ret = (struct dash_head){ 0 };
	if (!check_length(connection, answer) || !read_proxy(connection, options, ret, answer) ||
	    !check_sender(connection, options->hosts, ret->is_secure, method, answer) ||
	    !check_credentials(connection, answer))
		return false;
	if (dash_target_read(text, target, &err) < 0) {
		dash_refuse_error(answer, &err);
		return false;
	}
	*ret = (struct dash_head){
		.method = method,
		.target = target,
		.media = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
		.coding = header(connection, MHD_HTTP_HEADER_CONTENT_ENCODING),
		.if_none_match = header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH),
		.range = header(connection, MHD_HTTP_HEADER_RANGE),
		.if_range = header(connection, MHD_HTTP_HEADER_IF_RANGE),
		.sha256 = header(connection, "X-Content-SHA256"),
		.key = header(connection, "Idempotency-Key"),
		.data_version = header(connection, "X-Data-Version"),
		.if_match = header(connection, MHD_HTTP_HEADER_IF_MATCH),
		.accept = header(connection, MHD_HTTP_HEADER_ACCEPT),
		.accept_coding = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
		.authorization = header(connection, MHD_HTTP_HEADER_AUTHORIZATION),
		.cookie = header(connection, MHD_HTTP_HEADER_COOKIE),
		.origin = header(connection, MHD_HTTP_HEADER_ORIGIN),
		.is_secure = ret->is_secure,
		.is_strict = options->is_secure &&
			     !dash_guard_host(header(connection, MHD_HTTP_HEADER_HOST)),
		.from = ret->from,
		.is_forwarded = ret->is_forwarded,
		.proxy_user = ret->proxy_user,
		.proxy_groups = ret->proxy_groups,
	};
	return true;
}

static bool is_request_id(const char *text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-_.:";
	size_t len = strlen(text);

	return len > 0 && len < DASH_REQUEST_ID_BYTES && strspn(text, allowed) == len;
}

void dash_head_request_id(struct MHD_Connection *connection, char ret[DASH_REQUEST_ID_BYTES])
{
	const char *text = header(connection, "X-Request-Id");

	if (text != NULL && is_request_id(text))
		snprintf(ret, DASH_REQUEST_ID_BYTES, "%s", text);
	else
		snprintf(ret, DASH_REQUEST_ID_BYTES, "%08x%08x", pl_unique_u32(), pl_unique_u32());
}

uint64_t dash_head_body_length(struct MHD_Connection *connection)
{
	const char *length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	int64_t bytes;

	if (header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL)
		return UINT64_MAX;
	return length != NULL && pl_text_to_i64(length, &bytes) && bytes > 0 ? (uint64_t)bytes : 0;
}

bool dash_head_awaits(struct MHD_Connection *connection)
{
	return header(connection, MHD_HTTP_HEADER_EXPECT) != NULL;
}

void dash_head_address(struct MHD_Connection *connection, char ret[DASH_ADDRESS_BYTES])
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct io_addr addr = dash_proxies_client(NULL, info != NULL ? info->client_addr : NULL,
						  NULL);

	snprintf(ret, DASH_ADDRESS_BYTES, "unix");
	if (addr.len > 0)
		io_addr_text(&addr, ret, DASH_ADDRESS_BYTES);
}

void dash_head_client(const struct dash_head *head, char ret[DASH_ADDRESS_BYTES])
{
	io_addr_text(&head->from, ret, DASH_ADDRESS_BYTES);
	size_t len = strlen(ret);
	if (len > 2 && strcmp(ret + len - 2, ":0") == 0)
		ret[len - 2] = '\0';
}
