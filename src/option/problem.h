/*
 * Problems found in what a person wrote: all of them, as data until they are printed. Nobody reads
 * a printed one again: who wants to know something of a problem asks its members.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum option_severity { OPTION_ERROR, OPTION_WARNING };

/* How keys are called by the person who is told. */
enum option_voice {
	OPTION_AS_FILE, /* benchmark.random_input_len */
	OPTION_AS_FLAG, /* --random-input-len, as `bench serve` has it */
	OPTION_AS_LINE, /* the same, in a line that has places */
};

/* In a list of problems the texts are the list's own. */
struct option_problem {
	enum option_severity severity;
	const char *source; /* file name or "--set" */
	int line;           /* from 1, of a command line the number of a word; 0: none */
	int column;
	const char *key;  /* "server.tensor_parallel_size" */
	const char *rule; /* constraint id, or NULL */
	const char *found;
	const char *expected; /* names options in braces, see option_words_add() */
	const char *nearest;  /* the likely name or value, or NULL */
	bool expected_is_reason; /* it says what is wrong instead of what would be right; NULL: found does */
	const char *reason; /* id of the check that found it (tbl/experiment_checks.h), or NULL */
	/* array of {key, value}: what to set in the place of what the target release does not have;
	 * without a value it is for people to choose. NULL: nothing is known to replace it */
	const json_t *replaced_by;
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
/* Removes the problems from number `count` (from 0) on. */
void option_problems_truncate(struct option_problems *problems, size_t count);
/* Removes those of the problems from number `from` on that `drop` chooses. */
void option_problems_remove(struct option_problems *problems, size_t from,
			    bool (*drop)(const struct option_problem *problem, const void *user),
			    const void *user);
/* The same of one told in place, by its members: .key = key, .found = found */
#define option_problem_tell(problems, ...) \
	option_problems_add(problems, &(struct option_problem){ __VA_ARGS__ })
/*
 * One line: "FILE:LINE:COL: KEY: found …, expected … (did you mean '…'?) [rule]", AS_FLAG without
 * its place; "KEY: reason" where only a reason is known.
 */
void option_problem_text(const struct option_problem *problem, enum option_voice voice,
			 struct pl_buf *buf);
/* {severity, source, line, col, key, pointer, rule, reason, found, expected, nearest, replaced_by}, in
 * the words of a file; pointer: the key as a JSON pointer. New reference. */
json_t *option_problem_to_json(const struct option_problem *problem);

/* A text of ours: "beside {benchmark.request_rate}" with the keys in braces as they are called. */
void option_words_add(const char *text, enum option_voice voice, struct pl_buf *buf);
