/*
 * Which release of vLLM an experiment is for: what it says itself, else what is installed where its
 * command would start it, else the reference release. Installed files are read, never run.
 */
#ifndef EXPERIMENT_TARGET_RELEASE_H
#define EXPERIMENT_TARGET_RELEASE_H

#include "base/json.h"
#include "model/experiment.h"

struct exp_release {
	char *version;  /* "0.32.0", never NULL */
	char *found_in; /* the dist-info folder it was read from; NULL: not read */
	bool assumed;   /* nothing said so: it is the reference release */
};

void exp_release_done(struct exp_release *release);
#define auto_release __attribute__((cleanup(exp_release_done), unused)) struct exp_release

/* `version` (or NULL) is what --vllm-version says; it counts more than the file. */
void exp_release_find(const struct md_experiment *experiment, const char *version,
		      struct exp_release *ret);
/* The dist-info folder of the vLLM that an argument vector would start; NULL: none is found.
 * The caller's (free()). */
char *exp_release_installed(const json_t *command);

#endif
