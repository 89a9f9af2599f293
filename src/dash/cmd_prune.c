/* `profllm-dashboard prune`: removes deleted results permanently, and artifacts and results by rule. */
#include "dash/dash.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/text.h"
#include "store/artifacts/artifact.h"
#include "store/change.h"
#include "store/prune/hold.h"
#include "store/prune/prune.h"

#define TEXT_BYTES_MAX (4u << 20)
#define TAG_BYTES_MAX  1000
#define HASH_SHOWN     16 /* digits of the hash in a plan's id */
/* Artifacts may arrive before their result. */
#define UNCLAIMED_NS (7 * 24 * 3600 * PL_NS_PER_S)

struct prune_options {
	const char *db;
	const char *data;
	int64_t older_than_ns;
	struct pl_opt_list rules;
	struct pl_opt_list hold;
	struct pl_opt_list release;
	const char *plan;
	bool rows;
	bool yes;
	bool holds;
	bool json;
};

#define AT(field) offsetof(struct prune_options, field)

static const struct pl_opt prune_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "DB", "use this database: a file or postgres://…",
	       .def = "profllm/profllm.db in XDG_DATA_HOME"),
	PL_OPT(TEXT, 0, "data", data, "DIR",
	       "find artifacts in DIR (default: next to the database)"),
	PL_OPT(DURATION, 0, "older-than", older_than_ns, "TIME",
	       "remove only results that were deleted more than TIME ago, such as 30d or 12h"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print the counts as one JSON object"),
	PL_OPT(LIST, 0, "rule", rules, "RULE",
	       "select the artifacts that meet RULE, such as age=90d,kind=trace; repeatable",
	       .group = "rules"),
	PL_OPT(FLAG, 0, "rows", rows, NULL,
	       "also select the results themselves, with their documents"),
	PL_OPT(FLAG, 0, "yes", yes, NULL, "remove what the rules select (default: only show it)"),
	PL_OPT(TEXT, 0, "plan", plan, "ID",
	       "with --yes: remove exactly the plan ID, which a call without --yes printed"),
	PL_OPT(LIST, 0, "hold", hold, "TAG=VALUE",
	       "from now on, never remove results with this tag; repeatable", .group = "holds"),
	PL_OPT(LIST, 0, "release", release, "TAG=VALUE", "end this hold; repeatable"),
	PL_OPT(FLAG, 0, "holds", holds, NULL, "list the holds"),
	{ .name = NULL },
};

const struct pl_opt_command dash_prune_command = {
	.name = DASH_PROGRAM " prune",
	.usage = "[--older-than TIME] [options]\n"
		 "--rule RULE [--rule RULE …] [--rows] [--yes [--plan ID]] [options]\n"
		 "[--hold TAG=VALUE] [--release TAG=VALUE] [--holds] [options]",
	.summary = "Remove deleted results for good, and artifacts and results by rule.",
	.details =
		"A result that was deleted in the web UI or through the API is hidden, but can "
		"be restored. Without --rule, this command removes such results with their "
		"documents, tags, notes, changes and artifacts. If the same content is uploaded "
		"later, it counts as new. The command also removes unreferenced artifacts, and "
		"artifacts of runs whose result did not arrive within seven days.\n\n"
		"With --rule, the command selects artifacts of any result. It shows what would be "
		"removed, and removes it only with --yes. Documents and rows stay, unless --rows "
		"is given. A RULE is a list of conditions, all of which must hold:\n\n"
		"  age=TIME        the result was stored more than TIME ago\n"
		"  suite=NAME      the result belongs to this suite\n"
		"  status=NAME     the result has this status, such as failed\n"
		"  kind=NAME       the artifact is of this kind, such as trace\n"
		"  max_bytes=SIZE  remove the oldest artifacts until all files have at most "
		"SIZE\n\n"
		"Several rules add up. A rule with kind or max_bytes selects no results. "
		"Artifacts of a run_id with several results are selected if all of them are.\n\n"
		"--hold protects results with a tag, now and in every later call. It only changes "
		"the holds, unless --rule or --older-than is given, too.\n\n"
		"Examples:\n"
		"  profllm-dashboard prune --older-than 30d\n"
		"  profllm-dashboard prune --rule age=90d,kind=trace --rule max_bytes=200G\n"
		"  profllm-dashboard prune --rule age=365d,status=failed --rows --yes\n"
		"  profllm-dashboard prune --hold case=2026-17\n\n"
		"profllm-dashboard may use the database meanwhile.\n\n"
		"Exit status: 0 done, 2 invalid usage, or a missing or unusable database, 5 "
		"another process keeps writing to the database, or the plan has changed.",
	.options = prune_rows,
};

