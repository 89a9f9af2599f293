/*
 * A request as a handler has it, and the answer that most of them give.
 *
 * - A handler is called by one of the server's threads, or by one of its queue's, several at once: what
 *   the context has is const or locks by itself.
 * - What the contract says of query and body was checked before; what is not said there (is there such a
 *   field, such a result) is the handler's.
 * - One whose turn is STREAM (tbl/routes.h) is called when the head is there: it refuses, or sets
 *   answer->sink, which then takes the body and gives the answer.
 */
#pragma once

#include "base/json.h"
#include "dash/answer.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct dash_contract;
struct dash_head;
struct dash_ingest;
struct res_fields;
struct store;
struct mirror_cancel_token;

/* What all requests of a server share. */
struct dash_context {
	struct store *store;
	const struct res_fields *fields;
	const struct dash_answer *fields_answer; /* dash_fields_answer_init() */
	const struct dash_contract *contract;
	struct dash_ingest *ingest;
	atomic_uint *exports; /* files that are being made */
	uint32_t
		start; /* another one each time a server starts: data versions are a database's own */
};

#define DASH_WORDS_MAX 3

/* The answer that lists all fields, for all who ask for it (dash_answer_done()). */
void dash_fields_answer_init(const struct res_fields *fields, struct dash_answer *ret);

struct dash_request {
	const struct dash_context *context;
	const char *path;                  /* decoded */
	const char *words[DASH_WORDS_MAX]; /* what stands in the braces of the route's path */
	const json_t *query;               /* the members of the query string by name */
	const json_t *body;                /* where the contract has a schema for it; else NULL */
	const char *bytes;                 /* the body as it came */
	size_t len;
	const char *media; /* Content-Type; NULL: there is none */
	const struct dash_head *head;
	struct mirror_cancel_token
		*waiter; /* for the answer (store/waiter.h); NULL: nobody leaves */
};

/* The JSON, or why it cannot be answered: it is larger than DASH_ANSWER_BYTES_MAX. Takes the reference. */
void dash_answer_json(struct dash_answer *answer, int status, json_t *json);

/*
 * The result that a path's first word names, by its number or its run_id. Overwrites *ret (store_entry_done()). False: there is
 * none, it is deleted, or it cannot be read; answered.
 */
struct store_entry;
bool dash_find_experiment(const struct dash_request *request, struct store_entry *ret,
			  struct dash_answer *answer);

typedef void dash_handler_fn(const struct dash_request *request, struct dash_answer *answer);
#define ROUTE(method, path, handler, tag, turn) dash_handler_fn dash_##handler;
#include "tbl/routes.h"
