/* `profllm report FILE…`: a report of one result, or of several compared with the first (report/report.h). */
#include "cli/cli.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/unpack.h"
#include "report/report.h"
#include "result/artifacts.h"
#include "result/files.h"
#include "result/read.h"

struct report_options {
	bool html;
	bool markdown;
	bool terminal;
	const char *output;
	bool overwrite;
	bool json;
};

#define AT(field) offsetof(struct report_options, field)

static const struct pl_opt report_rows[] = {
	PL_OPT(FLAG, 0, "html", html, NULL, "write one HTML file without scripts"),
	PL_OPT(FLAG, 0, "markdown", markdown, NULL, "write Markdown with GitHub's tables"),
	PL_OPT(FLAG, 0, "terminal", terminal, NULL,
	       "write text of 80 columns (default, unless the name of --output ends in .html, .htm "
	       "or .md)"),
	PL_OPT(TEXT, 'o', "output", output, "FILE", "write to FILE (default: standard output)"),
	PL_OPT(FLAG, 0, "overwrite", overwrite, NULL, "replace an existing file"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON object with the format, the size and the path, or the report "
	       "itself without --output"),
	{ .name = NULL },
};

const struct pl_opt_command cli_report_command = {
	.name = "profllm report",
	.usage = "FILE… [--html|--markdown|--terminal] [-o FILE] [--json]",
	.summary = "Write a report of one result, or of several compared with the first.",
	.details =
		"Each FILE is a result of profllm or of vllm bench serve, or a directory with "
		"repeated "
		"runs (.json). One result gives its verdict, configuration, metrics with their "
		"definitions, charts, checks, provenance and the command that repeats it. Two to "
		"eight give a comparison, with the first as baseline. A single directory with "
		"several "
		"results compares them with each other.\n\n"
		"The HTML file needs no script, no network and no other file. It shows the "
		"requests "
		"and the telemetry of a result if their artifacts are in the directory of the "
		"result.\n\n"
		"Examples:\n"
		"  profllm report r.json\n"
		"  profllm report r.json -o report.html\n"
		"  profllm report before.json after.json -o change.html\n"
		"  profllm report before/ after/ --markdown\n\n"
		"Exit status: 0 written, 2 invalid usage, or a file cannot be read.",
	.options = report_rows,
	.operand = "FILE",
};

/* ---- artifacts ----------------------------------------------------------------------------- */

static const struct report_limits limits = {
	.records_bytes = (size_t)1 << 30,
	.series_text_bytes = (size_t)1 << 30,
	.series_bytes = (size_t)512 << 20,
};

static int open_artifact(void *data, struct pl_unpack **ret, struct pl_err *err)
{
	const struct res_artifact *artifact = data;
	int64_t bytes = 0;

	switch (res_artifact_check(artifact, &bytes, err)) {
	case RES_ARTIFACT_MISSING:
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "not found in the directory of the result");
	case RES_ARTIFACT_CHANGED:
		return pl_err_invalid(err, "not used, because it differs from the artifact of the "
					   "result");
	case RES_ARTIFACT_UNREADABLE:
		return -1;
	case RES_ARTIFACT_INTACT:
		break;
	}
	int fd = open(artifact->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pl_err_set(err, PL_ERR_IO, "could not open it");
	return pl_unpack_new(fd, artifact->name, ret, err);
}

static void read_artifacts(json_t *document, const char *path, struct report_data *data)
{
	auto_res_artifacts artifacts = { 0 };

	res_artifacts_add(document, path, &artifacts);
	for (size_t i = 0; i < artifacts.count; i++) {
		struct res_artifact *artifact = &artifacts.items[i];
		const struct report_artifact one = { artifact->kind, artifact->name, open_artifact,
						     artifact };
		report_data_read(data, &one, &limits, NULL);
	}
}

/* The lists of requests in a file of vllm bench serve. */
static void read_lists(const char *path, struct report_data *data)
{
	auto_flat struct res_flat *flat = NULL;

	if (res_flat_read(path, &flat, PL_ERR_IGNORED) == 0)
		report_data_add_lists(data, flat, &limits);
}

/* ---- results ------------------------------------------------------------------------------- */

static int report_one(const struct res_fields *fields, const char *path, json_t **ret,
		      struct pl_err *err)
{
	auto_json json_t *document = NULL;
	auto_report_data data;

	report_data_init(&data);
	if (res_read_file(fields, path, &document, err) < 0)
		return -1;
	read_artifacts(document, path, &data);
	if (data.records == NULL && pl_json_get_text(document, "run_id") == NULL)
		read_lists(path, &data);
	*ret = report_of_result(fields,
				&(struct report_input){
					.path = path,
					.is_vllm = pl_json_get_text(document, "run_id") == NULL,
					.document = document,
					.data = &data,
				});
	return 0;
}

struct sides {
	struct res_compare_documents items[RES_COMPARE_SIDES_MAX];
	size_t count;
};