/* ---- deleted results ------------------------------------------------------------------------ */

static int print_deleted(const struct prune_options *options, const char *db, int64_t results,
			 size_t files)
{
	auto_free char *plain = store_path_shown(db);
	auto_free char *shown = pl_clean_line(plain);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (options->json) {
		auto_json json_t *json = json_pack("{s:o, s:I, s:I}", "db", pl_json_text(plain),
						   "results", (json_int_t)results, "files",
						   (json_int_t)files);
		return pl_program_print_json(json);
	}
	pl_buf_addf(&text, "removed %lld result%s and %zu file%s from %s\n", (long long)results,
		    results == 1 ? "" : "s", files, files == 1 ? "" : "s", shown);
	return pl_program_print(pl_buf_text(&text));
}

static int prune_deleted(const struct prune_options *options, const char *db, struct store *store,
			 int *ret_status, struct pl_err *err)
{
	int64_t now_ns = pl_clock_real_ns(), results = 0;
	size_t files = 0;

	if (store_prune(store, now_ns, options->older_than_ns, &results, err) < 0 ||
	    store_artifacts_sweep(store, now_ns, UNCLAIMED_NS, &files, err) < 0)
		return -1;
	*ret_status = print_deleted(options, db, results, files);
	return 0;
}

/* ---- holds ---------------------------------------------------------------------------------- */

/* Splits at the first '='. *ret_tag: free(); *ret_value points into it. */
static int split_hold(const char *option, const char *text, char **ret_tag, const char **ret_value,
		      struct pl_err *err)
{
	const char *equals = strchr(text, '=');

	if (equals == NULL || equals == text || equals[1] == '\0' || strlen(text) > TAG_BYTES_MAX ||
	    !pl_text_is_utf8(text))
		return pl_err_invalid(
			err, "--%s: found '%.100s', expected TAG=VALUE of at most %d bytes", option,
			text, TAG_BYTES_MAX);
	*ret_tag = pl_strndup(text, (size_t)(equals - text));
	*ret_value = equals + 1;
	return 0;
}

static int hold(struct store *store, const char *text, struct pl_err *err)
{
	auto_free char *tag = NULL;
	const char *value = NULL;

	if (split_hold("hold", text, &tag, &value, err) < 0)
		return -1;
	return store_hold_add(store, tag, value, err);
}

static int release(struct store *store, const char *text, struct pl_err *err)
{
	auto_free char *tag = NULL;
	const char *value = NULL;
	bool existed = false;

	if (split_hold("release", text, &tag, &value, err) < 0 ||
	    store_hold_remove(store, tag, value, &existed, err) < 0)
		return -1;
	return existed ? 0
		       : pl_err_set(err, PL_ERR_NOT_FOUND,
				    "--release: the hold '%.200s' is missing", text);
}

