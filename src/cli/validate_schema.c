/*
 * Validates files by their form alone. Their contents may still be inconsistent, which `validate` without --schema
 * reports for experiments. An unreadable file is a problem like others and does not end the command.
 */
#include "cli/validate_schema.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "base/zst.h"
#include "cli/cli.h"
#include "cli/validate_report.h"
#include "schema/former.h"
#include "schema/schema.h"

#define REPORT_BYTES_MAX (1u << 30)
/* The maximum number of faults per document; a user would not fix more before trying again. */
#define FAULTS_MAX 1000

struct schema_report {
	const struct schema *schema;
	const char *kind; /* the name of the schema */
	struct cli_tally tally;
	struct pl_buf text;
	json_t *files;
	/* ---- of the current file ---- */
	const char *name;
	size_t checked; /* documents */
	size_t wrong;   /* documents with faults */
	bool cut;
	size_t reported; /* reported faults */
	json_t *problems;
};

/* Adds the line number in a file of JSON lines; 0: none. */
static void add_place(struct schema_report *r, size_t line)
{
	pl_buf_add_text(&r->text, r->name);
	if (line > 0)
		pl_buf_addf(&r->text, ":%zu", line);
	pl_buf_add_text(&r->text, ": ");
}

/* Reports text that is not JSON, or unreadable. */
static void add_reason(struct schema_report *r, size_t line, const char *reason)
{
	r->checked++;
	r->wrong++;
	r->tally.errors++;
	json_array_append_new(r->problems,
			      json_pack("{s:o, s:n, s:n, s:n, s:n, s:n, s:n, s:[], s:o}", "line",
					pl_json_i64((int64_t)line, line > 0), "pointer", "keyword",
					"key", "found", "expected", "nearest", "within", "reason",
					pl_json_text(reason)));
}

static void add_faults_json(struct schema_report *r, size_t line,
			    const struct schema_faults *faults)
{
	auto_json json_t *list = schema_faults_to_json(faults);

	PL_JSON_EACH(fault, list) {
		auto_json json_t *problem = json_pack("{s:o}", "line",
						      pl_json_i64((int64_t)line, line > 0));
		json_object_update(problem, fault);
		json_object_set_new(problem, "reason", json_null());
		json_array_append(r->problems, problem);
	}
}

/* A file checked against the wrong schema has faults in every line, so their number is limited. */
static bool is_reportable(struct schema_report *r)
{
	if (r->reported < FAULTS_MAX)
		return true;
	if (!r->cut) {
		add_place(r, 0);
		pl_buf_addf(&r->text, "more than %d problems\n", FAULTS_MAX);
	}
	r->cut = true;
	return false;
}

/* Accepts former names of earlier versions. Changes the document; returns a new reference. */
static json_t *with_present_names(const struct schema_report *r, json_t *document)
{
	if (strcmp(r->kind, "requests") == 0)
		schema_rename_former_record(document);
	if (strcmp(r->kind, "result") != 0)
		return json_incref(document);
	schema_rename_former_result(document);
	return schema_result_to_check(document);
}

static void check_document(struct schema_report *r, size_t line, json_t *document)
{
	auto_json json_t *checked = with_present_names(r, document);
	auto_schema_faults faults = { 0 };

	r->checked++;
	if (schema_check(r->schema, checked, FAULTS_MAX, &faults))
		return;
	r->wrong++;
	if (!is_reportable(r))
		return;
	r->reported += faults.count;
	r->cut |= faults.cut;
	/* A fault with details is reported by its details. */
	for (size_t i = 0; i < faults.count; i++) {
		if (schema_fault_has_details(&faults, i))
			continue;
		r->tally.errors++;
		add_place(r, line);
		schema_fault_text(&faults.items[i], &r->text);
		pl_buf_add_char(&r->text, '\n');
	}
	if (faults.cut) {
		add_place(r, line);
		pl_buf_addf(&r->text, "more than %d problems\n", FAULTS_MAX);
	}
	add_faults_json(r, line, &faults);
}

