/*
 * A request as a handler has it and what it answers: nothing of sockets, nothing of the HTTP library.
 *
 * - A handler is called by one of the server's threads, several at once: what the context has is const
 *   or locks by itself.
 * - What the contract says of query and body was checked before; what is not said there (is there such a
 *   field, such a result) is the handler's.
 * - The answer begins as { 0 } and is given back by dash_answer_done().
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dash_contract;
struct dash_ingest;
struct res_fields;
struct store;

/* What all requests of a server share. */
struct dash_context {
	struct store *store;
	const struct res_fields *fields;
	const struct dash_contract *contract;
	struct dash_ingest *ingest;
	uint32_t
		start; /* another one each time a server starts: data versions are a database's own */
};

#define DASH_WORDS_MAX 2

struct dash_request {
	const struct dash_context *context;
	const char *path;                  /* decoded */
	const char *words[DASH_WORDS_MAX]; /* what stands in the braces of the route's path */
	const json_t *query;               /* the members of the query string by name */
	const json_t *body;                /* where the contract has a schema for it; else NULL */
	const char *bytes;                 /* the body as it came */
	size_t len;
	const char *media; /* Content-Type; NULL: there is none */
};

/* Answers of this program are in memory as a whole; the largest is a facet of every field. */
#define DASH_ANSWER_BYTES_MAX (256u << 20)

struct dash_answer {
	const char *path; /* that was asked for */
	int status;
	const char *type;  /* Content-Type; static */
	char *bytes;       /* its own; NULL: fixed */
	const char *fixed; /* not its own, for as long as the program runs */
	size_t len;
	const char *allow;    /* methods, of a 405; static */
	const char *cache;    /* Cache-Control; NULL: to be asked for each time */
	char tag[80];         /* ETag with its quotes; "": none */
	const char *encoding; /* Content-Encoding; NULL: as it is */
	bool varies;          /* another encoding would have been another answer */
	char *location;       /* its own, or NULL */
	char *disposition;    /* its own, or NULL */
	bool closes;          /* the connection ends behind it */
	unsigned retry_s;     /* Retry-After; 0: none */
};

void dash_answer_done(struct dash_answer *answer);
#define auto_answer __attribute__((cleanup(dash_answer_done), unused)) struct dash_answer

/* Takes the reference. */
void dash_answer_json(struct dash_answer *answer, int status, json_t *json);
/* Takes the bytes. */
void dash_answer_bytes(struct dash_answer *answer, const char *type, char *bytes, size_t len);

/* What was a 200 with a tag: 304, without a body. */
void dash_answer_unchanged(struct dash_answer *answer);

typedef void dash_handler_fn(const struct dash_request *request, struct dash_answer *answer);
#define ROUTE(method, path, handler, tag) dash_handler_fn dash_##handler;
#include "tbl/routes.h"
