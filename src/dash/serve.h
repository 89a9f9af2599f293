/* What `serve` does, for commands that end in it. */
#pragma once

#include "base/opt.h"

#include <stdbool.h>
#include <stdint.h>

#define DASH_HOST_DEFAULT "127.0.0.1"
#define DASH_PORT_DEFAULT 8421
#define DASH_PORT_TEXT    "8421"

struct dash_serve_options {
	const char *db;           /* NULL: the default one */
	const char *data;         /* NULL: beside the database */
	struct pl_opt_list watch; /* folders; the caller's */
	const char *socket;       /* a Unix socket in place of host and port; NULL: none */
	const char *host;
	int64_t port;
	bool verbose;
};

/* Can it listen there now? Told before work that would be for nothing. BUSY: the port is taken. */
int dash_serve_check(const struct dash_serve_options *options, struct pl_err *err) PL_MUST_CHECK;
/* Until a signal ends it. */
int dash_serve(const struct dash_serve_options *options, struct pl_err *err) PL_MUST_CHECK;
