/*
 * The store from inside. A connection that writes and one that only reads, each with a lock of its own,
 * so that no reader waits for a disk; locks are taken in the order in which they stand here.
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

/* Items of a job that are worked on just now (store/jobs/job.h). */
#define STORE_MARKS_MAX 128
struct store_job_marks {
	int64_t job;
	enum store_item_state state;
	size_t count;
	size_t items[STORE_MARKS_MAX];
};

struct store {
	const struct res_fields *fields;
	struct store_columns columns; /* those that the table has a column for */
	char *address;                /* that it is opened by; may hold a password */
	char *path;                   /* the same for messages */
	struct store_dictionaries *dictionaries;
	struct store_files *files; /* of artifacts; NULL: there is no folder for them */

	pthread_mutex_t write_lock; /* taken again by the thread that has a batch open */
	int64_t patience_ns;        /* to wait for it, and for those of other processes */
	atomic_bool waits_in_vain;  /* the last one did: nothing was written since */
	struct store_sql writer;
	struct store_stmt *add_row;
	struct store_stmt *replace_row; /* NULL: nothing was replaced yet */
	bool in_batch;
	struct pl_err batch_err;        /* the first failure in it; then nothing of it is kept */
	bool changes_results;           /* the transaction that is open does */
	int64_t next_version;           /* of it; 0: it has counted no change yet */
	int64_t written_version;        /* of its counts the last that the database has */
	struct store_hashes places_new; /* that this transaction has put into the file */

	struct store_memory *memory; /* NULL: results are not kept in memory */

	pthread_mutex_t sweeps_lock;
	json_t *sweeps_kept; /* of the list of sweeps before (sweep_list.c), or NULL */

	pthread_mutex_t read_lock;
	struct store_sql reader;

	pthread_rwlock_t places_lock;
	struct store_hashes places_known; /* some that are in the file; changes under both locks */

	bool with_jobs;     /* this process works on them when it is its turn */
	bool owns_jobs;     /* it is; under write_lock */
	bool last_was_part; /* what was worked on last; under write_lock */
	/* under write_lock: parts that ended since the log was emptied, one at least at the start */
	unsigned parts_in_log;
	int64_t jobs_looked_ns; /* when what is old was forgotten */
	/* both clocks when the store was opened */
	int64_t opened_real_ns;
	int64_t opened_ns;

	pthread_mutex_t marks_lock;
	struct store_job_marks marks;
};

/*
 * A transaction of the writer, or a part of the batch that the thread has open. What was begun is to be
 * ended, whatever came of it: end gives back `result`, or -1 where it cannot be made to last.
 */
int store_begin(struct store *store, struct pl_err *err) PL_MUST_CHECK;
int store_end(struct store *store, int result, struct pl_err *err) PL_MUST_CHECK;
/* An end that keeps nothing: of what turned out not to be wanted. */
void store_undo(struct store *store);

/*
 * The places of a document (result/fields/places.h) that are not known to be in the file; see places.c.
 * Made outside of transactions, put within one.
 */
struct store_place {
	const char *text;
	uint64_t hash;
};
struct store_places {
	struct store_place *items;
	size_t count;
	size_t room;
	struct pl_arena *arena; /* of the texts */
};
/* Overwrites *ret. */
void store_places_of(struct store *store, const json_t *document, struct store_places *ret);
void store_places_done(struct store_places *places);
#define auto_places __attribute__((cleanup(store_places_done), unused)) struct store_places
int store_places_put(struct store *store, const struct store_places *places,
		     struct pl_err *err) PL_MUST_CHECK;
/* Of a transaction that was kept, or was not. */
void store_places_end(struct store *store, bool is_kept);
/* False: no document that is in the file by now has anything at the field. */
bool store_places_may_have(struct store *store, const char *id);
void store_places_close(struct store *store);

