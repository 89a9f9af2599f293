/*
 * Detects that other data replaced the database, however it happened: a dump that was loaded, a copy of the file, a
 * standby that lacked changes. Each transaction that changes data gives the database a random mark. The marks of the last
 * transactions are in a table, so a reader knows whether the state it has read belongs to the past of the present one.
 *
 * A process that finds a replaced database renews it: it gives it a version that is greater than all versions that this
 * process has seen, and another epoch. So a version never names two states, and cursors of the former data are refused.
 */
#include <stdio.h>
#include <sys/random.h>

#include "store/documents/dictionary.h"
#include "store/field_index/index.h"
#include "store/store_priv.h"

/* the format of the database, which a newer program may change while this one serves */
#define SQLITE_FORM   " (SELECT user_version FROM pragma_user_version)"
#define POSTGRES_FORM " (SELECT form FROM store_form)"

static STORE_STATEMENT(
	sql_get_point,
	"SELECT data_version, commits, mark, epoch, restored," SQLITE_FORM " FROM store_state",
	.postgres = "SELECT data_version, commits, mark, epoch, restored," POSTGRES_FORM
		    " FROM store_state");
static STORE_STATEMENT(sql_find_mark, "SELECT mark FROM store_marks WHERE slot = ?1");
static STORE_STATEMENT(sql_set_mark, "INSERT INTO store_marks (slot, mark) VALUES (?1, ?2)"
				     " ON CONFLICT (slot) DO UPDATE SET mark = excluded.mark");
static STORE_STATEMENT(sql_count_change,
		       "UPDATE store_state SET data_version = data_version + 1,"
		       " commits = commits + 1, mark = ?1 RETURNING data_version, commits,"
		       " (SELECT mark FROM store_marks WHERE slot = ?2)," SQLITE_FORM,
		       .postgres =
			       "UPDATE store_state SET data_version = data_version + 1,"
			       " commits = commits + 1, mark = ?1 RETURNING data_version, commits,"
			       " (SELECT mark FROM store_marks WHERE slot = ?2)," POSTGRES_FORM);
static STORE_STATEMENT(sql_set_point,
		       "UPDATE store_state SET data_version = ?1, pruned = ?1, restored = ?1,"
		       " commits = commits + 1, mark = ?2, epoch = ?3 RETURNING commits");
/* pg_restore adds foreign keys last, in the order of their tables */
static STORE_STATEMENT(sql_is_loaded, "SELECT count(*) FROM store_state",
		       .postgres =
			       "SELECT count(*) FROM pg_catalog.pg_constraint WHERE contype = 'f'"
			       " AND conrelid = 'watch_states'::regclass");
static STORE_STATEMENT(sql_get_database, "SELECT database_id FROM store_state");
static STORE_STATEMENT(sql_name_database,
		       "UPDATE store_state SET database_id = ?1, epoch = ?2, mark = ?3"
		       " RETURNING commits");

/* Transactions whose marks are in the table. A reader that has not looked for longer reads everything again. */
#define SLOTS 16384

/* Returns a positive number. */
static int64_t random_number(void)
{
	uint64_t number = 0;

	while (number == 0) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			number = 0;
		number &= INT64_MAX;
	}
	return (int64_t)number;
}

static int check_form(const char *path, int64_t form, struct pl_err *err)
{
	if (form <= STORE_NEWEST_FORM)
		return 0;
	return pl_err_set(err, PL_ERR_BUSY,
			  "'%s': a newer version upgraded the database; install it here, too",
			  path);
}

int store_point_read(struct store_sql *sql, struct store_point *ret, struct pl_err *err)
{
	auto_borrowed row = NULL;
	bool is_row = false;

	if (store_sql_cached(sql, &sql_get_point, &row, err) < 0 ||
	    store_sql_step(row, &is_row, err) < 0)
		return -1;
	*ret = (struct store_point){ 0 };
	if (!is_row)
		return pl_err_set(err, PL_ERR_IO, "'%s': table 'store_state' is empty",
				  store_sql_name(sql));
	ret->version = store_sql_i64(row, 0);
	ret->commits = store_sql_i64(row, 1);
	ret->mark = store_sql_i64(row, 2);
	ret->epoch = store_sql_i64(row, 3);
	ret->restored = store_sql_i64(row, 4);
	return check_form(store_sql_name(sql), store_sql_i64(row, 5), err);
}

int store_point_is_past(struct store_sql *sql, const struct store_point *point,
			const struct store_point *present, bool *ret, struct pl_err *err)
{
	auto_borrowed find = NULL;
	int64_t mark = 0;

	*ret = false;
	if (present->version < point->version || present->restored > point->version)
		return 0;
	/* a program without marks may have counted the version */
	*ret = present->mark == point->mark;
	if (*ret || present->version == point->version)
		return 0;
	if (store_sql_cached(sql, &sql_find_mark, &find, err) < 0)
		return -1;
	store_sql_bind_i64(find, 1, point->commits % SLOTS);
	if (store_sql_number(find, &mark, err) < 0)
		return -1;
	*ret = mark == point->mark;
	return 0;
}

int store_point_check_loaded(struct store_sql *sql, struct pl_err *err)
{
	auto_borrowed check = NULL;
	int64_t count = 0;

	if (store_sql_cached(sql, &sql_is_loaded, &check, err) < 0 ||
	    store_sql_number(check, &count, err) < 0)
		return -1;
	return count > 0 ? 0
			 : pl_err_set(err, PL_ERR_BUSY, "'%s': a dump is being loaded; retry later",
				      store_sql_name(sql));
}

