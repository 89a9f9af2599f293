/* The destination of requests: address, headers and path of a server, ours or another one. */
#pragma once

#include "base/json.h"
#include "experiment/config.h"
#include "io/fetch.h"
#include "io/sock.h"
#include "io/tls.h"

struct run_stop;

/* The maximum of further addresses tried per name; few names have more. */
#define RUN_TARGET_OTHERS_MAX 7

struct run_target {
	struct io_addr addr; /* has `tls` set, so that every connection uses it */
	struct io_addr others[RUN_TARGET_OTHERS_MAX]; /* further addresses of the name */
	size_t other_count;
	char *unknown;             /* why the name has no address; NULL: it has one */
	struct io_tls_client *tls; /* NULL: plain HTTP */
	bool https;                /* TLS is required: call run_target_use_tls() */
	char *host;                /* Host header */
	char *prefix;              /* prefix of every path, usually "" */
	bool v1_cut;               /* the URL ended with /v1, which the paths already contain */
	char *headers; /* lines ending in CRLF: authorization and benchmark.header; may contain secrets */
	const struct run_stop *stop; /* can end the run, borrowed; NULL: none */
};

/*
 * How long to wait for a response. A stop request aborts a current request within 100 ms. Requests made after it
 * (counters, health) still get an answer from a healthy server: they have half a second, or until the second stop
 * request.
 */
struct run_patience {
	int64_t timeout_ns;
	const atomic_int *stop_signal; /* as in io/fetch.h */
};
struct run_patience run_target_patience(const struct run_target *target, int64_t timeout_ns);

void run_target_done(struct run_target *target);
/*
 * Returns whether the server is on this host: its address is one of this host's, and launch.hardware does not describe
 * another one (a tunnel ends on this host, too).
 */
bool run_target_is_here(const struct run_target *target, const struct exp_launch *launch);
/* Switches to the name's next address, in a circle. Call it only before `addr` was passed on. */
void run_target_rotate(struct run_target *target);
/*
 * Keeps only the name's addresses of this family (AF_INET, AF_INET6), or all if there is none. Call it only before
 * `addr` was passed on.
 */
void run_target_keep_family(struct run_target *target, int family);

/*
 * Parses "http://HOST[:PORT][/PREFIX][/v1][/]", or https. Removes /v1 at the end, because users paste the base URL of
 * OpenAI clients. Refuses a user or password without repeating it. `unknown` reports a host that cannot be resolved:
 * like a server that does not respond, it only ends the run.
 */
int run_target_from_url(const char *url, struct run_target *ret, struct pl_err *err) PL_MUST_CHECK;
/* A server of our own; a wildcard address is reached through loopback. */
int run_target_from_port(const char *host, uint16_t port, struct run_target *ret,
			 struct pl_err *err) PL_MUST_CHECK;
/* A dashboard: a URL as above, or "unix:PATH". */
int run_target_from_dashboard(const char *url, struct run_target *ret,
			      struct pl_err *err) PL_MUST_CHECK;
int run_target_from_uds(const char *path, struct run_target *ret, struct pl_err *err) PL_MUST_CHECK;

/* Makes connections to it use TLS; the certificate must be for the host of the URL. */
int run_target_use_tls(struct run_target *target, const struct io_tls_trust *trust,
		       struct pl_err *err) PL_MUST_CHECK;

/* `bearer` NULL: $OPENAI_API_KEY if it is set, as in vLLM's client; `header`: array of KEY=VALUE. */
int run_target_set_headers(struct run_target *target, const char *bearer, const json_t *header,
			   struct pl_err *err) PL_MUST_CHECK;

/* Sends GET to prefix + path, with run_target_patience(). */
int run_target_fetch(const struct run_target *target, const char *path, int64_t timeout_ns,
		     struct io_reply *ret, struct pl_err *err) PL_MUST_CHECK;
/* Sends POST with an empty body, as vLLM's client does; if *stop_signal becomes non-zero, it ends with INTERRUPTED. */
int run_target_post(const struct run_target *target, const char *path, int64_t timeout_ns,
		    const atomic_int *stop_signal, struct io_reply *ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* Calls io_acks_may_wait() with /health: within a second. */
bool run_target_acks_may_wait(const struct run_target *target);
/* Fetches a JSON response with status 200. */
int run_target_fetch_json(const struct run_target *target, const char *path, json_t **ret,
			  struct pl_err *err) PL_MUST_CHECK;
