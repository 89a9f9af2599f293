/*
 * vLLM's offline benchmarks (tbl/bench_kinds.h): what they are called, and their options. An option is
 * the one of its name in tbl/bench_args.h, with a flag, a default and choices of the benchmark's own.
 */
#pragma once

#include "vllm/bench_options.h"

#include <stddef.h>

struct vllm_bench_kind {
	const char *name; /* "mm-processor" */
	const char *summary;
	bool at_server;     /* its figures can be taken at a server too */
	bool logs_requests; /* of the engine's arguments it has enable_log_requests */
	const struct option_row *rows;
	size_t count;
};

enum vllm_bench_kind_id {
#define KIND(id, name, server, logs_requests, summary) VLLM_BENCH_KIND_##id,
#include "tbl/bench_kinds.h"
	VLLM_BENCH_KIND_COUNT
};

const struct vllm_bench_kind *vllm_bench_kind_at(enum vllm_bench_kind_id id);
/* By its name; NULL: "serve", or none. */
const struct vllm_bench_kind *vllm_bench_kind_find(const char *name);
/* Its row of an option; NULL: it has no such option. */
const struct option_row *vllm_bench_kind_row(const struct vllm_bench_kind *kind,
					     enum vllm_bench_id id);
/* An option that older releases had. */
struct vllm_bench_old {
	enum vllm_bench_kind_id kind;
	const char *flag;
	enum option_style style;
	const char *until; /* first release without it */
	const char *by;    /* the flag that takes the same value now; NULL: none */
	const char *why;
};
/* By its flag, in a word such as "--x" or "--x=value"; NULL: none of the benchmark. */
const struct vllm_bench_old *vllm_bench_kind_old(const struct vllm_bench_kind *kind,
						 const char *word);
/* Does its parser take this argument of the engine? The server's own are none. */
bool vllm_bench_kind_takes(const struct vllm_bench_kind *kind, const struct option_row *argument);
/* Gives the options that are not `set` the benchmark's own defaults. */
void vllm_bench_kind_complete(const struct vllm_bench_kind *kind, const bool set[VLLM_BENCH_COUNT],
			      struct vllm_bench *bench);
