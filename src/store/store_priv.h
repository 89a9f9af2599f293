/*
 * Internals of the store. It has one connection that writes and one that only reads, each with its own lock, so that no
 * reader waits for a disk. Locks are taken in the order of their declaration.
 */
#pragma once

#include "store/change.h"
#include "store/db/runs.h"
#include "store/jobs/job.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>

/* Hashes of texts, never 0; see places.c. */
struct store_hashes {
	uint64_t *slots;
	size_t slot_count;
	size_t count;
};

/* The items of a job that are being processed (store/jobs/job.h). */
#define STORE_MARKS_MAX 128
struct store_job_marks {
	int64_t job;
	enum store_item_state state;
	size_t count;
	size_t items[STORE_MARKS_MAX];
};

/* A state of the database; see lineage.c. */
struct store_point {
	int64_t version;  /* of the data */
	int64_t commits;  /* transactions that changed data */
	int64_t mark;     /* random, of the last transaction; 0: unknown */
	int64_t epoch;    /* differs after other data replaced the database */
	int64_t restored; /* version at which other data replaced it; 0: never */
};
#define STORE_DATABASE_ID_BYTES 33

struct store {
	const struct res_fields *fields;
	struct store_columns columns; /* the columns that the table has */
	char *address;                /* used to open it; may contain a password */
	char *path;                   /* the same for messages */
	struct store_dictionaries *dictionaries;
	struct store_files *files; /* of artifacts; NULL: no directory for them */

	pthread_mutex_t write_lock; /* recursive for the thread with an open batch */
	int64_t patience_ns;        /* how long to wait for this lock and for other processes */
	atomic_bool waits_in_vain;  /* the last write timed out; nothing was written since */
	struct store_sql writer;
	struct store_stmt *add_row;
	struct store_stmt *replace_row; /* NULL: no row was replaced yet */
	bool in_batch;
	struct pl_err batch_err; /* the first failure in it; then nothing of the batch is stored */
	bool changes_results;    /* the open transaction changes results */
	int64_t next_version;    /* of the transaction; 0: no change counted yet */
	int64_t written_version; /* the last version that the database has */
	struct store_hashes paths_new; /* added to the file by this transaction */

	atomic_bool was_replaced; /* the next transaction forgets what it knew of the database */
	atomic_uint generation;   /* of what is known of the database */
	char database_id[STORE_DATABASE_ID_BYTES];
	char place_id[65]; /* store_place_id() */
	pthread_mutex_t point_lock;
	struct store_point point;      /* the last known state of the database; under point_lock */
	struct store_point next_point; /* of the open transaction; under write_lock */
	struct store_field_index *field_index;

	struct store_memory *memory;                   /* NULL: results are not in memory */
	struct store_column_snapshot *column_snapshot; /* NULL: there is none */

	pthread_mutex_t sweeps_lock;
	json_t *sweeps_cache; /* cache of the list of sweeps (sweep_list.c), or NULL */

	pthread_mutex_t read_lock;
	struct store_sql reader;

	pthread_rwlock_t paths_lock;
	struct store_hashes paths_known; /* some of those in the file; changed under both locks */

	bool with_jobs;     /* this process works on jobs when it owns them */
	bool owns_jobs;     /* it owns them; under write_lock */
	bool last_was_part; /* the last work was a part; under write_lock */
	/* under write_lock: parts that ended since the log was emptied, at least one at the start */
	unsigned parts_in_log;
	int64_t jobs_looked_ns; /* time of the last cleanup of old jobs */
	/* both clocks when the store was opened */
	int64_t opened_real_ns;
	int64_t opened_ns;

	pthread_mutex_t marks_lock;
	struct store_job_marks marks;
};

/*
 * The directory of artifacts of a database: `data`, or the default one. `shown` is the name of its connection. *ret is
 * set even if the directory is refused.
 */
