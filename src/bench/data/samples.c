/* Shared by datasets: entries of files, samples, and vLLM's oversampling. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/rng.h"
#include "bench/data/dataset_priv.h"
#include "result/flat/python_json.h"

/* Entries of files. */

void bench_entries_add(struct bench_entries *entries, const struct bench_entry *entry)
{
	*PL_PUSH(entries->items, entries->count, entries->room) = *entry;
	entries->objects += entry->object != NULL;
}

void bench_entries_done(struct bench_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		free(entries->items[i].prompt);
		free(entries->items[i].completion);
		free(entries->items[i].system);
		free(entries->items[i].row);
		json_decref(entries->items[i].object);
		json_decref(entries->items[i].messages);
		json_decref(entries->items[i].media);
	}
	free(entries->items);
	*entries = (struct bench_entries){ 0 };
}

void bench_entries_shuffle(struct bench_dataset_work *work, uint64_t seed)
{
	pl_pyrandom_seed(work->pyrandom, seed);
	if (!work->bench->disable_shuffle)
		pl_pyrandom_shuffle(work->pyrandom, work->entries.items, work->entries.count,
				    sizeof(*work->entries.items));
}

static bool is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	}
	return true;
}

/* Replaces Python's output that is not JSON. Returns false if the result is still not JSON. */
static bool mend_line(const char *line, size_t len, json_t **ret)
{
	auto_free char *copy = pl_strndup(line, len);
	auto_json json_t *utf8 = pl_json_text(copy);
	const char *text = json_string_value(utf8);

	return res_python_json_parse(text, strlen(text), "", ret, NULL, PL_ERR_IGNORED) == 0;
}

int bench_json_lines(const struct vllm_bench *bench, const char *text, size_t len, size_t flags,
		     int (*fn)(const struct vllm_bench *bench, const json_t *json, size_t line_no,
			       struct bench_entries *into, struct pl_err *err),
		     struct bench_entries *into, struct pl_err *err)
{
	const char *end = text + len;

	/* some editors put a byte order mark there */
	text += len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	for (size_t line_no = 1; text < end; line_no++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line_len = (size_t)((newline != NULL ? newline : end) - text);
		json_error_t fault;
		if (!is_blank(text, line_len)) {
			auto_json json_t *json = json_loadb(text, line_len, flags | JSON_ALLOW_NUL,
							    &fault);
			if (json == NULL && mend_line(text, line_len, &json)) {
				into->first_mended = into->mended == 0 ? line_no
								       : into->first_mended;
				into->mended++;
			}
			if (json == NULL)
				return pl_err_invalid(err, "%s:%zu:%d: not valid JSON: %s",
						      bench->dataset_path, line_no, fault.column,
						      fault.text);
			if (fn(bench, json, line_no, into, err) < 0)
				return -1;
		}
		text += line_len + 1;
	}
	return 0;
}

const char *bench_entries_other_file(const char *text, size_t len)
{
	static const struct {
		const char *start, *what;
	} others[] = {
		{ "version https://git-lfs.github.com/spec/",
		  "found a Git LFS pointer instead of the dataset; run 'git lfs pull'" },
		{ "\xff\xfe", "found UTF-16 text, expected UTF-8" },
		{ "\xfe\xff", "found UTF-16 text, expected UTF-8" },
		{ "<!DOCTYPE", "found an HTML page instead of the dataset" },
		{ "<!doctype", "found an HTML page instead of the dataset" },
		{ "<html", "found an HTML page instead of the dataset" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		size_t start = strlen(others[i].start);
		if (len >= start && memcmp(text, others[i].start, start) == 0)
			return others[i].what;
	}
	return NULL;
}

static int check_entries(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
			 const struct bench_entries *entries, struct pl_err *err)
{
	if (entries->count == 0)
		return pl_err_invalid(err, "%s: holds %s", bench->dataset_path, kind->nothing);
	return 0;
}

int bench_entries_parse(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
			char *text, size_t len, struct bench_entries *ret, struct pl_err *err)
{
	auto_entries entries = { 0 };
	const char *other = bench_entries_other_file(text, len);

	if (other != NULL)
		return pl_err_invalid(err, "%s: %s", bench->dataset_path, other);
	if (kind->parse(bench, text, len, &entries, err) < 0 ||
	    check_entries(kind, bench, &entries, err) < 0)
		return -1;
	*ret = entries;
	entries = (struct bench_entries){ 0 };
	return 0;
}

int bench_entries_read(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
		       int fd, struct bench_entries *ret, struct pl_err *err)
{
	auto_entries entries = { 0 };
	char start[64] = "";
	ssize_t got = TEMP_FAILURE_RETRY(pread(fd, start, sizeof(start), 0));
	/* the start of a pipe cannot be read separately */
	const char *other = got > 0 ? bench_entries_other_file(start, (size_t)got) : NULL;

	if (other != NULL)
		return pl_err_invalid(err, "%s: %s", bench->dataset_path, other);
	if (kind->read(bench, fd, &entries, err) < 0 ||
	    check_entries(kind, bench, &entries, err) < 0)
		return -1;
	*ret = entries;
	entries = (struct bench_entries){ 0 };
	return 0;
}

/* Shared by all kinds. */

int bench_count_tokens(const struct bench_tokenizer *tokenizer, const char *const *texts,
		       size_t count, int64_t *ret, struct pl_err *err)
{
	auto_free struct bench_ids *ids = pl_alloc_array(count, sizeof(*ids));

	if (bench_tokenizer_encode(tokenizer, texts, count, true, ids, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		ret[i] = (int64_t)ids[i].count;
		free(ids[i].ids);
	}
	return 0;
}

int bench_dataset_take_tokens(struct bench_dataset_work *work, int64_t tokens, struct pl_err *err)
{
	if (tokens <= BENCH_DATASET_TOKENS_MAX - work->tokens) {
		work->tokens += tokens;
		return 0;
	}
	return pl_err_invalid(
		err, "the prompts have more than %lld tokens; use fewer or shorter prompts",
		(long long)BENCH_DATASET_TOKENS_MAX);
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
	/* seeded again, so that the copies do not depend on the number of earlier draws */
	pl_pyrandom_seed(work->pyrandom, seed);
	while (work->into->count < wanted) {
		uint64_t from = pl_pyrandom_below(work->pyrandom, original);
		struct bench_sample copy = work->into->samples[from];
		copy.prompt = pl_strdup(copy.prompt);
		copy.inputs = json_incref(copy.inputs);
		copy.media = json_incref(copy.media);
		copy.messages = json_incref(copy.messages);
		copy.overrides = json_incref(copy.overrides);
		copy.tools = json_incref(copy.tools);
		bench_dataset_add(work, &copy);
	}
	bench_dataset_note(work->into, "%zu of %zu prompts are copies: the dataset has only %zu",
			   wanted - original, wanted, original);
}

int64_t bench_dataset_output_len(const struct vllm_bench *bench, int64_t set_len)
{
	return bench->output_len != OPTION_NO_I64 ? bench->output_len : set_len;
}
