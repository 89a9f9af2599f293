/*
 * When the file is written: a start reads the rows that changed after it, at about 0.1 ms each, so a few changes are not
 * worth a new file. The thread uses at most a twentieth of the time for it.
  *
 * The file is written under a temporary name and locked meanwhile, and the token follows it into the database before the
 * rename. After a kill, the next writer overwrites the temporary file; a token without a file has no effect.
 */
#include "store/column_snapshot/column_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/unique.h"
#include "mirror/mirror.h"
#include "store/artifacts/files.h"
#include "store/column_snapshot/column_snapshot_priv.h"
#include "store/status.h"

#define ROWS_MIN      2000 /* fewer are read from the database at once */
#define LOOK_NS       PL_NS_PER_S
#define GAP_MIN_NS    (30 * PL_NS_PER_S)
#define GAP_PER_COST  20
#define CHANGES_MIN   1000
#define ROWS_PER_MANY 50  /* changes: one of so many rows are enough at any time */
#define ROWS_PER_FEW  500 /* ... after AGE_NS, and at the end */
#define AGE_NS        (15 * 60 * PL_NS_PER_S)
#define NICE          10

/*
 * Adds nothing if the database does not contain the data of this version: it was replaced meanwhile. The mark is that of
 * the transaction which the data is from (lineage.c).
 */
static STORE_STATEMENT(
	sql_add_token,
	"INSERT INTO column_snapshots (token, data_version, created)"
	" SELECT CAST(?1 AS TEXT), CAST(?2 AS BIGINT), CAST(?3 AS TEXT) FROM store_state"
	" WHERE data_version >= ?2 AND restored <= ?2"
	" AND EXISTS (SELECT 1 FROM store_marks WHERE mark = CAST(?4 AS BIGINT)) RETURNING id");
static STORE_STATEMENT(sql_drop_tokens, "DELETE FROM column_snapshots WHERE id <= ?1");

#define TOKENS_MAX 256 /* more than the processes that use one database */

static int open_temporary(const struct store_column_snapshot *snapshot, int *ret,
			  struct pl_err *err)
{
	const char *path = snapshot->temporary;
	struct stat opened, named;

	if (snapshot->folder != NULL && pl_file_make_dir(snapshot->folder, 0700, err) < 0)
		return -1;
	auto_fd int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return pl_err_set(err, PL_ERR_BUSY, "another process is writing '%s'", path);
	/* another process may have renamed it before this lock */
	if (fstat(fd, &opened) < 0 || lstat(path, &named) < 0 || opened.st_ino != named.st_ino ||
	    opened.st_dev != named.st_dev)
		return pl_err_set(err, PL_ERR_BUSY, "another process has written '%s'", path);
	if (!S_ISREG(opened.st_mode) || opened.st_uid != geteuid() || opened.st_nlink != 1)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is not a file of this user", path);
	if (fchmod(fd, 0600) < 0 || ftruncate(fd, 0) < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	*ret = pl_take_fd(fd);
	return 0;
}

/* Within a transaction. */
static int add_token(struct store *store, const struct mirror_image_head *head, int64_t mark,
		     struct pl_err *err)
{
	auto_borrowed add = NULL;
	struct store_stmt *drop;
	int64_t id = 0;
	char created[32];

	store_now(created);
	if (store_sql_cached(&store->writer, &sql_add_token, &add, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_drop_tokens, &drop, err) < 0)
		return -1;
	store_sql_bind_text(add, 1, head->token);
	store_sql_bind_i64(add, 2, head->version);
	store_sql_bind_text(add, 3, created);
	store_sql_bind_i64(add, 4, mark);
	if (store_sql_number(add, &id, err) < 0)
		return -1;
	if (id == 0)
		return pl_err_set(err, PL_ERR_BUSY, "the data was replaced meanwhile");
	store_sql_bind_i64(drop, 1, id - TOKENS_MAX);
	return store_sql_finish(drop, err);
}

static int keep_token(struct store *store, const struct mirror_image_head *head, int64_t mark,
		      struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, add_token(store, head, mark, err), err);
}

static int write_file(struct store *store, const struct mirror_snapshot *mirrored, int fd,
		      const struct mirror_image_head *head, struct pl_err *err)
{
	struct store_column_snapshot *snapshot = store->column_snapshot;

	if (mirror_image_write(mirrored, head, fd, &snapshot->stop, err) < 0 ||
	    keep_token(store, head, mirror_snapshot_mark(mirrored), err) < 0)
		return -1;
	if (rename(snapshot->temporary, snapshot->path) < 0)
		return pl_err_errno(err, "could not write '%s'", snapshot->path);
	snapshot->version = head->version;
	snapshot->epoch = mirror_snapshot_epoch(mirrored);
	return pl_file_sync_dir_of(snapshot->path, err);
}

