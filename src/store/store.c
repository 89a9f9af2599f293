/* Opens and closes a store. Transactions: transaction.c; writing: put.c; reading: read.c. */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "option/secret.h"
#include "store/artifacts/files.h"
#include "store/column_snapshot/column_snapshot.h"
#include "store/documents/dictionary.h"
#include "store/field_index/index.h"
#include "store/store_priv.h"

#define PATIENCE_NS (STORE_SQL_PATIENCE_MS * PL_NS_PER_MS)

/* ---- opening ------------------------------------------------------------------------------- */

/* Returns the directory next to the database, the same for every link to it; free(). */
static char *folder_of_artifacts(const char *file)
{
	auto_free char *real = realpath(file, NULL);

	return pl_asprintf("%s.files", real != NULL ? real : file);
}

/* Returns a directory per database of any server, next to this user's default file; free(). */
static int folder_of_address(const char *name, char **ret, struct pl_err *err)
{
	auto_free char *path = NULL;
	char hex[65];

	if (store_default_path(&path, err) < 0)
		return -1;
	pl_sha256(name, strlen(name), hex);
	*ret = pl_asprintf("%.*s/postgres-%.16s.files", (int)(strrchr(path, '/') - path), path,
			   hex);
	return 0;
}

int store_open_files(const char *address, const char *shown, const char *data,
		     struct store_files **ret, struct pl_err *err)
{
	auto_free char *folder = NULL;

	if (data != NULL)
		folder = pl_strdup(data);
	else if (!store_sql_is_address(address))
		folder = folder_of_artifacts(shown);
	else if (folder_of_address(shown, &folder, err) < 0)
		return -1;
	*ret = store_files_new(folder);
	return data == NULL ? store_files_distrust(*ret, err) : 0;
}

/* of a server: a dump or a template copies the id of the database, but not this */
static STORE_STATEMENT(sql_get_place, "SELECT database_id FROM store_state",
		       .postgres = "SELECT system_identifier || ' ' || current_database()"
				   " FROM pg_catalog.pg_control_system()");

/* A user of the server may not be allowed to read the place. Then the id of the database has to do. */
static void set_place(struct store *store)
{
	auto_borrowed row = NULL;
	auto_free char *real = store_is_shared(store) ? NULL : realpath(store->address, NULL);
	bool is_row = false;

	if (store_sql_cached(&store->writer, &sql_get_place, &row, PL_ERR_IGNORED) < 0 ||
	    store_sql_step(row, &is_row, PL_ERR_IGNORED) < 0)
		is_row = false;
	const char *place = is_row ? store_sql_text(row, 0) : NULL;
	auto_free char *text = pl_asprintf("%s\n%s", place != NULL ? place : store->database_id,
					   real != NULL ? real : "");
	pl_sha256(text, strlen(text), store->place_id);
}

static int open_lineage(struct store *store, struct pl_err *err)
{
	if (store_lineage_read(store, err) < 0)
		return -1;
	if (store->database_id[0] == '\0' &&
	    (store_begin(store, err) < 0 ||
	     store_end(store, store_lineage_name(store, err), err) < 0 ||
	     store_lineage_read(store, err) < 0))
		return -1;
	set_place(store);
	return 0;
}

const char *store_place_id(const struct store *store)
{
	return store->place_id;
}

