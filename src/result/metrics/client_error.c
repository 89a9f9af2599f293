/*
 * Nearly all samples are exact, and there may be millions. So only the inexact ones are stored in
 * addition to the sorted samples, and an order statistic of all lower bounds is found by counting:
 * the number of samples at most v, minus the inexact ones as measured, plus their lower bounds. All
 * offsets are differences between results of one formula, so an exact value has an offset of 0,
 * without rounding.
 */
#include "result/metrics/client_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "result/metrics/families.h"
#include "result/metrics/gap_bounds.h"
#include "result/timing.h"

#define ENDING "_client_error"
/* The least figure that a share is taken of: a nanosecond, in ms. */
#define FIGURE_MS_MIN 1e-6

static const struct {
	const char *key;
	bool headline;
} rows[RES_FAMILY_COUNT] = {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) { key, headline },
#include "tbl/metrics.h"
};

static const struct {
	const char *name;
	double percentile;
} statistics[] = {
#define STATISTIC(name, percentile) { #name, percentile },
#include "tbl/metrics.h"
};

/* The uncertain samples of a family in seconds, and the sums over all of them. */
struct moved {
	struct res_values x;
	struct res_values low;
	struct res_values high;
	double less_s; /* by which the sum of the samples can be smaller */
	double more_s;
};

/* ---- what one record leaves open ---- */

static void add_sample(struct moved *moved, double x, double less_s, double more_s)
{
	if (!(less_s > 0) && !(more_s > 0))
		return;
	res_values_add(&moved->x, x);
	res_values_add(&moved->low, fmax(0, x - less_s));
	res_values_add(&moved->high, x + more_s);
}

static void add_to_sums(struct moved *moved, double x, double less_s, double more_s)
{
	moved->less_s += fmin(less_s, x);
	moved->more_s += more_s;
}

static void add(struct moved *moved, double x, double less_s, double more_s)
{
	add_sample(moved, x, less_s, more_s);
	add_to_sums(moved, x, less_s, more_s);
}

/*
 * Returns the time that this client, without the network, took to send the request; RES_NO_TIME:
 * unknown. A request's final record has the start of its first try and the send time of its last.
 */
static int64_t sending_ns(const struct res_record *record)
{
	int64_t handshake_ns = record->handshake_ns > 0 ? record->handshake_ns : 0;

	if (record->acted_ns == RES_NO_TIME || record->sent_ns == RES_NO_TIME || record->tries > 1)
		return RES_NO_TIME;
	int64_t taken_ns = record->sent_ns - record->acted_ns - handshake_ns;
	return taken_ns > 0 ? taken_ns : 0;
}

static double late_s(const struct res_event_at *at)
{
	return res_seconds(at->earliest_ns, at->t_ns);
}

/* The chunks that samples begin or end with. */
struct ends {
	struct res_event_at first;
	struct res_event_at content; /* t_ns RES_NO_TIME: none */
	struct res_event_at last;
};

/* early_s: by which a perfect client would have had all of it earlier. */
static void add_stream(const struct res_record *record, const struct res_timing *timing,
		       double early_s, double step_s, struct moved *of)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct ends ends = { .content.t_ns = RES_NO_TIME };
	struct res_event_at at;
	for (size_t i = 0; res_record_next_chunk(&cursor, &at); i++) {
		if (i == 0)
			ends.first = at;
		if (ends.content.t_ns == RES_NO_TIME && (at.flags & RES_EVENT_CONTENT) != 0)
			ends.content = at;
		ends.last = at;
	}
	double whole_s = res_seconds(ends.first.t_ns, ends.last.t_ns);
	double less_s = late_s(&ends.last) + step_s;
	double more_s = late_s(&ends.first) + step_s;
	double steps = (double)(timing->output_tokens - 1);

	add(&of[RES_FAMILY_TTFT], timing->ttft_s, late_s(&ends.first) + early_s + step_s, step_s);
	if (ends.content.t_ns != RES_NO_TIME)
		add(&of[RES_FAMILY_FIRST_TOKEN], res_seconds(timing->acted_ns, ends.content.t_ns),
		    late_s(&ends.content) + early_s + step_s, step_s);
	add(&of[RES_FAMILY_E2EL], timing->e2el_s, less_s + early_s, step_s);
	/* a single chunk has no gap */
	if (timing->mirror_chunk_count < 2)
		return;
	add_to_sums(&of[RES_FAMILY_ITL], whole_s, less_s, more_s);
	if (steps > 0)
		add(&of[RES_FAMILY_TPOT], timing->tpot_s, less_s / steps, more_s / steps);
}

