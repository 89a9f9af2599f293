/*
 * Sends files to a dashboard and waits until it has read them: POST /api/upload/raw for each, then
 * GET /api/upload/status (api/openapi.yaml).
 *
 * Then the artifacts of each result that is there, as its document names them and as they lie beside the file;
 * only those that the dashboard lacks.
 *
 * A file is over when its job is done, when it was refused, or when the dashboard cannot be reached. What
 * was accepted once is the dashboard's: it will be read even if nobody waits.
 */
#pragma once

#include "base/json.h"
#include "run/target.h"

/* The most that a dashboard takes in one body. */
#define RUN_UPLOAD_BYTES_MAX (64u << 20)

struct run_upload_file {
	const char *path;
	const char *name; /* what the dashboard shall call it */
};

/* What became of one file. */
struct run_upload_result {
	char *status_url; /* of its job, once it was accepted; NULL: it was not */
	char *failure;    /* why there is no outcome: it cannot be read or sent, it was refused */
	bool is_unreachable; /* the failure is of the way there: others would fail alike */
	json_t *items; /* of its job, once that is done: [{name, state, message, faults, …}] */
	/*
	 * Of those of its results that are there: [{kind, name, run_id, bytes, state, message}], where state is stored,
	 * duplicate (the dashboard has it), absent or changed (here; not sent), failed.
	 */
	json_t *artifacts;
};

struct run_upload {
	const struct run_target *target;
	const struct run_upload_file *files;
	size_t count;
	struct run_upload_result *results; /* one a file */
	size_t sent;                       /* files that were sent, or cannot be */
	size_t over;                       /* files of which all is known */
	bool without_artifacts;            /* the results alone */
	size_t artifacts_sent;
	bool is_over;
	bool is_lost; /* amid the artifacts the dashboard was gone */
	/* after each step; NULL: nobody asks */
	void (*on_progress)(const struct run_upload *upload);
};

/* All of it. Failures are told file by file. */
void run_upload_all(struct run_upload *upload);
/* Of all of it, once it is over: NONE where every result is there with its artifacts, NETWORK before INVALID. */
enum pl_err_code run_upload_code(const struct run_upload *upload);
/* The first of what run_upload_code() is about, in words; NULL: there is none. free() */
char *run_upload_fault(const struct run_upload *upload);
void run_upload_done(struct run_upload *upload);
