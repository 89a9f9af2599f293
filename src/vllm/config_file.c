#include "vllm/config_file.h"

#include "base/mem.h"
#include "base/text.h"
#include "vllm/catalog.h"

/* Requires the key's own spelling. */
bool vllm_config_false_counts(const struct vllm_catalog *catalog, const char *name)
{
	bool negative;
	const struct option_row *arg = vllm_arg_read_name(catalog, name, &negative);
	auto_free char *flag = pl_asprintf("--no-%s", name);

	return arg != NULL && !negative &&
	       (pl_text_equal(arg->negative_flag, flag) ||
		pl_text_has_word(arg->negative_aliases, ' ', flag));
}

bool vllm_config_is_left_out(const struct vllm_catalog *catalog, struct option_reader *reader,
			     const struct pl_yaml *name, const struct pl_yaml *node,
			     const char *key)
{
	bool negative, truth;
	const struct option_row *arg = vllm_arg_read_name(catalog, name->text, &negative);

	if (node->kind == PL_YAML_LIST)
		return node->count == 0;
	if (!node->plain || !pl_yaml_to_bool(node, &truth) || truth ||
	    vllm_config_false_counts(catalog, name->text))
		return false;
	if (arg != NULL && !negative && !pl_text_equal(arg->default_json, "false"))
		option_reader_add(
			reader, OPTION_WARNING, node, key, "false, which vLLM ignores here",
			arg->negative_flag != NULL ? "the key with '-' for '_'" : "no key",
			arg->negative_flag != NULL ? arg->flag + 2 : NULL);
	return arg != NULL;
}
