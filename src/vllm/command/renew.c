/* A command in the form of the release that it is for. */
#include "vllm/command/line.h"

#include <string.h>

#include "base/mem.h"
#include "vllm/renew.h"
#include "vllm/rules.h"

#define WORDS_BYTES_MAX 4096

/* Returns the location of an argument or of one of its keys. */
static void find_location(void *user, const char *arg, struct vllm_rule_location *ret)
{
	const struct vllm_command *command = user;
	auto_free char *name = pl_strndup(arg, strcspn(arg, "."));
	const json_t *location = json_object_get(command->locations, name);
	size_t word = (size_t)json_integer_value(location);
	bool is_word = word > 0 && word <= command->words.count;

	ret->flag = vllm_arg_find(command->catalog, name)->flag;
	ret->source = is_word || command->config == NULL ? command->source : command->config;
	ret->line = is_word ? (int)word : (int)json_integer_value(json_array_get(location, 0));
	ret->column = is_word ? command->words.items[word - 1].column
			      : (int)json_integer_value(json_array_get(location, 1));
}

static void report_change(struct vllm_command *command, const char *version, const json_t *change,
			  struct option_problems *problems)
{
	const char *key = pl_json_get_text(change, "key");
	const json_t *by = json_object_get(change, "replaced_by");
	auto_json json_t *settings = vllm_replaced_in_file(by);
	auto_free char *flag = vllm_flag_of(key);
	auto_free char *found = pl_asprintf("an argument that vLLM %s no longer has", version);
	struct vllm_rule_location location = { 0 };
	auto_buf expected = PL_BUF(WORDS_BYTES_MAX);

	vllm_replaced_words(by, NULL, &expected);
	pl_buf_add_text(&expected, json_array_size(by) > 0 ? "; the replacement was written"
							   : "no argument; nothing was written");
	find_location(command, key, &location);
	option_problem_report(problems, .severity = OPTION_WARNING, .source = location.source,
			      .line = location.line, .column = location.column, .key = flag,
			      .found = found, .expected = pl_buf_text(&expected),
			      .replaced_by = settings);
}

void vllm_command_renew(struct vllm_command *command, struct option_problems *problems)
{
	struct vllm_target target = { command->target, command->target == NULL, command->catalog };
	struct vllm_version release;

	vllm_target_release(&target, &release);
	struct vllm_replacing replacing = { command->catalog, &release, NULL };
	auto_json json_t *changes = vllm_renew(&replacing, command->values, command->given);

	PL_JSON_EACH(change, changes)
		report_change(command,
			      command->target != NULL ? command->target : VLLM_REFERENCE_RELEASE,
			      change, problems);
	vllm_target_check_args(command->values, &target, false, find_location, command, problems);
}
