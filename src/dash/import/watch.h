/*
 * Folders that are watched: results that come into them, or below, are taken into the store with the files beside
 * them.
 *
 * - Whole files only: one that was closed after writing or renamed in (inotify), or one whose size and time have
 *   not changed for two seconds. So a file system that tells nothing (a network's) is watched all the same: every folder is
 *   looked through at the start, and now and then. What came while nobody watched is found by that, too.
 * - Each file is read once, and again when it is another one: by size, time and inode.
 * - A file beside a result that comes later is taken when it is there.
 * - What cannot be read or copied just now, a result or a file beside one, is told once and tried again, ever more
 *   rarely.
 * - Where the system has no watches left, a line says so, and the folders are looked through every two seconds.
 */
#pragma once

#include "base/opt.h"
#include "dash/import/import.h"

struct dash_watch;

struct dash_watch_options {
	const struct pl_opt_list *folders;
	struct store *store;
	const struct store_reader *reader;
	dash_import_fn *told;
	dash_import_artifact_fn *artifact;
	dash_import_sweep_fn *sweep;
	enum store_known on_conflict;
	void *context;
	void (*looked)(void *context); /* all that was there at the start is taken; or NULL */
};
/* Borrows all. INVALID, IO: a folder is none, or cannot be read. */
int dash_watch_new(const struct dash_watch_options *options, struct dash_watch **ret,
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * Until `stop` can be read from. What the store cannot take just now (its disk is full, another process writes to it for
 * long) is told on standard error and tried again.
 */
void dash_watch_run(struct dash_watch *watch, int stop);
void dash_watch_free(struct dash_watch *watch);
PL_AUTO_DEFINE(struct dash_watch, dash_watch_free);
#define auto_dash_watch PL_AUTO(dash_watch_free)
