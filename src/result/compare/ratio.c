/*
 * All intervals use logarithms: a ratio and its inverse are then equivalent, and a bound is never
 * below 0. The bootstrap is the studentized one: it takes from the resamples the deviation of their
 * ratio in units of its own error. The plain form gives too short intervals for few runs (five runs
 * per side: 88 % coverage instead of 95 %). With fewer than five, resamples often consist of a
 * single run, and Student's t is both shorter and correct.
 */
#include "result/compare/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/student.h"
#include "base/text.h"

#define RESAMPLES 1999 /* the 50th and the 1,950th of them in order are the bounds */
#define TAIL      0.025
#define SURE      0.05
#define BOOT_MIN  5    /* runs a side */
#define BOOT_MAX  500  /* from there on the mean is as normal as it gets */
#define ROUNDING  1e-9 /* numbers that differ by at most this share of the larger one are equal */
#define POWER_MISSED \
	0.4 /* the share of Student's t that four of five lie below, both sides counted */
#define NEEDED_MAX   1000000
#define DECIMALS_MAX 6
#define Z_95         1.959963984540054
#define Z_POWER      0.8416212335729143 /* quantile of the normal distribution at 0.8 */

const char *res_ratio_how_name(enum res_ratio_how how)
{
	static const char *const names[] = {
		[RES_RATIO_NONE] = "none",
		[RES_RATIO_WITHIN] = "within_runs",
		[RES_RATIO_ONE_OF_MANY] = "one_of_many",
		[RES_RATIO_STUDENT] = "student",
		[RES_RATIO_BOOTSTRAP] = "bootstrap",
	};

	return names[how];
}

const char *res_finding_name(enum res_finding finding)
{
	static const char *const names[] = {
		[RES_FINDING_NO_VALUE] = "no_value",
		[RES_FINDING_NO_RATIO] = "no_ratio",
		[RES_FINDING_NO_INTERVAL] = "no_interval",
		[RES_FINDING_EQUAL] = "equal",
		[RES_FINDING_NO_DIFFERENCE] = "no_difference",
		[RES_FINDING_BETTER] = "better",
		[RES_FINDING_WORSE] = "worse",
		[RES_FINDING_HIGHER] = "higher",
		[RES_FINDING_LOWER] = "lower",
	};

	return names[finding];
}

/* ---- one side ------------------------------------------------------------------------------ */

void res_sample_done(struct res_sample *sample)
{
	free(sample->numbers);
	*sample = (struct res_sample){ 0 };
}

void res_sample_add(struct res_sample *sample, const struct res_value *value)
{
	if (value->state == RES_VALUE_NOT_RECORDED)
		sample->not_recorded++;
	else if (value->state == RES_VALUE_NULL)
		sample->null++;
	else if (value->kind != RES_VALUE_NUMBER)
		sample->words++;
	else if (!isfinite(value->number))
		sample->infinite++;
	else
		*PL_PUSH(sample->numbers, sample->count, sample->room) = value->number;
}

void res_sample_settle(struct res_sample *sample)
{
	pl_stats_sort(sample->numbers, sample->count);
}

double res_sample_value(const struct res_sample *sample)
{
	return pl_stats_mean(sample->numbers, sample->count);
}

double res_sample_deviation(const struct res_sample *sample)
{
	double n = (double)sample->count;

	return sample->count < 2 ? NAN
				 : pl_stats_std(sample->numbers, sample->count) * sqrt(n / (n - 1));
}

bool res_sample_interval(const struct res_sample *sample, struct res_interval *ret)
{
	double n = (double)sample->count, value = res_sample_value(sample), half;

	if (sample->count == 1 && sample->has_within)
		*ret = sample->within;
	if (sample->count < 2)
		return sample->count == 1 && sample->has_within;
	half = pl_student_t(SURE, n - 1) * res_sample_deviation(sample) / sqrt(n);
	*ret = (struct res_interval){ value - half, value + half };
	return true;
}

/* ---- how sure ------------------------------------------------------------------------------ */

