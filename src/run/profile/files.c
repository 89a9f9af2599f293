#include "run/profile/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/unpack.h"
#include "trace/trace.h"

#define BLOCK_BYTES    ((size_t)256 << 10)
#define NAME_BYTES_MAX 255 /* of an artifact */

/* ---- looking ---- */

static bool is_old(const struct run_traces *traces, const char *name)
{
	for (size_t i = 0; i < traces->old_count; i++) {
		if (strcmp(traces->old[i], name) == 0)
			return true;
	}
	return false;
}

void run_traces_begin(const char *dir, struct run_traces *ret)
{
	*ret = (struct run_traces){ .dir = pl_strdup(dir) };
	auto_dir opened = opendir(dir);
	const char *name;

	while ((name = pl_dir_next(opened)) != NULL)
		*PL_PUSH(ret->old, ret->old_count, ret->old_room) = pl_strdup(name);
}

void run_traces_done(struct run_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		free(traces->items[i].name);
		free(traces->items[i].path);
	}
	for (size_t i = 0; i < traces->old_count; i++)
		free(traces->old[i]);
	free(traces->items);
	free(traces->old);
	free(traces->dir);
	*traces = (struct run_traces){ 0 };
}

static struct run_trace *find(struct run_traces *traces, const char *name)
{
	for (size_t i = 0; i < traces->count; i++) {
		if (strcmp(traces->items[i].name, name) == 0)
			return &traces->items[i];
	}
	if (traces->count == RUN_TRACES_MAX) {
		traces->is_full = true;
		return NULL;
	}
	struct run_trace *trace = PL_PUSH(traces->items, traces->count, traces->room);
	*trace = (struct run_trace){
		.name = pl_strdup(name), .bytes = -1, .rank = trace_rank(name), .checked = -1
	};
	return trace;
}

/* Forgets a file that was renamed, as Nsight Systems does after the conversion. */
static bool drop_missing(struct run_traces *traces)
{
	size_t retained = 0;
	bool has_changed = false;

	for (size_t i = 0; i < traces->count; i++) {
		auto_free char *path = pl_asprintf("%s/%s", traces->dir, traces->items[i].name);
		if (pl_file_exists(path)) {
			traces->items[retained++] = traces->items[i];
		} else {
			free(traces->items[i].name);
			has_changed = true;
		}
	}
	traces->count = retained;
	return has_changed;
}

bool run_traces_look(struct run_traces *traces)
{
	bool has_changed = drop_missing(traces);
	auto_dir dir = opendir(traces->dir);
	const char *name;
	struct stat st;

	while ((name = pl_dir_next(dir)) != NULL) {
		if (is_old(traces, name) ||
		    fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		struct run_trace *trace = find(traces, name);
		if (trace == NULL || trace->bytes == st.st_size)
			continue;
		trace->bytes = st.st_size;
		has_changed = true;
	}
	return has_changed;
}

/* ---- completeness ---- */

static bool is_json(const char *name)
{
	return pl_text_ends(name, ".json") || pl_text_ends(name, ".json.gz");
}

/* Reads the whole file. */
static bool is_whole(const char *path, struct run_trace *trace)
{
	auto_trace struct trace_reader *reader = trace_reader_new();
	auto_free char *block = pl_alloc(BLOCK_BYTES);
	auto_unpack struct pl_unpack *unpack = NULL;
	size_t len = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || pl_unpack_new(fd, path, &unpack, PL_ERR_IGNORED) < 0)
		return false;
	do {
		if (pl_unpack_read(unpack, block, BLOCK_BYTES, &len, PL_ERR_IGNORED) < 0 ||
		    trace_reader_add(reader, block, len, PL_ERR_IGNORED) < 0)
			return false;
	} while (len > 0);
	if (trace->rank < 0)
		trace->rank = trace_reader_rank(reader);
	return trace_reader_is_whole(reader);
}

/* Reads each size of a file once. */
static bool is_complete(struct run_traces *traces, struct run_trace *trace)
{
	auto_free char *path = pl_asprintf("%s/%s", traces->dir, trace->name);

	if (!is_json(trace->name))
		return trace->bytes > 0 && !pl_text_ends(trace->name, ".qdstrm");
	if (trace->checked != trace->bytes) {
		trace->is_whole = trace->bytes > 0 && is_whole(path, trace);
		trace->checked = trace->bytes;
	}
	return trace->is_whole;
}

const char *run_traces_find_incomplete(struct run_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		if (!is_complete(traces, &traces->items[i]))
			return traces->items[i].name;
	}
	return NULL;
}

/* ---- moving ---- */

static int compare(const void *left, const void *right)
{
	const struct run_trace *a = left, *b = right;

	/* files without a rank last: those of the front end */
	if (a->rank != b->rank)
		return (uint64_t)a->rank < (uint64_t)b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int copy_bytes(const char *from, const char *to, struct pl_err *err)
{
	auto_fd int source = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	auto_free char *block = pl_alloc(BLOCK_BYTES);
	ssize_t len = 0;

	if (source < 0)
		return pl_err_errno(err, "could not read '%s'", from);
	auto_fd int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, pl_file_mode(0644));
	if (target < 0)
		return pl_err_errno(err, "could not write '%s'", to);
	while ((len = TEMP_FAILURE_RETRY(read(source, block, BLOCK_BYTES))) > 0) {
		if (pl_fd_write(target, block, (size_t)len) < 0)
			break;
	}
	if (len == 0)
		return 0;
	pl_err_errno(err, "could not copy '%s' to '%s'", from, to);
	unlink(to);
	return -1;
}

static int move_file(struct run_traces *traces, struct run_trace *trace, const char *to,
		     bool copies, struct pl_err *err)
{
	auto_free char *from = pl_asprintf("%s/%s", traces->dir, trace->name);
	auto_free char *name = pl_file_name(to);

	if (strlen(name) > NAME_BYTES_MAX)
		return pl_err_set(err, PL_ERR_FAILED, "the name of trace '%s' is too long",
				  trace->name);
	if (!copies && rename(from, to) == 0)
		return 0;
	/* another file system, or another user's file */
	if (copy_bytes(from, to, err) < 0)
		return -1;
	if (!copies)
		unlink(from);
	return 0;
}

int run_traces_move(struct run_traces *traces, const char *result, const char *run_id, bool copies,
		    struct pl_err *err)
{
	int done = 0;

	if (traces->count > 0)
		qsort(traces->items, traces->count, sizeof(traces->items[0]), compare);
	for (size_t i = 0; i < traces->count; i++) {
		struct run_trace *trace = &traces->items[i];
		auto_free char *suffix = pl_asprintf(".%s.%s", run_id, trace->name);
		auto_free char *to = pl_file_sibling(result, ".json", suffix);
		if (move_file(traces, trace, to, copies, done == 0 ? err : PL_ERR_IGNORED) < 0)
			done = -1;
		else
			trace->path = pl_take(to);
	}
	return done;
}
