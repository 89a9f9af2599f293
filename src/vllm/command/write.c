/* Values as a command line for people and shells. */
#include "vllm/command/line.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/secret.h"
#include "vllm/secret.h"
#include "vllm/server_args.h"

#define API_SERVER ".api_server"

static bool is_module(const json_t *launch)
{
	const char *last = json_string_value(json_array_get(launch, json_array_size(launch) - 1));

	return last != NULL && pl_text_ends(last, API_SERVER);
}

/* The words that start it. */
static void write_launch(const json_t *launch, bool secrets, struct pl_buf *buf)
{
	auto_json json_t *shown = secrets ? json_incref((json_t *)launch)
					  : vllm_secret_words_shown(launch);

	PL_JSON_EACH(word, shown) {
		if (word_at > 0)
			pl_buf_add_char(buf, ' ');
		vllm_word_quote(json_string_value(word), buf);
	}
}

static int too_long(const struct pl_buf *buf, struct pl_err *err)
{
	return buf->full ? pl_err_invalid(err, "the command line is too long") : 0;
}

static bool is_shell_name(const char *name)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

	return name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9') &&
	       name[strspn(name, letters)] == '\0';
}

static void write_env(const json_t *env, bool secrets, struct pl_buf *buf)
{
	PL_JSON_EACH_MEMBER(name, value, env) {
		if (!json_is_string(value))
			continue;
		bool hidden = !secrets && option_secret_is_name(name);
		auto_free char *text = secrets ? pl_strdup(json_string_value(value))
					       : option_secret_urls_shown(json_string_value(value));
		/* a shell assigns to such a name only; env takes any */
		if (!is_shell_name(name)) {
			auto_free char *pair = pl_asprintf("%s=%s", name,
							   hidden ? OPTION_SECRET_SHOWN : text);
			pl_buf_add_text(buf, "env ");
			vllm_word_quote(pair, buf);
			pl_buf_add_char(buf, ' ');
			continue;
		}
		pl_buf_addf(buf, "%s=", name);
		vllm_word_quote(hidden ? OPTION_SECRET_SHOWN : text, buf);
		pl_buf_add_char(buf, ' ');
	}
}

/*
 * A model that looks like a flag follows "--". The module accepts the model only with a flag, `vllm
 * serve` as the first argument.
 */
static void write_argv(const json_t *argv, const struct vllm_command_style *style,
		       const char *model, struct pl_buf *buf)
{
	bool is_dashed = model != NULL && model[0] == '-';

	PL_JSON_EACH(item, argv) {
		const char *word = json_string_value(item);
		bool breaks = style->flag_a_line && pl_text_starts(word, "--");
		bool is_model = item_at == 0 && model != NULL;
		if (is_model && is_dashed)
			continue;
		pl_buf_add_text(buf, breaks ? " \\\n    " : " ");
		if (is_model && is_module(style->launch))
			pl_buf_add_text(buf, style->flag_a_line ? "\\\n    --model " : "--model ");
		vllm_word_quote(word, buf);
	}
	if (is_dashed) {
		pl_buf_add_text(buf, " -- ");
		vllm_word_quote(model, buf);
	}
}

int vllm_command_write(const json_t *values, const struct vllm_command_style *style,
		       struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *argv = json_array();
	auto_json json_t *secret_env = NULL;
	auto_json json_t *vllm = json_pack("[ss]", "vllm", "serve");
	const json_t *launch = json_array_size(style->launch) > 0 ? style->launch : vllm;
	const char *model = pl_json_get_text(values, "model");

	if (vllm_args_to_argv(vllm_catalog_or_reference(style->catalog), values, argv, &secret_env,
			      err) < 0)
		return -1;
	auto_json json_t *argv_shown = style->secrets ? json_incref(argv)
						      : vllm_secret_words_shown(argv);
	write_env(style->env, style->secrets, buf);
	write_env(secret_env, style->secrets, buf);
	write_launch(launch, style->secrets, buf);
	write_argv(argv_shown, style, model, buf);
	pl_buf_add_char(buf, '\n');
	return too_long(buf, err);
}

int vllm_command_write_load(const json_t *words, const struct vllm_command_style *style,
			    struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *shown = style->secrets ? json_incref((json_t *)words)
						 : vllm_secret_words_shown(words);
	auto_json json_t *serve = json_pack("[sss]", "vllm", "bench", "serve");

	write_env(style->env, style->secrets, buf);
	write_launch(style->launch != NULL ? style->launch : serve, style->secrets, buf);
	write_argv(shown, style, NULL, buf);
	pl_buf_add_char(buf, '\n');
	return too_long(buf, err);
}
