/*
 * The effects of another release on one input. The checks find removed arguments by themselves. This finds what a
 * single reading cannot show: defaults that change for unset arguments, and flags that set another argument.
 */
#include "cli/validate_upgrade.h"

#include <string.h>

#include "base/text.h"
#include "vllm/release_diff.h"
#include "vllm/renew.h"
#include "vllm/rules.h"
#include "vllm/yaml_out.h"

/* More of them would hide the important ones. */
#define DEFAULTS_SHOWN_MAX 12
#define VALUE_COLUMNS_MAX  60
#define VALUE_BYTES_MAX    (1u << 20)

void cli_upgrade_done(struct cli_upgrade *upgrade)
{
	run_release_done(&upgrade->from);
	json_decref(upgrade->defaults);
}

/* An unreadable release counts as none: the reference is assumed, as everywhere. */
static void find_from(const struct cli_input *today, const char *version, struct cli_upgrade *ret,
		      struct vllm_version *ret_parsed)
{
	run_release_find(today->experiment, version, &ret->from);
	struct vllm_target target = { ret->from.version, ret->from.assumed, today->catalog };
	if (vllm_target_release(&target, ret_parsed) != NULL)
		return;
	run_release_done(&ret->from);
	ret->from = (struct run_release){ .version = pl_strdup(VLLM_REFERENCE_RELEASE),
					  .assumed = true };
}

void cli_upgrade_look(const struct cli_input *today, const char *version, const char *to,
		      struct cli_upgrade *ret)
{
	struct vllm_release since = { 0 }, until = { 0 };

	if (today->experiment == NULL || vllm_version_parse(to, &until.version, PL_ERR_IGNORED) < 0)
		return;
	find_from(today, version, ret, &since.version);
	since.catalog = vllm_catalog_release(today->catalog, ret->from.version);
	until.catalog = vllm_catalog_release(today->catalog, to);
	ret->to = to;
	ret->defaults = vllm_release_defaults(&since, &until, today->experiment->server);
}

/* Returns the argument that a word of a command sets; NULL: none. */
static const char *set_by(const struct vllm_command *command, json_int_t word)
{
	PL_JSON_EACH_MEMBER(name, location, command->locations) {
		if (json_is_integer(location) && json_integer_value(location) == word)
			return name;
	}
	return NULL;
}

static void warn_of_flag(const struct cli_upgrade *upgrade, const struct cli_input *today,
			 struct cli_input *input, const char *name, const char *before)
{
	json_int_t word = pl_json_get_i64(input->command->locations, name);
	const struct vllm_word *written = &input->command->words.items[word - 1];
	struct vllm_version release;
	json_t *values = json_pack("{s:O}", before,
				   json_object_get(today->command->values, before));
	if (vllm_version_parse(upgrade->to, &release, PL_ERR_IGNORED) == 0) {
		struct vllm_replacing replacing = {
			vllm_catalog_release(today->catalog, upgrade->to), &release, NULL
		};
		auto_json json_t *given = json_deep_copy(values);
		json_decref(vllm_renew(&replacing, given, NULL));
		json_object_update(values, given);
	}
	auto_json json_t *by = json_pack("[{s:s, s:O}]", "key", before, "value",
					 json_object_get(values, before));
	json_decref(values);
	auto_json json_t *replaced_by = vllm_replaced_in_file(by);
	auto_free char *found = pl_asprintf("a flag that sets %s in vLLM %s, and %s in %s", before,
					    upgrade->from.version, name, upgrade->to);
	auto_buf expected = PL_BUF(VALUE_BYTES_MAX);

	vllm_replaced_sentence(before, by, input->command->catalog, &expected);
	option_problem_report(&input->problems, .severity = OPTION_WARNING,
			      .source = input->command->source, .line = (int)word,
			      .column = written->column, .key = written->text, .found = found,
			      .expected = pl_buf_text(&expected), .replaced_by = replaced_by);
}

void cli_upgrade_flags(const struct cli_upgrade *upgrade, const struct cli_input *today,
		       struct cli_input *input)
{
	if (upgrade->to == NULL || today->command == NULL || input->command == NULL)
		return;
	PL_JSON_EACH_MEMBER(name, location, input->command->locations) {
		const char *before = json_is_integer(location) && json_integer_value(location) > 0
					     ? set_by(today->command, json_integer_value(location))
					     : NULL;
		/* the same word, read by both releases */
		if (before != NULL && strcmp(before, name) != 0)
			warn_of_flag(upgrade, today, input, name, before);
	}
}

void cli_upgrade_head(const struct cli_upgrade *upgrade, const char *name, struct pl_buf *buf)
{
	if (upgrade->to != NULL)
		pl_buf_addf(buf, "%s: from vLLM %s%s to %s\n", name, upgrade->from.version,
			    upgrade->from.assumed
				    ? " (assumed, because the input does not name a release)"
				    : "",
			    upgrade->to);
}

static void add_value(const json_t *value, struct pl_buf *buf)
{
	auto_buf words = PL_BUF(VALUE_BYTES_MAX);

	vllm_yaml_add_inline(&words, value);
	const char *text = pl_buf_text(&words);
	bool is_long = pl_text_columns(text, words.len) > VALUE_COLUMNS_MAX;
	pl_buf_add_text(buf, is_long ? "…" : text);
}

void cli_upgrade_text(const struct cli_upgrade *upgrade, struct pl_buf *buf)
{
	size_t count = json_array_size(upgrade->defaults);

	if (count == 0)
		return;
	pl_buf_add_text(buf, "  changed defaults of arguments that are not set:\n");
	for (size_t i = 0; i < count && i < DEFAULTS_SHOWN_MAX; i++) {
		const json_t *entry = json_array_get(upgrade->defaults, i);
		pl_buf_addf(buf, "    %s  ", pl_json_get_text(entry, "key"));
		add_value(json_object_get(entry, "old"), buf);
		pl_buf_add_text(buf, " -> ");
		add_value(json_object_get(entry, "new"), buf);
		pl_buf_add_char(buf, '\n');
	}
	if (count > DEFAULTS_SHOWN_MAX)
		pl_buf_addf(buf, "    … %zu more (--json shows all)\n", count - DEFAULTS_SHOWN_MAX);
}

/* The keys are those of problems, as in an experiment file. */
static json_t *defaults_json(const struct cli_upgrade *upgrade)
{
	json_t *list = json_array();

	PL_JSON_EACH(entry, upgrade->defaults) {
		const char *key = pl_json_get_text(entry, "key");
		auto_free char *placed = pl_asprintf("server.%s", key);
		json_array_append_new(list, json_pack("{s:s, s:O, s:O}", "key", placed, "old",
						      json_object_get(entry, "old"), "new",
						      json_object_get(entry, "new")));
	}
	return list;
}

json_t *cli_upgrade_json(const struct cli_upgrade *upgrade)
{
	if (upgrade->to == NULL)
		return json_null();
	return json_pack("{s:{s:s, s:b}, s:s, s:o}", "from", "version", upgrade->from.version,
			 "assumed", upgrade->from.assumed, "to", upgrade->to, "defaults",
			 defaults_json(upgrade));
}
