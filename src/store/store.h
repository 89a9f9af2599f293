/*
 * The store: results in a database, each once, with a column for each column field. One interface for
 * an SQLite file and a database of a PostgreSQL server: nothing of SQL shows here.
 *
 * What is promised:
 * - What store_put() and the jobs (store/jobs/job.h) have answered is on the disk: a kill or a power cut
 *   afterwards loses nothing, one before leaves nothing half done.
 * - Same content is stored once; other content under a run_id that is there is a conflict and is not
 *   stored; unless it is said otherwise (enum store_known). What was deleted is there in this sense.
 * - A file that a newer program has changed is refused; one of an older program is brought up to this
 *   one's form at store_open(), in one transaction. Fields that are newer than the file get their
 *   columns then, and their values from the documents.
 * - Several processes may use one file at a time; what another one stores is seen by
 *   store_snapshot_get().
 *
 * Threads: every function may be called by any thread. Writes wait for each other; reads wait for no
 * write.
 */
#pragma once

#include "store/documents/document.h"
#include "mirror/row.h"

#include <stdint.h>

struct store;
struct mirror;
struct mirror_snapshot;

struct store_options {
	const char *path; /* or postgres://… */
	/* The folder of artifacts' files (store/artifacts/artifact.h), made with the first; NULL: beside the database's
	 * file, "PATH.files", or where that of this user would stand. */
	const char *data;
	const struct res_fields *fields; /* borrowed */
	bool must_exist;                 /* else the file is made; its folder has to be there */
	bool with_columns;               /* keep results in memory (mirror/mirror.h) */
	/* Work on its jobs: one process at a time. BUSY where another one does; where the database is shared this one
	 * takes its turn when that one ends. */
	bool with_jobs;
	/* How long a write waits for others, of this process and of others, before it fails with BUSY; 0: 20 s. One that
	 * comes behind one that has waited in vain does not wait as long. */
	int64_t patience_ns;
};
int store_open(const struct store_options *options, struct store **ret,
	       struct pl_err *err) PL_MUST_CHECK;
void store_close(struct store *store);
PL_AUTO_DEFINE(struct store, store_close);
#define auto_store PL_AUTO(store_close)

/* A path, or an address without its password, for people; free(). */
char *store_path_shown(const char *path);
/* profllm.db in $XDG_DATA_HOME/profllm (~/.local/share/profllm), which is made; free(). */
int store_default_path(char **ret, struct pl_err *err) PL_MUST_CHECK;

/* ---- in ------------------------------------------------------------------------------------ */

enum store_outcome {
#define STORE_OUTCOME(NAME, name, text) STORE_##NAME,
#include "tbl/store_words.h"
	STORE_OUTCOME_COUNT
};
/* "stored", "duplicate", "conflict", "rejected" */
const char *store_outcome_name(enum store_outcome outcome);

/* What is done with a result that is there already, by its content or its run_id. */
enum store_known {
#define STORE_KNOWN(NAME, name, text) STORE_##NAME,
#include "tbl/store_words.h"
	STORE_KNOWN_COUNT
};
/* "skip", "replace", "keep" */
const char *store_known_name(enum store_known known);
/* SKIP where the text is no such word, or NULL. */
enum store_known store_known_of(const char *name);

/* The same, and what is said with it. */
struct store_choice {
	enum store_known on_conflict;
	const char *author; /* of the change that it makes, or NULL */
	const char *
		expected; /* sha256 of what is replaced: another one is a conflict; NULL: whatever is there */
	bool same_stays; /* KEEP is of other content alone: to put the same again changes nothing */
	bool deleted_stays; /* REPLACE brings nothing back */
	int64_t upload;     /* the job that the document came with; 0: none */
};

#define STORE_NEAR_MAX 8

struct store_put_result {
	enum store_outcome outcome; /* never REJECTED */
	int64_t id;                 /* of the row it has now, or of the one that is there already */
	bool is_deleted;            /* that one was deleted */
	/* of a stored one: others that tell of the same run (store/possible_duplicates.h), the oldest first */
	int64_t near[STORE_NEAR_MAX];
	size_t near_count;
};

/*
 * A document on its way in: its row and its packed bytes, which cost far more to make than to write. No
 * lock is taken for that, so make it in front of a batch. Borrows the document and `name`, of the file
 * that it came in; belongs to one thread.
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
 * Between these two the puts of the calling thread are one transaction: all are on the disk when
 * store_batch_end() answers 0, and none where it does not. Others who write, in other processes too,
 * wait: do nothing else in between.
 */
int store_batch_begin(struct store *store, struct pl_err *err) PL_MUST_CHECK;
int store_batch_end(struct store *store, struct pl_err *err) PL_MUST_CHECK;

/* ---- out ----------------------------------------------------------------------------------- */

struct store_entry {
	int64_t id;   /* 0: there is no such result */
	char *run_id; /* NULL: none */
	char *name;
	enum store_form form;
	char sha256[65];
	char *stored_at; /* RFC 3339, UTC */
	char *bytes;     /* as they came, secrets "***" */
	size_t len;
	json_t *document;
	json_t *notes;
	bool is_deleted; /* it is there until it is pruned, and in no other answer */
	int64_t repeat;
	char *edit_notes; /* what people noted, or NULL */
	/* the document with what stands beside it (store/change.h), by which its fields are told */
	json_t *fields_of;
};
int store_get(struct store *store, int64_t id, struct store_entry *ret,
	      struct pl_err *err) PL_MUST_CHECK;
void store_entry_done(struct store_entry *entry);
#define auto_store_entry __attribute__((cleanup(store_entry_done), unused)) struct store_entry

/* *ret_id: of the result with this run_id, the first of repeats; one that is deleted where there is no other; 0: there is none. */
int store_find(struct store *store, const char *run_id, int64_t *ret_id,
	       struct pl_err *err) PL_MUST_CHECK;
/* Many processes, of many hosts, use it as a rule: jobs may come of which nobody tells this one. */
bool store_is_shared(const struct store *store);
int store_count(struct store *store, int64_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
/* Grows with each change of what is stored, and goes on from there in the next process. */
int store_data_version(struct store *store, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Results in memory as they were at one moment: mirror_snapshot_put() exactly once. All that this thread, or
 * one that has told it so, has stored is in it, and what other processes have stored until now. It never waits
 * for one who is storing: what is being stored just now may be in it or not. For a store opened with_columns.
 */
int store_snapshot_get(struct store *store, struct mirror_snapshot **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * A question that failed with BUSY, for results changed while it was asked (mirror/view.h), has its answer in a
 * newer snapshot. False: it failed otherwise, or has been asked often enough; *tries starts as 0.
 */
bool store_is_asked_again(const struct pl_err *err, unsigned *tries);
/* From any thread, before it is waited for those who ask: questions end soon with INTERRUPTED. */
void store_end_questions(struct store *store);
