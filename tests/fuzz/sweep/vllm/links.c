/* Any text as --link-vars: pairs of keys without blanks at their ends, or one error that names the option. */
#include "sweep/vllm/params.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_key(const char *key)
{
	auto_free char *copy = pl_strdup(key);

	must(key[0] != '\0' && strpbrk(key, "=,") == NULL);
	must(strcmp(pl_text_trim(copy), key) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_free char *text = pl_strndup((const char *)data, len);
	auto_json json_t *links = NULL, *serve = json_object(), *bench = json_object();
	struct pl_err err = PL_ERR_INIT;

	if (sweep_vllm_links_parse(text, &links, &err) < 0) {
		must(links == NULL && pl_text_starts(err.text, "--link-vars: "));
		return 0;
	}
	must(sweep_vllm_linked(links, serve, bench) == (json_array_size(links) == 0));
	PL_JSON_EACH(link, links) {
		const char *one = json_string_value(json_array_get(link, 0));
		const char *other = json_string_value(json_array_get(link, 1));
		must(json_array_size(link) == 2 && one != NULL && other != NULL);
		check_key(one);
		check_key(other);
		json_object_set_new(serve, one, json_true());
		json_object_set_new(bench, other, json_true());
	}
	must(sweep_vllm_linked(links, serve, bench));
	return 0;
}
