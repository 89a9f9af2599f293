/* Any text as a rule of prune: it has a condition and values in their bounds, or one error says why not. */
#include "store/prune/rule.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup(size > 0 ? (const char *)data : "", size);
	struct store_prune_rule rule;
	struct pl_err err = PL_ERR_INIT;

	if (store_prune_rule_parse(text, &rule, &err) < 0) {
		must(err.code == PL_ERR_INVALID && err.text[0] != '\0' && rule.text == NULL);
		return 0;
	}
	must(rule.age_ns > 0 || rule.suite != NULL || rule.status != NULL || rule.kind != NULL ||
	     rule.max_bytes >= 0);
	must(strcmp(rule.text, text) == 0 && rule.max_bytes >= -1);
	must(store_prune_rule_is_of_artifacts(&rule) == (rule.kind != NULL || rule.max_bytes >= 0));
	store_prune_rule_done(&rule);
	return 0;
}