static int set_mark(struct store_sql *sql, const struct store_point *point, struct pl_err *err)
{
	struct store_stmt *set;

	if (store_sql_cached(sql, &sql_set_mark, &set, err) < 0)
		return -1;
	store_sql_bind_i64(set, 1, point->commits % SLOTS);
	store_sql_bind_i64(set, 2, point->mark);
	return store_sql_finish_later(set, err);
}

static struct store_point last_point(struct store *store)
{
	pthread_mutex_lock(&store->point_lock);
	struct store_point point = store->point;
	pthread_mutex_unlock(&store->point_lock);
	return point;
}

void store_point_follow(struct store *store, const struct store_point *point)
{
	pthread_mutex_lock(&store->point_lock);
	store->point = *point;
	pthread_mutex_unlock(&store->point_lock);
}

int store_point_count(struct store *store, int64_t *ret_version, struct pl_err *err)
{
	auto_borrowed count = NULL;
	struct store_point last = last_point(store);
	struct store_point point = { .mark = random_number() };
	bool is_row = false;

	if (store_sql_cached(&store->writer, &sql_count_change, &count, err) < 0)
		return -1;
	store_sql_bind_i64(count, 1, point.mark);
	store_sql_bind_i64(count, 2, last.commits % SLOTS);
	if (store_sql_step(count, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return pl_err_set(err, PL_ERR_IO, "'%s': table 'store_state' is empty",
				  store->path);
	point.version = store_sql_i64(count, 0);
	point.commits = store_sql_i64(count, 1);
	int64_t found = store_sql_i64(count, 2), form = store_sql_i64(count, 3);
	if (store_sql_finish(count, err) < 0 || check_form(store->path, form, err) < 0)
		return -1;
	if (last.mark != 0 && found != last.mark) {
		atomic_store(&store->was_replaced, true);
		return pl_err_set(err, PL_ERR_BUSY,
				  "'%s': other data replaced the database; retry later",
				  store->path);
	}
	store->next_point = point;
	*ret_version = point.version;
	return set_mark(&store->writer, &point, err);
}

int store_point_replace(struct store_sql *sql, int64_t version, struct store_point *ret,
			struct pl_err *err)
{
	struct store_stmt *replace;

	*ret = (struct store_point){ .version = version,
				     .restored = version,
				     .mark = random_number(),
				     .epoch = random_number() };
	if (store_sql_cached(sql, &sql_set_point, &replace, err) < 0)
		return -1;
	store_sql_bind_i64(replace, 1, version);
	store_sql_bind_i64(replace, 2, ret->mark);
	store_sql_bind_i64(replace, 3, ret->epoch);
	if (store_sql_number(replace, &ret->commits, err) < 0)
		return -1;
	return set_mark(sql, ret, err);
}

bool store_point_is_renewed(const struct store_point *former, const struct store_point *present)
{
	return present->epoch != former->epoch && present->version > former->version;
}

int store_point_renew(struct store *store, const struct store_point *former, struct pl_err *err)
{
	struct store_point present;

	if (store_point_read(&store->writer, &present, err) < 0)
		return -1;
	/* another process may have done it */
	if (store_point_is_renewed(former, &present))
		return 0;
	int64_t version = former->version > present.version ? former->version : present.version;
	return store_point_replace(&store->writer, version + 1, &store->next_point, err);
}

void store_forget_former(struct store *store)
{
	const struct store_point unknown = { 0 };

	store_point_follow(store, &unknown);
	store_dictionaries_forget(store->dictionaries);
	store_path_index_forget(store);
	store_field_index_doubt(store);
	atomic_fetch_add(&store->generation, 1);
}

/* ---- the id of the database ------------------------------------------------------------------ */

static int read_id(struct store_sql *sql, char ret[STORE_DATABASE_ID_BYTES], struct pl_err *err)
{
	auto_borrowed row = NULL;
	bool is_row = false;

	if (store_sql_cached(sql, &sql_get_database, &row, err) < 0 ||
	    store_sql_step(row, &is_row, err) < 0)
		return -1;
	const char *id = is_row ? store_sql_text(row, 0) : NULL;
	snprintf(ret, STORE_DATABASE_ID_BYTES, "%s", id != NULL ? id : "");
	return 0;
}

int store_lineage_name(struct store *store, struct pl_err *err)
{
	char id[STORE_DATABASE_ID_BYTES];
	struct store_point point = { .mark = random_number() };
	struct store_stmt *set;

	/* another process may have done it while this one waited */
	if (read_id(&store->writer, id, err) < 0)
		return -1;
	if (id[0] != '\0')
		return 0;
	snprintf(id, sizeof(id), "%016llx%016llx", (unsigned long long)random_number(),
		 (unsigned long long)random_number());
	if (store_sql_cached(&store->writer, &sql_name_database, &set, err) < 0)
		return -1;
	store_sql_bind_text(set, 1, id);
	store_sql_bind_i64(set, 2, random_number());
	store_sql_bind_i64(set, 3, point.mark);
	/* the migration may have changed rows in this transaction */
	if (store_sql_number(set, &point.commits, err) < 0)
		return -1;
	return set_mark(&store->writer, &point, err);
}

int store_lineage_read(struct store *store, struct pl_err *err)
{
	return read_id(&store->writer, store->database_id, err) < 0
		       ? -1
		       : store_point_read(&store->writer, &store->point, err);
}
