/* Hides the secrets of any text: the output contains no secret, and apart from "***" nothing
 * that the text does not contain. */
#include "vllm/secret.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Checks that every part between "***" occurs in the text, in order. */
static void check_parts(const char *text, const char *shown)
{
	while (*shown != '\0') {
		const char *hidden = strstr(shown, OPTION_SECRET_SHOWN);
		size_t len = hidden != NULL ? (size_t)(hidden - shown) : strlen(shown);
		const char *at = memmem(text, strlen(text), shown, len);
		if (at == NULL)
			abort();
		text = at + len;
		shown += len + (hidden != NULL ? strlen(OPTION_SECRET_SHOWN) : 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_free char *text = pl_strndup((const char *)data, len);
	auto_json json_t *before = json_string(text);
	auto_json json_t *shown = before != NULL ? vllm_secret_json_shown(before) : NULL;

	if (before == NULL) /* no UTF-8 */
		return 0;
	if (!json_is_string(shown) || vllm_secret_json_has(shown) ||
	    vllm_secret_json_has(before) == json_equal(before, shown))
		abort();
	check_parts(text, json_string_value(shown));
	return 0;
}
