/*
 * The server's arguments for a terminal: one line each, followed by its help. Details take many lines, and are shown if
 * few arguments were requested.
 */
#include "cli/cmd_params_priv.h"

#include <math.h>
#include <string.h>

#include "vllm/arg_json.h"

#define FLAG_COLUMNS    46
#define TYPE_COLUMNS    14
#define INDENT          2
#define HELP_INDENT     6
#define VALUE_BYTES_MAX 65536
#define BOLD            "\033[1m"
#define FAINT           "\033[2m"
#define PLAIN           "\033[0m"

/* Prints an empty text as "", because it would be invisible. */
void cli_params_value(const json_t *value, struct pl_buf *text)
{
	if (json_is_string(value) && json_string_length(value) > 0)
		pl_buf_add_text(text, json_string_value(value));
	else
		pl_json_write(value, PL_JSON_PYTHON, text);
}

void cli_params_list(const json_t *list, struct pl_buf *text)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		pl_buf_add_text(text, i > 0 ? ", " : "");
		cli_params_value(json_array_get(list, i), text);
	}
}

static void add_bound(const char *words, double value, struct pl_buf *text)
{
	if (isfinite(value))
		pl_buf_addf(text, "%s%s %.12g", text->len > 0 ? ", " : "", words, value);
}

void cli_params_bounds(const struct option_row *arg, struct pl_buf *text)
{
	const char *exclusive = arg->exclusive != NULL ? arg->exclusive : "";
	bool both = strcmp(exclusive, "both") == 0;
	auto_buf bounds = PL_BUF(VALUE_BYTES_MAX);

	add_bound(both || strcmp(exclusive, "min") == 0 ? "above" : "at least", arg->min, &bounds);
	add_bound(both || strcmp(exclusive, "max") == 0 ? "below" : "at most", arg->max, &bounds);
	pl_buf_add_text(text, pl_buf_text(&bounds));
}

/* Prints the text in lines of at most `columns`, each after HELP_INDENT blanks; words are not split. */
static void add_wrapped(const char *words, size_t columns, struct pl_buf *text)
{
	size_t at = 0;

	while (*words != '\0') {
		size_t len = strcspn(words, " ");
		if (at > 0 && at + 1 + len > columns) {
			pl_buf_add_char(text, '\n');
			at = 0;
		}
		if (at == 0) {
			pl_buf_addf(text, "%*s", HELP_INDENT, "");
			at = HELP_INDENT;
		} else {
			pl_buf_add_char(text, ' ');
			at++;
		}
		pl_buf_add(text, words, len);
		at += len;
		words += len + strspn(words + len, " ");
	}
	pl_buf_add_char(text, '\n');
}

/* "  --tensor-parallel-size, -tp     int     1" */
static void add_first_line(const struct option_row *arg, const struct cli_params_form *form,
			   struct pl_buf *text)
{
	auto_json json_t *value = vllm_arg_json_value(arg, "default");
	auto_json json_t *aliases = vllm_arg_json_value(arg, "aliases");
	auto_buf flags = PL_BUF(VALUE_BYTES_MAX);
	auto_buf rest = PL_BUF(VALUE_BYTES_MAX);

	if (json_array_size(aliases) > 0) {
		pl_buf_add_text(&flags, ", ");
		cli_params_list(aliases, &flags);
	}
	size_t used = INDENT + strlen(arg->flag) + flags.len;
	pl_buf_addf(text, "%*s%s%s%s%s", INDENT, "", form->color ? BOLD : "", arg->flag,
		    form->color ? PLAIN : "", pl_buf_text(&flags));
	/* long flags have a separate line; the rest stays in its column */
	if (used + INDENT > FLAG_COLUMNS) {
		pl_buf_add_char(text, '\n');
		used = 0;
	}
	pl_buf_addf(text, "%*s%-*s", (int)(FLAG_COLUMNS - used), "", TYPE_COLUMNS,
		    option_type_words(arg));
	cli_params_value(value, &rest);
	pl_buf_addf(text, "%s%s\n", pl_buf_text(&rest), !arg->absent ? "" : "  (removed)");
}

