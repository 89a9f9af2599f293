/* The dashboard that a command sends to: its address, its certificate and the token that it requires. */
#pragma once

#include "base/err.h"
#include "run/target.h"

#include <stdbool.h>

/* Ends a message about a certificate, if the command also has --insecure. */
#define CLI_DASHBOARD_REMEDY \
	"; use --ca-file to trust its issuer, or --insecure to accept any certificate"

struct cli_dashboard {
	const char *url;        /* or unix:PATH */
	const char *option;     /* that holds the URL, for messages: "--to" */
	const char *token_file; /* NULL: no token is sent */
	bool insecure;          /* accept any TLS certificate */
	bool takes_insecure;    /* the command has an option for this */
	const char *ca_file;    /* trust these certificates; NULL: the system's */
	bool has_warned; /* of a token that is sent unencrypted: cli_dashboard_open() does not */
};

/* Checks the address, and reads the token and the certificates before anything starts. A host name that does not resolve yet is accepted. */
int cli_dashboard_check(const struct cli_dashboard *dashboard, struct pl_err *err) PL_MUST_CHECK;
/* Returns whether what is sent to the target stays on this host. */
bool cli_stays_here(const struct run_target *target);
/*
 * Resolves the address. *ret: run_target_done(). -1: INVALID, or NETWORK if the host has no address. Warns once if the
 * token leaves this host unencrypted.
 */
int cli_dashboard_open(struct cli_dashboard *dashboard, struct run_target *ret,
		       struct pl_err *err) PL_MUST_CHECK;
