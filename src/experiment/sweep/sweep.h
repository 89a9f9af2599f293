/*
 * A file of many experiments: the section `sweep` of an experiment file says which keys take which
 * values (docs/reference/sweeps.md), and each combination is a cell, an experiment of its own.
 *
 *	file  ->  parts: axes, conditions, a sample each  ->  cells  ->  an experiment each
 *
 * The file is read once; a cell borrows its nodes, so that what is wrong with a value is told at
 * its place in the file.
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
	const struct pl_yaml *at;    /* where the key stands */
	const struct pl_yaml *value; /* of a range: at the place of the range */
};

struct exp_sweep_cell {
	const char *set; /* the named set that it is of; NULL: none */
	char *label;     /* "tensor_parallel_size=2 max_concurrency=16": its own among all cells */
	json_t *point;   /* {"server.tensor_parallel_size": 2, …}, in the order of the file */
	const struct exp_setting **settings;
	size_t setting_count;
};

struct exp_sweep {
	char *source;
	struct pl_yaml_doc *doc;
	struct pl_arena *arena; /* of what the cells borrow */
	struct pl_yaml base;    /* the file without its sweep */
	struct exp_sweep_cell *cells;
	size_t count;
	size_t room;
	size_t merged;   /* combinations that were the same as others */
	size_t left_out; /* by conditions */
};

/*
 * Reads a file and makes its cells. `only`: the sets that are wanted, [only_count]; none: all.
 * All faults of the section become problems; *ret is NULL where there is one. Those of the
 * experiments show when they are read. -1: no YAML.
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

/* The experiment of a cell, as exp_config_read() gives it. `catalog` as there. */
struct exp_config *exp_sweep_config(const struct exp_sweep *sweep,
				    const struct exp_sweep_cell *cell,
				    const struct vllm_catalog *catalog,
				    struct option_problems *problems);
/* A problem that the reader found is a fault of the file; a check's, which has a rule or a reason, is
 * one of the combination alone. */
bool exp_sweep_is_fault(const struct option_problem *problem);
