/*
 * The commands of `profllm`, in the order of its help. A row declares cmd_NAME() and, but for help,
 * cli_NAME_command, and is the line of the table in src/cli/commands.c.
 *
 * COMMAND(name, options, summary)
 * COMMAND_NAMED(name, text, options, summary)   the user writes `text`
 *   options   &cli_NAME_command, or NULL for a command without any
 * It is undefined at the end. Commands of `vllm bench` that are missing are in tbl/bench_commands.h.
 */

COMMAND(demo, &cli_demo_command, "measure a simulated server and show its results")
COMMAND(run, &cli_run_command, "start a server, send load to it and write the result")
COMMAND(sweep, &cli_sweep_command, "run every combination of the values in one file")
COMMAND(bench, &cli_bench_command, "send load to a running server, as vllm bench serve does")
COMMAND_NAMED(export_job, "export-job", &cli_export_job_command, "write the job of a cluster for an experiment")
COMMAND(recover, &cli_recover_command, "write the result of a killed run from its journal")
COMMAND(validate, &cli_validate_command, "check experiments and command lines before a run")
COMMAND(config, &cli_config_command, "convert between command lines, results and experiments")
COMMAND(params, &cli_params_command, "show vLLM's arguments, or how releases differ")
COMMAND(upload, &cli_upload_command, "send results to a dashboard")
COMMAND(compare, &cli_compare_command, "compare results and detect regressions")
COMMAND(gate, &cli_gate_command, "decide after few runs whether a candidate is slower")
COMMAND(bisect, &cli_bisect_command, "find the first release that is slower")
COMMAND(query, &cli_query_command, "ask a dashboard for results, fields or missing runs")
COMMAND(mcp, &cli_mcp_command, "serve ProfLLM to agents by the Model Context Protocol")
COMMAND(report, &cli_report_command, "write a report of one result, or of several compared")
COMMAND(gpus, &cli_gpus_command, "show the GPUs of this host, their load and their users")
COMMAND(schema, &cli_schema_command, "print the built-in tables as JSON")
COMMAND(completion, &cli_completion_command, "print a shell completion script")
COMMAND(help, NULL, "list the commands, or show the options of one")
COMMAND(version, &cli_version_command, "show the version")

#undef COMMAND
#undef COMMAND_NAMED
