/*
 * The commands of `profllm`, in the order of its help. A row declares cmd_NAME() and, but for help,
 * cli_NAME_command, and is the line of the table in commands.c.
 *
 * COMMAND(name, options, summary)
 *   options   &cli_NAME_command, or NULL for a command without any
 * Undefined again at the end.
 */
COMMAND(run, &cli_run_command, "start a server, send load to it and write the result")
COMMAND(bench, &cli_bench_command, "send load to a server that runs, as vllm bench serve does")
COMMAND(recover, &cli_recover_command, "make the result of a run that was killed from its journal")
COMMAND(validate, &cli_validate_command, "find what is wrong with experiments or command lines")
COMMAND(config, &cli_config_command, "turn a command line into an experiment, or the other way")
COMMAND(params, &cli_params_command, "show vLLM's arguments, or what another vLLM has changed")
COMMAND(gpus, &cli_gpus_command, "show the GPUs of this host, what they do and who uses them")
COMMAND(schema, &cli_schema_command, "print the rows that everything is made from, for programs")
COMMAND(completion, &cli_completion_command, "print what lets a shell complete profllm's words")
COMMAND(help, NULL, "show the commands, or one command's options")
COMMAND(version, &cli_version_command, "show the version")

#undef COMMAND