static void collect(const struct res_outcome *outcome, struct moved *of,
		    struct res_gap_bounds *gaps)
{
	/* INT64_MAX: of none. */
	int64_t least_ns = INT64_MAX;
	for (size_t i = 0; i < outcome->count; i++) {
		int64_t taken_ns = sending_ns(&outcome->records[i]);
		if (outcome->records[i].ok && taken_ns != RES_NO_TIME && taken_ns < least_ns)
			least_ns = taken_ns;
	}
	int64_t step_ns = llabs(outcome->clock_step_ns);

	if (step_ns < RES_CLIENT_ERROR_STEP_NS_MIN)
		step_ns = 0;
	double step_s = res_seconds(0, step_ns);

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok)
			continue;
		struct res_timing timing = res_timing_of(record);
		if (isnan(timing.e2el_s))
			continue;
		int64_t taken_ns = sending_ns(record);
		double early_s = taken_ns != RES_NO_TIME ? res_seconds(least_ns, taken_ns) : 0;
		res_gap_bounds_add(gaps, record, step_ns);
		if (timing.mirror_chunk_count > 0)
			add_stream(record, &timing, early_s, step_s, of);
		else
			add(&of[RES_FAMILY_E2EL], timing.e2el_s, early_s + step_s, step_s);
	}
}

/* ---- statistics of lows and highs ---- */

/* Sorted samples, those of `in` in the place of those of `out`. */
struct replaced {
	const struct res_values *all;
	const struct res_values *out;
	const struct res_values *in;
};

/*
 * Returns the smallest candidate that is an upper bound of more than `rank` samples; INFINITY:
 * none.
 */
static double least_beyond(const struct replaced *of, const struct res_values *candidates,
			   size_t rank)
{
	size_t low = 0, high = candidates->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		double v = candidates->x[middle];
		if (pl_stats_count_to(of->all->x, of->all->count, v) -
			    pl_stats_count_to(of->out->x, of->out->count, v) +
			    pl_stats_count_to(of->in->x, of->in->count, v) >
		    rank)
			high = middle;
		else
			low = middle + 1;
	}
	return low < candidates->count ? candidates->x[low] : INFINITY;
}

/*
 * rank from 0. A value that is in `all` but was replaced is never less than the right one, which is
 * also a candidate.
 */
static double value_at(const struct replaced *of, size_t rank)
{
	return fmin(least_beyond(of, of->all, rank), least_beyond(of, of->in, rank));
}

static double percentile_of(const struct replaced *of, double percentile)
{
	struct pl_stats_position position = pl_stats_percentile_position(of->all->count,
									 percentile);
	double below = value_at(of, position.below);

	return pl_stats_between(below,
				position.share > 0 ? value_at(of, position.below + 1) : below,
				position.share);
}

struct offsets {
	double lo_s;
	double hi_s;
};

static double gap_percentile(const struct res_gap_bounds *gaps, const struct res_values *all,
			     double percentile,
			     double (*at)(const struct res_gap_bounds *bounds,
					  const struct res_values *all, size_t rank))
{
	struct pl_stats_position position = pl_stats_percentile_position(all->count, percentile);
	double below = at(gaps, all, position.below);

	return pl_stats_between(below,
				position.share > 0 ? at(gaps, all, position.below + 1) : below,
				position.share);
}

static struct offsets gap_offsets(const struct res_values *all, const struct res_gap_bounds *gaps,
				  double percentile)
{
	double x = pl_stats_percentile_sorted(all->x, all->count, percentile);

	if (gaps->count == 0)
		return (struct offsets){ 0, 0 };
	return (struct offsets){
		fmin(0, gap_percentile(gaps, all, percentile, res_gap_bounds_least) - x),
		fmax(0, gap_percentile(gaps, all, percentile, res_gap_bounds_most) - x),
	};
}

/* gaps: NULL where the samples do not depend on each other. */
static struct offsets offsets_of(const struct res_values *all, const struct moved *moved,
				 const struct res_gap_bounds *gaps, double percentile)
{
	const struct replaced lows = { .all = all, .out = &moved->x, .in = &moved->low };
	const struct replaced highs = { .all = all, .out = &moved->x, .in = &moved->high };
	double n = (double)all->count;

	if (isnan(percentile))
		return (struct offsets){ 0 - moved->less_s / n, moved->more_s / n };
	if (gaps != NULL)
		return gap_offsets(all, gaps, percentile);
	double x = pl_stats_percentile_sorted(all->x, all->count, percentile);
	/* rounding between two samples may cross the figure */
	return (struct offsets){ fmin(0, percentile_of(&lows, percentile) - x),
				 fmax(0, percentile_of(&highs, percentile) - x) };
}

/* ---- keys ---- */

