/*
 * Runs one experiment in a process without others. Takes signals before the guard starts and releases them after its
 * end, so there is no moment at which Ctrl-C would leave a server running.
 */
#include "run/single.h"

#include "run/signals.h"

int run_single(const struct exp_config *experiment, const struct run_settings *settings,
	       json_t **ret_result, int *ret_signal, struct pl_err *err)
{
	struct run_stop stop = { 0 };
	struct run_slot slot;

	*ret_result = NULL;
	run_signals_take(&stop, 1);
	int done = run_slot_open(experiment, &stop, &slot, err);
	if (done == 0) {
		done = run_experiment(experiment, settings, &slot, ret_result, err);
		run_slot_close(&slot);
	}
	*ret_signal = run_stop_signal(&stop);
	run_signals_release();
	return done;
}
