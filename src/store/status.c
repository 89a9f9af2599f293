#include "store/status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "mirror/instant.h"
#include "mirror/mirror.h"
#include "store/artifacts/files.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_get_status,
		       "SELECT data_version,"
		       " (SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')),"
		       " (SELECT min(created) FROM jobs WHERE state IN ('queued', 'running'))"
		       " FROM store_state");
static STORE_STATEMENT(sql_count_deleted, "SELECT count(*) FROM benchmark_runs WHERE deleted = 1");

/* Under the reader's lock. */
static int read_status(struct store *store, struct store_status *ret, struct pl_err *err)
{
	auto_borrowed row = NULL;
	bool is_row = false;

	if (store_sql_cached(&store->reader, &sql_get_status, &row, err) < 0 ||
	    store_sql_step(row, &is_row, err) < 0)
		return -1;
	*ret = (struct store_status){ 0 };
	if (!is_row)
		return 0;
	ret->data_version = store_sql_i64(row, 0);
	ret->job_count = store_sql_i64(row, 1);
	if (!store_sql_is_null(row, 2))
		(void)mirror_instant_parse(store_sql_text(row, 2), &ret->oldest_us);
	return 0;
}

int store_status_read(struct store *store, struct store_status *ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = read_status(store, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

/* Under the reader's lock. */
static int count_deleted(struct store *store, int64_t *ret, struct pl_err *err)
{
	auto_borrowed row = NULL;

	if (store_sql_cached(&store->reader, &sql_count_deleted, &row, err) < 0)
		return -1;
	return store_sql_number(row, ret, err);
}

int store_deleted_count(struct store *store, int64_t *ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = count_deleted(store, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

/* ---- directories ----------------------------------------------------------------------------- */

/* Asks for a path, or for the nearest existing directory above it. */
static bool ask_disk(const char *path, struct store_disk *disk)
{
	auto_free char *at = pl_strdup(path);
	struct statvfs found;

	while (statvfs(at, &found) < 0) {
		char *slash = strrchr(at, '/');
		if (slash == NULL)
			return false;
		slash[slash == at] = '\0';
		if (slash == at && statvfs(at, &found) < 0)
			return false;
	}
	disk->free_bytes = (uint64_t)found.f_bavail * found.f_frsize;
	disk->size_bytes = (uint64_t)found.f_blocks * found.f_frsize;
	return true;
}

size_t store_disks(const struct store *store, struct store_disk ret[STORE_DISKS_MAX])
{
	size_t count = 0;

	if (!store_is_shared(store)) {
		ret[count].directory = "database";
		count += ask_disk(store->address, &ret[count]);
	}
	if (store->files != NULL) {
		ret[count].directory = "artifacts";
		count += ask_disk(store_files_folder(store->files), &ret[count]);
	}
	return count;
}

const char *store_database_kind(const struct store *store)
{
	return store_is_shared(store) ? "postgresql" : "sqlite";
}