/* Means, errors of them, and of the logarithm of their ratio. */
struct pair {
	double mean[2];
	double variance[2]; /* of the mean of each, as a share of it, squared */
	double log_ratio;
	double error; /* of the logarithm */
};

static void set_pair(struct pair *pair)
{
	pair->log_ratio = log(pair->mean[1] / pair->mean[0]);
	pair->error = sqrt(pair->variance[0] + pair->variance[1]);
}

static struct pair pair_of(const struct res_sample *const samples[2])
{
	struct pair pair;

	for (int i = 0; i < 2; i++) {
		double share;
		pair.mean[i] = res_sample_value(samples[i]);
		share = res_sample_deviation(samples[i]) / pair.mean[i];
		pair.variance[i] = share * share / (double)samples[i]->count;
	}
	set_pair(&pair);
	return pair;
}

/* Welch's and Satterthwaite's: as many degrees of freedom as the two variances are worth. */
static double freedom(const double variance[2], const struct res_sample *const samples[2])
{
	double sum = variance[0] + variance[1];

	return sum * sum /
	       (variance[0] * variance[0] / (double)(samples[0]->count - 1) +
		variance[1] * variance[1] / (double)(samples[1]->count - 1));
}

static double welch(const struct res_sample *const samples[2])
{
	double variance[2], deviation;

	for (int i = 0; i < 2; i++) {
		deviation = res_sample_deviation(samples[i]);
		variance[i] = deviation * deviation / (double)samples[i]->count;
	}
	return pl_student_p((res_sample_value(samples[1]) - res_sample_value(samples[0])) /
				    sqrt(variance[0] + variance[1]),
			    freedom(variance, samples));
}

static struct res_interval around(double middle, double below, double above)
{
	return (struct res_interval){ exp(middle - below), exp(middle + above) };
}

static bool student(const struct res_sample *const samples[2], struct res_ratio *ret)
{
	struct pair pair = pair_of(samples);

	/* without a spread beyond rounding (counts, mostly) no interval can be given */
	if (!(pair.error > ROUNDING))
		return false;
	double half = pl_student_t(SURE, freedom(pair.variance, samples)) * pair.error;
	ret->how = RES_RATIO_STUDENT;
	ret->interval = around(pair.log_ratio, half, half);
	return true;
}

/* ---- bootstrap ----------------------------------------------------------------------------- */

/* Mean and its relative variance of as many draws as there are runs. */
static void resample(struct pl_pcg64 *rng, const struct res_sample *sample, double about,
		     double *ret_mean, double *ret_variance)
{
	double n = (double)sample->count, sum = 0, squares = 0, mean;

	for (size_t i = 0; i < sample->count; i++) {
		size_t drawn = (size_t)((uint64_t)pl_pcg64_next32(rng) * sample->count >> 32);
		double distance = sample->numbers[drawn] - about;
		sum += distance;
		squares += distance * distance;
	}
	mean = about + sum / n;
	*ret_mean = mean;
	*ret_variance = fmax(squares - sum * sum / n, 0) / (n - 1) / n / (mean * mean);
}

/* How far the drawn ratio lies from that of the runs, in units of its error. */
static double distance_of(const struct pair *drawn, const struct pair *real)
{
	double distance = drawn->log_ratio - real->log_ratio;

	if (drawn->error > 0)
		return distance / drawn->error;
	return distance > 0 ? INFINITY : distance < 0 ? -INFINITY : 0;
}

static bool bootstrap(const char *id, const struct res_sample *const samples[2],
		      struct res_ratio *ret)
{
	auto_free double *distances = pl_alloc_array(RESAMPLES, sizeof(*distances));
	struct pair real = pair_of(samples);
	struct pl_pcg64 rng;

