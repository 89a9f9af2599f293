#include "result/metrics/gap_bounds.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "result/timing.h"

void res_gap_bounds_done(struct res_gap_bounds *bounds)
{
	free(bounds->reads);
	free(bounds->measured.x);
	*bounds = (struct res_gap_bounds){ 0 };
}

static int64_t positive(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/* The events of one read, and the one before it. */
struct read {
	struct res_event_at before;
	bool has_before;
	int64_t t_ns;
	int64_t earliest_ns; /* of those that are not exact */
	int64_t inexact;
	int64_t exact;
};

static void add_read(struct res_gap_bounds *bounds, const struct res_gap_read *read,
		     int64_t step_ns)
{
	struct res_gap_read wide = *read;

	wide.span_ns += step_ns;
	wide.span_min_ns = positive(wide.span_min_ns - step_ns);
	wide.first_ns = positive(wide.first_ns - step_ns);
	*PL_PUSH(bounds->reads, bounds->count, bounds->room) = wide;
}

/* Adds a gap that is exact except for the step. */
static void add_gap(struct res_gap_bounds *bounds, int64_t gap_ns, int64_t step_ns)
{
	if (step_ns == 0)
		return;
	add_read(bounds, &(struct res_gap_read){ gap_ns, gap_ns, gap_ns, 1 }, step_ns);
	res_values_add(&bounds->measured, res_seconds(0, gap_ns));
}

/* If the read begins a record, there is no gap before its first event. */
static void end_read(struct res_gap_bounds *bounds, const struct read *read, int64_t step_ns)
{
	int64_t before_ns = read->has_before ? read->before.t_ns : read->earliest_ns;
	bool is_sure = read->inexact == 0 &&
		       (!read->has_before || read->before.earliest_ns == read->before.t_ns);
	int64_t left = read->exact;
	struct res_gap_read gaps = {
		.span_ns = read->t_ns -
			   (read->has_before ? read->before.earliest_ns : read->earliest_ns),
		.first_ns = read->inexact > 0 ? positive(read->earliest_ns - before_ns)
					      : read->t_ns - before_ns,
		.gaps = read->inexact + (read->exact > 0) - !read->has_before,
	};

	if (is_sure) {
		if (read->has_before)
			add_gap(bounds, read->t_ns - read->before.t_ns, step_ns);
		left--;
	} else if (gaps.gaps > 0) {
		gaps.span_min_ns = read->has_before && read->exact > 0
					   ? read->t_ns - read->before.t_ns
					   : gaps.first_ns;
		add_read(bounds, &gaps, step_ns);
		/* as measured, all events except the first have the same time */
		for (int64_t i = 0; i < gaps.gaps; i++)
			res_values_add(&bounds->measured,
				       i == 0 && read->has_before
					       ? res_seconds(read->before.t_ns, read->t_ns)
					       : 0);
		left -= read->exact > 0;
	} else {
		left -= read->exact > 0;
	}
	for (; left > 0; left--)
		add_gap(bounds, 0, step_ns);
}

void res_gap_bounds_add(struct res_gap_bounds *bounds, const struct res_record *record,
			int64_t step_ns)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at last = { 0 }, at;
	struct read read = { 0 };

	while (res_record_next_chunk(&cursor, &at)) {
		bool has_some = read.inexact + read.exact > 0;
		if (has_some && ((at.flags & RES_EVENT_COALESCED) == 0 || at.t_ns != read.t_ns)) {
			end_read(bounds, &read, step_ns);
			read = (struct read){ .has_before = true, .before = last };
		}
		read.t_ns = at.t_ns;
		if (at.earliest_ns < at.t_ns) {
			read.earliest_ns = at.earliest_ns;
			read.inexact++;
		} else {
			read.exact++;
		}
		last = at;
	}
	if (read.inexact + read.exact > 0)
		end_read(bounds, &read, step_ns);
}

/* How many gaps of the read can be x or longer at once. */
static int64_t count_from(const struct res_gap_read *read, int64_t x_ns)
{
	int64_t count = read->gaps;

	if (x_ns > read->first_ns)
		count = read->span_ns / x_ns;
	else if (x_ns > 0)
		count = 1 + (read->span_ns - read->first_ns) / x_ns;
	return count < read->gaps ? count : read->gaps;
}

/* How many can be at most x. */
static int64_t count_to(const struct res_gap_read *read, int64_t x_ns)
{
	int64_t share_ns = (read->span_min_ns + read->gaps - 1) / read->gaps;
	bool all = x_ns >= read->first_ns && x_ns >= share_ns;

	return all ? read->gaps : read->gaps - 1;
}

/* Returns how many of the sorted samples are less than x, or at most x. */
static size_t rank_of(const struct res_values *sorted, double x, bool or_equal)
{
	return or_equal ? pl_stats_count_to(sorted->x, sorted->count, x)
			: pl_stats_count_below(sorted->x, sorted->count, x);
}

/* Samples that are certain. */
static size_t certain_to(const struct res_gap_bounds *bounds, const struct res_values *all,
			 int64_t x_ns, bool or_equal)
{
	double x = res_seconds(0, x_ns);

	return rank_of(all, x, or_equal) - rank_of(&bounds->measured, x, or_equal);
}

/* No gap can be longer. */
static int64_t longest_ns(const struct res_gap_bounds *bounds, const struct res_values *all)
{
	int64_t longest = (int64_t)(all->x[all->count - 1] * 1e9) + 1;

	for (size_t i = 0; i < bounds->count; i++) {
		if (bounds->reads[i].span_ns > longest)
			longest = bounds->reads[i].span_ns;
	}
	return longest;
}

double res_gap_bounds_least(const struct res_gap_bounds *bounds, const struct res_values *all,
			    size_t rank)
{
	int64_t low = 0, high = longest_ns(bounds, all);

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		size_t count = certain_to(bounds, all, middle, true);
		for (size_t i = 0; i < bounds->count && count <= rank; i++)
			count += (size_t)count_to(&bounds->reads[i], middle);
		if (count > rank)
			high = middle;
		else
			low = middle + 1;
	}
	return res_seconds(0, low);
}

double res_gap_bounds_most(const struct res_gap_bounds *bounds, const struct res_values *all,
			   size_t rank)
{
	int64_t low = 0, high = longest_ns(bounds, all);

	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		size_t needed = all->count - rank;
		size_t count = all->count - bounds->measured.count -
			       certain_to(bounds, all, middle, false);
		for (size_t i = 0; i < bounds->count && count < needed; i++)
			count += (size_t)count_from(&bounds->reads[i], middle);
		if (count >= needed)
			low = middle;
		else
			high = middle - 1;
	}
	return res_seconds(0, low);
}
