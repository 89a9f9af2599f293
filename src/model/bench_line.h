/*
 * The command line of `bench serve`, read as vLLM 0.32's own parser reads it: dashes or
 * underscores, "=", unambiguous beginnings, several words, dotted keys of JSON options, the last of
 * equal options.
 *
 * All faults are found, in the order in which vLLM's parser and then its command would meet them:
 * the first is the one that vLLM tells. The words' rules stand in docs/reference/bench-serve.md.
 */
#ifndef MODEL_BENCH_LINE_H
#define MODEL_BENCH_LINE_H

#include "model/bench_options.h"

/* A flag of our own command beside the options; no beginning of it is taken for it. */
struct md_bench_flag {
	const char *flag; /* "--dry-run" */
	bool takes_value;
};

enum md_bench_fault_kind {
	MD_BENCH_MISREAD, /* vLLM's parser refuses the line */
	MD_BENCH_REFUSED, /* its command does, or would find it too late */
	MD_BENCH_LATER,   /* right, and not in this version */
	MD_BENCH_WARNING,
};

struct md_bench_fault {
	enum md_bench_fault_kind kind;
	size_t word; /* of the words given; what it is about */
	char *text;  /* in the words of vLLM's parser where it would say it */
	char *hint;  /* what to write instead; NULL: not known */
};

struct md_bench_line {
	struct md_bench bench; /* complete, with this command's defaults */
	bool given[MD_BENCH_COUNT];
	json_t *set;   /* object: each option given, typed */
	json_t *flags; /* object: each of our own flags given, its text or true */
	struct md_bench_fault *faults;
	size_t fault_count;
	size_t fault_room;
};

/*
 * Reads words[0..count), the command's name left out. `own` ends with a row whose flag is NULL.
 * Always fills *ret; md_bench_line_done() frees it.
 */
void md_bench_line_read(const char *const *words, size_t count, const struct md_bench_flag *own,
			struct md_bench_line *ret);
/* What vLLM's command finds wrong after its parser, in its order, then what it would find too late,
 * then what this version cannot do; adds faults. */
void md_bench_line_check(struct md_bench_line *line);
size_t md_bench_line_count(const struct md_bench_line *line, enum md_bench_fault_kind kind);
/* One more, found by others; takes `text`. */
void md_bench_line_add(struct md_bench_line *line, enum md_bench_fault_kind kind, char *text);
void md_bench_line_done(struct md_bench_line *line);

#endif
