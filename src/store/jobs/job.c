/* Ownership of the jobs, and their retention. */
#include "store/jobs/job.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/jobs/job_priv.h"

static STORE_STATEMENT(
	sql_settle_job,
	"UPDATE jobs SET state = 'done', finished = ?2 WHERE id = ?1"
	" AND state IN ('queued', 'running') AND NOT EXISTS (SELECT 1 FROM job_parts"
	" WHERE job = ?1 AND state = 'queued') AND NOT EXISTS (SELECT 1 FROM job_items"
	" WHERE job = ?1 AND state = 'again')");
static STORE_STATEMENT(
	sql_forget_jobs,
	"DELETE FROM jobs WHERE state IN ('done', 'cancelled') AND finished < ?1 AND id <="
	" (SELECT id FROM jobs WHERE state IN ('done', 'cancelled') ORDER BY id DESC"
	" LIMIT 1 OFFSET ?2)");
static STORE_STATEMENT(
	sql_close_old_jobs,
	"UPDATE jobs SET state = 'done', finished = ?2 WHERE state = 'open' AND created < ?1"
	" AND NOT EXISTS (SELECT 1 FROM job_parts p WHERE p.job = jobs.id AND p.state = 'queued')");
static STORE_STATEMENT(
	sql_forget_old_bytes,
	"DELETE FROM job_bytes WHERE job IN (SELECT id FROM jobs WHERE finished < ?1)");
static STORE_STATEMENT(
	sql_forget_old_parts,
	"UPDATE job_parts SET bytes = NULL WHERE bytes IS NOT NULL AND job IN (SELECT id"
	" FROM jobs WHERE finished < ?1)");
static STORE_STATEMENT(sql_part_waits,
		       "SELECT 1 FROM job_parts WHERE id = ?1 AND state = 'queued'");

/* The newest finished jobs are kept whatever their age, the others while their bytes are kept. */
#define JOBS_MAX 10000
/* Under constant load, the log is emptied after this number of parts. */
#define PARTS_IN_LOG_MAX 16
#define RETENTION_NS     (7 * 24 * 3600 * PL_NS_PER_S)
#define LOOK_NS          (3600 * PL_NS_PER_S) /* interval of the cleanup in a running server */

static const char *const state_names[] = {
#define STORE_ITEM_STATE(NAME, name, text) #name,
#include "tbl/store_words.h"
};

const char *store_item_state_name(enum store_item_state state)
{
	return state_names[state];
}

/* ---- rows of one job ------------------------------------------------------------------------ */

int store_job_run(struct store *store, const struct store_statement *which, int64_t id,
		  struct pl_err *err)
{
	struct store_stmt *statement;

