/* A database that is an SQLite file. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/db/runs_priv.h"
#include "store/db/sqlite_priv.h"

/* How long emptying the log waits for other processes' writes; it can be done later. */
#define LOG_BUSY_MS    200
#define LOG_TRIES      200
#define LOG_PAUSE_NS   (50 * PL_NS_PER_MS)
#define APPLICATION_ID 0x50464c4d /* "PFLM" */

struct connection {
	sqlite3 *db;
	char *name;  /* the name used to open it */
	int jobs_fd; /* the lock on the jobs; -1: not held */
};

struct statement {
	struct store_stmt base;
	sqlite3_stmt *handle;
	int bind_status; /* of the first parameter that could not be bound: the next step fails with it */
};

static sqlite3 *db_of(const struct store_sql *sql)
{
	const struct connection *connection = sql->connection;

	return connection->db;
}

sqlite3 *store_sqlite_db(const struct store_sql *sql)
{
	return db_of(sql);
}

static sqlite3_stmt *handle(const struct store_stmt *statement)
{
	return ((const struct statement *)statement)->handle;
}

/* ---- errors -------------------------------------------------------------------------------- */

static enum pl_err_code code_of(int status)
{
	switch (status) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return PL_ERR_BUSY;
	case SQLITE_NOTADB:
	case SQLITE_TOOBIG:
		return PL_ERR_INVALID;
	case SQLITE_FULL:
		return PL_ERR_FULL;
	case SQLITE_IOERR:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CORRUPT:
		return PL_ERR_IO;
	default:
		return PL_ERR_INTERNAL;
	}
}

/* Sets the error of a failed call; returns -1. */
static int fail(sqlite3 *db, struct pl_err *err)
{
	const char *path = db != NULL ? sqlite3_db_filename(db, NULL) : NULL;
	int status = sqlite3_errcode(db) & 0xff; /* without the extended code */

	if (path == NULL || path[0] == '\0')
		path = "database";
	if (status == SQLITE_NOTADB)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is not a SQLite database", path);
	return pl_err_set(err, code_of(status), "'%s': %s", path, sqlite3_errmsg(db));
}

int store_sqlite_fail(sqlite3 *db, struct pl_err *err)
{
	return fail(db, err);
}

/* ---- the connection ------------------------------------------------------------------------ */

static void sqlite_close(struct store_sql *sql)
{
	struct connection *connection = sql->connection;

	sqlite3_close(connection->db);
	pl_fd_close(&connection->jobs_fd);
	free(connection->name);
	free(connection);
}

/*
 * Locks and logs are named after the database, so two processes with different names for it would write concurrently.
 */
static int check_links(const char *path, const char *name, struct pl_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink <= 1)
		return 0;
	return pl_err_invalid(err,
			      "'%s': found %ju hard links to this database, expected one; remove "
			      "the other names or copy the file",
			      name, (uintmax_t)st.st_nlink);
}

