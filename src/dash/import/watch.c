/*
 *	inotify ──closed, renamed in──────────────┐
 *	   └──── a folder ──> walk ──┐            v
 *	at intervals ────────> walk ──┴─> files that are seen ──whole──> store
 *	                                    ^
 *	   an artifact has appeared or changed
 */
#include "dash/import/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/strv.h"
#include "base/text.h"
#include "dash/import/seen.h"
#include "result/files.h"

#define LOOK_NS        (15 * PL_NS_PER_S)
#define LOOK_BARE_NS   (2 * PL_NS_PER_S) /* without notifications */
#define LOOK_SHARE     10                /* maximum share of time for scanning: one tenth */
#define RETRY_NS       PL_NS_PER_S
#define DEPTH_MAX      100
#define INCOMPLETE_MAX 10000
#define EVENTS_BYTES   65536
#define EVENTS                                                                                     \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_EXCL_UNLINK | IN_DELETE_SELF | \
	 IN_MOVE_SELF)

/* A result with missing or different artifacts. */
struct incomplete {
	char *path;
	struct pl_strv wanted;
	uint64_t tried; /* hash of the marks of all missing files at the last attempt */
};

struct folder {
	int number; /* of inotify; ascending */
	char *path;
};

struct dash_watch {
	struct dash_watch_options options;
	struct dash_import *import;
	int inotify;  /* -1: none */
	bool is_bare; /* some directories have no notifications */
	struct folder *folders;
	size_t folder_count;
	size_t folder_room;
	struct dash_seen_files files;
	struct incomplete *incomplete;
	size_t incomplete_count;
	size_t incomplete_room;
	int64_t look_ns;       /* time of the next scan */
	int64_t next_ns;       /* retry after a failure of the store; INT64_MAX: none */
	int64_t incomplete_ns; /* when to check appeared artifacts; INT64_MAX: none */
};

/* ---- directories --------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	const struct folder *one = a, *other = b;

	return (one->number > other->number) - (one->number < other->number);
}

static struct folder *folder_of(const struct dash_watch *watch, int number)
{
	const struct folder key = { .number = number };

	return watch->folder_count == 0 ? NULL
					: bsearch(&key, watch->folders, watch->folder_count,
						  sizeof(key), compare_numbers);
}

/* Reported once for all directories: the limit is per user, so the next ones would fail, too. */
static void be_bare(struct dash_watch *watch, const char *path)
{
	int why = errno;

	if (watch->is_bare)
		return;
	watch->is_bare = true;
	if (why == ENOSPC)
		pl_log(PL_LOG_WARNING,
		       "could not watch '%s': the limit fs.inotify.max_user_watches is reached; "
		       "scanning the directories every 2 s instead",
		       path);
	else
		pl_log(PL_LOG_WARNING,
		       "could not watch '%s': %s; scanning the directories every 2 s instead", path,
		       strerror(why));
}

static void watch_folder(struct dash_watch *watch, const char *path)
{
	int number = watch->inotify < 0 ? -1 : inotify_add_watch(watch->inotify, path, EVENTS);

	if (number < 0) {
		if (watch->inotify >= 0 && errno != ENOENT && errno != ENOTDIR)
			be_bare(watch, path);
		return;
	}
	struct folder *folder = folder_of(watch, number);
	if (folder == NULL) {
		folder = PL_PUSH(watch->folders, watch->folder_count, watch->folder_room);
		*folder = (struct folder){ .number = number };
	}
	if (pl_text_equal(folder->path, path))
		return;
	/* the directory was moved */
	free(folder->path);
	folder->path = pl_strdup(path);
}

static bool may_be_result(const char *path)
{
	return res_may_hold_results(path) && res_artifact_suffix(path) == NULL;
}

