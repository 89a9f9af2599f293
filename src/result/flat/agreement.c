/*
 * Each rule follows from vLLM's formulas, so a file that vLLM wrote never breaks one. A file whose figures all have few
 * decimals was rounded, by a script or for vLLM's console: half of its last digit is allowed for.
 */
#include "result/flat/agreement.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/flat/compare.h"
#include "result/quality.h"

/* A file with a figure of more decimals is not rounded. */
#define DECIMALS_MAX 3
/* Two orders of figures that floating-point sums may turn. */
#define ORDER_SHARE 1e-3
#define KEY_BYTES   64
#define POINTS_MAX  128

/* The worst fault of one kind. */
struct finding {
	double share;
	char *text;
	double rounding; /* of the figures that it is found in */
};

static void find(struct finding *finding, double share, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void find(struct finding *finding, double share, const char *format, ...)
{
	va_list args;

	if (!(share > finding->share))
		return;
	finding->share = share;
	va_start(args, format);
	vsnprintf(finding->text, RES_QUALITY_DETAIL_BYTES, format, args);
	va_end(args);
}

/* More than DECIMALS_MAX: the value is not rounded. */
static int decimals_of(double value)
{
	int decimals = 0;

	for (; decimals <= DECIMALS_MAX; decimals++) {
		double scaled = value * pow(10, decimals);
		if (fabs(scaled - round(scaled)) <= 1e-9 * fmax(1, fabs(scaled)))
			break;
	}
	return decimals;
}

/* Returns half of the last digit of the most precise metric. */
static double rounding_of(const struct res_flat *flat, bool statistics)
{
	int most = 0;

	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		bool is_rate = pl_text_ends(key, "_throughput") || pl_text_equal(key, "duration");
		int decimals = json_is_number(value) ? decimals_of(json_number_value(value)) : 0;
		if ((statistics ? res_flat_statistic(key) != NULL : is_rate) && decimals > most)
			most = decimals;
	}
	return most > DECIMALS_MAX ? 0 : 0.5 * pow(10, -most);
}

/* ---- totals ---- */

static void expect(struct finding *finding, const char *key, double found, double expected,
		   double slack)
{
	double off = fabs(found - expected) - finding->rounding - slack;

	if (off > 0)
		find(finding, off / fmax(fabs(found), fabs(expected)),
		     "%s: found %.6g, expected %.6g", key, found, expected);
}

static void check_rates(const struct res_flat *flat, struct finding *finding)
{
	double in = res_flat_number(flat, "total_input_tokens");
	double out = res_flat_number(flat, "total_output_tokens");
	const struct {
		const char *key;
		double count;
	} rates[] = {
		{ "request_throughput", (double)flat->completed },
		{ "input_throughput", in },
		{ "output_throughput", out },
		{ "total_token_throughput", isnan(out) ? in : in + out },
		{ "input_sequence_throughput", res_flat_number(flat, "total_input_sequences") },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rates) && flat->duration_s > 0; i++) {
		double found = res_flat_number(flat, rates[i].key);
		double expected = rates[i].count / flat->duration_s;
		double doubt = finding->rounding / flat->duration_s;
		if (!isnan(found) && !isnan(expected))
			expect(finding, rates[i].key, found, expected, expected * doubt);
	}
	double all = res_flat_number(flat, "request_throughput");
	if (flat->request_goodput > all)
		expect(finding, "request_goodput", flat->request_goodput, all, 0);
}

static void check_counts(const struct res_flat *flat, struct finding *finding)
{
	double sent = (double)flat->completed + (double)flat->failed;
	double requested = (double)flat->num_prompts;
	double out = res_flat_number(flat, "total_output_tokens");

	if (sent > requested)
		find(finding, requested > 0 ? (sent - requested) / requested : 1,
		     "completed + failed: found %.0f, expected at most num_prompts, %.0f", sent,
		     requested);
	if (flat->completed == 0 && out > 0)
		find(finding, 1, "total_output_tokens: found %.0f, expected 0 without completed",
		     out);
	if (flat->completed > 0 && !(flat->duration_s > 0))
		find(finding, 1, "duration: found 0, expected the time of %.0f requests", sent);
}

