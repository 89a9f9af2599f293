/*
 * Made-up results: what a laboratory that measures vLLM for ten months leaves behind. For demonstrations,
 * tests and benchmarks of whatever shows results.
 *
 * - Every document has the form that `profllm run` writes and its real width, and says in
 *   environment.engine.simulated, in its name and its tags that nobody measured it.
 * - Results come in sweeps of 20: one model on one host, one or two parameters varied. vLLM's release
 *   grows over the months; most get faster, a few slower. Launches fail, clients disturb, arguments are
 *   explicit or left alone, some are newer than this program's rows.
 * - The figures follow the memory and the arithmetic of the GPU and the model, with noise: they look
 *   right, and are good for nothing else.
 * - A document depends on seed, rows and its index alone. A history never changes after it was made; any
 *   thread may ask it.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdint.h>

#define DEMO_SWEEP    20
#define DEMO_ROWS_MAX 10000000

struct demo;

/* rows: how many results the ten months have; those behind them begin with the first month again. */
int demo_new(uint64_t seed, int64_t rows, struct demo **ret, struct pl_err *err) PL_MUST_CHECK;
void demo_free(struct demo *history);
PL_AUTO_DEFINE(struct demo, demo_free);
#define auto_history PL_AUTO(demo_free)

/* Sweeps among the results, as SweepPlan of api/openapi.yaml. New reference. */
size_t demo_study_count(const struct demo *history);
json_t *demo_study(const struct demo *history, size_t i);

/* index from 0. New reference. */
int demo_document(const struct demo *history, int64_t index, json_t **ret,
		  struct pl_err *err) PL_MUST_CHECK;
