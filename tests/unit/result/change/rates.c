/*
 * False alarms and power of the analysis of changes, measured on synthetic series of fixed seeds, next to three simpler
 * methods: 60 series per cell, or 400 with PROFLLM_TEST_LONG. It prints the tables of docs/reference/changes.md.
 */
#include "result/change/change.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "base/student.h"
#include "result/change/divide.h"

enum { POINTS = 60, BEFORE = 45, AFTER = 60, LATEST = BEFORE + AFTER, SERIES_MAX = 400 };
enum kind { NORMAL, LOG_NORMAL, CORRELATED, SPIKES, HOSTS, KINDS };

static const char *const kind_names[] = { "normal, CV 5 %", "log-normal, σ 0.15",
					  "AR(1) 0.5, CV 5 %", "5 % spikes × 1.5",
					  "bimodal hosts" };
/* False alarms of one analysis, in percent, of a prototype with 400 series; 0 counts as 1 of 400. */
static const double rate_max[] = { 0.8, 0.5, 2.5, 0.8, 0.25 };

static size_t series_count(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
	return 4;
#endif
	return getenv("PROFLLM_TEST_LONG") != NULL ? SERIES_MAX : 60;
}

static void make_series(enum kind kind, uint32_t seed, size_t n, double *x)
{
	struct pl_nplegacy rng;
	double state = 0;

	pl_nplegacy_seed(&rng, seed);
	for (size_t i = 0; i < n; i++) {
		double normal = pl_nplegacy_gauss(&rng), share = pl_nplegacy_double(&rng);

		state = i == 0 ? normal : 0.5 * state + sqrt(0.75) * normal;
		x[i] = 100 * (1 + 0.05 * normal);
		if (kind == LOG_NORMAL)
			x[i] = 100 * exp(0.15 * normal);
		else if (kind == CORRELATED)
			x[i] = 100 * (1 + 0.05 * state);
		else if (kind == SPIKES)
			x[i] *= share < 0.05 ? 1.5 : 1;
		else if (kind == HOSTS)
			x[i] = 100 * (1 + 0.03 * normal) * (share < 0.5 ? 1 : 1.15);
	}
}

/* Analyzes the first n values as latencies. The caller ends the analysis, which borrows `ret_series`. */
static void analyze(const char *key, const double *x, size_t n, double effect_min,
		    struct res_change_series *ret_series, struct res_change_analysis *ret)
{
	struct res_change_point *points = pl_alloc_array(n, sizeof(points[0]));

	for (size_t i = 0; i < n; i++)
		points[i] = (struct res_change_point){ .at = (int64_t)i, .id = "", .value = x[i] };
	*ret_series = (struct res_change_series){ .key = key,
						  .points = points,
						  .count = n,
						  .direction = RES_FIELD_LOWER,
						  .scale = RES_SCALE_LOG,
						  .effect_min = effect_min };
	res_change_analyze(ret_series, &res_change_defaults, ret);
	res_change_family(ret, 1, &res_change_defaults);
}

static void done(struct res_change_series *series, struct res_change_analysis *analysis)
{
	res_change_analysis_done(analysis);
	free(series->points);
}

struct alarms {
	bool change;    /* a change of any state, persistent or not */
	bool confirmed; /* a regression or an improvement */
	bool suspect;   /* the tail check */
};

static struct alarms alarms_of(const char *key, const double *x, size_t n)
{
	struct res_change_series series;
	struct res_change_analysis analysis;
	struct alarms alarms = { 0 };

	analyze(key, x, n, 0.05, &series, &analysis);
	for (size_t i = 0; i < analysis.change_count; i++) {
		enum res_change_state state = analysis.changes[i].state;

		alarms.change |= state != RES_CHANGE_STABLE;
		alarms.confirmed |= state == RES_CHANGE_REGRESSION ||
				    state == RES_CHANGE_IMPROVEMENT;
	}
	alarms.suspect = analysis.tail.is_hit;
	done(&series, &analysis);
	return alarms;
}

/* Three simpler methods. */

static bool has_ratio(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (fabs(x[i] / x[i - 1] - 1) > 0.1)
			return true;
	}
	return false;
}

/* A point outside the 99 % interval that Student's t predicts from the 20 points before it. */
static bool has_point(const double *x, size_t n)
{
	enum { WINDOW = 20 };

	for (size_t i = WINDOW; i < n; i++) {
		double mean = pl_stats_mean(x + i - WINDOW, WINDOW);
		double deviation = pl_stats_std(x + i - WINDOW, WINDOW) *
				   sqrt((double)WINDOW / (WINDOW - 1));
		double t = (x[i] - mean) / (deviation * sqrt(1 + 1.0 / WINDOW));
		if (pl_student_p(t, WINDOW - 1) < 0.01)
			return true;
	}
	return false;
}

/* The best cut, tested by Student's t at 1 % as if it had been known. */
static bool has_cut(const double *x, size_t n)
{
	struct res_cut cut;

	assert_true(res_cut_find(x, n, 5, &cut));
	double m = (double)cut.at, k = (double)(n - cut.at);
	double s1 = pl_stats_std(x, cut.at), s2 = pl_stats_std(x + cut.at, n - cut.at);
	double pooled = sqrt((m * s1 * s1 + k * s2 * s2) / (m + k - 2));
	double shift = pl_stats_mean(x + cut.at, n - cut.at) - pl_stats_mean(x, cut.at);
	return pl_student_p(shift / (pooled * sqrt(1 / m + 1 / k)), m + k - 2) < 0.01;
}