	if (!(real.error > ROUNDING))
		return false;
	/* Derives the seed from the compared values. */
	uint64_t hash = pl_hash_bytes(PL_HASH_NONE, id, strlen(id) + 1);
	for (int i = 0; i < 2; i++) {
		uint64_t count = samples[i]->count;
		hash = pl_hash_bytes(hash, &count, sizeof(count));
		hash = pl_hash_bytes(hash, samples[i]->numbers, count * sizeof(double));
	}
	pl_pcg64_seed(&rng, hash);
	for (size_t i = 0; i < RESAMPLES; i++) {
		struct pair drawn;
		for (int k = 0; k < 2; k++)
			resample(&rng, samples[k], real.mean[k], &drawn.mean[k],
				 &drawn.variance[k]);
		set_pair(&drawn);
		distances[i] = distance_of(&drawn, &real);
	}
	pl_stats_sort(distances, RESAMPLES);
	size_t cut = (size_t)((RESAMPLES + 1) * TAIL) - 1;
	double low = distances[cut], high = distances[RESAMPLES - 1 - cut];
	/* runs that are mostly alike: too many resamples are of one value */
	if (!isfinite(low) || !isfinite(high))
		return false;
	ret->how = RES_RATIO_BOOTSTRAP;
	ret->interval = around(real.log_ratio, high * real.error, -low * real.error);
	return true;
}

/* ---- the other cases ----------------------------------------------------------------------- */

/* Logarithms of doubles, whose squares do not overflow. glibc 2.35 has a new hypot(), which the wheel would need. */
static double in_quadrature(double a, double b)
{
	return sqrt(a * a + b * b);
}

/*
 * Combines two intervals in quadrature, separately for each bound (Zou and Donner), which preserves
 * their asymmetry.
 */
static void within(const struct res_sample *const samples[2], struct res_ratio *ret)
{
	const struct res_interval *a = &samples[0]->within, *b = &samples[1]->within;
	double value_a = samples[0]->numbers[0], value_b = samples[1]->numbers[0];

	if (!samples[0]->has_within || !samples[1]->has_within || !(a->low > 0) || !(b->low > 0) ||
	    a->low > value_a || a->high < value_a || b->low > value_b || b->high < value_b)
		return;
	double middle = log(ret->ratio);
	double below = in_quadrature(log(value_b / b->low), log(a->high / value_a));
	double above = in_quadrature(log(b->high / value_b), log(value_a / a->low));
	double facing = middle > 0 ? below : above;
	ret->how = RES_RATIO_WITHIN;
	ret->interval = around(middle, below, above);
	ret->p = facing > 0 ? pl_normal_p(Z_95 * middle / facing) : NAN;
}

/*
 * Tests whether a run of the group could differ that much. The single run's own variation is
 * unknown.
 */
static void one_of_many(const struct res_sample *const samples[2], struct res_ratio *ret)
{
	const struct res_sample *many = samples[0]->count > 1 ? samples[0] : samples[1];
	double n = (double)many->count, mean = res_sample_value(many);
	double deviation = res_sample_deviation(many) * sqrt(1 + 1 / n);
	double one = samples[many == samples[0]]->numbers[0];

	if (!(deviation > ROUNDING * mean))
		return;
	double half = pl_student_t(SURE, n - 1) * deviation / mean;
	ret->how = RES_RATIO_ONE_OF_MANY;
	ret->interval = around(log(ret->ratio), half, half);
	ret->p = pl_student_p((one - mean) / deviation, n - 1);
}

/* ---- runs that lack ------------------------------------------------------------------------ */

/* The square of the deviation as a share of the mean, of a run of each side, together. */
static double spread_of(const struct res_sample *const samples[2])
{
	double squares[2];

	for (int i = 0; i < 2; i++) {
		double share = res_sample_deviation(samples[i]) / res_sample_value(samples[i]);
		squares[i] = share * share;
	}
	/* a single run gets the value of the group */
	if (isnan(squares[0]))
		return 2 * squares[1];
	return isnan(squares[1]) ? 2 * squares[0] : squares[0] + squares[1];
}

