/* Copies an SQLite database while others write to it. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/db/sqlite_priv.h"

/* 2 MiB of 8 KiB pages: short enough for steady progress, long enough to read ahead. */
#define STEP_PAGES    256
#define BUSY_TRIES    400
#define BUSY_PAUSE_NS (50 * PL_NS_PER_MS)

/* Only the owner can read it. */
static int make_private(const char *path, struct pl_err *err)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 ? 0 : pl_err_errno(err, "could not write '%s'", path);
}

/*
 * The transaction of `from` holds one snapshot of the log, so that no write restarts the copy. In this mode a reader
 * blocks no writer.
 */
static int copy_pages(sqlite3_backup *backup, sqlite3 *to, const struct store_sql_watch *watch,
		      struct pl_err *err)
{
	int tries = 0, status;

	while ((status = sqlite3_backup_step(backup, STEP_PAGES)) != SQLITE_DONE) {
		int total = sqlite3_backup_pagecount(backup);
		if ((status & 0xff) == SQLITE_BUSY && tries++ < BUSY_TRIES) {
			pl_clock_sleep_until(pl_clock_now_ns() + BUSY_PAUSE_NS);
			continue;
		}
		if (status != SQLITE_OK)
			break;
		tries = 0;
		watch->progress(watch->context, total - sqlite3_backup_remaining(backup), total);
	}
	if (sqlite3_backup_finish(backup) != SQLITE_OK || status != SQLITE_DONE)
		return store_sqlite_fail(to, err);
	return 0;
}

static int copy_all(sqlite3 *from, sqlite3 *to, const struct store_sql_watch *watch,
		    struct pl_err *err)
{
	if (sqlite3_exec(to, "PRAGMA synchronous = FULL", NULL, NULL, NULL) != SQLITE_OK)
		return store_sqlite_fail(to, err);
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
	if (backup == NULL)
		return store_sqlite_fail(to, err);
	if (copy_pages(backup, to, watch, err) < 0)
		return -1;
	/* the copy is one file, without a log */
	if (sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) != SQLITE_OK)
		return store_sqlite_fail(to, err);
	return 0;
}

int store_sqlite_dump(struct store_sql *sql, const char *path, const struct store_sql_watch *watch,
		      struct pl_err *err)
{
	auto_free char *plain = pl_asprintf("%s%s", path[0] == '/' ? "" : "./", path);
	sqlite3 *to = NULL;
	int result = -1;

	if (make_private(plain, err) < 0)
		return -1;
	if (sqlite3_open_v2(plain, &to,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			    NULL) != SQLITE_OK)
		store_sqlite_fail(to, err);
	else
		result = copy_all(store_sqlite_db(sql), to, watch, err);
	sqlite3_close(to);
	return result;
}

/* A connection that has read the log holds a shared lock on the file, which prevents the change of the mode. */
int store_sqlite_retire(const char *path, struct pl_err *err)
{
	auto_free char *plain = pl_asprintf("%s%s", path[0] == '/' ? "" : "./", path);
	sqlite3 *db = NULL;
	int result = 0;

	if (sqlite3_open_v2(plain, &db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			    NULL) != SQLITE_OK ||
	    sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) != SQLITE_OK) {
		if ((sqlite3_errcode(db) & 0xff) == SQLITE_BUSY)
			result = pl_err_set(err, PL_ERR_BUSY,
					    "'%s' is in use by another process; stop it first",
					    path);
		else
			result = store_sqlite_fail(db, err);
	}
	sqlite3_close(db);
	return result;
}

/* Nothing is written next to the file, which may be on a medium that cannot be written. */
int store_sqlite_check_file(const char *path, char **ret, struct pl_err *err)
{
	auto_free char *name = pl_text_replace(path, "%", "%25");
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	int result = -1;

	for (int i = 0; i < 2; i++) {
		char *escaped = pl_text_replace(name, i == 0 ? "?" : "#", i == 0 ? "%3f" : "%23");
		free(name);
		name = escaped;
	}
	auto_free char *uri = pl_asprintf("file:%s%s?immutable=1", path[0] == '/' ? "" : "./",
					  name);
	*ret = NULL;
	if (sqlite3_open_v2(uri, &db,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
				    SQLITE_OPEN_EXRESCODE,
			    NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &statement, NULL) !=
		    SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW) {
		store_sqlite_fail(db, err);
	} else {
		const char *found = pl_must((void *)sqlite3_column_text(statement, 0));
		if (!pl_text_equal(found, "ok"))
			*ret = pl_strdup(found);
		result = 0;
	}
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return result;
}
