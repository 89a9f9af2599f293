/*
 * The implementation of a kind of dataset: a row of tbl/datasets.h with its requirements, and one
 * file with its bench_dataset_ID (docs/how-to/add-a-dataset.md).
 */
#pragma once

#include "bench/data/dataset.h"
#include "bench/data/tokenizer.h"

/* The usable entries of a file, in its order. */
struct bench_entry {
	char *prompt;          /* NULL: generated, or an object */
	json_t *object;        /* a prompt with the keys of a body; NULL: none */
	json_t *messages;      /* chat messages with the prompt and its media; NULL: none */
	json_t *media;         /* parts after the prompt; NULL: none */
	char *completion;      /* NULL: none */
	char *system;          /* message that the template puts before the prompt; NULL: none */
	int64_t input_tokens;  /* of a generated prompt */
	int64_t output_tokens; /* RES_NO_COUNT: not given */
	size_t templated;      /* tokens that the chat template added to the prompt; 0: unknown */
	struct bench_trace_row *row; /* of a trace, owned; NULL: none */
};

/* A request of a trace, whose lengths are in its entry. */
struct bench_trace_row {
	double start_s;   /* on any clock */
	double end_s;     /* NaN: unknown */
	uint64_t session; /* hash of the session's name; 0: none */
	size_t block_count;
	uint64_t blocks[]; /* hashes of the ids of the prompt's chunks */
};
struct bench_entries {
	struct bench_entry *items;
	size_t count;
	size_t room;
	size_t objects;    /* entries whose prompt is an object */
	size_t with_media; /* entries whose image or video is not sent */
	/*
	 * Number of records with text that is not JSON and was replaced; the first of them, from 1.
	 */
	size_t mended;
	size_t first_mended;
};
void bench_entries_add(struct bench_entries *entries, const struct bench_entry *entry);
void bench_entries_done(struct bench_entries *entries);
#define auto_entries __attribute__((cleanup(bench_entries_done), unused)) struct bench_entries

/* The state of build functions; `into` is initially empty and filled by them. */
struct bench_dataset_work {
	const struct vllm_bench *bench;
	const struct bench_tokenizer *tokenizer; /* NULL: none */
	struct pl_pyrandom *pyrandom;
	struct pl_nplegacy *nplegacy;
	struct bench_entries entries; /* from the file */
	struct bench_dataset *into;
	size_t room;    /* of into->samples */
	int64_t tokens; /* see bench_dataset_take_tokens() */
};

struct bench_dataset_kind {
	/* Returns the path of the file, which the caller owns; NULL: it is dataset_path. */
	char *(*path)(const struct vllm_bench *bench);
	/*
	 * Parses the entries of a file's text, which is NUL-terminated and may be modified; errors
	 * begin with bench->dataset_path. NULL: there is no file.
	 */
	int (*parse)(const struct vllm_bench *bench, char *text, size_t len,
		     struct bench_entries *into, struct pl_err *err);
	/*
	 * Instead of parse, for files that are too large for memory: reads the open file. Uses no
	 * option except the path. NULL: use parse.
	 */
	int (*read)(const struct vllm_bench *bench, int fd, struct bench_entries *into,
		    struct pl_err *err);
	/*
	 * Checks the host and the options for the dataset, before a server is started: a library may be
	 * missing. NULL: nothing to check.
	 */
	int (*check)(const struct vllm_bench *bench, struct pl_err *err);
	const char *built_in; /* the text without dataset_path; NULL: a file is needed */
	const char *nothing;  /* missing content of a file without entries: "no prompts" */
	int (*build)(struct bench_dataset_work *work, struct pl_err *err);
	/* Instead of reading all, looks at the files as far as is possible in a short time. NULL: reads all. */
	int (*probe)(const struct vllm_bench *bench, struct pl_err *err);
	/* Hashes the files, if there are several; NULL: there is one, which is hashed. */
	int (*hash)(const struct vllm_bench *bench, char **ret_sha256, struct pl_err *err);
};
/* Parses the file's text with the kind's parser; rejects a file without entries. */
int bench_entries_parse(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
			char *text, size_t len, struct bench_entries *ret,
			struct pl_err *err) PL_MUST_CHECK;
/* The same for an open file, with the kind's `read`. */
int bench_entries_read(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
		       int fd, struct bench_entries *ret, struct pl_err *err) PL_MUST_CHECK;
/* Describes a file whose start shows that it is a placeholder for another, or not text; NULL: it is neither. */
const char *bench_entries_other_file(const char *start, size_t len);
/* Calls fn for the JSON value on each line that is not blank; `flags` are jansson's. */
int bench_json_lines(const struct vllm_bench *bench, const char *text, size_t len, size_t flags,
		     int (*fn)(const struct vllm_bench *bench, const json_t *json, size_t line_no,
			       struct bench_entries *into, struct pl_err *err),
		     struct bench_entries *into, struct pl_err *err) PL_MUST_CHECK;

