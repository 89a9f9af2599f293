#include "cli/sweep_file.h"

#include <stdio.h>

#include "base/text.h"
#include "checkpoint/hardware.h"
#include "cli/cli.h"
#include "cli/problems.h"

#define LINE_BYTES_MAX 65536

void cli_sweep_done(struct cli_sweep *sweep)
{
	sweep_plan_done(&sweep->plan);
	exp_sweep_free(sweep->sweep);
	option_problems_done(&sweep->problems);
	vllm_catalog_free(sweep->catalog);
}

int cli_sweep_open(const char *path, const struct cli_sweep_options *options, struct cli_sweep *ret)
{
	struct pl_err err = PL_ERR_INIT;
	struct sweep_how how = { .simulate = options->simulate,
				 .allow_removed = options->allow_removed };

	if (options->hardware != NULL) {
		if (ckpt_hardware_find(options->hardware, &ret->hardware, &err) < 0) {
			pl_err_wrap(&err, "--hardware");
			return cli_fail(&err);
		}
		how.hardware = &ret->hardware;
	}
	if (cli_catalog_open(options->overlay, &ret->catalog, &err) < 0)
		return cli_fail(&err);
	how.catalog = ret->catalog;
	if (exp_sweep_read_file(ret->catalog, path, options->only.items, options->only.count,
				&ret->sweep, &ret->problems, &err) < 0) {
		if (err.line == 0)
			return cli_fail(&err);
		fprintf(stderr, "%s\n", err.text);
		return pl_err_exit_status(err.code);
	}
	if (ret->sweep != NULL)
		sweep_plan_make(ret->sweep, &how, &ret->plan, &ret->problems);
	cli_print_problems(&ret->problems);
	return ret->problems.errors > 0 ? pl_err_exit_status(PL_ERR_INVALID) : 0;
}

/* Groups the cells by their violated rule, which is printed once. */
void cli_sweep_add_fallen(const struct cli_sweep *sweep, struct pl_buf *buf)
{
	auto_json json_t *broken = json_object();

	for (size_t i = 0; i < sweep->plan.count; i++) {
		const struct sweep_cell *cell = &sweep->plan.cells[i];
		for (size_t k = 0; cell->falls_out && k < cell->problems.count; k++) {
			auto_buf line = PL_BUF(LINE_BYTES_MAX);
			option_problem_text(&cell->problems.items[k], OPTION_AS_FILE, &line);
			json_t *labels = json_object_get(broken, pl_buf_text(&line));
			if (labels == NULL)
				json_object_set_new(broken, pl_buf_text(&line),
						    labels = json_array());
			json_array_append_new(labels, json_string(cell->cell->label));
		}
	}
	PL_JSON_EACH_MEMBER(line, labels, broken) {
		pl_buf_addf(buf, "  %s\n", line);
		PL_JSON_EACH(label, labels)
			pl_buf_addf(buf, "    %s\n", json_string_value(label));
	}
}

json_t *cli_sweep_cells_json(const struct cli_sweep *sweep, bool fallen)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sweep->plan.count; i++) {
		if (sweep->plan.cells[i].falls_out == fallen)
			json_array_append_new(list, sweep_cell_json(&sweep->plan.cells[i]));
	}
	return list;
}
