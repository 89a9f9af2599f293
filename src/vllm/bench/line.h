/*
 * The command line of `bench serve`, read as vLLM 0.32's own parser reads it: dashes or
 * underscores, "=", unambiguous beginnings, several words, dotted keys of JSON options, the last of
 * equal options.
 *
 * All faults of its parser are found, in the order in which it would meet them: the first is the one
 * that vLLM tells. What its command finds behind it is experiment/check.h's. The words' rules stand in
 * docs/reference/bench-serve.md.
 */
#ifndef VLLM_BENCH_LINE_H
#define VLLM_BENCH_LINE_H

#include "vllm/bench_options.h"

struct vllm_bench_fault {
	size_t word;           /* of the words given; what it is about */
	enum vllm_bench_id id; /* whose value is wrong; VLLM_BENCH_COUNT: of none that is known */
	char *text;            /* in the words of vLLM's parser where it would say it */
	char *hint;            /* what to write instead; NULL: not known */
};

struct vllm_bench_line {
	struct vllm_bench bench; /* complete, with this command's defaults */
	bool given[VLLM_BENCH_COUNT];
	json_t *set;   /* object: each option given, typed */
	json_t *flags; /* object: each of our command's flags given, its text or true */
	struct vllm_bench_fault *faults;
	size_t fault_count;
	size_t fault_room;
};

/*
 * Reads words[0..count), the command's name left out. `own`: the rows of our command beside the
 * options, ending with one whose flag is NULL.
 * Always fills *ret; vllm_bench_line_done() frees it.
 */
void vllm_bench_line_read(const char *const *words, size_t count, const struct option_row *own,
			  struct vllm_bench_line *ret);
void vllm_bench_line_done(struct vllm_bench_line *line);

#endif
