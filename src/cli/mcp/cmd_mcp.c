/* `profllm mcp`: the tools of an agent. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/dashboard.h"
#include "cli/mcp/confine.h"
#include "cli/mcp/server.h"
#include "host/proc/program.h"

struct mcp_options {
	struct cli_dashboard dashboard;
	const char *root;
	bool allow_run;
	bool json;
};

#define AT(field) offsetof(struct mcp_options, field)

static const struct pl_opt mcp_rows[] = {
	PL_OPT(TEXT, 0, "root", root, "DIR",
	       "let the client name only files in DIR and its subdirectories", .def = "."),
	PL_OPT(FLAG, 0, "allow-run", allow_run, NULL,
	       "let the client start servers and load: everything that an experiment file can "
	       "name, also "
	       "commands"),
	PL_OPT(TEXT, 0, "dashboard", dashboard.url, "URL",
	       "let the client query the dashboard at URL"),
	PL_OPT(TEXT, 0, "token-file", dashboard.token_file, "FILE",
	       "send the token in FILE to the dashboard; the client never sees it"),
	PL_OPT(TEXT, 0, "ca-file", dashboard.ca_file, "FILE",
	       "trust the certificates in FILE (PEM) instead of the system's"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print the tools and the schemas of their answers as one JSON object, and exit"),
	{ .name = NULL },
};

const struct pl_opt_command cli_mcp_command = {
	.name = "profllm mcp",
	.usage = "[--root DIR] [--allow-run] [--dashboard URL [--token-file FILE] [--ca-file "
		 "FILE]]\n--json",
	.summary = "Serve ProfLLM to agents by the Model Context Protocol.",
	.details = "An agent or editor starts this command and speaks the Model Context Protocol "
		   "with it over "
		   "standard input and output (versions 2026-07-28, 2025-11-25, 2025-06-18 and "
		   "2024-11-05). The tools are commands of profllm: validate, forecast_memory, "
		   "plan_sweep, compare and, with --dashboard, query_experiments, query_fields and "
		   "query_missing. With --allow-run, run and sweep start servers.\n\n"
		   "Every answer has the verdict, the number of runs and intervals. A difference "
		   "is 'proven', or "
		   "'not proven' with the number of missing runs; nothing is ranked.\n\n"
		   "At the end of standard input, all calls are stopped and their servers ended. "
		   "docs/reference/mcp.md describes the tools and the limits.\n\n"
		   "Examples:\n"
		   "  profllm mcp --root ~/experiments\n"
		   "  profllm mcp --root . --allow-run --dashboard http://127.0.0.1:8421\n\n"
		   "Exit status: 0 end of input, 2 invalid usage, 128 + N interrupted by signal N.",
	.options = mcp_rows,
};

/* Returns this program as commands start it: under its name, so that it is found in a list of processes. free() */
static char *own_program(struct pl_err *err)
{
	char *program = NULL;

	return host_program_find_sibling("profllm", &program, err) == 0 ? program : NULL;
}

/* Children have another working directory. *ret: free(); NULL for NULL */
static int make_absolute(const char *option, const char *path, char **ret, struct pl_err *err)
{
	*ret = path != NULL ? realpath(path, NULL) : NULL;
	return path == NULL || *ret != NULL ? 0 : pl_err_errno(err, "%s '%s'", option, path);
}

static int serve(const struct mcp_options *options, struct cli_mcp_limits *limits,
		 struct pl_err *err)
{
	const struct cli_dashboard *dashboard = &options->dashboard;
	auto_free char *token_file = NULL;
	auto_free char *ca_file = NULL;
	auto_free char *program = own_program(err);

	if (program == NULL || cli_mcp_root_open(options->root, &limits->root, err) < 0)
		return -1;
	if (dashboard->url == NULL && (dashboard->token_file != NULL || dashboard->ca_file != NULL))
		return pl_err_invalid(err, "%s works only with --dashboard; add --dashboard URL",
				      dashboard->token_file != NULL ? "--token-file" : "--ca-file");
	if (dashboard->url != NULL && cli_dashboard_check(dashboard, err) < 0)
		return -1;
	if (make_absolute("--token-file", dashboard->token_file, &token_file, err) < 0 ||
	    make_absolute("--ca-file", dashboard->ca_file, &ca_file, err) < 0)
		return -1;
	limits->commands = &cli_commands;
	limits->allow_run = options->allow_run;
	limits->dashboard = dashboard->url;
	limits->token_file = token_file;
	limits->ca_file = ca_file;
	if (!cli_mcp_confine_works())
		pl_log(PL_LOG_WARNING,
		       "this kernel has no Landlock: an experiment file in --root may name "
		       "files outside of it");
	return cli_mcp_serve(limits, program, err);
}

static int print_tools(void)
{
	json_t *list = json_array();
	auto_json json_t *answer = json_pack("{s:o}", "tools", list);
	const struct cli_mcp_tool *tool;

	for (size_t i = 0; (tool = cli_mcp_tool_at(i)) != NULL; i++)
		json_array_append_new(list, cli_mcp_tool_json(&cli_commands, tool));
	return cli_print_json(answer);
}

int cmd_mcp(int argc, char **argv)
{
	struct mcp_options options = { .root = ".", .dashboard.option = "--dashboard" };
	struct cli_mcp_limits limits = { 0 };
	struct pl_words words;
	struct pl_err err = PL_ERR_INIT;
	int status;

	if (!pl_command_read(&cli_mcp_command, argc, argv, &options, &words, &status))
		return status;
	if (options.json)
		return print_tools();
	status = serve(&options, &limits, &err);
	cli_mcp_root_done(&limits.root);
	return status < 0 ? cli_fail(&err) : status;
}
