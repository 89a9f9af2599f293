/* Jobs of a cluster that run one experiment: a manifest of Kubernetes or a script of Slurm. */
#pragma once

#include "base/buf.h"
#include "experiment/config.h"

/* All texts are borrowed; NULL: not set. */
struct run_job_options {
	const char *image;  /* of the server; NULL: launch.container.image */
	const char *runner; /* image with profllm */
	const char *upload; /* URL of a dashboard */
	const char *secret; /* name of the Secret with its token and the secret variables */
	const char *claim;  /* PersistentVolumeClaim for the results; NULL: kept in the pod only */
	const char *token_file; /* of the dashboard, on the node */
	const char *time;       /* limit of a Slurm job */
	const char *partition;
};

/*
 * Appends a ConfigMap with the experiment and a Job: the server is a sidecar with the GPUs, and profllm measures it by
 * its address. With launch.url there is no sidecar. `warnings`: array, gets texts.
 */
int run_job_kubernetes(const struct exp_config *experiment, const struct run_job_options *options,
		       struct pl_buf *text, json_t *warnings, struct pl_err *err) PL_MUST_CHECK;
/* Appends a script for sbatch, which contains the experiment. */
int run_job_slurm(const struct exp_config *experiment, const struct run_job_options *options,
		  struct pl_buf *text, json_t *warnings, struct pl_err *err) PL_MUST_CHECK;