/* Starts the notifications before reading, so that no file is missed. An unreadable directory counts as empty. */
static void walk(struct dash_watch *watch, const char *path, int depth)
{
	watch_folder(watch, path);
	auto_dir dir = opendir(path);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		auto_free char *below = pl_asprintf("%s/%s", path, name);
		struct stat lock_facts;
		if (name[0] == '.' || lstat(below, &lock_facts) < 0)
			continue;
		if (S_ISDIR(lock_facts.st_mode) && depth < DEPTH_MAX)
			walk(watch, below, depth + 1);
		else if (may_be_result(below))
			dash_seen_note(&watch->files, below, false);
	}
}

/* ---- artifacts ----------------------------------------------------------------------------- */

static uint64_t marks_of(const struct pl_strv *paths)
{
	uint64_t sum = 1469598103934665603u;

	for (size_t i = 0; i < paths->count; i++) {
		struct dash_mark mark = { 0 };
		if (dash_mark_of(paths->items[i], &mark))
			sum ^= (uint64_t)mark.bytes + (uint64_t)mark.changed_ns + mark.inode;
		sum *= 1099511628211u;
	}
	return sum;
}

static void lacking_done(struct incomplete *incomplete)
{
	free(incomplete->path);
	pl_strv_done(&incomplete->wanted);
}

/*
 * Returns the last entry, if it is for this result, or a new one. NULL: the list is full; the others wait for the next
 * start.
 */
static struct incomplete *incomplete_of(struct dash_watch *watch, const char *path)
{
	struct incomplete *last = watch->incomplete_count > 0
					  ? &watch->incomplete[watch->incomplete_count - 1]
					  : NULL;

	if (last != NULL && strcmp(last->path, path) == 0)
		return last;
	if (watch->incomplete_count == INCOMPLETE_MAX)
		return NULL;
	last = PL_PUSH(watch->incomplete, watch->incomplete_count, watch->incomplete_room);
	*last = (struct incomplete){ .path = pl_strdup(path) };
	return last;
}

static void on_artifact(void *context, const struct dash_imported *imported,
			const struct dash_imported_artifact *artifact)
{
	struct dash_watch *watch = context;

	if (strcmp(artifact->state, "missing") == 0 || strcmp(artifact->state, "changed") == 0) {
		struct incomplete *incomplete = incomplete_of(watch, imported->path);
		if (incomplete != NULL) {
			pl_strv_add(&incomplete->wanted, artifact->path);
			incomplete->tried = marks_of(&incomplete->wanted);
		}
	}
	if (strcmp(artifact->state, "failed") == 0 &&
	    !dash_seen_failed(&watch->files, imported->path))
		return;
	watch->options.artifact(watch->options.context, imported, artifact);
}

static void on_document(void *context, const struct dash_imported *imported)
{
	struct dash_watch *watch = context;

	if (imported->is_unread && !dash_seen_failed(&watch->files, imported->path))
		return;
	watch->options.on_result(watch->options.context, imported);
}

static void on_sweep(void *context, const struct dash_imported_sweep *sweep)
{
	struct dash_watch *watch = context;

	watch->options.sweep(watch->options.context, sweep);
}

/* Reads the result again, which then is a duplicate. */
static void want_retry(struct dash_watch *watch, struct incomplete *incomplete)
{
	struct dash_seen *seen = dash_seen_find(&watch->files, incomplete->path);

	if (seen != NULL)
		dash_seen_retry(&watch->files, seen);
	lacking_done(incomplete);
}

/* Checks results of which an artifact has appeared or changed, or that were removed. */
static void check_artifacts(struct dash_watch *watch)
{
	size_t retained = 0;

	watch->incomplete_ns = INT64_MAX;
	for (size_t i = 0; i < watch->incomplete_count; i++) {
		struct incomplete *incomplete = &watch->incomplete[i];
		if (dash_seen_find(&watch->files, incomplete->path) != NULL &&
		    marks_of(&incomplete->wanted) == incomplete->tried)
			watch->incomplete[retained++] = *incomplete;
		else
			want_retry(watch, incomplete);
	}
	watch->incomplete_count = retained;
}

