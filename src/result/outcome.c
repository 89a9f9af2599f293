#include "result/outcome.h"

#include <stdlib.h>

void res_outcome_free(struct res_outcome *outcome)
{
	if (outcome == NULL)
		return;
	for (size_t i = 0; i < outcome->count; i++)
		res_record_done(&outcome->records[i]);
	free(outcome->records);
	for (size_t i = 0; i < outcome->try_count; i++) {
		res_record_done(outcome->tries[i]);
		free(outcome->tries[i]);
	}
	free(outcome->tries);
	free(outcome->queueing_ms);
	free(outcome->silence);
	free(outcome->inflight);
	free(outcome);
}

/* All requests of a plan are of one kind. */
bool res_outcome_pools(const struct res_outcome *outcome)
{
	return outcome->records != NULL && outcome->count > 0 &&
	       outcome->records[0].input_sequences > 0;
}

/* At one time an end before a start: a slot that is filled again was never two. */
static int by_time(const void *a, const void *b)
{
	const struct res_inflight *x = a;
	const struct res_inflight *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x->in_flight > y->in_flight) - (x->in_flight < y->in_flight);
}

void res_inflight_sort(struct res_inflight *changes, size_t count)
{
	qsort(changes, count, sizeof(*changes), by_time);
}
