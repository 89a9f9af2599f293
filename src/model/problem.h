/*
 * Problems found in what a person wrote: all of them, each one line
 * "FILE:LINE:COL: KEY: found …, expected … (did you mean '…'?)".
 */
#ifndef MODEL_PROBLEM_H
#define MODEL_PROBLEM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum md_severity { MD_ERROR, MD_WARNING };

/* In a list of problems the texts are the list's own. */
struct md_problem {
	enum md_severity severity;
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

struct md_problems {
	struct md_problem *items;
	size_t count;
	size_t room;
	size_t errors; /* of the count */
};

void md_problems_done(struct md_problems *problems);
#define auto_problems __attribute__((cleanup(md_problems_done), unused)) struct md_problems
/* Copies all texts. */
void md_problems_add(struct md_problems *problems, const struct md_problem *problem);
void md_problem_text(const struct md_problem *problem, struct pl_buf *buf);
json_t *md_problem_to_json(const struct md_problem *problem);

#endif
