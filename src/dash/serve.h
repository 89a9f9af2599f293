/* The `serve` command, for commands that end by serving. */
#pragma once

#include "base/opt.h"

#include <stdbool.h>
#include <stdint.h>

#define DASH_HOST_DEFAULT "127.0.0.1"
#define DASH_PORT_DEFAULT 8421
#define DASH_PORT_TEXT    "8421"

struct dash_serve_options {
	const char *db;            /* NULL: the default database */
	const char *data;          /* NULL: next to the database */
	struct pl_opt_list watch;  /* directories; the caller's */
	const char *watch_webhook; /* receives the states of watches; NULL: none */
	const char *socket;        /* a Unix socket instead of host and port; NULL: none */
	const char *token_file;    /* users and their roles; NULL: every client may do everything */
	struct pl_opt_list allow_host;    /* names that Host may have; the caller's */
	const char *tls_cert, *tls_key;   /* files in PEM; NULL: plain HTTP */
	struct pl_opt_list trusted_proxy; /* their addresses; the caller's */
	const char *auth_header;          /* has a user that a proxy authenticated; NULL: none */
	const char *auth_groups_header;   /* NULL: none */
	struct pl_opt_list role_of;       /* GROUP=ROLE; the caller's */
	bool no_column_snapshot;          /* read all results at the start, and write no file */
	bool insecure_listen;             /* without tokens on an address that other hosts reach */
	const char *host;
	int64_t port;
	int64_t drain_ns;       /* between the first signal and the stop */
	const char *log_format; /* "text", "json"; NULL: text */
	const char *log_level;  /* NULL: of the environment */
	bool verbose;
	bool json; /* print the address as one line of JSON */
};

/* Checks that the server can listen, before expensive work. BUSY: the port is in use. */
int dash_serve_check(const struct dash_serve_options *options, struct pl_err *err) PL_MUST_CHECK;
/* Runs until a signal ends it. */
int dash_serve(const struct dash_serve_options *options, struct pl_err *err) PL_MUST_CHECK;
