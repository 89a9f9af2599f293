/* `profllm query`: asks a dashboard for results, fields and missing runs. Prints one JSON object. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/dashboard.h"
#include "cli/mcp/answers.h"
#include "io/fetch.h"
#include "result/fields/fields.h"
#include "schema/schema.h"
#include "upload/upload.h"

#define FILTER_BYTES_MAX (256u << 10)
#define ANSWER_BYTES_MAX (64u << 20)
#define ANSWER_NS        (60 * 1000000000LL)
#define LIMIT_DEFAULT    20
#define LIMIT_MAX        200
#define NO_ANSWER        "unexpected response; check that the URL is a ProfLLM dashboard"

struct query_options {
	struct cli_dashboard dashboard;
	const char *filter;
	const char *search;
	struct pl_opt_list columns;
	struct pl_opt_list sort;
	struct pl_opt_list axes;
	int64_t limit;
	bool simulated;
	bool json;
};

#define AT(field) offsetof(struct query_options, field)

static const struct pl_opt query_rows[] = {
	PL_OPT(TEXT, 0, "dashboard", dashboard.url, "URL", "ask the dashboard at URL"),
	PL_OPT(TEXT, 0, "token-file", dashboard.token_file, "FILE",
	       "send the token in FILE to the dashboard"),
	PL_OPT(TEXT, 0, "ca-file", dashboard.ca_file, "FILE",
	       "trust the certificates in FILE (PEM) instead of the system's"),
	PL_OPT(TEXT, 0, "filter", filter, "JSON",
	       "only results that match this filter (docs/reference/filters.md), such as "
	       "'{\"field\": \"server.model\", \"op\": \"eq\", \"value\": \"m\"}'"),
	PL_OPT(LIST, 0, "columns", columns, "LIST",
	       "with experiments: show these fields, such as "
	       "server.max_num_seqs,results.p99_ttft_ms; may be repeated"),
	PL_OPT(LIST, 0, "sort", sort, "LIST",
	       "with experiments: sort by these fields, '-' before one for descending order "
	       "(default: "
	       "newest first)"),
	PL_OPT(LIST, 0, "axes", axes, "LIST",
	       "with missing: the fields of the grid (default: the inputs that vary)"),
	PL_OPT(TEXT, 0, "search", search, "TEXT",
	       "with fields: only fields whose id, label or help contains TEXT"),
	PL_OPT(INT, 0, "limit", limit, "N", "list at most N items, up to 200", .def = "20"),
	PL_OPT(FLAG, 0, "simulated", simulated, NULL,
	       "with missing: include simulated results even if there are others"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object (the only format)"),
	{ .name = NULL },
};

static const char *const query_words[] = { "experiments", "fields", "missing", NULL };

const struct pl_opt_command cli_query_command = {
	.name = "profllm query",
	.usage = "experiments|fields|missing --dashboard URL [options]",
	.summary = "Ask a dashboard for results, fields or missing runs.",
	.details =
		"experiments lists single runs: their verdict, the requested fields, and the "
		"metrics "
		"among them with their intervals. fields lists the fields that filters and "
		"columns accept. missing lists combinations without a result, and the repeats that "
		"decide most, with experiment files for 'profllm sweep run' "
		"(docs/reference/missing.md).\n\n"
		"Examples:\n"
		"  profllm query fields --dashboard http://127.0.0.1:8421 --search ttft\n"
		"  profllm query experiments --dashboard http://127.0.0.1:8421 --columns "
		"server.max_num_seqs,results.output_throughput --sort -results.output_throughput\n"
		"  profllm query missing --dashboard http://127.0.0.1:8421 --limit 5\n\n"
		"Exit status: 0 answered, 1 the dashboard is unreachable or refused the "
		"request, 2 invalid usage.",
	.options = query_rows,
	.words = query_words,
};

/* ---- the exchange ---------------------------------------------------------------------------- */