static void add_detail(const char *name, const char *value, const struct cli_params_form *form,
		       struct pl_buf *text)
{
	if (value == NULL || value[0] == '\0')
		return;
	auto_free char *line = pl_asprintf("%s: %s", name, value);
	pl_buf_add_text(text, form->color ? FAINT : "");
	add_wrapped(line, form->columns, text);
	pl_buf_add_text(text, form->color ? PLAIN : "");
}

static void add_list_detail(const char *name, const char *note, const json_t *list,
			    const struct cli_params_form *form, struct pl_buf *text)
{
	auto_buf words = PL_BUF(VALUE_BYTES_MAX);

	cli_params_list(list, &words);
	if (json_array_size(list) > 0)
		pl_buf_add_text(&words, note);
	add_detail(name, pl_buf_text(&words), form, text);
}

static void add_details(const struct option_row *arg, const struct cli_params_form *form,
			struct pl_buf *text)
{
	auto_json json_t *choices = vllm_arg_json_value(arg, "choices");
	auto_json json_t *older = vllm_arg_json_value(arg, "older_choices");
	auto_json json_t *special = vllm_arg_json_value(arg, "special_values");
	auto_buf bounds = PL_BUF(VALUE_BYTES_MAX);
	auto_buf off = PL_BUF(VALUE_BYTES_MAX);

	cli_params_bounds(arg, &bounds);
	add_list_detail("choices", option_row_is_open(arg) ? ", or another" : "", choices, form,
			text);
	add_list_detail("only in other releases", "", older, form, text);
	add_list_detail("also", "", special, form, text);
	add_detail("bounds", pl_buf_text(&bounds), form, text);
	pl_buf_add_text(&off, arg->negative_flag != NULL ? arg->negative_flag : "");
	if (arg->negative_aliases != NULL)
		pl_buf_addf(&off, "%s%s", off.len > 0 ? " " : "", arg->negative_aliases);
	add_detail("switched off by", off.len > 0 ? pl_buf_text(&off) : NULL, form, text);
	auto_json json_t *names = json_array();
	for (const struct option_row *field = option_field_next(arg, NULL); field != NULL;
	     field = option_field_next(arg, field))
		json_array_append_new(names, json_string(field->name));
	add_list_detail("keys", "", names, form, text);
	auto_buf words = PL_BUF(VALUE_BYTES_MAX);
	if (arg->since != NULL)
		pl_buf_addf(&words, "since %s", arg->since);
	if (arg->removed_in != NULL)
		pl_buf_addf(&words, "%sremoved in vLLM %s", words.len > 0 ? "; " : "",
			    arg->removed_in);
	else if (arg->absent)
		pl_buf_addf(&words, "%smissing in vLLM %s", words.len > 0 ? "; " : "",
			    VLLM_REFERENCE_RELEASE);
	else if (arg->deprecated)
		pl_buf_addf(&words, "%sdeprecated", words.len > 0 ? "; " : "");
	if (arg->replaced_by != NULL)
		pl_buf_addf(&words, "%suse %s", words.len > 0 ? "; " : "", arg->replaced_by);
	add_detail("release", pl_buf_text(&words), form, text);
	add_detail("note", arg->note, form, text);
}

void cli_params_table(const struct option_row *const *args, size_t count,
		      const struct cli_params_form *form, struct pl_buf *text)
{
	for (size_t i = 0; i < count; i++) {
		const struct option_row *arg = args[i];
		if (i == 0 || strcmp(args[i - 1]->group, arg->group) != 0)
			pl_buf_addf(text, "%s%s%s%s\n", i > 0 ? "\n" : "", form->color ? BOLD : "",
				    arg->group, form->color ? PLAIN : "");
		add_first_line(arg, form, text);
		add_wrapped(arg->help, form->columns, text);
		if (form->details)
			add_details(arg, form, text);
	}
}