#define DATASET(id, name, state, origin, traits) BENCH_DATASET_##state(id)
#define BENCH_DATASET_NOW(id)                    extern const struct bench_dataset_kind bench_dataset_##id;
#define BENCH_DATASET_LATER(id)
#include "tbl/datasets.h"

/*
 * Shuffles like Python's random.seed(seed); random.shuffle(entries), unless disable_shuffle is set.
 */
void bench_entries_shuffle(struct bench_dataset_work *work, uint64_t seed);

/*
 * Counts the tokens of prompts before memory is allocated for their ids. Returns -1 if the total
 * then exceeds BENCH_DATASET_TOKENS_MAX.
 */
#define BENCH_DATASET_TOKENS_MAX (INT64_C(1) << 29) /* 2 GiB of ids */
int bench_dataset_take_tokens(struct bench_dataset_work *work, int64_t tokens,
			      struct pl_err *err) PL_MUST_CHECK;
/* Takes ownership of prompt, ids and messages; sets the index. */
void bench_dataset_add(struct bench_dataset_work *work, const struct bench_sample *sample);
/* Counts the tokens of texts, including special tokens. */
int bench_count_tokens(const struct bench_tokenizer *tokenizer, const char *const *texts,
		       size_t count, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
void bench_dataset_note(struct bench_dataset *dataset, const char *format, ...) PL_PRINTF(2, 3);
/* A text and its tokens. */
struct bench_fit {
	char *text;
	struct bench_ids ids;
};
/* The source of additional tokens: draw(rng, vocab_size). */
struct bench_drawer {
	int64_t (*draw)(void *rng, int64_t end);
	void *rng;
	int64_t vocab_size;
};
void bench_fit_done(struct bench_fit *fit);
/* Decodes fits[i].ids to texts and encodes these again, all at once. */
int bench_fit_all(const struct bench_tokenizer *tokenizer, struct bench_fit *fits, size_t count,
		  struct pl_err *err) PL_MUST_CHECK;
/*
 * Continues after bench_fit_all() until the text has `target` tokens or ten tries are used up:
 * vLLM's rule, with its random draws.
 */
int bench_fit_rest(const struct bench_tokenizer *tokenizer, const struct bench_drawer *drawer,
		   size_t target, struct bench_fit *fit, struct pl_err *err) PL_MUST_CHECK;

/* Returns vocab_size, otherwise the tokenizer's; -1: both are unknown. */
int bench_dataset_vocabulary(const struct bench_dataset_work *work, int64_t *ret,
			     struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns the ids of the vocabulary in ascending order, without those of special tokens; -1: the
 * size is unknown, or none remains. The caller owns *ret.
 */
int bench_dataset_ids(const struct bench_dataset_work *work, uint32_t **ret, size_t *ret_count,
		      struct pl_err *err) PL_MUST_CHECK;
/*
 * Decides whether generated prompts are sent as token ids (requested, or without a tokenizer) or as
 * texts, and records it.
 */
int bench_dataset_form(struct bench_dataset_work *work, bool *ret_as_ids,
		       struct pl_err *err) PL_MUST_CHECK;

/* Returns whether the backend accepts prompts that are objects with the keys of the body. */
bool bench_dataset_takes_objects(const struct vllm_bench *bench);
/* Returns whether the backend is made for images: the images of the dataset must be sent. */
bool bench_dataset_wants_media(const struct vllm_bench *bench);

/*
 * Converts all samples' ids to texts without checking them again: vLLM uses the original lengths.
 */
int bench_dataset_decode(struct bench_dataset_work *work, struct pl_err *err) PL_MUST_CHECK;

/* Copies samples up to num_prompts, unless no_oversample is set, like vLLM. */
void bench_dataset_oversample(struct bench_dataset_work *work, uint64_t seed);
struct bench_sampling {
	uint64_t seed;
	int64_t output_len;          /* for all; RES_NO_COUNT: that of each entry */
	bool in_order;               /* not shuffled again */
	bool templated;              /* the chat template is applied to the prompts */
	const json_t *template_args; /* of the template; NULL: none */
	bool output_uncounted;       /* without a tokenizer, one token is requested, as in vLLM */
	const char *without;         /* alternative for an error message; NULL: none */
};
/*
 * Makes samples from entries like dataset `custom`: shuffled, the first num_prompts, templated,
 * with lengths from the tokenizer, and copies if there are too few.
 */
int bench_entries_sample(struct bench_dataset_work *work, const struct bench_sampling *how,
			 struct pl_err *err) PL_MUST_CHECK;
/*
 * Sets the output length of a record of a custom dataset, if custom_output_len is -1; -1: the record has
 * none.
 */
int bench_custom_output(const struct vllm_bench *bench, const json_t *json, size_t line_no,
			int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
/* Applies the template if possible, and records who applied it. */
int bench_entries_template(struct bench_dataset_work *work, struct bench_entry *entries,
			   size_t count, const struct bench_sampling *how,
			   struct pl_err *err) PL_MUST_CHECK;
/* Returns output_len if it is set, otherwise `own`. */
int64_t bench_dataset_output_len(const struct vllm_bench *bench, int64_t set_len);
