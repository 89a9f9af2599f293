/*
 * The store: results in a database, each stored once, with a column for each column field. One interface for an SQLite
 * file and a database of a PostgreSQL server; SQL is not visible here.
 *
 * Guarantees:
 * - After store_put() or a job (store/jobs/job.h) has returned, its data is on disk. A later kill or power failure
 *   loses nothing, and an earlier one leaves nothing half done.
 * - The same content is stored once. Other content under an existing run_id is a conflict and is not stored, unless the
 *   caller chooses otherwise (enum store_conflict_policy). Deleted results count as existing.
 * - A file that a newer program has changed is refused. A file of an older program is upgraded by store_open() in one
 *   transaction. Fields that are newer than the file get their columns then, with values from the documents.
 * - Several processes may use one file at a time. store_snapshot_get() includes what the others have stored.
 *
 * Threads: any thread may call any function. Writers wait for each other; readers wait for no writer.
 */
#pragma once

#include "mirror/row.h"
#include "store/documents/document.h"

#include <stdint.h>

struct store;
struct mirror_snapshot;

struct store_options {
	const char *path; /* or postgres://… */
	/*
	 * The directory of artifact files (store/artifacts/artifact.h), created with the first file. NULL: "PATH.files"
	 * next to the database file; for a server, a directory in this user's default data directory.
	 */
	const char *data;
	const struct res_fields *fields; /* borrowed */
	bool must_exist;                 /* else the file is created; its directory must exist */
	bool with_columns;               /* keep results in memory (mirror/mirror.h) */
	/* With columns: read them from a file at the start, and write it (store/column_snapshot/column_snapshot.h). */
	bool with_column_snapshot;
	/*
	 * Process the jobs, one process at a time. BUSY if another process does; on a shared database, this one takes
	 * over when that one ends.
	 */
	bool with_jobs;
	/*
	 * How long a write waits for other writers, of any process, before it fails with BUSY; 0: 20 s. A write after
	 * one that timed out waits for a shorter time.
	 */
	int64_t patience_ns;
};
int store_open(const struct store_options *options, struct store **ret,
	       struct pl_err *err) PL_MUST_CHECK;
void store_close(struct store *store);
PL_AUTO_DEFINE(struct store, store_close);
#define auto_store PL_AUTO(store_close)

/* Returns a path, or an address without its password, for messages; free(). */
char *store_path_shown(const char *path);
/* Returns profllm.db in $XDG_DATA_HOME/profllm (~/.local/share/profllm) and creates the directory; free(). */
int store_default_path(char **ret, struct pl_err *err) PL_MUST_CHECK;

/* ---- writing ------------------------------------------------------------------------------- */

enum store_outcome {
#define STORE_OUTCOME(NAME, name, text) STORE_##NAME,
#include "tbl/store_words.h"
	STORE_OUTCOME_COUNT
};
/* "stored", "duplicate", "conflict", "rejected" */
const char *store_outcome_name(enum store_outcome outcome);

/* The handling of a result whose content or run_id already exists. */
enum store_conflict_policy {
#define STORE_CONFLICT_POLICY(NAME, name, text) STORE_##NAME,
#include "tbl/store_words.h"
	STORE_CONFLICT_POLICY_COUNT
};
/* Returns SKIP for NULL and for a text that is none of these names. */
enum store_conflict_policy store_conflict_policy_of(const char *name);

/* A conflict policy with its conditions. */
struct store_choice {
	enum store_conflict_policy on_conflict;
	const char *author; /* of the change that it makes, or NULL */
	const char *
		expected; /* sha256 of the result to replace; any other is a conflict; NULL: replace any */
	bool same_stays; /* KEEP applies to other content only: the same content is not stored again */
	bool deleted_stays; /* REPLACE restores no deleted result */
	int64_t upload;     /* job of the document; 0: none */
};

#define STORE_POSSIBLE_DUPLICATES_MAX 8