static void sides_done(struct sides *sides)
{
	for (size_t i = 0; i < sides->count; i++)
		res_compare_documents_done(&sides->items[i]);
}
#define auto_sides __attribute__((cleanup(sides_done), unused)) struct sides

static int report_several(const struct res_fields *fields, char **paths, size_t count, json_t **ret,
			  struct pl_err *err)
{
	auto_sides sides = { .count = 0 };

	if (count > RES_COMPARE_SIDES_MAX)
		return pl_err_invalid(err, "found %zu results, expected 1 to %d", count,
				      RES_COMPARE_SIDES_MAX);
	for (size_t i = 0; i < count; i++) {
		sides.count++;
		if (res_compare_documents_read(fields, paths[i], &sides.items[i], err) < 0)
			return -1;
	}
	*ret = report_of_comparison(fields, sides.items, sides.count);
	return 0;
}

/* One word is a file, or a directory whose results are compared. */
static int report_word(const struct res_fields *fields, const char *path, json_t **ret,
		       struct pl_err *err)
{
	auto_res_files files = { 0 };
	auto_free char **paths = NULL;
	size_t count = 0;

	if (res_files_add(&files, path, err) < 0)
		return -1;
	paths = pl_alloc_array(files.count + 1, sizeof(*paths));
	for (size_t i = 0; i < files.count; i++) {
		const struct res_file *file = &files.items[i];
		if (pl_text_equal(file->path, path) ||
		    (file->side == NULL && pl_text_ends(file->path, ".json") &&
		     !res_may_be_sweep(file->path)))
			paths[count++] = file->path;
	}
	if (count == 0)
		return pl_err_invalid(err, "'%s': found no result (.json) in this directory", path);
	return count == 1 ? report_one(fields, paths[0], ret, err)
			  : report_several(fields, paths, count, ret, err);
}

/* ---- the form ------------------------------------------------------------------------------ */

typedef void write_fn(const json_t *report, struct pl_buf *buf);

static void write_text(const json_t *report, struct pl_buf *buf)
{
	report_terminal(report, false, buf);
}

static void write_colored(const json_t *report, struct pl_buf *buf)
{
	report_terminal(report, true, buf);
}

static bool has_color(void)
{
	const char *none = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && (none == NULL || *none == '\0');
}

static write_fn *form_of(const struct report_options *options)
{
	const char *name = options->output;

	if (options->html)
		return report_html;
	if (options->markdown)
		return report_markdown;
	if (!options->terminal && name != NULL) {
		if (pl_text_ends(name, ".html") || pl_text_ends(name, ".htm"))
			return report_html;
		if (pl_text_ends(name, ".md"))
			return report_markdown;
	}
	return name == NULL && !options->json && has_color() ? write_colored : write_text;
}

static const char *form_name(write_fn *form)
{
	return form == report_html ? "html" : form == report_markdown ? "markdown" : "terminal";
}

/* --overwrite would replace the result by its report. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int report(const struct report_options *options, const struct pl_words *words)
{
	const struct cli_file file = { .path = options->output,
				       .option = "--output",
				       .overwrite = options->overwrite };
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *report = NULL;
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	int status = file.path != NULL ? cli_check_file(&file) : 0;

	if (status != 0)
		return status;
	for (int i = 0; file.path != NULL && i < words->count; i++) {
		if (is_same_file(words->items[i], file.path))
			return cli_refuse(
				"--output: found '%s', one of the results, expected another file",
				file.path);
	}
	if ((words->count == 1 ? report_word(fields, words->items[0], &report, &err)
			       : report_several(fields, words->items, (size_t)words->count, &report,
						&err)) < 0)
		return cli_fail(&err);
	write_fn *form = form_of(options);
	form(report, &text);
	if (text.full)
		return cli_refuse("the report is larger than %u MiB", REPORT_BYTES_MAX >> 20);
	if (!options->json)
		return cli_write_or_print(&file, &text);
	return cli_write_json(&file, &text, json_pack("{s:s}", "format", form_name(form)));
}

/* A form that the name of the file promises, and no option gives, must be one of ours. */
static int check_form(const struct report_options *options)
{
	static const char *const known[] = { ".html", ".htm", ".md", ".txt" };
	const char *name = options->output;

	if (name == NULL || options->html || options->markdown || options->terminal)
		return 0;
	const char *base = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
	const char *dot = strrchr(base, '.');
	if (dot == NULL || dot == base || PL_TEXT_IS_ONE_OF(dot, known))
		return 0;
	return cli_refuse("--output: found '%s', expected a name that ends in .html, .htm, .md or "
			  ".txt, or one of --html, --markdown and --terminal",
			  name);
}

int cmd_report(int argc, char **argv)
{
	struct report_options options = { 0 };
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_report_command, argc, argv, &options, &words, &status))
		return status;
	if (options.html + options.markdown + options.terminal > 1)
		return cli_refuse("--html, --markdown and --terminal exclude each other");
	status = check_form(&options);
	if (status != 0)
		return status;
	if (words.count == 0)
		return cli_refuse("expected a result, or several");
	return report(&options, &words);
}
