/*
 * Problems found in what a person wrote: all of them, each one line
 * "FILE:LINE:COL: KEY: found …, expected … (did you mean '…'?)".
 */
#ifndef OPTION_PROBLEM_H
#define OPTION_PROBLEM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum option_severity { OPTION_ERROR, OPTION_WARNING };

/* In a list of problems the texts are the list's own. */
struct option_problem {
	enum option_severity severity;
	const char *source; /* file name or "--set" */
	int line;           /* from 1; 0: none */
	int column;
	const char *key;  /* "server.tensor_parallel_size" */
	const char *rule; /* constraint id, or NULL */
	const char *found;
	const char *expected;
	const char *nearest;     /* the likely name or value, or NULL */
	bool expected_is_reason; /* it says what is wrong instead of what would be right */
};

struct option_problems {
	struct option_problem *items;
	size_t count;
	size_t room;
	size_t errors; /* of the count */
};

void option_problems_done(struct option_problems *problems);
#define auto_problems __attribute__((cleanup(option_problems_done), unused)) struct option_problems
/* Copies all texts. */
void option_problems_add(struct option_problems *problems, const struct option_problem *problem);
void option_problem_text(const struct option_problem *problem, struct pl_buf *buf);
json_t *option_problem_to_json(const struct option_problem *problem);

#endif
