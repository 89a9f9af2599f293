/*
 * The profile of a run (key `profiling`): after the measured run, and apart from it, the server responds to a few
 * requests while its profiler runs. Nothing here ends the run or changes its metrics: an error is a text in the result.
 */
#pragma once

#include "run/profile/files.h"

struct run_client_input;
struct run_measured;

struct run_profile {
	bool is_requested; /* the step was reached */
	bool has_started;  /* the server accepted the request, or did not respond to it in time */
	char *error;       /* the first one; NULL: none */
	struct run_traces traces;
};

/* The step of a run. Waits until the traces are complete, at most profiling.flush_timeout. Returns 0. */
int run_profile_take(const struct run_client_input *in, const struct run_measured *measured,
		     struct run_profile *ret);
/* Moves the traces next to the result, after the server was stopped. `copies`: they are another server's. */
void run_profile_collect(const char *result, const char *run_id, bool copies,
			 struct run_profile *profile);
/* Removes the directory of traces if it was made for the run with this mark, and is empty. dir NULL: none. */
void run_profile_remove_dir(const char *dir, const char *mark);
void run_profile_done(struct run_profile *profile);
