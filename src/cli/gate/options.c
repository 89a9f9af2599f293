#include "cli/gate/options.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "sweep/gate.h"

#define ROUNDS_DEFAULT 40
#define ROUNDS_MAX     1000

void cli_gate_options_done(struct cli_gate_options *options)
{
	pl_opt_list_done(&options->file.only);
	pl_opt_list_done(&options->budget);
	pl_opt_list_done(&options->vary);
}

int cli_gate_budget_read(const struct pl_opt_list *list, struct cli_gate_budget *ret,
			 struct pl_err *err)
{
	struct cli_gate_budget budget = { .rounds = 0 };

	for (size_t i = 0; i < list->count; i++) {
		int64_t number;
		/* a number without a unit is one of runs */
		if (pl_text_to_i64(list->items[i], &number) && number >= 2 && number <= ROUNDS_MAX)
			budget.rounds = number;
		else if (!pl_text_to_i64(list->items[i], &number) &&
			 pl_text_to_duration_ns(list->items[i], &number) && number > 0)
			budget.time_ns = number;
		else
			return pl_err_invalid(err,
					      "--budget: found '%s', expected 2 to %d runs or a "
					      "time such as 2h",
					      list->items[i], ROUNDS_MAX);
	}
	if (budget.rounds == 0)
		budget.rounds = budget.time_ns > 0 ? ROUNDS_MAX : ROUNDS_DEFAULT;
	*ret = budget;
	return 0;
}

static void show(void *user, const struct res_gate *gate, int64_t round)
{
	const struct cli_gate_run *run = user;
	const char *state = res_gate_state_name(res_gate_tests_state(gate));

	if (!run->options->quiet)
		fprintf(stderr, "round %lld: %s\n", (long long)round, state);
}

static int make_folders(const struct cli_gate_run *run, const char *base, const char *candidate,
			struct pl_err *err)
{
	if (pl_file_make_dir(run->folder, 0777, err) < 0 || pl_file_make_dir(base, 0777, err) < 0)
		return -1;
	return pl_file_make_dir(candidate, 0777, err);
}

int cli_gate_run(const struct cli_gate_run *run, json_t **ret, int *ret_signal)
{
	auto_cli_sweep base = { 0 };
	auto_cli_sweep candidate = { 0 };
	auto_gate struct res_gate *gate = res_gate_new(run->fields, run->how);
	auto_free char *base_folder = pl_asprintf("%s/base", run->folder);
	auto_free char *candidate_folder = pl_asprintf("%s/candidate", run->folder);
	auto_free char *report_path = pl_asprintf("%s/gate.json", run->folder);
	struct pl_err err = PL_ERR_INIT;
	int status = cli_sweep_open(run->files[0], &run->options->file, &base);

	if (status == 0)
		status = cli_sweep_open(run->files[1], &run->options->file, &candidate);
	if (status != 0)
		return status;
	if (base.plan.fallen == base.plan.count || candidate.plan.fallen == candidate.plan.count)
		return cli_refuse("every combination of '%s' is skipped",
				  base.plan.fallen == base.plan.count ? run->files[0]
								      : run->files[1]);
	struct sweep_settings settings = {
		.order = SWEEP_INTERLEAVED,
		.resume = run->resume,
		.quiet = run->options->quiet,
		.simulate = run->options->file.simulate,
		.wait_ns = run->options->wait_ns,
		.jobs = 1,
	};
	struct sweep_gate sweeps = {
		.sides = { { &base.plan, base_folder }, { &candidate.plan, candidate_folder } },
		.settings = &settings,
		.rounds_max = run->budget.rounds,
		.deadline_ns = run->budget.time_ns > 0 ? pl_clock_now_ns() + run->budget.time_ns
						       : 0,
		.show = show,
		.user = (void *)run,
	};
	if (make_folders(run, base_folder, candidate_folder, &err) < 0 ||
	    sweep_gate_run(&sweeps, run->fields, gate, ret_signal, &err) < 0)
		return cli_fail(&err);
	auto_json json_t *report = res_gate_json(gate);
	/* a stopped gate has no outcome yet */
	if (*ret_signal == 0 && pl_json_write_file(report, report_path, &err) < 0)
		return cli_fail(&err);
	*ret = json_incref(report);
	return 0;
}
