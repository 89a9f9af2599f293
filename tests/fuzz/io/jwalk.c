/*
 * Any bytes as JSON: walking and skipping come to the same verdict, tokens lie within the text,
 * what is decoded is never longer than what was sent.
 */
#include "io/jwalk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_text(const struct io_jwalk *walk, const char *from, const char *to)
{
	must(walk->text >= from && walk->text + walk->len <= to);
	char *out = malloc(walk->len + 1);
	size_t len = io_jwalk_decode(walk, out, walk->len);
	must(len <= walk->len);
	if (len > 0)
		must(io_jwalk_decode(walk, out, len - 1) == (size_t)-1);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct io_jwalk walk;
	enum io_jwalk_token token;
	int64_t number;

	io_jwalk_init(&walk, text, size);
	do {
		token = io_jwalk_next(&walk);
		must(walk.depth <= IO_JWALK_DEPTH_MAX);
		if (token == IO_JWALK_KEY || token == IO_JWALK_STRING)
			check_text(&walk, text, text + size);
		else if (token == IO_JWALK_NUMBER)
			must(!io_jwalk_to_i64(&walk, &number) || walk.len <= 20);
	} while (token != IO_JWALK_DONE && token != IO_JWALK_ERROR);

	struct io_jwalk retry;
	io_jwalk_init(&retry, text, size);
	bool whole = io_jwalk_skip_value(&retry) != IO_JWALK_ERROR &&
		     io_jwalk_next(&retry) == IO_JWALK_DONE;
	must(whole == (token == IO_JWALK_DONE));
	return 0;
}
