/* Changes of jobs by users: opening, adding parts, closing, cancelling, retrying, resolving conflicts. */
#include <string.h>

#include "base/text.h"
#include "base/zst.h"
#include "store/jobs/job_priv.h"

static STORE_STATEMENT(
	sql_add_job,
	"INSERT INTO jobs (kind, name, state, created, on_known, expected_files, expected_bytes,"
	" author) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id");
static STORE_STATEMENT(sql_add_part,
		       "INSERT INTO job_parts (job, kind, name, media, files, bytes, sent_as)"
		       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id");
static STORE_STATEMENT(
	sql_find_keyed,
	"SELECT f.sha256 FROM job_parts p JOIN job_files f ON f.part = p.id WHERE p.job = ?1"
	" AND p.sent_as = ?2 ORDER BY f.file");
static STORE_STATEMENT(sql_add_file,
		       "INSERT INTO job_files (part, file, sha256) VALUES (?1, ?2, ?3)");
static STORE_STATEMENT(
	sql_receive,
	"UPDATE jobs"
	" SET received_files = received_files + ?2, received_bytes = received_bytes + ?3"
	" WHERE id = ?1");
static STORE_STATEMENT(sql_is_of_other,
		       "SELECT CAST(count(*) AS BIGINT) FROM jobs WHERE id = ?1 AND author <> ?2");
STORE_STATEMENT(store_job_sql_ask, "SELECT state, CAST(coalesce((SELECT sum(items) FROM job_parts"
				   " WHERE job = ?1), 0) AS BIGINT) FROM jobs WHERE id = ?1");
static STORE_STATEMENT(sql_close_job,
		       "UPDATE jobs SET state = 'queued' WHERE id = ?1 AND state = 'open'");
static STORE_STATEMENT(
	sql_cancel_items,
	"UPDATE job_items SET state = 'cancelled' WHERE job = ?1 AND state IN ('queued', 'again')");
static STORE_STATEMENT(
	sql_cancel_parts,
	"UPDATE job_parts SET state = 'cancelled' WHERE job = ?1 AND state = 'queued'");
static STORE_STATEMENT(sql_cancel_job,
		       "UPDATE jobs SET state = 'cancelled', finished = ?2 WHERE id = ?1"
		       " AND state IN ('open', 'queued', 'running')");
static STORE_STATEMENT(
	sql_retry_items,
	"UPDATE job_items SET state = 'again' WHERE job = ?1 AND item >= ?2 AND item <= ?3"
	" AND state IN ('rejected', 'cancelled') AND EXISTS (SELECT 1 FROM job_bytes b"
	" WHERE b.job = job_items.job AND b.item = job_items.item) RETURNING item");
static STORE_STATEMENT(
	sql_retry_cancelled,
	"UPDATE job_items SET state = 'queued' WHERE job = ?1 AND item >= ?2 AND item <= ?3"
	" AND state = 'cancelled' AND EXISTS (SELECT 1 FROM job_parts p"
	" WHERE p.id = job_items.part AND p.bytes IS NOT NULL) RETURNING item");
static STORE_STATEMENT(
	sql_retry_parts,
	"UPDATE job_parts SET state = 'queued' WHERE job = ?1 AND state = 'cancelled' AND EXISTS"
	" (SELECT 1 FROM job_items i WHERE i.job = ?1 AND i.item >= job_parts.first_item"
	" AND i.item < job_parts.first_item + job_parts.items AND i.state = 'queued')");
static STORE_STATEMENT(
	sql_retry_all_parts,
	"UPDATE job_parts SET state = 'queued' WHERE job = ?1 AND state = 'cancelled'"
	" AND bytes IS NOT NULL RETURNING id");
static STORE_STATEMENT(
	sql_choose_items,
	"UPDATE job_items SET choice = ?4, chosen_by = ?6, expected = ?7, state = CASE"
	" WHEN ?4 = 'skip' THEN state ELSE 'again' END WHERE job = ?1 AND item >= ?2"
	" AND item <= ?3 AND state IN ('conflict', 'duplicate') AND (?5 = '' OR state = ?5)"
	" AND (?4 = 'skip' OR state = 'duplicate' OR EXISTS (SELECT 1 FROM job_bytes b"
	" WHERE b.job = job_items.job AND b.item = job_items.item)) RETURNING item");
static STORE_STATEMENT(
	sql_reopen_job,
	"UPDATE jobs SET state = 'queued', finished = NULL WHERE id = ?1"
	" AND state IN ('done', 'cancelled') AND (EXISTS (SELECT 1 FROM job_parts WHERE job = ?1"
	" AND state = 'queued') OR EXISTS (SELECT 1 FROM job_items WHERE job = ?1"
	" AND state = 'again'))");
static STORE_STATEMENT(
	sql_get_rival_content,
	"SELECT r.content_sha256 FROM job_items i JOIN benchmark_runs r ON r.id = i.result"
	" WHERE i.job = ?1 AND i.item = ?2");

static const char *const policy_names[] = {
#define STORE_CONFLICT_POLICY(NAME, name, text) #name,
#include "tbl/store_words.h"
};

/* "skip", "replace", "keep" */
static const char *policy_name(enum store_conflict_policy known)
{
	return policy_names[known];
}

enum store_conflict_policy store_conflict_policy_of(const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(policy_names); i++) {
		if (pl_text_equal(policy_names[i], name))
			return (enum store_conflict_policy)i;
	}
	return STORE_SKIP;
}