/*
 * Checks requests in flight, by Little's law, and the time of one request: neither may exceed the
 * possible.
 */
static void check_times(const struct res_flat *flat, struct finding *finding)
{
	double most = (double)flat->max_concurrency;
	double latency = res_flat_number(flat, "mean_e2el_ms");

	if (isnan(latency))
		latency = res_flat_number(flat, "mean_ttft_ms");
	double in_flight = (double)flat->completed * latency / 1e3 /
			   (flat->duration_s + finding->rounding);
	if (flat->max_concurrency > 0 && flat->duration_s > 0 && in_flight > most)
		find(finding, in_flight / most - 1,
		     "max_concurrency: found %.0f, but completed x mean latency / duration is %.4g",
		     most, in_flight);
	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		const char *end = res_flat_statistic(key);
		double seconds = json_number_value(value) / 1e3;
		double longest = flat->duration_s + finding->rounding;
		if ((pl_text_equal(end, "_ttft_ms") || pl_text_equal(end, "_e2el_ms")) &&
		    flat->duration_s > 0 && seconds > longest)
			find(finding, seconds / longest - 1,
			     "%s: found %.6g, expected at most the duration, %.6g", key,
			     seconds * 1e3, flat->duration_s * 1e3);
	}
}

/* ---- statistics of one family ---- */

struct point {
	double percent;
	double value;
	const char *key;
};

/* NaN: not recorded. */
struct family {
	double mean, median, std;
	double count;                    /* of the sample */
	struct point points[POINTS_MAX]; /* percentiles and the median, ascending */
	size_t point_count;
	bool is_reported;
	bool is_zero; /* every recorded statistic is 0 */
};

static int compare_points(const void *a, const void *b)
{
	const struct point *one = a, *other = b;

	return (one->percent > other->percent) - (one->percent < other->percent);
}

static void add_point(struct family *family, double percent, double value, const char *key)
{
	if (family->point_count < POINTS_MAX)
		family->points[family->point_count++] = (struct point){ percent, value, key };
}

static void add_statistic(struct family *family, const char *key, const char *ending, double value)
{
	auto_free char *name = pl_strndup(key, strlen(key) - strlen(ending));
	double percent;

	family->is_reported = true;
	family->is_zero = family->is_zero && !(value > 0);
	if (strcmp(name, "mean") == 0)
		family->mean = value;
	else if (strcmp(name, "std") == 0)
		family->std = value;
	else if (strcmp(name, "median") == 0)
		add_point(family, 50, family->median = value, key);
	else if (name[0] == 'p' && pl_text_to_f64(name + 1, &percent) && percent >= 0 &&
		 percent <= 100)
		add_point(family, percent, value, key);
}

static struct family family_of(const struct res_flat *flat, const char *ending)
{
	struct family family = { .mean = NAN,
				 .median = NAN,
				 .std = NAN,
				 .count = (double)flat->completed,
				 .is_zero = true };

	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		if (json_is_number(value) && pl_text_equal(res_flat_statistic(key), ending))
			add_statistic(&family, key, ending, json_number_value(value));
	}
	qsort(family.points, family.point_count, sizeof(family.points[0]), compare_points);
	return family;
}

/* ---- order ---- */

static void expect_most(struct finding *finding, const char *key, double found, double most,
			const char *why)
{
	double off = found - most - 2 * finding->rounding;

	if (off > ORDER_SHARE * fmax(found, most))
		find(finding, off / fmax(found, most), "%s: found %.6g, expected at most %.6g, %s",
		     key, found, most, why);
}

/*
 * How many of `count` samples are at least the percentile, and at most it; numpy's lies between two ranks. A bound by
 * the mean and the standard deviation follows from it.
 */
