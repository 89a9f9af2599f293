#include "result/change/change.h"

#include <stdlib.h>

static bool is_alarm(const struct res_change *change)
{
	return change->state == RES_CHANGE_REGRESSION || change->state == RES_CHANGE_IMPROVEMENT ||
	       change->state == RES_CHANGE_SHIFTED;
}

/* A change and the part of the axis that contains it. */
struct hit {
	struct res_incident_member member;
	int64_t from, to;
};

static int compare_hits(const void *a, const void *b)
{
	const struct hit *one = a, *other = b;

	if (one->to != other->to)
		return one->to < other->to ? -1 : 1;
	if (one->from != other->from)
		return one->from < other->from ? -1 : 1;
	if (one->member.analysis != other->member.analysis)
		return one->member.analysis < other->member.analysis ? -1 : 1;
	return one->member.change < other->member.change ? -1 : 1;
}

static struct hit *collect_hits(const struct res_change_analysis *analyses, size_t count,
				size_t *ret_count)
{
	struct hit *hits = NULL;
	size_t room = 0;

	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct res_change_point *points = analyses[i].series->points;

		for (size_t j = 0; j < analyses[i].change_count; j++) {
			const struct res_change *change = &analyses[i].changes[j];

			if (is_alarm(change))
				*PL_PUSH(hits, *ret_count, room) = (struct hit){
					.member = { i, j },
					.from = points[change->low - 1].at,
					.to = points[change->high].at,
				};
		}
	}
	if (*ret_count > 0)
		qsort(hits, *ret_count, sizeof(hits[0]), compare_hits);
	return hits;
}

/*
 * The smallest number of incidents: the first part to end opens one, and all parts that begin
 * before its end belong to it.
 */
void res_change_incidents(const struct res_change_analysis *analyses, size_t count,
			  struct res_incident **ret, size_t *ret_count)
{
	struct res_incident *incidents = NULL, *open = NULL;
	size_t hit_count, incident_count = 0, room = 0;
	auto_free struct hit *hits = collect_hits(analyses, count, &hit_count);

	for (size_t i = 0; i < hit_count; i++) {
		if (open == NULL || hits[i].from >= open->to) {
			open = PL_PUSH(incidents, incident_count, room);
			*open = (struct res_incident){ .from = hits[i].from, .to = hits[i].to };
		}
		if (hits[i].from > open->from)
			open->from = hits[i].from;
		*PL_PUSH(open->members, open->count, open->room) = hits[i].member;
	}
	*ret = incidents;
	*ret_count = incident_count;
}

void res_incidents_free(struct res_incident *incidents, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(incidents[i].members);
	free(incidents);
}