static void check_line(struct schema_report *r, size_t line, const char *text, size_t len)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *document = NULL;

	/* without a name, the error starts with ":1:", its own line number */
	if (pl_json_parse_wide(text, len, "", &document, &err) == 0) {
		check_document(r, line, document);
		return;
	}
	if (!is_reportable(r)) {
		r->checked++;
		r->wrong++;
		return;
	}
	r->reported++;
	pl_buf_addf(&r->text, "%s:%zu%s\n", r->name, line, err.text + strlen(":1"));
	add_reason(r, line, err.text + strlen(":1:"));
}

static void check_lines(struct schema_report *r, const char *text, size_t len)
{
	const char *end = text + len;

	for (size_t line = 1; text < end; line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop != NULL ? stop : end;
		if (stop > text)
			check_line(r, line, text, (size_t)(stop - text));
		text = stop + 1;
	}
}

static int read_yaml(const char *text, size_t len, const char *name, json_t **ret,
		     struct pl_err *err)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;

	if (pl_yaml_parse(text, len, name, &doc, err) < 0)
		return -1;
	*ret = pl_yaml_to_json(pl_yaml_root(doc));
	return 0;
}

static int check_file(struct schema_report *r, const char *path, struct pl_err *err)
{
	bool is_packed = pl_text_ends(path, ".zst");
	auto_free char *form = pl_strndup(path, strlen(path) - is_packed * strlen(".zst"));
	auto_free char *text = NULL;
	size_t len;

	if (strcmp(path, CLI_STDIN) == 0) {
		if (cli_stdin_read(PL_JSON_BYTES_MAX, &text, &len, err) < 0)
			return -1;
	} else if ((is_packed ? pl_zst_read_file(path, PL_JSON_BYTES_MAX, &text, &len, err)
			      : pl_file_read(path, PL_JSON_BYTES_MAX, &text, &len, err)) < 0) {
		return -1;
	}
	auto_json json_t *document = NULL;
	bool is_yaml = pl_text_ends(form, ".yaml") || pl_text_ends(form, ".yml");
	if (pl_text_ends(form, ".jsonl")) {
		check_lines(r, text, len);
		return 0;
	}
	if ((is_yaml ? read_yaml(text, len, r->name, &document, err)
		     : pl_json_parse_wide(text, len, r->name, &document, err)) < 0)
		return -1;
	check_document(r, 0, document);
	return 0;
}

static void take(struct schema_report *r, const char *path)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *problems = json_array();

	r->name = strcmp(path, CLI_STDIN) == 0 ? "standard input" : path;
	r->problems = problems;
	r->checked = r->wrong = r->reported = 0;
	r->cut = false;
	if (check_file(r, path, &err) < 0) {
		pl_buf_addf(&r->text, "%s\n", err.text);
		add_reason(r, 0, err.text);
	}
	r->tally.files++;
	json_array_append_new(
		r->files, json_pack("{s:o, s:b, s:I, s:I, s:b, s:O}", "file", pl_json_text(r->name),
				    "ok", r->wrong == 0, "checked", (json_int_t)r->checked, "wrong",
				    (json_int_t)r->wrong, "cut", r->cut, "problems", problems));
}

int cli_schema_validate(const char *name, char **files, int file_count, bool as_json)
{
	auto_schema const struct schema *schema = NULL;
	auto_json json_t *reports = json_array();
	struct pl_err err = PL_ERR_INIT;

	if (schema_open(name, &schema, &err) < 0)
		return cli_fail(&err);
	struct schema_report r = { .schema = schema, .kind = name, .files = reports };
	pl_buf_init(&r.text, REPORT_BYTES_MAX);
	for (int i = 0; i < file_count; i++)
		take(&r, files[i]);
	cli_tally_text(&r.tally, &r.text);
	auto_json json_t *all = json_pack("{s:s, s:O}", "schema", name, "files", reports);
	int printed = as_json ? cli_print_json(all) : cli_print(pl_buf_text(&r.text));
	pl_buf_done(&r.text);
	if (printed != 0)
		return printed;
	return r.tally.errors > 0 ? pl_err_exit_status(PL_ERR_INVALID) : 0;
}