static void check_bounds(const struct family *family, const struct point *point,
			 struct finding *finding)
{
	double n = family->count, rank = floor((n - 1) * point->percent / 100);
	double above = fmax(n - 1 - rank, 1), below = fmin(rank + 1, n);

	/* the samples above alone make this mean */
	expect_most(finding, point->key, point->value, family->mean * n / above, "by the mean");
	if (isnan(family->std))
		return;
	expect_most(finding, point->key, point->value,
		    family->mean + family->std * sqrt((n - above) / above),
		    "by the mean and the standard deviation");
	double least = family->mean - family->std * sqrt((n - below) / below);
	double off = least - point->value - 2 * finding->rounding;
	if (off > ORDER_SHARE * least)
		find(finding, off / least,
		     "%s: found %.6g, expected at least %.6g, by the mean and the standard "
		     "deviation",
		     point->key, point->value, least);
}

static void check_family(const struct family *family, const char *ending, struct finding *finding)
{
	char key[KEY_BYTES];

	snprintf(key, sizeof(key), "mean%s", ending);
	for (size_t i = 1; i < family->point_count; i++)
		expect_most(finding, family->points[i - 1].key, family->points[i - 1].value,
			    family->points[i].value, family->points[i].key);
	/* half of the samples are at least the median; and no median is farther from the mean than this */
	expect_most(finding, key, family->median / 2, family->mean, "half of the median");
	expect_most(finding, key, family->mean, family->median + family->std,
		    "the median and the standard deviation");
	expect_most(finding, key, family->median, family->mean + family->std,
		    "the median less the standard deviation");
}

static double value_at(const struct family *family, double percent)
{
	for (size_t i = 0; i < family->point_count; i++) {
		if (family->points[i].percent >= percent && family->points[i].percent <= percent)
			return family->points[i].value;
	}
	return NAN;
}

/* Each request's first token comes before its last. */
static void check_first(const struct family *ttft, const struct family *e2el,
			struct finding *finding)
{
	expect_most(finding, "mean_ttft_ms", ttft->mean, e2el->mean, "mean_e2el_ms");
	for (size_t i = 0; i < ttft->point_count; i++)
		expect_most(finding, ttft->points[i].key, ttft->points[i].value,
			    value_at(e2el, ttft->points[i].percent), "that of E2EL");
}

static void check_order(const struct res_flat *flat, struct finding *finding)
{
	static const char *const endings[] = { "_ttft_ms", "_e2el_ms", "_tpot_ms", "_itl_ms" };
	struct family families[PL_ARRAY_SIZE(endings)];

	for (size_t i = 0; i < PL_ARRAY_SIZE(endings); i++) {
		families[i] = family_of(flat, endings[i]);
		check_family(&families[i], endings[i], finding);
		/* of these two each finished request is a sample */
		for (size_t k = 0; i < 2 && flat->completed > 0 && k < families[i].point_count; k++)
			check_bounds(&families[i], &families[i].points[k], finding);
	}
	check_first(&families[0], &families[1], finding);
}

/* ---- zeros ---- */

/* Answers of one token each have neither gaps nor a time per token. */
static bool has_second_tokens(const struct res_flat *flat)
{
	double out = res_flat_number(flat, "total_output_tokens");

	for (size_t i = 0; i < flat->count; i++) {
		if (flat->requests[i].ok && flat->requests[i].output_tokens > 1)
			return true;
	}
	return flat->count == 0 && !(out <= (double)flat->completed);
}

static bool is_zero(const struct res_flat *flat, const char *ending)
{
	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		if (json_number_value(value) > 0 && pl_text_ends(key, ending))
			return false;
	}
	return true;
}

