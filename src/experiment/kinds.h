/*
 * The properties of each dataset and each backend: the rows of tbl/datasets.h and tbl/backends.h,
 * so that no other code compares names. Their implementations are in bench/data/ and
 * bench/adapters/.
 */
#pragma once

#include <stdbool.h>

struct vllm_bench;

enum exp_dataset_trait {
	EXP_DATASET_FILE = 1,      /* requires dataset_path; without it, the option is rejected */
	EXP_DATASET_TOKENS = 2,    /* prompts are generated from tokens of the vocabulary */
	EXP_DATASET_UNCOUNTED = 4, /* can be used with skip_tokenizer_init */
	EXP_DATASET_ALL = 8,       /* num_prompts 0 or less selects the whole file, as in vLLM */
	EXP_DATASET_WHOLE_OUTPUT =
		/* requests its exact output length: ignores end-of-sequence tokens */
	16,
	EXP_DATASET_TIMED = 32,     /* has its own send times */
	EXP_DATASET_PAIRS = 64,     /* a request is a query and its documents */
	EXP_DATASET_IMAGES = 128,   /* requests have images or videos */
	EXP_DATASET_AUDIO = 256,    /* requests have audio */
	EXP_DATASET_BUILT_IN = 512, /* has a text of its own, so dataset_path may be unset */
};

struct exp_dataset {
	const char *name;
	bool later; /* only vLLM's client supports it */
	unsigned traits;
};

enum exp_backend_trait {
	EXP_BACKEND_TAKES_IDS = 1, /* prompts may be token ids */
	EXP_BACKEND_CHAT =
		2, /* the server applies the chat template; the first event has the role */
	EXP_BACKEND_POOLS = 4,      /* the response is one JSON text without output tokens */
	EXP_BACKEND_LISTS = 8,      /* one request may hold several prompts */
	EXP_BACKEND_PAIRS = 16,     /* a request is a query and its documents, all texts */
	EXP_BACKEND_OBJECTS = 64,   /* a prompt may be an object with the keys of the body */
	EXP_BACKEND_MEDIA = 32,     /* sends images and videos */
	EXP_BACKEND_AUDIO = 128,    /* sends audio */
	EXP_BACKEND_OF_MEDIA = 512, /* made for media: a prompt without its image is refused */
	EXP_BACKEND_FORM = 256,     /* the body is a form with a file of audio */
	EXP_BACKEND_TOOLS = 1024,   /* a request may have tools */
};

struct exp_backend {
	const char *name;
	bool later;
	const char *endpoint;
	const char *suffix; /* NULL: any path is valid */
	unsigned traits;
};

/* Return NULL if there is none with this name. */
const struct exp_dataset *exp_dataset_find(const char *name);
const struct exp_backend *exp_backend_find(const char *name);
/* In the order of the rows; NULL after the last one. */
const struct exp_dataset *exp_dataset_at(unsigned i);
const struct exp_backend *exp_backend_at(unsigned i);
/* Return false if there is none with this name. */
bool exp_dataset_has(const char *name, enum exp_dataset_trait trait);
bool exp_backend_has(const char *name, enum exp_backend_trait trait);
/* Returns whether requests are sent at the timestamps of the dataset. */
bool exp_is_self_timed(const struct vllm_bench *bench);
