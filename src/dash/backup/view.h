/* Shows the progress and the problems of a backup on standard error. */
#pragma once

#include "store/backup/backup.h"

#define DASH_BACKUP_REPORTED_MAX 1000

struct dash_backup_view {
	bool is_quiet; /* no progress */
	int64_t began_ns;
	int64_t shown_ns; /* time of the last progress line */
	bool is_drawn;    /* a progress line is on the terminal */
	json_t *problems; /* their texts, at most DASH_BACKUP_REPORTED_MAX */
	size_t problem_count;
};

void dash_backup_view_init(struct dash_backup_view *view, bool is_quiet);
void dash_backup_view_done(struct dash_backup_view *view);
#define auto_backup_view \
	__attribute__((cleanup(dash_backup_view_done), unused)) struct dash_backup_view

/* The view outlives the watch. */
struct store_backup_watch dash_backup_view_watch(struct dash_backup_view *view);
/* Call it before other output. */
void dash_backup_view_wipe(struct dash_backup_view *view);