static double more_runs(const struct res_sample *const samples[2], double effect)
{
	double spread = spread_of(samples), log_effect = log1p(effect);
	double wanted = spread / (log_effect * log_effect);
	double fewest = fmin((double)samples[0]->count, (double)samples[1]->count);
	double n = fmax(2, floor(wanted * (Z_95 + Z_POWER) * (Z_95 + Z_POWER)));

	if (isnan(spread))
		return NAN;
	for (; n < NEEDED_MAX; n++) {
		double t = pl_student_t(SURE, 2 * n - 2) + pl_student_t(POWER_MISSED, 2 * n - 2);
		if (n >= wanted * t * t)
			break;
	}
	return fmax(0, n - fewest);
}

/*
 * Returns whether the interval could hide a difference of that size. Then more runs are needed,
 * however small their variation seems.
 */
static bool hides(const struct res_ratio *ratio, double effect)
{
	const struct res_interval *interval = &ratio->interval;

	return ratio->how != RES_RATIO_NONE &&
	       fmax(interval->high / ratio->ratio, ratio->ratio / interval->low) > 1 + effect;
}

/* ---- together ------------------------------------------------------------------------------ */

/*
 * Returns whether two means differ by no more than rounding. The order of a sum changes its last
 * digits.
 */
static bool is_equal(double a, double b)
{
	return fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b));
}

static enum res_finding finding_of(const struct res_ratio *ratio,
				   enum res_field_direction direction)
{
	bool is_higher = ratio->interval.low > 1;

	if (ratio->how == RES_RATIO_NONE)
		return is_equal(ratio->ratio, 1) ? RES_FINDING_EQUAL : RES_FINDING_NO_INTERVAL;
	if (!is_higher && !(ratio->interval.high < 1))
		return RES_FINDING_NO_DIFFERENCE;
	if (direction == RES_FIELD_NEITHER)
		return is_higher ? RES_FINDING_HIGHER : RES_FINDING_LOWER;
	return is_higher == (direction == RES_FIELD_HIGHER) ? RES_FINDING_BETTER
							    : RES_FINDING_WORSE;
}

static void measure(const char *id, const struct res_sample *const samples[2],
		    struct res_ratio *ret)
{
	size_t fewest = samples[0]->count < samples[1]->count ? samples[0]->count
							      : samples[1]->count;
	size_t most = samples[0]->count + samples[1]->count - fewest;
	/* a resample of numbers below 0 may have no logarithm */
	bool are_positive = samples[0]->numbers[0] > 0 && samples[1]->numbers[0] > 0;

	if (most == 1) {
		within(samples, ret);
		return;
	}
	if (fewest == 1) {
		one_of_many(samples, ret);
		return;
	}
	ret->p = welch(samples);
	if (fewest >= BOOT_MIN && most <= BOOT_MAX && are_positive && bootstrap(id, samples, ret))
		return;
	if (!student(samples, ret))
		ret->p = NAN;
}

struct res_ratio res_ratio_of(const char *id, enum res_field_direction direction, double effect,
			      const struct res_sample *a, const struct res_sample *b)
{
	const struct res_sample *const samples[2] = { a, b };
	struct res_ratio ret = { .finding = RES_FINDING_NO_VALUE,
				 .ratio = NAN,
				 .interval = { NAN, NAN },
				 .p = NAN,
				 .more_runs = NAN };
	double before = res_sample_value(a), after = res_sample_value(b);

	if (a->count == 0 || b->count == 0)
		return ret;
	ret.ratio = after / before;
	if (!(before > 0) || !(after > 0) || !isnormal(ret.ratio)) {
		ret.ratio = NAN;
		ret.finding = is_equal(before, after) ? RES_FINDING_EQUAL : RES_FINDING_NO_RATIO;
		if (a->count > 1 && b->count > 1)
			ret.p = welch(samples);
		return ret;
	}
	measure(id, samples, &ret);
	/* wider than a number can tell */
	if (!isfinite(ret.interval.high) || !(ret.interval.low > 0)) {
		ret.how = RES_RATIO_NONE;
		ret.interval = (struct res_interval){ NAN, NAN };
	}
	ret.more_runs = more_runs(samples, effect);
	if (ret.more_runs < 1 && hides(&ret, effect))
		ret.more_runs = 1;
	ret.finding = finding_of(&ret, direction);
	return ret;
}

