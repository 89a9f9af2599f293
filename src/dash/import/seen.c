#include "dash/import/seen.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

#define OLD_NS       (60 * PL_NS_PER_S) /* by modification time: not being written */
#define RETRY_NS     PL_NS_PER_S
#define RETRY_MAX_NS (64 * PL_NS_PER_S)

/* ---- marks --------------------------------------------------------------------------------- */

bool dash_mark_of(const char *path, struct dash_mark *ret)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*ret = (struct dash_mark){ .bytes = st.st_size,
				   .changed_ns = (int64_t)st.st_mtim.tv_sec * PL_NS_PER_S +
						 st.st_mtim.tv_nsec,
				   .inode = st.st_ino };
	return true;
}

static bool is_same(const struct dash_mark *a, const struct dash_mark *b)
{
	return a->bytes == b->bytes && a->changed_ns == b->changed_ns && a->inode == b->inode;
}

/* ---- the files ----------------------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b)
{
	const struct dash_seen *one = a, *other = b;

	return strcmp(one->path, other->path);
}

struct dash_seen *dash_seen_find(const struct dash_seen_files *files, const char *path)
{
	const struct dash_seen key = { .path = (char *)path };
	struct dash_seen **found = tfind(&key, &files->tree, compare_paths);

	return found != NULL ? *found : NULL;
}

static struct dash_seen *find_or_add(struct dash_seen_files *files, const char *path)
{
	struct dash_seen *seen = dash_seen_find(files, path);

	if (seen != NULL)
		return seen;
	seen = pl_alloc(sizeof(*seen));
	*seen = (struct dash_seen){ .path = pl_strdup(path),
				    .state = DASH_SEEN_TAKEN,
				    .mark = { .bytes = -1 },
				    .next_ns = INT64_MAX };
	if (tsearch(seen, &files->tree, compare_paths) == NULL)
		pl_must(NULL);
	*PL_PUSH(files->items, files->count, files->room) = seen;
	return seen;
}

static void forget(struct dash_seen_files *files, struct dash_seen *seen)
{
	tdelete(seen, &files->tree, compare_paths);
	free(seen->path);
	free(seen);
}

void dash_seen_done(struct dash_seen_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		forget(files, files->items[i]);
	free(files->items);
	*files = (struct dash_seen_files)DASH_SEEN_FILES_INIT;
}

/* ---- states -------------------------------------------------------------------------------- */

static void be_ready(struct dash_seen_files *files, struct dash_seen *seen)
{
	seen->state = DASH_SEEN_READY;
	files->has_ready = true;
}

static void be_due(int64_t *due_ns, int64_t at_ns)
{
	if (at_ns < *due_ns)
		*due_ns = at_ns;
}

/*
 * By the wall clock, like file times. If the clock was set since the first scan, a file that is being written may
 * appear years old: then only two seconds without a change make it complete.
 */
static bool is_old(struct dash_seen_files *files, const struct dash_mark *mark)
{
	int64_t offset_ns = pl_clock_offset_ns();

	if (files->offset_ns == 0)
		files->offset_ns = offset_ns;
	return llabs(offset_ns - files->offset_ns) < OLD_NS &&
	       pl_clock_real_ns() - mark->changed_ns >= OLD_NS;
}

void dash_seen_note(struct dash_seen_files *files, const char *path, bool is_whole)
{
	int64_t now_ns = pl_clock_now_ns();
	struct dash_mark mark;

	if (!dash_mark_of(path, &mark))
		return;
	struct dash_seen *seen = find_or_add(files, path);
	seen->look = files->look;
	if (!is_same(&mark, &seen->mark)) {
		seen->mark = mark;
		seen->since_ns = now_ns;
		seen->failures = 0;
		seen->state = DASH_SEEN_PENDING;
	}
	if (seen->state != DASH_SEEN_PENDING)
		return;
	if (is_whole || now_ns - seen->since_ns >= DASH_STEADY_NS || is_old(files, &mark))
		be_ready(files, seen);
	else
		be_due(&files->steady_ns, seen->since_ns + DASH_STEADY_NS);
}

/* A file that has disappeared is removed, and is a new one if it reappears. */
static void note_pending(struct dash_seen_files *files, struct dash_seen *seen)
{
	struct dash_mark mark;

	if (dash_mark_of(seen->path, &mark)) {
		dash_seen_note(files, seen->path, false);
		return;
	}
	seen->state = DASH_SEEN_TAKEN;
	seen->mark.bytes = -1;
}

void dash_seen_pass(struct dash_seen_files *files)
{
	int64_t now_ns = pl_clock_now_ns();

	files->steady_ns = files->next_ns = INT64_MAX;
	for (size_t i = 0; i < files->count; i++) {
		struct dash_seen *seen = files->items[i];
		if (seen->state == DASH_SEEN_PENDING)
			note_pending(files, seen);
		else if (seen->state == DASH_SEEN_TAKEN && seen->next_ns <= now_ns)
			be_ready(files, seen);
		else if (seen->state == DASH_SEEN_TAKEN)
			be_due(&files->next_ns, seen->next_ns);
	}
}

void dash_seen_look_begin(struct dash_seen_files *files)
{
	files->look++;
}

void dash_seen_look_end(struct dash_seen_files *files)
{
	size_t retained = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct dash_seen *seen = files->items[i];
		if (seen->look == files->look)
			files->items[retained++] = seen;
		else
			forget(files, seen);
	}
	files->count = retained;
}

/* ---- taking -------------------------------------------------------------------------------- */

void dash_seen_retry(struct dash_seen_files *files, struct dash_seen *seen)
{
	if (seen->state == DASH_SEEN_TAKEN)
		be_ready(files, seen);
}

bool dash_seen_failed(struct dash_seen_files *files, const char *path)
{
	struct dash_seen *seen = dash_seen_find(files, path);

	if (seen == NULL)
		return true;
	int64_t pause_ns = RETRY_NS;
	for (unsigned i = 0; i < seen->failures && pause_ns < RETRY_MAX_NS; i++)
		pause_ns *= 2;
	seen->next_ns = pl_clock_now_ns() + pause_ns;
	be_due(&files->next_ns, seen->next_ns);
	return seen->failures == 0;
}

void dash_seen_taken(struct dash_seen_files *files)
{
	files->has_ready = false;
	for (size_t i = 0; i < files->count; i++) {
		struct dash_seen *seen = files->items[i];
		if (seen->state != DASH_SEEN_READY)
			continue;
		seen->failures = seen->next_ns == INT64_MAX ? 0 : seen->failures + 1;
		seen->state = DASH_SEEN_TAKEN;
	}
}
