/*
 * All problems found in user input, as data until they are printed. Code reads their members and
 * never parses the printed text.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum option_severity { OPTION_ERROR, OPTION_WARNING };

/* How keys are named in messages. */
enum option_voice {
	OPTION_AS_FILE, /* benchmark.random_input_len */
	OPTION_AS_FLAG, /* --random-input-len, as in `bench serve` */
	OPTION_AS_LINE, /* the same, for a line with locations */
};

/* A list of problems owns its texts. */
struct option_problem {
	enum option_severity severity;
	const char *source; /* file name or "--set" */
	int line;           /* from 1; for a command line the number of a word; 0: none */
	int column;
	const char *key;  /* "server.tensor_parallel_size" */
	const char *rule; /* constraint id, or NULL */
	const char *found;
	const char *
		expected; /* names options in braces, see option_words_add(); "; REMEDY": only a remedy */
	const char *nearest; /* the likely name or value, or NULL */
	/* it states the error instead of the expectation; NULL: `found` does */
	bool expected_is_reason;
	const char *reason; /* id of the check that found it (tbl/experiment_checks.h), or NULL */
	/*
	 * array of {key, value}: settings that replace what the target release lacks; without a
	 * value the user must choose it. NULL: no replacement is known
	 */
	const json_t *replaced_by;
};

struct option_problems {
	struct option_problem *items;
	size_t count;
	size_t room;
	size_t errors; /* number of errors among them */
};

void option_problems_done(struct option_problems *problems);
#define auto_problems __attribute__((cleanup(option_problems_done), unused)) struct option_problems
/* Copies all texts. */
void option_problems_add(struct option_problems *problems, const struct option_problem *problem);
/* Removes the problems from index `count` on. */
void option_problems_truncate(struct option_problems *problems, size_t count);
/* Removes the problems from index `from` on that `drop` selects. */
void option_problems_remove(struct option_problems *problems, size_t from,
			    bool (*drop)(const struct option_problem *problem, const void *user),
			    const void *user);
/* The same with the members of a problem as arguments: .key = key, .found = found */
#define option_problem_report(problems, ...) \
	option_problems_add(problems, &(struct option_problem){ __VA_ARGS__ })
/*
 * Appends one line: "FILE:LINE:COL: KEY: found …, expected … (did you mean '…'?); remedy (rule ID)", AS_FLAG
 * without the location; "KEY: reason" if only a reason is known, "KEY: message (found …; rule ID)" for
 * a broken rule between arguments. A remedy is the part of `expected` from its first semicolon on.
 */
void option_problem_text(const struct option_problem *problem, enum option_voice voice,
			 struct pl_buf *buf);
/*
 * Returns {severity, source, line, col, key, pointer, rule, reason, found, expected, nearest,
 * replaced_by}, in the words of a file; pointer: the key as a JSON pointer. New reference.
 */
json_t *option_problem_to_json(const struct option_problem *problem);

/*
 * Appends a message such as "with {benchmark.request_rate}" and replaces keys in braces with their
 * names.
 */
void option_words_add(const char *text, enum option_voice voice, struct pl_buf *buf);
