/* `profllm-dashboard regress`: asks for regressions in the database and exits with 7 if there are some. */
#include "dash/dash.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "dash/analysis/verdict.h"
#include "dash/contract.h"
#include "dash/request.h"
#include "query/series/cache.h"
#include "store/analysis/watch.h"
#include "store/store.h"

#define TEXT_BYTES_MAX   (1u << 20)
#define SERIES_BYTES_MAX ((size_t)1 << 20) /* one question is asked once */

struct regress_options {
	const char *db;
	const char *watch;
	const char *filter;
	struct pl_opt_list metrics;
	const char *fail_on;
	bool json;
};

#define AT(field) offsetof(struct regress_options, field)

static const struct pl_opt regress_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "DB", "use this database: a file or postgres://…",
	       .def = "profllm/profllm.db in XDG_DATA_HOME"),
	PL_OPT(TEXT, 0, "watch", watch, "NAME", "ask the question of this watch"),
	PL_OPT(TEXT, 0, "filter", filter, "JSON",
	       "ask about the results that match this filter, instead of a watch"),
	PL_OPT(LIST, 0, "metrics", metrics, "FIELD",
	       "ask about this metric; may be repeated (default: headline metrics with a "
	       "direction)"),
	PL_OPT(TEXT, 0, "fail-on", fail_on, "STATE",
	       "exit with 7 on a regression, or already on a suspect (default: of the watch, or "
	       "regression)",
	       .choices = (const char *const[]){ "suspect", "regression", NULL }),
	PL_OPT(FLAG, 0, "json", json, NULL, "print the verdict as one JSON object"),
	{ .name = NULL },
};

const struct pl_opt_command dash_regress_command = {
	.name = DASH_PROGRAM " regress",
	.usage = "(--watch NAME | --filter JSON) [options]",
	.summary = "Look for regressions in the stored results.",
	.details =
		"Compares each metric of each configuration with its own history, as the trends of "
		"the web UI do, and lists the series that became worse. A regression on which a "
		"user has decided (acknowledged, expected, fixed, wrong) does not count. A suspect "
		"is a change that too few results show yet.\n\n"
		"Examples:\n"
		"  profllm-dashboard regress --watch nightly\n"
		"  profllm-dashboard regress --filter '{\"field\": \"run.suite\", \"op\": \"eq\", "
		"\"value\": \"nightly\"}'\n\n"
		"profllm-dashboard may use the database meanwhile.\n\n"
		"Exit status: 0 nothing found, 2 invalid usage, or a missing or unusable database, "
		"7 found a regression, or a suspect with --fail-on suspect.",
	.options = regress_rows,
};

/* ---- the question ---------------------------------------------------------------------------- */

static int check_question(const json_t *question, struct pl_err *err)
{
	auto_contract struct dash_contract *contract = NULL;
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (dash_contract_open(&contract, err) < 0)
		return -1;
	const struct schema *schema = dash_operation_schema(
		dash_contract_find(contract, "POST", "/api/analysis/regression"),
		"application/json");
	if (schema_check(schema, question, 1, &faults))
		return 0;
	schema_fault_text(&faults.items[0], &text);
	return pl_err_set(err, PL_ERR_INVALID, "%s", pl_buf_text(&text));
}

static int read_question(const struct regress_options *options, json_t **ret, struct pl_err *err)
{
	auto_json json_t *question = json_object();
	json_t *filter = NULL;

	if (pl_json_parse(options->filter, strlen(options->filter), "--filter", &filter, err) < 0)
		return -1;
	json_object_set_new(question, "filter", filter);
	if (options->metrics.count > 0) {
		json_t *metrics = json_array();
		for (size_t i = 0; i < options->metrics.count; i++)
			json_array_append_new(metrics, pl_json_text(options->metrics.items[i]));
		json_object_set_new(question, "metrics", metrics);
	}
	if (check_question(question, err) < 0)
		return -1;
	*ret = pl_take(question);
	return 0;
}

