#include "run/paths.h"

#include <stdlib.h>

#include "base/file.h"

#define RESULT_SUFFIX ".json"

void run_paths_make(const char *output, struct run_paths *ret)
{
	*ret = (struct run_paths){
		.result = output,
		.requests = pl_file_sibling(output, RESULT_SUFFIX, ".requests.jsonl.zst"),
		.series = pl_file_sibling(output, RESULT_SUFFIX, ".series.jsonl.zst"),
		.server_log = pl_file_sibling(output, RESULT_SUFFIX, ".server.log"),
		.client_log = pl_file_sibling(output, RESULT_SUFFIX, ".client.log"),
		.timeline = pl_file_sibling(output, RESULT_SUFFIX, RUN_TIMELINE_SUFFIX),
		.dataset_stats = pl_file_sibling(output, RESULT_SUFFIX, RUN_DATASET_STATS_SUFFIX),
	};
}

void run_paths_done(struct run_paths *paths)
{
	free(paths->requests);
	free(paths->series);
	free(paths->server_log);
	free(paths->client_log);
	free(paths->timeline);
	free(paths->dataset_stats);
	*paths = (struct run_paths){ 0 };
}
