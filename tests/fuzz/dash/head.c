/*
 * Any head of a request, with the library's calls that give it replaced by ones of the input: the first line is "METHOD TARGET",
 * the others are "NAME: VALUE". It is refused with an answer, or it has one loopback Host, one length
 * at most and, where it changes something, no other site as its origin; and the dispatcher finds its route or refuses it.
 */
#include "dash/head_priv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "dash/answer.h"
#include "dash/guard.h"
#include "dash/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEADERS_MAX 64

struct MHD_Connection {
	struct {
		const char *name, *value;
	} headers[HEADERS_MAX];
	size_t count;
	union MHD_ConnectionInfo size;
};

static struct dash_contract *contract;

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* ---- the library's calls ------------------------------------------------------------------- */

const char *MHD_lookup_connection_value(struct MHD_Connection *connection, enum MHD_ValueKind kind,
					const char *key)
{
	must(kind == MHD_HEADER_KIND);
	for (size_t i = 0; i < connection->count; i++) {
		if (strcasecmp(connection->headers[i].name, key) == 0)
			return connection->headers[i].value;
	}
	return NULL;
}

int MHD_get_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
			      MHD_KeyValueIterator iterator, void *iterator_cls)
{
	size_t i = 0;

	while (i < connection->count && iterator(iterator_cls, kind, connection->headers[i].name,
						 connection->headers[i].value) == MHD_YES)
		i++;
	return (int)i;
}

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *connection,
							enum MHD_ConnectionInfoType info_type, ...)
{
	if (info_type == MHD_CONNECTION_INFO_CLIENT_ADDRESS)
		return NULL;
	must(info_type == MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	return &connection->size;
}

/* ---- the head ------------------------------------------------------------------------------ */

static size_t count_of(const struct MHD_Connection *connection, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < connection->count; i++)
		count += strcasecmp(connection->headers[i].name, name) == 0;
	return count;
}

static void add_header(struct MHD_Connection *connection, char *line)
{
	char *colon = strchr(line, ':');

	if (colon == NULL || connection->count == HEADERS_MAX)
		return;
	*colon = '\0';
	connection->headers[connection->count].name = line;
	connection->headers[connection->count++].value = pl_text_trim(colon + 1);
}

static void check_taken(struct MHD_Connection *connection, const struct dash_head *head)
{
	bool is_safe = PL_TEXT_IS_ONE_OF(head->method,
					 ((const char *[]){ "GET", "HEAD", "OPTIONS" }));

	must(count_of(connection, "Host") == 1);
	must(count_of(connection, "Content-Length") + count_of(connection, "Transfer-Encoding") <=
	     1);
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
	must(dash_guard_host(host));
	must(is_safe || origin == NULL || strstr(origin, host) != NULL);
	uint64_t length = dash_head_body_length(connection);
	must(length == UINT64_MAX || length <= INT64_MAX);
	(void)dash_head_awaits(connection);
}

static void route(const struct dash_head *head)
{
	const struct dash_context context = { .contract = contract };
	auto_answer answer = { 0 };
	struct dash_match match;

	bool is_taken = dash_routes_begin(&context, head, &match, &answer);
	must(is_taken || answer.status != 0);
	dash_match_done(&match);
}

static void check(struct MHD_Connection *connection, const char *method, const char *text)
{
	auto_answer answer = { 0 };
	struct dash_target target = { 0 };
	struct dash_head head;

	if (!dash_head_read(connection, &(struct dash_head_options){ 0 }, method, text, &target,
			    &head, &answer)) {
		must(answer.status >= 400 && answer.status < 500 && answer.len > 0);
		return;
	}
	check_taken(connection, &head);
	route(&head);
	dash_target_done(&target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct MHD_Connection connection = { .count = 0 };
	auto_free char *copy = pl_strndup((const char *)data, size);
	char *rest = copy, *text = strsep(&rest, "\n");
	const char *method = strsep(&text, " ");
	struct pl_err err = PL_ERR_INIT;

	if (contract == NULL && dash_contract_open(&contract, &err) < 0)
		abort();
	if (text == NULL)
		return 0;
	connection.size.header_size = size;
	while (rest != NULL)
		add_header(&connection, strsep(&rest, "\n"));
	check(&connection, method, text);
	return 0;
}