/* Writes to a file that was unlinked or renamed would be lost at the end of the process. */
static int check_place(struct store_sql *sql, struct pl_err *err)
{
	int moved = 0;

	if (sqlite3_file_control(db_of(sql), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
	    moved == 0)
		return 0;
	return pl_err_set(err, PL_ERR_IO,
			  "'%s': the database file was moved, deleted or replaced while it was "
			  "open; put it back, or restart the server",
			  sqlite3_db_filename(db_of(sql), "main"));
}

/* Only the owner can read a new database; SQLite gives its log and its index the same mode. */
static void make_private(const char *path)
{
	auto_fd int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* SQLite reports failures, and opens existing files */
}

static int sqlite_open(struct store_sql *sql, const char *name, bool create, struct pl_err *err)
{
	/* ":memory:" and "file:…" would have a special meaning */
	auto_free char *plain = pl_asprintf("%s%s", name[0] == '/' ? "" : "./", name);
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
		    (create ? SQLITE_OPEN_CREATE : 0);
	struct connection *connection = pl_alloc(sizeof(*connection));

	connection->jobs_fd = -1;
	connection->name = pl_strdup(name);
	sql->connection = connection;
	if (check_links(plain, name, err) < 0) {
		sqlite_close(sql);
		return -1;
	}
	if (create)
		make_private(plain);
	if (sqlite3_open_v2(plain, &connection->db, flags, NULL) != SQLITE_OK) {
		int status = sqlite3_errcode(connection->db) & 0xff;
		pl_err_set(err, code_of(status), "could not open '%s': %s", name,
			   sqlite3_errmsg(connection->db));
		sqlite_close(sql);
		return -1;
	}
	sqlite3_busy_timeout(connection->db, STORE_SQL_PATIENCE_MS);
	return 0;
}

static int sqlite_run(struct store_sql *sql, const char *text, struct pl_err *err)
{
	if (sqlite3_exec(db_of(sql), text, NULL, NULL, NULL) != SQLITE_OK)
		return fail(db_of(sql), err);
	return 0;
}

static const char *sqlite_name(const struct store_sql *sql)
{
	const struct connection *connection = sql->connection;

	return connection->name;
}

static int sqlite_use(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	static const char *const texts[] = {
		[STORE_SQL_READ] = "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;",
		/* SQL in a file from elsewhere may not call functions with side effects */
		[STORE_SQL_WRITE] = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;"
				    /*
			 * for a new file: a row of a thousand columns fits in a page, and is read at startup in half
			 * the time of a row with overflow pages
			 */
				    "PRAGMA page_size = 8192;"
				    /* the bytes of a job may contain secrets */
				    "PRAGMA secure_delete = ON;",
	};

	return sqlite_run(sql, texts[access], err);
}

/* If two processes open a new file at the same time, one gets SQLITE_BUSY without waiting, so it must retry. */
static int sqlite_claim(struct store_sql *sql, struct pl_err *err)
{
	static const char text[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

	for (int tries = 0; tries < LOG_TRIES; tries++) {
		if (sqlite_run(sql, text, err) == 0)
			return 0;
		if (err->code != PL_ERR_BUSY)
			return -1;
		pl_clock_sleep_until(pl_clock_now_ns() + LOG_PAUSE_NS);
	}
	return -1;
}

static void sqlite_set_patience(struct store_sql *sql, int ms)
{
	sqlite3_busy_timeout(db_of(sql), ms);
}

static int sqlite_begin(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	if (check_place(sql, err) < 0)
		return -1;
	return sqlite_run(sql, access == STORE_SQL_WRITE ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

static void sqlite_rollback(struct store_sql *sql)
{
	struct pl_err ignored = PL_ERR_INIT;

	/* some failures have already ended it */
	if (sqlite3_get_autocommit(db_of(sql)) == 0 && sqlite_run(sql, "ROLLBACK", &ignored) < 0)
		pl_err_wrap(&ignored, "rollback");
}

static int sqlite_commit(struct store_sql *sql, struct pl_err *err)
{
	if (sqlite_run(sql, "COMMIT", err) == 0)
		return 0;
	sqlite_rollback(sql);
	return -1;
}

static int sqlite_empty_log(struct store_sql *sql, struct pl_err *err)
{
	sqlite3 *db = db_of(sql);

	sqlite3_busy_timeout(db, LOG_BUSY_MS);
	int status = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(db, STORE_SQL_PATIENCE_MS);
	return status == SQLITE_OK ? 0 : fail(db, err);
}

/* ---- ownership of jobs --------------------------------------------------------------------- */

/*
 * Returns "123", the id of the process that holds it, or "another". The file is never removed: that would allow two
 * owners.
 */
static char *owner_of(int fd)
{
	char text[32] = "";
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	text[got > 0 ? (size_t)got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0' ? pl_asprintf("process %s", text) : pl_strdup("another process");
}

static int sqlite_claim_jobs(struct store_sql *sql, struct pl_err *err)
{
	struct connection *connection = sql->connection;

	if (connection->jobs_fd >= 0)
		return 0;
	/* SQLite's name: the same for every link to the database */
	const char *file = sqlite3_db_filename(connection->db, "main");
	auto_free char *path = pl_asprintf("%s-jobs", file);
	auto_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	/* flock(2) instead of fcntl(2): SQLite's own locks are fcntl locks, which closing this file would drop */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		auto_free char *owner = owner_of(fd);
		return pl_err_set(err, PL_ERR_BUSY, "'%s' is in use by %s", connection->name,
				  owner);
	}
	auto_free char *text = pl_asprintf("%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, strlen(text), 0) < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	connection->jobs_fd = pl_take_fd(fd);
	return 0;
}

/* The process holds a file lock until its end. */
static unsigned sqlite_jobs_hold(const struct store_sql *sql)
{
	const struct connection *connection = sql->connection;

	return connection->jobs_fd >= 0 ? 1 : 0;
}

/* ---- statements ---------------------------------------------------------------------------- */

static int sqlite_prepare(struct store_sql *sql, const char *text, bool is_cursor,
			  struct store_stmt **ret, struct pl_err *err)
{
	(void)is_cursor; /* every SQLite statement is one */
	sqlite3_stmt *prepared;

	if (sqlite3_prepare_v2(db_of(sql), text, -1, &prepared, NULL) != SQLITE_OK)
		return fail(db_of(sql), err);
	struct statement *statement = pl_alloc(sizeof(*statement));
	statement->handle = prepared;
	*ret = &statement->base;
	return 0;
}

/* A parameter that could not be bound would become NULL in the row. */
static int fail_bind(struct statement *statement, struct pl_err *err)
{
	int status = statement->bind_status & 0xff;

	statement->bind_status = SQLITE_OK;
	sqlite3_reset(statement->handle);
	return pl_err_set(err, code_of(status), "'%s': %s", sqlite_name(statement->base.sql),
			  sqlite3_errstr(status));
}

static int sqlite_step(struct store_stmt *statement, bool *ret_row, struct pl_err *err)
{
	if (((struct statement *)statement)->bind_status != SQLITE_OK)
		return fail_bind((struct statement *)statement, err);
	if (!sqlite3_stmt_busy(handle(statement)) && check_place(statement->sql, err) < 0)
		return -1;
	int status = sqlite3_step(handle(statement));

	if (status == SQLITE_ROW) {
		*ret_row = true;
		return 0;
	}
	if (status != SQLITE_DONE) {
		fail(db_of(statement->sql), err);
		sqlite3_reset(handle(statement));
		return -1;
	}
	sqlite3_reset(handle(statement));
	*ret_row = false;
	return 0;
}

static void sqlite_reset(struct store_stmt *statement)
{
	sqlite3_reset(handle(statement));
	((struct statement *)statement)->bind_status = SQLITE_OK;
}

static void sqlite_drop(struct store_stmt *statement)
{
	sqlite3_finalize(handle(statement));
	free(statement);
}

static int bind(sqlite3_stmt *handle, int at, const struct store_sql_value *value)
{
	sqlite3_destructor_type keeps = value->is_brief ? SQLITE_TRANSIENT : SQLITE_STATIC;

	switch (value->type) {
	case STORE_SQL_INTEGER:
		return sqlite3_bind_int64(handle, at, value->integer);
	case STORE_SQL_REAL:
		return sqlite3_bind_double(handle, at, value->real);
	case STORE_SQL_TEXT:
		return sqlite3_bind_text64(handle, at, value->data, value->len, keeps, SQLITE_UTF8);
	case STORE_SQL_BYTES:
		return sqlite3_bind_blob64(handle, at, value->data, value->len, keeps);
	default:
		return sqlite3_bind_null(handle, at);
	}
}

static void sqlite_bind(struct store_stmt *statement, int at, const struct store_sql_value *value)
{
	int status = bind(handle(statement), at, value);

	if (((struct statement *)statement)->bind_status == SQLITE_OK)
		((struct statement *)statement)->bind_status = status;
}

static void sqlite_clear(struct store_stmt *statement)
{
	sqlite3_clear_bindings(handle(statement));
	((struct statement *)statement)->bind_status = SQLITE_OK;
}

bool store_sqlite_is_null(struct store_stmt *statement, int at)
{
	return sqlite3_column_type(handle(statement), at) == SQLITE_NULL;
}

static void sqlite_value(struct store_stmt *statement, int at, struct store_sql_value *ret)
{
	/* only one lookup per column, because a row has a thousand of them */
	sqlite3_value *value = sqlite3_column_value(handle(statement), at);

	*ret = (struct store_sql_value){ .type = STORE_SQL_NULL };
	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		ret->type = STORE_SQL_INTEGER;
		ret->integer = sqlite3_value_int64(value);
		break;
	case SQLITE_FLOAT:
		ret->type = STORE_SQL_REAL;
		ret->real = sqlite3_value_double(value);
		break;
	case SQLITE_TEXT:
		ret->type = STORE_SQL_TEXT;
		/* SQLite may copy a text to append a NUL */
		ret->data = pl_must((void *)sqlite3_value_text(value));
		ret->len = (size_t)sqlite3_value_bytes(value);
		break;
	case SQLITE_BLOB:
		ret->type = STORE_SQL_BYTES;
		ret->data = sqlite3_value_blob(value);
		ret->len = (size_t)sqlite3_value_bytes(value);
		break;
	default:
		break;
	}
}

static const char *sqlite_text(struct store_stmt *statement, int at)
{
	if (store_sqlite_is_null(statement, at))
		return NULL;
	return pl_must((void *)sqlite3_column_text(handle(statement), at));
}

/* ---- owner and version --------------------------------------------------------------------- */

/* Returns the only column of the only row of a query. */
static int ask_number(struct store_sql *sql, const char *text, int64_t *ret, struct pl_err *err)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db_of(sql), text, -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW) {
		fail(db_of(sql), err);
		sqlite3_finalize(statement);
		return -1;
	}
	*ret = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return 0;
}

static int sqlite_get_form(struct store_sql *sql, int64_t *ret, struct pl_err *err)
{
	int64_t application = 0, tables = 0, form = 0;

	if (ask_number(sql, "PRAGMA application_id", &application, err) < 0 ||
	    ask_number(sql, "PRAGMA user_version", &form, err) < 0 ||
	    ask_number(sql, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0)
		return -1;
	if (application != APPLICATION_ID && (application != 0 || tables > 0))
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' is the database of another program: found application_id "
				  "%lld, expected %d",
				  sqlite_name(sql), (long long)application, APPLICATION_ID);
	*ret = form;
	return 0;
}

static int sqlite_check(struct store_sql *sql, char **ret, struct pl_err *err)
{
	sqlite3_stmt *statement = NULL;
	int status = sqlite3_prepare_v2(db_of(sql), "PRAGMA integrity_check(1)", -1, &statement,
					NULL);

	if (status == SQLITE_OK)
		status = sqlite3_step(statement);
	const char *found = NULL;
	if (status != SQLITE_ROW)
		fail(db_of(sql), err);
	else
		found = pl_must((void *)sqlite3_column_text(statement, 0));
	if (found != NULL && strcmp(found, "ok") != 0)
		*ret = pl_strdup(found);
	sqlite3_finalize(statement);
	return status == SQLITE_ROW ? 0 : -1;
}

static int sqlite_set_form(struct store_sql *sql, int64_t form, struct pl_err *err)
{
	auto_free char *marks = pl_asprintf(
		"PRAGMA application_id = %d; PRAGMA user_version = %lld", APPLICATION_ID,
		(long long)form);

	return sqlite_run(sql, marks, err);
}

const struct store_sql_driver store_sqlite_driver = {
	.runs = &store_sqlite_runs_driver,
	.name = sqlite_name,
	.use = sqlite_use,
	.claim = sqlite_claim,
	.get_form = sqlite_get_form,
	.set_form = sqlite_set_form,
	.open = sqlite_open,
	.close = sqlite_close,
	.set_patience = sqlite_set_patience,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.run = sqlite_run,
	.make = sqlite_run,
	.empty_log = sqlite_empty_log,
	.check = sqlite_check,
	.dump = store_sqlite_dump,
	.claim_jobs = sqlite_claim_jobs,
	.jobs_hold = sqlite_jobs_hold,
	.prepare = sqlite_prepare,
	.step = sqlite_step,
	.reset = sqlite_reset,
	.drop = sqlite_drop,
	.bind = sqlite_bind,
	.clear = sqlite_clear,
	.value = sqlite_value,
	.text = sqlite_text,
};
