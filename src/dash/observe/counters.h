/*
 * Counters of a server: requests by route and status with their durations, and documents by producer and outcome. Any
 * thread may count; counting takes no lock. A reader sees each counter at its own moment, and none ever decreases.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "store/store.h"

#define DASH_STATUS_COUNT 32 /* known statuses, and others */
/* forms of documents; the last one is an unknown form */
#define DASH_FORM_COUNT (STORE_FORM_COUNT + 1)

enum {
	DASH_BOUND_COUNT =
#define BOUND(seconds) 1 +
#include "tbl/dash_metrics.h"
		0
};

/* The requests of one route. */
struct dash_route_counters {
	atomic_uint_fast64_t statuses[DASH_STATUS_COUNT];
	atomic_uint_fast64_t
		durations[DASH_BOUND_COUNT + 1]; /* the last one: longer than all bounds */
	atomic_uint_fast64_t duration_ns;
};

/* Writes the method and the path template of the route at an index; both static. */
typedef void dash_route_name_fn(size_t index, const char **ret_method, const char **ret_path);

struct dash_counters {
	struct dash_route_counters
		*routes; /* those of routes.h, then files of the web UI, then unknown paths */
	size_t route_count;
	dash_route_name_fn *name;
	atomic_uint_fast64_t sent_bytes;
	atomic_uint_fast64_t documents[DASH_FORM_COUNT][STORE_OUTCOME_COUNT];
};

struct dash_counters *dash_counters_new(size_t route_count, dash_route_name_fn *name);
void dash_counters_free(struct dash_counters *counters);
PL_AUTO_DEFINE(struct dash_counters, dash_counters_free);
#define auto_counters PL_AUTO(dash_counters_free)

/*
 * `route`: an index below route_count. status 0: the client left before the response. duration_ns -1: a stream, whose
 * duration means nothing.
 */
void dash_counters_request(struct dash_counters *counters, size_t route, int status,
			   int64_t duration_ns, uint64_t sent_bytes);
/* The status at an index of `statuses`: 0: the client left; -1: others. */
int dash_counters_status(size_t index);
/* Upper bound of a bucket, in seconds. */
double dash_counters_bound(size_t index);

/* form: enum store_form; -1: unknown. outcome: enum store_outcome. NULL: does nothing. */
void dash_counters_document(struct dash_counters *counters, int form, unsigned outcome);
