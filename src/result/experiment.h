/* The experiment of a result: config.experiment, the keys that its file set, and the values that its run drew or found. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* -1: a result that does not contain its experiment (schema version 1), or of a later version. */
int res_experiment_check(const json_t *result, const char *path, struct pl_err *err) PL_MUST_CHECK;

#define RES_EXPERIMENT_PINS_MAX 3
/*
 * Returns the values that repeat the run exactly and that its file does not set, by key: launch.vllm_version (if it is
 * known), benchmark.seed, benchmark.request_id_prefix. New reference.
 */
json_t *res_experiment_pins(const json_t *result);

/* Appends the experiment file, after comments about the run. path: of the result, for a command in them. */
void res_experiment_write(const json_t *result, const char *path, struct pl_buf *text);
