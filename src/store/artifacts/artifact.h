/*
 * Artifacts: the files of a run other than its result (requests, series, logs, charts, traces). Their bytes are files
 * (store/artifacts/files.h), each stored once for any number of runs; the database records which run has which file.
 * - They belong to a run_id. Its result may arrive later, and may still be in a job.
 * - One run_id may have several files of a kind and name, because it may have several results. Each result has the one
 *   whose SHA-256 its document names, or else the latest one.
 * - After store_artifact_end() has returned, file and row are on disk; an earlier kill leaves neither.
 */
#pragma once

#include "store/store.h"

#define STORE_ARTIFACT_NAME_MAX 255  /* bytes */
#define STORE_ARTIFACTS_MAX     1000 /* per run_id */

/* Returns the media type for a name; static. */
const char *store_artifact_media(const char *name);

/* ---- writing ------------------------------------------------------------------------------- */

struct store_artifact_in;
/* Checks the names. INVALID; FULL: this run_id has STORE_ARTIFACTS_MAX files, or the disk is full. */
int store_artifact_begin(struct store *store, const char *run_id, const char *kind,
			 const char *name, struct store_artifact_in **ret,
			 struct pl_err *err) PL_MUST_CHECK;
int store_artifact_write(struct store_artifact_in *in, const char *bytes, size_t len,
			 struct pl_err *err) PL_MUST_CHECK;
/*
 * Ends the file. INVALID: its SHA-256 is not the expected one (NULL: any), and nothing is stored. *ret_is_new: this
 * run_id had no such file of that kind and name.
 */
int store_artifact_end(struct store_artifact_in *in, const char *expected, bool *ret_is_new,
		       struct pl_err *err) PL_MUST_CHECK;
/* After the end. */
const char *store_artifact_sha256(const struct store_artifact_in *in);
int64_t store_artifact_bytes(const struct store_artifact_in *in);
/*
 * After the end: returns whether the file is one that results expect. If each stored result of this run_id names
 * another file by this kind and name, ret is the SHA-256 of one of these; else "".
 */
int store_artifact_awaited(const struct store_artifact_in *in, char ret[65],
			   struct pl_err *err) PL_MUST_CHECK;
/* Before the end, discards the file. Accepts NULL. */
void store_artifact_free(struct store_artifact_in *in);

/* ---- reading ------------------------------------------------------------------------------- */

struct store_artifact {
	char *kind;
	char *name;
	char sha256[65];
	int64_t bytes;
	char *stored_at; /* RFC 3339; NULL: not stored */
	bool is_lost;    /* was stored, but its file is missing or truncated */
};
struct store_artifacts {
	struct store_artifact *items;
	size_t count;
	size_t room;
};
/*
 * Returns the artifacts of a result by kind and name: stored ones, ones that its document names, and lost ones.
 * NOT_FOUND: the result does not exist or is deleted. Overwrites *ret.
 */
int store_artifacts_of(struct store *store, int64_t id, struct store_artifacts *ret,
		       struct pl_err *err) PL_MUST_CHECK;
void store_artifacts_done(struct store_artifacts *artifacts);
#define auto_artifacts __attribute__((cleanup(store_artifacts_done), unused)) struct store_artifacts
/* Also returns a missing one; NULL: neither stored nor named by the document. */
const struct store_artifact *store_artifacts_find(const struct store_artifacts *artifacts,
						  const char *kind, const char *name);

#define STORE_MISSING_RESULTS_MAX 1000

/* Artifacts that the results of a job name and that are missing. */
struct store_missing {
	int64_t results;    /* examined: the existing ones of the first STORE_MISSING_RESULTS_MAX */
	bool has_more;      /* the job has more than STORE_MISSING_RESULTS_MAX results */
	int64_t incomplete; /* results with missing files */
	int64_t files;
	int64_t bytes; /* according to the documents */
};
/* Reads all these documents. A job that does not exist lacks nothing. Overwrites *ret. */
int store_artifacts_missing(struct store *store, int64_t job, struct store_missing *ret,
			    struct pl_err *err) PL_MUST_CHECK;

/* *ret_fd is the caller's. NOT_FOUND, IO: its file is missing or unreadable. */
int store_artifact_open(struct store *store, const char *sha256, int *ret_fd,
			struct pl_err *err) PL_MUST_CHECK;

/* Counts the files that belong to no artifact. */
int store_artifacts_count_unnamed(struct store *store, size_t *ret,
				  struct pl_err *err) PL_MUST_CHECK;

/* ---- removal ------------------------------------------------------------------------------- */

/*
 * Within a transaction, before a result is pruned: removes its artifacts, unless another result has its run_id.
 * store_artifacts_sweep() removes their files.
 */
int store_artifacts_forget(struct store *store, int64_t id, struct pl_err *err) PL_MUST_CHECK;
/* Removes a file if no artifact has it. Not within a transaction. *ret_gone: it existed and was removed. */
int store_artifacts_drop(struct store *store, const char *sha256, bool *ret_gone,
			 struct pl_err *err) PL_MUST_CHECK;
/*
 * Removes the artifacts of run_ids that no result has if they were stored more than unclaimed_ns ago, then the files that
 * no artifact has. now_ns is a real time; as in store_prune(), a date that contradicts the order counts as recent. Not
 * within a transaction. *ret_files: how many files were removed.
 */
int store_artifacts_sweep(struct store *store, int64_t now_ns, int64_t unclaimed_ns,
			  size_t *ret_files, struct pl_err *err) PL_MUST_CHECK;
