/*
 * Where requests go: address, headers and path of a server, ours or another's.
 */
#pragma once

#include "base/json.h"
#include "io/fetch.h"
#include "io/sock.h"
#include "io/tls.h"
#include "experiment/config.h"

struct run_stop;

/* Addresses of one name that are tried; names with more are rare. */
#define RUN_TARGET_OTHERS_MAX 7

struct run_target {
	struct io_addr addr; /* knows `tls`, so that everyone who connects speaks it */
	struct io_addr others[RUN_TARGET_OTHERS_MAX]; /* what else the name stands for */
	size_t other_count;
	char *unknown;             /* why the name has no address; NULL: it has one */
	struct io_tls_client *tls; /* NULL: plain http */
	bool https;                /* TLS is to be spoken: run_target_use_tls() is still due */
	char *host;                /* Host header */
	char *prefix;              /* path in front of every path, "" mostly */
	bool v1_cut;               /* the URL ended with /v1, which the paths bring along */
	char *headers; /* lines ending in CRLF: authorization and benchmark.header; may hold secrets */
	const struct run_stop *stop; /* who may wish for the run's end, borrowed; NULL: nobody */
};

/*
 * How long an answer is waited for. A wish to end gives up what is under way, within 100 ms. What is
 * asked after one (a page of counters, is it well?) a server that is well still answers at once: for
 * that it has half a second, or until the second wish.
 */
struct run_patience {
	int64_t timeout_ns;
	const atomic_int *stop_signal; /* as io/fetch.h */
};
struct run_patience run_target_patience(const struct run_target *target, int64_t timeout_ns);

void run_target_done(struct run_target *target);
/* The next of the name's addresses, in a circle. To be called only before `addr` was handed on. */
void run_target_turn(struct run_target *target);
/* Only the name's addresses of that family (AF_INET, AF_INET6) count; where it has none, all do. As
 * above. */
void run_target_keep_family(struct run_target *target, int family);

/*
 * "http://HOST[:PORT][/PREFIX][/v1][/]", or https: /v1 at the end is cut off, for people paste what
 * OpenAI's client wants. A user or password is refused and not repeated. A host that cannot be
 * resolved is told by `unknown`: as a server that does not answer, it ends the run and no more.
 */
int run_target_from_url(const char *url, struct run_target *ret, struct pl_err *err) PL_MUST_CHECK;
/* A server of our own; a wildcard address is reached by loopback. */
int run_target_from_port(const char *host, uint16_t port, struct run_target *ret,
			 struct pl_err *err) PL_MUST_CHECK;
/* A dashboard: a URL as above, or "unix:PATH". */
int run_target_from_dashboard(const char *url, struct run_target *ret,
			      struct pl_err *err) PL_MUST_CHECK;
int run_target_from_uds(const char *path, struct run_target *ret, struct pl_err *err) PL_MUST_CHECK;

/* From here on connections to it speak TLS; the certificate must be for the host of the URL. */
int run_target_use_tls(struct run_target *target, const struct io_tls_trust *trust,
		       struct pl_err *err) PL_MUST_CHECK;

/* `bearer` NULL: $OPENAI_API_KEY when it is set, as vLLM's client; `header`: array of KEY=VALUE. */
int run_target_set_headers(struct run_target *target, const char *bearer, const json_t *header,
			   struct pl_err *err) PL_MUST_CHECK;

/* GET of prefix + path, with run_target_patience(). */
int run_target_fetch(const struct run_target *target, const char *path, int64_t timeout_ns,
		     struct io_reply *ret, struct pl_err *err) PL_MUST_CHECK;
/* POST with an empty body, as vLLM's client does; *stop_signal becoming non-zero ends it with
 * INTERRUPTED. */
int run_target_post(const struct run_target *target, const char *path, int64_t timeout_ns,
		    const atomic_int *stop_signal, struct io_reply *ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* io_acks_may_wait(), by way of /health: within a second. */
bool run_target_acks_may_wait(const struct run_target *target);
/* A JSON answer with status 200. */
int run_target_fetch_json(const struct run_target *target, const char *path, json_t **ret,
			  struct pl_err *err) PL_MUST_CHECK;
