#include "run/console.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "result/report.h"

#define TAIL_LINES 10
#define DIM        "\033[2m"
#define PLAIN      "\033[0m"

static const char *text_at(const json_t *json, const char *path)
{
	return json_string_value(pl_json_get_path(json, path));
}

static void add_banner(const json_t *result, struct pl_buf *buf)
{
	if (!json_is_true(pl_json_get_path(result, "environment.engine.simulated")))
		return;
	const char *name = text_at(result, "environment.engine.name");
	const char *version = text_at(result, "environment.engine.version");
	bool named = version != NULL && pl_text_starts(version, name);
	pl_buf_addf(buf, "SIMULATED: %s%s%s answered, no model ran and no GPU was used.\n",
		    named ? "" : name, named || version == NULL ? "" : " ",
		    version != NULL ? version : "");
}

static void add_tail(const json_t *result, bool colour, struct pl_buf *buf)
{
	const json_t *tail = pl_json_get_path(result, "error.log_tail");
	size_t count = json_array_size(tail);

	for (size_t i = count > TAIL_LINES ? count - TAIL_LINES : 0; i < count; i++)
		pl_buf_addf(buf, "  %s| %s%s\n", colour ? DIM : "",
			    json_string_value(json_array_get(tail, i)), colour ? PLAIN : "");
}

/* Where the whole log of the server lies: side files stand beside the result. */
static void add_log_path(const json_t *result, const char *path, struct pl_buf *buf)
{
	auto_free char *folder = path != NULL ? pl_file_dir(path) : NULL;
	bool is_here = path == NULL || strchr(path, '/') == NULL;
	size_t i;
	json_t *artifact;

	json_array_foreach(json_object_get(result, "artifacts"), i, artifact)
	{
		if (pl_text_equal(text_at(artifact, "kind"), "server_log"))
			pl_buf_addf(buf, "Server's log: %s%s%s\n", is_here ? "" : folder,
				    is_here ? "" : "/", text_at(artifact, "name"));
	}
}

static void add_error(const json_t *result, const char *path, bool colour, struct pl_buf *buf)
{
	const char *cause = text_at(result, "error.cause");
	const char *line = text_at(result, "error.log_line");
	const char *hint = text_at(result, "error.hint");

	pl_buf_addf(buf, "Status: %s", text_at(result, "status"));
	if (text_at(result, "error.message") == NULL) {
		pl_buf_add_char(buf, '\n');
		return;
	}
	pl_buf_addf(buf, ", %s", text_at(result, "error.message"));
	if (cause != NULL)
		pl_buf_addf(buf, " (%s)", cause);
	pl_buf_add_char(buf, '\n');
	if (line != NULL)
		pl_buf_addf(buf, "Log says: %s\n", line);
	if (hint != NULL)
		pl_buf_addf(buf, "To try: %s.\n", hint);
	/* of a run that measured something the table is what one looks at */
	if (json_is_null(json_object_get(result, "results")))
		add_tail(result, colour, buf);
	add_log_path(result, path, buf);
}

void run_console(const json_t *result, const struct vllm_bench *bench, const char *path,
		 const char *failures, bool colour, struct pl_buf *buf)
{
	const json_t *results = json_object_get(result, "results");

	add_banner(result, buf);
	if (json_is_object(results)) {
		if (failures != NULL)
			pl_buf_add_text(buf, failures);
		else
			res_report_failures(results, buf);
		res_report_table(results, bench, buf);
		res_report_verdict(json_object_get(result, "quality"), colour, buf);
	}
	add_error(result, path, colour, buf);
	if (path != NULL)
		pl_buf_addf(buf, "Result: %s\n", path);
}