int store_open(const struct store_options *options, struct store **ret, struct pl_err *err)
{
	auto_store struct store *store = pl_alloc(sizeof(*store));

	store->fields = options->fields;
	store->columns.fields = options->fields;
	store->columns.items = mirror_column_fields(options->fields, &store->columns.count);
	store->address = pl_strdup(options->path);
	store->with_jobs = options->with_jobs;
	store->opened_real_ns = pl_clock_real_ns();
	store->opened_ns = pl_clock_now_ns();
	/* until the store is open: another process may be upgrading the file */
	store->patience_ns = PATIENCE_NS;
	store->dictionaries = store_dictionaries_new(store->address);
	store->field_index = store_field_index_new(options->fields);
	pthread_mutexattr_t retry;
	pthread_mutexattr_init(&retry);
	pthread_mutexattr_settype(&retry, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&store->write_lock, &retry);
	pthread_mutexattr_destroy(&retry);
	pthread_mutex_init(&store->read_lock, NULL);
	pthread_rwlock_init(&store->paths_lock, NULL);
	pthread_mutex_init(&store->sweeps_lock, NULL);
	pthread_mutex_init(&store->marks_lock, NULL);
	pthread_mutex_init(&store->point_lock, NULL);
	if (store_sql_open(&store->writer, store->address, !options->must_exist, err) < 0)
		return -1;
	store->path = pl_strdup(store_sql_name(&store->writer));
	if (store_sql_use(&store->writer, STORE_SQL_WRITE, err) < 0 ||
	    store_migrate(store, err) < 0 || store_sql_claim(&store->writer, err) < 0 ||
	    open_lineage(store, err) < 0 || store_field_index_open(store, err) < 0)
		return -1;
	if (store_sql_open(&store->reader, store->address, false, err) < 0)
		return -1;
	if (store_sql_use(&store->reader, STORE_SQL_READ, err) < 0)
		return -1;
	if (store_open_files(store->address, store->path, options->data, &store->files, err) < 0 ||
	    (options->with_jobs && store_jobs_open(store, err) < 0))
		return -1;
	if (options->with_columns && options->with_column_snapshot)
		store_column_snapshot_open(store, STORE_NEWEST_FORM);
	if (options->with_columns && store_memory_open(store, err) < 0)
		return -1;
	if (options->with_jobs)
		store_artifacts_open(store);
	if (options->patience_ns > 0)
		store->patience_ns = options->patience_ns;
	if (options->with_jobs && options->with_columns && store_field_index_build(store, err) < 0)
		return -1;
	if (store_column_snapshot_start(store, err) < 0)
		return -1;
	*ret = pl_take(store);
	return 0;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	store_field_index_stop(store);
	store_column_snapshot_stop(store);
	store_memory_close(store);
	store_column_snapshot_free(store);
	store_sql_drop(store->add_row);
	store_sql_drop(store->replace_row);
	store_sql_close(&store->reader);
	store_sql_close(&store->writer);
	store_path_index_close(store);
	store_dictionaries_free(store->dictionaries);
	store_field_index_free(store->field_index);
	pthread_mutex_destroy(&store->point_lock);
	pthread_mutex_destroy(&store->marks_lock);
	pthread_mutex_destroy(&store->sweeps_lock);
	json_decref(store->sweeps_cache);
	pthread_mutex_destroy(&store->read_lock);
	pthread_mutex_destroy(&store->write_lock);
	free(store->address);
	store_files_free(store->files);
	free(store->path);
	free(store);
}

char *store_path_shown(const char *path)
{
	auto_free char *plain = pl_strdup(path);

	/* the query of an address may also contain a password */
	if (store_sql_is_address(path))
		plain[strcspn(plain, "?")] = '\0';
	return store_sql_is_address(path) ? option_secret_urls_shown(plain) : pl_take(plain);
}

int store_default_path(char **ret, struct pl_err *err)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	auto_free char *path = NULL;

	if (data != NULL && data[0] == '/')
		path = pl_asprintf("%s/profllm/profllm.db", data);
	else if (home != NULL && home[0] == '/')
		path = pl_asprintf("%s/.local/share/profllm/profllm.db", home);
	else
		return pl_err_set(err, PL_ERR_INVALID,
				  "no database: XDG_DATA_HOME and HOME are unset; use --db FILE");
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int made = pl_file_make_dir(path, 0700, err);
		*slash = '/';
		if (made < 0)
			return -1;
	}
	*ret = pl_take(path);
	return 0;
}

bool store_is_shared(const struct store *store)
{
	return store_sql_is_address(store->address);
}