/* ---- jobs and parts ------------------------------------------------------------------------ */

static void bind_amount(struct store_stmt *statement, int at, int64_t amount)
{
	if (amount >= 0)
		store_sql_bind_i64(statement, at, amount);
	else
		store_sql_bind_null(statement, at);
}

static int add_job(struct store *store, const char *kind, const char *state,
		   const struct store_job_plan *plan, int64_t *ret_id, struct pl_err *err)
{
	struct store_stmt *add;
	char now[32];

	store_aging_now(store, now);
	if (store_sql_cached(&store->writer, &sql_add_job, &add, err) < 0)
		return -1;
	store_sql_bind_text(add, 1, kind);
	store_sql_bind_text(add, 2, plan->name);
	store_sql_bind_text(add, 3, state);
	store_sql_bind_text(add, 4, now);
	store_sql_bind_text(add, 5, policy_name(plan->on_conflict));
	bind_amount(add, 6, plan->files);
	bind_amount(add, 7, plan->bytes);
	store_sql_bind_text(add, 8, plan->author);
	return store_sql_number(add, ret_id, err);
}

int store_job_open(struct store *store, const struct store_job_plan *plan, int64_t *ret_id,
		   struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, add_job(store, "parts", "open", plan, ret_id, err), err);
}

/* *ret_state: state of the job, static; NULL: there is none. */
static int ask_job(struct store *store, int64_t id, const char **ret_state, int64_t *ret_items,
		   struct pl_err *err)
{
	static const char *const states[] = { "open", "queued", "running", "done", "cancelled" };
	auto_borrowed job = NULL;
	bool is_row = false;

	*ret_state = NULL;
	*ret_items = 0;
	if (store_sql_cached(&store->writer, &store_job_sql_ask, &job, err) < 0)
		return -1;
	store_sql_bind_i64(job, 1, id);
	if (store_sql_step(job, &is_row, err) < 0)
		return -1;
	for (size_t i = 0; is_row && i < PL_ARRAY_SIZE(states); i++) {
		if (pl_text_equal(states[i], store_sql_text(job, 0)))
			*ret_state = states[i];
	}
	*ret_items = is_row ? store_sql_i64(job, 1) : 0;
	return 0;
}

static int add_files(struct store *store, int64_t id, const struct store_job_part *part,
		     struct pl_err *err)
{
	for (size_t i = 0; i < part->files; i++) {
		struct store_stmt *add;
		if (store_sql_cached(&store->writer, &sql_add_file, &add, err) < 0)
			return -1;
		store_sql_bind_i64(add, 1, id);
		store_sql_bind_i64(add, 2, (int64_t)i);
		store_sql_bind_text(add, 3, part->sha256[i]);
		if (store_sql_finish(add, err) < 0)
			return -1;
	}
	return 0;
}

