#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "bench/data/dataset_priv.h"

/* Larger files are not data sets of prompts. */
#define FILE_BYTES_MAX ((size_t)4 << 30)

/* Entries of files. */

void bench_entries_add(struct bench_entries *entries, const struct bench_entry *entry)
{
	*PL_PUSH(entries->items, entries->count, entries->room) = *entry;
}

void bench_entries_done(struct bench_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		free(entries->items[i].prompt);
		free(entries->items[i].completion);
	}
	free(entries->items);
	*entries = (struct bench_entries){ 0 };
}

static void swap_entries(void *items, size_t i, size_t j)
{
	struct bench_entry *entries = items;
	struct bench_entry kept = entries[i];

	entries[i] = entries[j];
	entries[j] = kept;
}

void bench_entries_shuffle(struct bench_entries *entries, struct bench_dataset_work *work,
			   uint64_t seed)
{
	pl_pyrandom_seed(work->pyrandom, seed);
	if (!work->bench->disable_shuffle)
		pl_pyrandom_shuffle(work->pyrandom, entries->count, swap_entries, entries->items);
}

static bool is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	}
	return true;
}

int bench_lines_walk(const char *text, size_t len,
		     int (*fn)(void *data, const char *line, size_t len, size_t line_no),
		     void *data)
{
	const char *end = text + len;

	for (size_t line_no = 1; text < end; line_no++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline != NULL ? newline : end;
		size_t line_len = (size_t)(stop - text);
		if (!is_blank(text, line_len) && fn(data, text, line_len, line_no) < 0)
			return -1;
		text = stop + 1;
	}
	return 0;
}

/* What all kinds use. */

int bench_dataset_read(const struct vllm_bench *bench, char **ret_text, size_t *ret_len,
		       char **ret_sha256, struct pl_err *err)
{
	char hex[65];

	if (pl_file_read(bench->dataset_path, FILE_BYTES_MAX, ret_text, ret_len, err) < 0)
		return -1;
	if (ret_sha256 != NULL) {
		pl_sha256(*ret_text, *ret_len, hex);
		free(*ret_sha256);
		*ret_sha256 = pl_strdup(hex);
	}
	return 0;
}

int bench_entries_load(const struct vllm_bench *bench,
		       int (*parse)(const char *text, size_t len, const char *source,
				    struct bench_entries *ret, struct pl_err *err),
		       char **ret_sha256, struct bench_entries *ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (bench_dataset_read(bench, &text, &len, ret_sha256, err) < 0)
		return -1;
	return parse(text, len, bench->dataset_path, ret, err);
}

void bench_dataset_add(struct bench_dataset_work *work, const struct bench_sample *sample)
{
	struct bench_dataset *into = work->into;
	int64_t index = (int64_t)into->count;
	struct bench_sample *added = PL_PUSH(into->samples, into->count, work->room);

	*added = *sample;
	added->index = index;
}

void bench_dataset_note(struct bench_dataset *dataset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *text = pl_vasprintf(format, args);
	va_end(args);
	json_array_append_new(dataset->notes, json_string(text));
}

void bench_dataset_oversample(struct bench_dataset_work *work, uint64_t seed)
{
	size_t original = work->into->count;
	size_t wanted = work->bench->num_prompts < 1 ? original : (size_t)work->bench->num_prompts;

	if (work->bench->no_oversample || original == 0 || original >= wanted)
		return;
	pl_pyrandom_seed(work->pyrandom, seed);
	while (work->into->count < wanted) {
		uint64_t from = pl_pyrandom_below(work->pyrandom, original);
		struct bench_sample copy = work->into->samples[from];
		copy.prompt = pl_strdup(copy.prompt);
		bench_dataset_add(work, &copy);
	}
	bench_dataset_note(work->into, "%zu of %zu prompts are copies: the data set has only %zu",
			   wanted - original, wanted, original);
}

int64_t bench_dataset_output_len(const struct vllm_bench *bench, int64_t own)
{
	return bench->output_len != OPTION_NO_I64 ? bench->output_len : own;
}
