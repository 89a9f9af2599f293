/*
 * The commands of `profllm-dashboard`, in the order of its help. A row declares dash_cmd_NAME() and, but
 * for help, dash_NAME_command, and is the line of the table in src/dash/cmd_help.c.
 *
 * COMMAND(name, options, summary)
 *   options   &dash_NAME_command, or NULL for a command without any
 * FORMER_COMMAND(former, name)   an earlier name, which is still accepted and not listed
 * Undefined macros are skipped; they are undefined again at the end. DASH_COMMAND_DEFAULT names the default command.
 */
#ifndef COMMAND
#define COMMAND(name, options, summary)
#endif
#ifndef FORMER_COMMAND
#define FORMER_COMMAND(former, name)
#endif
#define DASH_COMMAND_DEFAULT "serve"

COMMAND(serve, &dash_serve_command, "serve the web UI and accept uploads")
COMMAND(import, &dash_import_command, "import result files into the database")
COMMAND(backup, &dash_backup_command, "back up a database and its artifacts")
COMMAND(restore, &dash_restore_command, "restore a database from a backup")
COMMAND(prune, &dash_prune_command, "remove deleted results, and artifacts by rule")
COMMAND(demo, &dash_demo_command, "serve a database of synthetic results")
COMMAND(check, &dash_check_command, "check that rows, documents and artifacts are consistent")
COMMAND(regress, &dash_regress_command, "look for regressions in the stored results")
COMMAND(reindex, &dash_reindex_command, "rebuild rows from the stored documents")
COMMAND(token, &dash_token_command, "manage the tokens of the users of a dashboard")
COMMAND(fields, &dash_fields_command, "list the fields that filters accept")
COMMAND(completion, &dash_completion_command, "print a shell completion script")
COMMAND(help, NULL, "list the commands, or show the options of one")
COMMAND(version, &dash_version_command, "show the version")

FORMER_COMMAND("remap", "reindex")

#undef COMMAND
#undef FORMER_COMMAND
