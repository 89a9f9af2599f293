/* The options that `gate` and `bisect` share, and one gate over two experiment files. */
#pragma once

#include "base/opt.h"
#include "cli/metric_options.h"
#include "cli/sweep_file.h"
#include "result/gate/gate.h"

struct cli_gate_options {
	struct cli_sweep_options file;
	const char *min_effect; /* NULL: the default of each metric */
	struct pl_opt_list budget;
	struct pl_opt_list vary;
	int64_t wait_ns;
	bool quiet;
};
void cli_gate_options_done(struct cli_gate_options *options);

/* The rows of these options; AT() must be defined, and `gate` a member of the options struct. */
#define CLI_GATE_ROWS                                                                              \
	PL_OPT(TEXT, 0, "min-effect", gate.min_effect, "SHARE",                                    \
	       "set the smallest loss that matters, such as 5% or 0.05 (default: 3% for rates, "   \
	       "5% for medians and means, 8% from p90, 15% from p99)"),                            \
		PL_OPT(LIST, 0, "budget", gate.budget, "N|TIME",                                   \
		       "stop undecided after N runs of each combination and side, or after TIME, " \
		       "such as 2h; may be given twice",                                           \
		       .def = "40"),                                                               \
		PL_OPT(LIST, 0, "vary", gate.vary, "FIELD",                                        \
		       "match runs that differ in this input, such as "                            \
		       "server.max_num_seqs or benchmark; may be repeated"),                       \
		PL_OPT(LIST, 0, "only", gate.file.only, "SET",                                     \
		       "run only the set SET of the files; may be repeated"),                      \
		PL_OPT(FLAG, 0, "sim", gate.file.simulate, NULL,                                   \
		       "start the simulator profllm-sim as the server"),                           \
		PL_OPT(DURATION, 0, "wait", gate.wait_ns, "TIME",                                  \
		       "wait up to TIME until the GPUs and the port are free", .optional = true,   \
		       .def = "60s"),                                                              \
		PL_OPT(TEXT, 0, "params-overlay", gate.file.overlay, "FILE",                       \
		       CLI_HELP_PARAMS_OVERLAY),                                                   \
		PL_OPT(FLAG, 0, "allow-removed", gate.file.allow_removed, NULL,                    \
		       CLI_HELP_ALLOW_REMOVED),                                                    \
		PL_OPT(FLAG, 'q', "quiet", gate.quiet, NULL, "print no line per run and round")

struct cli_gate_budget {
	int64_t rounds;
	int64_t time_ns; /* 0: none */
};
int cli_gate_budget_read(const struct pl_opt_list *list, struct cli_gate_budget *ret,
			 struct pl_err *err) PL_MUST_CHECK;

/* A gate over two experiment files, in directories of its own. */
struct cli_gate_run {
	const struct cli_gate_options *options;
	const struct res_fields *fields;
	const struct res_gate_options *how;
	struct cli_gate_budget budget;
	const char *files[RES_GATE_SIDES];
	const char *folder; /* FOLDER/base, FOLDER/candidate, FOLDER/gate.json */
	bool resume;
};

/*
 * Runs it. Returns the exit status of an error, after reporting it, or 0 and *ret, the report (new
 * reference), which is also in FOLDER/gate.json. *ret_signal: the signal that ended it, or 0; then
 * there is no gate.json.
 */
int cli_gate_run(const struct cli_gate_run *run, json_t **ret, int *ret_signal);
