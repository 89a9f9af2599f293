/*
 * The command line of `bench serve`, read as vLLM 0.32's own parser reads it: dashes or
 * underscores, "=", unambiguous beginnings, several words, dotted keys of JSON options, the last of
 * equal options.
 *
 * All faults of its parser are found, in the order in which it would meet them: the first is the one
 * that vLLM tells. What its command finds behind it is experiment/check.h's. The words' rules stand in
 * docs/reference/bench-serve.md.
 */
#pragma once

#include "vllm/bench_options.h"

struct option_argv;
struct option_argv_word;

/* Whose `bench serve` it is: ours has options and flags that vLLM's has not. */
enum vllm_bench_program { VLLM_BENCH_OF_VLLM, VLLM_BENCH_OF_OURS };

struct vllm_bench_fault {
	size_t word;           /* of the words given; what it is about */
	enum vllm_bench_id id; /* whose value is wrong; VLLM_BENCH_COUNT: of none that is known */
	char *text;            /* in the words of vLLM's parser where it would say it */
	char *hint;            /* what to write instead; NULL: not known */
	char *nearest;         /* the value that was likely meant; NULL: none is near */
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

/* "sweep": what vLLM's suite has and this version has not. */
bool vllm_bench_is_later(const char *what);

/*
 * Reads words[0..count), the command's name left out. Always fills *ret; vllm_bench_line_done() frees
 * it.
 */
void vllm_bench_line_read(const char *const *words, size_t count, enum vllm_bench_program program,
			  struct vllm_bench_line *ret);
/*
 * Its steps, for who goes through the words in another order and tells faults in other words: the
 * defaults; the rows that the words are matched to; one flag of the words read. The last is false,
 * with a fault, where the flag's value is refused.
 */
void vllm_bench_line_init(struct vllm_bench_line *line);
void vllm_bench_line_rows(struct option_argv *argv, enum vllm_bench_program program);
bool vllm_bench_line_take(struct vllm_bench_line *line, const struct option_argv_word *flag);
/* Of the rows those alone that `profllm bench` has beside the options: --output, --json and others. */
void vllm_bench_line_own_rows(struct option_argv *argv);
/* What to write for a flag that `bench serve` has not ("--dataset", "--dataset=x"); NULL. */
const char *vllm_bench_flag_hint(const char *flag);
/*
 * The options as an experiment has them, in the line's order: durations as text, and the command's
 * own defaults of where the server is, which no file has, unless base_url says it. New reference.
 */
json_t *vllm_bench_line_options(const struct vllm_bench_line *line);
void vllm_bench_line_done(struct vllm_bench_line *line);