static int add_part(struct store *store, int64_t job, const struct store_job_part *part,
		    const void *packed, size_t packed_len, struct pl_err *err)
{
	struct store_stmt *add, *receive;
	int64_t id = 0;

	if (store_sql_cached(&store->writer, &sql_add_part, &add, err) < 0)
		return -1;
	store_sql_bind_i64(add, 1, job);
	store_sql_bind_text(add, 2, part->kind);
	store_sql_bind_text(add, 3, part->name);
	store_sql_bind_text(add, 4, part->media);
	store_sql_bind_i64(add, 5, (int64_t)part->files);
	store_sql_bind_bytes(add, 6, packed, packed_len);
	store_sql_bind_text(add, 7, part->key);
	if (store_sql_number(add, &id, err) < 0 || add_files(store, id, part, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_receive, &receive, err) < 0)
		return -1;
	store_sql_bind_i64(receive, 1, job);
	store_sql_bind_i64(receive, 2, (int64_t)part->files);
	store_sql_bind_i64(receive, 3, (int64_t)part->len);
	return store_sql_finish(receive, err);
}

/* Returns whether the job has received this part's key before. */
static int find_keyed(struct store *store, int64_t job, const struct store_job_part *part,
		      bool *ret_came, enum store_job_answer *ret, struct pl_err *err)
{
	auto_borrowed find = NULL;
	bool is_row = false, is_other = false;
	size_t count = 0;

	*ret_came = false;
	if (part->key == NULL)
		return 0;
	if (store_sql_cached(&store->writer, &sql_find_keyed, &find, err) < 0)
		return -1;
	store_sql_bind_i64(find, 1, job);
	store_sql_bind_text(find, 2, part->key);
	for (;; count++) {
		if (store_sql_step(find, &is_row, err) < 0)
			return -1;
		if (!is_row)
			break;
		is_other |= count >= part->files ||
			    strcmp(store_sql_text(find, 0), part->sha256[count]) != 0;
	}
	*ret_came = count > 0;
	if (count > 0 && (is_other || count != part->files))
		*ret = STORE_JOB_OTHER;
	return 0;
}

/* Checks that an existing job is open. */
static int check_open(struct store *store, int64_t id, enum store_job_answer *ret,
		      struct pl_err *err)
{
	const char *state;
	int64_t items;

	if (ask_job(store, id, &state, &items, err) < 0)
		return -1;
	*ret = state == NULL                  ? STORE_JOB_NONE
	       : strcmp(state, "open") != 0   ? STORE_JOB_CLOSED
	       : items >= STORE_JOB_ITEMS_MAX ? STORE_JOB_FULL
					      : STORE_JOB_OK;
	return 0;
}

/* A part is stored with the author of its job, who must be the user that sends it. */
static int check_author(struct store *store, int64_t id, const char *user,
			enum store_job_answer *ret, struct pl_err *err)
{
	struct store_stmt *statement;
	int64_t count = 0;