	if (store_sql_cached(&store->writer, which, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	return store_sql_finish(statement, err);
}

int store_job_settle(struct store *store, int64_t id, struct pl_err *err)
{
	struct store_stmt *settle;
	char now[32];

	store_aging_now(store, now);
	if (store_sql_cached(&store->writer, &sql_settle_job, &settle, err) < 0)
		return -1;
	store_sql_bind_i64(settle, 1, id);
	store_sql_bind_text(settle, 2, now);
	return store_sql_finish(settle, err);
}

/* ---- retention ----------------------------------------------------------------------------- */

/* Closes jobs that were never closed. Their retention starts now. */
static int close_old(struct store *store, const char *then, struct pl_err *err)
{
	struct store_stmt *close;
	char now[32];

	store_aging_now(store, now);
	if (store_sql_cached(&store->writer, &sql_close_old_jobs, &close, err) < 0)
		return -1;
	store_sql_bind_text(close, 1, then);
	store_sql_bind_text(close, 2, now);
	return store_sql_finish(close, err);
}

static int forget_jobs(struct store *store, const char *then, struct pl_err *err)
{
	struct store_stmt *forget;

	if (store_sql_cached(&store->writer, &sql_forget_jobs, &forget, err) < 0)
		return -1;
	store_sql_bind_text(forget, 1, then);
	store_sql_bind_i64(forget, 2, JOBS_MAX);
	return store_sql_finish(forget, err);
}

/* The time by which jobs age. Setting the wall clock ahead while the store is open makes no job old. */
static int64_t aging_real_ns(const struct store *store)
{
	int64_t real_ns = pl_clock_real_ns();
	int64_t lived_ns = store->opened_real_ns + (pl_clock_now_ns() - store->opened_ns);

	return real_ns < lived_ns ? real_ns : lived_ns;
}

/* Removes uploads that no client resumed. */
static int forget_old(struct store *store, struct pl_err *err)
{
	static const struct store_statement *const each[] = { &sql_forget_old_bytes,
							      &sql_forget_old_parts };
	char then[32];

	pl_clock_rfc3339(aging_real_ns(store) - RETENTION_NS, then);
	if (close_old(store, then, err) < 0)
		return -1;
	for (size_t i = 0; i < PL_ARRAY_SIZE(each); i++) {
		struct store_stmt *statement;
		if (store_sql_cached(&store->writer, each[i], &statement, err) < 0)
			return -1;
		store_sql_bind_text(statement, 1, then);
		if (store_sql_finish(statement, err) < 0)
			return -1;
	}
	store->jobs_looked_ns = pl_clock_now_ns();
	return forget_jobs(store, then, err);
}

int store_jobs_claim(struct store *store, bool *ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->write_lock);
	int result = store_sql_claim_jobs(&store->writer, err);
	bool had = store->owns_jobs;
	store->owns_jobs = *ret = result == 0;
	pthread_mutex_unlock(&store->write_lock);
	if (result < 0)
		return store_is_shared(store) && err->code == PL_ERR_BUSY ? 0 : -1;
	if (had)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	/* a killed process may have left some */
	store->parts_in_log = 1;
	return store_end(store, forget_old(store, err), err);
}

int store_jobs_open(struct store *store, struct pl_err *err)
{
	bool is_mine;

	return store_jobs_claim(store, &is_mine, err);
}

/* Does nothing for fewer than `least` parts. */
static int empty_log(struct store *store, unsigned least, struct pl_err *err)
{
	int result = 0;

	pthread_mutex_lock(&store->write_lock);
	if (store->parts_in_log >= least &&
	    (result = store_sql_empty_log(&store->writer, err)) == 0)
		store->parts_in_log = 0;
	pthread_mutex_unlock(&store->write_lock);
	return result;
}

static bool is_time_to_look(const struct store *store)
{
	return pl_clock_now_ns() - store->jobs_looked_ns >= LOOK_NS;
}

int store_jobs_look(struct store *store, struct pl_err *err)
{
	return is_time_to_look(store) ? forget_old(store, err) : 0;
}

/* Called by the thread that works on jobs, if this process owns them. */
static int look_for_old(struct store *store, struct pl_err *err)
{
	if (!store->owns_jobs || !is_time_to_look(store))
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, forget_old(store, err), err);
}

int store_jobs_wipe(struct store *store, struct pl_err *err)
{
	return look_for_old(store, err) < 0 ? -1 : empty_log(store, 1, err);
}

/* ---- groups -------------------------------------------------------------------------------- */

/*
 * Checks that this process still owns the work, and that it was not cancelled. After a lost connection, another process
 * may own it and may have done some of it. Items that are read again are checked one by one.
 */
static int is_wanted(struct store *store, const struct store_job_work *work, bool *ret,
		     struct pl_err *err)
{
	auto_borrowed state = NULL;
	unsigned hold = store_sql_jobs_hold(&store->writer);

	*ret = hold != 0 && hold == work->hold;
	if (!*ret)
		return 0;
	if (work->part == 0)
		return 0;
	if (store_sql_cached(&store->writer, &sql_part_waits, &state, err) < 0)
		return -1;
	store_sql_bind_i64(state, 1, work->part);
	return store_sql_step(state, ret, err);
}

int store_job_group_begin(struct store *store, const struct store_job_work *work, bool *ret_goes_on,
			  struct pl_err *err)
{
	bool is_still = false;

	*ret_goes_on = false;
	if (store_batch_begin(store, err) < 0)
		return -1;
	int result = is_wanted(store, work, &is_still, err);
	*ret_goes_on = result == 0 && is_still;
	if (*ret_goes_on)
		return 0;
	return store_batch_end(store, result < 0 ? PL_ERR_IGNORED : err) < 0 ? -1 : result;
}

int store_job_group_end(struct store *store, struct pl_err *err)
{
	if (store_batch_end(store, err) < 0)
		return -1;
	/* the work is done even if this fails; it is retried after the next part */
	(void)empty_log(store, PARTS_IN_LOG_MAX, PL_ERR_IGNORED);
	return 0;
}
