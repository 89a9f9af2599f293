/*
 * Which release of vLLM an experiment is for: what it says itself, else what is installed where its
 * command would start it, else the reference release. Installed files are read, never run.
 */
#pragma once

#include "base/json.h"
#include "experiment/config.h"

struct run_release {
	char *version;  /* "0.32.0", never NULL */
	char *found_in; /* the dist-info folder it was read from; NULL: not read */
	bool assumed;   /* nothing said so: it is the reference release */
};

void run_release_done(struct run_release *release);
#define auto_release __attribute__((cleanup(run_release_done), unused)) struct run_release

/* `version` (or NULL) is what --vllm-version says; it counts more than the file. */
void run_release_find(const struct exp_config *experiment, const char *version,
		      struct run_release *ret);
/* The dist-info folder of the vLLM that an argument vector would start; NULL: none is found.
 * The caller's (free()). */
char *run_release_installed(const json_t *command);
/* "0.32.0+cpu": the release that a program of vLLM is of, by that folder; NULL: not known. The
 * caller's (free()). */
char *run_release_beside(const char *program);