/* *ret_fail_on is static. */
static int find_question(const struct regress_options *options, struct store *store, json_t **ret,
			 const char **ret_fail_on, struct pl_err *err)
{
	auto_json json_t *watch = NULL;

	*ret_fail_on = options->fail_on != NULL ? options->fail_on : "regression";
	if (options->watch == NULL)
		return read_question(options, ret, err);
	if (store_watch_find(store, options->watch, &watch, err) < 0)
		return -1;
	if (watch == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "watch '%s' does not exist",
				  options->watch);
	if (options->fail_on == NULL &&
	    pl_text_equal(pl_json_get_text(watch, "fail_on"), "suspect"))
		*ret_fail_on = "suspect";
	*ret = json_incref(json_object_get(watch, "question"));
	return 0;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void add_series(const json_t *series, struct pl_buf *text)
{
	auto_free char *label = pl_clean_line(pl_json_get_text(series, "label"));
	const char *since = pl_json_get_text(series, "since");
	double ratio = pl_json_get_f64(series, "ratio");

	pl_buf_addf(text, "%s: %s", pl_json_get_text(series, "state"),
		    pl_json_get_text(series, "metric"));
	if (ratio > 0)
		pl_buf_addf(text, " %+.1f %%", 100 * (ratio - 1));
	if (since != NULL) {
		auto_free char *clean = pl_clean_line(since);
		pl_buf_addf(text, " since %s", clean);
	}
	if (label[0] != '\0')
		pl_buf_addf(text, " (%s)", label);
	pl_buf_add_text(text, "\n");
}

static int print_verdict(const json_t *verdict)
{
	const json_t *counts = json_object_get(verdict, "counts");
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	PL_JSON_EACH(series, json_object_get(verdict, "series"))
		add_series(series, &text);
	pl_buf_addf(&text, "%lld regressions and %lld suspects in %lld series\n",
		    (long long)pl_json_get_i64(counts, "regression"),
		    (long long)pl_json_get_i64(counts, "suspect"),
		    (long long)pl_json_get_i64(counts, "series"));
	return pl_program_print(pl_buf_text(&text));
}

/* ---- the command ----------------------------------------------------------------------------- */

static int ask(const struct regress_options *options, const char *db, json_t **ret,
	       struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_series_cache struct query_series_cache *series = query_series_cache_new(
		SERIES_BYTES_MAX);
	auto_store struct store *store = NULL;
	auto_json json_t *question = NULL;
	auto_json json_t *verdict = NULL;
	const char *fail_on;
	int64_t version;

	if (store_open(&(struct store_options){ .path = db,
						.fields = fields,
						.must_exist = true,
						.with_columns = true },
		       &store, err) < 0)
		return -1;
	const struct dash_context context = { .store = store, .fields = fields, .series = series };
	if (find_question(options, store, &question, &fail_on, err) < 0 ||
	    dash_verdict(&context, question, fail_on, &verdict, &version, err) < 0)
		return -1;
	const char *message = pl_json_get_text(verdict, "message");
	if (message != NULL)
		return pl_err_set(err, PL_ERR_INVALID, "%s", message);
	*ret = pl_take(verdict);
	return 0;
}

static int run(const struct regress_options *options, const struct pl_words *words, json_t **ret,
	       struct pl_err *err)
{
	auto_free char *default_db = NULL;

	if (words->count > 0)
		return pl_err_set(err, PL_ERR_INVALID, "found '%s', expected no arguments",
				  words->items[0]);
	if ((options->watch == NULL) == (options->filter == NULL))
		return pl_err_set(err, PL_ERR_INVALID, "found %s, expected --watch or --filter",
				  options->watch == NULL ? "neither" : "both");
	if (options->watch != NULL && options->metrics.count > 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "--metrics: a watch has its own metrics; use --filter");
	if (options->db == NULL && store_default_path(&default_db, err) < 0)
		return -1;
	return ask(options, options->db != NULL ? options->db : default_db, ret, err);
}

int dash_cmd_regress(int argc, char **argv)
{
	struct regress_options options = { 0 };
	auto_json json_t *verdict = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(&dash_regress_command, argc, argv, &options, &words, &status))
		return status;
	bool failed = run(&options, &words, &verdict, &err) < 0;
	pl_opt_list_done(&options.metrics);
	if (failed)
		return pl_program_fail(&err);
	bool is_found = pl_json_get_true(verdict, "failed");
	status = options.json ? pl_program_print_json(verdict) : print_verdict(verdict);
	return status == 0 && is_found ? pl_err_exit_status(PL_ERR_REGRESSION) : status;
}
