/*
 * What a kind of data set is made of: a row of tbl/datasets.h, which says what it needs, and one
 * file with its bench_dataset_ID (docs/how-to/add-a-dataset.md).
 */
#pragma once

#include "bench/data/dataset.h"
#include "bench/data/tokenizer.h"

/* A file's usable entries, in its order. */
struct bench_entry {
	char *prompt;          /* NULL: made up */
	char *completion;      /* NULL: none */
	int64_t input_tokens;  /* of a prompt that is made up */
	int64_t output_tokens; /* RES_NO_COUNT: not given */
	size_t templated;      /* tokens that the chat template made of the prompt; 0: not told */
};
struct bench_entries {
	struct bench_entry *items;
	size_t count;
	size_t room;
	size_t with_media; /* entries whose image or video is not sent */
	/* Records with something that JSON does not have, which was replaced; the first of them, from 1. */
	size_t mended;
	size_t first_mended;
};
void bench_entries_add(struct bench_entries *entries, const struct bench_entry *entry);
void bench_entries_done(struct bench_entries *entries);
#define auto_entries __attribute__((cleanup(bench_entries_done), unused)) struct bench_entries

/* What build functions work with; `into` is empty and theirs to fill. */
struct bench_dataset_work {
	const struct vllm_bench *bench;
	const struct bench_tokenizer *tokenizer; /* NULL: none */
	struct pl_pyrandom *pyrandom;
	struct pl_nplegacy *nplegacy;
	struct bench_entries entries; /* of the file */
	struct bench_dataset *into;
	size_t room;    /* of into->samples */
	int64_t tokens; /* see bench_dataset_take_tokens() */
};

struct bench_dataset_kind {
	/*
	 * The entries of a file's text, which is ended by a NUL behind len and may be cut up;
	 * errors begin with bench->dataset_path. NULL: there is no file.
	 */
	int (*parse)(const struct vllm_bench *bench, char *text, size_t len,
		     struct bench_entries *into, struct pl_err *err);
	/* Instead of parse, for files that are too large to be in memory: reads the open file. Takes no option
	 * but the path. NULL: parse reads it. */
	int (*read)(const struct vllm_bench *bench, int fd, struct bench_entries *into,
		    struct pl_err *err);
	const char *nothing; /* what a file without entries has: "no prompts" */
	int (*build)(struct bench_dataset_work *work, struct pl_err *err);
};
/* The file's text as the kind takes it; without any entry it is refused. */
int bench_entries_parse(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
			char *text, size_t len, struct bench_entries *ret,
			struct pl_err *err) PL_MUST_CHECK;
/* The same of an open file, by the kind's `read`. */
int bench_entries_read(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
		       int fd, struct bench_entries *ret, struct pl_err *err) PL_MUST_CHECK;
/* Calls fn for each line that is not blank, a JSON value; `flags` are jansson's. */
int bench_json_lines(const struct vllm_bench *bench, const char *text, size_t len, size_t flags,
		     int (*fn)(const struct vllm_bench *bench, const json_t *json, size_t line_no,
			       struct bench_entries *into, struct pl_err *err),
		     struct bench_entries *into, struct pl_err *err) PL_MUST_CHECK;

#define DATASET(id, name, state, origin, traits) BENCH_DATASET_##state(id)
#define BENCH_DATASET_NOW(id)                    extern const struct bench_dataset_kind bench_dataset_##id;
#define BENCH_DATASET_LATER(id)
#include "tbl/datasets.h"

/* As Python's random.seed(seed); random.shuffle(entries), unless disable_shuffle. */
void bench_entries_shuffle(struct bench_dataset_work *work, uint64_t seed);

/* Counts the tokens of prompts before memory is taken for their ids. -1: with them the prompts have more than BENCH_DATASET_TOKENS_MAX. */
#define BENCH_DATASET_TOKENS_MAX (INT64_C(1) << 29) /* 2 GiB of ids */
int bench_dataset_take_tokens(struct bench_dataset_work *work, int64_t tokens,
			      struct pl_err *err) PL_MUST_CHECK;
/* Takes prompt, ids and messages over; sets the index. */
void bench_dataset_add(struct bench_dataset_work *work, const struct bench_sample *sample);
/* Token counts of texts, with special tokens. */
int bench_count_tokens(const struct bench_tokenizer *tokenizer, const char *const *texts,
		       size_t count, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
void bench_dataset_note(struct bench_dataset *dataset, const char *format, ...) PL_PRINTF(2, 3);
/* A text and the tokens that the tokenizer makes of it. */
struct bench_fit {
	char *text;
	struct bench_ids ids;
};
/* Where tokens come from that are missing: draw(rng, vocab_size). */
struct bench_drawer {
	int64_t (*draw)(void *rng, int64_t end);
	void *rng;
	int64_t vocab_size;
};
void bench_fit_done(struct bench_fit *fit);
/* fits[i].ids -> their text, and the ids of that text, for all at once. */
int bench_fit_all(const struct bench_tokenizer *tokenizer, struct bench_fit *fits, size_t count,
		  struct pl_err *err) PL_MUST_CHECK;
/* Goes on behind bench_fit_all() until the text has `target` tokens or ten tries are used up:
 * vLLM's rule, with its draws. */
int bench_fit_rest(const struct bench_tokenizer *tokenizer, const struct bench_drawer *drawer,
		   size_t target, struct bench_fit *fit, struct pl_err *err) PL_MUST_CHECK;

/* vocab_size, else the tokenizer's; -1: neither is known. */
int bench_dataset_vocabulary(const struct bench_dataset_work *work, int64_t *ret,
			     struct pl_err *err) PL_MUST_CHECK;
/* Are made-up prompts sent as token ids (asked for, or for want of a tokenizer), or as texts? Notes
 * it. */
int bench_dataset_form(struct bench_dataset_work *work, bool *ret_as_ids,
		       struct pl_err *err) PL_MUST_CHECK;

/* All samples' ids become texts, which are not looked at again: vLLM takes their length as it
 * is. */
int bench_dataset_decode(struct bench_dataset_work *work, struct pl_err *err) PL_MUST_CHECK;

/* Copies of samples up to num_prompts, unless no_oversample: vLLM's way. */
void bench_dataset_oversample(struct bench_dataset_work *work, uint64_t seed);
struct bench_sampling {
	uint64_t seed;
	int64_t output_len;          /* of all; RES_NO_COUNT: each its own */
	bool templated;              /* the chat template is laid over the prompts */
	const json_t *template_args; /* of the template; NULL: none */
	const char *without;         /* how to do without it, for a message; NULL: not at all */
};
/*
 * Samples from entries as data set `custom` takes them: shuffled, the first num_prompts, templated,
 * their lengths from the tokenizer, copies where there are too few.
 */
int bench_entries_sample(struct bench_dataset_work *work, const struct bench_sampling *how,
			 struct pl_err *err) PL_MUST_CHECK;
/* `own`, unless output_len is given, which stands above all. */
int64_t bench_dataset_output_len(const struct vllm_bench *bench, int64_t own);
