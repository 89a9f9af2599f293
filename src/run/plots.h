/*
 * The charts of a run: its timeline and the lengths of its dataset, if they are requested (docs/reference/plots.md).
 * Before the first request it is known whether they can be drawn. A later failure is a warning and does not affect the
 * result.
 */
#pragma once

#include "base/json.h"
#include "result/record.h"
#include "vllm/bench_options.h"

struct run_state;

/* Everything is borrowed. */
struct run_plots {
	const struct vllm_bench *bench;
	const struct res_record *records;
	size_t count;
	const char *model;      /* NULL: unknown */
	int64_t real_offset_ns; /* CLOCK_REALTIME minus the records' clock */
	const json_t *engine;   /* {name, version, simulated}, as in a result's environment */
	const char *timeline_path;
	const char *dataset_path;
	bool quiet; /* do not report drawn charts */
};

/* Checks that the files can be written to the paths of this run. */
int run_plots_check_paths(const struct run_state *run, struct pl_err *err) PL_MUST_CHECK;
/* Draws the requested charts; adds them to `artifacts`, unless that is NULL. */
void run_plots_draw(const struct run_plots *plots, json_t *artifacts);
/* The same for a run, with the paths of its options. */
void run_plots_of_run(const struct run_state *run, json_t *artifacts);