int store_open_files(const char *address, const char *shown, const char *data,
		     struct store_files **ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * A transaction of the writer, or a part of the thread's open batch. Every begin needs an end. store_end() returns
 * `result`, or -1 if it could not commit.
 */
int store_begin(struct store *store, struct pl_err *err) PL_MUST_CHECK;
int store_end(struct store *store, int result, struct pl_err *err) PL_MUST_CHECK;
/* Ends a transaction without storing anything. */
void store_undo(struct store *store);

/*
 * The places of a document (result/fields/paths.h) that may be missing from the file; see places.c. Made outside
 * transactions, stored within one.
 */
struct store_path {
	const char *text;
	uint64_t hash;
};
struct store_path_index {
	struct store_path *items;
	size_t count;
	size_t room;
	struct pl_arena *arena; /* memory of the texts */
};
/* Overwrites *ret. */
void store_path_index_of(struct store *store, const json_t *document, struct store_path_index *ret);
void store_path_index_done(struct store_path_index *paths);
#define auto_path_index \
	__attribute__((cleanup(store_path_index_done), unused)) struct store_path_index
int store_path_index_put(struct store *store, const struct store_path_index *paths,
			 struct pl_err *err) PL_MUST_CHECK;
/* Call it after a transaction; is_kept: it was committed. */
void store_path_index_end(struct store *store, bool is_kept);
/* Returns false if no document in the file has a value for the field. */
bool store_path_index_may_have(struct store *store, const char *id);
/* Under the write lock: forgets what it knows of the file. */
void store_path_index_forget(struct store *store);
void store_path_index_close(struct store *store);

struct store_prepared {
	unsigned generation; /* of the store, when it was made */
	const struct store_document *document;
	const char *name;
	struct mirror_row row;
	void *packed; /* the document, compressed */
	size_t packed_len;
	bool is_dictionary;    /* can serve as a new dictionary: store/documents/dictionary.h */
	char *explicit_fields; /* JSON array of ids */
	char *notes;           /* JSON array */
	struct store_path_index paths;
	void *leaves; /* the row of the field index */
	size_t leaves_len;
	json_t *tags;                 /* of the document, or NULL */
	char duplicate_key[65];       /* "": none */
	const char *duplicate_inputs; /* borrowed from the row; NULL: unknown */
};
/* store_put_as() within a transaction. */
int store_put_within(struct store *store, const struct store_prepared *prepared,
		     const struct store_choice *choice, struct store_put_result *ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * Runs a statement whose only parameter is the id of a result, to its first row. NOT_FOUND if there is none.
 * *ret: as of store_sql_cached().
 */
int store_step_result(struct store_sql *sql, const struct store_statement *which, int64_t id,
		      struct store_stmt **ret, struct pl_err *err) PL_MUST_CHECK;
/* Marks that this transaction changes results; the mirror follows after it. */
void store_results_change(struct store *store);

/* Reads the edits of a result (store/change.h); store_edits_done(). */
int store_edits_read(struct store_sql *sql, int64_t id, struct store_edits *ret, bool *ret_found,
		     struct pl_err *err) PL_MUST_CHECK;
/* The same from the columns of a row, from column `at` on; r: benchmark_runs, e: benchmark_edits. */
#define STORE_EDIT_COLUMNS "e.tags, e.notes, r.repeat, r.near, r.deleted, r.upload"
int store_edits_of_row(struct store_stmt *row, int at, struct store_edits *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Returns the tags of a document with its edits applied, as a new reference. */
json_t *store_tags_over(const json_t *edits, const json_t *tags);
/* Sets the cells of stored.*, whatever the document has there. */
void store_stored_cells(const struct store *store, const struct store_edits *edits,
			struct mirror_cell *cells);
struct store_change {
	const char *author; /* may be NULL, as the others may */
	enum store_change_kind kind;
	const char *name, *from, *to;
};
/* Within a transaction. */
int store_change_note(struct store *store, int64_t id, const struct store_change *change,
		      struct pl_err *err) PL_MUST_CHECK;

/* Within a transaction: the row's possible-duplicate key as stored (store/possible_duplicates.h); "": none. */
int store_duplicates_key_of(struct store *store, int64_t id, char key[65],
			    struct pl_err *err) PL_MUST_CHECK;
/* Within a transaction that added or removed results with this key: updates their marks. */
int store_duplicates_settle(struct store *store, const char *key, struct pl_err *err) PL_MUST_CHECK;

/* Returns -1 with BUSY after a newer program upgraded the database. */
int store_point_read(struct store_sql *sql, struct store_point *ret,
		     struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns in *ret whether the present state was made from `point` by changes. False also for a point that is far in the
 * past. Within a transaction.
 */
int store_point_is_past(struct store_sql *sql, const struct store_point *point,
			const struct store_point *present, bool *ret,
			struct pl_err *err) PL_MUST_CHECK;
/* Returns -1 with BUSY while a dump that replaces the database is being loaded in several transactions. */
int store_point_check_loaded(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;
/* Stores the last known state of the database. */
void store_point_follow(struct store *store, const struct store_point *point);
/*
 * Within a transaction: counts its first change. Returns -1 with BUSY if other data replaced the database since the last
 * known state; the next transaction knows it.
 */
int store_point_count(struct store *store, int64_t *ret_version, struct pl_err *err) PL_MUST_CHECK;
/* Within a transaction: gives the database a version and a new epoch, because other data replaced it. */
int store_point_replace(struct store_sql *sql, int64_t version, struct store_point *ret,
			struct pl_err *err) PL_MUST_CHECK;
/* Returns whether a replaced database has a version and an epoch that a reader of the former one can follow. */
bool store_point_is_renewed(const struct store_point *former, const struct store_point *present);
/* Within a transaction: renews a replaced database unless another process has done it. */
int store_point_renew(struct store *store, const struct store_point *former,
		      struct pl_err *err) PL_MUST_CHECK;
/* Under the write lock: forgets what is known of the former database. */
void store_forget_former(struct store *store);
/* Reads the state of the database and its id; an empty one: the database has none yet. Call it after store_migrate(). */
int store_lineage_read(struct store *store, struct pl_err *err) PL_MUST_CHECK;
/* Within a transaction: gives the database an id unless it has one. */
int store_lineage_name(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* Within a transaction: counts this change and returns the data version. */
int store_next_version(struct store *store, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
/* Writes the counted version to the database, at the end of a transaction or before SQL reads it. */
int store_write_version(struct store *store, struct pl_err *err) PL_MUST_CHECK;
/*
 * Within a transaction: rebuilds the columns of a row from its document. It changes only the data
 * version and those fixed columns that are derived from the document. `replace` is a statement of store_refill_text().
 */
int store_refill(struct store *store, struct store_stmt *replace, int64_t id,
		 const json_t *document, struct pl_err *err) PL_MUST_CHECK;
/* free() */
char *store_refill_text(const struct store *store);

/* Decompresses and parses a document; *ret_bytes may be NULL. */
int store_unpack(const struct store *store, int64_t id, const void *packed, size_t len,
		 char **ret_bytes, size_t *ret_len, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

/* Reads the document of a result without its edits. `member` is as in mirror_read_fn. */
int store_read_bare(struct store *store, struct store_sql *sql, int64_t id, const char *member,
		    json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* The same with its edits. *ret_changed, which may be NULL, is as in mirror_read_fn, even if there is no document. */
int store_read_document(struct store *store, int64_t id, const char *member, json_t **ret,
			int64_t *ret_changed, struct pl_err *err) PL_MUST_CHECK;

/* Results in memory; see memory.c. Closing one that was never opened does nothing. */
struct store_memory;
int store_memory_open(struct store *store, struct pl_err *err) PL_MUST_CHECK;
void store_memory_close(struct store *store);
struct mirror_snapshot *store_memory_take(struct store *store); /* mirror_snapshot_put() */
/* Writes the form that a column snapshot of these results has (mirror/image/image.h). */
void store_memory_form(const struct store *store, int64_t database_form, char ret[65]);
/* In a transaction that changes results: store_memory_follow() will be called. */
void store_memory_expect(struct store *store);
/*
 * Call it after every transaction, whatever its outcome. A transaction without changes may have seen what another
 * thread has just stored (a duplicate), so that must be in memory, too.
 */
void store_memory_follow(struct store *store, bool changed);

/* Upgrades the file to this program's table layout; see migrate.c. Call it first. */
/* The version of the tables that this program makes: the number of steps in migrate.c. */
#define STORE_NEWEST_FORM 25
int store_migrate(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* One process at a time works on the jobs; see job.c. */
int store_jobs_open(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* Removes incomplete artifacts of a killed process. */
void store_artifacts_open(struct store *store);

/* Formats the current time as the database stores it. */
void store_now(char text[32]);
/*
 * Returns the time from which data ages that is removed when it is old. Setting the wall clock back while the store is
 * open makes nothing old.
 */
void store_aging_now(const struct store *store, char text[32]);

/* Statements used by several files, in read.c. */
extern const struct store_statement store_sql_get_version;  /* row: data_version */
extern const struct store_statement store_sql_get_document; /* ?1: id; row: bytes */