static bool wants(const struct incomplete *incomplete, const char *path)
{
	for (size_t i = 0; i < incomplete->wanted.count; i++) {
		if (strcmp(incomplete->wanted.items[i], path) == 0)
			return true;
	}
	return false;
}

/* Its writer has closed it, so there is no need to wait until it stops changing. */
static void take_artifacts(struct dash_watch *watch, const char *path)
{
	size_t retained = 0;

	for (size_t i = 0; i < watch->incomplete_count; i++) {
		struct incomplete *incomplete = &watch->incomplete[i];
		if (wants(incomplete, path))
			want_retry(watch, incomplete);
		else
			watch->incomplete[retained++] = *incomplete;
	}
	watch->incomplete_count = retained;
}

static void meet_file(struct dash_watch *watch, const char *path, bool is_whole)
{
	if (may_be_result(path)) {
		dash_seen_note(&watch->files, path, is_whole);
		return;
	}
	/* another result may want it under another name */
	watch->incomplete_ns = pl_clock_now_ns() + DASH_STEADY_NS;
	if (is_whole)
		take_artifacts(watch, path);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static void look(struct dash_watch *watch)
{
	int64_t begun_ns = pl_clock_now_ns();

	dash_seen_look_begin(&watch->files);
	for (size_t i = 0; i < watch->options.folders->count; i++)
		walk(watch, watch->options.folders->items[i], 0);
	dash_seen_look_end(&watch->files);
	check_artifacts(watch);
	int64_t now_ns = pl_clock_now_ns();
	int64_t pause_ns = watch->is_bare ? LOOK_BARE_NS : LOOK_NS;
	int64_t least_ns = (now_ns - begun_ns) * LOOK_SHARE;
	watch->look_ns = now_ns + (pause_ns > least_ns ? pause_ns : least_ns);
}

static void take_event(struct dash_watch *watch, const struct inotify_event *event)
{
	struct folder *folder = folder_of(watch, event->wd);

	/* the kernel's queue has overflowed */
	if (event->mask & IN_Q_OVERFLOW)
		watch->look_ns = 0;
	if (folder == NULL)
		return;
	if (event->mask & IN_IGNORED) {
		/* Directories appear and disappear while the server runs. */
		size_t after = (size_t)(watch->folders + watch->folder_count - (folder + 1));
		free(folder->path);
		memmove(folder, folder + 1, after * sizeof(*folder));
		watch->folder_count--;
		return;
	}
	if (event->len == 0 || event->name[0] == '.')
		return;
	auto_free char *path = pl_asprintf("%s/%s", folder->path, event->name);
	if (event->mask & IN_ISDIR)
		walk(watch, path, 0);
	else
		meet_file(watch, path, (event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0);
}

static void take_events(struct dash_watch *watch)
{
	_Alignas(struct inotify_event) char events[EVENTS_BYTES];
	ssize_t got;

	while ((got = read(watch->inotify, events, sizeof(events))) > 0) {
		for (char *at = events; at < events + got;) {
			const struct inotify_event *event = (const void *)at;
			take_event(watch, event);
			at += sizeof(*event) + event->len;
		}
	}
}

static int take_all(struct dash_watch *watch, struct pl_err *err)
{
	const struct dash_seen_files *files = &watch->files;

	for (size_t i = 0; i < files->count; i++) {
		struct dash_seen *seen = files->items[i];
		if (seen->state != DASH_SEEN_READY)
			continue;
		seen->next_ns = INT64_MAX;
		/* a file that has disappeared is not a fault */
		if (pl_file_exists(seen->path) &&
		    dash_import_file(watch->import, seen->path, err) < 0)
			return -1;
	}
	return dash_import_finish(watch->import, err);
}

static void take_ready(struct dash_watch *watch)
{
	struct pl_err err = PL_ERR_INIT;

	if (!watch->files.has_ready)
		return;
	if (take_all(watch, &err) < 0) {
		pl_log(PL_LOG_WARNING, "the import is paused: %s", err.text);
		watch->next_ns = pl_clock_now_ns() + RETRY_NS;
		return;
	}
	watch->next_ns = INT64_MAX;
	dash_seen_taken(&watch->files);
}

/* Returns the time until the next thing is due. */
static int pause_ms(const struct dash_watch *watch)
{
	int64_t now_ns = pl_clock_now_ns(), due_ns = watch->look_ns;

	if (watch->files.steady_ns < due_ns)
		due_ns = watch->files.steady_ns;
	if (watch->files.next_ns < due_ns)
		due_ns = watch->files.next_ns;
	if (watch->next_ns < due_ns)
		due_ns = watch->next_ns;
	if (watch->incomplete_ns < due_ns && watch->incomplete_count > 0)
		due_ns = watch->incomplete_ns;
	return due_ns <= now_ns ? 0 : (int)((due_ns - now_ns) / PL_NS_PER_MS) + 1;
}

void dash_watch_run(struct dash_watch *watch, int stop)
{
	struct pollfd fds[] = { { .fd = stop, .events = POLLIN },
				{ .fd = watch->inotify, .events = POLLIN } };
	bool is_first = true;

	for (;;) {
		int64_t now_ns = pl_clock_now_ns();
		if (now_ns >= watch->look_ns)
			look(watch);
		if (now_ns >= watch->incomplete_ns)
			check_artifacts(watch);
		if (now_ns >= watch->files.steady_ns || now_ns >= watch->files.next_ns)
			dash_seen_pass(&watch->files);
		if (watch->next_ns == INT64_MAX || now_ns >= watch->next_ns)
			take_ready(watch);
		if (is_first && watch->options.looked != NULL)
			watch->options.looked(watch->options.context);
		is_first = false;
		if (poll(fds, PL_ARRAY_SIZE(fds), pause_ms(watch)) > 0 && fds[0].revents != 0)
			return;
		if (fds[1].revents != 0)
			take_events(watch);
	}
}

/* ---- start and stop ------------------------------------------------------------------------ */

static int check_folders(const struct pl_opt_list *folders, struct pl_err *err)
{
	for (size_t i = 0; i < folders->count; i++) {
		auto_dir dir = opendir(folders->items[i]);
		if (dir == NULL)
			return pl_err_errno(err, "--watch: could not read directory '%s'",
					    folders->items[i]);
	}
	return 0;
}

int dash_watch_new(const struct dash_watch_options *options, struct dash_watch **ret,
		   struct pl_err *err)
{
	if (check_folders(options->folders, err) < 0)
		return -1;
	struct dash_watch *watch = pl_alloc(sizeof(*watch));
	*watch = (struct dash_watch){ .options = *options,
				      .files = DASH_SEEN_FILES_INIT,
				      .next_ns = INT64_MAX,
				      .incomplete_ns = INT64_MAX };
	watch->import = dash_import_new(options->store, options->reader, on_document,
					options->artifact != NULL ? on_artifact : NULL, watch);
	/* a deleted result's file still exists, and must not restore it */
	dash_import_choose(watch->import, options->on_conflict, true);
	if (options->sweep != NULL)
		dash_import_report_sweeps(watch->import, on_sweep);
	watch->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->inotify < 0)
		be_bare(watch, options->folders->items[0]);
	*ret = watch;
	return 0;
}

void dash_watch_free(struct dash_watch *watch)
{
	if (watch == NULL)
		return;
	pl_fd_close(&watch->inotify);
	dash_import_free(watch->import);
	for (size_t i = 0; i < watch->folder_count; i++)
		free(watch->folders[i].path);
	free(watch->folders);
	dash_seen_done(&watch->files);
	for (size_t i = 0; i < watch->incomplete_count; i++)
		lacking_done(&watch->incomplete[i]);
	free(watch->incomplete);
	free(watch);
}
