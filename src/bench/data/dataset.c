#include "bench/data/dataset.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/data/dataset_priv.h"
#include "bench/data/turns.h"
#include "experiment/kinds.h"

/* Larger files are not datasets of prompts. */
#define FILE_BYTES_MAX ((size_t)4 << 30)

static const struct named_kind {
	const char *name;
	const struct bench_dataset_kind *kind;
} kinds[] = {
#define DATASET(id, name, state, origin, traits) ROW_##state(id, name)
#define ROW_NOW(id, name)                        { name, &bench_dataset_##id },
#define ROW_LATER(id, name)
#include "tbl/datasets.h"
};

static const struct bench_dataset_kind *find_kind(const struct vllm_bench *bench)
{
	const struct named_kind *row = PL_ROW_FIND(kinds, name, bench->dataset_name);

	if (bench->multi_turn)
		return exp_dataset_has(bench->dataset_name, EXP_DATASET_FILE)
			       ? &bench_dataset_turns
			       : &bench_dataset_random_turns;
	return row != NULL ? row->kind : NULL;
}

/*
 * The file that a check read last, for the following build, because reading may take seconds. The
 * file is recognized by its stat() data.
 */
static struct read_before {
	pthread_mutex_t lock;                  /* of all below */
	const struct bench_dataset_kind *kind; /* NULL: none */
	struct stat file;
	struct bench_entries entries;
} read_before = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void keep_entries(const struct bench_dataset_kind *kind, const struct stat *file,
			 struct bench_entries *entries)
{
	pthread_mutex_lock(&read_before.lock);
	bench_entries_done(&read_before.entries);
	read_before.kind = kind;
	read_before.file = *file;
	read_before.entries = *entries;
	pthread_mutex_unlock(&read_before.lock);
	*entries = (struct bench_entries){ 0 };
}

/* The build takes the entries, or needs another file; either way nothing remains stored. */
static bool take_entries(const struct bench_dataset_kind *kind, const struct stat *file,
			 struct bench_entries *ret)
{
	struct bench_entries retained;

	pthread_mutex_lock(&read_before.lock);
	bool is_it = read_before.kind == kind && is_same_file(&read_before.file, file);
	retained = read_before.entries;
	read_before.kind = NULL;
	read_before.entries = (struct bench_entries){ 0 };
	pthread_mutex_unlock(&read_before.lock);
	if (is_it)
		*ret = retained;
	else
		bench_entries_done(&retained);
	return is_it;
}

/* For a kind that reads its file in parts. A check (ret_sha256 NULL) keeps the entries. */
static int read_parts(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
		      char **ret_sha256, struct bench_entries *ret, struct pl_err *err)
{
	auto_fd int fd = open(bench->dataset_path, O_RDONLY | O_CLOEXEC);
	char hex[65];
	struct stat file;

	if (fd < 0 || fstat(fd, &file) < 0)
		return pl_err_errno(err, "could not open '%s'", bench->dataset_path);
	if ((ret_sha256 == NULL || !take_entries(kind, &file, ret)) &&
	    bench_entries_read(kind, bench, fd, ret, err) < 0)
		return -1;
	if (ret_sha256 == NULL) {
		if (S_ISREG(file.st_mode))
			keep_entries(kind, &file, ret);
		return 0;
	}
	if (S_ISREG(file.st_mode) && (lseek(fd, 0, SEEK_SET) < 0 || pl_fd_sha256(fd, hex) < 0))
		return pl_err_errno(err, "could not read '%s'", bench->dataset_path);
	*ret_sha256 = S_ISREG(file.st_mode) ? pl_strdup(hex) : NULL;
	return 0;
}

/* The caller owns `ret_sha256` (NULL: not needed). */
static int load(const struct bench_dataset_kind *kind, const struct vllm_bench *set,
		char **ret_sha256, struct bench_entries *ret, struct pl_err *err)
{
	auto_free char *path = kind->path != NULL ? kind->path(set) : NULL;
	struct vllm_bench at_path = *set;
	const struct vllm_bench *bench = path != NULL ? &at_path : set;
	auto_free char *text = NULL;
	char hex[65];
	size_t len;

	if (path != NULL)
		at_path.dataset_path = path;
	if (kind->read != NULL)
		return read_parts(kind, bench, ret_sha256, ret, err);
	if (kind->parse == NULL)
		return 0;
	if (kind->built_in != NULL && bench->dataset_path == NULL) {
		text = pl_strdup(kind->built_in);
		len = strlen(text);
	} else if (pl_file_read(bench->dataset_path, FILE_BYTES_MAX, &text, &len, err) < 0) {
		return -1;
	}
	/* before it is cut up */
	if (ret_sha256 != NULL) {
		pl_sha256(text, len, hex);
		*ret_sha256 = pl_strdup(hex);
	}
	return bench_entries_parse(kind, bench, text, len, ret, err);
}

