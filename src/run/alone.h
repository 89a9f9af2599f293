/*
 * One run of a program that does nothing else: its signals are the run's.
 */
#pragma once

#include "run/run.h"

/*
 * run_experiment(), from a thread that is the only one. Takes SIGINT, SIGTERM and SIGHUP while it
 * runs; *ret_signal: which of them ended it, 0: none.
 */
int run_alone(const struct exp_config *experiment, const struct run_settings *settings,
	      json_t **ret_result, int *ret_signal, struct pl_err *err) PL_MUST_CHECK;
