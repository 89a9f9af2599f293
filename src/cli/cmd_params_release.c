/* `profllm params --since V1 --until V2`: prints the changes between two releases. */
#include "cli/cmd_params_priv.h"

#include <string.h>

#include "base/text.h"

#define WORDS_BYTES_MAX 65536

/* A line of the table or a row of the page. */
struct row {
	const char *kind; /* "new", "removed", "changed" */
	const char *name;
	const char *words;
};
typedef void report_fn(const struct row *row, struct pl_buf *text);

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = pl_json_get_text(object, key);

	return text != NULL ? text : "";
}

/* Returns the flag; a key has none. */
static const char *name_of(const json_t *entry)
{
	const char *flag = pl_json_get_text(entry, "flag");

	return flag != NULL ? flag : text_of(entry, "name");
}

static void add_row(report_fn *fn, const char *kind, const json_t *entry,
		    const struct pl_buf *words, struct pl_buf *text)
{
	fn(&(struct row){ kind, name_of(entry), pl_buf_text(words) }, text);
}

static void report_new(const json_t *entry, report_fn *fn, struct pl_buf *text)
{
	const json_t *choices = json_object_get(entry, "choices");
	const char *type = pl_json_get_text(entry, "type");
	const char *group = pl_json_get_text(entry, "group");
	auto_buf words = PL_BUF(WORDS_BYTES_MAX);

	if (type != NULL)
		pl_buf_addf(&words, "%s, ", type);
	pl_buf_add_text(&words, "default ");
	cli_params_value(json_object_get(entry, "default"), &words);
	if (json_is_array(choices)) {
		pl_buf_add_text(&words, ", one of ");
		cli_params_list(choices, &words);
	}
	if (group != NULL)
		pl_buf_addf(&words, "  (%s)", group);
	add_row(fn, "new", entry, &words, text);
}

static void add_replaced(const json_t *entry, struct pl_buf *words)
{
	const json_t *by = json_object_get(entry, "replaced_by");
	bool is_negated = strcmp(text_of(entry, "map"), "negated") == 0;

	if (!json_is_array(by))
		pl_buf_add_text(words, "no replacement");
	else if (json_array_size(by) == 0)
		pl_buf_add_text(words, "no replacement needed");
	PL_JSON_EACH(setting, by) {
		const json_t *value = json_object_get(setting, "value");
		pl_buf_addf(words, "%s%s", setting_at == 0 ? "-> " : ", ", text_of(setting, "key"));
		if (value != NULL) {
			pl_buf_add_text(words, ": ");
			cli_params_value(value, words);
		}
	}
	if (is_negated && json_array_size(by) > 0)
		pl_buf_add_text(words, ", negated");
}

static void report_removed(const json_t *entry, report_fn *fn, struct pl_buf *text)
{
	const char *note = text_of(entry, "note");
	auto_buf words = PL_BUF(WORDS_BYTES_MAX);

	pl_buf_addf(&words, "since %s, ", text_of(entry, "removed_in"));
	add_replaced(entry, &words);
	if (note[0] != '\0')
		pl_buf_addf(&words, "; %s", note);
	add_row(fn, "removed", entry, &words, text);
}

static void report_changed(const json_t *entry, report_fn *fn, struct pl_buf *text)
{
	PL_JSON_EACH(change, json_object_get(entry, "changes")) {
		auto_buf words = PL_BUF(WORDS_BYTES_MAX);
		cli_params_change(text_of(change, "key"), json_object_get(change, "old"),
				  json_object_get(change, "new"), &words);
		add_row(fn, "changed", entry, &words, text);
	}
}

static void report_lists(const json_t *lists, report_fn *fn, struct pl_buf *text)
{
	static const struct {
		const char *list;
		void (*add_row)(const json_t *entry, report_fn *fn, struct pl_buf *text);
	} kinds[] = { { "new", report_new },
		      { "removed", report_removed },
		      { "changed", report_changed } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		PL_JSON_EACH(entry, json_object_get(lists, kinds[i].list))
			kinds[i].add_row(entry, fn, text);
	}
}

static void add_counts(const json_t *lists, const char *noun, struct pl_buf *text)
{
	pl_buf_addf(text, "%s: %zu new, %zu removed, %zu changed\n", noun,
		    json_array_size(json_object_get(lists, "new")),
		    json_array_size(json_object_get(lists, "removed")),
		    json_array_size(json_object_get(lists, "changed")));
}

static void as_line(const struct row *row, struct pl_buf *text)
{
	pl_buf_addf(text, "%-8s %s  %s\n", row->kind, row->name, row->words);
}

static void as_row(const struct row *row, struct pl_buf *text)
{
	pl_buf_addf(text, "| `%s` | %s | ", row->name, row->kind);
	cli_params_cell(row->words, text);
	pl_buf_add_text(text, " |\n");
}

void cli_params_release(const json_t *diff, struct pl_buf *text)
{
	const json_t *keys = json_object_get(diff, "keys");

	report_lists(diff, as_line, text);
	report_lists(keys, as_line, text);
	pl_buf_addf(text, "from vLLM %s to %s\n", text_of(diff, "since"), text_of(diff, "until"));
	add_counts(diff, "arguments", text);
	add_counts(keys, "keys of JSON arguments", text);
}

void cli_params_release_markdown(const json_t *diff, struct pl_buf *text)
{
	static const char head[] = "| name | | what |\n| --- | --- | --- |\n";
	const json_t *keys = json_object_get(diff, "keys");

	pl_buf_addf(text, "# vLLM %s to %s\n\n## Arguments\n\n%s", text_of(diff, "since"),
		    text_of(diff, "until"), head);
	report_lists(diff, as_row, text);
	pl_buf_addf(text, "\n## Keys of JSON arguments\n\n%s", head);
	report_lists(keys, as_row, text);
}