struct store_prepared {
	const struct store_document *document;
	const char *name;
	struct mirror_row row;
	void *packed; /* its bytes */
	size_t packed_len;
	bool is_dictionary;    /* if that is wanted: store/documents/dictionary.h */
	char *explicit_fields; /* JSON array of ids */
	char *notes;           /* JSON array */
	struct store_places places;
	char near_key[65];       /* "": none */
	const char *near_inputs; /* the row's, or NULL: not known */
};
/* What store_put() wants of the writer. */
int store_put_open(struct store *store, struct pl_err *err) PL_MUST_CHECK;
/* store_put_as() within a transaction. */
int store_put_within(struct store *store, const struct store_prepared *prepared,
		     const struct store_choice *choice, struct store_put_result *ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * Runs a statement whose only parameter is the id of a result, to its first row. NOT_FOUND if there is none.
 * *ret: as of store_sql_kept().
 */
int store_step_result(struct store_sql *sql, const struct store_statement *which, int64_t id,
		      struct store_stmt **ret, struct pl_err *err) PL_MUST_CHECK;
/* *ret_id: of the row where the statement's only parameter is this text; 0: none. */
int store_find_row(struct store_sql *sql, const struct store_statement *which, const char *text,
		   int64_t *ret_id, struct pl_err *err) PL_MUST_CHECK;
/* Results change in this transaction: who follows them is told, once. */
void store_results_change(struct store *store);

/* What stands beside the document of a result (store/change.h); store_edits_done(). */
int store_edits_read(struct store_sql *sql, int64_t id, struct store_edits *ret, bool *ret_found,
		     struct pl_err *err) PL_MUST_CHECK;
/* The same of these columns of a row, from column `at` on; r: benchmark_runs, e: benchmark_edits. */
#define STORE_EDIT_COLUMNS "e.tags, e.notes, r.repeat, r.near, r.deleted, r.upload"
int store_edits_of_row(struct store_stmt *row, int at, struct store_edits *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* The tags of a document, with those of the edits in their place. New reference. */
json_t *store_tags_over(const json_t *edits, const json_t *tags);
/* Cells of stored.*, whatever the document has there. */
void store_stored_cells(const struct store *store, const struct store_edits *edits,
			struct mirror_cell *cells);
struct store_change {
	const char *author; /* or NULL, as the others */
	enum store_change_kind kind;
	const char *name, *from, *to;
};
/* Within a transaction. */
int store_change_note(struct store *store, int64_t id, const struct store_change *change,
		      struct pl_err *err) PL_MUST_CHECK;

/* Within a transaction: by what a row is near others, as it stands in the database (store/possible_duplicates.h); "": by nothing. */
int store_duplicates_key_of(struct store *store, int64_t id, char key[65],
			    struct pl_err *err) PL_MUST_CHECK;
/* Within one that has changed which results of this key there are: their marks are right again. */
int store_duplicates_settle(struct store *store, const char *key, struct pl_err *err) PL_MUST_CHECK;

/* Within a transaction: the count of changes, this one included. */
int store_next_version(struct store *store, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
/* What was counted so far, into the database: when the transaction ends, or the count is asked for in SQL. */
int store_write_version(struct store *store, struct pl_err *err) PL_MUST_CHECK;
/*
 * A row anew from its document, with all of its columns, within a transaction: of its fixed columns only those that
 * follow from the document, and the count of changes, are touched. `replace` is of store_refill_text().
 */
int store_refill(struct store *store, struct store_stmt *replace, int64_t id,
		 const json_t *document, struct pl_err *err) PL_MUST_CHECK;
/* free() */
char *store_refill_text(const struct store *store);

/* What a row has of derived.input_key, by which marks are told apart (store/possible_duplicates.h); NULL: nothing. */
const char *store_duplicates_inputs(const struct store *store, const struct mirror_row *row);

/* Ids of the fields that the user set, as a JSON array; free(). */
char *store_explicit_fields(const struct store *store, const struct mirror_row *row);

/* A document from its packed bytes; *ret_bytes NULL: nobody wants them. */
int store_unpack(const struct store *store, int64_t id, const void *packed, size_t len,
		 char **ret_bytes, size_t *ret_len, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

/* The document of a result, without what stands beside it. member: as of mirror_read_fn. */
int store_read_bare(struct store *store, struct store_sql *sql, int64_t id, const char *member,
		    json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* With that. *ret_changed, where it is wanted (else NULL), is as of mirror_read_fn, also where there is
 * none. */
int store_read_document(struct store *store, int64_t id, const char *member, json_t **ret,
			int64_t *ret_changed, struct pl_err *err) PL_MUST_CHECK;

/* Results in memory; see memory.c. Of what was never opened close does nothing. */
struct store_memory;
int store_memory_open(struct store *store, struct pl_err *err) PL_MUST_CHECK;
void store_memory_close(struct store *store);
/* In a transaction that changes results: it will be followed. */
void store_memory_expect(struct store *store);
/*
 * Behind every transaction, whatever came of it. One that changed nothing may have been told of what another thread has just
 * stored ("it is there already"): then that is in memory, too.
 */
void store_memory_follow(struct store *store, bool changed);

/* The form of the file is this program's; see migrate.c. Before any other use of it. */
int store_migrate(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* One process at a time works on the jobs; see job.c. */
int store_jobs_open(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* What a kill has left of artifacts goes. */
void store_artifacts_open(struct store *store);

/* Now, as it stands in the file. */
void store_now(char text[32]);
/* The time from which something ages that is removed when it is old. Setting the wall clock back while the store is
 * open makes nothing old. */
void store_aging_now(const struct store *store, char text[32]);

/* Statements that more than one file uses, in read.c. */
extern const struct store_statement store_sql_get_version;  /* row: data_version */
extern const struct store_statement store_sql_get_document; /* ?1: id; row: bytes */
