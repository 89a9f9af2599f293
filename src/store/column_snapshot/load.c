#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/column_snapshot/column_snapshot_priv.h"

static STORE_STATEMENT(sql_find_token,
		       "SELECT data_version FROM column_snapshots WHERE token = ?1");
static STORE_STATEMENT(sql_get_restored_at, "SELECT restored FROM store_state");

#define THREADS_MAX 8

/* NOT_FOUND: there is no file. */
static int open_file(const char *path, int *ret, struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' does not exist", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not open it");
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022) != 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "it is not a file that only this user can write");
	*ret = pl_take_fd(fd);
	return 0;
}

static int read_number(struct store_sql *sql, const struct store_statement *which,
		       const char *token, int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_cached(sql, which, &statement, err) < 0)
		return -1;
	if (token != NULL)
		store_sql_bind_text(statement, 1, token);
	return store_sql_number(statement, ret, err);
}

/* Fails with INVALID if the data of the database does not contain the data of the snapshot. */
static int check_database(struct store_sql *sql, const struct mirror_image_head *head,
			  struct pl_err *err)
{
	int64_t version = 0, saved = 0, restored = 0;

	if (read_number(sql, &store_sql_get_version, NULL, &version, err) < 0 ||
	    read_number(sql, &sql_find_token, head->token, &saved, err) < 0 ||
	    read_number(sql, &sql_get_restored_at, NULL, &restored, err) < 0)
		return -1;
	if (saved <= 0 || saved != head->version)
		return pl_err_set(err, PL_ERR_INVALID, "it is of another database");
	if (restored > head->version || version < head->version)
		return pl_err_set(err, PL_ERR_INVALID, "the data was replaced since");
	return 0;
}

static int load(struct store *store, struct store_sql *sql, struct mirror *mirror,
		struct mirror_image_head *head, struct pl_err *err)
{
	auto_fd int fd = -1;
	char form[PL_SHA256_HEX_BYTES];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (open_file(store->column_snapshot->path, &fd, err) < 0 ||
	    mirror_image_read_head(fd, head, err) < 0)
		return -1;
	mirror_image_form(mirror, store->column_snapshot->database_form, form);
	if (strcmp(form, head->form) != 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "it is of another version of the program or its fields");
	if (store_sql_begin(sql, STORE_SQL_READ, err) < 0)
		return -1;
	int result = check_database(sql, head, err);
	store_sql_rollback(sql);
	if (result < 0)
		return -1;
	return mirror_image_read(mirror, fd,
				 processors < 1             ? 1
				 : processors > THREADS_MAX ? THREADS_MAX
							    : (unsigned)processors,
				 err);
}

int store_column_snapshot_check(struct store *store, struct store_sql *sql, struct pl_err *err)
{
	if (check_database(sql, &store->column_snapshot->loaded, err) == 0)
		return 0;
	store->column_snapshot->version = COLUMN_SNAPSHOT_NONE;
	return -1;
}

bool store_column_snapshot_load(struct store *store, struct store_sql *sql, struct mirror *mirror,
				int64_t *ret_version)
{
	struct store_column_snapshot *snapshot = store->column_snapshot;
	struct mirror_image_head head;
	struct pl_err err = PL_ERR_INIT;
	int64_t begin_ns = pl_clock_now_ns();

	if (snapshot == NULL)
		return false;
	if (load(store, sql, mirror, &head, &err) < 0) {
		if (err.code != PL_ERR_NOT_FOUND)
			pl_log(PL_LOG_WARNING,
			       "column snapshot '%s': not used, all results are read from the "
			       "database: %s",
			       snapshot->path, err.text);
		return false;
	}
	pl_log(PL_LOG_DEBUG, "column snapshot '%s': read %llu results in %.3f s", snapshot->path,
	       (unsigned long long)head.rows, (double)(pl_clock_now_ns() - begin_ns) / PL_NS_PER_S);
	snapshot->loaded = head;
	*ret_version = snapshot->version = head.version;
	return true;
}
