/*
 * Files that somebody may still write to, by path: which of them are whole, and what is to be done with each.
 *
 *	noted ──> PENDING ──closed, or two seconds the same──> READY ──> TAKEN
 *	             ^                                           ^          │
 *	             └──────────────── it is another file ───────┼──────────┘
 *	                 what was taken failed, or is wanted again ┘
 *
 * Times are pl_clock_now_ns()'s. Not for several threads at a time.
 */
#pragma once

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* That a file is as it is for so long makes it whole. */
#define DASH_STEADY_NS (2 * PL_NS_PER_S)

/* What tells one file from another by the same name. */
struct dash_mark {
	int64_t bytes;
	int64_t changed_ns; /* by its own time: since 1970 */
	uint64_t inode;
};
/* False: no such file. */
bool dash_mark_of(const char *path, struct dash_mark *ret);

enum dash_seen_state { DASH_SEEN_PENDING, DASH_SEEN_READY, DASH_SEEN_TAKEN };

struct dash_seen {
	char *path;
	struct dash_mark mark;
	enum dash_seen_state state;
	int64_t since_ns;  /* that it is as it is */
	uint64_t look;     /* at which it was there last */
	int64_t again_ns;  /* taking it failed: when it is ready again; INT64_MAX: it did not */
	unsigned failures; /* one after the other */
};

struct dash_seen_files {
	struct dash_seen **items;
	size_t count;
	size_t room;
	void *tree; /* of them, by path */
	bool has_ready;
	uint64_t look;
	int64_t steady_ns; /* when the next of those that are pending is whole; INT64_MAX: none is pending */
	int64_t again_ns;  /* the next that is ready again; INT64_MAX: none is */
	int64_t offset_ns; /* realtime - monotonic at the first look; 0: none was */
};

#define DASH_SEEN_FILES_INIT                                  \
	{                                                     \
		.steady_ns = INT64_MAX, .again_ns = INT64_MAX \
	}
void dash_seen_done(struct dash_seen_files *files);

/* NULL: it was never noted. Borrowed until it is gone. */
struct dash_seen *dash_seen_find(const struct dash_seen_files *files, const char *path);
/* It is there. is_whole: who wrote it has said that it is done. */
void dash_seen_note(struct dash_seen_files *files, const char *path, bool is_whole);
/* What has been steady for long enough, or is to be taken again, gets ready. To be called when one of the two is due. */
void dash_seen_pass(struct dash_seen_files *files);
/* All files are noted between the two; what was not is forgotten. */
void dash_seen_look_begin(struct dash_seen_files *files);
void dash_seen_look_end(struct dash_seen_files *files);

/* What was taken, once more. */
void dash_seen_want(struct dash_seen_files *files, struct dash_seen *seen);
/* Taking it failed, which may be for good: it is tried ever more rarely. False: it had failed before. */
bool dash_seen_failed(struct dash_seen_files *files, const char *path);
/* All that were ready are taken, but for those that failed. */
void dash_seen_taken(struct dash_seen_files *files);
