/*
 * `--plot-dataset-stats`: the requested lengths of a dataset, as one PNG of 2100 x 1500 pixels:
 * histograms of prompt, output and both together, and each request's bar (docs/reference/plots.md).
 */
#pragma once

#include "base/err.h"
#include "result/record.h"

#define PLOT_DATASET_WIDTH  2100 /* 14 inches at 150 dots per inch */
#define PLOT_DATASET_HEIGHT 1500
#define PLOT_DATASET_BINS   30

struct plot_dataset_input {
	const char *dataset; /* its name */
	const char *model;
	/*
	 * The requested lengths are shown; prompts without a known length have the one that the
	 * server reported.
	 */
	const struct res_record *records;
	size_t count;
};

int plot_dataset(const struct plot_dataset_input *input, const char *path,
		 struct pl_err *err) PL_MUST_CHECK;