bool res_flat_is_unsampled(const struct res_flat *flat, const char *key)
{
	static const char *const rates[] = { "output_throughput",       "total_token_throughput",
					     "input_throughput",        "input_sequence_throughput",
					     "max_output_tokens_per_s", "max_concurrent_requests" };
	static const char *const times[] = { "_ttft_ms", "_tpot_ms", "_itl_ms", "_e2el_ms" };
	const char *ending = res_flat_statistic(key);

	if (flat->completed > 0 && res_flat_number(flat, key) > 0)
		return false;
	if (flat->completed == 0)
		return ending != NULL || PL_TEXT_IS_ONE_OF(key, rates);
	/* no time is 0: where all of a family are, nothing was measured */
	return ending != NULL && PL_TEXT_IS_ONE_OF(ending, times) && is_zero(flat, ending);
}

static void check_zeros(const struct res_flat *flat, double *ret_count, char *text)
{
	struct family ttft = family_of(flat, "_ttft_ms"), e2el = family_of(flat, "_e2el_ms");
	struct family tpot = family_of(flat, "_tpot_ms"), itl = family_of(flat, "_itl_ms");
	bool has_output = flat->completed > 0 &&
			  !(res_flat_number(flat, "total_output_tokens") <= 0);
	bool has_second = has_output && has_second_tokens(flat);
	const struct {
		const char *name;
		const struct family *family;
		bool is_sampled;
	} rows[] = { { "TTFT", &ttft, has_output },
		     { "E2EL", &e2el, has_output },
		     { "TPOT", &tpot, has_second },
		     /* a time per token without gaps is that of one event and its usage */
		     { "ITL", &itl, has_second && tpot.mean > 0 } };

	*ret_count = 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (!rows[i].is_sampled || !rows[i].family->is_reported || !rows[i].family->is_zero)
			continue;
		snprintf(text + strlen(text), RES_QUALITY_DETAIL_BYTES - strlen(text), "%s%s",
			 *ret_count > 0 ? ", " : "", rows[i].name);
		*ret_count += 1;
	}
}

/* ---- lists ---- */

/* vLLM stores the latencies even without the other lists. */
static void check_latencies(const struct res_flat *flat, struct finding *finding)
{
	const json_t *list = json_object_get(flat->json, "latencies");
	double finished = 0;

	if (!json_is_array(list))
		return;
	PL_JSON_EACH(item, list)
		finished += json_number_value(item) > 0;
	find(finding, 0, "%s", "");
	expect(finding, "completed", (double)flat->completed, finished, 0);
	expect(finding, "completed + failed", (double)flat->completed + (double)flat->failed,
	       (double)json_array_size(list), 0);
}

static void check_lists(const struct res_flat *flat, struct finding *finding)
{
	const char *key;
	double share = res_flat_difference(flat, &key);

	if (flat->requests == NULL)
		check_latencies(flat, finding);
	find(finding, share, "%s: found %.6g, which differs from the value of the lists",
	     key != NULL ? key : "", res_flat_number(flat, key != NULL ? key : ""));
	if (flat->lists_fault[0] != '\0')
		find(finding, fmax(finding->share, 1), "%s", flat->lists_fault);
}

void res_flat_facts(const struct res_flat *flat, struct res_quality_facts *ret)
{
	struct finding totals = { .text = ret->totals_detail,
				  .rounding = rounding_of(flat, false) };
	struct finding order = { .text = ret->order_detail, .rounding = rounding_of(flat, true) };
	struct finding lists = { .share = NAN, .text = ret->lists_detail };
	double requested = (double)flat->num_prompts;
	double missing = requested - (double)flat->completed - (double)flat->failed;

	ret->completed = (double)flat->completed;
	check_rates(flat, &totals);
	check_counts(flat, &totals);
	check_times(flat, &totals);
	ret->totals_off_share = totals.share;
	check_order(flat, &order);
	ret->order_off_share = order.share;
	check_zeros(flat, &ret->impossible_zeros, ret->zeros_detail);
	if (flat->requests != NULL || flat->lists_fault[0] != '\0' ||
	    json_is_array(json_object_get(flat->json, "latencies"))) {
		lists.share = 0;
		check_lists(flat, &lists);
	}
	ret->lists_off_share = lists.share;
	ret->requests_missing_share = requested > 0 && missing > 0 ? missing / requested : 0;
}
