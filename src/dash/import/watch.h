/*
 * Watches directories: imports results that appear in them or below, with their artifacts.
 * - Only complete files: closed after writing or renamed into the directory (inotify), or unchanged in size and time
 *   for two seconds. This also covers file systems without notifications, such as network ones: all directories are
 *   scanned at the start and at intervals. The scan also finds what appeared before.
 * - Each file is read once, and again if it changes in size, time or inode.
 * - An artifact that appears after its result is imported then.
 * - A result or artifact that currently cannot be read or copied is reported once and retried at increasing intervals.
 * - If the system's inotify watches are used up, this is reported, and the directories are scanned every two seconds.
 */
#pragma once

#include "base/opt.h"
#include "dash/import/import.h"

struct dash_watch;

struct dash_watch_options {
	const struct pl_opt_list *folders;
	struct store *store;
	const struct store_reader *reader;
	dash_import_fn *on_result;
	dash_import_artifact_fn *artifact;
	dash_import_sweep_fn *sweep;
	enum store_conflict_policy on_conflict;
	void *context;
	void (*looked)(void *context); /* called when the initial files are imported; or NULL */
};
/* Borrows all. INVALID, IO: not a directory, or unreadable. */
int dash_watch_new(const struct dash_watch_options *options, struct dash_watch **ret,
		   struct pl_err *err) PL_MUST_CHECK;
/*
 * Runs until `stop` becomes readable. Temporary failures of the store (disk full, locked by another process for long)
 * are reported on standard error and retried.
 */
void dash_watch_run(struct dash_watch *watch, int stop);
void dash_watch_free(struct dash_watch *watch);
PL_AUTO_DEFINE(struct dash_watch, dash_watch_free);
#define auto_dash_watch PL_AUTO(dash_watch_free)
