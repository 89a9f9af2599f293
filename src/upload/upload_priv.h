/* Requests and responses, shared by results and artifacts. */
#pragma once

#include "base/buf.h"
#include "io/fetch.h"
#include "upload/upload.h"

#define UPLOAD_REQUEST_NS (30 * PL_NS_PER_S)

/* Appends the word percent-encoded, except letters, digits and `plain`. */
void upload_add_word(struct pl_buf *path, const char *word, const char *plain);

/* ---- ask.c --------------------------------------------------------------------------------- */

/* Returns whether a retry may succeed: the dashboard is full or shutting down, or a proxy is unavailable. */
bool upload_is_passing(int status);
/* Pauses before a retry. Returns false if the wait has timed out: the dashboard is lost. */
bool upload_rest(struct upload *upload, const char *why);
/* Records that the dashboard has responded. */
void upload_back(struct upload *upload);
/* Makes a request to the dashboard; `path` includes its prefix (upload_path()). Borrows it. */
struct io_fetch upload_fetch(const struct upload *upload, const char *method, const char *path);
/* Returns the headers of every request to the dashboard, such as its token, and these lines; free(). */
char *upload_headers(const struct run_target *target, const char *format, ...) PL_PRINTF(2, 3);
/* Returns a path after the dashboard's prefix: "/api/…"; free(). */
char *upload_path(const struct upload *upload, const char *format, ...) PL_PRINTF(2, 3);
/*
 * Performs one request with retries. Returns -1 if the dashboard is lost, or if the request is impossible (a
 * certificate, an unreadable file). *ret is a response that needs no retry, of any status.
 */
int upload_request(struct upload *upload, const struct io_fetch *fetch, struct io_reply *ret,
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * The same for JSON: `method` and `path` (after the prefix), `body` NULL: none. Also returns -1 for a response that is
 * not JSON or has another status than `status`. New reference.
 */
int upload_request_json(struct upload *upload, const char *method, const char *path,
			const json_t *body, int status, json_t **ret,
			struct pl_err *err) PL_MUST_CHECK;

/* ---- known.c ------------------------------------------------------------------------------- */

/*
 * Returns {sha256: {job_id, index, state, id}} of the files that the dashboard has received. job_id: prefer this upload
 * for a file that is in several; NULL: the newest. New reference.
 */
int upload_list_received(struct upload *upload, const char *job_id, const size_t *files,
			 size_t count, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns the files in this state; free(). */
size_t *upload_files_in(const struct upload *upload, enum upload_state state, size_t *ret_count);
/* Marks files as KNOWN that were received earlier and whose results exist. */
int upload_find_received(struct upload *upload, struct pl_err *err) PL_MUST_CHECK;

/* ---- send.c -------------------------------------------------------------------------------- */

/* Sends every waiting file to the open job: it becomes SENT or FAILED. */
void upload_send(struct upload *upload);
void upload_fail(struct upload_result *result, const char *why);
/* Marks all waiting files as failed. */
void upload_fail_waiting(struct upload *upload, const struct pl_err *err);

/* ---- items.c ------------------------------------------------------------------------------- */

/* Reads the outcome of each sent file from a finished job. */
int upload_take_items(struct upload *upload, struct pl_err *err) PL_MUST_CHECK;
