/*
 * From a request to its handler: the rows of tbl/routes.h, what the contract says of them, and the
 * answers that no handler gives (there is no such path, it takes another method, it is not the type or
 * the form that it takes, it has not changed).
 *
 * What comes in is known in steps: the head, by which a body may be refused before it is read; all of it,
 * by which it may be refused again, or answered by the page; then the handler's turn comes.
 */
#pragma once

#include "dash/contract.h"
#include "dash/request.h"

/* A head of a request; all borrowed. */
struct dash_head {
	const char *method;
	const struct dash_target *target;
	const char *media;         /* Content-Type, or NULL */
	const char *coding;        /* Content-Encoding, or NULL */
	const char *if_none_match; /* or NULL */
	const char *accept_coding; /* Accept-Encoding, or NULL */
	const char *range;         /* Range, or NULL */
	const char *if_range;      /* If-Range, or NULL */
	const char *sha256;        /* X-Content-SHA256, or NULL */
	const char *key;           /* Idempotency-Key, or NULL */
};

struct dash_route; /* a row with its operation; lives as long as the program */

/* Which route a request is for, and what stands in the braces of its path. */
struct dash_match {
	const struct dash_route *route;
	const struct dash_operation *operation; /* NULL: a file of the page */
	char *words[DASH_WORDS_MAX];
	uint64_t bytes_max; /* of the body */
	bool is_stream;     /* which its handler takes as it comes */
};
void dash_match_done(struct dash_match *match);

/* 0, or an error where rows and contract differ. */
int dash_routes_check(const struct dash_contract *contract, struct pl_err *err) PL_MUST_CHECK;

/*
 * False: refused, and *answer says why. *ret is overwritten (dash_match_done()) either way; its
 * bytes_max is how much of a body may come.
 */
bool dash_routes_begin(const struct dash_context *context, const struct dash_head *head,
		       struct dash_match *ret, struct dash_answer *answer);

enum dash_turn {
	DASH_TURN_NOW,
	DASH_TURN_READ,
	DASH_TURN_WRITE,
	DASH_TURN_QUEUE,
	DASH_TURN_SHARED,
	DASH_TURN_STREAM,
};

/* A request that was read. It borrows head, match and body. */
struct dash_call {
	struct dash_request request;
	json_t *query;
	json_t *body;
	char *unpacked; /* the body, where it came packed */
	enum dash_turn turn;
	int64_t version; /* of the data, before anything was asked of them */
	char *question;  /* of a turn that is SHARED: the same where the answer is */
};
void dash_call_done(struct dash_call *call);

/*
 * With the whole body, or before one that is a stream. False: the answer is there, a refusal or a file of the page. *ret is overwritten
 * (dash_call_done()) either way.
 */
bool dash_routes_read(const struct dash_context *context, const struct dash_head *head,
		      const struct dash_match *match, const char *bytes, size_t len,
		      struct dash_call *ret, struct dash_answer *answer);
/* By its handler, when its turn has come. */
void dash_routes_answer(const struct dash_match *match, const struct dash_call *call,
			struct dash_answer *answer);
/* Of any answer, before it goes out: is it the one that the client has already? */
void dash_routes_end(const struct dash_head *head, const struct dash_match *match,
		     struct dash_answer *answer);
