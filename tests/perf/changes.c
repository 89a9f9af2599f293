/*
 * Measures the analysis of changes: 500 configurations × 6 metrics × 200 points, one of ten with a
 * step of 10 % at a random position. Prints CPU times of one core. Run it on a release build:
 *
 * change_times [CONFIGURATIONS [POINTS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "result/change/change.h"

enum { METRICS = 6, KEY_BYTES = 32, STEP_EVERY = 10 };

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void make(struct res_change_series *series, size_t number, size_t points, char *key)
{
	struct pl_nplegacy rng;

	pl_nplegacy_seed(&rng, (uint32_t)number);
	size_t at = number % STEP_EVERY == 0 ? (size_t)pl_nplegacy_randint(&rng, 0, (int64_t)points)
					     : points;
	snprintf(key, KEY_BYTES, "series-%zu", number);
	*series = (struct res_change_series){
		.key = key,
		.points = pl_alloc_array(points, sizeof(struct res_change_point)),
		.count = points,
		.direction = RES_FIELD_LOWER,
		.scale = RES_SCALE_LOG,
		.effect_min = 0.05,
	};
	for (size_t i = 0; i < points; i++)
		series->points[i] = (struct res_change_point){
			.at = (int64_t)i,
			.id = "",
			.value = 100 * (1 + 0.05 * pl_nplegacy_gauss(&rng)) * (i >= at ? 1.1 : 1),
		};
}

int main(int argc, char **argv)
{
	size_t count = METRICS * (argc > 1 ? strtoul(argv[1], NULL, 10) : 500);
	size_t points = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
	auto_free struct res_change_series *series = pl_alloc_array(count, sizeof(series[0]));
	auto_free struct res_change_analysis *analyses = pl_alloc_array(count, sizeof(analyses[0]));
	auto_free char(*keys)[KEY_BYTES] = pl_alloc_array(count, KEY_BYTES);
	size_t states[RES_CHANGE_NOT_COMPARABLE + 1] = { 0 };

	for (size_t i = 0; i < count; i++)
		make(&series[i], i, points, keys[i]);
	double start = cpu_s();
	for (size_t i = 0; i < count; i++)
		res_change_analyze(&series[i], &res_change_defaults, &analyses[i]);
	double analyzed = cpu_s();
	res_change_family(analyses, count, &res_change_defaults);
	double done = cpu_s();
	printf("| series | points | analysis s | all together s | per series ms |\n"
	       "|---|---|---|---|---|\n| %zu | %zu | %.1f | %.1f | %.1f |\n",
	       count, points, analyzed - start, done - analyzed,
	       (analyzed - start) * 1e3 / (double)count);
	for (size_t i = 0; i < count; i++) {
		states[analyses[i].state]++;
		res_change_analysis_done(&analyses[i]);
		free(series[i].points);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(states); i++) {
		if (states[i] > 0)
			printf("%s: %zu\n", res_change_state_name(i), states[i]);
	}
	return 0;
}
