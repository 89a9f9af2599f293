/*
 * Parses any bytes as a token file: the result is an error of one line that names the file, or unique, valid names with
 * roles that exist.
 */
#include "dash/access/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define TOKEN DASH_TOKEN_PREFIX "0123456789012345678901234567890123456789012"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_tokens tokens = { 0 };
	struct pl_err err = PL_ERR_INIT;
	bool is_valid;

	if (dash_tokens_parse((const char *)data, size, "file", &tokens, &err) < 0) {
		must(pl_text_starts(err.text, "file:") && strchr(err.text, '\n') == NULL);
		must(tokens.count == 0);
		return 0;
	}
	must(tokens.count <= DASH_TOKENS_MAX);
	for (size_t i = 0; i < tokens.count; i++) {
		const struct dash_token *token = &tokens.items[i];
		must(dash_user_is_valid(token->name));
		must(token->role > DASH_ROLE_NONE && token->role < DASH_ROLE_COUNT);
		must(dash_tokens_find_user(&tokens, token->name) == token);
	}
	must(dash_tokens_find(&tokens, TOKEN, 0, &is_valid) == NULL && !is_valid);
	return 0;
}
