/*
 * The options of `benchmark:` as one struct, made from tbl/bench_args.h.
 *
 * Field types: BOOL bool · I64 int64_t (OPTION_NO_I64: none) · F64 double (NaN: none) · TEXT char *
 * (NULL: none) · JSON json_t * (NULL: none) · LIST json_t * array of strings (NULL: none) · DUR
 * int64_t ns (OPTION_NO_I64: none) · TRI int (-1: not given, 0, 1).
 */
#ifndef VLLM_BENCH_OPTIONS_H
#define VLLM_BENCH_OPTIONS_H

#include "base/json.h"
#include "option/row.h"

#include <stdbool.h>
#include <stdint.h>

#define VLLM_BENCH_TYPE_BOOL bool
#define VLLM_BENCH_TYPE_I64  int64_t
#define VLLM_BENCH_TYPE_F64  double
#define VLLM_BENCH_TYPE_TEXT char *
#define VLLM_BENCH_TYPE_JSON json_t *
#define VLLM_BENCH_TYPE_LIST json_t *
#define VLLM_BENCH_TYPE_DUR  int64_t
#define VLLM_BENCH_TYPE_TRI  int

struct vllm_bench {
#define BENCH(type, name, def, min, max, choices, state, origin, help) VLLM_BENCH_TYPE_##type name;
#include "tbl/bench_args.h"
#undef BENCH
};

enum vllm_bench_id {
#define BENCH(type, name, def, min, max, choices, state, origin, help) VLLM_BENCH_##name,
#include "tbl/bench_args.h"
#undef BENCH
	VLLM_BENCH_COUNT
};

enum vllm_bench_type {
	VLLM_BENCH_BOOL,
	VLLM_BENCH_I64,
	VLLM_BENCH_F64,
	VLLM_BENCH_TEXT,
	VLLM_BENCH_JSON,
	VLLM_BENCH_LIST,
	VLLM_BENCH_DUR,
	VLLM_BENCH_TRI,
};

/* A row of tbl/bench_args.h. */
struct vllm_bench_row {
	const char *name;
	enum vllm_bench_type type;
	size_t offset;       /* into struct vllm_bench */
	const char *def;     /* as YAML text; "null": none */
	const char *min;     /* "" or "-inf": none */
	const char *max;     /* "" or "inf": none */
	const char *choices; /* separated by '|'; "": any */
	bool later;          /* `run` of this version refuses it */
	bool ours;           /* no option of vLLM's */
	bool old;            /* of older vLLM's: not on the command line */
	const char *help;
};

const struct vllm_bench_row *vllm_bench_row(enum vllm_bench_id id);
/* By name in snake_case or kebab-case; VLLM_BENCH_COUNT: none. */
enum vllm_bench_id vllm_bench_find(const char *name);

/* All defaults. */
void vllm_bench_init(struct vllm_bench *bench);
void vllm_bench_done(struct vllm_bench *bench);
/*
 * Every option with its effective value, in the rows' order; infinities as "inf". Header values,
 * and those whose keys are named as secrets are: "***". New reference.
 */
json_t *vllm_bench_to_json(const struct vllm_bench *bench);
/* One option's value as in vllm_bench_to_json(), in clear but for headers. New reference. */
json_t *vllm_bench_get(const struct vllm_bench *bench, enum vllm_bench_id id);
/* Sets one option from a checked JSON value: durations as ns, infinities as "inf", null for
 * none. */
void vllm_bench_set(struct vllm_bench *bench, enum vllm_bench_id id, const json_t *value);
/* Does it have the value of its row? */
bool vllm_bench_is_default(const struct vllm_bench *bench, enum vllm_bench_id id);
/* The two limits of timeline_itl_thresholds, read as vLLM reads them. False: not two numbers. */
bool vllm_bench_thresholds(const char *text, double ret_ms[2]);

#endif
