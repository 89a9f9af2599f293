/*
 * vLLM's offline benchmarks (tbl/bench_kinds.h): their names and options. An option is the one of
 * the same name in tbl/bench_args.h, but may have another flag, default and choices.
 */
#pragma once

#include "vllm/bench_options.h"

#include <stddef.h>

struct vllm_bench_kind {
	const char *name; /* "mm-processor" */
	const char *summary;
	bool at_server;     /* its metrics can also be measured at a server */
	bool logs_requests; /* accepts the engine argument enable_log_requests */
	const struct option_row *rows;
	size_t count;
};

enum vllm_bench_kind_id {
#define KIND(id, name, server, logs_requests, summary) VLLM_BENCH_KIND_##id,
#include "tbl/bench_kinds.h"
	VLLM_BENCH_KIND_COUNT
};

/* Finds a benchmark by name; NULL: "serve", or unknown. */
const struct vllm_bench_kind *vllm_bench_kind_find(const char *name);
/* Returns its row of an option; NULL: it has no such option. */
const struct option_row *vllm_bench_kind_row(const struct vllm_bench_kind *kind,
					     enum vllm_bench_id id);
/* An option that older releases accepted. */
struct vllm_bench_old {
	enum vllm_bench_kind_id kind;
	const char *flag;
	enum option_style style;
	const char *until; /* first release without it */
	const char *by;    /* the current flag for the same value; NULL: none */
	const char *why;
};
/*
 * Finds it by its flag, in an argument such as "--x" or "--x=value"; NULL: the benchmark has no
 * such option.
 */
const struct vllm_bench_old *vllm_bench_kind_old(const struct vllm_bench_kind *kind,
						 const char *word);
/*
 * Returns whether its parser accepts this argument of the engine. It accepts no argument of the
 * server itself.
 */
bool vllm_bench_kind_takes(const struct vllm_bench_kind *kind, const struct option_row *argument);
/* Sets the options that are not `set` to the benchmark's defaults. */
void vllm_bench_kind_complete(const struct vllm_bench_kind *kind, const bool set[VLLM_BENCH_COUNT],
			      struct vllm_bench *bench);
