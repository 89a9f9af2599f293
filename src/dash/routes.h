/*
 * Dispatches requests to handlers: the rows of tbl/routes.h, the contract, and the responses that no handler gives (no
 * such path, wrong method, wrong type or form of the body, not modified).
 * A request is processed in steps. The header can refuse a body before it arrives. The complete request can be refused
 * again, or is answered with a file of the web UI. Then the handler's turn comes.
 */
#pragma once

#include "dash/contract.h"
#include "dash/request.h"
#include "io/sock.h"

/* The header of a request; all borrowed. */
struct dash_head {
	const char *method;
	const struct dash_target *target;
	const char *media;         /* Content-Type, or NULL */
	const char *coding;        /* Content-Encoding, or NULL */
	const char *if_none_match; /* or NULL */
	const char *data_version;  /* X-Data-Version, or NULL */
	const char *accept;        /* Accept, or NULL */
	const char *accept_coding; /* Accept-Encoding, or NULL */
	const char *range;         /* Range, or NULL */
	const char *if_range;      /* If-Range, or NULL */
	const char *sha256;        /* X-Content-SHA256, or NULL */
	const char *key;           /* Idempotency-Key, or NULL */
	const char *if_match;      /* If-Match, or NULL */
	const char *authorization; /* Authorization, or NULL */
	const char *cookie;        /* Cookie, or NULL */
	const char *origin;        /* Origin, or NULL */
	bool is_secure;            /* sent through TLS */
	bool is_strict;            /* sent through our TLS to a name other than the loopback's */
	struct io_addr from;       /* the address of the client; length 0: it has none */
	bool is_forwarded;         /* a trusted proxy has sent the request */
	const char *proxy_user;    /* that it has named, or NULL */
	const char *proxy_groups;  /* or NULL */
};

struct dash_route; /* a row with its operation; lives as long as the program */

/* The route of a request, with the values of its path's placeholders. */
struct dash_match {
	const struct dash_route *route;
	const struct dash_operation *operation; /* NULL: a file of the web UI */
	char *words[DASH_WORDS_MAX];
	uint64_t bytes_max; /* of the body */
	bool is_stream;     /* the handler receives the body while it arrives */
	struct dash_user user;
};
void dash_match_done(struct dash_match *match);

/*
 * Rows by index, for counters: those of tbl/routes.h, then "web" (files of the web UI) and "none" (requests that
 * match no route, and those that were refused before their route was known). The index of a request that has ended
 * follows from its match and status.
 */
size_t dash_route_count(void);
size_t dash_route_index(const struct dash_match *match, int status);
void dash_route_at(size_t index, const char **ret_method, const char **ret_path);

/* Returns an error if rows and contract differ. */
int dash_routes_check(const struct dash_contract *contract, struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns false if the request is refused, with the reason in *answer. Overwrites *ret (dash_match_done()) in both
 * cases; its bytes_max is the limit of the body.
 */
bool dash_routes_begin(const struct dash_context *context, const struct dash_head *head,
		       struct dash_match *ret, struct dash_answer *answer);

enum dash_lane {
	DASH_LANE_NOW,
	DASH_LANE_READ,
	DASH_LANE_WRITE,
	DASH_LANE_QUEUE,
	DASH_LANE_SHARED,
	DASH_LANE_ANALYSIS,
	DASH_LANE_STREAM,
	DASH_LANE_COUNT,
};

/* A complete request. It borrows head, match and body. */
struct dash_call {
	struct dash_request request;
	json_t *query;
	json_t *body;
	char *unpacked;                    /* the body, if it was compressed */
	size_t unpacked_bytes, body_bytes; /* reserved (dash/memory.h) */
	enum dash_lane lane;
	int64_t version; /* of the data when the request began; 0: unknown */
	int64_t awaited; /* the version that the response must have at least; 0: any */
	char *question;  /* for turn SHARED: equal for requests with the same response */
};
void dash_call_done(struct dash_call *call);

/*
 * Call it with the complete body, or before a streamed one. Returns false if the response is set: a refusal or a file
 * of the web UI. Overwrites *ret (dash_call_done()) in both cases.
 */
bool dash_routes_read(const struct dash_context *context, const struct dash_head *head,
		      const struct dash_match *match, const char *bytes, size_t len,
		      struct dash_call *ret, struct dash_answer *answer);
/* Calls the handler. */
void dash_routes_answer(const struct dash_match *match, const struct dash_call *call,
			struct dash_answer *answer);
/* Call it for every response before it is sent: it becomes a 304 if the client already has it. */
void dash_routes_end(const struct dash_head *head, const struct dash_match *match,
		     struct dash_answer *answer);
