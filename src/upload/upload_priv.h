/* What is sent and read alike of results and of the files beside them. */
#pragma once

#include "base/buf.h"
#include "io/fetch.h"
#include "upload/upload.h"

#define UPLOAD_ASK_NS (30 * PL_NS_PER_S)

/* Percent-encoded but for letters, digits and `plain`. */
void upload_add_word(struct pl_buf *path, const char *word, const char *plain);

/* ---- ask.c --------------------------------------------------------------------------------- */

/* An answer that may be another one soon: no room, going down, something in between is away. */
bool upload_is_passing(int status);
/* A pause before it is asked again. False: it was waited for long enough, and is lost. */
bool upload_rest(struct upload *upload, const char *why);
/* It has answered. */
void upload_back(struct upload *upload);
/* A request to the dashboard; `path` with its prefix (upload_path()). Borrows it. */
struct io_fetch upload_fetch(const struct upload *upload, const char *method, const char *path);
/* Behind the dashboard's prefix: "/api/…"; free(). */
char *upload_path(const struct upload *upload, const char *format, ...) PL_PRINTF(2, 3);
/*
 * One exchange, as often as it takes. -1: it is lost, or no such thing can be asked (a certificate, a file that
 * cannot be read). *ret is an answer that does not pass, of whatever status.
 */
int upload_ask(struct upload *upload, const struct io_fetch *fetch, struct io_reply *ret,
	       struct pl_err *err) PL_MUST_CHECK;
/* The same of JSON: `method` and `path` (behind the prefix), `body` NULL: none. -1: any answer that is none or of
 * another status than `status`, too. New reference. */
int upload_ask_json(struct upload *upload, const char *method, const char *path, const json_t *body,
		    int status, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

/* ---- known.c ------------------------------------------------------------------------------- */

/*
 * {sha256: {job_id, index, state, id}} of those of the files that the dashboard has received. job_id: what is told of a
 * file that came in several uploads is of this one; NULL: of the newest. New reference.
 */
int upload_list_known(struct upload *upload, const char *job_id, const size_t *files, size_t count,
		      json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* The files in that state; free(). */
size_t *upload_files_in(const struct upload *upload, enum upload_state state, size_t *ret_count);
/* Files that came before, and whose results are there, are KNOWN. */
int upload_find_known(struct upload *upload, struct pl_err *err) PL_MUST_CHECK;

/* ---- send.c -------------------------------------------------------------------------------- */

/* Every file that waits is SENT to the open job, or FAILED. */
void upload_send(struct upload *upload);
void upload_fail(struct upload_result *result, const char *why);
/* All that wait. */
void upload_fail_waiting(struct upload *upload, const struct pl_err *err);

/* ---- items.c ------------------------------------------------------------------------------- */

/* Of a job that is over what became of each file that was sent. */
int upload_take_items(struct upload *upload, struct pl_err *err) PL_MUST_CHECK;
