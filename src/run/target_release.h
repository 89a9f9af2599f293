/*
 * The vLLM release that an experiment targets: the one in the file, else the one that its command would start, else the
 * reference release. Installed files are read, never run.
 */
#pragma once

#include "base/json.h"
#include "experiment/config.h"

struct run_release {
	char *version;  /* "0.32.0", never NULL */
	char *found_in; /* the dist-info directory it was read from; NULL: not read */
	bool assumed;   /* nothing specifies it: the reference release */
};

void run_release_done(struct run_release *release);
#define auto_release __attribute__((cleanup(run_release_done), unused)) struct run_release

/* `version` (or NULL) is the value of --vllm-version, which takes precedence over the file. */
void run_release_find(const struct exp_config *experiment, const char *version,
		      struct run_release *ret);
/* Returns the dist-info directory of the vLLM that an argument vector would start; NULL: not found. free() */
char *run_release_installed(const json_t *command);
/* Returns the release of a vLLM program by its dist-info directory: "0.32.0+cpu"; NULL: unknown. free() */
char *run_release_of_program(const char *program);
