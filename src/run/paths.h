/*
 * Where the files of a result lie: beside it, named after it.
 */
#ifndef RUN_PATHS_H
#define RUN_PATHS_H

#define RUN_TIMELINE_SUFFIX      ".timeline.html"
#define RUN_DATASET_STATS_SUFFIX ".dataset_stats.png"

struct run_paths {
	const char *result; /* borrowed */
	char *requests;
	char *series;
	char *server_log;
	char *client_log; /* of a client that is another program */
	char *timeline;
	char *dataset_stats;
};

void run_paths_make(const char *output, struct run_paths *ret);
void run_paths_done(struct run_paths *paths);

#endif
