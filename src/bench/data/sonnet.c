/*
 * sonnet, from vLLM up to 0.31: lines of a poem drawn at random, after some that all prompts share. Without a file
 * they are built-in ones, as in vLLM's native client.
 */
#include "bench/data/dataset_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/data/sonnet_lines.h"
#include "experiment/kinds.h"

#define BASE "Pick as many lines as you can from these poem lines:\n"
/* Prompts per call of the tokenizer. */
#define CHUNK_MAX 4096
/* Number of consecutive prompts that are too long before the search ends. */
#define TRIES_MAX        2000
#define PROMPT_BYTES_MAX (256u << 20)

/* The line at `text`, its end as "\n" whatever it is; returns how many bytes it takes. */
static size_t read_line(const char *text, size_t len, char **ret)
{
	size_t end = 0;

	while (end < len && text[end] != '\n' && text[end] != '\r')
		end++;
	*ret = pl_asprintf("%.*s%s", (int)end, text, end < len ? "\n" : "");
	if (end + 1 < len && text[end] == '\r' && text[end + 1] == '\n')
		end++;
	return end < len ? end + 1 : end;
}

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	if (memchr(text, '\0', len) != NULL || !pl_text_is_utf8(text))
		return pl_err_invalid(err, "%s: not valid UTF-8", bench->dataset_path);
	for (size_t at = 0; at < len;) {
		struct bench_entry line = { .output_tokens = RES_NO_COUNT };
		at += read_line(text + at, len - at, &line.prompt);
		bench_entries_add(into, &line);
	}
	return 0;
}

static int64_t input_len(const struct vllm_bench *bench)
{
	return bench->input_len != OPTION_NO_I64 ? bench->input_len : bench->sonnet_input_len;
}

struct plan {
	struct bench_dataset_work *work;
	const struct bench_entries *lines;
	size_t prefix; /* lines that all prompts begin with */
	size_t extra;  /* lines drawn for each */
};

