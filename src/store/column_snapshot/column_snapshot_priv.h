#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "mirror/image/image.h"
#include "store/column_snapshot/column_snapshot.h"
#include "store/store_priv.h"

#define COLUMN_SNAPSHOT_NONE (-1)

struct store_column_snapshot {
	char *path;
	char *temporary;
	char *folder; /* to create; NULL: exists */
	int64_t database_form;
	pthread_t thread;
	bool is_running;
	struct pl_pause pause;
	atomic_bool stop; /* a write in progress ends */
	bool has_failed;  /* the last write; its reason was logged */

	struct mirror_image_head loaded; /* of the file that was read at the start */

	int64_t version;  /* of the file; COLUMN_SNAPSHOT_NONE: there is none that fits */
	int64_t epoch;    /* of its data, after the start: with another one, it no longer fits */
	int64_t saved_ns; /* when it was written, monotonic clock; 0: not by this process */
	int64_t cost_ns;  /* how long that took */
};
