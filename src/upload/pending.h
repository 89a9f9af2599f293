/*
 * RESULT.upload: the list of what a command could not send of one result. `profllm upload --pending` sends it later.
 *
 * The list is JSON: {to, run_id, reason, written_at, files: [{name, kind}]}. It names no path: the result is the file next
 * to it, without ".upload". A list that another user placed in the directory therefore cannot name another file to send.
 */
#pragma once

#include "base/err.h"
#include "upload/upload.h"

#include <stdbool.h>
#include <stddef.h>

#define UPLOAD_PENDING_SUFFIX ".upload"

struct upload_pending {
	char *path;   /* of the list */
	char *result; /* path of the result */
	char *to;     /* URL of the dashboard, or unix:PATH */
	char *run_id; /* of the result when the list was written; NULL: not recorded */
};
struct upload_pendings {
	struct upload_pending *items;
	size_t count;
	size_t room;
};

/*
 * Writes the list of what is not at the dashboard `to`. `upload` has one file, `result`, and is complete; NULL: nothing
 * could be sent. Replaces an earlier list. *ret_path: of the list; free().
 */
int upload_pending_write(const char *result, const char *to, const struct upload *upload,
			 const char *reason, char **ret_path, struct pl_err *err) PL_MUST_CHECK;

/*
 * Adds the lists that `path` names: a list, or all lists in a directory and the directories below it, by name. A list of
 * another user is refused. -1: INVALID or IO; names the list and the key.
 */
int upload_pending_find(const char *path, struct upload_pendings *ret,
			struct pl_err *err) PL_MUST_CHECK;
void upload_pendings_done(struct upload_pendings *pendings);
#define auto_pendings __attribute__((cleanup(upload_pendings_done), unused)) struct upload_pendings

/* Is the result still the one that the list is about? False if it was replaced by another run's. */
bool upload_pending_is_current(const struct upload_pending *pending);

/* The result and its artifacts are at the dashboard `to`: removes the list if it names this dashboard. `to` NULL: any. */
void upload_pending_remove(const char *result, const char *to);