/* body NULL: GET. Takes no reference. */
static int ask(const struct query_options *options, const char *route, const json_t *body,
	       json_t **ret, struct pl_err *err)
{
	struct cli_dashboard dashboard = options->dashboard;
	struct run_target target = { 0 };
	auto_free char *text = body != NULL ? pl_json_to_text(body, PL_JSON_COMPACT) : NULL;
	auto_free char *path = NULL;
	auto_reply reply = { 0 };
	int result = cli_dashboard_open(&dashboard, &target, err);

	if (result == 0) {
		path = pl_asprintf("%s%s", target.prefix, route);
		const struct io_fetch fetch = { .addr = &target.addr,
						.host = target.host,
						.path = path,
						.headers = target.headers,
						.body = text,
						.body_len = text != NULL ? strlen(text) : 0,
						.reply_bytes_max = ANSWER_BYTES_MAX,
						.timeout_ns = ANSWER_NS };
		result = io_fetch(&fetch, &reply, err);
		if (result < 0)
			pl_err_wrap(err, "%s", dashboard.url);
	}
	run_target_done(&target);
	if (result < 0)
		return -1;
	if (reply.status != 200) {
		auto_free char *words = upload_words_of(&reply);
		return pl_err_set(err, PL_ERR_NETWORK, "%s: %s", dashboard.url, words);
	}
	if (pl_json_parse(reply.body, reply.body_len, "answer", ret, PL_ERR_IGNORED) < 0 ||
	    !json_is_object(*ret))
		return pl_err_set(err, PL_ERR_NETWORK, "%s: " NO_ANSWER, dashboard.url);
	return 0;
}

/* Adds the filter, which is checked by the dashboard. */
static int add_filter(const struct query_options *options, json_t *request, struct pl_err *err)
{
	json_t *filter = NULL;

	if (options->filter == NULL)
		return 0;
	if (strlen(options->filter) > FILTER_BYTES_MAX)
		return pl_err_invalid(err, "--filter: found %zu bytes, expected at most %u",
				      strlen(options->filter), FILTER_BYTES_MAX);
	if (pl_json_parse(options->filter, strlen(options->filter), "--filter", &filter, err) < 0)
		return -1;
	json_object_set_new(request, "filter", filter);
	return 0;
}

/* Returns the parts of lists separated by commas. New reference. */
static json_t *parts_of(const struct pl_opt_list *list)
{
	json_t *parts = json_array();

	for (size_t i = 0; i < list->count; i++) {
		auto_free char *copy = pl_strdup(list->items[i]);
		for (char *rest = copy, *part; (part = strsep(&rest, ",")) != NULL;)
			json_array_append_new(parts, pl_json_text(pl_text_trim(part)));
	}
	return parts;
}

/* ---- experiments ----------------------------------------------------------------------------- */

static const char *const default_columns[] = { "run.name",
					       "run.status",
					       "server.model",
					       "results.output_throughput",
					       "results.median_ttft_ms",
					       "results.p99_ttft_ms",
					       "results.median_tpot_ms" };

static json_t *sort_of(const struct query_options *options)
{
	auto_json json_t *ids = parts_of(&options->sort);
	json_t *sort = json_array();

	PL_JSON_EACH(id, ids) {
		const char *text = json_string_value(id);
		bool is_descending = text[0] == '-';
		json_array_append_new(sort, json_pack("{s:o, s:s}", "field",
						      pl_json_text(text + is_descending), "dir",
						      is_descending ? "desc" : "asc"));
	}
	return sort;
}

static bool is_metric(const struct res_fields *fields, const char *id, struct res_field *ret)
{
	return res_fields_resolve(fields, id, ret, NULL) == 0 && pl_text_starts(id, "results.") &&
	       ret->direction != RES_FIELD_NEITHER;
}