void res_ratio_forget_chance(struct res_ratio *ratio)
{
	ratio->how = RES_RATIO_NONE;
	ratio->interval = (struct res_interval){ NAN, NAN };
	ratio->p = ratio->more_runs = NAN;
	/* without a ratio the finding does not depend on an interval */
	if (!isnan(ratio->ratio))
		ratio->finding = finding_of(ratio, RES_FIELD_NEITHER);
}

bool res_ratio_is_regression(const struct res_ratio *ratio, double effect)
{
	return ratio->finding == RES_FINDING_WORSE &&
	       (ratio->interval.low > 1 + effect || ratio->interval.high < 1 - effect);
}

/* ---- words --------------------------------------------------------------------------------- */

struct percent {
	char text[32];
};

/*
 * Returns the number of decimals that show two digits of the interval's width, or without an
 * interval two digits of the share.
 */
static int decimals_of(const struct res_ratio *ratio)
{
	double width = 100 * (ratio->interval.high - ratio->interval.low);
	int decimals = 1;

	if (isnan(width))
		return fabs(ratio->ratio - 1) * 100 < 1 ? 2 : 1;
	for (double digits = 10; width * digits < 10 && decimals < DECIMALS_MAX; digits *= 10)
		decimals++;
	return decimals;
}

static struct percent percent_of(double share, int decimals)
{
	struct percent ret;

	snprintf(ret.text, sizeof(ret.text), "%.*f", decimals, share * 100);
	return ret;
}

static void add_range(struct pl_buf *text, double from, double to, int decimals)
{
	pl_buf_addf(text, " (%s to %s %%)", percent_of(from, decimals).text,
		    percent_of(to, decimals).text);
}

static void add_more_runs(struct pl_buf *text, double more, double effect)
{
	if (isnan(more))
		return;
	pl_buf_addf(text, "; one of %.4g %% ", effect * 100);
	if (more > 0)
		pl_buf_addf(text, "needs %.0f more run%s per side", more, more > 1 ? "s" : "");
	else
		pl_buf_add_text(text, "would probably be detected");
}

static void add_difference(struct pl_buf *text, const struct res_ratio *ratio)
{
	double low = ratio->interval.low - 1, high = ratio->interval.high - 1;
	bool is_higher = low > 0;
	int decimals = decimals_of(ratio);

	pl_buf_addf(text, "%s by %s %%", res_finding_name(ratio->finding),
		    percent_of(fabs(ratio->ratio - 1), decimals).text);
	add_range(text, is_higher ? low : -high, is_higher ? high : -low, decimals);
	if (ratio->how == RES_RATIO_WITHIN)
		pl_buf_add_text(text, " in these runs");
}

char *res_ratio_words(const struct res_ratio *ratio, double effect)
{
	auto_buf text = PL_BUF(512);

	switch (ratio->finding) {
	case RES_FINDING_NO_VALUE:
		pl_buf_add_text(&text, "nothing to compare");
		break;
	case RES_FINDING_NO_RATIO:
		pl_buf_add_text(&text, "no ratio: one value is not above 0");
		break;
	case RES_FINDING_EQUAL:
		pl_buf_add_text(&text, "equal");
		break;
	case RES_FINDING_NO_INTERVAL:
		pl_buf_add_text(&text, ratio->ratio > 1 ? "higher" : "lower");
		pl_buf_addf(&text, " by %s %%, without a confidence interval",
			    percent_of(fabs(ratio->ratio - 1), decimals_of(ratio)).text);
		break;
	case RES_FINDING_NO_DIFFERENCE:
		pl_buf_add_text(&text, "no difference shown");
		add_range(&text, ratio->interval.low - 1, ratio->interval.high - 1,
			  decimals_of(ratio));
		add_more_runs(&text, ratio->more_runs, effect);
		break;
	default:
		add_difference(&text, ratio);
	}
	return pl_buf_take(&text);
}
