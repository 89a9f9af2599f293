/*
 * Any lines as releases of vLLM, each compared with the one before it: the order is the opposite with the
 * sides exchanged, a local part does not count, and a refusal names the text.
 */
#include "vllm/version.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_alone(const char *text, const struct vllm_version *version)
{
	auto_free char *public_part = pl_strndup(text, strcspn(text, "+"));
	struct vllm_version same;
	bool is_known = false;

	for (size_t i = 0; i < VLLM_VERSION_PARTS; i++)
		must(version->release[i] >= 0);
	must(vllm_version_compare(version, version) == 0);
	must(vllm_version_parse(public_part, &same, PL_ERR_IGNORED) == 0);
	must(vllm_version_compare(version, &same) == 0);
	must(vllm_release_compare(version, text, &is_known) == 0 && is_known);
	must(!vllm_version_is_untagged(version) || version->release[1] == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *copy = pl_strndup((const char *)data, size);
	struct vllm_version before, version;
	bool has_before = false;

	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
		struct pl_err err = PL_ERR_INIT;
		if (vllm_version_parse(line, &version, &err) < 0) {
			must(err.code == PL_ERR_INVALID && err.text[0] == '\'');
			continue;
		}
		check_alone(line, &version);
		must(!has_before || vllm_version_compare(&before, &version) ==
					    -vllm_version_compare(&version, &before));
		before = version;
		has_before = true;
	}
	return 0;
}
