/*
 * `profllm recover OUTPUT`: the command line of run/journal/recover.h. It may be run at any time and repeatedly: a live
 * run is recognized by its lock and not touched, and a finished result stays as it is.
 */
#include "cli/cli.h"

#include <stddef.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/upload_result.h"
#include "result/report.h"
#include "run/journal/recover.h"

#define REPORT_BYTES_MAX (16u << 20)

struct recover_options {
	const char *upload;
	const char *token_file;
	const char *ca_file;
	bool json;
};

#define AT(field) offsetof(struct recover_options, field)

static const struct pl_opt recover_rows[] = {
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print the result to standard output as one JSON object"),
	PL_OPT(TEXT, 0, "upload", upload, "URL",
	       "send the result and its artifacts to the dashboard at URL"),
	PL_OPT(TEXT, 0, "token-file", token_file, "FILE",
	       "send the token in FILE to the dashboard of --upload"),
	PL_OPT(TEXT, 0, "ca-file", ca_file, "FILE",
	       "trust the certificates in FILE (PEM) for --upload instead of the system's"),
	{ .name = NULL },
};

const struct pl_opt_command cli_recover_command = {
	.name = "profllm recover",
	.usage = "OUTPUT [--json] [--upload URL [--token-file FILE] [--ca-file FILE]]",
	.summary = "Write the result of a killed run from its journal.",
	.details = "While 'profllm run --output OUTPUT' is running, OUTPUT.journal holds its "
		   "measurements. A run that ends or is interrupted with ^C writes OUTPUT and "
		   "removes the journal. A run that is killed (kill -9, out of memory, power "
		   "loss) leaves the journal.\n\n"
		   "Examples:\n"
		   "  profllm recover r.json          write r.json with the finished requests\n"
		   "  profllm recover r.json --json   also print it\n\n"
		   "The result has the status 'interrupted', and its requests file marks "
		   "unfinished requests. The journal is removed after the result is written. If "
		   "OUTPUT is already complete, the command reports that and changes nothing.\n\n"
		   "Exit status: 0 the result is complete, 2 the journal and the result are "
		   "missing, the journal cannot be read, or its run is still active, 8 the "
		   "result is complete but not uploaded (--upload).",
	.options = recover_rows,
	.operand = "OUTPUT",
};

static const char *text_of(const struct run_recovered *recovered, const char *key)
{
	const char *text = pl_json_get_text(recovered->result, key);

	return text != NULL ? text : "unknown";
}

static int report(const struct run_recovered *recovered, bool as_json)
{
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);
	struct vllm_bench bench;

	if (as_json)
		return cli_print_json(recovered->result);
	if (recovered->no_journal) {
		pl_buf_addf(&text,
			    "Nothing to recover: '%s' is finished (%s, status %s, started %s).\n",
			    recovered->path, text_of(recovered, "run_id"),
			    text_of(recovered, "status"), text_of(recovered, "timestamp"));
	} else if (recovered->was_whole) {
		pl_buf_addf(&text, "The result already existed; only the journal was removed.\n");
	} else {
		pl_buf_addf(&text, "Recovered: %zu of %zu requests had finished.\n",
			    recovered->over, recovered->count);
		if (recovered->damaged_line > 0)
			pl_buf_addf(&text,
				    "The journal is damaged from line %zu on: its last %zu bytes "
				    "were ignored.\n",
				    recovered->damaged_line, recovered->cut_bytes);
		else if (recovered->cut_bytes > 0)
			pl_buf_addf(&text,
				    "The last %zu bytes of the journal were incomplete and were "
				    "ignored.\n",
				    recovered->cut_bytes);
	}
	/* the result contains the options for the table, so no file is needed */
	run_recovered_bench(recovered->result, &bench);
	res_report_run(recovered->result, &bench, recovered->path, NULL,
		       pl_log_has_color(STDOUT_FILENO), &text);
	vllm_bench_done(&bench);
	return cli_print(pl_buf_text(&text));
}

static int recover(const char *output, const struct recover_options *options)
{
	struct cli_dashboard dashboard = { .url = options->upload,
					   .option = "--upload",
					   .token_file = options->token_file,
					   .ca_file = options->ca_file };
	struct run_recovered recovered;
	struct pl_err err = PL_ERR_INIT;

	if (options->upload == NULL && (options->token_file != NULL || options->ca_file != NULL))
		return cli_refuse(
			"%s works only with --upload; add --upload URL to name the dashboard",
			options->token_file != NULL ? "--token-file" : "--ca-file");
	if (options->upload != NULL && cli_dashboard_check(&dashboard, &err) < 0)
		return cli_fail(&err);
	if (run_recover(output, &recovered, &err) < 0) {
		/* scripts have one case, no result, whatever the reason */
		cli_fail(&err);
		return pl_err_exit_status(PL_ERR_INVALID);
	}
	int status = report(&recovered, options->json);
	if (options->upload != NULL)
		status = cli_upload_result(recovered.path, &dashboard, status);
	run_recovered_done(&recovered);
	return status;
}

int cmd_recover(int argc, char **argv)
{
	struct recover_options options = { 0 };
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_recover_command, argc, argv, &options, &words, &status))
		return status;
	if (words.count == 1)
		return recover(words.items[0], &options);
	if (words.count == 0)
		return cli_refuse("OUTPUT: found nothing, expected the file that 'profllm run "
				  "--output' names");
	return cli_refuse("found '%s', expected one OUTPUT", words.items[1]);
}
