/* The parts of dataset hf: a class with its rules, the files of a split, their records, and the order of these. */
#pragma once

#include "base/strv.h"
#include "bench/data/dataset_priv.h"

/* ---- classes --------------------------------------------------------------------------------- */

enum hf_trait {
	HF_TEMPLATED = 1, /* the chat template is applied, unless skip_chat_template is set */
	HF_MEASURED =
		2,   /* without hf_output_len, the completion of the record decides the length */
	HF_LONG = 4, /* of measured lengths: larger bounds */
	HF_ANY_LENGTH = 8, /* no bounds, and hf_output_len has no effect */
	HF_BARE_OUTPUT =
		16,    /* the completion is counted without special tokens; bounds hold always */
	HF_TOOLS = 32, /* chats with tools, of bfcl.c */
};

struct hf_class {
	const char *id;
	const char *names;
	const char *split; /* default; NULL: none */
	int64_t output_len;
	const char *columns;
	unsigned traits;
	const char *needs; /* NULL: it is supported */
	/* Makes the prompt of a record; none: it is not used. Returns -1 if it is not one of the class. */
	int (*make)(const struct vllm_bench *bench, const json_t *record, struct bench_entry *ret,
		    struct pl_err *err);
};

#define HF_CLASS(id, state, names, split, output_len, columns, traits, needs) HF_MAKE_##state(id)
#define HF_MAKE_LATER(id)
#define HF_MAKE_TOOLS(id)
#define HF_MAKE_NOW(id)                                                              \
	int bench_hf_make_##id(const struct vllm_bench *bench, const json_t *record, \
			       struct bench_entry *ret, struct pl_err *err);
#include "tbl/hf_classes.h"

/* Finds the class of a dataset's name. Fails for a name without a class, and for one that is not supported. */
int bench_hf_class_find(const char *name, const struct hf_class **ret,
			struct pl_err *err) PL_MUST_CHECK;

/* ---- files ----------------------------------------------------------------------------------- */

/* The name of the dataset on the hub: hf_name, or that of the path. The caller owns it. */
char *bench_hf_name(const struct vllm_bench *bench);
/*
 * Finds the files of the requested split and subset, in order. `split` is the default of hf_split; NULL: none. Errors
 * name what was found.
 */
int bench_hf_find(const struct vllm_bench *bench, const char *split, struct pl_strv *ret,
		  struct pl_err *err) PL_MUST_CHECK;

/* Finds the dataset's file or directory; the caller owns *ret. */
int bench_hf_root(const struct vllm_bench *bench, char **ret, struct pl_err *err) PL_MUST_CHECK;
/* Finds the files of the requested categories of BFCL, and makes its samples. */
int bench_hf_bfcl_files(const struct vllm_bench *bench, struct pl_strv *ret,
			struct pl_err *err) PL_MUST_CHECK;
int bench_hf_bfcl_build(struct bench_dataset_work *work, int64_t output_len,
			struct pl_err *err) PL_MUST_CHECK;

/* ---- records --------------------------------------------------------------------------------- */

struct hf_source;

/* Reads JSON (an array, or values one after the other), CSV with a header, Parquet and Arrow. Copies what it needs. */
struct hf_source *bench_hf_source_new(const struct pl_strv *files, const char *columns);
void bench_hf_source_free(struct hf_source *source);
PL_AUTO_DEFINE(struct hf_source, bench_hf_source_free);
/* Reads the next record, which the caller owns; *ret is NULL after the last one. Errors name file and record. */
int bench_hf_source_next(struct hf_source *source, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns "file:record" of the last record, which the caller owns. */
char *bench_hf_source_place(const struct hf_source *source);

/* ---- order ----------------------------------------------------------------------------------- */

enum hf_order_mode {
	HF_AS_STORED,
	HF_BUFFERED, /* files in random order, and records through a buffer of 1,000: IterableDataset.shuffle() */
	HF_PERMUTED, /* all records in random order: Dataset.shuffle() */
};

struct hf_order;

/* The mode follows from disable_shuffle and no_stream. Borrows class and options. */
struct hf_order *bench_hf_order_new(const struct pl_strv *files, const struct hf_class *class,
				    const struct vllm_bench *bench);
void bench_hf_order_free(struct hf_order *order);
PL_AUTO_DEFINE(struct hf_order, bench_hf_order_free);
/*
 * Returns 1 with the entry of the next record that is used, which the caller owns; 0 at the end; -1: a record is not one
 * of the class.
 */
int bench_hf_order_next(struct hf_order *order, struct bench_entry *ret,
			struct pl_err *err) PL_MUST_CHECK;
