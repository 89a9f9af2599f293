/* A plan of prune: made by plan.c, applied by apply.c. */
#pragma once

#include "store/prune/hold.h"
#include "store/prune/prune.h"

struct store_prune_file {
	unsigned char sha256[32];
	int64_t bytes;
	int64_t uses; /* artifacts with this file that are not selected */
};

struct store_prune_artifact {
	int64_t id;
	size_t file; /* index */
};

struct store_prune_plan {
	int64_t version; /* of the selection: objects that changed later stay */
	struct store_held held;
	struct store_prune_file *files; /* of all artifacts, by SHA-256 */
	size_t file_count;
	size_t file_room;
	struct store_prune_artifact *artifacts;
	size_t artifact_count;
	size_t artifact_room;
	int64_t *results;
	size_t result_count;
	size_t result_room;
	struct store_prune_count *counts; /* of each rule, and of all */
	size_t rule_count;
	struct store_prune_count spared;
	char hash[65];
};
