/*
 * The paths of a result's files: next to it, named after it.
 * If OUTPUT already holds a result, a run writes as if OUTPUT had the run id in its name: "r.exp_….json",
 * "r.exp_….server.log". run/replace.h describes what happens to these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tbl/run_artifacts.h"

/* All texts are owned. */
struct run_paths {
	char *output;        /* as requested */
	bool is_alternative; /* the files have the run id in their names */
	char *result;
	char *requests;
	char *series;
	char *server_log;
	char *client_log; /* of a client that is a separate program */
	char *timeline;
	char *dataset_stats;
	char *client_timeline; /* charts drawn by such a client */
	char *client_dataset_stats;
};

/* `run_id` NULL: at OUTPUT; else with the run id in the names. */
void run_paths_make(const char *output, const char *run_id, struct run_paths *ret);
void run_paths_done(struct run_paths *paths);
#define auto_paths __attribute__((cleanup(run_paths_done), unused)) struct run_paths

/* The paths of the artifacts, by index. */
size_t run_paths_artifact_count(void);
const char *run_paths_artifact(const struct run_paths *paths, size_t i);
/* Returns -1 (PL_ERR_INVALID) with a list of the artifacts that exist at these names if a result in
 * the same directory names one of them. Links count, also broken ones. */
int run_paths_check_free(const struct run_paths *paths, struct pl_err *err) PL_MUST_CHECK;
/*
 * Renames files that exist at these names and belong to no result here: "r.server.log" becomes the first free of
 * "r.server.log.1", "r.server.log.2" …
 */
int run_paths_set_aside(const struct run_paths *paths, struct pl_err *err) PL_MUST_CHECK;