/* The columns, and the bounds of the intervals of the metrics among them. */
static json_t *all_columns(const struct res_fields *fields, const json_t *columns)
{
	json_t *all = json_copy((json_t *)columns);

	PL_JSON_EACH(column, columns) {
		const char *id = json_string_value(column);
		struct res_field field;
		for (int bound = 0; bound < 2 && is_metric(fields, id, &field); bound++) {
			auto_free char *name = pl_asprintf("%s_ci95.%d", id, bound);
			struct res_field ignored;
			if (res_fields_resolve(fields, name, &ignored, NULL) == 0)
				json_array_append_new(all, json_string(name));
		}
	}
	return all;
}

static json_t *bound_of(const json_t *cells, const char *id, int bound)
{
	auto_free char *name = pl_asprintf("%s_ci95.%d", id, bound);

	return pl_json_or_null(json_incref(json_object_get(cells, name)));
}

static json_t *row_json(const struct res_fields *fields, const json_t *columns, const json_t *row)
{
	const json_t *cells = json_object_get(row, "cells");
	json_t *values = json_object(), *metrics = json_array();

	PL_JSON_EACH(column, columns) {
		const char *id = json_string_value(column);
		json_t *value = json_object_get(cells, id);
		struct res_field field;
		if (value == NULL)
			continue;
		if (!is_metric(fields, id, &field)) {
			json_object_set(values, id, value);
			continue;
		}
		json_array_append_new(
			metrics, json_pack("{s:s, s:s, s:s, s:s, s:i, s:O, s:o, s:o}", "field", id,
					   "label", field.label, "unit", field.unit, "direction",
					   field.direction == RES_FIELD_HIGHER ? "higher" : "lower",
					   "n", 1, "value", value, "low", bound_of(cells, id, 0),
					   "high", bound_of(cells, id, 1)));
	}
	return json_pack("{s:O?, s:O?, s:O?, s:O?, s:i, s:o, s:o}", "id",
			 json_object_get(row, "id"), "run_id", json_object_get(row, "run_id"),
			 "verdict", json_object_get(row, "verdict"), "simulated",
			 json_object_get(row, "simulated"), "n", 1, "values", values, "metrics",
			 metrics);
}