static int change_holds(const struct prune_options *options, struct store *store,
			struct pl_err *err)
{
	for (size_t i = 0; i < options->hold.count; i++) {
		if (hold(store, options->hold.items[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < options->release.count; i++) {
		if (release(store, options->release.items[i], err) < 0)
			return -1;
	}
	return 0;
}

static int print_holds(const struct prune_options *options, struct store *store, int *ret_status,
		       struct pl_err *err)
{
	auto_json json_t *holds = NULL;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (store_hold_list(store, &holds, err) < 0)
		return -1;
	if (options->json) {
		auto_json json_t *json = json_pack("{s:O}", "holds", holds);
		*ret_status = pl_program_print_json(json);
		return 0;
	}
	PL_JSON_EACH(item, holds) {
		auto_free char *line = pl_asprintf("%s=%s, since %s", pl_json_get_text(item, "tag"),
						   pl_json_get_text(item, "value"),
						   pl_json_get_text(item, "created_at"));
		auto_free char *shown = pl_clean_line(line);
		pl_buf_addf(&text, "%s\n", shown);
	}
	*ret_status = pl_program_print(text.len > 0 ? pl_buf_text(&text) : "no holds\n");
	return 0;
}

/* ---- rules ---------------------------------------------------------------------------------- */

struct rules {
	struct store_prune_rule *items;
	size_t count;
};

static void rules_done(struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		store_prune_rule_done(&rules->items[i]);
	free(rules->items);
}

static int read_rules(const struct prune_options *options, struct rules *rules, struct pl_err *err)
{
	if (options->rules.count > STORE_PRUNE_RULES_MAX)
		return pl_err_invalid(err, "--rule: found %zu rules, expected at most %d",
				      options->rules.count, STORE_PRUNE_RULES_MAX);
	rules->items = pl_alloc_array(options->rules.count + 1, sizeof(*rules->items));
	bool has_results = false;
	for (size_t i = 0; i < options->rules.count; i++) {
		if (store_prune_rule_parse(options->rules.items[i], &rules->items[i], err) < 0)
			return -1;
		rules->count++;
		has_results |= !store_prune_rule_is_of_artifacts(&rules->items[i]);
	}
	if (options->rows && !has_results)
		return pl_err_invalid(err, "--rows: found only rules with kind or max_bytes, which "
					   "select no results, expected another rule, too");
	return 0;
}

/* The id of a plan is its time in ms and its hash: "1767225600000-0123456789abcdef". */
static int read_plan_id(const char *id, int64_t *ret_now_ns, struct pl_err *err)
{
	const char *dash = strchr(id, '-');
	auto_free char *time = dash != NULL ? pl_strndup(id, (size_t)(dash - id)) : NULL;
	int64_t ms = 0;

	if (dash == NULL || !pl_text_to_i64(time, &ms) || ms <= 0 ||
	    ms > INT64_MAX / PL_NS_PER_MS || strlen(dash + 1) != HASH_SHOWN)
		return pl_err_invalid(err, "--plan: found '%.100s', expected the id of a plan", id);
	*ret_now_ns = ms * PL_NS_PER_MS;
	return 0;
}

static json_t *count_json(const struct store_prune_count *count)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "results", (json_int_t)count->results, "artifacts",
			 (json_int_t)count->artifacts, "files", (json_int_t)count->files, "bytes",
			 (json_int_t)count->bytes);
}

static void add_count(struct pl_buf *text, const struct store_prune_count *count)
{
	char bytes[PL_BYTES_TEXT_BYTES];

	pl_buf_addf(text, "%lld result%s, %lld artifact%s, %lld file%s of %s (%lld bytes)",
		    (long long)count->results, count->results == 1 ? "" : "s",
		    (long long)count->artifacts, count->artifacts == 1 ? "" : "s",
		    (long long)count->files, count->files == 1 ? "" : "s",
		    pl_text_from_bytes((uint64_t)count->bytes, bytes), (long long)count->bytes);
}

struct outcome {
	const struct rules *rules;
	const struct store_prune_plan *plan;
	char id[64];
	const struct store_prune_count *removed; /* NULL: only shown */
};

static int print_json(const char *db, const struct outcome *outcome)
{
	const struct store_prune_count *held = store_prune_plan_held(outcome->plan);
	json_t *list = json_array();
	auto_json json_t *json = json_pack(
		"{s:o, s:s, s:b, s:o, s:o, s:{s:I, s:I}, s:o}", "db", pl_json_text(db), "plan",
		outcome->id, "applied", (int)(outcome->removed != NULL), "rules", list, "total",
		count_json(store_prune_plan_count(outcome->plan, outcome->rules->count)), "held",
		"results", (json_int_t)held->results, "artifacts", (json_int_t)held->artifacts,
		"removed", outcome->removed != NULL ? count_json(outcome->removed) : json_null());

	for (size_t i = 0; i < outcome->rules->count; i++) {
		json_t *entry = count_json(store_prune_plan_count(outcome->plan, i));
		json_object_set_new(entry, "rule", pl_json_text(outcome->rules->items[i].text));
		json_array_append_new(list, entry);
	}
	return pl_program_print_json(json);
}

static int print_rules(const char *db, const struct outcome *outcome)
{
	const struct store_prune_count *held = store_prune_plan_held(outcome->plan);
	auto_free char *shown = pl_clean_line(db);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	for (size_t i = 0; i < outcome->rules->count; i++) {
		auto_free char *rule = pl_clean_line(outcome->rules->items[i].text);
		pl_buf_addf(&text, "rule %s: ", rule);
		add_count(&text, store_prune_plan_count(outcome->plan, i));
		pl_buf_add_char(&text, '\n');
	}
	if (held->results + held->artifacts > 0)
		pl_buf_addf(&text, "held: %lld results, %lld artifacts\n", (long long)held->results,
			    (long long)held->artifacts);
	pl_buf_add_text(&text, outcome->removed != NULL ? "removed " : "would remove ");
	add_count(&text, outcome->removed != NULL
				 ? outcome->removed
				 : store_prune_plan_count(outcome->plan, outcome->rules->count));
	pl_buf_addf(&text, " from %s\n", shown);
	if (outcome->removed == NULL)
		pl_buf_addf(&text,
			    "plan %s; repeat the command with --yes --plan %s to remove exactly "
			    "this\n",
			    outcome->id, outcome->id);
	return pl_program_print(pl_buf_text(&text));
}

static int apply_rules(const struct prune_options *options, const char *db, struct store *store,
		       int *ret_status, struct pl_err *err)
{
	__attribute__((cleanup(rules_done))) struct rules rules = { 0 };
	auto_prune_plan *plan = NULL;
	auto_free char *shown = store_path_shown(db);
	struct store_prune_count removed;
	struct outcome outcome = { .rules = &rules };
	/* the id of a plan has milliseconds */
	int64_t now_ns = pl_clock_real_ns() / PL_NS_PER_MS * PL_NS_PER_MS;

	if (read_rules(options, &rules, err) < 0 ||
	    (options->plan != NULL && read_plan_id(options->plan, &now_ns, err) < 0))
		return -1;
	const struct store_prune_options wanted = { .rules = rules.items,
						    .rule_count = rules.count,
						    .with_rows = options->rows,
						    .now_ns = now_ns };
	if (store_prune_plan_new(store, &wanted, &plan, err) < 0)
		return -1;
	outcome.plan = plan;
	snprintf(outcome.id, sizeof(outcome.id), "%lld-%.*s", (long long)(now_ns / PL_NS_PER_MS),
		 HASH_SHOWN, store_prune_plan_hash(plan));
	if (options->plan != NULL && strcmp(options->plan, outcome.id) != 0)
		return pl_err_set(
			err, PL_ERR_BUSY,
			"--plan: found %s, expected %s: the selected artifacts or results "
			"have changed since; show the plan again",
			options->plan, outcome.id);
	if (options->yes) {
		if (store_prune_plan_apply(store, plan, &removed, err) < 0)
			return -1;
		outcome.removed = &removed;
	}
	*ret_status = options->json ? print_json(shown, &outcome) : print_rules(shown, &outcome);
	return 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int check_options(const struct prune_options *options, struct pl_err *err)
{
	bool has_rules = options->rules.count > 0;

	if (has_rules && options->older_than_ns > 0)
		return pl_err_invalid(err, "--older-than: found it with --rule, expected one of "
					   "them; write age=TIME in the rule");
	if (!has_rules && (options->rows || options->yes))
		return pl_err_invalid(err, "--%s: expected --rule, too",
				      options->rows ? "rows" : "yes");
	if (options->plan != NULL && !options->yes)
		return pl_err_invalid(err, "--plan: expected --yes, too");
	return 0;
}

static int prune(const struct prune_options *options, const char *db, int *ret_status,
		 struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;
	bool is_of_holds = options->hold.count + options->release.count > 0 || options->holds;

	if (store_open(&(struct store_options){ .path = db,
						.data = options->data,
						.fields = fields,
						.must_exist = true },
		       &store, err) < 0 ||
	    change_holds(options, store, err) < 0)
		return -1;
	if (options->rules.count > 0)
		return apply_rules(options, db, store, ret_status, err);
	if (is_of_holds && options->older_than_ns == 0)
		return print_holds(options, store, ret_status, err);
	return prune_deleted(options, db, store, ret_status, err);
}

int dash_cmd_prune(int argc, char **argv)
{
	struct prune_options options = { 0 };
	auto_free char *default_db = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(&dash_prune_command, argc, argv, &options, &words, &status))
		return status;
	if (words.count > 0)
		pl_err_set(&err, PL_ERR_INVALID, "found '%s', expected no arguments",
			   words.items[0]);
	else if (check_options(&options, &err) == 0 && options.db == NULL)
		(void)!store_default_path(&default_db, &err);
	if (err.code == PL_ERR_NONE)
		(void)!prune(&options, options.db != NULL ? options.db : default_db, &status, &err);
	pl_opt_list_done(&options.rules);
	pl_opt_list_done(&options.hold);
	pl_opt_list_done(&options.release);
	return err.code == PL_ERR_NONE ? status : pl_program_fail(&err);
}
