/*
 * The options of `benchmark:` as one struct, made from tbl/bench_args.h.
 */
#pragma once

#include "base/json.h"
#include "option/member.h"

#include <stdbool.h>

struct vllm_bench {
#define BENCH(type, style, name, ...) OPTION_MEMBER_##type name;
#include "tbl/bench_args.h"
#undef BENCH
};

enum vllm_bench_id {
#define BENCH(type, style, name, ...) VLLM_BENCH_##name,
#include "tbl/bench_args.h"
#undef BENCH
	VLLM_BENCH_COUNT
};

const struct option_row *vllm_bench_row(enum vllm_bench_id id);
/* Finds an option by name in snake_case or kebab-case; VLLM_BENCH_COUNT: unknown. */
enum vllm_bench_id vllm_bench_find(const char *name);

/* Sets all defaults. */
void vllm_bench_init(struct vllm_bench *bench);
void vllm_bench_done(struct vllm_bench *bench);
/*
 * Returns every option with its effective value, in the rows' order; infinities as "inf". Header
 * values and values of secret keys are "***". New reference.
 */
json_t *vllm_bench_to_json(const struct vllm_bench *bench);
/* Returns one option's value as in vllm_bench_to_json(), but hides only headers. New reference. */
json_t *vllm_bench_get(const struct vllm_bench *bench, enum vllm_bench_id id);
/*
 * Sets one option from a validated JSON value: durations as ns, infinities as "inf", null for none.
 */
void vllm_bench_set(struct vllm_bench *bench, enum vllm_bench_id id, const json_t *value);
/* Returns whether it has the default of its row. */
bool vllm_bench_is_default(const struct vllm_bench *bench, enum vllm_bench_id id);
/* Parses the two limits of timeline_itl_thresholds like vLLM. False: not two numbers. */
bool vllm_bench_thresholds(const char *text, double ret_ms[2]);