struct store_put_result {
	enum store_outcome outcome; /* never REJECTED */
	int64_t id;                 /* of the stored row, or of the existing one */
	bool is_deleted;            /* the existing result is deleted */
	/* of a stored result: others of the same run (store/possible_duplicates.h), the oldest first */
	int64_t possible_duplicates[STORE_POSSIBLE_DUPLICATES_MAX];
	size_t possible_duplicate_count;
};

/*
 * A document ready to be stored: its row and its compressed bytes, which take much longer to make than to write.
 * Preparing takes no lock, so do it before a batch. Borrows the document and `name`, the name of its file. Belongs to
 * one thread.
 */
struct store_prepared;
struct store_prepared *store_prepare(struct store *store, const struct store_document *document,
				     const char *name);
void store_prepared_free(struct store_prepared *prepared);
PL_AUTO_DEFINE(struct store_prepared, store_prepared_free);
#define auto_prepared PL_AUTO(store_prepared_free)

int store_put(struct store *store, const struct store_prepared *prepared,
	      struct store_put_result *ret, struct pl_err *err) PL_MUST_CHECK;

/* The same with a choice; store_put() skips. */
int store_put_as(struct store *store, const struct store_prepared *prepared,
		 const struct store_choice *choice, struct store_put_result *ret,
		 struct pl_err *err) PL_MUST_CHECK;

/*
 * The puts of the calling thread between these two calls are one transaction: all are on disk if store_batch_end()
 * returns 0, else none. Other writers, also in other processes, wait meanwhile, so do nothing else in between.
 */
int store_batch_begin(struct store *store, struct pl_err *err) PL_MUST_CHECK;
int store_batch_end(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* ---- reading ------------------------------------------------------------------------------- */

struct store_entry {
	int64_t id;   /* 0: the result does not exist */
	char *run_id; /* NULL: none */
	char *name;
	enum store_form form;
	char sha256[65];
	char *stored_at; /* RFC 3339, UTC */
	char *bytes;     /* as received, secrets as "***" */
	size_t len;
	json_t *document;
	json_t *notes;
	bool is_deleted; /* exists until it is pruned; in no other response */
	int64_t repeat;
	char *edit_notes; /* the notes of users, or NULL */
	/* the document with its edits (store/change.h), which its fields are read from */
	json_t *fields_of;
};
int store_get(struct store *store, int64_t id, struct store_entry *ret,
	      struct pl_err *err) PL_MUST_CHECK;
void store_entry_done(struct store_entry *entry);
#define auto_store_entry __attribute__((cleanup(store_entry_done), unused)) struct store_entry

/*
 * *ret_id: the result with this run_id, the first of several copies; a deleted one only if there is no other; 0: none.
 */
int store_find(struct store *store, const char *run_id, int64_t *ret_id,
	       struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns whether processes of several hosts normally use this database, so that jobs may appear without a
 * notification.
 */
bool store_is_shared(const struct store *store);
/*
 * Returns the id of the place of the database, borrowed: 64 hexadecimal digits, the same for all processes, also after
 * other data replaced the database. A copy at another place has another one.
 */
const char *store_place_id(const struct store *store);
int store_count(struct store *store, int64_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
/* The data version grows with each change of the stored data and continues in the next process. */
int store_data_version(struct store *store, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns all results in memory at one moment; call mirror_snapshot_put() exactly once. It includes everything that
 * this thread has stored or was notified of, and what other processes have stored so far. It never waits for a writer:
 * results of a current write may be missing. Needs a store opened with_columns.
 */
int store_snapshot_get(struct store *store, struct mirror_snapshot **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns whether to retry a query that failed with BUSY because results changed while it ran (mirror/view.h). False:
 * it failed for another reason, or too many times; *tries starts as 0.
 */
bool store_should_retry(const struct pl_err *err, unsigned *tries);
/* From any thread: queries end soon with INTERRUPTED. Call it before waiting for the threads that run them. */
void store_end_questions(struct store *store);
