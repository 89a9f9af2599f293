#include "dash/observe/counters.h"

#include <stdlib.h>

#include "base/clock.h"

static const int statuses[] = { 0,   200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 409,
				411, 412, 413, 415, 416, 422, 429, 431, 500, 502, 503, 507 };

static const double bounds[] = {
#define BOUND(seconds) seconds,
#include "tbl/dash_metrics.h"
};

_Static_assert(PL_ARRAY_SIZE(statuses) < DASH_STATUS_COUNT, "one more is for others");

struct dash_counters *dash_counters_new(size_t route_count, dash_route_name_fn *name)
{
	struct dash_counters *counters = pl_alloc(sizeof(*counters));

	counters->route_count = route_count;
	counters->name = name;
	counters->routes = pl_alloc_array(route_count, sizeof(*counters->routes));
	return counters;
}

void dash_counters_free(struct dash_counters *counters)
{
	if (counters == NULL)
		return;
	free(counters->routes);
	free(counters);
}

static void add(atomic_uint_fast64_t *counter, uint64_t value)
{
	atomic_fetch_add_explicit(counter, value, memory_order_relaxed);
}

void dash_counters_request(struct dash_counters *counters, size_t route, int status,
			   int64_t duration_ns, uint64_t sent_bytes)
{
	struct dash_route_counters *own = &counters->routes[route];
	size_t at = 0, bucket = 0;

	while (at < PL_ARRAY_SIZE(statuses) && statuses[at] != status)
		at++;
	add(&own->statuses[at], 1);
	add(&counters->sent_bytes, sent_bytes);
	if (duration_ns < 0)
		return;
	while (bucket < DASH_BOUND_COUNT &&
	       (double)duration_ns > bounds[bucket] * (double)PL_NS_PER_S)
		bucket++;
	add(&own->durations[bucket], 1);
	add(&own->duration_ns, (uint64_t)duration_ns);
}

int dash_counters_status(size_t index)
{
	return index < PL_ARRAY_SIZE(statuses) ? statuses[index] : -1;
}

double dash_counters_bound(size_t index)
{
	return bounds[index];
}

void dash_counters_document(struct dash_counters *counters, int form, unsigned outcome)
{
	if (counters == NULL || outcome >= STORE_OUTCOME_COUNT)
		return;
	if (form < 0 || form >= DASH_FORM_COUNT - 1)
		form = DASH_FORM_COUNT - 1;
	add(&counters->documents[form][outcome], 1);
}