/* Returns the smallest count that is exceeded with a probability of at most 0.5 %. */
static size_t count_max(size_t n, double share)
{
	double term = pow(1 - share, (double)n), sum = term;
	size_t count = 0;

	while (sum < 0.995) {
		term *= (double)(n - count) / (double)(count + 1) * share / (1 - share);
		sum += term;
		count++;
	}
	return count;
}

static void test_result_change_rates__unchanged_series_cause_few_alarms(void **state)
{
	size_t count = series_count();

	(void)state;
	printf("| series | this method | re-analyzed at each point | tail check | fixed ratio | "
	       "t interval | E-divisive, t test |\n|---|---|---|---|---|---|---|\n");
	for (enum kind kind = 0; kind < KINDS; kind++) {
		size_t change = 0, confirmed = 0, suspect = 0, ratio = 0, point = 0, cut = 0;

		for (uint32_t i = 0; i < count; i++) {
			char key[32];
			double x[POINTS];
			bool is_confirmed = false, is_suspect = false;

			snprintf(key, sizeof(key), "%d-%u", (int)kind, i);
			make_series(kind, 1000 * kind + i, POINTS, x);
			for (size_t n = 20; n < POINTS; n++) {
				struct alarms alarms = alarms_of(key, x, n);
				is_confirmed |= alarms.confirmed;
				is_suspect |= alarms.suspect;
			}
			struct alarms last = alarms_of(key, x, POINTS);
			change += last.change;
			confirmed += is_confirmed || last.confirmed;
			suspect += is_suspect || last.suspect;
			ratio += has_ratio(x, POINTS);
			point += has_point(x, POINTS);
			cut += has_cut(x, POINTS);
		}
		double all = (double)count / 100;
		printf("| %s | %.1f %% | %.1f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% |\n",
		       kind_names[kind], (double)change / all, (double)confirmed / all,
		       (double)suspect / all, (double)ratio / all, (double)point / all,
		       (double)cut / all);
		assert_in_range(change, 0, count_max(count, rate_max[kind] / 100));
		assert_in_range(confirmed, 0, (uintmax_t)ceil(0.04 * (double)count));
		if (count >= 60)
			assert_true(change < ratio);
	}
}

static int compare_counts(const void *a, const void *b)
{
	const size_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

static void test_result_change_rates__steps_are_confirmed_after_the_noted_points(void **state)
{
	static const struct {
		double effect;
		double confirmed_min;
		size_t median_max;
	} rows[] = { { 0.05, 0.5, AFTER }, { 0.1, 0.95, 16 }, { 0.2, 0.95, 16 } };
	size_t count = series_count() / 2;

	(void)state;
	printf("| step at CV 5 %%, 45 points before | confirmed within 60 points | median | noted "
	       "|\n"
	       "|---|---|---|---|\n");
	for (uint32_t row = 0; row < PL_ARRAY_SIZE(rows); row++) {
		size_t needed[SERIES_MAX], confirmed = 0, covered = 0, final = 0;

		for (uint32_t i = 0; i < count; i++) {
			char key[32];
			double x[LATEST];

			snprintf(key, sizeof(key), "step-%u-%u", row, i);
			make_series(NORMAL, 90000 + 1000 * row + i, LATEST, x);
			for (size_t j = BEFORE; j < LATEST; j++)
				x[j] *= 1 + rows[row].effect;
			needed[i] = SIZE_MAX;
			for (size_t n = BEFORE + 5; n <= LATEST; n++) {
				struct res_change_series series;
				struct res_change_analysis analysis;

				analyze(key, x, n, 0.03, &series, &analysis);
				for (size_t j = 0; j < analysis.change_count; j++) {
					const struct res_change *change = &analysis.changes[j];

					if (change->state != RES_CHANGE_REGRESSION)
						continue;
					needed[i] = n - BEFORE < needed[i] ? n - BEFORE : needed[i];
					covered += n == LATEST && change->low <= BEFORE &&
						   change->high >= BEFORE;
					final += n == LATEST;
				}
				done(&series, &analysis);
				if (needed[i] != SIZE_MAX && n < LATEST)
					n = LATEST - 1;
			}
			confirmed += needed[i] != SIZE_MAX;
		}
		qsort(needed, count, sizeof(needed[0]), compare_counts);
		double median = (double)needed[count / 2];
		double noted = res_change_points_needed(RES_SCALE_LOG, 0.05, BEFORE,
							rows[row].effect, &res_change_defaults);
		printf("| %.0f %% | %.1f %% | %.0f | %.0f |\n", 100 * rows[row].effect,
		       100 * (double)confirmed / (double)count, median, noted);
		if (count < 30)
			continue;
		assert_true((double)confirmed >= rows[row].confirmed_min * (double)count);
		assert_true(median <= (double)rows[row].median_max);
		assert_true(fabs(noted - median) <= 0.3 * median);
		/* 95 %, less 4 standard errors of 30 series */
		assert_true((double)covered >= 0.79 * (double) final);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_change_rates__unchanged_series_cause_few_alarms),
		cmocka_unit_test(
			test_result_change_rates__steps_are_confirmed_after_the_noted_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