static int query_experiments(const struct query_options *options, json_t **ret, struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *columns = parts_of(&options->columns);
	auto_json json_t *request = json_object();
	auto_json json_t *answer = NULL;
	json_t *rows;

	for (size_t i = 0; i < PL_ARRAY_SIZE(default_columns) && options->columns.count == 0; i++)
		json_array_append_new(columns, json_string(default_columns[i]));
	json_object_set_new(request, "columns", all_columns(fields, columns));
	json_object_set_new(request, "limit", json_integer(options->limit));
	json_object_set_new(request, "sort", sort_of(options));
	if (add_filter(options, request, err) < 0 ||
	    ask(options, "/api/filters/apply", request, &answer, err) < 0)
		return -1;
	if (!json_is_array(json_object_get(answer, "rows")))
		return pl_err_set(err, PL_ERR_NETWORK, NO_ANSWER);
	rows = json_array();
	PL_JSON_EACH(row, json_object_get(answer, "rows"))
		json_array_append_new(rows, row_json(fields, columns, row));
	*ret = json_pack("{s:O?, s:O?, s:o, s:s}", "count", json_object_get(answer, "count"),
			 "total", json_object_get(answer, "total"), "experiments", rows, "proof",
			 "not proven: each row is one run, and the order of rows is not a ranking. "
			 "Compare at least 3 runs of each configuration.");
	return 0;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool contains(const json_t *field, const char *key, const char *search)
{
	const char *text = pl_json_get_text(field, key);

	return text != NULL && strcasestr(text, search) != NULL;
}

static int query_fields(const struct query_options *options, json_t **ret, struct pl_err *err)
{
	static const char *const members[] = { "id",   "label",     "help", "unit",
					       "type", "direction", "role" };
	auto_json json_t *answer = NULL;
	json_t *list;
	size_t count = 0;

	if (ask(options, "/api/fields", NULL, &answer, err) < 0)
		return -1;
	if (!json_is_array(json_object_get(answer, "fields")))
		return pl_err_set(err, PL_ERR_NETWORK, NO_ANSWER);
	list = json_array();
	PL_JSON_EACH(field, json_object_get(answer, "fields")) {
		const char *search = options->search;
		if (search != NULL && !contains(field, "id", search) &&
		    !contains(field, "label", search) && !contains(field, "help", search))
			continue;
		if (count++ >= (size_t)options->limit)
			continue;
		json_t *one = json_object();
		for (size_t i = 0; i < PL_ARRAY_SIZE(members); i++)
			json_object_set(one, members[i], json_object_get(field, members[i]));
		json_array_append_new(list, one);
	}
	*ret = json_pack("{s:I, s:o}", "count", (json_int_t)count, "fields", list);
	return 0;
}

/* ---- missing --------------------------------------------------------------------------------- */

/* Returns {field: value} of a combination. New reference. */
static json_t *values_json(const json_t *axes, const json_t *values)
{
	json_t *object = json_object();

	PL_JSON_EACH(axis, axes) {
		const char *id = pl_json_get_text(axis, "field");
		json_t *value = json_array_get(values, axis_at);
		if (id != NULL && value != NULL)
			json_object_set(object, id, value);
	}
	return object;
}

static json_t *file_of(const json_t *files, const json_t *item)
{
	const json_t *index = json_object_get(item, "file");
	const json_t *file = json_is_integer(index) && json_integer_value(index) >= 0
				     ? json_array_get(files, (size_t)json_integer_value(index))
				     : NULL;

	return pl_json_text(pl_json_get_text(file, "name"));
}

static json_t *repeat_json(const json_t *axes, const json_t *files, const json_t *item)
{
	int64_t more = pl_json_get_i64(item, "more_runs");
	const char *reason = pl_json_get_text(item, "reason");
	json_t *sentence = json_sprintf(
		"not proven: %lld more run%s %s", (long long)more, more == 1 ? "" : "s",
		pl_text_equal(reason, "settle")   ? "to settle whether it is on the frontier"
		: pl_text_equal(reason, "spread") ? "to show its spread"
						  : "to narrow its interval");

	return json_pack("{s:o, s:O?, s:I, s:s?, s:s?, s:O?, s:O?, s:O?, s:o, s:o}", "values",
			 values_json(axes, json_object_get(item, "values")), "n",
			 json_object_get(item, "runs"), "more_runs_count", (json_int_t)more,
			 "reason", reason, "membership", pl_json_get_text(item, "membership"),
			 "metric", json_object_get(item, "metric"), "half_width",
			 json_object_get(item, "half_width"), "seconds",
			 json_object_get(item, "seconds"), "file", file_of(files, item), "sentence",
			 sentence);
}

static json_t *files_json(const json_t *files)
{
	static const char *const members[] = { "name",    "repeats", "combination_count",
					       "seconds", "command", "text",
					       "problem" };
	json_t *list = json_array();

	PL_JSON_EACH(file, files) {
		json_t *one = json_object();
		for (size_t i = 0; i < PL_ARRAY_SIZE(members); i++)
			json_object_set_new(
				one, members[i],
				pl_json_or_null(json_incref(json_object_get(file, members[i]))));
		json_array_append_new(list, one);
	}
	return list;
}

static int query_missing(const struct query_options *options, json_t **ret, struct pl_err *err)
{
	auto_json json_t *request = json_object();
	auto_json json_t *answer = NULL;
	json_t *missing, *repeats;
	size_t left = (size_t)options->limit;

	json_object_set_new(request, "limit", json_integer(options->limit));
	json_object_set_new(request, "simulated", json_boolean(options->simulated));
	if (options->axes.count > 0)
		json_object_set_new(request, "fields", parts_of(&options->axes));
	if (add_filter(options, request, err) < 0 ||
	    ask(options, "/api/analysis/missing", request, &answer, err) < 0)
		return -1;
	const json_t *axes = json_object_get(answer, "fields");
	const json_t *files = json_object_get(answer, "files");
	if (!json_is_array(axes) || !json_is_array(json_object_get(answer, "missing")))
		return pl_err_set(err, PL_ERR_NETWORK, NO_ANSWER);
	missing = json_array();
	repeats = json_array();
	PL_JSON_EACH(item, json_object_get(answer, "missing"))
		json_array_append_new(missing,
				      json_pack("{s:o, s:O?, s:o}", "values",
						values_json(axes, json_object_get(item, "values")),
						"seconds", json_object_get(item, "seconds"), "file",
						file_of(files, item)));
	PL_JSON_EACH(item, json_object_get(answer, "repeats")) {
		if (left-- == 0)
			break;
		json_array_append_new(repeats, repeat_json(axes, files, item));
	}
	*ret = json_pack("{s:O?, s:O?, s:O?, s:O?, s:o, s:o, s:o}", "count",
			 json_object_get(answer, "count"), "grid_count",
			 json_object_get(answer, "grid_count"), "present_count",
			 json_object_get(answer, "present_count"), "missing_count",
			 json_object_get(answer, "missing_count"), "missing", missing, "repeats",
			 repeats, "files", files_json(files));
	return 0;
}

/* ---- the command ------------------------------------------------------------------------------ */

static int check(const struct query_options *options, const struct pl_words *words,
		 struct pl_err *err)
{
	static const char *const known[] = { "experiments", "fields", "missing" };
	const char *what = words->count > 0 ? words->items[0] : NULL;

	if (words->count != 1 || !PL_TEXT_IS_ONE_OF(what, known))
		return pl_err_invalid(err, "found %s%s%s, expected experiments, fields or missing",
				      what != NULL ? "'" : "", what != NULL ? what : "nothing",
				      what != NULL ? "'" : "");
	if (options->dashboard.url == NULL)
		return pl_err_invalid(err, "--dashboard URL is missing");
	if (options->limit < 1 || options->limit > LIMIT_MAX)
		return pl_err_invalid(err, "--limit: found %lld, expected 1 to %d",
				      (long long)options->limit, LIMIT_MAX);
	return cli_dashboard_check(&options->dashboard, err);
}

/* Whatever a dashboard sends, the answer has the form that is published, or is refused. */
static int check_answer(const struct query_options *options, const char *what, const json_t *answer,
			struct pl_err *err)
{
	auto_json json_t *document = cli_answer_schema(what);
	auto_schema const struct schema *schema = NULL;

	if (schema_compile(document, what, "", &schema, err) < 0)
		return -1;
	if (schema_check(schema, answer, 1, NULL))
		return 0;
	return pl_err_set(err, PL_ERR_NETWORK, "%s: " NO_ANSWER, options->dashboard.url);
}

static int query(const struct query_options *options, const char *what)
{
	auto_json json_t *answer = NULL;
	struct pl_err err = PL_ERR_INIT;
	int done = strcmp(what, "experiments") == 0 ? query_experiments(options, &answer, &err)
		   : strcmp(what, "fields") == 0    ? query_fields(options, &answer, &err)
						    : query_missing(options, &answer, &err);

	if (done == 0)
		done = check_answer(options, what, answer, &err);
	return done < 0 ? cli_fail(&err) : cli_print_json(answer);
}

int cmd_query(int argc, char **argv)
{
	struct query_options options = { .limit = LIMIT_DEFAULT,
					 .dashboard.option = "--dashboard" };
	struct pl_words words;
	struct pl_err err = PL_ERR_INIT;
	int status;

	if (pl_command_read(&cli_query_command, argc, argv, &options, &words, &status))
		status = check(&options, &words, &err) < 0 ? cli_fail(&err)
							   : query(&options, words.items[0]);
	pl_opt_list_done(&options.columns);
	pl_opt_list_done(&options.sort);
	pl_opt_list_done(&options.axes);
	return status;
}
