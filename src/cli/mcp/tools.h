/* The tools, rows of tbl/mcp_tools.h: their schemas, and the command line that a call stands for. */
#pragma once

#include "base/json.h"
#include "base/strv.h"
#include "cli/mcp/root.h"

struct pl_commands;

enum cli_mcp_access {
	CLI_MCP_READ, /* reads files below the root */
	CLI_MCP_RUN,  /* starts a server or load */
	CLI_MCP_ASK,  /* asks the dashboard */
};

struct cli_mcp_tool {
	const char *name;
	const char *title;
	const char *words;
	const char *fixed;
	enum cli_mcp_access access;
	const char *operand;
	const char *options;
	const char *answer;
	const char *text;
};

/* Returns row `i`, NULL after the last one. */
const struct cli_mcp_tool *cli_mcp_tool_at(size_t i);
const struct cli_mcp_tool *cli_mcp_tool_find(const char *name);
/*
 * Returns {name, title, description, inputSchema, outputSchema, annotations}; commands: those of `profllm`. New
 * reference.
 */
json_t *cli_mcp_tool_json(const struct pl_commands *commands, const struct cli_mcp_tool *tool);

/* The options of the server. */
struct cli_mcp_limits {
	const struct pl_commands *commands; /* of `profllm` */
	struct cli_mcp_root root;
	bool allow_run;
	const char *dashboard; /* NULL: none */
	const char *token_file;
	const char *ca_file;
};
/*
 * Makes the words of the command from the arguments of a call (NULL: none): those after the program's name. Each value is
 * part of its option's word, and each path is absolute, so that no value can become an option. INVALID: the one thing that
 * is wrong with the arguments.
 */
int cli_mcp_tool_words(const struct cli_mcp_tool *tool, const struct cli_mcp_limits *limits,
		       const json_t *arguments, struct pl_strv *ret,
		       struct pl_err *err) PL_MUST_CHECK;
