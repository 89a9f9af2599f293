/*
 * `profllm sweep run`: many experiments of one file.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/sweep_file.h"

#define REPORT_BYTES_MAX (256u << 20)

struct sweep_options {
	struct cli_sweep_options file;
	bool dry_run;
	bool json;
};

#define AT(field) offsetof(struct sweep_options, field)

static const struct pl_opt sweep_rows[] = {
	PL_OPT(FLAG, 0, "dry-run", dry_run, NULL,
	       "show which servers and runs it takes and which combinations fall out, and start "
	       "nothing"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	PL_OPT(LIST, 0, "only", file.only, "SET", "this set of the file alone; may be repeated"),
	PL_OPT(TEXT, 0, "hardware", file.hardware, "PROFILE",
	       "GPUs to check against in place of this host's, as h100x8"),
	PL_OPT(FLAG, 0, "sim", file.simulate, NULL, "profllm-sim in place of launch.command"),
	PL_OPT(TEXT, 0, "params-overlay", file.overlay, "FILE",
	       "server arguments of another vLLM, as profllm params --from-vllm writes them"),
	PL_OPT(FLAG, 0, "allow-gone", file.allow_gone, NULL,
	       "arguments and choices that the release no longer has are warnings"),
	{ .name = NULL },
};

static const char *const actions[] = { "run", NULL };

const struct pl_opt_command cli_sweep_command = {
	.name = "profllm sweep",
	.usage = "run --dry-run [options] FILE",
	.summary = "Check the experiments of one file whose keys take several values.",
	.details = "The section 'sweep' of FILE says which keys take which values "
		   "(docs/reference/sweeps.md); 'profllm config expand' writes the experiments.\n\n"
		   "Examples:\n"
		   "  profllm sweep run --dry-run configs/examples/sweeps/concurrency.yaml\n"
		   "  profllm sweep run --dry-run --hardware h100x8 sweep.yaml\n\n"
		   "Exit status: 0 done, 2 bad usage or input, or nothing is left to run.",
	.options = sweep_rows,
	.words = actions,
	.operand = "FILE",
};

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* What the cells of a server configuration share of their label: the server's keys. */
static void add_server(const struct run_sweep_cell *cell, struct pl_buf *buf)
{
	size_t before = buf->len;

	PL_JSON_EACH_MEMBER(key, value, cell->cell->point) {
		auto_free char *text = pl_json_to_plain(value);
		if (pl_text_starts(key, "server."))
			pl_buf_addf(buf, " %s=%s", key + strlen("server."), text);
		else if (pl_text_starts(key, "launch."))
			pl_buf_addf(buf, " %s=%s", key, text);
	}
	if (buf->len == before)
		pl_buf_add_text(buf, " as in the file");
}

/* One line a server configuration, in the order of the file. */
static void add_servers(const struct run_sweep_plan *plan, struct pl_buf *buf)
{
	auto_json json_t *runs = json_object();

	for (size_t i = 0; i < plan->count; i++) {
		const struct run_sweep_cell *cell = &plan->cells[i];
		int64_t count = pl_json_get_i64(runs, cell->server);
		if (!cell->falls_out)
			json_object_set_new(runs, cell->server, json_integer(count + 1));
	}
	for (size_t i = 0; i < plan->count; i++) {
		const struct run_sweep_cell *cell = &plan->cells[i];
		int64_t count = pl_json_get_i64(runs, cell->server);
		if (cell->falls_out || count == 0)
			continue;
		pl_buf_addf(buf, "  server %s, %lld run%s:", cell->server, (long long)count,
			    plural((size_t)count));
		add_server(cell, buf);
		pl_buf_add_char(buf, '\n');
		json_object_set_new(runs, cell->server, json_integer(0));
	}
}

static void add_people_form(const struct cli_sweep *sweep, struct pl_buf *buf)
{
	const struct run_sweep_plan *plan = &sweep->plan;
	size_t runs = plan->count - plan->fallen;

	pl_buf_addf(buf, "%s: %zu run%s on %zu server configuration%s\n", sweep->sweep->source,
		    runs, plural(runs), plan->servers, plural(plan->servers));
	add_servers(plan, buf);
	if (sweep->sweep->left_out > 0)
		pl_buf_addf(buf, "left out by conditions: %zu\n", sweep->sweep->left_out);
	if (sweep->sweep->merged > 0)
		pl_buf_addf(buf, "the same as others: %zu\n", sweep->sweep->merged);
	if (plan->fallen > 0)
		pl_buf_addf(buf, "fall out: %zu\n", plan->fallen);
	cli_sweep_add_fallen(sweep, buf);
}

static int dry_run(const struct cli_sweep *sweep, bool as_json)
{
	const struct run_sweep_plan *plan = &sweep->plan;
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);
	int printed;

	if (as_json) {
		auto_json json_t *report = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o}",
						     "source", sweep->sweep->source, "servers",
						     (json_int_t)plan->servers, "runs",
						     (json_int_t)(plan->count - plan->fallen),
						     "left_out", (json_int_t)sweep->sweep->left_out,
						     "merged", (json_int_t)sweep->sweep->merged,
						     "cells", cli_sweep_cells_json(sweep, false),
						     "fallen", cli_sweep_cells_json(sweep, true));
		printed = cli_print_json(report);
	} else {
		add_people_form(sweep, &text);
		printed = cli_print(pl_buf_text(&text));
	}
	if (printed != 0 || plan->fallen < plan->count)
		return printed;
	return cli_refuse("every combination of '%s' falls out", sweep->sweep->source);
}

static int sweep(const struct sweep_options *options, const struct pl_words *words)
{
	auto_cli_sweep file = { 0 };

	if (words->count == 0 || strcmp(words->items[0], "run") != 0)
		return cli_refuse("%s%s%s, expected 'run'",
				  words->count > 0 ? "unknown action '" : "found none",
				  words->count > 0 ? words->items[0] : "",
				  words->count > 0 ? "'" : "");
	if (words->count != 2)
		return cli_refuse("expected one FILE");
	if (!options->dry_run)
		return cli_refuse("expected '--dry-run': in this version a sweep is expanded and "
				  "checked; 'profllm config expand' writes what 'profllm run' "
				  "takes");
	int status = cli_sweep_open(words->items[1], &options->file, &file);
	return status != 0 ? status : dry_run(&file, options->json);
}

int cmd_sweep(int argc, char **argv)
{
	struct sweep_options options = { 0 };
	struct pl_words words;
	int status;

	if (pl_command_read(&cli_sweep_command, argc, argv, &options, &words, &status))
		status = sweep(&options, &words);
	pl_opt_list_done(&options.file.only);
	return status;
}
