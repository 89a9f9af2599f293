/*
 * The server of the Model Context Protocol: one JSON-RPC message per line from standard input, answers on standard output.
 *
 * - One thread. It waits for messages, the output of children, and signals; nothing else blocks it.
 * - At most CLI_MCP_CALLS_MAX calls are in progress, of which one may start servers: two would measure each other.
 * - It ends at the end of standard input, on SIGINT, SIGTERM and SIGHUP, and if its output is closed. It then stops all
 *   calls and waits for their end.
 */
#pragma once

#include "cli/mcp/tools.h"

#define CLI_MCP_CALLS_MAX 4

/* Serves until the end of the input. Returns 0, or 128 + signal. -1: it could not start. */
int cli_mcp_serve(const struct cli_mcp_limits *limits, const char *program,
		  struct pl_err *err) PL_MUST_CHECK;
