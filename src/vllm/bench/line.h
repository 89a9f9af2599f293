/*
 * The command line of `bench serve`, parsed like vLLM 0.32's parser: dashes or underscores, "=",
 * unambiguous prefixes, several values, dotted keys of JSON options, the last of repeated options.
 *
 * Finds all errors of that parser, in its order: the first is the one that vLLM reports. Errors
 * that its command finds later are in experiment/check.h. docs/reference/bench-serve.md documents
 * the rules for arguments.
 */
#pragma once

#include "vllm/bench_options.h"

struct option_argv;
struct option_argv_word;

/* The program whose `bench serve` it is: ours has options and flags that vLLM lacks. */
enum vllm_bench_program { VLLM_BENCH_OF_VLLM, VLLM_BENCH_OF_OURS };

struct vllm_bench_fault {
	size_t word;           /* index of the wrong argument */
	enum vllm_bench_id id; /* the option with the wrong value; VLLM_BENCH_COUNT: unknown */
	char *text;            /* the text of vLLM's parser if it reports this error */
	char *hint;            /* what to write instead; NULL: unknown */
	char *nearest;         /* the most similar value; NULL: none */
};

struct vllm_bench_line {
	struct vllm_bench bench; /* complete, with this command's defaults */
	bool given[VLLM_BENCH_COUNT];
	json_t *set;   /* object: each given option, typed */
	json_t *flags; /* object: each given flag of our command, its text or true */
	struct vllm_bench_fault *faults;
	size_t fault_count;
	size_t fault_room;
};

/* "sweep": returns whether vLLM's suite has it and this version does not. */
bool vllm_bench_is_later(const char *what);

/*
 * Reads words[0..count), without the command's name. Always fills *ret, to be freed with
 * vllm_bench_line_done().
 */
void vllm_bench_line_read(const char *const *words, size_t count, enum vllm_bench_program program,
			  struct vllm_bench_line *ret);
/*
 * The steps of vllm_bench_line_read(), for callers that process the arguments in another order and
 * report errors differently: set the defaults; set the rows to match against; read one flag. The
 * last one returns false, with a fault, if the flag's value is invalid.
 */
void vllm_bench_line_init(struct vllm_bench_line *line);
void vllm_bench_line_rows(struct option_argv *argv, enum vllm_bench_program program);
bool vllm_bench_line_take(struct vllm_bench_line *line, const struct option_argv_word *flag);
/*
 * Sets only the rows that `profllm bench` has in addition to the options: --output, --json and
 * others.
 */
void vllm_bench_line_program_rows(struct option_argv *argv);
/*
 * Returns what to write for a flag that `bench serve` lacks ("--dataset", "--dataset=x"); NULL:
 * unknown.
 */
const char *vllm_bench_flag_hint(const char *flag);
/*
 * Returns the options for an experiment file, in the line's order: durations as text. Omits the
 * defaults of the command for the server's address, which no file contains, if base_url is set. New
 * reference.
 */
json_t *vllm_bench_line_options(const struct vllm_bench_line *line);
void vllm_bench_line_done(struct vllm_bench_line *line);
