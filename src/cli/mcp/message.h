/*
 * One message of the Model Context Protocol: a JSON-RPC 2.0 request or notification in one line of UTF-8.
 *
 * Two eras of the protocol are understood. In the legacy one (2024-11-05, 2025-06-18, 2025-11-25) a session starts with
 * `initialize`; in the modern one (2026-07-28) each request carries its version in params._meta.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#define CLI_MCP_LINE_BYTES_MAX (1u << 20)
#define CLI_MCP_DEPTH_MAX      80 /* a filter of a dashboard has up to 64 levels */

/* JSON-RPC 2.0 and the protocol's own. */
enum cli_mcp_code {
	CLI_MCP_PARSE_ERROR = -32700,
	CLI_MCP_INVALID_REQUEST = -32600,
	CLI_MCP_METHOD_NOT_FOUND = -32601,
	CLI_MCP_INVALID_PARAMS = -32602,
	CLI_MCP_INTERNAL_ERROR = -32603,
	CLI_MCP_UNSUPPORTED_VERSION = -32022,
};

struct cli_mcp_message {
	json_t *root;         /* owned */
	const json_t *id;     /* a string or an integer; NULL: a notification */
	const char *method;   /* without U+0000; NULL: a response, which is ignored */
	const json_t *params; /* an object; NULL: none, or null */
	/* the modern era: the version of this request; NULL: legacy */
	const char *version;
	const json_t *progress_token; /* NULL: no progress is wanted */
};
void cli_mcp_message_done(struct cli_mcp_message *message);
#define auto_mcp_message \
	__attribute__((cleanup(cli_mcp_message_done), unused)) struct cli_mcp_message

/*
 * Parses a line without its newline. On failure returns the code (below 0), sets err, and ret->id if it could be read.
 * 0: success. cli_mcp_message_done() in both cases.
 */
int cli_mcp_message_read(const char *line, size_t len, struct cli_mcp_message *ret,
			 struct pl_err *err) PL_MUST_CHECK;

/* Returns the text of a member, NULL: another type, or a text with U+0000, which C would cut. */
const char *cli_mcp_text(const json_t *object, const char *key);

/* The versions of the legacy era, newest first, NULL-terminated, and the modern one. */
extern const char *const cli_mcp_legacy_versions[];
#define CLI_MCP_MODERN_VERSION "2026-07-28"
#define CLI_MCP_META           "io.modelcontextprotocol/"