int bench_dataset_check(const struct vllm_bench *bench, struct pl_err *err)
{
	const struct bench_dataset_kind *kind = find_kind(bench);
	auto_entries entries = { 0 };

	assert(kind != NULL);
	if (kind->check != NULL && kind->check(bench, err) < 0)
		return -1;
	if (kind->probe != NULL)
		return kind->probe(bench, err);
	return load(kind, bench, NULL, &entries, err);
}

int bench_dataset_sha256(const struct vllm_bench *bench, char **ret, struct pl_err *err)
{
	const struct bench_dataset_kind *kind = find_kind(bench);
	auto_free char *path = kind != NULL && kind->path != NULL ? kind->path(bench) : NULL;
	char hex[PL_SHA256_HEX_BYTES];

	if (kind != NULL && kind->hash != NULL)
		return kind->hash(bench, ret, err);
	if (kind != NULL && kind->built_in != NULL && bench->dataset_path == NULL)
		pl_sha256(kind->built_in, strlen(kind->built_in), hex);
	else if (pl_file_sha256(path != NULL ? path : bench->dataset_path, hex, err) < 0)
		return -1;
	*ret = pl_strdup(hex);
	return 0;
}

/* Notes replacements in the file: its prompts differ from those that other programs read. */
static void note_mended(struct bench_dataset_work *work)
{
	const struct bench_entries *entries = &work->entries;

	if (entries->mended > 0)
		bench_dataset_note(
			work->into,
			"%zu record%s of '%s' %s values that JSON does not allow (first: record "
			"%zu); half a surrogate pair was read as U+FFFD, NaN and infinity as null",
			entries->mended, entries->mended == 1 ? "" : "s", work->bench->dataset_path,
			entries->mended == 1 ? "holds" : "hold", entries->first_mended);
}

int bench_dataset_build(const struct vllm_bench *bench, const struct bench_tokenizer *tokenizer,
			struct pl_pyrandom *pyrandom, struct pl_nplegacy *nplegacy,
			struct bench_dataset **ret, struct pl_err *err)
{
	const struct bench_dataset_kind *kind = find_kind(bench);
	PL_AUTO(bench_dataset_free) struct bench_dataset *dataset = NULL;
	struct bench_dataset_work work = {
		.bench = bench,
		.tokenizer = tokenizer,
		.pyrandom = pyrandom,
		.nplegacy = nplegacy,
	};

	assert(kind != NULL);
	/* Python's two global generators begin here, as vLLM seeds them before it draws anything. */
	pl_pyrandom_seed(pyrandom, (uint64_t)bench->seed);
	pl_nplegacy_seed(nplegacy, (uint32_t)bench->seed);
	dataset = pl_alloc(sizeof(*dataset));
	dataset->prompt_form = "text";
	dataset->notes = json_array();
	work.into = dataset;
	int done = kind->hash != NULL ? kind->hash(bench, &dataset->sha256, err)
				      : load(kind, bench, &dataset->sha256, &work.entries, err);
	if (done == 0)
		note_mended(&work);
	if (done == 0)
		done = kind->build(&work, err);
	bench_entries_done(&work.entries);
	if (done < 0)
		return -1;
	*ret = pl_take(dataset);
	return 0;
}

void bench_dataset_free(struct bench_dataset *dataset)
{
	if (dataset == NULL)
		return;
	for (size_t i = 0; i < dataset->count; i++) {
		free(dataset->samples[i].prompt);
		free(dataset->samples[i].ids);
		json_decref(dataset->samples[i].messages);
		json_decref(dataset->samples[i].overrides);
		json_decref(dataset->samples[i].inputs);
		json_decref(dataset->samples[i].tools);
		json_decref(dataset->samples[i].media);
		json_decref(dataset->samples[i].audio);
	}
	free(dataset->samples);
	free(dataset->sha256);
	json_decref(dataset->notes);
	free(dataset);
}
