/*
 * The options of `benchmark:` as one struct, made from tbl/bench_args.h.
 *
 * Field types: BOOL bool · I64 int64_t (OPTION_NO_I64: none) · F64 double (NaN: none) · TEXT char *
 * (NULL: none) · JSON json_t * (NULL: none) · LIST json_t * array of strings (NULL: none) · DUR
 * int64_t ns (OPTION_NO_I64: none) · TRI int (-1: not given, 0, 1).
 */
#ifndef MODEL_BENCH_OPTIONS_H
#define MODEL_BENCH_OPTIONS_H

#include "base/json.h"
#include "option/none.h"

#include <stdbool.h>
#include <stdint.h>

#define MD_BENCH_TYPE_BOOL bool
#define MD_BENCH_TYPE_I64  int64_t
#define MD_BENCH_TYPE_F64  double
#define MD_BENCH_TYPE_TEXT char *
#define MD_BENCH_TYPE_JSON json_t *
#define MD_BENCH_TYPE_LIST json_t *
#define MD_BENCH_TYPE_DUR  int64_t
#define MD_BENCH_TYPE_TRI  int

struct md_bench {
#define BENCH(type, name, def, min, max, choices, state, origin, help) MD_BENCH_TYPE_##type name;
#include "tbl/bench_args.h"
#undef BENCH
};

enum md_bench_id {
#define BENCH(type, name, def, min, max, choices, state, origin, help) MD_BENCH_##name,
#include "tbl/bench_args.h"
#undef BENCH
	MD_BENCH_COUNT
};

enum md_bench_type {
	MD_BENCH_BOOL,
	MD_BENCH_I64,
	MD_BENCH_F64,
	MD_BENCH_TEXT,
	MD_BENCH_JSON,
	MD_BENCH_LIST,
	MD_BENCH_DUR,
	MD_BENCH_TRI,
};

/* A row of tbl/bench_args.h. */
struct md_bench_row {
	const char *name;
	enum md_bench_type type;
	size_t offset;       /* into struct md_bench */
	const char *def;     /* as YAML text; "null": none */
	const char *min;     /* "" or "-inf": none */
	const char *max;     /* "" or "inf": none */
	const char *choices; /* separated by '|'; "": any */
	bool later;          /* `run` of this version refuses it */
	bool ours;           /* no option of vLLM's */
	bool old;            /* of older vLLM's: not on the command line */
	const char *help;
};

const struct md_bench_row *md_bench_row(enum md_bench_id id);
/* By name in snake_case or kebab-case; MD_BENCH_COUNT: none. */
enum md_bench_id md_bench_find(const char *name);

/* All defaults. */
void md_bench_init(struct md_bench *bench);
void md_bench_done(struct md_bench *bench);
/*
 * Every option with its effective value, in the rows' order; infinities as "inf". Header values,
 * and those whose keys are named as secrets are: "***". New reference.
 */
json_t *md_bench_to_json(const struct md_bench *bench);
/* One option's value as in md_bench_to_json(), in clear but for headers. New reference. */
json_t *md_bench_get(const struct md_bench *bench, enum md_bench_id id);
/* Sets one option from a checked JSON value: durations as ns, infinities as "inf", null for
 * none. */
void md_bench_set(struct md_bench *bench, enum md_bench_id id, const json_t *value);
/* Does it have the value of its row? */
bool md_bench_is_default(const struct md_bench *bench, enum md_bench_id id);
/* The two limits of timeline_itl_thresholds, read as vLLM reads them. False: not two numbers. */
bool md_bench_thresholds(const char *text, double ret_ms[2]);
/* "600s", "100ms", "1us": the largest unit that says it exactly. New reference; null for
 * OPTION_NO_I64. */
json_t *md_duration_to_json(int64_t ns);

#endif
