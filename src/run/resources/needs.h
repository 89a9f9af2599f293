/*
 * The resources that runs would take on this host (run/resources/resources.h), without taking them: for callers that
 * start several runs and need to know which of them conflict.
 */
#pragma once

#include "experiment/config.h"

/* The GPUs of the host, read once. */
struct run_gpu_survey;

/*
 * If the driver cannot be queried, the host has no GPUs: each run reports that itself. `gpus` > 0: number of GPUs of
 * another host.
 */
struct run_gpu_survey *run_gpu_survey_new(size_t gpus);
void run_gpu_survey_free(struct run_gpu_survey *survey);
PL_AUTO_DEFINE(struct run_gpu_survey, run_gpu_survey_free);
#define auto_gpu_survey PL_AUTO(run_gpu_survey_free)

/* Returns the number of GPUs available to `auto`. */
size_t run_gpu_survey_count(const struct run_gpu_survey *survey);

struct run_needs {
	size_t gpus; /* number of any GPUs; 0: none, or named ones */
	bool names_gpus;
	json_t *alone; /* array of texts: exclusive resources, such as "port 8000" */
};

/* ret: run_needs_done(). */
void run_needs(const struct run_gpu_survey *survey, const struct exp_config *experiment,
	       struct run_needs *ret);
void run_needs_done(struct run_needs *needs);
