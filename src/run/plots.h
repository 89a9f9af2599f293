/*
 * Pictures of a run: its time line and the lengths of its data set, where they are asked for
 * (docs/reference/plots.md). Whether they can be drawn is known before the first request; what goes
 * wrong at the end is a warning and takes nothing from the result.
 */
#pragma once

#include "base/json.h"
#include "vllm/bench_options.h"
#include "result/record.h"

struct run_state;

/* Everything is borrowed. */
struct run_plots {
	const struct vllm_bench *bench;
	const struct res_record *records;
	size_t count;
	const char *model;      /* NULL: not known */
	int64_t real_offset_ns; /* CLOCK_REALTIME less the records' clock */
	const json_t *engine;   /* {name, version, simulated}, as in a result's environment */
	const char *timeline_path;
	const char *dataset_path;
	bool quiet; /* not a word of what was drawn */
};

/* Can the files be written where this run puts them? */
int run_plots_check_paths(const struct run_state *run, struct pl_err *err) PL_MUST_CHECK;
/* Draws what is asked for; adds it to `artifacts`, unless that is NULL. */
void run_plots_draw(const struct run_plots *plots, json_t *artifacts);
/* Of a run: where its options say. */
void run_plots_of_run(const struct run_state *run, json_t *artifacts);
