/*
 * The journal's file: its owner, and whether the journal of a dead run may be discarded. The lock distinguishes live
 * from dead runs; a process id would not, because another process may have it by now.
 */
#include "run/journal/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "run/journal/read.h"
#include "run/paths.h"
#include "run/replace.h"
#include "schema/former.h"

/* A file that disappears between two attempts was removed by a run that completed. */
#define TAKE_TRIES 16

char *run_journal_path(const char *output)
{
	return pl_asprintf("%s.journal", output);
}

void run_journal_file_done(struct run_journal_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	*file = (struct run_journal_file){ .fd = -1 };
}

/*
 * A lock of the process, not of the descriptor: a server or guard that inherits the descriptor does not keep the
 * journal of a dead run. Files that cannot be locked count as free.
 */
static int lock_file(int fd, const char *path, struct pl_err *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct flock holder = lock;

	if (fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN))
		return 0;
	if (fcntl(fd, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK && holder.l_pid > 0)
		return pl_err_set(err, PL_ERR_BUSY,
				  "'%s' belongs to a run in progress (process %d)", path,
				  (int)holder.l_pid);
	return pl_err_set(err, PL_ERR_BUSY, "'%s' belongs to a run in progress", path);
}

/* Returns whether the file at `path` is still the opened one. */
static bool same_file(int fd, const char *path)
{
	struct stat opened, there;

	return fstat(fd, &opened) == 0 && lstat(path, &there) == 0 &&
	       opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

/* Returns 1: opened and locked, 0: it has just been removed or created, -1: error. `make`: only create. */
static int open_once(const char *path, bool make, struct run_journal_file *file, struct pl_err *err)
{
	/* never follow a link, or wait for a pipe of this name */
	int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	/* it contains fingerprints of secrets */
	auto_fd int fd = open(path, make ? flags | O_CREAT | O_EXCL : flags, 0600);
	struct stat st;

	if (fd < 0 && errno == (make ? EEXIST : ENOENT))
		return 0;
	if (fd < 0)
		return pl_err_errno(err, "could not open the journal '%s'", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return pl_err_set(err, PL_ERR_IO, "journal '%s' is not a regular file", path);
	if (lock_file(fd, path, err) < 0)
		return -1;
	/* its owner may have removed it since it was opened: then the lock would be on an unlinked file */
	if (!same_file(fd, path))
		return 0;
	/* an existing one may be readable by others; it may belong to a user who wants that */
	(void)fchmod(fd, 0600);
	file->fd = fd;
	file->made = make;
	fd = -1;
	return 1;
}

int run_journal_file_map(const struct run_journal_file *file, void **ret_data, size_t *ret_len,
			 struct pl_err *err)
{
	struct stat st;

	*ret_data = NULL;
	*ret_len = 0;
	if (fstat(file->fd, &st) < 0)
		return pl_err_errno(err, "could not read the journal '%s'", file->path);
	if (st.st_size == 0)
		return 0;
	void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (data == MAP_FAILED)
		return pl_err_errno(err, "could not read the journal '%s'", file->path);
	*ret_data = data;
	*ret_len = (size_t)st.st_size;
	return 0;
}

void run_journal_file_unmap(void *data, size_t len)
{
	if (data != NULL)
		munmap(data, len);
}

static json_t *result_at(const char *path, const char *run_id)
{
	json_t *result = NULL;

	if (pl_json_read_file(path, &result, PL_ERR_IGNORED) < 0)
		return NULL;
	schema_rename_former_result(result);
	if (pl_text_equal(pl_json_get_text(result, "run_id"), run_id))
		return result;
	json_decref(result);
	return NULL;
}

json_t *run_journal_result(const char *output, const char *run_id, char **ret_path)
{
	auto_paths is_alternative = { 0 };
	const char *path = output;
	json_t *result = result_at(output, run_id);

	if (result == NULL) {
		run_paths_make(output, run_id, &is_alternative);
		path = is_alternative.result;
		result = result_at(path, run_id);
	}
	if (result != NULL)
		*ret_path = pl_strdup(path);
	return result;
}

/*
 * Returns 1 if the run was killed between the rename of its result and its end, after doing the remaining work. Its
 * result is found by its run id, at the output or next to it, and names the files that still have to be moved.
 */
static int finish_run(const char *output, const struct run_journal_glance *glance,
		      struct pl_err *err)
{
	auto_free char *path = NULL;
	auto_json json_t *result = run_journal_result(output, glance->run_id, &path);

	if (result == NULL)
		return 0;
	if (glance->separate && pl_text_equal(path, output) &&
	    run_replace_finish(output, result, err) < 0)
		return -1;
	return 1;
}

/* Removes the temporary file of base/file.h. */
static void drop_temporary(const char *path, int64_t pid)
{
	auto_free char *temporary = pl_asprintf("%s.tmp.%lld", path, (long long)pid);

	unlink(temporary);
}

void run_journal_drop_temporaries(const char *output, const char *run_id, int64_t pid)
{
	const char *const ids[] = { NULL, run_id };

	for (size_t k = 0; k < PL_ARRAY_SIZE(ids); k++) {
		auto_paths paths = { 0 };
		run_paths_make(output, ids[k], &paths);
		drop_temporary(paths.result, pid);
		for (size_t i = 0; i < run_paths_artifact_count(); i++)
			drop_temporary(run_paths_artifact(&paths, i), pid);
	}
}

/* Whether a name is NAME.tmp.PID, as base/file.h makes it, and no process has the PID. */
static bool is_left_of(const char *found, const char *name)
{
	size_t len = strlen(name);
	int64_t pid;

	return strncmp(found, name, len) == 0 && pl_text_starts(found + len, ".tmp.") &&
	       pl_text_to_i64(found + len + strlen(".tmp."), &pid) && pid > 0 && pid <= INT32_MAX &&
	       kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/*
 * An empty journal names no process: its run was killed at the start. So temporary files of any dead process are its
 * own.
 */
static void drop_unnamed_temporaries(const char *output)
{
	auto_paths paths = { 0 };
	const char *slash = strrchr(output, '/');
	auto_free char *folder = slash != NULL ? pl_strndup(output, (size_t)(slash - output) + 1)
					       : pl_strdup(".");
	auto_dir dir = opendir(folder);
	const char *found;

	run_paths_make(output, NULL, &paths);
	while ((found = pl_dir_next(dir)) != NULL) {
		for (size_t i = 0; i < run_paths_artifact_count(); i++) {
			auto_free char *name = pl_file_name(run_paths_artifact(&paths, i));
			if (is_left_of(found, name))
				unlinkat(dirfd(dir), found, 0);
		}
	}
}

/* Checks whether the file of a dead run may be discarded. */
static int check_left(const char *output, struct run_journal_file *file, bool overwrite,
		      struct pl_err *err)
{
	struct run_journal_glance glance;
	void *data;
	size_t len;

	if (run_journal_file_map(file, &data, &len, err) < 0)
		return -1;
	enum run_journal_look look = run_journal_look(data, len, &glance);
	run_journal_file_unmap(data, len);
	if (look == RUN_JOURNAL_EMPTY) {
		drop_unnamed_temporaries(output);
		return 0;
	}
	int finished = look == RUN_JOURNAL_RUN ? finish_run(output, &glance, err) : 0;
	if (finished < 0)
		return -1;
	if (look == RUN_JOURNAL_RUN && (finished > 0 || overwrite)) {
		run_journal_drop_temporaries(output, glance.run_id, glance.pid);
		if (finished == 0 && glance.separate)
			memcpy(file->given_up, glance.run_id, sizeof(file->given_up));
		return 0;
	}
	if (look == RUN_JOURNAL_FOREIGN)
		return pl_err_invalid(err,
				      "'%s' is not a journal of profllm, and a run would overwrite "
				      "it; use another --output",
				      file->path);
	if (look == RUN_JOURNAL_OTHER_VERSION && overwrite)
		return 0;
	if (look == RUN_JOURNAL_OTHER_VERSION)
		return pl_err_invalid(
			err,
			"'%s' holds a killed run in format %lld of another version of profllm; "
			"recover it with that version, or use --overwrite to discard it",
			file->path, (long long)glance.version);
	return pl_err_invalid(err,
			      "'%s' holds a killed run (%s); use 'profllm recover %s' to write its "
			      "result, or --overwrite to discard it",
			      file->path, glance.run_id, output);
}

int run_journal_file_take(const char *output, bool overwrite, struct run_journal_file *ret,
			  struct pl_err *err)
{
	struct run_journal_file file = { .path = run_journal_path(output), .fd = -1 };
	int opened = 0;

	/* alternately tries to create and to open it, because neither can be combined with locking in one step */
	for (int i = 0; i < TAKE_TRIES && opened == 0; i++)
		opened = open_once(file.path, i % 2 == 0, &file, err);
	if (opened == 0)
		pl_err_set(err, PL_ERR_BUSY,
			   "'%s' keeps changing: several runs write '%s'; use another --output",
			   file.path, output);
	if (opened <= 0 || (!file.made && check_left(output, &file, overwrite, err) < 0)) {
		run_journal_file_done(&file);
		return -1;
	}
	*ret = file;
	return 0;
}

int run_journal_file_find(const char *output, struct run_journal_file *ret, struct pl_err *err)
{
	struct run_journal_file file = { .path = run_journal_path(output), .fd = -1 };
	int opened = open_once(file.path, false, &file, err);

	if (opened == 0)
		pl_err_set(err, PL_ERR_NOT_FOUND, "journal '%s' does not exist", file.path);
	if (opened <= 0) {
		run_journal_file_done(&file);
		return -1;
	}
	*ret = file;
	return 0;
}
