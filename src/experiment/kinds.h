/*
 * What is known of each data set and each back end: the rows of tbl/datasets.h and tbl/backends.h, for all who ask
 * instead of comparing names. How one works is bench/data/ and bench/adapters/.
 */
#pragma once

#include <stdbool.h>

enum exp_dataset_trait {
	EXP_DATASET_FILE = 1,      /* dataset_path is needed; else it is refused */
	EXP_DATASET_TOKENS = 2,    /* prompts are made up of tokens of the vocabulary */
	EXP_DATASET_UNCOUNTED = 4, /* it can be had with skip_tokenizer_init */
	EXP_DATASET_ALL = 8,       /* num_prompts 0 or less is all of the file, as vLLM's */
	EXP_DATASET_WHOLE_OUTPUT =
		16,             /* the end of an answer is ignored: its length is asked for */
	EXP_DATASET_TIMED = 32, /* it has send times of its own */
};

struct exp_dataset {
	const char *name;
	bool later; /* only vLLM's own client has it */
	unsigned traits;
};

enum exp_backend_trait {
	EXP_BACKEND_TAKES_IDS = 1, /* prompts may be token ids */
	EXP_BACKEND_CHAT =
		2, /* the server lays the chat template; its first event names the speaker */
};

struct exp_backend {
	const char *name;
	bool later;
	const char *endpoint;
	const char *suffix; /* NULL: any path will do */
	unsigned traits;
};

/* NULL: there is none of this name. */
const struct exp_dataset *exp_dataset_find(const char *name);
const struct exp_backend *exp_backend_find(const char *name);
/* In the order of the rows; NULL behind the last. */
const struct exp_dataset *exp_dataset_at(unsigned i);
/* False where there is none of this name. */
bool exp_dataset_has(const char *name, enum exp_dataset_trait trait);
bool exp_backend_has(const char *name, enum exp_backend_trait trait);