	if (user == NULL)
		return 0;
	if (store_sql_cached(&store->writer, &sql_is_of_other, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	store_sql_bind_text(statement, 2, user);
	if (store_sql_number(statement, &count, err) < 0)
		return -1;
	if (count > 0)
		*ret = STORE_JOB_FOREIGN;
	return 0;
}

int store_job_add(struct store *store, int64_t *id, enum store_conflict_policy on_conflict,
		  const struct store_job_part *part, enum store_job_answer *ret, struct pl_err *err)
{
	const struct store_job_plan plan = { .name = part->name,
					     .files = -1,
					     .bytes = -1,
					     .on_conflict = on_conflict,
					     .author = part->author };
	size_t packed_len;
	auto_free void *packed = pl_zst_pack_brief(part->bytes, part->len, &packed_len);
	int64_t job = *id;
	bool has_come = false;
	int result;

	*ret = STORE_JOB_OK;
	if (store_begin(store, err) < 0)
		return -1;
	if (job == 0)
		result = add_job(store, part->kind, "queued", &plan, &job, err);
	else
		result = check_author(store, job, part->user, ret, err);
	if (result == 0 && *id != 0 && *ret == STORE_JOB_OK)
		result = find_keyed(store, job, part, &has_come, ret, err);
	if (result == 0 && *ret == STORE_JOB_OK && *id != 0 && !has_come)
		result = check_open(store, job, ret, err);
	if (result == 0 && *ret == STORE_JOB_OK && !has_come)
		result = add_part(store, job, part, packed, packed_len, err);
	if (store_end(store, result, err) < 0)
		return -1;
	*id = job;
	return 0;
}

/* ---- changes of a job ---------------------------------------------------------------------- */

typedef int change_fn(struct store *store, int64_t id, void *context, enum store_job_answer *ret,
		      struct pl_err *err);

/* Runs in one transaction; any outcome other than OK changes nothing. */
static int change_job(struct store *store, int64_t id, change_fn *change, void *context,
		      enum store_job_answer *ret, struct pl_err *err)
{
	const char *state;
	int64_t items;

	*ret = STORE_JOB_NONE;
	if (store_begin(store, err) < 0)
		return -1;
	int result = ask_job(store, id, &state, &items, err);
	if (result == 0 && state != NULL) {
		*ret = STORE_JOB_OK;
		result = change(store, id, context, ret, err);
	}
	if (result < 0 || *ret == STORE_JOB_OK)
		return store_end(store, result, err);
	store_undo(store);
	return 0;
}

static int close_job(struct store *store, int64_t id, void *context, enum store_job_answer *ret,
		     struct pl_err *err)
{
	if (check_author(store, id, context, ret, err) < 0 || *ret != STORE_JOB_OK)
		return *ret != STORE_JOB_OK ? 0 : -1;
	return store_job_run(store, &sql_close_job, id, err) < 0 ? -1
								 : store_job_settle(store, id, err);
}

int store_job_close(struct store *store, int64_t id, const char *user, enum store_job_answer *ret,
		    struct pl_err *err)
{
	return change_job(store, id, close_job, (void *)user, ret, err);
}

static int cancel_job(struct store *store, int64_t id, void *context, enum store_job_answer *ret,
		      struct pl_err *err)
{
	static const struct store_statement *const each[] = { &sql_cancel_items,
							      &sql_cancel_parts };
	struct store_stmt *cancel;
	char now[32];

	if (check_author(store, id, context, ret, err) < 0 || *ret != STORE_JOB_OK)
		return *ret != STORE_JOB_OK ? 0 : -1;
	store_aging_now(store, now);
	for (size_t i = 0; i < PL_ARRAY_SIZE(each); i++) {
		if (store_job_run(store, each[i], id, err) < 0)
			return -1;
	}
	if (store_sql_cached(&store->writer, &sql_cancel_job, &cancel, err) < 0)
		return -1;
	store_sql_bind_i64(cancel, 1, id);
	store_sql_bind_text(cancel, 2, now);
	return store_sql_finish(cancel, err);
}

int store_job_cancel(struct store *store, int64_t id, const char *user, enum store_job_answer *ret,
		     struct pl_err *err)
{
	return change_job(store, id, cancel_job, (void *)user, ret, err);
}

/* ---- retries and choices ------------------------------------------------------------------- */

/* The items to change: those of the list, or all. */
struct wanted {
	const json_t *items;
	size_t at;
	const struct store_job_request *chosen; /* NULL: retry */
};

/* Changes one item, or all of them (-1), with a statement that returns a row per changed item. */
static int change_items(struct store *store, const struct store_statement *which, int64_t id,
			int64_t item, const struct wanted *wanted, bool *ret_any,
			struct pl_err *err)
{
	struct store_stmt *statement;
	bool is_row = false;

	if (store_sql_cached(&store->writer, which, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	store_sql_bind_i64(statement, 2, item >= 0 ? item : 0);
	store_sql_bind_i64(statement, 3, item >= 0 ? item : INT64_MAX);
	if (wanted->chosen != NULL) {
		const struct store_choice *choice = &wanted->chosen->choice;
		store_sql_bind_text(statement, 4, policy_name(choice->on_conflict));
		store_sql_bind_text(statement, 5,
				    wanted->chosen->of != NULL ? wanted->chosen->of : "");
		store_sql_bind_text(statement, 6, choice->author);
		store_sql_bind_text(statement, 7, choice->expected);
	}
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret_any |= is_row;
	return is_row ? store_sql_finish(statement, err) : 0;
}

static int ask_items(struct store *store, int64_t id, int64_t item, const struct wanted *wanted,
		     bool *ret_any, struct pl_err *err)
{
	static const struct store_statement *const retry[] = { &sql_retry_items,
							       &sql_retry_cancelled };
	static const struct store_statement *const choose[] = { &sql_choose_items };
	const struct store_statement *const *each = wanted->chosen != NULL ? choose : retry;
	size_t count = wanted->chosen != NULL ? PL_ARRAY_SIZE(choose) : PL_ARRAY_SIZE(retry);

	for (size_t i = 0; i < count; i++) {
		if (change_items(store, each[i], id, item, wanted, ret_any, err) < 0)
			return -1;
	}
	return 0;
}

/* Checks that the stored result is the one that the user has seen. The item must exist. */
static int check_expected(struct store *store, int64_t id, int64_t item,
			  const struct wanted *wanted, enum store_job_answer *ret,
			  struct pl_err *err)
{
	const char *expected = wanted->chosen != NULL ? wanted->chosen->choice.expected : NULL;
	auto_borrowed content = NULL;
	bool is_row = false;

	if (expected == NULL)
		return 0;
	if (store_sql_cached(&store->writer, &sql_get_rival_content, &content, err) < 0)
		return -1;
	store_sql_bind_i64(content, 1, id);
	store_sql_bind_i64(content, 2, item);
	if (store_sql_step(content, &is_row, err) < 0)
		return -1;
	if (!is_row || !pl_text_equal(store_sql_text(content, 0), expected))
		*ret = STORE_JOB_CHANGED;
	return 0;
}

static int ask_parts(struct store *store, int64_t id, const struct wanted *wanted, bool *ret_any,
		     struct pl_err *err)
{
	struct store_stmt *statement;
	bool is_row = false;

	if (wanted->items != NULL)
		return store_job_run(store, &sql_retry_parts, id, err);
	if (store_sql_cached(&store->writer, &sql_retry_all_parts, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret_any |= is_row;
	return is_row ? store_sql_finish(statement, err) : 0;
}

static int add_retries(struct store *store, int64_t id, void *context, enum store_job_answer *ret,
		       struct pl_err *err)
{
	struct wanted *wanted = context;
	size_t count = json_array_size(wanted->items);
	bool any = false;

	if (wanted->items == NULL && ask_items(store, id, -1, wanted, &any, err) < 0)
		return -1;
	for (wanted->at = 0; wanted->at < count; wanted->at++) {
		bool is_there = false;
		int64_t item = json_integer_value(json_array_get(wanted->items, wanted->at));
		if (ask_items(store, id, item, wanted, &is_there, err) < 0)
			return -1;
		if (!is_there) {
			*ret = STORE_JOB_NO_ITEM;
			return 0;
		}
		if (check_expected(store, id, item, wanted, ret, err) < 0)
			return -1;
	}
	/* also queue the parts with queued items again, and without a list those that were never cut */
	if (wanted->chosen == NULL && ask_parts(store, id, wanted, &any, err) < 0)
		return -1;
	if (wanted->chosen == NULL && wanted->items == NULL && !any) {
		*ret = STORE_JOB_NOTHING;
		return 0;
	}
	if (store_job_run(store, &sql_reopen_job, id, err) < 0)
		return -1;
	return store_job_settle(store, id, err);
}

int store_job_retry(struct store *store, int64_t id, const json_t *items,
		    enum store_job_answer *ret, size_t *ret_at, struct pl_err *err)
{
	struct wanted wanted = { .items = items };
	int result = change_job(store, id, add_retries, &wanted, ret, err);

	*ret_at = wanted.at;
	return result;
}

int store_job_choose(struct store *store, int64_t id, const struct store_job_request *chosen,
		     enum store_job_answer *ret, size_t *ret_at, struct pl_err *err)
{
	struct wanted wanted = { .items = chosen->items, .chosen = chosen };
	int result = change_job(store, id, add_retries, &wanted, ret, err);

	*ret_at = wanted.at;
	return result;
}
