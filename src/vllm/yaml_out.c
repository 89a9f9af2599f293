/*
 * An experiment file from a command line. Data that a file cannot express (the container, inherited
 * variables) becomes comments between the keys. A YAML writer would not support that, so the text
 * is written here.
 */
#include "vllm/yaml_out.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/bench_options.h"
#include "vllm/catalog.h"
#include "vllm/command/line.h"
#include "vllm/secret.h"

#define PLAIN_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"

enum { INDENT = 2, BLOCK_DEPTH_MAX = 12, NAME_BYTES_MAX = 80, JSON_GROWTH_MAX = 6 };

/* Words that YAML or its parsers do not read as text. */
static bool is_reserved(const char *text)
{
	static const char *const words[] = { "true", "false", "yes",  "no",  "on",  "off",
					     "null", "y",     "n",    "inf", "nan", ".inf",
					     ".nan", "none",  "auto", "all" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		if (strcasecmp(text, words[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Returns whether a text needs no quotes, as a key or value, in block and flow style. The first
 * byte excludes numbers, dates and all of YAML's indicators.
 */
static bool is_plain(const char *text)
{
	return (isalpha((unsigned char)text[0]) || text[0] == '_' || text[0] == '/') &&
	       strspn(text, PLAIN_BYTES) == strlen(text) && !is_reserved(text);
}

/*
 * As JSON, whose pairs of surrogates are one character: YAML refuses "\ud835\udd4f" and has
 * "\U0001d54f".
 */
static void add_quoted(struct pl_buf *buf, const char *text)
{
	auto_buf json = PL_BUF(JSON_GROWTH_MAX * strlen(text) + 3);
	unsigned high, low;

	pl_text_add_json(&json, text, strlen(text), true);
	for (const char *at = pl_buf_text(&json); *at != '\0';) {
		if (sscanf(at, "\\ud%3x\\ud%3x", &high, &low) == 2 && high < 0xc00) {
			pl_buf_addf(buf, "\\U%08x",
				    0x10000 + ((high - 0x800) << 10) + (low - 0xc00));
			at += 2 * strlen("\\uXXXX");
			continue;
		}
		/* the second byte of an escape starts none */
		size_t len = at[0] == '\\' ? 2 : 1;
		pl_buf_add(buf, at, len);
		at += len;
	}
}

static void add_text(struct pl_buf *buf, const char *text)
{
	if (is_plain(text))
		pl_buf_add_text(buf, text);
	else
		add_quoted(buf, text);
}

static void add_object(struct pl_buf *buf, const json_t *object)
{
	const char *separator = "";

	pl_buf_add_char(buf, '{');
	PL_JSON_EACH_MEMBER(name, value, object) {
		pl_buf_add_text(buf, separator);
		add_quoted(buf, name);
		pl_buf_add_text(buf, ": ");
		if (json_is_string(value))
			add_quoted(buf, json_string_value(value));
		else
			vllm_yaml_add_inline(buf, value);
		separator = ", ";
	}
	pl_buf_add_char(buf, '}');
}

void vllm_yaml_add_inline(struct pl_buf *buf, const json_t *value)
{
	auto_free char *text = NULL;

	if (json_is_string(value)) {
		add_text(buf, json_string_value(value));
		return;
	}
	if (json_is_array(value)) {
		pl_buf_add_char(buf, '[');
		PL_JSON_EACH(item, value) {
			if (item_at > 0)
				pl_buf_add_text(buf, ", ");
			vllm_yaml_add_inline(buf, item);
		}
		pl_buf_add_char(buf, ']');
		return;
	}
	if (json_is_object(value)) {
		add_object(buf, value);
		return;
	}
	text = pl_json_to_text(value, PL_JSON_PYTHON);
	pl_buf_add_text(buf, text);
}

/*
 * Below a certain depth an object is written on one line: otherwise most of the file would be
 * indentation.
 */
static void add_member(struct pl_buf *buf, const char *name, const json_t *value, int indent)
{
	pl_buf_addf(buf, "%*s", indent, "");
	add_text(buf, name);
	pl_buf_add_char(buf, ':');
	if (json_object_size(value) > 0 && indent < INDENT * BLOCK_DEPTH_MAX) {
		pl_buf_add_char(buf, '\n');
		vllm_yaml_add_members(buf, value, indent + INDENT);
		return;
	}
	pl_buf_add_char(buf, ' ');
	vllm_yaml_add_inline(buf, value);
	pl_buf_add_char(buf, '\n');
}

void vllm_yaml_add_members(struct pl_buf *buf, const json_t *object, int indent)
{
	PL_JSON_EACH_MEMBER(name, value, object)
		add_member(buf, name, value, indent);
}

/*
 * Returns "llama-3-8b-tp2" for "meta-llama/Llama-3-8B" on two GPUs; the load's label takes
 * precedence.
 */
static char *derive_name(const struct vllm_command *command)
{
	static const struct {
		const char *arg;
		const char *mark;
	} sizes[] = { { "tensor_parallel_size", "tp" },
		      { "pipeline_parallel_size", "pp" },
		      { "data_parallel_size", "dp" } };
	const json_t *values = command->values;
	const char *label = pl_json_get_text(command->load, "label");
	const char *model = pl_json_get_text(values, "model");
	auto_buf name = PL_BUF(2 * NAME_BYTES_MAX);

	if (label != NULL)
		return pl_strdup(label);
	if (model == NULL)
		model = pl_json_get_text(command->load, "model");
	const char *nothing = command->form == VLLM_COMMAND_NONE ? "load" : "server";
	auto_free char *base = pl_strdup(model != NULL ? model : nothing);

	for (size_t len = strlen(base); len > 0 && base[len - 1] == '/'; len--)
		base[len - 1] = '\0';
	const char *at = strrchr(base, '/') != NULL ? strrchr(base, '/') + 1 : base;
	for (; *at != '\0' && name.len < NAME_BYTES_MAX; at++) {
		bool retained = isalnum((unsigned char)*at) || *at == '.';
		char c = retained ? (char)tolower((unsigned char)*at) : '-';
		if (c != '-' || (name.len > 0 && name.data[name.len - 1] != '-'))
			pl_buf_add_char(&name, c);
	}
	if (name.len == 0)
		pl_buf_add_text(&name, nothing);
	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		json_int_t size = pl_json_get_i64(values, sizes[i].arg);
		if (size > 1)
			pl_buf_addf(&name, "-%s%lld", sizes[i].mark, (long long)size);
	}
	return pl_buf_take(&name);
}

/* A comment is one line, whatever its content. */
static void add_comment_text(struct pl_buf *buf, const char *text)
{
	for (; *text != '\0'; text++)
		pl_buf_add_char(buf, (unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text);
}

static void add_container_note(struct pl_buf *buf, const struct vllm_command *command)
{
	auto_json json_t *args = vllm_secret_words_shown(command->runtime_args);

	if (command->image == NULL)
		return;
	/* of a file, or of a command */
	if (strcmp(command->runtime, "kubernetes") == 0 ||
	    strcmp(command->runtime, "compose") == 0 ||
	    strcmp(command->runtime, "dockerfile") == 0) {
		pl_buf_add_text(buf, "  # the file starts it in a container of the image ");
		add_comment_text(buf, command->image);
		pl_buf_add_char(buf, '\n');
		return;
	}
	pl_buf_add_text(buf, "  # the command started it in a container: ");
	add_comment_text(buf, command->runtime);
	pl_buf_add_text(buf, " run");
	PL_JSON_EACH(word, args) {
		pl_buf_add_char(buf, ' ');
		add_comment_text(buf, json_string_value(word));
	}
	pl_buf_add_char(buf, ' ');
	add_comment_text(buf, command->image);
	pl_buf_add_char(buf, '\n');
}

/*
 * Adds the environment as far as possible: ${…} in a value would be expanded when the file is read.
 */
static void add_env(struct pl_buf *buf, const struct vllm_command *command, bool secrets)
{
	auto_json json_t *env = json_object();

	PL_JSON_EACH_MEMBER(name, value, command->env) {
		auto_free char *shown = NULL;
		const char *text = json_string_value(value);
		/* "$HF_TOKEN" names a secret and is not one */
		if (text != NULL && text[0] != '$' && !secrets) {
			shown = option_secret_is_name(name) ? pl_strdup(OPTION_SECRET_SHOWN)
							    : option_secret_urls_shown(text);
			text = shown;
		}
		if (text != NULL && strstr(text, "${") == NULL) {
			json_object_set_new(env, name, json_string(text));
			continue;
		}
		pl_buf_add_text(buf, "  # environment: ");
		add_comment_text(buf, name);
		pl_buf_add_text(buf, text == NULL ? " from the environment of the caller" : " = ");
		add_comment_text(buf, text != NULL ? text : "");
		pl_buf_add_char(buf, '\n');
	}
	if (json_object_size(env) > 0)
		add_member(buf, "env", env, INDENT);
}

static void add_launch(struct pl_buf *buf, const struct vllm_command *command, bool secrets)
{
	auto_json json_t *words = secrets ? json_incref(command->launch)
					  : vllm_secret_words_shown(command->launch);

	bool has_server = command->form != VLLM_COMMAND_NONE;

	if (!has_server && command->target == NULL && json_object_size(command->env) == 0)
		return;
	pl_buf_add_text(buf, "launch:\n");
	add_container_note(buf, command);
	if (has_server)
		add_member(buf, "command", words, INDENT);
	if (command->target != NULL) {
		auto_json json_t *version = json_string(command->target);
		add_member(buf, "vllm_version", version, INDENT);
	}
	add_env(buf, command, secrets);
}

static bool has_text(const json_t *value)
{
	return json_is_string(value) || json_is_string(json_array_get(value, 0));
}

/* Returns a value without its secrets; for a secret argument nothing remains. */
static json_t *value_shown(const struct vllm_catalog *catalog, const char *name,
			   const json_t *value)
{
	const struct option_row *arg = vllm_arg_find(catalog, name);

	if (arg == NULL || !arg->secret || !has_text(value))
		return vllm_secret_json_shown(value);
	return json_is_array(value) ? json_pack("[s]", OPTION_SECRET_SHOWN)
				    : json_string(OPTION_SECRET_SHOWN);
}

/* JSON arguments as they were written, all others typed. */
static void add_server(struct pl_buf *buf, const struct vllm_command *command, bool secrets)
{
	if (command->form == VLLM_COMMAND_NONE)
		return;
	pl_buf_add_text(buf, json_object_size(command->values) > 0 ? "server:\n" : "server: {}\n");
	PL_JSON_EACH_MEMBER(name, value, command->values) {
		const json_t *given = json_object_get(command->given, name);
		bool as_given = given != NULL && json_is_object(value);
		const json_t *written = as_given ? given : value;
		auto_json json_t *shown = secrets ? NULL
						  : value_shown(command->catalog, name, written);
		add_member(buf, name, secrets ? written : shown, INDENT);
	}
}

/*
 * Returns whether it is only a variable's name, with or without a scheme: "Bearer ${TOKEN}". A
 * shell expands it. Such a value is not a secret: it names one.
 */
static bool is_variable(const char *value)
{
	const char *blank = strrchr(value, ' ');
	const char *at = blank != NULL ? blank + 1 : value;
	bool braced = pl_text_starts(at, "${");
	size_t prefix = braced ? 2 : 1;

	if (*at != '$' || isdigit((unsigned char)at[prefix]))
		return false;
	size_t len = 0;
	while (isalnum((unsigned char)at[prefix + len]) || at[prefix + len] == '_')
		len++;
	return len > 0 && strcmp(at + prefix + len, braced ? "}" : "") == 0;
}

/* ["KEY=***"] */
static json_t *headers_shown(const json_t *headers)
{
	json_t *shown = json_array();

	PL_JSON_EACH(item, headers) {
		const char *text = json_string_value(item);
		const char *value = strchr(text, '=');
		bool is_named = value == NULL || is_variable(value + 1);
		json_array_append_new(shown, is_named ? json_string(text)
						      : json_sprintf("%.*s=" OPTION_SECRET_SHOWN,
								     (int)(value - text), text));
	}
	return shown;
}

static void add_load(struct pl_buf *buf, const struct vllm_command *command, bool secrets)
{
	if (command->load == NULL)
		return;
	pl_buf_add_text(buf,
			json_object_size(command->load) > 0 ? "benchmark:\n" : "benchmark: {}\n");
	/* Adds the variables of the load as comments, if there is also a server. */
	PL_JSON_EACH_MEMBER(name, value, command->load_env) {
		const char *text = json_string_value(value);
		bool hidden = !secrets && option_secret_is_name(name) && text[0] != '$';
		auto_free char *shown = option_secret_urls_shown(text);
		pl_buf_add_text(buf, "  # environment of the load: ");
		add_comment_text(buf, name);
		pl_buf_add_text(buf, " = ");
		add_comment_text(buf, hidden ? OPTION_SECRET_SHOWN : secrets ? text : shown);
		pl_buf_add_char(buf, '\n');
	}
	PL_JSON_EACH_MEMBER(name, value, command->load) {
		bool is_header = vllm_bench_row(vllm_bench_find(name))->secret;
		auto_json json_t *shown = is_header ? headers_shown(value)
						    : vllm_secret_json_shown(value);
		add_member(buf, name, secrets ? value : shown, INDENT);
	}
}

int vllm_yaml_from_command(const struct vllm_command *command, bool secrets, struct pl_buf *buf,
			   struct pl_err *err)
{
	auto_free char *name = derive_name(command);

	pl_buf_add_text(buf,
			command->load == NULL
				? "# Made from a command line; the benchmark has its defaults.\n"
			: command->form == VLLM_COMMAND_NONE
				? "# Made from a command line; its server is already running.\n"
				: "# Made from command lines.\n");
	if (command->config != NULL) {
		pl_buf_add_text(buf, "# With the arguments of ");
		add_comment_text(buf, command->config);
		pl_buf_add_text(buf, "\n");
	}
	pl_buf_add_text(buf, "name: ");
	pl_text_add_json(buf, name, strlen(name), true);
	pl_buf_add_char(buf, '\n');
	add_server(buf, command, secrets);
	add_launch(buf, command, secrets);
	add_load(buf, command, secrets);
	return buf->full ? pl_err_invalid(err, "the experiment file is too long") : 0;
}
