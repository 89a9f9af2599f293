/*
 * The commands of `profllm`, in the order of its help. A row declares cmd_NAME() and, but for help,
 * cli_NAME_command, and is the line of the table in src/cli/cmd_help.c.
 *
 * COMMAND(name, options, summary)
 *   options   &cli_NAME_command, or NULL for a command without any
 * LATER(name, what, today)   one that is not in this version, and says so when it is called; those
 *                            that `vllm bench` has are in tbl/bench_commands.h
 *   what      what it will be
 *   today     how to come by it until then
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef COMMAND
#define COMMAND(name, options, summary)
#endif
#ifndef LATER
#define LATER(name, what, today)
#endif

COMMAND(run, &cli_run_command, "start a server, send load to it and write the result")
COMMAND(sweep, &cli_sweep_command, "many experiments of one file, whose keys take several values")
COMMAND(bench, &cli_bench_command, "send load to a server that runs, as vllm bench serve does")
COMMAND(recover, &cli_recover_command, "make the result of a run that was killed from its journal")
COMMAND(validate, &cli_validate_command, "find what is wrong with experiments or command lines")
COMMAND(config, &cli_config_command, "turn a command line or a result into an experiment, or back")
COMMAND(params, &cli_params_command, "show vLLM's arguments, or what another vLLM has changed")
COMMAND(upload, &cli_upload_command, "send results to a dashboard")
COMMAND(compare, &cli_compare_command, "show results side by side, and what became worse")
COMMAND(gpus, &cli_gpus_command, "show the GPUs of this host, what they do and who uses them")
COMMAND(schema, &cli_schema_command, "print the rows that everything is made from, for programs")
COMMAND(completion, &cli_completion_command, "print what lets a shell complete profllm's words")
COMMAND(help, NULL, "show the commands, or one command's options")
COMMAND(version, &cli_version_command, "show the version")

LATER("report", "a result as a page to look at",
      "profllm recover FILE prints its table again, benchmark.plot_timeline draws the requests")

#undef COMMAND
#undef LATER