/* Returns the templated texts (owned by the caller) and their numbers of tokens. */
static int lay_templates(const struct plan *plan, const char *const *texts, size_t count,
			 char **ret, int64_t *ret_tokens, struct pl_err *err)
{
	auto_free struct bench_templated *made = pl_alloc_array(count, sizeof(*made));

	if (bench_tokenizer_template(plan->work->tokenizer, NULL, texts, count, NULL, made, err) <
	    0)
		return pl_err_wrap(err, "chat template");
	for (size_t i = 0; i < count; i++)
		ret[i] = made[i].text;
	if (bench_count_tokens(plan->work->tokenizer, (const char *const *)ret, count, ret_tokens,
			       err) == 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		free(pl_take(ret[i]));
	return -1;
}

static int mean_tokens(const struct plan *plan, double *ret, struct pl_err *err)
{
	size_t count = plan->lines->count;
	auto_free const char **texts = pl_alloc_array(count, sizeof(*texts));
	auto_free int64_t *tokens = pl_alloc_array(count, sizeof(*tokens));
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		texts[i] = plan->lines->items[i].prompt;
	if (bench_count_tokens(plan->work->tokenizer, texts, count, tokens, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		sum += tokens[i];
	*ret = (double)sum / (double)count;
	return *ret > 0 ? 0 : pl_err_invalid(err, "the lines of the file have no tokens");
}

/*
 * Converts tokens to lines, rounded to the nearest; of two equally near numbers, to the even one.
 */
static double lines_of(int64_t tokens, double mean)
{
	return rint((double)tokens / mean);
}

static int settle(struct plan *plan, struct pl_err *err)
{
	const struct vllm_bench *bench = plan->work->bench;
	int64_t most = input_len(bench), base_tokens = 0;
	const char *base = BASE;
	char *text = NULL;
	double mean = 0;

	if (mean_tokens(plan, &mean, err) < 0 ||
	    lay_templates(plan, &base, 1, &text, &base_tokens, err) < 0)
		return -1;
	free(text);
	if (most <= base_tokens)
		return pl_err_invalid(err,
				      "{benchmark.sonnet_input_len}: found %lld, expected more "
				      "than the %lld tokens of the instruction before the lines",
				      (long long)most, (long long)base_tokens);
	double all = fmax(lines_of(most - base_tokens, mean), 1);
	double prefix = fmax(lines_of(bench->sonnet_prefix_len - base_tokens, mean), 0);
	plan->extra = (size_t)fmax(all - prefix, 0);
	plan->prefix = prefix < (double)plan->lines->count ? (size_t)prefix : plan->lines->count;
	return 0;
}

static char *draw_prompt(const struct plan *plan, size_t *drawn)
{
	auto_buf text = PL_BUF(PROMPT_BYTES_MAX);

	pl_pyrandom_choices(plan->work->pyrandom, plan->lines->count, plan->extra, drawn);
	pl_buf_add_text(&text, BASE);
	for (size_t i = 0; i < plan->prefix; i++)
		pl_buf_add_text(&text, plan->lines->items[i].prompt);
	for (size_t i = 0; i < plan->extra; i++)
		pl_buf_add_text(&text, plan->lines->items[drawn[i]].prompt);
	return pl_buf_take(&text);
}

struct chunk {
	char **raw;
	char **templated;
	int64_t *tokens;
	size_t count;
};

/* Takes the prompts that are not too long, up to num_prompts; returns how many were checked. */
static size_t take_chunk(const struct plan *plan, struct chunk *chunk)
{
	struct bench_dataset_work *work = plan->work;
	const struct vllm_bench *bench = work->bench;
	/* there the server lays the template itself, and vLLM leaves it to it */
	bool raw = exp_backend_has(bench->backend, EXP_BACKEND_CHAT);
	size_t i = 0;

	for (; i < chunk->count && work->into->count < (size_t)bench->num_prompts; i++) {
		if (chunk->tokens[i] > input_len(bench))
			continue;
		struct bench_sample sample = {
			.prompt = raw ? pl_take(chunk->raw[i]) : pl_take(chunk->templated[i]),
			.prompt_tokens = chunk->tokens[i],
			.output_tokens = bench_dataset_output_len(bench, bench->sonnet_output_len),
		};
		bench_dataset_add(work, &sample);
	}
	work->into->chat_template = raw ? "none" : "server";
	return i;
}

/* Leaves the generator in the state after drawing and checking prompts one by one. */
static int add_chunk(const struct plan *plan, size_t count, struct pl_err *err)
{
	struct pl_pyrandom before = *plan->work->pyrandom;
	auto_free size_t *drawn = pl_alloc_array(plan->extra + 1, sizeof(*drawn));
	struct chunk chunk = {
		.raw = pl_alloc_array(count, sizeof(char *)),
		.templated = pl_alloc_array(count, sizeof(char *)),
		.tokens = pl_alloc_array(count, sizeof(int64_t)),
		.count = count,
	};

	for (size_t i = 0; i < count; i++)
		chunk.raw[i] = draw_prompt(plan, drawn);
	int rc = lay_templates(plan, (const char *const *)chunk.raw, count, chunk.templated,
			       chunk.tokens, err);
	size_t used = rc == 0 ? take_chunk(plan, &chunk) : count;
	if (used < count)
		*plan->work->pyrandom = before;
	for (size_t i = 0; used < count && i < used; i++)
		pl_pyrandom_choices(plan->work->pyrandom, plan->lines->count, plan->extra, drawn);
	for (size_t i = 0; i < count; i++) {
		free(chunk.raw[i]);
		free(chunk.templated[i]);
	}
	free(chunk.raw);
	free(chunk.templated);
	free(chunk.tokens);
	return rc;
}

static int add_prompts(const struct plan *plan, struct pl_err *err)
{
	struct bench_dataset *into = plan->work->into;
	size_t wanted = (size_t)plan->work->bench->num_prompts;

	for (size_t in_vain = 0; into->count < wanted;) {
		size_t missing = wanted - into->count, before = into->count;
		size_t count = missing < CHUNK_MAX / 2 ? missing + missing / 2 + 16 : CHUNK_MAX;
		if (add_chunk(plan, count, err) < 0)
			return -1;
		in_vain = into->count > before ? 0 : in_vain + count;
		if (in_vain >= TRIES_MAX)
			return pl_err_invalid(err,
					      "%zu prompts in a row exceed "
					      "{benchmark.sonnet_input_len} (%lld) tokens",
					      in_vain, (long long)input_len(plan->work->bench));
	}
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	struct plan plan = { .work = work, .lines = &work->entries };

	if (work->tokenizer == NULL)
		return pl_err_invalid(err, "dataset 'sonnet' needs a tokenizer to count its lines; "
					   "the server has no usable /tokenize and /detokenize");
	if (settle(&plan, err) < 0 || add_prompts(&plan, err) < 0)
		return pl_err_wrap(err, "dataset '%s'",
				   work->bench->dataset_path != NULL ? work->bench->dataset_path
								     : "sonnet");
	return 0;
}

const struct bench_dataset_kind bench_dataset_sonnet = {
	.parse = parse, .built_in = SONNET_LINES, .nothing = "no lines", .build = build
};
