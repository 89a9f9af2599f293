/*
 * A file with many experiments: the section `sweep` of an experiment file defines which keys take
 * which values (docs/reference/sweeps.md), and each combination is a cell with its own experiment.
 *
 *  file  ->  parts: axes, conditions, a sample each  ->  cells  ->  an experiment each
 *
 * The file is parsed once; a cell borrows its nodes, so errors in a value are reported at its
 * location in the file.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/yaml.h"
#include "experiment/config.h"
#include "option/problem.h"

#define EXP_SWEEP_CELLS_MAX 100000

/* One key of a cell's experiment. Borrowed from the sweep. */
struct exp_setting {
	const char *key;             /* "server.tensor_parallel_size" */
	const struct pl_yaml *at;    /* location of the key */
	const struct pl_yaml *value; /* for a range: at the location of the range */
};

struct exp_sweep_cell {
	const char *set; /* name of its set; NULL: none */
	char *label;     /* "tensor_parallel_size=2 max_concurrency=16": unique among all cells */
	json_t *point;   /* {"server.tensor_parallel_size": 2, …}, in the order of the file */
	const struct exp_setting **settings;
	size_t setting_count;
};

struct exp_sweep {
	char *source;
	struct pl_yaml_doc *doc;
	struct pl_arena *arena; /* owns what the cells borrow */
	struct pl_yaml base;    /* the file without its section `sweep` */
	struct exp_sweep_cell *cells;
	size_t count;
	size_t room;
	size_t merged;   /* number of duplicate combinations */
	size_t left_out; /* number of combinations excluded by conditions */
};

/*
 * Reads a file and makes its cells. `only`: names of the requested sets, [only_count]; none: all.
 * All errors of the section become problems; *ret is NULL if there is one. Errors of the
 * experiments are found when these are read. Returns -1 if the file is not YAML.
 */
int exp_sweep_read(const struct vllm_catalog *catalog, const char *text, size_t len,
		   const char *source, const char *const *only, size_t only_count,
		   struct exp_sweep **ret, struct option_problems *problems,
		   struct pl_err *err) PL_MUST_CHECK;
int exp_sweep_read_file(const struct vllm_catalog *catalog, const char *path,
			const char *const *only, size_t only_count, struct exp_sweep **ret,
			struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
void exp_sweep_free(struct exp_sweep *sweep);
PL_AUTO_DEFINE(struct exp_sweep, exp_sweep_free);
#define auto_sweep PL_AUTO(exp_sweep_free)

/* Returns the experiment of a cell, as exp_config_read() would. `catalog` as there. */
struct exp_config *exp_sweep_config(const struct exp_sweep *sweep,
				    const struct exp_sweep_cell *cell,
				    const struct vllm_catalog *catalog,
				    struct option_problems *problems);
/*
 * Returns true for a problem that the reader found, which is an error of the file. Problems from
 * checks, which have a rule or a reason, concern only the combination.
 */
bool exp_sweep_is_fault(const struct option_problem *problem);
