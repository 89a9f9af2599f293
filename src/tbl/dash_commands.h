/*
 * The commands of `profllm-dashboard`, in the order of its help. A row declares dash_cmd_NAME() and, but
 * for help, dash_NAME_command, and is the line of the table in src/dash/cmd_help.c.
 *
 * COMMAND(name, options, summary)
 *   options   &dash_NAME_command, or NULL for a command without any
 * Undefined again at the end. The one named by DASH_COMMAND_DEFAULT is taken where a line names none.
 */
#define DASH_COMMAND_DEFAULT "serve"

COMMAND(serve, &dash_serve_command, "show results in the browser and take new ones in")
COMMAND(import, &dash_import_command, "take result files into the database")
COMMAND(prune, &dash_prune_command, "take results that were deleted away for good")
COMMAND(demo, &dash_demo_command, "fill a database with made-up results and show them")
COMMAND(check, &dash_check_command, "compare rows, documents and artifacts")
COMMAND(remap, &dash_remap_command, "read the documents that are kept again, with today's reader")
COMMAND(fields, &dash_fields_command, "list what results can be filtered by")
COMMAND(completion, &dash_completion_command, "print what lets a shell complete commands and options")
COMMAND(help, NULL, "show the commands, or one command's options")
COMMAND(version, &dash_version_command, "show the version")

#undef COMMAND
