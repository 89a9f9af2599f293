/*
 * The score of a field is the mean, over the affected series, of 1 / (its changes in the series) if
 * one of them is at the incident, otherwise 0; less the share of other series in which the field
 * changes there, too. A field that changes once, there and only in affected series, has the score 1.
 */
#include "result/change/change.h"

#include <stdlib.h>

#include "base/mem.h"

static uint32_t code_of(const struct res_change_series *series, size_t at, size_t field)
{
	const uint32_t *fields = series->points[at].fields;

	return fields == NULL ? 0 : fields[field];
}

/* How often a field changes in a series. */
struct counts {
	size_t all;
	size_t there; /* within the part of the axis */
};

/* Values that are not recorded are skipped. A change is at the first point that has the new value. */
static struct counts count_changes(const struct res_change_series *series, size_t field,
				   int64_t from, int64_t to)
{
	struct counts counts = { 0 };
	uint32_t last = 0;

	for (size_t i = 0; i < series->count; i++) {
		uint32_t code = code_of(series, i, field);

		if (code == 0)
			continue;
		if (last != 0 && code != last) {
			counts.all++;
			counts.there += series->points[i].at > from && series->points[i].at <= to;
		}
		last = code;
	}
	return counts;
}

static const struct res_change *member_of(const struct res_change_analysis *analyses,
					  const struct res_incident *incident, size_t analysis)
{
	for (size_t i = 0; i < incident->count; i++) {
		if (incident->members[i].analysis == analysis)
			return &analyses[analysis].changes[incident->members[i].change];
	}
	return NULL;
}

static struct res_cause judge(const struct res_change_analysis *analyses, size_t count,
			      const struct res_incident *incident, size_t field,
			      size_t *ret_members)
{
	struct res_cause cause = { .field = field };
	size_t members = 0, others = 0, spread = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct res_change_series *series = analyses[i].series;
		const struct res_change *change = member_of(analyses, incident, i);
		int64_t from = incident->from, to = incident->to;

		if (change != NULL) {
			/* its interval may miss the place, by a few positions */
			int64_t low = series->points[change->low - 1].at;
			int64_t high = series->points[change->high].at;
			from = low < from ? low : from;
			to = high > to ? high : to;
		}
		struct counts counts = count_changes(series, field, from, to);
		cause.elsewhere += counts.all - counts.there;
		if (change == NULL) {
			others++;
			spread += counts.there > 0;
			continue;
		}
		members++;
		if (counts.there > 0) {
			cause.affected++;
			sum += 1 / (double)counts.all;
		}
	}
	cause.score = sum / (double)members - (others > 0 ? (double)spread / (double)others : 0);
	*ret_members = members;
	return cause;
}

static int compare_causes(const void *a, const void *b)
{
	const struct res_cause *one = a, *other = b;

	if (one->score != other->score)
		return one->score > other->score ? -1 : 1;
	if (one->elsewhere != other->elsewhere)
		return one->elsewhere < other->elsewhere ? -1 : 1;
	return one->field < other->field ? -1 : one->field > other->field;
}

size_t res_change_causes(const struct res_change_analysis *analyses, size_t count,
			 const struct res_incident *incident, size_t field_count,
			 struct res_cause *ret)
{
	size_t found = 0;

	for (size_t field = 0; field < field_count; field++) {
		size_t members;
		struct res_cause cause = judge(analyses, count, incident, field, &members);

		if (2 * cause.affected >= members && cause.affected > 0)
			ret[found++] = cause;
	}
	qsort(ret, found, sizeof(ret[0]), compare_causes);
	return found;
}
