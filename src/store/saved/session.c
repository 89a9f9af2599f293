#include "store/saved/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "store/store_priv.h"

#define COLUMNS "hash, name, role, salt, started, expires"

static STORE_STATEMENT(sql_add_session, "INSERT INTO sessions (" COLUMNS ")"
					" VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
static STORE_STATEMENT(sql_remove_session, "DELETE FROM sessions WHERE hash = ?1");
static STORE_STATEMENT(sql_expire_sessions, "DELETE FROM sessions WHERE expires <= ?1");
/* The user's oldest sessions beyond the limit. */
static STORE_STATEMENT(
	sql_limit_sessions,
	"DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE name = ?1"
	" ORDER BY started DESC, hash LIMIT ?2 OFFSET ?3)");
static STORE_STATEMENT(sql_get_session,
		       "SELECT " COLUMNS " FROM sessions WHERE hash = ?1 AND expires > ?2");
static STORE_STATEMENT(sql_list_sessions, "SELECT " COLUMNS " FROM sessions WHERE expires > ?1"
					  " ORDER BY started, hash LIMIT ?2");

/* ---- writing ------------------------------------------------------------------------------- */

static int make_room(struct store *store, const char *name, int64_t now_s, int64_t max,
		     struct pl_err *err)
{
	struct store_stmt *statement;

	if (store_sql_cached(&store->writer, &sql_expire_sessions, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, now_s);
	if (store_sql_finish(statement, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_limit_sessions, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, name);
	store_sql_bind_i64(statement, 2, STORE_SESSIONS_MAX);
	store_sql_bind_i64(statement, 3, max - 1);
	int rc = store_sql_finish(statement, err);
	store_sql_clear(statement);
	return rc;
}

static int add(struct store *store, const struct store_session *session, int64_t now_s, int64_t max,
	       struct pl_err *err)
{
	struct store_stmt *statement;

	if (make_room(store, session->name, now_s, max, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_add_session, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, session->hash);
	store_sql_bind_text(statement, 2, session->name);
	store_sql_bind_text(statement, 3, session->role);
	store_sql_bind_text(statement, 4, session->salt);
	store_sql_bind_i64(statement, 5, session->started_us);
	store_sql_bind_i64(statement, 6, session->expires_s);
	int rc = store_sql_finish(statement, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return rc;
}

int store_session_add(struct store *store, const struct store_session *session, int64_t now_s,
		      int64_t max, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, add(store, session, now_s, max, err), err);
}

static int remove_row(struct store *store, const char *hash, struct pl_err *err)
{
	struct store_stmt *statement;

	if (store_sql_cached(&store->writer, &sql_remove_session, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, hash);
	int rc = store_sql_finish(statement, err);
	store_sql_clear(statement);
	return rc;
}

int store_session_remove(struct store *store, const char *hash, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, remove_row(store, hash, err), err);
}

/* ---- reading ------------------------------------------------------------------------------- */

static void copy_text(char *ret, size_t room, struct store_stmt *row, int column)
{
	const char *text = store_sql_text(row, column);

	snprintf(ret, room, "%s", text != NULL ? text : "");
}

static void read_row(struct store_stmt *row, struct store_session *ret)
{
	copy_text(ret->hash, sizeof(ret->hash), row, 0);
	copy_text(ret->name, sizeof(ret->name), row, 1);
	copy_text(ret->role, sizeof(ret->role), row, 2);
	copy_text(ret->salt, sizeof(ret->salt), row, 3);
	ret->started_us = store_sql_i64(row, 4);
	ret->expires_s = store_sql_i64(row, 5);
}

static int get(struct store_sql *sql, const char *hash, int64_t now_s, struct store_session *ret,
	       bool *ret_is_found, struct pl_err *err)
{
	auto_borrowed row = NULL;

	if (store_sql_cached(sql, &sql_get_session, &row, err) < 0)
		return -1;
	store_sql_bind_text(row, 1, hash);
	store_sql_bind_i64(row, 2, now_s);
	int found = store_sql_next(row, err);
	if (found < 0)
		return -1;
	*ret_is_found = found > 0;
	if (found > 0)
		read_row(row, ret);
	return 0;
}

int store_session_get(struct store *store, const char *hash, int64_t now_s,
		      struct store_session *ret, bool *ret_is_found, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int rc = get(&store->reader, hash, now_s, ret, ret_is_found, err);
	pthread_mutex_unlock(&store->read_lock);
	return rc;
}

static int list(struct store_sql *sql, int64_t now_s, struct store_session **ret, size_t *ret_count,
		struct pl_err *err)
{
	auto_free struct store_session *items = NULL;
	size_t count = 0, room = 0;
	auto_borrowed row = NULL;
	bool is_row = false;

	if (store_sql_cached(sql, &sql_list_sessions, &row, err) < 0)
		return -1;
	store_sql_bind_i64(row, 1, now_s);
	store_sql_bind_i64(row, 2, STORE_SESSIONS_MAX);
	for (;;) {
		if (store_sql_step(row, &is_row, err) < 0)
			return -1;
		if (!is_row)
			break;
		read_row(row, PL_PUSH(items, count, room));
	}
	*ret = pl_take(items);
	*ret_count = count;
	return 0;
}

int store_session_list(struct store *store, int64_t now_s, struct store_session **ret,
		       size_t *ret_count, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int rc = list(&store->reader, now_s, ret, ret_count, err);
	pthread_mutex_unlock(&store->read_lock);
	return rc;
}
