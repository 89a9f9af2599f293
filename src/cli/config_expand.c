#include "cli/config_expand.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "vllm/yaml_out.h"

#define FALLEN_BYTES_MAX (256u << 20)

/* Returns the experiment as it would be in a file of its own. */
static json_t *config_of(const struct cli_sweep *sweep, size_t i)
{
	auto_experiment struct exp_config *experiment = sweep_experiment(&sweep->plan, i, false);

	return exp_config_explicit(experiment);
}

static void add_yaml(const struct cli_sweep *sweep, const char *only, struct pl_buf *text)
{
	for (size_t i = 0; i < sweep->plan.count; i++) {
		const struct sweep_cell *cell = &sweep->plan.cells[i];
		if (cell->falls_out || (only != NULL && strcmp(only, cell->id) != 0))
			continue;
		auto_json json_t *experiment = config_of(sweep, i);
		if (only == NULL)
			pl_buf_add_text(text, "---\n");
		/* A comment is one line, whatever the values contain. */
		pl_buf_addf(text, "# %s ", cell->id);
		for (const char *at = cell->cell->label; *at != '\0'; at++)
			pl_buf_add_char(text, (unsigned char)*at < 0x20 || *at == 0x7f ? ' ' : *at);
		pl_buf_add_char(text, '\n');
		vllm_yaml_add_members(text, experiment, 0);
	}
}

static void add_json(const struct cli_sweep *sweep, struct pl_buf *text)
{
	json_t *cells = json_array();

	for (size_t i = 0; i < sweep->plan.count; i++) {
		if (sweep->plan.cells[i].falls_out)
			continue;
		json_t *cell = sweep_cell_json(&sweep->plan.cells[i]);
		json_object_set_new(cell, "experiment", config_of(sweep, i));
		json_array_append_new(cells, cell);
	}
	auto_json json_t *all = json_pack("{s:o, s:o}", "combinations", cells, "skipped",
					  cli_sweep_cells_json(sweep, true));
	pl_json_write(all, PL_JSON_INDENT, text);
	pl_buf_add_char(text, '\n');
}

int cli_config_expand(const char *path, const struct cli_sweep_options *options, const char *cell,
		      bool as_json, struct pl_buf *text)
{
	auto_cli_sweep sweep = { 0 };
	auto_buf fallen = PL_BUF(FALLEN_BYTES_MAX);
	int status = cli_sweep_open(path, options, &sweep);

	if (status != 0)
		return status;
	if (sweep.plan.fallen > 0)
		pl_buf_addf(&fallen, "skipped: %zu\n", sweep.plan.fallen);
	cli_sweep_add_fallen(&sweep, &fallen);
	fputs(pl_buf_text(&fallen), stderr);
	if (as_json)
		add_json(&sweep, text);
	else
		add_yaml(&sweep, cell, text);
	if (cell != NULL && text->len == 0)
		return cli_refuse("unknown combination '%s'; use 'profllm config expand --json %s' "
				  "to list the ids",
				  cell, path);
	return 0;
}
