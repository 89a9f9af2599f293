/* Runs one experiment in a program that does nothing else: its signals belong to the run. */
#pragma once

#include "run/run.h"

/*
 * Calls run_experiment() from the only thread. Handles SIGINT, SIGTERM and SIGHUP while it runs; *ret_signal: the one
 * that ended it, 0: none.
 */
int run_single(const struct exp_config *experiment, const struct run_settings *settings,
	       json_t **ret_result, int *ret_signal, struct pl_err *err) PL_MUST_CHECK;
