#include "store/prune/prune.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "store/artifacts/files.h"
#include "store/prune/plan_priv.h"
#include "store/store_priv.h"

#define TEXT_BYTES_MAX 8192
/* Ids are counted, so a larger one is not ours. */
#define ID_MAX ((int64_t)1 << 33)

struct planning {
	struct store *store;
	struct store_sql *sql; /* in a transaction that reads */
	const struct store_prune_options *options;
	struct store_prune_plan *plan;
	unsigned char *artifact_bits; /* selected ids */
	unsigned char *result_bits;
	int64_t artifact_max, result_max;
	int64_t total_bytes; /* of the files of all artifacts that are not selected */
};

void store_prune_plan_free(struct store_prune_plan *plan)
{
	if (plan == NULL)
		return;
	store_held_done(&plan->held);
	free(plan->files);
	free(plan->artifacts);
	free(plan->results);
	free(plan->counts);
	free(plan);
}

/* ---- the catalog of files ------------------------------------------------------------------- */

static void bytes_of_hex(const char *hex, unsigned char bytes[32])
{
	for (size_t i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(pl_hex_value(hex[2 * i]) << 4 |
					   pl_hex_value(hex[2 * i + 1]));
}

static int compare_files(const void *a, const void *b)
{
	return memcmp(((const struct store_prune_file *)a)->sha256,
		      ((const struct store_prune_file *)b)->sha256, 32);
}

static int read_files(struct planning *planning, struct pl_err *err)
{
	struct store_prune_plan *plan = planning->plan;
	auto_statement rows = NULL;
	int result;

	if (store_sql_prepare_cursor(planning->sql,
				     "SELECT sha256, max(bytes), count(*) FROM artifacts"
				     " GROUP BY sha256",
				     &rows, err) < 0)
		return -1;
	while ((result = store_sql_next(rows, err)) > 0) {
		const char *sha256 = store_sql_text(rows, 0);
		if (!store_sha256_is(sha256))
			return pl_err_invalid(err,
					      "artifact '%.100s': expected a SHA-256; run "
					      "profllm-dashboard check",
					      sha256);
		struct store_prune_file *file = PL_PUSH(plan->files, plan->file_count,
							plan->file_room);
		bytes_of_hex(sha256, file->sha256);
		file->bytes = store_sql_i64(rows, 1);
		file->uses = store_sql_i64(rows, 2);
		planning->total_bytes += file->bytes;
	}
	if (plan->file_count > 0)
		qsort(plan->files, plan->file_count, sizeof(*plan->files), compare_files);
	return result;
}

static struct store_prune_file *find_file(const struct store_prune_plan *plan, const char *sha256)
{
	struct store_prune_file wanted;

	if (plan->file_count == 0 || !store_sha256_is(sha256))
		return NULL;
	bytes_of_hex(sha256, wanted.sha256);
	return bsearch(&wanted, plan->files, plan->file_count, sizeof(wanted), compare_files);
}

/* ---- selection ------------------------------------------------------------------------------ */

/* Returns whether the id was in the set; adds it. */
static bool test_and_set(unsigned char *bits, int64_t id)
{
	unsigned char bit = (unsigned char)(1u << (id & 7));
	bool was = (bits[id >> 3] & bit) != 0;

	bits[id >> 3] |= bit;
	return was;
}

static int ask_number(struct store_sql *sql, const char *text, int64_t *ret, struct pl_err *err)
{
	auto_statement statement = NULL;

	if (store_sql_prepare(sql, text, &statement, err) < 0)
		return -1;
	return store_sql_number(statement, ret, err);
}

static int make_bits(struct planning *planning, const char *text, int64_t *ret_max,
		     unsigned char **ret, struct pl_err *err)
{
	if (ask_number(planning->sql, text, ret_max, err) < 0)
		return -1;
	if (*ret_max < 0 || *ret_max > ID_MAX)
		return pl_err_invalid(err, "'%s': found the id %lld, expected at most %lld",
				      planning->store->path, (long long)*ret_max,
				      (long long)ID_MAX);
	*ret = pl_alloc((size_t)(*ret_max >> 3) + 1);
	return 0;
}

/* The values of a rule's parameters, in this order; those that a rule lacks have no parameter. */
struct values {
	char before[32];   /* ?1 */
	int64_t recent_id; /* ?2: ids from here on are recent, whatever their dates say */
};

/*
 * If the clock was set, a date may be wrong by years, so the order counts, too (store_prune()). A replaced result keeps
 * its id and has a new date.
 */
static int read_values(struct planning *planning, const struct store_prune_rule *rule,
		       struct values *values, struct pl_err *err)
{
	auto_statement first = NULL;
	char now[32];

	*values = (struct values){ .recent_id = INT64_MAX };
	pl_clock_rfc3339(planning->options->now_ns, now);
	snprintf(values->before, sizeof(values->before), "%s", now);
	if (rule->age_ns == 0)
		return 0;
	pl_clock_rfc3339(planning->options->now_ns > rule->age_ns
				 ? planning->options->now_ns - rule->age_ns
				 : 0,
			 values->before);
	if (store_sql_prepare(planning->sql,
			      "SELECT r.id FROM benchmark_runs r WHERE r.stored_at >= ?1"
			      " AND r.stored_at <= ?2 AND NOT EXISTS (SELECT 1 FROM"
			      " benchmark_changes c WHERE c.id = r.id AND c.kind = 'replaced')"
			      " ORDER BY r.id LIMIT 1",
			      &first, err) < 0)
		return -1;
	store_sql_bind_text(first, 1, values->before);
	store_sql_bind_text(first, 2, now);
	int result = store_sql_next(first, err);
	if (result > 0)
		values->recent_id = store_sql_i64(first, 0);
	return result < 0 ? -1 : 0;
}

/* The condition on a result r, with its texts in t on PostgreSQL, and its parameters. */
static void add_condition(const struct planning *planning, const struct store_prune_rule *rule,
			  struct pl_buf *text)
{
	const char *texts = store_is_shared(planning->store) ? "t" : "r";
	int at = 1;

	pl_buf_addf(text, "r.id < CAST(?%d AS BIGINT)", at++);
	if (rule->age_ns > 0)
		pl_buf_addf(text, " AND r.stored_at < ?%d", at++);
	if (rule->suite != NULL)
		pl_buf_addf(text, " AND %s.\"run.suite\" = ?%d", texts, at++);
	if (rule->status != NULL)
		pl_buf_addf(text, " AND %s.\"run.status\" = ?%d", texts, at++);
}

/* Returns the number of the next parameter. */
static int bind_values(struct store_stmt *statement, const struct store_prune_rule *rule,
		       const struct values *values)
{
	int at = 1;

	store_sql_bind_i64(statement, at++, values->recent_id);
	if (rule->age_ns > 0)
		store_sql_bind_text(statement, at++, values->before);
	if (rule->suite != NULL)
		store_sql_bind_text(statement, at++, rule->suite);
	if (rule->status != NULL)
		store_sql_bind_text(statement, at++, rule->status);
	return at;
}

static const char *tables_of(const struct planning *planning)
{
	return store_is_shared(planning->store)
		       ? "benchmark_runs r LEFT JOIN benchmark_texts t ON t.id = r.id"
		       : "benchmark_runs r";
}

static void take_result(struct planning *planning, size_t rule, int64_t id)
{
	struct store_prune_plan *plan = planning->plan;

	if (id < 0 || id > planning->result_max || test_and_set(planning->result_bits, id))
		return;
	if (store_held_has_id(&plan->held, id)) {
		plan->spared.results++;
		return;
	}
	*PL_PUSH(plan->results, plan->result_count, plan->result_room) = id;
	plan->counts[rule].results++;
}

static int select_results(struct planning *planning, size_t index, const struct values *values,
			  struct pl_err *err)
{
	const struct store_prune_rule *rule = &planning->options->rules[index];
	auto_statement rows = NULL;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	int result;

	pl_buf_addf(&text, "SELECT r.id FROM %s WHERE ", tables_of(planning));
	add_condition(planning, rule, &text);
	pl_buf_add_text(&text, " ORDER BY r.id");
	if (store_sql_prepare_cursor(planning->sql, pl_buf_text(&text), &rows, err) < 0)
		return -1;
	(void)bind_values(rows, rule, values);
	while ((result = store_sql_next(rows, err)) > 0)
		take_result(planning, index, store_sql_i64(rows, 0));
	return result;
}

/* A row of id, run_id, sha256. */
static void take_artifact(struct planning *planning, size_t rule, struct store_stmt *row)
{
	struct store_prune_plan *plan = planning->plan;
	int64_t id = store_sql_i64(row, 0);
	struct store_prune_file *file = find_file(plan, store_sql_text(row, 2));

	if (file == NULL || id < 0 || id > planning->artifact_max ||
	    test_and_set(planning->artifact_bits, id))
		return;
	if (store_held_has_run(&plan->held, store_sql_text(row, 1))) {
		plan->spared.artifacts++;
		return;
	}
	*PL_PUSH(plan->artifacts, plan->artifact_count, plan->artifact_room) =
		(struct store_prune_artifact){ .id = id, .file = (size_t)(file - plan->files) };
	plan->counts[rule].artifacts++;
	if (--file->uses > 0)
		return;
	plan->counts[rule].files++;
	plan->counts[rule].bytes += file->bytes;
	planning->total_bytes -= file->bytes;
}

static int select_artifacts(struct planning *planning, size_t index, const struct values *values,
			    struct pl_err *err)
{
	const struct store_prune_rule *rule = &planning->options->rules[index];
	auto_statement rows = NULL;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_buf kind = PL_BUF(TEXT_BYTES_MAX);
	int result = 1;

	pl_buf_addf(&kind, " AND a.kind = ?%d",
		    2 + (rule->age_ns > 0) + (rule->suite != NULL) + (rule->status != NULL));
	/* ids are in the order of storing */
	pl_buf_addf(&text,
		    "SELECT a.id, a.run_id, a.sha256 FROM artifacts a WHERE EXISTS (SELECT 1"
		    " FROM benchmark_runs o WHERE o.run_id = a.run_id)"
		    " AND NOT EXISTS (SELECT 1 FROM %s WHERE r.run_id = a.run_id AND (",
		    tables_of(planning));
	add_condition(planning, rule, &text);
	pl_buf_addf(&text, ") IS NOT TRUE)%s ORDER BY a.id",
		    rule->kind != NULL ? pl_buf_text(&kind) : "");
	if (store_sql_prepare_cursor(planning->sql, pl_buf_text(&text), &rows, err) < 0)
		return -1;
	int at = bind_values(rows, rule, values);
	if (rule->kind != NULL)
		store_sql_bind_text(rows, at, rule->kind);
	while ((rule->max_bytes < 0 || planning->total_bytes > rule->max_bytes) &&
	       (result = store_sql_next(rows, err)) > 0)
		take_artifact(planning, index, rows);
	return result < 0 ? -1 : 0;
}

static int select_all(struct planning *planning, struct pl_err *err)
{
	const struct store_prune_options *options = planning->options;

	if (ask_number(planning->sql, "SELECT data_version FROM store_state",
		       &planning->plan->version, err) < 0 ||
	    make_bits(planning, "SELECT max(id) FROM artifacts", &planning->artifact_max,
		      &planning->artifact_bits, err) < 0 ||
	    make_bits(planning, "SELECT max(id) FROM benchmark_runs", &planning->result_max,
		      &planning->result_bits, err) < 0 ||
	    read_files(planning, err) < 0)
		return -1;
	for (size_t i = 0; i < options->rule_count; i++) {
		struct values values;
		if (read_values(planning, &options->rules[i], &values, err) < 0 ||
		    select_artifacts(planning, i, &values, err) < 0)
			return -1;
		if (options->with_rows && !store_prune_rule_is_of_artifacts(&options->rules[i]) &&
		    select_results(planning, i, &values, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- the plan ------------------------------------------------------------------------------- */

static int compare_artifacts(const void *a, const void *b)
{
	int64_t one = ((const struct store_prune_artifact *)a)->id;
	int64_t other = ((const struct store_prune_artifact *)b)->id;

	return one < other ? -1 : one > other;
}

static int compare_ids(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return one < other ? -1 : one > other;
}

/* Sorts both lists, so that their hash does not depend on the order of the rules. */
static void finish(struct store_prune_plan *plan, size_t rule_count)
{
	auto_digest *digest = pl_digest_new();
	struct store_prune_count *all = &plan->counts[rule_count];

	if (plan->artifact_count > 0)
		qsort(plan->artifacts, plan->artifact_count, sizeof(*plan->artifacts),
		      compare_artifacts);
	if (plan->result_count > 0)
		qsort(plan->results, plan->result_count, sizeof(*plan->results), compare_ids);
	for (size_t i = 0; i < plan->artifact_count; i++)
		pl_digest_add(digest, &plan->artifacts[i].id, sizeof(plan->artifacts[i].id));
	pl_digest_add(digest, "results", strlen("results"));
	for (size_t i = 0; i < plan->result_count; i++)
		pl_digest_add(digest, &plan->results[i], sizeof(plan->results[i]));
	pl_digest_end(digest, plan->hash);
	for (size_t i = 0; i < rule_count; i++) {
		all->results += plan->counts[i].results;
		all->artifacts += plan->counts[i].artifacts;
		all->files += plan->counts[i].files;
		all->bytes += plan->counts[i].bytes;
	}
}

static int plan_within(struct planning *planning, struct pl_err *err)
{
	if (store_sql_begin(planning->sql, STORE_SQL_READ, err) < 0)
		return -1;
	int result = select_all(planning, err);
	store_sql_rollback(planning->sql);
	return result;
}

int store_prune_plan_new(struct store *store, const struct store_prune_options *options,
			 struct store_prune_plan **ret, struct pl_err *err)
{
	auto_prune_plan *plan = pl_alloc(sizeof(*plan));
	struct store_sql sql = { 0 };
	struct planning planning = {
		.store = store, .sql = &sql, .options = options, .plan = plan
	};

	plan->counts = pl_alloc_array(options->rule_count + 1, sizeof(*plan->counts));
	plan->rule_count = options->rule_count;
	if (store_held_read(store, &plan->held, err) < 0 ||
	    store_sql_open(&sql, store->address, false, err) < 0)
		return -1;
	int result = store_sql_use(&sql, STORE_SQL_READ, err);
	if (result == 0)
		result = plan_within(&planning, err);
	store_sql_close(&sql);
	/* a result that changed while the tags were read may have got one that is held */
	if (plan->version > plan->held.data_version)
		plan->version = plan->held.data_version;
	free(planning.artifact_bits);
	free(planning.result_bits);
	if (result < 0)
		return -1;
	finish(plan, options->rule_count);
	*ret = pl_take(plan);
	return 0;
}

const struct store_prune_count *store_prune_plan_count(const struct store_prune_plan *plan,
						       size_t rule)
{
	return &plan->counts[rule];
}

const struct store_prune_count *store_prune_plan_held(const struct store_prune_plan *plan)
{
	return &plan->spared;
}

const char *store_prune_plan_hash(const struct store_prune_plan *plan)
{
	return plan->hash;
}
