/*
 * Any answers of a server to /tokenize, /detokenize, /apply-template and /tokenizer_info: ids and texts
 * for every prompt, or one error and nothing to free.
 */
#include "bench/data/tokenizer.h"

#include "../../peer.h"
#include "base/clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static const char *const texts[] = { "one", "two" };

static void check_decode(const struct bench_tokenizer *tokenizer, const struct bench_ids *ids)
{
	char *back[PL_ARRAY_SIZE(texts)] = { NULL };
	struct pl_err err = PL_ERR_INIT;

	if (bench_tokenizer_decode(tokenizer, ids, PL_ARRAY_SIZE(texts), back, &err) < 0) {
		must(err.text[0] != '\0');
		return;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		must(back[i] != NULL);
		free(back[i]);
	}
}

static void check_encode(const struct bench_tokenizer *tokenizer)
{
	struct bench_ids ids[PL_ARRAY_SIZE(texts)] = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (bench_tokenizer_encode(tokenizer, texts, PL_ARRAY_SIZE(texts), true, ids, &err) < 0) {
		must(err.text[0] != '\0');
		return;
	}
	check_decode(tokenizer, ids);
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		must(ids[i].count == 0 || ids[i].ids != NULL);
		free(ids[i].ids);
	}
}

static void check_template(const struct bench_tokenizer *tokenizer)
{
	struct bench_templated made[PL_ARRAY_SIZE(texts)] = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (bench_tokenizer_template(tokenizer, NULL, texts, PL_ARRAY_SIZE(texts), NULL, made,
				     &err) < 0) {
		must(err.text[0] != '\0');
		return;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		must(made[i].text != NULL);
		free(made[i].text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct io_addr addr = { 0 };
	struct bench_tokenizer *tokenizer = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count;

	peer_begin(data, size);
	if (bench_tokenizer_open_server(&addr, "h", "", "", "m", NULL, &tokenizer, &err) < 0) {
		must(err.text[0] != '\0' && tokenizer == NULL);
		return 0;
	}
	must(bench_tokenizer_vocab_size(tokenizer) >= 0);
	const uint32_t *special = bench_tokenizer_special_ids(tokenizer, &count);
	must(count == 0 || special != NULL);
	check_template(tokenizer);
	check_encode(tokenizer);
	bench_tokenizer_free(tokenizer);
	return 0;
}
