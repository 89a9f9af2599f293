#include "experiment/console.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "bench/report.h"

#define TAIL_LINES 20

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

static void add_error(const json_t *result, struct pl_buf *buf)
{
	const json_t *tail = pl_json_get_path(result, "error.log_tail");
	const char *cause = text_at(result, "error.cause");
	size_t count = json_array_size(tail);

	pl_buf_addf(buf, "Status: %s", text_at(result, "status"));
	if (text_at(result, "error.message") == NULL) {
		pl_buf_add_char(buf, '\n');
		return;
	}
	pl_buf_addf(buf, ", %s", text_at(result, "error.message"));
	if (cause != NULL)
		pl_buf_addf(buf, " (%s)", cause);
	pl_buf_add_char(buf, '\n');
	/* a run that measured something has its log beside the result */
	if (!json_is_null(json_object_get(result, "results")))
		return;
	for (size_t i = count > TAIL_LINES ? count - TAIL_LINES : 0; i < count; i++)
		pl_buf_addf(buf, "  | %s\n", json_string_value(json_array_get(tail, i)));
}

void exp_console(const json_t *result, const struct md_bench *bench, const char *path, bool colour,
		 struct pl_buf *buf)
{
	const json_t *results = json_object_get(result, "results");

	add_banner(result, buf);
	if (json_is_object(results)) {
		bench_report_failures(results, buf);
		bench_report_table(results, bench, buf);
		bench_report_verdict(json_object_get(result, "quality"), colour, buf);
	}
	add_error(result, buf);
	pl_buf_addf(buf, "Result: %s\n", path);
}