int store_column_snapshot_save(struct store *store, struct pl_err *err)
{
	struct store_column_snapshot *snapshot = store->column_snapshot;
	auto_snapshot struct mirror_snapshot *mirrored = store_memory_take(store);
	struct mirror_image_head head = { .version = mirror_snapshot_version(mirrored) };
	auto_fd int fd = -1;

	snprintf(head.token, sizeof(head.token), "%08x%08x%08x%08x", pl_unique_u32(),
		 pl_unique_u32(), pl_unique_u32(), pl_unique_u32());
	store_memory_form(store, snapshot->database_form, head.form);
	if (open_temporary(snapshot, &fd, err) < 0)
		return -1;
	int result = write_file(store, mirrored, fd, &head, err);
	if (result < 0)
		(void)unlink(snapshot->temporary);
	return result;
}

/* ---- when ---------------------------------------------------------------------------------------- */

void store_column_snapshot_open(struct store *store, int64_t database_form)
{
	struct store_column_snapshot *snapshot = store->column_snapshot = pl_alloc(
		sizeof(*snapshot));

	snapshot->version = COLUMN_SNAPSHOT_NONE;
	snapshot->database_form = database_form;
	pl_pause_init(&snapshot->pause);
	if (store_is_shared(store)) {
		snapshot->folder = pl_strdup(store_files_folder(store->files));
		snapshot->path = pl_asprintf("%s/columns", snapshot->folder);
	} else {
		auto_free char *real = realpath(store->path, NULL);
		snapshot->path = pl_asprintf("%s.columns", real != NULL ? real : store->path);
	}
	snapshot->temporary = pl_asprintf("%s.new", snapshot->path);
}

/* Returns whether the changes since the file are worth a new one. */
static bool are_enough(const struct store_column_snapshot *snapshot,
		       const struct store_memory_state *state, int64_t rows_per_change)
{
	int64_t changes = state->data_version - snapshot->version;

	if (state->live < ROWS_MIN || changes <= 0)
		return false;
	if (snapshot->version == COLUMN_SNAPSHOT_NONE || snapshot->epoch != state->epoch)
		return true;
	return changes >= CHANGES_MIN && changes >= state->live / rows_per_change;
}

static bool is_due(struct store *store, bool is_last)
{
	const struct store_column_snapshot *snapshot = store->column_snapshot;
	struct store_memory_state state = store_memory_state(store);
	int64_t age_ns = pl_clock_now_ns() - snapshot->saved_ns;

	if (is_last)
		return are_enough(snapshot, &state, ROWS_PER_FEW);
	if (snapshot->saved_ns != 0 &&
	    (age_ns < GAP_MIN_NS || age_ns < GAP_PER_COST * snapshot->cost_ns))
		return false;
	return are_enough(snapshot, &state, ROWS_PER_MANY) ||
	       (snapshot->saved_ns != 0 && age_ns > AGE_NS &&
		are_enough(snapshot, &state, ROWS_PER_FEW));
}

static void save(struct store *store)
{
	struct store_column_snapshot *snapshot = store->column_snapshot;
	struct pl_err err = PL_ERR_INIT;
	int64_t begin_ns = pl_clock_now_ns();

	int result = store_column_snapshot_save(store, &err);
	snapshot->saved_ns = pl_clock_now_ns();
	snapshot->cost_ns = snapshot->saved_ns - begin_ns;
	if (result < 0 && err.code != PL_ERR_BUSY && err.code != PL_ERR_INTERRUPTED &&
	    !snapshot->has_failed) {
		pl_log(PL_LOG_WARNING,
		       "could not write the column snapshot; the former one is kept: %s", err.text);
		snapshot->has_failed = true;
	}
	if (result < 0)
		return;
	snapshot->has_failed = false;
	pl_log(PL_LOG_DEBUG, "column snapshot '%s': written in %.3f s, data version %lld",
	       snapshot->path, (double)snapshot->cost_ns / PL_NS_PER_S,
	       (long long)snapshot->version);
}

static void *keep_saving(void *data)
{
	struct store *store = data;
	struct store_column_snapshot *snapshot = store->column_snapshot;

	pl_thread_lower(NICE);
	while (pl_pause_until(&snapshot->pause, pl_clock_now_ns() + LOOK_NS)) {
		if (is_due(store, false))
			save(store);
	}
	return NULL;
}

int store_column_snapshot_start(struct store *store, struct pl_err *err)
{
	struct store_column_snapshot *snapshot = store->column_snapshot;

	if (snapshot == NULL)
		return 0;
	snapshot->epoch = store_memory_state(store).epoch;
	if (pl_thread_start(&snapshot->thread, keep_saving, store, err) < 0)
		return -1;
	snapshot->is_running = true;
	return 0;
}

void store_column_snapshot_stop(struct store *store)
{
	struct store_column_snapshot *snapshot = store->column_snapshot;

	if (snapshot == NULL || !snapshot->is_running)
		return;
	/* a write in progress is completed: it is most of what the last one would do */
	pl_pause_end(&snapshot->pause);
	pthread_join(snapshot->thread, NULL);
	snapshot->is_running = false;
	if (is_due(store, true))
		save(store);
}

void store_column_snapshot_free(struct store *store)
{
	struct store_column_snapshot *snapshot = store->column_snapshot;

	if (snapshot == NULL)
		return;
	pl_pause_done(&snapshot->pause);
	free(snapshot->path);
	free(snapshot->temporary);
	free(snapshot->folder);
	free(snapshot);
	store->column_snapshot = NULL;
}
