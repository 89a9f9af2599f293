/*
 * `--otlp URL` of the commands that make a result: sends its metrics to an OpenTelemetry collector (OTLP/HTTP with JSON) after
 * the run. A failure is one warning and never changes the exit status.
 */
#pragma once

#include "base/json.h"

struct cli_otlp {
	const char *url; /* NULL: nothing is sent */
	const char *
		headers_file; /* lines "NAME: VALUE"; NULL: $OTEL_EXPORTER_OTLP_HEADERS, if it is set */
	const char *ca_file; /* trust these certificates; NULL: the system's */
};

/* Checks the address, the headers and the certificates before anything starts. */
int cli_otlp_check(const struct cli_otlp *otlp, struct pl_err *err) PL_MUST_CHECK;
/* `result` NULL: there is none, and nothing is sent. Takes at most 10 s. */
void cli_otlp_send(const struct cli_otlp *otlp, const json_t *result);
