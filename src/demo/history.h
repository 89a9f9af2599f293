/*
 * Synthetic results: what a laboratory that measures vLLM for ten months could have. For demonstrations, tests and
 * benchmarks of programs that show results.
 * - Every document has the form and the size of a result of `profllm run`, and states in environment.engine.simulated,
 *   its name and its tags that it was not measured.
 * - Results come in sweeps of 20: one model on one host, with one or two parameters varied. The vLLM release increases
 *   over the months; most configurations get faster, a few slower. Launches fail, clients cause interference, arguments
 *   are explicit or default, and some are newer than this program's tables.
 * - The metrics follow the memory and the arithmetic of the GPU and the model, with noise. They look plausible and have
 *   no other use.
 * - A document depends only on seed, rows and its index. A history never changes after it was made; any thread may use
 *   it.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdint.h>

#define DEMO_SWEEP    20
#define DEMO_ROWS_MAX 10000000

struct demo;

/* rows: number of results in the ten months; later indexes start again with the first month. */
int demo_new(uint64_t seed, int64_t rows, struct demo **ret, struct pl_err *err) PL_MUST_CHECK;
void demo_free(struct demo *history);
PL_AUTO_DEFINE(struct demo, demo_free);
#define auto_history PL_AUTO(demo_free)

/* The sweeps among the results, as SweepPlan of api/openapi.yaml. New reference. */
size_t demo_study_count(const struct demo *history);
json_t *demo_study(const struct demo *history, size_t i);

/* index from 0. New reference. */
int demo_document(const struct demo *history, int64_t index, json_t **ret,
		  struct pl_err *err) PL_MUST_CHECK;