static void make_key(size_t family, size_t statistic, const char *ending,
		     char key[RES_CLIENT_ERROR_KEY_BYTES])
{
	snprintf(key, RES_CLIENT_ERROR_KEY_BYTES, "%s_%s%s", statistics[statistic].name,
		 rows[family].key, ending);
}

static void write_family(size_t family, const struct res_values *all, struct moved *moved,
			 const struct res_gap_bounds *gaps, json_t *into)
{
	char key[RES_CLIENT_ERROR_KEY_BYTES];

	pl_stats_sort(moved->x.x, moved->x.count);
	pl_stats_sort(moved->low.x, moved->low.count);
	pl_stats_sort(moved->high.x, moved->high.count);
	for (size_t i = 0; i < PL_ARRAY_SIZE(statistics); i++) {
		make_key(family, i, ENDING, key);
		if (all->count == 0) {
			json_object_set_new(into, key, json_null());
			continue;
		}
		struct offsets offsets = offsets_of(all, moved, gaps, statistics[i].percentile);
		json_object_set_new(into, key,
				    json_pack("[f, f]", offsets.lo_s * 1000, offsets.hi_s * 1000));
	}
}

void res_client_error_write(const struct res_outcome *outcome, const struct res_families *families,
			    json_t *results)
{
	struct moved of[RES_FAMILY_COUNT] = { 0 };
	struct res_gap_bounds gaps = { 0 };

	collect(outcome, of, &gaps);
	pl_stats_sort(gaps.measured.x, gaps.measured.count);
	for (size_t i = 0; i < RES_FAMILY_COUNT; i++) {
		if (rows[i].headline)
			write_family(i, &families->of[i], &of[i],
				     i == RES_FAMILY_ITL ? &gaps : NULL, results);
		free(of[i].x.x);
		free(of[i].low.x);
		free(of[i].high.x);
	}
	res_gap_bounds_done(&gaps);
}

void res_client_error_forget(json_t *results)
{
	char key[RES_CLIENT_ERROR_KEY_BYTES];

	for (size_t i = 0; i < RES_FAMILY_COUNT; i++) {
		for (size_t j = 0; j < PL_ARRAY_SIZE(statistics) && rows[i].headline; j++) {
			make_key(i, j, ENDING, key);
			json_object_set_new(results, key, json_null());
		}
	}
}

/* ---- the worst of them ---- */

static bool read_error(const json_t *results, size_t family, size_t statistic,
		       struct res_client_error_worst *ret)
{
	char key[RES_CLIENT_ERROR_KEY_BYTES];

	make_key(family, statistic, ENDING, key);
	const json_t *error = json_object_get(results, key);
	make_key(family, statistic, "", ret->key);
	const json_t *figure = json_object_get(results, ret->key);
	if (!json_is_array(error) || !json_is_number(figure))
		return false;
	ret->figure = json_number_value(figure);
	ret->lo_ms = json_number_value(json_array_get(error, 0));
	ret->hi_ms = json_number_value(json_array_get(error, 1));
	double of_ms = fmax(ret->figure, FIGURE_MS_MIN);
	ret->share = fmax(0 - ret->lo_ms, ret->hi_ms) / of_ms;
	ret->limit_share = fmax(RES_CLIENT_ERROR_SHARE_MAX, RES_CLIENT_ERROR_MS_MAX / of_ms);
	return true;
}

/*
 * Orders by relevance for the verdict: a metric that may be off by more than a tenth comes first,
 * even if another one exceeds its limit by more.
 */
static bool is_worse(const struct res_client_error_worst *a, const struct res_client_error_worst *b)
{
	bool far = a->share > fmax(RES_CLIENT_ERROR_SHARE_FAR, a->limit_share);
	bool other_far = b->share > fmax(RES_CLIENT_ERROR_SHARE_FAR, b->limit_share);

	if (far != other_far)
		return far;
	return a->share / a->limit_share > b->share / b->limit_share;
}

/* If no response has two tokens, its events are a role and a token: their gap is not a latency. */
static bool decides(const json_t *results, size_t family)
{
	bool has_gaps = json_is_number(json_object_get(results, "mean_tpot_ms"));

	return rows[family].headline && (family != RES_FAMILY_ITL || has_gaps);
}

bool res_client_error_worst(const json_t *results, struct res_client_error_worst *ret)
{
	struct res_client_error_worst here = { 0 };
	bool known = false;

	for (size_t i = 0; i < RES_FAMILY_COUNT; i++) {
		for (size_t j = 0; j < PL_ARRAY_SIZE(statistics) && decides(results, i); j++) {
			if (!read_error(results, i, j, &here))
				continue;
			if (!known || is_worse(&here, ret))
				*ret = here;
			known = true;
		}
	}
	return known;
}
