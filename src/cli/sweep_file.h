/* The sweep file of `config expand` and `sweep run`: read, expanded, checked. */
#pragma once

#include "base/opt.h"
#include "sweep/plan.h"

struct cli_sweep_options {
	const char *overlay;
	const char *hardware; /* a profile; NULL: that of the host */
	struct pl_opt_list only;
	bool simulate;
	bool allow_removed;
};

struct cli_sweep {
	const struct vllm_catalog *catalog;
	struct ckpt_hardware hardware;
	struct exp_sweep *sweep;
	struct sweep_plan plan;
	struct option_problems problems; /* warnings */
};

/* Returns 0, or the exit status after reporting the errors of the file. `ret` starts as { 0 }. */
int cli_sweep_open(const char *path, const struct cli_sweep_options *options,
		   struct cli_sweep *ret);
void cli_sweep_done(struct cli_sweep *sweep);
#define auto_cli_sweep __attribute__((cleanup(cli_sweep_done), unused)) struct cli_sweep

/* Lists the violated rules, each followed by the labels of the combinations that are skipped because of it. */
void cli_sweep_add_fallen(const struct cli_sweep *sweep, struct pl_buf *buf);
/* Returns the cells that will run, or the skipped ones. New reference. */
json_t *cli_sweep_cells_json(const struct cli_sweep *sweep, bool fallen);
