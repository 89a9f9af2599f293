/*
 * A request as a handler receives it, and the most common responses.
 * - A handler is called by a thread of the server or of its queue, several at a time: everything in the context is
 *   const or locks itself.
 * - Query and body are already checked against the contract. The handler checks the rest, such as whether a field or a
 *   result exists.
 * - A handler with turn STREAM (tbl/routes.h) is called after the header: it refuses, or sets answer->sink, which then
 *   receives the body and makes the response.
 */
#pragma once

#include "base/json.h"
#include "dash/answer.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct dash_access;
struct dash_contract;
struct dash_hosts;
struct dash_head;
struct dash_ingest;
struct dash_proxies;
struct res_fields;
struct store;
struct mirror_cancel_token;

/* Shared by all requests of a server. */
struct dash_context {
	struct store *store;
	const struct res_fields *fields;
	struct dash_fields_answer *fields_answer; /* dash_fields_answer_new() */
	const struct dash_contract *contract;
	struct dash_ingest *ingest;
	struct dash_parsed_cache *parsed;  /* artifacts that were read (parsed/parsed.h) */
	struct dash_prepared *prepared;    /* those that take long to read (parsed/prepared.h) */
	struct dash_log_indexes *logs;     /* of the logs that were read last (log/indexes.h) */
	struct dash_live *live;            /* runs in progress (live/live.h) */
	struct query_series_cache *series; /* analyses of single series (query/series/cache.h) */
	struct dash_watches *watches;      /* asked after each change (analysis/watches.h) */
	struct dash_monitor *monitor;      /* state of the server (observe/monitor.h) */
	struct dash_counters *counters;    /* of requests and documents (observe/counters.h) */
	atomic_uint *exports;              /* number of exports in progress */
	struct dash_access *
		access; /* users and roles (access/access.h); NULL: every client is an administrator */
	struct dash_proxies *proxies;   /* that are trusted (access/proxies.h); NULL: none */
	const struct dash_hosts *hosts; /* that Host may name (guard.h); NULL: only the loopback */
	uint32_t
		start; /* a random number per server start, because data versions are unique only per database */
};

#define DASH_WORDS_MAX 3

/* The response that lists all fields, made by the first request for it and shared by all; any thread. */
struct dash_fields_answer *dash_fields_answer_new(void);
void dash_fields_answer_free(struct dash_fields_answer *answer);
PL_AUTO_DEFINE(struct dash_fields_answer, dash_fields_answer_free);
#define auto_fields_answer PL_AUTO(dash_fields_answer_free)

struct dash_request {
	const struct dash_context *context;
	const char *path;                  /* decoded */
	const char *words[DASH_WORDS_MAX]; /* the values of the path's placeholders */
	const json_t *query;               /* the members of the query string by name */
	const json_t *body;                /* if the contract has a schema for it; else NULL */
	const char *bytes;                 /* the body as received */
	size_t len;
	const char *media; /* Content-Type; NULL: none */
	const struct dash_head *head;
	const struct dash_user *user; /* not NULL */
	struct mirror_cancel_token *
		cancel_token; /* cancels the query when the client leaves (mirror/cancel_token.h); NULL: never */
};

/* Returns the first placeholder of the path as the number of an object; 0: it is not one. */
int64_t dash_request_id(const struct dash_request *request);
/*
 * Returns the revision in the If-Match header: "3", or 3. 0: any, because the header is missing or "*"; -1: none, because
 * it is another text.
 */
int64_t dash_request_revision(const struct dash_request *request);

/* Returns the name of the user; NULL: the server has no users. */
const char *dash_request_author(const struct dash_request *request);

/* Responds with JSON, or with an error if it is larger than DASH_ANSWER_BYTES_MAX. Takes the reference. */
void dash_answer_json(struct dash_answer *answer, int status, json_t *json);

/*
 * Finds the result whose number or run_id is the first placeholder of the path. Overwrites *ret (store_entry_done()).
 * Returns false if it does not exist, is deleted or is unreadable; the response is set then.
 */
struct store_entry;
bool dash_find_experiment(const struct dash_request *request, struct store_entry *ret,
			  struct dash_answer *answer);

typedef void dash_handler_fn(const struct dash_request *request, struct dash_answer *answer);
#define ROUTE(method, path, handler, tag, lane) dash_handler_fn dash_##handler;
#include "tbl/routes.h"
