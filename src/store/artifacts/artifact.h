/*
 * Artifacts: the files of a run beside its result (requests, series, logs, drawings, traces). Their bytes
 * are files (store/artifacts/files.h), each once however many runs have it; who has which is in the database.
 *
 * - They belong to a run_id, whose result may come later: it may still wait in a job.
 * - One run_id may have several files of a kind and name, for it may have several results: each result has the one
 *   that its document names by SHA-256, or else the one that came last.
 * - What store_artifact_end() has answered is on the disk, file and row; a kill before leaves neither.
 */
#pragma once

#include "store/store.h"

#define STORE_ARTIFACT_NAME_MAX 255  /* bytes */
#define STORE_ARTIFACTS_MAX     1000 /* of one run_id */

/*
 * 0: artifacts may be called so. INVALID: kinds are those of tbl/states.h; a name is one of a file, without
 * folders; a run_id is none that no result has.
 */
int store_artifact_check(const char *run_id, const char *kind, const char *name,
			 struct pl_err *err) PL_MUST_CHECK;
/* The media type by its name; static. */
const char *store_artifact_media(const char *name);
/* The number behind the last "rank" of a trace's name; -1: it names none. */
int64_t store_artifact_rank(const char *name);

/* ---- in ------------------------------------------------------------------------------------ */

struct store_artifact_in;
/* Checks the names. INVALID, FULL: no more of that run_id, no room on the disk. */
int store_artifact_begin(struct store *store, const char *run_id, const char *kind,
			 const char *name, struct store_artifact_in **ret,
			 struct pl_err *err) PL_MUST_CHECK;
int store_artifact_write(struct store_artifact_in *in, const char *bytes, size_t len,
			 struct pl_err *err) PL_MUST_CHECK;
/*
 * That was all of it. INVALID: its SHA-256 is not the one that is expected (NULL: any); nothing is left then.
 * *ret_is_new: this run_id had no such file of that kind and name.
 */
int store_artifact_end(struct store_artifact_in *in, const char *expected, bool *ret_is_new,
		       struct pl_err *err) PL_MUST_CHECK;
/* Behind the end. */
const char *store_artifact_sha256(const struct store_artifact_in *in);
int64_t store_artifact_bytes(const struct store_artifact_in *in);
/*
 * Behind the end, of another file than the one that is awaited: each result of this run_id that is here names another by this
 * kind and name. ret: the SHA-256 of one of those; "": all is well, or there is no such result.
 */
int store_artifact_awaited(const struct store_artifact_in *in, char ret[65],
			   struct pl_err *err) PL_MUST_CHECK;
/* Also amid it: then nothing is left. NULL is nothing. */
void store_artifact_free(struct store_artifact_in *in);

/* ---- out ----------------------------------------------------------------------------------- */

struct store_artifact {
	char *kind;
	char *name;
	char sha256[65];
	int64_t bytes;
	char *stored_at; /* RFC 3339; NULL: it is not there */
	bool is_lost;    /* it was stored: its file is not there any more, or no longer as long */
};
struct store_artifacts {
	struct store_artifact *items;
	size_t count;
	size_t room;
};
/*
 * Those of a result, by kind and name: that are there, that its document names, and that are lost. NOT_FOUND: there is no
 * such result, or it is deleted. Overwrites *ret.
 */
int store_artifacts_of(struct store *store, int64_t id, struct store_artifacts *ret,
		       struct pl_err *err) PL_MUST_CHECK;
void store_artifacts_done(struct store_artifacts *artifacts);
#define auto_artifacts __attribute__((cleanup(store_artifacts_done), unused)) struct store_artifacts
/* Also one that is not there; NULL: neither is it stored nor named. */
const struct store_artifact *store_artifacts_find(const struct store_artifacts *artifacts,
						  const char *kind, const char *name);

#define STORE_ABSENT_RESULTS_MAX 1000

/* Files that the results of a job name and that are not there. */
struct store_absent {
	int64_t results; /* that were looked at: those that are there of its first STORE_ABSENT_RESULTS_MAX */
	bool has_more;   /* there are others behind them */
	int64_t lacking; /* of the results */
	int64_t files;
	int64_t bytes; /* as the documents say */
};
/* Reads the documents of all of them. Of a job that is not there nothing is absent. Overwrites *ret. */
int store_artifacts_absent(struct store *store, int64_t job, struct store_absent *ret,
			   struct pl_err *err) PL_MUST_CHECK;

/* *ret_fd is the caller's. NOT_FOUND, IO: its file is gone or cannot be read. */
int store_artifact_open(struct store *store, const char *sha256, int *ret_fd,
			struct pl_err *err) PL_MUST_CHECK;

/* How many files there are that no artifact names. */
int store_artifacts_count_unnamed(struct store *store, size_t *ret,
				  struct pl_err *err) PL_MUST_CHECK;

/* ---- away ---------------------------------------------------------------------------------- */

/*
 * Within a transaction, for a result that is taken away for good, in front of that: its artifacts, unless another result has
 * its run_id. Their files go with store_artifacts_sweep().
 */
int store_artifacts_forget(struct store *store, int64_t id, struct pl_err *err) PL_MUST_CHECK;
/*
 * Removes the artifacts of run_ids that no result has if they were stored more than unclaimed_ns ago, then the files that
 * no artifact has. now_ns is a real time; as in store_prune(), a date that contradicts the order counts as recent. Not
 * within a transaction. *ret_files: how many files were removed.
 */
int store_artifacts_sweep(struct store *store, int64_t now_ns, int64_t unclaimed_ns,
			  size_t *ret_files, struct pl_err *err) PL_MUST_CHECK;
