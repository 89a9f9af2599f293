/*
 * Files by path that may still be written: which of them are complete, and what to do with each.
 *
 *	noted ──> PENDING ──closed, or unchanged for two seconds──> READY ──> TAKEN
 *	             ^                                                ^         │
 *	             └─────────────── the file changed ───────────────┼─────────┘
 *	                    taking it failed, or it is needed again ──┘
 *
 * Times are those of pl_clock_now_ns(). Not for concurrent use by several threads.
 */
#pragma once

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that has not changed for this long is complete. */
#define DASH_STEADY_NS (2 * PL_NS_PER_S)

/* Distinguishes versions of a file. */
struct dash_mark {
	int64_t bytes;
	int64_t changed_ns; /* modification time, since 1970 */
	uint64_t inode;
};
/* Returns false if the file does not exist. */
bool dash_mark_of(const char *path, struct dash_mark *ret);

enum dash_seen_state { DASH_SEEN_PENDING, DASH_SEEN_READY, DASH_SEEN_TAKEN };

struct dash_seen {
	char *path;
	struct dash_mark mark;
	enum dash_seen_state state;
	int64_t since_ns;  /* of the last change */
	uint64_t look;     /* the last scan that found it */
	int64_t next_ns;   /* after a failure: when it is ready again; INT64_MAX: no failure */
	unsigned failures; /* consecutive failures */
};

struct dash_seen_files {
	struct dash_seen **items;
	size_t count;
	size_t room;
	void *tree; /* index by path */
	bool has_ready;
	uint64_t look;
	int64_t steady_ns; /* when the next pending file is complete; INT64_MAX: none is pending */
	int64_t next_ns;   /* when the next failed file is ready again; INT64_MAX: none */
	int64_t offset_ns; /* realtime - monotonic at the first scan; 0: no scan yet */
};

#define DASH_SEEN_FILES_INIT                                 \
	{                                                    \
		.steady_ns = INT64_MAX, .next_ns = INT64_MAX \
	}
void dash_seen_done(struct dash_seen_files *files);

/* Returns NULL if it was never noted. Borrowed until it is removed. */
struct dash_seen *dash_seen_find(const struct dash_seen_files *files, const char *path);
/* Notes an existing file. is_whole: its writer has closed it. */
void dash_seen_note(struct dash_seen_files *files, const char *path, bool is_whole);
/*
 * Marks files as READY that have been unchanged for long enough or whose retry is due. Call it at steady_ns and
 * next_ns.
 */
void dash_seen_pass(struct dash_seen_files *files);
/* A scan: all files are noted between these calls; the others are removed. */
void dash_seen_look_begin(struct dash_seen_files *files);
void dash_seen_look_end(struct dash_seen_files *files);

/* Makes a taken file READY again. */
void dash_seen_retry(struct dash_seen_files *files, struct dash_seen *seen);
/* Records a failure, which may be permanent: retries get rarer. Returns false if it had failed before. */
bool dash_seen_failed(struct dash_seen_files *files, const char *path);
/* Marks all READY files as TAKEN, except those that failed. */
void dash_seen_taken(struct dash_seen_files *files);
